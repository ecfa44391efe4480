"""The course of a quatre game in words."""

from typing import Any

from tefuda.envs.core.spec import Event, Setup
from tefuda.envs.quatre.state import CREAM, DRAW_PHASE, FIRST_FRUIT, FRUIT_COUNT, FRUITS
from tefuda.envs.quatre.text import COLLECT, PLACE, decode

__all__ = ["explain", "tell"]

_DEGREES = 90
_NAMES = {**{FIRST_FRUIT + fruit: name for fruit, name in enumerate(FRUITS)}, CREAM: "cream"}


def tell(setup: Setup, event: Event) -> str | None:
    """What happened; all see everything."""
    phase, seat, value = event
    assert value is not None
    if phase == DRAW_PHASE:
        return f"Seat {seat} draws a card with {_printed(setup, value)}."
    move = decode(setup, value)
    if move.kind == PLACE:
        turned = f", turned {_DEGREES * move.turn} degrees" if move.turn else ""
        return f"Seat {seat} places it at row {move.row}, column {move.column}{turned}."
    if move.kind == COLLECT:
        return f"Seat {seat} keeps the card: a point in every scoring to come."
    return f"Seat {seat} puts the card back for another."


def _printed(setup: Setup, kind: int) -> str:
    """What is on a kind of card."""
    symbols = setup.parts[0]["face"][kind, 0].tolist()
    counts = {name: symbols.count(symbol) for symbol, name in _NAMES.items()}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def explain(setup: Setup, before: Any, after: Any) -> list[str]:
    """What an event led to and by which rule (Q10, Q13, Q14)."""
    sentences = [*_covered(before, after), *_groups(before, after)]
    if int(after["scorings"]) > int(before["scorings"]):
        sentences += _scoring(setup, after)
    return sentences


def _covered(before: Any, after: Any) -> list[str]:
    """Fruits that have gone under cream."""
    counts = [0] * FRUIT_COUNT
    for was, now in zip(before["board"].tolist(), after["board"].tolist(), strict=True):
        if was != now and FIRST_FRUIT <= was < FIRST_FRUIT + FRUIT_COUNT:
            counts[was - FIRST_FRUIT] += 1
    gone = [f"{count} {FRUITS[fruit]}" for fruit, count in enumerate(counts) if count]
    return [f"Under cream now: {', '.join(gone)}."] if gone else []


def _groups(before: Any, after: Any) -> list[str]:
    """How much the groups of each fruit would score now, and how much less before."""
    changes = []
    for fruit in range(FRUIT_COUNT):
        was, now = int(before["group_points"][fruit]), int(after["group_points"][fruit])
        if was != now:
            changes.append(f"{FRUITS[fruit]} {now} ({now - was:+d})")
    return [f"Groups on the board are worth: {', '.join(changes)}."] if changes else []


def _scoring(setup: Setup, after: Any) -> list[str]:
    """Each group scores the square of its size; and who is next (Q13, Q14)."""
    worth = ", ".join(
        f"{FRUITS[fruit]} {int(after['group_points'][fruit])}" for fruit in range(FRUIT_COUNT)
    )
    parts = setup.parts[0]
    actors = [int(actor) for actor in after["order"][: int(parts["actors"])]]
    order = ", ".join(_actor(setup, actor) for actor in actors)
    return [
        f"Scoring: a group of a fruit counts the square of its size ({worth}), a card kept 1.",
        f"Turn order from now on, the highest total first: {order}.",
    ]


def _actor(setup: Setup, actor: int) -> str:
    """Whose play: a seat, or a fruit where each takes its own."""
    by_fruit = int(setup.parts[0]["actors"]) > setup.players
    return FRUITS[actor] if by_fruit else f"seat {actor}"
