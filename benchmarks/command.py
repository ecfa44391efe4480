"""What the scripts of this folder share: arguments, result file, tables, pictures."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tables
from plots import PLOTS
from results import FOLDER, Results, circumstances, write

from tefuda.envs import GAMES


@dataclass(frozen=True)
class Script:
    """A measurement.

    Attributes:
        name: Of its result file.
        purpose: What it does, for `--help`.
        settings: How much is measured, by whether the run is quick; kept with the results.
        measure: Measures a game, by whether the run is quick.
    """

    name: str
    purpose: str
    settings: Callable[[bool], Results]
    measure: Callable[[str, bool], Results]


def run(script: Script) -> None:
    """Measures, prints, writes.

    Only a whole run (all games, not quick) takes the place of the results in `results/` and
    renews the documents. A game that fails ends the run.
    """
    arguments = _arguments(script)
    results: Results = {
        **circumstances(),
        "settings": script.settings(arguments.quick),
        "games": {},
    }
    for game in arguments.games:
        print(f"{game}: {script.name} ...", file=sys.stderr, flush=True)
        results["games"][game] = script.measure(game, arguments.quick)
    whole = not arguments.quick and set(arguments.games) == set(GAMES)
    finish(script.name, results, arguments.results or (FOLDER if whole else None))


def finish(name: str, results: Results, folder: Path | None) -> None:
    """Prints the tables of results and, with a folder, writes them there.

    With the project's own folder it also writes the documents.
    """
    for made in tables.tables_of(f"{name}.json"):
        tables.show(made(results))
    if folder is None:
        return
    written = [write(results, folder / f"{name}.json")]
    if name in PLOTS:
        written.append(PLOTS[name](results, folder / f"{name}.png"))
    if folder == FOLDER:
        written += tables.update()
    for path in written:
        print(f"wrote {path}")


def _arguments(script: Script) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=script.purpose)
    parser.add_argument("--quick", action="store_true", help="a rough run that writes no results")
    parser.add_argument(
        "--games", nargs="+", default=GAMES, choices=GAMES, metavar="GAME", help="all by default"
    )
    parser.add_argument(
        "--results", type=Path, metavar="FOLDER", help="write the result file into this folder"
    )
    return parser.parse_args()
