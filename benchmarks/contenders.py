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

import numba
import numpy as np
import numpy.typing as npt
from measure import Case, Contender
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from tefuda.envs import Game, TableEnv, Tables, make, make_vec
from tefuda.envs.core.registry import find_game

SEED = 0

_TESTS = Path(__file__).resolve().parent.parent / "tests"

# Tables are spread over this many decisions before a measurement, so that they stand at all stages
# of their games and not all at the same.
_SPREAD = 512
# A stretch of the batch is at least this many decisions, and at least this many steps.
_STRETCH = 2**16
_STEPS = 64
# Games that single tables replay.
_SCRIPTS = 8


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


def write_tape(game: str, count: int) -> Tape:
    """Plays the stretch that all contenders with `count` tables play."""
    tables = make_vec(game, tables=count, seed=SEED)
    spread(tables)
    games = tables.games.copy()
    steps = max(_STEPS, _STRETCH // count)
    actions = np.empty((steps, count), np.int64)
    for row in actions:
        row[:] = tables.sample()
        tables.step(row)
    return Tape(games, actions)


def spread(tables: Tables) -> None:
    """Plays on at some tables more than at others."""
    lead = np.arange(len(tables)) * _SPREAD // len(tables)
    for step in range(_SPREAD):
        rows = np.flatnonzero(lead > step)
        tables.step(tables.sample(rows), rows)


def batch(game: str, encoder: str, tape: Tape) -> list[Contender]:
    """The batch engine: without and with the sampling of actions."""
    count = tape.games.size
    tables = make_vec(game, tables=count, seed=SEED, encoder=encoder)

    def rewind() -> None:
        tables.games[:] = tape.games

    def step() -> int:
        for actions in tape.actions:
            tables.step(actions)
        return tape.actions.size

    def sample_and_step() -> int:
        for _ in range(len(tape.actions)):
            tables.step(tables.sample())
        return tape.actions.size

    return [
        Contender(Case("batch", count, encoder), step, rewind),
        Contender(Case("batch", count, encoder, sampling=True), sample_and_step, rewind),
    ]


def floor(game: str, encoder: str, count: int) -> Contender:
    """The same loop without a game: it writes as many bytes a decision, and does nothing else."""
    tables = make_vec(game, tables=count, seed=SEED, encoder=encoder)
    observation = np.zeros((count, tables.engine.size), np.int8)
    mask = np.zeros((count, tables.actions), np.int8)
    seat, reward = np.zeros_like(tables.seat), np.zeros_like(tables.reward)
    steps = max(_STEPS, _STRETCH // count)

    def run() -> int:
        for step in range(steps):
            write_bytes(step, observation, mask, seat, reward)
        return steps * count

    return Contender(Case("floor", count, encoder), run)


@numba.njit
def write_bytes(
    step: int,
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
) -> None:
    """Writes the bytes of a decision at every table; compilers make of it the fastest they can."""
    for row in range(seat.size):
        value = (step + row) & 1
        observation[row] = value
        mask[row] = value
        reward[row] = value
        seat[row] = value


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


def aec(game: str, scripts: Sequence[Script]) -> list[Contender]:
    """The AEC environment, raw, under two usual wrappers, and with the space's own sampling."""
    raw = make(game)
    wrapped = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(make(game)))
    encoder = encoders(game)[0]
    return [
        Contender(Case("aec", encoder=encoder), partial(replay, raw, scripts)),
        Contender(Case("wrapped", encoder=encoder), partial(replay, wrapped, scripts)),
        Contender(Case("aec", encoder=encoder, sampling=True), partial(play, raw, len(scripts))),
    ]


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


# ==================================================================== plain Python


def plain(game: str, scripts: Sequence[Script]) -> list[Contender]:
    """The tests' second implementation in plain Python: rules and legal actions, no observation.

    Every move is looked up among the legal ones. No contender if there is no such implementation.
    """
    begin = oracle(find_game(game).name)
    if begin is None:
        return []
    players = make(game).engine.players

    def run() -> int:
        for script in scripts:
            table = begin(players)
            for value in script.values:
                table.apply(value)
            assert table.kind == "over"
        return sum(len(script.actions) for script in scripts)

    return [Contender(Case("plain"), run)]


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
    contenders: list[Contender] = []
    for count in counts:
        tape = write_tape(game, count)
        for encoder in encoders(game):
            contenders += [*batch(game, encoder, tape), floor(game, encoder, count)]
    scripts = write_scripts(game)
    return [*contenders, *aec(game, scripts), *plain(game, scripts)]


def sizes(game: str) -> dict[str, Any]:
    """What an observation and a table take."""
    tables = {name: make_vec(game, encoder=name) for name in encoders(game)}
    first = next(iter(tables.values()))
    return {
        "players": first.players,
        "actions": first.actions,
        "observation_shapes": {name: list(made.engine.shape) for name, made in tables.items()},
        "record_bytes": first.games.itemsize,
    }
