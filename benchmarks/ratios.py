"""How one face of a game compares with another in one process: what must not get lost.

Use: python benchmarks/ratios.py GAME

Prints, as JSON: the batch engine's step as a part of the floor's, and raw AEC as a multiple of a
loop over plain Python rules (without "aec_to_plain" where there are no such rules). Each is the
median of rounds in which all had their turn.
"""

import json
import sys

import contenders
from measure import Effort, measure, ratio

# Few tables: their arrays stay in the processor's nearest caches, and the ratio does not depend on
# how fast memory is.
_TABLES = 64
_SCRIPTS = 2
_EFFORT = Effort(rounds=7, seconds=0.05)


def ratios(game: str) -> dict[str, float]:
    """Measures the ratios of a game."""
    encoder = contenders.encoders(game)[0]
    tape, scripts = contenders.write_tape(game, _TABLES), contenders.write_scripts(game, _SCRIPTS)
    rivals = [
        contenders.step(game, encoder, tape),
        contenders.floor(game, encoder, _TABLES),
        contenders.raw(game, scripts),
    ]
    second = contenders.plain(game, scripts)
    step, floor, raw, *plain = measure([*rivals, *([second] if second else [])], _EFFORT)
    found = {"batch_to_floor": ratio(step, floor)}
    if plain:
        found["aec_to_plain"] = ratio(raw, plain[0])
    return found


if __name__ == "__main__":
    print(json.dumps(ratios(sys.argv[1])))
