"""Keyed streams: against a plain second implementation, and against the probabilities stated."""

import random
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers import words
from helpers.statistics import FIRM, assert_frequencies
from tefuda.envs.core.chance import SEED_LIMIT, check_key, check_seed, fresh_seed
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.jit import PURE_PYTHON, fields

LOOPS = words.bound()
DRAWS = 2_000 if PURE_PYTHON else 40_000
LOW = 2**32 - 1

#: Keys whose words use low and high halves, and the largest that there can be.
KEYS = [
    (0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 2, 3, 4),
    (4, 3, 2, 1), (2**32, 0, 0, 0), (2**40 + 7, 5, 2**33, 2), (SEED_LIMIT - 1, 9, 9, 9),
    (2**64 - 1, 2**64 - 1, 2**64 - 1, 2**64 - 1), (5, 0, 0, 2**63), (5, 0, 0, 2**62),
]  # fmt: skip


# ==================================================================== in plain numbers


def plain_mix(word: int) -> int:
    """The integer mixer "lowbias32"."""
    word = ((word ^ (word >> 16)) * 0x7FEB352D) & LOW
    word = ((word ^ (word >> 15)) * 0x846CA68B) & LOW
    return word ^ (word >> 16)


def plain_stream(key: tuple[int, ...]) -> int:
    """The first state of the stream of a key."""
    low, high = 0x9E3779B9, 0x85EBCA6B
    for word in key:
        low = plain_mix(low ^ (word & LOW))
        high = plain_mix((high + low) & LOW) ^ (word >> 32)
        low = plain_mix((low + high) & LOW)
    return (plain_mix(high) % (4294883355 - 2) + 1) << 32 | low


def plain_words(stream: int, count: int) -> list[int]:
    """What a stream gives: MWC64X."""
    found = []
    for _ in range(count):
        low, carry = stream & LOW, stream >> 32
        stream = low * 4294883355 + carry
        found.append(low ^ carry)
    return found


def streams(keys: list[tuple[int, ...]]) -> list[int]:
    found = np.zeros(len(keys), np.uint64)
    LOOPS.streams(np.array(keys, np.uint64), found)
    return found.tolist()


def drawn(count: int, how_many: int, key: tuple[int, ...] = (3, 1, 4, 1)) -> list[int]:
    found = np.zeros(how_many, np.int64)
    LOOPS.draws(words.holder(plain_stream(key)), count, found)
    return found.tolist()


@pytest.mark.pure
def test_streams_are_those_of_plain_arithmetic() -> None:
    assert streams(KEYS) == [plain_stream(key) for key in KEYS]


@pytest.mark.pure
def test_words_are_those_of_plain_arithmetic() -> None:
    for key in KEYS:
        found = np.zeros(50, np.uint64)
        LOOPS.words(words.holder(plain_stream(key)), found)
        assert found.tolist() == plain_words(plain_stream(key), 50)


@pytest.mark.pure
def test_first_words_of_a_key_never_change() -> None:
    """A key means the same game in every later release; these numbers are written down."""
    assert streams([(0, 0, 0, 0), (7, 0, 0, 0)]) == [14655787454546414585, 3956330252835983541]
    assert plain_words(plain_stream((7, 0, 0, 0)), 3) == [1888232914, 2494768892, 2093253027]


@pytest.mark.pure
def test_every_word_of_a_key_matters_and_its_place_too() -> None:
    rng = random.Random(1)
    keys: set[tuple[int, ...]] = set(KEYS)
    for _ in range(300):
        key = [rng.randrange(4) for _ in range(4)]
        keys.add(tuple(key))
        key[rng.randrange(4)] ^= 1 << rng.randrange(64)
        keys.add(tuple(key))
    found = streams(sorted(keys))
    assert len(set(found)) == len(keys)
    firsts = {plain_words(stream, 1)[0] for stream in found}
    assert len(firsts) > len(keys) - 3  # 32 bits of 500 keys hardly ever meet


@pytest.mark.pure
def test_a_stream_stays_alive() -> None:
    """The carry is neither 0 nor the largest, where the generator would stand still."""
    for stream in streams([(n, n, n, n) for n in range(200)]):
        assert 0 < stream >> 32 < 4294883355 - 1


@pytest.mark.pure
def test_a_round_restarts_its_stream_from_key_and_round_alone() -> None:
    games = fields(np.zeros(6, words.KEYED))
    games["seed"], games["table"], games["number"] = 5, 2**40, 3
    games["round_index"] = [0, 1, 2, 2, 1000, 0]
    games["stream"] = [9, 8, 7, 6, 5, 4]  # what was drawn before leaves no trace
    found = np.zeros(6, np.uint64)
    LOOPS.restarted(games, found)
    assert found.tolist() == [plain_stream((5, 2**40, 3, r)) for r in (0, 1, 2, 2, 1000, 0)]


# ==================================================================== frequencies


@pytest.mark.pure
@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 49, 64])
def test_draws_are_uniform(count: int) -> None:
    found = Counter(drawn(count, DRAWS))
    if count == 1:
        assert found == {0: DRAWS}
    else:
        assert_frequencies(found, dict.fromkeys(range(count), 1 / count))


@pytest.mark.pure
def test_large_draws_are_exactly_uniform() -> None:
    """Of 3 * 2**30 numbers, every third would come twice as often without the rejection."""
    found = drawn(3 * 2**30, DRAWS)
    assert 0 <= min(found) < max(found) < 3 * 2**30
    assert_frequencies(Counter(n % 3 for n in found), dict.fromkeys(range(3), 1 / 3))
    assert_frequencies(Counter(n >> 28 for n in found), dict.fromkeys(range(12), 1 / 12))


@pytest.mark.pure
def test_draws_agree_with_lemires_method_in_plain_numbers() -> None:
    for count in (3, 10, 3 * 2**30, 2**32 - 1):
        given, expected = iter(plain_words(plain_stream((8, 8, 8, 8)), 500)), []
        while len(expected) < 100:
            product = next(given) * count
            if product & LOW >= 2**32 % count:
                expected.append(product >> 32)
        assert drawn(count, 100, (8, 8, 8, 8)) == expected


def test_draws_in_a_row_are_independent() -> None:
    found = drawn(6, DRAWS)
    pairs = Counter(6 * a + b for a, b in zip(found[::2], found[1::2], strict=True))
    assert_frequencies(pairs, dict.fromkeys(range(36), 1 / 36))


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_first_draws_of_neighbouring_keys_are_independent(place: int) -> None:
    """The same, along seeds, tables, game numbers and rounds."""
    keys = []
    for n in range(20_000):
        key = [1, 1, 1, 1]
        key[place] = n
        keys.append(tuple(key))
    first = [plain_words(stream, 1)[0] * 6 >> 32 for stream in streams(keys)]
    assert_frequencies(Counter(first), dict.fromkeys(range(6), 1 / 6))
    pairs = Counter(6 * a + b for a, b in zip(first[::2], first[1::2], strict=True))
    assert_frequencies(pairs, dict.fromkeys(range(36), 1 / 36))


@pytest.mark.pure
def test_fractions() -> None:
    found: npt.NDArray[np.float64] = np.zeros(DRAWS)
    LOOPS.fractions(words.holder(plain_stream((1, 1, 1, 1))), found)
    expected = [word / 2**32 for word in plain_words(plain_stream((1, 1, 1, 1)), DRAWS)]
    assert found.tolist() == expected
    assert 0 <= found.min() < found.max() < 1
    assert abs(found.mean() - 0.5) < FIRM * (1 / 12 / DRAWS) ** 0.5


@pytest.mark.pure
def test_seeds_for_other_streams() -> None:
    found = np.zeros(1000, np.uint64)
    LOOPS.seeds(words.holder(plain_stream((1, 1, 1, 1))), found)
    given = plain_words(plain_stream((1, 1, 1, 1)), 2000)
    pairs = zip(given[::2], given[1::2], strict=True)
    assert found.tolist() == [(high >> 2) << 32 | low for high, low in pairs]
    assert max(found.tolist()) < 2**62


# ==================================================================== keys and seeds of users


@pytest.mark.pure
@pytest.mark.parametrize("seed", [0, 1, 2**53, SEED_LIMIT - 1, np.int64(7), np.uint8(3)])
def test_seeds(seed: Any) -> None:
    assert check_seed(seed) == int(seed)
    assert type(check_seed(seed)) is int


@pytest.mark.pure
@pytest.mark.parametrize("seed", [-1, SEED_LIMIT, 2**64, 1.0, True, np.bool_(False), "1", None, []])
def test_wrong_seeds(seed: Any) -> None:
    with pytest.raises(OptionError, match="seed="):
        check_seed(seed)


@pytest.mark.pure
def test_keys() -> None:
    assert check_key((1, 2, 3)) == check_key([1, 2, 3]) == (1, 2, 3)
    wrong = [5, "123", (1, 2), (1, 2, 3, 4), (1, 2, -3), (1, 2.0, 3), (True, 2, 3), None, {1, 2, 3}]
    for key in wrong:
        with pytest.raises(OptionError, match=r"seed=|table=|game number="):
            check_key(key)


@pytest.mark.pure
def test_fresh_seeds_are_exact_in_json_and_differ() -> None:
    found = {fresh_seed() for _ in range(100)}
    assert len(found) == 100
    assert all(0 <= seed < 2**53 for seed in found)
