"""Fixtures that several test files use."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def tiny_game() -> Iterator[str]:
    """Registers the tiny game of the tests for the time of a test; gives its name."""
    from helpers import tiny
    from tefuda.envs.core import registry

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry._GAMES, tiny.GAME.id, tiny.GAME)
        yield tiny.GAME.id


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in the end when the tests in a real browser were left out."""
    skipped = [one for one in terminalreporter.getreports("skipped") if "browser" in one.keywords]
    if skipped:
        terminalreporter.write_line("The browser tests did not run: there is no chromium.")
