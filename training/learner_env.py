"""The learner's tables: what the critic may see beside, and observations turned at random."""

import math

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.spaces import observation_space
from tefuda.training.augment import Turner
from tefuda.training.network import ACTIONS, OTHERS, OWN
from tefuda.wrappers.sb3 import Observations, Seating, TablesVecEnv, shown

Rows = npt.NDArray[np.int8]
_Ints = npt.NDArray[np.int64]


class LearnerEnv(TablesVecEnv):
    """A `TablesVecEnv` whose observations can hold more, or be turned.

    Args:
        tables: The tables.
        seating: Who else plays.
        privileged: Whether observations get a piece `others` (P - 1, D), for the critic: what all
            other seats see, clockwise, without features of actions.
        turner: Turns each observation at random, its mask too, and turns actions back; None
            leaves all as it is.

    Attributes:
        seating: As given.
    """

    def __init__(
        self,
        tables: Tables,
        seating: Seating | None = None,
        *,
        privileged: bool = False,
        turner: Turner | None = None,
    ) -> None:
        super().__init__(tables, seating)
        self.seating = seating
        self._privileged = privileged
        self._turner = turner
        self._rng = np.random.default_rng()
        self._shown = (tables.observation, tables.action_mask)
        self._turns: _Ints = np.zeros(tables.tables, np.int64)
        if privileged:
            self.observation_space = privileged_space(tables.engine)

    def reset(self) -> Observations:
        """See `TablesVecEnv`."""
        if self._seeds[0] is not None:
            self._rng = np.random.default_rng(self._seeds[0])
        return super().reset()

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """See `TablesVecEnv`."""
        if self._turner is not None:
            actions = self._turner.undo(*self._shown, np.asarray(actions, np.int64), self._turns)
        super().step_async(actions)

    def action_masks(self) -> Rows:
        """See `TablesVecEnv`."""
        return self._shown[1].copy()

    def observe_all(self) -> Observations:
        """See `TablesVecEnv`; nothing is turned."""
        engine, seen = self.tables.engine, self._seen_by_all()
        own = shown(engine, seen.reshape(-1, engine.size))
        if not self._privileged:
            return own
        seats = range(self.tables.players)
        others = np.stack([_others(seen, np.full(len(seen), seat)) for seat in seats], axis=1)
        return with_others(own, _lean(engine, others.reshape(-1, *others.shape[2:])))

    def _look(self) -> Observations:
        """See `TablesVecEnv`."""
        tables, engine = self.tables, self.tables.engine
        rows = tables.observation.reshape(tables.tables, -1)
        self._shown = (rows.copy(), tables.action_mask.copy())
        if self._turner is not None:
            self._turns = self._turner.draw(tables.tables, self._rng)
            nothing = np.zeros(tables.tables, np.int64)
            observations, masks, _ = self._turner.turn(*self._shown, nothing, self._turns)
            self._shown = (observations, masks)
        own = shown(engine, self._shown[0])
        if not self._privileged:
            return own
        return with_others(own, _lean(engine, _others(self._seen_by_all(), tables.seat)))

    def _seen_by_all(self) -> Rows:
        """(N, P, D) what every seat sees."""
        tables = self.tables
        return tables.observe_all().reshape(tables.tables, tables.players, -1)


def with_others(own: Observations, others: Rows) -> Observations:
    """Own observations (M, ...) with what the others see (M, P - 1, D)."""
    pieces = own if isinstance(own, dict) else {OWN: own}
    return {**pieces, OTHERS: others}


def privileged_space(engine: Engine) -> spaces.Dict:
    """The space of observations of the acting seat with what all others see."""
    own = observation_space(engine)
    pieces = dict(own.spaces) if isinstance(own, spaces.Dict) else {OWN: own}
    highs = np.tile(engine.highs().reshape(-1), (1, engine.players - 1, 1))
    high = _lean(engine, highs)[0]
    return spaces.Dict({**pieces, OTHERS: spaces.Box(np.zeros_like(high), high, dtype=np.int8)})


def _others(seen: Rows, seats: _Ints) -> Rows:
    """(N, P - 1, D) what the seats after `seats` (N,) see, clockwise, of what all see (N, P, D)."""
    players = seen.shape[1]
    following = (seats[:, None] + np.arange(1, players)) % players
    others: Rows = seen[np.arange(len(seen))[:, None], following]
    return others


def _lean(engine: Engine, rows: Rows) -> Rows:
    """Observations (M, P - 1, D) without features of actions, of which a critic makes nothing."""
    begin = 0
    for name, shape in engine.pieces.items():
        end = begin + math.prod(shape)
        if name == ACTIONS:
            return np.delete(rows, np.s_[begin:end], axis=2)
        begin = end
    return rows
