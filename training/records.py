"""Records of games: played by agents into a file, and stepped through in a terminal."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs import Game, make_vec
from tefuda.envs.core.errors import RecordError
from tefuda.envs.core.record import load_records, save_records
from tefuda.training.agents import Agent
from tefuda.training.files import check_parent
from tefuda.training.play import play_out

_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
_QUIT = "q"
_NEXT = "n"
_PROMPT = "[Enter: next event, n: next game, q: quit] "


def record_games(
    agent: Agent,
    game: str,
    *,
    games: int,
    seed: int,
    file: Path,
    encoder: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Lets an agent play every seat and writes the records; game n has the key (seed, n, 0).

    Args:
        agent: Who plays.
        game: The game, such as "gacha_v0".
        games: How many.
        seed: The seed of the games' chance.
        file: One record a line; it appears whole or not at all.
        encoder: How the observations are written that the agent reads.
        options: Options of the game.
    """
    check_parent(file)
    tables = make_vec(
        game,
        tables=games,
        seed=seed,
        encoder=encoder,
        autoreset=False,
        keep_actions=True,
        **(options or {}),
    )
    play_out(tables, [agent], np.zeros((games, tables.players), np.int64))
    save_records(file, (tables.record(row) for row in range(games)))


def replay_file(file: Path, ask: Callable[[str], str] | None = None) -> None:
    """Shows the games of a file, event by event.

    Args:
        file: The file, one record a line.
        ask: Asks for a key after each event; None prints all without asking.

    Raises:
        RecordError: A record is impossible; the message names its place, event and reason.
    """
    for number, game in enumerate(judged_games(file), start=1):
        print(f"game {number} of {file}: {describe(game)}")
        if not _show(game, ask):
            return


def ask_terminal() -> Callable[[str], str] | None:
    """How to ask a person for a key; None where there is none."""
    return input if sys.stdin.isatty() and sys.stdout.isatty() else None


def judged_games(file: Path) -> Iterator[Game]:
    """The games of a file, each replayed and judged when its turn comes.

    Raises:
        RecordError: A record is impossible, or the file cannot be read.
    """
    try:
        for number, record in enumerate(load_records(file), start=1):
            try:
                yield Game.from_record(record)
            except RecordError as error:
                raise RecordError(f"{file}, record {number}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{file} cannot be read: {error}") from error


def describe(game: Game) -> str:
    """Which game this is, in a line."""
    setup = game.engine.setup
    options = " ".join(f"{name}={value}" for name, value in setup.options.items())
    return f"{game.engine.spec.id}, {setup.players} players, {options}"


def _show(game: Game, ask: Callable[[str], str] | None) -> bool:
    """Steps through a game; returns whether to go on with the next."""
    shown = Game(game.engine, seed=(0, 0, 0))
    for index, value in enumerate(game.values):
        print(f"{index:>4}  {event_line(shown, value)}")
        was_decision, scorings = shown.node == "decision", int(shown.state["scorings"])
        shown.advance(value)
        if int(shown.state["scorings"]) > scorings:
            print(f"      {score_line(shown)}")
        if was_decision and ask:
            print(picture(shown))
            answer = ask(_PROMPT).strip().lower()
            if answer in (_QUIT, _NEXT):
                return answer == _NEXT
    print(picture(shown))
    return True


def picture(game: Game) -> str:
    """The table with all cards open, in colours where a terminal shows them."""
    text = game.engine.spec.text.ansi(game.engine.setup, game.state, None)
    return text if sys.stdout.isatty() else _COLOUR_CODE.sub("", text)


def event_line(game: Game, value: int) -> str:
    """What an event at the present node of a game is, in words."""
    text, setup = game.engine.spec.text, game.engine.setup
    who = "chance" if game.seat is None else f"seat {game.seat}"
    if game.node == "chance":
        name = game.chance_name
        return f"{who}: {name}: {text.outcome_label(setup, name, value)}"
    return f"{who}: {game.label(value)}"


def score_line(game: Game) -> str:
    """What the latest scoring event brought."""
    points = [int(gain) for gain in game.state["points"][: game.players]]
    return f"{game.engine.spec.text.SCORE_NAME}: points {points}, totals {game.totals}"
