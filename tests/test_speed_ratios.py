"""A lost optimisation fails here; a slow or busy machine does not.

Rates are compared within one process, in turns. Each bound is about half of what was measured on a
quiet machine and on a busy one, where the ratios moved by a twentieth. Records that Numba takes for
those of another type are enough to fall below both bounds, a copy of every observation below one.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tefuda.envs import GAMES

RATIOS = Path(__file__).parents[1] / "benchmarks" / "ratios.py"

#: The least ratios of every game: batch engine to floor, raw AEC to plain Python rules.
LEAST = {
    "gacha_v0": {"batch_to_floor": 0.045, "aec_to_plain": 2.2},
    "quatre_v0": {"batch_to_floor": 0.055, "aec_to_plain": 190.0},
    "torutorento_v0": {"batch_to_floor": 0.042, "aec_to_plain": 2.3},
}


@pytest.mark.parametrize("game", GAMES)
def test_no_optimisation_is_lost(game: str) -> None:
    done = subprocess.run([sys.executable, RATIOS, game], stdout=subprocess.PIPE, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    assert measured.keys() == LEAST[game].keys()
    for name, least in LEAST[game].items():
        assert measured[name] >= least, measured
