"""Golden playthroughs: a game of each kind, every mask and observation of it, as it always was."""

import difflib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from helpers.games import EVERY_GAME
from helpers.playthrough import in_short, playthrough, wrapped
from tefuda.envs import GAMES, Game

FOLDER = Path(__file__).parent / "playthroughs"

pytestmark = [pytest.mark.usefixtures("tiny_game"), pytest.mark.pure]


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_is_as_it_was(name: str) -> None:
    """If this change is meant, run tests/playthroughs/regenerate.py and read the difference."""
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    found = playthrough(name).splitlines()
    difference = difflib.unified_diff(golden, found, "golden", "found", n=2, lineterm="")
    assert found == golden, "\n".join(itertools.islice(difference, 40))


def test_every_registered_game_has_a_playthrough_and_no_other_has() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_tells_everything(name: str) -> None:
    """Every encoder, every kind of decision and chance that the game's short form has, the end."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    spec = Game(name).engine.spec
    for encoder in spec.encoders:
        assert re.search(rf"^    (\w+,)*{encoder}(,\w+)* of [\d,]+: ", text, re.MULTILINE)
    for kind in ("\n  legal: ", "\n  may come: ", "\n  -> ", ". over\n", "\nwinners [", "payoffs"):
        assert kind in text


@pytest.mark.parametrize("name", EVERY_GAME)
def test_playthroughs_are_reproducible(name: str) -> None:
    if name in GAMES:
        return  # compared with its file
    assert playthrough(name) == playthrough(name)


def test_values_in_short() -> None:
    assert in_short(np.array([0, 0])) == "-"
    assert in_short(np.array([0, 1, 0, 1, 1, 1])) == "1 3-5"
    assert in_short(np.array([0, 1, 0, 5])) == "1:1 3:5"


def test_long_lines_are_broken_between_values() -> None:
    line = "    x " + " ".join(str(n) for n in range(100, 160))
    broken = list(wrapped([line, "short"]))
    assert max(map(len, broken)) <= 100
    assert broken[-1] == "short"
    assert " ".join(broken[:-1]).split() == line.split()
