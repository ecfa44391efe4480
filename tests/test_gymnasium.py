"""One seat as a Gymnasium environment, single and vector."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv

from tefuda.envs import GAMES, Game, Tables
from tefuda.envs.core.errors import (
    GameOverError,
    IllegalActionError,
    NotResetError,
    OptionError,
)
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.wrappers.gymnasium import SeatEnv, SeatVectorEnv

pytestmark = pytest.mark.filterwarnings("ignore:.*action_masks.*")


def _id(game: str) -> str:
    name, version = game.rsplit("_v", 1)
    return f"tefuda.envs:tefuda/{name.capitalize()}-v{version}"


def _any_legal(mask: npt.NDArray[np.int8], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def _play_game(env: gymnasium.Env[Any, Any], rng: np.random.Generator) -> float:
    """The sum of the rewards of a game that has been reset."""
    total, over = 0.0, False
    while not over:
        action = _any_legal(env.get_wrapper_attr("action_masks")(), rng)
        _, reward, terminated, truncated, _ = env.step(action)
        total += float(reward)
        over = terminated or truncated
    return total


@pytest.mark.parametrize("game", GAMES)
def test_made_by_gymnasium_it_obeys_the_checker(game: str) -> None:
    env = gymnasium.make(_id(game), illegal="lose", seat="random")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize(("seat", "games"), [(0, 300), (2, 300), ("random", 400)])
def test_the_rewards_delivered_are_the_payoffs_of_the_record(seat: int | str, games: int) -> None:
    env = gymnasium.make(_id("gacha_v0"), seat=seat, players=3, scoring="vp", rounds=1)
    rng = np.random.default_rng(3)
    env.reset(seed=11)
    table = env.unwrapped
    assert isinstance(table, SeatEnv)
    seats = set()
    for _ in range(games):
        total = _play_game(env, rng)
        record, learner = table.record(), table.seat
        assert total == pytest.approx(record["payoffs"][learner], abs=1e-6)
        assert Game.from_record(record).node == "over"
        seats.add(learner)
        env.reset()
    assert seats == ({0, 1, 2} if seat == "random" else {seat})


def test_score_rewards_of_the_others_turns_reach_the_learner() -> None:
    env = SeatEnv("gacha_v0", reward="score", scoring="vp", rounds=2, opponents="greedy")
    rng = np.random.default_rng(4)
    for seed in range(20):
        env.reset(seed=seed)
        total = _play_game(env, rng)
        assert total == pytest.approx(env.record()["payoffs"][0], abs=1e-4)


def test_it_is_the_learners_turn_at_every_step() -> None:
    env = SeatEnv("gacha_v0", seat=1)
    rng = np.random.default_rng(5)
    observation, info = env.reset(seed=5)
    for _ in range(300):
        assert env.observation_space.contains(observation)
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())
        assert info["action_mask"].any()
        action = _any_legal(info["action_mask"], rng)
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            assert not info["action_mask"].any()
            observation, info = env.reset()


# Fields that a kind of token lacks are always 0.
@pytest.mark.filterwarnings("ignore:.*maximum and minimum values are equal")
def test_it_is_made_by_its_id_with_agents_of_ones_own() -> None:
    """Any wrappers may lie around it: here those of `gymnasium.make`, and one more."""
    made = gymnasium.make(
        "tefuda/Gacha-v0",
        players=4,
        seat="random",
        opponents=[GreedyAgent(), RandomAgent(3), "greedy"],
        encoder="tokens",
    )
    env = gymnasium.wrappers.RecordEpisodeStatistics(made)
    observation, info = env.reset(seed=3)
    assert observation.shape == (63, 10)
    np.testing.assert_array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
    np.testing.assert_array_equal(env.unwrapped.action_masks(), info["action_mask"])  # type: ignore[attr-defined]
    total = _play_game(env, np.random.default_rng(3))
    table = env.unwrapped
    assert isinstance(table, SeatEnv)
    assert total == pytest.approx(table.record()["payoffs"][table.seat], abs=1e-6)
    assert env.return_queue[-1] == pytest.approx(total)


def test_opponents_sit_clockwise_from_the_learner() -> None:
    acted: dict[str, set[int]] = {}

    class Spy:
        def __init__(self, name: str) -> None:
            self.name = name

        def act(self, tables: Tables, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            acted.setdefault(self.name, set()).update(tables.seat[rows].tolist())
            return tables.sample(rows)

    env = SeatEnv("gacha_v0", players=4, seat=2, opponents=[Spy("a"), Spy("b"), "random"])
    env.reset(seed=0)
    _play_game(env, np.random.default_rng(0))
    assert acted == {"a": {3}, "b": {0}}


def test_wrong_calls_are_refused_and_change_nothing() -> None:
    env = SeatEnv("gacha_v0")
    with pytest.raises(NotResetError):
        env.step(0)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.raises(IllegalActionError):
        env.step(illegal)
    np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
    _play_game(env, np.random.default_rng(1))
    with pytest.raises(GameOverError):
        env.step(0)


def test_an_illegal_action_can_lose_the_game() -> None:
    env = SeatEnv("gacha_v0", illegal="lose")
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert not info["action_mask"].any()
    with pytest.raises(GameOverError):
        env.step(0)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"seat": 4}, "seat=4"),
        ({"seat": True}, "seat=True"),
        ({"opponents": "nobody"}, "nobody"),
        ({"opponents": ["random"]}, "opponents are 1"),
        ({"illegal": "ignore"}, "illegal='ignore'"),
        ({"render_mode": "human"}, "render_mode='human'"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        SeatEnv("gacha_v0", **wrong)


@pytest.mark.parametrize("game", GAMES)
def test_the_vector_environment_plays_the_games_of_single_ones(game: str) -> None:
    envs = gymnasium.make_vec(_id(game), num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(envs, SeatVectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    seen, info = envs.reset(seed=9)
    single = SeatEnv(game)
    one, one_info = single.reset(seed=9)
    rng = np.random.default_rng(9)
    finals = 0
    while finals < 2:
        np.testing.assert_array_equal(seen[0], one)
        np.testing.assert_array_equal(info["action_mask"][0], one_info["action_mask"])
        actions = np.array([_any_legal(mask, rng) for mask in info["action_mask"]])
        seen, rewards, terminated, truncated, info = envs.step(actions)
        one, reward, one_terminated, one_truncated, one_info = single.step(actions[0])
        assert rewards[0] == np.float32(reward)
        assert (terminated[0], truncated[0]) == (one_terminated, one_truncated)
        if one_terminated or one_truncated:
            finals += 1
            np.testing.assert_array_equal(info["final_obs"][0], one)
            one, one_info = single.reset()


def test_the_vector_environment_is_one_for_gymnasium() -> None:
    envs = SeatVectorEnv(2, "gacha_v0", players=3)
    assert isinstance(envs, VectorEnv)
    seen, info = envs.reset(seed=0)
    assert envs.observation_space.contains(seen)
    assert info["action_mask"].shape == (2, 120)
    before = envs.action_masks().copy()
    with pytest.raises(IllegalActionError):
        envs.step(np.array([int(before[0].argmax()), int(before[1].argmin())]))
    np.testing.assert_array_equal(envs.action_masks(), before)
