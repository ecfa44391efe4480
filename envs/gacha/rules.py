"""The rules of gacha as kernels; the ids in the docstrings are those of the game's page.

The functions of `core.contract` come first, then the course of a round from top to bottom.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import BIT, random_bit, write_bits
from tefuda.envs.core.chance import draw, restart_stream
from tefuda.envs.core.contract import (
    CHANCE,
    DECISION,
    NOBODY,
    NOTICED,
    OVER,
    SEEN,
    TRUNCATED,
    note,
)
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.gacha.resample import redraw_hidden
from tefuda.envs.gacha.state import (
    ALL_BALLS,
    ALL_COLOURS,
    BALL_PHASE,
    BALLS,
    BLACK,
    DEAL_PHASE,
    DECISION_PHASES,
    DRAW,
    DREW_RETURNED,
    DREW_STOCK,
    DUST_ACTION,
    DUST_PHASE,
    FEWEST,
    FIRST_LEADER_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    FOLLOWS,
    HIGH,
    KEEP_ACTION,
    MAX_CARDS,
    MAY,
    MUST,
    MUST_NOT,
    NO_CARD,
    NO_COLOUR,
    NO_FOLLOW,
    OVER_PHASE,
    PLAY_ACTION,
    PLAY_PHASE,
    PLAYED_DOWN,
    PLAYED_UP,
    REDRAW_ACTION,
    REDRAW_PHASE,
    RETURN_ACTION,
    RETURN_PHASE,
    RETURNED,
    ROTATE,
    ROUNDS_PLAYED,
    SHUFFLE,
    STOCK_PHASE,
    T_POINTS,
    TARGET_REACHED,
    TIE_DRAW_PHASE,
    VP,
    WON_DOWN,
    WP,
)

# A trump's strength exceeds that of every other card by more than any number.
TRUMP_BONUS = 64

# The empty sets.
NO_CARDS = NO_BALLS = np.uint64(0)

_FOLLOW_COUNT = len(FOLLOWS)

__all__ = [
    "apply", "apply_chance", "chances", "is_legal", "legal", "news", "node", "random_action",
    "resample", "sample_chance", "sees", "settle", "start",
]  # fmt: skip


# ==================================================================== the contract


@kernel
def start(game: Record, parts: Record) -> None:
    """Begins a game: the order is high, the bag full; the first leader is drawn (G5, G7)."""
    game.order = HIGH
    game.bag = ALL_BALLS
    for seat in range(parts.players):
        game.tie_card[seat] = NO_CARD
    game.trump = BLACK
    game.previous_follow = NO_FOLLOW
    _clear_trick(game)
    restart_stream(game)
    game.phase = FIRST_LEADER_PHASE
    game.seat = NOBODY


@inlined
def node(game: Record) -> int:
    """The kind of the present node."""
    if game.phase < DECISION_PHASES:
        return DECISION
    return OVER if game.phase == OVER_PHASE else CHANCE


@kernel
def legal(game: Record, parts: Record, mask: npt.NDArray[np.int8]) -> None:
    """Writes the mask (120,) of the acting seat; all zero at a chance node and at the end."""
    mask[:] = 0
    phase = game.phase
    if phase == PLAY_PHASE:
        write_bits(playable_cards(game, parts), MAX_CARDS, mask, PLAY_ACTION)
    elif phase == RETURN_PHASE:
        write_bits(game.hand[game.seat], MAX_CARDS, mask, RETURN_ACTION)
    elif phase == FOLLOW_PHASE:
        for follow in range(_FOLLOW_COUNT):
            mask[FOLLOW_ACTION + follow] = follow != game.previous_follow
    elif phase == REDRAW_PHASE:
        mask[REDRAW_ACTION] = 1
        mask[KEEP_ACTION] = 1
    elif phase == DUST_PHASE:
        for position in range(game.dust_from, _dust_end(game, parts)):
            mask[DUST_ACTION + position] = 1


@kernel
def is_legal(game: Record, parts: Record, action: int) -> bool:
    """Whether the acting seat may take `action`; the same as `legal` writes."""
    phase = game.phase
    if phase == PLAY_PHASE:
        return _is_among(playable_cards(game, parts), action - PLAY_ACTION)
    if phase == RETURN_PHASE:
        return _is_among(game.hand[game.seat], action - RETURN_ACTION)
    if phase == FOLLOW_PHASE:
        follow = action - FOLLOW_ACTION
        return 0 <= follow < _FOLLOW_COUNT and follow != game.previous_follow
    if phase == REDRAW_PHASE:
        return action == REDRAW_ACTION or action == KEEP_ACTION
    if phase == DUST_PHASE:
        return game.dust_from <= action - DUST_ACTION < _dust_end(game, parts)
    return False


@kernel
def apply(game: Record, parts: Record, action: int) -> None:
    """Plays one decision."""
    note(game, action)
    phase = game.phase
    if phase == PLAY_PHASE:
        _play(game, parts, action - PLAY_ACTION)
    elif phase == FOLLOW_PHASE:
        game.follow = action - FOLLOW_ACTION
        _ask_for_card(game, parts, game.leader)
    elif phase == REDRAW_PHASE:
        if action == REDRAW_ACTION:
            _redraw(game, parts)
        else:
            _next_play(game, parts)
    elif phase == RETURN_PHASE:
        _return(game, parts, action - RETURN_ACTION)
    else:
        _discard(game, parts, action - DUST_ACTION)


@kernel
def chances(
    game: Record, parts: Record, outcomes: npt.NDArray[np.int16], weights: npt.NDArray[np.int16]
) -> int:
    """Writes the outcomes of a chance node, all equally likely in this game."""
    count = 0
    for outcome in range(parts.cards + 1):
        if _is_possible(game, parts, outcome):
            outcomes[count] = outcome
            weights[count] = 1
            count += 1
    return count


@kernel
def apply_chance(game: Record, parts: Record, outcome: int) -> None:
    """Plays one chance outcome: a seat, a card number or a ball's colour."""
    note(game, outcome)
    phase = game.phase
    if phase == DEAL_PHASE:
        _deal(game, parts, outcome - 1)
    elif phase == STOCK_PHASE:
        _take_undealt(game, outcome - 1)
        _remember(game, DREW_STOCK, outcome - 1, ALL_COLOURS)
        _hold_drawn(game, parts, outcome - 1)
    elif phase == BALL_PHASE:
        _turn_trump(game, parts, outcome)
        _end_trick(game, parts)
    elif phase == FIRST_LEADER_PHASE:
        game.first_leader = outcome
        _begin_round(game, parts)
    else:
        game.tie_card[game.seat] = outcome - 1
        _next_tie_draw(game, parts)


@kernel
def sample_chance(game: Record, parts: Record) -> int:
    """Draws an outcome of the present chance node from the game's stream."""
    phase = game.phase
    if phase == DEAL_PHASE or phase == STOCK_PHASE:
        return game.undealt[draw(game, game.undealt_count)] + 1
    if phase == FIRST_LEADER_PHASE:
        return draw(game, parts.players)
    if phase == BALL_PHASE:
        return random_bit(game, _balls(game, parts))
    return _sample_tie_card(game, parts)


@kernel
def settle(game: Record, parts: Record) -> None:
    """Samples chance nodes until a decision or the end."""
    while DECISION_PHASES <= game.phase < OVER_PHASE:
        apply_chance(game, parts, sample_chance(game, parts))


@kernel
def random_action(game: Record, parts: Record, holder: Record) -> int:
    """Draws a legal action uniformly with the stream of `holder`."""
    phase = game.phase
    if phase == PLAY_PHASE:
        return PLAY_ACTION + random_bit(holder, playable_cards(game, parts))
    if phase == RETURN_PHASE:
        return RETURN_ACTION + random_bit(holder, game.hand[game.seat])
    if phase == REDRAW_PHASE:
        return REDRAW_ACTION + draw(holder, 2)
    if phase == DUST_PHASE:
        count = _dust_end(game, parts) - game.dust_from
        return DUST_ACTION + game.dust_from + draw(holder, count)
    if game.previous_follow == NO_FOLLOW:
        return FOLLOW_ACTION + draw(holder, _FOLLOW_COUNT)
    follow = draw(holder, _FOLLOW_COUNT - 1)
    return FOLLOW_ACTION + follow + (follow >= game.previous_follow)


@kernel
def sees(game: Record, parts: Record, seat: int, value: int) -> int:
    """How much `seat` will see of the coming event ("Who sees what")."""
    phase = game.phase
    private = (
        phase == DEAL_PHASE
        or phase == STOCK_PHASE
        or phase == RETURN_PHASE
        or (phase == PLAY_PHASE and game.must_hide != 0)
    )
    return NOTICED if private and game.seat != seat else SEEN


@kernel
def news(game: Record, parts: Record, seat: int, values: npt.NDArray[np.int16]) -> int:
    """A returned card that `seat` has just drawn: no chance event tells it (G18)."""
    drew = game.phase == RETURN_PHASE and game.seat == seat
    if drew and game.log[game.logged - 1] == REDRAW_ACTION:
        values[0] = game.drawn + 1
        return 1
    return 0


@kernel
def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Redraws what is hidden from `seat`; the acting seat's choice follows its new hand."""
    redraw_hidden(game, parts, seat, holder)
    if game.phase == PLAY_PHASE and game.seat != seat:
        _ask_for_card(game, parts, game.seat)


# ==================================================================== a round


@kernel
def _begin_round(game: Record, parts: Record) -> None:
    """Shuffles all cards; trump is black, the order stays, an empty bag is refilled (G5)."""
    game.trump = BLACK
    game.trick = 0
    game.previous_follow = NO_FOLLOW
    game.leader = game.first_leader
    _refill_empty_bag(game)
    _gather_cards(game, parts)
    game.shown = NO_CARDS
    for seat in range(parts.players):
        game.hand[seat] = NO_CARDS
        game.hidden[seat] = NO_CARDS
        game.in_stock[seat] = NO_CARDS
        game.drawn_again[seat] = NO_CARDS
        game.won[seat, :] = 0
        game.void_age[seat, :] = 0
    _clear_trick(game)
    game.phase = DEAL_PHASE
    game.seat = 0


@kernel
def _gather_cards(game: Record, parts: Record) -> None:
    """Puts every card of the player count back among the undealt ones."""
    for card in range(parts.cards):
        game.undealt[card] = card
        game.undealt_at[card] = card
    game.undealt_count = parts.cards
    game.dealt = 0
    game.returned_count = 0
    game.redrawn_count = 0
    game.history_count = 0


@kernel
def _deal(game: Record, parts: Record, card: int) -> None:
    """Deals one card: seat 0 its hand, then seat 1 ... (G5)."""
    _take_undealt(game, card)
    game.hand[game.seat] |= BIT[card]
    game.dealt += 1
    if game.dealt == parts.players * parts.hand_size:
        _begin_trick(game)
    else:
        game.seat = game.dealt // parts.hand_size


@kernel
def _take_undealt(game: Record, card: int) -> None:
    """Removes a card from `undealt`; the last one takes its place."""
    at = game.undealt_at[card]
    last = game.undealt[game.undealt_count - 1]
    game.undealt[at] = last
    game.undealt_at[last] = at
    game.undealt_count -= 1


@kernel
def _remember(game: Record, kind: int, card: int, held: int) -> None:
    """Writes what the acting seat's hand did into the history that `resample` reads."""
    at = game.history_count
    game.history_kind[at] = kind
    game.history_seat[at] = game.seat
    game.history_card[at] = card
    game.history_held[at] = held
    game.history_at[at] = game.logged - 1
    game.history_count = at + 1


# ==================================================================== a trick


@kernel
def _begin_trick(game: Record) -> None:
    """The leader chooses the follow type (G9)."""
    _clear_trick(game)
    game.phase = FOLLOW_PHASE
    game.seat = game.leader


@kernel
def _clear_trick(game: Record) -> None:
    game.follow = NO_FOLLOW
    game.plays = 0
    game.trick_down = NO_CARDS
    game.trick_gone = NO_CARDS
    game.trick_revo = 0
    game.trick_gacha = 0
    game.trick_dust = 0
    game.led = NO_COLOUR
    game.table_colours = 0
    game.top_key = 0
    game.top_at = 0
    game.second_key = 0
    game.second_at = 0
    game.dust_left = 0
    game.dust_from = 0
    game.drawn = NO_CARD


@kernel
def _ask_for_card(game: Record, parts: Record, seat: int) -> None:
    """Gives the turn to `seat` and settles which colours it may play (G11, G12, G13, G16)."""
    game.phase = PLAY_PHASE
    game.seat = seat
    game.must_hide = 0
    game.allowed = ALL_COLOURS
    if game.follow == MUST:
        if game.plays > 0 and _holds_any(game, parts, 1 << game.led):
            game.allowed = 1 << game.led
    elif game.follow == MUST_NOT:
        barred = game.table_colours if game.plays > 0 else 1 << game.trump
        if _holds_any(game, parts, ALL_COLOURS & ~barred):
            game.allowed = ALL_COLOURS & ~barred
        else:
            game.must_hide = 1


@kernel
def _holds_any(game: Record, parts: Record, colours: int) -> bool:
    """Whether the acting seat holds a card of one of the colours."""
    return (game.hand[game.seat] & parts.of_colours[colours]) != NO_CARDS


@kernel
def playable_cards(game: Record, parts: Record) -> np.uint64:
    """Bits of the cards that the acting seat may play, face up or, if it must hide, face down."""
    return game.hand[game.seat] & parts.of_colours[game.allowed]


@kernel
def _is_among(cards: np.uint64, card: int) -> bool:
    """Whether `card` (any integer) is in a set of cards."""
    return 0 <= card < MAX_CARDS and (cards & BIT[card]) != NO_CARDS


@kernel
def _play(game: Record, parts: Record, card: int) -> None:
    """A seat plays a card, face up or, where it must, face down (G10-G14)."""
    seat, position = game.seat, game.plays
    held = _colours_it_can_have_held(game, parts, card)
    _show_voids(game, seat, held)
    game.hand[seat] ^= BIT[card]
    game.trick_card[position] = card
    game.plays += 1
    if game.must_hide:
        _remember(game, PLAYED_DOWN, card, held)
        game.trick_down |= BIT[position]
        game.hidden[seat] |= BIT[card]
    else:
        _remember(game, PLAYED_UP, card, held)
        _lay_face_up(game, parts, card, position)
        if parts.redraw[card] and _may_redraw(game, parts):
            game.phase = REDRAW_PHASE
            return
    _next_play(game, parts)


@kernel
def _colours_it_can_have_held(game: Record, parts: Record, card: int) -> int:
    """Bits of the colours that the hand can have had, by what this play shows ("can infer")."""
    if game.must_hide:
        return game.table_colours if game.plays > 0 else 1 << game.trump
    fails_to_follow = game.follow == MUST and game.plays > 0 and parts.colour[card] != game.led
    return ALL_COLOURS & ~(1 << game.led) if fails_to_follow else ALL_COLOURS


@kernel
def _show_voids(game: Record, seat: int, held: int) -> None:
    """Marks the colours that a play has just shown the seat not to hold."""
    if held != ALL_COLOURS:
        for colour in range(BLACK + 1):
            if not (held >> colour) & 1:
                game.void_age[seat, colour] = 1


@kernel
def _lay_face_up(game: Record, parts: Record, card: int, position: int) -> None:
    game.shown |= BIT[card]
    colour = parts.colour[card]
    if game.led == NO_COLOUR:
        game.led = colour
    game.table_colours |= 1 << colour
    game.trick_revo += parts.revo[card]
    game.trick_gacha += parts.gacha[card]
    game.trick_dust += parts.dust[card]
    _compare(game, strength(game, parts, card), position)


@kernel
def strength(game: Record, parts: Record, card: int) -> int:
    """How strong a card is if it lies face up in this trick; 0 if it cannot win (G11-G17)."""
    number = card + 1 if game.order == HIGH else MAX_CARDS - card
    if game.follow == MAY:
        return number
    colour = parts.colour[card]
    if colour == game.trump:
        return number + TRUMP_BONUS
    return number if game.follow == MUST_NOT or colour == game.led else 0


@kernel
def _compare(game: Record, key: int, position: int) -> None:
    """Keeps the strongest and the second strongest play."""
    if key > game.top_key:
        game.second_key = game.top_key
        game.second_at = game.top_at
        game.top_key = key
        game.top_at = position
    elif key > game.second_key:
        game.second_key = key
        game.second_at = position


@kernel
def _next_play(game: Record, parts: Record) -> None:
    game.drawn = NO_CARD
    if game.plays < parts.players:
        _ask_for_card(game, parts, _seat_at(game, parts, game.plays))
    else:
        _finish_trick(game, parts)


@inlined
def _seat_at(game: Record, parts: Record, position: int) -> int:
    """The seat at a position of the trick."""
    seat = game.leader + position
    return seat - parts.players if seat >= parts.players else seat


@kernel
def winning_position(game: Record) -> int:
    """Whose play wins the trick as it lies: the strongest, under "may" the second (G11-G16)."""
    return game.second_at if game.follow == MAY else game.top_at


@kernel
def _finish_trick(game: Record, parts: Record) -> None:
    """Winner, revo, dust, cards and T point, gacha (G23)."""
    game.seat = _seat_at(game, parts, winning_position(game))
    if game.trick_revo > 0:
        game.order = 1 - game.order
    game.dust_left = min(game.trick_dust, parts.players)
    if game.dust_left > 0:
        game.phase = DUST_PHASE
    else:
        _take_trick(game, parts)


@inlined
def _dust_end(game: Record, parts: Record) -> int:
    """One past the last position whose discard leaves room for the rest (G20)."""
    return parts.players - game.dust_left + 1


@kernel
def _discard(game: Record, parts: Record, position: int) -> None:
    """The winner discards a card of the trick (G20)."""
    game.trick_gone |= BIT[position]
    game.dust_from = position + 1
    game.dust_left -= 1
    if game.dust_left == 0:
        _take_trick(game, parts)


@kernel
def _take_trick(game: Record, parts: Record) -> None:
    """The winner takes what is left and one T point, then a ball may be drawn (G21, G22)."""
    winner = game.seat
    for position in range(parts.players):
        if (game.trick_gone & BIT[position]) != NO_CARDS:
            continue
        down = (game.trick_down & BIT[position]) != NO_CARDS
        game.won[winner, WON_DOWN if down else parts.colour[game.trick_card[position]]] += 1
    game.won[winner, T_POINTS] += 1
    if game.trick_gacha > 0:
        _refill_empty_bag(game)
        game.phase = BALL_PHASE
    else:
        _end_trick(game, parts)


@kernel
def _refill_empty_bag(game: Record) -> None:
    if game.bag == NO_BALLS:
        game.bag = ALL_BALLS


@kernel
def _balls(game: Record, parts: Record) -> np.uint64:
    """Bits of the balls that can be drawn."""
    return ALL_BALLS if parts.trump_draw == SHUFFLE else game.bag


@kernel
def _turn_trump(game: Record, parts: Record, colour: int) -> None:
    """Trump becomes the ball's colour; the ball stays out, unless balls are shuffled (G22)."""
    game.trump = colour
    if parts.trump_draw != SHUFFLE:
        game.bag ^= BIT[colour]


@kernel
def _end_trick(game: Record, parts: Record) -> None:
    game.leader = game.seat
    game.previous_follow = game.follow
    game.trick += 1
    if game.trick < parts.tricks:
        _begin_trick(game)
    else:
        _end_round(game, parts)


# ==================================================================== redraw (G18)


@kernel
def _may_redraw(game: Record, parts: Record) -> bool:
    """Not in the last trick, where it changes nothing; nor from a stock without cards."""
    stock = game.undealt_count + game.returned_count - game.redrawn_count
    return game.trick < parts.tricks - 1 and stock > 0


@kernel
def _redraw(game: Record, parts: Record) -> None:
    """Draws the top card of the stock: by chance, or the returned card that is next."""
    if game.undealt_count > 0:
        game.phase = STOCK_PHASE
        return
    at = game.redrawn_count
    card, owner = game.returned[at], game.returner[at]
    game.redrawn_count += 1
    game.in_stock[owner] ^= BIT[card]
    game.drawn_again[owner] |= BIT[card]
    _remember(game, DREW_RETURNED, card, ALL_COLOURS)
    _hold_drawn(game, parts, card)


@kernel
def _hold_drawn(game: Record, parts: Record, card: int) -> None:
    """The drawn card joins the hand; voids shown before do not bind it."""
    seat = game.seat
    game.hand[seat] |= BIT[card]
    game.drawn_again[seat] &= ~BIT[card]
    for colour in range(BLACK + 1):
        if game.void_age[seat, colour] > 0:
            game.void_age[seat, colour] += 1
    game.drawn = card
    game.phase = RETURN_PHASE


@kernel
def _return(game: Record, parts: Record, card: int) -> None:
    """Puts a card of the hand at the bottom of the stock."""
    seat = game.seat
    _remember(game, RETURNED, card, ALL_COLOURS)
    game.hand[seat] ^= BIT[card]
    game.returned[game.returned_count] = card
    game.returner[game.returned_count] = seat
    game.returned_count += 1
    game.in_stock[seat] |= BIT[card]
    _next_play(game, parts)


# ==================================================================== scores


@kernel
def _end_round(game: Record, parts: Record) -> None:
    """Scores the round (G24-G26), then ends the game or begins the next round."""
    game.seat = NOBODY
    _count_vp(game, parts)
    game.scorings += 1
    for seat in range(parts.players):
        points = game.vp[seat] if parts.scoring == VP else _rank_points(game, parts, seat)
        game.points[seat] = points
        game.gained[seat] += points
        game.totals[seat] += points
    if _is_finished(game, parts):
        _finish_game(game, parts)
    else:
        _next_round(game, parts)


@kernel
def _count_vp(game: Record, parts: Record) -> None:
    """VP of every seat: sets of won cards, or misère for those without a trick (G24, G25)."""
    trickless = 0
    for seat in range(parts.players):
        trickless += game.won[seat, T_POINTS] == 0
    for seat in range(parts.players):
        won = game.won[seat]
        if won[T_POINTS] == 0:
            vp = parts.misere[trickless]
        else:
            vp = set_points(parts, won, won[WON_DOWN] + won[T_POINTS])
        game.vp[seat] = vp
        first = game.round_index == 0
        game.best_vp[seat] = vp if first else max(vp, game.best_vp[seat])
        game.worst_vp[seat] = vp if first else min(vp, game.worst_vp[seat])


@kernel
def set_points(parts: Record, counts: npt.NDArray[np.int8], wilds: int) -> int:
    """The best VP that coloured cards `counts` (5 or more,) and `wilds` can make (G24)."""
    best = 0
    fives = 0
    while _can_make(counts, wilds, fives, 0):
        fours = 0
        while _can_make(counts, wilds, fives, fours + 1):
            fours += 1
        best = max(best, parts.five_set * fives + parts.four_set * fours)
        fives += 1
    return best


@kernel
def _can_make(counts: npt.NDArray[np.int8], wilds: int, fives: int, fours: int) -> bool:
    """Whether so many sets of five and of four colours can be made: the page's closed form.

    Each of the sets needs every colour, but each set of four may leave out one of them.
    """
    missing = 0
    spared = 0
    for colour in range(BALLS):
        lack = max(0, fives + fours - counts[colour])
        missing += lack
        spared += min(lack, fours)
    return missing - min(fours, spared) <= wilds


@kernel
def _rank_points(game: Record, parts: Record, seat: int) -> int:
    """WP by the rank of the seat's VP; equal VP, equal rank, no rank is skipped (G26)."""
    vp = game.vp[seat]
    if vp < 1:
        return 0
    rank = 0
    for other in range(parts.players):
        rank += game.vp[other] > vp and not _stands_before(game, other)
    return parts.rank_wp[rank]


@kernel
def _stands_before(game: Record, seat: int) -> bool:
    """Whether a seat before this one has the same VP, so that their rank counts once."""
    for other in range(seat):
        if game.vp[other] == game.vp[seat]:
            return True
    return False


@kernel
def _is_finished(game: Record, parts: Record) -> bool:
    """Sets `ending` where the game ends with this round (G27, G28, G29)."""
    last_round = game.round_index + 1 >= parts.rounds
    if parts.scoring == VP:
        if last_round:
            game.ending = ROUNDS_PLAYED
        return last_round
    for seat in range(parts.players):
        if game.totals[seat] >= parts.target:
            game.ending = TARGET_REACHED
            return True
    if last_round:
        game.ending = TRUNCATED
    return last_round


@kernel
def _next_round(game: Record, parts: Record) -> None:
    game.round_index += 1
    game.logged = 0
    restart_stream(game)
    game.first_leader = _next_first_leader(game, parts)
    _begin_round(game, parts)


@kernel
def _next_first_leader(game: Record, parts: Record) -> int:
    """The next seat clockwise, or the nearest of those with most or fewest points (G7)."""
    named = (game.first_leader + 1) % parts.players
    if parts.next_leader == ROTATE:
        return named
    best = named
    for offset in range(1, parts.players):
        seat = (named + offset) % parts.players
        difference = game.totals[seat] - game.totals[best]
        if (difference < 0) if parts.next_leader == FEWEST else (difference > 0):
            best = seat
    return best


@kernel
def _finish_game(game: Record, parts: Record) -> None:
    """Names the winners, or lets equals draw for the win (G27, G28)."""
    leaders = 0
    for seat in range(parts.players):
        game.winners[seat] = _is_unbeaten(game, parts, seat)
        leaders += game.winners[seat]
    game.phase = OVER_PHASE
    if leaders > 1 and parts.scoring == VP and parts.tie == DRAW:
        for seat in range(parts.players):
            game.tied[seat] = game.winners[seat]
            game.winners[seat] = 0
        _next_tie_draw(game, parts)


@kernel
def _is_unbeaten(game: Record, parts: Record, seat: int) -> bool:
    for other in range(parts.players):
        ahead = game.totals[other] - game.totals[seat]
        if ahead > 0 or (ahead == 0 and _tie_break(game, parts, other, seat) > 0):
            return False
    return True


@kernel
def _tie_break(game: Record, parts: Record, seat: int, other: int) -> int:
    """Above 0 where `seat` is ahead of `other` among equals (G27 T points, G28 spread)."""
    if parts.scoring == WP:
        return game.won[seat, T_POINTS] - game.won[other, T_POINTS]
    spread = game.best_vp[seat] - game.worst_vp[seat]
    return game.best_vp[other] - game.worst_vp[other] - spread


@kernel
def _next_tie_draw(game: Record, parts: Record) -> None:
    """Lets the next tied seat draw; the largest number wins (G28)."""
    best = NOBODY
    for seat in range(parts.players):
        if not game.tied[seat]:
            continue
        if game.tie_card[seat] == NO_CARD:
            game.phase = TIE_DRAW_PHASE
            game.seat = seat
            return
        if best == NOBODY or game.tie_card[seat] > game.tie_card[best]:
            best = seat
    game.winners[best] = 1
    game.phase = OVER_PHASE
    game.seat = NOBODY


# ==================================================================== chance


@kernel
def _is_possible(game: Record, parts: Record, outcome: int) -> bool:
    """Whether `outcome` can come at the present chance node."""
    phase = game.phase
    if phase == FIRST_LEADER_PHASE:
        return 0 <= outcome < parts.players
    if phase == BALL_PHASE:
        return 0 <= outcome < BALLS and (_balls(game, parts) & BIT[outcome]) != NO_BALLS
    card = outcome - 1
    if not 0 <= card < parts.cards:
        return False
    if phase == TIE_DRAW_PHASE:
        return not _is_tie_card(game, parts, card)
    at = game.undealt_at[card]
    return at < game.undealt_count and game.undealt[at] == card


@kernel
def _is_tie_card(game: Record, parts: Record, card: int) -> bool:
    """Whether a tied seat has drawn this card already."""
    for seat in range(parts.players):
        if game.tied[seat] and game.tie_card[seat] == card:
            return True
    return False


@kernel
def _sample_tie_card(game: Record, parts: Record) -> int:
    """Draws the number of a card that no tied seat has drawn yet (G28)."""
    while True:
        card = draw(game, parts.cards)
        if not _is_tie_card(game, parts, card):
            return card + 1
