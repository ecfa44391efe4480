"""The table's and the viewer's servers, spoken to as a browser does."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from tefuda.envs import GAMES, Game
from tefuda.envs.core.errors import OptionError
from tefuda.training.cli import main
from tefuda.wrappers.web.server import TableServer, listen, viewer_app
from tefuda.wrappers.web.table import Table
from test_play_table import table_of, the_record

Message = dict[str, Any]


class Browser:
    """A browser at a seat: its connection, all that it was sent, and the latest state."""

    def __init__(self, session: WebSocketTestSession) -> None:
        self.session = session
        self.traffic: list[str] = []
        self.state: Message = {}
        self.story: list[list[str]] = []

    def hear(self) -> Message:
        text = self.session.receive_text()
        self.traffic.append(text)
        message: Message = json.loads(text)
        if message["kind"] == "state":
            self.state = message
            log = message["log"]
            self.story = self.story[: log["from"]] + log["lines"]
        return message

    def ask(self, **message: Any) -> None:
        self.session.send_text(json.dumps(message))

    def wait_for(self, kind: str) -> Message:
        while True:
            message = self.hear()
            if message["kind"] == kind:
                return message

    def wait_for_turn(self) -> Message | None:
        """Waits until this seat is to act; None once the game is over."""
        while True:
            if self.state and self.state["view"]["winners"] is not None:
                return None
            if self.state and self.state["view"]["legal"]:
                return self.state
            self.hear()

    def act(self, action: int | None = None) -> None:
        """Sends a decision, the first legal one by default, and hears what came of it."""
        legal = self.state["view"]["legal"]
        chosen = legal[0]["action"] if action is None else action
        turn = self.state["turn"]
        self.ask(do="act", action=chosen, turn=turn)
        while self.state["turn"] == turn and self.hear()["kind"] != "refused":
            pass


@contextmanager
def served(table: Table) -> Generator[tuple[TestClient, TableServer], None, None]:
    server = TableServer(table)
    with TestClient(server.app()) as client:
        yield client, server


def sit(client: TestClient, server: TableServer, seat: int) -> str:
    """The address of a seat that a person has claimed."""
    answer = client.post(f"{server.address}/seats/{seat}")
    assert answer.status_code == 200
    address: str = answer.json()["address"]
    return address


@contextmanager
def connected(client: TestClient, address: str) -> Generator[Browser, None, None]:
    with client.websocket_connect(f"{address}/socket") as session:
        browser = Browser(session)
        browser.wait_for("state")
        yield browser


# ==================================================================== pages and tokens


def test_pages_open_with_their_tokens_alone() -> None:
    with served(table_of()) as (client, server):
        page = client.get(server.address)
        assert page.status_code == 200 and "Sit down" in page.text
        assert client.get(f"{server.address}/standing").json()["game"] == "gacha"
        address = sit(client, server, 1)
        assert client.get(address).status_code == 200
        for forged in ("/", "/table/x", "/seat/x", f"{address}x", "/table/x/standing"):
            answer = client.get(forged)
            assert answer.status_code == 404 and "There is no such table or seat" in answer.text
        assert client.post("/table/x/seats/0").status_code == 404


def test_pages_ask_for_nothing_from_elsewhere() -> None:
    with served(table_of()) as (client, server):
        for address in (server.address, sit(client, server, 0)):
            page = client.get(address)
            assert re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", page.text) == []
            assert "/*" not in page.text.split("<script>")[0]
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert page.headers["referrer-policy"] == "no-referrer"
            assert page.headers["cache-control"] == "no-store"


def test_a_seat_is_taken_once() -> None:
    with served(table_of()) as (client, server):
        sit(client, server, 0)
        again = client.post(f"{server.address}/seats/0")
        assert again.status_code == 409 and "somebody sits at seat 0" in again.text
        assert client.post(f"{server.address}/seats/7").status_code == 409
        standing = client.get(f"{server.address}/standing").json()
        assert [chair["who"] for chair in standing["chairs"]] == ["person", "agent", "agent"]


@pytest.mark.parametrize("forged", ["x", "%00", "a" * 500])
def test_a_forged_token_is_turned_away(forged: str) -> None:
    table = table_of()
    with served(table) as (client, server):
        sit(client, server, 0)
        with (
            client.websocket_connect(f"/seat/{forged}/socket") as session,
            pytest.raises(WebSocketDisconnect) as closed,
        ):
            session.receive_text()
        assert closed.value.code == 4404
    assert table.turn == 0 or table.acting == 0


# ==================================================================== playing


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_with_a_record_after_every_move(name: str, tmp_path: Path) -> None:
    table = table_of(name, records=tmp_path)
    with served(table) as (client, server):
        address = sit(client, server, 0)
        with connected(client, address) as browser:
            while browser.wait_for_turn():
                browser.act()
                Game.from_record(the_record(tmp_path))
            assert browser.state["view"]["winners"] == table.game.winners
            assert browser.state["seed"] == "3"
            assert "The game is over: " in browser.story[-1][1]
            assert browser.story == [[line.kind, line.text] for line in table.chronicle.lines(0)]
    record = the_record(tmp_path)
    assert record["winners"] is not None and not list(tmp_path.glob(".*"))


def test_moves_that_do_not_fit_are_refused_and_change_nothing() -> None:
    table = table_of(people=2)
    with served(table) as (client, server):
        addresses = [sit(client, server, seat) for seat in (0, 1)]
        with connected(client, addresses[0]) as one, connected(client, addresses[1]) as other:
            one.wait_for_turn()
            turn, values = table.turn, table.game.values
            legal = table.game.legal_actions()
            refused = {
                "'do' is one of": ("nonsense", "[]", '{"do": "fly"}', '{"do": ["act"]}', "[" * 900),
                "action must be an integer": ('{"do": "act", "action": "1", "turn": 0}',),
                "turn must be an integer": (f'{{"do": "act", "action": {legal[0]}}}',),
                "it was not played": (f'{{"do": "act", "action": {legal[0]}, "turn": 99}}',),
                "is not one of 0 .. 119": (f'{{"do": "act", "action": 999, "turn": {turn}}}',),
                "is illegal": (f'{{"do": "act", "action": 119, "turn": {turn}}}',),
                "other people sit": ('{"do": "undo"}',),
                "seed must be a text of digits": (
                    '{"do": "new", "seed": "x"}',
                    '{"do": "new", "seed": -1}',
                    '{"do": "new", "seed": "-1"}',
                ),
                f"seed={10**20 - 1}": (f'{{"do": "new", "seed": "{10**20 - 1}"}}',),
            }
            for message, texts in refused.items():
                for text in texts:
                    one.session.send_text(text)
                    assert message in one.wait_for("refused")["message"]
            other.ask(do="act", action=legal[0], turn=turn)
            assert "seat 0 is to act, not seat 1" in other.wait_for("refused")["message"]
            assert (table.turn, table.game.values) == (turn, values)
            one.act()
            one.ask(do="act", action=legal[0], turn=turn)
            assert "it was not played" in one.wait_for("refused")["message"]
            assert table.turn == turn + 1


def test_undo_hint_new_game_and_leaving() -> None:
    table = table_of()
    with served(table) as (client, server):
        address = sit(client, server, 0)
        with connected(client, address) as browser:
            browser.wait_for_turn()
            first = browser.state["turn"]
            browser.ask(do="hint")
            hints = browser.wait_for("hints")
            assert hints["by"] == "greedy" and hints["turn"] == first
            story = list(browser.story)
            browser.act(hints["hints"][0]["action"])
            browser.wait_for_turn()
            browser.ask(do="undo")
            while browser.state["turn"] != first:
                browser.hear()
            assert browser.story == story
            browser.ask(do="new", seed="12")
            while table.game.key != (12, 0, 0):
                browser.hear()
            browser.wait_for_turn()
            browser.ask(do="leave")
            with pytest.raises(WebSocketDisconnect) as closed:
                browser.wait_for("never")
            assert closed.value.code == 4404
        assert client.get(address).status_code == 404


def test_a_lost_connection_comes_back_to_the_same_seat() -> None:
    table = table_of()
    with served(table) as (client, server):
        address = sit(client, server, 2)
        with connected(client, address) as browser:
            browser.wait_for_turn()
            browser.act()
            browser.wait_for_turn()
            before = browser.state
        assert [chair.connections for chair in table.chairs] == [0, 0, 0]
        with connected(client, address) as browser:
            assert browser.state["seat"] == 2
            assert browser.state["turn"] == before["turn"]
            assert browser.state["view"] == before["view"]
            assert browser.story[-1] == [*table.chronicle.lines(2)[-1][1:]]


def test_a_file_that_cannot_be_written_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.write_text("a file in the way", encoding="utf-8")
    table = table_of(records=folder, people=1)
    with served(table) as (client, server):
        address = sit(client, server, 0)
        with connected(client, address) as browser:
            browser.wait_for_turn()
            turn = table.turn
            browser.act()
            assert table.turn > turn
            assert any("games" in text and "refused" in text for text in browser.traffic)


# ==================================================================== secrets

_CARD = re.compile(r"\b(\d{1,2}) (red|blue|yellow|green|purple|black)\b")


def test_all_traffic_of_a_seat_names_no_card_that_it_has_not_seen() -> None:
    table = table_of("gacha_v0")
    with served(table) as (client, server):
        address = sit(client, server, 0)
        with connected(client, address) as browser:
            hidden = 0
            seen: set[int] = set()
            while browser.wait_for_turn():
                seen |= seen_cards(table.game, 0)
                named = named_cards(browser.traffic)
                assert named <= seen
                assert len(named) >= 10
                hidden += len(_all_cards(table.game) - seen)
                browser.act()
            assert hidden > 100


def named_cards(traffic: list[str]) -> set[int]:
    """The numbers of all cards that messages name, in words or in the view."""
    cards = set()
    for text in traffic:
        cards |= {int(number) for number, _ in _CARD.findall(text)}
        cards |= {int(number) for number in re.findall(r'"number": (\d+)', text)}
    return cards


def seen_cards(game: Game, seat: int) -> set[int]:
    """The numbers of the cards that a seat has seen."""
    seen = set()
    for event in game.information_state(seat):
        if event.value is None:
            continue
        if event.name in ("deal", "stock", "tie_draw"):
            seen.add(event.value)
        elif event.name in ("play", "return"):
            seen.add(event.value % 55 + 1)
    hand = int(game.state["hand"][seat])  # drawn from what was returned, without an event
    return seen | {card + 1 for card in range(55) if hand >> card & 1}


def _all_cards(game: Game) -> set[int]:
    return set(range(1, int(game.engine.setup.parts[0]["cards"]) + 1))


# ==================================================================== the viewer


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    options = ["--games", "2", "--seed", "1", "--players", "3", "--policy", "greedy"]
    assert main(["record", "torutorento", *options, "--option", "target=8", "-o", str(file)]) == 0
    return file


def read(file: Path) -> list[Message]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_viewer_shows_every_moment_from_every_seat(records: Path) -> None:
    with TestClient(viewer_app(read(records))) as client:
        assert client.get("/").status_code == 200
        assert client.get("/games").json() == ["torutorento_v0, 3 players"] * 2
        game = client.get("/games/1").json()
        assert game["eyes"] == ["open", "0", "1", "2"]
        assert len(game["frames"]) == len(game["rounds"]) > 50
        assert "won by seat" in game["title"]
        first, last = 0, len(game["frames"]) - 1
        for eyes in game["eyes"]:
            pictures = [client.get(f"/games/1/{frame}/{eyes}").text for frame in (first, last)]
            assert pictures[0] != pictures[1]
        closed, shown = (client.get(f"/games/1/{first}/{eyes}").text for eyes in ("0", "open"))
        assert closed != shown


def test_the_viewer_refuses_in_a_sentence(records: Path) -> None:
    broken = {**read(records)[0], "winners": [2, 1]}
    with TestClient(viewer_app([*read(records), broken])) as client:
        for path, message in {
            "/games/9": "game 9 is not one of 0 .. 2",
            "/games/2": "record 3: winners is [2, 1]",
            "/games/0/99999/open": "frame 99999 is not one of",
            "/games/0/0/9": "eyes '9' are not one of open, 0, 1, 2",
        }.items():
            answer = client.get(path)
            assert answer.status_code == 422 and message in answer.text
        assert client.get("/games/0").status_code == 200


def test_a_file_of_one_game_holds_its_eyes_and_no_others(records: Path, tmp_path: Path) -> None:
    whole, closed = tmp_path / "whole.html", tmp_path / "closed.html"
    assert main(["watch", str(records), "-o", str(whole)]) == 0
    assert main(["watch", str(records), "--game", "2", "--eyes", "1", "-o", str(closed)]) == 0
    games = _unpacked(closed)
    assert len(games) == 1 and len(_unpacked(whole)) == 2
    assert set(games[0]["pictures"]) == set(games[0]["lines"]) == {"1"}
    assert set(_unpacked(whole)[0]["pictures"]) == {"open", "0", "1", "2"}
    with TestClient(viewer_app(read(records))) as client:
        for frame in (0, 7, len(games[0]["frames"]) - 1):
            tags = games[0]["pictures"]["1"][frame]
            picture = "".join(games[0]["tags"][tag] for tag in tags)
            assert picture == client.get(f"/games/1/{frame}/1").text


def _unpacked(file: Path) -> list[Message]:
    import base64
    import zlib

    text = file.read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    return [
        json.loads(zlib.decompress(base64.b64decode(game["deflated"])))
        for game in json.loads(data[1])
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["{records}", "--game", "3"], "--game 3: "),
        (["{records}", "--eyes", "1"], "--eyes belongs to -o"),
        (["{records}", "-o", "{folder}/x.html", "--eyes", "7"], "eyes '7' are not one of"),
        (["{records}", "-o", "{folder}"], "it is a folder"),
        (["{records}", "--host", "256.0.0.1"], "cannot listen at 256.0.0.1"),
        (["{records}", "--port", "99999"], "port=99999 is not allowed"),
    ],
)
def test_watch_refuses_in_a_sentence(
    arguments: list[str],
    message: str,
    records: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [part.format(records=records, folder=tmp_path) for part in arguments]
    assert main(["watch", *given]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.glob("*.html")) == []


def test_a_broken_record_is_refused_before_a_page_opens(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps({**read(records)[0], "winners": None}), encoding="utf-8")
    assert main(["watch", str(broken)]) == 2
    assert "record 1: winners is None" in capsys.readouterr().err
    output = tmp_path / "x.html"
    assert main(["watch", str(broken), "-o", str(output)]) == 2
    assert not output.exists()


def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=f"cannot listen at 127.0.0.1, port {port}"):
            listen("127.0.0.1", port)
        assert main(["play", "gacha", "--port", str(port)]) == 2
        assert f"port {port}" in capsys.readouterr().err


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; from tefuda.training.cli import main; main()"]
    arguments = ["play", "gacha", "--no-browser", "--records", str(tmp_path)]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            said = served.stdout.readline()
            opened = re.fullmatch(r"Open http://127\.0\.0\.1:(\d+)(/table/\S+)\n", said)
            assert opened is not None
            connection = HTTPConnection("127.0.0.1", int(opened[1]), timeout=20)
            connection.request("GET", opened[2])
            assert "Sit down" in connection.getresponse().read().decode()
            connection.close()
        finally:
            served.send_signal(signal.SIGINT)
    assert served.returncode is not None
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_fails_is_named_and_the_table_stays(tmp_path: Path) -> None:
    class Broken:
        name = "broken"
        calls = 0

        def act(self, tables: Any, rows: Any) -> Any:
            self.calls += 1
            if self.calls > 1:
                raise ZeroDivisionError("by design")
            return tables.action_mask[rows].argmax(axis=1)

    engine = table_of().engine
    table = Table(engine, [Broken()], seed=3, records=tmp_path)
    with served(table) as (client, server):
        with connected(client, sit(client, server, 0)) as browser:
            if browser.state["view"]["legal"]:
                browser.act()
            said = browser.wait_for("refused")["message"]
            assert re.fullmatch(r"the agent of seat \d has failed: .*by design.*", said)
        assert client.get(server.address).status_code == 200


def test_a_path_is_not_told_to_who_plays_along() -> None:
    table = table_of()
    table.chairs[1].agent.name = "policy:/home/somebody/runs/mine"
    assert table.standing()["chairs"][1]["name"] == "policy:mine"


def test_without_being_told_only_this_machine_is_listened_to() -> None:
    with listen("127.0.0.1", 0) as own:
        assert own.getsockname()[0] == "127.0.0.1"
        assert own.family == socket.AF_INET
