"""The course of a torutorento game in words."""

from typing import Any

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Event, Setup
from tefuda.envs.torutorento.state import (
    DECK_PHASE,
    DECLARE_PHASE,
    DONE_ACTION,
    FACE_OF,
    FACES,
    FALL_PHASE,
    FIRST_PARENT_PHASE,
    GROWTH,
    INSERT_ACTION,
    INSERT_PHASE,
    LIFT_ACTION,
    LIFT_PHASE,
    MARKET_PHASE,
    PICK_ACTION,
    PICK_DECK_ACTION,
    PICK_PHASE,
    PLACE_PHASE,
    PUT_ACTION,
    PUT_PHASE,
    ROLE_ACTION,
    ROLES,
    SLOTS,
    TAKE_ACTION,
    TAKE_DECK_ACTION,
    TAKE_PHASE,
    TOLD_FACE,
    TOLD_GAP,
    TOLD_HANDS,
    TOLD_LEAVES,
)

__all__ = ["explain", "tell"]

_WAYS = ("as printed", "turned")
_BYTE = 255


# ==================================================================== what a seat saw


def tell(setup: Setup, event: Event) -> str | None:
    """What a seat saw of an event; deals are left out, for hands are seen."""
    phase, seat, value = event
    if phase == FIRST_PARENT_PHASE:
        return f"Seat {value} is the first parent."
    if phase == MARKET_PHASE and value is not None:
        return f"A {FACES[value]} is turned up."
    if phase == DECK_PHASE:
        return f"Seat {seat} draws {_face(value)} from the deck."
    if phase in _DECIDED and seat is not None:
        return f"Seat {seat} {_DECIDED[phase](setup, seat, value)}."
    return None


def _face(face: int | None) -> str:
    return "a card" if face is None else f"a {FACES[face]}"


def _fall(setup: Setup, seat: int, action: int | None) -> str:
    del setup, seat
    done = action is None or action == DONE_ACTION
    return "lets no more leaves fall" if done else f"lets the card of slot {action} fall"


def _take(setup: Setup, seat: int, action: int | None) -> str:
    if action is None or action == TAKE_DECK_ACTION:
        return "takes the top card of the deck"
    offset, slot = divmod(action - TAKE_ACTION, SLOTS)
    return f"draws the card of slot {slot} from seat {(seat + offset + 1) % setup.players}"


def _put(setup: Setup, seat: int, action: int | None) -> str:
    owner = (seat + (action or 0) - PUT_ACTION) % setup.players
    return f"puts it into {'its own field' if owner == seat else f'the field of seat {owner}'}"


def _pick(setup: Setup, seat: int, action: int | None) -> str:
    del setup, seat
    if action is None or action == PICK_DECK_ACTION:
        return "takes the top card of the deck"
    return f"picks a {FACES[action - PICK_ACTION]}"


def _insert(setup: Setup, seat: int, action: int | None) -> str:
    del setup, seat
    if action is None:
        return "inserts it in its hand"
    gap, way = divmod(action - INSERT_ACTION, 2)
    return f"inserts it at gap {gap}, {_WAYS[way]}"


def _lift(setup: Setup, seat: int, action: int | None) -> str:
    del setup, seat
    if action is None or action == DONE_ACTION:
        return "leaves its bird at rest"
    return f"lets its bird lift the card of slot {action - LIFT_ACTION}"


def _declare(setup: Setup, seat: int, action: int | None) -> str:
    del setup, seat
    return f"says of its mimic: {ROLES[(action or ROLE_ACTION) - ROLE_ACTION]}"


_DECIDED = {
    FALL_PHASE: _fall,
    TAKE_PHASE: _take,
    PUT_PHASE: _put,
    PICK_PHASE: _pick,
    INSERT_PHASE: _insert,
    LIFT_PHASE: _lift,
    PLACE_PHASE: _insert,
    DECLARE_PHASE: _declare,
}


# ==================================================================== what it led to


def explain(setup: Setup, before: Any, after: Any) -> list[str]:
    """What an event led to and by which rule (T8-T20)."""
    told, sentences = int(after["told"]), []
    if told & TOLD_FACE:
        sentences.append(f"It is a {FACES[int(after['told_value'])]}.")
    if told & TOLD_GAP:
        sentences.append(f"It goes into gap {int(after['told_value'])}; only its owner knows it.")
    if told & TOLD_LEAVES:
        sentences += [_leaves(after, seat) for seat in range(setup.players)]
    if int(after["stage"]) == GROWTH != int(before["stage"]):
        sentences += [_missing(seat) for seat in range(setup.players) if after["misses"][seat]]
    if told & TOLD_HANDS:
        sentences.append("All hands are full and shown.")
    if int(after["scorings"]) > int(before["scorings"]):
        sentences += _round(setup, before, after)
    return sentences


def _leaves(after: Any, seat: int) -> str:
    dealt, fallen = int(after["dealt"][seat]), int(after["fallen"][seat])
    faces = [
        FACES[int(FACE_OF[dealt >> (SLOTS * slot) & _BYTE])]
        for slot in range(SLOTS)
        if fallen >> slot & 1
    ]
    return f"Seat {seat} has let fall: {', '.join(faces) or 'nothing'}."


def _missing(seat: int) -> str:
    return f"Seat {seat} has a mimic in its field and misses its first turn."


def _round(setup: Setup, before: Any, after: Any) -> list[str]:
    """The caterpillars, of which the longest score most, and the legend (T18, T20)."""
    sentences = [_caterpillars(after, seat) for seat in range(setup.players)]
    if int(after["mark"]) > int(before["mark"]):
        owner = int(after["legend"])
        gets = "nobody gets" if owner == NOBODY else f"seat {owner} gets"
        sentences.append(f"The longest, {int(after['mark'])}, beats the mark: {gets} the legend.")
    return sentences


def _caterpillars(after: Any, seat: int) -> str:
    word = int(after["lengths"][seat])
    lengths = sorted((word >> (SLOTS * k) & _BYTE for k in range(SLOTS)), reverse=True)
    shown = [f"a caterpillar of length {length}" for length in lengths if length]
    return f"Seat {seat} has {' and '.join(shown) or 'no caterpillar'}."
