"""A game's page in a terminal."""

import sys
from importlib.util import find_spec

from tefuda.envs.core.page import page
from tefuda.envs.core.registry import find_game


def print_page(game: str) -> None:
    """Prints a game's page: as it is read where there is a terminal, else as Markdown.

    Args:
        game: The game, such as "gacha".

    Raises:
        OptionError: There is no such game.
    """
    text = page(find_game(game))
    if not sys.stdout.isatty() or find_spec("rich") is None:
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
