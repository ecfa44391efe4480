"""How an agent fares against others: duplicate deals, payoffs with their intervals.

One agent plays a fixed number of deals among equal opponents, each deal once from every seat, so
that luck of the deal and of the seat cancels. The number of games is fixed beforehand: stopping at
a total would favour short games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs import make_vec
from tefuda.training.agents import Agent, make_agent
from tefuda.training.play import play_out

#: How sure the intervals are.
CONFIDENCE = 0.95
_DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


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
        encoder: How the observations are written that the agents read.
        options: Options of the game.
    """
    chosen = dict(options or {})
    players = make_vec(game, tables=1, encoder=encoder, **chosen).players
    deals = -(-games // players)
    tables = make_vec(game, tables=deals, seed=seed, encoder=encoder, autoreset=False, **chosen)
    payoffs = np.zeros((deals, players))
    won = np.zeros((deals, players), np.bool_)
    for seat in range(players):
        tables.reset(seed=seed)
        seating = np.ones((deals, players), np.int64)
        seating[:, seat] = 0
        payoffs[:, seat] = play_out(tables, (agent, opponent), seating)[:, seat]
        won[:, seat] = tables.winners[:, seat]
    return summarise(agent.name, opponent.name, payoffs, won)


def summarise(
    agent: str, opponents: str, payoffs: npt.NDArray[np.float64], won: npt.NDArray[np.bool_]
) -> Evaluation:
    """The evaluation from payoffs and wins (deals, seats) of the agent."""
    deals = payoffs.mean(axis=1)
    error = deals.std(ddof=1) / np.sqrt(deals.size) if deals.size > 1 else np.inf
    return Evaluation(
        agent=agent,
        opponents=opponents,
        games=payoffs.size,
        deals=deals.size,
        mean=float(deals.mean()),
        half_width=float(_DEVIATIONS * error),
        wins=float(won.mean()),
        by_seat=tuple(float(mean) for mean in payoffs.mean(axis=0)),
    )


def evaluate_pairs(
    names: Sequence[str],
    game: str,
    *,
    games: int,
    seed: int = 0,
    encoder: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> list[Evaluation]:
    """Evaluates every ordered pair of different agents; see `evaluate` and `make_agent`."""
    agents = [make_agent(name, seed) for name in names]
    return [
        evaluate(one, other, game, games=games, seed=seed, encoder=encoder, options=options)
        for one, other in permutations(agents, 2)
    ]
