"""The random streams of an agent, one for every decision."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core import chance
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM, check_seed
from tefuda.envs.core.jit import Records, bind, fields
from tefuda.training.agents import kernels
from tefuda.training.agents.base import Rows

_SOURCES = (Path(chance.__file__).parent, Path(kernels.__file__))
_LOOPS: Any = bind("agents", kernels, {}, _SOURCES)


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
        _LOOPS.key_streams(tables.games, rows, self._seed, self._holders)
        return self._holders

    def units(self, tables: Tables, rows: Rows) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each row's decision."""
        units = np.zeros(rows.size)
        _LOOPS.draw_units(self.begin(tables, rows), rows, units)
        return units
