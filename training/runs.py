"""The folder of a training run: what was asked, what was learnt, and how it came about."""

import csv
import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import tefuda.envs
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.errors import TefudaError
from tefuda.envs.core.registry import find_game
from tefuda.training.evaluate import Evaluation
from tefuda.training.files import replacing, write_json

#: Where runs go unless told otherwise.
RUNS = Path("runs")

#: Packages on which a result may depend.
PACKAGES = ("tefuda", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")

#: Checkpoints that are kept: the newest, and those to fall back on.
KEPT = 3

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class CurvePoint:
    """A point of the learning curve.

    Attributes:
        lessons: Decisions imitated so far.
        decisions: Decisions of self-play learnt from so far.
        seconds: Seconds of training so far, evaluations included.
        games: Games that have ended so far.
        evaluations: How the policy fared against each baseline.
    """

    lessons: int
    decisions: int
    seconds: float
    games: int
    evaluations: Sequence[Evaluation]

    def row(self) -> dict[str, Any]:
        """The point as a row of curve.csv."""
        row: dict[str, Any] = {
            "lessons": self.lessons,
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
    """The files of a run. Each appears whole or not at all, whenever the run is killed.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.versions = path / "versions.json"
        self.model = path / "model.zip"
        self.checkpoints = path / "checkpoints"
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
            TefudaError: It is none, or it has no checkpoint.
        """
        folder = cls(path)
        if not folder.config.is_file():
            raise TefudaError(f"{path} is no run folder: it has no {folder.config.name}")
        if not folder.checkpoint_files():
            raise TefudaError(f"{path} has no checkpoint to go on from")
        return folder

    def make(self) -> None:
        """Makes the folder."""
        self.checkpoints.mkdir(parents=True, exist_ok=True)

    # ---------------------------------------------------------------- checkpoints

    def save_checkpoint(self, decisions: int, save: Callable[[Path], None]) -> None:
        """Keeps the model as it is after so many decisions, and makes it the run's model.

        Args:
            decisions: Decisions learnt from.
            save: Writes the model to a path.
        """
        file = self.checkpoints / f"{decisions:012d}.zip"
        with replacing(file) as part:
            save(part)
        with replacing(self.model) as part:
            shutil.copyfile(file, part)
        for old in self.checkpoint_files()[:-KEPT]:
            old.unlink()

    def checkpoint_files(self) -> list[Path]:
        """The checkpoints, the newest last."""
        return sorted(self.checkpoints.glob("[0-9]*.zip"))

    def drop_after(self, checkpoint: Path) -> None:
        """Forgets what came after a checkpoint: newer checkpoints, and points of the curve."""
        files = self.checkpoint_files()
        for newer in files[files.index(checkpoint) + 1 :]:
            newer.unlink()
        decisions = int(checkpoint.stem)
        self._write_curve([row for row in self.points() if int(row["decisions"]) <= decisions])

    # ---------------------------------------------------------------- learning curve

    def points(self) -> list[dict[str, str]]:
        """The rows of the learning curve so far."""
        if not self.curve.is_file():
            return []
        with self.curve.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def add_point(self, point: CurvePoint) -> None:
        """Adds a point to curve.csv."""
        self._write_curve([*self.points(), point.row()])

    def _write_curve(self, rows: Sequence[_Row]) -> None:
        columns = list(dict.fromkeys(column for row in rows for column in row))
        with replacing(self.curve) as part, part.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)

    # ---------------------------------------------------------------- versions

    def add_versions(self, decisions: int, game: str, options: Mapping[str, Any]) -> None:
        """Notes with which code, packages and components the run goes on from here."""
        components = make_engine(find_game(game), **options).setup.components.describe()
        entry = {"decisions": decisions, "components": components, **code_versions()}
        earlier = json.loads(self.versions.read_text("utf-8")) if self.versions.is_file() else []
        write_json(self.versions, [*earlier, entry])


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
