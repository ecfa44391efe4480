"""The smallest shipped game of quatre, walked through whole: counted, and solved.

The game is drawn as a graph twice, with the package's kernels and with the plain rules of
`helpers.quatre`; what can be reached in different ways is one node. Numbers of sequences (as
chess programs count them, "perft"), the value under best play, and what a best reply to random
play wins are worked out on both.
"""

import copy
import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from helpers.quatre import (
    Grid,
    bare,
    component_text,
    laid,
    legal_by_cells,
    oracle_components,
    place_of,
)
from helpers.statistics import FIRM
from oracles import quatre as oracle
from tefuda.envs import Game, make
from tefuda.envs.core.parts import parse_components

GAMES = 400
MINI = make("quatre_v0", players=2, components="mini").engine.setup.components.text
#: More events than any game has: four plays of draw, redraw, draw, and the card placed.
LONGEST = 16


class Edge(NamedTuple):
    """An event.

    Attributes:
        value: The action or outcome.
        chance: Of an outcome, its probability.
        gain: What it scores: points of seat 0 less those of seat 1.
        node: Where it leads.
    """

    value: int
    chance: float
    gain: int
    node: int


@dataclass
class Graph:
    """A game; every node stands behind those to which it leads, the start is the last.

    Attributes:
        seats: Of each node, who acts; None at a chance node and at the end.
        edges: Of each node, what can happen.
        numbers: The nodes by what is known of them.
    """

    seats: list[int | None] = field(default_factory=list)
    edges: list[list[Edge]] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def add(self, key: Hashable, seat: int | None, edges: list[Edge]) -> int:
        """Adds a node; returns its number."""
        self.numbers[key] = len(self.edges)
        self.seats.append(seat)
        self.edges.append(edges)
        return self.numbers[key]


# ==================================================================== by the kernels


def known(game: Game) -> bytes:
    """All that the future depends on, as seat 0 observes it: everything but the points so far."""
    observation = game.observation(0)
    for section in game.engine.sections:
        if section.name == "totals":
            observation[section.slice] = 0
    return bytes(observation.tobytes())


def lead(game: Game) -> int:
    """Points of seat 0 less those of seat 1."""
    mine, theirs = game.totals
    return mine - theirs


def draw_graph(game: Game, graph: Graph) -> int:
    """Adds a game and all that can follow; returns its node."""
    key = known(game)
    if key in graph.numbers:
        return graph.numbers[key]
    if game.node == "chance":
        events = game.chance_outcomes()
    else:
        events = [(action, 0.0) for action in game.legal_actions()]
    edges = []
    for value, chance in events:
        after = game.clone()
        after.advance(value)
        edges.append(Edge(value, chance, lead(after) - lead(game), draw_graph(after, graph)))
    return graph.add(key, game.seat if game.node == "decision" else None, edges)


def kernel_graph(text: str) -> Graph:
    """The graph of a component file for two, by the package."""
    graph = Graph()
    components = parse_components(text, "mine.toml")
    draw_graph(Game("quatre_v0", players=2, components=components), graph)
    return graph


# ==================================================================== by the plain rules


class Position(NamedTuple):
    """All that the future depends on; seats take one play a turn."""

    visible: Grid
    bag: tuple[int, ...]
    card: int | None
    redrawn: bool
    collected: tuple[int, int]
    order: tuple[int, int]
    plays: int


class PlainGame:
    """The rules for two seats, as the page says them."""

    def __init__(self, text: str) -> None:
        self.components = oracle_components(text)
        self.turns = self.components.turns[2]
        self.points = cache(self._points)

    def start(self) -> Position:
        """Q6, Q7."""
        return Position(
            bare(self.components.board), self.components.counts, None, False, (0, 0), (0, 1), 0
        )

    def over(self, at: Position) -> bool:
        """Q6."""
        return at.plays == 2 * self.turns

    def seat(self, at: Position) -> int | None:
        """Who decides, if anybody."""
        return None if at.card is None else at.order[at.plays % 2]

    def events(self, at: Position) -> Iterator[tuple[int, float, int, Position]]:
        """Value, probability, gain and what follows, of all that can happen."""
        if self.over(at):
            return
        if at.card is None:
            for kind, copies in enumerate(at.bag):
                if copies:
                    bag = tuple(n - (k == kind) for k, n in enumerate(at.bag))
                    yield kind, copies / sum(at.bag), 0, at._replace(bag=bag, card=kind)
            return
        card = self.components.cards[at.card]
        legal = legal_by_cells(self.components.board, at.visible, card, redrawn=at.redrawn)
        collect = max(legal) if at.redrawn else max(legal) - 1
        for action in legal:
            if action < collect:
                place = place_of(action, self.components.board, card)
                after = at._replace(visible=laid(at.visible, card, place))
                yield (action, 0.0, *self._after_play(after))
            elif action == collect:
                seat = at.order[at.plays % 2]
                mine, theirs = at.collected
                collected = (mine + (seat == 0), theirs + (seat == 1))
                yield (action, 0.0, *self._after_play(at._replace(collected=collected)))
            else:
                bag = tuple(n + (k == at.card) for k, n in enumerate(at.bag))
                yield action, 0.0, 0, at._replace(bag=bag, card=None, redrawn=True)

    def _after_play(self, at: Position) -> tuple[int, Position]:
        """Q6, Q13, Q14: the gain and what follows."""
        at = at._replace(card=None, redrawn=False, plays=at.plays + 1)
        turn, rest = divmod(at.plays, 2)
        if rest or turn not in self.components.scoring_turns[2]:
            return 0, at
        mine, theirs = self.points(at.visible)
        gain = mine + at.collected[0] - theirs - at.collected[1]
        if turn < self.turns:  # only one scoring precedes the last, so its points are the totals
            at = at._replace(order=self._next_order(at.order, gain))
        return gain, at

    @staticmethod
    def _next_order(order: tuple[int, int], gain: int) -> tuple[int, int]:
        if gain == 0:
            return order[1], order[0]
        return (0, 1) if gain > 0 else (1, 0)

    def _points(self, visible: Grid) -> tuple[int, int]:
        """Q5, Q13: of strawberry and kiwi, and of blueberry and orange."""
        shown = {
            (row, column): letter
            for row, line in enumerate(visible)
            for column, letter in enumerate(line)
        }
        s, b, k, o = (oracle.fruit_points(shown, fruit, "orthogonal") for fruit in oracle.FRUITS)
        return s + k, b + o


def plain_graph(text: str) -> Graph:
    """The graph of a component file for two, by the plain rules."""
    plain, graph = PlainGame(text), Graph()

    def visit(at: Position) -> int:
        if at in graph.numbers:
            return graph.numbers[at]
        edges = [
            Edge(value, chance, gain, visit(after))
            for value, chance, gain, after in plain.events(at)
        ]
        return graph.add(at, plain.seat(at), edges)

    visit(plain.start())
    return graph


@pytest.fixture(scope="module")
def kernels() -> Graph:
    return kernel_graph(MINI)


@pytest.fixture(scope="module")
def plain() -> Graph:
    return plain_graph(MINI)


# ==================================================================== what a graph tells


def sequence_counts(graph: Graph) -> list[int]:
    """How many sequences of 0, 1, 2 ... events there are from the start."""
    counts = np.zeros((len(graph.edges), LONGEST + 2), np.int64)
    counts[:, 0] = 1
    for number, edges in enumerate(graph.edges):
        for edge in edges:
            counts[number, 1:] += counts[edge.node, :-1]
    return [int(count) for count in counts[-1]]


#: What a seat makes of the values of its actions.
Choice = Callable[[list[float]], float]


def mean(values: list[float]) -> float:
    """What uniformly random play makes of them."""
    return sum(values) / len(values)


def node_values(graph: Graph, choices: tuple[Choice, Choice]) -> list[float]:
    """What seat 0 will still gain on seat 1 from each node, with these two at play."""
    values: list[float] = []
    for seat, edges in zip(graph.seats, graph.edges, strict=True):
        after = [edge.gain + values[edge.node] for edge in edges]
        if not edges:
            values.append(0.0)
        elif seat is None:
            values.append(
                sum(edge.chance * value for edge, value in zip(edges, after, strict=True))
            )
        else:
            values.append(choices[seat](after))
    return values


def start_value(graph: Graph, *choices: Choice) -> float:
    """The value of the start for seat 0."""
    return node_values(graph, (choices[0], choices[1]))[-1]


def positions(graph: Graph, *, acting: bool) -> int:
    """How many decisions, or chance nodes, there are."""
    pairs = zip(graph.seats, graph.edges, strict=True)
    return sum(bool(edges) and (seat is not None) == acting for seat, edges in pairs)


# ==================================================================== counting


@pytest.mark.rule("Q4", "Q8", "Q9", "Q10", "Q12")
def test_numbers_of_sequences_agree(kernels: Graph, plain: Graph) -> None:
    """As many sequences of every length, and as many different positions, below a million.

    So the observation of a seat tells positions apart exactly where the rules do. (At the end it
    may tell more, of the last play.)
    """
    counts = sequence_counts(kernels)
    assert counts == sequence_counts(plain)
    assert counts[:2] == [1, 3]
    assert counts[LONGEST] > 0 == counts[LONGEST + 1]
    for acting in (True, False):
        assert positions(kernels, acting=acting) == positions(plain, acting=acting)
    assert len(kernels.edges) < 1_000_000


def oracle_counts(game: oracle.Quatre, depth: int) -> list[int]:
    """The same by the second implementation, without joining what is the same."""
    counts = [1, *[0] * depth]
    if depth:
        for value in [*game.legal(), *game.outcomes()]:
            keep = {id(thing): thing for thing in (game.components, game.actors)}
            after = copy.deepcopy(game, keep)
            after.apply(value)
            for length, count in enumerate(oracle_counts(after, depth - 1)):
                counts[length + 1] += count
    return counts


def game_counts(game: Game, depth: int) -> list[int]:
    """The same by the package's tree."""
    counts = [1, *[0] * depth]
    if depth and game.node != "over":
        chance = game.node == "chance"
        values = [kind for kind, _ in game.chance_outcomes()] if chance else game.legal_actions()
        for value in values:
            after = game.clone()
            (after.apply_chance if chance else after.apply)(value)
            for length, count in enumerate(game_counts(after, depth - 1)):
                counts[length + 1] += count
    return counts


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q4", "Q8", "Q9", "Q10", "Q12", "Q16")
def test_the_second_implementation_counts_as_many() -> None:
    """From the start, and from later positions to the end."""
    components = oracle_components(MINI)
    start = oracle.Quatre(2, components=components)
    game = Game("quatre_v0", players=2, components="mini")
    assert oracle_counts(start, 3) == game_counts(game, 3)
    for seed in range(4):
        rng = random.Random(seed)
        other, twin = oracle.Quatre(2, components=components), game.clone()
        while other.turn < 2 or other.plays_done < 1 or other.kind != "chance":
            value = rng.choice([*other.legal(), *other.outcomes()])
            other.apply(value)
            twin.advance(value)
        counts = oracle_counts(other, 4)
        assert counts == game_counts(twin, 4)
        assert counts[-1] > 0


@pytest.mark.rule("Q4")
def test_counts_from_the_start_by_the_tree(kernels: Graph) -> None:
    """Joining positions that look the same loses no sequence."""
    game = Game("quatre_v0", players=2, components="mini")
    assert game_counts(game, 5) == sequence_counts(kernels)[:6]


# ==================================================================== solving


@pytest.mark.rule("Q4", "Q13", "Q14")
@pytest.mark.parametrize(
    "choices", [(max, min), (max, mean), (mean, min), (mean, mean), (max, max), (min, max)]
)
def test_values_agree(kernels: Graph, plain: Graph, choices: tuple[Choice, Choice]) -> None:
    """Best play, best replies to random play, play together and against oneself."""
    value = start_value(kernels, *choices)
    assert value == pytest.approx(start_value(plain, *choices), abs=1e-9)


@pytest.mark.rule("Q4")
def test_best_play_is_best(kernels: Graph) -> None:
    """Neither seat can do better against best play than by best play itself."""
    best = start_value(kernels, max, min)
    assert start_value(kernels, mean, min) < best < start_value(kernels, max, mean)
    assert start_value(kernels, mean, min) < start_value(kernels, mean, mean)
    assert start_value(kernels, mean, mean) < start_value(kernels, max, mean)
    assert -0.1 < best < 0  # going second is worth a little


@pytest.mark.rule("Q4", "Q13")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_best_reply_wins_against_random_play(kernels: Graph, seat: int) -> None:
    """Played by the package from keys, it gains what the graph says, and more than random play."""
    choices: tuple[Choice, Choice] = (max, mean) if seat == 0 else (mean, min)
    values = node_values(kernels, choices)
    leads = [play_reply(kernels, values, seat, number) for number in range(GAMES)]
    error = np.std(leads, ddof=1) / GAMES**0.5
    assert abs(np.mean(leads) - values[-1]) < FIRM * error
    assert abs(np.mean(leads) - start_value(kernels, mean, mean)) > 2 * FIRM * error


def play_reply(graph: Graph, values: list[float], seat: int, number: int) -> int:
    """A game of a best reply against random play; returns how it ended for seat 0."""
    game, rng, node = (
        Game("quatre_v0", players=2, components="mini", seed=(1, 0, number)),
        random.Random(number),
        len(values) - 1,
    )
    sign = 1 if seat == 0 else -1
    while game.node != "over":
        edges = {edge.value: edge for edge in graph.edges[node]}
        if game.node == "chance":
            game.settle()
        elif game.seat == seat:
            worth = {value: sign * (edge.gain + values[edge.node]) for value, edge in edges.items()}
            game.apply(max(worth, key=lambda value: worth[value]))
        else:
            game.apply(rng.choice(game.legal_actions()))
        node = edges[game.values[-1]].node
    return lead(game)


# ==================================================================== symmetry

ONE_TURN = ["players = [2, 4]", "turns = { 2 = 1, 4 = 2 }"]


def changed(letters: str, *, mirrored: bool = False) -> str:
    """A game of one turn like mini, with other letters for s, b, k, o, seen in a mirror or not."""
    mini = oracle_components(MINI)
    names = str.maketrans("sbko", letters)
    grids = [mini.board, *(tuple(row.translate(names) for row in card) for card in mini.cards)]
    if mirrored:
        grids = [tuple(row[::-1] for row in grid) for grid in grids]
    return component_text(grids[0], grids[1:], mini.counts, head=ONE_TURN)


@pytest.mark.pure
@pytest.mark.rule("Q5", "Q9", "Q13")
@pytest.mark.parametrize(
    ("letters", "mirrored"),
    [("kbso", False), ("sokb", False), ("kosb", False), ("sbko", True), ("kosb", True)],
)
def test_values_of_like_games(letters: str, mirrored: bool) -> None:
    """The value stays if fruits of one owner change names, or all is seen in a mirror."""
    graphs = [kernel_graph(text) for text in (changed("sbko"), changed(letters, mirrored=mirrored))]
    for choices in ((max, min), (max, mean), (mean, min)):
        first, other = (start_value(graph, *choices) for graph in graphs)
        assert other == pytest.approx(first, abs=1e-9)
    assert len(graphs[0].edges) == len(graphs[1].edges)
    assert start_value(graphs[0], max, mean) > 0.5
