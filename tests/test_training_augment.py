"""Symmetries of games in training: observations, masks and actions turned at random."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tefuda.envs import make_vec
from tefuda.envs.core.errors import OptionError
from tefuda.training.augment import Turner, make_turner
from tefuda.training.config import TrainConfig
from tefuda.training.imitate import Pupil
from tefuda.training.learner_env import LearnerEnv
from tefuda.training.model import make_model, make_pupil

ENCODINGS = [("quatre", "flat"), ("quatre", "planes"), ("torutorento", "tokens")]
CONFIG = TrainConfig(
    game="torutorento", encoder="flat", augment=True, tables=8, steps=16, batch=64, layers=(8,)
)


@pytest.mark.parametrize(("game", "encoder"), ENCODINGS)
def test_turned_samples_are_turned_back(game: str, encoder: str) -> None:
    tables = make_vec(game, tables=64, seed=1, encoder=encoder)
    turner = make_turner(tables.engine)
    rng = np.random.default_rng(1)
    for _ in range(60):
        tables.step(tables.sample())
    rows, actions = tables.observation.reshape(64, -1).copy(), tables.sample()
    turns = turner.draw(64, rng)
    assert set(turns.tolist()) == set(range(turner.order))
    seen, masks, turned = turner.turn(rows, tables.action_mask, actions, turns)
    assert (masks[np.arange(64), turned] == 1).all()
    assert (seen != rows).any()
    np.testing.assert_array_equal(seen[turns == 0], rows[turns == 0])
    np.testing.assert_array_equal(turner.undo(seen, masks, turned, turns), actions)


@pytest.mark.parametrize(("game", "encoder"), ENCODINGS)
def test_a_learner_sees_turned_tables_and_plays_what_it_means(game: str, encoder: str) -> None:
    made: list[Any] = [make_vec(game, tables=32, seed=2, encoder=encoder) for _ in range(2)]
    turner = make_turner(made[0].engine)
    env, plain = LearnerEnv(made[0], turner=turner), LearnerEnv(made[1])
    for one in (env, plain):
        one.seed(2)
        one.reset()
    turned = 0
    for _ in range(40):
        masks, turns = plain.action_masks(), env._turns
        rows = plain.tables.observation.reshape(32, -1)
        actions = plain.tables.sample()
        seen, allowed, meant = turner.turn(rows, masks, actions, turns)
        np.testing.assert_array_equal(env._shown[0], seen)
        np.testing.assert_array_equal(env.action_masks(), allowed)
        turned += int((meant != actions).sum())
        found, other = env.step(meant), plain.step(actions)
        np.testing.assert_array_equal(found[1], other[1])
        np.testing.assert_array_equal(env.tables.observation, plain.tables.observation)
    assert turned > 0


def test_lessons_are_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Any] = []
    monkeypatch.setattr(Pupil, "_step", lambda pupil, *lesson: taken.append(lesson))
    for config in (CONFIG, replace(CONFIG, augment=False)):
        make_pupil(config, make_model(config)).study(0.0)
    half = len(taken) // 2
    actions = [
        np.concatenate([lesson[2] for lesson in part]) for part in (taken[:half], taken[half:])
    ]
    masks = [
        np.concatenate([lesson[1] for lesson in part]) for part in (taken[:half], taken[half:])
    ]
    for some, allowed in zip(actions, masks, strict=True):
        assert (allowed[np.arange(len(some)), some] == 1).all()
    assert len(actions[0]) == len(actions[1])
    counts = [np.bincount(some, minlength=89) for some in actions]
    assert not np.array_equal(counts[0], counts[1])


def test_a_run_learns_from_turned_tables() -> None:
    def learnt(config: TrainConfig) -> torch.Tensor:
        model = make_model(config)
        model.learn(2 * config.rollout)
        return torch.cat([p.detach().flatten() for p in model.policy.parameters()])

    turned = learnt(CONFIG)
    assert torch.equal(turned, learnt(CONFIG))
    assert not torch.equal(turned, learnt(replace(CONFIG, augment=False)))


@pytest.mark.parametrize(
    ("game", "encoder", "message"),
    [
        ("gacha", "flat", "augment: gacha has no symmetry; quatre, torutorento have one"),
        ("torutorento", "auto", "augment: encoder='expert' is not allowed"),
        ("quatre", "expert", "augment: encoder='expert' is not allowed"),
    ],
)
def test_what_cannot_be_turned_is_refused(game: str, encoder: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_model(replace(CONFIG, game=game, encoder=encoder))


def test_lopsided_components_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lopsided = Turner((0,), 4, lambda *samples: samples[:3])
    monkeypatch.setitem(make_turner.__globals__["TURNERS"], "quatre", lambda engine: lopsided)
    with pytest.raises(OptionError, match="these components of quatre have no symmetry"):
        make_turner(make_vec("quatre", tables=1).engine)
