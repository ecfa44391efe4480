"""One seat learns, agents play the others: the part that single and vector environments share.

Games pay a seat in the others' turns too. What a table pays to the learner is therefore added up
from one of its decisions to the next, and to the end of the game: nothing is lost, the last loss
included.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import OptionError
from tefuda.training.agents import Agent, make_agent

Rows = npt.NDArray[np.int64]

#: The seat of the learner may be drawn anew for every game.
RANDOM_SEAT = "random"

# Tells the drawing of seats from everything else that a game's key seeds.
_SEATING = 0x5EA7


class SeatTables:
    """Tables at which a learner has one seat and agents have the others.

    Args:
        tables: The tables, without autoreset; they belong to this object from now on.
        seat: The learner's seat, or "random": drawn anew for every game, by the game's key.
        opponents: The name of an agent or an agent, for all other seats; or a list of P - 1 of
            them, clockwise from the learner.

    Attributes:
        tables: The tables.
        learner: (N,) the learner's seat at each table.
        earned: (N,) float32, what the learner has been paid since `collect`.

    Raises:
        OptionError: The seat or the opponents are not allowed.
    """

    def __init__(
        self, tables: Tables, seat: int | str, opponents: str | Agent | Sequence[str | Agent]
    ) -> None:
        self.tables = tables
        self._seat = _check_seat(seat, tables.players)
        self._opponents = _make_opponents(opponents, tables.engine)
        self.learner = np.zeros(tables.tables, np.int64)
        self.earned = np.zeros(tables.tables, np.float32)

    def begin(self, rows: Rows) -> None:
        """Seats the learner in games that have just begun, and plays up to its first decision."""
        if self._seat == RANDOM_SEAT:
            for row in rows.tolist():
                key = [_SEATING, *self.tables.keys[row].tolist()]
                self.learner[row] = np.random.default_rng(key).integers(self.tables.players)
        else:
            self.learner[rows] = self._seat
        self.earned[rows] = 0
        self._play_others(rows)

    def step(self, actions: npt.NDArray[Any], rows: Rows) -> None:
        """Plays the learner's actions (R,), and the others' up to its next decision or the end."""
        self.tables.step(actions, rows)
        self._pay(rows)
        self._play_others(rows)

    def collect(self, rows: Rows) -> npt.NDArray[np.float32]:
        """(R,) what the learner was paid since the last time."""
        earned = self.earned[rows]
        self.earned[rows] = 0
        return earned

    def _play_others(self, rows: Rows) -> None:
        tables = self.tables
        while True:
            waiting = rows[~tables.done[rows] & (tables.seat[rows] != self.learner[rows])]
            if not waiting.size:
                return
            tables.step(self._others_actions(waiting), waiting)
            self._pay(waiting)

    def _others_actions(self, rows: Rows) -> Rows:
        offsets = (self.tables.seat[rows] - self.learner[rows]) % self.tables.players
        actions = np.zeros(rows.size, np.int64)
        for offset, agent in enumerate(self._opponents, start=1):
            own = np.flatnonzero(offsets == offset)
            if own.size:
                actions[own] = agent.act(self.tables, rows[own])
        return actions

    def _pay(self, rows: Rows) -> None:
        self.earned[rows] += self.tables.reward[rows, self.learner[rows]]

    # ---------------------------------------------------------------- looking

    def observe(self, rows: Rows) -> Any:
        """(R, ...) what the learner sees, newly made, also at tables where the game is over."""
        engine = self.tables.engine
        seen = np.empty((rows.size, engine.size), np.int8)
        for k, row in enumerate(rows.tolist()):
            engine.loops.observe_one(
                self.tables.games, engine.parts, row, self.learner[row], seen[k]
            )
        return engine.show(seen)

    def masks(self, rows: Rows) -> npt.NDArray[np.int8]:
        """(R, A) the learner's legal actions, all zero where the game is over."""
        return self.tables.action_mask[rows] * ~self.tables.done[rows, None]


def _check_seat(seat: Any, players: int) -> int | str:
    allowed = seat == RANDOM_SEAT or (
        isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < players
    )
    if not allowed:
        raise OptionError(f"seat={seat!r} is not one of 0 .. {players - 1} or {RANDOM_SEAT!r}")
    return RANDOM_SEAT if seat == RANDOM_SEAT else int(seat)


def _make_opponents(opponents: Any, engine: Engine) -> list[Agent]:
    players = engine.players
    if isinstance(opponents, str) or hasattr(opponents, "act"):
        opponents = [opponents] * (players - 1)
    if len(opponents) != players - 1:
        raise OptionError(
            f"opponents are {len(opponents)}, but must be one, or one for each of the "
            f"{players - 1} other seats"
        )
    made = {name: make_agent(name, engine=engine) for name in opponents if isinstance(name, str)}
    return [made[agent] if isinstance(agent, str) else agent for agent in opponents]
