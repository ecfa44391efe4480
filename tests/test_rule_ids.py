"""The check behind `make rules` counts what it should, and nothing else."""

from pathlib import Path

import pytest

import rule_ids


def write(folder: Path, text: str) -> Path:
    tests = folder / "tests"
    (tests / "gacha").mkdir(parents=True)
    (tests / "gacha" / "test_some.py").write_text(text, encoding="utf-8")
    return tests


def test_counts_markers_of_functions_and_classes(tmp_path: Path) -> None:
    found = rule_ids.collect(
        write(
            tmp_path,
            '@pytest.mark.rule("G1", "G2")\n@pytest.mark.pure\ndef test_a(): ...\n'
            '@pytest.mark.rule("G3")\nclass TestB:\n'
            '    @pytest.mark.rule("G4")\n    def test_c(self): ...\n',
        )
    )
    named = {rule: tests for rule, tests in found.items() if tests}
    assert list(named) == ["G1", "G2", "G3", "G4"]
    assert named["G4"] == ["tests/gacha/test_some.py::TestB::test_c"]


@pytest.mark.parametrize(
    "text",
    [
        'def test_a():\n    """G1 is in the text only."""\n',
        "# G1\ndef test_g1(): ...\n",
        '@pytest.mark.rule("G1")\ndef helper(): ...\n',
        '@pytest.mark.rule("G1")\n@pytest.mark.skip\ndef test_a(): ...\n',
        '@pytest.mark.xfail(reason="")\n@pytest.mark.rule("G1")\ndef test_a(): ...\n',
    ],
)
def test_counts_nothing_else(tmp_path: Path, text: str) -> None:
    assert not any(rule_ids.collect(write(tmp_path, text)).values())


@pytest.mark.parametrize("marker", ['rule("G31")', 'rule("G01")', "rule(name)", "rule()", "rule"])
def test_refuses_what_it_cannot_count(tmp_path: Path, marker: str) -> None:
    tests = write(tmp_path, f"@pytest.mark.{marker}\ndef test_a(): ...\n")
    with pytest.raises(rule_ids.MarkerError, match=r"^tests/gacha/test_some\.py:1: "):
        rule_ids.collect(tests)
