"""The rules of quatre as kernels; the ids in the docstrings are those of the game's page.

The functions of `core.contract` come first, then a play, where a card may lie, how it is laid,
and the scores.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import BIT, WORD, count_bits, lowest_bit, write_bits
from tefuda.envs.core.chance import draw, draw_seed, restart_stream
from tefuda.envs.core.contract import CHANCE, DECISION, NOBODY, OVER, SEEN, note
from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.quatre.state import (
    CREAM,
    DRAW_PHASE,
    FIRST_FRUIT,
    FRUIT_COUNT,
    LANES,
    NO_ACTOR,
    NO_CARD,
    NOTHING,
    OVER_PHASE,
    PLAY_PHASE,
    QUARTER_TURNS,
    TURN_BITS,
    TURN_MASK,
    TURNS_PLAYED,
)

# The shift that moves a word of lanes by so many columns, and the four bits of a column.
LANE_SHIFT = np.arange(0, QUARTER_TURNS * LANES, QUARTER_TURNS, dtype=np.uint64)
LANE = np.uint64(2**QUARTER_TURNS - 1) << LANE_SHIFT
ALL_LANES = np.uint64(2**WORD - 1)
NO_LANES = np.uint64(0)

_ONE = np.uint64(1)

__all__ = [
    "apply", "apply_chance", "chances", "is_legal", "legal", "news", "node", "random_action",
    "resample", "sample_chance", "sees", "settle", "start",
]  # fmt: skip


# ==================================================================== the contract


@kernel
def start(game: Record, parts: Record) -> None:
    """Begins a game: an empty board, a full bag, the first order 0, 1, ... (Q6, Q7)."""
    restart_stream(game)
    game.free[:] = ALL_LANES
    game.bag[:] = parts.copies
    game.bag_left = parts.cards
    for actor in range(parts.actors):
        game.order[actor] = actor
    _begin_play(game, parts)


@inlined
def node(game: Record) -> int:
    """The kind of the present node."""
    if game.phase == PLAY_PHASE:
        return DECISION
    return OVER if game.phase == OVER_PHASE else CHANCE


@kernel
def legal(game: Record, parts: Record, mask: npt.NDArray[np.int8]) -> None:
    """Writes the mask (A,) of the acting seat; all zero at a chance node and at the end."""
    if game.phase != PLAY_PHASE:
        mask[:] = 0
        return
    columns = place_columns(parts)
    whole = columns // 2 * 2
    at = 0
    for row in range(len(game.places)):
        lanes = game.places[row]
        write_bits(lanes, QUARTER_TURNS * whole, mask, at)
        if whole < columns:
            for turn in range(QUARTER_TURNS):
                lane_bit = BIT[QUARTER_TURNS * whole + turn]
                mask[at + QUARTER_TURNS * whole + turn] = (lanes & lane_bit) != NO_LANES
        at += QUARTER_TURNS * columns
    mask[at] = 1
    mask[at + 1] = 1 - game.redrawn


@kernel
def is_legal(game: Record, parts: Record, action: int) -> bool:
    """Whether the acting seat may take `action`; the same as `legal` writes."""
    if game.phase != PLAY_PHASE or action < 0:
        return False
    collect = collect_action(parts)
    if action >= collect:
        return action == collect or (action == collect + 1 and game.redrawn == 0)
    row_length = QUARTER_TURNS * place_columns(parts)
    row = action // row_length
    return (game.places[row] & BIT[action - row * row_length]) != NO_LANES


@kernel
def apply(game: Record, parts: Record, action: int) -> None:
    """Plays one decision: places, collects or redraws (Q8)."""
    note(game, action)
    collect = collect_action(parts)
    if action < collect:
        lay_card(game, parts, action)
        _end_play(game, parts)
    elif action == collect:
        game.collected[game.actor] += 1
        _end_play(game, parts)
    else:
        game.bag[game.card] += 1
        game.bag_left += 1
        game.redrawn = 1
        _ask_for_draw(game)


@kernel
def chances(
    game: Record, parts: Record, outcomes: npt.NDArray[np.int16], weights: npt.NDArray[np.int16]
) -> int:
    """Writes the kinds in the bag, weighted by their copies."""
    count = 0
    for kind in range(len(game.bag)):
        if game.bag[kind] > 0:
            outcomes[count] = kind
            weights[count] = game.bag[kind]
            count += 1
    return count


@kernel
def apply_chance(game: Record, parts: Record, outcome: int) -> None:
    """A card of the kind `outcome` comes out of the bag and is seen by all (Q8)."""
    note(game, outcome)
    game.bag[outcome] -= 1
    game.bag_left -= 1
    game.card = outcome
    game.phase = PLAY_PHASE
    _find_places(game, parts)


@kernel
def sample_chance(game: Record, parts: Record) -> int:
    """Draws a kind from the game's stream, by the copies in the bag."""
    rest = draw(game, game.bag_left)
    kind = 0
    while rest >= game.bag[kind]:
        rest -= game.bag[kind]
        kind += 1
    return kind


@kernel
def settle(game: Record, parts: Record) -> None:
    """Draws a card if one is due."""
    if game.phase == DRAW_PHASE:
        apply_chance(game, parts, sample_chance(game, parts))


@kernel
def random_action(game: Record, parts: Record, holder: Record) -> int:
    """Draws a legal action uniformly with the stream of `holder`."""
    count = 0
    for row in range(len(game.places)):
        count += count_bits(game.places[row])
    # Above the places stand collect and, once a play, redraw.
    rest = draw(holder, count + 2 - game.redrawn)
    if rest >= count:
        return collect_action(parts) + rest - count
    row = 0
    here = count_bits(game.places[0])
    while rest >= here:
        rest -= here
        row += 1
        here = count_bits(game.places[row])
    lanes = game.places[row]
    for _ in range(rest):
        lanes &= lanes - _ONE
    return row * QUARTER_TURNS * place_columns(parts) + lowest_bit(lanes)


@kernel
def sees(game: Record, parts: Record, seat: int, value: int) -> int:
    """All is public ("Who sees what")."""
    return SEEN


@kernel
def news(game: Record, parts: Record, seat: int, values: npt.NDArray[np.int16]) -> int:
    """Nothing: the events tell all."""
    return 0


@kernel
def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Makes the future of the bag anew; nothing else is hidden from anybody."""
    game.seed = draw_seed(holder)
    restart_stream(game)


# ==================================================================== plays and turns


@kernel
def _begin_play(game: Record, parts: Record) -> None:
    """The next in the order takes its play (Q6)."""
    game.actor = game.order[game.plays]
    game.seat = parts.actor_seat[game.actor]
    game.redrawn = 0
    _ask_for_draw(game)


@kernel
def _ask_for_draw(game: Record) -> None:
    game.card = NO_CARD
    game.phase = DRAW_PHASE


@kernel
def _end_play(game: Record, parts: Record) -> None:
    """Goes on to the next play, over the end of a turn and its scoring (Q6, Q13)."""
    game.plays += 1
    if game.plays == parts.actors:
        game.plays = 0
        if parts.scores_after[game.turn]:
            _score(game, parts)
        game.turn += 1
    if game.turn < parts.turns:
        _begin_play(game, parts)
    else:
        _finish_game(game, parts)


# ==================================================================== where a card may lie


@inlined
def place_columns(parts: Record) -> int:
    """W, the columns on which the left side of a card can lie; known to the compiler."""
    return parts.marks.shape[1] + parts.bare.shape[1] - 1


@inlined
def collect_action(parts: Record) -> int:
    """The action id of collecting; known to the compiler."""
    return QUARTER_TURNS * parts.on_marks.shape[1] * place_columns(parts)


@kernel
def _find_places(game: Record, parts: Record) -> None:
    """Finds where the card drawn may lie, all columns and turns of a row at once (Q9, Q10)."""
    on_marks = parts.on_marks[game.card]
    bare = parts.bare[game.card]
    for top in range(len(game.places)):
        game.places[top] = on_marks[top] & lanes_clear_of_fruit(game, bare, top)


@inlined
def lanes_clear_of_fruit(game: Record, bare: npt.NDArray[np.uint64], top: int) -> np.uint64:
    """Lanes where a card with its top on a row puts no fruit on visible fruit (Q10).

    In each cell of the card either the turn has no fruit there (`bare`), or the board has none.
    """
    lanes = ALL_LANES
    for row in range(bare.shape[0]):
        free = game.free[top + row]
        for column in range(bare.shape[1]):
            lanes &= (free >> LANE_SHIFT[column]) | bare[row, column]
    return lanes


# ==================================================================== laying a card


@kernel
def lay_card(game: Record, parts: Record, action: int) -> None:
    """Lays the card drawn on the board (Q9, Q10)."""
    kind = game.card
    turn = action & TURN_MASK
    corner = action >> TURN_BITS
    columns = place_columns(parts)
    row = corner // columns
    column = corner % columns
    for k in range(parts.printed[kind]):
        symbol = parts.cell_symbol[kind, turn, k]
        lane_row = row + parts.cell_row[kind, turn, k]
        lane = column + parts.cell_column[kind, turn, k]
        lay_symbol(game, parts, lane_row, lane, symbol)


@kernel
def lay_symbol(game: Record, parts: Record, row: int, lane: int, symbol: int) -> None:
    """Lays a fruit or cream, which hides what lay there; row and column count as in `free`."""
    overhang = parts.bare.shape[1] - 1
    cell = (row - overhang) * parts.marks.shape[1] + lane - overhang
    if symbol == CREAM:
        if is_fruit(game.board[cell]):
            _hide_fruit(game, parts, cell)
            game.free[row] |= LANE[lane]
        game.board[cell] = CREAM
    else:
        game.free[row] &= ~LANE[lane]
        _show_fruit(game, parts, cell, symbol)


@inlined
def is_fruit(symbol: int) -> bool:
    """Whether a symbol is one of the four fruits."""
    return FIRST_FRUIT <= symbol < CREAM


@kernel
def may_take_fruit(game: Record, parts: Record, cell: int) -> bool:
    """Whether a fruit may be laid on a cell: a mark is there, and no visible fruit (Q9, Q10)."""
    columns = parts.marks.shape[1]
    mark = parts.marks[cell // columns, cell % columns]
    return mark != 0 and not is_fruit(game.board[cell])


# ==================================================================== groups (Q13)


@kernel
def _show_fruit(game: Record, parts: Record, cell: int, symbol: int) -> None:
    """A fruit appears on a cell: a group of its own, which then meets its neighbours."""
    game.board[cell] = symbol
    game.group[cell] = cell
    game.group_size[cell] = 1
    game.ring[cell] = cell
    game.group_points[symbol - FIRST_FRUIT] += 1
    for k in range(parts.neighbour_count[cell]):
        neighbour = parts.neighbours[cell, k]
        if game.board[neighbour] == symbol:
            _join(game, game.group[cell], game.group[neighbour], symbol)


@kernel
def _join(game: Record, one: int, other: int, symbol: int) -> None:
    """Two groups become one: where a and b score their squares, a + b scores 2ab more."""
    if one == other:
        return
    larger, smaller = one, other
    if game.group_size[larger] < game.group_size[smaller]:
        larger, smaller = other, one
    growth = game.group_size[smaller]
    game.group_points[symbol - FIRST_FRUIT] += 2 * game.group_size[larger] * growth
    game.group_size[larger] += growth
    cell = smaller
    for _ in range(growth):
        game.group[cell] = larger
        cell = game.ring[cell]
    # Exchanging the followers of a cell each makes one ring of two.
    follower = game.ring[larger]
    game.ring[larger] = game.ring[smaller]
    game.ring[smaller] = follower


@kernel
def _hide_fruit(game: Record, parts: Record, cell: int) -> None:
    """A fruit is covered: the rest of its group is taken up and laid anew, maybe in pieces."""
    symbol = game.board[cell]
    size = game.group_size[game.group[cell]]
    game.group_points[symbol - FIRST_FRUIT] -= size * size
    member = cell
    for _ in range(size):
        game.board[member] = NOTHING
        member = game.ring[member]
    member = game.ring[cell]
    for _ in range(size - 1):
        follower = game.ring[member]
        _show_fruit(game, parts, member, symbol)
        member = follower


@kernel
def gain_of_fruit(game: Record, parts: Record, cell: int, symbol: int) -> int:
    """What a fruit of the kind `symbol` on a cell without a fruit adds to its groups' points."""
    joined, squares = 1, 0
    for k in range(parts.neighbour_count[cell]):
        neighbour = parts.neighbours[cell, k]
        if game.board[neighbour] == symbol and not _is_known_group(game, parts, cell, k):
            size = game.group_size[game.group[neighbour]]
            joined += size
            squares += size * size
    return joined * joined - squares


@kernel
def _is_known_group(game: Record, parts: Record, cell: int, k: int) -> bool:
    """Whether an earlier neighbour of a cell lies in the group of its neighbour k."""
    neighbour = parts.neighbours[cell, k]
    for earlier in range(k):
        other = parts.neighbours[cell, earlier]
        same_symbol = game.board[other] == game.board[neighbour]
        if same_symbol and game.group[other] == game.group[neighbour]:
            return True
    return False


# ==================================================================== scores


@kernel
def _score(game: Record, parts: Record) -> None:
    """Scores the board and the collected cards; then the order changes (Q13, Q14)."""
    game.scorings += 1
    game.points[:] = 0
    for actor in range(parts.actors):
        points = game.collected[actor]
        for fruit in range(FRUIT_COUNT):
            if parts.owner[fruit] == actor:
                points += game.group_points[fruit]
        game.actor_totals[actor] += points
        game.points[parts.actor_seat[actor]] += points
    for seat in range(parts.players):
        game.gained[seat] += game.points[seat]
        game.totals[seat] += game.points[seat]
    if game.turn + 1 < parts.turns:
        _reorder(game, parts)


@kernel
def _reorder(game: Record, parts: Record) -> None:
    """Highest total first; of equals, who acted later goes first (Q14)."""
    for place in range(1, parts.actors):
        actor = game.order[place]
        total = game.actor_totals[actor]
        at = place
        while at > 0 and game.actor_totals[game.order[at - 1]] <= total:
            game.order[at] = game.order[at - 1]
            at -= 1
        game.order[at] = actor


@kernel
def _finish_game(game: Record, parts: Record) -> None:
    """The highest total wins, equals share (Q15)."""
    best = 0
    for seat in range(parts.players):
        best = max(best, game.totals[seat])
    for seat in range(parts.players):
        game.winners[seat] = game.totals[seat] == best
    game.ending = TURNS_PLAYED
    game.phase = OVER_PHASE
    game.seat = NOBODY
    game.actor = NO_ACTOR
    game.card = NO_CARD
