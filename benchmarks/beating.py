"""How soon a learner of gacha beats the greedy player: ours, and the usual way.

Use: python benchmarks/beating.py [--quick] [--results FOLDER]

Each learns for ten minutes. Now and then the policy so far plays 2,000 games in one seat among
greedy players; it beats them once the 95 % interval of its payoff lies above 0. Ours is `tefuda
train gacha --minutes 10` as it comes; the usual way is told of in `usual`. Time is wall time, the
games in between included. The other games are not measured: greedy players think so long in them
that checks of this size would take more time than learning.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import command
from contenders import SEED
from results import Results
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from usual import make_usual

from tefuda.training import train
from tefuda.training.check import check
from tefuda.training.config import TrainConfig
from tefuda.training.evaluate import Evaluation
from tefuda.training.model import CHECKS, make_model, seed_for
from tefuda.training.ppo import SelfPlayPPO

_GAME = "gacha_v0"
_GREEDY = "greedy"
_MINUTE = 60

# A check's seconds, mean and interval.
_Point = dict[str, float]


def _settings(quick: bool) -> Results:
    if quick:
        return {"minutes": 0.2, "checks": 2, "check_games": 40, "final_games": 40}
    return {"minutes": 10, "checks": 20, "check_games": 2000, "final_games": 20000}


def measure_game(game: str, quick: bool) -> Results:
    """Lets both ways learn a game; nothing for games other than gacha."""
    if game != _GAME:
        return {}
    settings = _settings(quick)
    minutes = settings.pop("minutes")
    config = TrainConfig.for_game(game, seed=SEED, **settings)
    return {"ours": learn_our_way(config, minutes), "usual": learn_the_usual_way(config, minutes)}


def learn_our_way(config: TrainConfig, minutes: float) -> Results:
    """A run of `tefuda train`: its curve, and how it ended."""
    with TemporaryDirectory() as scratch:
        run = train.start(config, Path(scratch) / "run", minutes)
        rows = run.points()
    curve = [
        {
            "seconds": float(row["seconds"]),
            **{key: float(row[f"{_GREEDY}_{key}"]) for key in ("mean", "low", "high")},
        }
        for row in rows
    ]
    # The last row is the final evaluation, after the end of learning.
    return {"decisions": int(rows[-1]["decisions"]), "curve": curve[:-1], "final": curve[-1]}


def learn_the_usual_way(config: TrainConfig, minutes: float) -> Results:
    """As long a run of the usual way."""
    shell = make_model(config)
    model, seats = make_usual(config, shell)
    checks = Checks(config, shell, minutes * _MINUTE)
    model.learn(1 << 40, callback=checks)
    return {
        "decisions": sum(seat.choices for seat in seats),
        "curve": checks.curve,
        "final": checks.play(config.final_games),
    }


class Checks(BaseCallback):
    """Checks a learner now and then, and ends its run.

    Args:
        config: How often, and with how many games.
        shell: A model of ours that lends its shape: the learner's policy is put in to play.
        seconds: How long the run takes.

    Attributes:
        curve: The checks so far.
    """

    def __init__(self, config: TrainConfig, shell: SelfPlayPPO, seconds: float) -> None:
        super().__init__()
        self.curve: list[_Point] = []
        self._config = config
        self._shell = shell
        self._seconds = seconds
        self._begun = time.perf_counter()

    def _on_rollout_start(self) -> None:
        due = (len(self.curve) + 1) * self._seconds / self._config.checks
        if self._passed() >= due:
            self.curve.append(self.play(self._config.check_games))

    def _on_step(self) -> bool:
        return len(self.curve) < self._config.checks

    def _passed(self) -> float:
        return time.perf_counter() - self._begun

    def play(self, games: int) -> _Point:
        """How the policy so far does among greedy players."""
        assert isinstance(self.model, MaskablePPO)
        self._shell.policy.load_state_dict(self.model.policy.state_dict())
        results = check(self._shell, self._config, games, seed_for(self._config, CHECKS))
        (result,) = (found for found in results if found.opponents == _GREEDY)
        return {"seconds": round(self._passed(), 1), **_figures(result)}


def _figures(result: Evaluation) -> _Point:
    low, high = result.interval
    return {"mean": round(result.mean, 4), "low": round(low, 4), "high": round(high, 4)}


if __name__ == "__main__":
    command.run(
        command.Script(
            name="beating",
            purpose="Measures how soon a learner of gacha beats the greedy player.",
            settings=_settings,
            measure=measure_game,
        )
    )
