"""Results as tables for a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from tefuda.training.evaluate import CONFIDENCE, Evaluation

if TYPE_CHECKING:
    from tefuda.training.ratings import Rating

_EXPLANATION = (
    f"an even player has 0, with reward=win a sole winner 1; "
    f"± is half the {CONFIDENCE:.0%} interval, deals being the sample"
)
_RATING_EXPLANATION = (
    "by who won, all games at once; 400 points are a factor of ten in strength, 0 is the mean of "
    "these agents"
)


def results_table(results: Sequence[Evaluation]) -> Table:
    """One row a result."""
    table = Table(title="mean payoff of one seat", caption=_EXPLANATION)
    for heading in ("agent", "among"):
        table.add_column(heading)
    for heading in ("mean payoff", f"{CONFIDENCE:.0%} interval", "won", "games"):
        table.add_column(heading, justify="right")
    for result in results:
        low, high = result.interval
        table.add_row(
            result.agent,
            result.opponents,
            f"{result.mean:+.3f}",
            f"{low:+.3f} .. {high:+.3f}",
            f"{result.wins:.1%}",
            f"{result.games:,}",
        )
    return table


def print_matrix(results: Sequence[Evaluation], complete: bool) -> None:
    """Prints one row an agent, one column for whom it met in the other seats."""
    console = Console()
    console.print(_matrix(results))
    if not complete:
        console.print("[bold]interrupted: fewer games than asked for[/bold]")
    games = [result.games for result in results]
    told = " to ".join(f"{count:,}" for count in sorted({min(games), max(games)}))
    console.print(f"{told} games a pair")


def print_ratings(ratings: "Sequence[Rating]") -> None:
    """Prints one row an agent, the strongest first."""
    table = Table(title="ratings (Plackett-Luce)", caption=_RATING_EXPLANATION)
    table.add_column("agent")
    for heading in ("rating", f"{CONFIDENCE:.0%} interval"):
        table.add_column(heading, justify="right")
    for one in sorted(ratings, key=lambda rating: -rating.rating):
        table.add_row(one.agent, f"{one.rating:+.0f}", f"{one.low:+.0f} .. {one.high:+.0f}")
    Console().print(table)


def _matrix(results: Sequence[Evaluation]) -> Table:
    names = list(dict.fromkeys(name for r in results for name in (r.agent, r.opponents)))
    cells = {
        (result.agent, result.opponents): f"{result.mean:+.3f} ±{result.half_width:.3f}"
        for result in results
    }
    table = Table(title="mean payoff of one seat", caption=_EXPLANATION)
    table.add_column("one \\ among")
    for name in names:
        table.add_column(name, justify="right")
    for name in names:
        table.add_row(name, *[cells.get((name, other), "") for other in names])
    return table
