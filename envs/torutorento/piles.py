"""Kernels on piles: cards without order, counted by face.

A pile is two words of bytes. The first counts the faces 0 to 7, the second in its lowest four
bytes the faces 8 to 11 and in the next byte all cards. No count exceeds 127.
"""

import numpy as np

from tefuda.envs.core.bits import count_bits
from tefuda.envs.core.chance import draw
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.torutorento.hands import BYTE, HIGH_BITS, ONES, SHIFT, whole
from tefuda.envs.torutorento.state import DECK, FACE_COUNT, FACE_OF, SECRET, SLOTS

#: What one card of a face adds to the two words.
ONE_LOW = np.array(
    [1 << (8 * face) if face < SLOTS else 0 for face in range(FACE_COUNT)], dtype=np.uint64
)
ONE_HIGH = np.array(
    [(1 << 32) + (0 if face < SLOTS else 1 << (8 * (face - SLOTS))) for face in range(FACE_COUNT)],
    dtype=np.uint64,
)
NO_PILE = np.uint64(0)

_HALF = np.uint64(32)
_HIGH_FACES = np.uint64(0xFFFFFFFF)
_TOP_BYTE = np.uint64(56)
_ONE_BYTE, _TWO_BYTES = np.uint64(8), np.uint64(16)


@kernel
def put_on(game: Record, pile: int, face: int) -> None:
    """Adds a card to a pile."""
    game.piles[pile, 0] += ONE_LOW[face]
    game.piles[pile, 1] += ONE_HIGH[face]


@kernel
def take_off(game: Record, pile: int, face: int) -> None:
    """Removes a card from a pile."""
    game.piles[pile, 0] -= ONE_LOW[face]
    game.piles[pile, 1] -= ONE_HIGH[face]


@kernel
def size_of(game: Record, pile: int) -> int:
    """The number of cards of a pile."""
    return whole(game.piles[pile, 1] >> _HALF)


@kernel
def count_face(low: np.uint64, high: np.uint64, face: int) -> int:
    """How many cards of a face are among the cards of two words."""
    word = low if face < SLOTS else high
    return whole((word >> SHIFT[face & (SLOTS - 1)]) & BYTE)


@kernel
def count_in(game: Record, pile: int, face: int) -> int:
    """How many cards of a face a pile has."""
    return count_face(game.piles[pile, 0], game.piles[pile, 1], face)


@inlined
def unseen_by(game: Record, parts: Record, seat: int) -> tuple[np.uint64, np.uint64]:
    """The cards that a seat cannot see: the deck, the secrets of others, what they just drew."""
    low, high = game.piles[DECK, 0], game.piles[DECK, 1]
    for other in range(parts.players):
        if other != seat:
            low += game.piles[SECRET + other, 0]
            high += game.piles[SECRET + other, 1]
    if game.unseen and game.seat != seat:
        low += ONE_LOW[FACE_OF[game.card]]
        high += ONE_HIGH[FACE_OF[game.card]]
    return low, high


@kernel
def draw_face(holder: Record, low: np.uint64, high: np.uint64) -> int:
    """Draws a card uniformly from the cards of two words with `holder.stream`; returns its face."""
    rank = draw(holder, whole(high >> _HALF))
    sums = _sums(low)
    below = whole(sums >> _TOP_BYTE)
    if rank < below:
        return _first_above(sums, rank)
    return SLOTS + _first_above(_sums(high & _HIGH_FACES), rank - below)


@kernel
def _sums(word: np.uint64) -> np.uint64:
    """Every byte replaced by the sum of itself and all lower ones."""
    word = word + (word << _ONE_BYTE)
    word = word + (word << _TWO_BYTES)
    return word + (word << _HALF)


@kernel
def _first_above(sums: np.uint64, rank: int) -> int:
    """The first byte that exceeds `rank`, where bytes rise."""
    above = ((sums | HIGH_BITS) - np.uint64(rank + 1) * ONES) & HIGH_BITS
    return SLOTS - count_bits(above)
