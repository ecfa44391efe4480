"""Pictures made from result files."""

from collections.abc import Callable
from math import nan
from pathlib import Path
from statistics import median

import tables
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from results import Results

_SIZE = (8.0, 4.5)  # inches
_TALL = (8.0, 11.0)
_DPI = 120
_FAINT, _SHADE = 0.4, 0.2  # opacity of the grid, of intervals
_THIN = 0.8  # points
_MINUTE = 60

_OURS = "tefuda"

#: Faces of the picture, from slow to fast, and how a result names them.
_FACES = {
    "plain Python rules": {"face": "plain", "encoder": None},
    "AEC, three wrappers": {"face": "wrapped"},
    "AEC, raw": {"face": "aec"},
    "batch, 1 table": {"face": "batch", "tables": 1},
    "batch, 1,024 tables": {"face": "batch", "tables": 1024},
    "the same in C, 1,024 tables": {"face": "ceiling", "tables": 1024},
    "floor, 1,024 tables": {"face": "floor", "tables": 1024},
}


def throughput(results: Results, file: Path) -> Path:
    """The main rates of every game, as dots: a bar would need a zero, which a log scale has not."""
    figure, axes = _axes()
    for name, game in results["games"].items():
        found = {
            words: tables.rate(game, **{"encoder": tables.encoder_of(game), **case})
            for words, case in _FACES.items()
        }
        axes.plot([rate or nan for rate in found.values()], list(found), "o", label=name)
    axes.set(xscale="log", xlabel="decisions per CPU second")
    axes.grid(axis="x", alpha=_FAINT)
    axes.legend()
    figure.savefig(file, format="png")
    return file


def peers(results: Results, file: Path) -> Path:
    """Rates of other libraries' games beside ours, one field a kind."""
    groups = dict.fromkeys(row["group"] for row in results["rows"])
    figure = Figure(figsize=_TALL, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    counts = [sum(row["group"] == group for row in results["rows"]) for group in groups]
    fields = figure.subplots(
        len(groups), sharex=True, squeeze=False, gridspec_kw={"height_ratios": counts}
    )
    for axes, group in zip(fields[:, 0], groups, strict=True):
        found = [row for row in results["rows"] if row["group"] == group]
        found.sort(key=lambda row: median(row["rounds"]))
        for row in found:
            name, own = f"{row['library']}: {row['game']}", row["library"] == _OURS
            axes.plot(median(row["rounds"]), name, "o", color="C3" if own else "C0")
        axes.set(xscale="log", title=group)
        axes.grid(axis="x", alpha=_FAINT)
    fields[-1, 0].set_xlabel("decisions per CPU second (red: tefuda)")
    figure.savefig(file, format="png")
    return file


def growth(results: Results, file: Path) -> Path:
    """Time of a decision against the number of tables."""
    figure, axes = _axes()
    for name, game in results["games"].items():
        counts = [row["value"] for row in game["tables"]]
        times = [1e9 / median(row["rounds"]) for row in game["tables"]]
        axes.plot(counts, times, marker=".", label=name)
    axes.set(xscale="log", yscale="log", xlabel="tables", ylabel="CPU nanoseconds a decision")
    axes.legend()
    figure.savefig(file, format="png")
    return file


def beating(results: Results, file: Path) -> Path:
    """The payoff among greedy players against minutes of learning."""
    figure, axes = _axes()
    for name, game in results["games"].items():
        for way, run in game.items():
            minutes = [point["seconds"] / _MINUTE for point in run["curve"]]
            lows, means, highs = (
                [point[key] for point in run["curve"]] for key in ("low", "mean", "high")
            )
            axes.plot(minutes, means, marker=".", label=f"{name}, {way}")
            axes.fill_between(minutes, lows, highs, alpha=_SHADE)
    axes.axhline(0, color="black", linewidth=_THIN)
    axes.set(xlabel="minutes", ylabel="mean payoff of one seat among greedy players")
    axes.legend()
    figure.savefig(file, format="png")
    return file


def _axes() -> tuple[Figure, Axes]:
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


#: The picture of a result file, by its name.
PLOTS: dict[str, Callable[[Results, Path], Path]] = {
    "throughput": throughput,
    "peers": peers,
    "growth": growth,
    "beating": beating,
}
