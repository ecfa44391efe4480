"""The state of a gacha game as one record, and the names of its values.

Cards are ids 0..54 here (the printed number less one); positions in a trick count from its
leader; colours are indices in the order of `COLOURS`.
"""

import numpy as np

from tefuda.envs.core.contract import ENDINGS, common_fields

# ---------------------------------------------------------------- limits of the record
MAX_SEATS = 5
MAX_CARDS = 55
MAX_TRICKS = 10
# Most events in a round: first leader, a deal a card, and in every trick one follow type, for
# each seat a play, a redraw answer, a stock card and a return, one dust choice a card, a ball.
MAX_LOG = 1 + MAX_CARDS + MAX_TRICKS * (2 + 5 * MAX_SEATS)
# Most redraws in a round, and most entries of its hand history (a play, or a draw and a return).
MAX_RETURNS = MAX_SEATS * MAX_TRICKS
MAX_HISTORY = 3 * MAX_SEATS * MAX_TRICKS
# Most cards that hands have held in a round: every card once, and again for every return.
MAX_ITEMS = MAX_CARDS + MAX_RETURNS

# ---------------------------------------------------------------- colours (G1, G2)
RED, BLUE, YELLOW, GREEN, PURPLE, BLACK = range(6)
COLOURS = ("red", "blue", "yellow", "green", "purple", "black")
BALLS = 5  # the colours but black (G4)
ALL_BALLS = np.uint64(0b11111)
NO_COLOUR = -1
COLOUR_SETS = 64  # subsets of the six colours as bits
ALL_COLOURS = COLOUR_SETS - 1

# ---------------------------------------------------------------- number order (G5, G17)
HIGH, LOW = range(2)
ORDERS = ("high", "low")

# ---------------------------------------------------------------- follow types (G9)
MUST, MUST_NOT, MAY = range(3)
FOLLOWS = ("must", "must-not", "may")
NO_FOLLOW = -1

# ---------------------------------------------------------------- action ids
PLAY_ACTION = 0  # + card id
RETURN_ACTION = 55  # + card id
FOLLOW_ACTION = 110  # + follow type
REDRAW_ACTION = 113
KEEP_ACTION = 114
DUST_ACTION = 115  # + position in the trick
ACTIONS = 120

# ---------------------------------------------------------------- phases
(
    FOLLOW_PHASE,  # the leader chooses the follow type
    PLAY_PHASE,  # a seat plays a card
    REDRAW_PHASE,  # it may redraw
    RETURN_PHASE,  # it puts a card at the bottom of the stock
    DUST_PHASE,  # the winner discards a card of the trick
    FIRST_LEADER_PHASE,  # from here on: chance
    DEAL_PHASE,
    STOCK_PHASE,
    BALL_PHASE,
    TIE_DRAW_PHASE,
    OVER_PHASE,
) = range(11)
DECISION_PHASES = 5
PHASES = ("follow", "play", "redraw", "return", "dust")
CHANCE_NAMES = {
    FIRST_LEADER_PHASE: "first_leader",
    DEAL_PHASE: "deal",
    STOCK_PHASE: "stock",
    BALL_PHASE: "ball",
    TIE_DRAW_PHASE: "tie_draw",
}

# ---------------------------------------------------------------- endings
TARGET_REACHED = ENDINGS  # scoring "wp": a seat has the WP that end the game (G27)
ROUNDS_PLAYED = ENDINGS + 1  # scoring "vp": all rounds are played (G28)

# ---------------------------------------------------------------- options
WP, VP = range(2)
SCORINGS = ("wp", "vp")
BAG, SHUFFLE = range(2)
TRUMP_DRAWS = ("bag", "shuffle")
ROTATE, MOST, FEWEST = range(3)
NEXT_LEADERS = ("rotate", "most", "fewest")
SHARE, DRAW = range(2)
TIES = ("share", "draw")

# ---------------------------------------------------------------- the hand history of a round
# What happened to hands after the deal, in order; `resample` reads it.
(
    PLAYED_UP,
    PLAYED_DOWN,
    DREW_STOCK,  # drew a card that nobody had held in this round
    DREW_RETURNED,  # drew a card that somebody had returned
    RETURNED,
) = range(5)

NO_CARD = -1

# Columns of `won`: the six colours, then these.
WON_DOWN = 6  # cards won face down
T_POINTS = 7  # tricks won
# Rows of `won` and `void_age` are eight bytes wide, for encoders copy them as words.
WON_COLUMNS = 8
VOID_WIDTH = 8

# Working space of `resample`; it means nothing between calls.
_SCRATCH = [
    ("item_count", np.int16),
    ("item_seat", np.int16, (MAX_ITEMS,)),
    ("item_until", np.int16, (MAX_ITEMS,)),
    ("item_known", np.int16, (MAX_ITEMS,)),
    ("item_dealt_allowed", np.int16, (MAX_ITEMS,)),
    ("item_drawn_at", np.int16, (MAX_ITEMS,)),
    ("item_root", np.int16, (MAX_ITEMS,)),
    ("item_allowed", np.int16, (MAX_ITEMS,)),
    ("item_card", np.int16, (MAX_ITEMS,)),
    ("item_most", np.int16, (MAX_ITEMS,)),
    ("kept_card", np.int16, (MAX_ITEMS,)),
    ("kept_drawn_at", np.int16, (MAX_ITEMS,)),
    ("kept_undealt", np.uint64),
    ("left_undealt", np.uint64),
    ("order_count", np.int16),
    ("order_item", np.int16, (MAX_ITEMS,)),
    ("show_count", np.int16),
    ("show_at", np.int16, (MAX_HISTORY,)),
    ("draw_count", np.int16),
    ("draw_at", np.int16, (MAX_RETURNS,)),
    ("draw_of", np.int16, (MAX_RETURNS,)),
    ("draw_item", np.int16, (MAX_RETURNS,)),
    ("return_item", np.int16, (MAX_RETURNS,)),
]

GAME = np.dtype(
    [
        *common_fields(MAX_SEATS, MAX_LOG),
        # -- the whole game
        ("first_leader", np.int16),  # who leads the round's first trick (G7)
        ("order", np.int16),  # HIGH or LOW
        ("bag", np.uint64),  # bits of the balls still in the bag
        ("best_vp", np.int16, (MAX_SEATS,)),  # each seat's best round so far (G28)
        ("worst_vp", np.int16, (MAX_SEATS,)),
        ("tied", np.int8, (MAX_SEATS,)),  # 1 for seats that draw for the win (G28)
        ("tie_card", np.int16, (MAX_SEATS,)),  # what they drew, or NO_CARD
        # -- the round
        ("vp", np.int16, (MAX_SEATS,)),  # VP of the latest scored round
        ("hand", np.uint64, (MAX_SEATS,)),  # bits of the cards held
        ("undealt", np.int16, (MAX_CARDS,)),  # cards nobody has held, in no order
        ("undealt_count", np.int16),
        ("undealt_at", np.int16, (MAX_CARDS,)),  # where in `undealt` a card stands
        ("dealt", np.int16),  # cards dealt so far
        ("returned", np.int16, (MAX_RETURNS,)),  # returned cards, first to last
        ("returner", np.int16, (MAX_RETURNS,)),  # who returned them
        ("returned_count", np.int16),
        ("redrawn_count", np.int16),  # how many of them have been drawn again
        ("trump", np.int16),  # a colour
        ("trick", np.int16),  # 0, 1, ...
        ("leader", np.int16),
        ("follow", np.int16),  # this trick's type, or NO_FOLLOW
        ("previous_follow", np.int16),  # the type of the trick before, or NO_FOLLOW
        ("won", np.int8, (MAX_SEATS, WON_COLUMNS)),  # cards by colour, WON_DOWN, T_POINTS
        # -- the trick
        ("plays", np.int16),  # cards played so far
        ("trick_card", np.int16, (MAX_SEATS,)),  # by position; nothing from `plays` on
        ("trick_down", np.uint64),  # bits of the positions that lie face down
        ("trick_gone", np.uint64),  # ... of those that were discarded
        ("trick_revo", np.int16),  # revo icons in effect: those of face-up cards (G14)
        ("trick_gacha", np.int16),
        ("trick_dust", np.int16),
        ("led", np.int16),  # colour of the first face-up card, or NO_COLOUR
        ("table_colours", np.int16),  # bits of the colours that lie face up
        ("top_key", np.int16),  # strength of the strongest play, 0 where none counts
        ("top_at", np.int16),  # its position
        ("second_key", np.int16),
        ("second_at", np.int16),
        ("dust_left", np.int16),  # cards still to be discarded
        ("dust_from", np.int16),  # the first position that may still be discarded
        # -- the acting seat
        ("allowed", np.int16),  # bits of the colours it may play
        ("must_hide", np.int16),  # 1: whatever it plays is played face down
        ("drawn", np.int16),  # the card it has just drawn, or NO_CARD
        # -- what seats know
        ("shown", np.uint64),  # bits of the cards played face up in this round
        ("hidden", np.uint64, (MAX_SEATS,)),  # ... of those that a seat played face down
        ("in_stock", np.uint64, (MAX_SEATS,)),  # ... of its returned cards in the stock
        ("drawn_again", np.uint64, (MAX_SEATS,)),  # ... of those that another seat has drawn
        ("void_age", np.int8, (MAX_SEATS, VOID_WIDTH)),  # 0: not shown void; else 1 + draws since
        # -- the hand history
        ("history_count", np.int16),
        ("history_kind", np.int8, (MAX_HISTORY,)),
        ("history_seat", np.int8, (MAX_HISTORY,)),
        ("history_card", np.int8, (MAX_HISTORY,)),
        ("history_held", np.int8, (MAX_HISTORY,)),  # colours that the hand can have held then
        ("history_at", np.int16, (MAX_HISTORY,)),  # index of the event in `log`
        *_SCRATCH,
    ],
    align=True,
)

PARTS = np.dtype(
    [
        ("players", np.int16),
        ("cards", np.int16),  # cards in play
        ("hand_size", np.int16),
        ("tricks", np.int16),
        ("scoring", np.int16),
        ("rounds", np.int16),  # rounds (VP), or the most rounds (WP)
        ("trump_draw", np.int16),
        ("next_leader", np.int16),
        ("tie", np.int16),
        ("target", np.int16),  # WP that end the game (G27)
        ("five_set", np.int16),  # VP of a set of five colours (G24)
        ("four_set", np.int16),
        ("misere", np.int16, (MAX_SEATS + 1,)),  # VP by number of trickless seats (G25)
        ("rank_wp", np.int16, (MAX_SEATS,)),  # WP by rank (G26)
        ("colour", np.int16, (MAX_CARDS,)),
        ("gacha", np.int16, (MAX_CARDS,)),
        ("revo", np.int16, (MAX_CARDS,)),
        ("redraw", np.int16, (MAX_CARDS,)),
        ("dust", np.int16, (MAX_CARDS,)),
        # -- derived
        ("of_colours", np.uint64, (COLOUR_SETS,)),  # bits of the cards in play of a set of colours
    ],
    align=True,
)
