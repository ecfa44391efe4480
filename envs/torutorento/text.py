"""Torutorento in words: labels, names for records, and a table as text with ANSI colours."""

from typing import Any

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup
from tefuda.envs.torutorento.state import (
    ACTIONS,
    BIRD,
    BIRDS,
    BUTTERFLY,
    CHANCE_NAMES,
    DEALING,
    DEALT_UNSEEN,
    DECK,
    DENSE,
    DONE_ACTION,
    DRAWN_UNSEEN,
    EDGES,
    FACE_COUNT,
    FACE_OF,
    FACES,
    FIELD,
    FLOWER,
    GROWTH,
    HEAD_EDGE,
    INSERT_ACTION,
    LEAVES,
    LEFT_OF,
    LIFT_ACTION,
    MARKET,
    MIMIC,
    MIMICS,
    NO_CARD,
    OPEN_EDGE,
    OVER_PHASE,
    PHASES,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PUT_ACTION,
    RIGHT_OF,
    ROLE_ACTION,
    ROLE_CARD,
    ROLES,
    SCORED,
    SLOTS,
    TAIL_EDGE,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
    TAKING,
    TWO_WAYS,
    WAY_OF,
)

__all__ = [
    "CHANCE_MEANINGS", "CHANCE_NAMES", "DECISION_NAMES", "SCORE_NAME",
    "action_ranges", "ansi", "label", "notes", "outcome_label", "pile_count", "pile_size",
    "score_details", "view",
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
    seen = seat in (None, player)
    hand, fallen = _hand(game, player, seen), _falling(game, player, seen)
    cards = [_card(card, fallen >> slot & 1) for slot, card in enumerate(hand)]
    mark = ">" if int(game["seat"]) == player else " "
    takes = int(game["takes"][player])
    more = f", {takes} takes open" if takes else ""
    more += ", misses a turn" if game["misses"][player] else ""
    return [
        f"{mark} seat {player}: {' '.join(cards)}",
        f"    field: {_pile(game, FIELD + player)}{more}",
    ]


def _hand(game: Any, player: int, seen: bool) -> list[int]:
    """The cards of a hand from left to right, or what all others know of them."""
    word = int(game["hand" if seen else "public"][player])
    return [card for card in word.to_bytes(SLOTS, "little") if card != NO_CARD]


def _falling(game: Any, player: int, seen: bool) -> int:
    """Bits of the slots that a seat has let fall, which it alone knows until all have (T8)."""
    return int(game["fallen"][player]) if int(game["stage"]) == LEAVES and seen else 0


def _card(card: int, fallen: int) -> str:
    """A card of a hand: what its edges and its face are; in brackets what falls."""
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


# ==================================================================== what a seat knows

_STAGES = {
    DEALING: "dealing",
    LEAVES: "falling leaves",
    TAKING: "taking",
    GROWTH: "growth",
    BIRDS: "change: birds",
    MIMICS: "change: mimics",
    SCORED: "scored",
}
#: Where a card that others do not know has come from (T15).
_SOURCES = {DEALT_UNSEEN: "deal", DRAWN_UNSEEN: "deck"}


def view(setup: Setup, game: Any, seat: int | None = None) -> dict[str, Any]:
    """The table as JSON.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None sees all cards.
    """
    legend = int(game["legend"])
    return {
        "stage": _STAGES[int(game["stage"])],
        "parent": int(game["parent"]),
        "deck": pile_size(game, DECK),
        "market": _pile_view(game, MARKET),
        "legend": None if legend == NOBODY else legend,
        "mark": int(game["mark"]),
        "drawn": _drawn_view(game, seat),
        "seats": [_seat_view(game, player, seat) for player in range(setup.players)],
    }


def _pile_view(game: Any, pile: int) -> dict[str, int]:
    counts = {name: pile_count(game, pile, face) for face, name in enumerate(FACES)}
    return {name: count for name, count in counts.items() if count}


def _drawn_view(game: Any, seat: int | None) -> dict[str, Any] | None:
    """The card between two places; its face where the seat knows it."""
    card, actor = int(game["card"]), int(game["seat"])
    if card == NO_CARD:
        return None
    hidden = game["unseen"] and seat not in (None, actor)
    return {"seat": actor, "face": None if hidden else FACES[int(FACE_OF[card])]}


def _seat_view(game: Any, player: int, seat: int | None) -> dict[str, Any]:
    """What is known of a seat; `known_hand` is what all others know of its hand (T15)."""
    shown: dict[str, Any] = {
        "seat": player,
        "field": _pile_view(game, FIELD + player),
        "takes": int(game["takes"][player]),
        "misses_a_turn": bool(game["misses"][player]),
        "bird_moves": int(game["moves"][player]),
        "known_hand": [_card_view(card) for card in _hand(game, player, seen=False)],
    }
    if seat in (None, player):
        falls = _falling(game, player, seen=True)
        shown["hand"] = [_card_view(card) for card in _hand(game, player, seen=True)]
        shown["falling"] = [slot for slot in range(SLOTS) if falls >> slot & 1]
    return shown


def _card_view(card: int) -> dict[str, Any]:
    """A card as it lies: face, edges, way up, and the role of a mimic that is declared."""
    if card in _SOURCES:
        return {"face": None, "from": _SOURCES[card]}
    face = int(FACE_OF[card])
    return {
        "face": FACES[face],
        "left": EDGES[int(LEFT_OF[card])],
        "right": EDGES[int(RIGHT_OF[card])],
        "way_up": int(WAY_OF[card]) if TWO_WAYS[face] else 0,
        "role": ROLES[card - ROLE_CARD] if card >= ROLE_CARD else None,
    }


# ==================================================================== notes for a seat

_MARKS = (
    "Hands are listed from left to right, slot 0 first. H> is a head whose body goes on to the "
    "right, <T a tail whose body goes on to the left, and so on; ? is unknown from the deal, +? "
    "from the deck; [ ] falls."
)
_STAGE_RULES = {
    LEAVES: "Falling leaves: put any cards of your hand, none or all, into your own field, slots "
    "in rising order, then say done. All do so at once. Fields are open, and birds and mimics "
    "count for the seat in whose field they lie.",
    TAKING: "Taking: draw a card blind from another hand, or the top of the deck; it is turned "
    "face up, and you put it into the field of any seat. Each bird in a field gives its seat one "
    "take more; a hand cannot be drawn from while its seat has a mimic in its field.",
    GROWTH: "Growth: one card a turn, clockwise, take a card that lies face up in any field or in "
    "the market, or the top of the deck, which you alone see, and insert it anywhere in your hand, "
    "until all hands are full. A mimic in the field when growth began cost its seat one turn.",
    BIRDS: "Change: all hands are open. For each bird in your hand you may lift one card of the "
    "hand and insert it anywhere, either way up, or decline.",
    MIMICS: "Change: each mimic in your hand is declared, from left to right: a head or tail "
    "towards the left or the right, or a body.",
}
_SECRET = "Hands are secret{until}; of a card inserted from the deck others see only the place."
_CATERPILLAR = (
    "A caterpillar runs from a head to a tail over one or more bodies, with no other card between; "
    "each edge serves one. It is as long as the sum of its bodies. With n flowers in the hand each "
    "of its bodies counts n - 1 more, and a body of 0 is as if it were not there."
)
_EQUALS = {
    True: "equal lengths get the same, and the next shorter is the next rank",
    False: "equal lengths get the same, and the rank counts all that are longer",
}


def notes(setup: Setup, game: Any, seat: int) -> list[str]:
    """Who sits where, and the rules that matter now."""
    if int(game["phase"]) == OVER_PHASE:
        return []
    stage = int(game["stage"])
    rules = [_STAGE_RULES[stage]] if stage in _STAGE_RULES else []
    until = " until the change" if setup.parts[0]["change"] else ""
    secret = [_SECRET.format(until=until)] if stage < BIRDS else []
    return [
        _MARKS,
        _offsets(setup, seat),
        *_flowers_inside(setup, game, seat),
        *rules,
        *secret,
        _CATERPILLAR,
        *_scoring_rules(setup),
    ]


def _offsets(setup: Setup, seat: int) -> str:
    others = [
        f"{offset} is seat {(seat + offset) % setup.players}" for offset in range(1, setup.players)
    ]
    return f"Offset 0 is you, {', '.join(others)}."


def _flowers_inside(setup: Setup, game: Any, seat: int) -> list[str]:
    """Which hands still have their dealt flower, for all to know (T6)."""
    inside = [
        f"seat {player}"
        for player in range(setup.players)
        if player != seat and game["held"][player] and not game["flowers_gone"][player]
    ]
    if not inside or int(game["stage"]) in (DEALING, BIRDS, MIMICS, SCORED):
        return []
    return [f"Still with the flower dealt to it, among the cards marked ?: {', '.join(inside)}."]


def _scoring_rules(setup: Setup) -> list[str]:
    """What a round brings, and how the game ends (T18-T21)."""
    parts = setup.parts[0]
    longest, second, others = (int(points) for points in parts["rank_points"])
    return [
        f"All caterpillars of all seats are ranked by length: the longest gets {longest} points, "
        f"the second {second}, all others {others}; "
        f"{_EQUALS[int(parts['tie_ranking']) == DENSE]}. A butterfly in the hand: "
        f"{int(parts['butterfly'])}.",
        f"The legend is worth {int(parts['legend_points'])} points to the seat that holds it. It "
        f"goes to the first caterpillar of length {int(parts['legend_length'])} or more, then to "
        "any that is longer than the mark.",
        f"The game ends after a round in which one seat alone has the highest total, and that is "
        f"{int(parts['target'])} or more; after {int(parts['max_rounds'])} rounds the highest "
        "total wins.",
    ]
