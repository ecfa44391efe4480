"""Lessons from the scripted player."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tefuda.envs import make_vec
from tefuda.training.agents import GreedyAgent
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.config import TrainConfig
from tefuda.training.imitate import watch_teacher
from tefuda.training.model import count_lessons, make_model, make_pupil
from tefuda.training.ppo import SelfPlayPPO

CONFIG = TrainConfig(game="gacha", tables=4, steps=8, batch=32, layers=(32,), encoder="flat")


def agreement(model: SelfPlayPPO) -> float:
    """How often the model's likeliest action is the scripted player's, where there is a choice."""
    tables = make_vec("gacha", tables=200, seed=8)
    rows = np.arange(200)
    same: list[bool] = []
    for _ in range(60):
        expected = GreedyAgent().act(tables, rows)
        choice = tables.action_mask.sum(axis=1) > 1
        same += (PolicyAgent(model).act(tables, rows) == expected)[choice].tolist()
        tables.step(expected)
    return float(np.mean(same))


def critic_of(model: SelfPlayPPO) -> torch.Tensor:
    """The first weights of the critic."""
    weights = model.policy.state_dict()["mlp_extractor.value_net.0.weight"]
    assert isinstance(weights, torch.Tensor)
    return weights


def test_lessons_bring_a_policy_nearer_to_its_teacher() -> None:
    model = make_model(CONFIG)
    before, critic = agreement(model), critic_of(model).clone()
    pupil = make_pupil(CONFIG, model)
    taken = [pupil.study(done) for done in (0.0, 0.3, 0.6, 0.9)]
    assert pupil.learnt == sum(taken)
    assert all(count % CONFIG.batch == 0 and count > 10_000 for count in taken)
    assert agreement(model) > before + 0.2
    assert torch.equal(critic, critic_of(model))


def test_lessons_are_what_the_teacher_did_with_a_choice() -> None:
    tables, twin = (make_vec("gacha", tables=3, seed=5) for _ in range(2))
    lessons = watch_teacher(tables, GreedyAgent(), 50)
    at = 0
    for _ in range(50):
        actions = GreedyAgent().act(twin, np.arange(3))
        for row in np.flatnonzero(twin.action_mask.sum(axis=1) > 1):
            np.testing.assert_array_equal(lessons.observations[at], twin.observation[row])
            np.testing.assert_array_equal(lessons.masks[at], twin.action_mask[row])
            assert lessons.actions[at] == actions[row]
            at += 1
        twin.step(actions)
    assert at == len(lessons.actions) < 150


@pytest.mark.parametrize(
    ("lessons", "most", "expected"), [(0.0, 99, 0), (2.5, 9999, 2500), (2.5, 99, 99)]
)
def test_the_number_of_lessons(lessons: float, most: int, expected: int) -> None:
    config = TrainConfig(game="gacha", decisions=1000, lessons=lessons, most_lessons=most)
    assert count_lessons(config) == expected
