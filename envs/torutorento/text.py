"""Torutorento in words: labels, names for records, and a table as text with ANSI colours."""

from typing import Any

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup
from tefuda.envs.torutorento.state import (
    ACTIONS,
    BIRD,
    BUTTERFLY,
    CHANCE_NAMES,
    DEALT_UNSEEN,
    DECK,
    DONE_ACTION,
    DRAWN_UNSEEN,
    FACE_COUNT,
    FACE_OF,
    FACES,
    FIELD,
    FLOWER,
    HEAD_EDGE,
    INSERT_ACTION,
    LEAVES,
    LEFT_OF,
    LIFT_ACTION,
    MARKET,
    MIMIC,
    NO_CARD,
    OPEN_EDGE,
    OVER_PHASE,
    PHASES,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PUT_ACTION,
    RIGHT_OF,
    ROLE_ACTION,
    ROLES,
    SLOTS,
    TAIL_EDGE,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
)

__all__ = [
    "CHANCE_MEANINGS", "CHANCE_NAMES", "DECISION_NAMES", "SCORE_NAME",
    "action_ranges", "ansi", "label", "outcome_label", "pile_count", "pile_size", "score_details",
]  # fmt: skip

DECISION_NAMES = dict(enumerate(PHASES))
SCORE_NAME = "round"
CHANCE_MEANINGS = {
    "first_parent": "the seat that is the parent of the first round",
    "flower_slot": "the slot of the dealt flower; the seat is whose hand it is",
    "deal": "a face; the seat is who gets the card",
    "way_up": "the way up of the card just dealt; the seat is whose hand it is",
    "market": "a face",
    "deck": "a face; the seat is who draws",
}

_WAYS = ("as printed", "turned")
# ANSI foregrounds: ends, bodies, flowers, birds, butterflies, mimics; words carry it too.
_ENDS, _BODIES, _FLOWERS, _BIRDS, _BUTTERFLIES, _MIMICS = 92, 93, 95, 96, 94, 90
_COLOURS = {FLOWER: _FLOWERS, BIRD: _BIRDS, BUTTERFLY: _BUTTERFLIES, MIMIC: _MIMICS}
# What a card's edges look like: the body goes on to the right of "H>".
_LEFT_MARKS = {HEAD_EDGE: "<H", TAIL_EDGE: "<T"}
_RIGHT_MARKS = {HEAD_EDGE: "H>", TAIL_EDGE: "T>"}
_UNSEEN = {DEALT_UNSEEN: "?", DRAWN_UNSEEN: "+?"}


# ==================================================================== labels


def action_ranges(setup: Setup) -> tuple[tuple[range, str], ...]:
    """The action ids and what they mean."""
    del setup  # the same for every player count
    return (
        (range(DONE_ACTION), "falling leaves: discard the card in slot id"),
        (range(DONE_ACTION, TAKE_ACTION), "done (falling leaves), or decline (birds)"),
        (
            range(TAKE_ACTION, TAKE_DECK_ACTION),
            "take the card in slot s of the seat at offset d (1 to 4): 9 + 8 (d - 1) + s",
        ),
        (range(TAKE_DECK_ACTION, PUT_ACTION), "take the top card of the deck"),
        (range(PUT_ACTION, PICK_ACTION), "put it into the field of the seat at offset id - 42"),
        (range(PICK_ACTION, PICK_DECK_ACTION), "growth: pick a face-up card of face id - 47"),
        (range(PICK_DECK_ACTION, INSERT_ACTION), "growth: take the top card of the deck"),
        (range(INSERT_ACTION, LIFT_ACTION), "insert at gap g (0: far left) way up o: 60 + 2 g + o"),
        (range(LIFT_ACTION, ROLE_ACTION), "birds: lift the card in slot id - 76"),
        (range(ROLE_ACTION, ACTIONS), "the mimic is: " + "; ".join(ROLES)),
    )


def label(setup: Setup, action: int) -> str:
    """An action in words, such as "take slot 3 of offset 1" or "insert at gap 0 turned"."""
    del setup
    if action < DONE_ACTION:
        return f"discard slot {action}"
    if action == DONE_ACTION:
        return "done"
    if action < TAKE_DECK_ACTION:
        offset, slot = divmod(action - TAKE_ACTION, SLOTS)
        return f"take slot {slot} of offset {offset + 1}"
    if action == TAKE_DECK_ACTION:
        return "take from the deck"
    if action < PICK_ACTION:
        return f"put into the field of offset {action - PUT_ACTION}"
    if action < PICK_DECK_ACTION:
        return f"pick a {FACES[action - PICK_ACTION]}"
    if action == PICK_DECK_ACTION:
        return "pick from the deck"
    if action < LIFT_ACTION:
        gap, way = divmod(action - INSERT_ACTION, 2)
        return f"insert at gap {gap} {_WAYS[way]}"
    if action < ROLE_ACTION:
        return f"lift slot {action - LIFT_ACTION}"
    return f"the mimic is {ROLES[action - ROLE_ACTION]}"


def outcome_label(setup: Setup, name: str, outcome: int) -> str:
    """A chance outcome in words."""
    del setup
    if name == "first_parent":
        return f"seat {outcome} is the first parent"
    if name == "flower_slot":
        return f"the flower lies in slot {outcome}"
    return _WAYS[outcome] if name == "way_up" else FACES[outcome]


def score_details(setup: Setup, game: Any) -> dict[str, list[int]]:
    """Nothing: points and totals are all."""
    del setup, game
    return {}


# ==================================================================== the table


def ansi(setup: Setup, game: Any, seat: int | None = None) -> str:
    """The table as text.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None shows all cards.
    """
    lines = [_title(setup, game), f"Market: {_pile(game, MARKET)}{_lifted(game, seat)}"]
    for other in range(setup.players):
        lines += _seat_lines(game, other, seat)
    return "\n".join(lines) + "\n"


def _title(setup: Setup, game: Any) -> str:
    totals = " ".join(str(total) for total in game["totals"][: setup.players])
    if int(game["phase"]) == OVER_PHASE:
        winners = ", ".join(str(seat) for seat in range(setup.players) if game["winners"][seat])
        return f"Game over. Points {totals}. Won by seat {winners}."
    phase = int(game["phase"])
    asked = {**DECISION_NAMES, **CHANCE_NAMES}[phase]
    held = int(game["legend"])
    owner = "nobody has it" if held == NOBODY else f"seat {held} has it"
    return (
        f"Round {int(game['round_index']) + 1} · parent: seat {int(game['parent'])} · {asked} · "
        f"deck: {pile_size(game, DECK)} · legend: {owner}, mark {int(game['mark'])} · "
        f"points {totals}"
    )


def _lifted(game: Any, seat: int | None) -> str:
    """The card between two places, as far as a seat knows it."""
    card, actor = int(game["card"]), int(game["seat"])
    if card == NO_CARD:
        return ""
    hidden = game["unseen"] and seat not in (None, actor)
    face = int(FACE_OF[card])
    return f" · seat {actor} holds {'?' if hidden else _paint(FACES[face], face)}"


def _seat_lines(game: Any, player: int, seat: int | None) -> list[str]:
    open_to_all = seat in (None, player)
    hand = int(game["hand" if open_to_all else "public"][player])
    fallen = int(game["fallen"][player]) if int(game["stage"]) == LEAVES and open_to_all else 0
    cards = [_card(hand >> (SLOTS * slot) & 255, fallen >> slot & 1) for slot in range(SLOTS)]
    mark = ">" if int(game["seat"]) == player else " "
    takes = int(game["takes"][player])
    more = f", {takes} takes open" if takes else ""
    more += ", misses a turn" if game["misses"][player] else ""
    return [
        f"{mark} seat {player}: {' '.join(card for card in cards if card)}",
        f"    field: {_pile(game, FIELD + player)}{more}",
    ]


def _card(card: int, fallen: int) -> str:
    """A card of a hand: what its edges and its face are; in brackets what falls."""
    if card == NO_CARD:
        return ""
    if card in _UNSEEN:
        return _UNSEEN[card]
    face = int(FACE_OF[card])
    left, right = int(LEFT_OF[card]), int(RIGHT_OF[card])
    word = _LEFT_MARKS.get(left, "") + _RIGHT_MARKS.get(right, "")
    if not word or face == MIMIC:
        word += FACES[face] if left != OPEN_EDGE or face != MIMIC else f"{FACES[face]} (body)"
    return _paint(f"[{word}]" if fallen else word, face)


def _pile(game: Any, pile: int) -> str:
    counts = [pile_count(game, pile, face) for face in range(FACE_COUNT)]
    cards = [f"{count} {_paint(FACES[face], face)}" for face, count in enumerate(counts) if count]
    return ", ".join(cards) or "nothing"


def pile_count(game: Any, pile: int, face: int) -> int:
    """How many cards of a face a pile has."""
    word = int(game["piles"][pile][face // SLOTS])
    return word >> (SLOTS * (face % SLOTS)) & 255


def pile_size(game: Any, pile: int) -> int:
    """How many cards a pile has."""
    return int(game["piles"][pile][1]) >> (4 * SLOTS)


def _paint(text: str, face: int) -> str:
    colour = _COLOURS.get(face, _ENDS if face <= FACES.index("tail-tail") else _BODIES)
    return f"\x1b[{colour}m{text}\x1b[0m"
