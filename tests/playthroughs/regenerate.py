"""Writes the golden playthroughs anew: one text file for every registered game.

Run it after a change that is meant to change them, and read the difference before it is kept:

    python tests/playthroughs/regenerate.py && git diff tests/playthroughs

A difference in what a version of a game shows, asks or deals needs a new version of that game.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))  # helpers of the tests are imported by their own names

from helpers.playthrough import playthrough  # noqa: E402 - it needs the path above
from tefuda.envs import GAMES  # noqa: E402 - likewise


def main() -> None:
    """Writes the files, and removes those of games that are no more."""
    for path in FOLDER.glob("*.txt"):
        if path.stem not in GAMES:
            path.unlink()
    for name in GAMES:
        path = FOLDER / f"{name}.txt"
        path.write_text(playthrough(name), encoding="utf-8", newline="\n")
        print(f"{path}: {path.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
