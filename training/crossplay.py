"""Every agent among every other: the matrix of their payoffs, by as many players as wanted.

The deals are cut into fixed portions, and a portion is played whole or not at all. So the results
do not depend on the number of processes or machines, and what is there when somebody interrupts is
sound: the same evaluation on fewer deals.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

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
from tefuda.training.portions import cut, play_portions

_FEWEST = 2

#: Deals that are played at once and by one process. Agents that search take minutes for them.
PORTION = 25


class Match(NamedTuple):
    """What is to be played: who, among whom, on which deals."""

    agent: int
    opponent: int
    deals: range


class CrossPlay:
    """An evaluation of every ordered pair of agents.

    Args:
        names: The agents, see `make_agent`; no name twice.
        game: The game, such as "gacha_v0".
        games: The least number of games for each pair; rounded up to whole deals.
        seed: Deal n has the key (seed, n, 0).
        options: Options of the game.

    Attributes:
        matches: What is to be played, portion by portion, so that an interruption finds all pairs
            at the same point.
        games: How many games these are.

    Raises:
        OptionError: An agent, the game or an option is not allowed.
    """

    def __init__(
        self,
        names: Sequence[str],
        game: str,
        *,
        games: int,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if len(names) < _FEWEST:
            raise OptionError(f"agents={list(names)!r}: two or more are needed")
        for name in names:
            if names.count(name) > 1:
                raise OptionError(f"agent {name!r} is named twice")
        check_seed(seed)
        self._names = list(names)
        self._workplace = Workplace(self._names, game, seed, dict(options or {}))
        portions = cut(count_deals(game, games, options), PORTION)
        pairs = list(permutations(range(len(names)), 2))
        self.matches = [Match(*pair, deals) for deals in portions for pair in pairs]
        self._played: dict[Match, Portion] = {}
        engine = make_engine(find_game(game), **(options or {}))
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
        """One for each ordered pair, of the deals played so far; none for a pair without any."""
        found = []
        for pair in permutations(range(len(self._names)), 2):
            portions = [
                self._played[match]
                for match in self.matches
                if match[:2] == pair and match in self._played
            ]
            if portions:
                one, other = (self._names[index] for index in pair)
                found.append(summarise(one, other, portions))
        return found

    def as_dict(self) -> dict[str, Any]:
        """What was played and what came of it, for a JSON file."""
        return {
            **self._told,
            "complete": self.complete,
            "results": [result.as_dict() for result in self.results()],
        }


class Workplace:
    """The agents and the game, made ready here and again wherever it is sent.

    Raises:
        TefudaError: An agent is not known, or cannot be loaded.
    """

    def __init__(self, names: list[str], game: str, seed: int, options: dict[str, Any]) -> None:
        self._arguments = names, game, seed, options
        # Each agent has streams of its own: two of a kind would otherwise draw alike.
        self._agents = [make_agent(name, seed=index) for index, name in enumerate(names)]

    def __reduce__(self) -> tuple[Any, ...]:
        return Workplace, self._arguments

    def play(self, match: Match) -> Portion:
        """Plays one match."""
        _, game, seed, options = self._arguments
        agent, opponent = self._agents[match.agent], self._agents[match.opponent]
        return play_portion(agent, opponent, game, match.deals, seed=seed, options=options)
