"""Torutorento as a picture: hands in which caterpillars join across cards, fields, the market."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup
from tefuda.envs.core.svg import (
    ACCENT,
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
    ellipse,
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
from tefuda.envs.torutorento.state import (
    BIRD,
    BODY_1,
    BODY_3,
    BUTTERFLY,
    DEAL_PHASE,
    DEALT_UNSEEN,
    DECK,
    DECK_PHASE,
    DECLARE_PHASE,
    DONE_ACTION,
    DRAWN_UNSEEN,
    FACE_COUNT,
    FACE_OF,
    FALL_ACTION,
    FALL_PHASE,
    FIELD,
    FIRST_CARD,
    FIRST_PARENT_PHASE,
    FLOWER,
    FLOWER_CARD,
    FLOWER_SLOT_PHASE,
    HEAD_EDGE,
    INSERT_ACTION,
    INSERT_PHASE,
    LEAVES,
    LEFT_OF,
    LIFT_ACTION,
    LIFT_PHASE,
    MARKET,
    MARKET_PHASE,
    MIMIC,
    NO_CARD,
    NO_EDGE,
    OPEN_EDGE,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PICK_PHASE,
    PLACE_PHASE,
    PUT_ACTION,
    PUT_PHASE,
    RIGHT_OF,
    ROLE_ACTION,
    ROLE_CARD,
    ROLES,
    SLOTS,
    TAIL_EDGE,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
    TAKE_PHASE,
    TURNED,
    WAY_OF,
    WAY_UP_PHASE,
)
from tefuda.envs.torutorento.text import label, pile_count, pile_size

# Kinds of things on cards; heads and tails by their edges.
_HEAD, _TAIL, _BODY, _FLOWER, _BIRD, _BUTTERFLY, _MIMIC = range(7)
#: How kinds are told apart: tint and letter here, a picture each.
TINTS = {
    _HEAD: Tint(OKABE_ITO["vermillion"], "H", WHITE),
    _TAIL: Tint(OKABE_ITO["blue"], "T", WHITE),
    _BODY: Tint(OKABE_ITO["green"], "1", WHITE),
    _FLOWER: Tint(OKABE_ITO["purple"], "F", INK),
    _BIRD: Tint(OKABE_ITO["sky"], "B", INK),
    _BUTTERFLY: Tint(OKABE_ITO["yellow"], "Y", INK),
    _MIMIC: Tint("#54432B", "M", WHITE),
}
_KIND_OF_FACE = {FLOWER: _FLOWER, BIRD: _BIRD, BUTTERFLY: _BUTTERFLY, MIMIC: _MIMIC}
_NAMES = (
    ("head", "あたま"),
    ("tail", "しっぽ"),
    ("body", "からだ"),
    ("flower", "花"),
    ("bird", "鳥"),
    ("butterfly", "蝶"),
    ("mimic", "ぎたい"),
)
# What a mimic can be, in a word each beside its picture.
_ROLE_WORDS = ("head", "head", "tail", "tail", "body")
_ASKED = {
    FALL_PHASE: "let leaves fall",
    TAKE_PHASE: "take a card",
    PUT_PHASE: "put the card into a field",
    PICK_PHASE: "pick a card to grow",
    INSERT_PHASE: "insert the card",
    LIFT_PHASE: "lift a card for a bird",
    PLACE_PHASE: "insert the lifted card",
    DECLARE_PHASE: "say what the mimic is",
    DECK_PHASE: "draw from the deck",
}
_DEALING = (FIRST_PARENT_PHASE, FLOWER_SLOT_PHASE, DEAL_PHASE, WAY_UP_PHASE, MARKET_PHASE)

# Measures.
_TOP, _GAP = 66, 8
_MEADOW_HEIGHT, _ROW_HEIGHT, _OWN_HEIGHT, _NAMES_HEIGHT = 124, 84, 220, 34
_BIG, _MIDDLE, _ROW, _SMALL, _TINY = (72, 100), (50, 70), (44, 62), (34, 47), (28, 39)
_OWN_HAND_X, _OWN_HAND_Y, _OWN_FIELD_X = 46, 46, 634

Size = tuple[int, int]


class Run(NamedTuple):
    """A caterpillar in a hand: the slots of its two ends, and its length."""

    first: int
    last: int
    length: int


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

    def acting(self, player: int) -> bool:
        """Whether it is a player's turn."""
        return int(self.game["seat"]) == player

    def knows(self, player: int) -> bool:
        """Whether the cards of a player are seen."""
        return self.seat in (None, player)

    def choice(self, parent: Element, action: int, x: float = 0, y: float = 0) -> Element:
        """A group at (x, y), which stands for an action where that is legal."""
        if action in self.legal:
            return actionable(parent, action, label(self.setup, action), x, y)
        return group(parent, x, y)

    def offset_of(self, player: int) -> int:
        """How many seats clockwise of the acting seat a player is."""
        return (player - int(self.game["seat"])) % self.setup.players


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
    rows_top = _TOP + _MEADOW_HEIGHT + _GAP
    own_top = rows_top + len(others) * (_ROW_HEIGHT + _GAP)
    height = own_top + (0 if seat is None else _OWN_HEIGHT + _GAP) + _NAMES_HEIGHT
    root = canvas(height, "Torutorento" if seat is None else f"Torutorento, as seat {seat} sees it")
    header(
        root, "Torutorento", "トルトレント", f"Round {int(game['round_index']) + 1}", _what(scene)
    )
    _draw_meadow(scene, panel(root, MARGIN, _TOP, WIDTH - 2 * MARGIN, _MEADOW_HEIGHT))
    for place, player in enumerate(others):
        _draw_row(scene, root, player, rows_top + place * (_ROW_HEIGHT + _GAP))
    if seat is not None:
        _draw_own(scene, root, seat, own_top)
    _draw_names(root, height - _NAMES_HEIGHT)
    return to_text(root)


def _others(scene: _Scene) -> list[int]:
    """The seats in rows: clockwise from the one that looks on, who comes last and large."""
    players = scene.setup.players
    if scene.seat is None:
        return list(range(players))
    return [(scene.seat + step) % players for step in range(1, players)]


def _what(scene: _Scene) -> str:
    phase = int(scene.game["phase"])
    if phase in _DEALING:
        return "Cards are dealt."
    return who_is_to(scene.setup, scene.game, scene.seat, _ASKED.get(phase))


# ==================================================================== the middle of the table


def _draw_meadow(scene: _Scene, box: Element) -> None:
    """Deck, market, the card between two places, the legend."""
    _draw_deck(scene, box)
    caption(box, 110, 22, "Market", "市場")
    faces = _faces_in(scene.game, MARKET)
    for place, (face, count) in enumerate(faces):
        at = _pick_choice(scene, box, MARKET, face, 110 + 58.0 * place, 36)
        _draw_pile_card(at, face, count, _MIDDLE, chosen="data-action" in at.attrib)
    _draw_fingers(scene, box)
    _draw_legend(scene, box)


def _draw_deck(scene: _Scene, box: Element) -> None:
    game = scene.game
    caption(box, 12, 22, "Deck", "山札")
    count = pile_size(game, DECK)
    action = PICK_DECK_ACTION if PICK_DECK_ACTION in scene.legal else TAKE_DECK_ACTION
    at = scene.choice(box, action, 16, 36)
    if not count:
        rect(at, 0, 0, *_MIDDLE, rx=7, fill="none", stroke=FAINT, stroke_dasharray="5 4")
    for layer in range(min(3, count)):
        _draw_back(group(at, 3 * layer, -2 * layer), _MIDDLE)
    if action in scene.legal:
        halo(at, 0, -4, _MIDDLE[0] + 6, _MIDDLE[1] + 4)
    text(box, 44, 119, f"{count}", 12, text_anchor="middle")


def _draw_fingers(scene: _Scene, box: Element) -> None:
    """The card that the acting seat has taken or lifted, as far as it is seen."""
    game, acting = scene.game, int(scene.game["seat"])
    card = int(game["card"])
    if card == NO_CARD or acting == NOBODY:
        return
    x = 462
    text(box, x + 25, 22, f"Seat {acting} holds", 13, strong=True, text_anchor="middle")
    at = group(box, x, 36, data_card_in_hand="")
    if game["unseen"] and not scene.knows(acting):
        _draw_back(at, _MIDDLE)
    else:
        _draw_card(at, card, _MIDDLE)
    rect(at, -3, -3, _MIDDLE[0] + 6, _MIDDLE[1] + 6, rx=9, fill="none", stroke=INK, stroke_width=2)


def _draw_legend(scene: _Scene, box: Element) -> None:
    """Who holds the legend, and the length that earned it (T20)."""
    game, parts, x = scene.game, scene.setup.parts[0], 572
    caption(box, x, 22, "Legend", "伝説")
    _draw_cup(box, x + 22, 72)
    holder, mark = int(game["legend"]), int(game["mark"])
    if holder == NOBODY:
        text(box, x + 54, 64, "nobody has it", 13, strong=True)
    else:
        text(box, x + 54, 60, "held by", 13, strong=True)
        seat_disc(box, x + 122, 55, holder, acting=False)
    least = f"longer than {mark}" if mark else f"length {int(parts['legend_length'])} or more"
    text(box, x + 54, 86, f"next: {least}", 12, fill=QUIET)
    text(box, x + 54, 103, f"worth {int(parts['legend_points'])} points", 12, fill=QUIET)


def _draw_cup(box: Element, x: float, y: float, scale: float = 1.0) -> None:
    at = group(box, transform=f"translate({x} {y}) scale({scale})")
    for side in (-1, 1):
        path(
            at, f"M{14 * side}-18C{28 * side}-18 {26 * side} 0 {9 * side} 2", fill="none",
            stroke=INK, stroke_width=2.5,
        )  # fmt: skip
    path(
        at, "M-16-22H16C16-4 8 6 3 8V16H11V22H-11V16H-3V8C-8 6-16-4-16-22Z",
        fill=ACCENT, stroke=INK, stroke_width=1.5, stroke_linejoin="round",
    )  # fmt: skip


# ==================================================================== piles


def _faces_in(game: Any, pile: int) -> list[tuple[int, int]]:
    """The faces in a pile with their numbers."""
    counts = [(face, pile_count(game, pile, face)) for face in range(FACE_COUNT)]
    return [(face, count) for face, count in counts if count]


def _pick_choice(
    scene: _Scene, parent: Element, pile: int, face: int, x: float, y: float
) -> Element:
    """The place of a face in a pile; it can be chosen where a card of the face leaves first."""
    if pile == _source_of(scene, face):
        return scene.choice(parent, PICK_ACTION + face, x, y)
    return group(parent, x, y)


def _source_of(scene: _Scene, face: int) -> int | None:
    """The pile that a picked face leaves: market, own field, then clockwise."""
    acting, players = int(scene.game["seat"]), scene.setup.players
    fields = [FIELD + (acting + step) % players for step in range(players)]
    for pile in (MARKET, *fields):
        if pile_count(scene.game, pile, face):
            return pile
    return None


def _draw_pile_card(at: Element, face: int, count: int, size: Size, *, chosen: bool) -> None:
    """A face of a pile, with how many there are if there are several."""
    if count > 1:
        rect(at, 3, 3, *size, rx=size[0] / 7, fill=PAPER, stroke=CARD_EDGE)
    _draw_card(at, FIRST_CARD + 2 * face, size)
    if chosen:
        halo(at, 0, 0, *size)
    if count > 1:
        circle(at, size[0] - 3, size[1] - 2, 8, fill=INK)
        text(at, size[0] - 3, size[1] + 2, count, 11, strong=True, fill=WHITE, text_anchor="middle")


def _draw_field(
    scene: _Scene, parent: Element, player: int, frame: tuple[float, float, float, float]
) -> None:
    """A seat's field: fallen leaves, and what was put there."""
    x, y, width, height = frame
    action = PUT_ACTION + scene.offset_of(player)
    at = scene.choice(parent, action, x, y)
    rect(at, 0, 0, width, height, rx=9, fill="#DDE5CC", stroke="#B9C69F")
    if action in scene.legal:
        halo(at, 0, 0, width, height, rx=9)
    caption(at, 8, 13, "field", "場", 10)
    faces = _faces_in(scene.game, FIELD + player)
    size = _SMALL if height < 90 else _TINY
    across = max(1, int((width - 12) // (size[0] + 5)))
    rows = 1 if height < 90 else 3
    step = size[0] + 5.0 if rows > 1 else min(size[0] + 5.0, (width - 12) / max(1, len(faces)))
    for place, (face, count) in enumerate(faces):
        row, column = divmod(place, across) if rows > 1 else (0, place)
        spot = _pick_choice(scene, at, FIELD + player, face, 8 + step * column, 19 + 46 * row)
        _draw_pile_card(spot, face, count, size, chosen="data-action" in spot.attrib)


# ==================================================================== seats


def _draw_row(scene: _Scene, root: Element, player: int, top: float) -> None:
    """A seat in one line: number and points, its hand, its field."""
    width = WIDTH - 2 * MARGIN
    box = panel(root, MARGIN, top, width, _ROW_HEIGHT, acting=scene.acting(player))
    _draw_standing(scene, box, player, 26, 42)
    cards = _hand(scene, player)
    runs = runs_of(scene.setup, cards)
    _draw_lengths(scene, box, cards, runs, (124, 17), _ROW[0])
    for slot in range(len(cards)):
        x = 124 + _ROW[0] * slot
        at = scene.choice(box, _take_action(scene, player, slot), x, 18)
        _draw_held(scene, at, player, slot, cards, runs, _ROW)
        if _take_action(scene, player, slot) in scene.legal:
            halo(at, 1, 1, _ROW[0] - 2, _ROW[1] - 2, rx=5)
    _draw_field(scene, box, player, (490, 6, width - 498, _ROW_HEIGHT - 12))


def _take_action(scene: _Scene, player: int, slot: int) -> int:
    """The action of taking a card from another hand; that of no card for the own hand."""
    offset = scene.offset_of(player)
    return TAKE_ACTION + (offset - 1) * SLOTS + slot if offset else -1


def _draw_standing(scene: _Scene, box: Element, player: int, x: float, y: float) -> None:
    """A seat's number and points, with what is special about it."""
    game = scene.game
    seat_disc(box, x, y, player, acting=scene.acting(player))
    if game["winners"][player]:
        crown(box, x, y - 17)
    total = int(game["totals"][player])
    remarks = _remarks(scene, player)
    text(box, x + 22, y - 4 if remarks else y + 5, f"{total} points", 14, strong=True)
    for place, words in enumerate(remarks[:2]):
        text(box, x + 22, y + 10 + 12 * place, words, 10, fill=QUIET)
    if int(game["legend"]) == player:
        _draw_cup(box, x - 12, y + 22, 0.45)


def _draw_own_standing(scene: _Scene, box: Element, seat: int) -> None:
    """The same for the one that looks on, in one line."""
    game, total = scene.game, int(scene.game["totals"][seat])
    seat_disc(box, 26, 21, seat, acting=scene.acting(seat))
    if game["winners"][seat]:
        crown(box, 26, 4)
    if int(game["legend"]) == seat:
        _draw_cup(box, 14, 36, 0.45)
    text(box, 50, 27, f"You · {total} points", 16, strong=True)
    text(box, 190, 27, " · ".join(_remarks(scene, seat)), 12, fill=QUIET)


def _remarks(scene: _Scene, player: int) -> list[str]:
    game = scene.game
    takes, moves = int(game["takes"][player]), int(game["moves"][player])
    found = ["parent 親"] if int(game["parent"]) == player else []
    found += [f"takes {takes}"] if takes else []
    found += ["misses a turn"] if game["misses"][player] else []
    return found + ([f"birds move {moves}"] if moves else [])


def _hand(scene: _Scene, player: int) -> list[int]:
    """The cards of a hand as the one that looks on knows them, left to right."""
    word = int(scene.game["hand" if scene.knows(player) else "public"][player])
    cards = [word >> (8 * slot) & 255 for slot in range(SLOTS)]
    return [card for card in cards if card != NO_CARD]


def _draw_own(scene: _Scene, root: Element, seat: int, top: float) -> None:
    """The hand of the one that looks on, large, with its gaps; its field."""
    box = panel(root, MARGIN, top, WIDTH - 2 * MARGIN, _OWN_HEIGHT, acting=scene.acting(seat))
    _draw_own_standing(scene, box, seat)
    cards = _hand(scene, seat)
    runs = runs_of(scene.setup, cards)
    _draw_lengths(scene, box, cards, runs, (_OWN_HAND_X, _OWN_HAND_Y - 2), _BIG[0])
    for slot in range(len(cards)):
        _draw_own_card(scene, box, seat, slot, cards, runs)
    _draw_gaps(scene, box, cards)
    _draw_roles(scene, box)
    _draw_field(scene, box, seat, (_OWN_FIELD_X, 44, 126, 164))
    if DONE_ACTION in scene.legal:
        words = "that is all" if int(scene.game["phase"]) == FALL_PHASE else "move no card"
        button(box, DONE_ACTION, label(scene.setup, DONE_ACTION), words, 640, 8, 120)


def _draw_own_card(
    scene: _Scene, box: Element, seat: int, slot: int, cards: Sequence[int], runs: Sequence[Run]
) -> None:
    action = next(
        (action for action in (FALL_ACTION + slot, LIFT_ACTION + slot) if action in scene.legal), -1
    )
    at = scene.choice(box, action, _OWN_HAND_X + _BIG[0] * slot, _OWN_HAND_Y)
    _draw_held(scene, at, seat, slot, cards, runs, _BIG)
    if action in scene.legal:
        halo(at, 3, 3, _BIG[0] - 6, _BIG[1] - 6, rx=7)


def _draw_gaps(scene: _Scene, box: Element, cards: Sequence[int]) -> None:
    """Under each gap of the own hand the card as it would be inserted, one way up or both."""
    card = int(scene.game["card"])
    printed = int(TURNED[card]) if WAY_OF[card] else card
    ways = (printed, int(TURNED[printed]))
    # A full hand has no gap to insert into.
    for gap in range(len(cards) + 1 if len(cards) < SLOTS else 0):
        x, y = _OWN_HAND_X + _BIG[0] * gap, _OWN_HAND_Y + _BIG[1]
        first = INSERT_ACTION + 2 * gap
        actions = [(first + way, ways[way]) for way in range(2) if first + way in scene.legal]
        if actions:
            line(box, x, _OWN_HAND_Y - 8, x, _OWN_HAND_Y + 8, stroke=ACCENT, stroke_width=4)
            line(box, x, y - 8, x, y + 18, stroke=ACCENT, stroke_width=4)
        step = _TINY[0] + 5
        begin = x - step * len(actions) / 2 + 2.5
        for place, (action, shown) in enumerate(actions):
            at = scene.choice(box, action, begin + step * place, y + 18)
            _draw_card(at, shown, _TINY)
            halo(at, 0, 0, *_TINY, rx=5)


def _draw_roles(scene: _Scene, box: Element) -> None:
    """What the mimic can be."""
    roles = [role for role in range(len(ROLES)) if ROLE_ACTION + role in scene.legal]
    for place, role in enumerate(roles):
        at = scene.choice(box, ROLE_ACTION + role, 60 + 108.0 * place, _OWN_HAND_Y + _BIG[1] + 14)
        _draw_card(at, ROLE_CARD + role, _SMALL)
        halo(at, 0, 0, *_SMALL)
        text(at, _SMALL[0] + 9, 28, _ROLE_WORDS[role], 12)


def _draw_lengths(
    scene: _Scene,
    box: Element,
    cards: Sequence[int],
    runs: Sequence[Run],
    corner: tuple[float, float],
    width: float,
) -> None:
    """A bracket over each caterpillar with its length, where all of the hand is known."""
    x, y = corner
    known = DEALT_UNSEEN not in cards and DRAWN_UNSEEN not in cards
    for run in runs if known else ():
        begin, end = x + width * (run.first + 0.5), x + width * (run.last + 0.5)
        path(
            box, f"M{begin} {y - 2}V{y - 7}H{end}V{y - 2}", fill="none", stroke=INK,
            stroke_width=1.5,
        )  # fmt: skip
        circle(box, (begin + end) / 2, y - 7, 8, fill=INK)
        text(
            box, (begin + end) / 2, y - 3, run.length, 11, strong=True, fill=WHITE,
            text_anchor="middle",
        )  # fmt: skip


# ==================================================================== caterpillars


def runs_of(setup: Setup, cards: Sequence[int]) -> list[Run]:
    """The caterpillars of a hand with their places (T3, T17).

    Of cards that are not known nothing is counted, and flowers among them neither.
    """
    body = setup.parts[0]["body"]
    known = DEALT_UNSEEN not in cards and DRAWN_UNSEEN not in cards
    bonus = list(cards).count(FLOWER_CARD) - 1 if known else 0
    found: list[Run] = []
    end, first, length = NO_EDGE, 0, 0
    for slot, card in enumerate(cards):
        left = int(LEFT_OF[card])
        if {end, left} == {HEAD_EDGE, TAIL_EDGE} and length > 0:
            found.append(Run(first, slot, length))
        if int(body[card]) > 0:
            length += max(0, int(body[card]) + bonus)
        else:
            end, first, length = int(RIGHT_OF[card]), slot, 0
    return found


def _joined(runs: Sequence[Run], slot: int) -> tuple[bool, bool]:
    """Whether the left and the right half of a slot belong to a caterpillar."""
    left = any(run.first < slot <= run.last for run in runs)
    right = any(run.first <= slot < run.last for run in runs)
    return left, right


# ==================================================================== cards


def _draw_held(
    scene: _Scene,
    at: Element,
    player: int,
    slot: int,
    cards: Sequence[int],
    runs: Sequence[Run],
    size: Size,
) -> None:
    """A card of a hand: what is not joined to a caterpillar is pale, what falls hangs down."""
    card = cards[slot]
    if card in (DEALT_UNSEEN, DRAWN_UNSEEN):
        _draw_back(at, size, from_deck=card == DRAWN_UNSEEN)
        return
    _draw_card(at, card, size, _joined(runs, slot))
    leaves = int(scene.game["stage"]) == LEAVES and scene.knows(player)
    if leaves and int(scene.game["fallen"][player]) >> slot & 1:
        width, tall = size
        rect(at, 0, 0, width, tall, rx=width / 7, fill=PAPER, fill_opacity=0.65)
        _draw_leaf(at, width / 2, tall / 2, width / 3)


def _draw_leaf(at: Element, x: float, y: float, radius: float) -> None:
    """The mark of a card that falls."""
    made = group(at, transform=f"translate({x:.1f} {y:.1f}) rotate(35) scale({radius:.2f})")
    path(made, "M0-1C.8-.5 .8 .5 0 1C-.8 .5-.8-.5 0-1Z", fill=ACCENT, stroke=INK, stroke_width=0.08)
    path(made, "M0-.7V1.3", fill="none", stroke=INK, stroke_width=0.08)


def _draw_back(at: Element, size: Size, *, from_deck: bool = False) -> None:
    width, tall = size
    rect(at, 0.5, 0.5, width - 1, tall - 1, rx=width / 7, fill=BACK, stroke=INK)
    made = group(at, transform=f"translate({width / 2} {tall / 2}) scale({width / 4:.2f})")
    path(made, "M0-1C.8-.5 .8 .5 0 1C-.8 .5-.8-.5 0-1ZM0-.7V1.3", fill="none", stroke=WHITE,
         stroke_width=0.12, stroke_opacity=0.8)  # fmt: skip
    if from_deck:
        circle(at, width - 9, 9, 7, fill=PAPER)
        text(at, width - 9, 13, "+", 12, strong=True, text_anchor="middle")


def _draw_card(
    at: Element, card: int, size: Size, joined: tuple[bool, bool] = (True, True)
) -> None:
    """A card's face; halves that are not joined are pale."""
    width, tall = size
    rect(at, 0.5, 0.5, width - 1, tall - 1, rx=width / 7, fill=PAPER, stroke=CARD_EDGE)
    face = int(FACE_OF[card])
    left, right = int(LEFT_OF[card]), int(RIGHT_OF[card])
    mimic = face == MIMIC
    if left == OPEN_EDGE:
        _draw_body(at, size, _body_of(face), pale=not any(joined), mimic=mimic)
    elif left == right == NO_EDGE:
        _draw_single(at, size, _KIND_OF_FACE[face])
    else:
        double = NO_EDGE not in (left, right)
        for edge, flip, shown in ((left, False, joined[0]), (right, True, joined[1])):
            if edge != NO_EDGE:
                _draw_end(at, size, edge, flip=flip, double=double, pale=not shown, mimic=mimic)


def _body_of(face: int) -> int:
    """The printed length of a body; a mimic's is told by the options, and drawn as one."""
    return face - BODY_1 + 1 if BODY_1 <= face <= BODY_3 else 1


def _draw_tag(at: Element, x: float, size: Size, kind: int, letter: str | None = None) -> None:
    """The letter of a kind, on top of a card."""
    tint, side = TINTS[kind], size[0] * 0.24
    rect(at, x - side / 2, size[1] * 0.05, side, side, rx=side / 4, fill=tint.fill)
    words = letter or tint.letter
    text(
        at, x, size[1] * 0.05 + side * 0.8, words, side * 0.85, strong=True, fill=tint.on,
        text_anchor="middle",
    )  # fmt: skip


def _draw_body(at: Element, size: Size, length: int, *, pale: bool, mimic: bool) -> None:
    """Segments from edge to edge."""
    width, tall = size
    radius, middle = width * 0.19, tall * 0.58
    made = group(at, opacity=0.45 if pale else None)
    _draw_skin(made, 0, width, middle, radius, mimic=mimic)
    step = width / (length + 1)
    for place in range(length):
        _draw_segment(made, step * (place + 1), middle, radius * 1.12, mimic=mimic)
    kind, letter = (_MIMIC, None) if mimic else (_BODY, str(length))
    _draw_tag(at, width / 2, size, kind, letter)


def _draw_skin(at: Element, x: float, x2: float, y: float, radius: float, *, mimic: bool) -> None:
    """The part of a caterpillar that runs to the edge of a card, where the next one joins on."""
    fill = TINTS[_MIMIC if mimic else _BODY].fill
    thick = radius * 1.5
    rect(at, x, y - thick / 2, x2 - x, thick, fill=fill)
    for edge in (-1, 1):
        line(
            at, x, y + edge * thick / 2, x2, y + edge * thick / 2, stroke=INK,
            stroke_width=radius * 0.12,
        )  # fmt: skip


def _draw_segment(at: Element, x: float, y: float, radius: float, *, mimic: bool) -> None:
    """A plump ring with two feet."""
    fill = TINTS[_MIMIC if mimic else _BODY].fill
    for side in (-0.4, 0.4):
        ellipse(at, x + side * radius, y + radius * 0.98, radius * 0.2, radius * 0.28, fill=INK)
    circle(at, x, y, radius, fill=fill, stroke=INK, stroke_width=radius * 0.11)
    ellipse(at, x, y - radius * 0.45, radius * 0.5, radius * 0.22, fill=WHITE, fill_opacity=0.35)


def _draw_end(
    at: Element, size: Size, edge: int, *, flip: bool, double: bool, pale: bool, mimic: bool
) -> None:
    """A head or a tail whose body goes on to the left, or flipped: to the right."""
    width, tall = size
    mirror = f"translate({width} 0) scale(-1 1)" if flip else None
    made = group(at, opacity=0.45 if pale else None, transform=mirror)
    radius, middle = width * 0.19, tall * 0.58
    x = width * (0.25 if double else 0.45)
    if edge == HEAD_EDGE:
        _draw_skin(made, 0, x, middle, radius, mimic=mimic)
        _draw_head(made, x, middle - radius * 0.15, radius * (1.15 if double else 1.5), mimic=mimic)
    else:
        _draw_tail(made, x, middle, radius, mimic=mimic)
    kind = _MIMIC if mimic else (_HEAD if edge == HEAD_EDGE else _TAIL)
    letter = TINTS[_HEAD if edge == HEAD_EDGE else _TAIL].letter
    tag = width * (0.2 if not flip else 0.8)
    _draw_tag(at, tag, size, kind, letter)


def _draw_head(at: Element, x: float, y: float, radius: float, *, mimic: bool) -> None:
    """A face that looks to the right, with two feelers."""
    fill = TINTS[_MIMIC if mimic else _HEAD].fill
    edge = radius * 0.1
    for lean in (0.15, 0.75):
        path(
            at,
            f"M{x + lean * radius * 0.5:.1f} {y - radius * 0.7:.1f}"
            f"q{lean * radius * 0.3:.1f} {-radius * 0.5:.1f} "
            f"{lean * radius:.1f} {-radius * 0.7:.1f}",
            fill="none", stroke=INK, stroke_width=edge * 1.4, stroke_linecap="round",
        )  # fmt: skip
        circle(at, x + lean * radius * 1.5, y - radius * 1.4, radius * 0.16, fill=INK)
    circle(at, x, y, radius, fill=fill, stroke=INK, stroke_width=edge)
    for side in (0.05, 0.6):
        circle(at, x + side * radius, y - radius * 0.12, radius * 0.22, fill=WHITE)
        circle(at, x + (side + 0.06) * radius, y - radius * 0.1, radius * 0.11, fill=INK)
    path(
        at,
        f"M{x + radius * 0.1:.1f} {y + radius * 0.38:.1f}"
        f"q{radius * 0.25:.1f} {radius * 0.25:.1f} {radius * 0.5:.1f} 0",
        fill="none", stroke=WHITE, stroke_width=edge * 1.2, stroke_linecap="round",
    )  # fmt: skip


def _draw_tail(at: Element, x: float, y: float, radius: float, *, mimic: bool) -> None:
    """Skin that narrows to a curled tip."""
    fill = TINTS[_MIMIC if mimic else _BODY].fill
    tip = TINTS[_MIMIC if mimic else _TAIL].fill
    half = radius * 0.75
    far = x + radius * 1.1
    path(
        at,
        f"M0 {y - half:.1f}H{x * 0.5:.1f}C{x:.1f} {y - half:.1f} {far:.1f} {y - radius * 0.4:.1f} "
        f"{far:.1f} {y - radius * 0.9:.1f}C{far + radius * 0.5:.1f} {y:.1f} {x:.1f} {y + half:.1f} "
        f"0 {y + half:.1f}",
        fill=fill, stroke=INK, stroke_width=radius * 0.12, stroke_linejoin="round",
    )  # fmt: skip
    circle(
        at, far, y - radius * 0.85, radius * 0.42, fill=tip, stroke=INK, stroke_width=radius * 0.1
    )


# ==================================================================== what stands alone


def _draw_single(at: Element, size: Size, kind: int) -> None:
    """A flower, a bird, a butterfly or a mimic that has not been declared."""
    width, tall = size
    made = group(
        at, transform=f"translate({width / 2:.1f} {tall * 0.6:.1f}) scale({width * 0.34:.2f})"
    )
    _SINGLES[kind](made)
    _draw_tag(at, width / 2, size, kind)


_EDGE: dict[str, Any] = {"stroke": INK, "stroke_width": 0.07, "stroke_linejoin": "round"}


def _flower(at: Element) -> None:
    path(at, "M0 .2V1.05", fill="none", stroke="#4E7A3A", stroke_width=0.14)
    path(at, "M0 .9C.3 .5 .7 .6 .8 .6C.7 .9 .3 1 0 .9Z", fill="#6C9A4F", **_EDGE)
    for petal in range(6):
        angle = math.tau * petal / 6
        x, y = 0.5 * math.sin(angle), -0.15 - 0.5 * math.cos(angle)
        circle(at, x, y, 0.36, fill=TINTS[_FLOWER].fill, **_EDGE)
    circle(at, 0, -0.15, 0.34, fill=OKABE_ITO["yellow"], **_EDGE)


def _bird(at: Element) -> None:
    path(at, "M-.5 .15L-1.15-.2L-1.1 .4Z", fill=TINTS[_BIRD].fill, **_EDGE)
    polygon(at, [(0.95, -0.45), (1.35, -0.3), (0.95, -0.15)], fill=ACCENT, **_EDGE)
    ellipse(at, 0, 0.15, 0.8, 0.58, fill=TINTS[_BIRD].fill, **_EDGE)
    circle(at, 0.6, -0.3, 0.45, fill=TINTS[_BIRD].fill, **_EDGE)
    circle(at, 0.72, -0.38, 0.1, fill=INK)
    path(at, "M-.5 .05C-.2-.2 .3-.1 .35 .2C.1 .55-.4 .5-.5 .05Z", fill="#2F7FAF", **_EDGE)
    for x in (-0.1, 0.25):
        line(at, x, 0.7, x, 1.0, stroke=INK, stroke_width=0.09)


def _butterfly(at: Element) -> None:
    for side in (-1, 1):
        made = group(at, transform=f"scale({side} 1)")
        upper = "M0 0C.3-1 1.2-1 1.1-.3C1.05 .1 .4 .15 0 .1Z"
        lower = "M0 .1C.5 .1 .95 .3 .75 .75C.5 1.05 .1 .6 0 .3Z"
        path(made, upper, fill=TINTS[_BUTTERFLY].fill, **_EDGE)
        path(made, lower, fill="#F7B53D", **_EDGE)
        circle(made, 0.7, -0.4, 0.16, fill=INK)
        path(made, "M0-.4Q.1-.8 .3-.95", fill="none", stroke=INK, stroke_width=0.07)
    ellipse(at, 0, 0.1, 0.12, 0.55, fill=INK)


def _mimic(at: Element) -> None:
    """A twig that looks back."""
    path(
        at, "M-1.1 .75C-.6 .1-.2 .6 .1 0C.3-.4 .7-.3 1.05-.75", fill="none", stroke=INK,
        stroke_width=0.52, stroke_linecap="round",
    )  # fmt: skip
    path(
        at, "M-1.1 .75C-.6 .1-.2 .6 .1 0C.3-.4 .7-.3 1.05-.75", fill="none",
        stroke="#8A6E45", stroke_width=0.4, stroke_linecap="round",
    )  # fmt: skip
    path(at, "M.05 .05C-.3-.5-.1-.8 .05-.95C.35-.7 .35-.3 .05 .05Z", fill="#6C9A4F", **_EDGE)
    for x, y in ((0.72, -0.62), (1.02, -0.85)):
        circle(at, x, y, 0.19, fill=WHITE, **_EDGE)
        circle(at, x + 0.03, y, 0.08, fill=INK)


_SINGLES: dict[int, Callable[[Element], None]] = {
    _FLOWER: _flower,
    _BIRD: _bird,
    _BUTTERFLY: _butterfly,
    _MIMIC: _mimic,
}


def _draw_names(root: Element, top: float) -> None:
    """The kinds by letter and by name, in both languages."""
    x = MARGIN + 8.0
    for kind, (english, japanese) in enumerate(_NAMES):
        tint = TINTS[kind]
        rect(root, x, top + 6, 16, 16, rx=4, fill=tint.fill)
        letter = "n" if kind == _BODY else tint.letter
        text(root, x + 8, top + 19, letter, 13, strong=True, fill=tint.on, text_anchor="middle")
        caption(root, x + 21, top + 19, english, japanese, 12)
        x += 46 + 6.6 * len(english) + 10.5 * len(japanese)
