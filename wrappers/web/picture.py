"""A game as a page shows it: its drawing, or its text where it has none."""

import html
import re

from tefuda.envs.core.game import Game
from tefuda.envs.core.picture import has_picture

_COLOURED = re.compile(r"\x1b\[(\d+)m(.*?)\x1b\[0m", re.DOTALL)


def picture(game: Game, seat: int | None) -> str:
    """HTML that shows the table.

    Args:
        game: The game.
        seat: Whose eyes; None shows all cards.
    """
    if has_picture(game.engine.spec):
        return game.svg(seat)
    text = game.engine.spec.text.ansi(game.engine.setup, game.state, seat)
    return f'<pre class="ansi" role="img" aria-label="the table">{_painted(text)}</pre>'


def _painted(text: str) -> str:
    """A text with ANSI colours as HTML."""
    return _COLOURED.sub(r'<span class="a\1">\2</span>', html.escape(text, quote=False))
