"""Quatre as a picture: the cake with cards laid over each other, the card drawn, the seats."""

import math
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from tefuda.envs.core.spec import Setup
from tefuda.envs.core.svg import (
    CARD_EDGE,
    INK,
    MARGIN,
    OKABE_ITO,
    PAPER,
    QUIET,
    WHITE,
    WIDTH,
    Element,
    Tint,
    button,
    canvas,
    caption,
    circle,
    crown,
    ellipse,
    group,
    header,
    panel,
    path,
    polygon,
    rect,
    seat_disc,
    text,
    to_text,
    who_is_to,
)
from tefuda.envs.quatre.state import (
    BLUEBERRY,
    CREAM,
    DRAW_PHASE,
    FIRST_FRUIT,
    FRUIT_COUNT,
    FRUITS,
    KIWI,
    NO_ACTOR,
    NO_CARD,
    NOTHING,
    ORANGE,
    PLAY_PHASE,
    QUARTER_TURNS,
    STRAWBERRY,
)
from tefuda.envs.quatre.text import COLLECT, PLACE, REDRAW, card_label, decode, encode, label

#: How symbols are told apart: tint and letter here, a picture in `_SYMBOLS`.
TINTS = {
    STRAWBERRY: Tint(OKABE_ITO["vermillion"], "S", WHITE),
    BLUEBERRY: Tint(OKABE_ITO["blue"], "B", WHITE),
    KIWI: Tint(OKABE_ITO["green"], "K", WHITE),
    ORANGE: Tint(OKABE_ITO["orange"], "O", INK),
    CREAM: Tint("#FFFBF0", "C", INK),
}
_JAPANESE = ("いちご", "ブルーベリー", "キウイ", "オレンジ", "クリーム")
_ASKED = {PLAY_PHASE: "place or collect the card", DRAW_PHASE: "draw a card from the bag"}

# Measures: the cake to the left, panels to the right, the bag at the bottom.
_TOP, _CAKE_SIZE, _GAP = 66, 516, 8
_SIDE_X = MARGIN + _CAKE_SIZE + _GAP
_SIDE_WIDTH = WIDTH - MARGIN - _SIDE_X
_HAND_HEIGHT, _SEATS_HEIGHT = 206, 302
_MOST_CELL, _RIM = 64, 0.45
_THUMBS, _THUMB_STEP, _THUMB_HEIGHT = 20, 37.6, 56
# Below this size of a cell letters cannot be read.
_LETTERS_FROM = 18


class _Laid(NamedTuple):
    """A card on the cake: its kind, the row and column of its corner, and its quarter turns."""

    kind: int
    row: int
    column: int
    turn: int


def draw(setup: Setup, game: Any, seat: int | None = None, legal: Collection[int] = ()) -> str:
    """The table as SVG.

    Places are chosen on the cake, whose cells have `data-row` and `data-column` and lie in the
    group `data-board`, with `data-cell` as their size.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; all see the same.
        legal: The actions that can be chosen by a click; given for the acting seat alone.
    """
    kinds = len(game["bag"])
    bag_top = _TOP + _CAKE_SIZE + _GAP
    height = bag_top + 34 + _THUMB_HEIGHT * math.ceil(kinds / _THUMBS) + _GAP
    root = canvas(height, "Quatre" if seat is None else f"Quatre, as seat {seat} sees it")
    header(
        root, "Quatre des Fruits", "キャトル・デ・フルーツ", _where(setup, game),
        who_is_to(setup, game, seat, _ASKED.get(int(game["phase"]))),
    )  # fmt: skip
    _draw_cake(setup, game, panel(root, MARGIN, _TOP, _CAKE_SIZE, _CAKE_SIZE))
    _draw_hand(setup, game, panel(root, _SIDE_X, _TOP, _SIDE_WIDTH, _HAND_HEIGHT), legal)
    seats = panel(root, _SIDE_X, _TOP + _HAND_HEIGHT + _GAP, _SIDE_WIDTH, _SEATS_HEIGHT)
    _draw_seats(setup, game, seats, seat)
    bag = panel(root, MARGIN, bag_top, WIDTH - 2 * MARGIN, height - bag_top - _GAP)
    _draw_bag(setup, game, bag)
    return to_text(root)


def _where(setup: Setup, game: Any) -> str:
    """The turn, and when the next scoring is."""
    parts, turn = setup.parts[0], int(game["turn"])
    turns = int(parts["turns"])
    nexts = [later for later in range(turn, turns) if parts["scores_after"][later]]
    scoring = f" · scoring after turn {nexts[0] + 1}" if nexts else ""
    return f"Turn {min(turn + 1, turns)} of {turns}{scoring}"


# ==================================================================== the cake


def _draw_cake(setup: Setup, game: Any, box: Element) -> None:
    """The cake, the cards on it in the order in which they were laid, and cells to point at."""
    marks = setup.parts[0]["marks"]
    rows, columns = marks.shape
    radius = _radius(marks)
    cell = min(float(_MOST_CELL), (_CAKE_SIZE - 36) / (2 * radius))
    middle = _CAKE_SIZE / 2
    _draw_ground(box, middle, radius * cell)
    board = group(
        box, middle - columns * cell / 2, middle - rows * cell / 2,
        data_board="", data_cell=cell,
    )  # fmt: skip
    _draw_marks(board, marks, cell)
    laid = list(_laid(setup, game))
    for card in laid:
        _draw_sheet(setup, board, card, cell, newest=card is laid[-1])
    _draw_groups(setup, game, board, cell)
    for (row, column), stack in _stacks(setup, laid).items():
        for symbol in stack:
            _draw_symbol(board, (column + 0.5) * cell, (row + 0.5) * cell, cell, symbol)
    _draw_cells(board, setup, game, cell)


def _radius(marks: Any) -> float:
    """How far the cake reaches from the middle of its square, in cells."""
    rows, columns = marks.shape
    far = [
        math.hypot(row + down - rows / 2, column + right - columns / 2)
        for row in range(rows)
        for column in range(columns)
        if marks[row, column]
        for down in (0, 1)
        for right in (0, 1)
    ]
    return max(far) + _RIM


def _draw_ground(box: Element, middle: float, radius: float) -> None:
    """Plate, sponge and a rim of piped cream."""
    circle(box, middle, middle + 5, radius + 14, fill=INK, fill_opacity=0.08)
    circle(box, middle, middle, radius + 14, fill=WHITE, stroke=CARD_EDGE)
    circle(box, middle, middle, radius + 4, fill="#DDB77E")
    dots = round(math.tau * radius / 15)
    for dot in range(dots):
        angle = math.tau * dot / dots
        x, y = middle + radius * math.sin(angle), middle - radius * math.cos(angle)
        circle(box, x, y, 9, fill="#FFFDF6", stroke="#E3D6BC")
    circle(box, middle, middle, radius - 3, fill="#FBF0DA")


def _draw_marks(board: Element, marks: Any, cell: float) -> None:
    arm = cell * 0.13
    crosses = [
        f"M {column * cell + cell / 2 - arm:.1f} {row * cell + cell / 2:.1f} h {2 * arm:.1f} "
        f"m {-arm:.1f} {-arm:.1f} v {2 * arm:.1f}"
        for row in range(marks.shape[0])
        for column in range(marks.shape[1])
        if marks[row, column]
    ]
    path(board, " ".join(crosses), fill="none", stroke="#C9AE80", stroke_width=1.6)


def _laid(setup: Setup, game: Any) -> Iterator[_Laid]:
    """The cards on the cake, first to last: the log has draws and decisions in turns."""
    kind = NO_CARD
    for at, value in enumerate(game["log"][: int(game["logged"])]):
        if at % 2 == 0:
            kind = int(value)
            continue
        move = decode(setup, int(value))
        if move.kind == PLACE:
            yield _Laid(kind, move.row, move.column, move.turn)


def _draw_sheet(setup: Setup, board: Element, card: _Laid, cell: float, *, newest: bool) -> None:
    """The clear sheet of a card; the newest stands out."""
    size = _card_size(setup) * cell - 2
    edge = {"stroke": INK, "stroke_width": 2.2} if newest else {"stroke": "#8FA9B8"}
    rect(
        board, card.column * cell + 1, card.row * cell + 1, size, size, rx=cell / 5,
        fill="#D3E6F0", fill_opacity=0.2, **edge,
    )  # fmt: skip


def _draw_groups(setup: Setup, game: Any, board: Element, cell: float) -> None:
    """Bands between neighbours of one fruit: what is joined scores together (Q13)."""
    parts, columns = setup.parts[0], setup.parts["marks"].shape[-1]
    bands: dict[int, list[str]] = {symbol: [] for symbol in TINTS if symbol != CREAM}
    for here, symbol in enumerate(game["board"].tolist()):
        for there in parts["neighbours"][here, : int(parts["neighbour_count"][here])].tolist():
            if symbol in bands and there > here and int(game["board"][there]) == symbol:
                ends = [divmod(place, columns) for place in (here, there)]
                points = [f"{(x + 0.5) * cell:.1f} {(y + 0.5) * cell:.1f}" for y, x in ends]
                bands[symbol].append(f"M{points[0]}L{points[1]}")
    for symbol, lines in bands.items():
        if lines:
            path(
                board, "".join(lines), fill="none", stroke=TINTS[symbol].fill,
                stroke_width=cell * 0.72, stroke_linecap="round", stroke_opacity=0.55,
            )  # fmt: skip


def _stacks(setup: Setup, laid: list[_Laid]) -> dict[tuple[int, int], list[int]]:
    """What lies on each cell from the topmost cream on, which hides all below it."""
    size, faces = _card_size(setup), setup.parts[0]["face"]
    stacks: dict[tuple[int, int], list[int]] = {}
    for card in laid:
        for place, symbol in enumerate(faces[card.kind, card.turn].tolist()):
            row, column = divmod(place, size)
            cell = card.row + row, card.column + column
            if symbol == CREAM:
                stacks[cell] = [CREAM]
            elif symbol != NOTHING:
                stacks.setdefault(cell, []).append(symbol)
    return stacks


def _card_size(setup: Setup) -> int:
    return int(setup.parts["bare"].shape[-1])


def _draw_face(setup: Setup, at: Element, kind: int, turn: int, cell: float) -> None:
    size = _card_size(setup)
    face = setup.parts[0]["face"][kind, turn]
    for place, symbol in enumerate(face.tolist()):
        if symbol != NOTHING:
            row, column = divmod(place, size)
            _draw_symbol(at, (column + 0.5) * cell, (row + 0.5) * cell, cell, symbol)


def _draw_cells(board: Element, setup: Setup, game: Any, cell: float) -> None:
    """What a pointer finds: a clear square over each mark, which tells what shows there."""
    marks = setup.parts[0]["marks"]
    shown = game["board"].reshape(marks.shape)
    for row in range(marks.shape[0]):
        for column in range(marks.shape[1]):
            symbol = int(shown[row, column])
            rect(
                board, column * cell, row * cell, cell, cell, fill=WHITE, fill_opacity=0,
                data_row=row, data_column=column, data_symbol=_word(symbol) if symbol else None,
            )  # fmt: skip


def _word(symbol: int) -> str:
    return "cream" if symbol == CREAM else FRUITS[symbol - FIRST_FRUIT]


# ==================================================================== the card in hand


def _draw_hand(setup: Setup, game: Any, box: Element, legal: Collection[int]) -> None:
    """The card drawn, large and in its other turns, and what can be done without the cake."""
    caption(box, 12, 22, "Card drawn", "引いたカード")
    kind = int(game["card"])
    if kind != NO_CARD:
        size = _card_size(setup)
        cell = 108 / size
        held = group(box, 16, 40, data_card_in_hand=kind, data_cell=cell)
        _draw_pane(held, 108)
        _draw_face(setup, held, kind, 0, cell)
        _draw_turns(setup, box, kind)
    for verb, words, x in ((COLLECT, "collect", 14), (REDRAW, "redraw", 130)):
        action = encode(setup, verb)
        if action in legal:
            button(box, action, label(setup, action), words, x, 164, 100)
    if kind != NO_CARD and not legal:
        words = "redraw is spent" if game["redrawn"] else "may be redrawn once"
        text(box, 16, 184, words, 13, fill=QUIET)


def _draw_pane(at: Element, size: float) -> None:
    rect(at, 0, 0, size, size, rx=size / 12, fill=WHITE, fill_opacity=0.75, stroke="#8FA9B8")


def _draw_turns(setup: Setup, box: Element, kind: int) -> None:
    """The card turned by one, two and three quarters, as far as it then looks different."""
    same = setup.parts[0]["same_turn"][kind]
    others = [turn for turn in range(1, QUARTER_TURNS) if int(same[turn]) == turn]
    for place, turn in enumerate(others):
        at = group(box, 138 + 58 * (place % 2), 40 + 60 * (place // 2))
        _draw_pane(at, 42)
        _draw_face(setup, at, kind, turn, 42 / _card_size(setup))
        text(at, 21, 54, f"{90 * turn}°", 10, fill=QUIET, text_anchor="middle")


# ==================================================================== seats


def _draw_seats(setup: Setup, game: Any, box: Element, seat: int | None) -> None:
    """The seats in order: whose fruits, what they would score now, points."""
    caption(box, 12, 22, "Seats", "プレイヤー")
    text(box, _SIDE_WIDTH - 12, 22, "in turn order", 11, fill=QUIET, text_anchor="end")
    actors = [int(actor) for actor in game["order"][: int(setup.parts[0]["actors"])]]
    step = (_SEATS_HEIGHT - 34) / max(len(actors), 1)
    for place, actor in enumerate(actors):
        _draw_actor(setup, game, group(box, 0, 32 + step * place), actor, seat, step - 6)


def _draw_actor(
    setup: Setup, game: Any, at: Element, actor: int, seat: int | None, tall: float
) -> None:
    """One who takes a play a turn: a seat, or a fruit of a seat."""
    parts = setup.parts[0]
    player = int(parts["actor_seat"][actor])
    acting = int(game["actor"]) == actor != NO_ACTOR
    frame = {"stroke": OKABE_ITO["orange"], "stroke_width": 2.5} if acting else {}
    rect(at, 8, 0, _SIDE_WIDTH - 16, tall, rx=9, fill=PAPER, **frame)
    middle = tall / 2
    seat_disc(at, 30, middle, player, acting=acting)
    if game["winners"][player]:
        crown(at, 30, middle - 15)
    fruits = [fruit for fruit in range(FRUIT_COUNT) if int(parts["owner"][fruit]) == actor]
    for place, fruit in enumerate(fruits):
        _draw_symbol(at, 68 + 34 * place, middle, 36, FIRST_FRUIT + fruit)
    x = 58 + 34 * len(fruits)
    total = int(game["actor_totals"][actor])
    words = f"{total} points" + (" · you" if player == seat else "")
    text(at, x, middle - 4, words, 15, strong=True)
    now = sum(int(game["group_points"][fruit]) for fruit in fruits)
    collected = int(game["collected"][actor])
    whole = f" · seat {int(game['totals'][player])}" if _by_fruit(setup) else ""
    words = f"cake {now} · kept {collected}{whole}"
    text(at, x, middle + 13, words, 11, fill=QUIET)


def _by_fruit(setup: Setup) -> bool:
    """Whether each fruit takes its own plays (Q6)."""
    return int(setup.parts[0]["actors"]) > setup.players


# ==================================================================== the bag


def _draw_bag(setup: Setup, game: Any, box: Element) -> None:
    """All kinds of cards, with how many of them are still to come."""
    caption(box, 12, 22, f"Bag: {int(game['bag_left'])} cards", "袋")
    _draw_names(box)
    for kind, copies in enumerate(game["bag"].tolist()):
        row, column = divmod(kind, _THUMBS)
        at = group(
            box, 10 + _THUMB_STEP * column, 32 + _THUMB_HEIGHT * row,
            opacity=None if copies else 0.3, role="img",
            aria_label=f"{copies} of card {card_label(setup, kind)}",
        )  # fmt: skip
        _draw_pane(at, 32)
        _draw_face(setup, at, kind, 0, 32 / _card_size(setup))
        text(at, 16, 45, f"{copies}", 11, text_anchor="middle")


def _draw_names(box: Element) -> None:
    """The fruits and the cream by name, in both languages."""
    x = 170.0
    for place, japanese in enumerate(_JAPANESE):
        symbol = FIRST_FRUIT + place
        _draw_symbol(box, x, 17, 22, symbol)
        caption(box, x + 14, 21, _word(symbol), japanese, 11)
        x += 42 + 6.2 * len(_word(symbol)) + 9.5 * len(japanese)


# ==================================================================== fruits and cream


def _draw_symbol(at: Element, x: float, y: float, cell: float, symbol: int) -> None:
    """A fruit or cream around (x, y), a little smaller than a cell; with its letter if large."""
    made = group(at, transform=f"translate({x:.1f} {y:.1f}) scale({cell * 0.46:.2f})")
    _SYMBOLS[symbol](made)
    if cell >= _LETTERS_FROM and symbol != CREAM:
        circle(made, 0, 0.1, 0.36, fill=PAPER)
        text(made, 0, 0.31, TINTS[symbol].letter, 0.58, strong=True, text_anchor="middle")


_EDGE: dict[str, Any] = {"stroke": INK, "stroke_width": 0.06, "stroke_linejoin": "round"}


def _strawberry(at: Element) -> None:
    path(
        at,
        "M0 1C-.6 .65-1 .05-.9-.35C-.8-.8-.3-.8 0-.55C.3-.8 .8-.8 .9-.35C1 .05 .6 .65 0 1Z",
        fill=TINTS[STRAWBERRY].fill, **_EDGE,
    )  # fmt: skip
    for x, y in ((-0.6, -0.2), (0.6, -0.2), (-0.48, 0.3), (0.48, 0.3), (0, 0.68)):
        ellipse(at, x, y, 0.06, 0.1, fill=OKABE_ITO["yellow"])
    corners = [(-0.62, -0.72), (-0.2, -0.72), (0.0, -1.0), (0.2, -0.72), (0.62, -0.72), (0.0, -0.4)]
    polygon(at, corners, fill="#5B7F2B", **_EDGE)


def _blueberry(at: Element) -> None:
    circle(at, 0, 0.05, 0.88, fill=TINTS[BLUEBERRY].fill, **_EDGE)
    corners = [
        (radius * math.sin(math.tau * corner / 12), 0.1 - radius * math.cos(math.tau * corner / 12))
        for corner in range(12)
        for radius in ((0.62, 0.4)[corner % 2],)
    ]
    polygon(at, corners, fill="#7FB2D9", **_EDGE)


def _kiwi(at: Element) -> None:
    circle(at, 0, 0, 0.92, fill="#7A5A3A", **_EDGE)
    circle(at, 0, 0, 0.82, fill=TINTS[KIWI].fill)
    for seed in range(10):
        angle = math.tau * seed / 10
        circle(at, 0.58 * math.sin(angle), 0.05 - 0.58 * math.cos(angle), 0.07, fill=INK)
    circle(at, 0, 0.05, 0.42, fill="#DDF0C8")


def _orange(at: Element) -> None:
    circle(at, 0, 0, 0.92, fill=TINTS[ORANGE].fill, **_EDGE)
    circle(at, 0, 0, 0.78, fill="#FFE7B0")
    for wedge in range(8):
        begin, end = math.tau * (wedge + 0.1) / 8, math.tau * (wedge + 0.9) / 8
        path(
            at,
            f"M0 0L{0.72 * math.sin(begin):.2f} {-0.72 * math.cos(begin):.2f}"
            f"A.72 .72 0 0 1 {0.72 * math.sin(end):.2f} {-0.72 * math.cos(end):.2f}Z",
            fill=TINTS[ORANGE].fill,
        )  # fmt: skip


def _cream(at: Element) -> None:
    """A piped rosette."""
    for blob in range(6):
        angle = math.tau * blob / 6
        circle(
            at, 0.55 * math.sin(angle), -0.55 * math.cos(angle), 0.46, fill="#FFFBF0",
            stroke="#B7A98C", stroke_width=0.07,
        )  # fmt: skip
    circle(at, 0, 0, 0.62, fill="#FFFBF0")
    path(
        at, "M-.38 .1C-.38-.35 .38-.35 .36 .08C.34 .4-.18 .38-.16 .08C-.14-.1 .1-.1 .12 .06",
        fill="none", stroke="#B7A98C", stroke_width=0.09, stroke_linecap="round",
    )  # fmt: skip


_SYMBOLS = {
    STRAWBERRY: _strawberry,
    BLUEBERRY: _blueberry,
    KIWI: _kiwi,
    ORANGE: _orange,
    CREAM: _cream,
}
