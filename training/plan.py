"""From minutes to decisions: a short measurement, so that a run's length is a number of its own.

What a run learns then depends on that number and not on the clock: with the same configuration,
seed and number it can be repeated.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from tefuda.training.check import check
from tefuda.training.config import TrainConfig
from tefuda.training.model import CHECKS, count_lessons, make_model, make_pupil, seed_for
from tefuda.training.ppo import SelfPlayPPO

#: How long each speed is measured, in seconds.
WARM_UP_SECONDS = 3.0

#: The largest share of a run's time that evaluations on the way may take.
CHECKING_SHARE = 0.1

#: Games against each baseline in which the speed of an evaluation is measured.
MEASURED_GAMES = 80


def plan_run(config: TrainConfig, seconds: float, *, lessons: bool) -> TrainConfig:
    """The run with its decisions, as many as can be learnt from in so many seconds.

    Where games are long, evaluations on the way get fewer games. The measurement, which counts,
    is made with a model that is then thrown away.

    Args:
        config: The run; its `decisions` do not matter.
        seconds: From now to the last decision.
        lessons: Whether the run begins with lessons.
    """
    began = time.perf_counter()
    model = make_model(config)
    lesson = 0.0  # seconds for a decision to imitate
    if lessons and count_lessons(replace(config, decisions=1_000_000)):
        pupil = make_pupil(config, model)
        lesson = _measure(lambda: pupil.study(0.0))
    decision = _measure(lambda: _learn_rollout(model, config))
    config, checking = _spread_checks(config, seconds, _check_speed(model, config))
    left = seconds - (time.perf_counter() - began) - config.checks * checking
    return replace(config, decisions=_round(config, _solve(config, left, decision, lesson)))


def _check_speed(model: SelfPlayPPO, config: TrainConfig) -> float:
    """Seconds for a game against each baseline."""
    games = min(config.check_games, MEASURED_GAMES)
    seed = seed_for(config, CHECKS)
    check(model, config, games, seed)
    return _timed(lambda: check(model, config, games, seed)) / games


def _spread_checks(config: TrainConfig, seconds: float, game: float) -> tuple[TrainConfig, float]:
    """The run with as many games in a check as time allows, and the seconds for a check."""
    most = CHECKING_SHARE * seconds / config.checks
    games = max(1, min(config.check_games, int(most / game)))
    return replace(config, check_games=games), games * game


def _learn_rollout(model: SelfPlayPPO, config: TrainConfig) -> int:
    model.learn(config.rollout, reset_num_timesteps=False)
    return config.rollout


def _solve(config: TrainConfig, seconds: float, decision: float, lesson: float) -> float:
    """Decisions D of self-play, with min(lessons x D, most_lessons) to imitate, in `seconds`."""
    if not lesson:
        return seconds / decision
    together = seconds / (decision + config.lessons * lesson)
    if config.lessons * together <= config.most_lessons:
        return together
    return (seconds - config.most_lessons * lesson) / decision


def _round(config: TrainConfig, decisions: float) -> int:
    return config.rollout * max(1, round(decisions / config.rollout))


def _measure(learn: Callable[[], int]) -> float:
    """Seconds for a decision, the first portion left out."""
    learn()
    began, learnt = time.perf_counter(), 0
    while time.perf_counter() - began < WARM_UP_SECONDS:
        learnt += learn()
    return (time.perf_counter() - began) / max(learnt, 1)


def _timed(thing: Callable[[], object]) -> float:
    began = time.perf_counter()
    thing()
    return time.perf_counter() - began
