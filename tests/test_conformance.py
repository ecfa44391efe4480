"""The table of libraries in the docs: complete, and made with the pinned versions."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([\w.-]+)==(\S+)$", re.MULTILINE)


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance", ROOT / "docs" / "conformance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()
TABLE: dict[str, Any] = json.loads(SCRIPT.RESULTS.read_text(encoding="utf-8"))
ROWS = {row["library"]: row for row in TABLE["rows"]}


def test_every_library_has_its_row_and_passed() -> None:
    assert list(ROWS) == [library for library, _, _ in SCRIPT.LIBRARIES]
    for row in ROWS.values():
        assert (row["result"], row["failed"], row["skipped"]) == ("passed", 0, 0)
        assert row["passed"] > 0


@pytest.mark.parametrize("library", ROWS)
def test_a_row_fits_the_pinned_version_and_its_test_file(library: str) -> None:
    row = ROWS[library]
    pins = dict(PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8")))
    assert row["version"] == pins[row["package"]]
    assert row["what"] == SCRIPT.what_is_run(row["tests"])


def test_a_report_is_counted(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    assert SCRIPT.count(report) == {"passed": 0, "failed": 0, "skipped": 0}
    report.write_text(
        '<testsuites><testsuite tests="9" failures="1" errors="2" skipped="3"/></testsuites>',
        encoding="utf-8",
    )
    assert SCRIPT.count(report) == {"passed": 3, "failed": 3, "skipped": 3}


def test_the_table_as_markdown() -> None:
    lines = SCRIPT.as_markdown(TABLE).splitlines()
    assert len(lines) == 2 + len(ROWS)
    assert all(line.count("|") == 6 for line in lines)
