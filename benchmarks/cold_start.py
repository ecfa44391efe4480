"""One cold start, timed from inside.

Use: python benchmarks/cold_start.py GAME batch|aec

Prints the CPU and wall seconds of each stage as JSON. It imports nothing that is not needed.
"""

import json
import sys
import time

_TABLES = 1024


class _Watch:
    """Times the stages of this process."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, float]] = {}
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def mark(self, stage: str) -> None:
        """Ends a stage."""
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
