"""A masked policy, shared by all seats, plays gacha in TorchRL."""

import warnings

import torch
from tensordict.nn import InteractionType, TensorDictModule, TensorDictSequential
from tensordict.nn import ProbabilisticTensorDictModule as Probabilistic
from torch import nn
from torchrl.envs import MarlGroupMapType
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical

from tefuda.envs import make

GROUP = "agents"  # all seats, one behind the other


class Logits(nn.Sequential):
    """A score for each action, from what a seat sees."""

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """(..., D) int8 to (..., A)."""
        return super().forward(seen.float())


def main() -> None:
    """Plays a game and prints what each seat was paid."""
    torch.manual_seed(0)
    table = make("gacha_v0", players=3, scoring="vp", rounds=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchRL names the PettingZoo it was tested with
        env = PettingZooWrapper(
            table, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=1
        )
    check_env_specs(env)
    seen, mask = (GROUP, "observation", "observation"), (GROUP, "action_mask")
    logits, action = (GROUP, "logits"), (GROUP, "action")
    values, actions = table.engine.size, table.engine.actions
    net = Logits(nn.Linear(values, 64), nn.Tanh(), nn.Linear(64, actions))
    policy = TensorDictSequential(
        TensorDictModule(net, in_keys=[seen], out_keys=[logits]),
        Probabilistic(  # the mask of an idle seat is full here; its action is not played
            in_keys={"logits": logits, "mask": mask},
            out_keys=[action],
            distribution_class=MaskedCategorical,
            default_interaction_type=InteractionType.RANDOM,
        ),
    )
    rollout = env.rollout(1000, policy)
    rewards = rollout["next", GROUP, "reward"].sum(0).flatten()
    print(f"{len(rollout)} decisions, payoffs {[round(float(reward), 2) for reward in rewards]}")


if __name__ == "__main__":
    main()
