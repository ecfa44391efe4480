"""A batch of tables as a Stable-Baselines3 `VecEnv`, for masked algorithms and self-play.

A column of the `VecEnv` is a table: its observation and mask are those of whichever seat acts.
Masks are where sb3-contrib looks for them, in `env_method("action_masks")`.

The reward of a step is what it paid to the seat that acted. That is not all a seat earns: games
pay seats in the others' turns too. An algorithm that learns from every seat reads `acted`,
`payments` and `ended`, as `tefuda.training.ppo` does.

A game that is cut short pays by its standing, so that it is an end like any other: `infos` are
empty, and nothing is bootstrapped from a game that is over.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.spaces import observation_space


class TablesVecEnv(VecEnv):
    """Tables whose every seat is played by the algorithm.

    With N tables and P seats, all arrays are fresh after each step, since algorithms keep them.

    Args:
        tables: The tables, with autoreset; they belong to this object from now on.

    Attributes:
        tables: The tables.
        acted: (N,) who made the latest decision.
        payments: (N, P) float32, what the latest step paid to every seat.
        ended: (N,) bool, whether it ended a game; the table then shows the next one.
        games: How many games have ended.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.acted = tables.seat.copy()
        self.payments = np.zeros((tables.tables, tables.players), np.float32)
        self.ended = np.zeros(tables.tables, np.bool_)
        self.games = 0
        self._actions: npt.NDArray[np.int64] = np.zeros(tables.tables, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(tables.tables)]
        super().__init__(
            tables.tables, observation_space(tables.engine), spaces.Discrete(tables.actions)
        )

    def reset(self) -> npt.NDArray[np.int8]:
        """Begins a new game at every table, with the first seed given to `seed` if there is one.

        Returns:
            (N, D) the observations of the acting seats.
        """
        self.tables.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.tables.observation.copy()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Takes note of the actions (N,)."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the noted actions.

        Returns:
            Observations (N, D) of the seats that act next, rewards (N,) of those that acted,
            whether a game ended (N,), and N empty infos.
        """
        tables = self.tables
        self.acted = tables.seat.copy()
        tables.step(self._actions)
        self.payments = tables.reward.copy()
        self.ended = tables.done.copy()
        self.games += int(self.ended.sum())
        rewards = np.take_along_axis(self.payments, self.acted[:, None], axis=1)[:, 0]
        return tables.observation.copy(), rewards, self.ended, self._infos

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(N, A) the acting seats' legal actions, 1 or 0."""
        return self.tables.action_mask.copy()

    def observe_all(self) -> npt.NDArray[np.int8]:
        """(N, P, D) what every seat sees now."""
        return self.tables.observe_all()

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """The result of a method for each table; the tables have one method, `action_masks`."""
        if method_name != "action_masks":
            raise AttributeError(f"a table has no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return [masks[table] for table in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this object, once for each table."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: tables have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} cannot be set: tables have no attributes of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """False for each table: nothing wraps it."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """No table draws itself."""
        return [None for _ in range(self.num_envs)]

    def close(self) -> None:
        """Does nothing: there is nothing to free."""
