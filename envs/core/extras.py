"""Optional installations: what to say when one is missing."""

from collections.abc import Generator
from contextlib import contextmanager

from tefuda.envs.core.errors import TefudaError

#: The top-level modules that each extra brings.
EXTRAS = {
    "train": ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib"),
    "cli": ("rich",),
    "evaluate": ("statsmodels", "matplotlib"),
    "draw": ("resvg_py", "pylopdf_fonts_jp", "PIL", "pygame"),
    "openspiel": ("pyspiel", "open_spiel"),
    "torchrl": ("torchrl", "tensordict"),
    "tianshou": ("tianshou",),
    "data": ("pyarrow",),
    "web": ("starlette", "uvicorn", "websockets"),
    "ray": ("ray",),
    "rllib": ("ray",),
}


class MissingExtraError(TefudaError, ImportError):
    """Something needs a package that is not installed."""


@contextmanager
def needs(extra: str) -> Generator[None, None, None]:
    """Imports within may need an extra.

    Raises:
        MissingExtraError: A package of the extra is not installed; says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRAS[extra]:
            raise
        raise MissingExtraError(
            f'this needs {missing}, which is not installed: pip install "tefuda[{extra}]"'
        ) from error
