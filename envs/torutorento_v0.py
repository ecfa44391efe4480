"""torutorento, version 0: the thin face that PettingZoo users know."""

from typing import Any

from tefuda.envs.core.aec import TableEnv
from tefuda.envs.core.engine import make_engine
from tefuda.envs.torutorento import GAME
from tefuda.envs.torutorento import __doc__ as _page

__doc__ = _page

__all__ = ["env", "raw_env"]


def raw_env(
    *,
    encoder: str | None = None,
    render_mode: str | None = None,
    illegal: str = "raise",
    **options: Any,
) -> TableEnv:
    """A table of torutorento as an AEC environment.

    Args:
        encoder: "flat" (default) or "tokens".
        render_mode: None or "ansi".
        illegal: "raise" or "terminate", see `TableEnv`.
        **options: The options of the game: players, components, target, ...

    Raises:
        OptionError: An option is unknown or not allowed.
        ComponentError: The component file is wrong.
    """
    return TableEnv(make_engine(GAME, encoder, **options), render_mode=render_mode, illegal=illegal)


env = raw_env
