"""Whom the learner meets at its tables: itself, and now and then other players.

The others are scripted players and earlier snapshots of the learner. Those snapshots that the
learner finds hard come oftener than the others (prioritised fictitious self-play).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.training.agents.base import Actions, Agent, Rows
from tefuda.training.network import TablePolicy
from tefuda.wrappers.sb3 import LEARNER, shown

#: Snapshots that are kept.
MOST_SNAPSHOTS = 8

#: Games in turn against one snapshot: where few play at a time, they decide in larger batches.
SNAPSHOT_GAMES = 64

# Games against a snapshot that count as even before any is played.
_EVEN_GAMES = 20

# How much what was played before counts once there is a new snapshot: the learner has learnt.
_FORGETTING = 0.5

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]


class Snapshot:
    """The learner as it was: plays its policy's likeliest actions.

    Args:
        policy: The policy; it is copied.
    """

    name = "snapshot"

    def __init__(self, policy: TablePolicy) -> None:
        self._policy = policy.frozen()

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`; the tables show what the policy learnt from."""
        seen = shown(tables.engine, tables.observation[rows])
        actions, _ = self._policy.predict(
            seen, action_masks=tables.action_mask[rows], deterministic=True
        )
        return actions.astype(np.int64)


class League:
    """A seating in which a share of the games is played among other players.

    In such a game the learner has one seat, and one of the others plays all the rest: as in an
    evaluation. In all other games the learner plays every seat.

    Args:
        scripted: The scripted players.
        share: The share of the games that is played among them.
        snapshots: The share of the games that is played among snapshots, once there are any.
        every: Decisions of the learner from one snapshot to the next.

    Attributes:
        players: The scripted players, then the snapshots.
    """

    def __init__(
        self, scripted: Sequence[Agent], share: float, snapshots: float = 0.0, every: int = 0
    ) -> None:
        self.players = [*scripted]
        self._scripted = len(scripted)
        self._share = share if scripted else 0.0
        self._snapshot_share = snapshots
        self._every, self._next = every, 0
        # What the learner, and one seat of the snapshot on average, have won.
        self._won, self._lost = np.zeros(0), np.zeros(0)
        self._rng = np.random.default_rng()
        self._opponent, self._games_left = 0, 0

    def seed(self, seed: int) -> None:
        """Begins the draws of a seed."""
        self._rng = np.random.default_rng(seed)

    # ---------------------------------------------------------------- snapshots

    def watch(self, policy: TablePolicy, decisions: int) -> None:
        """Takes a snapshot of the learner if the time has come, after so many decisions."""
        if self._snapshot_share and decisions >= self._next:
            self._next = decisions + self._every
            self.add(Snapshot(policy))

    def add(self, snapshot: Agent) -> None:
        """Takes in a snapshot, if need be in place of the one that the learner finds easiest."""
        self._won *= _FORGETTING
        self._lost *= _FORGETTING
        if len(self._won) < MOST_SNAPSHOTS:
            self.players.append(snapshot)
            self._won, self._lost = np.append(self._won, 0.0), np.append(self._lost, 0.0)
            return
        easiest = int(self.win_rates().argmax())
        self.players[self._scripted + easiest] = snapshot
        self._won[easiest] = self._lost[easiest] = 0

    def win_rates(self) -> _Floats:
        """(K,) how often the learner wins rather than one seat of a snapshot; 0.5 is even."""
        return (self._won + _EVEN_GAMES / 2) / (self._won + self._lost + _EVEN_GAMES)

    def weights(self) -> _Floats:
        """(K,) the probabilities of the snapshots as opponents, higher for hard ones."""
        hardness = (1 - self.win_rates()) ** 2
        weights: _Floats = hardness / hardness.sum()
        return weights

    def hear(self, seating: _Ints, winners: npt.NDArray[np.bool_]) -> None:
        """Notes who won.

        Args:
            seating: (games, P) who sat where.
            winners: (games, P) who won.
        """
        shares = winners / winners.sum(axis=1, keepdims=True)
        for index in range(len(self._won)):
            met = (seating == self._scripted + index).any(axis=1)
            learners = seating[met] == LEARNER
            won = shares[met][learners]
            self._won[index] += won.sum()
            self._lost[index] += ((1 - won) / (seating.shape[1] - 1)).sum()

    # ---------------------------------------------------------------- seating

    def draw(self, games: int, seats: int) -> _Ints:
        """(games, seats) who sits where, an index of `players` or `LEARNER`."""
        seating = np.full((games, seats), LEARNER, np.int64)
        drawn = self._rng.random(games)
        scripted = np.flatnonzero(drawn < self._share)
        if scripted.size:
            self._seat(
                seating, scripted, self._rng.integers(self._scripted, size=(scripted.size, 1))
            )
        met = np.flatnonzero((drawn >= self._share) & (drawn < self._share + self._snapshot_share))
        if met.size and len(self._won):
            self._seat(seating, met, self._scripted + self._choose_snapshot(met.size))
        return seating

    def _seat(self, seating: _Ints, games: _Ints, players: _Ints | int) -> None:
        """Seats a player everywhere but in one seat of these games."""
        seating[games] = players
        seating[games, self._rng.integers(seating.shape[1], size=games.size)] = LEARNER

    def _choose_snapshot(self, games: int) -> int:
        if self._games_left <= 0:
            self._opponent = int(self._rng.choice(len(self._won), p=self.weights()))
            self._games_left = SNAPSHOT_GAMES
        self._games_left -= games
        return self._opponent
