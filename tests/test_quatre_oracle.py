"""Whole random games of quatre, judged event by event by the second implementation.

Set TEFUDA_ORACLE_GAMES for a longer run, for example to 5000 games for each number of players,
reading and adjacency (about 25 ms a game):
TEFUDA_ORACLE_GAMES=5000 pytest -n 2 tests/test_quatre_oracle.py
"""

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest

from helpers.quatre import LARGEST, oracle_components, random_records
from oracles import quatre as oracle
from tefuda.envs import make

GAMES = int(os.environ.get("TEFUDA_ORACLE_GAMES", "201"))
_MOST_TABLES = 500

#: How the games of a batch are played, and what is paid.
BATCHES: list[dict[str, Any]] = [
    {"redrawing": 0.1},
    {"collecting": 0.85, "redrawing": 0.1, "reward": "score"},
    {"collecting": 0.3, "redrawing": 0.4},
]
WAYS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_turns": "fruit"},
    {"players": 3},
    {"players": 4},
]

#: What must have happened in the games of each way to play.
SPECIAL = {
    "cream on fruit", "fruit on cream", "cream on cream", "transparent over fruit",
    "off the square", "same kind again", "collected after a redraw", "placed after a redraw",
    "group of four", "equal totals in the order", "order used again", "shared win",
}  # fmt: skip
WHOLE_BAG = {"redraw with an empty bag"}


Cells = list[tuple[oracle.Cell, str]]


class Watched(oracle.Quatre):
    """The second implementation, made quicker, and counting what rarely happens."""

    happened: ClassVar[Counter[str]] = Counter()
    on_marks: ClassVar[dict[int, list[tuple[int, Cells]]]] = {}
    _legal: list[int] | None = None
    _returned: int | None = None

    def _count(self, name: str, condition: object = True) -> None:
        self.happened[name] += bool(condition)

    def legal(self) -> list[int]:
        if self._legal is None:
            self._legal = super().legal()
        return self._legal

    def apply(self, value: int) -> list[oracle.Event]:
        events = super().apply(value)
        self._legal = None
        return events

    def _legal_places(self) -> list[int]:
        """The same, but what lies on marks is found once for a kind, on a board without cards."""
        assert self.card is not None
        if self.card not in self.on_marks:
            self.on_marks[self.card] = self._places_on_marks()
        shown = self.visible().get
        legal = []
        for action, cells in self.on_marks[self.card]:
            for cell, letter in cells:
                if not oracle.may_cover(letter, shown(cell, oracle.TRANSPARENT)):
                    break
            else:
                legal.append(action)
        return legal

    def _places_on_marks(self) -> list[tuple[int, Cells]]:
        placed, self.placed = self.placed, []
        actions = super()._legal_places()
        self.placed = placed
        return [(action, self._cells_of(action)) for action in actions]

    def _cells_of(self, action: int) -> Cells:
        assert self.card is not None
        row, column, quarter_turns = self.place_of_id(action)
        card = oracle.turned(self.components.cards[self.card], quarter_turns)
        return list(oracle.printed_cells(card, row, column))

    def _apply_draw(self, kind: int) -> list[oracle.Event]:
        self._count("same kind again", self.redrawn and kind == self._returned)
        return super()._apply_draw(kind)

    def _apply_redraw(self) -> list[oracle.Event]:
        self._count("redraw with an empty bag", not any(self.bag))
        self._returned = self.card
        return super()._apply_redraw()

    def _apply_collect(self) -> list[oracle.Event]:
        self._count("collected after a redraw", self.redrawn)
        return super()._apply_collect()

    def _apply_place(self, action: int) -> list[oracle.Event]:
        assert self.card is not None
        self._count("placed after a redraw", self.redrawn)
        row, column, quarter_turns = self.place_of_id(action)
        card = oracle.turned(self.components.cards[self.card], quarter_turns)
        visible = self.visible()
        for down, letters in enumerate(card):
            for right, upper in enumerate(letters):
                self._count_cell((row + down, column + right), upper, visible)
        return super()._apply_place(action)

    def _count_cell(self, cell: oracle.Cell, upper: str, visible: dict[oracle.Cell, str]) -> None:
        lower = visible.get(cell, "")
        names = {oracle.CREAM: "cream", oracle.TRANSPARENT: "transparent"}
        below = {"": "", oracle.CREAM: "cream"}.get(lower, "fruit")
        preposition = "over" if upper == oracle.TRANSPARENT else "on"
        self._count(f"{names.get(upper, 'fruit')} {preposition} {below}", below)
        rows, columns = len(self.components.board), len(self.components.board[0])
        self._count("off the square", not (0 <= cell[0] < rows and 0 <= cell[1] < columns))

    def _score(self) -> oracle.Event:
        visible = self.visible()
        for fruit in oracle.FRUITS:
            sizes = oracle.group_sizes(visible, fruit, self.adjacency)
            self._count("group of four", sizes and sizes[0] >= 4)
        event = super()._score()
        totals = self.actor_totals
        self._count("equal totals in the order", len(set(totals)) < len(totals))
        self._count("order used again", oracle.next_order(self.order, totals) == self.order)
        return event

    def _end_game(self) -> None:
        super()._end_game()
        self._count("shared win", self.winners and len(self.winners) > 1)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    """Judging is done by `Watched`; what depends on a card alone is worked out once."""
    monkeypatch.setattr(Watched, "happened", Counter())
    monkeypatch.setattr(Watched, "on_marks", {})
    monkeypatch.setattr(oracle, "Quatre", Watched)
    monkeypatch.setattr(oracle, "turned", cache(oracle.turned))
    monkeypatch.setattr(oracle, "distinct_quarter_turns", cache(oracle.distinct_quarter_turns))
    return Watched


def batches(games: int) -> Iterator[int]:
    """The sizes of batches that make so many games."""
    while games > 0:
        yield min(games, _MOST_TABLES)
        games -= _MOST_TABLES


@pytest.mark.rule(
    "Q1", "Q2", "Q3", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q11", "Q12", "Q13", "Q14", "Q15", "Q16"
)
@pytest.mark.parametrize("adjacency", ["orthogonal", "diagonal"])
@pytest.mark.parametrize("way", WAYS)
def test_random_games_agree(way: dict[str, Any], adjacency: str, watched: type[Watched]) -> None:
    """Nodes, seats, legal actions, scores, winners and payoffs are those of the page."""
    judged = 0
    for number, batch in enumerate(BATCHES):
        for part, games in enumerate(batches(-(-GAMES // len(BATCHES)))):
            seed = 1000 * number + part
            options: dict[str, Any] = {"adjacency": adjacency, **way, **batch}
            for record in random_records(games, seed, **options):
                oracle.judge(record)
                judged += 1
    assert judged >= GAMES
    happened = {name for name, count in watched.happened.items() if count}
    wanted = SPECIAL | (WHOLE_BAG if way["players"] == 4 or "two_player_turns" in way else set())
    assert not wanted - happened, watched.happened


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize("adjacency", ["orthogonal", "diagonal"])
@pytest.mark.parametrize("way", WAYS)
def test_a_few_random_games_agree(way: dict[str, Any], adjacency: str) -> None:
    """Judged without what makes `Watched` quick; also for runs without the JIT."""
    options: dict[str, Any] = {"adjacency": adjacency, "reward": "score", **way}
    for record in random_records(2, 7, collecting=0.2, redrawing=0.3, **options):
        oracle.judge(record)


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(("name", "players"), [("mini", [2]), ("tart", [2, 3, 4])])
@pytest.mark.usefixtures("watched")
def test_games_with_other_components_agree(name: str, players: list[int], tmp_path: Path) -> None:
    """Q4: the shipped smaller games, by the text of their files."""
    text = make("quatre_v0", players=2, components=name).engine.setup.components.text
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    for count in players:
        for adjacency in ("orthogonal", "diagonal"):
            options: dict[str, Any] = {"players": count, "adjacency": adjacency}
            for record in random_records(40, 9, redrawing=0.1, components=path, **options):
                oracle.judge(record, oracle_components(text))


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q4", "Q9", "Q13")
@pytest.mark.parametrize("adjacency", ["orthogonal", "diagonal"])
@pytest.mark.usefixtures("watched")
def test_the_largest_board_agrees(adjacency: str, tmp_path: Path) -> None:
    """Q4: 16 x 16 marks, whose groups reach the ends of every word of bits."""
    path = tmp_path / "mine.toml"
    path.write_text(LARGEST, encoding="utf-8")
    options: dict[str, Any] = {"players": 4, "adjacency": adjacency, "components": path}
    (record,) = random_records(1, 5, **options)
    oracle.judge(record, oracle_components(LARGEST))
    scored = [event for event in record["events"] if event["kind"] == "score"]
    assert max(scored[-1]["points"]) > 300


def test_the_judge_notices_a_difference() -> None:
    """A record with one wrong mask, wrong points or wrong winners is refused."""
    (record,) = random_records(1, 3, players=3)
    oracle.judge(record)
    events = record["events"]
    decision = next(k for k, event in enumerate(events) if event["kind"] == "decision")
    score = next(k for k, event in enumerate(events) if event["kind"] == "score")
    legal = events[decision]["legal"]
    wrong_events: list[tuple[int, str, Any]] = [
        (decision, "legal", [legal[0] + 1, *legal[1:]]),
        (decision, "legal", legal[:-1]),
        (decision, "seat", 1),
        (score, "points", [9, 9, 9]),
    ]
    for index, key, value in wrong_events:
        wrong = [*events[:index], {**events[index], key: value}, *events[index + 1 :]]
        with pytest.raises(oracle.JudgeError, match=f"^event {index}: "):
            oracle.judge({**record, "events": wrong})
    with pytest.raises(oracle.JudgeError, match="winners"):
        oracle.judge({**record, "winners": []})
