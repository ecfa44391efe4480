"""The environments under the wrappers that people put around them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from tefuda.envs import Game, make
from tefuda.envs.core.errors import ActionRangeError, GameOverError
from tefuda.wrappers.pettingzoo import MaskInInfo

Env = AECEnv[str, Any, int | None]

#: Options for games of one round.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 1},
}

every_game = pytest.mark.parametrize("name", SHORT)


def table(name: str) -> Env:
    return make(name, **SHORT[name])


def mask_of(observation: Any, info: dict[str, Any]) -> Any:
    return observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]


def play(env: Env, seed: int) -> dict[str, float]:
    """Plays a game by legal actions; what each agent was told to have got."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    got = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        got[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(mask_of(observation, info)))))
    return got


def payoffs(name: str, seed: int) -> dict[str, float]:
    """The payoffs of the game that `play` plays, by the tree."""
    rng = np.random.default_rng(seed)
    game = Game(name, seed=(seed, 0, 0), **SHORT[name])
    game.settle()
    while game.node != "over":
        game.apply(int(rng.choice(game.legal_actions())))
        game.settle()
    return {f"player_{seat}": payoff for seat, payoff in enumerate(game.returns())}


STACKS: dict[str, Callable[[Env], Env]] = {
    "order enforcing": wrappers.OrderEnforcingWrapper,
    "assert out of bounds": wrappers.AssertOutOfBoundsWrapper,
    "terminate illegal": lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
    "all three": lambda env: wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(env, illegal_reward=-1))
    ),
    "mask in info": MaskInInfo,
}


@every_game
@pytest.mark.parametrize("stack", STACKS)
def test_wrapped_games_pay_what_they_pay(name: str, stack: str) -> None:
    env = STACKS[stack](table(name))
    for seed in range(3):
        assert play(env, seed) == pytest.approx(payoffs(name, seed))


@every_game
@pytest.mark.parametrize("stack", STACKS)
def test_wrapped_games_pass_the_api_test(name: str, stack: str) -> None:
    api_test(STACKS[stack](table(name)), num_cycles=60)


def test_the_wrappers_do_what_they_are_for() -> None:
    env = STACKS["all three"](table("gacha_v0"))
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(1000)
    agent = env.agent_selection
    env.step(0)  # a card, though a follow type is asked for
    assert env.rewards[agent] == -1
    assert all(env.terminations.values())


def test_several_episodes_in_one() -> None:
    env = wrappers.MultiEpisodeEnv(table("gacha_v0"), num_episodes=3)
    play(env, seed=2)
    with pytest.raises(GameOverError):
        env.unwrapped.step(0)


@every_game
def test_as_a_turn_based_parallel_environment(name: str) -> None:
    env: ParallelEnv[str, Any, int | None] = turn_based_aec_to_parallel(table(name))
    rng = np.random.default_rng(4)
    observations, infos = env.reset(seed=4)
    got = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        assert set(observations) == set(infos) == set(env.agents)
        masks = {agent: mask_of(observations[agent], infos[agent]) for agent in env.agents}
        (acting,) = (agent for agent in env.agents if masks[agent].any())
        actions: dict[str, int | None] = dict.fromkeys(env.agents, None)
        actions[acting] = int(rng.choice(np.flatnonzero(masks[acting])))
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for agent, reward in rewards.items():
            got[agent] += reward
        if all(terminations[a] or truncations[a] for a in terminations):
            break
    assert got == pytest.approx(payoffs(name, 4))


@every_game
def test_the_turn_based_parallel_environment_passes_the_parallel_api_test(name: str) -> None:
    parallel_api_test(turn_based_aec_to_parallel(table(name)), num_cycles=300)


@every_game
def test_only_the_acting_agents_action_counts_in_parallel(name: str) -> None:
    """What idle agents send is not even looked at; the acting one must send a legal action."""
    inner: Any = table(name)
    quiet, noisy = turn_based_aec_to_parallel(inner), turn_based_aec_to_parallel(table(name))
    quiet.reset(seed=8)
    noisy.reset(seed=8)
    rng = np.random.default_rng(8)
    for _ in range(12):
        acting = inner.agent_selection
        legal = np.flatnonzero(inner.observe(acting)["action_mask"])
        action = int(rng.choice(legal))
        seen, *rest = quiet.step({acting: action})
        seen_too, *rest_too = noisy.step({**dict.fromkeys(noisy.agents, -1), acting: action})
        np.testing.assert_equal((seen, *rest), (seen_too, *rest_too))
    with pytest.raises(ActionRangeError):
        noisy.step(dict.fromkeys(noisy.agents, -1))


# ==================================================================== SuperSuit


def supersuit_stacks(supersuit: Any) -> dict[str, Callable[[Env], Env]]:
    """The wrappers of SuperSuit that masked games can bear."""
    return {
        "clip_reward": supersuit.clip_reward_v0,
        "nan_random": supersuit.nan_random_v0,
        "pad_action_space": supersuit.pad_action_space_v0,
        "dtype": lambda env: supersuit.dtype_v0(MaskInInfo(env), np.float32),
        "frame_stack": lambda env: supersuit.frame_stack_v2(MaskInInfo(env), 3),
        "normalize_obs": lambda env: supersuit.normalize_obs_v0(
            supersuit.dtype_v0(MaskInInfo(env), np.float32), env_min=0, env_max=1
        ),
        "pad_observations": lambda env: supersuit.pad_observations_v0(MaskInInfo(env)),
    }


@every_game
def test_supersuit_where_it_can(name: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    for stack in supersuit_stacks(supersuit).values():
        env = stack(table(name))
        assert play(env, seed=5) == pytest.approx(payoffs(name, 5))
        env.reset(seed=6)
        agent = env.agent_selection
        assert env.observation_space(agent).contains(env.observe(agent))
