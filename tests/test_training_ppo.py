"""Every seat's decisions are learnt from, with all that the seat was paid until its next."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

import torch
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import ConstantSchedule

from tefuda.training.config import TrainConfig
from tefuda.training.model import make_env, make_model
from tefuda.training.ppo import SelfPlayBuffer, SelfPlayPPO, seat_advantages

Array = npt.NDArray[Any]


def test_returns_of_each_seat_by_hand() -> None:
    # One table, two seats. Seat 0 gains 1 in seat 1's turn, then loses the game (-1) in seat 1's
    # turn. In the next game seat 1 has not acted yet when it loses 2: no decision earned that.
    seats = np.array([[0], [1], [0], [1], [0], [0]])
    payments = np.array([[0, 0], [1, -1], [0, 0], [-1, 1], [0, 0], [2, -2]], np.float32)
    ended = np.array([[False], [False], [False], [True], [False], [False]])
    values = np.array([[0.5], [0.2], [0.4], [0.1], [0.3], [0.6]], np.float32)
    last = np.array([[0.7, 0.9]], np.float32)
    advantages = seat_advantages(
        seats, payments[:, None], ended, values, last, gamma=1.0, gae_lambda=0.5
    )
    expected = [
        1 + 0.4 - 0.5 + 0.5 * -1.4,  # seat 0: paid 1, then expects 0.4
        -1 + 0.1 - 0.2 + 0.5 * 0.9,  # seat 1: lost 1 by its own move, then expects 0.1
        -1 - 0.4,  # seat 0: the loss that seat 1's last move brought
        1 - 0.1,  # seat 1: won, and nothing follows
        0.6 - 0.3 + 0.5 * 2.1,  # seat 0, the next game
        2 + 0.7 - 0.6,  # ... whose next decision lies beyond: its own value
    ]
    np.testing.assert_allclose(advantages[:, 0], expected, atol=1e-6)


def test_discount_counts_a_seats_own_decisions() -> None:
    # Between seat 0's two decisions lie three of others; one discount applies.
    seats = np.array([[0], [1], [2], [1], [0]])
    payments = np.zeros((5, 1, 3), np.float32)
    ended = np.zeros((5, 1), np.bool_)
    values = np.array([[1.0], [0], [0], [0], [2.0]], np.float32)
    last = np.array([[4.0, 0, 0]], np.float32)
    advantages = seat_advantages(seats, payments, ended, values, last, gamma=0.5, gae_lambda=0.0)
    assert advantages[0, 0] == pytest.approx(0.5 * 2 - 1)
    assert advantages[4, 0] == pytest.approx(0.5 * 4 - 2)


def slow_advantages(
    seats: Array,
    payments: Array,
    ended: Array,
    values: Array,
    last: Array,
    gamma: float,
    lam: float,
) -> Array:
    """The same, seat by seat and game by game, straight from the definition."""
    advantages = np.zeros(seats.shape)
    for table, seat in np.ndindex(last.shape):
        own = [int(step) for step in np.flatnonzero(seats[:, table] == seat)]
        ends = [int(step) for step in np.flatnonzero(ended[:, table])]
        for k, step in enumerate(own):
            weight = 1.0
            for here, after in zip(own[k:], [*own[k + 1 :], len(seats)], strict=True):
                end = min((end for end in ends if here <= end < after), default=None)
                paid = payments[here : after if end is None else end + 1, table, seat].sum()
                coming = last[table, seat] if after == len(seats) else values[after, table]
                error = paid + (0 if end is not None else gamma * coming) - values[here, table]
                advantages[step, table] += weight * error
                weight *= gamma * lam
                if end is not None:
                    break
    return advantages


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_a_slow_computation_seat_by_seat(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps, tables, players = 60, 7, 4
    course = (
        rng.integers(players, size=(steps, tables)),
        rng.normal(size=(steps, tables, players)).astype(np.float32),
        rng.random((steps, tables)) < 0.1,
        rng.normal(size=(steps, tables)).astype(np.float32),
        rng.normal(size=(tables, players)).astype(np.float32),
    )
    fast = seat_advantages(*course, gamma=0.97, gae_lambda=0.9)
    slow = slow_advantages(*course, gamma=0.97, lam=0.9)
    np.testing.assert_allclose(fast, slow, atol=1e-5)


# Half of the games are played among scripted players, whose turns pay the learner too.
CONFIG = TrainConfig(
    game="gacha",
    options={"players": 3},
    tables=4,
    steps=500,
    batch=500,
    layers=(8,),
    scripted=0.5,
    encoder="flat",
)


def rolled_out(config: TrainConfig) -> SelfPlayPPO:
    """A model that has just filled a rollout with gacha for three, in which games have ended."""
    model = make_model(config)
    _, callback = model._setup_learn(config.rollout)
    assert model.env is not None
    model.collect_rollouts(model.env, callback, model.rollout_buffer, config.steps)
    assert isinstance(model.rollout_buffer, SelfPlayBuffer)
    assert model.rollout_buffer.ended.sum() > config.tables
    return model


def test_every_decision_of_a_finished_game_returns_its_seats_payoff() -> None:
    # With gamma = lambda = 1 a return is what the seat is paid from there to the end: the winners'
    # share, or the loss, whoever made the last move.
    buffer = rolled_out(replace(CONFIG, gae_lambda=1.0)).rollout_buffer
    assert isinstance(buffer, SelfPlayBuffer)
    checked = set()
    for table in range(buffer.n_envs):
        start = 0
        for end in np.flatnonzero(buffer.ended[:, table]):
            payoffs = buffer.payments[start : end + 1, table].sum(axis=0)
            game = slice(start, end + 1)
            expected = payoffs[buffer.seats[game, table]]
            np.testing.assert_allclose(buffer.returns[game, table], expected, atol=1e-5)
            checked |= set(np.round(payoffs, 3).tolist())
            start = end + 1
    assert {1.0, -0.5} <= checked


def test_a_rollout_tells_what_happened_at_the_tables() -> None:
    config = replace(CONFIG, gae_lambda=0.9)
    model = rolled_out(config)
    buffer = model.rollout_buffer
    assert isinstance(buffer, SelfPlayBuffer)
    twin = make_env(config)
    twin.seed(model.seed)
    observations = twin.reset()
    for step, actions in enumerate(buffer.actions[..., 0]):
        np.testing.assert_array_equal(buffer.observations[step], observations)
        np.testing.assert_array_equal(buffer.action_masks[step], twin.action_masks())
        observations, *_ = twin.step(actions.astype(np.int64))
        np.testing.assert_array_equal(buffer.seats[step], twin.acted)
        np.testing.assert_array_equal(buffer.payments[step], twin.payments)
        np.testing.assert_array_equal(buffer.ended[step], twin.ended)
    last = model.value_of(twin.observe_all()).reshape(config.tables, -1)
    slow = slow_advantages(
        buffer.seats, buffer.payments, buffer.ended, buffer.values, last, gamma=1.0, lam=0.9
    )
    np.testing.assert_allclose(buffer.advantages, slow, atol=1e-4)
    np.testing.assert_allclose(buffer.returns, slow + buffer.values, atol=1e-4)


def parameters(model: SelfPlayPPO, critic: bool) -> torch.Tensor:
    named = model.policy.named_parameters()
    return torch.cat([p.detach().flatten() for name, p in named if ("value" in name) is critic])


def test_the_critic_learns_alone_at_first() -> None:
    model = make_model(replace(CONFIG, decisions=2 * CONFIG.rollout))
    model.critic_first = CONFIG.rollout
    model.lr_schedule = ConstantSchedule(1e-3)  # the planned one has come to 0 after one rollout
    before = [parameters(model, critic).clone() for critic in (True, False)]
    model.learn(CONFIG.rollout)
    assert not torch.equal(parameters(model, critic=True), before[0])
    assert torch.equal(parameters(model, critic=False), before[1])
    model.learn(CONFIG.rollout, reset_num_timesteps=False)
    assert not torch.equal(parameters(model, critic=False), before[1])


def test_without_lessons_the_critic_does_not_learn_alone() -> None:
    assert make_model(replace(CONFIG, decisions=10_000, critic_first=0.5)).critic_first == 5000
    alone = replace(CONFIG, decisions=10_000, critic_first=0.5, lessons=0.0)
    assert make_model(alone).critic_first == 0


def test_learning_rate_and_entropy_change_linearly() -> None:
    config = replace(CONFIG, learning_rate=0.004, learning_rate_last=0.001, entropy=0.0)
    model = make_model(replace(config, entropy_last=0.2))
    seen: list[tuple[float, float]] = []
    for rollouts in (2, 4):
        # So many of four, as a run that goes on.
        model._total_timesteps = 4 * CONFIG.rollout
        model._update_current_progress_remaining(rollouts * CONFIG.rollout, 4 * CONFIG.rollout)
        rolled = rolled_out(CONFIG).rollout_buffer
        model.rollout_buffer = rolled
        model._logger = configure(None, [])
        model.train()
        seen.append((model.policy.optimizer.param_groups[0]["lr"], model.ent_coef))
    np.testing.assert_allclose(seen, [(0.0025, 0.1), (0.001, 0.2)])


def test_rewards_are_scaled() -> None:
    plain, scaled = (
        rolled_out(replace(CONFIG, reward_scale=s)).rollout_buffer for s in (1.0, 0.25)
    )
    assert isinstance(plain, SelfPlayBuffer)
    assert isinstance(scaled, SelfPlayBuffer)
    assert plain.payments.any()
    np.testing.assert_array_equal(scaled.payments, 0.25 * plain.payments)
