"""A Q-network a seat learns gacha in Tianshou: masked games are collected, then learnt from."""

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from tefuda.envs import make

PLAYERS, TABLES, EPISODES, UPDATES = 3, 2, 4, 10


def make_table() -> PettingZooEnv:
    """A table as Tianshou wants it."""
    return PettingZooEnv(make("gacha_v0", players=PLAYERS, scoring="vp", rounds=1))


def make_learner(table: PettingZooEnv) -> DQN:
    """A Q-network with its exploring policy; it is shown the mask in the observation."""
    values = table.observation_space["observation"].shape
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=values, action_shape=table.action_space.n, hidden_sizes=(64,)),
        action_space=table.action_space,
        observation_space=table.observation_space,
        eps_training=0.3,
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=10)


def main() -> None:
    """Collects games and learns from them."""
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - what Tianshou explores with
    table = make_table()
    seats = [make_learner(table) for _ in range(PLAYERS)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=table)
    tables = DummyVectorEnv([make_table] * TABLES)
    tables.seed(0)
    buffer = VectorReplayBuffer(10_000, TABLES)
    collector = Collector(algorithm.policy, tables, buffer, exploration_noise=True)
    with policy_within_training_step(algorithm.policy):
        collected = collector.collect(n_episode=EPISODES, reset_before_collect=True)
        print(f"{collected.n_collected_steps} decisions, payoffs {collected.returns.tolist()}")
        for _ in range(UPDATES):
            losses = algorithm.update(buffer=buffer, sample_size=64).get_loss_stats_dict()
    print({name: round(loss, 4) for name, loss in losses.items()})


if __name__ == "__main__":
    main()
