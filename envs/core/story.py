"""The course of a game in words, as each seat saw it."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.contract import HIDDEN, NOBODY
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.game import Game
from tefuda.envs.core.loops import NEWS
from tefuda.envs.core.spec import Event

# A game that is followed takes its chance from the other; its own key is idle.
_ANY_KEY = (0, 0, 0)
# Rows (phase, seat, value) for what one event can tell a seat.
_ROOM = 256

#: What a line is about: something that happened, why, points, or where a round begins.
EVENT, WHY, SCORE, ROUND = "event", "why", "score", "round"


class Line(NamedTuple):
    """A sentence of the story.

    Attributes:
        events: How many events of the game had happened with it.
        kind: "event", "why", "score" or "round".
        text: The sentence.
    """

    events: int
    kind: str
    text: str


class Chronicle:
    """Follows a game event by event and tells it to every seat, and with open cards.

    A seat is told what it saw (see `Game.information_state`) and nothing else; explanations are
    made of what all may know.

    Attributes:
        engine: The game made ready.
        twin: The game as far as it has been told.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.twin = Game(engine, seed=_ANY_KEY)
        self._scratches = [Game(engine, seed=_ANY_KEY) for _ in range(engine.players)]
        self._lines: dict[int | None, list[Line]] = {
            seat: [] for seat in (None, *range(engine.players))
        }
        self._say(ROUND, "Round 1 begins.")

    def lines(self, seat: int | None) -> list[Line]:
        """All that has been told to a seat, or with open cards, in order."""
        return self._lines[seat]

    def follow(self, game: Game) -> None:
        """Tells what has happened since in a game that goes on from here."""
        for value in game.values[len(self.twin.values) :]:
            self.add(value)

    def add(self, value: int) -> None:
        """Tells the next event: an action or a chance outcome that is known to be possible."""
        event = Event(int(self.twin.state["phase"]), self.twin.seat, value)
        before = self.twin.state.copy()
        self.twin.advance(value)
        self._tell(None, event)
        for seat in range(self.engine.players):
            for seen in self._seen(seat, value):
                self._tell(seat, seen)
        self._explain(before)

    def _seen(self, seat: int, value: int) -> list[Event]:
        """How a seat saw the latest event: at most once; what it told beside is left out."""
        told: npt.NDArray[np.int16] = np.zeros((_ROOM, 3), np.int16)
        scratch, values = self._scratches[seat], np.array([value], np.int16)
        loops, parts = self.engine.loops, self.engine.parts
        count = loops.tell(scratch.records, parts, values, seat, told)
        return [_event(*row) for row in told[:count].tolist() if row[0] != NEWS]

    def _tell(self, seat: int | None, event: Event) -> None:
        text = in_words(self.engine, event)
        if text:
            self._lines[seat].append(Line(len(self.twin.values), EVENT, text))

    def _explain(self, before: Any) -> None:
        """Says what the latest event led to."""
        story, setup, after = self.engine.spec.story, self.engine.setup, self.twin.state
        for text in story.explain(setup, before, after) if story else ():
            self._say(WHY, text)
        if int(after["scorings"]) > int(before["scorings"]):
            self._say(SCORE, self._score())
        if self.twin.node == "over":
            self._say(SCORE, self._outcome())
        elif int(after["round_index"]) > int(before["round_index"]):
            self._say(ROUND, f"Round {int(after['round_index']) + 1} begins.")

    def _score(self) -> str:
        points = [int(points) for points in self.twin.state["points"][: self.engine.players]]
        gained = ", ".join(f"seat {seat} {gain:+d}" for seat, gain in enumerate(points))
        return f"Score: {gained}; totals {', '.join(map(str, self.twin.totals))}."

    def _outcome(self) -> str:
        winners = self.twin.winners or []
        names = " and ".join(f"seat {seat}" for seat in winners)
        limit = "The limit of rounds is reached. " if self.twin.truncated else ""
        return f"{limit}The game is over: {names} {'wins' if len(winners) == 1 else 'win'}."

    def _say(self, kind: str, text: str) -> None:
        """Tells everybody."""
        line = Line(len(self.twin.values), kind, text)
        for lines in self._lines.values():
            lines.append(line)


def in_words(engine: Engine, event: Event) -> str | None:
    """An event in a sentence; None where the game finds it not worth one."""
    if engine.spec.story is not None:
        return engine.spec.story.tell(engine.setup, event)
    text, who = engine.spec.text, "Chance" if event.seat is None else f"Seat {event.seat}"
    if event.phase in text.CHANCE_NAMES:
        name = text.CHANCE_NAMES[event.phase]
        known = event.value is not None
        what = text.outcome_label(engine.setup, name, event.value or 0) if known else "hidden"
        return f"{who}: {name}: {what}."
    done = "something hidden" if event.value is None else engine.label(event.value)
    return f"{who}: {done}."


def _event(phase: int, seat: int, value: int) -> Event:
    return Event(phase, None if seat == NOBODY else seat, None if value == HIDDEN else value)
