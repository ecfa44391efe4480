"""The rules of torutorento as kernels; the ids in the docstrings are those of the game's page.

The functions of `core.contract` come first, then the course of a round from top to bottom. Most
helpers with a single caller are inlined, which saves a tenth of the compiling.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import BIT, count_bits, lowest_bit, store_word
from tefuda.envs.core.chance import draw, draw_seed, restart_stream
from tefuda.envs.core.contract import (
    CHANCE,
    DECISION,
    NOBODY,
    NOTICED,
    OVER,
    SEEN,
    TRUNCATED,
    UNNOTICED,
    note,
)
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.torutorento.hands import (
    HIGH_BITS,
    LOW,
    NO_HAND,
    ONES,
    REST,
    card_at,
    caterpillars,
    count_card,
    inserted,
    longest_of,
    removed,
    replaced,
    slot_of,
    whole,
)
from tefuda.envs.torutorento.piles import (
    NO_PILE,
    count_in,
    draw_face,
    put_on,
    size_of,
    take_off,
)
from tefuda.envs.torutorento.resample import draw_leaves_so_far, draw_unseen, draw_world
from tefuda.envs.torutorento.state import (
    BIRD,
    BIRD_CARD,
    BIRDS,
    BUTTERFLY_CARD,
    COMPETITION,
    DEAL_PHASE,
    DEALING,
    DEALT_UNSEEN,
    DECISION_PHASES,
    DECK,
    DECK_PHASE,
    DECLARE_PHASE,
    DONE_ACTION,
    DRAWN_UNSEEN,
    FACE_COUNT,
    FACE_OF,
    FALL_ACTION,
    FALL_PHASE,
    FIELD,
    FIRST_CARD,
    FIRST_PARENT_PHASE,
    FLOWER,
    FLOWER_CARD,
    FLOWER_SLOT_PHASE,
    GROWTH,
    INSERT_ACTION,
    INSERT_PHASE,
    LEAVES,
    LIFT_ACTION,
    LIFT_PHASE,
    MARKET,
    MARKET_PHASE,
    MIMIC,
    MIMIC_CARD,
    MIMICS,
    NO_CARD,
    NO_FACE,
    OVER_PHASE,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PICK_PHASE,
    PLACE_PHASE,
    PUT_ACTION,
    PUT_PHASE,
    ROLE_ACTION,
    ROLE_CARD,
    ROLES,
    SCORED,
    SECRET,
    SLOTS,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
    TAKE_PHASE,
    TAKING,
    TARGET_REACHED,
    TOLD_FACE,
    TOLD_GAP,
    TOLD_HANDS,
    TOLD_LEAVES,
    TWO_WAYS,
    WAY_UP_PHASE,
)

# What tells of cards at a place hold: (seat * SLOTS + slot) * PLACE_SPAN + face or card.
PLACE_SPAN = 32

_ROLE_COUNT = len(ROLES)
_MASK_WORDS = 11  # whole words of the mask; one byte is left
_OTHER_RANK = 2
# A set of lengths, each a bit.
NO_LENGTHS = np.uint64(0)
# _GAPS[two ways, cards, half]: the mask of insertions into a hand of so many cards.
_GAPS = np.array(
    [
        [
            [
                sum(
                    1 << (8 * (at - 8 * half))
                    for at in range(8 * half, 8 * half + 8)
                    if at // 2 <= cards and (two_ways or at % 2 == 0)
                )
                for half in range(2)
            ]
            for cards in range(SLOTS + 1)
        ]
        for two_ways in range(2)
    ],
    dtype=np.uint64,
)

__all__ = [
    "apply", "apply_chance", "chances", "is_legal", "legal", "news", "node", "random_action",
    "resample", "sample_chance", "sees", "settle", "start",
]  # fmt: skip


# ==================================================================== the contract


@kernel
def start(game: Record, parts: Record) -> None:
    """Begins a game: nobody has the legend; the first parent is drawn (T5, T20)."""
    game.legend = NOBODY
    game.mark = 0
    restart_stream(game)
    game.stage = DEALING
    game.phase = FIRST_PARENT_PHASE
    game.seat = NOBODY


@inlined
def node(game: Record) -> int:
    """The kind of the present node."""
    if game.phase < DECISION_PHASES:
        return DECISION
    return OVER if game.phase == OVER_PHASE else CHANCE


@kernel
def legal(game: Record, parts: Record, mask: npt.NDArray[np.int8]) -> None:
    """Writes the mask (89,) of the acting seat; all zero at a chance node and at the end."""
    for word in range(_MASK_WORDS):
        store_word(mask, SLOTS * word, NO_HAND)
    mask[SLOTS * _MASK_WORDS] = 0
    phase = game.phase
    if phase == FALL_PHASE:
        store_word(mask, FALL_ACTION, _slots_left(game, parts))
        mask[DONE_ACTION] = 1
    elif phase == TAKE_PHASE:
        for offset in range(1, parts.players):
            count = drawable(game, clockwise(parts, game.seat, offset))
            store_word(mask, TAKE_ACTION + (offset - 1) * SLOTS, ONES & LOW[count])
        mask[TAKE_DECK_ACTION] = size_of(game, DECK) > 0
    elif phase == PUT_PHASE:
        store_word(mask, PUT_ACTION, ONES & LOW[parts.players])
    elif phase == PICK_PHASE:
        low, high = faces_up(game, parts)
        store_word(mask, PICK_ACTION, _signs(low))
        store_word(mask, PICK_ACTION + SLOTS, _signs(high) & LOW[FACE_COUNT - SLOTS])
        mask[PICK_DECK_ACTION] = size_of(game, DECK) > 0
    elif phase == INSERT_PHASE or phase == PLACE_PHASE:
        ways, held = TWO_WAYS[FACE_OF[game.card]], game.held[game.seat]
        store_word(mask, INSERT_ACTION, _GAPS[ways, held, 0])
        store_word(mask, INSERT_ACTION + SLOTS, _GAPS[ways, held, 1])
    elif phase == LIFT_PHASE:
        mask[DONE_ACTION] = 1
        store_word(mask, LIFT_ACTION, ONES & LOW[game.held[game.seat]])
    elif phase == DECLARE_PHASE:
        for role in range(_ROLE_COUNT):
            mask[ROLE_ACTION + role] = 1


@kernel
def is_legal(game: Record, parts: Record, action: int) -> bool:
    """Whether the acting seat may take `action`; the same as `legal` writes."""
    phase = game.phase
    if phase == FALL_PHASE:
        return game.fall_from <= action < parts.hand_size or action == DONE_ACTION
    if phase == TAKE_PHASE:
        if action == TAKE_DECK_ACTION:
            return size_of(game, DECK) > 0
        place = action - TAKE_ACTION
        if not 0 <= place < (parts.players - 1) * SLOTS:
            return False
        seat = clockwise(parts, game.seat, place // SLOTS + 1)
        return place % SLOTS < drawable(game, seat)
    if phase == PUT_PHASE:
        return PUT_ACTION <= action < PUT_ACTION + parts.players
    if phase == PICK_PHASE:
        if action == PICK_DECK_ACTION:
            return size_of(game, DECK) > 0
        face = action - PICK_ACTION
        return 0 <= face < FACE_COUNT and _pile_of(game, parts, face) != NO_FACE
    if phase == INSERT_PHASE or phase == PLACE_PHASE:
        place = action - INSERT_ACTION
        if not 0 <= place < 2 * (game.held[game.seat] + 1):
            return False
        return place % 2 == 0 or TWO_WAYS[FACE_OF[game.card]] != 0
    if phase == LIFT_PHASE:
        return action == DONE_ACTION or 0 <= action - LIFT_ACTION < game.held[game.seat]
    return phase == DECLARE_PHASE and 0 <= action - ROLE_ACTION < _ROLE_COUNT


@kernel
def apply(game: Record, parts: Record, action: int) -> None:
    """Plays one decision."""
    note(game, action)
    game.told = 0
    phase = game.phase
    if phase == FALL_PHASE:
        if action != DONE_ACTION:
            game.fallen[game.seat] |= 1 << (action - FALL_ACTION)
            game.fall_from = action - FALL_ACTION + 1
            return
        game.asked += 1
    elif phase == TAKE_PHASE:
        _take(game, parts, action)
        return
    elif phase == PUT_PHASE:
        _put(game, parts, clockwise(parts, game.seat, action - PUT_ACTION))
    elif phase == PICK_PHASE:
        _pick(game, parts, action)
        return
    elif phase == INSERT_PHASE or phase == PLACE_PHASE:
        _insert(game, parts, action - INSERT_ACTION)
    elif phase == LIFT_PHASE:
        if action != DONE_ACTION:
            _lift(game, action - LIFT_ACTION)
            return
        game.moves[game.seat] -= 1
    else:
        _declare(game, ROLE_CARD + action - ROLE_ACTION)
    _proceed(game, parts)


@kernel
def chances(
    game: Record, parts: Record, outcomes: npt.NDArray[np.int16], weights: npt.NDArray[np.int16]
) -> int:
    """Writes the outcomes of a chance node and how many equal ways there are to each."""
    count = 0
    for outcome in range(FACE_COUNT):
        weight = _weight(game, parts, outcome)
        if weight > 0:
            outcomes[count] = outcome
            weights[count] = weight
            count += 1
    return count


@kernel
def apply_chance(game: Record, parts: Record, outcome: int) -> None:
    """Plays one chance outcome: a seat, a slot, a way up or a face."""
    note(game, outcome)
    game.told = 0
    phase = game.phase
    if phase == DECK_PHASE:
        take_off(game, DECK, outcome)
        game.card = FIRST_CARD + 2 * outcome
        game.unseen = game.stage == GROWTH
        game.phase = INSERT_PHASE if game.stage == GROWTH else PUT_PHASE
    elif phase == DEAL_PHASE:
        _deal(game, parts, outcome)
    elif phase == WAY_UP_PHASE:
        _turn_dealt(game, parts, outcome)
    elif phase == FLOWER_SLOT_PHASE:
        _deal_flower(game, parts, outcome)
    elif phase == MARKET_PHASE:
        _turn_up(game, parts, outcome)
    else:
        game.parent = outcome
        _begin_round(game, parts)


@kernel
def sample_chance(game: Record, parts: Record) -> int:
    """Draws an outcome of the present chance node from the game's stream."""
    phase = game.phase
    if phase == WAY_UP_PHASE:
        return draw(game, 2)
    if phase == FLOWER_SLOT_PHASE:
        return draw(game, parts.hand_size)
    if phase == FIRST_PARENT_PHASE:
        return draw(game, parts.players)
    return draw_face(game, game.piles[DECK, 0], game.piles[DECK, 1])


@kernel
def settle(game: Record, parts: Record) -> None:
    """Samples chance nodes until a decision or the end."""
    while DECISION_PHASES <= game.phase < OVER_PHASE:
        apply_chance(game, parts, sample_chance(game, parts))


@kernel
def random_action(game: Record, parts: Record, holder: Record) -> int:
    """Draws a legal action uniformly with the stream of `holder`."""
    phase = game.phase
    if phase == TAKE_PHASE:
        return _random_take(game, parts, draw(holder, _count_takes(game, parts)))
    if phase == PICK_PHASE:
        low, high = faces_up(game, parts)
        return _random_pick(
            _signs(low), _signs(high) & LOW[FACE_COUNT - SLOTS], size_of(game, DECK) > 0, holder
        )
    held = game.held[game.seat]
    if phase == INSERT_PHASE or phase == PLACE_PHASE:
        if TWO_WAYS[FACE_OF[game.card]]:
            return INSERT_ACTION + draw(holder, 2 * (held + 1))
        return INSERT_ACTION + 2 * draw(holder, held + 1)
    if phase == FALL_PHASE:
        slot = game.fall_from + draw(holder, parts.hand_size - game.fall_from + 1)
        return DONE_ACTION if slot == parts.hand_size else FALL_ACTION + slot
    if phase == LIFT_PHASE:
        slot = draw(holder, held + 1)
        return DONE_ACTION if slot == held else LIFT_ACTION + slot
    if phase == PUT_PHASE:
        return PUT_ACTION + draw(holder, parts.players)
    return ROLE_ACTION + draw(holder, _ROLE_COUNT)


@kernel
def sees(game: Record, parts: Record, seat: int, value: int) -> int:
    """How much `seat` will see of the coming event ("Who sees what")."""
    if game.seat == seat:
        return SEEN
    phase = game.phase
    if phase == FALL_PHASE or phase == WAY_UP_PHASE:
        return UNNOTICED
    private = (
        phase == FLOWER_SLOT_PHASE
        or phase == DEAL_PHASE
        or (phase == DECK_PHASE and game.stage == GROWTH)
        or (phase == INSERT_PHASE and game.unseen != 0)
    )
    return NOTICED if private else SEEN


@kernel
def news(game: Record, parts: Record, seat: int, values: npt.NDArray[np.int16]) -> int:
    """What the latest event has told `seat` beside its value.

    The leaves of the others as they are revealed; the face of a card drawn from a hand; the gap
    into which another seat inserted an unseen card; the hands of the others as they are shown.
    """
    count = 0
    if game.told & TOLD_LEAVES:
        for place in range(parts.players * SLOTS):
            owner, slot = place // SLOTS, place % SLOTS
            if owner != seat and (game.fallen[owner] >> slot) & 1:
                face = FACE_OF[card_at(game.dealt[owner], slot)]
                values[count] = place * PLACE_SPAN + face
                count += 1
    if game.told & TOLD_FACE or (game.told & TOLD_GAP and game.told_seat != seat):
        values[count] = game.told_value
        count += 1
    if game.told & TOLD_HANDS:
        for place in range(parts.players * SLOTS):
            card = card_at(game.shown[place // SLOTS], place % SLOTS)
            if place // SLOTS != seat and card != NO_CARD:
                values[count] = place * PLACE_SPAN + card
                count += 1
    return count


@kernel
def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Redraws what is hidden from `seat`: once all hands are shown, the future alone."""
    if game.stage < BIRDS and game.phase != FIRST_PARENT_PHASE:
        draw_world(game, parts, seat, holder)
        _replay(game, parts, seat, holder)
    game.seed = draw_seed(holder)
    restart_stream(game)


# ==================================================================== the deal (T6)


@kernel
def _begin_round(game: Record, parts: Record) -> None:
    """All cards come back; a flower for each seat is set aside, the rest is shuffled (T6, T7)."""
    game.piles[:] = NO_PILE
    game.piles[DECK, 0] = parts.pack[0]
    game.piles[DECK, 1] = parts.pack[1]
    for seat in range(parts.players):
        take_off(game, DECK, FLOWER)
        game.hand[seat] = NO_HAND
        game.public[seat] = NO_HAND
        game.held[seat] = 0
        game.gone[seat] = 0
        game.flowers_gone[seat] = 0
        game.takes[seat] = 0
        game.misses[seat] = 0
        game.moves[seat] = 0
    game.card = NO_CARD
    game.unseen = 0
    game.stage = DEALING
    game.phase = FLOWER_SLOT_PHASE
    game.seat = 0


@inlined
def _deal_flower(game: Record, parts: Record, slot: int) -> None:
    """A seat's flower lies in `slot`; the other seven are still to come."""
    seat = game.seat
    game.flower_slot[seat] = slot
    game.held[seat] = parts.hand_size
    game.public[seat] = (np.uint64(DEALT_UNSEEN) * ONES) & LOW[parts.hand_size]
    put_on(game, SECRET + seat, FLOWER)
    _lay_dealt(game, slot, FLOWER_CARD)
    game.slot = 0
    _next_deal(game, parts)


@kernel
def _lay_dealt(game: Record, slot: int, card: int) -> None:
    hand = replaced(game.hand[game.seat], slot, card)
    game.hand[game.seat] = hand
    game.dealt[game.seat] = hand


@inlined
def _deal(game: Record, parts: Record, face: int) -> None:
    """Deals a card; where its edges differ, chance turns it one way or the other."""
    take_off(game, DECK, face)
    put_on(game, SECRET + game.seat, face)
    _lay_dealt(game, game.slot, FIRST_CARD + 2 * face)
    if TWO_WAYS[face]:
        game.phase = WAY_UP_PHASE
    else:
        game.slot += 1
        _next_deal(game, parts)


@inlined
def _turn_dealt(game: Record, parts: Record, way: int) -> None:
    """The card that was dealt last lies this way up."""
    card = card_at(game.hand[game.seat], game.slot)
    _lay_dealt(game, game.slot, card + way)
    game.slot += 1
    _next_deal(game, parts)


@kernel
def _next_deal(game: Record, parts: Record) -> None:
    """The next slot that is not the flower's, then the next seat, then the market."""
    if game.slot == game.flower_slot[game.seat]:
        game.slot += 1
    if game.slot < parts.hand_size:
        game.phase = DEAL_PHASE
    elif game.seat + 1 < parts.players:
        game.phase = FLOWER_SLOT_PHASE
        game.seat += 1
    else:
        game.phase = MARKET_PHASE
        game.seat = NOBODY
        game.deal_end = game.logged


@inlined
def _turn_up(game: Record, parts: Record, face: int) -> None:
    """Turns up a card of the market; the last one ends the deal."""
    take_off(game, DECK, face)
    put_on(game, MARKET, face)
    if size_of(game, MARKET) == parts.market:
        _begin_leaves(game, parts)
        _proceed(game, parts)


# ==================================================================== the course of a round


@kernel
def _proceed(game: Record, parts: Record) -> None:
    """Gives the turn to the next seat of the stage, or goes on to the next stage."""
    if game.stage == LEAVES and not _next_leaves(game, parts):
        _reveal_leaves(game, parts)
        _begin_taking(game, parts)
    if game.stage == TAKING and not _next_take(game, parts):
        _begin_growth(game, parts)
    if game.stage == GROWTH and not _next_growth(game, parts):
        _show_hands(game, parts)
    if game.stage == BIRDS and not _next_bird(game, parts):
        game.stage = MIMICS
    if game.stage == MIMICS and not _next_mimic(game, parts):
        game.stage = SCORED
    if game.stage == SCORED:
        _end_round(game, parts)


@inlined
def _ask(game: Record, seat: int, phase: int) -> None:
    game.seat = seat
    game.phase = phase


@inlined
def clockwise(parts: Record, seat: int, offset: int) -> int:
    """The seat at an offset (at most P) clockwise of another."""
    other = seat + offset
    return other - parts.players if other >= parts.players else other


@kernel
def _first_with_most(game: Record, parts: Record, in_fields: bool) -> int:
    """Who has the highest total, or the most cards in its field (T5, T12).

    Among equals the nearest clockwise from the parent, the parent itself left out.
    """
    best, most = NOBODY, -1
    for offset in range(1, parts.players + 1):
        seat = clockwise(parts, game.parent, offset)
        count = size_of(game, FIELD + seat) if in_fields else whole(game.totals[seat])
        if count > most:
            best, most = seat, count
    return best


# ==================================================================== falling leaves (T8)


@inlined
def _begin_leaves(game: Record, parts: Record) -> None:
    game.stage = LEAVES
    game.asked = 0 if parts.leaves else parts.players
    for seat in range(parts.players):
        game.fallen[seat] = 0


@inlined
def _next_leaves(game: Record, parts: Record) -> bool:
    """Asks the seats one after the other, from the parent clockwise."""
    if game.asked >= parts.players:
        return False
    game.fall_from = 0
    _ask(game, clockwise(parts, game.parent, game.asked), FALL_PHASE)
    return True


@inlined
def _slots_left(game: Record, parts: Record) -> np.uint64:
    """A word with 1 in the bytes of the slots that may still fall."""
    return ONES & LOW[parts.hand_size] & ~LOW[game.fall_from]


@inlined
def _reveal_leaves(game: Record, parts: Record) -> None:
    """What has fallen goes face up into the fields; the rest closes up."""
    if parts.leaves:
        game.told |= TOLD_LEAVES
    for seat in range(parts.players):
        for slot in range(parts.hand_size - 1, -1, -1):
            if (game.fallen[seat] >> slot) & 1:
                put_on(game, FIELD + seat, _lose(game, seat, slot, slot))


@kernel
def _lose(game: Record, seat: int, slot: int, dealt_slot: int) -> int:
    """A dealt card leaves a hand for all to see; returns its face."""
    face = FACE_OF[card_at(game.hand[seat], slot)]
    game.hand[seat] = removed(game.hand[seat], slot)
    game.public[seat] = removed(game.public[seat], slot)
    game.held[seat] -= 1
    game.gone[seat] |= 1 << dealt_slot
    game.flowers_gone[seat] += face == FLOWER
    take_off(game, SECRET + seat, face)
    return face


# ==================================================================== taking (T9-T11)


@inlined
def _begin_taking(game: Record, parts: Record) -> None:
    """Every seat has one take open, and one more for each bird in its field."""
    game.stage = TAKING
    game.turn = game.parent
    if parts.taking:
        for seat in range(parts.players):
            game.takes[seat] = 1 + count_in(game, FIELD + seat, BIRD)


@inlined
def _next_take(game: Record, parts: Record) -> bool:
    """The present seat to its end, then clockwise, lap after lap, while takes are open.

    A seat that finds nothing to draw loses its takes: what can be drawn never grows again.
    """
    for _ in range(parts.players):
        seat = game.turn
        if game.takes[seat] > 0:
            if _finds_something(game, parts, seat):
                _ask(game, seat, TAKE_PHASE)
                return True
            game.takes[seat] = 0
        game.turn = clockwise(parts, seat, 1)
    return False


@kernel
def drawable(game: Record, seat: int) -> int:
    """How many cards can be drawn from a hand: none where a mimic protects it (T10)."""
    return 0 if count_in(game, FIELD + seat, MIMIC) > 0 else whole(game.held[seat])


@kernel
def _finds_something(game: Record, parts: Record, seat: int) -> bool:
    if size_of(game, DECK) > 0:
        return True
    for offset in range(1, parts.players):
        if drawable(game, clockwise(parts, seat, offset)) > 0:
            return True
    return False


@inlined
def _take(game: Record, parts: Record, action: int) -> None:
    """Draws a card blind from a hand, or from the deck by chance; all see it (T9)."""
    game.takes[game.seat] -= 1
    if action == TAKE_DECK_ACTION:
        game.phase = DECK_PHASE
        return
    place = action - TAKE_ACTION
    seat, slot = clockwise(parts, game.seat, place // SLOTS + 1), place % SLOTS
    face = _lose(game, seat, slot, _dealt_slot(game, seat, slot))
    game.card = FIRST_CARD + 2 * face
    game.told = TOLD_FACE
    game.told_value = face
    game.phase = PUT_PHASE


@inlined
def _dealt_slot(game: Record, seat: int, slot: int) -> int:
    """Which slot of the deal a card has that lies in `slot` now, as none has been inserted yet."""
    there = BIT[SLOTS] - BIT[0] - np.uint64(game.gone[seat])
    for _ in range(slot):
        there = there & (there - BIT[0])
    return lowest_bit(there)


@inlined
def _put(game: Record, parts: Record, seat: int) -> None:
    """Puts the drawn card into a field; a bird opens one more take of that seat (T11)."""
    face = FACE_OF[game.card]
    put_on(game, FIELD + seat, face)
    game.takes[seat] += face == BIRD
    game.card = NO_CARD


@inlined
def _count_takes(game: Record, parts: Record) -> int:
    count = 1 if size_of(game, DECK) > 0 else 0
    for offset in range(1, parts.players):
        count += drawable(game, clockwise(parts, game.seat, offset))
    return count


@inlined
def _random_take(game: Record, parts: Record, index: int) -> int:
    """The take of this index, hands clockwise, the deck last."""
    for offset in range(1, parts.players):
        count = drawable(game, clockwise(parts, game.seat, offset))
        if index < count:
            return TAKE_ACTION + (offset - 1) * SLOTS + index
        index -= count
    return TAKE_DECK_ACTION


# ==================================================================== growth (T12-T15)


@inlined
def _begin_growth(game: Record, parts: Record) -> None:
    """The seat with the most cards in its field begins; mimics make seats miss a turn."""
    game.stage = GROWTH
    game.turn = _first_with_most(game, parts, True)
    for seat in range(parts.players):
        game.takes[seat] = 0
        protected = count_in(game, FIELD + seat, MIMIC) > 0
        game.misses[seat] = protected and game.held[seat] < parts.hand_size


@inlined
def _next_growth(game: Record, parts: Record) -> bool:
    """Clockwise, passing over full hands and, once, over seats that miss a turn."""
    if not parts.growth:
        return False
    for _ in range(2 * parts.players):
        seat = game.turn
        game.turn = clockwise(parts, seat, 1)
        if game.held[seat] < parts.hand_size:
            if not game.misses[seat]:
                _ask(game, seat, PICK_PHASE)
                return True
            game.misses[seat] = 0
    return False


@kernel
def faces_up(game: Record, parts: Record) -> tuple[np.uint64, np.uint64]:
    """The cards of the market and all fields as one pile."""
    low, high = game.piles[MARKET, 0], game.piles[MARKET, 1]
    for seat in range(parts.players):
        low += game.piles[FIELD + seat, 0]
        high += game.piles[FIELD + seat, 1]
    return low, high


@inlined
def _signs(counts: np.uint64) -> np.uint64:
    """1 in every byte that is not 0 (and at most 127)."""
    return ((counts + REST) & HIGH_BITS) >> np.uint64(SLOTS - 1)


@kernel
def _pile_of(game: Record, parts: Record, face: int) -> int:
    """Which pile a face-up card leaves: market, own field, the nearest; `NO_FACE` if none."""
    if count_in(game, MARKET, face) > 0:
        return MARKET
    for offset in range(parts.players):
        seat = clockwise(parts, game.seat, offset)
        if count_in(game, FIELD + seat, face) > 0:
            return FIELD + seat
    return NO_FACE


@inlined
def _pick(game: Record, parts: Record, action: int) -> None:
    """Takes a face-up card, or the top card of the deck by chance (T14)."""
    if action == PICK_DECK_ACTION:
        game.phase = DECK_PHASE
        return
    face = action - PICK_ACTION
    take_off(game, _pile_of(game, parts, face), face)
    game.card = FIRST_CARD + 2 * face
    game.unseen = 0
    game.phase = INSERT_PHASE


@inlined
def _random_pick(low: np.uint64, high: np.uint64, deck: bool, holder: Record) -> int:
    """Draws a face that has a sign in the two words, or the deck."""
    count_low = count_bits(low)
    count = count_low + count_bits(high)
    index = draw(holder, count + deck)
    if index == count:
        return PICK_DECK_ACTION
    word = low if index < count_low else high
    for _ in range(index if index < count_low else index - count_low):
        word = word & (word - BIT[0])
    face = lowest_bit(word) // SLOTS
    return PICK_ACTION + face if index < count_low else PICK_ACTION + SLOTS + face


@inlined
def _insert(game: Record, parts: Record, place: int) -> None:
    """Inserts the card in hand: in growth (T14, T15), or where a bird has lifted one (T16)."""
    seat, gap = game.seat, place // 2
    card = FIRST_CARD + 2 * FACE_OF[game.card] + place % 2
    game.hand[seat] = inserted(game.hand[seat], gap, card)
    game.public[seat] = inserted(game.public[seat], gap, DRAWN_UNSEEN if game.unseen else card)
    game.held[seat] += 1
    if game.unseen:
        put_on(game, SECRET + seat, FACE_OF[card])
        game.told = TOLD_GAP
        game.told_seat = seat
        game.told_value = gap
    if game.stage == BIRDS:
        game.moves[seat] -= 1
    game.card = NO_CARD
    game.unseen = 0


# ==================================================================== change (T16)


@inlined
def _show_hands(game: Record, parts: Record) -> None:
    """All hands are shown; each bird in a hand is one move."""
    game.told |= TOLD_HANDS
    game.stage = BIRDS if parts.change else SCORED
    for seat in range(parts.players):
        hand = game.hand[seat]
        game.shown[seat] = hand
        game.public[seat] = hand
        game.moves[seat] = count_card(hand, BIRD_CARD)
        game.misses[seat] = 0
        game.piles[SECRET + seat, 0] = NO_PILE
        game.piles[SECRET + seat, 1] = NO_PILE


@inlined
def _next_bird(game: Record, parts: Record) -> bool:
    """From the parent clockwise, each seat all its moves."""
    for offset in range(parts.players):
        seat = clockwise(parts, game.parent, offset)
        if game.moves[seat] > 0:
            _ask(game, seat, LIFT_PHASE)
            return True
    return False


@inlined
def _lift(game: Record, slot: int) -> None:
    """Lifts a card of the hand."""
    seat = game.seat
    game.card = card_at(game.hand[seat], slot)
    game.hand[seat] = removed(game.hand[seat], slot)
    game.public[seat] = game.hand[seat]
    game.held[seat] -= 1
    game.phase = PLACE_PHASE


@inlined
def _next_mimic(game: Record, parts: Record) -> bool:
    """From the parent clockwise, each seat all its mimics, left to right."""
    for offset in range(parts.players):
        seat = clockwise(parts, game.parent, offset)
        if count_card(game.hand[seat], MIMIC_CARD) > 0:
            _ask(game, seat, DECLARE_PHASE)
            return True
    return False


@inlined
def _declare(game: Record, card: int) -> None:
    """The leftmost mimic that has no role yet gets one."""
    hand = game.hand[game.seat]
    game.hand[game.seat] = replaced(hand, slot_of(hand, MIMIC_CARD), card)
    game.public[game.seat] = game.hand[game.seat]


# ==================================================================== scores (T17-T22)


@inlined
def _end_round(game: Record, parts: Record) -> None:
    """Scores the round, then ends the game or begins the next round."""
    game.seat = NOBODY
    for seat in range(parts.players):
        game.lengths[seat] = caterpillars(game.hand[seat], parts)
    before = game.legend
    _pass_legend(game, parts)
    game.scorings += 1
    for seat in range(parts.players):
        points = rank_points(parts, game.lengths, game.lengths[seat])
        points += parts.butterfly * count_card(game.hand[seat], BUTTERFLY_CARD)
        if seat == game.legend:
            points += parts.legend_points
        if seat == before:
            points -= parts.legend_points
        game.points[seat] = points
        game.gained[seat] += points
        game.totals[seat] += points
    if _is_finished(game, parts):
        _finish_game(game, parts)
    else:
        _next_round(game, parts)


@inlined
def _pass_legend(game: Record, parts: Record) -> None:
    """The longest caterpillar earns the legend if it beats the mark; shared, nobody has it."""
    longest, holder = 0, NOBODY
    for seat in range(parts.players):
        length = longest_of(game.lengths[seat])
        if length > longest:
            longest, holder = length, seat
        elif length == longest:
            holder = NOBODY
    if longest >= parts.legend_length and longest > game.mark:
        game.mark = longest
        game.legend = holder


@kernel
def rank_points(parts: Record, table: npt.NDArray[np.uint64], lengths: np.uint64) -> int:
    """The points of a hand's caterpillars by their ranks among all of the table (T18).

    Args:
        parts: The parts.
        table: (P or more,) packed lengths of all seats.
        lengths: Those of the hand, which are part of the table.
    """
    points = 0
    while lengths != NO_HAND:
        length = card_at(lengths, 0)
        lengths = removed(lengths, 0)
        points += parts.rank_points[min(_OTHER_RANK, _rank(parts, table, length))]
    return points


@kernel
def _rank(parts: Record, table: npt.NDArray[np.uint64], length: int) -> int:
    """How many caterpillars are longer; with dense ranking, how many longer lengths there are."""
    longer, lengths = 0, NO_LENGTHS
    for seat in range(parts.players):
        others = table[seat]
        while others != NO_HAND:
            other = card_at(others, 0)
            others = removed(others, 0)
            if other > length:
                longer += 1
                lengths |= BIT[other]
    return longer if parts.tie_ranking == COMPETITION else count_bits(lengths)


@inlined
def _is_finished(game: Record, parts: Record) -> bool:
    """Sets `ending` where the game ends with this round (T21)."""
    best, leaders = 0, 0
    for seat in range(parts.players):
        if game.totals[seat] > best:
            best, leaders = whole(game.totals[seat]), 1
        elif game.totals[seat] == best:
            leaders += 1
    if leaders == 1 and best >= parts.target:
        game.ending = TARGET_REACHED
        return True
    if game.round_index + 1 >= parts.max_rounds:
        game.ending = TRUNCATED
        return True
    return False


@inlined
def _finish_game(game: Record, parts: Record) -> None:
    """Whoever has the highest total wins; equals share."""
    best = game.totals[0]
    for seat in range(1, parts.players):
        best = max(best, game.totals[seat])
    for seat in range(parts.players):
        game.winners[seat] = game.totals[seat] == best
    game.phase = OVER_PHASE


@inlined
def _next_round(game: Record, parts: Record) -> None:
    """The seat with the highest total becomes parent (T5)."""
    game.parent = _first_with_most(game, parts, False)
    game.round_index += 1
    game.logged = 0
    restart_stream(game)
    _begin_round(game, parts)


# ==================================================================== chance


@kernel
def _weight(game: Record, parts: Record, outcome: int) -> int:
    """In how many equal ways `outcome` (0 .. 11) can come at the present chance node."""
    phase = game.phase
    if phase == FIRST_PARENT_PHASE:
        return 1 if outcome < parts.players else 0
    if phase == FLOWER_SLOT_PHASE:
        return 1 if outcome < parts.hand_size else 0
    if phase == WAY_UP_PHASE:
        return 1 if outcome < 2 else 0
    return count_in(game, DECK, outcome)


# ==================================================================== the round in another world


@kernel
def _replay(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Plays the round anew, up to the same node, in the world that `draw_world` has drawn."""
    stage, asked, end = game.stage, game.asked, whole(game.logged)
    turning = whole(game.seat) if game.phase == WAY_UP_PHASE else NOBODY
    begin = end if stage == DEALING and game.phase != MARKET_PHASE else whole(game.deal_end)
    own_leaves = whole(game.fallen[seat])
    for at in range(end):
        game.old_log[at] = game.log[at]
    game.logged = 1 if game.round_index == 0 else 0
    _begin_round(game, parts)
    for other in range(parts.players):
        if game.new_dealt[other] != NO_HAND:
            _replay_deal(game, parts, other, other == turning)
    if stage == LEAVES:
        end = begin + parts.market
    for at in range(begin, end):
        _replay_event(game, parts, seat, holder, whole(game.old_log[at]))
    if stage == LEAVES:
        for _ in range(asked):
            _replay_leaves(game, parts, seat, holder, own_leaves)
        if game.seat != seat:
            own_leaves = draw_leaves_so_far(parts, holder)
        _drop_leaves(game, parts, own_leaves)


@kernel
def _replay_deal(game: Record, parts: Record, seat: int, is_turning: bool) -> None:
    """Deals a seat its new hand, as far as it has got; the last card may wait for its way up."""
    hand = game.new_dealt[seat]
    apply_chance(game, parts, whole(game.new_slot[seat]))
    for slot in range(parts.hand_size):
        card = card_at(hand, slot)
        if slot == game.new_slot[seat] or card == NO_CARD:
            continue
        face, way = (card - FIRST_CARD) // 2, (card - FIRST_CARD) % 2
        apply_chance(game, parts, face)
        is_last = _later_deals(hand, slot, whole(game.new_slot[seat])) == NO_HAND
        if TWO_WAYS[face] and not (is_turning and is_last):
            apply_chance(game, parts, way)


@kernel
def _later_deals(hand: np.uint64, slot: int, flower_slot: int) -> np.uint64:
    """What of a dealt hand lies to the right of a slot, the dealt flower left out."""
    return replaced(hand, flower_slot, NO_CARD) & ~LOW[slot + 1]


@kernel
def _replay_event(game: Record, parts: Record, seat: int, holder: Record, value: int) -> None:
    """Plays an event as it was; a card that only another seat saw is drawn, and turned, anew."""
    if game.phase >= DECISION_PHASES:
        if game.phase == DECK_PHASE and game.stage == GROWTH and game.seat != seat:
            value = draw_unseen(game, holder)
        apply_chance(game, parts, value)
        return
    if game.phase == INSERT_PHASE and game.unseen and game.seat != seat:
        value -= (value - INSERT_ACTION) % 2
        if TWO_WAYS[FACE_OF[game.card]]:
            value += draw(holder, 2)
    apply(game, parts, value)


@kernel
def _replay_leaves(game: Record, parts: Record, seat: int, holder: Record, own_leaves: int) -> None:
    """A seat lets its leaves fall, to its end: `seat` as it did, another one anew."""
    if game.seat == seat:
        _drop_leaves(game, parts, own_leaves)
        apply(game, parts, DONE_ACTION)
        return
    asked = game.asked
    while game.asked == asked:
        apply(game, parts, random_action(game, parts, holder))


@kernel
def _drop_leaves(game: Record, parts: Record, leaves: int) -> None:
    """The asked seat lets the slots of these bits fall."""
    for slot in range(parts.hand_size):
        if (leaves >> slot) & 1:
            apply(game, parts, FALL_ACTION + slot)
