"""`tefuda record` and `tefuda replay`."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tefuda.envs import GAMES, Game, make_vec
from tefuda.envs.core.registry import find_game
from tefuda.training import records as module
from tefuda.training.agents import RandomAgent
from tefuda.training.cli import main
from tefuda.training.records import record_games, replay_file

pytestmark = pytest.mark.wheel

#: Every game with every baseline that it has.
PLAYED = [
    (game, policy)
    for game in GAMES
    for policy in ("random", "greedy")
    if policy == "random" or find_game(game).greedy
]


def recorded(file: Path, *more: str, game: str = "gacha") -> list[dict[str, Any]]:
    assert main(["record", game, "--games", "3", "--seed", "4", "-o", str(file), *more]) == 0
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# ==================================================================== record


@pytest.mark.parametrize(("game", "policy"), PLAYED)
def test_records_are_games_that_the_second_implementation_accepts(
    tmp_path: Path, game: str, policy: str
) -> None:
    name = find_game(game).name
    oracle = import_module(f"oracles.{name}")
    records = recorded(tmp_path / "games.jsonl", "--policy", policy, game=name)
    assert [record["seed"] for record in records] == [[4, number, 0] for number in range(3)]
    for record in records:
        oracle.judge(record)
        assert record["env"] == game
        assert record["winners"] is not None
        assert Game.from_record(record).record() == record


def test_options_are_those_of_the_game(tmp_path: Path) -> None:
    more = ("--players", "3", "--option", "scoring=vp", "--option", "rounds=2")
    for record in recorded(tmp_path / "games.jsonl", *more):
        assert record["players"] == 3
        assert (record["options"]["scoring"], record["options"]["rounds"]) == ("vp", 2)


def test_the_same_command_writes_the_same_file(tmp_path: Path) -> None:
    assert recorded(tmp_path / "one") == recorded(tmp_path / "again")
    assert recorded(tmp_path / "one") != recorded(tmp_path / "greedy", "--policy", "greedy")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "again", "greedy"}


def test_a_game_does_not_depend_on_what_is_played_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Neither on the portions, nor on how the tables of a batch keep their actions.
    whole = recorded(tmp_path / "whole")
    monkeypatch.setattr(module, "_PORTION", 2)
    assert recorded(tmp_path / "portions") == whole
    tables = make_vec("gacha", tables=3, seed=4, autoreset=False, keep_actions=True)
    agent, rows = RandomAgent(0), [0, 1, 2]
    while rows:
        tables.step(agent.act(tables, module.np.array(rows)), rows)
        rows = [row for row in rows if not tables.done[row]]
    assert [tables.record(row) for row in range(3)] == whole


def test_interrupted_it_leaves_nothing_behind(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record_games(
            RandomAgent(), "gacha", games=3, seed=1, file=tmp_path / "x", on_game=interrupt
        )
    assert list(tmp_path.iterdir()) == []


# ==================================================================== replay


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


def stepped(file: Path, *answers: str) -> None:
    """Replays a file with these answers, all of which are asked for."""
    left = list(answers)

    def ask(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    replay_file(file, ask)
    assert not left


@pytest.mark.parametrize("last", [("q",), ()])  # the end of the input means to quit
def test_replay_steps_as_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: tuple[str, ...]
) -> None:
    file = tmp_path / "games.jsonl"
    recorded(file)
    stepped(file, "", "", "N", "", "what?", *last)
    out = capsys.readouterr().out
    assert "game 2 of" in out
    assert "game 3 of" not in out


def test_replay_goes_on_to_the_next_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    recorded(file)
    stepped(file, "s", "s", "q")
    assert capsys.readouterr().out.count("round: points") == 2


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
    event["action"] = 0
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert main(["replay", str(file)]) == 2
    captured = capsys.readouterr()
    assert "game 1 of" in captured.out
    assert "game 2 of" not in captured.out
    assert f"record 2: event {index}: action 0 of seat {event['seat']} is illegal" in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no record"),
        (b"no json", "line 1: not JSON"),
        (b"[]\n", "record 1: a record is an object"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_files_that_are_no_records_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(content)
    assert main(["replay", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert str(file) in error


def test_nobody_needs_to_read_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    recorded(file)
    command = [sys.executable, "-c", "import sys; from tefuda.training.cli import main; "]
    command[-1] += f"sys.exit(main(['replay', {str(file)!r}]))"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


# ==================================================================== refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "{}/nothing"], "cannot be read"),
        (["record", "gacha", "-o", "{}/no/folder"], "there is no folder"),
        (["record", "gacha", "-o", "{}"], "it is a folder"),
        (["record", "gacha", "-o", "{}/x", "--policy", "wise"], "no agent 'wise'"),
        (["record", "gacha", "-o", "{}/x", "--players", "9"], "players=9"),
        (["record", "gacha", "-o", "{}/x", "--seed", "-1"], "seed=-1"),
        (["record", "chess", "-o", "{}/x"], "game 'chess' is not known"),
        (["record", "gacha", "-o", "{}/x", "--option", "a=1"], "unknown option 'a'"),
        (["record", "gacha", "-o", "{}/x", "--option", "scoring"], "not of the form NAME=VALUE"),
        (
            ["record", "gacha", "-o", "{}/x", "--players", "3", "--option", "players=4"],
            "players is given twice",
        ),
        (["evaluate", "gacha", "--agents", "random", "greedy", "--json", "{}/a/b"], "no folder"),
    ],
)
def test_refusals_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    if arguments[0] == "evaluate":
        pytest.importorskip("rich")
    assert main([argument.format(tmp_path) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--games", "0", "'0' is not a positive number"),
        ("--games", "many", "'many' is not an integer"),
        ("--seed", "x", "'x' is not an integer"),
        ("--players", "2.5", "'2.5' is not an integer"),
    ],
)
def test_numbers_are_checked_by_name(
    capsys: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["record", "gacha", "-o", "x", option, value])
    assert refused.value.code == 2
    assert f"argument {option}: {message}" in capsys.readouterr().err
