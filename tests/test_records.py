"""Records: written and replayed, judged by the second implementations, and refused when damaged."""

import copy
import importlib
import json
import math
import random
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.games import (
    EVERY_GAME,
    all_options,
    oracle_of,
    play_to_end,
    random_positions,
    random_record,
    short,
    spec_of,
)
from oracles.judging import HEADER, JudgeError
from tefuda.envs import GAMES, Game
from tefuda.envs.core.errors import RecordError, TefudaError
from tefuda.envs.core.parts import parse_components
from tefuda.envs.core.record import load_records, save_records

pytestmark = pytest.mark.usefixtures("tiny_game")

every_game = pytest.mark.parametrize("name", EVERY_GAME)

Record = dict[str, Any]

KEYS = [
    "format", "version", "env", "players", "options", "components", "seed", "events", "winners",
    "payoffs", "truncated",
]  # fmt: skip


# ==================================================================== round trips


def as_json(record: Record) -> Record:
    """The record as another program reads it."""
    return json.loads(json.dumps(record, allow_nan=False))


def judge(name: str, record: Record) -> None:
    """Has the second implementation judge a record, where the game has one."""
    if name in GAMES:
        oracle_of(name).judge(record)


def check_round_trip(name: str, game: Game) -> None:
    """The record replays to the identical state, the random stream left out, and tells the same."""
    record = game.record()
    assert as_json(record) == record
    judge(name, record)
    before = copy.deepcopy(record)
    twin = Game.from_record(record)
    assert record == before
    assert twin.record() == record
    assert (twin.values, twin.key, twin.node) == (game.values, game.key, game.node)
    for field in set(game._games.dtype.names) - {"seed", "table", "number", "stream"}:
        np.testing.assert_array_equal(twin._games[field], game._games[field], field)


@pytest.mark.wheel
@pytest.mark.pure
@pytest.mark.parametrize("reward", ["win", "score"])
@every_game
def test_finished_games(name: str, reward: str) -> None:
    for seed, options in enumerate(all_options(name)):
        game = Game(name, seed=(seed, 1, 2), **options, reward=reward)
        check_round_trip(name, play_to_end(game, random.Random(seed)))
        assert game.record()["seed"] == [seed, 1, 2]


@pytest.mark.parametrize("reward", ["win", "score"])
@every_game
def test_unfinished_games(name: str, reward: str) -> None:
    """From any node on the way, the first too; chance came from elsewhere."""
    game = Game(name, seed=None, **short(name), reward=reward)
    for step, position in enumerate(random_positions(game, random.Random(1))):
        if step % 9 == 0 or position.node == "over":
            record = position.record()
            assert (record["winners"] is None) == (position.node != "over")
            assert (record["seed"] is None) == (step > 0)
            check_round_trip(name, position)


@pytest.mark.pure
@every_game
def test_what_stands_in_a_record(name: str) -> None:
    """The keys in their order, every node an event, score events behind their causes."""
    game = play_to_end(Game(name, seed=(5, 0, 0), **short(name)), random.Random(5))
    record, spec = game.record(), spec_of(name)
    assert list(record) == KEYS
    assert (record["format"], record["version"], record["env"]) == ("tefuda-record", 1, name)
    assert record["players"] == game.players
    assert set(record["options"]) <= {option.name for option in spec.options} - {"players"}
    assert None not in record["options"].values()
    assert set(record["components"]) == {"name", "sha256"}
    assert record["payoffs"] == game.returns()
    told = [event for event in record["events"] if event["kind"] != "score"]
    values = [event["outcome" if event["kind"] == "chance" else "action"] for event in told]
    assert tuple(values) == game.values
    check_events(record, spec.text.SCORE_NAME)


def check_events(record: Record, score_name: str) -> None:
    """Keys, legal lists and running totals."""
    totals, scores = [0] * record["players"], 0
    for before, event in zip([None, *record["events"]], record["events"], strict=False):
        if event["kind"] == "decision":
            assert list(event) == ["kind", "seat", "action", "label", "legal"]
            assert event["legal"] == sorted(event["legal"])
            assert event["action"] in event["legal"]
        elif event["kind"] == "chance":
            assert list(event) == ["kind", "name", "seat", "outcome"]
        else:
            assert list(event)[:4] == ["kind", "name", "points", "totals"]
            assert event["name"] == score_name
            assert before is not None and before["kind"] != "score"
            totals = [a + b for a, b in zip(totals, event["points"], strict=True)]
            assert event["totals"] == totals
            scores += 1
    assert scores > 0


@pytest.mark.pure
@every_game
def test_every_number_is_a_plain_one(name: str) -> None:
    """No NumPy scalars, which other writers of JSON refuse."""

    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(type(key) is str and plain(item) for key, item in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (int, float, str, bool)

    assert plain(random_record(name, 3, **short(name)))


# ==================================================================== own components

#: What each second implementation judges the published components by, where a record has a text.
PUBLISHED: dict[str, Callable[[Any], Any]] = {
    "gacha_v0": lambda oracle: oracle.reconstruction(),
    "quatre_v0": lambda oracle: oracle.reconstruction(),
    "torutorento_v0": lambda oracle: oracle.COUNTS,
}


@pytest.mark.parametrize("name", GAMES)
def test_own_components_travel_in_the_record(name: str) -> None:
    """The text alone rebuilds the game; no file is needed to read such a record."""
    shipped = Game(name, **short(name)).engine.setup.components
    own = parse_components(shipped.text + "# mine\n", "nowhere/mine.toml")
    game = Game(name, seed=(1, 0, 0), components=own, **short(name))
    record = play_to_end(game, random.Random(1)).record()
    assert record["components"] == {"name": own.name, "sha256": own.sha256, "text": own.text}
    assert own.sha256 != shipped.sha256
    twin = Game.from_record(as_json(record))
    assert twin.record() == record
    oracle: Any = importlib.import_module(f"oracles.{name.rsplit('_v', 1)[0]}")
    oracle.judge(record, PUBLISHED[name](oracle))


@pytest.mark.parametrize("name", GAMES)
def test_a_text_that_was_changed_is_refused(name: str) -> None:
    shipped = Game(name, **short(name)).engine.setup.components
    own = parse_components(shipped.text, "mine.toml")
    record = random_record(name, 1, components=own, **short(name))
    record["components"]["text"] += "# changed\n"
    refused(record, None, "components are .* but here")
    record["components"]["text"] = "name = = 3"
    refused(record, None, r"components\.text: not a TOML file")
    record["components"]["text"] = 'name = "other"\nnothing = 1\n'
    refused(record, None, "cannot be set up")


# ==================================================================== damage


def refused(record: Any, index: int | None, reason: str) -> RecordError:
    """Sees that a record is refused with this index and reason."""
    with pytest.raises(RecordError, match=reason) as caught:
        Game.from_record(record)
    assert caught.value.index == index
    assert str(caught.value).startswith(f"event {index}: ") == (index is not None)
    return caught.value


def damaged(record: Record, **changes: Any) -> Record:
    """The record with other values at the top."""
    return {**record, **changes}


def without(things: Record, name: str) -> Record:
    return {key: value for key, value in things.items() if key != name}


def head_damage(record: Record) -> Iterator[tuple[Record, str]]:
    """Damage to what stands before the events, with what the reason must say."""
    for name in KEYS:
        yield without(record, name), f"'{name}' is missing"
    yield damaged(record, comment="x"), "'comment' is no part of a record"
    for value in ("tefuda", None, 1):
        yield damaged(record, format=value), "format is .*, not 'tefuda-record'"
    for value in (0, 2, 1.0, True, "1", None):
        yield damaged(record, version=value), "version is .*, not 1"
    yield damaged(record, env="chess_v0"), "game 'chess_v0' is not known"
    yield damaged(record, env=record["env"].rsplit("_v", 1)[0]), "env is .* but must be"
    yield damaged(record, env=7), "env must be a str, not 7"
    for value in (1, 99, -3):
        yield damaged(record, players=value), f"players={value} is not allowed"
    for value in (float(record["players"]), True, "3"):
        yield damaged(record, players=value), "players=.* is not allowed"
    yield damaged(record, players=None), "players"
    yield from option_damage(record)
    yield from component_damage(record)
    for value in (5, [1, 2], [1, 2, 3, 4], [1, 2, -3], [1.0, 2, 3], [True, 0, 0], "1,2,3", [], {}):
        yield damaged(record, seed=value), "seed=|table=|game number="
    for value in ({}, None, "x"):
        yield damaged(record, events=value), "events must be a list"


def option_damage(record: Record) -> Iterator[tuple[Record, str]]:
    options = record["options"]
    for name in options:
        less = damaged(record, options=without(options, name))
        yield less, f"option '{name}' is missing|applies only with {name}="
        for value in ("nonsense", 1.5, True, []):
            changed = {**options, name: value}
            yield damaged(record, options=changed), f"option {name}=.* is not allowed"
        unset = {**options, name: None}
        yield damaged(record, options=unset), f"option {name}=None does not belong"
    for name in ("colour", "players", "components"):
        changed = {**options, name: 3}
        yield damaged(record, options=changed), f"option {name}=3 does not belong"
    for value in (None, [], "x"):
        yield damaged(record, options=value), "options must be a dict"


def component_damage(record: Record) -> Iterator[tuple[Record, str]]:
    components = record["components"]
    for changes in ({"sha256": "0" * 64}, {"sha256": None}, {"author": "me"}):
        yield damaged(record, components={**components, **changes}), "components are .* but here"
    yield damaged(record, components=without(components, "sha256")), "components are .* but here"
    for value in (None, 3):
        changed = {**components, "name": value}
        yield damaged(record, components=changed), "components.name must be a text"
    yield damaged(record, components=without(components, "name")), "components.name must be a text"
    changed = {**components, "text": 5}
    yield damaged(record, components=changed), "components.text must be a text"
    for value in (None, [], "x"):
        yield damaged(record, components=value), "components must be a dict"


def result_damage(record: Record) -> Iterator[tuple[Record, str]]:
    """Damage to what stands behind the events."""
    winners, payoffs, players = record["winners"], record["payoffs"], record["players"]
    others = [seat for seat in range(players) if seat not in winners]
    for wrong in (None, [], others, [*winners, players], [float(w) for w in winners], "x"):
        if wrong != winners or wrong is None or str(wrong) != str(winners):
            yield damaged(record, winners=wrong), "winners is .* but must be"
    for value in (not record["truncated"], int(record["truncated"]), None, "false"):
        yield damaged(record, truncated=value), "truncated is .* but must be"
    for wrong in (
        payoffs[:-1], [*payoffs, 0.0], None, {}, "0", [str(p) for p in payoffs],
        [None, *payoffs[1:]], [payoffs[0] + 1e-6, *payoffs[1:]], [math.nan, *payoffs[1:]],
        [True, *payoffs[1:]], [math.inf, *payoffs[1:]],
    ):  # fmt: skip
        yield damaged(record, payoffs=wrong), "payoffs are .* but must be"


def same_place(name: str, record: Record, index: int) -> None:
    """Sees that the second implementation refuses the record at the same event."""
    if name in GAMES:
        with pytest.raises(JudgeError) as caught:
            oracle_of(name).judge(record)
        assert caught.value.index == index, caught.value


@every_game
def test_damage_before_and_behind_the_events(name: str) -> None:
    record = random_record(name, 4, **short(name))
    Game.from_record(record)
    for wrong, reason in head_damage(record):
        refused(wrong, None, reason)
    for number, (wrong, reason) in enumerate(result_damage(record)):
        refused(wrong, None, reason)
        if number % 4 == 0:
            same_place(name, wrong, len(record["events"]))
    for wrong in (None, [], "x", 5, [record]):
        refused(wrong, None, "a record is an object")


@every_game
def test_damage_to_the_head_is_refused_by_the_second_implementation_too(name: str) -> None:
    """Except for what only the package knows: the sum of the shipped component file."""
    record = random_record(name, 4, **short(name))
    for wrong, reason in head_damage(record):
        if isinstance(wrong.get("components"), dict) and "but here" in reason:
            continue
        if wrong.get("players") in (2, 3, 4, 5) or "seed=" in reason:
            continue
        same_place(name, wrong, HEADER)


# ---------------------------------------------------------------- events

Change = Callable[[list[dict[str, Any]], int], None]


def put(name: str, value: Any) -> Change:
    """Puts another value into an event; a function makes it from the old one."""

    def change(events: list[dict[str, Any]], index: int) -> None:
        old = events[index][name]
        events[index] = {**events[index], name: value(old) if callable(value) else value}

    return change


def drop(name: str) -> Change:
    def change(events: list[dict[str, Any]], index: int) -> None:
        events[index] = without(events[index], name)

    return change


def add(events: list[dict[str, Any]], index: int) -> None:
    events[index] = {**events[index], "comment": "x"}


def replaced(value: Any) -> Change:
    def change(events: list[dict[str, Any]], index: int) -> None:
        events[index] = value

    return change


def other_seat(seat: int | None) -> int:
    return 1 if seat is None else 1 - min(seat, 1)


#: Damage by kind of event: the change, and what the reason must say.
EVENT_DAMAGE: dict[str, list[tuple[Change, str]]] = {
    "chance": [
        (put("outcome", 999), "outcome 999 of '.*' cannot come; possible are"),
        (put("outcome", -1), "outcome -1 of '.*' cannot come"),
        (put("outcome", 2**70), "cannot come"),
        (put("outcome", float), "must come here"),
        (put("outcome", True), "must come here"),
        (put("outcome", None), "must come here"),
        (put("outcome", str), "must come here"),
        (drop("outcome"), "the chance event '.*' of seat .* must come here"),
        (put("name", "luck"), "name is 'luck', but must be"),
        (put("seat", other_seat), "seat is .* but must be"),
        (put("seat", 0.0), "seat is 0.0, but must be"),
        (put("kind", "decision"), "kind is 'decision', but must be 'chance'"),
        (put("kind", None), "kind is None, but must be 'chance'"),
    ],
    "decision": [
        (put("action", 10**6), "action 1000000 of seat .* is illegal; legal are"),
        (put("action", -1), "action -1 of seat . is illegal"),
        (put("action", float), "a decision of seat . must come here"),
        (put("action", False), "a decision of seat . must come here"),
        (put("action", None), "a decision of seat . must come here"),
        (drop("action"), "a decision of seat . must come here"),
        (put("seat", other_seat), "seat is .* but must be"),
        (put("seat", None), "seat is None, but must be"),
        (put("legal", lambda legal: legal[:-1]), "legal is .* but must be"),
        (put("legal", lambda legal: [*legal, 10**6]), "legal is .* but must be"),
        (put("legal", lambda legal: [float(a) for a in legal]), "legal is .* but must be"),
        (put("legal", None), "legal is None, but must be"),
        (drop("legal"), "'legal' is missing"),
        (put("kind", "chance"), "kind is 'chance', but must be 'decision'"),
    ],
    "score": [
        (put("points", lambda points: [points[0] + 1, *points[1:]]), "points is .* but must be"),
        (put("points", lambda points: [float(p) for p in points]), "points is .* but must be"),
        (put("totals", lambda totals: totals[:-1]), "totals is .* but must be"),
        (put("totals", lambda totals: [t - 1 for t in totals]), "totals is .* but must be"),
        (put("name", "party"), "name is 'party', but must be"),
        (put("kind", "decision"), "kind is 'decision', but must be 'score'"),
        (drop("points"), "'points' is missing"),
        (drop("totals"), "'totals' is missing"),
    ],
}
#: Damage to any event.
ANY_DAMAGE: list[tuple[Change, str]] = [
    (add, "'comment' does not belong here"),
    (drop("kind"), "'kind' is missing"),
    (replaced(None), "an event is an object, not None"),
    (replaced([1]), r"an event is an object, not \[1\]"),
]


def events_of(record: Record, kind: str) -> list[int]:
    """Some events of a kind: the first, one in the middle, the last."""
    places = [k for k, event in enumerate(record["events"]) if event["kind"] == kind]
    return sorted({places[0], places[len(places) // 2], places[-1]})


@pytest.mark.parametrize("kind", EVENT_DAMAGE)
@every_game
def test_damage_to_an_event(name: str, kind: str) -> None:
    """It is refused with the event's index and a reason; by the second implementation there too."""
    record = random_record(name, 4, **short(name))
    places = events_of(record, kind)
    for index in places:
        for change, reason in (*EVENT_DAMAGE[kind], *ANY_DAMAGE):
            events = list(record["events"])
            change(events, index)
            assert json.dumps(events) != json.dumps(record["events"])
            wrong = damaged(record, events=events)
            refused(wrong, index, reason)
            if index == places[0]:  # which is found soon; the second implementation is slow
                same_place(name, wrong, index)


@every_game
def test_missing_doubled_and_swapped_events(name: str) -> None:
    """Refused where the second implementation refuses them; that of a score, at its place."""
    record = random_record(name, 4, **short(name))
    events = record["events"]
    for kind in EVENT_DAMAGE:
        for index in events_of(record, kind):
            refused_alike(name, damaged(record, events=[*events[: index + 1], *events[index:]]))
            less = damaged(record, events=[*events[:index], *events[index + 1 :]])
            place = refused_alike(name, less)
            assert kind != "score" or place == index
    for index in events_of(record, "score"):
        swapped = [*events[: index - 1], events[index], events[index - 1], *events[index + 1 :]]
        assert refused_alike(name, damaged(record, events=swapped)) == index - 1


def refused_alike(name: str, record: Record) -> int:
    """Sees that a record is refused, at the same event by both; returns which."""
    with pytest.raises(RecordError) as caught:
        Game.from_record(record)
    index = len(record["events"]) if caught.value.index is None else caught.value.index
    same_place(name, record, index)
    return index


@every_game
def test_nothing_follows_the_end(name: str) -> None:
    record = random_record(name, 4, **short(name))
    count = len(record["events"])
    for more in (record["events"][0], record["events"][-2], {}, {"kind": "score"}):
        refused(damaged(record, events=[*record["events"], more]), count, "the game is over, but")


@every_game
def test_a_record_cut_short_is_that_of_an_unfinished_game(name: str) -> None:
    """If it says so: no winners, and the payoffs so far."""
    record = random_record(name, 4, **short(name))
    for index in (*events_of(record, "chance"), *events_of(record, "decision")):
        cut = damaged(record, events=record["events"][:index])
        refused(cut, None, "winners is .* but must be None")
        unfinished = damaged(cut, winners=None, truncated=False, payoffs=[0.0] * record["players"])
        assert Game.from_record(unfinished).node != "over"
        judge(name, unfinished)
    for index in events_of(record, "score"):
        cut = damaged(record, events=record["events"][:index], winners=None)
        refused(cut, index, "the scoring event .* is missing")


@pytest.mark.pure
@every_game
def test_labels_are_not_judged(name: str) -> None:
    record = random_record(name, 4, **short(name))
    events = copy.deepcopy(record["events"])
    decisions = [event for event in events if event["kind"] == "decision"]
    decisions[0]["label"] = "anything"
    del decisions[1]["label"]
    assert Game.from_record(damaged(record, events=events)).record() == record
    judge(name, damaged(record, events=events))


@pytest.mark.pure
def test_errors_are_of_the_package() -> None:
    assert issubclass(RecordError, TefudaError)
    assert issubclass(RecordError, ValueError)
    assert (RecordError("why").index, str(RecordError("why"))) == (None, "why")
    assert (RecordError("why", 0).index, str(RecordError("why", 0))) == (0, "event 0: why")


# ==================================================================== files


@pytest.mark.pure
def test_files(tmp_path: Path) -> None:
    """One record a line, in UTF-8; what is read is what was written."""
    records = [random_record("tiny_v0", seed) for seed in range(3)]
    path = tmp_path / "games.jsonl"
    assert save_records(path, iter(records)) == 3
    assert list(load_records(path)) == records
    text = path.read_bytes().decode("utf-8")
    assert [json.loads(line) for line in text.splitlines()] == records
    assert text.endswith("}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert save_records(str(path), []) == 0
    assert list(load_records(path)) == []


@pytest.mark.pure
def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """Until all is written the old file stands; an error leaves it, and nothing beside it."""
    path = tmp_path / "games.jsonl"
    old = [random_record("tiny_v0", 0)]
    save_records(path, old)

    def failing() -> Iterator[Record]:
        yield random_record("tiny_v0", 1)
        assert list(load_records(path)) == old
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_records(path, failing())
    with pytest.raises(TypeError, match="not JSON serializable"):
        save_records(path, [random_record("tiny_v0", 2), {"format": object()}])
    assert list(load_records(path)) == old
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        save_records(tmp_path / "nowhere" / "games.jsonl", old)


@pytest.mark.pure
def test_lines_that_are_no_json_are_named(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = random_record("tiny_v0", 0)
    path.write_text(json.dumps(record) + "\n\n  \n{broken\n", encoding="utf-8")
    found = load_records(path)
    assert next(found) == record
    with pytest.raises(RecordError, match=r"games\.jsonl, line 4: not JSON: "):
        next(found)
