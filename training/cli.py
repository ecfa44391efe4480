"""The command `tefuda`: train, evaluate, record, replay."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.training.agents import AGENTS
from tefuda.training.config import TrainConfig, settings
from tefuda.training.extras import needs

#: What the shell is told after a refusal, and after Ctrl-C.
_REFUSED, _INTERRUPTED = 2, 130

_MINUTES = 3.0
_EVALUATION_GAMES = 2000
_RECORD_GAMES = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns what the shell is told."""
    arguments = make_parser().parse_args(argv)
    try:
        arguments.command(arguments)
    except TefudaError as error:
        print(f"tefuda: {error}", file=sys.stderr)
        return _REFUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(prog="tefuda", description=__doc__)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_train(commands)
    _add_evaluate(commands)
    _add_record(commands)
    _add_replay(commands)
    return parser


# ==================================================================== train


def _add_train(commands: Any) -> None:
    parser = _add_command(commands, "train", "learn a game by self-play", run_train)
    parser.add_argument("game", nargs="?", default="gacha", help="the game (default: gacha)")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--minutes",
        type=float,
        help="how long to train; a short measurement turns it into a number of decisions "
        f"(default: {_MINUTES:g})",
    )
    length.add_argument("--decisions", type=int, help="how many decisions to learn from instead")
    parser.add_argument("--run", type=Path, help="run folder (default: runs/GAME-DATE-TIME)")
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="RUN",
        help="go on with the run in this folder: as far as was planned, for so many more "
        "--minutes, or up to so many --decisions in all",
    )
    _add_game_options(parser)
    group = parser.add_argument_group("settings of the learner")
    for name, (default, meaning) in settings().items():
        _add_setting(group, name, default, meaning)


def _add_setting(group: Any, name: str, default: Any, meaning: str) -> None:
    """A flag for a field of the configuration; absent from the result unless it is given."""
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    group.add_argument(
        f"--{name.replace('_', '-')}",
        type=_sizes if isinstance(default, tuple) else type(default),
        metavar="NAME" if isinstance(default, str) else "N",
        default=argparse.SUPPRESS,
        help=f"{meaning} (default: {shown})",
    )


def run_train(arguments: argparse.Namespace) -> None:
    """Trains a policy, or goes on with a run."""
    with needs("train"), needs("cli"):
        from tefuda.training import train
    given = {name: getattr(arguments, name) for name in settings() if hasattr(arguments, name)}
    if arguments.resume:
        if given or arguments.option or arguments.players or arguments.run:
            raise OptionError("--resume takes its settings, options and folder from the run")
        train.resume(arguments.resume, arguments.minutes, arguments.decisions)
        return
    config = TrainConfig(
        game=arguments.game,
        options=_game_options(arguments),
        decisions=arguments.decisions or 0,
        seed=arguments.seed,
        **given,
    )
    minutes = None if arguments.decisions else arguments.minutes or _MINUTES
    train.start(config, arguments.run, minutes)


# ==================================================================== evaluate


def _add_evaluate(commands: Any) -> None:
    parser = _add_command(
        commands, "evaluate", "play agents against each other on duplicate deals", run_evaluate
    )
    parser.add_argument("game", help="the game")
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="AGENT", help=f"two or more: {AGENTS}"
    )
    parser.add_argument(
        "--games",
        type=_positive,
        default=_EVALUATION_GAMES,
        help="games for each ordered pair, rounded up to whole deals (default: %(default)s)",
    )
    parser.add_argument("--encoder", help="how the observations are written that policies read")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    _add_game_options(parser)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Evaluates every ordered pair of agents and prints the matrix."""
    with needs("cli"):
        from rich.console import Console

        from tefuda.training.tables import matrix_table
    from tefuda.training.evaluate import evaluate_pairs
    from tefuda.training.files import check_parent, write_json

    if arguments.json:
        check_parent(arguments.json)
    results = evaluate_pairs(
        arguments.agents,
        arguments.game,
        games=arguments.games,
        seed=arguments.seed,
        encoder=arguments.encoder,
        options=_game_options(arguments),
    )
    Console().print(matrix_table(results))
    if arguments.json:
        write_json(arguments.json, {"results": [result.as_dict() for result in results]})


# ==================================================================== record and replay


def _add_record(commands: Any) -> None:
    parser = _add_command(commands, "record", "play games and write their records", run_record)
    parser.add_argument("game", help="the game")
    parser.add_argument(
        "--games", type=_positive, default=_RECORD_GAMES, help="how many (default: %(default)s)"
    )
    parser.add_argument(
        "--policy", default="random", metavar="AGENT", help=f"{AGENTS} (default: random)"
    )
    parser.add_argument("--encoder", help="how the observations are written that a policy reads")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the file, one game a line"
    )
    _add_game_options(parser)


def run_record(arguments: argparse.Namespace) -> None:
    """Plays games and writes their records."""
    from tefuda.training.agents import make_agent
    from tefuda.training.records import record_games

    record_games(
        make_agent(arguments.policy),
        arguments.game,
        games=arguments.games,
        seed=arguments.seed,
        file=arguments.output,
        encoder=arguments.encoder,
        options=_game_options(arguments),
    )


def _add_replay(commands: Any) -> None:
    parser = _add_command(commands, "replay", "step through recorded games", run_replay)
    parser.add_argument("file", type=Path, help="a file of records, one game a line")


def run_replay(arguments: argparse.Namespace) -> None:
    """Shows the games of a file, event by event."""
    from tefuda.training.records import ask_terminal, replay_file

    replay_file(arguments.file, ask_terminal())


# ==================================================================== shared


def _add_command(commands: Any, name: str, meaning: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=meaning, description=meaning)
    parser.set_defaults(command=run)
    return parser


def _add_game_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="seed (default: %(default)s)")
    parser.add_argument("--players", type=int, help="how many sit at a table (default: the game's)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, such as scoring=vp; may be given several times",
    )


def _game_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, numbers as numbers."""
    options: dict[str, Any] = {}
    if arguments.players is not None:
        options["players"] = arguments.players
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise OptionError(f"--option {text!r} is not of the form NAME=VALUE")
        options[name] = int(value) if value.lstrip("-").isdecimal() else value
    return options


def _sizes(text: str) -> tuple[int, ...]:
    """Positive numbers with commas between them."""
    return tuple(_positive(size) for size in text.split(","))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number
