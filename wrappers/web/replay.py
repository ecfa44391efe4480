"""Recorded games as pictures to step through: on a page, or in one self-contained HTML file."""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.envs.core.errors import OptionError, RecordError
from tefuda.envs.core.game import Game
from tefuda.envs.core.record import RecordData, load_records
from tefuda.envs.core.story import Chronicle
from tefuda.training.files import check_output, replacing
from tefuda.wrappers.web.picture import picture

#: How a page names the eyes that see all cards.
OPEN = "open"

_TAG = re.compile(r"(?=<)")
_STATIC = files("tefuda.wrappers.web") / "static"


class Frame(NamedTuple):
    """A moment of a game that is shown.

    Attributes:
        events: How many events had happened.
        round: Which round it was, from 1 on.
        game: The game at that moment.
    """

    events: int
    round: int
    game: Game


class Replay:
    """One recorded game, judged when it is made.

    Attributes:
        game: The game at its end.
        eyes: Whose eyes it can be seen from: "open", "0", "1", ...
    """

    def __init__(self, record: RecordData) -> None:
        """Judges a record.

        Raises:
            RecordError: It is malformed or impossible.
        """
        self.game = Game.from_record(record)
        self.eyes = (OPEN, *map(str, range(self.game.players)))

    @cached_property
    def _course(self) -> tuple[Chronicle, list[Frame]]:
        """The story, and a frame for everything that is told or asked."""
        chronicle = Chronicle(self.game.engine)
        frames: list[Frame] = []
        for value in self.game.values:
            told, twin = len(chronicle.lines(None)), chronicle.twin
            chronicle.add(value)
            if len(chronicle.lines(None)) > told or twin.node != "chance":
                frames.append(_frame(twin))
        return chronicle, frames or [_frame(chronicle.twin)]

    @property
    def frames(self) -> list[Frame]:
        """The moments that are shown, the first after the deal."""
        return self._course[1]

    def title(self) -> str:
        """Which game this is and how it ended, in a line."""
        game = self.game
        winners = game.winners
        end = "unfinished" if winners is None else f"won by seat {_and(winners)}"
        return f"{game.engine.spec.name}, {game.players} players, {end}"

    def describe(self, eyes: Sequence[str] | None = None) -> dict[str, Any]:
        """All but the pictures, as JSON.

        Args:
            eyes: Whose stories are told; all by default.
        """
        return {
            "title": self.title(),
            "eyes": list(eyes or self.eyes),
            "frames": [frame.events for frame in self.frames],
            "rounds": [frame.round for frame in self.frames],
            "lines": {name: self._lines(name) for name in eyes or self.eyes},
        }

    def _lines(self, eyes: str) -> list[list[Any]]:
        return [list(line) for line in self._course[0].lines(self.seat(eyes))]

    def seat(self, eyes: str) -> int | None:
        """The seat whose eyes these are.

        Raises:
            OptionError: There is no such seat.
        """
        if eyes not in self.eyes:
            raise OptionError(f"eyes {eyes!r} are not one of {', '.join(self.eyes)}")
        return None if eyes == OPEN else int(eyes)

    def picture(self, frame: int, eyes: str) -> str:
        """A frame as HTML.

        Raises:
            OptionError: There is no such frame, or no such seat.
        """
        if not 0 <= frame < len(self.frames):
            raise OptionError(f"frame {frame} is not one of 0 .. {len(self.frames) - 1}")
        return picture(self.frames[frame].game, self.seat(eyes))


def _frame(game: Game) -> Frame:
    return Frame(len(game.values), int(game.state["round_index"]) + 1, game.clone())


def _and(seats: Sequence[int]) -> str:
    return " and ".join(map(str, seats))


def load(file: Path) -> list[RecordData]:
    """The records of a file, not yet judged.

    Raises:
        RecordError: The file cannot be read, or holds none.
    """
    try:
        records = list(load_records(file))
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{file} cannot be read: {error}") from error
    if not records:
        raise RecordError(f"{file} holds no record")
    return records


# ==================================================================== one file


def write_html(records: Sequence[RecordData], file: Path, eyes: Sequence[str] = ()) -> None:
    """Writes games as one HTML file that needs nothing else.

    The file holds what is seen from all the eyes that it shows: who gets it can read all of it.

    Args:
        records: The games.
        file: The file; it appears whole or not at all.
        eyes: Whose eyes, such as "open" or "0"; all by default.

    Raises:
        RecordError: A record is impossible; the message says which.
        OptionError: There is no such seat, or the file cannot be written.
    """
    check_output(file)
    games = [_packed(replay, eyes or replay.eyes) for replay in judged(records)]
    with replacing(file) as part:
        part.write_text(page(games), encoding="utf-8")


def judged(records: Sequence[RecordData]) -> list[Replay]:
    """Games of records.

    Raises:
        RecordError: One is impossible; the message says which.
    """
    replays = []
    for number, record in enumerate(records, start=1):
        try:
            replays.append(Replay(record))
        except RecordError as error:
            raise RecordError(f"record {number}: {error}") from error
    return replays


def _packed(replay: Replay, eyes: Sequence[str]) -> dict[str, Any]:
    """A game with all its pictures.

    Most tags of a picture are those of the picture before: the tags are kept once, a picture is
    the list of their numbers, and all of it is deflated.
    """
    numbers: dict[str, int] = {}
    pictures = {
        name: [
            [numbers.setdefault(tag, len(numbers)) for tag in _TAG.split(replay.picture(at, name))]
            for at in range(len(replay.frames))
        ]
        for name in eyes
    }
    packed = {**replay.describe(eyes), "tags": list(numbers), "pictures": pictures}
    deflated = zlib.compress(json.dumps(packed, ensure_ascii=False).encode(), 9)
    return {"title": replay.title(), "deflated": base64.b64encode(deflated).decode()}


def page(games: Sequence[dict[str, Any]] | None = None) -> str:
    """The viewer's page; without games it asks its server for them."""
    data = json.dumps(games, ensure_ascii=False).replace("</", "<\\/")
    text = static("watch.html")
    for name, content in (
        ("style", static("style.css")),
        ("script", static("watch.js")),
        ("data", data),
    ):
        text = text.replace(f"/*{name}*/", content)
    return text


def static(name: str) -> str:
    """A file of the page."""
    return (_STATIC / name).read_text(encoding="utf-8")
