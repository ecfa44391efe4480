"""What the commands of `tefuda` share: how games, options and numbers are given."""

import argparse
import math
import shutil
import textwrap
from collections.abc import Callable
from itertools import starmap
from typing import Any

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import known_games
from tefuda.envs.core.spec import GameSpec

# Where `--help` begins to tell what an option of a game means.
_MARGIN = 21


def add_command(
    commands: Any, name: str, meaning: str, run: Any, more: str
) -> argparse.ArgumentParser:
    """A parser for a command, which is run with its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=meaning, description=f"{meaning.capitalize()}. {more}"
    )
    parser.set_defaults(command=run)
    return parser


def add_game(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The game as an argument; with a default it may be left out."""
    names = ", ".join(spec.name for spec in known_games())
    if default is None:
        parser.add_argument("game", metavar="GAME", help=f"one of {names}")
        return
    parser.add_argument(
        "game",
        nargs="?",
        default=argparse.SUPPRESS,
        metavar="GAME",
        help=f"one of {names} (default: {default})",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Who plays. What comes out is the same."""
    parser.add_argument(
        "--jobs",
        type=positive,
        metavar="N",
        help="processes (default: 1), or with --ray actors (default: one a CPU of the cluster)",
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="let a Ray cluster play: its address, auto, or local for one on this machine",
    )


def add_game_options(parser: argparse.ArgumentParser, seed: Any = 0) -> None:
    """Seed, players and options of a game, told of at the end of `--help`."""
    default = "another each time" if seed is None else 0
    parser.add_argument(
        "--seed",
        type=whole,
        default=seed,
        metavar="N",
        help=f"decides all chance (default: {default})",
    )
    parser.add_argument(
        "--players", type=whole, metavar="P", help="how many sit at a table (default: the game's)"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, such as scoring=vp; may be given several times",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = textwrap.fill(parser.description or "", _width())
    parser.epilog = "\n\n".join(_describe_options(spec) for spec in known_games())


def _describe_options(spec: GameSpec) -> str:
    """The options of a game with their defaults, for `--help`."""
    told = {"components": "a .toml file (default: the game's own)"}
    for option in spec.options:
        default = "" if option.default is None else f" (default: {option.default})"
        told[option.name] = f"{option.meaning}; {option.describe_allowed()}{default}"
    return "\n".join([f"options of {spec.name}:", *starmap(_describe_option, told.items())])


def _describe_option(name: str, meaning: str) -> str:
    return textwrap.fill(
        meaning,
        _width(),
        initial_indent=f"  {name:<{_MARGIN - 2}}",
        subsequent_indent=" " * _MARGIN,
    )


def _width() -> int:
    """How wide argparse itself writes."""
    return shutil.get_terminal_size().columns - 2


def game_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, numbers as numbers."""
    options: dict[str, Any] = {}
    if arguments.players is not None:
        options["players"] = arguments.players
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise OptionError(f"--option {text!r} is not of the form NAME=VALUE")
        if name in options:
            raise OptionError(f"--option {text!r}: {name} is given twice")
        options[name] = int(value) if value.removeprefix("-").isdecimal() else value
    return options


def sizes(text: str) -> tuple[int, ...]:
    """Positive numbers with commas between them."""
    return tuple(positive(size) for size in text.split(","))


def whole(text: str) -> int:
    """An integer."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None


def positive(text: str) -> int:
    """An integer above 0."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return number


def number_from(least: int) -> Callable[[str], int]:
    """An integer from `least` on."""

    def number(text: str) -> int:
        value = whole(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} on")
        return value

    return number


def minutes(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return number
