"""The command `tefuda`: train, evaluate, record, replay, rules, play, watch."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tefuda.envs import __version__
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.training.agents import AGENTS
from tefuda.training.arguments import (
    add_command,
    add_game,
    add_game_options,
    add_jobs,
    game_options,
    minutes,
    positive,
    sizes,
)
from tefuda.training.commands_play import add_play, add_watch
from tefuda.training.config import Setting, TrainConfig, settings
from tefuda.training.extras import needs
from tefuda.training.progress import counting

#: What the shell is told after a refusal, after Ctrl-C, and when nobody reads any more.
_REFUSED, _INTERRUPTED, _UNREAD = 2, 130, 141

#: What is learnt where no game is named, and how long.
DEFAULT_GAME, _MINUTES = "gacha", 3.0
_EVALUATION_GAMES = 2000
_RECORD_GAMES = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns what the shell is told."""
    # Small networks gain nothing by more threads, and lose much on a busy machine. Torch reads
    # this when it is loaded; `tefuda train --threads` overrides it.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    arguments = make_parser().parse_args(argv)
    try:
        arguments.command(arguments)
    except BrokenPipeError:
        # Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _UNREAD
    except (TefudaError, OSError) as error:
        print(f"tefuda: {error}", file=sys.stderr)
        return _REFUSED
    except KeyboardInterrupt:
        print("tefuda: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(prog="tefuda", description=__doc__)
    parser.add_argument("--version", action="version", version=f"tefuda {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_train(commands)
    _add_evaluate(commands)
    _add_record(commands)
    _add_replay(commands)
    _add_rules(commands)
    add_play(commands)
    add_watch(commands)
    return parser


# ==================================================================== train


def _add_train(commands: Any) -> None:
    parser = add_command(
        commands,
        "train",
        "learn a game by self-play",
        run_train,
        "Ctrl-C ends a run early but in good order: the model so far is kept and evaluated.",
    )
    add_game(parser, default=DEFAULT_GAME)
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--minutes",
        type=minutes,
        metavar="M",
        help="how long to train; a short measurement turns it into a number of decisions "
        f"(default: {_MINUTES:g})",
    )
    length.add_argument(
        "--decisions",
        type=positive,
        metavar="N",
        help="how many decisions of self-play to learn from instead",
    )
    parser.add_argument(
        "--run", type=Path, metavar="FOLDER", help="run folder (default: runs/GAME-DATE-TIME)"
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FOLDER",
        help="go on with the run in this folder from its last checkpoint: as far as was planned, "
        "for so many more --minutes, or up to so many --decisions in all",
    )
    parser.add_argument(
        "--start",
        metavar="POLICY",
        default=argparse.SUPPRESS,
        help="learn on from a policy, without lessons: its model file or run folder, or policy for "
        "the one that comes with tefuda",
    )
    add_game_options(parser, seed=argparse.SUPPRESS)
    group = parser.add_argument_group("settings of the learner")
    for name, setting in settings().items():
        _add_setting(group, name, setting)


def _add_setting(group: Any, name: str, setting: Setting) -> None:
    """A flag for a field of the configuration; absent from the result unless it is given."""
    default = setting.default
    if isinstance(default, bool):
        group.add_argument(
            f"--{name.replace('_', '-')}",
            action=argparse.BooleanOptionalAction,
            default=argparse.SUPPRESS,
            help=f"{setting.meaning} (default: {default})",
        )
        return
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    kind: Callable[[str], Any] = type(default)
    group.add_argument(
        f"--{name.replace('_', '-')}",
        type=sizes if isinstance(default, tuple) else kind,
        metavar="NAME" if isinstance(default, str) else "N",
        default=argparse.SUPPRESS,
        help=f"{setting.meaning} (default: {shown})",
    )


def run_train(arguments: argparse.Namespace) -> None:
    """Trains a policy, or goes on with a run."""
    with needs("train"), needs("cli"):
        from tefuda.training import train
    known = {*settings(), "seed", "game", "start"}
    given = {name: getattr(arguments, name) for name in known if hasattr(arguments, name)}
    if arguments.resume:
        if given or arguments.option or arguments.players or arguments.run:
            raise OptionError("--resume takes its game, settings, options and folder from the run")
        train.resume(arguments.resume, arguments.minutes, arguments.decisions)
        return
    config = TrainConfig.for_game(
        given.pop("game", DEFAULT_GAME),
        options=game_options(arguments),
        decisions=arguments.decisions or 0,
        **given,
    )
    minutes = None if arguments.decisions else arguments.minutes or _MINUTES
    train.start(config, arguments.run, minutes)


# ==================================================================== evaluate


def _add_evaluate(commands: Any) -> None:
    parser = add_command(
        commands,
        "evaluate",
        "play agents against each other on duplicate deals",
        run_evaluate,
        "For each ordered pair (A, B) one A plays among B's in all other seats, each deal once "
        "from every seat. Policies play their likeliest action. Ctrl-C prints what is there. "
        "Ratings and plots need the extra evaluate.",
    )
    add_game(parser)
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="AGENT", help=f"two or more: {AGENTS}"
    )
    parser.add_argument(
        "--games",
        type=positive,
        default=_EVALUATION_GAMES,
        metavar="N",
        help="games for each ordered pair, rounded up to whole deals (default: %(default)s)",
    )
    add_jobs(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument(
        "--plot", type=Path, metavar="FOLDER", help="also draw matrix.png and ratings.png there"
    )
    add_game_options(parser)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Evaluates every ordered pair of agents, prints the matrix and rates the agents."""
    with needs("cli"):
        from tefuda.training.report import check_report, report
    from tefuda.training.crossplay import CrossPlay

    check_report(arguments.json, arguments.plot)
    options = game_options(arguments)
    crossplay = CrossPlay(
        arguments.agents,
        arguments.game,
        games=arguments.games,
        seed=arguments.seed,
        options=options,
    )
    try:
        with counting("games", crossplay.games) as count:
            crossplay.play(arguments.jobs, count, arguments.ray)
    finally:
        # After Ctrl-C too: what has been played is a sound evaluation on fewer deals.
        report(crossplay, arguments.json, arguments.plot)


# ==================================================================== record and replay


def _add_record(commands: Any) -> None:
    parser = add_command(
        commands,
        "record",
        "play games and write their records",
        run_record,
        "One agent plays every seat. Game number n has the key (SEED, n, 0). With --parquet the "
        "file is a table with a row for each decision: observation, mask, action, seat, reward to "
        "go, game.",
    )
    add_game(parser)
    parser.add_argument(
        "--games",
        type=positive,
        default=_RECORD_GAMES,
        metavar="N",
        help="how many (default: %(default)s)",
    )
    parser.add_argument(
        "--policy", default="random", metavar="AGENT", help=f"{AGENTS} (default: random)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file to write, one game a line; it appears whole or not at all",
    )
    parser.add_argument(
        "--parquet",
        action="store_true",
        help="write decisions for offline learning and imitation, as a Parquet file",
    )
    parser.add_argument(
        "--encoder",
        metavar="NAME",
        help="how observations are written, with --parquet (default: the game's first)",
    )
    add_jobs(parser)
    add_game_options(parser)


def run_record(arguments: argparse.Namespace) -> None:
    """Plays games and writes their records, or their decisions."""
    wanted: dict[str, Any] = {
        "games": arguments.games,
        "seed": arguments.seed,
        "file": arguments.output,
        "options": game_options(arguments),
        "jobs": arguments.jobs,
        "ray": arguments.ray,
    }
    write = _record_writer(arguments, wanted)
    with counting("games", arguments.games) as count:
        write(arguments.policy, arguments.game, on_game=lambda: count(1), **wanted)


def _record_writer(arguments: argparse.Namespace, wanted: dict[str, Any]) -> Callable[..., Any]:
    """Who writes the file; what it needs beside is added to what is wanted."""
    if arguments.parquet:
        with needs("data"):
            from tefuda.training.offline import write_parquet
        wanted["encoder"] = arguments.encoder
        return write_parquet
    if arguments.encoder:
        raise OptionError("--encoder belongs to --parquet: records hold no observations")
    from tefuda.training.records import record_games

    return record_games


def _add_replay(commands: Any) -> None:
    parser = add_command(
        commands,
        "replay",
        "step through recorded games",
        run_replay,
        "Each game is judged before it is shown; an impossible one is refused with the index of "
        "the event and the reason. Where there is no terminal, all is printed without asking.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="records, one game a line")


def run_replay(arguments: argparse.Namespace) -> None:
    """Shows the games of a file, event by event."""
    from tefuda.training.records import ask_terminal, replay_file

    replay_file(arguments.file, ask_terminal())


# ==================================================================== rules


def _add_rules(commands: Any) -> None:
    parser = add_command(
        commands,
        "rules",
        "print a game's page",
        run_rules,
        "Its rules in our words, what they leave open, its options, actions, chance and "
        "observations.",
    )
    add_game(parser)


def run_rules(arguments: argparse.Namespace) -> None:
    """Prints the page of a game."""
    from tefuda.training.rules_page import print_page

    print_page(arguments.game)
