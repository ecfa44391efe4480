"""`tefuda record` and `tefuda replay`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tefuda.envs import Game
from tefuda.training.cli import main
from tefuda.training.records import replay_file


def recorded(file: Path, *more: str) -> list[dict[str, Any]]:
    assert main(["record", "gacha", "--games", "3", "--seed", "4", "-o", str(file), *more]) == 0
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_records_are_complete_games_with_their_keys(tmp_path: Path, policy: str) -> None:
    records = recorded(
        tmp_path / "games.jsonl", "--policy", policy, "--players", "3", "--option", "scoring=vp"
    )
    assert [record["seed"] for record in records] == [[4, number, 0] for number in range(3)]
    for record in records:
        game = Game.from_record(record)
        assert game.node == "over"
        assert game.record() == record
        assert (record["env"], record["players"]) == ("gacha_v0", 3)
        assert record["options"]["scoring"] == "vp"


def test_the_same_command_writes_the_same_file(tmp_path: Path) -> None:
    assert recorded(tmp_path / "one") == recorded(tmp_path / "again")
    assert recorded(tmp_path / "one") != recorded(tmp_path / "greedy", "--policy", "greedy")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "again", "greedy"}


def test_replay_prints_every_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.jsonl"
    records = recorded(file)
    assert main(["replay", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("game ") for line in lines) == 3
    for record in records:
        decisions = [event for event in record["events"] if event["kind"] == "decision"]
        assert any(
            line.endswith(f"seat {decisions[0]['seat']}: {decisions[0]['label']}") for line in lines
        )
    scores = sum(event["kind"] == "score" for record in records for event in record["events"])
    assert sum(line.strip().startswith("round: points") for line in lines) == scores
    assert not any("\x1b" in line for line in lines)


def test_replay_steps_as_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.jsonl"
    recorded(file)
    answers = iter(["", "", "n", "", "q"])
    replay_file(file, lambda prompt: next(answers))
    out = capsys.readouterr().out
    assert "game 2 of" in out
    assert "game 3 of" not in out
    assert next(answers, None) is None


def test_an_impossible_record_is_refused_with_its_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    records = recorded(file)
    index, event = next(
        (index, event)
        for index, event in enumerate(records[1]["events"])
        if event["kind"] == "decision"
    )
    event["action"] = next(action for action in range(120) if action not in event["legal"])
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert main(["replay", str(file)]) == 2
    error = capsys.readouterr().err
    assert f"record 2: event {index}: action {event['action']}" in error
    assert "is illegal" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "{}/nothing"], "cannot be read"),
        (["record", "gacha", "-o", "{}/no/folder"], "there is no folder"),
        (["record", "gacha", "-o", "{}/x", "--policy", "wise"], "no agent 'wise'"),
        (["record", "gacha", "-o", "{}/x", "--players", "9"], "players=9"),
        (["evaluate", "gacha", "--agents", "random", "greedy", "--json", "{}/a/b"], "no folder"),
    ],
)
def test_refusals_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main([argument.format(tmp_path) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_games_must_be_a_positive_number(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["record", "gacha", "-o", "x", "--games", "0"])
    assert "0 is not a positive number" in capsys.readouterr().err
