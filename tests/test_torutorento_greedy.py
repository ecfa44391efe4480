"""The scripted player of torutorento: legal, blind to what is hidden, strong, sensible by hand."""

from typing import Any

import numpy as np
import pytest

from helpers.torutorento import (
    PICK,
    ROLES,
    asked,
    changed,
    components,
    deal,
    deal_round,
    face,
    fall,
    keep_hands,
    last_points,
    pass_takes,
    scored,
    take,
    take_action,
)
from tefuda.envs import Game, make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import fields
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.evaluate import evaluate

GREEDY, RANDOM = GreedyAgent(), RandomAgent()

OPTIONS: list[dict[str, Any]] = [
    {"players": 3},
    {"players": 4, "tie_ranking": "competition", "mimic_body": 3},
    {"players": 5, "mimic_body": 2, "components": components(changed(bird=9, mimic=6))},
]


def mixed_play(tables: Tables, steps: int, seed: int) -> Any:
    """Yields the greedy actions at each step; about a third of what is played is random."""
    rows, rng = np.arange(tables.tables), np.random.default_rng(seed)
    for _ in range(steps):
        actions = GREEDY.act(tables, rows)
        yield actions
        at_random = rng.random(rows.size) < 0.3
        tables.step(np.where(at_random, tables.sample(), actions))


@pytest.mark.parametrize("options", OPTIONS)
def test_actions_are_legal_and_change_nothing(options: dict[str, Any]) -> None:
    """Over whole games, random moves among them; asking leaves every table as it is."""
    tables = make_vec("torutorento_v0", tables=48, seed=1, target=8, **options)
    rows, ended = np.arange(48), 0
    for actions in mixed_play(tables, 250, seed=2):
        assert tables.action_mask[rows, actions].all()
        before = tables.games.copy()
        np.testing.assert_array_equal(GREEDY.act(tables, rows), actions)
        np.testing.assert_array_equal(tables.games, before)
        ended += int(tables.done.sum())
    assert ended > 10


@pytest.mark.rule("T6", "T8", "T14", "T15")
@pytest.mark.parametrize("options", OPTIONS)
def test_hidden_things_do_not_matter(options: dict[str, Any]) -> None:
    """It acts the same in every world that the acting seat cannot tell from the real one."""
    tables = make_vec("torutorento_v0", tables=48, seed=3, **options)
    engine, parts, rows = tables.engine, tables.engine.parts, np.arange(48)
    twins, holders = engine.records(48), fields(np.zeros(48, STREAM))
    redraws = np.arange(1, 49, dtype=np.uint64)
    hands_differ = 0
    for step, _ in enumerate(mixed_play(tables, 90, seed=4)):
        twins[:] = tables.games
        holders["stream"] = redraws
        for row, seat in enumerate(tables.seat):
            engine.loops.resample_one(twins, parts, row, seat, holders[row : row + 1])
        redraws[:] = holders["stream"]
        hands_differ += int((twins["hand"] != tables.games["hand"]).any(axis=1).sum())
        found = []
        for games in (tables.games, twins):
            actions = np.zeros(48, np.int64)
            holders["stream"] = np.arange(1 + step, 49 + step)  # what ties are broken with
            engine.loops.greedy_actions(games, parts, holders, rows, actions)
            found.append(actions)
        np.testing.assert_array_equal(found[0], found[1])
    assert hands_differ > 2000


@pytest.mark.parametrize("options", [{"players": 3}, {"players": 4}, {"players": 5}])
def test_beats_random_seats(options: dict[str, Any]) -> None:
    """Its mean payoff lies far above 0, which is an even player's; 1 is a sole winner's."""
    result = evaluate(GREEDY, RANDOM, "torutorento_v0", games=300, seed=5, options=options)

    assert result.interval[0] > 0.75


# ==================================================================== positions by hand


def choice(game: Game) -> int:
    """What the scripted player does here."""
    actions, holder = np.zeros(1, np.int64), fields(np.zeros(1, STREAM))
    holder["stream"] = 1
    game.engine.loops.greedy_actions(
        game._games, game.engine.parts, holder, np.zeros(1, np.int64), actions
    )
    assert int(actions[0]) in game.legal_actions()
    return int(actions[0])


def play_on(game: Game) -> list[int]:
    """All seats play as scripted to the end of the round; returns its points."""
    rounds = scored(game)
    while scored(game) == rounds:
        game.apply(choice(game))
        game.settle()
    return last_points(game)


def at_change(text: str, **options: Any) -> Game:
    """The change phase of a round in which seat 0 keeps this hand."""
    game = deal([text, "", ""], **options)
    fall(game)
    pass_takes(game)
    return game


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T16")
@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("H> 1 2 F B <H T> 3", 5),  # turns the tail round
        ("H> F 1 <T B 2 3 1", 5),  # moves the flower out
        ("B B H> F Y 1 <T 2", 6),  # two moves
        ("H> 1 <T B F 2 3 1", 5),  # nothing to gain: keeps what it has
        ("H> 1 TT 2 3 B <T F", 5),
    ],
)
def test_birds_complete_caterpillars(text: str, points: int) -> None:
    """T16: it searches the moves of its birds."""
    assert play_on(at_change(text))[0] >= points


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T16")
@pytest.mark.parametrize(
    "text",
    ["M 2 <T", "T> 2 M", "M 2 <H", "H> 2 M", "H> M <T", "M 2 M", "M M <T", "H> 1 M <T B 2"],
)
def test_mimics_complete_caterpillars(text: str) -> None:
    """T16: it finds the role, or the roles, that do."""
    assert play_on(at_change(text))[0] == 5


@pytest.mark.pure
@pytest.mark.rule("T16")
def test_mimics_are_declared_for_the_longest() -> None:
    """T16: as a body in a caterpillar that is there, rather than as a needless end."""
    game = at_change("H> 3 M 3 <T", mimic_body=3)
    assert choice(game) == ROLES["body"]


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T14")
def test_growth_takes_the_card_that_is_missing() -> None:
    """T14: the tail of the market, with its body to the left."""
    game = deal(["F H> 3 3 1 1 1 1", "", ""], market="<T HH TT")
    fall(game, {0: [7]})
    pass_takes(game)
    assert asked(game) == "pick"
    assert choice(game) in (PICK + face("<T"), PICK + face("TT"))
    assert play_on(game)[0] == 5


@pytest.mark.pure
@pytest.mark.rule("T8", "T17")
def test_a_good_hand_is_kept() -> None:
    """T8, T17: neither the ends of its caterpillar nor its only flower fall."""
    game = deal(["F H> 3 3 3 3 <T 1", "", ""])
    fallen = set()
    while asked(game) == "leaf" and game.seat == 0:
        fallen.add(choice(game))
        game.apply(choice(game))
    assert not fallen & {0, 1, 6}


@pytest.mark.rule("T9")
def test_takes_from_the_leader() -> None:
    """T9: of two other seats the one with more points."""
    for leader in (1, 2):
        hands = ["", "", ""]
        hands[leader] = "H> 1 <T"
        game = deal(hands)
        keep_hands(game)
        deal_round(game, ["", "", ""])
        fall(game)
        while game.seat != 0:
            take(game)
        assert choice(game) in range(take_action(game, leader, 0), take_action(game, leader, 8))
