"""Result files: what was measured, where, with which versions, and when."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"

_PACKAGES = ("tefuda", "numpy", "numba", "gymnasium", "pettingzoo")
_CPUINFO = Path("/proc/cpuinfo")

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


def write(results: Results, path: Path) -> None:
    """Writes a result file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Results:
    """Reads a result file."""
    results: Results = json.loads(path.read_text(encoding="utf-8"))
    return results
