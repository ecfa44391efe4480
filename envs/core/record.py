"""Records: a game written down so completely that an independent program can judge it.

A record is one JSON object, one line of a `.jsonl` file. Its events stand in the order in which
they happened, every node one event, and a scoring event directly after what caused it.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import RecordError, TefudaError
from tefuda.envs.core.game import Game
from tefuda.envs.core.parts import ComponentFile, parse_components
from tefuda.envs.core.registry import find_game

FORMAT = "tefuda-record"
VERSION = 1

RecordData = dict[str, Any]
Event = dict[str, Any]

# Replays take their chance from the record; the key of the game that is replayed is idle.
_ANY_KEY = (0, 0, 0)
_FILE_MODE = 0o644

_KEYS = (
    "format", "version", "env", "players", "options", "components", "seed", "events", "winners",
    "payoffs", "truncated",
)  # fmt: skip
_PAYOFF_TOLERANCE = 1e-9


# ==================================================================== writing


def write_record(game: Game) -> RecordData:
    """The record of a game, finished or not."""
    engine = game.engine
    return {
        "format": FORMAT,
        "version": VERSION,
        "env": engine.spec.id,
        "players": engine.players,
        "options": dict(engine.setup.options),
        "components": engine.setup.components.describe(),
        "seed": None if game.key is None else list(game.key),
        "events": list(_tell_events(game)),
        "winners": game.winners,
        "payoffs": game.returns(),
        "truncated": game.truncated,
    }


def _tell_events(game: Game) -> Iterator[Event]:
    """Replays a game from its beginning and tells every event."""
    twin = Game(game.engine, seed=_ANY_KEY)
    for value in game.values:
        yield _event(twin, value)
        scorings = int(twin.state["scorings"])
        twin.advance(value)
        if int(twin.state["scorings"]) > scorings:
            yield _score_event(twin)


def _event(game: Game, value: int) -> Event:
    """The event that `value` makes of the game's present node."""
    if game.node == "chance":
        return {"kind": "chance", "name": game.chance_name, "seat": game.seat, "outcome": value}
    return {
        "kind": "decision",
        "seat": game.seat,
        "action": value,
        "label": game.label(value),
        "legal": game.legal_actions(),
    }


def _score_event(game: Game) -> Event:
    engine, state = game.engine, game.state
    return {
        "kind": "score",
        "name": engine.spec.text.SCORE_NAME,
        "points": [int(points) for points in state["points"][: game.players]],
        "totals": game.totals,
        **engine.spec.text.score_details(engine.setup, state),
    }


# ==================================================================== reading


def read_record(record: RecordData) -> Game:
    """Replays and judges a record.

    Returns:
        The game at the record's last event. Labels are not judged.

    Raises:
        RecordError: The record is malformed or impossible; the message says where and why.
    """
    _check_head(record)
    try:
        seed = _ANY_KEY if record["seed"] is None else record["seed"]
        game = Game(_engine_of(record), seed=seed)
    except RecordError:
        raise
    except TefudaError as error:
        raise RecordError(f"the record's game cannot be set up: {error}") from error
    key = None if record["seed"] is None else game.key
    _replay(game, record["events"])
    _check_result(game, record)
    return game.keyed(key)


def _check_head(record: Any) -> None:
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object, not {record!r}")
    for name in _KEYS:
        if name not in record:
            raise RecordError(f"{name!r} is missing")
    for name in record:
        if name not in _KEYS:
            raise RecordError(f"{name!r} is no part of a record; allowed are {', '.join(_KEYS)}")
    for name, value in (("format", FORMAT), ("version", VERSION)):
        if not _same(record[name], value):
            raise RecordError(f"{name} is {record[name]!r}, not {value!r}")
    for name, kind in (("events", list), ("options", dict), ("components", dict), ("env", str)):
        if not isinstance(record[name], kind):
            raise RecordError(f"{name} must be a {kind.__name__}, not {record[name]!r}")


def _engine_of(record: RecordData) -> Engine:
    """The game that the head of a record describes."""
    spec = find_game(record["env"])
    if record["env"] != spec.id:
        raise RecordError(f"env is {record['env']!r}, but must be {spec.id!r}")
    components = _components_of(record["components"])
    declared = [option.name for option in spec.options if option.name != "players"]
    for name, value in record["options"].items():
        if name not in declared or value is None:
            raise RecordError(f"option {name}={value!r} does not belong into a record")
    setup = spec.setup(record["players"], components, **record["options"])
    if not _same(record["players"], setup.players):
        raise RecordError(f"players is {record['players']!r}, but must be a number of players")
    for name, value in setup.options.items():
        if not _same(record["options"].get(name), value):
            raise RecordError(f"option {name!r} is missing; a record states every option")
    found = setup.components.describe()
    if not _same(found, record["components"]):
        given = {**record["components"], "text": "..."}
        raise RecordError(f"components are {given!r}, but here {found['name']!r} has {found!r}")
    return Engine(spec, setup)


def _components_of(described: dict[str, Any]) -> ComponentFile | str:
    if not isinstance(described.get("name"), str):
        raise RecordError(f"components.name must be a text, not {described.get('name')!r}")
    if "text" not in described:
        return str(described["name"])
    if not isinstance(described["text"], str):
        raise RecordError("components.text must be a text")
    return parse_components(described["text"], "components.text")


def _replay(game: Game, events: list[Any]) -> None:
    due: Event | None = None
    for index, event in enumerate(events):
        if due is not None:
            _compare(index, event, due)
            due = None
        else:
            due = _replay_event(game, index, event)
    if due is not None:
        raise RecordError(f"the scoring event {due!r} is missing", len(events))


def _replay_event(game: Game, index: int, event: Any) -> Event | None:
    """Plays an event; returns the scoring event that must follow it, if one must."""
    if not isinstance(event, dict):
        raise RecordError(f"an event is an object, not {event!r}", index)
    if game.node == "over":
        raise RecordError(f"the game is over, but {event!r} follows", index)
    scorings = int(game.state["scorings"])
    value = event.get("outcome" if game.node == "chance" else "action")
    if isinstance(value, bool) or not isinstance(value, int):
        _expect_other(game, index, event)
    _compare(index, event, _event_or_refusal(game, index, value))
    game.advance(value)
    return _score_event(game) if int(game.state["scorings"]) > scorings else None


def _event_or_refusal(game: Game, index: int, value: int) -> Event:
    if game.node == "chance":
        possible = [outcome for outcome, _ in game.chance_outcomes()]
        if value not in possible:
            raise RecordError(f"outcome {value} of {game.chance_name!r} cannot come; "
                              f"possible are {possible}", index)  # fmt: skip
    elif value not in game.legal_actions():
        raise RecordError(f"action {value} of seat {game.seat} is illegal; "
                          f"legal are {game.legal_actions()}", index)  # fmt: skip
    return _event(game, value)


def _expect_other(game: Game, index: int, event: Event) -> NoReturn:
    wanted = f"the chance event {game.chance_name!r}" if game.node == "chance" else "a decision"
    raise RecordError(f"{wanted} of seat {game.seat} must come here, not {event!r}", index)


def _compare(index: int, found: Any, expected: Event) -> None:
    """Refuses an event that differs from the expected one, its label left out."""
    if not isinstance(found, dict):
        raise RecordError(f"an event is an object, not {found!r}", index)
    for name in {**expected, **found}:
        if name == "label":
            continue
        if name not in found or name not in expected:
            what = "is missing" if name in expected else "does not belong here"
            raise RecordError(f"{name!r} {what}; the event must be {expected!r}", index)
        if not _same(found[name], expected[name]):
            raise RecordError(f"{name} is {found[name]!r}, but must be {expected[name]!r}", index)


def _check_result(game: Game, record: RecordData) -> None:
    for name, value in (("winners", game.winners), ("truncated", game.truncated)):
        if not _same(record[name], value):
            raise RecordError(f"{name} is {record[name]!r}, but must be {value!r}")
    payoffs, paid = record["payoffs"], game.returns()
    well_formed = isinstance(payoffs, list) and len(payoffs) == len(paid)
    if not well_formed or any(
        isinstance(found, bool)
        or not isinstance(found, int | float)
        or not abs(found - payoff) <= _PAYOFF_TOLERANCE
        for found, payoff in zip(payoffs, paid, strict=True)
    ):
        raise RecordError(f"payoffs are {payoffs!r}, but must be {paid!r}")


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON (1, 1.0 and true differ)."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# ==================================================================== files


def save_records(path: str | Path, records: Iterable[RecordData]) -> int:
    """Writes records to a `.jsonl` file, which appears whole or not at all.

    Returns:
        How many were written.
    """
    path = Path(path)
    count = 0
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
        Path(name).chmod(_FILE_MODE)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise
    return count


def load_records(path: str | Path) -> Iterator[RecordData]:
    """Reads the records of a `.jsonl` file one by one, not yet judged.

    Raises:
        RecordError: A line is no JSON; the message names file and line.
    """
    with Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise RecordError(f"{path}, line {number}: not JSON: {error}") from error
