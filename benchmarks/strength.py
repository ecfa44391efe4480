"""What agents earn: the scripted player of every game, and policies of training runs.

Use: python benchmarks/strength.py [--games N] [--results FOLDER] [RUN ...]

RUN is the folder of a training run; its own final evaluation is taken over.
"""

import argparse
from pathlib import Path

import command
import tables
from results import FOLDER, Results, circumstances, read

from tefuda.envs import GAMES
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import make_agent
from tefuda.training.config import TrainConfig
from tefuda.training.evaluate import evaluate
from tefuda.training.runs import RunFolder

_NAME = "strength"
_GAMES = 20_000
_SEED = 0


def measure_greedy(game: str, games: int) -> list[Results]:
    """The scripted player of a game among random ones; nothing where it has none."""
    if find_game(game).greedy is None:
        return []
    greedy, others = make_agent("greedy", _SEED), make_agent("random", _SEED)
    return [evaluate(greedy, others, game, games=games, seed=_SEED).as_dict()]


def read_run(path: Path) -> tuple[str, Results, list[Results]]:
    """The game of a training run, what it was, and what its policy earned."""
    folder = RunFolder(path)
    config = TrainConfig.load(folder.config)
    game = find_game(config.game).id
    minutes = float(folder.points()[-1]["seconds"]) / 60
    words = (
        f"{game}: a policy after {tables.count(config.decisions)} decisions of self-play "
        f"({minutes:.1f} minutes, seed {config.seed})."
    )
    rows = [{**row, "agent": "policy"} for row in read(folder.evaluation)["results"]]
    return game, {"game": game, "words": words}, rows


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description="Measures what agents earn.")
    parser.add_argument("--games", type=int, default=_GAMES, help="games against each opponent")
    parser.add_argument("--results", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="a training run's folder")
    arguments = parser.parse_args()
    earned = {game: measure_greedy(game, arguments.games) for game in GAMES}
    results: Results = {**circumstances(), "runs": [], "games": earned}
    for path in arguments.runs:
        game, run, rows = read_run(path)
        results["runs"].append(run)
        earned[game] += rows
    command.finish(_NAME, results, arguments.results)


if __name__ == "__main__":
    main()
