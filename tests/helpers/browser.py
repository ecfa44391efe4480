"""A real browser, and servers that it can visit."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from starlette.applications import Starlette

from tefuda.wrappers.web.server import listen

#: Where Chromium is, if not on the path; "required" lets tests fail that find none.
VARIABLE = "TEFUDA_CHROMIUM"
REQUIRED = "required"

# No display, no sandbox (a container's root has none), nothing fetched in the background.
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Patience: on a busy machine, and for kernels that are compiled when they are first called.
_SECONDS = 90
expect.set_options(timeout=1000 * _SECONDS)


def find_chromium() -> str | None:
    """Chromium's program, if this machine has one."""
    told = os.environ.get(VARIABLE, "")
    if told not in ("", REQUIRED):
        return told
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def chromium() -> Generator[Browser, None, None]:
    """Chromium with a profile of its own, which nobody sees."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), headless=True, args=list(_FLAGS)
        )
        yield browser
        browser.close()


@contextmanager
def running(make: Callable[[], Starlette], port: int = 0) -> Generator[str, None, None]:
    """Runs a server; gives its address."""
    listening = listen("127.0.0.1", port)
    config = uvicorn.Config(
        make(), log_level="error", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        deadline = time.monotonic() + _SECONDS
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_SECONDS)
        listening.close()


class Visit:
    """A page, what went wrong on it, and what it was sent.

    Attributes:
        page: The page.
        errors: Messages of errors in its scripts, and of what it was not allowed to load.
        traffic: The texts that came over its sockets.
        asked: The addresses that it asked for.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.traffic: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(1000 * _SECONDS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on(
            "websocket",
            lambda opened: opened.on(
                "framereceived", lambda payload: self.traffic.append(str(payload))
            ),
        )

    def _note(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.errors.append(said.text)

    # ---------------------------------------------------------------- at a table

    def sit(self, lobby: str, seat: int) -> None:
        """Opens the table's page and sits down."""
        self.page.goto(lobby)
        self.page.get_by_role("button", name=f"Sit at seat {seat}").click()
        self.page.locator("body[data-turn]").wait_for()

    @property
    def turn(self) -> str | None:
        """Which decision the page shows."""
        return self.page.get_attribute("body", "data-turn")

    def wait_for_turn(self) -> bool:
        """Waits until a person is to act; false once the game is over."""
        self.page.locator("#turn.yours, #turn.over").wait_for()
        return self.page.locator("#turn.over").count() == 0

    def wait_past(self, turn: str | None) -> None:
        """Waits until the page shows another decision."""
        self.page.locator(f"body:not([data-turn='{turn}'])").wait_for(state="attached")

    def choose(self, which: int = 0) -> None:
        """Clicks one of the things on the board that stand for an action."""
        turn = self.turn
        choices = self.page.locator("#board [data-action]")
        choices.nth(which % choices.count()).click()
        self.wait_past(turn)
