"""The scripted player of gacha: weighs every card by what the trick is worth and who may take it."""

import numpy as np

from tefuda.envs.core.bits import BIT, count_bits, load_word, lowest_bit
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.gacha.rules import NO_CARDS, TRUMP_BONUS, playable_cards, winning_position
from tefuda.envs.gacha.state import (
    ALL_COLOURS,
    BLACK,
    DUST_ACTION,
    DUST_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    FOLLOWS,
    HIGH,
    MAY,
    MUST,
    MUST_NOT,
    PLAY_ACTION,
    PLAY_PHASE,
    REDRAW_ACTION,
    REDRAW_PHASE,
    RETURN_ACTION,
    T_POINTS,
    WON_COLUMNS,
    WON_DOWN,
)

FUTURE = 0.3
SHARP = 0.15
CARD_WORTH = 0.8
HARM = 0.4
STAY = 0.75
MISERE = 1.0
O_MUST = 3.4375
O_RUFF = 1.957
O_NOT = 1.1351
O_TOP_3 = 1.9594
O_TOP_2 = 0.8438
O_TOP_1 = 0.4698
S_TOP_3 = 0.5754
S_TOP_2 = 0.9728
O_BETWEEN_1 = 1.8407
O_BETWEEN_2 = 2.1188
O_OVER_1 = 0.7836
O_OVER_2 = 1.7395
Z_MUST = 0.5072
Z_MAY = 0.7383
K_EXT = 0.375
K_TRUMP = 0.5
K_BLACK = 0.0
F_MUST = 0.08
F_MAY = 0.0
ORDER = 0.08
LEAD = 0.0
K_LEFT = -0.08
K_BAG = 0.08
STAY_HAND = 0.0
STAY_LEFT = 0.0
H_TOT = 0.0
H_LEAD = 0.4
P_FLIP = 0.4
K_MIS = 0.0

_ONE = np.uint64(1)
_COLUMN_BITS = np.uint64(8)
_BYTE = np.uint64(255)
_COLUMN = _ONE << (_COLUMN_BITS * np.arange(WON_COLUMNS, dtype=np.uint64))
_LEVEL = np.uint64(0x0101010101)
_MARKS = np.uint64(0x8080808080)
_COLOUR_BYTES = np.uint64(0xFFFFFFFFFF)
_BALLS = 5
_NOTHING = -1.0e9


@kernel
def greedy(game: Record, parts: Record, holder: Record) -> int:
    """The scripted player's action."""
    phase = game.phase
    if phase == PLAY_PHASE:
        return PLAY_ACTION + _best_card(game, parts)
    if phase == FOLLOW_PHASE:
        return FOLLOW_ACTION + _best_follow(game, parts)
    if phase == REDRAW_PHASE:
        return REDRAW_ACTION
    if phase == DUST_PHASE:
        return DUST_ACTION + _best_discard(game, parts)
    return RETURN_ACTION + _least_kept(game, parts, game.hand[game.seat])


@kernel
def _best_card(game: Record, parts: Record) -> int:
    cards = playable_cards(game, parts)
    if game.must_hide:
        return _least_kept(game, parts, cards)
    card, _ = _best_play(game, parts, game.follow, cards)
    return card


@kernel
def _best_follow(game: Record, parts: Record) -> int:
    best, best_value = MUST, _NOTHING
    hand = game.hand[game.seat]
    for follow in range(len(FOLLOWS)):
        if follow == game.previous_follow:
            continue
        cards = hand
        if follow == MUST_NOT:
            cards = hand & ~parts.of_colours[1 << game.trump]
        value = _NOTHING / 2
        if cards != NO_CARDS:
            _, value = _best_play(game, parts, follow, cards)
        if follow == MUST:
            value += F_MUST
        elif follow == MAY:
            value += F_MAY
        if value > best_value:
            best, best_value = follow, value
    return best


@kernel
def _best_play(
    game: Record, parts: Record, follow: int, cards: np.uint64
) -> tuple[int, float]:
    best, best_value = 0, _NOTHING
    seat = game.seat
    left = parts.tricks - game.trick - 1
    later = parts.players - game.plays - 1
    table = _table(game, parts)
    other = _threat(game, parts, follow)
    unseen = unseen_cards(game, parts)
    weight = HARM if game.plays > 0 else H_LEAD
    weight += H_TOT * (game.totals[other] - game.totals[seat])
    tilt = _tilt(game, parts, seat)
    flip = 1.0
    for _ in range(later):
        flip *= 1.0 - P_FLIP
    flip = 1.0 if game.trick_revo > 0 else 1.0 - flip
    if game.order == HIGH:
        tilt = -tilt
    for colour in range(BLACK + 1):
        group = cards & parts.of_colours[1 << colour]
        if group == NO_CARDS:
            continue
        trick = table + _COLUMN[colour]
        gain = _gain(game, parts, seat, trick, later, left)
        harm = weight * _gain(game, parts, other, trick, later, left)
        while group != NO_CARDS:
            card = lowest_bit(group)
            group ^= BIT[card]
            chance = _win_chance(game, parts, follow, card, unseen)
            value = chance * (gain + harm) - harm
            if left > 0:
                value += LEAD * chance
                turns = 1.0 if parts.revo[card] else flip
                value += ORDER * tilt * (2.0 * turns - 1.0)
                value -= _keep(game, parts, card) * (1.0 + K_LEFT * left)
            if value > best_value:
                best, best_value = card, value
    return best, best_value


@kernel
def _tilt(game: Record, parts: Record, seat: int) -> float:
    hand = game.hand[seat]
    middle = (parts.cards - 1) / 2
    tilt = 0.0
    while hand != NO_CARDS:
        card = lowest_bit(hand)
        hand ^= BIT[card]
        tilt += (card - middle) / middle
    return tilt


@kernel
def _table(game: Record, parts: Record) -> np.uint64:
    """The trick's cards as columns of `won`, with the T point."""
    columns = _COLUMN[T_POINTS]
    for position in range(game.plays):
        down = (game.trick_down & BIT[position]) != NO_CARDS
        columns += _COLUMN[WON_DOWN if down else parts.colour[game.trick_card[position]]]
    return columns


@kernel
def _threat(game: Record, parts: Record, follow: int) -> int:
    """Who takes the trick if the acting seat does not: its winner as it lies, or the next."""
    seat = game.leader + (winning_position(game) if game.plays > 0 else 1)
    return seat - parts.players if seat >= parts.players else seat


@kernel
def _gain(
    game: Record, parts: Record, seat: int, trick: np.uint64, later: int, left: int
) -> float:
    won = load_word(game.won[seat], 0)
    before = _worth(parts, won, 0.0, left)
    after = _worth(parts, won + trick, CARD_WORTH * later, left)
    return after - before - _hope(game, parts, seat, left)


@kernel
def _hope(game: Record, parts: Record, seat: int, left: int) -> float:
    """What a seat without a trick may expect of misere if it does not take this one."""
    if game.won[seat, T_POINTS] > 0:
        return 0.0
    stay = 1.0
    for _ in range(left):
        stay *= STAY + STAY_LEFT * left
    trickless = 0
    for other in range(parts.players):
        trickless += game.won[other, T_POINTS] == 0
    alone, shared = parts.misere[1], parts.misere[trickless]
    return MISERE * stay * (alone + (shared - alone) * stay)


@kernel
def _worth(parts: Record, won: np.uint64, more: float, left: int) -> float:
    wilds = more + FUTURE * left + ((won >> np.uint64(48)) & _BYTE) + (won >> np.uint64(56))
    colours = won & _COLOUR_BYTES
    level = np.uint64(0)
    worth = 0.0
    missing = _missing(colours, level)
    while missing <= wilds:
        wilds -= missing
        worth += 3.0
        level += _ONE
        missing = _missing(colours, level)
    blend = min(1.0, SHARP * left)
    part = 3.0 * wilds / missing
    four = 1.0 if wilds >= missing - 1 else 0.0
    worth += blend * part + (1.0 - blend) * four
    if missing == 1:
        worth += 1.0
        level += _ONE
        while _missing(colours, level) <= 1:
            worth += 1.0
            level += _ONE
    return worth


@kernel
def _missing(colours: np.uint64, level: np.uint64) -> int:
    """How many colours have at most `level` cards."""
    marks = ((colours | _MARKS) - (level + _ONE) * _LEVEL) & _MARKS
    return _BALLS - count_bits(marks)


@kernel
def unseen_cards(game: Record, parts: Record) -> np.uint64:
    """Bits of the cards that may be in another hand, as far as the acting seat knows."""
    seat = game.seat
    seen = game.shown | game.hand[seat] | game.hidden[seat] | game.in_stock[seat]
    return (BIT[parts.cards] - _ONE) & ~seen


@inlined
def _above(game: Record, card: int) -> np.uint64:
    """Bits of the cards whose numbers are stronger."""
    return ~(BIT[card + 1] - _ONE) if game.order == HIGH else BIT[card] - _ONE


@kernel
def _key(game: Record, parts: Record, follow: int, card: int) -> int:
    number = card + 1 if game.order == HIGH else 55 - card
    if follow == MAY:
        return number
    colour = parts.colour[card]
    if colour == game.trump:
        return number + TRUMP_BONUS
    return number if follow == MUST_NOT or game.plays == 0 or colour == game.led else 0


@kernel
def _win_chance(game: Record, parts: Record, follow: int, card: int, unseen: np.uint64) -> float:
    key = _key(game, parts, follow, card)
    if follow == MAY:
        return _may_chance(game, parts, card, key, unseen)
    if key <= game.top_key:
        return 0.0
    if follow == MUST:
        return _must_chance(game, parts, card, unseen)
    return _must_not_chance(game, parts, card, unseen)


@kernel
def _lacks(count: int, held: int, pool: int) -> float:
    rest = 1.0 - held / pool if pool > held else 0.0
    chance = 1.0
    for _ in range(count):
        chance *= rest
    return chance


@kernel
def _held(game: Record, parts: Record, seat: int, colour: int) -> int:
    """How many cards of a seat's hand may be of the colour."""
    age = game.void_age[seat, colour]
    held = parts.hand_size - game.trick
    return min(held, age - 1) if age > 0 else held


@inlined
def _later_seat(game: Record, parts: Record, k: int) -> int:
    seat = game.seat + k
    return seat - parts.players if seat >= parts.players else seat


@inlined
def _scaled(chance: float, odds: float) -> float:
    """The chance with its odds multiplied."""
    return odds * chance / (1.0 - chance + odds * chance)


@kernel
def _must_chance(game: Record, parts: Record, card: int, unseen: np.uint64) -> float:
    colour = parts.colour[card]
    led = colour if game.plays == 0 else game.led
    pool = count_bits(unseen)
    rivals = count_bits(unseen & _above(game, card) & parts.of_colours[1 << colour])
    followers = count_bits(unseen & parts.of_colours[1 << led])
    trumps = count_bits(unseen & parts.of_colours[1 << game.trump])
    chance = 1.0
    for k in range(1, parts.players - game.plays):
        seat = _later_seat(game, parts, k)
        z = Z_MUST if game.won[seat, T_POINTS] == 0 else 1.0
        held_led = _held(game, parts, seat, led)
        held_trump = _held(game, parts, seat, game.trump)
        void = _lacks(followers, held_led, pool)
        if led == game.trump:
            beats = _scaled(1.0 - _lacks(rivals, held_led, pool), z * O_MUST)
        elif colour == game.trump:
            beats = void * _scaled(1.0 - _lacks(rivals, held_trump, pool), z * O_RUFF)
        else:
            beats = _scaled(1.0 - _lacks(rivals, held_led, pool), z * O_MUST)
            ruffs = void * _scaled(1.0 - _lacks(trumps, held_trump, pool), z * O_RUFF)
            beats += (1.0 - beats) * ruffs
        chance *= 1.0 - beats
    return chance


@kernel
def _must_not_chance(game: Record, parts: Record, card: int, unseen: np.uint64) -> float:
    colour = parts.colour[card]
    if colour == game.trump:
        return 1.0
    pool = count_bits(unseen)
    held = parts.hand_size - game.trick
    barred = game.table_colours | (1 << colour)
    free = parts.of_colours[ALL_COLOURS & ~barred]
    trumps = parts.of_colours[1 << game.trump]
    rivals = count_bits(unseen & ((_above(game, card) & free) | trumps))
    beats = _scaled(1.0 - _lacks(rivals, held, pool), O_NOT)
    chance = 1.0
    for _ in range(1, parts.players - game.plays):
        chance *= 1.0 - beats
    return chance


@kernel
def _may_chance(game: Record, parts: Record, card: int, key: int, unseen: np.uint64) -> float:
    later = parts.players - game.plays - 1
    pool = count_bits(unseen)
    above = unseen & _above(game, card)
    if key > game.top_key:
        return _top_chance(parts, count_bits(above) / pool, later)
    if key < game.second_key:
        return 0.0
    held = parts.hand_size - game.trick
    over = above & _above(game, game.trick_card[game.top_at])
    between = count_bits(above ^ over)
    slips = 1.0 - _lacks(between, held, pool)
    goes = count_bits(over) / pool
    chance = 1.0
    for k in range(1, parts.players - game.plays):
        seat = _later_seat(game, parts, k)
        z = Z_MAY if game.won[seat, T_POINTS] == 0 else 1.0
        beats = _scaled(slips, z * (O_BETWEEN_1 if later == 1 else O_BETWEEN_2))
        beats += (1.0 - beats) * _scaled(goes, O_OVER_1 if later == 1 else O_OVER_2)
        chance *= 1.0 - beats
    return chance


@kernel
def _top_chance(parts: Record, over: float, later: int) -> float:
    if later == 0:
        return 0.0
    if later == 1:
        return _scaled(over, O_TOP_1)
    over = _scaled(over, O_TOP_2 if later == 2 else O_TOP_3)
    chance = later * over * (S_TOP_2 if later == 2 else S_TOP_3)
    for _ in range(later - 1):
        chance *= 1.0 - over
    return chance


@kernel
def _keep(game: Record, parts: Record, card: int) -> float:
    middle = (parts.cards - 1) / 2
    extreme = abs(card - middle) / middle
    keep = K_EXT * extreme * extreme
    colour = parts.colour[card]
    if colour == game.trump:
        keep += K_TRUMP
    elif colour == BLACK:
        keep -= K_BLACK
    elif (game.bag & BIT[colour]) != NO_CARDS:
        keep += K_BAG
    if game.won[game.seat, T_POINTS] == 0:
        keep -= K_MIS * extreme * extreme
    return keep


@kernel
def _least_kept(game: Record, parts: Record, cards: np.uint64) -> int:
    best, best_value = 0, -_NOTHING
    while cards != NO_CARDS:
        card = lowest_bit(cards)
        cards ^= BIT[card]
        value = _keep(game, parts, card)
        if value < best_value:
            best, best_value = card, value
    return best


@kernel
def _best_discard(game: Record, parts: Record) -> int:
    """The first of the cards whose loss costs least."""
    won = load_word(game.won[game.seat], 0) + _COLUMN[T_POINTS]
    left = parts.tricks - game.trick - 1
    best, best_value = 0, _NOTHING
    for position in range(parts.players):
        if (game.trick_gone & BIT[position]) == NO_CARDS:
            won += _COLUMN[_column(game, parts, position)]
    for subset in range(1 << parts.players):
        chosen = np.uint64(subset)
        if count_bits(chosen) != game.dust_left or lowest_bit(chosen) < game.dust_from:
            continue
        rest = won
        for position in range(parts.players):
            if (chosen & BIT[position]) != NO_CARDS:
                rest -= _COLUMN[_column(game, parts, position)]
        value = _worth(parts, rest, 0.0, left)
        if value > best_value:
            best, best_value = lowest_bit(chosen), value
    return best


@inlined
def _column(game: Record, parts: Record, position: int) -> int:
    down = (game.trick_down & BIT[position]) != NO_CARDS
    return WON_DOWN if down else parts.colour[game.trick_card[position]]
