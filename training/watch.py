"""What goes on beside learning: progress, evaluations on the way, Ctrl-C."""

import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from tefuda.training.evaluate import Evaluation
from tefuda.training.runs import CurvePoint, RunFolder
from tefuda.wrappers.sb3 import TablesVecEnv

#: Plays the model against each baseline.
Check = Callable[[], Sequence[Evaluation]]

_BAR_WIDTH = 12


@contextmanager
def interruptible() -> Generator[threading.Event, None, None]:
    """Within, Ctrl-C sets the event that is given; a second Ctrl-C interrupts as usual."""
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def make_progress() -> Progress:
    """The progress bar of a training run."""
    return Progress(
        BarColumn(bar_width=_BAR_WIDTH),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(compact=True),
        TextColumn("left  {task.fields[standing]}"),
    )


class Watch(BaseCallback):
    """Shows how training goes, evaluates and saves on the way, and stops when asked.

    Args:
        folder: Where model and learning curve are kept.
        progress: The progress bar.
        check: Evaluates the model.
        save: Saves the model.
        decisions: Decisions in all.
        checks: How many evaluations there are on the way, the first before any learning.
        stop: Set when training is to stop.

    Attributes:
        learnt: Decisions learnt from so far.
    """

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress,
        check: Check,
        save: Callable[[], None],
        decisions: int,
        checks: int,
        stop: threading.Event,
    ) -> None:
        super().__init__()
        points = folder.points()
        self.learnt = 0
        self._broken = False
        self._folder = folder
        self._progress = progress
        self._check = check
        self._save = save
        self._decisions = decisions
        self._interval = decisions / max(checks, 1)
        self._next_check = 0.0 if checks else float("inf")
        self._stop = stop
        self._seconds_before = float(points[-1]["seconds"]) if points else 0.0
        self._games_before = int(points[-1]["games"]) if points else 0
        self._payoffs = ""

    @property
    def seconds(self) -> float:
        """Seconds of training so far, those before a resumption included."""
        return self._seconds_before + time.perf_counter() - self._began

    @property
    def games(self) -> int:
        """Games that have ended so far."""
        assert isinstance(self.training_env, TablesVecEnv)
        return self._games_before + self.training_env.games

    def _on_training_start(self) -> None:
        self._began = time.perf_counter()
        self._first = self.learnt = self.num_timesteps
        self._task = self._progress.add_task(
            "learning", total=self._decisions, completed=self.learnt, standing=""
        )
        # A resumed run has been evaluated up to here.
        while self._next_check <= self._first and self._first:
            self._next_check += self._interval

    def _on_step(self) -> bool:
        self._broken = self._stop.is_set()
        return not self._broken

    def _on_rollout_start(self) -> None:
        """The rollout before has been learnt from by now."""
        self.learnt = self.num_timesteps
        if self.learnt >= self._next_check:
            self._next_check += self._interval
            self.evaluate(self._check())
            self._save()
        self._show()

    def _on_training_end(self) -> None:
        # A rollout that was broken off is not learnt from.
        if not self._broken:
            self.learnt = self.num_timesteps
        self._show()

    def evaluate(self, results: Sequence[Evaluation]) -> None:
        """Notes how the policy fares now."""
        self._folder.add_point(CurvePoint(self.learnt, self.seconds, self.games, results))
        for result in results:
            self.logger.record(f"payoff/{result.opponents}", result.mean)
            self.logger.record(f"wins/{result.opponents}", result.wins)
        self._payoffs = "  ".join(f"{r.opponents} {r.mean:+.2f}" for r in results)
        intervals = "  ".join(f"{r.opponents} {r.mean:+.3f} ±{r.half_width:.3f}" for r in results)
        self._progress.console.print(f"{self.learnt:>12,} decisions  mean payoff: {intervals}")

    def _show(self) -> None:
        rate = (self.learnt - self._first) / max(time.perf_counter() - self._began, 1e-9)
        standing = f"{rate:,.0f} decisions/s  {self.games:,} games  {self._payoffs}"
        self._progress.update(self._task, completed=self.learnt, standing=standing)
