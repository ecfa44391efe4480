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
    face,
    fall,
    keep_hands,
    last_points,
    pass_takes,
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
    print(result)
    assert result.interval[0] > 0.75
