"""`tefuda play GAME --terminal`: whole games by typed answers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tefuda.envs import GAMES
from tefuda.training.cli import main
from tefuda.wrappers.web.table import Table
from tefuda.wrappers.web.terminal import Terminal
from test_play_table import table_of


class Person:
    """Types answers, and reads what is shown."""

    def __init__(self, answers: Iterator[str] | Callable[[], str]) -> None:
        self.answers = answers
        self.shown: list[str] = []
        self.prompts: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if callable(self.answers):
            return self.answers()
        try:
            return next(self.answers)
        except StopIteration:
            raise EOFError from None

    def tell(self, text: str) -> None:
        self.shown.append(text)


def typed(table: Table, *answers: str, colour: bool = False) -> Person:
    person = Person(iter(answers))
    Terminal(table, 0, person.ask, person.tell, colour=colour).play()
    return person


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_numbers(name: str) -> None:
    table = table_of(name)

    def first() -> str:
        if table.acting is None:
            return "q"
        game = table.game
        many = len(game.legal_actions()) > 24
        return game.label(game.legal_actions()[0]) if many else "1"

    person = Person(first)
    Terminal(table, 0, person.ask, person.tell, colour=False).play()
    assert table.acting is None
    text = "\n".join(person.shown)
    assert "The game is over: " in text
    assert "\x1b" not in text


def test_colours_are_written_where_they_are_shown() -> None:
    assert any("\x1b[" in text for text in typed(table_of(), colour=True).shown)


def test_a_placement_is_named_by_its_three_numbers() -> None:
    table = table_of("quatre_v0")
    person = typed(table, "0 3 90", "99 99 99", "0")
    assert table.turn >= 2
    assert any("Type the numbers of one: " in text for text in person.shown)
    assert any("0 3 90" in text or "row 0, column 3, turned 90" in text for text in person.shown)
    assert "'99 99 99' are the numbers of no action that is legal now" in person.shown
    assert any(text.startswith("0 is not one of 1 .. ") for text in person.shown)


def test_answers_that_mean_nothing_change_nothing() -> None:
    table = table_of()
    typed(table)
    turn = table.turn
    table = table_of()
    person = typed(table, "0", "99", "hello", "u", "n x", "n 1 2", "")
    assert table.turn == turn
    text = "\n".join(person.shown)
    for part in (
        "0 is not one of 1 .. ",
        "99 is not one of 1 .. ",
        "'hello' names no action",
        "nothing can be taken back: you have decided nothing yet",
        "'n x': a seed is a number",
        "'n 1 2': a seed is a number",
    ):
        assert part in text


def test_undo_hint_and_new_game() -> None:
    table = table_of()
    person = typed(table, "h", "1", "u", "n 5", "h")
    assert table.game.key == (5, 0, 0)
    assert person.shown.count("greedy would:") == 2


def test_the_command_plays_and_says_where_the_game_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["1", "1", "q"])
    arguments = ["play", "gacha", "--terminal", "--seed", "2", "--records", str(tmp_path)]
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main([*arguments, "--agents", "random", "greedy"]) == 0
    (file,) = tmp_path.iterdir()
    assert f"The game is in {file}." in capsys.readouterr().out
    answers = iter(["q"])
    assert main(["play", "gacha", "--terminal", "--resume", str(file)]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gacha", "--agents", "nobody"], "there is no agent 'nobody'"),
        (["gacha", "--terminal", "--seat", "9"], "seat 9 is not one of 0 .. 3"),
        (["gacha", "--people", "9"], "people=9 is not allowed"),
        (["gacha", "--agents", "policy:nowhere"], "there is no model at nowhere"),
        (["gacha", "--hints", "policy:nowhere"], "there is no model at nowhere"),
        (["gacha", "--resume", "nowhere"], "nowhere cannot be read"),
        (["chess"], "chess"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_broken_record_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.jsonl"
    reasons = {"{": "not JSON", "": "holds 0 records", "{}": "'format' is missing"}
    for text, message in reasons.items():
        broken.write_text(text, encoding="utf-8")
        assert main(["play", "gacha", "--resume", str(broken)]) == 2
        assert message in capsys.readouterr().err
