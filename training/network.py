"""What a policy network is fed with."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor


class ScaledFlatten(BaseFeaturesExtractor):
    """Flattens an observation and brings its entries to a like size.

    Entries are counts from 0 to the `high` of the space. Most counts stay far below their limit,
    and rare large ones should not drown the flags beside them: an entry is divided by the square
    root of its limit.
    """

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, int(np.prod(observation_space.shape)))
        highs = np.maximum(observation_space.high.reshape(-1).astype(np.float32), 1)
        self.register_buffer("scale", torch.as_tensor(1 / np.sqrt(highs)), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, ...) float observations to (B, D) features."""
        return observations.flatten(start_dim=1) * self.scale
