"""The batch as a VecEnv of Stable-Baselines3."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from sb3_contrib.common.maskable.utils import (
    get_action_masks,
    is_masking_supported,
)

from tefuda.envs import make_vec
from tefuda.wrappers.sb3 import TablesVecEnv

TABLES = 8
STEPS = 600


@pytest.fixture
def env() -> TablesVecEnv:
    return TablesVecEnv(make_vec("gacha_v0", tables=TABLES, seed=3, players=3))


def test_masks_are_found_where_sb3_contrib_looks(env: TablesVecEnv) -> None:
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (TABLES, env.action_space.n)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(masks, env.tables.action_mask)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2])[0], masks[2])


def test_arrays_are_fresh_each_step(env: TablesVecEnv) -> None:
    seen: list[Any] = [env.reset()]
    kept = [seen[0].copy()]
    for _ in range(5):
        observation, rewards, dones, _ = env.step(env.tables.sample())
        assert isinstance(observation, np.ndarray)
        for array in (observation, rewards, dones, env.payments, env.acted):
            assert not np.shares_memory(array, env.tables.observation)
            assert all(not np.shares_memory(array, earlier) for earlier in seen)
            seen.append(array)
            kept.append(array.copy())
    for array, copy in zip(seen, kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_steps_tell_who_acted_and_what_every_seat_was_paid(env: TablesVecEnv) -> None:
    twin = make_vec("gacha_v0", tables=TABLES, seed=3, players=3)
    env.seed(3)
    env.reset()
    ended = 0
    for _ in range(STEPS):
        actions, acting = twin.sample(), twin.seat.copy()
        twin.step(actions)
        observation, rewards, dones, infos = env.step(actions)
        np.testing.assert_array_equal(observation, twin.observation)
        np.testing.assert_array_equal(env.acted, acting)
        np.testing.assert_array_equal(env.payments, twin.reward)
        np.testing.assert_array_equal(rewards, twin.reward[np.arange(TABLES), acting])
        np.testing.assert_array_equal(dones, twin.done)
        assert infos == [{}] * TABLES
        ended += int(twin.done.sum())
    assert env.games == ended > 0


def test_observations_lie_in_the_space(env: TablesVecEnv) -> None:
    observations = env.reset()
    for _ in range(STEPS):
        assert all(env.observation_space.contains(row) for row in observations)
        observations, *_ = env.step(env.tables.sample())


def test_reset_goes_on_to_new_games_and_a_seed_goes_back(env: TablesVecEnv) -> None:
    env.seed(5)
    first = env.reset()
    assert not np.array_equal(first, env.reset())
    env.seed(5)
    np.testing.assert_array_equal(first, env.reset())


def test_tables_have_no_other_methods(env: TablesVecEnv) -> None:
    with pytest.raises(AttributeError, match="no method 'render'"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="'colour' cannot be set"):
        env.set_attr("colour", "red")
    assert not env.has_attr("colour")
