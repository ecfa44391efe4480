"""The state of a quatre game as one record, and the names of its values.

Cards are named by their kind, the index in the component file. R, C are the rows and columns of
the board's square, k those of a card. Whoever takes one play a turn is an *actor*: a seat, or
with `two_player_turns="fruit"` a fruit.

The record has the board three times, each in the form that one task needs: `board` shows the
symbol of every cell, `free` the cells without a fruit as lanes (for the mask), and `group`,
`group_size`, `ring` the groups of fruits (for the score), kept up with every card. A game is one
round.

*Lanes*: a word has four bits for each column, one a quarter turn. Column x of the board has the
bits 4 (x + k - 1) and the three after it, so that a card whose left column is -(k - 1), the first
from which it can reach the board, has the lowest four. An action id of a place is then the number
of its bit, rows one after the other.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tefuda.envs.core.contract import ENDINGS, common_fields

# ---------------------------------------------------------------- limits of the record
MAX_SEATS = 4
MAX_ACTORS = 4
MAX_TURNS = 64
LANES = 16  # columns in a word, and rows of `free`
QUARTER_TURNS = 4
TURN_BITS = 2
TURN_MASK = QUARTER_TURNS - 1
MAX_NEIGHBOURS = 8
# A number of copies or a kind, plus one, must fit an entry of an observation.
MAX_COPIES = 126
MAX_KINDS = 126

# ---------------------------------------------------------------- symbols (Q1)
NOTHING = 0
STRAWBERRY, BLUEBERRY, KIWI, ORANGE, CREAM = range(1, 6)
FRUITS = ("strawberry", "blueberry", "kiwi", "orange")
FRUIT_COUNT = len(FRUITS)
FIRST_FRUIT = STRAWBERRY
SYMBOL_COUNT = CREAM + 1
PRINTED = FRUIT_COUNT + 1  # symbols but NOTHING
# How component files and texts write them.
SYMBOLS = ".sbkoc"
MARK, NO_MARK = "+", "."

# ---------------------------------------------------------------- phases
(
    PLAY_PHASE,  # a seat places, collects or redraws the card drawn
    DRAW_PHASE,  # chance: a card comes out of the bag
    OVER_PHASE,
) = range(3)
CHANCE_NAMES = {DRAW_PHASE: "draw"}
DECISION_NAMES = {PLAY_PHASE: "play"}

# Most events of a play: a draw, a redraw, another draw, and the card placed or collected (Q8).
EVENTS_PER_PLAY = 4

# ---------------------------------------------------------------- endings
TURNS_PLAYED = ENDINGS  # the last turn has been scored (Q15)

# ---------------------------------------------------------------- options
PLAYER_TURNS, FRUIT_TURNS = range(2)
TWO_PLAYER_TURNS = ("player", "fruit")
ORTHOGONAL, DIAGONAL = range(2)
ADJACENCIES = ("orthogonal", "diagonal")

NO_CARD = -1
NO_ACTOR = -1


class Sizes(NamedTuple):
    """What decides the shapes of the records.

    Attributes:
        rows: R.
        columns: C.
        card: k.
        kinds: The number of card kinds.
        log: The largest number of events of a game.
    """

    rows: int
    columns: int
    card: int
    kinds: int
    log: int

    @property
    def place_rows(self) -> int:
        """H, the rows on which the top of a card can lie."""
        return self.rows + self.card - 1

    @property
    def place_columns(self) -> int:
        """W, the columns on which the left side of a card can lie."""
        return self.columns + self.card - 1

    @property
    def collect(self) -> int:
        """The action id of collecting; the ids below are places."""
        return QUARTER_TURNS * self.place_rows * self.place_columns

    @property
    def redraw(self) -> int:
        """The action id of redrawing."""
        return self.collect + 1

    @property
    def actions(self) -> int:
        """The number of actions."""
        return self.collect + 2


@cache
def game_dtype(sizes: Sizes) -> np.dtype[Any]:
    """The dtype of a game; the same object for equal sizes."""
    cells = sizes.rows * sizes.columns
    return np.dtype(
        [
            *common_fields(MAX_SEATS, sizes.log),
            ("actor_totals", np.int32, (MAX_ACTORS,)),  # points of the whole game, by actor
            ("order", np.int16, (MAX_ACTORS,)),  # the actors in turn order (Q14)
            ("turn", np.int16),  # 0, 1, ...
            ("plays", np.int16),  # plays finished in this turn
            ("actor", np.int16),  # whose play it is, or NO_ACTOR
            ("card", np.int16),  # the kind drawn, or NO_CARD
            ("redrawn", np.int16),  # 1 once the redraw of this play is spent (Q8)
            ("collected", np.int16, (MAX_ACTORS,)),  # cards collected so far, by actor
            ("bag", np.int16, (sizes.kinds,)),  # copies in the bag, by kind
            ("bag_left", np.int16),  # their sum
            ("board", np.int8, (cells,)),  # the symbol that shows, row by row
            ("free", np.uint64, (sizes.rows + 2 * (sizes.card - 1),)),  # lanes without a fruit
            ("places", np.uint64, (sizes.place_rows,)),  # lanes where the card drawn may lie
            ("group_points", np.int32, (FRUIT_COUNT,)),  # what a fruit's groups score now (Q13)
            # Of cells that show a fruit; what the others hold means nothing.
            ("group", np.uint8, (cells,)),  # the cell that names its group
            ("group_size", np.int16, (cells,)),  # of a naming cell: how many cells the group has
            ("ring", np.uint8, (cells,)),  # the next cell of the group, round and round
        ],
        align=True,
    )


@cache
def parts_dtype(sizes: Sizes) -> np.dtype[Any]:
    """The dtype of the parts; the same object for equal sizes."""
    kinds, card = sizes.kinds, sizes.card
    cells = card * card
    turned = (kinds, QUARTER_TURNS, cells)
    return np.dtype(
        [
            ("players", np.int16),
            ("actors", np.int16),
            ("actor_seat", np.int16, (MAX_ACTORS,)),  # who acts for an actor
            ("owner", np.int16, (FRUIT_COUNT,)),  # the actor of a fruit, or NOBODY (Q5)
            ("adjacency", np.int16),
            ("turns", np.int16),
            ("scores_after", np.int8, (MAX_TURNS,)),  # 1 for turns that end with a scoring
            ("scorings", np.int16),  # how many there are
            ("to_scoring", np.int16, (MAX_TURNS + 1,)),  # turns up to the next one, by turn
            ("cards", np.int16),
            ("copies", np.int16, (kinds,)),
            ("marks", np.int8, (sizes.rows, sizes.columns)),  # 1 where a mark is
            ("neighbours", np.uint8, (sizes.rows * sizes.columns, MAX_NEIGHBOURS)),  # Q13
            ("neighbour_count", np.int16, (sizes.rows * sizes.columns,)),
            ("face", np.int8, turned),  # a turned card's symbols, row by row
            ("same_turn", np.int16, (kinds, QUARTER_TURNS)),  # the smallest turn that looks alike
            # -- derived, for rules
            ("printed", np.int16, (kinds,)),  # how many fruits and creams a card has
            ("cell_row", np.int16, turned),  # where they are on the turned card
            ("cell_column", np.int16, turned),
            ("cell_symbol", np.int16, turned),
            ("on_marks", np.uint64, (kinds, sizes.place_rows)),  # lanes: all printed cells on marks
            ("bare", np.uint64, (kinds, card, card)),  # lanes: turns without a fruit in a cell
            # -- derived, for observations: own things first
            ("symbol_at", np.int8, (MAX_SEATS, PRINTED)),  # the symbol of a seat's plane
            ("symbol_place", np.int16, (MAX_SEATS, SYMBOL_COUNT)),  # ... and back
            ("actor_at", np.int16, (MAX_SEATS, MAX_ACTORS)),  # the actor at a seat's place
            ("actor_place", np.int16, (MAX_SEATS, MAX_ACTORS)),  # ... and back
            ("kind_at", np.uint8, (MAX_SEATS, kinds)),  # the kind at a seat's place in the list
            ("kind_place", np.int16, (MAX_SEATS, kinds)),  # ... and back
        ],
        align=True,
    )
