"""stub"""
from tefuda.envs.core.jit import Record, kernel
@kernel
def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """stub."""
