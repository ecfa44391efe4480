"""Whole games of torutorento, judged event by event by the second implementation.

Set TEFUDA_ORACLE_GAMES for a longer run, for example to 20000 games for each number of players
(about 20 ms a game): TEFUDA_ORACLE_GAMES=20000 pytest -n 2 tests/test_torutorento_oracle.py
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from helpers.torutorento import COUNTS, Counts, changed, components, played
from oracles import torutorento as oracle
from oracles.torutorento import BIRD, BODY_1, FLOWER, MIMIC, Card
from tefuda.envs import make_vec
from tefuda.training.agents import Agent, GreedyAgent, RandomAgent

#: Games for each number of players, by random seats and by greedy ones.
RANDOM_GAMES = int(os.environ.get("TEFUDA_ORACLE_GAMES", "600"))
GREEDY_GAMES = RANDOM_GAMES // 3
_MOST_TABLES = 500

#: Hardly more cards than hands and market need: the deck runs out, and takes lapse.
SCARCE = {n: [0, 0, 1, 0, 0, n, n, n, 2 * n, n, 0, 3 * n] for n in (3, 4, 5)}
#: More of the cards that are rare.
BEASTS = changed(bird=10, mimic=6, butterfly=5, flower=20)
#: Hands of ends and bodies, so that even random seats have caterpillars, long ones among them.
WORMS = [1, 3, 30, 1, 3, 2, 2, 42, 24, 2, 1, 6]
#: Bodies of one length, so that long caterpillars are often equal.
STEPS = [8, 2, 4, 8, 2, 0, 0, 30, 5, 2, 1, 2]

#: Options that take turns, each a batch of its own.
BATCHES: list[dict[str, Any]] = [
    {"max_rounds": 2},
    {"max_rounds": 2, "tie_ranking": "competition", "mimic_body": 2, "reward": "score"},
    {"max_rounds": 3, "mimic_body": 3, "target": 5},
    {"max_rounds": 1, "tie_ranking": "competition"},
    {"max_rounds": 4, "mimic_body": 2, "target": 6, "reward": "score"},
    {"max_rounds": 2, "tie_ranking": "competition", "mimic_body": 3, "target": 4},
    {"max_rounds": 1, "counts": "scarce", "mimic_body": 2},
    {"max_rounds": 3, "counts": "beasts", "tie_ranking": "competition", "target": 2},
    {"max_rounds": 8, "counts": "worms", "target": 90},
    {"max_rounds": 5, "counts": "worms", "target": 30, "mimic_body": 3},
]
#: ... and of games by greedy seats, whose rounds are richer.
GREEDY_BATCHES: list[dict[str, Any]] = [
    {"target": 60, "max_rounds": 5},
    {"target": 60, "max_rounds": 5, "tie_ranking": "competition", "mimic_body": 3},
    {"target": 300, "max_rounds": 8, "counts": "worms"},
    {"target": 300, "max_rounds": 8, "counts": "steps"},
]


class Watched(oracle.Torutorento):
    """The second implementation, counting what rarely happens."""

    happened: ClassVar[Counter[str]] = Counter()

    def _count(self, name: str, condition: object = True) -> None:
        self.happened[name] += bool(condition)

    # ---------------------------------------------------------------- taking and growth

    def _next_take(self) -> None:
        before = self.lap_position
        super()._next_take()
        self._count("further lap", self.name == "take" and self.lap_position < before)

    def _apply_take(self, action: int) -> None:
        assert self.seat is not None
        others = [other for other in range(self.players) if other != self.seat]
        self._count("protected hand", any(MIMIC in self.fields[other] for other in others))
        self._count("take with a mimic in the own field", MIMIC in self.fields[self.seat])
        super()._apply_take(action)

    def _apply_put(self, action: int) -> None:
        assert self.seat is not None
        distance = action - oracle.FIRST_PUT
        receiver = (self.seat + distance) % self.players
        place = (receiver - self.parent) % self.players
        when = "its own turn" if distance == 0 else (
            "before its turn" if place > self.lap_position else "after its turn"
        )  # fmt: skip
        self._count(f"bird: {when}", self.held == BIRD)
        self._count(f"mimic: {when}", self.held == MIMIC)
        super()._apply_put(action)

    def _begin_growth(self) -> None:
        self._count("takes lapse", any(self._open_takes(seat) > 0 for seat in range(self.players)))
        sizes = [len(pile) for pile in self.fields]
        first = [seat for seat, size in enumerate(sizes) if size == max(sizes)]
        self._count("first alone: the parent", first == [self.parent])
        self._count("first of equals with the parent", len(first) > 1 and self.parent in first)
        self._count("first of equals without it", len(first) > 1 and self.parent not in first)
        super()._begin_growth()

    def _turn_of(self, seat: int) -> None:
        before = list(self.misses_turn)
        super()._turn_of(seat)
        missed = [k for k in range(self.players) if before[k] and not self.misses_turn[k]]
        if self.phase == "growth":
            self._count("missed turn", missed)
            for other in missed:
                self._count("missed turn, two mimics", self.fields[other].count(MIMIC) > 1)

    def _apply_pick(self, action: int) -> None:
        assert self.seat is not None
        face = action - oracle.FIRST_PICK
        self._count("pick from the deck", action == oracle.PICK_DECK)
        self._count("pick without a deck", not sum(self.deck))
        if action != oracle.PICK_DECK:
            piles = [k for k, pile in enumerate(self._piles()) if face in pile]
            self._count(("pick: market", "pick: own field", "pick: other field")[min(piles[0], 2)])
            self._count("pick: a choice of fields", len(piles) > 1)
        super()._apply_pick(action)

    # ---------------------------------------------------------------- change and score

    def _begin_change(self) -> None:
        for held in self.hands:
            self._count("two birds in a hand", oracle.count_face(held, BIRD) > 1)
            self._count("two mimics in a hand", oracle.count_face(held, MIMIC) > 1)
        super()._begin_change()

    def _apply_bird(self, action: int) -> None:
        assert self.seat is not None
        self._count("bird declines", action == oracle.DONE)
        if action != oracle.DONE:
            lifted, _ = self.hands[self.seat][action - oracle.FIRST_LIFT]
            self._count("bird moves a bird", lifted == BIRD)
        super()._apply_bird(action)

    def _end_round(self) -> None:
        for seat, held in enumerate(self.hands):
            self._count_hand(held, self.roles[seat])
        holder, mark = self.legend_holder, self.legend_mark
        super()._end_round()
        self._count_legend(holder, mark)
        dense, competition = (oracle.rank_points(self.lengths, r) for r in oracle.TIE_RANKINGS)
        self._count("the rankings differ", dense != competition)
        self._count("ten or more", any(length >= 10 for row in self.lengths for length in row))

    def _count_hand(self, held: Sequence[Card], roles: Sequence[int]) -> None:
        """What a scored hand shows."""
        pieces = oracle._pieces(held, roles, oracle.count_face(held, FLOWER) - 1, self.mimic_body)
        runs = list(runs_of(held, pieces))
        found = [(first, last) for first, last, verdict in runs if verdict == "caterpillar"]
        for _, _, verdict in runs:
            self._count(verdict)
        self._count("double card on both sides", {a for a, _ in found} & {b for _, b in found})
        self._count("four flowers", found and oracle.count_face(held, FLOWER) > 3)
        self._count("two caterpillars in a hand", len(found) > 1)
        inside = {k for first, last in found for k in range(first, last + 1)}
        self._count("void body", any(pieces[k].body == 0 for k in inside))
        self._count("body without a flower", found and oracle.count_face(held, FLOWER) == 0)
        mimics = [k for k, card in enumerate(held) if card[0] == MIMIC]
        for k, role in zip(mimics, roles, strict=True):
            self._count(f"mimic in a caterpillar: {role}", k in inside)

    def _count_legend(self, holder: int | None, mark: int | None) -> None:
        now = self.legend_holder
        raised = self.legend_mark != mark
        self._count("legend: first won", mark is None and now is not None)
        self._count("legend: beaten", raised and None not in (holder, now) and now != holder)
        self._count("legend: raised by its holder", raised and holder is not None and now == holder)
        self._count("legend: nobody gets it", raised and now is None)
        self._count("legend: a tie takes it away", raised and holder is not None and now is None)
        regained = mark is not None and holder is None and now is not None
        self._count("legend: won after a tie", regained)
        self._count("legend: held over a round", not raised and now is not None)
        self._count("a round below zero", min(self.point_rounds[-1]) < 0)

    # ---------------------------------------------------------------- rounds and games

    def _after_round(self) -> None:
        parent, highest = self.parent, max(self.totals)
        leaders = [seat for seat, total in enumerate(self.totals) if total == highest]
        super()._after_round()
        goes_on = self.winners is None
        self._count("shared at the target, goes on", goes_on and highest >= self.target)
        equals = goes_on and len(leaders) > 1
        self._count("parent again", goes_on and self.parent == parent)
        self._count("parent among equals", equals and parent in leaders)
        self._count("equals without the parent", equals and parent not in leaders)
        self._count("won at the target", not goes_on and not self.truncated)
        self._count("truncated", self.truncated)
        self._count("truncated and shared", self.truncated and len(leaders) > 1)


def runs_of(held: Sequence[Card], pieces: Sequence[oracle.Piece]) -> Iterator[tuple[int, int, str]]:
    """Neighbouring cards that are no bodies, with bodies between them, and what they make."""
    others = [k for k, piece in enumerate(pieces) if piece.body is None]
    for first, last in pairwise(others):
        if last - first == 1:
            continue
        sides = pieces[first].right, pieces[last].left
        length = sum(piece.body or 0 for piece in pieces[first + 1 : last])
        if set(sides) == {"head", "tail"}:
            yield first, last, "caterpillar" if length else "void bodies alone"
        elif sides in (("head", "head"), ("tail", "tail")):
            yield first, last, f"{sides[0]} and {sides[0]}"
        elif sides[0] in ("head", "tail") and held[last][0] == FLOWER:
            yield first, last, "flower in between"
        elif "nothing" in sides and held[first][0] < BODY_1 and held[last][0] < BODY_1:
            yield first, last, "wrong facing"


#: What must have happened in the games of each number of players.
SPECIAL = {
    "caterpillar", "two caterpillars in a hand", "double card on both sides", "head and head",
    "tail and tail", "wrong facing", "flower in between", "void body", "void bodies alone",
    "body without a flower", "four flowers", "ten or more", "the rankings differ",
    *(f"mimic in a caterpillar: {role}" for role in oracle.ROLE_EDGES),
    "two birds in a hand", "two mimics in a hand", "bird declines", "bird moves a bird",
    "bird: its own turn", "bird: before its turn", "bird: after its turn", "further lap",
    "mimic: its own turn", "mimic: before its turn", "mimic: after its turn",
    "takes lapse", "protected hand", "take with a mimic in the own field",
    "first alone: the parent", "first of equals with the parent", "first of equals without it",
    "missed turn", "missed turn, two mimics",
    "pick from the deck", "pick without a deck", "pick: market", "pick: own field",
    "pick: other field", "pick: a choice of fields",
    "legend: first won", "legend: beaten", "legend: raised by its holder", "legend: nobody gets it",
    "legend: a tie takes it away", "legend: won after a tie", "legend: held over a round",
    "a round below zero",
    "shared at the target, goes on", "parent again", "parent among equals",
    "equals without the parent", "won at the target", "truncated", "truncated and shared",
}  # fmt: skip


#: Of these, what is so rare that a game by hand stands for it as well.
RARE = {
    "four flowers", "legend: a tie takes it away", "legend: won after a tie",
    "shared at the target, goes on",
}  # fmt: skip


def records(agent: Agent, seed: int, games: int, **options: Any) -> Iterator[dict[str, Any]]:
    """The records of games in which all seats are of one kind, one a table."""
    while games > 0:
        count = min(games, _MOST_TABLES)
        tables = make_vec(
            "torutorento_v0", tables=count, seed=seed, autoreset=False, keep_actions=True, **options
        )
        while (rows := np.flatnonzero(tables.seat >= 0)).size:
            tables.step(agent.act(tables, rows), rows)
        yield from (tables.record(row) for row in range(count))
        games, seed = games - count, seed + 1


def judged(agent: Agent, players: int, games: int, batches: Sequence[dict[str, Any]]) -> int:
    """Judges at least so many games, an equal number with the options of each batch."""
    count = 0
    for seed, batch in enumerate(batches):
        options = {"players": players, **batch}
        counts = counts_of(str(options.pop("counts", "published")), players)
        if counts is not COUNTS:
            options["components"] = components(counts)
        for record in records(agent, 1000 * seed, -(-games // len(batches)), **options):
            oracle.judge(record, None if counts is COUNTS else tuple(counts))
            count += 1
    return count


def counts_of(name: str, players: int) -> Counts:
    """The cards of a batch."""
    return {
        "published": COUNTS,
        "beasts": BEASTS,
        "worms": WORMS,
        "steps": STEPS,
        "scarce": SCARCE[players],
    }[name]


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What the judged games of a test have shown."""
    monkeypatch.setattr(Watched, "happened", Counter())
    monkeypatch.setattr(oracle, "Torutorento", Watched)
    return Watched.happened


@pytest.mark.rule(
    "T1", "T2", "T3", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T12", "T13", "T14", "T15",
    "T16", "T17", "T18", "T19", "T20", "T21", "T22",
)  # fmt: skip
@pytest.mark.parametrize("players", [3, 4, 5])
def test_games_agree(players: int, happened: Counter[str]) -> None:
    """Nodes, seats, legal actions, scores, winners and payoffs are those of the page."""
    assert judged(RandomAgent(1), players, RANDOM_GAMES, BATCHES) >= RANDOM_GAMES
    assert judged(GreedyAgent(1), players, GREEDY_GAMES, GREEDY_BATCHES) >= GREEDY_GAMES
    assert not SPECIAL - RARE - seen_in(happened), happened
    for ranking in oracle.TIE_RANKINGS:
        oracle.judge(rare_game(players, ranking), tuple(BEASTS))
    assert not SPECIAL - seen_in(happened), happened


def seen_in(happened: Counter[str]) -> set[str]:
    """What has happened at all."""
    return {name for name, count in happened.items() if count}


def rare_game(players: int, ranking: str) -> dict[str, Any]:
    """The record of a game with given hands, in which all happens that seldom does."""
    one, six, eleven = "H> 1 <T", "H> 3 3 <T", "H> 3 3 3 2 <T"
    rounds = [
        ["H> 3 3 3 1 <T", "", ""],  # the first legend: 9 points
        ["", eleven, eleven],  # a tie takes it away: 5 points each
        [one, one, one],  # three share the target
        ["H> 3 <T F F F F", six, ""],  # two do
        ["", "", "H> 3 3 3 3 <T"],  # won after the tie
    ]
    hands = [[*texts, *[""] * (players - 3)] for texts in rounds]
    return played(hands, counts=BEASTS, target=10, max_rounds=5, tie_ranking=ranking).record()


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_few_games_agree(players: int) -> None:
    """The same for runs without the JIT and with checked indices."""
    assert judged(RandomAgent(7), players, 4, BATCHES[3:4] + BATCHES[6:]) >= 4
    assert judged(GreedyAgent(7), players, 2, BATCHES[3:4]) >= 2


def test_the_judge_notices_a_difference() -> None:
    """A record with one wrong mask, one wrong score or wrong winners is refused."""
    (record,) = records(RandomAgent(3), 3, 1, players=3, max_rounds=1)
    oracle.judge(record)
    events = record["events"]
    decision = next(k for k, event in enumerate(events) if event["kind"] == "decision")
    score = next(k for k, event in enumerate(events) if event["kind"] == "score")
    for index, key, value in ((decision, "legal", [0, 8]), (score, "points", [9, 9, 9])):
        wrong = [*events[:index], {**events[index], key: value}, *events[index + 1 :]]
        with pytest.raises(oracle.JudgeError, match=f"^event {index}: "):
            oracle.judge({**record, "events": wrong})
    with pytest.raises(oracle.JudgeError, match="winners"):
        oracle.judge({**record, "winners": [3]})
