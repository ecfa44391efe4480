"""The pages in a real browser: games by clicking, several people, reload, lost connections."""

import io
import json
import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from helpers.browser import REQUIRED, VARIABLE, Visit, chromium, find_chromium, running
from tefuda.envs import GAMES, Game
from tefuda.training.cli import main
from tefuda.wrappers.web.replay import load
from tefuda.wrappers.web.server import TableServer, viewer_app
from test_play_server import named_cards, seen_cards
from test_play_table import table_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        find_chromium() is None and os.environ.get(VARIABLE) != REQUIRED,
        reason="there is no chromium",
    ),
]

#: Pictures of the pages for the docs, which the tests compare and, if told, renew.
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
RENEW = "TEFUDA_RENEW_PICTURES"
#: After how many clicks the picture of a game is taken.
SHOWN_AFTER = {"gacha_v0": 9, "quatre_v0": 6, "torutorento_v0": 9}
_WIDE = {"width": 1280, "height": 860}
# Fonts differ from machine to machine: pictures are compared as coarse grids of colours.
_GRID = (40, 27)
_ALIKE = 14.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@contextmanager
def visit(browser: Browser) -> Generator[Visit, None, None]:
    """A page of a person of its own; it must show no error and ask nobody else."""
    context = browser.new_context(viewport=_WIDE, reduced_motion="reduce")  # type: ignore[arg-type]
    visitor = Visit(context.new_page())
    yield visitor
    assert visitor.errors == []
    assert [url for url in visitor.asked if not url.startswith(("http://127.0.0.1", "data:"))] == []
    context.close()


@contextmanager
def seated(
    browser: Browser, name: str, **more: Any
) -> Generator[tuple[Visit, TableServer], None, None]:
    """A person at seat 0 of a table."""
    server = TableServer(table_of(name, **more))
    with running(server.app) as address, visit(browser) as visitor:
        visitor.sit(f"{address}{server.address}", 0)
        yield visitor, server


def assert_alike(shot: bytes, name: str) -> None:
    """Compares a picture loosely with the one in the docs, or renews that."""
    file = PICTURES / f"{name}.png"
    if os.environ.get(RENEW):
        image = Image.open(io.BytesIO(shot)).convert("RGB")
        image.quantize(128).save(file, optimize=True)
    difference = np.abs(_coarse(shot) - _coarse(file.read_bytes())).mean()
    assert difference < _ALIKE, f"{file} differs by {difference:.1f}; {RENEW}=1 renews it"


def _coarse(png: bytes) -> Any:
    image = Image.open(io.BytesIO(png)).convert("RGB")
    return np.asarray(image.resize(_GRID, Image.Resampling.BOX), np.float64)


# ==================================================================== whole games


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_clicking_on_the_table(browser: Browser, name: str, tmp_path: Path) -> None:
    with seated(browser, name, records=tmp_path) as (visitor, server):
        clicks = 0
        while visitor.wait_for_turn():
            visitor.choose(7 * clicks)
            clicks += 1
            if clicks == SHOWN_AFTER[name]:
                visitor.wait_for_turn()
                choices = visitor.page.locator("#board [data-action]")
                choices.nth(choices.count() // 2).hover()
                assert_alike(visitor.page.screenshot(), f"play-{name.removesuffix('_v0')}")
        assert clicks > SHOWN_AFTER[name]
        winners = server.table.game.winners or []
        said = "You win!" if 0 in winners else f"Seat {' and '.join(map(str, winners))} wins."
        expect(visitor.page.locator("#status")).to_contain_text(said)
        expect(visitor.page.locator("#log li").last).to_contain_text("The game is over")
        assert visitor.page.locator("#actions button").count() == 0
    (file,) = tmp_path.glob("[!.]*")
    game = Game.from_record(json.loads(file.read_text(encoding="utf-8")))
    assert game.node == "over" and game.values == server.table.game.values


@pytest.mark.parametrize("name", ["gacha_v0", "torutorento_v0"])
def test_every_action_stands_on_the_table_and_in_the_list(browser: Browser, name: str) -> None:
    with seated(browser, name) as (visitor, server):
        for _ in range(12):
            if not visitor.wait_for_turn():
                break
            legal = {str(action) for action in server.table.game.legal_actions()}
            page = visitor.page
            on_table = page.locator("#board [data-action]").evaluate_all(
                "all => all.map(one => one.dataset.action)"
            )
            listed = page.locator("#actions [data-choice]").evaluate_all(
                "all => all.map(one => one.dataset.choice)"
            )
            assert set(on_table) <= legal and set(listed) == legal
            if set(on_table) == legal:
                visitor.choose(1)
            else:
                page.locator("#actions button").first.click()


def test_what_is_forced_can_be_played_by_itself(browser: Browser) -> None:
    with seated(browser, "gacha_v0") as (visitor, server):
        visitor.page.get_by_label("play by itself").check()
        while visitor.wait_for_turn():
            turn = server.table.turn
            if len(server.table.game.legal_actions()) > 1:
                visitor.choose()
            else:
                visitor.wait_past(str(turn))
                return
        raise AssertionError("nothing was forced")


def test_a_double_click_is_one_move(browser: Browser) -> None:
    with seated(browser, "gacha_v0") as (visitor, server):
        visitor.wait_for_turn()
        turn = server.table.turn
        visitor.page.locator("#actions button").first.dblclick()
        visitor.wait_past(str(turn))
        visitor.wait_for_turn()
        assert server.table._actors[turn] == 0
        expect(visitor.page.locator("#problem")).to_be_hidden()


# ==================================================================== the keyboard


def test_a_card_is_carried_over_the_cake_by_keys(browser: Browser) -> None:
    with seated(browser, "quatre_v0") as (visitor, server):
        visitor.wait_for_turn()
        page, turn = visitor.page, server.table.turn
        page.locator("#board").focus()
        page.keyboard.press("r")
        expect(page.locator("#turned")).to_have_text("90°")
        page.keyboard.press("ArrowDown")  # the card appears where it may lie
        expect(page.locator(".preview.fits")).to_have_count(1)
        expect(page.locator("#spot")).to_contain_text("the card can lie here")
        page.keyboard.press("Enter")
        visitor.wait_past(str(turn))
        line = server.table.chronicle.lines(0)
        assert any(
            re.fullmatch(r"Seat 0 places it at .+, turned 90 degrees\.", t.text) for t in line
        )


def test_a_card_that_cannot_lie_there_says_so(browser: Browser) -> None:
    with seated(browser, "quatre_v0") as (visitor, server):
        visitor.wait_for_turn()
        turn = server.table.turn
        visitor.page.locator("#board [data-row='0'][data-column='0']").first.click()
        expect(visitor.page.locator("#problem")).to_contain_text("The card cannot lie there")
        assert server.table.turn == turn


def test_a_game_can_be_played_without_a_pointer(browser: Browser) -> None:
    with seated(browser, "torutorento_v0") as (visitor, server):
        for _ in range(20):
            if not visitor.wait_for_turn():
                break
            turn = visitor.turn
            choice = visitor.page.locator("#board [data-action]").first
            if int(turn or 0) % 2 and choice.count():
                choice.focus()
                visitor.page.keyboard.press("Enter")
            else:
                visitor.page.keyboard.press("1")
            visitor.wait_past(turn)
        assert server.table.turn >= 20


def nameless(controls: Locator) -> list[str]:
    """The controls that a screen reader has no name for."""
    found: list[str] = controls.evaluate_all(
        """all => all.filter(one => {
             const label = one.closest("label") || one.labels?.[0];
             const text = one.getAttribute("aria-label") || one.textContent || label?.textContent;
             return !(text || one.title || "").trim();
           }).map(one => one.outerHTML)"""
    )
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_control_has_a_name_and_can_be_reached_by_keys(browser: Browser, name: str) -> None:
    with seated(browser, name) as (visitor, _):
        visitor.wait_for_turn()
        controls = visitor.page.locator("button, a, input, select, summary, [role=button]")
        assert controls.count() > 5
        assert nameless(controls) == []
        unreachable = visitor.page.locator("#board [role=button]").evaluate_all(
            "all => all.filter(one => one.tabIndex < 0).length"
        )
        assert unreachable == 0


# ==================================================================== undo, hints, new games


def test_hint_undo_new_game_and_leaving(browser: Browser) -> None:
    with seated(browser, "gacha_v0") as (visitor, server):
        page = visitor.page
        visitor.wait_for_turn()
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        page.keyboard.press("h")
        expect(page.locator("#hints")).to_contain_text("greedy would:")
        first, story = visitor.turn, page.locator("#log").inner_text()
        page.locator("#actions .hinted").click()
        visitor.wait_past(first)
        visitor.wait_for_turn()
        page.get_by_role("button", name="Undo").click()
        page.locator(f"body[data-turn='{first}']").wait_for()
        expect(page.locator("#log")).to_have_text(re.compile(re.escape(story.split("\n")[0])))
        assert page.locator("#log").inner_text() == story
        page.keyboard.press("n")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#fresh")).to_be_hidden()
        page.keyboard.press("n")
        page.keyboard.type("12")
        page.keyboard.press("Enter")
        expect(page.locator("#log li").first).to_contain_text("Round 1 begins.")
        visitor.wait_for_turn()
        assert server.table.game.key == (12, 0, 0)
        page.get_by_role("button", name="Leave").click()
        page.get_by_role("button", name="Sit at seat 0").wait_for()
        assert server.table.seated == []


# ==================================================================== several people, reload


def test_two_browsers_at_one_table(browser: Browser) -> None:
    server = TableServer(table_of("gacha_v0", people=2))
    with running(server.app) as address, visit(browser) as one, visit(browser) as other:
        lobby = f"{address}{server.address}"
        one.sit(lobby, 0)
        expect(one.page.locator("#status")).to_contain_text("Waiting for 1 more")
        other.page.goto(lobby)
        expect(other.page.get_by_role("button", name="Sit at seat 0")).to_be_disabled()
        other.sit(lobby, 1)
        visitors = {0: one, 1: other}
        for _ in range(10):
            for visitor in visitors.values():
                visitor.page.locator("#turn.yours").or_(
                    visitor.page.get_by_text("is to act")
                ).first.wait_for()
            server_turn = _wait_for_person(server, one)
            acting = server.table.acting
            assert acting is not None
            visitors[acting].page.locator(f"body[data-turn='{server_turn}']").wait_for()
            visitors[acting].choose()
        for seat, visitor in visitors.items():
            named = named_cards(visitor.traffic)
            assert len(named) >= 10 and named <= seen_cards(server.table.game, seat)
        expect(one.page.locator("#seats")).to_contain_text("a person")
        assert one.page.locator("#undo").is_disabled()


def _wait_for_person(server: TableServer, visitor: Visit) -> int:
    """Waits until agents have played; returns the decision that is due."""
    while server.table.agent_acts:
        visitor.page.wait_for_timeout(10)
    return server.table.turn


def test_reload_in_mid_game_comes_back_to_the_same_seat(browser: Browser) -> None:
    with seated(browser, "torutorento_v0") as (visitor, _):
        for _ in range(4):
            visitor.wait_for_turn()
            visitor.choose()
        visitor.wait_for_turn()
        turn, title = visitor.turn, visitor.page.locator("#title").inner_text()
        story = visitor.page.locator("#log").inner_text()
        visitor.page.reload()
        visitor.page.locator(f"body[data-turn='{turn}']").wait_for()
        assert visitor.page.locator("#title").inner_text() == title
        assert visitor.page.locator("#log").inner_text() == story
        visitor.choose()


def test_a_lost_connection_comes_back_by_itself(browser: Browser) -> None:
    server = TableServer(table_of("gacha_v0"))
    with visit(browser) as visitor:
        page = visitor.page
        with running(server.app) as address:
            visitor.sit(f"{address}{server.address}", 0)
            visitor.wait_for_turn()
            visitor.choose()
            visitor.wait_for_turn()
            turn = visitor.turn
        expect(page.locator("#lost")).to_be_visible()
        with running(server.app, port=int(address.rsplit(":", 1)[1])):
            expect(page.locator("#lost")).to_be_hidden()
            assert visitor.turn == turn
            visitor.choose()
        visitor.errors.clear()  # the browser reports that nobody answered


def test_a_forged_address_says_what_is_wrong(browser: Browser) -> None:
    with seated(browser, "gacha_v0") as (visitor, server):
        context = browser.new_context()
        page = context.new_page()
        answer = page.goto(f"{visitor.page.url[:-4]}abcd")
        assert answer is not None and answer.status == 404
        expect(page.locator("body")).to_contain_text("There is no such table or seat")
        context.close()
        assert server.table.seated == [0]


# ==================================================================== replays


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    options = ["--games", "2", "--seed", "1", "--players", "3", "--policy", "greedy"]
    rules = ["--option", "scoring=vp", "--option", "rounds=2"]
    assert main(["record", "gacha", *options, *rules, "-o", str(file)]) == 0
    return file


def step_through(visitor: Visit) -> None:
    """Uses every control of the viewer."""
    page = visitor.page
    place, board = page.locator("#place"), page.locator("#board")
    expect(place).to_contain_text("1 of ")
    last = place.inner_text().split()[-1]
    closed = board.inner_html()
    page.get_by_role("button", name="Next").click()
    expect(place).to_contain_text("2 of ")
    page.keyboard.press("ArrowRight")
    expect(place).to_contain_text("3 of ")
    page.get_by_role("button", name="Last").click()
    expect(place).to_have_text(f"{last} of {last}")
    expect(page.locator("#now")).to_contain_text("The game is over")
    page.get_by_role("button", name="First").click()
    expect(place).to_contain_text("1 of ")
    page.get_by_label("Round").select_option("2")
    expect(place).to_have_text(re.compile(r"\d{2,} of \d+"))
    page.locator("#log li").filter(has_text="wins the trick").first.click()
    expect(page.locator("#log .current").first).to_be_visible()
    page.get_by_role("button", name="First").click()
    page.get_by_label("Eyes").select_option("1")
    page.get_by_label("Speed").select_option("350")
    page.get_by_role("button", name="Play").click()
    expect(place).to_contain_text("3 of ")
    page.get_by_role("button", name="Pause").click()
    assert board.inner_html() != closed
    assert board.locator("[data-action], [tabindex]").count() == 0
    assert nameless(page.locator("button, input, select")) == []


def test_the_viewer(browser: Browser, records: Path) -> None:
    games = load(records)
    with running(lambda: viewer_app(games)) as address, visit(browser) as visitor:
        visitor.page.goto(address)
        step_through(visitor)
        visitor.page.get_by_label("Game").select_option("1")
        expect(visitor.page.locator("#place")).to_contain_text("1 of ")
        visitor.page.get_by_label("Eyes").select_option("open")
        visitor.page.locator("#slider").fill("30")
        expect(visitor.page.locator("#place")).to_contain_text("31 of ")
        assert_alike(visitor.page.screenshot(), "watch")


def test_one_file_shows_the_same_without_a_server(
    browser: Browser, records: Path, tmp_path: Path
) -> None:
    file = tmp_path / "game.html"
    assert main(["watch", str(records), "--game", "1", "-o", str(file)]) == 0
    with visit(browser) as visitor:
        visitor.page.goto(file.as_uri())
        step_through(visitor)
        assert [url for url in visitor.asked if not url.startswith("data:")] == [file.as_uri()]
        visitor.asked.clear()


def test_a_broken_record_does_not_hide_the_others(browser: Browser, records: Path) -> None:
    games = load(records)
    games[1] = {**games[1], "winners": None}
    with running(lambda: viewer_app(games)) as address, visit(browser) as visitor:
        visitor.page.goto(address)
        visitor.page.get_by_label("Game").select_option("1")
        expect(visitor.page.locator("#problem")).to_contain_text("record 2: winners is None")
        visitor.page.get_by_label("Game").select_option("0")
        expect(visitor.page.locator("#place")).to_contain_text("1 of ")
        visitor.errors.clear()  # the browser reports the refusal
