"""Optional installations: what to say when one is missing (see `tefuda.envs.core.extras`)."""

from tefuda.envs.core.extras import EXTRAS, MissingExtraError, needs

__all__ = ["EXTRAS", "MissingExtraError", "needs"]
