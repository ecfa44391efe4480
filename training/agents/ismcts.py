"""A player that searches: information-set Monte Carlo tree search."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.contract import verbs_of
from tefuda.envs.core.engine import Engine, kernel_sources
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.envs.core.jit import bind, fields
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import search
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.agents.streams import AgentStreams

#: How simulations are played on below the tree.
ROLLOUTS = ("random", "greedy")


class IsmctsAgent:
    """Plays the action that its search visits most (see `training.agents.search`).

    Args:
        simulations: Games played for every decision.
        exploration: The weight of the exploring term; values are scaled to 0 .. 1.
        widening: A node has at most this many edges, in square roots of its visits.
        rollout: "random" or "greedy": who plays below the tree.
        horizon: After how many scoring events (rounds) a simulation stops; what it has brought is
            the points of these and, if the game ends by then, the win.
        seed: Seeds what it draws.
        name: What tables and files call it.

    Raises:
        OptionError: An argument is not allowed.
    """

    def __init__(
        self,
        simulations: int = 400,
        exploration: float = 0.7,
        widening: float = 2.0,
        rollout: str = "random",
        horizon: int = 1,
        seed: int = 0,
        name: str | None = None,
    ) -> None:
        if rollout not in ROLLOUTS:
            raise OptionError(f"rollout={rollout!r} is not one of {', '.join(ROLLOUTS)}")
        _check("simulations", simulations, int)
        _check("horizon", horizon, int)
        _check("exploration", exploration, (int, float))
        _check("widening", widening, (int, float))
        self.name = name or f"ismcts:{simulations}"
        self.simulations = simulations
        self._plan = fields(np.zeros(1, search.PLAN))
        self._plan[0] = (simulations, exploration, widening, ROLLOUTS.index(rollout), horizon)
        self._streams = AgentStreams(seed)
        self._room: dict[tuple[int, int, np.dtype[Any]], tuple[Any, ...]] = {}

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`.

        Raises:
            TefudaError: The game has no scripted player, which the search begins with.
        """
        engine = tables.engine
        loops = search_loops(engine.spec.id)
        actions = np.zeros(rows.size, np.int64)
        holders = self._streams.begin(tables, rows)
        loops.search_rows(
            tables.games, engine.parts, holders, rows, self._plan, *self._room_for(engine), actions
        )
        return actions

    def _room_for(self, engine: Engine) -> tuple[Any, ...]:
        """Room for a world, a tree, its nodes, its edges and a path, kept from call to call."""
        key = engine.players, engine.actions, engine.setup.dtype
        if key not in self._room:
            tree = search.tree_dtype(engine.players, engine.actions)
            edge = search.edge_dtype(engine.players)
            self._room[key] = (
                engine.records(1),
                fields(np.zeros(1, tree)),
                fields(np.zeros(self.simulations + 1, search.NODE)),
                fields(np.zeros(self.simulations, edge)),
                np.zeros(self.simulations, np.int64),
            )
        return self._room[key]


def _check(name: str, value: Any, kinds: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, kinds) or not value > 0:
        number = "an integer" if kinds is int else "a number"
        raise OptionError(f"{name}={value!r} is not allowed; it must be {number} above 0")


@cache
def search_loops(game: str) -> Any:
    """The search bound to a game.

    Raises:
        TefudaError: The game has no scripted player.
    """
    spec = find_game(game)
    if spec.greedy is None:
        raise TefudaError(f"{spec.name} has no greedy player")
    verbs = verbs_of(spec.rules, None, spec.greedy)
    sources = (*kernel_sources(spec), Path(search.__file__))
    return bind(f"{game}_search", search, verbs, sources)
