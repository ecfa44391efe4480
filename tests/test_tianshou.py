"""Tianshou on the unchanged environments: masked games of several learners, and a DQN update."""

import copy
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tianshou")

from tianshou.algorithm.modelfree.dqn import (  # noqa: E402 - only where Tianshou is
    DQN,
    DiscreteQLearningPolicy,
)
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm  # noqa: E402
from tianshou.algorithm.optim import AdamOptimizerFactory  # noqa: E402
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm  # noqa: E402
from tianshou.data import Collector, VectorReplayBuffer  # noqa: E402
from tianshou.env import DummyVectorEnv, PettingZooEnv  # noqa: E402
from tianshou.utils.net.common import Net  # noqa: E402
from tianshou.utils.torch_utils import policy_within_training_step  # noqa: E402

from tefuda.envs import make  # noqa: E402

#: Options for games of one round.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 1},
}
TABLES, EPISODES = 2, 4


def table(name: str) -> PettingZooEnv:
    raw: Any = make(name, **SHORT[name])  # Tianshou announces wrapped ones alone
    return PettingZooEnv(raw)


def learner(env: PettingZooEnv) -> DQN[Any]:
    policy = DiscreteQLearningPolicy(
        model=Net(
            state_shape=env.observation_space["observation"].shape,
            action_shape=env.action_space.n,
            hidden_sizes=(32,),
        ),
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=0.5,
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=2)


def collect(name: str, algorithms: list[Any]) -> tuple[Any, Any, Any]:
    """Plays some games; gives the learners, what they did, and what the collector tells."""
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=algorithms, env=table(name))
    tables = DummyVectorEnv([lambda: table(name)] * TABLES)
    tables.seed(3)
    buffer = VectorReplayBuffer(10_000, TABLES)
    collector = Collector(algorithm.policy, tables, buffer, exploration_noise=True)
    with policy_within_training_step(algorithm.policy):
        told = collector.collect(n_episode=EPISODES, reset_before_collect=True)
    return algorithm, buffer, told


@pytest.mark.parametrize("name", SHORT)
def test_collected_games_are_legal_and_pay_everybody(name: str) -> None:
    np.random.seed(0)  # noqa: NPY002 - what Tianshou draws from
    env = table(name)
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space) for _ in env.agents]
    _, buffer, told = collect(name, players)
    assert told.n_collected_episodes == EPISODES
    batch, _ = buffer.sample(0)
    assert batch.obs.mask[np.arange(len(batch)), batch.act].all()
    assert set(batch.obs.agent_id) == set(env.agents)
    # Each return is a game's payoffs: they sum to zero and are not all zero in all games.
    np.testing.assert_allclose(told.returns.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(batch.rew.sum(axis=0), told.returns.sum(axis=0), atol=1e-6)
    assert np.abs(told.returns).max() > 0


def test_networks_learn_from_masked_games() -> None:
    np.random.seed(1)  # noqa: NPY002 - likewise
    torch.manual_seed(1)
    learners = [learner(table("gacha_v0")) for _ in range(3)]
    before = [copy.deepcopy(one.policy.model.state_dict()) for one in learners]
    algorithm, buffer, _ = collect("gacha_v0", learners)
    batch, _ = buffer.sample(0)
    assert batch.obs.mask[np.arange(len(batch)), batch.act].all()
    with policy_within_training_step(algorithm.policy):
        losses = algorithm.update(buffer=buffer, sample_size=64).get_loss_stats_dict()
    assert set(losses) == {f"player_{seat}/loss" for seat in range(3)}
    assert np.isfinite(list(losses.values())).all()
    for one, old in zip(learners, before, strict=True):
        new = one.policy.model.state_dict()
        assert any(not torch.equal(new[key], old[key]) for key in old)
