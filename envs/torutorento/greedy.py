"""The scripted player of torutorento: plans its hand, takes from the leader, searches the change.

A plan says which cards of the hand fall, and which cards are inserted where. It is found by
dynamic programming along the hand: a state says whether a caterpillar is open that will be
closed later, with which end and whether it has a body. A plan is worth its caterpillars, each so
much and so much for every unit of its length, less a price for every card that has yet to be got.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import count_bits
from tefuda.envs.core.chance import draw
from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.torutorento.hands import (
    NO_HAND,
    card_at,
    caterpillars,
    inserted,
    longest_of,
    removed,
    replaced,
    slot_of,
    whole,
)
from tefuda.envs.torutorento.piles import count_face, count_in, size_of
from tefuda.envs.torutorento.rules import clockwise, drawable, faces_up, rank_points
from tefuda.envs.torutorento.state import (
    BIRD_CARD,
    BODY_3,
    BUTTERFLY_CARD,
    CARDS,
    DECK,
    DONE_ACTION,
    FACE_COUNT,
    FACE_OF,
    FALL_ACTION,
    FALL_PHASE,
    FIRST_CARD,
    FLOWER,
    FLOWER_CARD,
    HEAD_EDGE,
    INSERT_ACTION,
    INSERT_PHASE,
    LEFT_OF,
    LIFT_ACTION,
    LIFT_PHASE,
    MARKET,
    MIMIC,
    MIMIC_CARD,
    NO_CARD,
    NO_FACE,
    OPEN_EDGE,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PICK_PHASE,
    PLACE_PHASE,
    PUT_ACTION,
    PUT_PHASE,
    RIGHT_OF,
    ROLE_ACTION,
    ROLE_CARD,
    ROLES,
    SLOTS,
    TAIL_EDGE,
    TAIL_TAIL,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
    TAKE_PHASE,
    TWO_WAYS,
    WAY_OF,
)

# ---------------------------------------------------------------- what things are worth, in points
# Found by play against itself; only their proportions matter.
CATERPILLAR = 2.2
PER_LENGTH = 0.75
BUTTERFLY_WORTH = 1.0
BIRD_WORTH = 0.3
HOLE_WORTH = 0.7  # a hole that the plan leaves to whatever comes
# The price of a card: hoped for, in the market before others can take it, one face up, several.
HOPE_PRICE, MARKET_PRICE, SINGLE_PRICE, PLENTY_PRICE = 1.0, 0.7, 0.35, 0.2
# What a unit of length is worth beside its points.
LENGTH_TIE_BREAK = 0.01
_BARRED = -1.0e9

# ---------------------------------------------------------------- states of a plan
# No open caterpillar; one open at a head, without and with a body; the same at a tail.
_CLOSED, _HEAD_BARE, _HEAD_BODY, _TAIL_BARE, _TAIL_BODY = range(5)
_STATES = 5
# Kinds of card: 3 * left end + right end; a body; a body that comes to nothing.
_BODY_KIND, _VOID_KIND = 9, 10
_KINDS = 11


def _moves(kind: int, state: int) -> tuple[list[int], bool]:
    """Where a state goes with a kind of card, and whether a caterpillar is closed."""
    if kind == _VOID_KIND:
        return [state], False
    if kind == _BODY_KIND:
        return [_CLOSED if state == _CLOSED else state + state % 2], False
    left, right = divmod(kind, 3)
    closes = (state, left) in ((_HEAD_BODY, TAIL_EDGE), (_TAIL_BODY, HEAD_EDGE))
    if not closes and state != _CLOSED:
        return [], False
    opened = {HEAD_EDGE: [_HEAD_BARE], TAIL_EDGE: [_TAIL_BARE]}
    return [_CLOSED, *opened.get(right, [])], closes


_MOVES = np.full((_KINDS, _STATES, 2), -1)
_CLOSES = np.zeros((_KINDS, _STATES))
for _kind in range(_KINDS):
    for _state in range(_STATES):
        _targets, _is_closed = _moves(_kind, _state)
        _MOVES[_kind, _state, : len(_targets)] = _targets
        _CLOSES[_kind, _state] = CATERPILLAR if _is_closed else 0.0

_END_KIND = np.array(
    [
        0 if OPEN_EDGE in (LEFT_OF[card], RIGHT_OF[card]) else 3 * LEFT_OF[card] + RIGHT_OF[card]
        for card in range(CARDS)
    ]
)
_CARD_WORTH = np.zeros(CARDS)
_CARD_WORTH[BUTTERFLY_CARD] = BUTTERFLY_WORTH
_CARD_WORTH[BIRD_CARD] = BIRD_WORTH

# A plan's balance is holes less insertions, stored from _LOWEST on.
_LOWEST = -3
_BALANCES = 8
# A path: the slots that fall in the highest byte, then up to four insertions of 12 bits.
_FALL_SHIFT = np.uint64(56)
_INSERTION_BITS = np.uint64(12)
_INSERTIONS = np.uint64((1 << 48) - 1)
_INSERTION = (1 << 12) - 1
_CARD_BITS = 5
_CARD_MASK = 31
_FIRST_FALL = np.uint64(1) << _FALL_SHIFT
NO_GAP = -1
_MOST_OPTIONS = 24


class Desk(NamedTuple):
    """What a plan is made with.

    Attributes:
        options: (n,) cards that may be inserted, ended by `NO_CARD`.
        prices: (n,) their prices.
        values: (2, balances, states) the best plans up to a slot, and up to the next.
        paths: (2, balances, states) what they do.
    """

    options: npt.NDArray[np.int64]
    prices: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    paths: npt.NDArray[np.uint64]


# ==================================================================== the player


@kernel
def greedy(game: Record, parts: Record, holder: Record) -> int:
    """The scripted player's action."""
    if game.phase == TAKE_PHASE:
        return _best_take(game, parts, holder)
    return _best_action(game, parts)


@kernel
def mark_scripted(game: Record, parts: Record, marks: npt.NDArray[np.int8]) -> None:
    """Marks in (A,) what the scripted player would do: where it draws lots, all of these."""
    if game.phase != TAKE_PHASE:
        marks[_best_action(game, parts)] = 1
        return
    source = _leader(game, parts, True)
    if source == NOBODY:
        marks[TAKE_DECK_ACTION] = 1
        return
    first = TAKE_ACTION + (source - 1) * SLOTS
    for slot in range(drawable(game, clockwise(parts, game.seat, source))):
        marks[first + slot] = 1


@kernel
def _best_action(game: Record, parts: Record) -> int:
    """The scripted player's action where it draws no lots."""
    phase = game.phase
    if phase == FALL_PHASE:
        return _best_fall(game, parts)
    if phase == PUT_PHASE:
        return PUT_ACTION + _best_field(game, parts)
    if phase == PICK_PHASE:
        return _best_pick(game, parts)
    if phase == INSERT_PHASE:
        return INSERT_ACTION + _best_insertion(game, parts)
    if phase == LIFT_PHASE:
        return _best_lift(game, parts)
    if phase == PLACE_PHASE:
        table = _lengths_on_table(game, parts)
        hand, card = game.hand[game.seat], whole(game.card)
        return INSERT_ACTION + _best_place(game, parts, table, hand, card)[1]
    return ROLE_ACTION + _best_role(game, parts)


@kernel
def _best_fall(game: Record, parts: Record) -> int:
    """Lets fall what the best plan does without; planned anew after every leaf."""
    seat, free_from = game.seat, whole(game.fall_from)
    desk = _new_desk()
    _list_hopes(game, desk)
    _, path = _best_plan(parts, desk, game.hand[seat], whole(game.fallen[seat]), free_from, 0)
    falls = whole(path >> _FALL_SHIFT)
    for slot in range(free_from, parts.hand_size):
        if (falls >> slot) & 1:
            return FALL_ACTION + slot
    return DONE_ACTION


@kernel
def _best_take(game: Record, parts: Record, holder: Record) -> int:
    """Draws from the leader's hand, else from that of the next, else from the deck."""
    best = _leader(game, parts, True)
    if best == NOBODY:
        return TAKE_DECK_ACTION
    slot = draw(holder, drawable(game, clockwise(parts, game.seat, best)))
    return TAKE_ACTION + (best - 1) * SLOTS + slot


@kernel
def _leader(game: Record, parts: Record, can_be_drawn_from: bool) -> int:
    """The offset of the other seat with the highest total, if it will do, or `NOBODY`."""
    best, most = NOBODY, -1
    for offset in range(1, parts.players):
        seat = clockwise(parts, game.seat, offset)
        fits = drawable(game, seat) > 0 or not can_be_drawn_from
        if fits and game.totals[seat] > most:
            best, most = offset, whole(game.totals[seat])
    return best


@kernel
def _best_field(game: Record, parts: Record) -> int:
    """The own field, for birds above all; but a mimic goes to the leader if it costs a turn."""
    is_costly = game.held[game.seat] < parts.hand_size
    return _leader(game, parts, False) if FACE_OF[game.card] == MIMIC and is_costly else 0


@kernel
def _best_pick(game: Record, parts: Record) -> int:
    """The scarcest card of the best plan; where it wants none, the top card of the deck."""
    seat = game.seat
    low, high = faces_up(game, parts)
    desk = _new_desk()
    _list_faces_up(desk, low, high, NO_FACE)
    holes = parts.hand_size - game.held[seat]
    _, path = _best_plan(parts, desk, game.hand[seat], 0, SLOTS, holes)
    best, fewest = NO_FACE, SLOTS * SLOTS
    path = path & _INSERTIONS
    while path != NO_HAND:
        face = FACE_OF[whole(path) & _CARD_MASK]
        path = path >> _INSERTION_BITS
        if count_face(low, high, face) < fewest:
            best, fewest = face, count_face(low, high, face)
    if best != NO_FACE:
        return PICK_ACTION + best
    return PICK_DECK_ACTION if size_of(game, DECK) > 0 else PICK_ACTION + _any_face(low, high)


@kernel
def _any_face(low: np.uint64, high: np.uint64) -> int:
    """The last of the faces that there are."""
    face = FACE_COUNT - 1
    while count_face(low, high, face) == 0:
        face -= 1
    return face


@kernel
def _best_insertion(game: Record, parts: Record) -> int:
    """Where, and which way up, the best plan has the card, else where the best plan is left."""
    seat, face = game.seat, FACE_OF[game.card]
    hand, holes = game.hand[seat], parts.hand_size - game.held[seat]
    low, high = faces_up(game, parts)
    desk = _new_desk()
    _list_faces_up(desk, low, high, face)
    _, path = _best_plan(parts, desk, hand, 0, SLOTS, holes)
    path = path & _INSERTIONS
    while path != NO_HAND:
        code = whole(path) & _INSERTION
        path = path >> _INSERTION_BITS
        if FACE_OF[code & _CARD_MASK] == face:
            return 2 * (code >> _CARD_BITS) + WAY_OF[code & _CARD_MASK]
    _list_faces_up(desk, low, high, NO_FACE)
    best, best_value = 0, _BARRED
    for place in range(0, 2 * (game.held[seat] + 1), 2 - TWO_WAYS[face]):
        new = inserted(hand, place // 2, FIRST_CARD + 2 * face + place % 2)
        value, _ = _best_plan(parts, desk, new, 0, SLOTS, holes - 1)
        if value > best_value:
            best, best_value = place, value
    return best


# ==================================================================== what can be got


@kernel
def _new_desk() -> Desk:
    return Desk(
        np.zeros(_MOST_OPTIONS, np.int64),
        np.zeros(_MOST_OPTIONS),
        np.zeros((2, _BALANCES, _STATES)),
        np.zeros((2, _BALANCES, _STATES), np.uint64),
    )


@kernel
def _list_hopes(game: Record, desk: Desk) -> None:
    """The cards that a plan may hope for while leaves fall: of bodies the longest alone."""
    count = 0
    for face in range(FACE_COUNT):
        in_market = count_in(game, MARKET, face) > 0
        if face <= TAIL_TAIL or face == BODY_3 or face == FLOWER or in_market:
            count = _list_card(desk, face, MARKET_PRICE if in_market else HOPE_PRICE, count)
    desk.options[count] = NO_CARD


@kernel
def _list_faces_up(desk: Desk, low: np.uint64, high: np.uint64, held: int) -> None:
    """The cards that lie face up, and at no price the face that the seat has in its fingers."""
    count = 0
    for face in range(FACE_COUNT):
        copies = count_face(low, high, face)
        if face == held:
            count = _list_card(desk, face, 0.0, count)
        elif copies > 0:
            price = PLENTY_PRICE if copies > 1 else SINGLE_PRICE
            count = _list_card(desk, face, price, count)
    desk.options[count] = NO_CARD


@kernel
def _list_card(desk: Desk, face: int, price: float, count: int) -> int:
    """Lists a face by its ways up, a mimic by its roles; returns the number of options."""
    first = ROLE_CARD if face == MIMIC else FIRST_CARD + 2 * face
    ways = len(ROLES) if face == MIMIC else 1 + TWO_WAYS[face]
    for way in range(ways):
        desk.options[count] = first + way
        desk.prices[count] = price
        count += 1
    return count


# ==================================================================== plans


@kernel
def _best_plan(
    parts: Record, desk: Desk, hand: np.uint64, gone: int, free_from: int, holes: int
) -> tuple[float, np.uint64]:
    """The best plan, over which flowers fall and whether one more is inserted at the far left.

    Args:
        parts: The parts.
        desk: Its options.
        hand: The hand, with the leaves that have already been chosen to fall.
        gone: Bits of those.
        free_from: Slots from here on may fall.
        holes: Cards that are missing beside those.

    Returns:
        What it is worth, and its path.
    """
    flowers, free = _flower_slots(hand, gone, free_from)
    price = _price_of_flower(desk)
    holes += count_bits(np.uint64(gone))
    best, best_path = _BARRED, NO_HAND
    falls = free
    while falls >= 0:
        kept = count_bits(np.uint64(flowers ^ falls))
        for more in range(2):
            some = kept + more > 0 or (price < 0.0 and flowers == 0)
            if not some or (more == 1 and (kept > 1 or price < 0.0)):
                continue
            left = holes + count_bits(np.uint64(falls)) - more
            value, path = _plan(
                parts, desk, hand, gone | falls, flowers ^ falls, free_from, left, kept + more - 1
            )
            if value - more * price > best:
                best = value - more * price
                best_path = path | (np.uint64(falls) << _FALL_SHIFT)
                if more == 1:
                    best_path = _with_insertion(best_path, FLOWER_CARD, 0)
        falls = (falls - 1) & free if falls > 0 else -1
    return best, best_path


@kernel
def _flower_slots(hand: np.uint64, gone: int, free_from: int) -> tuple[int, int]:
    """Bits of the slots with flowers that have not fallen, and of those that may still fall."""
    flowers = 0
    for slot in range(SLOTS):
        if card_at(hand, slot) == FLOWER_CARD and not (gone >> slot) & 1:
            flowers |= 1 << slot
    return flowers, (flowers >> free_from) << free_from


@kernel
def _price_of_flower(desk: Desk) -> float:
    """The price of one more flower, below 0 where none can be got."""
    k = 0
    while desk.options[k] != NO_CARD:
        if desk.options[k] == FLOWER_CARD:
            return desk.prices[k]
        k += 1
    return -1.0


@kernel
def _with_insertion(path: np.uint64, card: int, gap: int) -> np.uint64:
    """The path with one more insertion, its latest."""
    insertions = ((path & _INSERTIONS) << _INSERTION_BITS) & _INSERTIONS
    return (path & ~_INSERTIONS) | insertions | np.uint64((gap << _CARD_BITS) | card)


@kernel
def _plan(
    parts: Record,
    desk: Desk,
    hand: np.uint64,
    gone: int,
    flowers: int,
    free_from: int,
    holes: int,
    bonus: int,
) -> tuple[float, np.uint64]:
    """The best plan that keeps just these flowers (bits), with their bonus for every body."""
    start = min(holes - _LOWEST, _BALANCES - 1)
    floor = 0 if free_from < SLOTS else -_LOWEST
    if start < floor:
        return _BARRED, NO_HAND
    now, slot = 0, 0
    desk.values[now] = _BARRED
    desk.values[now, start, _CLOSED] = 0.0
    desk.paths[now, start, _CLOSED] = NO_HAND
    while slot < SLOTS and card_at(hand, slot) != NO_CARD:
        if not (gone >> slot) & 1:
            _try_options(parts, desk, now, slot, floor, bonus)
            may_fall = slot >= free_from and not (flowers >> slot) & 1
            _pass_card(parts, desk, now, slot, card_at(hand, slot), may_fall, bonus)
            now = 1 - now
        slot += 1
    _try_options(parts, desk, now, slot, floor, bonus)
    return _best_of(desk, now)


@kernel
def _try_options(parts: Record, desk: Desk, now: int, gap: int, floor: int, bonus: int) -> None:
    """Inserts cards into a gap, one after the other, as long as there are holes."""
    for balance in range(_BALANCES - 1, floor, -1):
        k = 0
        while desk.options[k] != NO_CARD:
            card = desk.options[k]
            gain = _CARD_WORTH[card] - desk.prices[k]
            _lay(parts, desk, now, balance, now, balance - 1, card, bonus, gain, gap)
            k += 1


@kernel
def _pass_card(
    parts: Record, desk: Desk, now: int, slot: int, card: int, may_fall: bool, bonus: int
) -> None:
    """Goes over a card of the hand, which stays, or falls where it may."""
    then = 1 - now
    desk.values[then] = _BARRED
    first = ROLE_CARD if card == MIMIC_CARD else card
    last = ROLE_CARD + len(ROLES) if card == MIMIC_CARD else card + 1
    for balance in range(_BALANCES):
        for kind in range(first, last):
            gain = _CARD_WORTH[kind]
            _lay(parts, desk, now, balance, then, balance, kind, bonus, gain, NO_GAP)
        if may_fall:
            _drop(desk, now, balance, then, slot)


@kernel
def _lay(
    parts: Record,
    desk: Desk,
    now: int,
    balance: int,
    then: int,
    new_balance: int,
    card: int,
    bonus: int,
    gain: float,
    gap: int,
) -> None:
    """Lays a card at the end of all plans of a balance: one of the hand, or into a gap."""
    body = parts.body[card]
    length = max(0, body + bonus)
    kind = _END_KIND[card]
    if body > 0:
        kind = _BODY_KIND if length > 0 else _VOID_KIND
    for state in range(_STATES):
        value = desk.values[now, balance, state] + gain + _CLOSES[kind, state]
        if body > 0 and state != _CLOSED:
            value += PER_LENGTH * length
        for k in range(2):
            target = _MOVES[kind, state, k]
            if target >= 0 and value > desk.values[then, new_balance, target]:
                path = desk.paths[now, balance, state]
                desk.values[then, new_balance, target] = value
                desk.paths[then, new_balance, target] = (
                    path if gap == NO_GAP else _with_insertion(path, card, gap)
                )


@kernel
def _drop(desk: Desk, now: int, balance: int, then: int, slot: int) -> None:
    """Lets the card in a slot fall in all plans of a balance: one hole more."""
    new_balance = min(balance + 1, _BALANCES - 1)
    for state in range(_STATES):
        value = desk.values[now, balance, state]
        if value > desk.values[then, new_balance, state]:
            path = desk.paths[now, balance, state]
            desk.values[then, new_balance, state] = value
            desk.paths[then, new_balance, state] = path | (_FIRST_FALL << np.uint64(slot))


@kernel
def _best_of(desk: Desk, now: int) -> tuple[float, np.uint64]:
    """The best plan that closes what it has opened, and makes do with its holes."""
    best, path = _BARRED, NO_HAND
    for balance in range(-_LOWEST, _BALANCES):
        value = desk.values[now, balance, _CLOSED] + HOLE_WORTH * (balance + _LOWEST)
        if value > best:
            best, path = value, desk.paths[now, balance, _CLOSED]
    return best, path


# ==================================================================== the change


@kernel
def _lengths_on_table(game: Record, parts: Record) -> npt.NDArray[np.uint64]:
    """The caterpillars of all seats as their hands lie now, packed (P,); all hands are shown."""
    table = np.zeros(parts.players, np.uint64)
    for seat in range(parts.players):
        table[seat] = caterpillars(game.public[seat], parts)
    return table


@kernel
def _best_lift(game: Record, parts: Record) -> int:
    """The move of a card that gains most, or none."""
    table = _lengths_on_table(game, parts)
    hand = game.hand[game.seat]
    best, best_value = DONE_ACTION, _worth(game, parts, table, hand)
    for slot in range(game.held[game.seat]):
        rest, card = removed(hand, slot), card_at(hand, slot)
        value, _ = _best_place(game, parts, table, rest, card)
        if value > best_value:
            best, best_value = LIFT_ACTION + slot, value
    return best


@kernel
def _best_place(
    game: Record, parts: Record, table: npt.NDArray[np.uint64], hand: np.uint64, card: int
) -> tuple[float, int]:
    """The best value of a hand with the card put back, and the place, 2 * gap + way up."""
    face = FACE_OF[card]
    best, best_value = 0, _BARRED
    for place in range(0, 2 * parts.hand_size, 2 - TWO_WAYS[face]):
        new = inserted(hand, place // 2, FIRST_CARD + 2 * face + place % 2)
        value = _worth(game, parts, table, new)
        if value > best_value:
            best, best_value = place, value
    return best_value, best


@kernel
def _best_role(game: Record, parts: Record) -> int:
    """The role of the leftmost mimic with which the hand is worth most."""
    table = _lengths_on_table(game, parts)
    hand = game.hand[game.seat]
    slot = slot_of(hand, MIMIC_CARD)
    best, best_value = 0, _BARRED
    for role in range(len(ROLES)):
        value = _worth(game, parts, table, replaced(hand, slot, ROLE_CARD + role))
        if value > best_value:
            best, best_value = role, value
    return best


@kernel
def _worth(game: Record, parts: Record, table: npt.NDArray[np.uint64], hand: np.uint64) -> float:
    """The points of a hand with the best roles of up to two mimics."""
    first = slot_of(hand, MIMIC_CARD)
    if first >= SLOTS:
        return _points(game, parts, table, hand)
    best = _BARRED
    for role in range(len(ROLES)):
        one = replaced(hand, first, ROLE_CARD + role)
        second = slot_of(one, MIMIC_CARD)
        if second >= SLOTS:
            best = max(best, _points(game, parts, table, one))
            continue
        for other in range(len(ROLES)):
            two = replaced(one, second, ROLE_CARD + other)
            best = max(best, _points(game, parts, table, two))
    return best


@kernel
def _points(game: Record, parts: Record, table: npt.NDArray[np.uint64], hand: np.uint64) -> float:
    """What the acting seat gains with this hand if the others stay as they are.

    Lengths break ties: a longer caterpillar is harder to overtake.
    """
    seat = game.seat
    lengths = caterpillars(hand, parts)
    table[seat] = lengths
    points = rank_points(parts, table, lengths)
    longest = longest_of(lengths)
    rival = 0
    for other in range(parts.players):
        if other != seat:
            rival = max(rival, longest_of(table[other]))
    if max(longest, rival) >= parts.legend_length and max(longest, rival) > game.mark:
        points += parts.legend_points * (longest > rival)
        points -= parts.legend_points * (game.legend == seat)
    return points + LENGTH_TIE_BREAK * longest
