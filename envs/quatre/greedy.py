"""The scripted player of quatre: weighs every place of the card drawn by what it scores.

What counts is the own score less the mean of the others', as the board would be scored right
after the placement. Fruits count again in later scorings (weighed by `LATER`, for they can grow and
be covered), and so does a collected card, for which this is certain. The card goes back if the
cards in the bag promise more than it does.

The card drawn is tried at every place, exactly. What another card might do is estimated: the
worth of each of its symbols alone at its cell, and what its fruits gain from touching each other.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.bits import lowest_bit
from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.quatre.rules import (
    NO_LANES,
    collect_action,
    gain_of_fruit,
    is_fruit,
    lanes_clear_of_fruit,
    lay_card,
    lay_symbol,
    place_columns,
)
from tefuda.envs.quatre.state import (
    CREAM,
    FIRST_FRUIT,
    FRUIT_COUNT,
    ORTHOGONAL,
    QUARTER_TURNS,
    SYMBOL_COUNT,
    TURN_BITS,
    TURN_MASK,
)

# How much of what fruits gain at the next scoring they are expected to gain at each later one.
# Against itself the player does no better with 0.5 or 1.5, nor with other weights for the others.
LATER = 1.0

_ONE = np.uint64(1)
_NOTHING = -1.0e9

Floats = npt.NDArray[np.float64]
Worths = npt.NDArray[np.float64]  # (symbols, cells)
Changes = npt.NDArray[np.int16]  # (fruits, places)
# Copies of board, free, group, group_size, ring and group_points.
Kept = tuple[Any, Any, Any, Any, Any, Any]


@kernel
def greedy(game: Record, parts: Record, holder: Record) -> int:
    """The scripted player's action."""
    kept = keep_board(game)
    return best_action(game, parts, try_places(game, parts, kept), kept)


@kernel
def best_action(game: Record, parts: Record, changes: Changes, kept: Kept) -> int:
    """The scripted player's action, with what every place changes (see `try_places`)."""
    weights = fruit_weights(game, parts)
    place, gain = _best_place(game, parts, weights, changes)
    certain = _worth_of_collecting(game, parts)
    if game.redrawn == 0:
        worths = _symbol_worths(game, parts, weights, kept)
        here = _promise(game, parts, game.card, weights, worths, certain)
        if _promise_of_bag(game, parts, weights, worths, certain) > here:
            return collect_action(parts) + 1
    return place if gain > certain else collect_action(parts)


@kernel
def _worth_of_collecting(game: Record, parts: Record) -> float:
    """The point that a collected card makes in each scoring, as a gain at the next scoring."""
    scorings = parts.scorings - game.scorings
    return scorings / (1.0 + LATER * (scorings - 1))


@kernel
def fruit_weights(game: Record, parts: Record) -> Floats:
    """What a point of each fruit is worth to the acting seat, (4,)."""
    weights = np.zeros(FRUIT_COUNT)
    for fruit in range(FRUIT_COUNT):
        owner = parts.owner[fruit]
        if owner != NOBODY:
            own = parts.actor_seat[owner] == game.seat
            weights[fruit] = 1.0 if own else -1.0 / (parts.players - 1)
    return weights


# ==================================================================== trying things on the board


@kernel
def keep_board(game: Record) -> Kept:
    """Copies of all that laying a card changes."""
    return (
        game.board.copy(), game.free.copy(), game.group.copy(), game.group_size.copy(),
        game.ring.copy(), game.group_points.copy(),
    )  # fmt: skip


@kernel
def restore_board(game: Record, kept: Kept) -> None:
    """Takes back what was laid, to the last bit."""
    game.board[:] = kept[0]
    game.free[:] = kept[1]
    game.group[:] = kept[2]
    game.group_size[:] = kept[3]
    game.ring[:] = kept[4]
    game.group_points[:] = kept[5]


@kernel
def _standing(game: Record, weights: Floats) -> float:
    """What the board would score now."""
    standing = 0.0
    for fruit in range(FRUIT_COUNT):
        standing += weights[fruit] * game.group_points[fruit]
    return standing


@kernel
def try_places(game: Record, parts: Record, kept: Kept) -> Changes:
    """What laying the card drawn on each place where it may lie adds to each fruit's points."""
    changes = np.zeros((FRUIT_COUNT, collect_action(parts)), np.int16)
    for top in range(len(game.places)):
        lanes = game.places[top]
        while lanes != NO_LANES:
            action = top * QUARTER_TURNS * place_columns(parts) + lowest_bit(lanes)
            lanes &= lanes - _ONE
            lay_card(game, parts, action)
            for fruit in range(FRUIT_COUNT):
                changes[fruit, action] = game.group_points[fruit] - kept[5][fruit]
            restore_board(game, kept)
    return changes


@kernel
def gain_of_place(weights: Floats, changes: Changes, action: int) -> float:
    """What a place gains at the next scoring."""
    gain = 0.0
    for fruit in range(FRUIT_COUNT):
        gain += weights[fruit] * changes[fruit, action]
    return gain


@kernel
def _best_place(
    game: Record, parts: Record, weights: Floats, changes: Changes
) -> tuple[int, float]:
    """The place that gains most at the next scoring, and what it gains."""
    best, best_gain = -1, _NOTHING
    for top in range(len(game.places)):
        lanes = game.places[top]
        while lanes != NO_LANES:
            action = top * QUARTER_TURNS * place_columns(parts) + lowest_bit(lanes)
            lanes &= lanes - _ONE
            gain = gain_of_place(weights, changes, action)
            if gain > best_gain:
                best, best_gain = action, gain
    return best, best_gain


# ==================================================================== what other cards promise


@kernel
def _symbol_worths(game: Record, parts: Record, weights: Floats, kept: Kept) -> Worths:
    """What each symbol alone gains on each cell, (symbols, cells)."""
    worths = np.zeros((SYMBOL_COUNT, len(game.board)))
    before = _standing(game, weights)
    rows, columns = parts.marks.shape
    overhang = parts.bare.shape[1] - 1
    for cell in range(rows * columns):
        row, column = cell // columns, cell % columns
        if parts.marks[row, column] == 0:
            continue
        if is_fruit(game.board[cell]):
            lay_symbol(game, parts, row + overhang, column + overhang, CREAM)
            worths[CREAM, cell] = _standing(game, weights) - before
            restore_board(game, kept)
        else:
            for fruit in range(FRUIT_COUNT):
                gain = gain_of_fruit(game, parts, cell, FIRST_FRUIT + fruit)
                worths[FIRST_FRUIT + fruit, cell] = weights[fruit] * gain
    return worths


@kernel
def _promise_of_bag(
    game: Record, parts: Record, weights: Floats, worths: Worths, certain: float
) -> float:
    """The mean of what the cards of the bag promise, the card drawn put back among them."""
    total = 0.0
    for kind in range(len(game.bag)):
        copies = game.bag[kind] + (1 if kind == game.card else 0)
        if copies > 0:
            total += copies * _promise(game, parts, kind, weights, worths, certain)
    return total / (game.bag_left + 1)


@kernel
def _promise(
    game: Record,
    parts: Record,
    kind: int,
    weights: Floats,
    worths: Worths,
    certain: float,
) -> float:
    """An estimate of what a kind of card is worth, placed where it is best, or collected."""
    best = _NOTHING
    bare = parts.bare[kind]
    for top in range(len(game.places)):
        lanes = parts.on_marks[kind, top] & lanes_clear_of_fruit(game, bare, top)
        while lanes != NO_LANES:
            best = max(best, _estimate(parts, kind, worths, top, lowest_bit(lanes)))
            lanes &= lanes - _ONE
    return max(best + _own_touch(parts, kind, weights), certain)


@kernel
def _estimate(parts: Record, kind: int, worths: Worths, top: int, lane_bit: int) -> float:
    """The worths of a card's symbols at a place."""
    turn = lane_bit & TURN_MASK
    overhang = parts.bare.shape[1] - 1
    columns = parts.marks.shape[1]
    corner = (top - overhang) * columns + (lane_bit >> TURN_BITS) - overhang
    worth = 0.0
    for k in range(parts.printed[kind]):
        cell = corner + parts.cell_row[kind, turn, k] * columns + parts.cell_column[kind, turn, k]
        worth += float(worths[parts.cell_symbol[kind, turn, k], cell])
    return worth


@kernel
def _own_touch(parts: Record, kind: int, weights: Floats) -> float:
    """What the fruits of a card gain from lying side by side on it: 2 for each pair."""
    worth = 0.0
    for k in range(parts.printed[kind]):
        symbol = parts.cell_symbol[kind, 0, k]
        for j in range(k):
            if is_fruit(symbol) and parts.cell_symbol[kind, 0, j] == symbol:
                down = abs(parts.cell_row[kind, 0, k] - parts.cell_row[kind, 0, j])
                right = abs(parts.cell_column[kind, 0, k] - parts.cell_column[kind, 0, j])
                diagonal = parts.adjacency != ORTHOGONAL and down == 1 and right == 1
                if down + right == 1 or diagonal:
                    worth += 2.0 * float(weights[symbol - FIRST_FRUIT])
    return worth
