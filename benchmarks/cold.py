"""Cold start: how long a new process takes to its first step, with and without compiled code.

Use: python benchmarks/cold.py [--quick] [--games gacha_v0 ...] [--results FOLDER]

Each time is that of a process of its own, `cold_start.py`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import command
from results import Results

FACES = ("batch", "aec")
STAGES = ("import", "make", "step", "total")
#: What the process finds in NUMBA_CACHE_DIR: nothing, or what an earlier one has left there.
CACHES = ("empty", "filled")

_STARTS, _QUICK_STARTS = 3, 1
_PROCESS = Path(__file__).with_name("cold_start.py")


def _starts(quick: bool) -> int:
    return _QUICK_STARTS if quick else _STARTS


def measure_game(game: str, quick: bool) -> Results:
    """Measures the cold starts of both faces of a game."""
    return {face: cold_starts(game, face, _starts(quick)) for face in FACES}


def cold_starts(game: str, face: str, repeats: int) -> Results:
    """Starts processes with an empty cache, and again with what the first has left there.

    Returns:
        For each of `CACHES` and each of `STAGES`, a list of `repeats` times: "cpu" seconds and
        "wall" seconds. The stages are importing `tefuda.envs`; making the tables and dealing; the
        first step; and the whole process up to there, Python's own start included.
    """
    runs: dict[str, list[Any]] = {kind: [] for kind in CACHES}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            for kind in CACHES:
                runs[kind].append(_start(game, face, cache))
    return {
        kind: {stage: _columns([run[stage] for run in times]) for stage in STAGES}
        for kind, times in runs.items()
    }


def _columns(times: list[dict[str, float]]) -> dict[str, list[float]]:
    return {clock: [round(time[clock], 3) for time in times] for clock in ("cpu", "wall")}


def _start(game: str, face: str, cache: str) -> dict[str, dict[str, float]]:
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, _PROCESS, game, face],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    times: dict[str, dict[str, float]] = json.loads(done.stdout)
    times["total"]["wall"] = time.perf_counter() - begun
    return times


if __name__ == "__main__":
    command.run(
        command.Script(
            name="cold",
            purpose="Measures how long a new process takes to its first step.",
            settings=lambda quick: {"starts": _starts(quick)},
            measure=measure_game,
        )
    )
