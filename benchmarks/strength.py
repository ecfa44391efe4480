"""What agents earn in every game: random, greedy, search with two budgets, the shipped policy.

Use: python benchmarks/strength.py [--games N] [--search-games N] [--jobs N] [--results FOLDER]
         [GAME ...]

Each agent has one seat among random players, among greedy ones and among policies, and the policy
also among searching ones, all on duplicate deals. A game without a shipped policy is measured
without it. Games that are not named keep their earlier results. Ctrl-C keeps what is there.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import command
from results import FOLDER, Results, circumstances, read

from tefuda.envs import GAMES
from tefuda.envs.core.registry import find_game
from tefuda.training.crossplay import CrossPlay
from tefuda.training.progress import counting
from tefuda.training.shipped import PolicyCard, shipped_games

_NAME = "strength"
_GAMES, _SEARCH_GAMES, _BUDGETS = 2000, 400, (100, 400)
_SEED = 2  # the deals of the model cards have another
_POLICY = "policy"
_SEARCH = "ismcts:"


def make_crossplay(game: str, games: int, search_games: int, budgets: Sequence[int]) -> CrossPlay:
    """All that is to be played of a game.

    Args:
        game: The game.
        games: Games of a pair.
        search_games: Games of a pair in which somebody searches.
        budgets: Simulations a decision, one a searching agent.
    """
    names = ["random", "greedy", *(f"{_SEARCH}{budget}" for budget in budgets)]
    if find_game(game).name in shipped_games():
        names.append(_POLICY)
    pairs = {
        (agent, opponent): search_games if _SEARCH in agent + opponent else games
        for agent, opponent in permutations(names, 2)
        if agent == _POLICY or not opponent.startswith(_SEARCH)
    }
    return CrossPlay(names, game, games=pairs, seed=_SEED)


def measure(game: str, crossplay: CrossPlay, jobs: int) -> Results:
    """What the agents of a game earn, and their ratings; after Ctrl-C by fewer games."""
    try:
        with counting(game, crossplay.games) as count:
            crossplay.play(jobs, count)
    except KeyboardInterrupt:
        print(f"{game}: interrupted", file=sys.stderr)
    return {
        **circumstances(),
        **crossplay.as_dict(),
        "ratings": [rating.as_dict() for rating in crossplay.ratings()],
        "policy": describe_policy(game),
    }


def describe_policy(game: str) -> Results | None:
    """What the shipped policy of a game took, by its card; None where there is none."""
    name = find_game(game).name
    if name not in shipped_games():
        return None
    training = PolicyCard.find(name).facts["training"]
    return {key: training[key] for key in ("lessons", "decisions", "seconds")}


def main() -> None:
    """Measures, prints, writes."""
    arguments = _arguments()
    file = arguments.results / f"{_NAME}.json"
    earlier: Results = read(file)["games"] if file.exists() else {}
    measured: Results = {}
    for game in arguments.chosen:
        crossplay = make_crossplay(
            game, arguments.games, arguments.search_games, arguments.simulations
        )
        measured[game] = measure(game, crossplay, arguments.jobs)
        if not crossplay.complete:
            break
    together = {**earlier, **measured}
    results = {"games": {game: together[game] for game in GAMES if game in together}}
    command.finish(_NAME, results, arguments.results)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures what agents earn.")
    parser.add_argument("--games", type=int, default=_GAMES, help="games of a pair")
    parser.add_argument(
        "--search-games", type=int, default=_SEARCH_GAMES, help="... in which somebody searches"
    )
    parser.add_argument(
        "--simulations", type=int, nargs="+", default=_BUDGETS, help="budgets of the search"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes that play")
    parser.add_argument("--results", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument(
        "chosen", nargs="*", default=GAMES, metavar="GAME", help="all games by default"
    )
    arguments = parser.parse_args()
    arguments.chosen = [find_game(game).id for game in arguments.chosen]
    return arguments


if __name__ == "__main__":
    main()
