"""What a player is to a batch of tables."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables

Rows = npt.NDArray[np.int64]
Actions = npt.NDArray[np.int64]


class Agent(Protocol):
    """Chooses for the acting seats of some tables.

    An agent may read observations and masks and call kernels on the records of the games, but it
    uses only what the acting seat may know.

    Attributes:
        name: What tables and files call it.
    """

    name: str

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """Chooses an action (R,) for the acting seat of each table in `rows` (R,).

        No game is over at these tables.
        """
        ...
