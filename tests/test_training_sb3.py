"""The batch as a VecEnv of Stable-Baselines3: MaskablePPO, its evaluation, wrappers."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium import spaces

pytest.importorskip("stable_baselines3")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import (
    get_action_masks,
    is_masking_supported,
)
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from tefuda.envs import make_vec
from tefuda.envs.core.errors import IllegalActionError
from tefuda.training.agents import Agent, GreedyAgent, RandomAgent
from tefuda.wrappers.sb3 import LEARNER, TablesVecEnv

TABLES = 8
STEPS = 400
PLAYERS = 3


class OneSeat:
    """The algorithm has seat 1, another player the others."""

    def __init__(self, player: Agent | None = None) -> None:
        self.players = (player or RandomAgent(9),)
        self.seeds: list[int] = []
        self.heard = 0

    def seed(self, seed: int) -> None:
        self.seeds.append(seed)

    def draw(self, games: int, seats: int) -> npt.NDArray[np.int64]:
        return np.tile([0, LEARNER, 0], (games, 1))

    def hear(self, seating: npt.NDArray[np.int64], winners: npt.NDArray[np.bool_]) -> None:
        assert (seating == [0, LEARNER, 0]).all()
        assert winners.any(axis=1).all()
        self.heard += len(winners)


def make_tables() -> Any:
    return make_vec("gacha_v0", tables=TABLES, seed=3, players=PLAYERS)


@pytest.fixture
def env() -> TablesVecEnv:
    return TablesVecEnv(make_tables())


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


class Slow:
    """What a step does, one table and one action after another."""

    def __init__(self, seating: OneSeat | None) -> None:
        self.tables = make_tables()
        self.seating = seating
        self.games = 0

    def passes(self, row: int) -> int | None:
        """The action that is not the algorithm's to choose, if there is one."""
        tables = self.tables
        if self.seating and self.seating.draw(1, PLAYERS)[0, tables.seat[row]] != LEARNER:
            return int(self.seating.players[0].act(tables, np.array([row]))[0])
        legal = np.flatnonzero(tables.action_mask[row])
        return int(legal[0]) if legal.size == 1 else None

    def play(self, row: int, action: int | None) -> tuple[npt.NDArray[np.float64], bool]:
        """What is paid until the algorithm's next choice, and whether a game ended before it."""
        paid, ended = np.zeros(PLAYERS), False
        action = self.passes(row) if action is None else action
        while action is not None:
            self.tables.step(np.array([action]), [row])
            paid += 0 if ended else self.tables.reward[row]
            over = bool(self.tables.done[row])
            ended |= over
            self.games += over
            action = self.passes(row)
        return paid, ended


@pytest.mark.parametrize("seating", [None, OneSeat(), OneSeat(GreedyAgent(5))])
def test_a_step_ends_at_the_next_choice(seating: OneSeat | None) -> None:
    env, slow = TablesVecEnv(make_tables(), seating), Slow(seating)
    env.seed(3)
    env.reset()
    for row in range(TABLES):
        slow.play(row, None)
    lost = 0
    for _ in range(STEPS):
        acting, actions = slow.tables.seat.copy(), env.tables.sample()
        observation, rewards, dones, infos = env.step(actions)
        played = [slow.play(row, action) for row, action in enumerate(actions.tolist())]
        paid = np.array([payments for payments, _ in played])
        np.testing.assert_array_equal(observation, slow.tables.observation)
        np.testing.assert_array_equal(env.acted, acting)
        np.testing.assert_allclose(env.payments, paid, atol=1e-6)
        np.testing.assert_allclose(rewards, paid[np.arange(TABLES), acting], atol=1e-6)
        np.testing.assert_array_equal(dones, [ended for _, ended in played])
        assert infos == [{}] * TABLES
        assert (env.action_masks().sum(axis=1) > 1).all()
        lost += int((rewards < 0).sum())
    assert env.games == slow.games > TABLES
    assert lost > 0
    if seating is not None:
        assert set(env.acted.tolist()) == {1}
        assert seating.seeds == [3]
        assert seating.heard == env.games


def test_observations_lie_in_the_space(env: TablesVecEnv) -> None:
    observations = env.reset()
    for _ in range(STEPS):
        assert all(env.observation_space.contains(row) for row in observations)
        observations, *_ = env.step(env.tables.sample())


def test_reset_goes_on_to_new_games_and_a_seed_goes_back(env: TablesVecEnv) -> None:
    env.seed(5)
    first = env.reset()
    assert isinstance(first, np.ndarray)
    assert not np.array_equal(first, np.asarray(env.reset()))
    env.seed(5)
    np.testing.assert_array_equal(first, np.asarray(env.reset()))


def test_tables_have_no_other_methods(env: TablesVecEnv) -> None:
    with pytest.raises(AttributeError, match="no method 'render'"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="'colour' cannot be set"):
        env.set_attr("colour", "red")
    assert not env.has_attr("colour")


def test_tables_that_stop_are_refused() -> None:
    with pytest.raises(ValueError, match="autoreset=False"):
        TablesVecEnv(make_vec("gacha_v0", autoreset=False))


def test_tables_that_keep_actions_are_refused() -> None:
    with pytest.raises(ValueError, match="keep_actions=True"):
        TablesVecEnv(make_vec("gacha_v0", keep_actions=True))


# ==================================================================== MaskablePPO as it comes

SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": PLAYERS, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2, "components": "mini"},
    "torutorento_v0": {"players": PLAYERS, "max_rounds": 1},
}


def small_env(
    name: str, seating: OneSeat | None = None, encoding: dict[str, Any] | None = None
) -> TablesVecEnv:
    tables = make_vec(name, tables=TABLES, seed=3, **(encoding or {}), **SHORT[name])
    return TablesVecEnv(tables, seating)


def small_learner(env: Any) -> MaskablePPO:
    policy = "MultiInputPolicy" if isinstance(env.observation_space, spaces.Dict) else "MlpPolicy"
    return MaskablePPO(policy, env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        *((name, {"encoder": encoder}) for name in SHORT for encoder in ("flat", "tokens")),
        ("quatre_v0", {"encoder": "planes"}),
        ("quatre_v0", {"encoder": "planes", "planes": "box"}),
    ],
)
def test_maskable_ppo_learns_from_every_encoder(name: str, encoding: dict[str, str]) -> None:
    """An illegal action would raise an error of the tables."""
    env = small_env(name, encoding=encoding)
    model = small_learner(env)
    before = [weight.clone() for weight in model.policy.parameters()]
    model.learn(2 * 16 * TABLES)
    after = list(model.policy.parameters())
    assert any((old != new).any() for old, new in zip(before, after, strict=True))
    assert model.num_timesteps == 2 * 16 * TABLES


def test_vec_monitor_tells_what_the_games_paid() -> None:
    env = VecMonitor(small_env("gacha_v0", OneSeat()))
    assert is_masking_supported(env)
    env.reset()
    inner, rng = env.unwrapped, np.random.default_rng(2)
    assert isinstance(inner, TablesVecEnv)
    paid, episodes = np.zeros(TABLES), 0
    for _ in range(200):
        masks = get_action_masks(env)
        np.testing.assert_array_equal(masks, inner.tables.action_mask)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        _, rewards, dones, infos = env.step(actions)
        paid += rewards
        for table in np.flatnonzero(dones):
            assert infos[table]["episode"]["r"] == pytest.approx(paid[table], abs=1e-5)
            paid[table] = 0
            episodes += 1
    assert episodes > TABLES


@pytest.mark.parametrize(
    ("name", "encoding"), [("gacha_v0", {}), ("quatre_v0", {"encoder": "planes"})]
)
def test_vec_normalize_passes_masks_through(name: str, encoding: dict[str, str]) -> None:
    env = VecNormalize(small_env(name, encoding=encoding))
    assert is_masking_supported(env)
    small_learner(env).learn(2 * 16 * TABLES)
    seen = env.reset()
    for piece in seen.values() if isinstance(seen, dict) else [seen]:
        assert piece.dtype == np.float32
        assert np.abs(piece).max() <= env.clip_obs
    assert get_action_masks(env).any(axis=1).all()


def test_maskable_evaluation_plays_whole_games() -> None:
    env = VecMonitor(small_env("gacha_v0", OneSeat()))
    model = small_learner(env)
    rewards, lengths = evaluate_policy(
        model, env, n_eval_episodes=24, deterministic=False, return_episode_rewards=True
    )
    assert isinstance(rewards, list)
    assert isinstance(lengths, list)
    assert len(rewards) == len(lengths) == 24
    assert min(lengths) > 1
    # Of three: a sole winner, two winners, all three, a loser.
    assert set(np.round(rewards, 3)) <= {1.0, 0.25, 0.0, -0.5}
    assert len(set(np.round(rewards, 3))) > 1


def test_what_stable_baselines_needs_is_said_for_tables_without_masks() -> None:
    """Its own evaluation knows no masks: the tables refuse, rather than play on."""
    from stable_baselines3.common.evaluation import evaluate_policy as evaluate_without_masks

    env = VecMonitor(small_env("gacha_v0"))
    with pytest.raises(IllegalActionError):
        evaluate_without_masks(small_learner(env), env, n_eval_episodes=24)
