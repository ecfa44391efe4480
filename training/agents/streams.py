"""The random streams of an agent, one for every decision."""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM, check_seed, draw_fraction
from tefuda.envs.core.jit import Records, fields
from tefuda.training.agents.base import Rows


class AgentStreams:
    """Streams keyed by (agent's seed, game's key, seat, decision).

    What an agent draws for a decision is therefore the same in any batch, in any order.
    """

    def __init__(self, seed: int) -> None:
        self._seed = np.uint64(check_seed(seed))
        self._holders = fields(np.zeros(0, STREAM))

    def begin(self, tables: Tables, rows: Rows) -> Records:
        """The holders (N,) of the tables' streams, with those of `rows` ready for a decision."""
        if self._holders.size < tables.tables:
            self._holders = fields(np.zeros(tables.tables, STREAM))
        tables.engine.loops.start_agent_streams(tables.games, self._holders, rows, self._seed)
        return self._holders

    def fractions(self, tables: Tables, rows: Rows) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for the decision of each row."""
        holders = self.begin(tables, rows)
        return np.array([draw_fraction(holders[row]) for row in rows])
