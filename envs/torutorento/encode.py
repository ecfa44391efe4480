"""Observations of torutorento: what a seat may know, as named sections of int8 values.

`flat` is the default: mostly one-hot and counts, and beside the bare facts some sections that
follow from them but are hard to learn (`unseen`, `longest`, `stubs`). `expert` adds what the
scripted player would do. `tokens` says the same as
rows of categories, one row a slot, a pile, a seat and the table, for attention models.

Seats stand by offset: the observing seat first, then clockwise. Slots stand from left to right.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import store_word
from tefuda.envs.core.contract import DECISION, NOBODY
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.core.sections import Section, layout, token_section
from tefuda.envs.core.spec import Encoder, Setup
from tefuda.envs.torutorento.greedy import mark_scripted
from tefuda.envs.torutorento.hands import (
    BYTE,
    HIGH_BITS,
    ONES,
    SHIFT,
    card_at,
    count_card,
    stubs,
    whole,
)
from tefuda.envs.torutorento.piles import size_of, unseen_by
from tefuda.envs.torutorento.rules import node
from tefuda.envs.torutorento.state import (
    ACTIONS,
    BODY_1,
    BODY_ROLE,
    CARDS,
    DEALING,
    DEALT_UNSEEN,
    DECISION_PHASES,
    DECK,
    DRAWN_UNSEEN,
    EDGES,
    FACE_COUNT,
    FACE_OF,
    FACES,
    FALL_PHASE,
    FIELD,
    FIRST_CARD,
    FLOWER_CARD,
    HEAD_EDGE,
    LEAVES,
    LEFT_OF,
    MARKET,
    MAX_CARDS,
    NO_CARD,
    PHASES,
    RIGHT_OF,
    ROLE_CARD,
    SLOTS,
    TAIL_EDGE,
    WAY_OF,
)

Observation = npt.NDArray[np.int8]

# A value that can exceed 127 takes two entries: v // 64 and v % 64.
_BASE, _BASE_BITS = 64, 6
_MOST = 127
# A slot of a hand: face, left edge head, tail, right edge head, tail.
_END_KINDS = (HEAD_EDGE, TAIL_EDGE)
SLOT_WIDTH = FACE_COUNT + 2 * len(_END_KINDS)
HAND_WIDTH = SLOTS * SLOT_WIDTH
# Another hand has marks of the slots unknown from the deal and of those unknown from the deck.
OTHER_WIDTH = HAND_WIDTH + 2 * SLOTS
# A pile: how many of each face, and in all.
PILE_WIDTH = FACE_COUNT + 1
_LONGEST_BODY = 3
_HIGH_BIT = 128
_FIRST_BODY = FIRST_CARD + 2 * BODY_1
_BODY_MIMIC = ROLE_CARD + BODY_ROLE
# The greatest sum of `bodies` bodies in a hand whose other slots but `ends` are flowers.
MOST_LENGTH, MOST_STUB = (
    max((SLOTS - ends - flowers) * (_LONGEST_BODY + flowers - 1) for flowers in range(SLOTS - ends))
    for ends in (2, 1)
)


def _slot_row(card: int) -> list[int]:
    face = [int(face == FACE_OF[card]) for face in range(FACE_COUNT)]
    left = [int(edge == LEFT_OF[card]) for edge in _END_KINDS]
    right = [int(edge == RIGHT_OF[card]) for edge in _END_KINDS]
    return [*face, *left, *right]


#: The entries of a slot, by card, as two words.
_SLOT_WORDS = np.array([_slot_row(card) for card in range(CARDS)], np.uint8).view(np.uint64)


# ==================================================================== flat

_SLOT_MEANING = "face (12), left edge head, left edge tail, right edge head, right edge tail"
_STUBS = (
    "by own slot, first its left edges, then its right ones: 1 + the length of the body that a "
    "head or tail there has without a matching end, else 0"
)


def flat_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `flat`, in their order."""
    players = setup.players
    return layout(
        [
            Section("hand", HAND_WIDTH, 1, "own hand, by slot: " + _SLOT_MEANING),
            Section("hand_open", SLOTS, 1, "own slots whose edges are open: bodies"),
            Section("hand_way_up", SLOTS, 1, "way up of the card, by own slot"),
            Section("hand_known", SLOTS, 1, "own slots whose card and way up all others know"),
            Section("hand_drawn", SLOTS, 1, "own slots that others know to be from the deck"),
            Section(
                "others", (players - 1) * OTHER_WIDTH, 1,
                f"by other seat: by slot, where it is known: {_SLOT_MEANING}; then slots unknown "
                "from the deal; then slots unknown from the deck",
            ),
            Section(
                "fields", players * PILE_WIDTH, MAX_CARDS,
                "by seat: cards of each face in its field, and in all",
            ),
            Section("market", PILE_WIDTH, MAX_CARDS, "the same of the market"),
            Section("unseen", PILE_WIDTH, MAX_CARDS, "the same of all cards this seat cannot see"),
            Section("stubs", 2 * SLOTS, 1 + MOST_STUB, _STUBS),
            Section("longest", 1, MOST_LENGTH, "the longest caterpillar in the own hand"),
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
    """hand, hand_open, hand_way_up, hand_known, hand_drawn."""
    hand, public = game.hand[seat], game.public[seat]
    at = _write_slots(hand, observation, 0)
    bodies = _at_least(hand, _FIRST_BODY) & ~_at_least(hand, FLOWER_CARD)
    store_word(observation, at, bodies | _at_least(hand, _BODY_MIMIC))
    turned = ~hand & _at_least(hand, FIRST_CARD) & ~_at_least(hand, ROLE_CARD)
    store_word(observation, at + SLOTS, turned)
    known = _at_least(public, FIRST_CARD) & ~_at_least(public, DEALT_UNSEEN)
    store_word(observation, at + 2 * SLOTS, known)
    store_word(observation, at + 3 * SLOTS, _at_least(public, DRAWN_UNSEEN))
    return at + 4 * SLOTS


@inlined
def _write_slots(hand: np.uint64, observation: Observation, at: int) -> int:
    for _ in range(SLOTS):
        card = whole(hand & BYTE)
        hand = hand >> SHIFT[1]
        store_word(observation, at, _SLOT_WORDS[card, 0])
        store_word(observation, at + SLOTS, _SLOT_WORDS[card, 1])
        at += SLOT_WIDTH
    return at


@inlined
def _at_least(hand: np.uint64, card: int) -> np.uint64:
    """1 in every byte that is at least `card`."""
    return ((hand + np.uint64(_HIGH_BIT - card) * ONES) & HIGH_BITS) >> np.uint64(SLOTS - 1)


@inlined
def _write_others(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    for offset in range(1, parts.players):
        hand = game.public[_seat_at(parts, seat, offset)]
        at = _write_slots(hand, observation, at)
        drawn = _at_least(hand, DRAWN_UNSEEN)
        store_word(observation, at, _at_least(hand, DEALT_UNSEEN) & ~drawn)
        store_word(observation, at + SLOTS, drawn)
        at += 2 * SLOTS
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
def _write_stubs(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """stubs, longest."""
    lefts, rights, longest = stubs(game.hand[seat], parts)
    store_word(observation, at, lefts)
    store_word(observation, at + SLOTS, rights)
    observation[at + 2 * SLOTS] = longest
    return at + 2 * SLOTS + 1


@inlined
def _write_choice(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
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
def _write_seats(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> None:
    """All that stands by seat, then mark, flowers, deck, round."""
    players = parts.players
    totals = at + 5 * players
    for offset in range(players):
        other = _seat_at(parts, seat, offset)
        observation[at + offset] = game.held[other]
        observation[at + players + offset] = game.takes[other]
        observation[at + 2 * players + offset] = game.misses[other]
        observation[at + 3 * players + offset] = game.moves[other]
        observation[at + 4 * players + offset] = flower_is_inside(game, other)
        _write_long(observation, totals + 2 * offset, game.totals[other])
    at = totals + 2 * players
    if _shows_actor(game):
        observation[at + _offset(parts, game.seat, seat)] = 1
    observation[at + players + _offset(parts, game.parent, seat)] = 1
    if game.legend != NOBODY:
        observation[at + 2 * players + _offset(parts, game.legend, seat)] = 1
    at += 3 * players
    observation[at] = game.mark
    observation[at + 1] = count_card(game.hand[seat], FLOWER_CARD)
    observation[at + 2] = size_of(game, DECK)
    _write_long(observation, at + 3, game.round_index)


@inlined
def flower_is_inside(game: Record, seat: int) -> bool:
    """Whether it is plain to all that a hand still has its dealt flower (T6)."""
    return game.held[seat] > 0 and game.flowers_gone[seat] == 0


@inlined
def _shows_actor(game: Record) -> bool:
    """Whether it is told who acts or receives.

    Falling leaves are simultaneous, and who waits for a card to be turned in the deal has got one
    whose edges differ (T6, T8).
    """
    return game.seat != NOBODY and game.phase != FALL_PHASE and game.stage != DEALING


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


# ==================================================================== expert


def expert_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `expert`: those of `flat`, then what follows for every action."""
    meaning = "1 for what the scripted player would do, or draws lots between"
    return layout([*flat_sections(setup), Section("scripted", setup.actions, 1, meaning)])


def expert_shapes(setup: Setup) -> dict[str, tuple[int, ...]]:
    """The shapes of the two pieces of `expert`: table (D,) and actions (1, A)."""
    length = sum(section.length for section in flat_sections(setup))
    return {"table": (length,), "actions": (1, setup.actions)}


@kernel
def observe_expert(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,): `flat`, then features of the seat's actions."""
    at = len(observation) - ACTIONS
    observe_flat(game, parts, seat, observation[:at])
    observation[at:] = 0
    if node(game) == DECISION and game.seat == seat:
        mark_scripted(game, parts, observation[at:])


# ==================================================================== tokens

# The kinds of token.
HAND, PILE, SEAT, TABLE = range(1, 5)
# What others know of a card in a hand: nothing but where it came from, or all of it.
FROM_DEAL, FROM_DECK, KNOWN = range(1, 4)
# Every token has so many fields.
TOKEN_FIELDS = 2 + FACE_COUNT + 1

_KIND = ("kind", TABLE + 1)
_FACE = ("face", FACE_COUNT + 1)
_STUB_SIZE = MOST_STUB + 2


def token_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `tokens`: rows of `TOKEN_FIELDS` categories; an empty slot is padding."""
    players = setup.players
    seat = ("seat", players + 1)
    count = MAX_CARDS + 1
    return layout(
        [
            token_section(
                "hands", players * SLOTS, TOKEN_FIELDS,
                "one token a slot, own hand first; face, edges, way up: 0 if unknown, else 1 more",
                [
                    _KIND, seat, ("slot", SLOTS + 1), _FACE,
                    ("left_edge", len(EDGES) + 1), ("right_edge", len(EDGES) + 1), ("way_up", 3),
                    ("others_know", KNOWN + 1), ("falls", 2),
                    ("left_stub", _STUB_SIZE), ("right_stub", _STUB_SIZE),
                ],
            ),
            token_section(
                "piles", players + 2, TOKEN_FIELDS,
                "one token a pile: fields by seat, market, all cards this seat cannot see",
                [_KIND, ("pile", players + 3), *[(face, count) for face in FACES], ("all", count)],
            ),
            token_section(
                "seats", players, TOKEN_FIELDS, "one token a seat, own first",
                [
                    _KIND, seat, ("held", SLOTS + 1), ("takes", count), ("misses", 2),
                    ("moves", SLOTS + 1), ("flower_inside", 2), ("totals_high", count),
                    ("totals_low", _BASE), ("acts", 2), ("parent", 2), ("legend", 2),
                ],
            ),
            token_section(
                "table", 1, TOKEN_FIELDS, "what stands once",
                [
                    _KIND, ("phase", DECISION_PHASES + 1), _FACE, ("card_unseen", 2),
                    ("mark", MOST_LENGTH + 1), ("flowers", SLOTS + 1), ("deck", count),
                    ("round_high", count), ("round_low", _BASE), ("longest", MOST_LENGTH + 1),
                ],
            ),
        ]
    )  # fmt: skip


def token_shape(setup: Setup) -> tuple[int, int]:
    """(L, F): how many tokens of how many fields."""
    return setup.players * (SLOTS + 2) + 3, TOKEN_FIELDS


@kernel
def observe_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (L * F,)."""
    observation[:] = 0
    at = _write_hand_tokens(game, parts, seat, observation)
    at = _write_pile_tokens(game, parts, seat, observation, at)
    at = _write_seat_tokens(game, parts, seat, observation, at)
    _write_table_token(game, parts, seat, observation, at)


@inlined
def _write_hand_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> int:
    lefts, rights, _ = stubs(game.hand[seat], parts)
    at = 0
    for offset in range(parts.players):
        other = _seat_at(parts, seat, offset)
        public = game.public[other]
        hand = game.hand[other] if offset == 0 else public
        for slot in range(SLOTS):
            card = card_at(hand, slot)
            if card != NO_CARD:
                observation[at] = HAND
                observation[at + 1] = offset + 1
                observation[at + 2] = slot + 1
                _write_card(observation, at + 3, card)
                observation[at + 7] = _known_as(card_at(public, slot))
            at += TOKEN_FIELDS
    for slot in range(SLOTS):
        row = slot * TOKEN_FIELDS
        if game.stage == LEAVES:
            observation[row + 8] = (game.fallen[seat] >> slot) & 1
        observation[row + 9] = card_at(lefts, slot)
        observation[row + 10] = card_at(rights, slot)
    return at


@inlined
def _write_card(observation: Observation, at: int, card: int) -> None:
    """face, left_edge, right_edge, way_up; nothing of a card that is not known."""
    known = card < DEALT_UNSEEN
    observation[at] = FACE_OF[card] + 1
    observation[at + 1] = LEFT_OF[card] + known
    observation[at + 2] = RIGHT_OF[card] + known
    observation[at + 3] = WAY_OF[card] + known


@inlined
def _known_as(public: int) -> int:
    """What others know of a card, by its mark or itself in a public hand."""
    if public < DEALT_UNSEEN:
        return KNOWN
    return FROM_DEAL if public == DEALT_UNSEEN else FROM_DECK


@inlined
def _write_pile_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    """The two words of a pile cover three bytes too many, which lie in the token behind."""
    for number in range(parts.players + 1):
        is_field = number < parts.players
        pile = FIELD + _seat_at(parts, seat, number) if is_field else MARKET
        _write_pile(observation, at + 2, game.piles[pile, 0], game.piles[pile, 1])
        observation[at] = PILE
        observation[at + 1] = number + 1
        at += TOKEN_FIELDS
    low, high = unseen_by(game, parts, seat)
    _write_pile(observation, at + 2, low, high)
    observation[at] = PILE
    observation[at + 1] = parts.players + 2
    return at + TOKEN_FIELDS


@inlined
def _write_seat_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for offset in range(parts.players):
        other = _seat_at(parts, seat, offset)
        observation[at] = SEAT
        observation[at + 1] = offset + 1
        observation[at + 2] = game.held[other]
        observation[at + 3] = game.takes[other]
        observation[at + 4] = game.misses[other]
        observation[at + 5] = game.moves[other]
        observation[at + 6] = flower_is_inside(game, other)
        _write_long(observation, at + 7, game.totals[other])
        observation[at + 9] = other == game.seat and _shows_actor(game)
        observation[at + 10] = other == game.parent
        observation[at + 11] = other == game.legend
        at += TOKEN_FIELDS
    return at


@inlined
def _write_table_token(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    observation[at] = TABLE
    observation[at + 1] = game.phase + 1 if game.phase < DECISION_PHASES else 0
    if game.card != NO_CARD and (game.unseen == 0 or game.seat == seat):
        observation[at + 2] = FACE_OF[game.card] + 1
    observation[at + 3] = game.unseen
    observation[at + 4] = game.mark
    observation[at + 5] = count_card(game.hand[seat], FLOWER_CARD)
    observation[at + 6] = size_of(game, DECK)
    _write_long(observation, at + 7, game.round_index)
    observation[at + 9] = stubs(game.hand[seat], parts)[2]


ENCODERS = {
    "flat": Encoder(observe_flat, flat_sections),
    "expert": Encoder(observe_expert, expert_sections, pieces=expert_shapes),
    "tokens": Encoder(observe_tokens, token_sections, token_shape),
}
