"""Records as animated pictures."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.extras import needs
from tefuda.envs.core.game import Game
from tefuda.envs.core.picture import pixels
from tefuda.envs.core.record import RecordData
from tefuda.training.files import check_output, replacing

if TYPE_CHECKING:
    from PIL.Image import Image

# Replays take their chance from the record; the key of the game that is replayed is idle.
_ANY_KEY = (0, 0, 0)
# Drawings have few colours; more would only make a larger file.
_COLOURS = 128


def write_gif(
    records: Iterable[RecordData],
    file: Path,
    seat: int | None = None,
    *,
    seconds: float = 1.0,
    zoom: float = 1.0,
) -> None:
    """Writes games as one animated GIF, a picture for each decision and one for the end.

    Args:
        records: The games, one after the other; all have equally many seats.
        file: The GIF; its folder exists.
        seat: Whose eyes; None shows all cards.
        seconds: How long each picture stays.
        zoom: Pixels a unit; 1.0 makes pictures that are 800 pixels wide.

    Raises:
        OptionError: There is no record, no such seat, or a time or zoom is not above 0.
        RecordError: A record is malformed or impossible.
        MissingExtraError: The extra "draw" is not installed.
    """
    for name, value in (("seconds", seconds), ("zoom", zoom)):
        if not value > 0:
            raise OptionError(f"{name}={value!r} is not allowed; it must be above 0")
    check_output(file)
    frames = (_frame(game.svg(seat), zoom) for record in records for game in positions(record))
    first = next(frames, None)
    if first is None:
        raise OptionError("records are empty: there is no game to show")
    with replacing(file) as part:
        first.save(
            part,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=round(1000 * seconds),
            loop=0,
        )


def positions(record: RecordData) -> Iterator[Game]:
    """The positions of a recorded game at which somebody decides, and its last one.

    Raises:
        RecordError: The record is malformed or impossible.
    """
    whole = Game.from_record(record)
    game = Game(whole.engine, seed=_ANY_KEY)
    for value in whole.values:
        if game.node == "decision":
            yield game
        game.advance(value)
    yield game


def _frame(svg: str, zoom: float) -> "Image":
    """A picture in few colours."""
    with needs("draw"):
        from PIL import Image
    picture = Image.fromarray(pixels(svg, zoom))
    return picture.quantize(_COLOURS, dither=Image.Dither.NONE)
