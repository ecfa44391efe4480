"""What goes on beside learning: progress, evaluations on the way, Ctrl-C."""

import os
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

#: The signals that end a run early, but in good order.
_STOPS = (signal.SIGINT, signal.SIGTERM)

_STDERR = 2
_BAR_WIDTH = 8
_KILO = 1000


@contextmanager
def interruptible(message: str) -> Generator[threading.Event, None, None]:
    """Within, Ctrl-C sets the event that is given; a second Ctrl-C interrupts as usual.

    Args:
        message: What the user is told then.
    """
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        # Not print(): it may be in the middle of a line right now, and must not be entered twice.
        os.write(_STDERR, f"\n{message}\n".encode())

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.signal(number, ask) for number in _STOPS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def make_progress() -> Progress:
    """The progress bar of a training run; with its figures it fits 80 columns."""
    return Progress(
        BarColumn(bar_width=_BAR_WIDTH),
        TextColumn("{task.percentage:.0f}%"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[standing]}"),
    )


class Watch(BaseCallback):
    """Shows how training goes, evaluates and saves on the way, and stops when asked.

    Args:
        folder: Where the learning curve is kept.
        progress: The progress bar.
        check: Evaluates the model.
        save: Saves the model, after so many decisions.
        decisions: Decisions of self-play in all.
        checks: How many evaluations there are, the first before any self-play.
        stop: Set when training is to stop.

    Attributes:
        learnt: Decisions of self-play learnt from so far.
        lessons: Decisions imitated so far.
    """

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress,
        check: Check,
        save: Callable[[int], None],
        decisions: int,
        checks: int,
        stop: threading.Event,
    ) -> None:
        super().__init__()
        points = folder.points()
        self.learnt = 0
        self.lessons = int(points[-1]["lessons"]) if points else 0
        self._folder = folder
        self._progress = progress
        self._check = check
        self._save = save
        self._decisions = decisions
        self._interval = decisions / checks
        self._next_check = 0.0
        self._stop = stop
        self._seconds_before = float(points[-1]["seconds"]) if points else 0.0
        self._games_before = int(points[-1]["games"]) if points else 0
        self._began = time.perf_counter()
        self._broken = False
        self._payoffs = ""

    @property
    def seconds(self) -> float:
        """Seconds of training so far, those before a resumption included."""
        return self._seconds_before + time.perf_counter() - self._began

    @property
    def games(self) -> int:
        """Games that have ended so far at the learner's tables."""
        assert isinstance(self.training_env, TablesVecEnv)
        return self._games_before + self.training_env.games

    # ---------------------------------------------------------------- lessons

    def take_lessons(self, lessons: int, study: Callable[[float], int]) -> None:
        """Shows how lessons go on, until they are done or somebody wants to stop.

        Args:
            lessons: How many decisions are to be imitated.
            study: Takes some lessons, told how much is done; returns how many it took.
        """
        self.evaluate(self._check())
        task = self._progress.add_task("", total=lessons, standing="")
        began = time.perf_counter()
        while self.lessons < lessons and not self._stop.is_set():
            self.lessons += study(self.lessons / lessons)
            rate = self.lessons / (time.perf_counter() - began)
            standing = f"lessons: {_short(rate)} decisions/s"
            self._progress.update(task, completed=self.lessons, standing=standing)

    # ---------------------------------------------------------------- self-play

    def _on_training_start(self) -> None:
        self._first = self.learnt = self.num_timesteps
        self._started = time.perf_counter()
        self._task = self._progress.add_task(
            "", total=self._decisions, completed=self.learnt, standing=""
        )
        # A resumed run has been evaluated up to here.
        while self._first and self._next_check <= self._first:
            self._next_check += self._interval

    def _on_step(self) -> bool:
        self._broken = self._stop.is_set()
        return not self._broken

    def _on_rollout_start(self) -> None:
        """The rollout before has been learnt from by now."""
        self.learnt = self.num_timesteps
        if self.learnt >= self._next_check and not self._stop.is_set():
            self._next_check += self._interval
            self.evaluate(self._check())
            self._save(self.learnt)
        self._show()

    def _on_training_end(self) -> None:
        # A rollout that was broken off is not learnt from.
        if not self._broken:
            self.learnt = self.num_timesteps
        self._show()

    # ---------------------------------------------------------------- what is told

    def evaluate(self, results: Sequence[Evaluation]) -> None:
        """Notes how the policy fares now."""
        point = CurvePoint(self.lessons, self.learnt, self.seconds, self.games, results)
        self._folder.add_point(point)
        for result in results:
            self.logger.record(f"payoff/{result.opponents}", result.mean)
            self.logger.record(f"wins/{result.opponents}", result.wins)
        self._payoffs = ", ".join(f"{r.opponents} {r.mean:+.2f}" for r in results)
        intervals = "  ".join(f"{r.opponents} {r.mean:+.3f} ±{r.half_width:.3f}" for r in results)
        so_far = f"{self.learnt:,} decisions" if self.learnt else f"{self.lessons:,} lessons"
        self._progress.console.print(f"{so_far:>21}  {intervals}")

    def _show(self) -> None:
        rate = (self.learnt - self._first) / max(time.perf_counter() - self._started, 1e-9)
        standing = f"{_short(rate)} decisions/s, {self.games:,} games, {self._payoffs}"
        self._progress.update(self._task, completed=self.learnt, standing=standing)


def _short(rate: float) -> str:
    return f"{rate / _KILO:.1f} k"
