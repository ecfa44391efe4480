"""Observations of gacha: what a seat may know, as named sections of int8 values.

`flat` is the default: mostly one-hot, and beside the bare facts four sections that follow from
them but are hard to learn (`leading`, `led`, `table_colours`, `would_lead`). `tokens` says the
same as rows of categories, one row a card, a seat and the table, for attention models.

Seats stand by offset: the observing seat first, then clockwise. Cards stand by number.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import BIT, load_word, lowest_bit, store_word, write_bits
from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.core.sections import Section, layout, token_section
from tefuda.envs.core.spec import Encoder, Setup
from tefuda.envs.gacha.greedy import unseen_cards, value_of_follow, value_of_play, win_chance
from tefuda.envs.gacha.rules import (
    NO_CARDS,
    TRUMP_BONUS,
    playable_cards,
    set_points,
    winning_position,
)
from tefuda.envs.gacha.state import (
    ALL_COLOURS,
    BALLS,
    BLACK,
    COLOUR_SETS,
    COLOURS,
    DECISION_PHASES,
    FOLLOW_PHASE,
    FOLLOWS,
    MAX_CARDS,
    MAX_TRICKS,
    MAY,
    MUST,
    NO_COLOUR,
    NO_FOLLOW,
    PLAY_PHASE,
    RETURN_PHASE,
    T_POINTS,
    WON_COLUMNS,
    WON_DOWN,
)

Observation = npt.NDArray[np.int8]

_COLOURS = BLACK + 1
_FOLLOW_COUNT = len(FOLLOWS)
# Icons of a card as one number: gacha 1, revo 2, redraw 4, dust 8 times its number (up to 3).
_ICON_CODES = 32
# A value that can exceed 127 takes two entries: v // 64 and v % 64.
_BASE, _BASE_BITS = 64, 6
_MOST = 127
# _STRONGER[order, key]: bits of the cards whose strength as plain cards exceeds key.
_STRENGTHS = np.array([np.arange(1, MAX_CARDS + 1), np.arange(MAX_CARDS, 0, -1)])
_KEYS = range(TRUMP_BONUS)
_STRONGER = np.array(
    [
        [sum(1 << card for card in np.flatnonzero(row > key).tolist()) for key in _KEYS]
        for row in _STRENGTHS
    ],
    dtype=np.uint64,
)


# ==================================================================== flat


def flat_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `flat`, in their order."""
    cards, players = int(setup.parts[0]["cards"]), setup.players
    return layout(
        [
            Section("hand", cards, 1, "own hand, by card number"),
            Section("gone", cards, 1, "cards seen to be played, own face-down ones too"),
            Section(
                "returned", cards, MAX_CARDS,
                "own returned cards in the stock: 1 + cards that lie above it, else 0",
            ),
            Section("drawn_again", cards, 1, "own returned cards that another seat has drawn"),
            Section("drawn", cards, 1, "the card just drawn, while one must be returned"),
            Section("would_lead", cards, 1, "own cards that would lead the trick if played now"),
            Section("trick", players * cards, 1, "by position: the card of each play that is seen"),
            Section("trick_down", players, 1, "plays that lie face down"),
            Section("trick_discarded", players, 1, "plays discarded by dust"),
            Section("leading", players, 1, "the play that wins the trick as it lies"),
            Section("led", _COLOURS, 1, "the led colour"),
            Section("table_colours", _COLOURS, 1, "colours that lie face up in the trick"),
            Section("follow", _FOLLOW_COUNT, 1, "follow type of this trick"),
            Section("previous_follow", _FOLLOW_COUNT, 1, "that of the trick before, now barred"),
            Section("trump", _COLOURS, 1, "trump"),
            Section("order", 1, 1, "1 while small numbers are strong"),
            Section("balls", BALLS, 1, "trump balls still in the bag"),
            Section(
                "won", players * WON_COLUMNS, MAX_CARDS,
                "by seat: cards won of each colour, cards won face down, T points",
            ),
            Section("totals", players * 2, _MOST, "WP or VP of the game, by seat, in base 64"),
            Section(
                "voids", players * _COLOURS, 1 + MAX_TRICKS,
                "by seat and colour: 1 + cards drawn since it was shown to hold none, else 0",
            ),
            Section("phase", DECISION_PHASES, 1, "asked: follow, play, redraw, return, dust"),
            Section("actor", players, 1, "who acts, by offset"),
            Section("leader", players, 1, "who leads the trick, by offset"),
            Section("first_leader", players, 1, "who led the round's first trick, by offset"),
            Section("dust", 1, players, "cards still to be discarded"),
            Section("stock", 1, MAX_CARDS, "cards in the stock"),
            Section("undealt", 1, MAX_CARDS, "those of them that nobody has held"),
            Section("trick_number", MAX_TRICKS, 1, "the trick, 0 to 9"),
            Section("round", 2, _MOST, "the round in base 64, high digit first"),
        ]
    )  # fmt: skip


@kernel
def observe_flat(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,)."""
    observation[:] = 0
    at = _write_cards(game, parts, seat, observation)
    at = _write_trick(game, parts, seat, observation, at)
    at = _write_table(game, parts, observation, at)
    at = _write_seats(game, parts, seat, observation, at)
    _write_turn(game, parts, seat, observation, at)


@kernel
def _write_cards(game: Record, parts: Record, seat: int, observation: Observation) -> int:
    """hand, gone, returned, drawn_again, drawn, would_lead."""
    cards = parts.cards
    write_bits(game.hand[seat], cards, observation, 0)
    write_bits(game.shown | game.hidden[seat], cards, observation, cards)
    for index in range(game.redrawn_count, game.returned_count):
        if game.returner[index] == seat:
            observation[2 * cards + game.returned[index]] = depth(game, index)
    write_bits(game.drawn_again[seat] & ~game.shown, cards, observation, 3 * cards)
    if game.phase == RETURN_PHASE and game.seat == seat:
        observation[4 * cards + game.drawn] = 1
    if game.phase == PLAY_PHASE and game.seat == seat and game.must_hide == 0:
        write_bits(leading_cards(game, parts), cards, observation, 5 * cards)
    return 6 * cards


@kernel
def leading_cards(game: Record, parts: Record) -> np.uint64:
    """Bits of the playable cards that would win the trick as it lies once they are played.

    Trumps and plain cards have thresholds of their own (G11, G15); under "may" a card leads
    if it is second strongest (G16). The first card of a trick always leads.
    """
    may, first = game.follow == MAY, game.plays == 0
    floor = game.second_key if may else game.top_key
    ceiling = game.top_key if may and not first else TRUMP_BONUS - 1
    trumps = 0 if may else 1 << game.trump
    plain = ALL_COLOURS if first or game.follow != MUST else game.table_colours & (1 << game.led)
    stronger = _STRONGER[game.order]
    leading = parts.of_colours[trumps] & stronger[max(floor - TRUMP_BONUS, 0)]
    in_between = stronger[min(floor, TRUMP_BONUS - 1)] & ~stronger[ceiling]
    leading |= parts.of_colours[plain & ~trumps] & in_between
    return playable_cards(game, parts) & leading


@kernel
def _write_trick(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """trick, trick_down, trick_discarded, leading, led, table_colours."""
    cards, players = parts.cards, parts.players
    for position in range(game.plays):
        if _sees_play(game, parts, seat, position):
            observation[at + game.trick_card[position]] = 1
        at += cards
    at += (players - game.plays) * cards
    write_bits(game.trick_down, players, observation, at)
    write_bits(game.trick_gone, players, observation, at + players)
    at += 2 * players
    if game.table_colours != 0:  # a face-down lead wins nothing (G14)
        observation[at + winning_position(game)] = 1
    at += players
    _write_choice(observation, at, game.led, NO_COLOUR)
    at += _COLOURS
    for colour in range(_COLOURS):
        observation[at + colour] = (game.table_colours >> colour) & 1
    return at + _COLOURS


@kernel
def _sees_play(game: Record, parts: Record, seat: int, position: int) -> bool:
    """Whether `seat` knows the card of a play: it lies face up, or is its own (G14)."""
    down = (game.trick_down & BIT[position]) != NO_CARDS
    return not down or _offset(parts, game.leader + position, seat) == 0


@kernel
def _write_table(game: Record, parts: Record, observation: Observation, at: int) -> int:
    """follow, previous_follow, trump, order, balls."""
    _write_choice(observation, at, game.follow, NO_FOLLOW)
    at += _FOLLOW_COUNT
    _write_choice(observation, at, game.previous_follow, NO_FOLLOW)
    at += _FOLLOW_COUNT
    observation[at + game.trump] = 1
    at += _COLOURS
    observation[at] = game.order
    at += 1
    write_bits(game.bag, BALLS, observation, at)
    return at + BALLS


@kernel
def _write_seats(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """won, totals, voids: a row a seat, own seat first.

    Rows of `won` and `voids` are copied eight bytes at a time; the two bytes by which a row of
    `voids` is shorter are overwritten by what follows.
    """
    players = parts.players
    totals = at + players * WON_COLUMNS
    voids = totals + 2 * players
    for offset in range(players):
        other = _seat_at_offset(parts, seat, offset)
        store_word(observation, at + offset * WON_COLUMNS, load_word(game.won[other], 0))
        _write_long(observation, totals + 2 * offset, game.totals[other])
        store_word(observation, voids + offset * _COLOURS, load_word(game.void_age[other], 0))
    return voids + players * _COLOURS


@kernel
def _write_turn(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> None:
    """phase, actor, leader, first_leader, dust, stock, trick_number, round."""
    players = parts.players
    observation[at] = 0
    observation[at + 1] = 0
    if game.phase < DECISION_PHASES:
        observation[at + game.phase] = 1
    at += DECISION_PHASES
    if game.seat != NOBODY:
        observation[at + _offset(parts, game.seat, seat)] = 1
    observation[at + players + _offset(parts, game.leader, seat)] = 1
    observation[at + 2 * players + _offset(parts, game.first_leader, seat)] = 1
    at += 3 * players
    observation[at] = game.dust_left
    observation[at + 1] = stock_size(game)
    observation[at + 2] = game.undealt_count
    at += 3
    if game.trick < MAX_TRICKS:
        observation[at + game.trick] = 1
    _write_long(observation, at + MAX_TRICKS, game.round_index)


@kernel
def stock_size(game: Record) -> int:
    """Cards in the face-down stock: those never dealt, and the returned ones."""
    return game.undealt_count + game.returned_count - game.redrawn_count


@kernel
def depth(game: Record, index: int) -> int:
    """Where a returned card lies in the stock, 1 for the top; those never dealt lie above it."""
    return game.undealt_count + index - game.redrawn_count + 1


@inlined
def _offset(parts: Record, seat: int, own: int) -> int:
    """How far clockwise `seat` (below 2P) sits from `own`."""
    offset = seat - own
    if offset < 0:
        return offset + parts.players
    return offset - parts.players if offset >= parts.players else offset


@inlined
def _seat_at_offset(parts: Record, own: int, offset: int) -> int:
    seat = own + offset
    return seat - parts.players if seat >= parts.players else seat


@inlined
def _write_long(observation: Observation, at: int, value: int) -> None:
    """A value of at least 0 in two entries of base 64, the high one first."""
    observation[at] = value >> _BASE_BITS
    observation[at + 1] = value & (_BASE - 1)


@inlined
def _write_choice(observation: Observation, at: int, value: int, nothing: int) -> None:
    """One-hot, all zero for `nothing`."""
    if value != nothing:
        observation[at + value] = 1


# ==================================================================== expert

# VP in int8: eight steps a VP, and 64 is none.
_STEPS, _NONE = 8, 64
_CERTAIN = 100
# What is told of a seat's won cards: their VP, and how many more a card of each colour but black,
# or a wild card, would make.
_PROSPECTS = 1 + BALLS + 1


def expert_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `expert`: those of `flat`, and what a good player makes of them."""
    cards, players = int(setup.parts[0]["cards"]), setup.players
    return layout(
        [
            *flat_sections(setup),
            Section(
                "win_chance", cards, _CERTAIN,
                "cards to be played face up: chance to take the trick, in hundredths",
            ),
            Section(
                "play_value", cards, _MOST,
                "... and what the scripted player thinks of it: 64 + 8 a VP, 0 for other cards",
            ),
            Section(
                "follow_value", _FOLLOW_COUNT, _MOST,
                "the same for the best card to lead, by follow type, while it is chosen",
            ),
            Section(
                "prospects", players * _PROSPECTS, _MOST,
                "by seat: VP of its won cards (G24), and how many more a card of each colour, "
                "or a wild one, would make",
            ),
        ]
    )  # fmt: skip


@kernel
def observe_expert(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,)."""
    observe_flat(game, parts, seat, observation)
    prospects = observation.size - parts.players * _PROSPECTS
    follows = prospects - _FOLLOW_COUNT
    if game.seat == seat and game.phase == PLAY_PHASE and game.must_hide == 0:
        _write_judgements(game, parts, observation, follows - 2 * parts.cards)
    elif game.seat == seat and game.phase == FOLLOW_PHASE:
        for follow in range(_FOLLOW_COUNT):
            if follow != game.previous_follow:
                value = value_of_follow(game, parts, follow)
                observation[follows + follow] = _in_steps(value)
    for offset in range(parts.players):
        other = _seat_at_offset(parts, seat, offset)
        _write_prospects(game, parts, other, observation, prospects + offset * _PROSPECTS)


@kernel
def _write_judgements(game: Record, parts: Record, observation: Observation, at: int) -> None:
    """win_chance, play_value."""
    cards = playable_cards(game, parts)
    unseen = unseen_cards(game, parts)
    while cards != NO_CARDS:
        card = lowest_bit(cards)
        cards ^= BIT[card]
        chance = win_chance(game, parts, game.follow, card, unseen)
        observation[at + card] = round(_CERTAIN * chance)
        value = value_of_play(game, parts, card, chance)
        observation[at + parts.cards + card] = _in_steps(value)


@inlined
def _in_steps(value: float) -> int:
    """VP as 64 + 8 a VP, within 1 .. 127."""
    return min(max(round(_STEPS * value) + _NONE, 1), _MOST)


@kernel
def _write_prospects(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    """The VP of a seat's won cards, and how many more each further card would make."""
    won = game.won[seat]
    wilds = won[WON_DOWN] + won[T_POINTS]
    now = set_points(parts, won, wilds)
    observation[at] = now
    for colour in range(BALLS):
        won[colour] += 1
        observation[at + 1 + colour] = set_points(parts, won, wilds) - now
        won[colour] -= 1
    observation[at + 1 + BALLS] = set_points(parts, won, wilds + 1) - now


# ==================================================================== tokens

# The kinds of token.
CARD, PLAY, SEAT, VOIDS, TABLE, TURN = range(1, 7)
# Where a card is, as far as the seat knows.
UNSEEN, IN_HAND, JUST_DRAWN, GONE, IN_STOCK, DRAWN_BY_OTHER = range(1, 7)
# How a play lies; a discarded one is two further.
NOT_YET, FACE_UP, FACE_DOWN = range(1, 4)
_GONE_STATE = 2
# Every token has so many fields.
TOKEN_FIELDS = 10

_KIND = ("kind", TURN + 1)
_NO, _YES = 1, 2


def token_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `tokens`: rows of `TOKEN_FIELDS` categories; one is added to every count."""
    cards, players = int(setup.parts[0]["cards"]), setup.players
    seat, colour = players + 1, _COLOURS + 1
    return layout(
        [
            token_section(
                "cards", cards, TOKEN_FIELDS, "one token a card, by number",
                [
                    _KIND, ("number", MAX_CARDS + 1), ("colour", colour),
                    ("icons", _ICON_CODES + 1), ("place", DRAWN_BY_OTHER + 1), ("would_lead", 2),
                    ("depth", MAX_CARDS + 1),
                ],
            ),
            token_section(
                "plays", players, TOKEN_FIELDS, "one token a position of the trick",
                [
                    _KIND, ("number", MAX_CARDS + 1), ("colour", colour),
                    ("icons", _ICON_CODES + 1), ("state", FACE_DOWN + _GONE_STATE + 1),
                    ("leading", _YES + 1), ("seat", seat),
                ],
            ),
            token_section(
                "seats", players, TOKEN_FIELDS, "one token a seat, own first",
                [
                    _KIND, ("seat", seat),
                    *[(f"won_{name}", MAX_CARDS + 2) for name in COLOURS],
                    ("won_down", MAX_CARDS + 2), ("t_points", MAX_TRICKS + 2),
                ],
            ),
            token_section(
                "voids", players, TOKEN_FIELDS, "a second token a seat: shown voids, totals",
                [
                    _KIND, ("seat", seat),
                    *[(f"void_{name}", MAX_TRICKS + 2) for name in COLOURS],
                    ("totals_high", _MOST + 1), ("totals_low", _BASE),
                ],
            ),
            token_section(
                "table", 1, TOKEN_FIELDS, "what lies open",
                [
                    _KIND, ("follow", _FOLLOW_COUNT + 1), ("previous_follow", _FOLLOW_COUNT + 1),
                    ("trump", colour), ("order", 3), ("led", colour),
                    ("table_colours", COLOUR_SETS + 1), ("balls", (1 << BALLS) + 1),
                    ("dust", players + 2), ("stock", MAX_CARDS + 2),
                ],
            ),
            token_section(
                "turn", 1, TOKEN_FIELDS, "whose turn it is, and when",
                [
                    _KIND, ("phase", DECISION_PHASES + 1), ("actor", seat), ("leader", seat),
                    ("first_leader", seat), ("trick_number", MAX_TRICKS + 1),
                    ("round_high", _MOST + 1), ("round_low", _BASE),
                    ("undealt", MAX_CARDS + 2),
                ],
            ),
        ]
    )  # fmt: skip


def token_shape(setup: Setup) -> tuple[int, int]:
    """(L, F): how many tokens of how many fields."""
    return int(setup.parts[0]["cards"]) + 3 * setup.players + 2, TOKEN_FIELDS


@kernel
def observe_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (L * F,)."""
    observation[:] = 0
    at = _write_card_tokens(game, parts, seat, observation)
    at = _write_play_tokens(game, parts, seat, observation, at)
    at = _write_seat_tokens(game, parts, seat, observation, at)
    at = _write_void_tokens(game, parts, seat, observation, at)
    at = _write_table_token(game, observation, at)
    _write_turn_token(game, parts, seat, observation, at)


@kernel
def _write_card_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> int:
    at = 0
    for card in range(parts.cards):
        observation[at] = CARD
        _write_face(parts, card, observation, at)
        observation[at + 4] = _place(game, seat, card)
        at += TOKEN_FIELDS
    for index in range(game.redrawn_count, game.returned_count):
        if game.returner[index] == seat:
            observation[game.returned[index] * TOKEN_FIELDS + 6] = depth(game, index)
    if game.phase == PLAY_PHASE and game.seat == seat and game.must_hide == 0:
        leading = leading_cards(game, parts)
        for card in range(parts.cards):
            observation[card * TOKEN_FIELDS + 5] = (leading & BIT[card]) != NO_CARDS
    return at


@kernel
def _write_face(parts: Record, card: int, observation: Observation, at: int) -> None:
    """number, colour, icons of a card's or a play's token."""
    observation[at + 1] = card + 1
    observation[at + 2] = parts.colour[card] + 1
    icons = parts.gacha[card] + 2 * parts.revo[card] + 4 * parts.redraw[card]
    observation[at + 3] = icons + 8 * parts.dust[card] + 1


@kernel
def _place(game: Record, seat: int, card: int) -> int:
    """Where a card is, as far as `seat` knows."""
    bit = BIT[card]
    if (game.hand[seat] & bit) != NO_CARDS:
        drawn = game.phase == RETURN_PHASE and game.seat == seat and game.drawn == card
        return JUST_DRAWN if drawn else IN_HAND
    if ((game.shown | game.hidden[seat]) & bit) != NO_CARDS:
        return GONE
    if (game.in_stock[seat] & bit) != NO_CARDS:
        return IN_STOCK
    return DRAWN_BY_OTHER if (game.drawn_again[seat] & bit) != NO_CARDS else UNSEEN


@kernel
def _write_play_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for position in range(parts.players):
        observation[at] = PLAY
        owner = _offset(parts, game.leader + position, seat)
        observation[at + 6] = owner + 1
        if position < game.plays:
            if _sees_play(game, parts, seat, position):
                _write_face(parts, game.trick_card[position], observation, at)
            observation[at + 4] = _play_state(game, position)
            leads = game.table_colours != 0 and position == winning_position(game)
            observation[at + 5] = _YES if leads else _NO
        else:
            observation[at + 4] = NOT_YET
        at += TOKEN_FIELDS
    return at


@kernel
def _play_state(game: Record, position: int) -> int:
    """How a play lies: face up or down, and whether it was discarded."""
    bit = BIT[position]
    state = FACE_UP if (game.trick_down & bit) == NO_CARDS else FACE_DOWN
    return state if (game.trick_gone & bit) == NO_CARDS else state + _GONE_STATE


@kernel
def _write_seat_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for offset in range(parts.players):
        other = _seat_at_offset(parts, seat, offset)
        observation[at] = SEAT
        observation[at + 1] = offset + 1
        for column in range(WON_COLUMNS):
            observation[at + 2 + column] = game.won[other, column] + 1
        at += TOKEN_FIELDS
    return at


@kernel
def _write_void_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for offset in range(parts.players):
        other = _seat_at_offset(parts, seat, offset)
        observation[at] = VOIDS
        observation[at + 1] = offset + 1
        for colour in range(_COLOURS):
            observation[at + 2 + colour] = game.void_age[other, colour]
        _write_long(observation, at + 2 + _COLOURS, game.totals[other])
        at += TOKEN_FIELDS
    return at


@kernel
def _write_table_token(game: Record, observation: Observation, at: int) -> int:
    observation[at] = TABLE
    observation[at + 1] = game.follow + 1
    observation[at + 2] = game.previous_follow + 1
    observation[at + 3] = game.trump + 1
    observation[at + 4] = game.order + 1
    observation[at + 5] = game.led + 1
    observation[at + 6] = game.table_colours + 1
    observation[at + 7] = np.int64(game.bag) + 1
    observation[at + 8] = game.dust_left + 1
    observation[at + 9] = stock_size(game) + 1
    return at + TOKEN_FIELDS


@kernel
def _write_turn_token(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    observation[at] = TURN
    if game.phase < DECISION_PHASES:
        observation[at + 1] = game.phase + 1
    if game.seat != NOBODY:
        observation[at + 2] = _offset(parts, game.seat, seat) + 1
    observation[at + 3] = _offset(parts, game.leader, seat) + 1
    observation[at + 4] = _offset(parts, game.first_leader, seat) + 1
    if game.trick < MAX_TRICKS:
        observation[at + 5] = game.trick + 1
    _write_long(observation, at + 6, game.round_index)
    observation[at + 8] = game.undealt_count + 1


ENCODERS = {
    "flat": Encoder(observe_flat, flat_sections),
    "expert": Encoder(observe_expert, expert_sections),
    "tokens": Encoder(observe_tokens, token_sections, token_shape),
}
