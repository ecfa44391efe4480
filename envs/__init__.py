"""tefuda: three imperfect-information tabletop games for reinforcement learning.

Importing this package registers the games with PettingZoo, as "tefuda/gacha-v0" and so on, and
with Gymnasium, as "tefuda/Gacha-v0" and so on (one seat learns, see `tefuda.wrappers.gymnasium`).
"""

from importlib.metadata import version
from typing import Any

import gymnasium
import pettingzoo

from tefuda.envs.core.aec import TableEnv
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.errors import TefudaError
from tefuda.envs.core.game import Game
from tefuda.envs.core.registry import find_game, known_games, register_game
from tefuda.envs.gacha import GAME as _GACHA
from tefuda.envs.quatre import GAME as _QUATRE
from tefuda.envs.torutorento import GAME as _TORUTORENTO

__all__ = ["GAMES", "Game", "TableEnv", "Tables", "TefudaError", "__version__", "make", "make_vec"]

__version__ = version("tefuda")

for _spec in (_GACHA, _QUATRE, _TORUTORENTO):
    register_game(_spec)
    pettingzoo.register(
        "aec", f"tefuda/{_spec.name}-v{_spec.version}", f"tefuda.envs.{_spec.id}:env"
    )
    gymnasium.register(
        id=f"tefuda/{_spec.name.capitalize()}-v{_spec.version}",
        entry_point="tefuda.wrappers.gymnasium:SeatEnv",
        vector_entry_point="tefuda.wrappers.gymnasium:SeatVectorEnv",
        kwargs={"game": _spec.id},
    )

#: The versioned names of all games.
GAMES: tuple[str, ...] = tuple(spec.id for spec in known_games())


def make(
    game: str,
    *,
    encoder: str | None = None,
    render_mode: str | None = None,
    illegal: str = "raise",
    **options: Any,
) -> TableEnv:
    """One table as a PettingZoo AEC environment.

    Args:
        game: The name of a game, such as "gacha_v0".
        encoder: How observations are written; the game's first by default.
        render_mode: None or "ansi".
        illegal: What an illegal action does: "raise" or "terminate".
        **options: The options of the game; and `planes="box"`, which shows an encoder with a board
            as one array rather than a dict (see `Engine`).

    Raises:
        OptionError: The game or an option is not allowed.
        ComponentError: The component file is wrong.
    """
    engine = make_engine(find_game(game), encoder, **options)
    return TableEnv(engine, render_mode=render_mode, illegal=illegal)


def make_vec(
    game: str,
    *,
    tables: int = 1,
    seed: int | None = None,
    encoder: str | None = None,
    autoreset: bool = True,
    keep_actions: bool = False,
    **options: Any,
) -> Tables:
    """Many tables of one game, stepped at once.

    Args:
        game: The name of a game, such as "gacha_v0".
        tables: How many tables.
        seed: Table i plays the games (seed, i, 0), (seed, i, 1) ...; None takes fresh entropy.
        encoder: How observations are written; the game's first by default.
        autoreset: Whether an ended table begins its next game within the same step.
        keep_actions: Whether the tables can give records.
        **options: The options of the game; and `planes="box"`, which shows an encoder with a board
            as one array rather than a dict (see `Engine`).

    Raises:
        OptionError: The game or an option is not allowed.
        ComponentError: The component file is wrong.
    """
    engine = make_engine(find_game(game), encoder, **options)
    return Tables(engine, tables, seed=seed, autoreset=autoreset, keep_actions=keep_actions)
