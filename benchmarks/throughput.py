"""Decisions per CPU second of every face of every game, side by side in one process.

Use: python benchmarks/throughput.py [--quick] [--games gacha_v0 ...] [--results FOLDER]
"""

from dataclasses import asdict

import command
import contenders
from measure import QUICK, Effort, measure
from results import Results

_COUNTS = (1, 64, contenders.USUAL, 8192)
_QUICK_COUNTS = (1, contenders.USUAL)


def _effort(quick: bool) -> Effort:
    return QUICK if quick else Effort()


def measure_game(game: str, quick: bool) -> Results:
    """Measures a game: its sizes, and the rates of all its contenders."""
    rivals = contenders.all_of(game, _QUICK_COUNTS if quick else _COUNTS)
    rows = [
        {**asdict(rival.case), "rounds": [round(rate) for rate in rates]}
        for rival, rates in zip(rivals, measure(rivals, _effort(quick)), strict=True)
    ]
    return {"sizes": contenders.sizes(game), "rates": rows}


if __name__ == "__main__":
    command.run(
        command.Script(
            name="throughput",
            purpose="Measures decisions per CPU second.",
            settings=lambda quick: asdict(_effort(quick)),
            measure=measure_game,
        )
    )
