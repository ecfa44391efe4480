"""Decisions per second, side by side in one process; cold start; memory over many games.

Use: python benchmarks/throughput.py [--quick] [--games gacha_v0 ...]      (or: make bench ARGS=...)

Prints tables. A whole run also writes benchmarks/results/throughput.json and, from it, the tables
of the documents. A game that cannot be measured is left out, with its reason.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cold
import contenders
import memory
import tables
from measure import Effort, measure
from results import FOLDER, Results, circumstances, write

from tefuda.envs import GAMES

RESULT = FOLDER / "throughput.json"

# A single table is slower; for its memory a part of the games will do.
_GAMES_PER_AEC_GAME = 200


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        tables: Numbers of tables of the batch engine.
        effort: Rounds, and seconds of each.
        starts: Cold starts of each kind.
        games: Games played while memory is read.
    """

    tables: tuple[int, ...] = (1, 64, 1024, 8192)
    effort: Effort = Effort()
    starts: int = 5
    games: int = 1_000_000


QUICK = Plan(tables=(1, 1024), effort=Effort(rounds=5, seconds=0.03), starts=1, games=20_000)


def run(games: Sequence[str], plan: Plan) -> Results:
    """Measures all games."""
    results: Results = {
        **circumstances(),
        "effort": asdict(plan.effort),
        "games": {},
        "left_out": {},
    }
    for game in games:
        try:
            results["games"][game] = run_game(game, plan)
        except Exception as error:  # a broken game must not spoil the others' measurement
            results["left_out"][game] = f"{type(error).__name__}: {error}"
            _tell(f"{game} is left out: {results['left_out'][game]}")
    return results


def run_game(game: str, plan: Plan) -> Results:
    """Measures one game."""
    _tell(f"{game}: rates")
    rivals = contenders.all_of(game, plan.tables)
    rates = measure(rivals, plan.effort)
    rows = [
        {**asdict(case), "rounds": [round(rate) for rate in rounds]}
        for case, rounds in rates.items()
    ]
    _tell(f"{game}: cold start")
    starts = {face: cold.cold_start(game, face, plan.starts) for face in cold.FACES}
    _tell(f"{game}: memory")
    held = {face: memory.memory(game, face, _games(plan, face)) for face in memory.FACES}
    sizes = contenders.sizes(game)
    return {"sizes": sizes, "rates": rows, "cold": starts, "memory": held}


def _games(plan: Plan, face: str) -> int:
    return plan.games // _GAMES_PER_AEC_GAME if face == "aec" else plan.games


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures tefuda's decisions per second.")
    parser.add_argument("--quick", action="store_true", help="a rough run of less than a minute")
    parser.add_argument("--games", nargs="+", default=GAMES, help="all by default")
    parser.add_argument("--output", type=Path, help=f"result file; {RESULT.name} for a whole run")
    return parser.parse_args()


def main() -> None:
    """Measures, prints, writes."""
    arguments = _arguments()
    results = run(arguments.games, QUICK if arguments.quick else Plan())
    for _, make in tables.TABLES.values():
        tables.show(make(results))
    whole = not arguments.quick and set(arguments.games) == set(GAMES)
    output: Path | None = arguments.output or (RESULT if whole else None)
    if output is not None:
        write(results, output)
        print(f"wrote {output}")
    if output == RESULT:
        for path in tables.update():
            print(f"wrote {path}")
    if not results["games"]:
        sys.exit("no game could be measured")


if __name__ == "__main__":
    main()
