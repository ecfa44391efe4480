"""The scripted player of quatre: legal, blind to the future of the bag, strong, and sensible."""

import random
from typing import Any

import numpy as np
import pytest

from helpers.quatre import (
    COLLECT,
    KINDS,
    REDRAW,
    box,
    collect,
    draw,
    outcomes,
    picture,
    place,
    places,
    redraw,
    start,
)
from tefuda.envs import Game, make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import fields
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.evaluate import evaluate

GREEDY, RANDOM = GreedyAgent(), RandomAgent()
TABLES = 32

WAYS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_turns": "fruit", "adjacency": "diagonal"},
    {"players": 3},
    {"players": 4, "reward": "score"},
]


def mixed_play(tables: Tables, steps: int, seed: int) -> Any:
    """Yields the greedy actions at each step; about half of what is played is random."""
    rows, rng = np.arange(tables.tables), np.random.default_rng(seed)
    for _ in range(steps):
        actions = GREEDY.act(tables, rows)
        yield actions
        at_random = rng.random(rows.size) < 0.5
        tables.step(np.where(at_random, tables.sample(), actions))


@pytest.mark.parametrize("way", WAYS)
def test_actions_are_legal_and_change_nothing(way: dict[str, Any]) -> None:
    """Over whole games, random moves among them; asking leaves every table as it is."""
    tables = make_vec("quatre_v0", tables=TABLES, seed=1, **way)
    rows = np.arange(TABLES)
    for actions in mixed_play(tables, 80, seed=2):
        assert tables.action_mask[rows, actions].all()
        before = tables.games.copy()
        np.testing.assert_array_equal(GREEDY.act(tables, rows), actions)
        np.testing.assert_array_equal(tables.games, before)


@pytest.mark.rule("Q8")
@pytest.mark.parametrize("way", WAYS)
def test_the_future_of_the_bag_does_not_matter(way: dict[str, Any]) -> None:
    """It acts the same whatever will come, and however the table came to stand as it does."""
    tables, twins = (make_vec("quatre_v0", tables=TABLES, seed=3, **way) for _ in range(2))
    engine, rows = tables.engine, np.arange(TABLES)
    holders = fields(np.zeros(TABLES, STREAM))
    holders["stream"] = np.arange(1, TABLES + 1)
    for actions in mixed_play(tables, 60, seed=4):
        twins.games[:] = tables.games
        for row, seat in enumerate(tables.seat):
            engine.loops.resample_one(twins.games, engine.parts, row, seat, holders[row : row + 1])
        twins.games["log"] = 0
        twins.games["number"] += np.uint64(7)
        assert (twins.games["stream"] != tables.games["stream"]).all()
        np.testing.assert_array_equal(GREEDY.act(twins, rows), actions)


@pytest.mark.parametrize(
    ("options", "least"),
    [
        *((way, 0.9) for way in WAYS if "reward" not in way),
        ({"players": 4}, 0.9),
        ({"players": 3, "components": "tart"}, 0.5),
    ],
)
def test_beats_random_seats(options: dict[str, Any], least: float) -> None:
    """The interval of its mean payoff lies above this; 0 is an even player, 1 a sole winner."""
    result = evaluate(GREEDY, RANDOM, "quatre_v0", games=240, seed=5, options=options)
    assert result.interval[0] > least


# ==================================================================== positions


def choice(game: Game) -> int:
    """What the scripted player does here."""
    actions, holder = np.zeros(1, np.int64), fields(np.zeros(1, STREAM))
    game.engine.loops.greedy_actions(
        game._games, game.engine.parts, holder, np.zeros(1, np.int64), actions
    )
    assert int(actions[0]) in game.legal_actions()
    return int(actions[0])


@pytest.mark.rule("Q13", "Q15")
@pytest.mark.parametrize("way", WAYS)
def test_the_last_action_of_a_game_is_the_best(way: dict[str, Any]) -> None:
    """After a redraw in the last play, nothing else would end the game with a better score."""
    placed = 0
    for seed in range(4):
        game, rng = Game("quatre_v0", **way), random.Random(seed)
        decisions = {2: 18, 3: 30, 4: 36}[game.players] * (2 if "two_player_turns" in way else 1)
        for _ in range(decisions - 1):
            draw(game, rng.choice(outcomes(game)))
            game.apply(rng.choice([a for a in game.legal_actions() if a != REDRAW]))
        draw(game, rng.choice(outcomes(game)))
        redraw(game, rng.choice(outcomes_after_redraw(game)))
        ends = {action: score_after(game, action) for action in game.legal_actions()}
        assert ends[choice(game)] == pytest.approx(max(ends.values()))
        placed += choice(game) < COLLECT
    assert placed


def outcomes_after_redraw(game: Game) -> list[int]:
    twin = game.clone()
    twin.apply(REDRAW)
    return outcomes(twin)


def score_after(game: Game, action: int) -> float:
    """What the acting seat will have under the reward "score" once the game has ended so."""
    assert game.seat is not None
    twin = game.clone()
    twin.apply(action)
    assert twin.node == "over"
    mine, others = twin.totals[game.seat], sum(twin.totals) - twin.totals[game.seat]
    return mine - others / (game.players - 1)


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q13")
def test_joins_its_own_group() -> None:
    """A fruit goes beside its like."""
    game = start(box("ss.", "s", "c"))
    place(game, 0, 5, 5)
    place(game, 2, 9, 9)
    draw(game, 1)
    redraw(game, 1)
    game.apply(choice(game))
    while game.node != "over":
        collect(game, 2)
    assert game.totals[0] == 9 + 1


@pytest.mark.pure
@pytest.mark.rule("Q10", "Q13")
def test_parts_a_group_of_the_others() -> None:
    """Cream goes where it takes most from them."""
    game = start(box("sss", "c"))
    place(game, 0, 5, 5)
    draw(game, 1)
    redraw(game, 1)
    game.apply(choice(game))
    assert picture(game)[5][5:8] == "scs"


@pytest.mark.pure
@pytest.mark.rule("Q5")
def test_parts_no_group_that_nobody_owns() -> None:
    """With three players oranges are no one's."""
    game = start(box("ooo/.../kk.", "c", players=3), 3)
    place(game, 0, 5, 5)
    draw(game, 1)
    redraw(game, 1)
    game.apply(choice(game))
    assert picture(game)[5][5:8] == "ooo"
    assert picture(game)[7].count("k") == 1


@pytest.mark.pure
@pytest.mark.rule("Q12", "Q16")
def test_collects_what_finds_no_place_or_helps_others_alone() -> None:
    """Blueberries are laid by their owner and collected by the other seat."""
    game = start(box("s.s", "bb.", board=["++"]))
    for kind in (0, 1, 1):
        draw(game, kind)
        redraw(game, kind)
        assert (kind == 1) == bool(places(game))
        assert (choice(game) == COLLECT) == (game.seat == 0 or kind == 0)
        game.apply(COLLECT)


@pytest.mark.pure
@pytest.mark.rule("Q8")
def test_redraws_a_poor_card_and_keeps_a_good_one() -> None:
    """Of a bag full of groups of four, one card helps seat 1 alone."""
    game = start(box("bbb/bbb/bbb", *["ss./ss."] * (KINDS - 1)))
    draw(game, 0)
    assert choice(game) == REDRAW
    game = start(box("sss/sss/sss", *["s"] * (KINDS - 1)))
    draw(game, 0)
    assert choice(game) < COLLECT
