"""What `expert` tells of every action of quatre, against the same worked out by flood fill."""

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers.quatre import COLLECT, FRUITS, Grid, outcomes, picture
from oracles.quatre import NEIGHBOURS, Cell, fruit_points
from tefuda.envs import Game
from tefuda.envs.core.contract import NOBODY
from tefuda.envs.quatre.outlook import BEST_PLACES, ENTRIES_A_UNIT, MEASURES

LEVEL, MOST = 64, 127

WAYS: list[dict[str, Any]] = [
    {"players": 2, "adjacency": "diagonal"},
    {"players": 3},
    {"players": 4},
]


def play_to_a_card(game: Game, plays: int, rng: random.Random) -> Game:
    """Plays on, now and then with a collected card, up to a draw."""
    for _ in range(plays):
        game.apply_chance(rng.choice(outcomes(game)))
        placing = [action for action in game.legal_actions() if action < COLLECT]
        game.apply(COLLECT if rng.random() < 0.1 else rng.choice(placing or [COLLECT]))
    game.apply_chance(rng.choice(outcomes(game)))
    return game


def visible_in(board: Grid) -> dict[Cell, str]:
    """The letters that show, by cell."""
    cells = ((row, column) for row in range(len(board)) for column in range(len(board[0])))
    return {cell: board[cell[0]][cell[1]] for cell in cells}


def around(cell: Cell, adjacency: str) -> list[Cell]:
    """The cells beside a cell."""
    return [(cell[0] + down, cell[1] + right) for down, right in NEIGHBOURS[adjacency]]


def group_of(visible: dict[Cell, str], cell: Cell, adjacency: str) -> set[Cell]:
    """The group in which a cell lies."""
    group, found = {cell}, [cell]
    while found:
        for beside in around(found.pop(), adjacency):
            if beside not in group and visible.get(beside) == visible[cell]:
                group.add(beside)
                found.append(beside)
    return group


def measures_of(
    visible: dict[Cell, str], marks: set[Cell], fruit: str, adjacency: str
) -> npt.NDArray[np.float64]:
    """The six measures of a fruit."""
    open_cells = [cell for cell in marks if visible[cell] not in FRUITS]
    groups = [group_of(visible, cell, adjacency) for cell in sorted(visible)
              if visible[cell] == fruit]  # fmt: skip
    largest = max(groups, key=len, default=set())
    before = fruit_points(visible, fruit, adjacency)
    gains = [
        fruit_points({**visible, cell: fruit}, fruit, adjacency) - before
        for cell in open_cells
        if any(visible.get(beside) == fruit for beside in around(cell, adjacency))
    ]
    growth, second = sorted([*gains, 0, 0], reverse=True)[:2]
    beside_largest = [c for c in open_cells if largest & set(around(c, adjacency))]
    size, liberties = len(largest), len(beside_largest)
    return np.array([growth, second, size, liberties, growth**2, liberties * size], float)


def weights_of(game: Game) -> list[float]:
    """What a point of each fruit is worth to the acting seat (Q5)."""
    owners = {2: (0, 1, 0, 1), 3: (0, 1, 2, NOBODY), 4: (0, 1, 2, 3)}[game.players]
    others = -1 / (game.players - 1)
    return [0.0 if owner == NOBODY else 1.0 if owner == game.seat else others for owner in owners]


def expected(
    game: Game, actions: list[int], adjacency: str
) -> dict[int, tuple[float, npt.NDArray[np.float64]]]:
    """What each place gains by the weights, and its weighed measures."""
    marks = {(int(r), int(c)) for r, c in np.argwhere(game.engine.setup.parts[0]["marks"])}
    weights = weights_of(game)
    before = visible_in(picture(game))
    found = {}
    for action in actions:
        twin = game.clone()
        twin.apply(action)
        after = visible_in(picture(twin))
        gain, measures = 0.0, np.zeros(MEASURES)
        for fruit, weight in zip(FRUITS, weights, strict=True):
            points = fruit_points(after, fruit, adjacency) - fruit_points(before, fruit, adjacency)
            gain += weight * points
            measures += weight * measures_of(after, marks, fruit, adjacency)
        found[action] = gain, measures
    return found


def actions_piece(game: Game) -> npt.NDArray[np.int64]:
    """(K, A) what the acting seat sees of its actions."""
    assert game.seat is not None
    features: npt.NDArray[np.int64] = game.observation(game.seat)["actions"].astype(np.int64)
    return features


def gain_shown(features: npt.NDArray[np.int64], action: int, weights: list[float]) -> float:
    """The gain by the features of an action; those count from the seat's own fruit."""
    own = weights.index(1.0)
    turned = sorted(range(4), key=lambda fruit: (weights[fruit] == 0.0, (fruit - own) % 4))
    return sum(weights[f] * (features[k, action] - LEVEL) for k, f in enumerate(turned))


@pytest.mark.rule("Q5", "Q10", "Q13")
@pytest.mark.parametrize("way", WAYS)
def test_the_best_places_and_how_the_board_would_stand(way: dict[str, Any]) -> None:
    """The places that gain most are told, and for these all measures."""
    adjacency = way.get("adjacency", "orthogonal")
    for seed, plays in enumerate([0, 3, 9, 14]):
        rng = random.Random(seed)
        game = play_to_a_card(Game("quatre_v0", encoder="expert", **way), plays, rng)
        features = actions_piece(game)
        placing = [action for action in game.legal_actions() if action < COLLECT]
        best = np.flatnonzero(features[5]).tolist()
        assert len(best) == min(BEST_PLACES, len(placing))
        assert set(best) <= set(placing)
        compare(game, features, best, placing, adjacency)


def compare(
    game: Game,
    features: npt.NDArray[np.int64],
    best: list[int],
    placing: list[int],
    adjacency: str,
) -> None:
    """The gains rank the places, and the measures are those of flood fill."""
    weights = weights_of(game)
    gains = {action: gain_shown(features, action, weights) for action in placing}
    rest = [gain for action, gain in gains.items() if action not in best]
    assert min(gains[action] for action in best) >= max(rest, default=-np.inf) - 1e-9
    truth = expected(game, best, adjacency)
    first = max(best, key=lambda action: (gains[action], -action))
    for action in best:
        assert gains[action] == pytest.approx(truth[action][0])
        difference = ENTRIES_A_UNIT * (truth[action][1] - truth[first][1])
        shown = features[6:, action] - LEVEL
        np.testing.assert_allclose(shown, np.clip(difference, 1 - LEVEL, MOST - LEVEL), atol=0.51)


@pytest.mark.rule("Q8")
def test_only_the_acting_seat_is_told() -> None:
    """Who does not act sees nothing of actions."""
    game = play_to_a_card(Game("quatre_v0", encoder="expert"), 2, random.Random(5))
    assert game.seat is not None
    for seat in range(game.players):
        assert game.observation(seat)["actions"].any() == (seat == game.seat)
