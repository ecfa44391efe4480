"""Every agent among every other: the matrix of their payoffs, by as many players as wanted.

The deals are cut into fixed portions, and a portion is played whole or not at all. So the results
do not depend on the number of processes or machines, and what is there when somebody interrupts is
sound: the same evaluation on fewer deals. Ratings come from all that is there (see `ratings`).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tefuda.envs.core.chance import check_seed
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import make_agent
from tefuda.training.evaluate import (
    Evaluation,
    Portion,
    count_deals,
    play_portion,
    summarise,
)
from tefuda.training.extras import needs
from tefuda.training.portions import cut, play_portions

if TYPE_CHECKING:
    from tefuda.training.ratings import Rating

_FEWEST = 2

#: Deals that are played at once and by one process. Agents that search take minutes for them.
PORTION = 25


class Match(NamedTuple):
    """What is to be played: who, among whom, on which deals."""

    agent: int
    opponent: int
    deals: range


class CrossPlay:
    """An evaluation of every ordered pair of agents, or of some pairs.

    Args:
        names: The agents, see `make_agent`; no name twice.
        game: The game, such as "gacha_v0".
        games: The least number of games for each ordered pair; or for each of those pairs (agent,
            opponent) that are to be played. Rounded up to whole deals.
        seed: Deal n has the key (seed, n, 0).
        options: Options of the game.

    Attributes:
        matches: What is to be played, portion by portion, so that an interruption finds all pairs
            at the same point.
        games: How many games these are.
        title: The game and its players, for pictures.

    Raises:
        OptionError: An agent, the game or an option is not allowed.
    """

    def __init__(
        self,
        names: Sequence[str],
        game: str,
        *,
        games: int | Mapping[tuple[str, str], int],
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        _check_names(names)
        check_seed(seed)
        self._names = list(names)
        self._workplace = Workplace(self._names, game, seed, dict(options or {}))
        if not isinstance(games, Mapping):
            games = dict.fromkeys(permutations(names, 2), games)
        self._pairs = [(names.index(agent), names.index(opponent)) for agent, opponent in games]
        matches = [
            Match(*pair, deals)
            for pair, count in zip(self._pairs, games.values(), strict=True)
            for deals in cut(count_deals(game, count, options), PORTION)
        ]
        self.matches = sorted(matches, key=lambda match: match.deals.start)
        self._played: dict[Match, Portion] = {}
        engine = self._workplace.engine
        self._players = engine.players
        self.title = f"{engine.spec.id}, {engine.players} players"
        self._told = {
            "game": engine.spec.id,
            "players": engine.players,
            "options": dict(engine.setup.options),
            "components": engine.setup.components.describe(),
            "seed": seed,
            "agents": self._names,
        }
        self.games = engine.players * sum(len(match.deals) for match in self.matches)

    @property
    def complete(self) -> bool:
        """Whether every match has been played."""
        return len(self._played) == len(self.matches)

    def play(
        self,
        jobs: int | None = None,
        on_portion: Callable[[int], None] = lambda games: None,
        ray: str | None = None,
    ) -> None:
        """Plays all matches; what is played before an interruption stays.

        Args:
            jobs: How many play at the same time, see `play_portions`.
            on_portion: Told after each portion how many games it had.
            ray: The address of a Ray cluster that plays, or "local".

        Raises:
            TefudaError: An agent cannot play this game, or a process has died.
            MissingExtraError: Ray is not installed.
        """
        for match, portion in play_portions(self._workplace, self.matches, jobs=jobs, ray=ray):
            self._played[match] = portion
            on_portion(portion.payoffs.size)

    def results(self) -> list[Evaluation]:
        """One for each pair, of the deals played so far; none for a pair without any."""
        found = []
        for pair in self._pairs:
            portions = [
                self._played[match]
                for match in self.matches
                if match[:2] == pair and match in self._played
            ]
            if portions:
                one, other = (self._names[index] for index in pair)
                found.append(summarise(one, other, portions))
        return found

    def ratings(self) -> "list[Rating]":
        """The agents on one scale, by all games so far; none until every pair has played.

        Raises:
            MissingExtraError: statsmodels is not installed.
        """
        with needs("evaluate"):
            from tefuda.training.ratings import Meeting, rate
        if {match[:2] for match in self._played} != set(self._pairs):
            return []
        meetings = [
            Meeting(match.agent, match.opponent, np.array(match.deals), self._played[match].shares)
            for match in self.matches
            if match in self._played
        ]
        return rate(self._names, meetings, self._players)

    def as_dict(self) -> dict[str, Any]:
        """What was played and what came of it, for a JSON file; the ratings are not in it."""
        return {
            **self._told,
            "complete": self.complete,
            "results": [result.as_dict() for result in self.results()],
        }


def _check_names(names: Sequence[str]) -> None:
    """Refuses agents that cannot be compared."""
    if len(names) < _FEWEST:
        raise OptionError(f"agents={list(names)!r}: two or more are needed")
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"agent {name!r} is named twice")


class Workplace:
    """The agents and the game, made ready here and again wherever it is sent.

    Attributes:
        engine: The game.

    Raises:
        TefudaError: An agent is not known, cannot be loaded, or cannot play this game.
    """

    def __init__(self, names: list[str], game: str, seed: int, options: dict[str, Any]) -> None:
        self._arguments = names, game, seed, options
        self.engine = make_engine(find_game(game), **options)
        # Each agent has streams of its own: two of a kind would otherwise draw alike.
        self._agents = [make_agent(name, index, self.engine) for index, name in enumerate(names)]

    def __reduce__(self) -> tuple[Any, ...]:
        return Workplace, self._arguments

    def play(self, match: Match) -> Portion:
        """Plays one match."""
        _, game, seed, options = self._arguments
        agent, opponent = self._agents[match.agent], self._agents[match.opponent]
        return play_portion(agent, opponent, game, match.deals, seed=seed, options=options)
