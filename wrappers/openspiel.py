"""The games in OpenSpiel, as explicit trees with chance nodes.

Importing this module registers `tefuda_gacha`, `tefuda_quatre` and `tefuda_torutorento`:

    import pyspiel
    import tefuda.wrappers.openspiel

    game = pyspiel.load_game("tefuda_gacha(players=3,scoring=vp,rounds=1)")

The parameters are the options of the games, `components` and `encoder`; one that is left at its
default is left to the game (`rounds=0`: the game's own number of rounds). The utility is the payoff
of the reward "win", whose bounds are exact and whose sum is 0.

| what | comes from |
|---|---|
| information-state string | all that a seat has seen, in order: `Game.information_state` |
| observation tensor and string | the sections of the encoder |
| information-state tensor | only where a game has at most 64 events (research components) |
| `resample_from_infostate` | `Game.resample`: hidden cards redrawn, what the seat saw unchanged |

Python algorithms run on all games, and C++ ones that walk the tree (CFR, MCCFR, best responses).
`pyspiel.convert_to_cached_tree(game)` makes them fast on research components. Three things to know:

- The C++ bots `pyspiel.ISMCTSBot` and `pyspiel.MCTSBot` end the process with a segmentation fault
  on any game written in Python. Use `open_spiel.python.algorithms.ismcts` and `.mcts`, or
  `tefuda.training.agents.ismcts`, which is much faster.
- Algorithms that recurse in Python need `sys.setrecursionlimit` above the length of a game.
- Outcome sampling multiplies the probabilities of all chance events. Those of more than about three
  rounds of gacha vanish: play fewer (`scoring=vp,rounds=1`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyspiel

from tefuda.envs import GAMES
from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.game import Game, Seen
from tefuda.envs.core.registry import find_game
from tefuda.envs.core.sections import Section
from tefuda.envs.core.spec import GameSpec

#: Games with more events than this have no information-state tensor.
MOST_RECALLED = 64

# In these games all seats know the same, and only the future is unknown.
_PERFECT_INFORMATION = ("quatre",)
# Options that are no parameters: the utility is always that of the reward "win".
_FIXED = ("reward",)
# The value of a parameter whose option has no default of its own.
_NOT_GIVEN = 0
# A state's chance comes from outside; the key of its table is idle.
_ANY_KEY = (0, 0, 0)
# A game tells a seat at most two things an event: the event, and news beside it.
_MOST_TOLD = 2
_SEED_SPAN = 2**53
_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")

Floats = npt.NDArray[np.float32]


def register(spec: GameSpec) -> None:
    """Makes a game known to OpenSpiel as `tefuda_NAME`.

    It is registered by a class of its own: OpenSpiel lets go of what it has been given after Python
    has ended, which a function, unlike a class, does not survive. Pickle looks for the class here.
    """
    name = f"{spec.name.capitalize()}Game"
    own = type(name, (OpenSpielGame,), {"spec": spec, "__module__": __name__})
    globals()[name] = own
    pyspiel.register_game(_game_type(spec, has_tensor=False), own)


def _parameters(spec: GameSpec) -> dict[str, Any]:
    """The parameters of a game with their defaults."""
    options = [option for option in spec.options if option.name not in _FIXED]
    own = {option.name: _NOT_GIVEN if option.default is None else option.default
           for option in options}  # fmt: skip
    return {**own, "components": "", "encoder": next(iter(spec.encoders))}


def _game_type(spec: GameSpec, *, has_tensor: bool) -> Any:
    seats = next(option.allowed for option in spec.options if option.name == "players")
    assert isinstance(seats, range)
    kinds = pyspiel.GameType
    perfect = spec.name in _PERFECT_INFORMATION
    return kinds(
        short_name=f"tefuda_{spec.name}",
        long_name=f"tefuda: {spec.name}, version {spec.version}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.PERFECT_INFORMATION
        if perfect
        else kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=seats[-1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=has_tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(spec),
        default_loadable=True,
        provides_factored_observation_string=False,
    )


def _game_info(engine: Engine) -> Any:
    players = engine.players
    return pyspiel.GameInfo(
        num_distinct_actions=engine.actions,
        max_chance_outcomes=engine.setup.max_outcomes + 1,  # some outcomes count from 1
        num_players=players,
        min_utility=-1.0 / (players - 1),
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=most_events(engine),
    )


def most_events(engine: Engine) -> int:
    """A bound of the events of a game: decisions and chance outcomes."""
    setup = engine.setup
    if setup.max_events is not None:
        return setup.max_events
    (in_a_round,) = setup.dtype["log"].shape
    rounds: int = setup.options.get("rounds", setup.options.get("max_rounds", 1))
    return int(in_a_round) * rounds


def _make_engine(spec: GameSpec, params: Mapping[str, Any]) -> Engine:
    """The game that parameters describe; those at their default are left to the game.

    Raises:
        OptionError: A parameter is unknown or not allowed.
        ComponentError: The component file is wrong.
    """
    defaults = _parameters(spec)
    for name in params:
        if name not in defaults:
            raise OptionError(f"unknown parameter {name!r}; there are {', '.join(defaults)}")
    given = {name: value for name, value in params.items() if value != defaults[name]}
    return make_engine(spec, **given)


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # untyped base
    """A game of tefuda as OpenSpiel knows games; each game has a subclass.

    Args:
        params: The parameters of OpenSpiel.

    Attributes:
        spec: The game.
        engine: The game made ready.
        has_tensor: Whether it has an information-state tensor.

    Raises:
        OptionError: A parameter is not allowed.
        ComponentError: The component file is wrong.
    """

    spec: ClassVar[GameSpec]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.engine = _make_engine(self.spec, given)
        self.has_tensor = most_events(self.engine) <= MOST_RECALLED
        game_type = _game_type(self.spec, has_tensor=self.has_tensor)
        super().__init__(game_type, _game_info(self.engine), given)

    def new_initial_state(self) -> "OpenSpielState":
        """A state at the first node of a game."""
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """A bound of the chance nodes of a game."""
        return most_events(self.engine)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "OpenSpielObserver":
        """An observer of what a single seat sees.

        Raises:
            OptionError: Something else is to be observed: public information alone, or everything.
        """
        return OpenSpielObserver(self, iig_obs_type, params)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]  # untyped base
    """A table as a state of OpenSpiel.

    Attributes:
        table: The game as a tree.
    """

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.table = Game(game.engine, seed=_ANY_KEY)

    def current_player(self) -> int:
        """Who acts; one of OpenSpiel's own numbers where nobody does."""
        node = self.table.node
        if node == "decision":
            return int(self.table.state["seat"])
        return int(pyspiel.PlayerId.CHANCE if node == "chance" else pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.table.node == "over"

    def _legal_actions(self, player: int) -> list[int]:
        return self.table.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their probabilities."""
        return self.table.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        if self.table.node == "chance":
            self.table.apply_chance(action)
        else:
            self.table.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.table.label(action)
        engine = self.table.engine
        return engine.spec.text.outcome_label(engine.setup, self.table.chance_name, action)

    def returns(self) -> list[float]:
        """The payoffs; 0 while the game runs."""
        return self.table.returns("win")

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> "OpenSpielState":
        """A state that `player` cannot tell from this one, all that is hidden from it redrawn.

        Args:
            player: The seat.
            rng: Draws a number from 0 to 1; one is drawn, as a seed.
        """
        drawn = np.random.default_rng(int(rng() * _SEED_SPAN))
        other: OpenSpielState = self.get_game().new_initial_state()
        for value in self.table.resample(player, drawn).values:
            other.apply_action(value)
        return other

    def __str__(self) -> str:
        engine = self.table.engine
        picture = engine.spec.text.ansi(engine.setup, self.table.state, None)
        return _COLOUR_CODE.sub("", picture)


class OpenSpielObserver:
    """What a seat sees, as strings and tensors.

    Attributes:
        tensor: (n,) float32, or None where there is none.
        dict: The named pieces of `tensor`, as views.
    """

    def __init__(self, game: OpenSpielGame, kind: Any, params: Any) -> None:
        self._recall = _check_observer(kind, params)
        self._engine = game.engine
        self.tensor: Floats | None = None
        self.dict: dict[str, Floats] = {}
        if self._recall and not game.has_tensor:
            return
        shapes = dict(_recall_shapes(self._engine) if self._recall else _shapes(self._engine))
        self.tensor = np.zeros(sum(map(_size, shapes.values())), np.float32)
        begin = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[begin : begin + _size(shape)].reshape(shape)
            begin += _size(shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes the tensor for a seat."""
        if self.tensor is None:
            return
        if self._recall:
            self._recall_events(state.table, player)
        else:
            self.tensor[:] = _row(state.table, player)

    def _recall_events(self, table: Game, player: int) -> None:
        """seat; then a row an event: what it was, whose, whether its value is hidden, the value."""
        self.dict["seat"][:] = 0
        self.dict["seat"][player] = 1
        rows = self.dict["events"]
        rows[:] = 0
        kinds, players = _kinds(self._engine.spec), self._engine.players
        bits = _value_bits(self._engine)
        told = table.information_state(player)
        assert len(told) <= len(rows), f"{len(told)} rows are needed, {len(rows)} were made"
        for row, seen in zip(rows, told, strict=False):
            row[kinds.index(seen.name)] = 1
            if seen.seat is not None:
                row[len(kinds) + seen.seat] = 1
            at = len(kinds) + players
            row[at] = seen.value is None
            for bit in range(bits):
                row[at + 1 + bit] = (seen.value or 0) >> bit & 1

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What a seat has seen, or sees now, in words."""
        if self._recall:
            told = " ".join(map(_word, state.table.information_state(player)))
            return f"seat {player}: {told}"
        row = _row(state.table, player)
        words = (_section_word(part, row[part.slice]) for part in self._engine.sections)
        return f"seat {player}: " + " ".join(filter(None, words))


def _check_observer(kind: Any, params: Any) -> bool:
    """Whether the observer is to have perfect recall.

    Raises:
        OptionError: The kind of observer is not provided.
    """
    if params:
        raise OptionError(f"observers have no parameters, but were given {params!r}")
    if kind is None:
        return False
    if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        raise OptionError(f"{kind!r}: observers show what one seat knows, public things included")
    return bool(kind.perfect_recall)


def _shapes(engine: Engine) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes of an observation's pieces: the sections."""
    for section in engine.sections:
        rows = section.tokens
        yield section.name, (rows, section.length // rows) if rows else (section.length,)


def _recall_shapes(engine: Engine) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes of an information state's pieces."""
    yield "seat", (engine.players,)
    width = len(_kinds(engine.spec)) + engine.players + 1 + _value_bits(engine)
    yield "events", (_MOST_TOLD * most_events(engine), width)


def _kinds(spec: GameSpec) -> list[str]:
    """The names that events have in an information state; news have none."""
    return [*spec.text.DECISION_NAMES.values(), *spec.text.CHANCE_NAMES.values(), ""]


def _value_bits(engine: Engine) -> int:
    """Binary digits of the largest action or outcome."""
    return max(engine.actions, engine.setup.max_outcomes).bit_length()


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def _row(table: Game, player: int) -> npt.NDArray[np.int8]:
    """The observation of a seat in one row (D,)."""
    engine = table.engine
    row = np.zeros(engine.size, np.int8)
    engine.loops.observe_one(table._games, engine.parts, 0, player, row)
    return row


def _word(seen: Seen) -> str:
    """An event in an information-state string: name, seat and value, ? for a hidden one."""
    whose = "" if seen.seat is None else f"[{seen.seat}]"
    return f"{seen.name or seen.kind}{whose}={'?' if seen.value is None else seen.value}"


def _section_word(section: Section, values: npt.NDArray[np.int8]) -> str:
    """A section in an observation string: its entries that are not 0, by index."""
    entries = [
        str(index) if section.high == 1 else f"{index}:{values[index]}"
        for index in np.flatnonzero(values).tolist()
    ]
    return f"{section.name}={','.join(entries)}" if entries else ""


for _name in GAMES:
    register(find_game(_name))
