"""A learnt policy as a player."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tefuda.envs import make_vec
from tefuda.envs.core.errors import TefudaError
from tefuda.training.agents import make_agent
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.config import TrainConfig
from tefuda.training.ppo import SelfPlayPPO
from tefuda.training.train import make_model

CONFIG = TrainConfig(game="gacha", tables=4, steps=8, batch=32, layers=(16,))
TABLES = 16


@pytest.fixture(scope="module")
def model() -> SelfPlayPPO:
    return make_model(CONFIG)


@pytest.mark.parametrize("deterministic", [True, False])
def test_plays_legal_actions_whatever_the_batch(model: SelfPlayPPO, deterministic: bool) -> None:
    agent = PolicyAgent(model, deterministic)
    tables = make_vec("gacha_v0", tables=TABLES, seed=1)
    rows, few = np.arange(TABLES), np.array([5, 3])
    for _ in range(100):
        actions = agent.act(tables, rows)
        assert tables.action_mask[rows, actions].all()
        np.testing.assert_array_equal(agent.act(tables, few), actions[few])
        tables.step(actions)


def test_draws_by_its_probabilities(model: SelfPlayPPO) -> None:
    # All these tables are at the first decision of a game, and the untrained policy is near even.
    tables = make_vec("gacha_v0", tables=3000, seed=1)
    agent = PolicyAgent(model, deterministic=False)
    actions = agent.act(tables, np.arange(3000))
    expected = agent.probabilities(tables.observation, tables.action_mask).sum(axis=0)
    counts = np.bincount(actions, minlength=tables.actions)
    np.testing.assert_allclose(counts, expected, atol=4 * np.sqrt(3000 * 2 / 9))


def test_saved_and_loaded_it_plays_the_same(model: SelfPlayPPO, tmp_path: Path) -> None:
    model.save(tmp_path / "model.zip")
    tables = make_vec("gacha_v0", tables=TABLES, seed=1)
    rows = np.arange(TABLES)
    expected = PolicyAgent(model).act(tables, rows)
    for path in (tmp_path, tmp_path / "model.zip"):
        agent = make_agent(f"policy:{path}")
        assert agent.name == f"policy:{path}"
        np.testing.assert_array_equal(agent.act(tables, rows), expected)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(TefudaError, match=r"no model at .*nowhere"):
        make_agent(f"policy:{tmp_path}/nowhere")


def test_other_observations_are_refused(model: SelfPlayPPO) -> None:
    tables = make_vec("gacha_v0", tables=2, players=3)
    with pytest.raises(TefudaError, match="these tables show"):
        PolicyAgent(model).act(tables, np.arange(2))
