"""Draws what a seat cannot know of a round: the cards of others, and leaves not yet revealed.

What has not been seen is exchangeable: any unseen card can lie in any place that is unknown,
whether that is a slot from the deal, a slot from the deck or the deck itself. The dealt flowers
alone make a difference (T6): a hand has one in every world, either among its unknown slots, or it
is one of the flowers that were seen to leave. The second makes the pack poorer by one card that
was not a flower, which is weighed first; all else is drawn card by card.

`draw_world` writes the world into the working space of the record. The rules then replay the
round in it, so that hands, marks and log agree.
"""

import numpy as np

from tefuda.envs.core.bits import BIT, count_bits, random_bit
from tefuda.envs.core.chance import draw, draw_fraction
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.torutorento.hands import NO_HAND, card_at, replaced, whole
from tefuda.envs.torutorento.piles import ONE_HIGH, ONE_LOW, count_face, draw_face, unseen_by
from tefuda.envs.torutorento.state import (
    DEAL_PHASE,
    FACE_OF,
    FIRST_CARD,
    FLOWER,
    FLOWER_CARD,
    FLOWER_SLOT_PHASE,
    NO_FACE,
    SLOTS,
    TWO_WAYS,
    WAY_UP_PHASE,
)

# ==================================================================== the deal and the deck


@kernel
def draw_world(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Draws flower slots and dealt hands of the others; leaves the unseen rest in `pool`."""
    game.pool[0], game.pool[1] = unseen_by(game, parts, seat)
    _draw_turning_card(game, seat, holder)
    _draw_flower_slots(game, parts, seat, holder)
    for other in range(parts.players):
        if not has_flower(game, other):
            game.new_dealt[other] = NO_HAND
        elif other == seat:
            game.new_slot[other] = game.flower_slot[other]
            game.new_dealt[other] = game.dealt[other]
        else:
            game.new_dealt[other] = _draw_hand(game, parts, other, holder)


@kernel
def has_flower(game: Record, seat: int) -> bool:
    """Whether a seat has got its flower in this round."""
    if game.phase == FLOWER_SLOT_PHASE:
        return seat < game.seat
    if game.phase == DEAL_PHASE or game.phase == WAY_UP_PHASE:
        return seat <= game.seat
    return True


@kernel
def _count_deals(game: Record, parts: Record, seat: int) -> int:
    """How many cards beside its flower a seat has been dealt."""
    dealing = game.phase == DEAL_PHASE or game.phase == WAY_UP_PHASE
    if not dealing or seat != game.seat:
        return parts.hand_size - 1
    count = game.slot + (game.phase == WAY_UP_PHASE)
    return count - (game.flower_slot[seat] < game.slot)


@kernel
def draw_unseen(game: Record, holder: Record) -> int:
    """Draws a card from the pool; returns its face."""
    face = draw_face(holder, game.pool[0], game.pool[1])
    _take_from_pool(game, face)
    return face


@kernel
def _take_from_pool(game: Record, face: int) -> None:
    game.pool[0] -= ONE_LOW[face]
    game.pool[1] -= ONE_HIGH[face]


@kernel
def _draw_turning_card(game: Record, seat: int, holder: Record) -> None:
    """Where the present node is the way up of another's card, that card has two ways up."""
    game.new_face = NO_FACE
    if game.phase != WAY_UP_PHASE or game.seat == seat:
        return
    while game.new_face == NO_FACE or not TWO_WAYS[game.new_face]:
        game.new_face = draw_face(holder, game.pool[0], game.pool[1])
    _take_from_pool(game, game.new_face)


@kernel
def _draw_hand(game: Record, parts: Record, seat: int, holder: Record) -> np.uint64:
    """A dealt hand that agrees with what has been seen of it; its ways up are all new."""
    hand = NO_HAND
    left = _count_deals(game, parts, seat)
    for slot in range(parts.hand_size):
        if slot == game.new_slot[seat]:
            hand = replaced(hand, slot, FLOWER_CARD)
        elif left > 0:
            left -= 1
            if (game.gone[seat] >> slot) & 1:
                face = FACE_OF[card_at(game.dealt[seat], slot)]
            elif left == 0 and game.new_face != NO_FACE and game.seat == seat:
                face = whole(game.new_face)
            else:
                face = draw_unseen(game, holder)
            way = draw(holder, 2) if TWO_WAYS[face] else 0
            hand = replaced(hand, slot, FIRST_CARD + 2 * face + way)
    return hand


# ==================================================================== the dealt flowers


@kernel
def _draw_flower_slots(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Draws where the flower of each other seat was dealt, and takes it from the pool.

    A flower that was seen to leave is not in the pool.
    """
    seen = _draw_seen_flowers(game, parts, seat, holder)
    for other in range(parts.players):
        if other == seat or not has_flower(game, other):
            continue
        if (seen >> other) & 1:
            game.new_slot[other] = random_bit(holder, _slots_of_seen_flowers(game, parts, other))
        else:
            game.new_slot[other] = random_bit(holder, _unknown_slots(game, parts, other))
            _take_from_pool(game, FLOWER)


@kernel
def _draw_seen_flowers(game: Record, parts: Record, seat: int, holder: Record) -> int:
    """Draws the set of other seats whose dealt flower is one that was seen to leave."""
    total = 0.0
    for seats in range(1 << parts.players):
        total += _weight_of(game, parts, seat, seats)
    left = draw_fraction(holder) * total
    drawn = 0
    for seats in range(1 << parts.players):
        weight = _weight_of(game, parts, seat, seats)
        if weight > 0.0:
            drawn = seats
            left -= weight
            if left < 0.0:
                break
    return drawn


@kernel
def _weight_of(game: Record, parts: Record, seat: int, seats: int) -> float:
    """How likely the dealt flowers of just `seats` (bits) were seen to leave, by chance alone.

    With s such seats, m + s flowers and M + s cards of the shuffled pack are unseen; that what
    was seen of the pack was dealt as it was has a probability that grows as (M + s)! / (m + s)!.
    """
    weight = 1.0
    cards = whole(game.pool[1] >> np.uint64(4 * SLOTS))
    flowers = count_face(game.pool[0], game.pool[1], FLOWER)
    for other in range(parts.players):
        if other == seat or not has_flower(game, other):
            if (seats >> other) & 1:
                return 0.0
        elif not (seats >> other) & 1:
            weight *= count_bits(_unknown_slots(game, parts, other))
            cards -= 1
            flowers -= 1
        else:
            weight *= count_bits(_slots_of_seen_flowers(game, parts, other))
    if flowers < 0:
        return 0.0
    seen = count_bits(np.uint64(seats))
    for k in range(seen):
        if flowers - k > 0:
            weight *= (cards - k) / (flowers - k)
    return weight


@kernel
def _slots_of_seen_flowers(game: Record, parts: Record, seat: int) -> np.uint64:
    """Bits of the dealt slots from which a flower was seen to leave."""
    slots = BIT[0] ^ BIT[0]
    for slot in range(parts.hand_size):
        gone = (game.gone[seat] >> slot) & 1
        if gone and card_at(game.dealt[seat], slot) == FLOWER_CARD:
            slots |= BIT[slot]
    return slots


@kernel
def _unknown_slots(game: Record, parts: Record, seat: int) -> np.uint64:
    """Bits of the dealt slots that were not seen to leave."""
    return (BIT[parts.hand_size] - BIT[0]) & ~np.uint64(game.gone[seat])


# ==================================================================== leaves not yet revealed


@kernel
def draw_leaves_so_far(parts: Record, holder: Record) -> int:
    """Draws what a seat may have let fall that is not yet done, as bits.

    Its choices are uniform among the legal ones; each moment before its end is then as likely as
    it comes about, wherefore longer courses are drawn in proportion to their length.
    """
    while True:
        chosen, steps, slot = 0, 0, draw(holder, parts.hand_size + 1)
        while slot < parts.hand_size:
            chosen |= 1 << slot
            steps += 1
            slot += 1 + draw(holder, parts.hand_size - slot)
        moment = draw(holder, parts.hand_size + 1)
        if moment <= steps:
            return _first_bits(chosen, moment)


@kernel
def _first_bits(bits: int, count: int) -> int:
    """The lowest `count` bits of those that are set."""
    first = 0
    for slot in range(SLOTS):
        if (bits >> slot) & 1 and count > 0:
            first |= 1 << slot
            count -= 1
    return first
