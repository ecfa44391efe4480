"""Observations of torutorento, section by section, against what the second implementation tells.

Random games run beside the slow implementation, which here also notes what all others know of each
slot of a hand (T15). At every node every seat's observation is compared with values worked out
from those notes, plainly and slot by slot.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from helpers.torutorento import (
    COUNTS,
    Counts,
    changed,
    components,
    deal,
    deal_round,
    keep_hands,
    play_event,
    random_event,
)
from helpers.torutorento import (
    FACES as FACE_NAMES,
)
from oracles import torutorento as oracle
from oracles.torutorento import BUTTERFLY, FLOWER, MIMIC, Card, Edge
from tefuda.envs import Game
from tefuda.envs.core.sections import Section

Values = dict[str, list[int]]
Row = dict[str, int]

#: More of the cards that are rare, so that few games are enough.
BEASTS = changed(bird=10, mimic=10)
ENCODERS = ("flat", "tokens")
FACES = range(12)
SLOTS = range(8)
#: What the other seats know of a slot whose card they have not seen.
DEALT, DRAWN = "dealt", "drawn"
Slot = Card | str
#: Left edge, right edge, and length as a body.
Looks = tuple[Edge, Edge, int | None]
#: What is asked, in the order of the section `phase`.
ASKED = ("leaf", "take", "put", "pick", "insert", "bird", "reinsert", "mimic")
# What the page of the encoder says of tokens.
HAND, PILE, SEAT, TABLE = range(1, 5)
EDGE_NAMES = ("nothing", "head", "tail", "open")
SETUP = ("first_parent", "flower_slot", "deal", "way_up", "market", "over")


class Witness(oracle.Torutorento):
    """The slow game, with notes of what all others know of each slot of a hand."""

    def _clear_table(self) -> None:
        super()._clear_table()
        self.known: list[list[Slot]] = [[DEALT] * 8 for _ in range(self.players)]
        self.flower_gone = [False] * self.players

    def _forget(self, seat: int, slot: int, face: int) -> None:
        """A card was seen to leave a hand in the first two phases."""
        self.known[seat].pop(slot)
        self.flower_gone[seat] |= face == FLOWER

    def _drop_leaves(self) -> None:
        for seat, slots in enumerate(self.leaves):
            for slot in reversed(slots):
                self._forget(seat, slot, self.hands[seat][slot][0])
        super()._drop_leaves()

    def _apply_take(self, action: int) -> None:
        if action != oracle.TAKE_DECK:
            assert self.seat is not None
            distance, slot = divmod(action - oracle.FIRST_TAKE, 8)
            other = (self.seat + distance + 1) % self.players
            self._forget(other, slot, self.hands[other][slot][0])
        super()._apply_take(action)

    def _insert(self, action: int) -> None:
        assert self.seat is not None and self.held is not None
        gap, way = divmod(action - oracle.FIRST_INSERT, 2)
        self.known[self.seat].insert(gap, DRAWN if self.from_deck else (self.held, way))
        super()._insert(action)

    def _begin_change(self) -> None:
        self.known = [[*held] for held in self.hands]
        super()._begin_change()

    def _apply_bird(self, action: int) -> None:
        assert self.seat is not None
        if action != oracle.DONE:
            self.known[self.seat].pop(action - oracle.FIRST_LIFT)
        super()._apply_bird(action)

    # ---------------------------------------------------------------- what follows from it

    def is_secret(self) -> bool:
        """Whether there is a card that the acting seat alone knows."""
        return self.phase == "growth" and self.name == "insert" and self.from_deck

    def all_unseen_by(self, seat: int) -> list[int]:
        """How many cards of each face a seat cannot see."""
        seen = Counter(face for face, _ in self.hands[seat])
        for other, slots in enumerate(self.known):
            if other != seat:
                seen.update(slot[0] for slot in slots if not isinstance(slot, str))
        for pile in [*self.fields, self.market]:
            seen.update(pile)
        if self.held is not None and (not self.is_secret() or self.seat == seat):
            seen[self.held] += 1
        return [self.counts[face] - seen[face] for face in FACES]

    def pieces(self, seat: int) -> list[Looks]:
        """Edges and length as a body of each card of a hand, with its flowers."""
        roles = list(self.roles[seat])
        bonus = oracle.count_face(self.hands[seat], FLOWER) - 1
        found: list[Looks] = []
        for face, way in self.hands[seat]:
            left, right = oracle.edges(face, way)
            body = oracle.BODY_LENGTH.get(face)
            if face == MIMIC and roles:
                role = roles.pop(0)
                left, right = oracle.ROLE_EDGES[role]
                body = self.mimic_body if role == oracle.A_BODY else None
            found.append((left, right, None if body is None else max(0, body + bonus)))
        return found

    def will_miss(self, seat: int) -> bool:
        """Whether a seat has a next turn of growth, and misses it."""
        return self.misses_turn[seat] and len(self.hands[seat]) < 8

    def longest(self, seat: int) -> int:
        """The longest caterpillar of a hand as it lies; undeclared mimics are nothing yet."""
        lying, roles = list(self.hands[seat]), self.roles[seat]
        mimics = [k for k, card in enumerate(lying) if card[0] == MIMIC]
        for undeclared in mimics[len(roles) :]:
            lying[undeclared] = (BUTTERFLY, 0)
        return max(oracle.caterpillars(lying, roles, mimic_body=self.mimic_body), default=0)


# ==================================================================== the sections of flat


def one_hot(size: int, *places: int | None) -> list[int]:
    return [int(place in places) for place in range(size)]


def base_64(value: int) -> list[int]:
    return list(divmod(value, 64))


def pile(faces: Iterable[int]) -> list[int]:
    """How many of each face, and in all."""
    counts = Counter(faces)
    return [*(counts[face] for face in FACES), counts.total()]


def stubs(pieces: Sequence[Looks]) -> list[tuple[int, int]]:
    """By slot, left and right: 1 + the length of the body of an end without its other end."""
    found = []
    for slot, (left, right, _) in enumerate(pieces):
        mirrored: list[Looks] = [(r, le, body) for le, r, body in reversed(pieces[:slot])]
        found.append((_stub(left, mirrored), _stub(right, pieces[slot + 1 :])))
    return found


def _stub(edge: Edge, beyond: Sequence[Looks]) -> int:
    if edge not in ("head", "tail"):
        return 0
    length = 0
    for near, _, body in beyond:
        if body is None:
            return 0 if length > 0 and {edge, near} == {"head", "tail"} else 1 + length
        length += body
    return 1 + length


def flat(game: Witness, seat: int) -> Values:
    """Every section of the flat encoder, as `seat` should see it."""
    around = clockwise(game, seat)
    return {**_cards(game, seat, around), **_table(game, seat), **_seats(game, seat, around)}


def clockwise(game: Witness, seat: int) -> list[int]:
    """The seats from the observing one on."""
    return [(seat + k) % game.players for k in range(game.players)]


def _row(face: int, left: Edge, right: Edge) -> list[int]:
    """A slot: its face, then for each edge whether it is a head, a tail."""
    ends = [int(edge == kind) for edge in (left, right) for kind in ("head", "tail")]
    return [*one_hot(12, face), *ends]


def _padded(rows: Sequence[list[int]], width: int) -> list[int]:
    """Rows of slots behind each other, with nothing in those that are free."""
    values = [value for row in rows for value in row]
    return [*values, *[0] * (8 * width - len(values))]


def _own_slots(game: Witness, seat: int) -> list[list[int]]:
    lying = zip(game.hands[seat], game.pieces(seat), strict=True)
    return [_row(face, left, right) for (face, _), (left, right, _) in lying]


def _others_slots(game: Witness, other: int) -> list[list[int]]:
    """Nothing of a card that is not known; roles are declared when all hands are."""
    rows = []
    for slot, known in enumerate(game.known[other]):
        if isinstance(known, str):
            rows.append([0] * 16)
        else:
            left, right = oracle.edges(*known)
            if game.phase == "change":
                left, right, _ = game.pieces(other)[slot]
            rows.append(_row(known[0], left, right))
    return rows


def _cards(game: Witness, seat: int, around: list[int]) -> Values:
    known, pieces = game.known[seat], game.pieces(seat)
    unseen = game.all_unseen_by(seat)
    ends = stubs(pieces)
    others = []
    for other in around[1:]:
        others += _padded(_others_slots(game, other), 16)
        for mark in (DEALT, DRAWN):
            others += _padded([[int(slot == mark)] for slot in game.known[other]], 1)
    return {
        "hand": _padded(_own_slots(game, seat), 16),
        "hand_open": _padded([[int(left == "open")] for left, _, _ in pieces], 1),
        "hand_way_up": _padded([[way] for _, way in game.hands[seat]], 1),
        "hand_known": _padded([[int(not isinstance(slot, str))] for slot in known], 1),
        "hand_drawn": _padded([[int(slot == DRAWN)] for slot in known], 1),
        "others": others,
        "fields": [value for other in around for value in pile(game.fields[other])],
        "market": pile(game.market),
        "unseen": [*unseen, sum(unseen)],
        "stubs": [n for side in (0, 1) for n in _padded([[e[side]] for e in ends], 1)],
        "longest": [game.longest(seat)],
        "flowers": [oracle.count_face(game.hands[seat], FLOWER)],
    }


def _table(game: Witness, seat: int) -> Values:
    sees_held = game.held is not None and (not game.is_secret() or game.seat == seat)
    falling = game.leaves[seat] if game.phase == "leaves" else []
    return {
        "card": one_hot(12, game.held if sees_held else None),
        "card_unseen": [int(game.is_secret())],
        "falling": one_hot(8, *falling),
        "phase": one_hot(8, *(k for k, name in enumerate(ASKED) if name == game.name)),
        "mark": [game.legend_mark or 0],
        "deck": [sum(game.deck)],
        "round": base_64(game.round_number - 1),
    }


def _seats(game: Witness, seat: int, around: list[int]) -> Values:
    players = game.players
    taking, growth, change = (game.phase == name for name in ("taking", "growth", "change"))
    birds = Counter([*game.birds_due, *([game.seat] if game.name in ("bird", "reinsert") else [])])
    actor = None if game.name in ("leaf", *SETUP) or game.seat is None else game.seat

    def offset(other: int | None) -> int | None:
        return None if other is None else (other - seat) % players

    return {
        "held": [len(game.hands[other]) for other in around],
        "takes": [game._open_takes(other) if taking else 0 for other in around],
        "misses": [int(growth and game.will_miss(other)) for other in around],
        "moves": [birds[other] if change else 0 for other in around],
        "flower_inside": [
            int(not game.flower_gone[other] and len(game.hands[other]) > 0) for other in around
        ],
        "totals": [digit for other in around for digit in base_64(game.totals[other])],
        "actor": one_hot(players, offset(actor)),
        "parent": one_hot(players, offset(game.parent)),
        "legend": one_hot(players, offset(game.legend_holder)),
    }


# ==================================================================== the sections of tokens


def tokens(game: Witness, seat: int) -> dict[str, list[Row]]:
    """Every section of the tokens encoder: a row of named categories for each token."""
    around = list(enumerate(clockwise(game, seat)))
    return {
        "hands": [
            row for k, other in around for row in _hand_tokens(game, seat, other, {"seat": k + 1})
        ],
        "piles": _pile_tokens(game, seat),
        "seats": _seat_tokens(game, seat),
        "table": [_table_token(game, seat)],
    }


def _hand_tokens(game: Witness, seat: int, other: int, row: Row) -> list[Row]:
    """Eight rows; a free slot is padding."""
    found: list[Row] = [{} for _ in SLOTS]
    ends, pieces = stubs(game.pieces(seat)), game.pieces(other)
    for slot, known in enumerate(game.known[other]):
        mark = 3 if not isinstance(known, str) else 1 if known == DEALT else 2
        token = {"kind": HAND, **row, "slot": slot + 1, "others_know": mark}
        lying = game.hands[seat][slot] if seat == other else known
        if not isinstance(lying, str):
            left, right = oracle.edges(*lying)
            if seat == other or game.phase == "change":
                left, right, _ = pieces[slot]
            token |= {
                "face": lying[0] + 1, "way_up": lying[1] + 1,
                "left_edge": EDGE_NAMES.index(left) + 1, "right_edge": EDGE_NAMES.index(right) + 1,
            }  # fmt: skip
        if seat == other:
            token |= {"left_stub": ends[slot][0], "right_stub": ends[slot][1]}
            token["falls"] = int(game.phase == "leaves" and slot in game.leaves[seat])
        found[slot] = token
    return found


def _pile_tokens(game: Witness, seat: int) -> list[Row]:
    unseen = game.all_unseen_by(seat)
    piles = [
        *(pile(game.fields[other]) for other in clockwise(game, seat)),
        pile(game.market),
        [*unseen, sum(unseen)],
    ]
    return [
        {"kind": PILE, "pile": number, **dict(zip([*FACE_NAMES, "all"], counts, strict=True))}
        for number, counts in enumerate(piles, start=1)
    ]


def _seat_tokens(game: Witness, seat: int) -> list[Row]:
    values = flat(game, seat)
    columns = ("held", "takes", "misses", "moves", "flower_inside", "parent", "legend")
    return [
        {
            "kind": SEAT,
            "seat": k + 1,
            "acts": values["actor"][k],
            "totals_high": values["totals"][2 * k],
            "totals_low": values["totals"][2 * k + 1],
            **{name: values[name][k] for name in columns},
        }
        for k in range(game.players)
    ]


def _table_token(game: Witness, seat: int) -> Row:
    values = flat(game, seat)
    return {
        "kind": TABLE,
        "phase": ASKED.index(game.name) + 1 if game.name in ASKED else 0,
        "face": values["card"].index(1) + 1 if any(values["card"]) else 0,
        "round_high": values["round"][0],
        "round_low": values["round"][1],
        **{name: values[name][0] for name in ("card_unseen", "mark", "flowers", "deck", "longest")},
    }


# ==================================================================== comparing


def read(sections: Sequence[Section], observation: np.ndarray) -> Values:
    return {section.name: observation[section.slice].tolist() for section in sections}


def read_tokens(sections: Sequence[Section], observation: np.ndarray) -> dict[str, list[Row]]:
    """The tokens by section; fields that are 0 are left out, and fields without a name refused."""
    values, found = observation.reshape(-1), {}
    for section in sections:
        rows = values[section.slice].reshape(section.tokens, -1)
        assert not rows[:, len(section.fields) :].any()
        names = [field.name for field in section.fields]
        found[section.name] = [
            {name: value for name, value in zip(names, row, strict=False) if value}
            for row in rows.tolist()
        ]
    return found


def without_zeros(expected: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {
        name: [{key: value for key, value in row.items() if value} for row in rows]
        for name, rows in expected.items()
    }


def compare(games: Sequence[Game], witness: Witness, seen: Counter[str]) -> None:
    """Compares what every seat sees at the present node in both encoders."""
    flat_game, token_game = games
    for seat in range(witness.players):
        expected = flat(witness, seat)
        found = read(flat_game.engine.sections, flat_game.observation(seat))
        assert set(found) == set(expected)
        for name, values in expected.items():
            assert found[name] == values, (name, seat, witness.name, witness.phase)
            seen[name] += any(values)
        in_tokens = read_tokens(token_game.engine.sections, token_game.observation(seat))
        assert in_tokens == without_zeros(tokens(witness, seat)), (seat, witness.name)
        seen["position"] += 1
    for slots in witness.known:
        marks = [slot if isinstance(slot, str) else "known" for slot in slots]
        seen["known left of unknown"] += ("known", DEALT) in pairwise(marks)
        seen["known right of unknown"] += (DEALT, "known") in pairwise(marks)
    seen["moved with knowledge"] += witness.name == "reinsert"


def walk(seed: int, players: int, seen: Counter[str], counts: Counts = COUNTS, **more: Any) -> None:
    """Plays a random game in both encoders beside the slow one, and compares at every node."""
    file = components(counts)
    games = [
        Game("torutorento_v0", players=players, components=file, encoder=encoder, **more)
        for encoder in ENCODERS
    ]
    witness, rng = Witness(players, counts=tuple(counts), **more), random.Random(seed)
    while witness.kind != "over":
        if witness.name not in SETUP:
            compare(games, witness, seen)
        value = random_event(games[0], rng)
        for game in games:
            play_event(game, value)
        witness.apply(value)


@pytest.mark.rule("T6", "T8", "T11", "T13", "T14", "T15", "T16", "T17")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_observations_of_random_games(players: int) -> None:
    """For every seat at hundreds of nodes; each section also had its say."""
    seen: Counter[str] = Counter()
    for seed, mimic_body in enumerate((1, 3, 2, 1)):
        counts = BEASTS if seed % 2 else COUNTS
        walk(seed, players, seen, counts, max_rounds=2, target=100, mimic_body=mimic_body)
    assert seen["position"] > 900
    sections = {section.name for section in Game("torutorento_v0").engine.sections}
    rare = {"legend", "mark"}  # see `test_observations_with_a_legend`
    wanted = {*sections, "moved with knowledge"} - rare
    wanted |= {"known left of unknown", "known right of unknown"}
    assert not wanted - {name for name, count in seen.items() if count}, seen


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T8", "T14", "T15", "T16")
def test_observations_of_a_round() -> None:
    """The same for runs without the JIT and with checked indices."""
    seen: Counter[str] = Counter()
    walk(5, 3, seen, BEASTS, max_rounds=1)
    walk(6, 5, seen, max_rounds=1)
    assert seen["position"] > 200


@pytest.mark.pure
@pytest.mark.rule("T20")
def test_observations_with_a_legend() -> None:
    """T20: who holds it, and the length to beat; a tie leaves the length alone."""
    long, longer = "H> 3 3 3 1 <T", "H> 3 3 3 2 <T"
    game = deal(["", long, ""])
    keep_hands(game)
    deal_round(game, ["", "", ""])
    shown = [read(game.engine.sections, game.observation(seat)) for seat in range(3)]
    assert [values["mark"] for values in shown] == [[10]] * 3
    assert [values["legend"] for values in shown] == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert [values["totals"][1] for values in shown] == [0, 9, 0]
    keep_hands(game)
    deal_round(game, [longer, "", longer])
    keep_hands(game)
    shown = [read(game.engine.sections, game.observation(seat)) for seat in range(3)]
    assert [values["mark"] for values in shown] == [[11]] * 3
    assert [values["legend"] for values in shown] == [[0, 0, 0]] * 3


@pytest.mark.pure
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_sections_fill_the_observation(players: int, encoder: str) -> None:
    """They lie one behind the other without a gap, and name every value."""
    game = Game("torutorento_v0", seed=(0, 0, 0), players=players, encoder=encoder)
    end = 0
    for section in game.engine.sections:
        assert section.slice == slice(end, end + section.length)
        end = section.slice.stop
    rng = random.Random(players)
    for _ in range(250):
        if game.node != "over":
            play_event(game, random_event(game, rng))
        observation = game.observation(rng.randrange(players))
        assert (observation.size, observation.dtype) == (end, np.int8)
        assert (observation >= 0).all()
        assert (observation <= game.engine.highs()).all()


@pytest.mark.pure
@pytest.mark.rule("T21", "T22")
def test_values_above_127_take_two_entries() -> None:
    """Totals and the round stand in base 64, the high digit first, own seat first."""
    game = Game("torutorento_v0", seed=(0, 0, 0), players=4, target=1000, max_rounds=1000)
    game.settle()
    totals = [200, 64, 63, 1]
    game.state["totals"][:4] = totals
    game.state["round_index"] = 999
    for seat in range(4):
        found = read(game.engine.sections, game.observation(seat))
        around = [totals[(seat + k) % 4] for k in range(4)]
        assert found["totals"] == [digit for n in around for digit in base_64(n)]
        assert found["round"] == base_64(999)


@pytest.mark.pure
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_dirty_row_is_written_over(encoder: str) -> None:
    """Rows are reused: whatever stood there before leaves no trace."""
    rng = random.Random(3)
    game = Game("torutorento_v0", seed=(0, 0, 0), players=3, encoder=encoder)
    for _ in range(250):
        if game.node == "over":
            break
        play_event(game, random_event(game, rng))
        row = np.full(game.engine.size, 77, np.int8)
        game.engine.loops.observe_one(game._games, game.engine.parts, 0, 1, row)
        np.testing.assert_array_equal(row.reshape(game.engine.shape), game.observation(1))


@pytest.mark.pure
def test_observations_at_the_end() -> None:
    """Nobody is asked any more; the totals and the legend can still be read."""
    game = deal(["H> 3 3 3 1 <T", "", ""], max_rounds=1)
    keep_hands(game)
    assert game.node == "over"
    for seat in range(3):
        found = read(game.engine.sections, game.observation(seat))
        for name in ("phase", "actor", "card", "falling", "takes", "misses", "moves"):
            assert not any(found[name]), name
        assert found["legend"] == one_hot(3, (0 - seat) % 3)
        assert found["totals"] == [d for k in range(3) for d in base_64([9, 0, 0][(seat + k) % 3])]
