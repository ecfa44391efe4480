"""Work in portions: in order, by several processes, and what is said where Ray is not installed."""

import random
import sys
from pathlib import Path

import pytest

from helpers.portions import Doubling
from tefuda.envs.core.errors import OptionError
from tefuda.training.cli import main
from tefuda.training.extras import MissingExtraError
from tefuda.training.portions import cut, in_order, play_portions


def test_portions_are_whole_and_complete() -> None:
    assert [list(portion) for portion in cut(5, 2)] == [[0, 1], [2, 3], [4]]
    assert cut(0, 2) == []


@pytest.mark.parametrize("jobs", [None, 1, 3])
def test_any_number_of_processes_gives_the_same(jobs: int | None) -> None:
    portions = cut(11, 3)
    found = list(in_order(portions, play_portions(Doubling(), portions, jobs=jobs)))
    assert found == [[2 * number for number in portion] for portion in portions]


def test_results_that_come_early_wait_for_their_turn() -> None:
    portions = cut(20, 3)
    for seed in range(5):
        done = [(portion, list(portion)) for portion in portions]
        random.Random(seed).shuffle(done)
        taken: list[int] = []

        def come(done: list[tuple[range, list[int]]], taken: list[int]) -> object:
            for portion, result in done:
                taken.append(portion.start)
                yield portion, result

        ordered = in_order(portions, come(done, taken))  # type: ignore[arg-type]
        first = next(ordered)
        assert first == [0, 1, 2]
        assert taken[-1] == 0  # no more than needed has been waited for
        assert [first, *ordered] == [list(portion) for portion in portions]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_work_reaches_who_asked(jobs: int) -> None:
    with pytest.raises(OptionError, match="13 is not allowed"):
        list(play_portions(Doubling(), cut(20, 4), jobs=jobs))


def test_several_processes_write_the_same_records(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    command = ["record", "gacha", "--games", "60", "--players", "3", "--option", "scoring=vp"]
    assert main([*command, "-o", str(one)]) == 0
    assert main([*command, "--jobs", "2", "-o", str(two)]) == 0
    assert one.read_bytes() == two.read_bytes()


def test_without_ray_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "tefuda.training.cluster", raising=False)
    with pytest.raises(MissingExtraError, match=r"pip install .tefuda\[ray\]"):
        play_portions(Doubling(), cut(4, 2), ray="local")
    assert main(["record", "gacha", "--games", "2", "--ray", "local", "-o", "x.jsonl"]) == 2
    assert "needs ray" in capsys.readouterr().err
    assert not Path("x.jsonl").exists()
