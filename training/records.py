"""Records of games: played by agents into a file, and stepped through in a terminal."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import check_seed
from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.errors import RecordError
from tefuda.envs.core.game import Game
from tefuda.envs.core.record import RecordData, load_records, save_records
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import Agent, make_agent
from tefuda.training.files import check_output
from tefuda.training.play import deal, play_out
from tefuda.training.portions import cut, in_order, play_portions

_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")

# What a person may answer.
_STEP, _SCORE, _NEXT, _QUIT = "", "s", "n", "q"
_PROMPT = "[Enter: next decision, s: next score, n: next game, q: quit] "

#: Asks a person, with a prompt.
Ask = Callable[[str], str]

# Games that are played at once and by one process.
_PORTION = 25

# Replays take their chance from the record; the key of the game that is replayed is idle.
_ANY_KEY = (0, 0, 0)


def record_games(
    agent: Agent | str,
    game: str,
    *,
    games: int,
    seed: int,
    file: Path,
    options: Mapping[str, Any] | None = None,
    on_game: Callable[[], None] = lambda: None,
    jobs: int | None = None,
    ray: str | None = None,
) -> None:
    """Lets an agent play every seat and writes the records; game n has the key (seed, n, 0).

    Args:
        agent: Who plays, or its name (see `make_agent`). Other processes make it anew by its name.
        game: The game, such as "gacha_v0".
        games: How many.
        seed: The seed of the games' chance.
        file: One record a line; it appears whole or not at all.
        options: Options of the game.
        on_game: Told after each game.
        jobs: How many play at the same time, see `play_portions`.
        ray: The address of a Ray cluster that plays, or "local".

    Raises:
        OptionError: The game, the seed or an option is not allowed, or the file cannot be written.
        MissingExtraError: Ray is not installed.
    """
    check_output(file)
    work = Recording(agent, make_engine(find_game(game), **(options or {})), check_seed(seed))
    portions = cut(games, _PORTION)

    def played() -> Iterator[RecordData]:
        for records in in_order(portions, play_portions(work, portions, jobs=jobs, ray=ray)):
            for record in records:
                yield record
                on_game()

    save_records(file, played())


class Recording:
    """An agent that plays every seat, for portions of games.

    Args:
        agent: Who plays, or its name.
        engine: The game made ready.
        seed: The seed of the games' chance.
    """

    def __init__(self, agent: Agent | str, engine: Engine, seed: int) -> None:
        self._arguments = agent, engine, seed
        self._agent = make_agent(agent, engine=engine) if isinstance(agent, str) else agent

    def __reduce__(self) -> tuple[Any, ...]:
        return Recording, self._arguments

    def play(self, numbers: range) -> list[RecordData]:
        """Plays some games and tells their records."""
        _, engine, seed = self._arguments
        tables = Tables(engine, len(numbers), seed=0, autoreset=False)
        deal(tables, seed, np.arange(numbers.start, numbers.stop))
        seating = np.zeros((len(numbers), tables.players), np.int64)
        played = play_out(tables, [self._agent], seating, keep_actions=True)
        return [
            Game.replay(engine, (seed, number, 0), actions).record()
            for number, actions in zip(numbers, played.actions, strict=True)
        ]


def replay_file(file: Path, ask: Ask | None = None) -> None:
    """Shows the games of a file, event by event.

    Args:
        file: The file, one record a line.
        ask: Asks for a key after each decision; None prints all without asking.

    Raises:
        RecordError: A record is impossible; the message names its place, event and reason.
    """
    number = 0
    for number, game in enumerate(judged_games(file), start=1):
        print(f"game {number} of {file}: {describe(game)}")
        if not _show(game, ask):
            return
    if not number:
        raise RecordError(f"{file} holds no record")


def ask_terminal() -> Ask | None:
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


def _show(game: Game, ask: Ask | None) -> bool:
    """Steps through a game; returns whether to go on with the next."""
    shown = Game(game.engine, seed=_ANY_KEY)
    answer = _STEP
    for index, value in enumerate(game.values):
        print(f"{index:>4}  {event_line(shown, value)}")
        was_decision, scorings = shown.node == "decision", int(shown.state["scorings"])
        shown.advance(value)
        scored = int(shown.state["scorings"]) > scorings
        if scored:
            print(f"      {score_line(shown)}")
        if ask and (scored or (was_decision and answer == _STEP)):
            print(picture(shown))
            answer = _ask_until_known(ask)
            if answer in (_NEXT, _QUIT):
                return answer == _NEXT
    print(picture(shown))
    return True


def _ask_until_known(ask: Ask) -> str:
    """What a person wants; the end of the input means to quit."""
    while True:
        try:
            answer = ask(_PROMPT).strip().lower()
        except EOFError:
            return _QUIT
        if answer in (_STEP, _SCORE, _NEXT, _QUIT):
            return answer


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
