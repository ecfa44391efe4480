"""Observations of quatre, section by section, against what the second implementation tells.

Random games run beside the slow implementation. At their nodes every seat's observation, by each
encoder, is compared with values worked out plainly.
"""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helpers.quatre import LARGEST, collect, oracle_components, outcomes, start
from oracles import quatre as oracle
from tefuda.envs import Game, make, make_vec
from tefuda.envs.core.parts import parse_components
from tefuda.envs.core.sections import Section, total_length

Values = dict[str, list[int]]
Row = dict[str, int]

ENCODERS = ("flat", "planes", "tokens")
MOST = 127

# What the page of the encoder says of tokens.
CELL, FACE, KIND, ACTOR, FRUIT, TURN = range(1, 7)
NO, YES = 1, 2


class Witness(oracle.Quatre):
    """The slow game; the tests of the mask judge what is legal."""

    def legal(self) -> list[int]:
        return list(range(self.redraw_id + 1)) if self.kind == "decision" else []

    @property
    def cells(self) -> list[oracle.Cell]:
        """All cells of the board's square, row by row."""
        rows, columns = len(self.components.board), len(self.components.board[0])
        return [(row, column) for row in range(rows) for column in range(columns)]

    def marked(self, cell: oracle.Cell) -> bool:
        """Whether a mark is there."""
        return self._is_mark(cell)

    @property
    def acting(self) -> int | None:
        """The number of the actor whose play it is."""
        return None if self.kind == "over" else self._actor()

    @property
    def turns(self) -> int:
        """Turns of the game."""
        return self._turns()

    @property
    def scorings_due(self) -> list[int]:
        """The turns, from the present one on, that end with a scoring."""
        if self.kind == "over":
            return []
        scored = {*self.components.scoring_turns[self.players], self.turns}
        return [turn for turn in range(self.turn, self.turns + 1) if turn in scored]


# ==================================================================== own things first


def one_hot(size: int, *places: int | None) -> list[int]:
    return [int(place in places) for place in range(size)]


def base_64(value: int) -> list[int]:
    return list(divmod(min(value, MOST * 64 + 63), 64))


def fruits_of(game: Witness, seat: int) -> list[str]:
    """The fruits from the seat's own on; one that nobody owns is the last."""
    owned = 3 if game.players == 3 else 4
    around = [oracle.FRUITS[(seat + k) % owned] for k in range(owned)]
    return [*around, *oracle.FRUITS[owned:]]


def actors_of(game: Witness, seat: int) -> list[int]:
    """The actors from the seat's own on."""
    count = len(game.actors)
    return [(seat + k) % count for k in range(count)]


def kinds_of(game: Witness, seat: int) -> list[int]:
    """The kinds in the order in which the seat sees them.

    If the deck looks alike with fruits renamed as the seat sees them, a kind stands where seat 0
    sees the one that looks the same; otherwise in the order of the file.
    """
    cards, copies = game.components.cards, game.components.counts
    names = str.maketrans("".join(fruits_of(game, seat)), "".join(oracle.FRUITS))
    seen = [tuple(row.translate(names) for row in card) for card in cards]
    deck, looks = list(zip(cards, copies, strict=True)), list(zip(seen, copies, strict=True))
    if len(set(deck)) < len(deck) or set(looks) != set(deck):
        return list(range(len(cards)))
    return [looks.index(card) for card in deck]


def groups(game: Witness) -> dict[oracle.Cell, set[oracle.Cell]]:
    """The group of every visible fruit."""
    visible, found = game.visible(), dict[oracle.Cell, set[oracle.Cell]]()
    for cell, letter in visible.items():
        if letter in oracle.FRUITS and cell not in found:
            group, border = {cell}, [cell]
            while border:
                row, column = border.pop()
                for down, right in oracle.NEIGHBOURS[game.adjacency]:
                    other = (row + down, column + right)
                    if visible.get(other) == letter and other not in group:
                        group.add(other)
                        border.append(other)
            found.update(dict.fromkeys(group, group))
    return found


def group_size(game: Witness) -> dict[oracle.Cell, int]:
    """How many fruits the group of each visible fruit has, as far as can be shown."""
    return {cell: min(len(group), MOST) for cell, group in groups(game).items()}


def points_of(game: Witness, fruit: str) -> int:
    return oracle.fruit_points(game.visible(), fruit, game.adjacency)


def gain(game: Witness, fruit: str) -> list[int]:
    """What one more of this fruit would add at every cell; 0 where none can be laid."""
    visible, before = game.visible(), points_of(game, fruit)
    gains = []
    for cell in game.cells:
        if not game.marked(cell) or visible.get(cell) in oracle.FRUITS:
            gains.append(0)
        else:
            more = oracle.fruit_points({**visible, cell: fruit}, fruit, game.adjacency)
            gains.append(min(more - before, MOST))
    return gains


# ==================================================================== the sections of flat


def plane(game: Witness, letter: str) -> list[int]:
    visible = game.visible()
    return [int(visible.get(cell) == letter) for cell in game.cells]


def flat(game: Witness, seat: int) -> Values:
    """Every section of the flat encoder, as `seat` should see it."""
    return {
        "cream": plane(game, oracle.CREAM),
        "fruits": [bit for fruit in fruits_of(game, seat) for bit in plane(game, fruit)],
        **context(game, seat),
    }


def context(game: Witness, seat: int) -> Values:
    """All but the board."""
    kinds, actors = kinds_of(game, seat), actors_of(game, seat)
    due = game.scorings_due
    return {
        "card": [int(kind == game.card) for kind in kinds],
        "bag": [game.bag[kind] for kind in kinds],
        "bag_left": base_64(sum(game.bag)),
        "redraw": [int(not game.redrawn)],
        "seat": one_hot(game.players, seat),
        "actor": [int(actor == game.acting) for actor in actors],
        "order": [int(actor == acting) for acting in game.order for actor in actors],
        "turn": one_hot(game.turns, game.turn - 1 if game.kind != "over" else None),
        "to_scoring": [due[0] - game.turn + 1 if due else 0],
        "scorings": [len(due)],
        "totals": [digit for actor in actors for digit in base_64(game.actor_totals[actor])],
        "collected": [len(game.collected[actor]) for actor in actors],
        "groups": [
            digit for fruit in fruits_of(game, seat) for digit in base_64(points_of(game, fruit))
        ],
    }


# ==================================================================== the planes


def planes(game: Witness, seat: int, gains: dict[str, list[int]]) -> Values:
    """Every section of the planes encoder; the gains are the same for all seats."""
    sizes = group_size(game)
    seen = flat(game, seat)
    return {
        "marks": [int(game.marked(cell)) for cell in game.cells],
        "cream": seen.pop("cream"),
        "fruits": seen.pop("fruits"),
        "group_size": [sizes.get(cell, 0) for cell in game.cells],
        "gain": [value for fruit in fruits_of(game, seat) for value in gains[fruit]],
        "face": face_planes(game, seat),
        **seen,
    }


def face_planes(game: Witness, seat: int) -> list[int]:
    """The card drawn in its four turns, in the middle: cream and the fruits of each."""
    size = len(game.components.cards[0])
    rows, columns = len(game.components.board), len(game.components.board[0])
    top, left = (rows - size) // 2, (columns - size) // 2
    values = []
    for quarters in range(4):
        lying = {}
        if game.card is not None:
            card = oracle.turned(game.components.cards[game.card], quarters)
            lying = dict(oracle.printed_cells(card, top, left))
        for letter in [oracle.CREAM, *fruits_of(game, seat)]:
            values += [int(lying.get(cell) == letter) for cell in game.cells]
    return values


# ==================================================================== the tokens


def tokens(game: Witness, seat: int) -> dict[str, list[Row]]:
    """Every section of the tokens encoder: a row of named categories for each token."""
    symbols = {
        letter: number
        for number, letter in enumerate(["", oracle.CREAM, *fruits_of(game, seat)], start=1)
    }
    return {
        "cells": cell_tokens(game, symbols),
        "face": face_tokens(game, symbols),
        "kinds": [
            {
                "token": KIND,
                "kind": place,
                "in_bag": game.bag[kind] + 1,
                "drawn": YES if game.card == kind else NO,
            }
            for place, kind in enumerate(kinds_of(game, seat), start=1)
        ],
        "actors": actor_tokens(game, seat),
        "groups": [
            {
                "token": FRUIT,
                "symbol": symbols[fruit],
                **digits("points", points_of(game, fruit)),
            }
            for fruit in fruits_of(game, seat)
        ],
        "turn": [turn_token(game, seat)],
    }


def digits(name: str, value: int) -> Row:
    high, low = base_64(value)
    return {f"{name}_high": high, f"{name}_low": low}


def cell_tokens(game: Witness, symbols: dict[str, int]) -> list[Row]:
    visible, sizes = game.visible(), group_size(game)
    return [
        {
            "token": CELL,
            "row": row + 1,
            "column": column + 1,
            "symbol": symbols[visible.get((row, column), "")],
            "group_size": sizes.get((row, column), 0),
        }
        for row, column in game.cells
        if game.marked((row, column))
    ]


def face_tokens(game: Witness, symbols: dict[str, int]) -> list[Row]:
    size = len(game.components.cards[0])
    if game.card is None:
        return [{}] * (size * size)
    return [
        {
            "token": FACE,
            "row": row + 1,
            "column": column + 1,
            "symbol": symbols[letter.strip(oracle.TRANSPARENT)],
        }
        for row, letters in enumerate(game.components.cards[game.card])
        for column, letter in enumerate(letters)
    ]


def actor_tokens(game: Witness, seat: int) -> list[Row]:
    return [
        {
            "token": ACTOR,
            "actor": place,
            "acts": YES if game.acting == actor else NO,
            "place_in_order": game.order.index(actor) + 1,
            "collected": len(game.collected[actor]) + 1,
            **digits("total", game.actor_totals[actor]),
        }
        for place, actor in enumerate(actors_of(game, seat), start=1)
    ]


def turn_token(game: Witness, seat: int) -> Row:
    due = game.scorings_due
    return {
        "token": TURN,
        "turn": game.turn if due else 0,
        "to_scoring": (due[0] - game.turn + 1 if due else 0) + 1,
        "scorings": len(due) + 1,
        "redraw": NO if game.redrawn else YES,
        "seat": seat + 1,
        **digits("bag_left", sum(game.bag)),
    }


# ==================================================================== comparing


def read_values(sections: Sequence[Section], observation: np.ndarray) -> Values:
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


def joined(observation: Any) -> np.ndarray:
    """An observation in pieces as one row."""
    if isinstance(observation, dict):
        return np.concatenate([piece.ravel() for piece in observation.values()])
    return np.asarray(observation).ravel()


def compare(games: dict[str, Game], witness: Witness, seen: Counter[str]) -> None:
    """Compares what every seat sees at the present node."""
    gains = {fruit: gain(witness, fruit) for fruit in oracle.FRUITS}
    for seat in range(witness.players):
        for encoder, game in games.items():
            row, sections = joined(game.observation(seat)), game.engine.sections
            if encoder == "tokens":
                expected: Any = without_zeros(tokens(witness, seat))
                found: Any = read_tokens(sections, row)
                pair = (expected["turn"][0], found["turn"][0])
            else:
                told = planes(witness, seat, gains) if encoder == "planes" else flat(witness, seat)
                expected, found = told, read_values(sections, row)
                pair = (expected, found)
                seen.update(name for name, values in told.items() if any(values))
            if witness.kind != "decision":  # then there is no card drawn that could go back
                for values in pair:
                    values.pop("redraw")
            assert found == expected, encoder
        seen["position"] += 1


def walk(seed: int, seen: Counter[str], often: float, **options: Any) -> None:
    """Plays a random game with all encoders beside the slow one, and compares at many nodes.

    Args:
        seed: Of the random play.
        seen: Counts positions, and how often each section had something to say.
        often: How often a node is looked at.
        **options: The options of the game.
    """
    games = {name: Game("quatre_v0", encoder=name, **options) for name in ENCODERS}
    first, rng = games["flat"], random.Random(seed)
    text = options.pop("components", None)
    witness = Witness(**options, components=text and oracle_components(text.text))
    while first.node != "over":
        if rng.random() < often:
            compare(games, witness, seen)
        if first.node == "chance":
            value = rng.choice(outcomes(first))
        else:
            redraw = rng.random() < 0.3 and not witness.redrawn
            legal = first.legal_actions()
            value = legal[-1] if redraw or rng.random() < 0.1 else rng.choice(legal)
        for game in games.values():
            (game.apply_chance if game.node == "chance" else game.apply)(value)
        witness.apply(value)
    compare(games, witness, seen)


WAYS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_turns": "fruit", "adjacency": "diagonal"},
    {"players": 3, "adjacency": "diagonal"},
    {"players": 4},
]


@pytest.mark.rule("Q5", "Q6", "Q8", "Q10", "Q12", "Q13", "Q14")
@pytest.mark.parametrize("way", WAYS)
def test_observations_of_random_games(way: dict[str, Any]) -> None:
    """All encoders, for every seat, at many nodes; and each section had its say."""
    seen = Counter[str]()
    for seed in range(4):
        walk(seed, seen, 0.2, **way)
    assert seen["position"] > 60
    sections = {section.name for section in make("quatre_v0", encoder="planes").engine.sections}
    assert not sections - seen.keys()


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q8", "Q10")
@pytest.mark.parametrize("way", WAYS)
def test_some_observations(way: dict[str, Any]) -> None:
    """The same for runs without the JIT and with checked indices."""
    seen = Counter[str]()
    walk(9, seen, 0.1, **way)
    assert seen["position"] > 2


@pytest.mark.rule("Q4")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_observations_with_other_components(players: int) -> None:
    """Q4: the shipped game of middle size; its board and cards have sizes of their own."""
    text = make("quatre_v0", players=2, components="tart").engine.setup.components.text
    seen = Counter[str]()
    walk(3, seen, 0.3, players=players, components=parse_components(text, "mine.toml"))
    assert seen["position"] > 10


# ==================================================================== shapes and bounds


@pytest.mark.pure
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_sections_fill_the_observation(encoder: str, way: dict[str, Any]) -> None:
    """Section follows section, to the last value."""
    engine = make("quatre_v0", encoder=encoder, **way).engine
    ends = [section.offset + section.length for section in engine.sections]
    assert [section.offset for section in engine.sections] == [0, *ends[:-1]]
    assert engine.size == ends[-1] == total_length(engine.sections)
    names = [section.name for section in engine.sections]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_values_stay_within_their_bounds(encoder: str, way: dict[str, Any]) -> None:
    """No value is negative or above what its section states, for any seat at any time."""
    tables = make_vec("quatre_v0", tables=64, seed=2, encoder=encoder, **way)
    highs = tables.engine.highs()
    for step in range(80):
        actions = tables.sample()
        if step % 5 == 0:
            actions[:] = tables.actions - 2
        tables.step(actions)
        seen = tables.observe_all()
        assert seen.min() >= 0
        assert (seen <= highs).all()
        own = seen[np.arange(64), tables.seat]
        np.testing.assert_array_equal(own, tables.observation)


def test_planes_come_in_two_pieces() -> None:
    """`planes` is a board of C x 12 x 12 and a context vector, in every face."""
    env = make("quatre_v0", encoder="planes", players=3)
    env.reset(seed=4)
    tables = make_vec("quatre_v0", tables=2, seed=4, encoder="planes", players=3)
    seen = env.observe(env.agent_selection)
    observed = seen["observation"]
    assert list(observed) == list(tables.pieces) == ["board", "context"]
    for name, piece in observed.items():
        assert piece.dtype == np.int8
        np.testing.assert_array_equal(piece, tables.pieces[name][0])
    assert observed["board"].shape[1:] == (12, 12)
    assert env.observation_space(env.agent_selection).contains(seen)
    marks = observed["board"][0]
    assert marks.sum() == 112
    sections = {section.name: section for section in env.engine.sections}
    board = [sections[name] for name in ("marks", "cream", "fruits", "group_size", "gain", "face")]
    assert observed["board"].size == sum(section.length for section in board)
    assert observed["context"].size == env.engine.size - observed["board"].size


@pytest.mark.rule("Q13")
def test_large_values_stop_at_the_largest_that_can_be_shown() -> None:
    """A total of 14,400 or a group of 120 on the largest board."""
    components = parse_components(LARGEST.replace("copies = 120", "copies = 126"), "mine.toml")
    games = [Game("quatre_v0", encoder=encoder, components=components) for encoder in ENCODERS]
    for game in games:
        for cell in range(126):
            game.apply_chance(0)
            game.apply(4 * cell)
        values = joined(game.observation(0))
        assert (values >= 0).all()
        assert (values <= game.engine.highs().reshape(-1)).all()
        while game.node != "over":
            game.apply_chance(outcomes(game)[0])
            game.apply(game.engine.actions - 2)
        assert game.totals[0] > 126**2
        assert (joined(game.observation(0)) <= game.engine.highs().reshape(-1)).all()
    flat_game = games[0]
    shown = read_values(flat_game.engine.sections, flat_game.observation(0))
    assert shown["totals"][:2] == [127, 63]
    assert shown["groups"][:2] == [127, 63]


# ==================================================================== what all see


@pytest.mark.pure
@pytest.mark.rule("Q1", "Q5")
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_deck_that_treats_fruits_alike_looks_alike_to_all(encoder: str) -> None:
    """Four seats see the start of the game, and their own share of it, in the same way."""
    game = start(players=4, encoder=encoder)
    for seat in range(4):
        collect(game, seat)  # the first pattern, from the seat's own fruit on
    seen = [joined(game.observation(seat)) for seat in range(4)]
    tell_apart = ("seat", "actor", "order")
    sections = game.engine.sections
    if encoder == "tokens":
        for row in seen[1:]:
            others = [read_tokens(sections, one) for one in (seen[0], row)]
            for found in others:
                found["turn"][0].pop("seat")
                for token in found["actors"]:
                    token.pop("acts")
                    token.pop("place_in_order")
            assert others[0] == others[1]
    else:
        for row in seen[1:]:
            values = [read_values(sections, one) for one in (seen[0], row)]
            for found in values:
                for name in tell_apart:
                    found.pop(name)
            assert values[0] == values[1]
