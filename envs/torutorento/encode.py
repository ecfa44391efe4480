"""Observations of torutorento: what a seat may know, as named sections of int8 values.

`flat` is the default: mostly one-hot and counts, and beside the bare facts some sections that
follow from them but are hard to learn (`unseen`, `longest`, `stubs`). `tokens` says the same as
rows of categories, one row a slot, a pile, a seat and the table, for attention models.

Seats stand by offset: the observing seat first, then clockwise. Slots stand from left to right.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import store_word
from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.core.sections import Section, layout
from tefuda.envs.core.spec import Encoder, Setup
from tefuda.envs.torutorento.hands import (
    BYTE,
    HIGH_BITS,
    ONES,
    SHIFT,
    caterpillars,
    count_card,
    longest_of,
)
from tefuda.envs.torutorento.piles import ONE_HIGH, ONE_LOW
from tefuda.envs.torutorento.state import (
    CARDS,
    DEALT_UNSEEN,
    DECISION_PHASES,
    DECK,
    DRAWN_UNSEEN,
    FACE_COUNT,
    FACE_OF,
    FALL_PHASE,
    FIELD,
    FLOWER_CARD,
    GROWTH,
    HEAD_EDGE,
    LEAVES,
    LEFT_OF,
    MARKET,
    MAX_CARDS,
    NO_CARD,
    OPEN_EDGE,
    PHASES,
    RIGHT_OF,
    SECRET,
    SLOTS,
    TAIL_EDGE,
    WAY_OF,
)

Observation = npt.NDArray[np.int8]

# A value that can exceed 127 takes two entries: v // 64 and v % 64.
_BASE, _BASE_BITS = 64, 6
_MOST = 127
_EDGE_KINDS = (HEAD_EDGE, TAIL_EDGE, OPEN_EDGE)
# A slot of the own hand: face, left edge, right edge, way up.
HAND_WIDTH = FACE_COUNT + 2 * len(_EDGE_KINDS) + 1
# A slot of another hand: face, left head, left tail, right head, right tail, two kinds of unknown.
OTHER_WIDTH = FACE_COUNT + 4 + 2
# A pile: how many of each face, and in all.
PILE_WIDTH = FACE_COUNT + 1
_LONGEST_BODY = 3
_HIGH_BIT = 128
# The greatest sum of `bodies` bodies in a hand whose other slots but `ends` are flowers.
MOST_LENGTH, MOST_STUB = (
    max(
        (SLOTS - ends - flowers) * (_LONGEST_BODY + flowers - 1) for flowers in range(SLOTS - ends)
    )
    for ends in (2, 1)
)


def _words_of(rows: list[list[int]]) -> npt.NDArray[np.uint64]:
    """Rows of up to 24 entries as three words each."""
    padded = np.zeros((len(rows), 3 * SLOTS), np.uint8)
    for index, row in enumerate(rows):
        padded[index, : len(row)] = row
    return padded.view(np.uint64)


def _face_row(card: int) -> list[int]:
    return [int(face == FACE_OF[card]) for face in range(FACE_COUNT)]


def _hand_row(card: int) -> list[int]:
    left = [int(edge == LEFT_OF[card]) for edge in _EDGE_KINDS]
    right = [int(edge == RIGHT_OF[card]) for edge in _EDGE_KINDS]
    return [*_face_row(card), *left, *right, int(WAY_OF[card])]


def _other_row(card: int) -> list[int]:
    left = [int(edge == LEFT_OF[card]) for edge in (HEAD_EDGE, TAIL_EDGE)]
    right = [int(edge == RIGHT_OF[card]) for edge in (HEAD_EDGE, TAIL_EDGE)]
    unknown = [int(card == DEALT_UNSEEN), int(card == DRAWN_UNSEEN)]
    return [*_face_row(card), *left, *right, *unknown]


_HAND_WORDS = _words_of([_hand_row(card) for card in range(CARDS)])
_OTHER_WORDS = _words_of([_other_row(card) for card in range(CARDS)])


# ==================================================================== flat

_STUBS = (
    "by own slot, its left and right edge: 1 + the length of the body that a head or tail there "
    "has without a matching end, else 0"
)


def flat_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `flat`, in their order."""
    players = setup.players
    return layout(
        [
            Section(
                "hand", SLOTS * HAND_WIDTH, 1,
                "own hand, by slot: face (12); left edge head, tail, open; right edge; way up",
            ),
            Section("hand_known", SLOTS, 1, "own slots whose card and way up all others know"),
            Section("hand_drawn", SLOTS, 1, "own slots that others know to be from the deck"),
            Section(
                "others", (players - 1) * SLOTS * OTHER_WIDTH, 1,
                "by other seat and slot: known face (12); left head, left tail, right head, "
                "right tail; unknown from the deal, unknown from the deck",
            ),
            Section(
                "fields", players * PILE_WIDTH, MAX_CARDS,
                "by seat: cards of each face in its field, and in all",
            ),
            Section("market", PILE_WIDTH, MAX_CARDS, "the same of the market"),
            Section("unseen", PILE_WIDTH, MAX_CARDS, "the same of all cards this seat cannot see"),
            Section("stubs", 2 * SLOTS, 1 + MOST_STUB, _STUBS),
            Section("card", FACE_COUNT, 1, "face of the card between two places, where known"),
            Section("card_unseen", 1, 1, "there is one that only the acting seat knows"),
            Section("falling", SLOTS, 1, "own slots that fall, until all have chosen"),
            Section("phase", DECISION_PHASES, 1, "asked: " + ", ".join(PHASES)),
            Section("held", players, SLOTS, "by seat: cards in its hand"),
            Section("takes", players, _MOST, "by seat: takes open"),
            Section("misses", players, 1, "by seat: misses its next turn of growth"),
            Section("moves", players, SLOTS, "by seat: moves of birds open"),
            Section(
                "flower_inside", players, 1,
                "by seat: its dealt flower has not been seen to leave its hand",
            ),
            Section(
                "longest", players, MOST_LENGTH,
                "by seat: its longest caterpillar among the cards this seat knows, as they lie",
            ),
            Section("totals", players * 2, _MOST, "points of the game, by seat, in base 64"),
            Section("actor", players, 1, "who acts, by offset; nobody while leaves fall"),
            Section("parent", players, 1, "who is parent, by offset"),
            Section("legend", players, 1, "who has the legend, by offset"),
            Section("mark", 1, MOST_LENGTH, "the length that the legend was earned with"),
            Section("flowers", 1, SLOTS, "flowers in the own hand"),
            Section("deck", 1, MAX_CARDS, "cards in the deck"),
            Section("round", 2, _MOST, "the round in base 64, high digit first"),
        ]
    )  # fmt: skip


@kernel
def observe_flat(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,)."""
    for at in range(observation.size):
        observation[at] = 0
    at = _write_hand(game, seat, observation)
    at = _write_others(game, parts, seat, observation, at)
    at = _write_piles(game, parts, seat, observation, at)
    at = _write_stubs(game, parts, seat, observation, at)
    at = _write_choice(game, parts, seat, observation, at)
    _write_seats(game, parts, seat, observation, at)


@inlined
def _write_hand(game: Record, seat: int, observation: Observation) -> int:
    """hand, hand_known, hand_drawn; rows end in bytes that the next row overwrites."""
    hand = game.hand[seat]
    at = 0
    for _ in range(SLOTS):
        card = np.int64(hand & BYTE)
        hand = hand >> SHIFT[1]
        store_word(observation, at, _HAND_WORDS[card, 0])
        store_word(observation, at + SLOTS, _HAND_WORDS[card, 1])
        store_word(observation, at + 2 * SLOTS, _HAND_WORDS[card, 2])
        at += HAND_WIDTH
    public = game.public[seat]
    held = _at_least(public, 1)
    unknown = _at_least(public, DEALT_UNSEEN)
    store_word(observation, at, held & ~unknown)
    store_word(observation, at + SLOTS, _at_least(public, DRAWN_UNSEEN))
    return at + 2 * SLOTS


@inlined
def _at_least(hand: np.uint64, card: int) -> np.uint64:
    """1 in every byte that is at least `card`."""
    return ((hand + np.uint64(_HIGH_BIT - card) * ONES) & HIGH_BITS) >> np.uint64(SLOTS - 1)


@inlined
def _write_others(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for offset in range(1, parts.players):
        hand = game.public[_seat_at(parts, seat, offset)]
        for _ in range(SLOTS):
            card = np.int64(hand & BYTE)
            hand = hand >> SHIFT[1]
            store_word(observation, at, _OTHER_WORDS[card, 0])
            store_word(observation, at + SLOTS, _OTHER_WORDS[card, 1])
            store_word(observation, at + 2 * SLOTS, _OTHER_WORDS[card, 2])
            at += OTHER_WIDTH
    return at


@inlined
def _write_piles(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """fields, market, unseen; rows end in bytes that the next row overwrites."""
    for offset in range(parts.players):
        pile = FIELD + _seat_at(parts, seat, offset)
        _write_pile(observation, at, game.piles[pile, 0], game.piles[pile, 1])
        at += PILE_WIDTH
    _write_pile(observation, at, game.piles[MARKET, 0], game.piles[MARKET, 1])
    low, high = unseen_by(game, parts, seat)
    _write_pile(observation, at + PILE_WIDTH, low, high)
    return at + 2 * PILE_WIDTH


@inlined
def _write_pile(observation: Observation, at: int, low: np.uint64, high: np.uint64) -> None:
    store_word(observation, at, low)
    store_word(observation, at + SLOTS, high)


@inlined
def unseen_by(game: Record, parts: Record, seat: int) -> tuple[np.uint64, np.uint64]:
    """The cards that a seat cannot see: the deck, the secrets of others, what they just drew."""
    low, high = game.piles[DECK, 0], game.piles[DECK, 1]
    for offset in range(1, parts.players):
        pile = SECRET + _seat_at(parts, seat, offset)
        low += game.piles[pile, 0]
        high += game.piles[pile, 1]
    if game.unseen and game.seat != seat:
        low += ONE_LOW[FACE_OF[game.card]]
        high += ONE_HIGH[FACE_OF[game.card]]
    return low, high


@inlined
def _write_stubs(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """Which ends of the own hand wait for a matching end, and how long their bodies are."""
    hand = game.hand[seat]
    bonus = count_card(hand, FLOWER_CARD) - 1
    end, end_at, length = 0, at, 0
    for slot in range(SLOTS):
        card = np.int64(hand & BYTE)
        hand = hand >> SHIFT[1]
        body = parts.body[card]
        if body > 0:
            length += max(0, body + bonus)
            continue
        left = LEFT_OF[card]
        if end + left != HEAD_EDGE + TAIL_EDGE or length == 0:
            if end > 0:
                observation[end_at] = 1 + length
            if left > 0:
                observation[at + 2 * slot] = 1 + length
        end = RIGHT_OF[card]
        end_at = at + 2 * slot + 1
        length = 0
    observation[end_at] = 1 + length if end > 0 else 0
    return at + 2 * SLOTS


@inlined
def _write_choice(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    """card, card_unseen, falling, phase."""
    if game.card != NO_CARD and (game.unseen == 0 or game.seat == seat):
        observation[at + FACE_OF[game.card]] = 1
    observation[at + FACE_COUNT] = game.unseen
    at += FACE_COUNT + 1
    if game.stage == LEAVES:
        for slot in range(SLOTS):
            observation[at + slot] = (game.fallen[seat] >> slot) & 1
    at += SLOTS
    observation[at + min(game.phase, DECISION_PHASES - 1)] = game.phase < DECISION_PHASES
    return at + DECISION_PHASES


@inlined
def _write_seats(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    """All that stands by seat, then mark, flowers, deck, round."""
    players = parts.players
    totals = at + 6 * players
    for offset in range(players):
        other = _seat_at(parts, seat, offset)
        observation[at + offset] = game.held[other]
        observation[at + players + offset] = game.takes[other]
        observation[at + 2 * players + offset] = game.misses[other]
        observation[at + 3 * players + offset] = game.moves[other]
        observation[at + 4 * players + offset] = flower_is_inside(game, other)
        hand = game.hand[other] if offset == 0 else game.public[other]
        if offset == 0 or game.stage >= GROWTH:
            observation[at + 5 * players + offset] = longest_of(caterpillars(hand, parts))
        _write_long(observation, totals + 2 * offset, game.totals[other])
    at = totals + 2 * players
    if game.seat != NOBODY and game.phase != FALL_PHASE:
        observation[at + _offset(parts, game.seat, seat)] = 1
    observation[at + players + _offset(parts, game.parent, seat)] = 1
    if game.legend != NOBODY:
        observation[at + 2 * players + _offset(parts, game.legend, seat)] = 1
    at += 3 * players
    observation[at] = game.mark
    observation[at + 1] = count_card(game.hand[seat], FLOWER_CARD)
    observation[at + 2] = np.int64(game.piles[DECK, 1] >> SHIFT[4])
    _write_long(observation, at + 3, game.round_index)


@inlined
def flower_is_inside(game: Record, seat: int) -> bool:
    """Whether it is plain to all that a hand still has its dealt flower (T6)."""
    return game.held[seat] > 0 and game.flowers_gone[seat] == 0


@inlined
def _offset(parts: Record, seat: int, own: int) -> int:
    """How far clockwise `seat` sits from `own`."""
    offset = seat - own
    return offset + parts.players if offset < 0 else offset


@inlined
def _seat_at(parts: Record, own: int, offset: int) -> int:
    seat = own + offset
    return seat - parts.players if seat >= parts.players else seat


@inlined
def _write_long(observation: Observation, at: int, value: int) -> None:
    """A value of at least 0 in two entries of base 64, the high one first."""
    observation[at] = value >> _BASE_BITS
    observation[at + 1] = value & (_BASE - 1)


ENCODERS = {
    "flat": Encoder(observe_flat, flat_sections),
}
