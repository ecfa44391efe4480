"""The Gymnasium space of an observation, shared by all adapters."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tefuda.envs.core.engine import Engine


def observation_space(engine: Engine) -> spaces.Box | spaces.Dict:
    """The space of what a seat sees: a Box, or a Dict of Boxes where the encoder has pieces."""
    high = engine.show(engine.highs().reshape(-1))
    if isinstance(high, dict):
        return spaces.Dict({name: _box(piece) for name, piece in high.items()})
    return _box(high)


def _box(high: npt.NDArray[Any]) -> spaces.Box:
    return spaces.Box(np.zeros_like(high), high, dtype=np.int8)
