"""The scripts that `make bench` runs, in their quick way, which writes no results."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"


def measured(folder: Path, script: str, *arguments: str) -> dict[str, Any]:
    """Runs a script quickly and reads the result file that it was asked for."""
    command = [sys.executable, str(BENCHMARKS / f"{script}.py"), "--quick", *arguments]
    before = kept()
    subprocess.run([*command, "--results", str(folder)], check=True, capture_output=True)
    assert kept() == before, "a quick run wrote into benchmarks/results"
    found: dict[str, Any] = json.loads((folder / f"{script}.json").read_text(encoding="utf-8"))
    return found


def kept() -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (BENCHMARKS / "results").iterdir()}


@pytest.mark.skipif(find_spec("envpool") is not None, reason="EnvPool is installed")
def test_libraries_are_measured_beside_ours_and_the_missing_are_named(tmp_path: Path) -> None:
    found = measured(tmp_path, "peers", "--libraries", "tefuda", "open-spiel", "envpool")
    rows = {(row["group"], row["library"], row["game"]): row for row in found["rows"]}
    assert {row["library"] for row in found["rows"]} == {"tefuda", "open-spiel"}
    gacha = rows["batch", "tefuda", "gacha_v0"]
    assert (gacha["players"], gacha["values"], gacha["actions"]) == (4, 628, 120)
    assert rows["one table", "open-spiel", "hearts"]["values"] > 1000
    assert all(rate > 0 for row in found["rows"] for rate in row["rounds"])
    assert {row["library"] for row in found["missing"]} == {"envpool"}
    assert "No module named 'envpool'" in found["missing"][0]["reason"]
    assert (tmp_path / "peers.png").stat().st_size > 0


def test_searches_are_compared_on_the_same_positions(tmp_path: Path) -> None:
    games = measured(tmp_path, "simulations", "--games", "gacha_v0", "quatre_v0")["games"]
    assert games["quatre_v0"] == {}
    assert games["gacha_v0"]["ours"][0] > games["gacha_v0"]["openspiel"][0] > 0


@pytest.mark.slow
def test_training_time_is_told_apart(tmp_path: Path) -> None:
    game = measured(tmp_path, "learning", "--games", "gacha_v0")["games"]["gacha_v0"]
    assert all(rate > 0 for rates in game["rates"].values() for rate in rates)
    for shares in game["shares"], game["plain_shares"]:
        assert set(shares) == {"environment", "network"}
        assert all(0 < share < 1 for share in shares.values())
        assert sum(shares.values()) == pytest.approx(1, abs=0.001)  # rounded


@pytest.mark.slow
def test_both_ways_to_learn_are_checked_against_greedy(tmp_path: Path) -> None:
    games = measured(tmp_path, "beating", "--games", "gacha_v0", "quatre_v0")["games"]
    assert games["quatre_v0"] == {}
    for run in games["gacha_v0"].values():
        assert run["decisions"] > 0
        assert len(run["curve"]) >= 2
        assert all(point["low"] <= point["mean"] <= point["high"] for point in run["curve"])
    assert (tmp_path / "beating.png").stat().st_size > 0
