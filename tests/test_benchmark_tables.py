"""Figures in documents come from result files, and from nowhere else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "benchmarks" / "tables.py"

PLACE = "before\n<!-- table: {} -->\nstale\n<!-- end -->\nafter\n"

#: What `benchmarks/throughput.py` could have written.
RESULTS = {
    "date": "2026-01-02",
    "machine": {"cpu": "a processor", "cores": 2},
    "versions": {"python": "3.11.7", "numpy": "2.0", "numba": "0.61"},
    "settings": {"rounds": 3, "seconds": 0.5},
    "games": {
        "some_v0": {
            "sizes": {"actions": 7, "observation_shapes": {"flat": [3, 4], "tokens": [2, 2]}},
            "rates": [],
        }
    },
}


def rate(face: str, rounds: list[int], **case: Any) -> dict[str, Any]:
    usual = {"tables": 1024, "encoder": "flat", "float32": False, "sampling": False}
    return {"face": face, **usual, **case, "rounds": rounds}


def tables(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TABLES), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def fill(folder: Path, name: str, rates: list[dict[str, Any]]) -> str:
    """The text of a document with one table, once it is written from a result file."""
    results = json.loads(json.dumps(RESULTS))
    results["games"]["some_v0"]["rates"] = rates
    (folder / "throughput.json").write_text(json.dumps(results))
    document = folder / "page.md"
    document.write_text(PLACE.format(name))
    assert tables("--results", folder, document).returncode == 0
    return document.read_text()


def test_documents_show_what_the_result_files_give() -> None:
    done = tables("--check")
    assert done.returncode == 0, done.stderr


def test_rates_are_medians_and_shares_compare_round_by_round(tmp_path: Path) -> None:
    rates = [
        rate("batch", [4_000_000, 6_000_000, 5_256_000]),
        rate("batch", [1, 1, 1], float32=True),
        rate("floor", [10_000_000, 60_000_000, 11_000_000]),  # parts 0.4, 0.1, 0.478
    ]
    text = fill(tmp_path, "batch", rates)
    assert "| some_v0, flat | 1,024 | 5.26 M | 1.00 | – | 11.0 M | 40% |" in text  # noqa: RUF001
    assert "median of 3 rounds of 0.5 s (a processor, 2 cores; python 3.11.7" in text


def test_the_throughput_table_has_a_column_for_each_game(tmp_path: Path) -> None:
    rates = [
        rate("batch", [5_000_000] * 3),
        rate("aec", [228_400] * 3, tables=1),
        rate("aec", [64_000] * 3, tables=1, sampling=True),
        rate("plain", [5_430] * 3, tables=1, encoder=None),
    ]
    text = fill(tmp_path, "throughput", rates)
    assert text.startswith("before\n<!-- table: throughput -->\n|  | some_v0 |\n")
    assert "| AEC, raw | 228 k |" in text
    assert "| plain Python rules, nothing observed | 5.43 k |" in text
    assert "| bytes of an observation, of a mask | 12, 7 |" in text
    assert text.endswith(".\n<!-- end -->\nafter\n") and "stale" not in text


def test_writing_again_changes_nothing_and_the_check_sees_changes(tmp_path: Path) -> None:
    text = fill(tmp_path, "throughput", [rate("batch", [5_000_000] * 3)])
    document = tmp_path / "page.md"
    assert tables("--check", "--results", tmp_path, document).returncode == 0
    document.write_text(text.replace("5.00 M", "6.00 M"))
    done = tables("--check", "--results", tmp_path, document)
    assert done.returncode == 1 and f"{document}: run benchmarks/tables.py" in done.stderr
    assert "6.00 M" in document.read_text()
    assert tables("--results", tmp_path, document).stdout == f"wrote {document}\n"
    assert document.read_text() == text


def test_the_strength_table_is_a_matrix_with_ratings(tmp_path: Path) -> None:
    agents = ["random", "policy"]
    earned = {"mean": 0.25, "half_width": 0.125, "games": 2000}
    rated = {"rating": 120.4, "low": 100.0, "high": 140.6}
    game = {
        **{key: RESULTS[key] for key in ("date", "machine", "versions")},
        "agents": agents,
        "complete": True,
        "results": [{"agent": "policy", "opponents": "random", **earned}],
        "ratings": [{"agent": "policy", **rated}],
        "policy": {"lessons": 1_500_000, "decisions": 2_000_000, "seconds": 1800.0},
    }
    (tmp_path / "strength.json").write_text(json.dumps({"games": {"some_v0": game}}))
    document = tmp_path / "page.md"
    document.write_text(PLACE.format("strength"))
    assert tables("--results", tmp_path, document).returncode == 0
    text = document.read_text()
    assert "| game | agent | among random | rating |" in text
    assert "| some_v0 | random | – | – |" in text  # noqa: RUF001
    assert "| some_v0 | policy | +0.250 ±0.125 | +120 (+100 .. +141) |" in text
    assert "2,000 games a pair" in text and "2.00 M of self-play in 30 minutes" in text
    assert "interrupted" not in text


def test_a_table_that_was_not_measured_is_empty(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(PLACE.format("growth"))
    assert tables("--results", tmp_path, document).returncode == 0
    assert document.read_text() == "before\n<!-- table: growth -->\n<!-- end -->\nafter\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PLACE.format("speed"), "table 'speed' is not known"),
        ("<!-- table: growth -->\n", "malformed or has no `<!-- end -->`"),
        ("<!-- table: growth, threads -->\n<!-- end -->\n", "malformed"),
        ("<!-- table: growth -->\n<!-- table: memory -->\n<!-- end -->\n", "malformed"),
    ],
)
def test_a_wrong_place_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    document = tmp_path / "page.md"
    document.write_text(text)
    done = tables("--results", tmp_path, document)
    assert done.returncode == 1 and reason in done.stderr and str(document) in done.stderr
    assert document.read_text() == text
