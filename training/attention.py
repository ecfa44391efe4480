"""A small attention model for observations that are tokens, rows of categorical fields."""

import math
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

#: The observation of an encoder of tokens has so many dimensions: tokens and fields.
_TOKEN_DIMENSIONS = 2

# The entry of the table of embeddings that is always 0.
_NOTHING = 0


def has_tokens(space: spaces.Space[Any]) -> bool:
    """Whether a space is that of tokens (L, F)."""
    return isinstance(space, spaces.Box) and len(space.shape) == _TOKEN_DIMENSIONS


class TokenFeatures(BaseFeaturesExtractor):
    """Embeds tokens, lets them attend to each other, and reads a few vectors off them.

    A token is the sum of the embeddings of its fields. What a field means differs from section to
    section, which the largest values of its tokens tell apart: each has embeddings of its own. A
    token that is all 0 is padding, to which nothing attends.

    Args:
        observation_space: Box (L, F) of L tokens with F fields, 0 .. `high`.
        width: Units of a token.
        heads: Heads of attention.
        readers: How many vectors are read off the tokens.
    """

    offsets: torch.Tensor

    def __init__(
        self, observation_space: spaces.Box, width: int = 48, heads: int = 4, readers: int = 4
    ) -> None:
        super().__init__(observation_space, readers * width)
        offsets, entries = _place_fields(observation_space.high.astype(np.int64))
        self.register_buffer("offsets", torch.as_tensor(offsets), persistent=False)
        self.embeddings = nn.EmbeddingBag(entries, width, mode="sum", padding_idx=_NOTHING)
        with torch.no_grad():
            self.embeddings.weight /= math.sqrt(offsets.shape[1])
        self.layer = nn.TransformerEncoderLayer(
            width, heads, 2 * width, dropout=0.0, batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(width)
        self.readers = nn.Parameter(torch.randn(readers, width))
        self.read = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, L, F) tokens to (B, D) features."""
        values = observations.long()
        padding = (values == 0).all(dim=2)
        entries = torch.where(values == 0, _NOTHING, values + self.offsets)
        tokens = self.embeddings(entries.flatten(end_dim=1)).unflatten(0, padding.shape)
        tokens = self.norm(self.layer(tokens, src_key_padding_mask=padding))
        readers = self.readers.expand(len(values), -1, -1)
        found, _ = self.read(readers, tokens, tokens, key_padding_mask=padding, need_weights=False)
        features: torch.Tensor = found.flatten(start_dim=1)
        return features


def _place_fields(highs: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
    """Where the embeddings of each field lie in one table.

    Args:
        highs: (L, F) the largest values.

    Returns:
        (L, F) what is added to a value from 1 on, and the length of the table.
    """
    kinds, kind_of = np.unique(highs, axis=0, return_inverse=True)
    ends = np.cumsum(kinds).reshape(kinds.shape)
    return (ends - kinds)[kind_of.reshape(-1)], int(ends[-1, -1]) + 1
