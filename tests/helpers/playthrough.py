"""A game as text, with every mask and every observation: what `tests/playthroughs` holds.

Each event has a block: what may come, what came, and how each seat's observations changed with
it, in every encoder. Sections (of tokens, rows) that an event leaves as they were are not
repeated; what is the same in several encoders or to several seats is told once.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from helpers.games import pieces_of, short, spec_of
from tefuda.envs import Game
from tefuda.envs.core.sections import Section

KEY = (2024, 0, 0)
_WIDTH = 100
_NOTHING = "-"


@dataclass
class View:
    """What one seat sees through one encoder, and saw before (nothing, to begin with)."""

    game: Game
    encoder: str
    seat: int
    shown: dict[str, str] = field(default_factory=dict)

    def changes(self) -> Iterator[str]:
        """The sections that are not as they were."""
        pieces = pieces_of(self.game.observation(self.seat)).values()
        values = np.concatenate([piece.reshape(-1) for piece in pieces])
        for section in self.game.engine.sections:
            for name, row in rows_of(section, values[section.slice]):
                text = in_short(row)
                if self.shown.get(name, _NOTHING) != text:
                    self.shown[name] = text
                    yield f"{name} {text}"


def told(views: Iterable[View]) -> Iterator[str]:
    """Lines for all changes; each change once, with the encoders and the seats that show it."""
    found: dict[str, list[View]] = {}
    for view in views:
        for change in view.changes():
            found.setdefault(change, []).append(view)
    for change, those in found.items():
        encoders = dict.fromkeys(view.encoder for view in those)
        by_encoder = [tuple(v.seat for v in those if v.encoder == encoder) for encoder in encoders]
        for seats in dict.fromkeys(by_encoder):
            names = [e for e, own in zip(encoders, by_encoder, strict=True) if own == seats]
            yield f"    {','.join(names)} of {','.join(map(str, seats))}: {change}"


def rows_of(section: Section, values: Any) -> Iterator[tuple[str, Any]]:
    """A section by name; one of tokens row by row."""
    if not section.fields:
        yield section.name, values
        return
    for number, row in enumerate(values.reshape(section.tokens, -1)):
        yield f"{section.name}[{number}]", row


def in_short(values: Any) -> str:
    """The values that are not 0 as place:value, or as places alone where all are 1."""
    places = np.flatnonzero(values)
    if not places.size:
        return _NOTHING
    if (values[places] == 1).all():
        return runs(places.tolist())
    return " ".join(f"{place}:{values[place]}" for place in places)


def runs(numbers: Sequence[int]) -> str:
    """Rising numbers, those in a row as first-last."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found)


def playthrough(name: str) -> str:
    """The playthrough of a game: one short game with a fixed key and fixed random play."""
    spec = spec_of(name)
    games = [Game(name, seed=KEY, encoder=encoder, **short(name)) for encoder in spec.encoders]
    lines = [*head(games[0]), *events(games), *result(games[0])]
    return "\n".join(wrapped(lines)) + "\n"


def head(game: Game) -> list[str]:
    setup = game.engine.setup
    options = " ".join(f"{option}={value}" for option, value in setup.options.items())
    return [
        f"{game.engine.spec.id}, {game.players} players, {options}",
        f"components {setup.components.name} {setup.components.sha256}",
        f"key {KEY}, {game.engine.actions} actions",
        "Made by tests/playthroughs/regenerate.py. Of every observation, by encoders and seats,",
        "what has changed since the event before (at first, since all was 0): the places of a",
        'section that are not 0, as place:value, or places alone where all are 1; "-" if none.',
    ]


def events(games: list[Game]) -> Iterator[str]:
    """Plays the same in every encoder's game, and tells every event."""
    first, rng = games[0], random.Random(0)
    views = [
        View(game, encoder, seat)
        for game, encoder in zip(games, first.engine.spec.encoders, strict=True)
        for seat in range(first.players)
    ]
    yield from at_node(first, views)
    while first.node != "over":
        value = next_value(first, rng)
        yield f"  -> {in_words(first, value)}"
        for game in games:
            game.advance(value)
        yield from at_node(first, views)


def next_value(game: Game, rng: random.Random) -> int:
    """Chance from the game's own stream; decisions at random, the same in every release."""
    if game.node == "chance":
        engine = game.engine
        return int(engine.loops.sample_chance_one(game._games, engine.parts, 0))
    legal = game.legal_actions()
    return legal[int(rng.random() * len(legal))]


def in_words(game: Game, value: int) -> str:
    text, setup = game.engine.spec.text, game.engine.setup
    if game.node == "chance":
        return f"{value}: {text.outcome_label(setup, game.chance_name, value)}"
    return f"{value}: {text.label(setup, value)}"


def at_node(game: Game, views: Iterable[View]) -> Iterator[str]:
    """A node, what may come there, and what has changed for each seat."""
    yield ""
    number = len(game.values)
    if game.node == "chance":
        yield f"{number}. chance {game.chance_name}, seat {game.seat}"
        yield f"  may come: {chances(game)}"
    elif game.node == "decision":
        yield f"{number}. decision of seat {game.seat}"
        yield f"  legal: {runs(game.legal_actions())}"
    else:
        yield f"{number}. over"
    yield f"  totals {game.totals}"
    yield from told(views)


def chances(game: Game) -> str:
    """The outcomes, with their probabilities if these differ."""
    stated = game.chance_outcomes()
    if len({probability for _, probability in stated}) == 1:
        return runs([outcome for outcome, _ in stated]) + ", all alike"
    return " ".join(f"{outcome}:{probability:.6g}" for outcome, probability in stated)


def result(game: Game) -> list[str]:
    payoffs = " ".join(f"{payoff:.6g}" for payoff in game.returns())
    return ["", f"winners {game.winners}, payoffs {payoffs}, truncated {game.truncated}"]


def wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Breaks long lines at spaces; what goes on is indented further."""
    for line in lines:
        while len(line) > _WIDTH:
            indent = len(line) - len(line.lstrip())
            at = line.rfind(" ", indent + 1, _WIDTH + 1)
            yield line[:at]
            line = " " * min(indent + 4, 8) + line[at + 1 :]
        yield line
