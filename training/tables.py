"""Results as tables for a terminal."""

from collections.abc import Sequence

from rich.table import Table

from tefuda.training.evaluate import CONFIDENCE, Evaluation

_EXPLANATION = f"even player 0, sole winner 1; ± half the {CONFIDENCE:.0%} interval over deals"


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


def matrix_table(results: Sequence[Evaluation]) -> Table:
    """One row an agent, one column for whom it met in the other seats."""
    names = list(dict.fromkeys(result.agent for result in results))
    cells = {
        (result.agent, result.opponents): f"{result.mean:+.3f} ±{result.half_width:.3f}"
        for result in results
    }
    table = Table(title="mean payoff of one seat", caption=_EXPLANATION)
    table.add_column("among")
    for name in names:
        table.add_column(name, justify="right")
    for name in names:
        table.add_row(name, *[cells.get((name, other), "") for other in names])
    return table
