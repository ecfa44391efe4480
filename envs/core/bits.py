"""Sets as the bits of 64-bit words, with twins in plain Python for runs without the JIT."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tefuda.envs.core.chance import draw
from tefuda.envs.core.jit import PURE_PYTHON, Record, kernel

WORD = 64

#: BIT[k] is the word in which only bit k is set.
BIT = np.uint64(1) << np.arange(WORD, dtype=np.uint64)

_ONE = np.uint64(1)
_BYTE = np.uint64(255)
_BYTE_BITS = np.uint64(8)
_BITS_PER_BYTE = 8

# _SPREAD[b] has a byte 0 or 1 for each bit of b, the lowest bit in the lowest byte.
_SPREAD = np.array(
    [sum(((byte >> bit) & 1) << (8 * bit) for bit in range(8)) for byte in range(256)],
    dtype=np.uint64,
)


def _word_operation(operation: str) -> Any:
    """An intrinsic that counts something of a 64-bit word: "ctpop" or "cttz"."""

    def typed(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if operation == "cttz":
                return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    return intrinsic(typed)


def _word_pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """The address of eight bytes of a contiguous int8 array, as that of a word."""
    proxy: Any = cgutils.create_struct_proxy
    data = proxy(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), ir.IntType(WORD).as_pointer())


def _load(typing_context: Any, source: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _word_pointer(context, builder, signature.args[0], *arguments)
        return builder.load(pointer, align=1)

    return types.uint64(source, types.int64), generate


def _store(typing_context: Any, target: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, value = arguments
        pointer = _word_pointer(context, builder, signature.args[0], array, offset)
        builder.store(value, pointer, align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.uint64), generate


if PURE_PYTHON:

    def count_bits(word: np.uint64) -> int:
        """How many bits are set."""
        return int(word).bit_count()

    def lowest_bit(word: np.uint64) -> int:
        """The index of the lowest bit that is set, 64 where none is."""
        number = int(word)
        return (number & -number).bit_length() - 1 if number else WORD

    def load_word(source: npt.NDArray[np.int8], at: int) -> np.uint64:
        """The eight bytes from `at` on as a word, the first byte lowest."""
        return np.uint64(source[at : at + 8].view(np.uint64)[0])

    def store_word(target: npt.NDArray[np.int8], at: int, word: np.uint64) -> None:
        """Writes a word to the eight bytes from `at` on, its lowest byte first."""
        target[at : at + 8].view(np.uint64)[0] = word

else:
    count_bits = _word_operation("ctpop")
    lowest_bit = _word_operation("cttz")
    load_word = cast(Any, intrinsic(_load))
    store_word = cast(Any, intrinsic(_store))


@kernel
def random_bit(holder: Record, word: np.uint64) -> int:
    """The index of a uniformly drawn set bit of a word that is not 0."""
    for _ in range(draw(holder, count_bits(word))):
        word = word & (word - _ONE)
    return lowest_bit(word)


@kernel
def write_bits(word: np.uint64, count: int, target: npt.NDArray[np.int8], at: int) -> None:
    """Writes the lowest `count` bits as bytes 0 and 1 to `target` from `at` on.

    Whole groups of eight are written: up to seven bytes behind the last one become 0, so write
    from left to right, and only where so many bytes follow.
    """
    for group in range((count + 7) >> 3):
        store_word(target, at + 8 * group, _SPREAD[word & _BYTE])
        word = word >> _BYTE_BITS
