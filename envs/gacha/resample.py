"""Redraws what a seat cannot know: the hands of others, their hidden plays, draws and returns.

Every card that another seat has held in this round is an *item*: it came by the deal or by a
draw, and went by a play or a return, or is still held. The seat knows some items (cards played
face up, cards that it returned or drew itself). Of the others it knows which colours they can
have: whatever a seat held while it showed a void (page, "What a seat can infer").

A world is drawn in two steps. First each draw of another seat gets its item, uniformly among
those in the hand right after the draw: since every hidden choice has the same probability in all
worlds (any card of a hand whose size is public), all ways to do so are equally likely. A card
drawn from the returned ones *is* the card that was returned, so that the two items are linked.
Then the unknown items get cards, the most restricted first, each uniformly among the unknown
cards that it can be; what is left over lies in the stock.

The second step favours worlds in which earlier items left little choice. Rejection mends that:
a world is accepted with the product of its numbers of choices over the largest that product can
be, which makes all consistent worlds equally likely. Where no world is accepted within
`MOST_ATTEMPTS`, which takes many redraws and voids at once, one of those seen is used, chosen in
proportion to its product (by Metropolis steps), and the distribution is only nearly uniform.
"""

import numpy as np

from tefuda.envs.core.bits import BIT, count_bits, random_bit
from tefuda.envs.core.chance import draw, draw_fraction, draw_seed, restart_stream
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.gacha.state import (
    ALL_COLOURS,
    DREW_RETURNED,
    DREW_STOCK,
    MAX_HISTORY,
    NO_CARD,
    PLAY_ACTION,
    PLAYED_DOWN,
    PLAYED_UP,
    RETURN_ACTION,
    RETURN_PHASE,
    RETURNED,
)

MOST_ATTEMPTS = 2000

# An item that is still held goes after every event of the history.
STILL_HELD = MAX_HISTORY
# Where an item came from if not by a draw.
DEALT = -1
# Where a draw came from if not from the returned cards.
FROM_UNDEALT = -1

_NO_CARDS = np.uint64(0)


@kernel
def redraw_hidden(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Replaces all that is hidden from `seat`, and makes the future anew, with `holder.stream`."""
    _list_items(game, parts, seat)
    _order_unknown_items(game, parts, seat)
    kept = 0.0
    for _ in range(MOST_ATTEMPTS):
        ratio = _propose(game, parts, seat, holder)
        if ratio == 0.0:
            continue
        accepted = draw_fraction(holder) < ratio
        if accepted or draw_fraction(holder) * kept < ratio:
            _keep_proposal(game)
            kept = ratio
        if accepted:
            break
    if kept > 0.0:
        _rewrite_hidden(game, parts, seat, holder)
    game.seed = draw_seed(holder)
    restart_stream(game)


# ==================================================================== what is known


@kernel
def known_cards(game: Record, seat: int) -> np.uint64:
    """Bits of the cards whose course `seat` knows, at least in part."""
    returned = game.in_stock[seat] | game.drawn_again[seat]
    return game.hand[seat] | game.shown | game.hidden[seat] | returned


@kernel
def _list_items(game: Record, parts: Record, seat: int) -> None:
    """Lists the items of other seats and the seat's own returns, the draws, and the voids."""
    game.item_count = 0
    game.show_count = 0
    game.draw_count = 0
    returns, redraws = 0, 0
    for at in range(game.history_count):
        kind, who, card = game.history_kind[at], game.history_seat[at], game.history_card[at]
        if game.history_held[at] != ALL_COLOURS:
            game.show_at[game.show_count] = at
            game.show_count += 1
        if kind == DREW_STOCK or kind == DREW_RETURNED:
            _list_draw(game, seat, at, redraws)
            redraws += kind == DREW_RETURNED
        elif kind == RETURNED:
            game.return_item[returns] = game.item_count
            returns += 1
            _list_item(game, who, at, card if who == seat else NO_CARD)
            if who == seat:
                game.item_dealt_allowed[game.item_count - 1] = ALL_COLOURS
        elif who != seat:
            _list_item(game, who, at, card if kind == PLAYED_UP else NO_CARD)
    for other in range(parts.players):
        if other != seat:
            for _ in range(count_bits(game.hand[other])):
                _list_item(game, other, STILL_HELD, NO_CARD)


@kernel
def _list_draw(game: Record, seat: int, at: int, redraws: int) -> None:
    """Lists another seat's draw; an own draw tells the card that somebody returned."""
    from_returned = game.history_kind[at] == DREW_RETURNED
    if game.history_seat[at] == seat:
        if from_returned:
            game.item_known[game.return_item[redraws]] = game.history_card[at]
        return
    game.draw_at[game.draw_count] = at
    game.draw_of[game.draw_count] = redraws if from_returned else FROM_UNDEALT
    game.draw_count += 1


@kernel
def _list_item(game: Record, who: int, until: int, known: int) -> None:
    item = game.item_count
    game.item_seat[item] = who
    game.item_until[item] = until
    game.item_known[item] = known
    game.item_dealt_allowed[item] = _allowed_colours(game, who, DEALT, until)
    game.item_count += 1


@kernel
def _allowed_colours(game: Record, who: int, since: int, until: int) -> int:
    """Bits of the colours that an item of `who` can have, held from `since` to `until`.

    The play by which it goes, at `until`, binds it too.
    """
    allowed = ALL_COLOURS
    for k in range(game.show_count):
        at = game.show_at[k]
        if since < at <= until and game.history_seat[at] == who:
            allowed &= game.history_held[at]
    return allowed


@kernel
def _order_unknown_items(game: Record, parts: Record, seat: int) -> None:
    """Orders the unknown items, those with the fewest possible cards first.

    Also bounds the choices of each: as if it had come by the latest draw it can have come by,
    less the earlier items that must have taken one of the same cards.
    """
    unknown = parts.of_colours[ALL_COLOURS] & ~known_cards(game, seat)
    game.order_count = 0
    for item in range(game.item_count):
        if game.item_known[item] != NO_CARD:
            continue
        widest = _allowed_colours(
            game, game.item_seat[item], _latest_draw(game, item), game.item_until[item]
        )
        game.item_allowed[item] = widest
        game.item_most[item] = count_bits(unknown & parts.of_colours[widest])
        _insert_in_order(game, item)
    for k in range(game.order_count - 1, -1, -1):
        item = game.order_item[k]
        for earlier in range(k):
            allowed = game.item_allowed[game.order_item[earlier]]
            game.item_most[item] -= allowed & game.item_allowed[item] == allowed
        game.item_most[item] = max(1, game.item_most[item])


@kernel
def _latest_draw(game: Record, item: int) -> int:
    """The latest draw by which an item can have come."""
    latest = DEALT
    for k in range(game.draw_count):
        at = game.draw_at[k]
        if game.history_seat[at] == game.item_seat[item] and at < game.item_until[item]:
            latest = at
    return latest


@kernel
def _insert_in_order(game: Record, item: int) -> None:
    at = game.order_count
    while at > 0 and game.item_most[game.order_item[at - 1]] > game.item_most[item]:
        game.order_item[at] = game.order_item[at - 1]
        at -= 1
    game.order_item[at] = item
    game.order_count += 1


# ==================================================================== one world


@kernel
def _propose(game: Record, parts: Record, seat: int, holder: Record) -> float:
    """Draws a world; returns its probability of acceptance, 0 if it contradicts itself."""
    for item in range(game.item_count):
        game.item_drawn_at[item] = DEALT
        game.item_root[item] = item
        game.item_allowed[item] = game.item_dealt_allowed[item]
        game.item_card[item] = game.item_known[item]
    for k in range(game.draw_count - 1, -1, -1):
        game.draw_item[k] = _draw_item(game, game.draw_at[k], holder)
    for k in range(game.draw_count):
        if not _link(game, k):
            return 0.0
    if not _known_cards_fit(game, parts):
        return 0.0
    return _assign_cards(game, parts, seat, holder)


@kernel
def _draw_item(game: Record, at: int, holder: Record) -> int:
    """Chooses which item came by a draw: one in the hand right after it.

    Later draws have chosen already, so that their items are out of the question and the number
    of choices is the size of the hand.
    """
    who = game.history_seat[at]
    count = 0
    for item in range(game.item_count):
        count += _is_in_hand(game, item, who, at)
    left = draw(holder, count)
    for item in range(game.item_count):
        if _is_in_hand(game, item, who, at):
            if left == 0:
                game.item_drawn_at[item] = at
                return item
            left -= 1
    return 0


@kernel
def _is_in_hand(game: Record, item: int, who: int, at: int) -> bool:
    there = game.item_seat[item] == who and game.item_until[item] > at
    return there and game.item_drawn_at[item] == DEALT


@kernel
def _link(game: Record, k: int) -> bool:
    """Binds the item of a draw only from then on, and links it to what had been returned.

    Returns:
        Whether the two can be the same card.
    """
    item, at = game.draw_item[k], game.draw_at[k]
    who, until = game.item_seat[item], game.item_until[item]
    game.item_allowed[item] = _allowed_colours(game, who, at, until)
    if game.draw_of[k] == FROM_UNDEALT:
        return True
    root = game.item_root[game.return_item[game.draw_of[k]]]
    game.item_root[item] = root
    game.item_allowed[root] &= game.item_allowed[item]
    card = game.item_card[item]
    if card != NO_CARD:
        if game.item_card[root] != NO_CARD and game.item_card[root] != card:
            return False
        game.item_card[root] = card
    return True


@kernel
def _known_cards_fit(game: Record, parts: Record) -> bool:
    """Whether each known card stands once, and no void speaks against it."""
    seen = _NO_CARDS
    for item in range(game.item_count):
        card = game.item_card[item]
        if game.item_root[item] != item or card == NO_CARD:
            continue
        if (seen & BIT[card]) != _NO_CARDS:
            return False
        if not (game.item_allowed[item] >> parts.colour[card]) & 1:
            return False
        seen |= BIT[card]
    return True


@kernel
def _assign_cards(game: Record, parts: Record, seat: int, holder: Record) -> float:
    """Gives every unknown item a card; returns the probability of acceptance."""
    left = parts.of_colours[ALL_COLOURS] & ~known_cards(game, seat)
    ratio = 1.0
    for k in range(game.order_count):
        item = game.order_item[k]
        ratio /= game.item_most[item]
        if game.item_root[item] != item or game.item_card[item] != NO_CARD:
            continue
        choices = left & parts.of_colours[game.item_allowed[item]]
        if choices == _NO_CARDS:
            return 0.0
        card = random_bit(holder, choices)
        left ^= BIT[card]
        game.item_card[item] = card
        ratio *= count_bits(choices)
    game.left_undealt = left
    return ratio


@kernel
def _keep_proposal(game: Record) -> None:
    for item in range(game.item_count):
        game.kept_card[item] = game.item_card[game.item_root[item]]
        game.kept_drawn_at[item] = game.item_drawn_at[item]
    game.kept_undealt = game.left_undealt


# ==================================================================== the new record


@kernel
def _rewrite_hidden(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Writes the kept world into hands, history, log and stock."""
    for other in range(parts.players):
        if other != seat:
            game.hand[other] = _NO_CARDS
            game.hidden[other] = _NO_CARDS
    for item in range(game.item_count):
        _rewrite_item(game, item, seat)
    _rewrite_draws(game)
    _rewrite_deals(game, parts, seat, holder)
    _rewrite_returned(game, parts)
    _rewrite_trick(game)
    _rewrite_undealt(game, parts)


@kernel
def _rewrite_item(game: Record, item: int, seat: int) -> None:
    """Writes where an item went."""
    who, until, card = game.item_seat[item], game.item_until[item], game.kept_card[item]
    if until == STILL_HELD:
        game.hand[who] |= BIT[card]
        return
    game.history_card[until] = card
    kind = game.history_kind[until]
    if kind == RETURNED:
        game.log[game.history_at[until]] = RETURN_ACTION + card
    else:
        game.log[game.history_at[until]] = PLAY_ACTION + card
    if kind == PLAYED_DOWN:
        game.hidden[who] |= BIT[card]


@kernel
def _rewrite_draws(game: Record) -> None:
    """Writes which cards other seats drew; only draws of undealt cards are chance events."""
    for item in range(game.item_count):
        at = game.kept_drawn_at[item]
        if at == DEALT:
            continue
        card = game.kept_card[item]
        game.history_card[at] = card
        if game.history_kind[at] == DREW_STOCK:
            game.log[game.history_at[at]] = card + 1
        is_latest = at == game.draw_at[game.draw_count - 1]
        if is_latest and game.phase == RETURN_PHASE and game.seat == game.item_seat[item]:
            game.drawn = card


@kernel
def _rewrite_deals(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Writes the deals of other seats, each hand in random order."""
    for other in range(parts.players):
        if other == seat:
            continue
        begin = _first_deal(game) + other * parts.hand_size
        filled = 0
        for item in range(game.item_count):
            if game.item_seat[item] == other and game.kept_drawn_at[item] == DEALT:
                _insert_deal(game, begin + filled, begin, game.kept_card[item] + 1, holder)
                filled += 1


@kernel
def _first_deal(game: Record) -> int:
    """Where the deals begin in the log: behind the first leader in the first round."""
    return 1 if game.round_index == 0 else 0


@kernel
def _insert_deal(game: Record, end: int, begin: int, number: int, holder: Record) -> None:
    """Puts a card at a random place among the deals from `begin` on; `end` is the next place."""
    at = begin + draw(holder, end - begin + 1)
    game.log[end] = game.log[at]
    game.log[at] = number


@kernel
def _rewrite_returned(game: Record, parts: Record) -> None:
    """Writes the returned cards anew, and what their owners know of them."""
    for seat in range(parts.players):
        game.in_stock[seat] = _NO_CARDS
        game.drawn_again[seat] = _NO_CARDS
    returns, redraws = 0, 0
    for at in range(game.history_count):
        kind, who = game.history_kind[at], game.history_seat[at]
        bit = BIT[game.history_card[at]]
        if kind == RETURNED:
            game.returned[returns] = game.history_card[at]
            returns += 1
            game.in_stock[who] |= bit
        elif kind == DREW_RETURNED:
            owner = game.returner[redraws]
            redraws += 1
            game.in_stock[owner] ^= bit
            game.drawn_again[owner] |= bit
        if kind == DREW_STOCK or kind == DREW_RETURNED:
            game.drawn_again[who] &= ~bit


@kernel
def _rewrite_trick(game: Record) -> None:
    """Writes the cards of the present trick: the latest plays of the history."""
    position = game.plays
    at = game.history_count
    while position > 0:
        at -= 1
        if game.history_kind[at] == PLAYED_UP or game.history_kind[at] == PLAYED_DOWN:
            position -= 1
            game.trick_card[position] = game.history_card[at]


@kernel
def _rewrite_undealt(game: Record, parts: Record) -> None:
    count = 0
    for card in range(parts.cards):
        if (game.kept_undealt & BIT[card]) != _NO_CARDS:
            game.undealt[count] = card
            game.undealt_at[card] = count
            count += 1
