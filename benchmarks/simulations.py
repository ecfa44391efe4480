"""Simulations per CPU second of ISMCTS: ours beside OpenSpiel's in Python, on the same positions.

Use: python benchmarks/simulations.py [--quick] [--games gacha_v0 ...] [--results FOLDER]

Games last one round, so that a simulation ends where a game ends in both. OpenSpiel's search plays
our games through `tefuda.wrappers.openspiel`, with one random rollout a simulation. Its ISMCTS in
C++ does not run on games that are written in Python.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import command
import numpy as np
import pyspiel
from contenders import SEED
from measure import Case, Contender, Effort, measure
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from results import Results

from tefuda.envs import Tables, make_vec
from tefuda.envs.core.registry import find_game
from tefuda.training.agents.ismcts import IsmctsAgent
from tefuda.wrappers.openspiel import OpenSpielGame

#: The options of a game of one round; of quatre all seats know the same, and it has no such search.
ONE_ROUND: dict[str, dict[str, Any]] = {
    "gacha_v0": {"scoring": "vp", "rounds": 1},
    "torutorento_v0": {"max_rounds": 1},
}

_POSITIONS = 4
# Decisions from one position to the next.
_APART = 8
_OUR_SIMULATIONS = 200
_THEIR_SIMULATIONS = 5
_EXPLORATION = 0.7


def _effort(quick: bool) -> Effort:
    return Effort(rounds=1, seconds=0.01) if quick else Effort(rounds=5, seconds=0.5)


def measure_game(game: str, quick: bool) -> Results:
    """Measures both searches on the same positions of a game; nothing where there is no search."""
    if game not in ONE_ROUND:
        return {}
    tables = positions(game)
    rivals = [Contender(Case("ours"), ours(tables)), Contender(Case("openspiel"), theirs(tables))]
    found = measure(rivals, _effort(quick))
    return {
        rival.case.face: [round(rate, 1) for rate in rates]
        for rival, rates in zip(rivals, found, strict=True)
    }


def positions(game: str) -> Tables:
    """Tables at which so many decisions have been made, and somebody has a choice."""
    tables = make_vec(game, tables=_POSITIONS, seed=SEED, keep_actions=True, **ONE_ROUND[game])
    for row in range(_POSITIONS):
        only = np.array([row])
        for _ in range(row * _APART):
            tables.step(tables.sample(only), only)
        while tables.action_mask[row].sum() == 1:
            tables.step(tables.sample(only), only)
    return tables


def ours(tables: Tables) -> Callable[[], int]:
    """What searches once at every table, with random rollouts."""
    agent = IsmctsAgent(_OUR_SIMULATIONS, exploration=_EXPLORATION, seed=SEED)
    rows = np.arange(len(tables))

    def run() -> int:
        agent.act(tables, rows)
        return rows.size * _OUR_SIMULATIONS

    return run


def theirs(tables: Tables) -> Callable[[], int]:
    """The same by OpenSpiel's bot."""
    game: OpenSpielGame = pyspiel.load_game(_loaded(tables))
    rng = np.random.RandomState(SEED)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = ISMCTSBot(game, evaluator, _EXPLORATION, _THEIR_SIMULATIONS, random_state=rng)
    states = [_state(game, tables, row) for row in range(len(tables))]
    return partial(_search, bot, states)


def _loaded(tables: Tables) -> str:
    spec = tables.engine.spec
    options = ",".join(f"{name}={value}" for name, value in ONE_ROUND[spec.id].items())
    return f"tefuda_{find_game(spec.id).name}({options})"


def _state(game: OpenSpielGame, tables: Tables, row: int) -> Any:
    """The position of a table in OpenSpiel."""
    state = game.new_initial_state()
    for value in tables.game(row).values:
        state.apply_action(value)
    return state


def _search(bot: ISMCTSBot, states: list[Any]) -> int:
    for state in states:
        bot.run_search(state)
    return len(states) * _THEIR_SIMULATIONS


if __name__ == "__main__":
    command.run(
        command.Script(
            name="simulations",
            purpose="Measures simulations per CPU second.",
            settings=lambda quick: asdict(_effort(quick)),
            measure=measure_game,
        )
    )
