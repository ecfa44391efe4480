"""Players that need no learning: a random one, and each game's own greedy one."""

import numpy as np

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import TefudaError
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.agents.streams import AgentStreams


class RandomAgent:
    """Plays uniformly random legal actions."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._streams = AgentStreams(seed)

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`."""
        actions = np.zeros(rows.size, np.int64)
        holders = self._streams.begin(tables, rows)
        engine = tables.engine
        engine.loops.random_actions(tables.games, engine.parts, holders, rows, actions)
        return actions


class GreedyAgent:
    """Plays what the game's scripted player plays.

    Attributes:
        seed: Seeds how it breaks ties.
    """

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._streams = AgentStreams(seed)

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`.

        Raises:
            TefudaError: The game has no scripted player.
        """
        engine = tables.engine
        if engine.spec.greedy is None:
            raise TefudaError(f"{engine.spec.name} has no greedy player")
        actions = np.zeros(rows.size, np.int64)
        holders = self._streams.begin(tables, rows)
        engine.loops.greedy_actions(tables.games, engine.parts, holders, rows, actions)
        return actions
