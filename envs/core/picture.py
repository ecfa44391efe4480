"""Pictures of a game: as SVG, as pixels, and in a window."""

import io
import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.envs.core.extras import needs
from tefuda.envs.core.jit import Records
from tefuda.envs.core.spec import GameSpec

# The typeface that comes with the extra: pictures look the same on a machine without fonts.
_FAMILY = "Noto Sans JP"
# What SDL calls drivers that show nothing.
_BLIND_DRIVERS = ("dummy", "offscreen")
_PYGAME_SILENCE = "PYGAME_HIDE_SUPPORT_PROMPT"


class DisplayError(TefudaError, RuntimeError):
    """There is no display for a window."""


def has_picture(spec: GameSpec) -> bool:
    """Whether a game has a drawing, its module `draw`."""
    return find_spec(_module_of(spec)) is not None


def draw_svg(engine: Engine, games: Records, row: int, seat: int | None) -> str:
    """A game as SVG.

    Args:
        engine: The game made ready.
        games: Its records.
        row: Which of them.
        seat: Whose eyes; None shows all cards. Where it is this seat's turn, whatever stands for
            one legal action has the class `legal`, and its id as `data-action`.

    Raises:
        OptionError: The game has no drawing.
    """
    if not has_picture(engine.spec):
        raise OptionError(f"{engine.spec.id} has no drawing")
    draw = import_module(_module_of(engine.spec)).draw
    acts = seat is not None and int(games["seat"][row]) == seat
    legal = engine.legal_actions(games, row) if acts else []
    return str(draw(engine.setup, games[row], seat, legal))


def _module_of(spec: GameSpec) -> str:
    return f"{spec.rules.__package__}.draw"


# ==================================================================== pixels


def png(svg: str, zoom: float = 1.0) -> bytes:
    """A drawing as a PNG file.

    Args:
        svg: The drawing.
        zoom: How many pixels a unit has; drawings are 800 units wide.

    Raises:
        MissingExtraError: The extra "draw" is not installed.
    """
    with needs("draw"):
        import pylopdf_fonts_jp
        import resvg_py
    made = resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        skip_system_fonts=True,
        font_files=[str(pylopdf_fonts_jp.sans_path())],
        font_family=_FAMILY,
        sans_serif_family=_FAMILY,
    )
    return bytes(made)


def pixels(svg: str, zoom: float = 1.0) -> npt.NDArray[np.uint8]:
    """A drawing as an array of red, green and blue, (height, width, 3).

    Raises:
        MissingExtraError: The extra "draw" is not installed.
    """
    with needs("draw"):
        from PIL import Image
    with Image.open(io.BytesIO(png(svg, zoom))) as image:
        return np.array(image.convert("RGB"))


# ==================================================================== a window


class Window:
    """A window that shows pictures; it opens with the first one. A copy has none of its own yet.

    Whoever looks on may close it: nothing more is shown then, and the game goes on.
    """

    def __init__(self) -> None:
        self._dismissed = False
        self._pygame: Any = None
        self._screen: Any = None
        self._clock: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, ()

    def show(self, picture: npt.NDArray[np.uint8], title: str, fps: float) -> None:
        """Shows a picture, not before the one before it has had its time.

        Args:
            picture: An array (height, width, 3).
            title: What the window is called.
            fps: The most pictures a second.

        Raises:
            MissingExtraError: The extra "draw" is not installed.
            DisplayError: There is no display.
        """
        if self._dismissed:
            return
        height, width, _ = picture.shape
        screen = self._screen
        if screen is None or screen.get_size() != (width, height):
            screen = self._open(width, height, title)
        pygame = self._pygame
        screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        self._clock.tick(fps)
        if pygame.event.get(pygame.QUIT):
            self.close()
            self._dismissed = True

    def _open(self, width: int, height: int, title: str) -> Any:
        with needs("draw"):
            os.environ.setdefault(_PYGAME_SILENCE, "1")
            import pygame
        wanted = os.environ.get("SDL_VIDEODRIVER")
        try:
            pygame.display.init()
            screen = pygame.display.set_mode((width, height))
        except pygame.error as error:
            raise DisplayError(_no_display(str(error))) from error
        if pygame.display.get_driver() in _BLIND_DRIVERS and wanted is None:
            pygame.display.quit()
            raise DisplayError(_no_display("no screen was found"))
        pygame.display.set_caption(title)
        self._pygame, self._screen, self._clock = pygame, screen, pygame.time.Clock()
        return screen

    def close(self) -> None:
        """Closes the window if it is open."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None


def _no_display(reason: str) -> str:
    return (
        f"render_mode='human' cannot open a window: {reason}; it needs a display. "
        "Use render_mode='rgb_array' or 'ansi' where there is none"
    )
