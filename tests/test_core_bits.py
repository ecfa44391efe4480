"""Sets as bits of words: compiled code and its plain twins do what Python's integers do."""

import random
from collections import Counter

import numpy as np
import pytest

from helpers import words
from helpers.statistics import assert_frequencies
from tefuda.envs.core.bits import BIT, WORD
from tefuda.envs.core.jit import PURE_PYTHON

LOOPS = words.bound()

pytestmark = pytest.mark.pure


def some_words() -> list[int]:
    """Single bits, their neighbours, both ends, and random words, dense and sparse."""
    rng = random.Random(0)
    single = [1 << k for k in range(WORD)]
    return [
        0, 2**64 - 1, 2**32, 2**32 - 1, 0xFF00FF00FF00FF00,
        *single,
        *(bit - 1 for bit in single),
        *(rng.getrandbits(64) for _ in range(50)),
        *(rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in range(50)),
    ]  # fmt: skip


def test_bit_table() -> None:
    assert BIT.tolist() == [1 << k for k in range(64)]
    assert BIT.dtype == np.uint64


def test_counting_and_lowest_bit() -> None:
    given = some_words()
    found = np.zeros(len(given), np.int64)
    LOOPS.counts(np.array(given, np.uint64), found)
    assert found.tolist() == [word.bit_count() for word in given]
    LOOPS.lowest(np.array(given, np.uint64), found)
    assert found.tolist() == [next((k for k in range(64) if word >> k & 1), WORD) for word in given]


def test_words_and_bytes() -> None:
    """The first byte is the lowest, at any offset, and nothing beside the eight is touched."""
    for at, word in zip([0, 1, 2, 3, 5, 8, 13, 24] * 30, some_words(), strict=False):
        target = np.arange(-16, 16, dtype=np.int8)
        before = target.tolist()
        LOOPS.store(target, at, np.uint64(word))
        assert target[at : at + 8].tobytes() == word.to_bytes(8, "little")
        assert target.tolist()[:at] + target.tolist()[at + 8 :] == before[:at] + before[at + 8 :]
        assert int(LOOPS.load(target, at)) == word


def test_bits_as_bytes() -> None:
    """Bits become bytes 0 and 1; up to seven bytes behind the last group's end become 0."""
    for count, word in zip([1, 7, 8, 9, 20, 39, 49, 55, 63, 64] * 20, some_words(), strict=False):
        at = count % 5
        target = np.full(80, 77, np.int8)
        LOOPS.write(np.uint64(word), count, target, at)
        used = -(-count // 8) * 8
        assert target[:at].tolist() == [77] * at
        assert target[at : at + count].tolist() == [word >> k & 1 for k in range(count)]
        assert target[at + used :].tolist() == [77] * (80 - at - used)


def test_bits_beyond_the_count_become_zero_where_the_word_has_none() -> None:
    target = np.full(16, 77, np.int8)
    LOOPS.write(np.uint64(0b101), 3, target, 0)
    assert target.tolist() == [1, 0, 1, 0, 0, 0, 0, 0] + [77] * 8


@pytest.mark.parametrize("word", [1, 1 << 63, 0b1010, 0x8000000000000001, (1 << 55) - 1])
def test_random_bits_are_uniform(word: int) -> None:
    found = np.zeros(2_000 if PURE_PYTHON else 20_000, np.int64)
    LOOPS.random_bits(words.holder(12345 << 32 | 678), np.uint64(word), found)
    those = [k for k in range(64) if word >> k & 1]
    if len(those) == 1:
        assert set(found.tolist()) == set(those)
    else:
        assert_frequencies(Counter(found.tolist()), dict.fromkeys(those, 1 / len(those)))
