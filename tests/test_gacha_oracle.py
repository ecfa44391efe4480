"""Whole random games of gacha, judged event by event by the second implementation.

Set TEFUDA_ORACLE_GAMES for a longer run, for example to 20000 games for each player count and
scoring (about 15 ms a game): TEFUDA_ORACLE_GAMES=20000 pytest -n 2 tests/test_gacha_oracle.py
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from oracles import gacha as oracle
from tefuda.envs import make_vec

GAMES = int(os.environ.get("TEFUDA_ORACLE_GAMES", "306"))
_MOST_TABLES = 500

#: Options that take turns; each column is one batch.
COMMON: list[dict[str, Any]] = [
    {},
    {"trump_draw": "shuffle", "next_leader": "most", "reward": "score"},
    {"next_leader": "fewest"},
    {"trump_draw": "shuffle", "reward": "score"},
    {"next_leader": "most"},
    {"next_leader": "fewest", "reward": "score"},
]
BY_SCORING: dict[str, list[dict[str, Any]]] = {
    "wp": [{}, {"max_rounds": 2}, {"max_rounds": 1}, {}, {"max_rounds": 3}, {"max_rounds": 1}],
    "vp": [
        {}, {"rounds": 1, "tie": "draw"}, {"rounds": 2}, {"tie": "draw"},
        {"rounds": 1}, {"rounds": 2, "tie": "draw"},
    ],
}  # fmt: skip

#: What must have happened in the games of each scoring, whatever the number of players.
SPECIAL = {
    "face-down lead", "face-down play", "face-down card won", "trump under must-not",
    "dust for the whole trick", "face-down card discarded", "redraw of a returned card",
    "balls put back within a round", "same colour again", "low order at the start of a round",
    "misere", "shared win",
}  # fmt: skip
SPECIAL_OF = {"wp": {"truncation", "equal rank"}, "vp": {"tie draw"}}


class Watched(oracle.Gacha):
    """The second implementation, counting what rarely happens."""

    happened: ClassVar[Counter[str]] = Counter()

    def _count(self, name: str, condition: object = True) -> None:
        self.happened[name] += bool(condition)

    def _apply_play(self, action: int) -> None:
        trick = self.plays  # a list of its own for each trick
        super()._apply_play(action)
        self._count("face-down play", not trick[-1].face_up)
        self._count("face-down lead", len(trick) == 1 and not trick[0].face_up)

    def _finish_trick(self) -> None:
        super()._finish_trick()
        lying = [play.card.colour for play in self.plays if play.face_up]
        self._count("trump under must-not", self.follow == oracle.MUST_NOT and self.trump in lying)
        self._count("dust for the whole trick", self.dust_due == self.players)

    def _take_trick(self) -> None:
        down = [k for k, play in enumerate(self.plays) if not play.face_up]
        self._count("face-down card discarded", set(down) & set(self.dust_chosen))
        self._count("face-down card won", set(down) - set(self.dust_chosen))
        self._count("balls put back within a round", not self.bag)
        super()._take_trick()

    def _apply_ball(self, colour: int) -> None:
        self._count("same colour again", colour == self.trump)
        super()._apply_ball(colour)

    def _draw_returned(self) -> None:
        self._count("redraw of a returned card")
        super()._draw_returned()

    def _begin_round(self) -> None:
        super()._begin_round()
        self._count("low order at the start of a round", not self.high)

    def _announce_score(self, points: list[int], vp: list[int]) -> None:
        super()._announce_score(points, vp)
        self._count("misere", 0 in self.t_points)
        self._count("equal rank", len(set(vp)) < len(vp))

    def _end_game(self, winners: list[int]) -> None:
        super()._end_game(winners)
        self._count("shared win", len(winners) > 1)
        self._count("truncation", self.truncated)
        self._count("tie draw", self.tied)


def random_records(seed: int, games: int, **options: Any) -> Iterator[dict[str, Any]]:
    """The records of random games, one a table."""
    while games > 0:
        count = min(games, _MOST_TABLES)
        tables = make_vec(
            "gacha_v0", tables=count, seed=seed, autoreset=False, keep_actions=True, **options
        )
        while (rows := np.flatnonzero(tables.seat >= 0)).size:
            tables.step(tables.sample(rows), rows)
        yield from (tables.record(row) for row in range(count))
        games, seed = games - count, seed + 1


@pytest.mark.rule(
    "G1", "G2", "G3", "G5", "G6", "G7", "G8", "G9", "G10", "G11", "G12", "G13", "G14", "G15",
    "G16", "G17", "G18", "G19", "G20", "G21", "G22", "G23", "G24", "G25", "G26", "G27", "G28",
    "G29", "G30",
)  # fmt: skip
@pytest.mark.parametrize("scoring", ["wp", "vp"])
@pytest.mark.parametrize("players", [5, 4, 3])
def test_random_games_agree(players: int, scoring: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes, seats, legal actions, scores, winners and payoffs are those of the page."""
    monkeypatch.setattr(Watched, "happened", Counter())
    monkeypatch.setattr(oracle, "Gacha", Watched)
    batches = list(zip(COMMON, BY_SCORING[scoring], strict=True))
    judged = 0
    for seed, (common, own) in enumerate(batches):
        options = {"players": players, "scoring": scoring, **common, **own}
        for record in random_records(1000 * seed, -(-GAMES // len(batches)), **options):
            oracle.judge(record)
            judged += 1
    assert judged >= GAMES
    happened = {name for name, count in Watched.happened.items() if count}
    assert not (SPECIAL | SPECIAL_OF[scoring]) - happened, Watched.happened


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize("scoring", ["wp", "vp"])
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_few_random_games_agree(players: int, scoring: str) -> None:
    """The same for runs without the JIT and with checked indices."""
    limit: dict[str, Any] = {"max_rounds": 2} if scoring == "wp" else {"rounds": 2, "tie": "draw"}
    for record in random_records(7, 3, players=players, scoring=scoring, **limit):
        oracle.judge(record)


def test_the_judge_notices_a_difference() -> None:
    """A record with one wrong mask, one wrong score or wrong winners is refused."""
    (record,) = random_records(3, 1, players=3)
    oracle.judge(record)
    events = record["events"]
    decision = next(k for k, event in enumerate(events) if event["kind"] == "decision")
    score = next(k for k, event in enumerate(events) if event["kind"] == "score")
    for index, key, value in ((decision, "legal", [110, 111]), (score, "vp", [9, 9, 9])):
        wrong = [*events[:index], {**events[index], key: value}, *events[index + 1 :]]
        with pytest.raises(oracle.JudgeError, match=f"^event {index}: "):
            oracle.judge({**record, "events": wrong})
    with pytest.raises(oracle.JudgeError, match="winners"):
        oracle.judge({**record, "winners": [3]})
