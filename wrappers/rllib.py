"""Masked PPO for RLlib on the unchanged PettingZoo environments.

RLlib's own `PettingZooEnv` takes a table as it is, and gives each agent its rewards of the others'
turns. What RLlib lacks is a network that reads `{"observation", "action_mask"}`: this one, for
PPO's `rl_module`. Leave `disable_env_checking=True` on: RLlib's check plays illegal actions.
"""

from typing import Any

import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.utils.torch_utils import FLOAT_MIN

from tefuda.envs import make

Batch = dict[str, Any]


def make_env(config: dict[str, Any]) -> PettingZooEnv:
    """One table for RLlib, such as `register_env("tefuda", make_env)`.

    Args:
        config: The `env_config`: `game`, and the keywords of `tefuda.envs.make`.

    Raises:
        OptionError: The game or an option is not allowed.
        ComponentError: The component file is wrong.
    """
    return PettingZooEnv(make(**config))


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """RLlib's default network for PPO, which sees the observation and plays legal actions alone.

    Observations of any encoder are flattened; `model_config` is that of the default network.
    """

    def __init__(self, *args: Any, observation_space: spaces.Dict, **kwargs: Any) -> None:
        flat = spaces.flatten_space(observation_space["observation"])
        super().__init__(*args, observation_space=flat, **kwargs)

    def _forward(self, batch: Batch, **kwargs: Any) -> Batch:
        return _masked(super()._forward(_seen(batch), **kwargs), batch)

    def _forward_train(self, batch: Batch, **kwargs: Any) -> Batch:
        return _masked(super()._forward_train(_seen(batch), **kwargs), batch)

    def compute_values(self, batch: Batch, embeddings: Any | None = None) -> Any:
        """The values (M,) of what the seats see."""
        return super().compute_values(_seen(batch), embeddings)


def _seen(batch: Batch) -> Batch:
    """The batch with flat observations (M, D) in the place of observation and mask."""
    observation = batch[Columns.OBS]["observation"]
    pieces = observation.values() if isinstance(observation, dict) else [observation]
    flat = torch.cat([piece.flatten(1) for piece in pieces], dim=1).float()
    return {**batch, Columns.OBS: flat}


def _masked(output: Batch, batch: Batch) -> Batch:
    """The output with logits (M, A) that leave out the illegal actions."""
    illegal = batch[Columns.OBS]["action_mask"] == 0
    logits = output[Columns.ACTION_DIST_INPUTS].masked_fill(illegal, FLOAT_MIN)
    return {**output, Columns.ACTION_DIST_INPUTS: logits}
