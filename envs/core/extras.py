"""Optional installations: what to say when one is missing."""

from collections.abc import Generator
from contextlib import contextmanager

from tefuda.envs.core.errors import TefudaError

#: What rasterising, windows and animations need: the modules of the extra "draw".
DRAW = ("resvg_py", "PIL", "pygame", "pylopdf_fonts_jp")


class MissingExtraError(TefudaError, ImportError):
    """Something needs a package that is not installed."""


@contextmanager
def needs(extra: str, modules: tuple[str, ...]) -> Generator[None, None, None]:
    """Imports within may need an extra.

    Args:
        extra: Its name.
        modules: The top-level modules that it brings.

    Raises:
        MissingExtraError: A package of the extra is not installed; says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in modules:
            raise
        raise MissingExtraError(
            f'this needs {missing}, which is not installed: pip install "tefuda[{extra}]"'
        ) from error
