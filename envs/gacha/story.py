"""The course of a gacha game in words."""

from typing import Any

from tefuda.envs.core.spec import Event, Setup
from tefuda.envs.gacha.state import (
    BALL_PHASE,
    COLOURS,
    DEAL_PHASE,
    DUST_ACTION,
    DUST_PHASE,
    FIRST_LEADER_PHASE,
    FOLLOW_ACTION,
    FOLLOW_PHASE,
    FOLLOWS,
    LOW,
    MAY,
    MUST,
    PLAY_PHASE,
    REDRAW_ACTION,
    REDRAW_PHASE,
    RETURN_ACTION,
    RETURN_PHASE,
    STOCK_PHASE,
    TIE_DRAW_PHASE,
)
from tefuda.envs.gacha.text import card_label

__all__ = ["explain", "tell"]

_CARD_PHASES = (PLAY_PHASE, REDRAW_PHASE, RETURN_PHASE)
_STRONG = ("large", "small")


# ==================================================================== what a seat saw


def tell(setup: Setup, event: Event) -> str | None:
    """What a seat saw of an event; deals are left out, for hands are seen."""
    phase, seat, value = event
    if phase == DEAL_PHASE:
        return None
    if phase == FIRST_LEADER_PHASE:
        return f"Seat {value} leads the first trick."
    if phase == BALL_PHASE and value is not None:
        return f"A ball is drawn: {COLOURS[value]} is trump."
    if phase == STOCK_PHASE:
        return f"Seat {seat} draws {_drawn(setup, value)} from the stock."
    if phase == TIE_DRAW_PHASE:
        return f"Seat {seat} draws {_drawn(setup, value)} for the win."
    return f"Seat {seat} {_decided(setup, phase, value)}."


def _drawn(setup: Setup, number: int | None) -> str:
    return "a card" if number is None else card_label(setup, number - 1)


def _decided(setup: Setup, phase: int, action: int | None) -> str:
    if phase == FOLLOW_PHASE and action is not None:
        return f'calls "{FOLLOWS[action - FOLLOW_ACTION].replace("-", " ")} follow"'
    if phase == PLAY_PHASE:
        return f"plays {'a card' if action is None else card_label(setup, action)}"
    if phase == REDRAW_PHASE:
        return "redraws" if action == REDRAW_ACTION else "keeps its hand"
    if phase == RETURN_PHASE:
        card = "a card" if action is None else card_label(setup, action - RETURN_ACTION)
        return f"puts {card} under the stock"
    return f"discards the card of position {(action or 0) - DUST_ACTION} in the trick"


# ==================================================================== what it led to


def explain(setup: Setup, before: Any, after: Any) -> list[str]:
    """What an event led to and by which rule (G11-G25)."""
    sentences: list[str] = []
    phase = int(before["phase"])
    if phase == PLAY_PHASE and before["must_hide"]:
        sentences.append("It lies face down: nothing could be played face up.")
    if phase in _CARD_PHASES and _is_complete(setup, before, after):
        sentences += _trick(setup, before, after)
    if int(after["scorings"]) > int(before["scorings"]):
        sentences += _round(setup, after)
    return sentences


def _is_complete(setup: Setup, before: Any, after: Any) -> bool:
    """Whether the event finished the last play of a trick."""
    played = int(before["plays"]) + (int(before["phase"]) == PLAY_PHASE)
    waits = int(after["phase"]) in (REDRAW_PHASE, RETURN_PHASE, STOCK_PHASE)
    return played == setup.players and not waits


def _trick(setup: Setup, before: Any, after: Any) -> list[str]:
    # The cards of a finished trick stay in the record until the next ones are played.
    cards = after["trick_card"][: setup.players].tolist()
    position, reason = _winner(setup, before, after, cards)
    seat = (int(before["leader"]) + position) % setup.players
    sentences = [f"Seat {seat} wins the trick with {card_label(setup, cards[position])}, {reason}."]
    if int(after["order"]) != int(before["order"]):
        sentences.append(f"Revo: from now on {_STRONG[int(after['order'])]} numbers are strong.")
    if int(after["phase"]) == DUST_PHASE:
        sentences.append(f"Dust: seat {seat} must discard {int(after['dust_left'])} of its cards.")
    return sentences


def _winner(setup: Setup, before: Any, after: Any, cards: list[int]) -> tuple[int, str]:
    """The position that wins, and why (G11, G15, G16)."""
    colours = setup.parts[0]["colour"]
    up = [at for at in range(len(cards)) if not _lies_down(before, after, at, len(cards))]
    ranked = sorted(up, key=lambda at: cards[at], reverse=int(before["order"]) != LOW)
    if int(before["follow"]) == MAY:
        return ranked[1], "the second strongest number (may)"
    trump = int(before["trump"])
    trumps = [at for at in ranked if int(colours[cards[at]]) == trump]
    if trumps:
        return trumps[0], f"the strongest trump ({COLOURS[trump]})"
    if int(before["follow"]) == MUST:
        led = int(colours[cards[up[0]]])
        followed = [at for at in ranked if int(colours[cards[at]]) == led]
        return followed[0], f"the strongest card of the led colour ({COLOURS[led]})"
    return ranked[0], "the strongest number face up (must-not)"


def _lies_down(before: Any, after: Any, position: int, players: int) -> bool:
    """Whether a card of the finished trick lies face down, the latest one too."""
    last = int(before["phase"]) == PLAY_PHASE and position == players - 1
    return bool(before["must_hide"]) if last else bool(int(before["trick_down"]) >> position & 1)


def _round(setup: Setup, after: Any) -> list[str]:
    points = [int(vp) for vp in after["vp"][: setup.players]]
    told = ", ".join(f"seat {seat} {vp}" for seat, vp in enumerate(points))
    return [f"VP of the round, for sets of colours or for no trick at all: {told}."]
