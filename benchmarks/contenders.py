"""The ways in which a game of tefuda is played for measurements.

What is compared plays the same: random games, written down beforehand where the choice of actions
is not to be counted. All contenders of a number of tables start from the same positions.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import c_tables
import numba
import numpy as np
import numpy.typing as npt
from c_tables import CTables
from measure import Case, Contender
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from tefuda.envs import Game, TableEnv, Tables, make, make_vec
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import fields
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import make_agent

SEED = 0
#: The number of tables by which the batch engine is judged.
USUAL = 1024

_TESTS = Path(__file__).resolve().parent.parent / "tests"

# Tables are spread over this many decisions before a measurement, so that they stand at all stages
# of their games and not all at the same.
_SPREAD = 512
# A stretch of the batch is at least this many decisions, and at least this many steps.
_STRETCH = 2**16
_STEPS = 16
# Games that single tables replay, and games that are played out.
_SCRIPTS = 8
_PLAY_OUTS = 256


def encoders(game: str) -> tuple[str, ...]:
    """The encoders of a game, the default first."""
    return tuple(find_game(game).encoders)


# ==================================================================== many tables


@dataclass(frozen=True)
class Tape:
    """A stretch of random play at many tables.

    Attributes:
        games: (N,) the records at its start.
        actions: (steps, N) what is played.
    """

    games: npt.NDArray[Any]
    actions: npt.NDArray[np.int64]


def steps_of(count: int) -> int:
    """The steps of a stretch with `count` tables."""
    return max(_STEPS, _STRETCH // count)


def write_tape(game: str, count: int, **options: Any) -> Tape:
    """Plays the stretch that all contenders with `count` tables play."""
    tables = make_vec(game, tables=count, seed=SEED, **options)
    spread(tables)
    games = tables.games.copy()
    actions = np.empty((steps_of(count), count), np.int64)
    for row in actions:
        row[:] = tables.sample()
        tables.step(row)
    return Tape(games, actions)


def spread(tables: Tables | CTables) -> None:
    """Plays on at some tables more than at others."""
    lead = np.arange(len(tables)) * _SPREAD // len(tables)
    for step in range(_SPREAD):
        rows = np.flatnonzero(lead > step)
        tables.step(tables.sample(rows), rows)


def step(game: str, encoder: str, tape: Tape, **options: Any) -> Contender:
    """The batch engine plays a tape."""
    tables, rewind = _tables(game, encoder, tape, options)

    def run() -> int:
        for actions in tape.actions:
            tables.step(actions)
        return tape.actions.size

    return Contender(Case("batch", len(tables), encoder), run, rewind)


def step_float32(game: str, encoder: str, tape: Tape) -> Contender:
    """The same, with a new float32 array of the observations after every step, as for networks."""
    tables, rewind = _tables(game, encoder, tape, {})

    def run() -> int:
        for actions in tape.actions:
            tables.step(actions)
            tables.observation.astype(np.float32)
        return tape.actions.size

    return Contender(Case("batch", len(tables), encoder, float32=True), run, rewind)


def sample_and_step(game: str, encoder: str, tape: Tape) -> Contender:
    """The batch engine draws its random actions itself."""
    tables, rewind = _tables(game, encoder, tape, {})

    def run() -> int:
        for _ in range(len(tape.actions)):
            tables.step(tables.sample())
        return tape.actions.size

    return Contender(Case("batch", len(tables), encoder, sampling=True), run, rewind)


def _tables(
    game: str, encoder: str, tape: Tape, options: dict[str, Any]
) -> tuple[Tables, Callable[[], None]]:
    """Tables for a tape, and what puts them at its start."""
    tables = make_vec(game, tables=tape.games.size, seed=SEED, encoder=encoder, **options)

    def rewind() -> None:
        tables.games[:] = tape.games

    return tables, rewind


def greedy(game: str, tape: Tape) -> Contender:
    """The scripted player in all seats: it chooses, and the batch engine steps."""
    encoder = encoders(game)[0]
    tables, rewind = _tables(game, encoder, tape, {})
    rows, agent = np.arange(len(tables)), make_agent("greedy", SEED)

    def run() -> int:
        for _ in range(len(tape.actions)):
            tables.step(agent.act(tables, rows))
        return tape.actions.size

    return Contender(Case("greedy", len(tables), encoder), run, rewind)


def has_ceiling(game: str) -> bool:
    """Whether there is a game in C, and a compiler for it."""
    return game == c_tables.GAME and c_tables.compiler() is not None


def ceiling(encoder: str, tape: Tape) -> list[Contender]:
    """The same tables in C play a tape, and the same stretch by actions that they draw."""
    tables = CTables(tape.games.size, SEED)
    spread(tables)
    games = tables.games.copy()

    def rewind() -> None:
        tables.games[:] = games

    def replay_tape() -> int:
        for actions in tape.actions:
            tables.step(actions)
        return tape.actions.size

    def play_on() -> int:
        for _ in range(len(tape.actions)):
            tables.step(tables.sample())
        return tape.actions.size

    return [
        Contender(Case("ceiling", len(tables), encoder), replay_tape, rewind),
        Contender(Case("ceiling", len(tables), encoder, sampling=True), play_on, rewind),
    ]


def floor(game: str, encoder: str, count: int) -> Contender:
    """The same loop without a game: it writes as many bytes a decision, and does nothing else."""
    tables = make_vec(game, tables=count, seed=SEED, encoder=encoder)
    observation = np.zeros((count, tables.engine.size), np.int8)
    mask = np.zeros((count, tables.actions), np.int8)
    seat, reward = np.zeros_like(tables.seat), np.zeros_like(tables.reward)
    steps = steps_of(count)

    def run() -> int:
        for number in range(steps):
            write_bytes(number, observation, mask, seat, reward)
        return steps * count

    return Contender(Case("floor", count, encoder), run)


@numba.njit
def write_bytes(
    number: int,
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
) -> None:
    """Writes the bytes of a decision at every table; compilers make of it the fastest they can."""
    for row in range(seat.size):
        value = (number + row) & 1
        observation[row] = value
        mask[row] = value
        reward[row] = value
        seat[row] = value


def play_outs(game: str) -> Contender:
    """Random games from the deal to the end, neither observed nor masked, as searches play them."""
    tables = make_vec(game, tables=_PLAY_OUTS, seed=SEED)
    starts, holder = tables.games.copy(), make_holder()
    engine = tables.engine

    def rewind() -> None:
        tables.games[:] = starts

    def run() -> int:
        return sum(
            int(engine.loops.play_out(tables.games, engine.parts, row, holder))
            for row in range(_PLAY_OUTS)
        )

    return Contender(Case("play-outs", sampling=True), run, rewind)


def make_holder() -> Any:
    """A random stream that belongs to no game."""
    holder = fields(np.zeros(1, STREAM))
    holder["stream"] = SEED + 1  # never 0
    return holder


# ==================================================================== single tables


@dataclass(frozen=True)
class Script:
    """A random game.

    Attributes:
        actions: Its decisions.
        values: Its decisions and chance outcomes, in order.
    """

    actions: tuple[int, ...]
    values: tuple[int, ...]


def write_scripts(game: str, count: int = _SCRIPTS) -> list[Script]:
    """The games (SEED, 0, 0), (SEED, 0, 1), ... under random play."""
    rng = np.random.default_rng(SEED)
    return [_write_script(Game(game, seed=(SEED, 0, number)), rng) for number in range(count)]


def _write_script(game: Game, rng: np.random.Generator) -> Script:
    actions: list[int] = []
    game.settle()
    while game.node != "over":
        actions.append(int(rng.choice(game.legal_actions())))
        game.apply(actions[-1])
        game.settle()
    return Script(tuple(actions), game.values)


def raw(game: str, scripts: Sequence[Script]) -> Contender:
    """The AEC environment as it is."""
    case = Case("aec", encoder=encoders(game)[0])
    return Contender(case, partial(replay, make(game), scripts))


def wrapped(game: str, scripts: Sequence[Script]) -> Contender:
    """The AEC environment under the three wrappers that PettingZoo's own games wear."""
    env = TerminateIllegalWrapper(make(game), illegal_reward=-1)
    env = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))
    case = Case("wrapped", encoder=encoders(game)[0])
    return Contender(case, partial(replay, env, scripts))


def raw_sampled(game: str) -> Contender:
    """The AEC environment as it is, its actions sampled from the action space."""
    case = Case("aec", encoder=encoders(game)[0], sampling=True)
    return Contender(case, partial(play, make(game), _SCRIPTS))


def replay(env: Any, scripts: Sequence[Script]) -> int:
    """Plays written games in PettingZoo's usual loop; every decision looks at the observation."""
    for number, script in enumerate(scripts):
        env.reset(seed=SEED if number == 0 else None)
        actions = iter(script.actions)
        for _ in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else next(actions))
    return sum(len(script.actions) for script in scripts)


def play(env: TableEnv, games: int) -> int:
    """Plays games in PettingZoo's usual loop, with actions sampled from the action space."""
    decisions = 0
    for _ in range(games):
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert observation is not None
            env.step(int(env.action_space(agent).sample(observation["action_mask"])))
            decisions += 1
    return decisions


def plain(game: str, scripts: Sequence[Script]) -> Contender | None:
    """The tests' second implementation in plain Python: rules and legal actions, no observation.

    Every move is looked up among the legal ones. None if there is no such implementation.
    """
    begin = oracle(find_game(game).name)
    if begin is None:
        return None
    players = make(game).engine.players

    def run() -> int:
        for script in scripts:
            table = begin(players)
            for value in script.values:
                table.apply(value)
            assert table.kind == "over"
        return sum(len(script.actions) for script in scripts)

    return Contender(Case("plain"), run)


def oracle(name: str) -> Callable[[int], Any] | None:
    """The class of `tests/oracles` that plays a game."""
    if not (_TESTS / "oracles" / f"{name}.py").exists():
        return None
    if str(_TESTS) not in sys.path:
        sys.path.append(str(_TESTS))
    return getattr(importlib.import_module(f"oracles.{name}"), name.capitalize())


# ==================================================================== all of a game


def all_of(game: str, counts: Sequence[int]) -> list[Contender]:
    """All contenders of a game, the batch with each number of tables."""
    found: list[Contender] = []
    if has_ceiling(game):
        c_tables.check()
    for count in counts:
        tape = write_tape(game, count)
        found += _batches(game, tape)
        if has_ceiling(game):
            found += ceiling(encoders(game)[0], tape)
    if find_game(game).greedy is not None:
        found.append(greedy(game, write_tape(game, USUAL)))
    scripts = write_scripts(game)
    found += [play_outs(game), raw(game, scripts), wrapped(game, scripts), raw_sampled(game)]
    second = plain(game, scripts)
    return found if second is None else [*found, second]


def _batches(game: str, tape: Tape) -> list[Contender]:
    found: list[Contender] = []
    for encoder in encoders(game):
        found += [
            step(game, encoder, tape),
            step_float32(game, encoder, tape),
            sample_and_step(game, encoder, tape),
            floor(game, encoder, tape.games.size),
        ]
    return found


def sizes(game: str) -> dict[str, Any]:
    """What an observation and a table take, and how long a random game is."""
    tables = {name: make_vec(game, encoder=name) for name in encoders(game)}
    first = next(iter(tables.values()))
    return {
        "players": first.players,
        "actions": first.actions,
        "observation_shapes": {name: list(made.engine.shape) for name, made in tables.items()},
        "record_bytes": first.games.itemsize,
        "decisions_a_game": round(play_outs(game).run() / _PLAY_OUTS, 1),
    }
