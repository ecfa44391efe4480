"""The folder of a training run: what was asked, what was learnt, and how it came about."""

import csv
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import tefuda.envs
from tefuda.envs.core.errors import TefudaError
from tefuda.training.evaluate import Evaluation
from tefuda.training.files import write_json

#: Where runs go unless told otherwise.
RUNS = Path("runs")

#: Packages on which a result may depend.
PACKAGES = ("tefuda", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


@dataclass(frozen=True)
class CurvePoint:
    """A point of the learning curve.

    Attributes:
        decisions: Decisions learnt from so far.
        seconds: Seconds of training so far, evaluations included.
        games: Games that have ended so far.
        evaluations: How the policy fared against each baseline.
    """

    decisions: int
    seconds: float
    games: int
    evaluations: Sequence[Evaluation]

    def row(self) -> dict[str, Any]:
        """The point as a row of curve.csv."""
        row: dict[str, Any] = {
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "games": self.games,
        }
        for result in self.evaluations:
            low, high = result.interval
            row[f"{result.opponents}_mean"] = round(result.mean, 4)
            row[f"{result.opponents}_low"] = round(low, 4)
            row[f"{result.opponents}_high"] = round(high, 4)
        return row


class RunFolder:
    """The files of a run.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.versions = path / "versions.json"
        self.model = path / "model.zip"
        self.curve = path / "curve.csv"
        self.plot = path / "curve.png"
        self.evaluation = path / "evaluation.json"
        self.records = path / "records.jsonl"
        self.tensorboard = path / "tensorboard"

    @classmethod
    def new(cls, path: Path | None, game: str) -> "RunFolder":
        """A folder that is still to be made, by default named after the game and the time.

        Raises:
            TefudaError: It exists and is not empty.
        """
        path = path or RUNS / f"{game}-{datetime.now():%Y%m%d-%H%M%S}"
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise TefudaError(f"{path} exists and is not empty: name another folder with --run")
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """The folder of an earlier run.

        Raises:
            TefudaError: It holds no model.
        """
        folder = cls(path)
        if not folder.model.is_file():
            raise TefudaError(f"{path} holds no model to go on from")
        return folder

    def points(self) -> list[dict[str, str]]:
        """The rows of the learning curve so far."""
        if not self.curve.is_file():
            return []
        with self.curve.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def add_point(self, point: CurvePoint) -> None:
        """Appends a point to curve.csv."""
        row = point.row()
        new = not self.curve.is_file()
        with self.curve.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if new:
                writer.writeheader()
            writer.writerow(row)

    def save_versions(self) -> None:
        """Writes which code and packages are at work."""
        write_json(self.versions, code_versions())


def code_versions() -> dict[str, Any]:
    """The versions of Python, of the packages, and of this code."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
        "commit": _commit(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit of a checkout, with "-dirty" where files have changed; None elsewhere."""
    source = Path(tefuda.envs.__file__)
    git = ["git", "-C", str(source.parent)]
    tracked = [*git, "ls-files", "--error-unmatch", source.name]
    describe = [*git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        subprocess.run(tracked, check=True, capture_output=True)
        found = subprocess.run(describe, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()
