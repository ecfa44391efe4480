"""Kernels on hands: a hand is one word of eight bytes, a card each, slot 0 lowest, 0 for none."""

from typing import Any

import numpy as np

from tefuda.envs.core.bits import count_bits, lowest_bit
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.torutorento.state import (
    FLOWER_CARD,
    HEAD_EDGE,
    LEFT_OF,
    NO_EDGE,
    OPEN_EDGE,
    RIGHT_OF,
    SLOTS,
    TAIL_EDGE,
)

NO_HAND = np.uint64(0)
BYTE = np.uint64(255)
#: ONES has the value 1 in every byte, HIGH_BITS the highest bit, REST all others.
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
REST = np.uint64(0x7F7F7F7F7F7F7F7F)
#: SHIFT[k] is how far byte k lies up, LOW[k] the mask of the k lowest bytes.
SHIFT: Any = np.uint64(SLOTS) * np.arange(SLOTS, dtype=np.uint64)
LOW: Any = np.array([(1 << (8 * count)) - 1 for count in range(SLOTS + 1)], dtype=np.uint64)

_BYTE_BITS = np.uint64(8)
_BYTE_SHIFT = 3
_ENDS = HEAD_EDGE + TAIL_EDGE  # only a head and a tail add up to this
# The head or tail on an edge by card, 0 for any other edge.
_LEFT_END = np.where(LEFT_OF == OPEN_EDGE, NO_EDGE, LEFT_OF)
_RIGHT_END = np.where(RIGHT_OF == OPEN_EDGE, NO_EDGE, RIGHT_OF)


@inlined
def whole(value: Any) -> int:
    """A number as 64 bits: the compiler then has one type for it, wherever it comes from."""
    return np.int64(value)  # type: ignore[return-value]  # an int where compiled


@kernel
def card_at(hand: np.uint64, slot: int) -> int:
    """The card in a slot."""
    return whole((hand >> SHIFT[slot]) & BYTE)


@kernel
def removed(hand: np.uint64, slot: int) -> np.uint64:
    """The hand without the card in a slot; the rest closes up."""
    low = LOW[slot]
    return (hand & low) | ((hand >> _BYTE_BITS) & ~low)


@kernel
def inserted(hand: np.uint64, gap: int, card: int) -> np.uint64:
    """The hand with a card put into a gap, 0 at the far left."""
    low = LOW[gap]
    return (hand & low) | ((hand & ~low) << _BYTE_BITS) | (np.uint64(card) << SHIFT[gap])


@kernel
def replaced(hand: np.uint64, slot: int, card: int) -> np.uint64:
    """The hand with another card in a slot."""
    return (hand & ~(BYTE << SHIFT[slot])) | (np.uint64(card) << SHIFT[slot])


@kernel
def marks_of(hand: np.uint64, card: int) -> np.uint64:
    """A word whose highest bits mark the slots of a hand that hold `card`."""
    return HIGH_BITS & ~((hand ^ (np.uint64(card) * ONES)) + REST)


@kernel
def count_card(hand: np.uint64, card: int) -> int:
    """How many slots hold `card`."""
    return count_bits(marks_of(hand, card))


@kernel
def slot_of(hand: np.uint64, card: int) -> int:
    """The leftmost slot that holds `card`, 8 where none does."""
    return lowest_bit(marks_of(hand, card)) >> _BYTE_SHIFT


@kernel
def caterpillars(hand: np.uint64, parts: Record) -> np.uint64:
    """The lengths of all caterpillars of a hand, one byte each, the leftmost highest (T3, T17).

    A body that comes to 0 adds nothing and breaks nothing; since a length of 0 is no caterpillar,
    at least one body above 0 remains. Sums and products stand for branches, which the processor
    could not foresee.
    """
    bonus = count_card(hand, FLOWER_CARD) - 1
    found = NO_HAND
    end, length = 0, 0
    for _ in range(SLOTS):
        card = whole(hand & BYTE)
        hand = hand >> _BYTE_BITS
        body = parts.body[card]
        closed = (end + _LEFT_END[card] == _ENDS) & (length > 0)
        found = (found << (_BYTE_BITS * np.uint64(closed))) | np.uint64(length * closed)
        goes_on = body > 0
        end = end * goes_on + _RIGHT_END[card]
        length = (length + max(0, body + bonus)) * goes_on
    return found


@kernel
def stubs(hand: np.uint64, parts: Record) -> tuple[np.uint64, np.uint64, int]:
    """What waits for an end, and the longest caterpillar, in one pass like `caterpillars`.

    Returns:
        For the left edges, then for the right edges of the slots: 1 + the length of the body that
        a head or tail has there without a matching end, else 0, in the byte of the slot. Then the
        length of the longest caterpillar.
    """
    bonus = count_card(hand, FLOWER_CARD) - 1
    lefts, rights = NO_HAND, NO_HAND
    end, end_at, length, longest = 0, 0, 0, 0
    for slot in range(SLOTS):
        card = whole(hand & BYTE)
        hand = hand >> _BYTE_BITS
        body = parts.body[card]
        left = _LEFT_END[card]
        goes_on = body > 0
        closed = (end + left == _ENDS) & (length > 0)
        longest = max(longest, length * closed)
        waits = (1 + length) * (1 - closed)
        lefts |= np.uint64(waits * (left > 0)) << SHIFT[slot]
        rights |= np.uint64(waits * (end > 0) * (1 - goes_on)) << SHIFT[end_at]
        end = end * goes_on + _RIGHT_END[card]
        end_at = end_at if goes_on else slot
        length = (length + max(0, body + bonus)) * goes_on
    rights |= np.uint64((1 + length) * (end > 0)) << SHIFT[end_at]
    return lefts, rights, longest


@kernel
def longest_of(lengths: np.uint64) -> int:
    """The longest of packed lengths, 0 where there are none."""
    longest = 0
    while lengths != NO_HAND:
        longest = max(longest, whole(lengths & BYTE))
        lengths = lengths >> _BYTE_BITS
    return longest
