"""What the places that score most make of the board: how far the groups of fruit can still grow.

The scripted player weighs points alone, and of two places that score the same it takes the first.
What lies there until the next scoring grows, though, or is covered. The measures here tell places
apart by that; how much each of them counts is left to who learns from them.

A measure is the own fruits' value less the mean of the others', as the scripted player weighs
points.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.quatre.greedy import (
    Changes,
    Floats,
    Kept,
    gain_of_place,
    restore_board,
)
from tefuda.envs.quatre.rules import (
    collect_action,
    gain_of_fruit,
    is_legal,
    lay_card,
    may_take_fruit,
)
from tefuda.envs.quatre.state import FIRST_FRUIT, FRUIT_COUNT

# So many places are looked at, those that gain most at the next scoring.
BEST_PLACES = 8

# The measures of a fruit: what one more of it can score at most, the same on another cell, the
# size of its largest group, free cells beside that group, the square of the first, and the product
# of the third and fourth.
MEASURES = 6
GROWTH, SECOND_GROWTH, LARGEST, LIBERTIES, GROWTH_SQUARED, ROOM = range(MEASURES)

# Entries of the observation a unit of each measure: differences between places then use the range.
ENTRIES_A_UNIT = np.array([2.0, 2.0, 3.0, 2.0, 0.125, 0.5])

Ints = npt.NDArray[np.int64]


@kernel
def rank_places(
    game: Record, parts: Record, weights: Floats, changes: Changes, ranked: Ints
) -> int:
    """Writes the places that gain most, the best first; returns how many there are.

    Args:
        game: The game, a card drawn.
        parts: The parts.
        weights: (fruits,) what a point of each fruit is worth.
        changes: (fruits, places) what each place adds to the points of each fruit.
        ranked: (`BEST_PLACES`,) is written.
    """
    gains = np.zeros(len(ranked))
    count = 0
    for action in range(collect_action(parts)):
        if is_legal(game, parts, action):
            gain = gain_of_place(weights, changes, action)
            count = _insert(action, gain, ranked, gains, count)
    return count


@kernel
def _insert(action: int, gain: float, ranked: Ints, gains: Floats, count: int) -> int:
    """Puts a place among those ranked, behind its equals; returns how many there are then."""
    if count < len(ranked):
        count += 1
    elif gain <= gains[count - 1]:
        return count
    at = count - 1
    while at > 0 and gains[at - 1] < gain:
        gains[at] = gains[at - 1]
        ranked[at] = ranked[at - 1]
        at -= 1
    gains[at] = gain
    ranked[at] = action
    return count


@kernel
def measure_places(
    game: Record,
    parts: Record,
    weights: Floats,
    kept: Kept,
    ranked: Ints,
    measures: Floats,
) -> None:
    """Writes what the board would be like after each of the places ranked, (places, measures)."""
    for rank in range(len(ranked)):
        lay_card(game, parts, ranked[rank])
        for fruit in range(FRUIT_COUNT):
            if weights[fruit] != 0.0:
                _measure_fruit(game, parts, fruit, weights[fruit], measures[rank])
        restore_board(game, kept)


@kernel
def _measure_fruit(
    game: Record, parts: Record, fruit: int, weight: float, measures: Floats
) -> None:
    """Adds the weighed measures of a fruit."""
    symbol = FIRST_FRUIT + fruit
    namer = _largest_group(game, symbol)
    size = 0 if namer < 0 else int(game.group_size[namer])
    growth, second, liberties = 0, 0, 0
    for cell in range(len(game.board)):
        if not may_take_fruit(game, parts, cell):
            continue
        gain, beside = _look_around(game, parts, cell, symbol, namer)
        liberties += beside
        second = max(second, min(gain, growth))
        growth = max(growth, gain)
    measures[GROWTH] += weight * growth
    measures[SECOND_GROWTH] += weight * second
    measures[LARGEST] += weight * size
    measures[LIBERTIES] += weight * liberties
    measures[GROWTH_SQUARED] += weight * growth * growth
    measures[ROOM] += weight * liberties * size


@kernel
def _largest_group(game: Record, symbol: int) -> int:
    """The cell that names the first largest group of a symbol; -1 without any."""
    namer, size = -1, 0
    for cell in range(len(game.board)):
        if game.board[cell] == symbol and game.group_size[game.group[cell]] > size:
            namer = int(game.group[cell])
            size = int(game.group_size[namer])
    return namer


@kernel
def _look_around(
    game: Record, parts: Record, cell: int, symbol: int, namer: int
) -> tuple[int, int]:
    """What a fruit on an open cell gains beside its like (else 0); 1 if the largest is among it."""
    touches, beside = False, 0
    for k in range(parts.neighbour_count[cell]):
        neighbour = parts.neighbours[cell, k]
        if game.board[neighbour] == symbol:
            touches = True
            if game.group[neighbour] == namer:
                beside = 1
    gain = gain_of_fruit(game, parts, cell, symbol) if touches else 0
    return gain, beside
