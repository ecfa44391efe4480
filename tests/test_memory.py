"""Memory does not grow with the games that are played (`make bench` plays a million)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tefuda.envs import GAMES

PLAY = Path(__file__).parents[1] / "benchmarks" / "memory_play.py"

MOST_BYTES = 2**20
#: What one integer kept of every decision would take.
BYTES_A_DECISION = 8


@pytest.mark.parametrize("game", GAMES)
def test_memory_is_flat(game: str) -> None:
    command = [sys.executable, PLAY, game, "batch", "10000"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    first, *_, last = json.loads(done.stdout)
    assert last["games"] >= 10000
    decisions = last["decisions"] - first["decisions"]
    assert BYTES_A_DECISION * decisions > 2 * MOST_BYTES
    assert last["bytes"] - first["bytes"] < MOST_BYTES
