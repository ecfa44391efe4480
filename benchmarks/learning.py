"""Decisions per CPU second of the whole training loop, and where its time goes.

Use: python benchmarks/learning.py [--quick] [--games gacha_v0 ...] [--results FOLDER]

Beside ours stands the usual way (see `usual`). Counted are the learner's decisions in which it has
a choice; ours does not ask about the others.
"""

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial, wraps
from typing import Any
from unittest.mock import patch

import command
from contenders import SEED
from measure import Case, Contender, Effort, measure
from results import Results
from sb3_contrib import MaskablePPO
from usual import make_usual

from tefuda.training.config import TrainConfig
from tefuda.training.model import choose_encoder, make_model

# Decisions at a table in a rollout of a quick run, which is too short for true shares.
_QUICK_STEPS = 4

#: The plain observation, without a scripted player's advice.
_PLAIN = "flat"

#: What collects a rollout beside the network: the methods of the environment that are called.
_COLLECTING = ("reset", "step_async", "step_wait", "env_method", "observe_all")


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
        "plain_shares": shares(_plain_model(config), config.rollout),
    }


def _plain_model(config: TrainConfig) -> MaskablePPO:
    """A model that plays every seat itself and sees the plain observation."""
    return make_model(replace(config, encoder=_PLAIN, scripted=0.0, snapshots=0.0, lessons=0.0))


def _learn(model: MaskablePPO, decisions: int) -> int:
    """Collects a rollout and learns from it."""
    model.learn(decisions, reset_num_timesteps=False)
    return decisions


def usual(config: TrainConfig, ours: MaskablePPO) -> Callable[[], int]:
    """What learns in the usual way, rollout by rollout, with settings and network of ours."""
    model, seats = make_usual(config, ours)

    def run() -> int:
        before = sum(seat.choices for seat in seats)
        _learn(model, config.rollout)
        return sum(seat.choices for seat in seats) - before

    return run


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
    """The shares of training time that go to the environment and to the network.

    "environment" is all that collects a rollout beside the network: steps, masks, observations,
    and the turns of scripted opponents. The first rollout is not counted.
    """
    _learn(model, decisions)
    collecting = Stopwatch()
    with ExitStack() as watches:
        for name in _COLLECTING:
            watches.enter_context(collecting.watch(type(model.get_env()), name))
        begun = time.process_time()
        _learn(model, decisions)
        total = time.process_time() - begun
    environment = collecting.spent / total
    return {"environment": round(environment, 4), "network": round(1 - environment, 4)}


if __name__ == "__main__":
    command.run(
        command.Script(
            name="learning",
            purpose="Measures decisions per CPU second of the whole training loop.",
            settings=lambda quick: asdict(_effort(quick)),
            measure=measure_game,
        )
    )
