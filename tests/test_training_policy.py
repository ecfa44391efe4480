"""A learnt policy as a player."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tefuda.envs import make_vec
from tefuda.envs.core.errors import TefudaError
from tefuda.training.agents import make_agent
from tefuda.training.agents.policy import PolicyAgent, load_model
from tefuda.training.config import TrainConfig
from tefuda.training.model import make_model
from tefuda.training.ppo import SelfPlayPPO

CONFIG = TrainConfig(game="gacha", tables=4, steps=8, batch=32, layers=(16,), encoder="flat")
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


def test_it_reads_tables_that_show_other_observations(tmp_path: Path) -> None:
    # A policy that learnt from tokens plays the same whatever the tables show.
    make_model(replace(CONFIG, encoder="tokens")).save(tmp_path / "model.zip")
    agent = make_agent(f"policy:{tmp_path}")
    tokens, flat = (
        make_vec("gacha_v0", tables=TABLES, seed=1, encoder=encoder)
        for encoder in ("tokens", "flat")
    )
    rows = np.arange(TABLES)
    for _ in range(50):
        actions = agent.act(tokens, rows)
        np.testing.assert_array_equal(agent.act(flat, rows[::-1]), actions[::-1])
        tokens.step(actions)
        flat.step(actions)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(TefudaError, match=r"no model at .*nowhere"):
        make_agent(f"policy:{tmp_path}/nowhere")


def test_a_damaged_model_is_named(model: SelfPlayPPO, tmp_path: Path) -> None:
    file = tmp_path / "model.zip"
    model.save(file)
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for content in (flipped, whole[:middle], b"", b"no model"):
        file.write_bytes(content)
        with pytest.raises(TefudaError, match=r"model\.zip is (damaged|no model)"):
            load_model(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data", "{}")
    with pytest.raises(TefudaError, match=r"is no model: it lacks policy\.pth"):
        load_model(file)


def test_another_game_is_refused(tmp_path: Path) -> None:
    model = make_model(CONFIG)
    model.game = "chess_v0"
    tables = make_vec("gacha_v0", tables=2)
    with pytest.raises(TefudaError, match="policy has learnt chess_v0, not gacha_v0"):
        PolicyAgent(model).act(tables, np.arange(2))


def test_other_observations_are_refused(model: SelfPlayPPO) -> None:
    tables = make_vec("gacha_v0", tables=2, players=3)
    with pytest.raises(TefudaError, match="were its players or components others"):
        PolicyAgent(model).act(tables, np.arange(2))
