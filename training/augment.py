"""Symmetries of games: samples turned at random teach more than they did as they came."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import OptionError

Rows = npt.NDArray[np.int8]
_Ints = npt.NDArray[np.int64]

#: Observations (N, D), masks (N, A) and actions (N,) that belong together.
Samples = tuple[Rows, Rows, _Ints]


@dataclass(frozen=True)
class Turner:
    """A symmetry of a game, such as a quarter turn of its board.

    Attributes:
        turns: How often it may be applied, 0 (not at all) included.
        order: Applied so often it does nothing.
        turn: Turns samples, told for each how often (N,); what comes out is newly made.
    """

    turns: Sequence[int]
    order: int
    turn: Callable[[Rows, Rows, _Ints, _Ints], Samples]

    def draw(self, count: int, rng: np.random.Generator) -> _Ints:
        """(count,) random turns."""
        return rng.choice(self.turns, size=count)

    def undo(self, observations: Rows, masks: Rows, actions: _Ints, turns: _Ints) -> _Ints:
        """What the actions (N,) in samples that were turned are in the samples as they came."""
        return self.turn(observations, masks, actions, -turns % self.order)[2]


def make_turner(engine: Engine) -> Turner:
    """The symmetry of a game for one of its encoders.

    Raises:
        OptionError: The game, its components or the encoder have none.
    """
    name = engine.spec.name
    if name not in TURNERS:
        raise OptionError(f"augment: {name} has no symmetry; {', '.join(TURNERS)} have one")
    try:
        turner = TURNERS[name](engine)
    except OptionError as error:
        raise OptionError(f"augment: {error}") from error
    if len(turner.turns) == 1:
        raise OptionError(f"augment: these components of {name} have no symmetry")
    return turner


def _quatre(engine: Engine) -> Turner:
    from tefuda.envs.quatre.state import QUARTER_TURNS
    from tefuda.envs.quatre.symmetry import Symmetry

    symmetry = Symmetry(engine.setup, engine.encoder)

    def turn(rows: Rows, masks: Rows, actions: _Ints, turns: _Ints) -> Samples:
        return symmetry.turn(rows, masks, actions, turns)

    return Turner(symmetry.turns, QUARTER_TURNS, turn)


def _torutorento(engine: Engine) -> Turner:
    from tefuda.envs.torutorento.symmetry import HandFlip

    flip = HandFlip(engine.setup, engine.encoder)

    def turn(rows: Rows, masks: Rows, actions: _Ints, turns: _Ints) -> Samples:
        some = turns[:, None] == 1
        return (
            np.where(some, flip.observations(rows), rows),
            np.where(some, flip.masks(rows, masks), masks),
            np.where(turns == 1, flip.actions(rows, actions), actions),
        )

    return Turner((0, 1), 2, turn)


#: The symmetry of each game that has one, by its name; a game of your own may add its own.
TURNERS: dict[str, Callable[[Engine], Turner]] = {"quatre": _quatre, "torutorento": _torutorento}
