"""Plays random games and reads its own memory.

Use: python benchmarks/memory_play.py GAME batch|aec GAMES

Prints the readings as JSON.
"""

import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contenders import play

from tefuda.envs import make, make_vec

#: How often memory is read; the first time after a part of the games, when all is warm.
READINGS = 10

_TABLES = 1024
_STATM = Path("/proc/self/statm")


def held() -> int:
    """The resident bytes of this process; where the system does not tell, the most there were."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * resource.getpagesize()
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def _play_batch(game: str) -> Iterator[tuple[int, int]]:
    """Plays for ever; after each step, games and decisions so far."""
    tables = make_vec(game, tables=_TABLES, seed=0)
    games = decisions = 0
    while True:
        tables.step(tables.sample())
        games += int(tables.done.sum())
        decisions += _TABLES
        yield games, decisions


def _play_aec(game: str) -> Iterator[tuple[int, int]]:
    """Plays for ever; after each game, games and decisions so far."""
    env = make(game)
    env.reset(seed=0)
    games = decisions = 0
    while True:
        decisions += play(env, 1)
        games += 1
        yield games, decisions


def _read(progress: Iterator[tuple[int, int]], games: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for played, decisions in progress:
        if played * READINGS >= games * (len(rows) + 1):
            rows.append({"games": played, "decisions": decisions, "bytes": held()})
        if played >= games:
            break
    return rows


def _main() -> None:
    game, face, games = sys.argv[1:]
    progress = {"batch": _play_batch, "aec": _play_aec}[face](game)
    print(json.dumps(_read(progress, int(games))))


if __name__ == "__main__":
    _main()
