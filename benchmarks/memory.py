"""Memory over many games: what a process holds while it plays them.

Use: python benchmarks/memory.py [--quick] [--games gacha_v0 ...] [--results FOLDER]

Each face of a game is played in a process of its own, `memory_play.py`.
"""

import json
import subprocess
import sys
from pathlib import Path

import command
from results import Results

# Games that are played while memory is read. A single table is slower; fewer will do.
_GAMES = {"batch": 1_000_000, "aec": 2_000}
_QUICK_GAMES = {"batch": 20_000, "aec": 100}
_PROCESS = Path(__file__).with_name("memory_play.py")


def _games(quick: bool) -> dict[str, int]:
    return _QUICK_GAMES if quick else _GAMES


def measure_game(game: str, quick: bool) -> Results:
    """Reads the memory of both faces of a game."""
    return {face: readings(game, face, count) for face, count in _games(quick).items()}


def readings(game: str, face: str, games: int) -> list[dict[str, int]]:
    """Plays `games` random games in a new process and reads its memory ten times.

    Returns:
        Rows of "games" played so far, "decisions" in them, and "bytes" held.
    """
    done = subprocess.run(
        [sys.executable, _PROCESS, game, face, str(games)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    rows: list[dict[str, int]] = json.loads(done.stdout)
    return rows


if __name__ == "__main__":
    command.run(
        command.Script(
            name="memory",
            purpose="Measures whether memory grows over many games.",
            settings=lambda quick: {"games": _games(quick)},
            measure=measure_game,
        )
    )
