"""Cold start: how long a new process takes to its first step, with and without compiled code.

Run as a script it is that process: python benchmarks/cold.py GAME batch|aec
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

FACES = ("batch", "aec")
STAGES = ("import", "make", "step", "total")

_TABLES = 1024


def cold_start(game: str, face: str, repeats: int) -> dict[str, Any]:
    """Starts processes with an empty cache, and again with what the first has left there.

    Returns:
        For "empty" and "filled" caches, and for each of `STAGES`, a list of `repeats` times: "cpu"
        seconds and "wall" seconds. The stages are importing `tefuda.envs`; making the tables and
        dealing; the first step; and the whole process up to there, Python's own start included.
    """
    runs: dict[str, list[Any]] = {"empty": [], "filled": []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            for kind in runs:
                runs[kind].append(_run(game, face, cache))
    return {
        kind: {stage: _columns([run[stage] for run in times]) for stage in STAGES}
        for kind, times in runs.items()
    }


def _columns(times: list[dict[str, float]]) -> dict[str, list[float]]:
    return {clock: [round(time[clock], 3) for time in times] for clock in ("cpu", "wall")}


def _run(game: str, face: str, cache: str) -> dict[str, dict[str, float]]:
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, game, face],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    times = json.loads(done.stdout)
    times["total"]["wall"] = time.perf_counter() - begun
    return times


class _Watch:
    """Times the stages of this process."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, float]] = {}
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def mark(self, stage: str) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        self.times[stage] = {"cpu": cpu - self._cpu, "wall": wall - self._wall}
        self._cpu, self._wall = cpu, wall


def _start_batch(game: str, watch: _Watch) -> None:
    from tefuda.envs import make_vec

    watch.mark("import")
    tables = make_vec(game, tables=_TABLES, seed=0)
    watch.mark("make")
    tables.step(tables.sample())
    watch.mark("step")


def _start_aec(game: str, watch: _Watch) -> None:
    from tefuda.envs import make

    watch.mark("import")
    env = make(game)
    env.reset(seed=0)
    watch.mark("make")
    observation, *_ = env.last()
    assert observation is not None
    env.step(int(observation["action_mask"].argmax()))
    watch.mark("step")


def _main() -> None:
    game, face = sys.argv[1:]
    watch = _Watch()
    {"batch": _start_batch, "aec": _start_aec}[face](game, watch)
    watch.times["total"] = {"cpu": time.process_time()}
    print(json.dumps(watch.times))


if __name__ == "__main__":
    _main()
