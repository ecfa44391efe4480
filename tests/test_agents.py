"""Players of a batch: legal, and the same in whatever batch they are asked."""

import subprocess
import sys

import numpy as np
import pytest

from tefuda.envs import make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import OptionError
from tefuda.training.agents import Agent, GreedyAgent, RandomAgent, make_agent

TABLES = 32
STEPS = 300
SCRIPTED = [RandomAgent, GreedyAgent]
NAMES = ["random", "greedy", "ismcts:20"]


def all_rows(tables: Tables) -> np.ndarray:
    return np.arange(tables.tables)


@pytest.mark.parametrize("kind", SCRIPTED)
def test_plays_legal_actions(kind: type[RandomAgent | GreedyAgent]) -> None:
    agent, tables = kind(1), make_vec("gacha_v0", tables=TABLES, seed=2)
    rows = all_rows(tables)
    for _ in range(STEPS):
        actions = agent.act(tables, rows)
        assert tables.action_mask[rows, actions].all()
        tables.step(actions)


@pytest.mark.parametrize("kind", SCRIPTED)
def test_does_not_depend_on_the_batch(kind: type[RandomAgent | GreedyAgent]) -> None:
    large, small = (make_vec("gacha_v0", tables=n, seed=2) for n in (TABLES, 3))
    agent, few = kind(1), np.array([2, 0])
    for _ in range(STEPS):
        actions = agent.act(large, all_rows(large))
        np.testing.assert_array_equal(agent.act(large, few), actions[few])
        np.testing.assert_array_equal(kind(1).act(small, all_rows(small)), actions[:3])
        large.step(actions)
        small.step(actions[:3])


def test_a_decision_has_its_own_stream_for_each_agent_seed() -> None:
    tables = make_vec("gacha_v0", tables=1024, seed=2)
    rows = all_rows(tables)
    first, again, other = (RandomAgent(seed).act(tables, rows) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_random_agent_never_touches_the_games_chance() -> None:
    tables = make_vec("gacha_v0", tables=TABLES, seed=2)
    before = tables.games.copy()
    RandomAgent(1).act(tables, all_rows(tables))
    np.testing.assert_array_equal(tables.games, before)


def test_random_agent_is_uniform() -> None:
    # The first decision of a game is the follow type, and all three are open (G9).
    tables = make_vec("gacha_v0", tables=3000, seed=4)
    actions = RandomAgent(0).act(tables, all_rows(tables))
    _, counts = np.unique(actions, return_counts=True)
    assert len(counts) == 3
    assert ((counts - 1000) ** 2 / 1000).sum() < 13.8  # chi-square, 2 degrees, one in a thousand


@pytest.mark.parametrize("name", NAMES)
def test_agents_by_name(name: str) -> None:
    agent: Agent = make_agent(name, seed=3)
    assert agent.name == name


@pytest.mark.parametrize(
    "name",
    ["clever", "policy:", "random:3", "ismcts", "ismcts:0", "ismcts:-5", "ismcts:x"],
)
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=f"no agent '{name}'"):
        make_agent(name)


def test_scripted_agents_need_no_torch() -> None:
    code = (
        "import sys, tefuda.training.agents, tefuda.training.cli; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
