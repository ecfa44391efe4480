"""Gacha as a picture: cards, capsules and the follow board, as a seat sees them or all open."""

import math
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from tefuda.envs.core.spec import Setup
from tefuda.envs.core.svg import (
    BACK,
    CARD_EDGE,
    FAINT,
    INK,
    MARGIN,
    OKABE_ITO,
    PAPER,
    QUIET,
    WHITE,
    WIDTH,
    Element,
    Tint,
    actionable,
    button,
    canvas,
    caption,
    circle,
    crown,
    group,
    halo,
    header,
    line,
    panel,
    path,
    polygon,
    rect,
    seat_disc,
    text,
    to_text,
    who_is_to,
)
from tefuda.envs.gacha.state import (
    BALL_PHASE,
    BALLS,
    BLACK,
    BLUE,
    COLOURS,
    DEAL_PHASE,
    DUST_ACTION,
    DUST_PHASE,
    FIRST_LEADER_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    GREEN,
    HIGH,
    KEEP_ACTION,
    MAX_CARDS,
    MAY,
    NO_CARD,
    NO_FOLLOW,
    OVER_PHASE,
    PLAY_ACTION,
    PLAY_PHASE,
    PURPLE,
    RED,
    REDRAW_ACTION,
    REDRAW_PHASE,
    RETURN_ACTION,
    RETURN_PHASE,
    STOCK_PHASE,
    T_POINTS,
    TIE_DRAW_PHASE,
    WON_DOWN,
    YELLOW,
)
from tefuda.envs.gacha.text import label

#: How colours are told apart: tint and letter here, a shape in `_shape`.
TINTS = {
    RED: Tint(OKABE_ITO["vermillion"], "R", WHITE),
    BLUE: Tint(OKABE_ITO["blue"], "B", WHITE),
    YELLOW: Tint(OKABE_ITO["yellow"], "Y", INK),
    GREEN: Tint(OKABE_ITO["green"], "G", WHITE),
    PURPLE: Tint(OKABE_ITO["purple"], "P", INK),
    BLACK: Tint("#3A3A3A", "K", WHITE),
}
_FOLLOW_WORDS = (
    ("must follow", "マストフォロー"),
    ("must not follow", "マストノットフォロー"),
    ("may follow", "メイフォロー"),
)
_ASKED = {
    FOLLOW_PHASE: "choose how to follow",
    PLAY_PHASE: "play a card",
    REDRAW_PHASE: "draw a card, or not",
    RETURN_PHASE: "put a card under the stock",
    DUST_PHASE: "discard a card of the trick",
    STOCK_PHASE: "draw from the stock",
    BALL_PHASE: "draw a ball",
    TIE_DRAW_PHASE: "draw for the win",
}

# Measures: where the parts lie, and the sizes of cards.
_TABLE_TOP, _TABLE_HEIGHT = 66, 222
_ROW_HEIGHT, _OWN_HEIGHT, _LEGEND_HEIGHT = 70, 152, 30
_GAP = 8
_BIG, _SMALL = (66, 94), (36, 52)


class _Scene(NamedTuple):
    """What every part of the picture is drawn from.

    Attributes:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None sees all cards.
        legal: The actions that can be chosen.
    """

    setup: Setup
    game: Any
    seat: int | None
    legal: Collection[int]

    def knows(self, player: int) -> bool:
        """Whether the cards of a player are seen."""
        return self.seat in (None, player)

    def acting(self, player: int) -> bool:
        """Whether it is a player's turn."""
        return int(self.game["seat"]) == player

    def choice(self, parent: Element, action: int, x: float, y: float) -> Element:
        """A group at (x, y), which stands for an action where that is legal."""
        if action in self.legal:
            return actionable(parent, action, label(self.setup, action), x, y)
        return group(parent, x, y)


def draw(setup: Setup, game: Any, seat: int | None = None, legal: Collection[int] = ()) -> str:
    """The table as SVG.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None shows all cards.
        legal: The actions that can be chosen by a click; given for the acting seat alone.
    """
    scene = _Scene(setup, game, seat, legal)
    others = _others(scene)
    rows_top = _TABLE_TOP + _TABLE_HEIGHT + _GAP
    own_top = rows_top + len(others) * (_ROW_HEIGHT + _GAP)
    height = own_top + (0 if seat is None else _OWN_HEIGHT + _GAP) + _LEGEND_HEIGHT
    root = canvas(height, f"Gacha, as seat {seat} sees it" if seat is not None else "Gacha")
    header(root, "GachaGacha Trick-taking", "ガチャガチャトリテ", _where(scene), _what(scene))
    _draw_table(scene, root)
    for place, player in enumerate(others):
        _draw_row(scene, root, player, rows_top + place * (_ROW_HEIGHT + _GAP))
    if seat is not None:
        _draw_own(scene, root, seat, own_top)
    _draw_legend(root, height - _LEGEND_HEIGHT)
    return to_text(root)


def _others(scene: _Scene) -> list[int]:
    """The seats in rows: clockwise from the one that looks on, who comes last and large."""
    players = scene.setup.players
    if scene.seat is None:
        return list(range(players))
    return [(scene.seat + step) % players for step in range(1, players)]


def _where(scene: _Scene) -> str:
    game, parts = scene.game, scene.setup.parts[0]
    trick = min(int(game["trick"]) + 1, int(parts["tricks"]))
    return f"Round {int(game['round_index']) + 1} · trick {trick} of {int(parts['tricks'])}"


def _what(scene: _Scene) -> str:
    phase = int(scene.game["phase"])
    if phase in (FIRST_LEADER_PHASE, DEAL_PHASE):
        return "Cards are dealt."
    return who_is_to(scene.setup, scene.game, scene.seat, _ASKED.get(phase))


# ==================================================================== the table


def _draw_table(scene: _Scene, root: Element) -> None:
    left, middle = 176, 400
    _draw_trump(scene, panel(root, MARGIN, _TABLE_TOP, left, _TABLE_HEIGHT))
    _draw_trick(scene, panel(root, MARGIN + left + _GAP, _TABLE_TOP, middle, _TABLE_HEIGHT), middle)
    begin = MARGIN + left + middle + 2 * _GAP
    _draw_follows(scene, panel(root, begin, _TABLE_TOP, WIDTH - MARGIN - begin, _TABLE_HEIGHT))


def _draw_trump(scene: _Scene, box: Element) -> None:
    """Trump as a large capsule, the order of numbers, and the balls still in the bag."""
    game, trump = scene.game, int(scene.game["trump"])
    caption(box, 12, 22, "Trump", "切り札")
    _draw_capsule(box, 48, 74, 36, trump)
    text(box, 48, 130, COLOURS[trump], 14, strong=True, text_anchor="middle")
    _draw_order(box, 132, 76, high=int(game["order"]) == HIGH)
    line(box, 12, 144, 164, 144, stroke=FAINT)
    caption(box, 12, 164, "Balls in the bag", "ガチャ")
    for ball in range(BALLS):
        x = 24 + 32 * ball
        if int(game["bag"]) >> ball & 1:
            _draw_capsule(box, x, 192, 13, ball)
        else:
            circle(box, x, 192, 12, fill="none", stroke=QUIET, stroke_dasharray="3 3")


def _draw_capsule(parent: Element, x: float, y: float, radius: float, colour: int) -> None:
    """A toy capsule: a lid of the colour with its shape and letter, a clear bottom."""
    tint, made = TINTS[colour], group(parent, x, y)
    edge = {"stroke": INK, "stroke_width": max(1.2, radius / 16)}
    circle(made, 0, 0, radius, fill=tint.fill, **edge)
    half = radius * 0.92
    sag = radius * 0.38
    path(
        made,
        f"M {-half:.1f} {sag:.1f} A {radius} {radius} 0 0 0 {half:.1f} {sag:.1f} Z",
        fill=PAPER, fill_opacity=0.9, **edge,
    )  # fmt: skip
    _draw_mark(made, 0, -radius * 0.24, radius * 0.52, colour)
    path(
        made,
        f"M {-radius * 0.72:.1f} {-radius * 0.2:.1f} "
        f"A {radius * 0.75:.1f} {radius * 0.75:.1f} 0 0 1 {-radius * 0.3:.1f} {-radius * 0.68:.1f}",
        fill="none", stroke=WHITE, stroke_width=max(1.0, radius / 10), stroke_linecap="round",
        stroke_opacity=0.7,
    )  # fmt: skip


def _draw_order(box: Element, x: float, y: float, *, high: bool) -> None:
    """Three bars that rise to the strong side."""
    heights = (14, 26, 38) if high else (38, 26, 14)
    for place, tall in enumerate(heights):
        strongest = place == (2 if high else 0)
        rect(
            box, x - 25 + 18 * place, y + 22 - tall, 14, tall, rx=3,
            fill=INK if strongest else FAINT,
        )  # fmt: skip
    text(box, x, y + 40, "large" if high else "small", 14, strong=True, text_anchor="middle")
    text(box, x, y + 56, "numbers win", 11, fill=QUIET, text_anchor="middle")


def _draw_follows(scene: _Scene, box: Element) -> None:
    """The follow board: the type of this trick stands out, that of the last one is barred."""
    game = scene.game
    follow, previous = int(game["follow"]), int(game["previous_follow"])
    caption(box, 12, 22, "Follow board", "フォロー")
    width = 160
    for kind, (english, japanese) in enumerate(_FOLLOW_WORDS):
        tile = scene.choice(box, FOLLOW_ACTION + kind, 12, 34 + 48 * kind)
        chosen, barred = kind == follow, follow == NO_FOLLOW and kind == previous
        rect(tile, 0, 0, width, 41, rx=8, fill=INK if chosen else PAPER, stroke=CARD_EDGE)
        on = PAPER if chosen else (FAINT if barred else INK)
        text(tile, 12, 19, english, 14, strong=True, fill=on)
        text(tile, 12, 34, japanese, 10, fill=FAINT if chosen or barred else QUIET)
        if barred:
            text(tile, width - 10, 19, "last trick", 10, fill=QUIET, text_anchor="end")
        if FOLLOW_ACTION + kind in scene.legal:
            halo(tile, 0, 0, width, 41)
    _draw_stock(box, _stock(game))


def _stock(game: Any) -> int:
    return int(game["undealt_count"] + game["returned_count"] - game["redrawn_count"])


def _draw_stock(box: Element, count: int) -> None:
    for layer in range(min(3, count)):
        rect(
            box, 14 + 3 * layer, 185 - 2 * layer, 34, 24, rx=4, fill=BACK, stroke=PAPER
        )  # fmt: skip
    text(box, 64, 204, f"{count} in the stock", 13)
    text(box, 148, 204, "山札", 11, fill=QUIET)


# ==================================================================== the trick


def _draw_trick(scene: _Scene, box: Element, width: float) -> None:
    """The places of all seats from the leader on, with what they have played."""
    game, players = scene.game, scene.setup.players
    follow = int(game["follow"])
    words = "" if follow == NO_FOLLOW else _FOLLOW_WORDS[follow][0]
    caption(box, 12, 22, "Trick", "トリック")
    text(box, width - 12, 22, words, 13, fill=QUIET, text_anchor="end")
    step = width / players
    for position in range(players):
        player = (int(game["leader"]) + position) % players
        x = step * (position + 0.5) - _BIG[0] / 2
        _draw_place(scene, box, position, player, x)


def _draw_place(scene: _Scene, box: Element, position: int, player: int, x: float) -> None:
    game, (width, tall), top = scene.game, _BIG, 62
    _draw_standing(scene, box, position, x + width / 2, top - 8)
    if position < int(game["plays"]):
        place = scene.choice(box, DUST_ACTION + position, x, top)
        _draw_played(scene, place, position, player)
        if DUST_ACTION + position in scene.legal:
            halo(place, 0, 0, width, tall)
    else:
        rect(
            box, x, top, width, tall, rx=8, fill="none", stroke=FAINT, stroke_width=1.5,
            stroke_dasharray="5 4",
        )  # fmt: skip
    seat_disc(box, x + width / 2, top + tall + 26, player, acting=scene.acting(player))
    if position == 0 and int(game["phase"]) != FIRST_LEADER_PHASE:
        text(box, x + width / 2, top + tall + 56, "leads", 11, fill=QUIET, text_anchor="middle")


def _draw_standing(scene: _Scene, box: Element, position: int, x: float, y: float) -> None:
    """A crown over the play that wins as things stand."""
    game = scene.game
    may = int(game["follow"]) == MAY
    best, strength = ("second_at", "second_key") if may else ("top_at", "top_key")
    if int(game["plays"]) and int(game[strength]) > 0 and int(game[best]) == position:
        crown(box, x, y)


def _draw_played(scene: _Scene, place: Element, position: int, player: int) -> None:
    game, (width, tall) = scene.game, _BIG
    down = bool(int(game["trick_down"]) >> position & 1)
    if down and not scene.knows(player):
        _draw_back(place, width, tall)
    else:
        _draw_card(scene, place, int(game["trick_card"][position]), _BIG)
    if down:
        rect(place, 0, tall - 22, width, 22, rx=4, fill=BACK)
        text(place, width / 2, tall - 7, "face down", 11, fill=WHITE, text_anchor="middle")
    if int(game["trick_gone"]) >> position & 1:
        rect(place, 0, 0, width, tall, rx=8, fill=PAPER, fill_opacity=0.6)
        line(place, 8, 8, width - 8, tall - 8, stroke=INK, stroke_width=3)
        line(place, 8, tall - 8, width - 8, 8, stroke=INK, stroke_width=3)


# ==================================================================== seats


def _draw_row(scene: _Scene, root: Element, player: int, top: float) -> None:
    """A seat in one line: number and points, what it has won, its hand."""
    width = WIDTH - 2 * MARGIN
    box = panel(root, MARGIN, top, width, _ROW_HEIGHT, acting=scene.acting(player))
    _draw_standing_of(scene, box, player)
    _draw_won(scene, box, player, 142, 24)
    hand = _hand(scene.game, player)
    step = min(40.0, (width - 372) / max(1, len(hand)))
    for place, card in enumerate(hand):
        x = width - 12 - _SMALL[0] - step * (len(hand) - 1 - place)
        at = group(box, x, 9)
        if scene.knows(player):
            _draw_card(scene, at, card, _SMALL)
        else:
            _draw_back(at, *_SMALL)


def _hand(game: Any, player: int) -> list[int]:
    return [card for card in range(MAX_CARDS) if int(game["hand"][player]) >> card & 1]


def _draw_standing_of(scene: _Scene, box: Element, player: int) -> None:
    """A seat's number, its points, and those of the last round."""
    game = scene.game
    unit = str(scene.setup.options["scoring"]).upper()
    seat_disc(box, 26, 35, player, acting=scene.acting(player))
    if game["winners"][player]:
        crown(box, 26, 18)
    remark = _remark(scene, player)
    text(box, 50, 34 if remark else 41, f"{int(game['totals'][player])} {unit}", 17, strong=True)
    text(box, 50, 52, remark, 11, fill=QUIET)


def _remark(scene: _Scene, player: int) -> str:
    game = scene.game
    drawn = int(game["tie_card"][player])
    if game["tied"][player] and drawn != NO_CARD:
        return f"drew {drawn + 1}"
    if int(game["phase"]) == OVER_PHASE:
        return f"{int(game['vp'][player])} VP this round"
    return f"{int(game['vp'][player])} VP last round" if int(game["scorings"]) else ""


def _draw_won(scene: _Scene, box: Element, player: int, x: float, y: float) -> None:
    """Won cards by colour, won face down, and tricks; below, what the seat was seen to lack."""
    won, void = scene.game["won"][player], scene.game["void_age"][player]
    step = 27
    for colour in range(BALLS):
        at = x + step * colour
        count = int(won[colour])
        faint = {} if count else {"opacity": 0.35}
        _draw_mark(group(box, **faint), at, y, 9, colour, plain=True)
        text(box, at, y + 28, count, 14, strong=bool(count), text_anchor="middle", fill=INK)
        if void[colour]:
            line(box, at - 10, y + 10, at + 10, y - 10, stroke=INK, stroke_width=2)
    _draw_counter(box, x + step * BALLS + 2, y, int(won[WON_DOWN]), "down")
    _draw_counter(box, x + step * (BALLS + 1) + 8, y, int(won[T_POINTS]), "T")


def _draw_counter(box: Element, x: float, y: float, count: int, kind: str) -> None:
    """Cards won face down, or T points; each stands for any colour."""
    made = group(box, **({} if count else {"opacity": 0.35}))
    if kind == "down":
        rect(made, x - 7, y - 10, 14, 20, rx=3, fill=BACK, stroke=PAPER)
    else:
        rect(made, x - 10, y - 10, 20, 20, rx=10, fill=PAPER, stroke=INK, stroke_width=1.5)
        text(made, x, y + 5, "T", 13, strong=True, text_anchor="middle")
    text(box, x, y + 28, count, 14, strong=bool(count), text_anchor="middle")


def _draw_own(scene: _Scene, root: Element, seat: int, top: float) -> None:
    """The hand of the one that looks on, large; cards that can be chosen are raised."""
    width = WIDTH - 2 * MARGIN
    box = panel(root, MARGIN, top, width, _OWN_HEIGHT, acting=scene.acting(seat))
    _draw_own_line(scene, box, seat)
    hand = _hand(scene.game, seat)
    step = min(_BIG[0] + 8.0, (width - 24 - _BIG[0]) / max(1, len(hand) - 1))
    begin = (width - _BIG[0] - step * (len(hand) - 1)) / 2
    for place, card in enumerate(hand):
        _draw_held(scene, box, seat, card, begin + step * place)


def _draw_own_line(scene: _Scene, box: Element, seat: int) -> None:
    """The line above the own hand: standing, what was won, and choices in words."""
    line_box = group(box, 0, -13)
    seat_disc(line_box, 26, 35, seat, acting=scene.acting(seat))
    unit = str(scene.setup.options["scoring"]).upper()
    if scene.game["winners"][seat]:
        crown(line_box, 26, 18)
    total = int(scene.game["totals"][seat])
    text(line_box, 50, 41, f"You · {total} {unit}", 16, strong=True)
    text(line_box, 142, 41, _remark(scene, seat), 11, fill=QUIET)
    _draw_own_won(scene, box, seat)
    for action, words, x in (
        (REDRAW_ACTION, "draw a card", 520),
        (KEEP_ACTION, "keep the hand", 644),
    ):
        if action in scene.legal:
            button(box, action, label(scene.setup, action), words, x, 8, 112)
    words = _own_note(scene, seat)
    text(box, 756, 27, words, 13, fill=QUIET, text_anchor="end")


def _own_note(scene: _Scene, seat: int) -> str:
    """What the one that looks on is to know beside: its card stays hidden, what it put away."""
    if REDRAW_ACTION in scene.legal:
        return ""
    if scene.legal and int(scene.game["must_hide"]):
        return "Your card will lie face down."
    away = [card for card in range(MAX_CARDS) if int(scene.game["in_stock"][seat]) >> card & 1]
    colours = scene.setup.parts[0]["colour"]
    words = ", ".join(f"{card + 1}{TINTS[int(colours[card])].letter}" for card in away)
    return f"You put under the stock: {words}" if away else ""


def _draw_own_won(scene: _Scene, box: Element, seat: int) -> None:
    won = scene.game["won"][seat]
    x = 246.0
    for colour in range(BALLS):
        faint = {} if won[colour] else {"opacity": 0.35}
        _draw_mark(group(box, **faint), x, 22, 9, colour, plain=True)
        text(box, x + 14, 27, int(won[colour]), 14, strong=bool(won[colour]))
        x += 38
    for count, kind in ((int(won[WON_DOWN]), "down"), (int(won[T_POINTS]), "T")):
        made = group(box, **({} if count else {"opacity": 0.35}))
        if kind == "down":
            rect(made, x - 7, 12, 14, 20, rx=3, fill=BACK, stroke=PAPER)
        else:
            circle(made, x, 22, 10, fill=PAPER, stroke=INK, stroke_width=1.5)
            text(made, x, 27, "T", 13, strong=True, text_anchor="middle")
        text(box, x + 15, 27, count, 14, strong=bool(count))
        x += 38


def _draw_held(scene: _Scene, box: Element, seat: int, card: int, x: float) -> None:
    """A card of the own hand: raised if it can be chosen, pale if others can."""
    actions = {PLAY_ACTION + card, RETURN_ACTION + card} & set(scene.legal)
    own_cards = any(action < FOLLOW_ACTION for action in scene.legal)
    for action in actions:
        at = scene.choice(box, action, x, 44)
        _draw_card(scene, at, card, _BIG)
        halo(at, 0, 0, *_BIG)
    if not actions:
        pale = {"opacity": 0.5} if own_cards else {}
        _draw_card(scene, group(box, x, 50 if own_cards else 47, **pale), card, _BIG)
    if int(scene.game["drawn"]) == card and scene.acting(seat):
        text(box, x + _BIG[0] / 2, 149, "drawn", 10, text_anchor="middle")


# ==================================================================== cards


def _draw_card(scene: _Scene, at: Element, card: int, size: tuple[int, int]) -> None:
    """A card's face: number, shape with letter, icons."""
    parts = scene.setup.parts[0]
    (width, tall), colour = size, int(parts["colour"][card])
    tint, icons, big = TINTS[colour], _icons(parts, card), size == _BIG
    rect(at, 0, 0, width, tall, rx=width / 8, fill=tint.fill, stroke=INK, stroke_width=1.2)
    if big:
        rect(at, 4, 4, width - 8, tall - 8, rx=5, fill="none", stroke=tint.on, stroke_opacity=0.35)
        text(at, width / 2, 33, card + 1, 28, strong=True, fill=tint.on, text_anchor="middle")
        _draw_mark(at, width / 2, 52 if icons else 60, 11.5 if icons else 15, colour)
        _draw_icons(at, icons, width / 2, tall - 17, 10.5)
    else:
        text(at, width / 2, 17, card + 1, 16, strong=True, fill=tint.on, text_anchor="middle")
        _draw_mark(at, width / 2, 27 if icons else 34, 6.5 if icons else 9, colour)
        _draw_icons(at, icons, width / 2, tall - 9, 6.5)


def _draw_back(at: Element, width: float, tall: float) -> None:
    rect(at, 0, 0, width, tall, rx=width / 8, fill=BACK, stroke=INK, stroke_width=1.2)
    rect(at, 4, 4, width - 8, tall - 8, rx=3, fill="none", stroke=WHITE, stroke_opacity=0.55)
    radius = width / 5
    circle(at, width / 2, tall / 2, radius, fill="none", stroke=WHITE, stroke_opacity=0.8)
    line(
        at, width / 2 - radius, tall / 2, width / 2 + radius, tall / 2, stroke=WHITE,
        stroke_opacity=0.8,
    )  # fmt: skip


def _draw_mark(
    at: Element, x: float, y: float, radius: float, colour: int, *, plain: bool = False
) -> None:
    """A colour's shape with its letter: paper on its colour, or `plain` in its colour."""
    tint, made = TINTS[colour], group(at, x, y)
    fill, ink = (tint.fill, tint.on) if plain else (PAPER, INK)
    edge = {"stroke": INK, "stroke_width": 1.0, "stroke_linejoin": "round"}
    down = radius * 0.38
    if colour == BLUE:
        circle(made, 0, 0, radius, fill=fill, **edge)
    else:
        corners, down_share = _SHAPES[colour]
        polygon(made, [(radius * a, radius * b) for a, b in corners], fill=fill, **edge)
        down = radius * down_share
    text(made, 0, down, tint.letter, radius * 1.02, strong=True, fill=ink, text_anchor="middle")


def _ring(
    corners: int, turn: float, radius: float = 1.0, inner: float | None = None
) -> list[tuple[float, float]]:
    """The corners of a regular shape; with an inner radius, of a star."""
    points = []
    for corner in range(corners * (1 if inner is None else 2)):
        far = inner if inner is not None and corner % 2 else radius
        angle = turn + math.tau * corner / (corners * (1 if inner is None else 2))
        points.append((far * math.sin(angle), -far * math.cos(angle)))
    return points


# The corners of a colour's shape around its middle, and how far down its letter stands.
_SHAPES = {
    RED: ([(0.0, -1.2), (1.22, 0.95), (-1.22, 0.95)], 0.68),
    YELLOW: (_ring(5, 0.0, 1.35, 0.72), 0.42),
    GREEN: (_ring(4, math.pi / 4, 1.3), 0.38),
    PURPLE: (_ring(4, 0.0, 1.35), 0.38),
    BLACK: (_ring(6, math.pi / 6, 1.15), 0.38),
}


# ==================================================================== icons


def _icons(parts: Any, card: int) -> list[tuple[str, int]]:
    """A card's icons, each with its number (dust alone has one)."""
    icons = [(name, 0) for name in ("gacha", "revo", "redraw") if parts[name][card]]
    dust = int(parts["dust"][card])
    return [*icons, ("dust", dust)] if dust else icons


def _draw_icons(
    at: Element, icons: list[tuple[str, int]], x: float, y: float, radius: float
) -> None:
    step = 2.3 * radius
    for place, (name, number) in enumerate(icons):
        made = group(at, x + step * (place - (len(icons) - 1) / 2), y)
        circle(made, 0, 0, radius, fill=PAPER, stroke=INK, stroke_width=0.8)
        _ICONS[name](group(made, transform=f"scale({radius / 10:.3f})"), number)


def _icon_gacha(at: Element, number: int) -> None:
    """A capsule."""
    del number  # only dust has one
    circle(at, 0, 0, 6, fill=PAPER, stroke=INK, stroke_width=1.4)
    path(at, "M -6 0 A 6 6 0 0 1 6 0 Z", fill=INK)


def _icon_revo(at: Element, number: int) -> None:
    """An arrow up and an arrow down."""
    del number
    for x, sign in ((-3, 1), (3, -1)):
        line(at, x, 5 * sign, x, -3 * sign, stroke=INK, stroke_width=2)
        polygon(at, [(x - 3, -2 * sign), (x + 3, -2 * sign), (x, -7 * sign)], fill=INK)


def _icon_redraw(at: Element, number: int) -> None:
    """An arrow in a circle."""
    del number
    path(
        at, "M 4.5 3.2 A 5.5 5.5 0 1 1 4.6 -3", fill="none", stroke=INK, stroke_width=2,
    )  # fmt: skip
    polygon(at, [(7.4, -5.6), (6.4, 0.4), (1.6, -2.8)], fill=INK)


def _icon_dust(at: Element, number: int) -> None:
    """A cloud of dust with its number."""
    for x, y, radius in ((-3.6, 1.2, 4.2), (3.6, 1.2, 4.2), (0, -2.4, 4.8), (0, 2.4, 4)):
        circle(at, x, y, radius, fill=QUIET)
    text(at, 0, 4, number, 11, strong=True, fill=WHITE, text_anchor="middle")


_ICONS: dict[str, Callable[[Element, int], None]] = {
    "gacha": _icon_gacha,
    "revo": _icon_revo,
    "redraw": _icon_redraw,
    "dust": _icon_dust,
}
_ICON_WORDS = (
    ("gacha", "a ball becomes trump"),
    ("redraw", "change a card"),
    ("revo", "order turns round"),
    ("dust", "winner discards"),
)


def _draw_legend(root: Element, top: float) -> None:
    """What icons and marks mean."""
    x = MARGIN + 12.0
    for name, words in _ICON_WORDS:
        _draw_icons(root, [(name, 2 if name == "dust" else 0)], x, top + 12, 9)
        text(root, x + 15, top + 16.5, words, 11.5, fill=QUIET)
        x += 34 + 6.1 * len(words)
    line(root, x - 4, top + 20, x + 12, top + 4, stroke=INK, stroke_width=2)
    text(root, x + 18, top + 16.5, "seen to lack a colour", 11.5, fill=QUIET)
    x += 150
    crown(root, x, top + 20)
    text(root, x + 17, top + 16.5, "wins now", 11.5, fill=QUIET)
