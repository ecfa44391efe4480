"""Games between agents, and what they pay."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.training.agents.base import Agent


def play_out(
    tables: Tables, agents: Sequence[Agent], seating: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Plays every table to the end of its game.

    Args:
        tables: N tables without autoreset, each at a decision.
        agents: Who plays.
        seating: (N, P) the index in `agents` of who sits at each table and seat.

    Returns:
        (N, P) the payoffs.
    """
    payoffs = np.zeros(seating.shape)
    rows = np.flatnonzero(~tables.done)
    while rows.size:
        actions = np.zeros(rows.size, np.int64)
        acting = seating[rows, tables.seat[rows]]
        for index, agent in enumerate(agents):
            own = np.flatnonzero(acting == index)
            if own.size:
                actions[own] = agent.act(tables, rows[own])
        tables.step(actions, rows)
        payoffs[rows] += tables.reward[rows]
        rows = rows[~tables.done[rows]]
    return payoffs
