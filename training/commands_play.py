"""The commands `tefuda play` and `tefuda watch`."""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.errors import OptionError, RecordError
from tefuda.envs.core.record import RecordData, load_records
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import AGENTS, Agent, make_agent
from tefuda.training.arguments import (
    add_command,
    add_game,
    add_game_options,
    game_options,
    number_from,
)
from tefuda.training.extras import needs

_FOLDER = Path("games")
_PACE = 0.7


def add_play(commands: Any) -> None:
    """Adds `tefuda play`."""
    parser = add_command(
        commands,
        "play",
        "play against agents and other people",
        run_play,
        "Opens a page in the browser, or with --terminal asks in the terminal. Each game is "
        "written to a record file of its own, after every move.",
    )
    add_game(parser)
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["greedy"],
        metavar="AGENT",
        help=f"who plays where nobody sits, from seat 1 on: {AGENTS} (default: greedy)",
    )
    parser.add_argument(
        "--hints",
        metavar="AGENT",
        help="who gives hints (default: the first policy among the agents, else greedy)",
    )
    parser.add_argument(
        "--people",
        type=number_from(1),
        default=1,
        metavar="N",
        help="how many people must sit down before the game begins (default: 1)",
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=_FOLDER,
        metavar="FOLDER",
        help="where the games are written (default: %(default)s)",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="go on with the unfinished game in this file; game and options are the file's",
    )
    _add_terminal(parser)
    _add_server(parser)
    add_game_options(parser, seed=None)


def _add_terminal(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("in the terminal")
    group.add_argument("--terminal", action="store_true", help="ask in the terminal")
    group.add_argument(
        "--seat",
        type=number_from(0),
        default=0,
        metavar="N",
        help="where you sit (default: 0)",
    )


def _add_server(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the page")
    add_address(group)
    group.add_argument(
        "--pace",
        type=_seconds,
        default=_PACE,
        metavar="SECONDS",
        help="how long an agent waits before it plays (default: %(default)s)",
    )


def run_play(arguments: argparse.Namespace) -> None:
    """Sets a table and lets people play at it."""
    from tefuda.wrappers.web.table import Table

    resumed = _one_record(arguments.resume) if arguments.resume else None
    engine = _engine(arguments, resumed)
    words = "the first time takes longer, for kernels are compiled"
    print(f"Setting the table for {engine.spec.name} ({words}) ...", file=sys.stderr, flush=True)
    agents = [make_agent(name, seed, engine) for seed, name in enumerate(arguments.agents)]
    table = Table(
        engine,
        agents,
        seed=arguments.seed,
        people=1 if arguments.terminal else arguments.people,
        adviser=_adviser(arguments.hints, agents, engine),
        records=arguments.records,
    )
    if resumed is not None:
        table.resume(resumed, arguments.resume)
    if arguments.terminal:
        _play_in_terminal(table, arguments.seat)
    else:
        _serve(table, arguments)


def _engine(arguments: argparse.Namespace, resumed: RecordData | None) -> Engine:
    """The game that is asked for, or that of a record."""
    if resumed is None:
        return make_engine(find_game(arguments.game), **game_options(arguments))
    from tefuda.envs.core.game import Game

    if arguments.option or arguments.players or arguments.seed is not None:
        raise OptionError("--resume takes options, players and seed from the record")
    engine = Game.from_record(resumed).engine
    if find_game(arguments.game) is not engine.spec:
        raise OptionError(f"{arguments.resume} is a game of {engine.spec.id}")
    return engine


def _one_record(file: Path) -> RecordData:
    """The record of a file that holds one."""
    try:
        records = list(load_records(file))
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{file} cannot be read: {error}") from error
    if len(records) != 1:
        raise RecordError(f"{file} holds {len(records)} records; one is needed to go on with it")
    return records[0]


def _adviser(name: str | None, agents: Sequence[Agent], engine: Engine) -> Agent | None:
    """Who gives hints: who is asked for, else a policy that plays along, else greedy."""
    if name is not None:
        return make_agent(name, engine=engine)
    policies = [agent for agent in agents if hasattr(agent, "probabilities")]
    if policies:
        return policies[0]
    return make_agent("greedy") if engine.spec.greedy else None


def _play_in_terminal(table: Any, seat: int) -> None:
    from tefuda.wrappers.web.terminal import Terminal

    Terminal(table, seat, input, colour=sys.stdout.isatty()).play()
    if table.record_file is not None:
        print(f"The game is in {table.record_file}.")


def _serve(table: Any, arguments: argparse.Namespace) -> None:
    with needs("web"):
        from tefuda.wrappers.web.server import TableServer, listen, serve

    listening = listen(arguments.host, arguments.port)
    server = TableServer(table, arguments.pace)
    serve(server.app, listening, server.address, browse=not arguments.no_browser)


# ==================================================================== watch


def add_watch(commands: Any) -> None:
    """Adds `tefuda watch`."""
    parser = add_command(
        commands,
        "watch",
        "watch recorded games in the browser",
        run_watch,
        "Steps through the games with all cards open or from any seat's eyes. With -o it writes "
        "one HTML file that needs nothing else; whoever gets it can see all that is in it.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="records, one game a line")
    parser.add_argument(
        "--game",
        type=number_from(1),
        metavar="N",
        help="only this game of the file, from 1 on (default: all)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write this HTML file, and serve nothing"
    )
    parser.add_argument(
        "--eyes",
        metavar="SEAT",
        help='with -o: whose eyes the file has, "open" or a seat (default: all)',
    )
    add_address(parser)


def run_watch(arguments: argparse.Namespace) -> None:
    """Shows recorded games."""
    from tefuda.wrappers.web.replay import judged, load, write_html

    records = load(arguments.file)
    if arguments.game is not None:
        if arguments.game > len(records):
            raise OptionError(f"--game {arguments.game}: {arguments.file} has {len(records)}")
        records = [records[arguments.game - 1]]
    if arguments.output is not None:
        write_html(records, arguments.output, (arguments.eyes,) if arguments.eyes else ())
        return
    if arguments.eyes:
        raise OptionError("--eyes belongs to -o; the page lets you choose")
    judged(records[:1])  # a file of something else is refused before a page opens
    with needs("web"):
        from tefuda.wrappers.web.server import listen, serve, viewer_app

    serve(
        lambda started: viewer_app(records, started),
        listen(arguments.host, arguments.port),
        "/",
        browse=not arguments.no_browser,
    )


# ==================================================================== shared


def add_address(parser: Any) -> None:
    """Where a page is served."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address to listen at; 0.0.0.0 lets other machines in (default: %(default)s)",
    )
    parser.add_argument(
        "--port",
        type=number_from(0),
        default=0,
        metavar="N",
        help="the port to listen at; 0 takes a free one (default: 0)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return seconds
