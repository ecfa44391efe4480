"""Draws the pictures of README and of the games' pages: positions of games of greedy players.

python docs/pictures.py    # renews docs/pictures/*.png from docs/pictures/positions.json
"""

import json
from pathlib import Path

from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.game import Game
from tefuda.envs.core.picture import png
from tefuda.envs.core.registry import find_game

FOLDER = Path(__file__).parent / "pictures"
POSITIONS = FOLDER / "positions.json"


def pictures() -> dict[Path, str]:
    """The drawings by the files in which their pictures are kept."""
    return {
        FOLDER / f"{find_game(name).name}.png": drawn(name, **place)
        for name, place in json.loads(POSITIONS.read_text(encoding="utf-8")).items()
    }


def drawn(name: str, seat: int, seed: list[int], actions: list[int]) -> str:
    """The game of a key after these actions, as a seat sees it."""
    first, table, number = seed
    return Game.replay(make_engine(find_game(name)), (first, table, number), actions).svg(seat)


def main() -> None:
    """Renews the pictures."""
    for file, svg in pictures().items():
        file.write_bytes(png(svg))
        print(file.name)


if __name__ == "__main__":
    main()
