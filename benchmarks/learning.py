"""Decisions per CPU second of the whole training loop, and where its time goes.

Use: python benchmarks/learning.py [--quick] [--games gacha_v0 ...] [--results FOLDER]

Beside ours stands the usual way: MaskablePPO of sb3-contrib over SB3's DummyVecEnv, each of its
environments a learner's seat on an AEC environment whose other seats play at random. Both have the
same encoder, network, batches and passes, and as many tables. Counted are the learner's decisions
in which it has a choice; ours does not ask about the others.
"""

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial, wraps
from typing import Any
from unittest.mock import patch

import command
import gymnasium
import numpy as np
from contenders import SEED
from measure import Case, Contender, Effort, measure
from peer import pick
from results import Results
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from tefuda.envs import make
from tefuda.training.agents.scripted import GreedyAgent
from tefuda.training.config import TrainConfig
from tefuda.training.league import Snapshot
from tefuda.training.model import choose_encoder, make_model

# Decisions at a table in a rollout of a quick run, which is too short for true shares.
_QUICK_STEPS = 4

#: What collects a rollout beside the network: the methods of the environment that are called.
_COLLECTING = ("reset", "step_async", "step_wait", "env_method", "observe_all")

_OPPONENTS = (GreedyAgent, Snapshot)


def _effort(quick: bool) -> Effort:
    return Effort(rounds=1, seconds=0.01) if quick else Effort(rounds=5, seconds=0.01)


def _config(game: str, quick: bool) -> TrainConfig:
    config = TrainConfig.for_game(game, seed=SEED)
    return replace(config, steps=_QUICK_STEPS) if quick else config


def measure_game(game: str, quick: bool) -> Results:
    """Measures both ways of learning a game, and where the time of ours goes."""
    config = _config(game, quick)
    model = make_model(config)
    rivals = [
        Contender(Case("ours"), partial(_learn, model, config.rollout)),
        Contender(Case("usual"), usual(config, model)),
    ]
    own, others = measure(rivals, _effort(quick))
    return {
        "encoder": choose_encoder(config),
        "decisions_a_rollout": config.rollout,
        "rates": {"ours": list(map(round, own)), "usual": list(map(round, others))},
        "shares": shares(model, config.rollout),
    }


def _learn(model: MaskablePPO, decisions: int) -> int:
    """Collects a rollout and learns from it."""
    model.learn(decisions, reset_num_timesteps=False)
    return decisions


# ==================================================================== the usual way


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


def usual(config: TrainConfig, ours: MaskablePPO) -> Callable[[], int]:
    """What learns in the usual way, rollout by rollout, with settings and network of ours."""
    encoder = choose_encoder(config)
    seats = [SeatOnAec(make(config.game, encoder=encoder)) for _ in range(config.tables)]
    model = _usual_model(config, ours, DummyVecEnv([partial(_itself, seat) for seat in seats]))

    def run() -> int:
        before = sum(seat.choices for seat in seats)
        _learn(model, config.rollout)
        return sum(seat.choices for seat in seats) - before

    return run


def _itself(seat: SeatOnAec) -> SeatOnAec:
    return seat


def _usual_model(config: TrainConfig, ours: MaskablePPO, env: DummyVecEnv) -> MaskablePPO:
    return MaskablePPO(
        type(ours.policy),
        env,
        learning_rate=config.learning_rate,
        n_steps=config.steps,
        batch_size=config.batch,
        n_epochs=config.epochs,
        policy_kwargs=ours.policy_kwargs,
        seed=SEED,
        device="cpu",
    )


# ==================================================================== where time goes


class Stopwatch:
    """CPU seconds spent in some functions; what they call of each other is not counted twice.

    Attributes:
        spent: The seconds so far.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        self._depth = 0

    @contextmanager
    def _running(self) -> Generator[None]:
        begun = time.process_time()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.spent += time.process_time() - begun

    def watch(self, kind: type, name: str) -> Any:
        """A patch of a class under which a method is timed."""
        method = getattr(kind, name)

        @wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self._running():
                return method(*args, **kwargs)

        return patch.object(kind, name, timed)


def shares(model: MaskablePPO, decisions: int) -> dict[str, float]:
    """The shares of training time that go to the environment and to the learner's opponents.

    "environment" is all that collects a rollout beside the networks: steps, masks, observations.
    """
    collecting, playing = Stopwatch(), Stopwatch()
    with ExitStack() as watches:
        for name in _COLLECTING:
            watches.enter_context(collecting.watch(type(model.get_env()), name))
        for kind in _OPPONENTS:
            watches.enter_context(playing.watch(kind, "act"))
        begun = time.process_time()
        _learn(model, decisions)
        total = time.process_time() - begun
    environment = (collecting.spent - playing.spent) / total
    opponents = playing.spent / total
    return {
        "environment": round(environment, 4),
        "opponents": round(opponents, 4),
        "network": round(1 - environment - opponents, 4),
    }


if __name__ == "__main__":
    command.run(
        command.Script(
            name="learning",
            purpose="Measures decisions per CPU second of the whole training loop.",
            settings=lambda quick: asdict(_effort(quick)),
            measure=measure_game,
        )
    )
