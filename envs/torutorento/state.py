"""The state of a torutorento game as one record, and the names of its values.

A *face* is 0 .. 11 in the order of `FACES`. A *card* is a face with its way up, or a mimic with
its role: a number 1 .. 29, or one of two marks for a card that others do not know. A hand is one
word of eight bytes, slot 0 lowest, 0 where there is no card (see `hands`). A pile without order
is two words of counts (see `piles`).
"""

from typing import Any

import numpy as np

from tefuda.envs.core.contract import ENDINGS, common_fields

# ---------------------------------------------------------------- limits of the record
MAX_SEATS = 5
SLOTS = 8
MAX_CARDS = 127
# Most events in a round: first parent; a flower, and a face with a way up for each other slot;
# the market; a discard a slot and "done"; takes (one a seat and one a bird) of a draw, a chance
# and a put; growths of a pick, a chance and an insertion; a lift and an insertion a bird.
MAX_LOG = (
    1 + MAX_SEATS * (2 * SLOTS - 1) + MAX_SEATS + MAX_SEATS * (SLOTS + 1)
    + 3 * (MAX_SEATS + MAX_CARDS) + 3 * MAX_SEATS * SLOTS + 2 * MAX_SEATS * SLOTS
)  # fmt: skip

# ---------------------------------------------------------------- faces (T1)
(
    HEAD,
    HEAD_HEAD,
    HEAD_TAIL,
    TAIL,
    TAIL_TAIL,
    BODY_1,
    BODY_2,
    BODY_3,
    FLOWER,
    BIRD,
    BUTTERFLY,
    MIMIC,
) = range(12)
FACES = (
    "head", "head-head", "head-tail", "tail", "tail-tail", "body-1", "body-2", "body-3",
    "flower", "bird", "butterfly", "mimic",
)  # fmt: skip
FACE_COUNT = len(FACES)

# ---------------------------------------------------------------- edges (T2)
NO_EDGE, HEAD_EDGE, TAIL_EDGE, OPEN_EDGE = range(4)
EDGES = ("nothing", "head", "tail", "open")
_FACE_EDGES = (
    (NO_EDGE, HEAD_EDGE),
    (HEAD_EDGE, HEAD_EDGE),
    (HEAD_EDGE, TAIL_EDGE),
    (TAIL_EDGE, NO_EDGE),
    (TAIL_EDGE, TAIL_EDGE),
    *[(OPEN_EDGE, OPEN_EDGE)] * 3,
    *[(NO_EDGE, NO_EDGE)] * 4,
)
# Tables are Any to type checkers: for kernels their elements are plain ints.
#: 1 for the faces whose two ways up differ.
TWO_WAYS: Any = np.array([left != right for left, right in _FACE_EDGES], dtype=np.int64)

# ---------------------------------------------------------------- mimic roles (T16)
HEAD_RIGHT, HEAD_LEFT, TAIL_RIGHT, TAIL_LEFT, BODY_ROLE = range(5)
ROLES = (
    "a head whose body goes right", "a head whose body goes left",
    "a tail whose body goes right", "a tail whose body goes left", "a body",
)  # fmt: skip
_ROLE_EDGES = (
    (NO_EDGE, HEAD_EDGE),
    (HEAD_EDGE, NO_EDGE),
    (NO_EDGE, TAIL_EDGE),
    (TAIL_EDGE, NO_EDGE),
    (OPEN_EDGE, OPEN_EDGE),
)

# ---------------------------------------------------------------- cards
NO_CARD = 0
FIRST_CARD = 1  # + 2 * face + way up
FLOWER_CARD = FIRST_CARD + 2 * FLOWER
BIRD_CARD = FIRST_CARD + 2 * BIRD
BUTTERFLY_CARD = FIRST_CARD + 2 * BUTTERFLY
MIMIC_CARD = FIRST_CARD + 2 * MIMIC
ROLE_CARD = FIRST_CARD + 2 * FACE_COUNT  # + role: a mimic that has been declared
# What others know of a card that they have not seen: where it came from (T15).
DEALT_UNSEEN = ROLE_CARD + len(ROLES)
DRAWN_UNSEEN = DEALT_UNSEEN + 1
CARDS = DRAWN_UNSEEN + 1

NO_FACE = -1


def _edges_of(card: int) -> tuple[int, int]:
    if FIRST_CARD <= card < ROLE_CARD:
        left, right = _FACE_EDGES[(card - FIRST_CARD) // 2]
        return (right, left) if (card - FIRST_CARD) % 2 else (left, right)
    if ROLE_CARD <= card < DEALT_UNSEEN:
        return _ROLE_EDGES[card - ROLE_CARD]
    return NO_EDGE, NO_EDGE


def _face_of(card: int) -> int:
    if FIRST_CARD <= card < ROLE_CARD:
        return (card - FIRST_CARD) // 2
    return MIMIC if ROLE_CARD <= card < DEALT_UNSEEN else NO_FACE


def _turned(card: int) -> int:
    """The card turned round: the other way up, or the opposite role."""
    if FIRST_CARD <= card < ROLE_CARD and TWO_WAYS[_face_of(card)]:
        return ((card - FIRST_CARD) ^ 1) + FIRST_CARD
    if ROLE_CARD <= card < ROLE_CARD + BODY_ROLE:
        return ((card - ROLE_CARD) ^ 1) + ROLE_CARD
    return card


#: By card: its face, its edges, its way up, and the card when it is turned round.
FACE_OF: Any = np.array([_face_of(card) for card in range(CARDS)], dtype=np.int64)
LEFT_OF: Any = np.array([_edges_of(card)[0] for card in range(CARDS)], dtype=np.int64)
RIGHT_OF: Any = np.array([_edges_of(card)[1] for card in range(CARDS)], dtype=np.int64)
TURNED: Any = np.array([_turned(card) for card in range(CARDS)], dtype=np.int64)
WAY_OF: Any = np.array(
    [(card - FIRST_CARD) % 2 if FIRST_CARD <= card < ROLE_CARD else 0 for card in range(CARDS)],
    dtype=np.int64,
)

# ---------------------------------------------------------------- action ids
FALL_ACTION = 0  # + slot
DONE_ACTION = 8  # falling leaves: done; birds: decline
TAKE_ACTION = 9  # + (offset - 1) * SLOTS + slot
TAKE_DECK_ACTION = 41
PUT_ACTION = 42  # + offset
PICK_ACTION = 47  # + face
PICK_DECK_ACTION = 59
INSERT_ACTION = 60  # + 2 * gap + way up
LIFT_ACTION = 76  # + slot
ROLE_ACTION = 84  # + role
ACTIONS = ROLE_ACTION + len(ROLES)

# ---------------------------------------------------------------- phases: what is asked
(
    FALL_PHASE,  # a seat discards, or is done (T8)
    TAKE_PHASE,  # it draws a card (T9)
    PUT_PHASE,  # it puts the drawn card into a field
    PICK_PHASE,  # it takes a card for its hand (T14)
    INSERT_PHASE,  # it inserts that card
    LIFT_PHASE,  # a bird lifts a card of the hand (T16)
    PLACE_PHASE,  # it inserts that card
    DECLARE_PHASE,  # a mimic is declared
    FIRST_PARENT_PHASE,  # from here on: chance
    FLOWER_SLOT_PHASE,
    DEAL_PHASE,
    WAY_UP_PHASE,
    MARKET_PHASE,
    DECK_PHASE,
    OVER_PHASE,
) = range(15)
DECISION_PHASES = 8
PHASES = ("fall", "take", "put", "pick", "insert", "lift", "place", "declare")
CHANCE_NAMES = {
    FIRST_PARENT_PHASE: "first_parent",
    FLOWER_SLOT_PHASE: "flower_slot",
    DEAL_PHASE: "deal",
    WAY_UP_PHASE: "way_up",
    MARKET_PHASE: "market",
    DECK_PHASE: "deck",
}

# ---------------------------------------------------------------- stages of a round
DEALING, LEAVES, TAKING, GROWTH, BIRDS, MIMICS, SCORED = range(7)
#: The stages that a research variant may leave out; birds and mimics are the change phase.
STAGES = ("leaves", "taking", "growth", "change")

# ---------------------------------------------------------------- endings
TARGET_REACHED = ENDINGS  # one seat alone has the highest total, the target or more (T21)

# ---------------------------------------------------------------- options
DENSE, COMPETITION = range(2)
TIE_RANKINGS = ("dense", "competition")

# ---------------------------------------------------------------- piles
FIELD = 0  # + seat
MARKET = MAX_SEATS
DECK = MARKET + 1
SECRET = DECK + 1  # + seat: cards of its hand that others do not know
PILES = SECRET + MAX_SEATS
PILE_WORDS = 2

# ---------------------------------------------------------------- what an event has told beside
TOLD_LEAVES = 1  # the leaves of all seats
TOLD_FACE = 2  # the face of a card drawn from a hand
TOLD_GAP = 4  # where a card that nobody else knows was inserted
TOLD_HANDS = 8  # all hands

GAME = np.dtype(
    [
        *common_fields(MAX_SEATS, MAX_LOG),
        # -- the whole game
        ("parent", np.int16),  # (T5)
        ("legend", np.int16),  # who holds it, or NOBODY (T20)
        ("mark", np.int16),  # the length that earned it, 0 before
        # -- the round, as every observation needs it
        ("stage", np.int16),
        ("turn", np.int16),  # who is looked at first for the next turn of the stage
        ("card", np.int16),  # the card in the acting seat's fingers, or NO_CARD
        ("unseen", np.int16),  # 1: only the acting seat knows it
        ("told", np.int16),  # what the latest event has told beside its value: bits TOLD_...
        ("held", np.int16, (MAX_SEATS,)),  # cards in a hand
        ("flowers_gone", np.int16, (MAX_SEATS,)),  # flowers that were seen to leave a hand
        ("takes", np.int16, (MAX_SEATS,)),  # takes open (T9)
        ("misses", np.int16, (MAX_SEATS,)),  # 1: misses its next turn of growth (T13)
        ("moves", np.int16, (MAX_SEATS,)),  # moves of birds open (T16)
        ("hand", np.uint64, (MAX_SEATS,)),  # words of cards
        ("public", np.uint64, (MAX_SEATS,)),  # the same as all others know them (T15)
        ("piles", np.uint64, (PILES, PILE_WORDS)),
        # -- the round, as few steps need it
        ("slot", np.int16),  # the slot that is dealt
        ("deal_end", np.int16),  # where in `log` the market begins
        ("fall_from", np.int16),  # the first slot that may still fall
        ("asked", np.int16),  # how many seats have let their leaves fall
        ("fallen", np.int16, (MAX_SEATS,)),  # bits of the slots a seat has let fall (T8)
        ("gone", np.int16, (MAX_SEATS,)),  # bits of the dealt slots that were seen to leave
        ("flower_slot", np.int16, (MAX_SEATS,)),  # the slot of the dealt flower (T6)
        ("dealt", np.uint64, (MAX_SEATS,)),  # hands as dealt
        ("shown", np.uint64, (MAX_SEATS,)),  # hands when they were shown (T16)
        ("lengths", np.uint64, (MAX_SEATS,)),  # caterpillars of the latest score, a byte each
        ("told_seat", np.int16),  # who inserted an unseen card
        ("told_value", np.int16),  # into which gap, or which face was drawn
        # -- working space of `resample`; it means nothing between calls
        ("old_log", np.int8, (MAX_LOG,)),
        ("pool", np.uint64, (PILE_WORDS,)),
        ("new_face", np.int16),
        ("new_slot", np.int16, (MAX_SEATS,)),
        ("new_dealt", np.uint64, (MAX_SEATS,)),
    ],
    align=True,
)

PARTS = np.dtype(
    [
        ("players", np.int64),
        ("hand_size", np.int64),  # cards in a hand (T6)
        ("market", np.int64),  # cards turned up (T6)
        ("pack", np.uint64, (PILE_WORDS,)),  # all cards as a pile (T1)
        ("leaves", np.int64),  # 1: this stage is played
        ("taking", np.int64),
        ("growth", np.int64),
        ("change", np.int64),
        ("body", np.int64, (CARDS,)),  # length of a body by card, 0 for others (T17)
        ("target", np.int64),
        ("max_rounds", np.int64),
        ("tie_ranking", np.int64),
        ("rank_points", np.int64, (3,)),  # longest, second, others (T18)
        ("butterfly", np.int64),  # points of a butterfly (T19)
        ("legend_length", np.int64),  # what first earns the legend (T20)
        ("legend_points", np.int64),
    ],
    align=True,
)
