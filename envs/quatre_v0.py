"""quatre, version 0: the thin face that PettingZoo users know."""

from typing import Any

from tefuda.envs.core.aec import TableEnv
from tefuda.envs.core.engine import make_engine
from tefuda.envs.quatre import GAME
from tefuda.envs.quatre import __doc__ as _page

__doc__ = _page

__all__ = ["env", "raw_env"]


def raw_env(
    *,
    encoder: str | None = None,
    render_mode: str | None = None,
    illegal: str = "raise",
    **options: Any,
) -> TableEnv:
    """A table of quatre as an AEC environment.

    Args:
        encoder: "flat" (default), "tokens" or "planes".
        render_mode: None or "ansi".
        illegal: "raise" or "terminate", see `TableEnv`.
        **options: The options of the game: players, components, adjacency, ...; and for
            "planes" `planes="box"`, which shows them as one array rather than a dict.

    Raises:
        OptionError: An option is unknown, not allowed, or does not apply.
        ComponentError: The component file is wrong.
    """
    return TableEnv(make_engine(GAME, encoder, **options), render_mode=render_mode, illegal=illegal)


env = raw_env
