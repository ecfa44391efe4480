"""What the second opinions share, from the rules page of all games: payoffs, judging a record.

Each oracle replays a written record on its own slow game; here stands what a record looks like
whatever the game. "records" and "payoffs" mean the sections of that page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, Final, Protocol

Event = dict[str, Any]

FORMAT: Final = "tefuda-record"
VERSION: Final = 1
DEFAULT_COMPONENTS: Final = "reconstruction"
REWARDS: Final = ("win", "score")
PAYOFF_TOLERANCE: Final = 1e-9
HEADER: Final = -1  # index of a complaint about what stands before the events

RECORD_KEYS: Final = {
    *("format", "version", "env", "players", "options", "components", "seed", "events"),
    *("winners", "payoffs", "truncated"),
}
# Labels are not judged, so an event may also lack one.
EVENT_KEYS: Final = {
    "chance": {"kind", "name", "seat", "outcome"},
    "decision": {"kind", "seat", "action", "legal"},
    "score": {"kind", "name", "points", "totals"},
}


class Game(Protocol):
    """What judging needs of a slow game, whichever of the three it is."""

    name: str
    seat: int | None
    winners: list[int] | None

    @property
    def kind(self) -> str: ...

    @property
    def truncated(self) -> bool: ...

    def legal(self) -> list[int]: ...

    def outcomes(self) -> Mapping[int, Fraction]: ...

    def apply(self, value: int) -> list[Event]: ...

    def payoffs(self, reward: str) -> list[float]: ...


class JudgeError(Exception):
    """A record that no game by the rules can have written.

    Attributes:
        index: The event at fault; -1: what stands before the events; the number of events:
            something missing after the last one, or winners, payoffs, truncated.
        reason: What is wrong, with the expected and the written value.
    """

    def __init__(self, index: int, reason: str) -> None:
        """Keeps the place and the reason."""
        super().__init__(f"event {index}: {reason}")
        self.index = index
        self.reason = reason


# ---------------------------------------------------------------------------------------------
# Payoffs
# ---------------------------------------------------------------------------------------------


def win_payoffs(winners: list[int], players: int) -> list[Fraction]:
    """What reward "win" pays at the end of a game (payoffs)."""
    won = (Fraction(1, len(winners)) - Fraction(1, players)) * Fraction(players, players - 1)
    lost = Fraction(-1, players - 1)
    return [won if seat in winners else lost for seat in range(players)]


def score_payoffs(points: list[int]) -> list[Fraction]:
    """What reward "score" pays for one scoring event: own points minus the others' mean."""
    others = len(points) - 1
    return [Fraction(own) - Fraction(sum(points) - own, others) for own in points]


# ---------------------------------------------------------------------------------------------
# Judging a record
# ---------------------------------------------------------------------------------------------


def judge_record(
    record: Event,
    env: str,
    game_of: Callable[[Event], Game],
    score_keys: Collection[str] = (),
) -> None:
    """Replays a whole record and refuses any difference.

    Args:
        record: The JSON object, read.
        env: The environment that it must name.
        game_of: Makes the game that a record's head names; may raise JudgeError or ValueError.
        score_keys: What a score event says beside points and totals.

    Raises:
        JudgeError: The first difference, with the index of its event.
    """
    _judge_head(record, env)
    try:
        game = game_of(record)
    except ValueError as error:
        raise JudgeError(HEADER, str(error)) from error
    keys = {**EVENT_KEYS, "score": EVENT_KEYS["score"] | set(score_keys)}
    due: list[Event] = []  # score events that must come before anything else
    for index, event in enumerate(record["events"]):
        _judge_shape(event, index, keys)
        if due:
            same(index, "score event", due.pop(0), event)
        elif event["kind"] == "chance":
            due = _judge_chance(game, event, index)
        elif event["kind"] == "decision":
            due = _judge_decision(game, event, index)
        else:
            raise JudgeError(index, f"score event where {game.kind} {game.name} is next")
    _judge_end(game, record, due)


def identical(expected: object, written: object) -> bool:
    """Equal in value and in JSON type, so that 1, 1.0 and true differ."""
    if isinstance(expected, list) and isinstance(written, list):
        return len(expected) == len(written) and all(
            identical(e, w) for e, w in zip(expected, written, strict=True)
        )
    if isinstance(expected, dict) and isinstance(written, dict):
        return set(expected) == set(written) and all(
            identical(expected[key], written[key]) for key in expected
        )
    return type(expected) is type(written) and expected == written


def same(index: int, what: str, expected: object, written: object) -> None:
    """Refuses a written value that is not the expected one."""
    if not identical(expected, written):
        raise JudgeError(index, f"{what} is {written!r}, expected {expected!r}")


def whole(value: object) -> bool:
    """Whether a JSON value is a whole number (true and false are not)."""
    return type(value) is int


# --- what stands before the events -----------------------------------------------------------


def _judge_head(record: object, env: str) -> None:
    """Checks what stands before the events, but for options and components."""
    if not isinstance(record, dict) or set(record) != RECORD_KEYS:
        raise JudgeError(HEADER, f"a record has exactly the keys {sorted(RECORD_KEYS)}")
    for key, expected in (("format", FORMAT), ("version", VERSION), ("env", env)):
        same(HEADER, key, expected, record[key])
    if not isinstance(record["events"], list):
        raise JudgeError(HEADER, "events is not a list")
    _judge_seed(record["seed"])
    if not whole(record["players"]):
        raise JudgeError(HEADER, f"players is {record['players']!r}")


def _judge_seed(seed: object) -> None:
    """The key (seed, table, game number), or null (records)."""
    if seed is None:
        return
    if not (isinstance(seed, list) and len(seed) == 3 and all(whole(n) for n in seed)):
        raise JudgeError(HEADER, f"seed is {seed!r}, expected three whole numbers or null")


def judge_options(
    options: object, wanted: Collection[str], numbers: Collection[str] = ()
) -> dict[str, Any]:
    """Options are complete and only those that apply (records).

    Args:
        options: As written.
        wanted: The names that must stand there.
        numbers: Those of them whose value is a whole number.

    Returns:
        The options that the game itself has: all but `reward`.

    Raises:
        JudgeError: A name is missing or too many, or a value cannot be.
    """
    # decision: `components` and `players` are on a page's list of options too, but a record has
    # a key of its own for each, so neither stands among its options. `reward` does.
    if not isinstance(options, dict) or set(options) != set(wanted):
        raise JudgeError(HEADER, f"options {options!r}, expected exactly {sorted(wanted)}")
    if options["reward"] not in REWARDS:
        raise JudgeError(HEADER, f"reward {options['reward']!r} is not one of {REWARDS}")
    for key in numbers:
        if key in options and not whole(options[key]):
            raise JudgeError(HEADER, f"{key} is {options[key]!r}, expected a whole number")
    return {key: value for key, value in options.items() if key != "reward"}


def judge_components(written: object, given: bool, differ: bool) -> None:
    """Own components carry their text, whose sum is checked; others are the reconstruction.

    The file of the reconstruction is not known here, so its sum is not checked.

    Args:
        written: The components as written.
        given: Whether the judge was given components to judge with.
        differ: Whether those are not the reconstruction's.

    Raises:
        JudgeError: They are not of this form, or do not agree with what was given.
    """
    if not isinstance(written, dict):
        raise JudgeError(HEADER, f"components is {written!r}")
    if set(written) - {"text"} != {"name", "sha256"}:
        raise JudgeError(HEADER, f"components has the keys {sorted(written)}")
    if "text" not in written:
        same(HEADER, "components without text: name", DEFAULT_COMPONENTS, written["name"])
        if given and differ:
            raise JudgeError(HEADER, "own components were given, but the record has no text")
        return
    if not given:
        raise JudgeError(HEADER, "the components carry a text: judge them with what it says")
    if not isinstance(written["text"], str):
        raise JudgeError(HEADER, "components text is not a string")
    lines_ended = written["text"].replace("\r\n", "\n").replace("\r", "\n")
    expected = hashlib.sha256(lines_ended.encode("utf-8")).hexdigest()
    same(HEADER, "components sha256", expected, written["sha256"])


# --- events and end --------------------------------------------------------------------------


def _judge_shape(event: object, index: int, keys: Mapping[str, set[str]]) -> None:
    """An event has one of the three kinds and exactly that kind's keys (records)."""
    if not isinstance(event, dict) or event.get("kind") not in list(keys):
        raise JudgeError(index, f"kind is not one of {sorted(keys)}: {event!r}")
    optional = {"label"} if event["kind"] == "decision" else set[str]()
    if set(event) - optional != keys[event["kind"]]:
        raise JudgeError(index, f"keys {sorted(event)}, expected {sorted(keys[event['kind']])}")


def _judge_chance(game: Game, event: Event, index: int) -> list[Event]:
    """A chance event: its place, name, seat, and an outcome that is possible."""
    if game.kind != "chance":
        raise JudgeError(index, f"chance {event['name']!r} where {game.kind} {game.name} is next")
    same(index, "name", game.name, event["name"])
    same(index, "seat", game.seat, event["seat"])
    return _judge_move(game, event["outcome"], list(game.outcomes()), index)


def _judge_decision(game: Game, event: Event, index: int) -> list[Event]:
    """A decision: its place, seat, the whole list of legal actions, and one of them."""
    if game.kind != "decision":
        raise JudgeError(index, f"decision where {game.kind} {game.name} is next")
    same(index, "seat", game.seat, event["seat"])
    legal = game.legal()
    same(index, f"legal at {game.name}", legal, event["legal"])
    return _judge_move(game, event["action"], legal, index)


def _judge_move(game: Game, value: object, possible: list[int], index: int) -> list[Event]:
    """Makes a move that is possible, refuses another; returns the score events now due."""
    if not isinstance(value, int) or not whole(value) or value not in possible:
        raise JudgeError(index, f"{value!r} is impossible at {game.name}, possible: {possible}")
    return game.apply(value)


def _judge_end(game: Game, record: Event, due: list[Event]) -> None:
    """After the last event: nothing is due; winners, truncated and payoffs are right."""
    index = len(record["events"])
    if due:
        raise JudgeError(index, f"the score event {due[0]!r} is missing")
    same(index, "winners", game.winners, record["winners"])
    same(index, "truncated", game.truncated, record["truncated"])
    _judge_payoffs(game.payoffs(record["options"]["reward"]), record["payoffs"], index)


def _judge_payoffs(expected: list[float], written: object, index: int) -> None:
    """Payoffs are numbers, one a seat, equal up to the tolerance."""
    complaint = JudgeError(index, f"payoffs are {written!r}, expected {expected!r}")
    if not isinstance(written, list) or len(written) != len(expected):
        raise complaint
    for mine, theirs in zip(expected, written, strict=True):
        if type(theirs) not in (int, float) or not abs(mine - theirs) <= PAYOFF_TOLERANCE:
            raise complaint
