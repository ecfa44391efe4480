"""Result files: what was measured, where, with which versions, and when."""

import json
import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"

_PACKAGES = ("tefuda", "numpy", "numba", "gymnasium", "pettingzoo")
_CPUINFO = Path("/proc/cpuinfo")
# A list of numbers, which stays on one line.
_NUMBERS = re.compile(r"\[[\s\d.,]+\]")

Results = dict[str, Any]


def circumstances() -> Results:
    """Machine, versions and date; the load of the machine when the measurement begins."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "architecture": platform.machine(),
            "load": [round(load, 2) for load in os.getloadavg()],
        },
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
        },
    }


def cpu_model() -> str:
    """The processor's name for itself."""
    lines = _CPUINFO.read_text().splitlines() if _CPUINFO.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def write(results: Results, path: Path) -> Path:
    """Writes a result file; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = _NUMBERS.sub(lambda found: " ".join(found[0].split()), json.dumps(results, indent=1))
    path.write_text(text + "\n", encoding="utf-8")
    return path


def read(path: Path) -> Results:
    """Reads a result file."""
    results: Results = json.loads(path.read_text(encoding="utf-8"))
    return results
