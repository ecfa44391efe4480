"""Gacha in words: labels, names for records, and a table as text with ANSI colours."""

from typing import Any

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup
from tefuda.envs.gacha.state import (
    ACTIONS,
    BALLS,
    CHANCE_NAMES,
    COLOURS,
    DUST_ACTION,
    FOLLOW_ACTION,
    FOLLOWS,
    KEEP_ACTION,
    MAX_CARDS,
    NO_FOLLOW,
    ORDERS,
    OVER_PHASE,
    PHASES,
    REDRAW_ACTION,
    RETURN_ACTION,
    T_POINTS,
    WON_DOWN,
)

__all__ = [
    "CHANCE_MEANINGS", "CHANCE_NAMES", "DECISION_NAMES", "SCORE_NAME",
    "action_ranges", "ansi", "card_label", "label", "outcome_label", "score_details",
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
    cards = " ".join(_paint(f"{int(won[k])}{COLOURS[k][0]}", k) for k in range(BALLS) if won[k])
    down = f" {int(won[WON_DOWN])} face down" if won[WON_DOWN] else ""
    return f"{int(won[T_POINTS])} tricks{': ' + cards if cards else ''}{down}"


def _card(setup: Setup, card: int) -> str:
    parts = setup.parts[0]
    colour = int(parts["colour"][card])
    icons = "".join(mark for icon, mark in _ICON_MARKS if parts[icon][card])
    dust = f"x{int(parts['dust'][card])}" if parts["dust"][card] else ""
    return _paint(f"{card + 1}{COLOURS[colour][0]}{icons}{dust}", colour)


def _paint(text: str, colour: int) -> str:
    return f"\x1b[{_ANSI[colour]}m{text}\x1b[0m"
