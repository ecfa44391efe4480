"""Pictures: the learning curve, and who beats whom."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tefuda.training.evaluate import CONFIDENCE, Evaluation
from tefuda.training.files import replacing

if TYPE_CHECKING:
    from tefuda.training.ratings import Rating

_SIZE = (8.0, 4.5)  # inches
_DPI = 120
_BAND = 0.2  # opacity of the intervals
_SUFFIX = "_mean"
_COLOURS = "RdBu"  # lost to won, white where even
_DARK = 0.6  # of the strongest colour; black letters would not show on it
_ROOM = 0.5  # beyond the outermost ratings, in rows


def plot_curve(points: Sequence[Mapping[str, str]], file: Path, title: str) -> None:
    """Draws the payoffs over the decisions learnt from, with their 95% intervals, as a PNG.

    Decisions that were imitated and those of self-play count alike.

    Args:
        points: The rows of curve.csv.
        file: The picture.
        title: Its title.
    """
    figure, axes = _axes()
    learnt = [(int(point["lessons"]) + int(point["decisions"])) / 1e6 for point in points]
    for column in [name for name in points[0] if name.endswith(_SUFFIX)]:
        opponent = column.removesuffix(_SUFFIX)
        means, lows, highs = (
            [float(point[f"{opponent}_{part}"]) for point in points]
            for part in ("mean", "low", "high")
        )
        axes.plot(learnt, means, marker=".", label=f"among {opponent}")
        axes.fill_between(learnt, lows, highs, alpha=_BAND)
    axes.axhline(0, color="grey", linewidth=1, linestyle=":")
    if lessons := int(points[-1]["lessons"]) / 1e6:
        axes.axvspan(0, lessons, color="grey", alpha=_BAND, linewidth=0, label="lessons")
    axes.set(title=title, xlabel="decisions learnt from (millions)", ylabel="mean payoff")
    axes.legend()
    _save(figure, file)


def plot_matrix(results: Sequence[Evaluation], file: Path, title: str) -> None:
    """Draws the matrix of mean payoffs as a heat map, as a PNG.

    Args:
        results: One a pair; missing pairs stay empty.
        file: The picture.
        title: Its title.
    """
    names = list(dict.fromkeys(name for r in results for name in (r.agent, r.opponents)))
    cells = np.full((len(names), len(names)), math.nan)
    most = max(abs(result.mean) for result in results) or 1.0
    figure, axes = _axes()
    for result in results:
        row, column = names.index(result.agent), names.index(result.opponents)
        cells[row, column] = result.mean
        words = f"{result.mean:+.3f}\n±{result.half_width:.3f}"
        ink = "white" if abs(result.mean) > _DARK * most else "black"
        axes.text(column, row, words, ha="center", va="center", color=ink)
    image = axes.imshow(cells, cmap=_COLOURS, vmin=-most, vmax=most, aspect="auto")
    figure.colorbar(image, label="mean payoff of the one")
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set(title=title, xlabel="among", ylabel="one")
    _save(figure, file)


def plot_ratings(ratings: "Sequence[Rating]", file: Path, title: str) -> None:
    """Draws ratings with their 95% intervals, the strongest on top, as a PNG.

    Args:
        ratings: One an agent.
        file: The picture.
        title: Its title.
    """
    figure, axes = _axes()
    rising = sorted(ratings, key=lambda rating: rating.rating)
    values = np.array([(one.rating, one.low, one.high) for one in rising])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    axes.errorbar(values[:, 0], range(len(rising)), xerr=errors, fmt="o", capsize=4)
    axes.axvline(0, color="grey", linewidth=1, linestyle=":")
    axes.set_yticks(range(len(rising)), [one.agent for one in rising])
    axes.set_ylim(-_ROOM, len(rising) - 1 + _ROOM)
    axes.set(title=title, xlabel=f"rating with its {CONFIDENCE:.0%} interval (400: factor ten)")
    _save(figure, file)


def _axes() -> tuple[Figure, Axes]:
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _save(figure: Figure, file: Path) -> None:
    with replacing(file) as part:
        figure.savefig(part, format="png")
