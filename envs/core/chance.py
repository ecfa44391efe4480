"""Random streams that are keyed, not shared.

Every game has the key (seed, table, number), and each of its rounds restarts the game's stream
from (key, round). What is dealt in a round therefore depends neither on the size of the batch,
nor on the order of steps, nor on how much chance earlier rounds used.

A stream is one 64-bit word in the field `stream` of any record. The generator is MWC64X (a
multiply-with-carry whose products stay within 64 bits, so that the same lines run without the
JIT), the hash two lanes of a 32-bit integer mixer.
"""

import secrets

import numpy as np

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.jit import Record, kernel

#: A holder of a random stream that belongs to no game: agents, `sample()`, searches.
STREAM = np.dtype([("stream", np.uint64)])

#: Seeds lie in 0 .. SEED_LIMIT - 1; fresh ones below 2**53, which every JSON reader keeps exact.
SEED_LIMIT = 2**63
_FRESH_BITS = 53
_KEY_WORDS = ("seed", "table", "game number")

_LOW = np.uint64(0xFFFFFFFF)
_SPAN = np.uint64(1 << 32)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_SPAN_FLOAT = 2.0**32
# The 32-bit mixer "lowbias32": shifts 16, 15, 16 and two odd multipliers.
_SHIFT_OUTER = np.uint64(16)
_SHIFT_INNER = np.uint64(15)
_MIX_FIRST = np.uint64(0x7FEB352D)
_MIX_SECOND = np.uint64(0x846CA68B)
_SALT_LOW = np.uint64(0x9E3779B9)
_SALT_HIGH = np.uint64(0x85EBCA6B)
# MWC64X: state = low * multiplier + carry, where 0 < carry < multiplier - 1 keeps it alive.
_MULTIPLIER = np.uint64(4294883355)
_CARRIES = np.uint64(4294883355 - 2)


#: The key of a game: seed, table, game number.
Key = tuple[int, int, int]


def check_seed(seed: object) -> int:
    """Returns the seed as an int.

    Raises:
        OptionError: It is no integer, or out of range.
    """
    return _check_word("seed", seed)


def check_key(key: object) -> Key:
    """Returns the key (seed, table, game number) of a game.

    Raises:
        OptionError: It is no such triple.
    """
    if not isinstance(key, tuple | list) or len(key) != len(_KEY_WORDS):
        raise OptionError(f"seed={key!r} is not allowed; a key is (seed, table, game number)")
    seed, table, number = (
        _check_word(name, word) for name, word in zip(_KEY_WORDS, key, strict=True)
    )
    return seed, table, number


def _check_word(name: str, word: object) -> int:
    if isinstance(word, bool) or not isinstance(word, int | np.integer):
        raise OptionError(f"{name}={word!r} is not allowed; it must be an integer")
    if not 0 <= word < SEED_LIMIT:
        raise OptionError(f"{name}={word!r} is not allowed; it must lie in 0 .. 2**63 - 1")
    return int(word)


def fresh_seed() -> int:
    """A seed from the operating system's entropy."""
    return secrets.randbits(_FRESH_BITS)


@kernel
def _mix(word: np.uint64) -> np.uint64:
    word = ((word ^ (word >> _SHIFT_OUTER)) * _MIX_FIRST) & _LOW
    word = ((word ^ (word >> _SHIFT_INNER)) * _MIX_SECOND) & _LOW
    return word ^ (word >> _SHIFT_OUTER)


@kernel
def stream_of(
    first: np.uint64, second: np.uint64, third: np.uint64, fourth: np.uint64
) -> np.uint64:
    """The first state of the stream whose key is four 64-bit words."""
    low, high = _SALT_LOW, _SALT_HIGH
    for word in (first, second, third, fourth):
        low = _mix(low ^ (word & _LOW))
        high = _mix((high + low) & _LOW) ^ (word >> _HALF)
        low = _mix((low + high) & _LOW)
    return ((_mix(high) % _CARRIES + _ONE) << _HALF) | low


@kernel
def restart_stream(game: Record) -> None:
    """Starts the stream of the game's current round (`game.round_index`)."""
    game.stream = stream_of(game.seed, game.table, game.number, np.uint64(game.round_index))


@kernel
def next_word(holder: Record) -> np.uint64:
    """Draws 32 random bits from `holder.stream`."""
    state = holder.stream
    low, carry = state & _LOW, state >> _HALF
    holder.stream = low * _MULTIPLIER + carry
    return low ^ carry


@kernel
def draw(holder: Record, count: int) -> int:
    """Draws an integer uniformly from 0 .. count - 1 (exactly, by Lemire's rejection)."""
    bound = np.uint64(count)
    product = next_word(holder) * bound
    if (product & _LOW) < bound:
        threshold = (_SPAN - bound) % bound
        while (product & _LOW) < threshold:
            product = next_word(holder) * bound
    return np.int64(product >> _HALF)  # type: ignore[return-value]  # an int where compiled


@kernel
def draw_fraction(holder: Record) -> float:
    """Draws one of 2**32 evenly spaced fractions of at least 0 and below 1."""
    return next_word(holder) / _SPAN_FLOAT


@kernel
def draw_seed(holder: Record) -> np.uint64:
    """Draws a seed (below 2**62) for another stream."""
    high = next_word(holder) >> _TWO
    return (high << _HALF) | next_word(holder)
