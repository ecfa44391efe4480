"""How fast equilibria of the research components are found: NashConv under CFR and CFR+.

Both components are no published games but small ones, of which every history can be visited. The
solvers are OpenSpiel's, on trees that are kept in C++. Nothing is random.

Use: python benchmarks/equilibria.py [--iterations N]

Writes equilibria.json and equilibria.png to benchmarks/results.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel
import results
from matplotlib.figure import Figure

from tefuda.wrappers.openspiel import OpenSpielGame

#: The components, as OpenSpiel loads them.
GAMES = {
    "gacha, duel": "tefuda_gacha(players=2,components=duel,scoring=vp,rounds=1)",
    "torutorento, meadow": "tefuda_torutorento(players=2,components=meadow,max_rounds=1)",
}
SOLVERS = {"CFR": pyspiel.CFRSolver, "CFR+": pyspiel.CFRPlusSolver}
MOST = 300

_SIZE = (8.0, 4.5)  # inches
_DPI = 120
_FAINT = 0.4  # opacity of the grid


def points(most: int) -> list[int]:
    """The iterations after which NashConv is computed: 1, 3, 10, 30 ... up to the most."""
    steps = [count * 10**power for power in range(6) for count in (1, 3)]
    return [step for step in steps if step <= most]


def curve(game: str, solver: str, most: int) -> list[list[float]]:
    """[iterations, NashConv of the average policy] of a solver; 0 is an equilibrium."""
    game_of_python: OpenSpielGame = pyspiel.load_game(GAMES[game])
    tree = pyspiel.convert_to_cached_tree(game_of_python)
    running = SOLVERS[solver](tree)
    found: list[list[float]] = []
    done = 0
    for iterations in points(most):
        for _ in range(iterations - done):
            running.evaluate_and_update_policy()
        done = iterations
        found.append([done, round(pyspiel.nash_conv(tree, running.average_policy()), 6)])
    return found


def measure(most: int) -> Iterator[dict[str, Any]]:
    """A row for each game and solver."""
    for game, loaded in GAMES.items():
        for solver in SOLVERS:
            found = curve(game, solver, most)
            print(game, solver, *found[-1])
            yield {"game": game, "load": loaded, "solver": solver, "curve": found}


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    """Draws all curves on logarithmic axes."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    for row in rows:
        style = "-" if row["solver"] == "CFR" else "--"
        label = f"{row['game']}: {row['solver']}"
        axes.loglog(*zip(*row["curve"], strict=True), style, marker="o", label=label)
    axes.set(xlabel="iterations", ylabel="NashConv of the average policy")
    axes.grid(alpha=_FAINT, which="both")
    axes.legend()
    figure.savefig(file, dpi=_DPI)


def main() -> None:
    """Measures, writes and draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=MOST, metavar="N")
    rows = list(measure(parser.parse_args().iterations))
    told = {"name": "equilibria", **results.circumstances(), "rows": rows}
    written = results.write(told, results.FOLDER / "equilibria.json")
    draw(rows, written.with_suffix(".png"))


if __name__ == "__main__":
    main()
