"""How an agent fares against others: duplicate deals, payoffs with their intervals.

One agent plays a fixed number of deals among equal opponents, each deal once from every seat, so
that luck of the deal and of the seat cancels. The number of games is fixed beforehand: stopping at
a total would favour short games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.registry import find_game
from tefuda.training.agents.base import Agent
from tefuda.training.play import deal, play_out
from tefuda.training.portions import cut

#: How sure the intervals are.
CONFIDENCE = 0.95
_DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

#: A spread can be estimated from no fewer deals.
LEAST_DEALS = 2

#: Deals that are played at once.
PORTION = 250


class Portion(NamedTuple):
    """What an agent earned on some deals.

    Attributes:
        payoffs: (deals, seats) its payoff in each seat.
        shares: (deals, seats) its share of the win: 1 alone, 1/2 of two, 0 for who did not win.
    """

    payoffs: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """What one agent earned among equal opponents.

    Attributes:
        agent: Who played one seat.
        opponents: Who played each of the others.
        games: Games played.
        deals: Deals played, each once from every seat.
        mean: The agent's mean payoff; with the reward "win" 0 is an even player, 1 a sole winner.
        half_width: Half the width of the 95% interval of the mean; deals are the sample.
        wins: The share of games that it won, alone or with others.
        by_seat: Its mean payoff in each seat.
    """

    agent: str
    opponents: str
    games: int
    deals: int
    mean: float
    half_width: float
    wins: float
    by_seat: tuple[float, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean payoff."""
        return self.mean - self.half_width, self.mean + self.half_width

    def as_dict(self) -> dict[str, Any]:
        """The values for a JSON file."""
        low, high = self.interval
        return {**asdict(self), "low": low, "high": high}


def evaluate(
    agent: Agent,
    opponent: Agent,
    game: str,
    *,
    games: int,
    seed: int = 0,
    encoder: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Plays an agent among equal opponents.

    Args:
        agent: Sits in one seat.
        opponent: Sits in all others.
        game: The game, such as "gacha_v0".
        games: The least number of games; rounded up to whole deals, one game a seat.
        seed: Deal n has the key (seed, n, 0).
        encoder: How the tables show observations, for agents that read them there; policies write
            their own.
        options: Options of the game.

    Raises:
        OptionError: The game, the seed or an option is not allowed.
    """
    portions = [
        play_portion(agent, opponent, game, deals, seed=seed, encoder=encoder, options=options)
        for deals in cut(count_deals(game, games, options), PORTION)
    ]
    return summarise(agent.name, opponent.name, portions)


def count_deals(game: str, games: int, options: Mapping[str, Any] | None = None) -> int:
    """How many deals make at least so many games, each deal played from every seat.

    Raises:
        OptionError: The game or an option is not allowed.
    """
    players = make_engine(find_game(game), **(options or {})).players
    return max(LEAST_DEALS, -(-games // players))


def play_portion(
    agent: Agent,
    opponent: Agent,
    game: str,
    deals: range,
    *,
    seed: int = 0,
    encoder: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Portion:
    """Plays some deals, each from every seat at the same time; see `evaluate`."""
    count = len(deals)
    engine = make_engine(find_game(game), encoder, **(options or {}))
    players = engine.players
    tables = Tables(engine, count * players, seed=0, autoreset=False)
    deal(tables, seed, np.tile(np.arange(deals.start, deals.stop), players))
    own = np.repeat(np.arange(players), count)  # the agent's seat at each table
    rows = np.arange(own.size)
    seating = np.ones((own.size, players), np.int64)
    seating[rows, own] = 0
    payoffs = play_out(tables, (agent, opponent), seating).payoffs[rows, own]
    shares = tables.winners[rows, own] / tables.winners.sum(axis=1)
    return Portion(payoffs.reshape(players, count).T, shares.reshape(players, count).T)


def summarise(agent: str, opponents: str, portions: Sequence[Portion]) -> Evaluation:
    """The evaluation from what the agent earned on all deals, at least two."""
    payoffs = np.concatenate([portion.payoffs for portion in portions])
    deals = payoffs.mean(axis=1)
    return Evaluation(
        agent=agent,
        opponents=opponents,
        games=payoffs.size,
        deals=deals.size,
        mean=float(deals.mean()),
        half_width=float(_DEVIATIONS * deals.std(ddof=1) / np.sqrt(deals.size)),
        wins=float(np.concatenate([portion.shares > 0 for portion in portions]).mean()),
        by_seat=tuple(float(mean) for mean in payoffs.mean(axis=0)),
    )
