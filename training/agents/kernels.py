"""Random numbers of agents, keyed so that they depend on nothing but the decision at hand."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.chance import next_word, stream_of
from tefuda.envs.core.jit import Records

_ROUND = np.uint64(32)  # a decision's place in a game: the round above these bits, events below
_AGENT = np.uint64(0x6167656E74)  # sets these streams apart from those of games
_UNIT = 1 / 2**32


def key_streams(games: Records, rows: npt.NDArray[np.int64], seed: Any, holders: Records) -> None:
    """Starts the stream of the present decision in `holders[row]` of each row.

    Its key is the agent's seed, the game's key, the acting seat, and how much has happened.
    """
    for k in range(rows.size):
        row = rows[k]
        game = games[row]
        course = stream_of(seed, game.seed, game.table, game.number)
        place = (np.uint64(game.round_index) << _ROUND) | np.uint64(game.logged)
        holders[row].stream = stream_of(course, np.uint64(game.seat), place, _AGENT)


def draw_units(holders: Records, rows: npt.NDArray[np.int64], units: npt.NDArray[Any]) -> None:
    """Draws a number in [0, 1) for each row."""
    for k in range(rows.size):
        units[k] = next_word(holders[rows[k]]) * _UNIT
