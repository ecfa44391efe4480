"""The usual way to learn a game with several seats, as tutorials write it.

MaskablePPO of sb3-contrib runs over SB3's DummyVecEnv. Each of its environments is a learner's seat
on an AEC environment whose other seats play at random. Encoder, network, batches and passes are
those of ours, and there are as many tables.
"""

from functools import partial
from typing import Any

import gymnasium
import numpy as np
from contenders import SEED
from peer import pick
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from tefuda.envs import make
from tefuda.training.config import TrainConfig
from tefuda.training.model import choose_encoder


class SeatOnAec(gymnasium.Env[Any, np.int64]):
    """A learner's seat on an AEC environment, as tutorials write it; the others play at random.

    Args:
        env: The AEC environment.

    Attributes:
        choices: How many of the learner's decisions there have been with more than one action.
    """

    def __init__(self, env: Any) -> None:
        self.choices = 0
        self._env = env
        self._learner = env.possible_agents[0]
        self.observation_space = env.observation_space(self._learner)["observation"]
        self.action_space = env.action_space(self._learner)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins a game and plays up to the learner's first decision."""
        super().reset(seed=seed)
        self._env.reset(seed=seed)
        observation, _, _ = self._play_others()
        return observation, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action, and the others' up to its next decision or the end."""
        self.choices += int(self._mask.sum() > 1)
        self._env.step(int(action))
        observation, terminated, truncated = self._play_others()
        reward = float(self._env.rewards[self._learner]) if terminated or truncated else 0.0
        return observation, reward, terminated, truncated, {}

    def _play_others(self) -> tuple[Any, bool, bool]:
        while True:
            agent = self._env.agent_selection
            seen, _, terminated, truncated, _ = self._env.last()
            if terminated or truncated:
                return self._env.observe(self._learner)["observation"], terminated, truncated
            self._mask = seen["action_mask"]
            if agent == self._learner:
                return seen["observation"], False, False
            self._env.step(pick(np.flatnonzero(self._mask).tolist()))

    def action_masks(self) -> Any:
        """(A,) the learner's legal actions."""
        return self._mask


def make_usual(config: TrainConfig, ours: MaskablePPO) -> tuple[MaskablePPO, list[SeatOnAec]]:
    """What learns in the usual way, with settings and network of ours; and its seats."""
    encoder = choose_encoder(config)
    seats = [SeatOnAec(make(config.game, encoder=encoder)) for _ in range(config.tables)]
    model = MaskablePPO(
        type(ours.policy),
        DummyVecEnv([partial(_itself, seat) for seat in seats]),
        learning_rate=config.learning_rate,
        n_steps=config.steps,
        batch_size=config.batch,
        n_epochs=config.epochs,
        policy_kwargs=ours.policy_kwargs,
        seed=SEED,
        device="cpu",
    )
    return model, seats


def _itself(seat: SeatOnAec) -> SeatOnAec:
    return seat
