"""Games between agents: dealt by their numbers, played to the end, and what they pay."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import check_seed
from tefuda.training.agents.base import Agent


class Played(NamedTuple):
    """What N games came to.

    Attributes:
        payoffs: (N, P) float64, the sums of the rewards.
        actions: The actions of each game in order, where they were to be kept; else empty lists.
    """

    payoffs: npt.NDArray[np.float64]
    actions: list[list[int]]


def deal(tables: Tables, seed: int, numbers: npt.NDArray[np.int64]) -> None:
    """Begins the games (seed, numbers[i], 0) at the tables i.

    A game's chance follows from its key alone. So the games of a long list can be played in any
    portions, by any number of processes, and one deal at several tables.

    Raises:
        OptionError: The seed is not allowed.
    """
    seed = check_seed(seed)
    engine, rows = tables.engine, np.arange(tables.tables)
    for row, number in enumerate(numbers.tolist()):
        engine.begin(tables.games, row, (seed, number, 0))
        engine.loops.settle_one(tables.games, engine.parts, row)
    engine.loops.show_rows(
        tables.games, engine.parts, rows, tables.observation.reshape(tables.tables, -1),
        tables.action_mask, tables.seat, tables.reward, tables.done, tables.truncated,
        tables.totals, tables.winners,
    )  # fmt: skip


def play_out(
    tables: Tables,
    agents: Sequence[Agent],
    seating: npt.NDArray[np.int64],
    *,
    keep_actions: bool = False,
) -> Played:
    """Plays every table to the end of its game.

    Args:
        tables: N tables without autoreset, each at a decision.
        agents: Who plays.
        seating: (N, P) the index in `agents` of who sits at each table and seat.
        keep_actions: Whether to tell the actions too.
    """
    played = Played(np.zeros(seating.shape), [[] for _ in range(tables.tables)])
    rows = np.flatnonzero(~tables.done)
    while rows.size:
        actions = np.zeros(rows.size, np.int64)
        acting = seating[rows, tables.seat[rows]]
        for index, agent in enumerate(agents):
            own = np.flatnonzero(acting == index)
            if own.size:
                actions[own] = agent.act(tables, rows[own])
        tables.step(actions, rows)
        played.payoffs[rows] += tables.reward[rows]
        if keep_actions:
            for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
                played.actions[row].append(action)
        rows = rows[~tables.done[rows]]
    return played
