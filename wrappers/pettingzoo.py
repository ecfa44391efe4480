"""PettingZoo environments for libraries that want plain arrays as observations.

The environments show `{"observation", "action_mask"}`, and the mask in `infos` too. SuperSuit's
wrappers of observations (`dtype_v0`, `frame_stack_v2`, `normalize_obs_v0` ...) and AgileRL take
arrays alone: `MaskInInfo` leaves the mask in `infos`.
"""

from typing import Any

from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper

from tefuda.envs.core.aec import TableEnv


class MaskInInfo(BaseWrapper[str, Any, int | None]):  # type: ignore[misc]  # untyped base
    """An environment whose observations are arrays, and whose masks stand in `infos` alone.

    Args:
        env: A table, wrapped or not.
    """

    env: TableEnv

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, the same object every time."""
        both = self.env.observation_space(agent)
        assert isinstance(both, spaces.Dict)
        return both["observation"]

    def observe(self, agent: str) -> Any:
        """What an agent may know, without the mask."""
        return self.env.observe(agent)["observation"]
