"""A game made ready to run: its setup, one of its encoders, and the compiled loops."""

import math
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core import loops
from tefuda.envs.core.chance import Key
from tefuda.envs.core.contract import verbs_of
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.jit import Records, bind, fields
from tefuda.envs.core.payoff import REWARDS
from tefuda.envs.core.registry import find_game
from tefuda.envs.core.sections import Section, highs, total_length
from tefuda.envs.core.spec import GameSpec, Setup

_CORE = Path(__file__).parent

# The files of the core that hold kernels or what kernels are made with; and those of a game that
# hold words and pictures, which no kernel sees.
_CORE_KERNELS = ("bits", "chance", "contract", "jit", "loops", "payoff")
_NO_KERNELS = ("__init__", "text", "story", "draw")


#: How an encoder with a board is shown: as a dict of its pieces, or as one box of planes.
PLANES = ("dict", "box")

# A board is an array of planes, (C, rows, columns).
_BOARD_DIMENSIONS = 3


class Engine:
    """What AEC, batch and tree share: one game with settled options and one encoder.

    Attributes:
        spec: The game.
        setup: Its settled options and components.
        encoder: The name of the encoder.
        sections: The sections of an observation.
        size: D, the number of values of an observation.
        shape: The shape in which they are shown where they are one array.
        pieces: The names and shapes of the pieces in which they are shown; empty where they are
            one array.
        planes: How a board of planes among the pieces is shown: "dict", or "box": the board
            (C, rows, columns) first, then a constant plane for each value of the other pieces.
            None where there is no board.
        reward_kind: The option `reward` as the kernels know it.
        parts: The read-only record of the kernels, in an array of one.
        loops: The compiled loops (see `core.loops`).
    """

    def __init__(
        self,
        spec: GameSpec,
        setup: Setup,
        encoder: str | None = None,
        planes: str | None = None,
    ) -> None:
        self.spec = spec
        self.setup = setup
        self.encoder = _check_encoder(spec, encoder)
        coding = spec.encoders[self.encoder]
        self.sections: tuple[Section, ...] = coding.sections(setup)
        self.size = total_length(self.sections)
        self.shape = coding.shape_for(setup)
        self.pieces = dict(coding.pieces(setup)) if coding.pieces else {}
        self.planes = _check_planes(self.encoder, self.pieces, planes)
        self.reward_kind = REWARDS.index(setup.options["reward"])
        self.parts: Records = fields(setup.parts)
        self.loops: Any = _bound(spec, self.encoder)
        self._blank = self.records(1)

    @property
    def players(self) -> int:
        """The number of seats P."""
        return self.setup.players

    @property
    def actions(self) -> int:
        """The number of actions A."""
        return self.setup.actions

    def records(self, count: int) -> Records:
        """An array of empty game records."""
        return fields(np.zeros(count, self.setup.dtype))

    @property
    def blank(self) -> Records:
        """An empty record, from which every game begins."""
        return self._blank

    def highs(self) -> npt.NDArray[np.int8]:
        """The largest value of each entry of an observation, in its shape."""
        return highs(self.sections).reshape(self.shape)

    def cut(self, values: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """The pieces of observations (..., D) by name, as views."""
        found = {}
        begin = 0
        for name, shape in self.pieces.items():
            end = begin + math.prod(shape)
            found[name] = values[..., begin:end].reshape(*values.shape[:-1], *shape)
            begin = end
        return found

    def show(self, values: npt.NDArray[Any]) -> Any:
        """Observations (..., D) as users see them.

        Returns:
            A view of one array in the encoder's shape; or a dict of views where there are pieces;
            or with `planes="box"` a new array (..., planes, rows, columns).
        """
        if not self.pieces:
            return values.reshape(*values.shape[:-1], *self.shape)
        pieces = self.cut(values)
        return _as_box(pieces) if self.planes == "box" else pieces

    @property
    def shown_shape(self) -> tuple[int, ...] | None:
        """The shape of an observation as users see it; None for a dict."""
        seen = self.show(np.zeros(self.size, np.int8))
        return None if isinstance(seen, dict) else seen.shape

    def begin(self, games: Records, row: int, key: Key) -> None:
        """Begins a game in a row, up to its first node."""
        seed, table, number = (np.uint64(word) for word in key)
        self.loops.begin(games, self.parts, self._blank, row, seed, table, number)

    def legal_actions(self, games: Records, row: int) -> list[int]:
        """The acting seat's legal actions, rising; none at a chance node and at the end."""
        mask = np.zeros(self.actions, np.int8)
        self.loops.legal_one(games, self.parts, row, mask)
        return [int(action) for action in np.flatnonzero(mask)]

    def label(self, action: int) -> str:
        """An action in words."""
        return self.spec.text.label(self.setup, action)

    def refusal(self, action: int, legal: list[int]) -> str:
        """Why an action is refused, in words."""
        allowed = ", ".join(f"{other} ({self.label(other)})" for other in legal)
        return f"action {action} ({self.label(action)}) is illegal; legal are {allowed}"

    # An engine holds compiled functions, which cannot be copied, and never changes.

    def __copy__(self) -> "Engine":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Engine":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.spec.id, self.setup, self.encoder, self.planes)


def make_engine(
    spec: GameSpec,
    encoder: str | None = None,
    *,
    players: int | None = None,
    components: str | Path | None = None,
    planes: str | None = None,
    **options: Any,
) -> Engine:
    """Settles a game's options and makes it ready to run.

    Args:
        spec: The game.
        encoder: How observations are written; the game's first by default.
        players: The number of seats; the game's default where None.
        components: The name or path of a component file; the game's own where None.
        planes: How an encoder with a board is shown: "dict" (default) or "box", see `Engine`.
        **options: The options of the game.

    Raises:
        OptionError: An option is unknown, not allowed, or does not apply.
        ComponentError: The component file is wrong.
    """
    return Engine(spec, spec.setup(players, components, **options), encoder, planes)


def _restore(name: str, setup: Setup, encoder: str, planes: str | None) -> Engine:
    return Engine(find_game(name), setup, encoder, planes)


def _check_encoder(spec: GameSpec, encoder: str | None) -> str:
    name = next(iter(spec.encoders)) if encoder is None else encoder
    if name not in spec.encoders:
        allowed = ", ".join(repr(known) for known in spec.encoders)
        raise OptionError(f"encoder={name!r} is not allowed; it must be one of {allowed}")
    return name


def _check_planes(
    encoder: str, pieces: Mapping[str, tuple[int, ...]], planes: str | None
) -> str | None:
    if planes is None:
        return PLANES[0] if has_board(pieces) else None
    if planes not in PLANES:
        allowed = ", ".join(repr(known) for known in PLANES)
        raise OptionError(f"planes={planes!r} is not allowed; it must be one of {allowed}")
    if not has_board(pieces):
        raise OptionError(f"planes={planes!r} applies to a board; encoder={encoder!r} has none")
    return planes


def has_board(pieces: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether pieces are a board of planes and vectors beside it, which one box can hold."""
    dimensions = [len(shape) for shape in pieces.values()]
    return dimensions[:1] == [_BOARD_DIMENSIONS] and set(dimensions[1:]) <= {1}


def _as_box(pieces: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A board (..., C, rows, columns) and vectors (..., K) as planes of one array."""
    board, *vectors = pieces.values()
    size = board.shape[-2:]
    constant = [
        np.broadcast_to(vector[..., None, None], (*vector.shape, *size)) for vector in vectors
    ]
    return np.concatenate([board, *constant], axis=-_BOARD_DIMENSIONS)


def kernel_sources(spec: GameSpec) -> tuple[Path, ...]:
    """The files whose text decides what the compiled code of a game does."""
    own = sorted(spec.folder.glob("*.py")) if spec.folder.is_dir() else [spec.folder]
    core = [_CORE / f"{name}.py" for name in _CORE_KERNELS]
    return (*core, *(file for file in own if file.stem not in _NO_KERNELS))


_BOUND: dict[tuple[int, str], SimpleNamespace] = {}


def _bound(spec: GameSpec, encoder: str) -> SimpleNamespace:
    """The loops for a game and an encoder, bound once a process."""
    key = (id(spec.rules), encoder)
    if key not in _BOUND:
        verbs = verbs_of(spec.rules, spec.encoders[encoder].observe, spec.greedy)
        _BOUND[key] = bind(f"{spec.id}_{encoder}", loops, verbs, kernel_sources(spec))
    return _BOUND[key]
