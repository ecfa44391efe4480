"""Quatre in words: labels, the factored view of actions, and a table as text with ANSI colours."""

from typing import Any, NamedTuple

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.spec import Setup
from tefuda.envs.quatre.state import (
    CHANCE_NAMES,
    DECISION_NAMES,
    DIAGONAL,
    FIRST_FRUIT,
    FRUITS,
    MARK,
    NO_ACTOR,
    NO_CARD,
    NOTHING,
    OVER_PHASE,
    QUARTER_TURNS,
    SYMBOLS,
)

__all__ = [
    "CHANCE_MEANINGS", "CHANCE_NAMES", "DECISION_NAMES", "PLACE", "SCORE_NAME", "Move",
    "action_ranges", "ansi", "card_label", "decode", "encode", "faces", "label", "notes",
    "outcome_label", "score_details", "view",
]  # fmt: skip

SCORE_NAME = "scoring"
CHANCE_MEANINGS = {"draw": "a kind of card, by its place in the file; the seat is who plays"}
PLACE, COLLECT, REDRAW = "place", "collect", "redraw"

# ANSI colours by symbol; letters carry the meaning too.
_ANSI = (90, 91, 94, 92, 93, 97)
_DEGREES = 90
_GAP = "   "


# ==================================================================== the factored view


class Move(NamedTuple):
    """An action in its factors.

    Attributes:
        kind: "place", "collect" or "redraw".
        row: The board row of the card's top-left cell, from -(k - 1) to R - 1; 0 if not placed.
        column: Its board column, from -(k - 1) to C - 1; 0 if not placed.
        turn: Quarter turns clockwise, 0 to 3; 0 if not placed.
    """

    kind: str
    row: int = 0
    column: int = 0
    turn: int = 0


def decode(setup: Setup, action: int) -> Move:
    """What an action means.

    Raises:
        OptionError: It is outside 0 .. A - 1.
    """
    if not 0 <= action < setup.actions:
        raise OptionError(f"action {action!r} is not one of 0 .. {setup.actions - 1}")
    collect = setup.actions - 2
    if action >= collect:
        return Move(COLLECT if action == collect else REDRAW)
    overhang, _, columns = _frame(setup)
    corner, turn = divmod(int(action), QUARTER_TURNS)
    row, column = divmod(corner, columns)
    return Move(PLACE, row - overhang, column - overhang, turn)


def encode(setup: Setup, kind: str, row: int = 0, column: int = 0, turn: int = 0) -> int:
    """The action with these factors, legal or not; the opposite of `decode`.

    Raises:
        OptionError: There is no such action.
    """
    if kind in (COLLECT, REDRAW):
        return setup.actions - (2 if kind == COLLECT else 1)
    overhang, rows, columns = _frame(setup)
    at_row, at_column = row + overhang, column + overhang
    inside = 0 <= at_row < rows and 0 <= at_column < columns and 0 <= turn < QUARTER_TURNS
    if kind != PLACE or not inside:
        raise OptionError(f"there is no action {Move(kind, row, column, turn)}")
    return (at_row * columns + at_column) * QUARTER_TURNS + turn


def action_ranges(setup: Setup) -> tuple[tuple[range, str], ...]:
    """The action ids and what they mean."""
    overhang, _, columns = _frame(setup)
    collect = setup.actions - 2
    place = (
        f"place with the top-left cell on row r, column c, turned q quarters clockwise: "
        f"((r + {overhang}) {columns} + c + {overhang}) 4 + q"
    )
    return (
        (range(collect), place),
        (range(collect, collect + 1), "collect"),
        (range(collect + 1, collect + 2), "redraw"),
    )


def _frame(setup: Setup) -> tuple[int, int, int]:
    """How far a card can hang over (k - 1), and the rows H and columns W for its corner."""
    rows, columns = setup.parts["marks"].shape[1:]
    overhang = setup.parts["bare"].shape[-1] - 1
    return overhang, rows + overhang, columns + overhang


# ==================================================================== labels


def label(setup: Setup, action: int) -> str:
    """An action in words, such as "place at row 3, column 5, turned 90" or "collect"."""
    move = decode(setup, action)
    if move.kind != PLACE:
        return move.kind
    return f"place at row {move.row}, column {move.column}, turned {_DEGREES * move.turn}"


def card_label(setup: Setup, kind: int) -> str:
    """A kind of card: its number and its rows, such as "0 ss./.c./..b"."""
    return f"{kind} {'/'.join(_face(setup, kind, 0))}"


def outcome_label(setup: Setup, name: str, outcome: int) -> str:
    """A chance outcome in words."""
    return card_label(setup, outcome)


def score_details(setup: Setup, game: Any) -> dict[str, list[int]]:
    """Nothing beside points and totals."""
    return {}


def faces(setup: Setup, game: Any) -> list[list[str]] | None:
    """The card drawn in its four turns, as component files draw cards; None without a card."""
    kind = int(game["card"])
    return None if kind == NO_CARD else [_face(setup, kind, turn) for turn in range(QUARTER_TURNS)]


def _face(setup: Setup, kind: int, turn: int) -> list[str]:
    """The rows of a turned card, as component files draw them."""
    size = setup.parts["bare"].shape[-1]
    face = setup.parts[0]["face"][kind, turn].reshape(size, size)
    return ["".join(SYMBOLS[symbol] for symbol in row) for row in face]


# ==================================================================== the table


def ansi(setup: Setup, game: Any, seat: int | None = None) -> str:
    """The table as text.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; all see the same.
    """
    lines = [_title(setup, game), *_board_lines(setup, game), ""]
    lines += [*_card_lines(setup, game), *_bag_lines(setup, game), ""]
    lines += [_seat_line(setup, game, player) for player in range(setup.players)]
    return "\n".join(lines) + "\n"


def _title(setup: Setup, game: Any) -> str:
    if int(game["phase"]) == OVER_PHASE:
        winners = ", ".join(str(seat) for seat in range(setup.players) if game["winners"][seat])
        return f"Game over. Won by seat {winners}."
    parts = setup.parts[0]
    turn, turns = int(game["turn"]), int(parts["turns"])
    scoring = next(later for later in range(turn, turns) if parts["scores_after"][later])
    order = " ".join(_actor(setup, actor) for actor in _order(setup, game))
    return f"Turn {turn + 1} of {turns} · next scoring after turn {scoring + 1} · order: {order}"


def _actor(setup: Setup, actor: int) -> str:
    """Whose play: a seat, or a fruit where each takes its own."""
    by_fruit = int(setup.parts[0]["actors"]) > setup.players
    return FRUITS[actor] if by_fruit else f"seat {actor}"


def _board_lines(setup: Setup, game: Any) -> list[str]:
    marks = setup.parts[0]["marks"]
    board = game["board"].reshape(marks.shape)
    head = "    " + " ".join(str(column % 10) for column in range(marks.shape[1]))
    rows = [
        f"{row:3d} " + " ".join(
            _paint(int(symbol)) if symbol != NOTHING else ("·" if mark else " ")
            for symbol, mark in zip(board[row], marks[row], strict=True)
        )
        for row in range(marks.shape[0])
    ]  # fmt: skip
    return [head, *rows]


def _card_lines(setup: Setup, game: Any) -> list[str]:
    """The card drawn in its four turns."""
    kind = int(game["card"])
    if kind == NO_CARD:
        return []
    redraw = "spent" if game["redrawn"] else "possible"
    turns = [_face(setup, kind, turn) for turn in range(QUARTER_TURNS)]
    rows = [
        "    "
        + _GAP.join(" ".join(_paint(SYMBOLS.index(letter)) for letter in row) for row in rows)
        for rows in zip(*turns, strict=True)
    ]
    return [f"Card {kind}, turned 0, 90, 180, 270 (redraw {redraw}):", *rows]


def _bag_lines(setup: Setup, game: Any) -> list[str]:
    held = [
        f"{int(copies)} x {card_label(setup, kind)}"
        for kind, copies in enumerate(game["bag"])
        if copies > 0
    ]
    return [f"Bag, {int(game['bag_left'])} cards: {', '.join(held) or 'empty'}"]


def _seat_line(setup: Setup, game: Any, player: int) -> str:
    groups = ", ".join(
        f"{_paint(FIRST_FRUIT + fruit, FRUITS[fruit])} {int(game['group_points'][fruit])}"
        for fruit in _fruits(setup, player)
    )
    collected = _collected(setup, game, player)
    mark = ">" if int(game["seat"]) == player != NOBODY else " "
    total = int(game["totals"][player])
    return f"{mark} seat {player}: {total} points · now {groups}, {collected} collected"


def _paint(symbol: int, word: str | None = None) -> str:
    return f"\x1b[{_ANSI[symbol]}m{SYMBOLS[symbol] if word is None else word}\x1b[0m"


# ==================================================================== what a seat knows


def view(setup: Setup, game: Any, seat: int | None = None) -> dict[str, Any]:
    """The table as JSON.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; all see the same.
    """
    del seat
    actor = int(game["actor"])
    turns = int(setup.parts[0]["turns"])
    return {
        "turn": min(int(game["turn"]) + 1, turns),
        "turns": turns,
        "scorings_after": _scoring_turns(setup),
        "order": [_actor(setup, int(other)) for other in _order(setup, game)],
        "actor": None if actor == NO_ACTOR else _actor(setup, actor),
        "board": _board_rows(setup, game),
        "card": _card_view(setup, game),
        "redraw_spent": bool(game["redrawn"]),
        "bag": _bag_view(setup, game),
        "seats": [_seat_view(setup, game, player) for player in range(setup.players)],
    }


def _scoring_turns(setup: Setup) -> list[int]:
    """After which turns there is a scoring, counted from 1 (Q13)."""
    parts = setup.parts[0]
    return [turn + 1 for turn in range(int(parts["turns"])) if parts["scores_after"][turn]]


def _order(setup: Setup, game: Any) -> list[int]:
    return [int(actor) for actor in game["order"][: setup.parts[0]["actors"]]]


def _board_rows(setup: Setup, game: Any) -> list[str]:
    """The board row by row: letters of symbols, `+` for a bare mark, `.` outside the cake."""
    marks = setup.parts["marks"][0]
    board = game["board"].reshape(marks.shape)
    return [
        "".join(
            MARK if mark and symbol == NOTHING else SYMBOLS[symbol]
            for symbol, mark in zip(board[row], marks[row], strict=True)
        )
        for row in range(marks.shape[0])
    ]


def _card_view(setup: Setup, game: Any) -> dict[str, Any] | None:
    """The card drawn, with its rows for each quarter turn."""
    turned = faces(setup, game)
    return None if turned is None else {"kind": int(game["card"]), "turned": turned}


def _bag_view(setup: Setup, game: Any) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "copies": int(copies), "card": _face(setup, kind, 0)}
        for kind, copies in enumerate(game["bag"])
        if copies > 0
    ]


def _seat_view(setup: Setup, game: Any, player: int) -> dict[str, Any]:
    return {
        "seat": player,
        "fruits": {FRUITS[k]: int(game["group_points"][k]) for k in _fruits(setup, player)},
        "collected": _collected(setup, game, player),
    }


def _actors(setup: Setup, player: int) -> list[int]:
    """The actors for whom a seat acts."""
    parts = setup.parts[0]
    return [actor for actor in range(parts["actors"]) if parts["actor_seat"][actor] == player]


def _fruits(setup: Setup, player: int) -> list[int]:
    """The fruits that a seat owns (Q5)."""
    owner, actors = setup.parts[0]["owner"], _actors(setup, player)
    return [fruit for fruit in range(len(FRUITS)) if owner[fruit] in actors]


def _collected(setup: Setup, game: Any, player: int) -> int:
    return sum(int(game["collected"][actor]) for actor in _actors(setup, player))


# ==================================================================== notes for a seat

_MARKS = (
    "Letters: s strawberry, b blueberry, k kiwi, o orange, c cream. A dot is a bare mark of the "
    "cake; on a card it is transparent."
)
_PLACING = (
    "A card is placed by the row and column of its top-left cell, which may lie off the cake. All "
    "its fruits and cream must lie on marks, and no fruit on a visible fruit. Cream may cover "
    "anything, and fruit may lie on cream. It need not touch other cards."
)
_COLLECTING = "Or it is collected: it never comes back, and scores 1 point in each later scoring."
_REDRAWING = "Or it goes back into the bag, once in a play, and another is drawn."
_ORDER_RULE = (
    "A scoring changes the order: the highest total acts first, and of equals who acted later."
)
_END_RULE = "After the last scoring the highest total wins; equal totals share the win."


def notes(setup: Setup, game: Any, seat: int) -> list[str]:
    """Whose the fruits are, and the rules that matter now."""
    if int(game["phase"]) == OVER_PHASE:
        return []
    return [
        _MARKS,
        *_owner_notes(setup, seat),
        _PLACING,
        _COLLECTING,
        *([] if game["redrawn"] else [_REDRAWING]),
        _scoring_rule(setup),
        *_order_rules(setup, game),
        _END_RULE,
    ]


def _owner_notes(setup: Setup, seat: int) -> list[str]:
    """Who owns which fruits (Q5)."""
    owned = {player: _fruits(setup, player) for player in range(setup.players)}
    lines = [
        f"{'You own' if player == seat else f'Seat {player} owns'} "
        f"{' and '.join(FRUITS[fruit] for fruit in fruits)}."
        for player, fruits in owned.items()
    ]
    free = set(range(len(FRUITS))).difference(*owned.values())
    return [*lines, *(f"Nobody owns {FRUITS[fruit]}." for fruit in sorted(free))]


def _scoring_rule(setup: Setup) -> str:
    beside = "side by side or over corners" if _joins_corners(setup) else "side by side"
    turns = ", ".join(map(str, _scoring_turns(setup)))
    return (
        f"Scorings come after turns {turns}: each group of the same visible fruit, connected "
        f"{beside}, scores the square of its size for the fruit's owner; each collected card 1."
    )


def _joins_corners(setup: Setup) -> bool:
    return int(setup.parts[0]["adjacency"]) == DIAGONAL


def _order_rules(setup: Setup, game: Any) -> list[str]:
    """The rule of the order, while it still matters (Q14)."""
    return (
        [_ORDER_RULE] if int(game["turn"]) + 1 <= max(_scoring_turns(setup)[:-1], default=0) else []
    )
