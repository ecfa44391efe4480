"""What came of a cross-play: printed, as JSON, as pictures."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tefuda.envs.core.errors import OptionError
from tefuda.training.crossplay import CrossPlay
from tefuda.training.evaluate import Evaluation
from tefuda.training.extras import MissingExtraError, needs
from tefuda.training.files import check_output, write_json
from tefuda.training.tables import print_matrix, print_ratings

if TYPE_CHECKING:
    from tefuda.training.ratings import Rating

_MATRIX, _RATINGS = "matrix.png", "ratings.png"


def check_report(json_file: Path | None, plots: Path | None) -> None:
    """Sees before long work that its results can be written, and makes the folder of the pictures.

    Raises:
        OptionError: A file cannot be written where it is to go.
        MissingExtraError: What draws is not installed.
    """
    if json_file:
        check_output(json_file)
    if plots:
        with needs("evaluate"):
            import_module("tefuda.training.plot")
        if plots.exists() and not plots.is_dir():
            raise OptionError(f"cannot draw into {plots}: it is no folder")
        plots.mkdir(parents=True, exist_ok=True)


def report(crossplay: CrossPlay, json_file: Path | None = None, plots: Path | None = None) -> None:
    """Prints what has been played so far, and writes it where wanted; nothing if there is nothing.

    Without statsmodels there are no ratings, and a line says so.
    """
    results = crossplay.results()
    if not results:
        return
    print_matrix(results, crossplay.complete)
    ratings: list[Rating] = []
    try:
        ratings = crossplay.ratings()
    except MissingExtraError as error:
        print(f"no ratings: {error}", file=sys.stderr)
    else:
        if not ratings:
            print("no ratings: not every pair has played yet", file=sys.stderr)
    if ratings:
        print_ratings(ratings)
    if json_file:
        rated = [rating.as_dict() for rating in ratings]
        write_json(json_file, {**crossplay.as_dict(), "ratings": rated})
    if plots:
        _draw(crossplay.title, results, ratings, plots)


def _draw(
    title: str, results: Sequence[Evaluation], ratings: "Sequence[Rating]", folder: Path
) -> None:
    """Draws the matrix, and the ratings where there are any."""
    from tefuda.training.plot import plot_matrix, plot_ratings

    plot_matrix(results, folder / _MATRIX, f"{title}: mean payoff of one seat")
    (folder / _RATINGS).unlink(missing_ok=True)  # no older ones beside a new matrix
    if ratings:
        plot_ratings(ratings, folder / _RATINGS, f"{title}: ratings")
