"""Self-play with sb3-contrib's MaskablePPO in which every seat's decisions are learnt from.

A column of the rollout is a table, and its rows belong to whichever seat acted. So only one thing
differs from ordinary PPO: what follows a decision is not the next row but the same seat's next
decision, and what it earned is all that was paid to that seat until then, in others' turns too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from tefuda.training.league import League
from tefuda.training.learner_env import LearnerEnv
from tefuda.training.network import TablePolicy
from tefuda.wrappers.sb3 import Observations, TablesVecEnv

Floats = npt.NDArray[np.float32]

#: Values (M,) of observations (M, ...).
ValueFunction = Callable[[Observations], Floats]


def seat_advantages(
    seats: npt.NDArray[np.int64],
    payments: Floats,
    ended: npt.NDArray[np.bool_],
    values: Floats,
    last_values: Floats,
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Generalised advantage estimation along each seat's own sequence of decisions.

    Walks back through time and keeps for each table and seat the value and advantage of its next
    decision, and what it has been paid since. The discount counts a seat's own decisions.

    Args:
        seats: (T, N) who made each decision.
        payments: (T, N, P) what it paid to every seat.
        ended: (T, N) whether it ended the game.
        values: (T, N) the value that the acting seat expected.
        last_values: (N, P) what every seat expects after the last step, where a game goes on.
        gamma: Discount from a seat's decision to its next.
        gae_lambda: The lambda of the estimation.

    Returns:
        (T, N) advantages.
    """
    tables = np.arange(seats.shape[1])
    advantages = np.zeros_like(values)
    next_value = last_values.copy()
    next_advantage = np.zeros_like(last_values)
    income = np.zeros_like(last_values)
    for step in reversed(range(len(seats))):
        over = ended[step]
        next_value[over] = next_advantage[over] = income[over] = 0
        income += payments[step]
        own = tables, seats[step]
        error = income[own] + gamma * next_value[own] - values[step]
        advantages[step] = error + gamma * gae_lambda * next_advantage[own]
        next_value[own] = values[step]
        next_advantage[own] = advantages[step]
        income[own] = 0
    return advantages


class SeatRollout(RolloutBuffer):
    """A rollout that also knows who acted, what every seat was paid, and where games ended.

    It stands before one of sb3-contrib's buffers among the bases of a class.

    Attributes:
        seats: (T, N) who acted.
        payments: (T, N, P) what the step paid to every seat.
        ended: (T, N) whether it ended a game.
    """

    seats: npt.NDArray[np.int64]
    payments: Floats
    ended: npt.NDArray[np.bool_]

    def watch(self, env: TablesVecEnv, value_of: ValueFunction, scale: float) -> None:
        """Tells before a rollout whose steps will be added, and how seats judge a position.

        Args:
            env: The tables.
            value_of: The critic.
            scale: What payments are multiplied by.
        """
        self._env = env
        self._scale = scale
        self._value_of = value_of
        steps = (self.buffer_size, self.n_envs)
        self.seats = np.zeros(steps, np.int64)
        self.payments = np.zeros((*steps, env.tables.players), np.float32)
        self.ended = np.zeros(steps, np.bool_)

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Adds the step that the watched env has just made."""
        self.seats[self.pos] = self._env.acted
        self.payments[self.pos] = self._scale * self._env.payments
        self.ended[self.pos] = self._env.ended
        super().add(*args, **kwargs)

    def compute_returns_and_advantage(
        self, last_values: torch.Tensor, dones: npt.NDArray[np.bool_]
    ) -> None:
        """Fills `advantages` and `returns` once the rollout is full.

        Args:
            last_values: Not used; it tells of the acting seats alone.
            dones: Not used; `ended` says the same.
        """
        standing = self._value_of(self._env.observe_all())
        self.advantages = seat_advantages(
            self.seats,
            self.payments,
            self.ended,
            self.values,
            standing.reshape(self.payments.shape[1:]),
            self.gamma,
            self.gae_lambda,
        )
        self.returns = self.advantages + self.values


class SelfPlayBuffer(SeatRollout, MaskableRolloutBuffer):
    """The rollout of observations that are one array."""


class SelfPlayDictBuffer(SeatRollout, MaskableDictRolloutBuffer):
    """The rollout of observations that come in pieces."""


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO on a `TablesVecEnv`, one policy in every seat.

    Attributes:
        game: The versioned name of the game that it learns; kept with the model.
        encoder: The name of the encoder that writes its observations; kept with the model.
        reward_scale: What rewards are multiplied by.
        critic_first: Up to so many decisions the critic learns alone. An actor that has had
            lessons would forget them while it learns from a critic that knows nothing yet.
        entropy_schedule: The weight of the entropy bonus by what is left of training, 1 .. 0;
            None leaves it as it is.
    """

    game: str = ""
    encoder: str = ""
    reward_scale: float = 1.0
    critic_first: int = 0
    entropy_schedule: Callable[[float], float] | None = None

    def _setup_model(self) -> None:
        pieces = isinstance(self.observation_space, spaces.Dict)
        self.rollout_buffer_class = SelfPlayDictBuffer if pieces else SelfPlayBuffer
        super()._setup_model()
        if isinstance(self.env, TablesVecEnv):
            engine = self.env.tables.engine
            self.game, self.encoder = engine.spec.id, engine.encoder

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays a rollout; see `MaskablePPO`."""
        assert isinstance(env, TablesVecEnv)
        assert isinstance(rollout_buffer, SeatRollout)
        rollout_buffer.watch(env, self.value_of, self.reward_scale)
        if isinstance(env, LearnerEnv) and isinstance(env.seating, League):
            assert isinstance(self.policy, TablePolicy)
            env.seating.watch(self.policy, self.num_timesteps)
        return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps, use_masking)

    def train(self) -> None:
        """Learns from the rollout; see `MaskablePPO`."""
        critic = {*self.policy.value_net.parameters()}
        critic |= {*self.policy.mlp_extractor.value_net.parameters()}
        waits = self.num_timesteps <= self.critic_first
        for parameter in self.policy.parameters():
            parameter.requires_grad = parameter in critic or not waits
        if self.entropy_schedule is not None:
            self.ent_coef = self.entropy_schedule(self._current_progress_remaining)
        super().train()

    def value_of(self, observations: Observations) -> Floats:
        """The values (M,) of observations (M, ...)."""
        with torch.no_grad():
            values = self.policy.predict_values(self.policy.obs_to_tensor(observations)[0])
        flat: Floats = values.flatten().cpu().numpy()
        return flat

    def probabilities_of(self, observations: Observations, masks: npt.NDArray[np.int8]) -> Floats:
        """The probabilities (M, A) of actions, 0 where masks (M, A) are 0."""
        assert isinstance(self.policy, TablePolicy)
        with torch.no_grad():
            found = self.policy.distribution_of(observations, masks)
        probabilities: Floats = found.probabilities.cpu().numpy()
        return probabilities
