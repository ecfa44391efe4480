"""Whom the learner meets at its tables: itself, and now and then other players."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tefuda.training.agents.base import Agent
from tefuda.wrappers.sb3 import LEARNER


class League:
    """A seating in which a share of the games is played among other players.

    In such a game the learner has one seat, and one of the others plays all the rest: as in an
    evaluation. In all other games the learner plays every seat.

    Args:
        players: The others.
        share: The share of the games that is played among them.
    """

    def __init__(self, players: Sequence[Agent], share: float) -> None:
        self.players = players
        self._share = share if players else 0.0
        self._rng = np.random.default_rng()

    def seed(self, seed: int) -> None:
        """Begins the draws of a seed."""
        self._rng = np.random.default_rng(seed)

    def draw(self, games: int, seats: int) -> npt.NDArray[np.int64]:
        """(games, seats) who sits where, an index of `players` or `LEARNER`."""
        seating = np.full((games, seats), LEARNER, np.int64)
        away = np.flatnonzero(self._rng.random(games) < self._share)
        if away.size:
            seating[away] = self._rng.integers(len(self.players), size=(away.size, 1))
            seating[away, self._rng.integers(seats, size=away.size)] = LEARNER
        return seating
