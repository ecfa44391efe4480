"""The scripted player of gacha: what a card may win, against what it would be worth later.

Every card that may be played gets a value in VP: the chance that it takes the trick, judged from
the cards that the seat has not seen, times what the trick is worth to the seat, less what the
card itself is worth in the hand. Of the follow types the leader takes the one under which its
best card has the highest value. All that is used here the acting seat may know.
"""

import numpy as np

from tefuda.envs.core.bits import BIT, count_bits, load_word, lowest_bit
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.gacha.rules import NO_CARDS, TRUMP_BONUS, playable_cards
from tefuda.envs.gacha.state import (
    ALL_COLOURS,
    BALLS,
    BLACK,
    DUST_ACTION,
    DUST_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    FOLLOWS,
    HIGH,
    MAX_CARDS,
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

# How many wild cards a seat expects of each trick still to come.
WILDS_A_TRICK = 0.3
# What a card that has yet to be played to this trick is worth to its winner, in wild cards.
CARD_TO_COME = 0.8
# How likely a seat without a trick is to stay without one in each trick still to come.
STAY_TRICKLESS = 0.75
# What a card is worth in the hand, in VP: the largest and the smallest number, a trump, and a
# black card that is no trump, which is best left to others.
KEEP_EXTREME = 0.4
KEEP_TRUMP = 0.5
KEEP_BLACK = -0.2

# Rows of `won` as words: a byte a column.
_COLUMN_BITS = np.uint64(8)
_COLUMN = np.uint64(1) << (_COLUMN_BITS * np.arange(WON_COLUMNS, dtype=np.uint64))
_COLUMN_MASK = np.uint64(255)

_ONE = np.uint64(1)
_FAR_BELOW = -1.0e9  # below every value


@kernel
def greedy(game: Record, parts: Record, holder: Record) -> int:
    """The acting seat's action; `holder` is not used, since nothing is left to chance."""
    phase = game.phase
    if phase == PLAY_PHASE:
        return PLAY_ACTION + _choose_card(game, parts)
    if phase == FOLLOW_PHASE:
        return FOLLOW_ACTION + _choose_follow(game, parts)
    if phase == DUST_PHASE:
        return DUST_ACTION + _choose_discard(game, parts)
    if phase == REDRAW_PHASE:
        return REDRAW_ACTION  # the worst of the hand can always go back
    return RETURN_ACTION + _least_kept(game, parts, game.hand[game.seat])


@kernel
def _choose_follow(game: Record, parts: Record) -> int:
    """The follow type under which the best card has the highest value."""
    best, best_value = 0, 2 * _FAR_BELOW
    for follow in range(len(FOLLOWS)):
        if follow == game.previous_follow:
            continue
        value = value_of_follow(game, parts, follow)
        if value > best_value:
            best, best_value = follow, value
    return best


@kernel
def value_of_follow(game: Record, parts: Record, follow: int) -> float:
    """The value of the leader's best card under a follow type (far below 0 if there is none)."""
    cards = game.hand[game.seat]
    if follow == MUST_NOT:
        cards = cards & ~parts.of_colours[1 << game.trump]
    _, value = _best_play(game, parts, follow, cards)
    return value


@kernel
def _choose_card(game: Record, parts: Record) -> int:
    cards = playable_cards(game, parts)
    if game.must_hide:
        return _least_kept(game, parts, cards)
    card, _ = _best_play(game, parts, game.follow, cards)
    return card


@kernel
def _best_play(game: Record, parts: Record, follow: int, cards: np.uint64) -> tuple[int, float]:
    """The best of some cards to play face up, and its value (far below 0 if there is none)."""
    best, best_value = 0, _FAR_BELOW
    unseen = unseen_cards(game, parts)
    while cards != NO_CARDS:
        card = lowest_bit(cards)
        cards ^= BIT[card]
        chance = win_chance(game, parts, follow, card, unseen)
        value = value_of_play(game, parts, card, chance)
        if value > best_value:
            best, best_value = card, value
    return best, best_value


# ==================================================================== what a trick is worth


@kernel
def value_of_play(game: Record, parts: Record, card: int, chance: float) -> float:
    """VP that a card is worth if it is played face up and takes the trick with that chance."""
    trick = _table(game, parts) + _one_in(parts.colour[card])
    return chance * _gain(game, parts, trick) - _keep(game, parts, card)


@kernel
def _table(game: Record, parts: Record) -> np.uint64:
    """What the winner of the trick would get by now, as columns of `won`: cards and a T point."""
    columns = _one_in(T_POINTS)
    for position in range(game.plays):
        if (game.trick_gone & BIT[position]) == NO_CARDS:
            columns += _one_in(_column_at(game, parts, position))
    return columns


@kernel
def _one_in(column: int) -> np.uint64:
    """One card, or T point, in a column of `won`."""
    return _COLUMN[column]


@kernel
def _column_at(game: Record, parts: Record, position: int) -> int:
    """The column of `won` in which a play counts."""
    down = (game.trick_down & BIT[position]) != NO_CARDS
    return WON_DOWN if down else parts.colour[game.trick_card[position]]


@kernel
def _gain(game: Record, parts: Record, trick: np.uint64) -> float:
    """VP that the acting seat may expect more of if it takes the trick than if not."""
    won = load_word(game.won[game.seat], 0)
    later = CARD_TO_COME * (parts.players - game.plays - 1)
    left = parts.tricks - game.trick - 1
    gain = _worth(parts, won + trick, later, left) - _worth(parts, won, 0.0, left)
    return gain - _hope_of_misere(game, parts, left)


@kernel
def _worth(parts: Record, won: np.uint64, more: float, left: int) -> float:
    """VP to be expected of won cards, with `more` wild cards and `left` tricks to come (G24).

    Wild cards complete one set of five after the other. What is left of them makes a set of
    four at the end of the round; before it, it counts as the part of a set of five that it is.
    """
    wilds = _count(won, WON_DOWN) + _count(won, T_POINTS) + more + WILDS_A_TRICK * left
    worth = 0.0
    sets = 0
    missing = _missing(won, sets)
    while missing <= wilds:
        worth += parts.five_set
        wilds -= missing
        sets += 1
        missing = _missing(won, sets)
    early = left / parts.tricks
    worth += early * parts.five_set * wilds / missing
    if missing - 1 <= wilds:
        worth += (1.0 - early) * parts.four_set
    return worth


@kernel
def _count(won: np.uint64, column: int) -> int:
    number = (won >> (_COLUMN_BITS * np.uint64(column))) & _COLUMN_MASK
    return np.int64(number)  # type: ignore[return-value]  # an int where compiled


@kernel
def _missing(won: np.uint64, sets: int) -> int:
    """How many colours lack a card for one more set of five."""
    missing = 0
    for colour in range(BALLS):
        missing += _count(won, colour) <= sets
    return missing


@kernel
def _hope_of_misere(game: Record, parts: Record, left: int) -> float:
    """VP that the acting seat may expect of misere if it does not take this trick (G25)."""
    if game.won[game.seat, T_POINTS] > 0:
        return 0.0
    trickless = 0
    for seat in range(parts.players):
        trickless += game.won[seat, T_POINTS] == 0
    stay = STAY_TRICKLESS**left
    return stay * (stay * parts.misere[trickless] + (1.0 - stay) * parts.misere[1])


# ==================================================================== who may take it


@kernel
def unseen_cards(game: Record, parts: Record) -> np.uint64:
    """Bits of the cards that may be in another hand, as far as the acting seat knows."""
    seat = game.seat
    seen = game.shown | game.hand[seat] | game.hidden[seat] | game.in_stock[seat]
    return parts.of_colours[ALL_COLOURS] & ~seen


@kernel
def win_chance(game: Record, parts: Record, follow: int, card: int, unseen: np.uint64) -> float:
    """How likely a card of the acting seat, played face up now, is to take the trick."""
    key = _key(game, parts, follow, card)
    if follow == MAY:
        return _may_chance(game, parts, card, key, unseen)
    if key <= game.top_key:
        return 0.0
    if follow == MUST:
        return _must_chance(game, parts, card, unseen)
    return _must_not_chance(game, parts, card, unseen)


@kernel
def _key(game: Record, parts: Record, follow: int, card: int) -> int:
    """`rules.strength` under a follow type that need not be chosen yet."""
    number = card + 1 if game.order == HIGH else MAX_CARDS - card
    if follow == MAY:
        return number
    colour = parts.colour[card]
    if colour == game.trump:
        return number + TRUMP_BONUS
    return number if follow == MUST_NOT or game.plays == 0 or colour == game.led else 0


@kernel
def _stronger(game: Record, card: int) -> np.uint64:
    """Bits of the cards whose numbers are stronger (G17)."""
    weaker_or_same = BIT[card + 1] - _ONE
    return ~weaker_or_same if game.order == HIGH else weaker_or_same ^ BIT[card]


@kernel
def _later_seat(game: Record, parts: Record, k: int) -> int:
    seat = game.seat + k
    return seat - parts.players if seat >= parts.players else seat


@kernel
def _holds(game: Record, parts: Record, seat: int, colour: int) -> int:
    """How many cards of a seat's hand can be of a colour that it may have shown not to hold."""
    held = parts.hand_size - game.trick
    age = game.void_age[seat, colour]
    return min(held, age - 1) if age > 0 else held


@kernel
def _lacks(cards: np.uint64, held: int, pool: int) -> float:
    """How likely a hand of `held` among `pool` unseen cards has none of `cards`."""
    return (1.0 - held / pool) ** count_bits(cards) if pool > held else 0.0


@kernel
def _must_chance(game: Record, parts: Record, card: int, unseen: np.uint64) -> float:
    """Later seats may have a stronger card of the led colour, or lack it and have a trump."""
    colour = parts.colour[card]
    led = colour if game.plays == 0 else game.led
    pool = count_bits(unseen)
    of_led = unseen & parts.of_colours[1 << led]
    trumps = unseen & parts.of_colours[1 << game.trump]
    stronger = unseen & parts.of_colours[1 << colour] & _stronger(game, card)
    chance = 1.0
    for k in range(1, parts.players - game.plays):
        seat = _later_seat(game, parts, k)
        held_led = _holds(game, parts, seat, led)
        held_trumps = _holds(game, parts, seat, game.trump)
        void = _lacks(of_led, held_led, pool)
        if colour == led:
            chance *= _lacks(stronger, held_led, pool)
            if led != game.trump:
                chance *= 1.0 - void * (1.0 - _lacks(trumps, held_trumps, pool))
        else:
            chance *= 1.0 - void * (1.0 - _lacks(stronger, held_trumps, pool))
    return chance


@kernel
def _must_not_chance(game: Record, parts: Record, card: int, unseen: np.uint64) -> float:
    """No later seat can beat a trump; other cards fall to a trump or a free stronger number."""
    colour = parts.colour[card]
    if colour == game.trump:
        return 1.0
    free = ALL_COLOURS & ~(game.table_colours | (1 << colour))
    beating = parts.of_colours[1 << game.trump]
    beating |= parts.of_colours[free] & _stronger(game, card)
    held = parts.hand_size - game.trick
    lacks = _lacks(unseen & beating, held, count_bits(unseen))
    return lacks ** (parts.players - game.plays - 1)


@kernel
def _may_chance(game: Record, parts: Record, card: int, key: int, unseen: np.uint64) -> float:
    """Exactly one card of the trick must be stronger; later seats play as if at random."""
    later = parts.players - game.plays - 1
    above = count_bits(unseen & _stronger(game, card)) / max(count_bits(unseen), 1)
    if key > game.top_key:
        return later * above * (1.0 - above) ** (later - 1) if later > 0 else 0.0
    return (1.0 - above) ** later if key > game.second_key else 0.0


# ==================================================================== what a card is worth


@kernel
def _keep(game: Record, parts: Record, card: int) -> float:
    """What a card is worth in the hand: extreme numbers and trumps win tricks (or lose them)."""
    middle = (parts.cards - 1) / 2
    extreme = (card - middle) / middle
    keep = KEEP_EXTREME * extreme * extreme
    if parts.colour[card] == game.trump:
        return keep + KEEP_TRUMP
    return keep + KEEP_BLACK if parts.colour[card] == BLACK else keep


@kernel
def _least_kept(game: Record, parts: Record, cards: np.uint64) -> int:
    """The card that is worth least in the hand."""
    best, best_value = 0, -_FAR_BELOW
    while cards != NO_CARDS:
        card = lowest_bit(cards)
        cards ^= BIT[card]
        value = _keep(game, parts, card)
        if value < best_value:
            best, best_value = card, value
    return best


@kernel
def _choose_discard(game: Record, parts: Record) -> int:
    """The first of the cards without which the won cards are worth most (G20)."""
    won = load_word(game.won[game.seat], 0) + _table(game, parts)
    left = parts.tricks - game.trick - 1
    best, best_value = 0, _FAR_BELOW
    for positions in range(1, 1 << parts.players):
        chosen = np.uint64(positions)
        first = lowest_bit(chosen)
        if count_bits(chosen) != game.dust_left or first < game.dust_from:
            continue
        rest = won
        for position in range(first, parts.players):
            if (chosen & BIT[position]) != NO_CARDS:
                rest -= _one_in(_column_at(game, parts, position))
        value = _worth(parts, rest, 0.0, left)
        if value > best_value:
            best, best_value = first, value
    return best
