"""Lessons from look-ahead."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

import torch

from tefuda.envs import make_vec
from tefuda.envs.core.batch import Tables
from tefuda.training.agents.policy import load_model
from tefuda.training.agents.scripted import GreedyAgent
from tefuda.training.agents.search import NOTHING
from tefuda.training.config import TrainConfig
from tefuda.training.lookahead import (
    TRIED,
    Lookahead,
    gather,
    kinds_of,
    learn_values,
    likeliest,
    main,
)
from tefuda.training.model import make_model
from tefuda.training.network import LegalActions, TablePolicy

CONFIG = TrainConfig(game="quatre", tables=4, steps=8, batch=32, layers=(32,), encoder="expert")


def new_policy() -> TablePolicy:
    policy = make_model(CONFIG).policy
    assert isinstance(policy, TablePolicy)
    return policy


def last_decisions() -> Tables:
    """Tables of quatre before the last action of their game: 9 turns of 4 seats."""
    tables = make_vec("quatre", tables=6, seed=3, encoder="expert", reward="score", autoreset=False)
    for _ in range(35):
        tables.step(np.full(6, tables.actions - 2))
    tables.step(np.full(6, tables.actions - 1))
    return tables


def test_the_value_of_a_last_action_is_what_the_game_pays() -> None:
    """Nothing is left to chance or to others, so the value is exact."""
    tables = last_decisions()
    rows = np.arange(6)
    actions = likeliest(new_policy(), tables, rows, a_place(tables, rows))
    before = tables.games.copy()
    values = Lookahead(tables.engine, worlds=3).values(tables, rows, actions)
    np.testing.assert_array_equal(tables.games, before)
    seats = tables.seat.copy()
    for one in range(TRIED):
        twin = last_decisions()
        twin.step(actions[:, one])
        # At the end of a game the win counts beside the points.
        sole = twin.winners.sum(axis=1) == 1
        won = twin.winners[rows, seats] > 0
        win = np.where(won, 1.0, -1 / 3)[sole]
        paid = twin.reward[rows, seats]
        np.testing.assert_allclose(values[sole, one], paid[sole] + win, atol=1e-5)


def a_place(tables: Tables, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return tables.action_mask[rows, : tables.actions - 2].argmax(axis=1)


def test_what_is_tried_is_legal_and_of_the_kind_that_the_teacher_took() -> None:
    tables = make_vec("quatre", tables=5, seed=1, encoder="expert")
    policy = new_policy()
    rows = np.array([4, 1])
    collect = tables.actions - 2
    alone = likeliest(policy, tables, rows, np.array([collect, collect]))
    np.testing.assert_array_equal(alone, [[collect] + [NOTHING] * (TRIED - 1)] * 2)
    actions = likeliest(policy, tables, rows, a_place(tables, rows))
    assert (actions < collect).all()
    assert actions.shape == (2, TRIED)
    assert np.take_along_axis(tables.action_mask[rows], actions, axis=1).all()
    for row, tried in zip(rows, actions, strict=True):
        assert len({*tried.tolist()}) == TRIED, row


def test_few_legal_actions_leave_room() -> None:
    tables = make_vec("gacha", tables=8, seed=2, encoder="expert")
    config = TrainConfig(game="gacha", tables=4, steps=8, batch=32, layers=(32,), encoder="expert")
    policy = make_model(config).policy
    assert isinstance(policy, TablePolicy)
    for _ in range(60):
        tables.step(tables.sample())
    taught = GreedyAgent(0).act(tables, np.arange(8))
    kinds = kinds_of(tables.engine)
    alike = tables.action_mask * (kinds == kinds[taught][:, None])
    counts = np.minimum(alike.sum(axis=1), TRIED)
    actions = likeliest(policy, tables, np.arange(8), taught)
    np.testing.assert_array_equal((actions != NOTHING).sum(axis=1), counts)
    assert (counts < TRIED).any()
    values = Lookahead(tables.engine, worlds=2).values(tables, np.arange(8), actions)
    assert (values[actions == NOTHING] == 0).all()
    assert (values[actions != NOTHING] != 0).any()


def test_logits_come_to_differ_as_values_do() -> None:
    policy = new_policy()
    tables = make_vec("quatre", tables=256, seed=4, encoder="expert")
    weighed = gather(policy, tables, states=600, worlds=1, seed=5)
    assert len(weighed.values) == 600
    full = weighed.some(np.flatnonzero((weighed.actions != NOTHING).all(axis=1)))
    critic = policy.state_dict()["mlp_extractor.value_net.0.weight"].clone()

    def correlation() -> float:
        with torch.no_grad():
            seen, _ = policy.obs_to_tensor(tables.engine.cut(full.observations))
            found = policy.get_distribution(seen, full.masks)
            assert isinstance(found, LegalActions)
            logs = found.log_probabilities.numpy()
        tried = np.take_along_axis(logs, full.actions, axis=1)
        centred = [rows - rows.mean(axis=1, keepdims=True) for rows in (tried, full.values)]
        return float(np.corrcoef(centred[0].ravel(), centred[1].ravel())[0, 1])

    before = correlation()
    many = weighed.some(np.tile(np.arange(600), 20))
    learn_values(policy, tables.engine, many, scale=0.05, seed=0)
    after = correlation()
    assert after > before + 0.05
    assert torch.equal(critic, policy.state_dict()["mlp_extractor.value_net.0.weight"])


def test_the_command_writes_a_model_to_start_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = TrainConfig.for_game("quatre", seed=1, most_lessons=2000, layers=(16,))
    monkeypatch.setattr(TrainConfig, "for_game", lambda *_, **__: small)
    file = tmp_path / "start.zip"
    assert main(["quatre", str(file), "--states", "300", "--worlds", "1"]) == 0
    model = load_model(file)
    assert (model.game, model.encoder) == ("quatre_v0", "expert")


def test_the_command_names_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess", "x.zip"]) == 2
    assert "chess" in capsys.readouterr().err
