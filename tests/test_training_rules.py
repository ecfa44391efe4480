"""`tefuda rules`."""

import sys

import pytest

from tefuda.envs import GAMES
from tefuda.envs.core.page import page
from tefuda.envs.core.registry import find_game
from tefuda.training.cli import main

pytestmark = pytest.mark.wheel


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game = find_game(name)
    assert main(["rules", game.name]) == 0
    printed = capsys.readouterr().out
    assert printed == page(game)
    for heading in ("## Options", "## Actions", "## Chance", "## Observations"):
        assert heading in printed


def test_in_a_terminal_it_is_laid_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["rules", "gacha"]) == 0
    printed = capsys.readouterr().out
    assert "GachaGacha" in printed
    assert "## " not in printed


def test_an_unknown_game_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "chess"]) == 2
    assert "chess" in capsys.readouterr().err
