"""Gacha in words: labels, names for records, and a table as text with ANSI colours."""

from typing import Any

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup
from tefuda.envs.gacha.state import (
    ACTIONS,
    BALLS,
    BLACK,
    CHANCE_NAMES,
    COLOURS,
    DECISION_PHASES,
    DUST_ACTION,
    DUST_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    FOLLOWS,
    KEEP_ACTION,
    MAX_CARDS,
    MAY,
    MUST,
    MUST_NOT,
    NO_CARD,
    NO_COLOUR,
    NO_FOLLOW,
    ORDERS,
    OVER_PHASE,
    PHASES,
    PLAY_PHASE,
    REDRAW_ACTION,
    REDRAW_PHASE,
    RETURN_ACTION,
    RETURN_PHASE,
    SCORINGS,
    T_POINTS,
    WON_DOWN,
)

__all__ = [
    "CHANCE_MEANINGS", "CHANCE_NAMES", "DECISION_NAMES", "SCORE_NAME",
    "action_ranges", "ansi", "card_label", "label", "notes", "outcome_label", "score_details",
    "view",
]  # fmt: skip

DECISION_NAMES = dict(enumerate(PHASES))
SCORE_NAME = "round"
CHANCE_MEANINGS = {
    "first_leader": "the seat that leads the first trick of the game",
    "deal": "a card number; the seat is who gets the card",
    "stock": "a card number; the seat is who redraws",
    "ball": "a colour index, from now on trump; the seat is the trick's winner",
    "tie_draw": "a card number; the seat is who draws for the win",
}

# ANSI foregrounds by colour index; letters and words carry the meaning too.
_ANSI = (91, 94, 93, 92, 95, 90)
_LETTERS = "rbygpk"
_ICON_MARKS = (("gacha", "G"), ("revo", "R"), ("redraw", "D"))


# ==================================================================== labels


def action_ranges(setup: Setup) -> tuple[tuple[range, str], ...]:
    """The action ids and what they mean."""
    del setup  # the same for every player count
    return (
        (range(RETURN_ACTION), "play card id + 1, face up, or face down where that is forced"),
        (range(RETURN_ACTION, FOLLOW_ACTION), "put card id - 54 at the bottom of the stock"),
        (range(FOLLOW_ACTION, REDRAW_ACTION), "follow type must, must-not, may"),
        (range(REDRAW_ACTION, DUST_ACTION), "redraw, do not redraw"),
        (range(DUST_ACTION, ACTIONS), "dust: discard the card of position id - 115 in the trick"),
    )


def label(setup: Setup, action: int) -> str:
    """An action in words, such as "play 14 red" or "follow must-not"."""
    if action < RETURN_ACTION:
        return f"play {card_label(setup, action)}"
    if action < FOLLOW_ACTION:
        return f"return {card_label(setup, action - RETURN_ACTION)}"
    if action < REDRAW_ACTION:
        return f"follow {FOLLOWS[action - FOLLOW_ACTION]}"
    if action < DUST_ACTION:
        return "keep the hand" if action == KEEP_ACTION else "redraw"
    return f"discard the card of position {action - DUST_ACTION}"


def card_label(setup: Setup, card: int) -> str:
    """A card's number and colour."""
    if card >= int(setup.parts[0]["cards"]):
        return f"{card + 1} (not in this game)"
    return f"{card + 1} {COLOURS[int(setup.parts[0]['colour'][card])]}"


def outcome_label(setup: Setup, name: str, outcome: int) -> str:
    """A chance outcome in words."""
    if name == "first_leader":
        return f"seat {outcome} leads first"
    if name == "ball":
        return f"trump becomes {COLOURS[outcome]}"
    return card_label(setup, outcome - 1)


def score_details(setup: Setup, game: Any) -> dict[str, list[int]]:
    """The round's VP under either scoring."""
    return {"vp": [int(vp) for vp in game["vp"][: setup.players]]}


# ==================================================================== the table


def ansi(setup: Setup, game: Any, seat: int | None = None) -> str:
    """The table as text.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None shows all cards.
    """
    lines = [_title(setup, game), *_trick_lines(setup, game, seat), ""]
    lines += [_seat_line(setup, game, other, seat) for other in range(setup.players)]
    return "\n".join(lines) + "\n"


def _title(setup: Setup, game: Any) -> str:
    unit = str(setup.options["scoring"]).upper()
    totals = " ".join(str(total) for total in game["totals"][: setup.players])
    if int(game["phase"]) == OVER_PHASE:
        winners = ", ".join(str(seat) for seat in range(setup.players) if game["winners"][seat])
        return f"Game over. {unit} {totals}. Won by seat {winners}."
    trump, order = int(game["trump"]), ORDERS[int(game["order"])]
    balls = " ".join(_paint(COLOURS[k], k) for k in range(BALLS) if int(game["bag"]) >> k & 1)
    return (
        f"Round {int(game['round_index']) + 1}, trick {int(game['trick']) + 1} · trump "
        f"{_paint(COLOURS[trump], trump)} · {order} numbers win · bag: {balls or 'empty'} · "
        f"{unit} {totals}"
    )


def _trick_lines(setup: Setup, game: Any, seat: int | None) -> list[str]:
    follow = int(game["follow"])
    name = "not chosen yet" if follow == NO_FOLLOW else FOLLOWS[follow]
    lines = [f"Follow {name} · seat {int(game['leader'])} leads"]
    for position in range(int(game["plays"])):
        player = (int(game["leader"]) + position) % setup.players
        lines.append(f"  seat {player}: {_play(setup, game, position, player, seat)}")
    return lines


def _play(setup: Setup, game: Any, position: int, player: int, seat: int | None) -> str:
    card = _card(setup, int(game["trick_card"][position]))
    if int(game["trick_down"]) >> position & 1:
        card = f"face down ({card})" if seat in (None, player) else "face down"
    return f"{card}, discarded" if int(game["trick_gone"]) >> position & 1 else card


def _seat_line(setup: Setup, game: Any, player: int, seat: int | None) -> str:
    held = [card for card in range(MAX_CARDS) if int(game["hand"][player]) >> card & 1]
    hand = " ".join(_card(setup, card) for card in held)
    if seat not in (None, player):
        hand = f"{len(held)} cards"
    mark = ">" if int(game["seat"]) == player != NOBODY else " "
    return f"{mark} seat {player} [{_won(game, player)}] {hand}"


def _won(game: Any, player: int) -> str:
    won = game["won"][player]
    cards = " ".join(_paint(f"{int(won[k])}{_LETTERS[k]}", k) for k in range(BALLS) if won[k])
    down = f" {int(won[WON_DOWN])} face down" if won[WON_DOWN] else ""
    return f"{int(won[T_POINTS])} tricks{': ' + cards if cards else ''}{down}"


def _card(setup: Setup, card: int) -> str:
    parts = setup.parts[0]
    colour = int(parts["colour"][card])
    icons = "".join(mark for icon, mark in _ICON_MARKS if parts[icon][card])
    dust = f"x{int(parts['dust'][card])}" if parts["dust"][card] else ""
    return _paint(f"{card + 1}{_LETTERS[colour]}{icons}{dust}", colour)


def _paint(text: str, colour: int) -> str:
    return f"\x1b[{_ANSI[colour]}m{text}\x1b[0m"


# ==================================================================== what a seat knows


def view(setup: Setup, game: Any, seat: int | None = None) -> dict[str, Any]:
    """The table as JSON.

    Args:
        setup: The game's setup.
        game: The record.
        seat: Whose eyes; None sees all cards.
    """
    follow, previous, led = (int(game[name]) for name in ("follow", "previous_follow", "led"))
    trick = int(game["trick"])
    return {
        "trump": COLOURS[int(game["trump"])],
        "strong": "large" if int(game["order"]) == 0 else "small",
        "bag": [COLOURS[ball] for ball in range(BALLS) if int(game["bag"]) >> ball & 1],
        "trick": min(trick + 1, int(setup.parts[0]["tricks"])),
        "leader": int(game["leader"]),
        "first_leader": int(game["first_leader"]),
        "follow": None if follow == NO_FOLLOW else FOLLOWS[follow],
        "previous_follow": None if previous == NO_FOLLOW else FOLLOWS[previous],
        "led": None if led == NO_COLOUR else COLOURS[led],
        "plays": [_play_view(setup, game, at, seat) for at in range(int(game["plays"]))],
        "to_discard": int(game["dust_left"]),
        "stock": int(game["undealt_count"] + game["returned_count"] - game["redrawn_count"]),
        "played": _cards_view(setup, _seen_played(game, seat)),
        "seats": [_seat_view(setup, game, player, seat) for player in range(setup.players)],
    }


def _play_view(setup: Setup, game: Any, position: int, seat: int | None) -> dict[str, Any]:
    player = (int(game["leader"]) + position) % setup.players
    down = bool(int(game["trick_down"]) >> position & 1)
    known = not down or seat in (None, player)
    return {
        "seat": player,
        "face_down": down,
        "discarded": bool(int(game["trick_gone"]) >> position & 1),
        "card": _card_view(setup, int(game["trick_card"][position])) if known else None,
    }


def _seat_view(setup: Setup, game: Any, player: int, seat: int | None) -> dict[str, Any]:
    """What is known of a seat; its cards only to itself (G14, G18)."""
    held = int(game["hand"][player])
    won, voids = game["won"][player], game["void_age"][player]
    shown: dict[str, Any] = {
        "seat": player,
        "cards": held.bit_count(),
        "tricks": int(won[T_POINTS]),
        "won": {COLOURS[k]: int(won[k]) for k in range(BLACK + 1)},
        "won_face_down": int(won[WON_DOWN]),
        "void": [
            {"colour": COLOURS[k], "drawn_since": int(voids[k]) - 1}
            for k in range(BLACK + 1)
            if voids[k]
        ],
        "last_round_vp": int(game["vp"][player]) if int(game["scorings"]) else None,
    }
    if seat in (None, player):
        drawn = int(game["drawn"])
        own = drawn != NO_CARD and int(game["seat"]) == player
        shown["hand"] = _cards_view(setup, held)
        shown["drawn"] = _card_view(setup, drawn) if own else None
        shown["returned"] = _cards_view(setup, int(game["in_stock"][player]))
        shown["returned_and_drawn"] = _cards_view(setup, int(game["drawn_again"][player]))
    return shown


def _seen_played(game: Any, seat: int | None) -> int:
    """Bits of the cards that were seen to be played in this round, own face-down ones too."""
    downs = game["hidden"] if seat is None else game["hidden"][seat : seat + 1]
    seen = int(game["shown"])
    for cards in downs:
        seen |= int(cards)
    return seen


def _cards_view(setup: Setup, cards: int) -> list[dict[str, Any]]:
    return [_card_view(setup, card) for card in range(MAX_CARDS) if cards >> card & 1]


def _card_view(setup: Setup, card: int) -> dict[str, Any]:
    parts = setup.parts[0]
    icons = [icon for icon, _ in _ICON_MARKS if parts[icon][card]]
    if parts["dust"][card]:
        icons.append(f"dust{int(parts['dust'][card])}")
    return {"number": card + 1, "colour": COLOURS[int(parts["colour"][card])], "icons": icons}


# ==================================================================== notes for a seat

_MARKS = "Marks: 14rD is a red 14 with redraw. k black; G gacha, R revo, D redraw, x2 dust 2."
_STRONG = ("large numbers are strong", "small numbers are strong")
_FOLLOW_RULES = {
    MUST: "must: who holds the led colour plays it; the strongest trump wins, else the strongest "
    "card of the led colour.",
    MUST_NOT: "must-not: play no colour that lies face up in the trick (the leader: no trump); who "
    "holds nothing else plays any card face down, and that cannot win; the trump that lies face up "
    "wins, else the strongest number.",
    MAY: "may: any card; trump counts for nothing; the second strongest number wins.",
}
_ICON_RULES = (
    "Icons of cards that lie face up: redraw lets its player change a card; after the trick revo "
    "turns the order of numbers round, dust n makes the winner discard n cards of the trick, gacha "
    "draws a ball, whose colour becomes trump."
)
_PHASE_RULES = {
    REDRAW_PHASE: "You may draw the top card of the stock; then put a card of your hand under it.",
    RETURN_PHASE: "Put a card of your hand at the bottom of the stock.",
    DUST_PHASE: "You have won the trick and must discard cards of it; positions count from the "
    "leader, 0 first, and are chosen in rising order.",
}


def notes(setup: Setup, game: Any, seat: int) -> list[str]:
    """What a seat remembers of this round, and the rules that matter now."""
    if int(game["phase"]) >= DECISION_PHASES:
        return []
    return [
        _MARKS,
        *_memories(setup, game, seat),
        f"Numbers: {_STRONG[int(game['order'])]}.",
        *_follow_rules(game),
        *_phase_rules(game, seat),
        _ICON_RULES,
        *_scoring_rules(setup),
    ]


def _memories(setup: Setup, game: Any, seat: int) -> list[str]:
    sets = (
        ("Seen to be played in this round", _seen_played(game, seat)),
        ("You put under the stock", int(game["in_stock"][seat])),
        ("You put under the stock, and another seat has drawn", int(game["drawn_again"][seat])),
    )
    lines = [f"{name}: {_plain_cards(setup, cards)}." for name, cards in sets if cards]
    for player in range(setup.players):
        ages = game["void_age"][player]
        void = [
            COLOURS[k] + (f" (but {ages[k] - 1} drawn since)" if ages[k] > 1 else "")
            for k in range(BLACK + 1)
            if ages[k]
        ]
        if void and player != seat:
            lines.append(f"Seat {player} was seen to hold no {', '.join(void)}.")
    return lines


def _plain_cards(setup: Setup, cards: int) -> str:
    return ", ".join(card_label(setup, card) for card in range(MAX_CARDS) if cards >> card & 1)


def _follow_rules(game: Any) -> list[str]:
    """The rule of the trick; all that can be chosen while the follow type is."""
    follow, previous = int(game["follow"]), int(game["previous_follow"])
    if int(game["phase"]) != FOLLOW_PHASE:
        return [f"This trick is {_FOLLOW_RULES[follow]}"]
    barred = "" if previous == NO_FOLLOW else f", but not {FOLLOWS[previous]} again"
    lead = f"The leader chooses the type of the trick{barred}:"
    return [lead, *(rule for kind, rule in _FOLLOW_RULES.items() if kind != previous)]


def _phase_rules(game: Any, seat: int) -> list[str]:
    """What the acting seat alone is told."""
    if int(game["seat"]) != seat:
        return []
    phase = int(game["phase"])
    if phase == PLAY_PHASE and game["must_hide"]:
        return ["You hold no card that you may play face up: yours will lie face down."]
    return [_PHASE_RULES[phase]] if phase in _PHASE_RULES else []


def _scoring_rules(setup: Setup) -> list[str]:
    """How a round is scored and how the game ends (G24-G28)."""
    parts, players = setup.parts[0], setup.players
    misere = ", ".join(f"{int(parts['misere'][count])}" for count in range(1, players))
    lines = [
        f"After {int(parts['tricks'])} tricks won cards make sets: five different colours "
        f"{int(parts['five_set'])} VP, four {int(parts['four_set'])} VP; each trick won and each "
        "card won face down stands for any colour; black counts for nothing.",
        f"Seats without a trick get VP by how many they are (1, 2, ...): {misere}.",
    ]
    if SCORINGS[int(parts["scoring"])] == "vp":
        return [*lines, f"Most VP after {int(parts['rounds'])} rounds wins."]
    ranks = ", ".join(f"{int(points)}" for points in parts["rank_wp"][:players])
    return [
        *lines,
        f"WP by the rank of a seat's VP, if above 0: {ranks}. {int(parts['target'])} WP end the "
        "game, and most WP win.",
    ]
