"""Ratings of agents on one scale, with intervals, from all games of a cross-play matrix at once.

The model is that of Luce and Plackett: an agent of strength s wins a game among agents of strengths
s1 .. sP with probability s / (s1 + ... + sP). Only the first place counts, as in the payoff "win";
who shares a win has so much of it. A game of one A among B's is then a logistic regression on the
difference of two ratings, and statsmodels fits all games together. So the order of the games does
not matter. Every deal is played many times, by all pairs: intervals are clustered by deal, which
also keeps them honest where the model does not hold.

Each pair is thought to have played one more game, an even one. Without it an agent that lost every
game would be rated infinitely low.
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from tefuda.training.evaluate import CONFIDENCE

#: Points for a factor e of strength. As in chess, 400 points are a factor of ten.
POINTS = 400 / math.log(10)

Floats = npt.NDArray[np.float64]


class Meeting(NamedTuple):
    """Games of one agent among equal others.

    Attributes:
        agent: The index of who sat in one seat.
        opponent: The index of who sat in the others.
        deals: (D,) the numbers of the deals.
        shares: (D, P) the agent's share of the win from each seat.
    """

    agent: int
    opponent: int
    deals: npt.NDArray[np.int64]
    shares: Floats


class _Games(NamedTuple):
    """Games as a regression sees them: (M, K) differences, (M,) shares, (M,) clusters."""

    differences: Floats
    shares: Floats
    clusters: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rating:
    """How strong an agent is beside the others.

    Attributes:
        agent: Who.
        rating: Points above the mean of all agents; 400 are a factor of ten in strength.
        low: The lower end of its 95% interval.
        high: The upper end.
    """

    agent: str
    rating: float
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """The values for a JSON file."""
        return asdict(self)


def rate(names: Sequence[str], meetings: Sequence[Meeting], players: int) -> list[Rating]:
    """Rates agents by the games that they have played.

    Args:
        names: The agents, at least two, each linked to all others by meetings.
        meetings: The games; a pair may meet several times.
        players: The number of seats P.

    Returns:
        One rating an agent, in their order; the mean is 0.
    """
    contrasts = _contrasts(len(names))
    games = [*_played(meetings, contrasts), *_imagined(meetings, contrasts, players)]
    differences, shares, clusters = (np.concatenate(column) for column in zip(*games, strict=True))
    fit = _fit(_Games(differences, shares, clusters), players)
    found = fit.t_test(contrasts)
    ends = found.conf_int(alpha=1 - CONFIDENCE)
    rows = zip(names, found.effect, ends, strict=True)
    return [
        Rating(name, *(float(POINTS * value) for value in (rating, low, high)))
        for name, rating, (low, high) in rows
    ]


def _fit(games: _Games, players: int) -> Any:
    """The fitted regression."""
    # Equal agents: one of them wins 1/P, not half, of the games.
    even = np.full(games.shares.size, -math.log(players - 1))
    model = GLM(games.shares, games.differences, Binomial(), offset=even)
    clusters = np.unique(games.clusters, return_inverse=True)[1]
    with warnings.catch_warnings():
        # Even games alone are predicted exactly; the imagined games leave nothing open.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        return model.fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)


def _contrasts(agents: int) -> Floats:
    """(agents, agents - 1) what each agent's rating is in free numbers; they sum to 0."""
    return np.vstack([np.eye(agents - 1), -np.ones(agents - 1)])


def _played(meetings: Sequence[Meeting], contrasts: Floats) -> Iterator[_Games]:
    for agent, opponent, deals, shares in meetings:
        difference = contrasts[agent] - contrasts[opponent]
        yield _Games(
            np.tile(difference, (shares.size, 1)),
            shares.ravel(),
            np.repeat(deals, shares.shape[1]),
        )


def _imagined(meetings: Sequence[Meeting], contrasts: Floats, players: int) -> Iterator[_Games]:
    """One even game a pair, each a cluster of its own."""
    pairs = sorted({(meeting.agent, meeting.opponent) for meeting in meetings})
    for number, (agent, opponent) in enumerate(pairs, start=1):
        difference = contrasts[agent] - contrasts[opponent]
        yield _Games(difference[None], np.array([1 / players]), np.array([-number]))
