"""One table as an explicit tree: decisions and chance nodes, to be walked, cloned, redrawn."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tefuda.envs.core.chance import STREAM, Key, check_key, fresh_seed
from tefuda.envs.core.contract import CHANCE, DECISION, HIDDEN, NOBODY, OVER, TRUNCATED
from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.errors import (
    ActionRangeError,
    ActionTypeError,
    ChanceError,
    GameOverError,
    IllegalActionError,
    OptionError,
)
from tefuda.envs.core.jit import Records, fields
from tefuda.envs.core.loops import NEWS
from tefuda.envs.core.options import REWARD
from tefuda.envs.core.payoff import REWARDS
from tefuda.envs.core.registry import find_game

# No game tells a seat more than this many things an event, on the whole.
_MOST_TOLD = 4

NODES = {DECISION: "decision", CHANCE: "chance", OVER: "over"}


class Seen(NamedTuple):
    """An event as a seat saw it.

    Attributes:
        kind: "decision", "chance", or "news": what the event before told the seat beside.
        name: The chance name, or what was asked.
        seat: Who acted or received, None where the rules name no seat.
        value: The action or outcome; None where the seat does not see it.
    """

    kind: str
    name: str
    seat: int | None
    value: int | None


class Game:
    """A game as a tree of nodes.

    The state is a value: `clone` copies it whole, its random stream included, so that a clone's
    `settle` draws the same future. A search that must not know the future uses `resample`.
    """

    def __init__(
        self,
        game: str | Engine,
        *,
        seed: Key | None = None,
        encoder: str | None = None,
        **options: Any,
    ) -> None:
        """Begins a game, up to its first node.

        Args:
            game: The name of a game ("NAME_v0"), or one made ready.
            seed: The key (seed, table, game number) of its chance; None takes fresh entropy.
            encoder: How `observation` is written; the game's first by default.
            **options: The options of the game, where it is given by name.

        Raises:
            OptionError: The game, the key or an option is not allowed.
            ComponentError: The component file is wrong.
        """
        engine = game if isinstance(game, Engine) else None
        self.engine = engine or make_engine(find_game(str(game)), encoder, **options)
        self._key: Key | None = (fresh_seed(), 0, 0) if seed is None else check_key(seed)
        self._games: Records = self.engine.records(1)
        self._values: list[int] = []
        self.engine.begin(self._games, 0, self._key)

    @classmethod
    def replay(cls, engine: Engine, key: Key, actions: Iterable[int]) -> "Game":
        """The game of a key after these actions, with chance sampled up to the next decision.

        The actions are known to be legal; they are not checked.
        """
        game = cls(engine, seed=key)
        game.settle()
        for action in actions:
            game.advance(action)
            game.settle()
        return game

    # ---------------------------------------------------------------- where the game stands

    @property
    def state(self) -> Any:
        """The record itself, for kernels and tests: everything, hidden things included."""
        return self._games[0]

    @property
    def records(self) -> Records:
        """The same in an array of one, for compiled loops."""
        return self._games

    @property
    def node(self) -> str:
        """One of "decision", "chance" and "over"."""
        return NODES[self._kind]

    @property
    def _kind(self) -> int:
        return int(self.engine.loops.node_of(self._games, 0))

    @property
    def seat(self) -> int | None:
        """Who acts, or receives a chance outcome; None where the rules name no seat."""
        return _seat(int(self.state["seat"]))

    @property
    def players(self) -> int:
        """The number of seats P."""
        return self.engine.players

    @property
    def key(self) -> Key | None:
        """The key of the game's chance; None once chance has come from elsewhere."""
        return self._key

    @property
    def values(self) -> tuple[int, ...]:
        """All events so far: actions and chance outcomes."""
        return tuple(self._values)

    @property
    def truncated(self) -> bool:
        """Whether the game was ended by the limit of rounds."""
        return bool(self.state["ending"] == TRUNCATED)

    @property
    def totals(self) -> list[int]:
        """The points of every seat so far."""
        return [int(total) for total in self.state["totals"][: self.players]]

    @property
    def winners(self) -> list[int] | None:
        """The winning seats, rising; None while the game runs."""
        if self._kind != OVER:
            return None
        return [int(seat) for seat in np.flatnonzero(self.state["winners"][: self.players])]

    @property
    def chance_name(self) -> str:
        """The name of the present chance node.

        Raises:
            ChanceError: This is no chance node.
        """
        self._require_chance()
        return self.engine.spec.text.CHANCE_NAMES[int(self.state["phase"])]

    # ---------------------------------------------------------------- decisions

    def legal_actions(self) -> list[int]:
        """The acting seat's legal actions, rising; none at a chance node and at the end."""
        return self.engine.legal_actions(self._games, 0)

    def apply(self, action: int) -> None:
        """Plays a decision, up to the next node of any kind.

        Raises:
            ActionTypeError: `action` is no integer.
            ActionRangeError: It is outside 0 .. A - 1.
            IllegalActionError: It is illegal.
            GameOverError: The game has ended, or chance is to move.
        """
        action = check_action(action, self.engine.actions)
        if self._kind != DECISION:
            raise GameOverError(f"action {action}: nobody acts at a node of kind {self.node!r}")
        if not self.engine.loops.is_legal_one(self._games, self.engine.parts, 0, action):
            raise IllegalActionError(self.engine.refusal(action, self.legal_actions()))
        self.advance(action)

    # ---------------------------------------------------------------- chance

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the chance node with their probabilities.

        Raises:
            ChanceError: This is no chance node.
        """
        outcomes, weights = self._weights()
        total = sum(weights)
        return [
            (outcome, weight / total) for outcome, weight in zip(outcomes, weights, strict=True)
        ]

    def apply_chance(self, outcome: int) -> None:
        """Plays a chance outcome; from then on the game has no key.

        Raises:
            ChanceError: This is no chance node, or the outcome cannot come.
        """
        outcomes, _ = self._weights()
        if not _is_integer(outcome) or outcome not in outcomes:
            raise ChanceError(
                f"outcome {outcome!r} of {self.chance_name!r} is not one of {outcomes}"
            )
        self._key = None
        self.advance(int(outcome))

    def settle(self) -> None:
        """Samples chance nodes from the game's stream until a decision or the end."""
        loops, parts = self.engine.loops, self.engine.parts
        while self._kind == CHANCE:
            self.advance(int(loops.sample_chance_one(self._games, parts, 0)))

    def _weights(self) -> tuple[list[int], list[int]]:
        self._require_chance()
        most = self.engine.setup.max_outcomes
        outcomes, weights = np.zeros(most, np.int16), np.zeros(most, np.int16)
        loops, parts = self.engine.loops, self.engine.parts
        count = loops.chances_one(self._games, parts, 0, outcomes, weights)
        return outcomes[:count].tolist(), weights[:count].tolist()

    def _require_chance(self) -> None:
        if self._kind != CHANCE:
            raise ChanceError(f"this is a node of kind {self.node!r}, not 'chance'")

    def advance(self, value: int) -> None:
        """Plays an event, action or outcome, that is known to be possible, without a check."""
        self.engine.loops.advance_one(self._games, self.engine.parts, 0, value)
        self._values.append(value)

    # ---------------------------------------------------------------- knowledge

    def observation(self, seat: int) -> Any:
        """What `seat` may know, newly made: int8 in the encoder's shape, or a dict of pieces."""
        row = np.zeros(self.engine.size, np.int8)
        seat = self._check_seat(seat)
        self.engine.loops.observe_one(self._games, self.engine.parts, 0, seat, row)
        return self.engine.show(row)

    def information_state(self, seat: int) -> tuple[Seen, ...]:
        """All that `seat` has seen, in order, and nothing else."""
        values = np.array(self._values, np.int16)
        told = np.zeros((_MOST_TOLD * (values.size + 1), 3), np.int16)
        scratch = self._begun_again()
        loops, parts = self.engine.loops, self.engine.parts
        count = loops.tell(scratch, parts, values, self._check_seat(seat), told)
        return tuple(self._seen(*row) for row in told[:count].tolist())

    def _seen(self, phase: int, seat: int, value: int) -> Seen:
        shown = None if value == HIDDEN else value
        if phase == NEWS:
            return Seen("news", "", _seat(seat), shown)
        text = self.engine.spec.text
        if phase in text.CHANCE_NAMES:
            return Seen("chance", text.CHANCE_NAMES[phase], _seat(seat), shown)
        return Seen("decision", text.DECISION_NAMES[phase], _seat(seat), shown)

    def _begun_again(self) -> Records:
        """A record in which this game stands at its first node, whatever its chance."""
        scratch = self.engine.records(1)
        self.engine.begin(scratch, 0, (0, 0, 0))
        return scratch

    def resample(self, seat: int, rng: np.random.Generator) -> "Game":
        """A game that looks the same to `seat`, with all that is hidden from it redrawn.

        The present round's hidden deals and choices change, and the future is open. The record
        of the new game tells its new course.
        """
        other = self.clone()
        holder = fields(np.zeros(1, STREAM))
        holder["stream"] = rng.integers(1, 2**62, dtype=np.uint64)
        loops, parts = self.engine.loops, self.engine.parts
        loops.resample_one(other._games, parts, 0, self._check_seat(seat), holder)
        # The new course of the round may have more events, or fewer.
        before = len(self._values) - int(self.state["logged"])
        other._values[before:] = other.state["log"][: int(other.state["logged"])].tolist()
        other._key = None
        return other

    def _check_seat(self, seat: int) -> int:
        if isinstance(seat, bool) or seat not in range(self.players):
            raise OptionError(f"seat={seat!r} is not one of 0 .. {self.players - 1}")
        return int(seat)

    # ---------------------------------------------------------------- copies, results, words

    def keyed(self, key: Key | None) -> "Game":
        """This game, said to have the chance of a key (records name it)."""
        self._key = key
        return self

    def clone(self) -> "Game":
        """An independent copy, with the same future chance."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin._games = self._games.copy()
        twin._values = self._values.copy()
        return twin

    def __copy__(self) -> "Game":
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self.clone()

    def returns(self, reward: str | None = None) -> list[float]:
        """The payoffs so far.

        Args:
            reward: "win" or "score"; by default the game's own option.

        Raises:
            OptionError: `reward` is neither.
        """
        kind = self.engine.reward_kind if reward is None else REWARDS.index(REWARD.check(reward))
        paid = np.zeros(self.players)
        scratch = self._games.copy()
        scratch["gained"] = scratch["totals"]
        self.engine.loops.reward_one(scratch, self.engine.parts, 0, kind, paid)
        return [float(payoff) for payoff in paid]

    def label(self, action: int) -> str:
        """An action in words."""
        return self.engine.label(check_action(action, self.engine.actions))

    def view(self, seat: int | None) -> dict[str, Any]:
        """What `seat` knows as JSON (see `core.words.view`); everything with None."""
        from tefuda.envs.core.words import view

        return view(self.engine, self._games, 0, None if seat is None else self._check_seat(seat))

    def describe(self, seat: int) -> str:
        """What `seat` knows, the rules that matter now and its legal actions, in plain text."""
        from tefuda.envs.core.words import describe

        return describe(self.engine, self._games, 0, self._check_seat(seat))

    def svg(self, seat: int | None = None) -> str:
        """The table as a picture, an SVG document.

        Args:
            seat: Whose eyes; None shows all cards. Where it is this seat's turn, whatever stands
                for one legal action has the class `legal`, and its id as `data-action`.

        Raises:
            OptionError: There is no such seat, or the game has no drawing.
        """
        from tefuda.envs.core.picture import draw_svg

        seen_by = None if seat is None else self._check_seat(seat)
        return draw_svg(self.engine, self._games, 0, seen_by)

    def _repr_svg_(self) -> str | None:
        """The table with all cards open, for notebooks; None where the game has no drawing."""
        from tefuda.envs.core.picture import has_picture

        return self.svg() if has_picture(self.engine.spec) else None

    def parse(self, text: str) -> int:
        """The legal action that a text names, by id or by label (see `core.words.parse`).

        Raises:
            ActionTextError: The text names no action, or several.
            ActionRangeError: There is no such action.
            IllegalActionError: The action is illegal now.
            GameOverError: The game has ended, or chance is to move.
        """
        from tefuda.envs.core.words import parse

        return parse(self.engine, self._games, 0, text)

    def record(self) -> dict[str, Any]:
        """The written course of the game so far (see `core.record`)."""
        from tefuda.envs.core.record import write_record

        return write_record(self)

    @staticmethod
    def from_record(record: dict[str, Any]) -> "Game":
        """The game that a record tells, replayed and judged.

        Raises:
            RecordError: The record is malformed or impossible; the message says where and why.
        """
        from tefuda.envs.core.record import read_record

        return read_record(record)


def check_action(action: Any, actions: int) -> int:
    """Returns an action as an int.

    Raises:
        ActionTypeError: It is no integer.
        ActionRangeError: It is outside 0 .. actions - 1.
    """
    if type(action) is int and 0 <= action < actions:
        return action
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if not _is_integer(action):
        raise ActionTypeError(f"action {action!r} must be an integer, not {type(action).__name__}")
    if not 0 <= action < actions:
        raise ActionRangeError(f"action {action} is not one of 0 .. {actions - 1}")
    return int(action)


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _seat(seat: int) -> int | None:
    return None if seat == NOBODY else seat
