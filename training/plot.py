"""The learning curve as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tefuda.training.files import replacing

_SIZE = (8.0, 4.5)  # inches
_DPI = 120
_BAND = 0.2  # opacity of the intervals
_SUFFIX = "_mean"


def plot_curve(points: Sequence[Mapping[str, str]], file: Path, title: str) -> None:
    """Draws the payoffs over the decisions learnt from, with their 95% intervals, as a PNG.

    Decisions that were imitated and those of self-play count alike.

    Args:
        points: The rows of curve.csv.
        file: The picture.
        title: Its title.
    """
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
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
    with replacing(file) as part:
        figure.savefig(part, format="png")
