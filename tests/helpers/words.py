"""Loops over the word operations of the core, for tests: in compiled code alone they exist there.

They are bound as a game's loops are, so that the compiled form comes from the cache.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tefuda.envs.core
from tefuda.envs.core.bits import (
    count_bits,
    load_word,
    lowest_bit,
    random_bit,
    store_word,
    write_bits,
)
from tefuda.envs.core.chance import (
    STREAM,
    draw,
    draw_fraction,
    draw_seed,
    next_word,
    restart_stream,
    stream_of,
)
from tefuda.envs.core.jit import Records, bind, fields

Words = npt.NDArray[np.uint64]

#: What `restart_stream` reads and writes.
KEYED = np.dtype(
    [
        # Not where the records of games have them: Numba would take those for kinds of this one.
        ("round_index", np.int16),
        *((name, np.uint64) for name in ("seed", "table", "number", "stream")),
    ]
)


def streams(keys: Words, found: Words) -> None:
    for k in range(found.size):
        found[k] = stream_of(keys[k, 0], keys[k, 1], keys[k, 2], keys[k, 3])


def restarted(games: Records, found: Words) -> None:
    for k in range(found.size):
        restart_stream(games[k])
        found[k] = games[k].stream


def words(holder: Records, found: Words) -> None:
    for k in range(found.size):
        found[k] = next_word(holder[0])


def draws(holder: Records, count: int, found: npt.NDArray[np.int64]) -> None:
    for k in range(found.size):
        found[k] = draw(holder[0], count)


def fractions(holder: Records, found: npt.NDArray[np.float64]) -> None:
    for k in range(found.size):
        found[k] = draw_fraction(holder[0])


def seeds(holder: Records, found: Words) -> None:
    for k in range(found.size):
        found[k] = draw_seed(holder[0])


def random_bits(holder: Records, word: np.uint64, found: npt.NDArray[np.int64]) -> None:
    for k in range(found.size):
        found[k] = random_bit(holder[0], word)


def counts(given: Words, found: npt.NDArray[np.int64]) -> None:
    for k in range(given.size):
        found[k] = count_bits(given[k])


def lowest(given: Words, found: npt.NDArray[np.int64]) -> None:
    for k in range(given.size):
        found[k] = lowest_bit(given[k])


def load(source: npt.NDArray[np.int8], at: int) -> int:
    return load_word(source, at)  # type: ignore[return-value]  # an int where compiled


def store(target: npt.NDArray[np.int8], at: int, word: np.uint64) -> None:
    store_word(target, at, word)


def write(word: np.uint64, count: int, target: npt.NDArray[np.int8], at: int) -> None:
    write_bits(word, count, target, at)


def bound() -> Any:
    """These loops, compiled where kernels are."""
    import helpers.words as this

    core = Path(tefuda.envs.core.__path__[0])
    return bind("words", this, {}, (core, Path(__file__)))


def holder(stream: int) -> Records:
    """A holder whose stream stands at a word, in an array of one."""
    made = fields(np.zeros(1, STREAM))
    made["stream"] = stream
    return made
