"""The game in C that speed is measured against plays as the batch engine does."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
STEPS = 1000

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="there is no C compiler"
)


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Compares the C file of a folder with the batch engine."""
    command = [sys.executable, str(folder / "c_tables.py"), str(STEPS)]
    return subprocess.run(command, capture_output=True, text=True)


def changed(folder: Path, old: str, new: str) -> Path:
    """A copy of the C file in which something is changed, and of what compiles it."""
    source = (BENCHMARKS / "ceiling" / "gacha.c").read_text(encoding="utf-8")
    assert source.count(old) == 1
    (folder / "ceiling").mkdir()
    (folder / "ceiling" / "gacha.c").write_text(source.replace(old, new), encoding="utf-8")
    shutil.copy(BENCHMARKS / "c_tables.py", folder)
    return folder


def test_tables_in_c_play_the_same_games() -> None:
    done = check(BENCHMARKS)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, "the compiler warns"
    games, _, words = done.stdout.partition(" ")
    assert int(games.replace(",", "")) > STEPS // 10
    assert words == "games are the same in C\n"


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("= {2, 1, 0, 0};", "= {2, 0, 1, 0};", "differs first at"),
        ("seen->stock = (int8_t)stock_size(game);", "seen->stock = 9;", "observation differs"),
        ("(1.0 / winners - 1.0 / PLAYERS)", "(1.0 / winners)", "reward differs"),
        ("int8_t number_of_trick[TRICKS], round[2];", "int8_t number_of_trick[TRICKS], round[3];",
         "writes 629 observation values"),
    ],
)  # fmt: skip
def test_another_game_in_c_is_found_out(
    tmp_path: Path, old: str, new: str, difference: str
) -> None:
    done = check(changed(tmp_path, old, new))
    assert done.returncode == 1 and difference in done.stderr
