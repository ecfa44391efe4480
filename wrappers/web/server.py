"""The servers of the pages: the table that is played at, and the replay viewer."""

import asyncio
import contextlib
import json
import os
import re
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tefuda.envs.core.errors import OptionError, RecordError, TefudaError
from tefuda.envs.core.record import RecordData
from tefuda.wrappers.web.picture import picture
from tefuda.wrappers.web.replay import Replay, page, static
from tefuda.wrappers.web.table import Table, TableError, TokenError

_TOKEN_BYTES = 24
#: Why a browser was turned away: its token belongs to no seat.
UNKNOWN_SEAT = 4404
# Pages show nothing from elsewhere, send their addresses nowhere, and are not kept.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_NO_PAGE = (
    "There is no such table or seat. Use the address that 'tefuda play' has written; a seat that "
    "was given up has no address any more."
)
_LAST_PORT = 65535
# Messages longer than this are no moves.
_LONGEST_MESSAGE = 1000

_Message = dict[str, Any]


# ==================================================================== the table


@dataclass(eq=False)
class _Browser:
    """A connected browser: its seat, and how much of the story it has."""

    socket: WebSocket
    token: str
    told: list[list[str]] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class TableServer:
    """Lets browsers play at a table.

    Args:
        table: The table.
        pace: How many seconds an agent waits before it plays.

    Attributes:
        token: Opens the page where people sit down.
    """

    def __init__(self, table: Table, pace: float = 0.0) -> None:
        self.table = table
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._pace = pace
        self._browsers: set[_Browser] = set()
        self._driver: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """The path of the page where people sit down."""
        return f"/table/{self.token}"

    def app(self, started: Callable[[], None] = lambda: None) -> Starlette:
        """The application.

        Args:
            started: Told once it runs.
        """

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
            self._drive()  # a table without people plays by itself
            started()
            yield
            if self._driver is not None:
                self._driver.cancel()

        routes = [
            Route("/", _nothing_here),
            Route("/table/{token}", self._lobby),
            Route("/table/{token}/standing", self._standing),
            Route("/table/{token}/seats/{seat:int}", self._claim, methods=["POST"]),
            Route("/seat/{token}", self._seat),
            WebSocketRoute("/seat/{token}/socket", self._connect),
        ]
        return Starlette(routes=routes, lifespan=lifespan)

    # ---------------------------------------------------------------- pages

    async def _lobby(self, request: Request) -> Response:
        if not self._is_table(request):
            return _nothing_here(request)
        return _page("lobby.html", "lobby.js", self.address)

    async def _standing(self, request: Request) -> Response:
        if not self._is_table(request):
            return _nothing_here(request)
        return JSONResponse(self.table.standing(), headers=_HEADERS)

    async def _claim(self, request: Request) -> Response:
        """A person sits down; the answer is the address of its seat, told to nobody else."""
        if not self._is_table(request):
            return _nothing_here(request)
        try:
            token = self.table.claim(request.path_params["seat"])
        except TableError as error:
            return PlainTextResponse(str(error), 409, headers=_HEADERS)
        await self._changed()
        return JSONResponse({"address": f"/seat/{token}"}, headers=_HEADERS)

    async def _seat(self, request: Request) -> Response:
        try:
            self.table.seat_of(request.path_params["token"])
        except TokenError:
            return _nothing_here(request)
        return _page("table.html", "table.js", self.address)

    def _is_table(self, request: Request) -> bool:
        given = str(request.path_params["token"])
        return secrets.compare_digest(given.encode(), self.token.encode())

    # ---------------------------------------------------------------- connections

    async def _connect(self, socket: WebSocket) -> None:
        """Serves a browser until it goes away."""
        await socket.accept()
        browser = _Browser(socket, str(socket.path_params["token"]))
        try:
            chair = self.table.chairs[self.table.seat_of(browser.token)]
        except TokenError as error:
            await socket.close(UNKNOWN_SEAT, str(error))
            return
        self._browsers.add(browser)
        chair.connections += 1
        try:
            await self._changed()
            while True:
                await self._answer(browser, await socket.receive_text())
        except WebSocketDisconnect:
            pass
        finally:
            self._browsers.discard(browser)
            chair.connections -= 1
            await self._broadcast()

    async def _answer(self, browser: _Browser, text: str) -> None:
        """Does what a browser asks; what is refused is told to it alone."""
        try:
            seat = self.table.seat_of(browser.token)
            message = _read(text)
            await _REQUESTS[message["do"]](self, browser, seat, message)
        except TokenError as error:
            await browser.socket.close(UNKNOWN_SEAT, str(error))
            raise WebSocketDisconnect(UNKNOWN_SEAT) from error
        except (TefudaError, OSError) as error:
            await self._send(browser, {"kind": "refused", "message": str(error)})
            await self._show(browser)

    async def _act(self, browser: _Browser, seat: int, message: _Message) -> None:
        self.table.act(seat, _whole(message, "action"), _whole(message, "turn"))
        await self._changed()

    async def _undo(self, browser: _Browser, seat: int, message: _Message) -> None:
        self.table.undo(seat)
        await self._changed()

    async def _hint(self, browser: _Browser, seat: int, message: _Message) -> None:
        question = self.table.hint_question(seat)
        hints = await asyncio.to_thread(self.table.hints, question)
        told = [hint._asdict() for hint in hints]
        answer = {"kind": "hints", "turn": question.turn, "by": self.table.adviser, "hints": told}
        await self._send(browser, answer)

    async def _begin(self, browser: _Browser, seat: int, message: _Message) -> None:
        self.table.begin(_seed(message))
        await self._changed()

    async def _leave(self, browser: _Browser, seat: int, message: _Message) -> None:
        self.table.release(browser.token)
        await self._changed()
        raise TokenError("you have left the table")

    # ---------------------------------------------------------------- telling

    async def _changed(self) -> None:
        await self._broadcast()
        self._drive()

    async def _broadcast(self) -> None:
        for browser in list(self._browsers):
            await self._show(browser)

    async def _show(self, browser: _Browser) -> None:
        """Sends a browser what its seat sees; of the story only what is new."""
        async with browser.lock:  # an older view must not overtake a newer one
            try:
                seat = self.table.seat_of(browser.token)
            except TokenError:
                return  # it has been told, or will be when it asks for something
            await self._send(browser, self._state(browser, seat))

    def _state(self, browser: _Browser, seat: int) -> _Message:
        shown = self.table.snapshot(seat)
        story = shown.pop("log")
        kept = _common(browser.told, story)
        browser.told = story
        return {
            "kind": "state",
            **shown,
            "picture": picture(self.table.game, seat),
            "log": {"from": kept, "lines": story[kept:]},
        }

    async def _send(self, browser: _Browser, message: _Message) -> None:
        # A browser that has gone is noticed by who reads from it.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await browser.socket.send_text(json.dumps(message, ensure_ascii=False))

    # ---------------------------------------------------------------- agents

    def _drive(self) -> None:
        """Sees that agents play when it is their turn."""
        if self.table.agent_acts and (self._driver is None or self._driver.done()):
            self._driver = asyncio.get_running_loop().create_task(self._let_agents_play())

    async def _let_agents_play(self) -> None:
        while self.table.agent_acts:
            try:
                thought = await asyncio.to_thread(self.table.think, self.table.question())
            except Exception as error:  # an agent of somebody's own may raise anything
                await self._tell_all(f"the agent of seat {self.table.acting} has failed: {error!r}")
                return
            await asyncio.sleep(self._pace)
            try:
                if self.table.accept(thought):
                    await self._broadcast()
            except OSError as error:
                await self._tell_all(f"the game cannot be written: {error}")
                await self._broadcast()

    async def _tell_all(self, message: str) -> None:
        for browser in list(self._browsers):
            await self._send(browser, {"kind": "refused", "message": message})


_REQUESTS: Mapping[str, Callable[[TableServer, _Browser, int, _Message], Awaitable[None]]] = {
    "act": TableServer._act,
    "undo": TableServer._undo,
    "hint": TableServer._hint,
    "new": TableServer._begin,
    "leave": TableServer._leave,
}


def _read(text: str) -> _Message:
    """A browser's request.

    Raises:
        TableError: It is none.
    """
    try:
        message = json.loads(text) if len(text) <= _LONGEST_MESSAGE else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or str(message.get("do")) not in _REQUESTS:
        raise TableError(f"a request is an object whose 'do' is one of {', '.join(_REQUESTS)}")
    return message


def _whole(message: _Message, name: str) -> int:
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TableError(f"{name} must be an integer, not {value!r}")
    return value


def _seed(message: _Message) -> int | None:
    """The seed of a new game, written as a text, for browsers round large numbers."""
    seed = message.get("seed")
    if seed is None:
        return None
    if not isinstance(seed, str) or not re.fullmatch(r"\d{1,20}", seed, re.ASCII):
        raise TableError(f"seed must be a text of digits, or null for a fresh deal, not {seed!r}")
    return int(seed)


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many elements two lists share from the beginning on."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _page(name: str, script: str, table: str) -> Response:
    text = static(name)
    for mark, content in (("style", static("style.css")), ("script", static(script))):
        text = text.replace(f"/*{mark}*/", content)
    return HTMLResponse(text.replace("/*table*/", table), headers=_HEADERS)


def _nothing_here(_: Request) -> Response:
    return PlainTextResponse(_NO_PAGE, 404, headers=_HEADERS)


# ==================================================================== the replay viewer


def viewer_app(
    records: Sequence[RecordData], started: Callable[[], None] = lambda: None
) -> Starlette:
    """The viewer's application; a game is judged when it is first looked at.

    Args:
        records: The games.
        started: Told once it runs.
    """
    replays: dict[int, Replay] = {}

    def replay(request: Request) -> Replay:
        number = request.path_params["game"]
        if number >= len(records):
            raise RecordError(f"game {number} is not one of 0 .. {len(records) - 1}")
        if number not in replays:
            try:
                replays[number] = Replay(records[number])
            except RecordError as error:
                raise RecordError(f"record {number + 1}: {error}") from error
        return replays[number]

    def viewer(_: Request) -> Response:
        return HTMLResponse(page(), headers=_HEADERS)

    def titles(_: Request) -> Response:
        return JSONResponse([_title(record) for record in records], headers=_HEADERS)

    def game(request: Request) -> Response:
        return _or_refusal(lambda: JSONResponse(replay(request).describe(), headers=_HEADERS))

    def frame(request: Request) -> Response:
        at, eyes = request.path_params["frame"], request.path_params["eyes"]
        return _or_refusal(
            lambda: PlainTextResponse(replay(request).picture(at, eyes), headers=_HEADERS)
        )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None, None]:
        started()
        yield

    routes = [
        Route("/", viewer),
        Route("/games", titles),
        Route("/games/{game:int}", game),
        Route("/games/{game:int}/{frame:int}/{eyes}", frame),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _title(record: RecordData) -> str:
    """A record in a line, not yet judged."""
    if not isinstance(record, dict):
        return "no record"
    return f"{record.get('env')}, {record.get('players')} players"


def _or_refusal(answer: Callable[[], Response]) -> Response:
    try:
        return answer()
    except (RecordError, OptionError) as error:
        return PlainTextResponse(str(error), 422, headers=_HEADERS)


# ==================================================================== running


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    Raises:
        OptionError: The address does not exist, or the port is in use.
    """
    if not 0 <= port <= _LAST_PORT:
        raise OptionError(f"port={port} is not allowed; it must be 0 (a free one) .. {_LAST_PORT}")
    try:
        kind = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=kind, reuse_port=False)
    except OSError as error:
        raise OptionError(
            f"cannot listen at {host}, port {port}: {error}; --port 0 takes a free port"
        ) from error


# An address must be seen at once, also where output is a pipe.
_print = partial(print, flush=True)


def serve(
    make: Callable[[Callable[[], None]], Starlette],
    listening: socket.socket,
    path: str,
    *,
    browse: bool,
    tell: Callable[[str], None] = _print,
) -> None:
    """Serves an application until Ctrl-C.

    Args:
        make: Makes it; gets what it is to call once it runs.
        listening: Where it listens.
        path: The page that is opened.
        browse: Whether to open it in a browser, where there is a display.
        tell: Shows a person a text.
    """
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}{path}"

    def started() -> None:
        tell(f"Open {url}\nCtrl-C ends it.")
        if browse and _has_display():
            webbrowser.open(url)

    config = uvicorn.Config(
        make(started), log_level="warning", ws="websockets-sansio", timeout_graceful_shutdown=1
    )
    uvicorn.Server(config).run(sockets=[listening])


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
