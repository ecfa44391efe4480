"""Runs the conformance tests of each library and writes what came of them.

The table in `conformance.json` says for each library its version, what was run, and the result. It
is made by running the test files, never by hand; `tests/test_conformance.py` sees that it fits the
versions in `constraints.txt`.

Use: python docs/conformance.py       (from an environment with the extra `all`)
"""

import ast
import json
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "conformance.json"

#: Each library, as it is called and as it is installed, with the test file that tries it.
LIBRARIES = (
    ("PettingZoo", "pettingzoo", "test_aec.py"),
    ("PettingZoo wrappers", "pettingzoo", "test_pettingzoo_wrappers.py"),
    ("SuperSuit", "supersuit", "test_pettingzoo_wrappers.py::test_supersuit_where_it_can"),
    ("Gymnasium", "gymnasium", "test_gymnasium.py"),
    ("Stable-Baselines3", "stable-baselines3", "test_training_sb3.py"),
    ("OpenSpiel", "open-spiel", "test_openspiel.py"),
    ("TorchRL", "torchrl", "test_torchrl.py"),
    ("Tianshou", "tianshou", "test_tianshou.py"),
    ("Ray", "ray", "test_ray.py"),
    ("RLlib", "ray", "test_ray.py::test_one_iteration_of_masked_ppo_with_a_shared_policy"),
    ("PyArrow", "pyarrow", "test_training_offline.py"),
)


def main() -> int:
    """Runs all and writes the table; 0 if nothing failed."""
    rows = [try_library(*library) for library in LIBRARIES]
    table = {"python": platform.python_version(), "rows": rows}
    RESULTS.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    print(as_markdown(table))
    return int(any(row["result"] != "passed" for row in rows))


def try_library(library: str, package: str, tests: str) -> dict[str, Any]:
    """Runs the tests of a library; a row of the table."""
    row = {"library": library, "package": package, "version": installed(package), "tests": tests}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", f"tests/{tests}"]
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        counts = count(report)
    bad = counts["failed"] or not counts["passed"]
    return {**row, "what": what_is_run(tests), **counts, "result": "failed" if bad else "passed"}


def installed(package: str) -> str | None:
    """The version of a package, None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def count(report: Path) -> dict[str, int]:
    """Passed, failed and skipped tests of a JUnit report; nothing of one that was not written."""
    suites = ElementTree.parse(report).getroot().iter("testsuite") if report.is_file() else []
    total = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in suites:
        for name in total:
            total[name] += int(suite.get(name, "0"))
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    return {"passed": passed, "failed": failed, "skipped": total["skipped"]}


def what_is_run(tests: str) -> str:
    """The first line of the docstring of a test file, or the name of a single test in words."""
    name, _, test = tests.partition("::")
    if test:
        return test.removeprefix("test_").replace("_", " ")
    source = (ROOT / "tests" / name).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or name).partition("\n")[0].rstrip(".")


def as_markdown(table: dict[str, Any]) -> str:
    """The table for the docs."""
    return "\n".join(_lines(table))


def _lines(table: dict[str, Any]) -> Iterator[str]:
    yield "| library | version | what was run | tests | result |"
    yield "|---|---|---|---|---|"
    for row in table["rows"]:
        run = f"{row['passed']} passed"
        run += f", {row['failed']} failed" if row["failed"] else ""
        run += f", {row['skipped']} skipped" if row["skipped"] else ""
        name, number = row["library"], row["version"] or "not installed"
        yield f"| {name} | {number} | {row['what']} (`{row['tests']}`) | {run} | {row['result']} |"


if __name__ == "__main__":
    sys.exit(main())
