"""The mask of quatre against a judgement of every place cell by cell."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helpers.quatre import (
    CAKE,
    PUBLISHED,
    REDRAW,
    Grid,
    bare,
    component_text,
    laid,
    legal_by_cells,
    outcomes,
    picture,
    place_of,
    random_records,
    turned,
)
from tefuda.envs import Game, make_vec
from tefuda.envs.core.jit import PURE_PYTHON
from tefuda.envs.core.parts import ComponentFile, parse_components

WAYS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_turns": "fruit"},
    {"players": 3},
    {"players": 4},
]


def judge_masks(record: dict[str, Any], found: Counter[str]) -> None:
    """Compares the legal actions of every decision, and notes what kinds of them there were."""
    visible, kind, redrawn = bare(CAKE), 0, False
    for event in record["events"]:
        if event["kind"] == "chance":
            kind = event["outcome"]
        elif event["kind"] == "decision":
            card, action = PUBLISHED.cards[kind], event["action"]
            assert event["legal"] == legal_by_cells(CAKE, visible, card, redrawn=redrawn)
            found["positions"] += 1
            found["after a redraw"] += redrawn
            found["crowded"] += len(event["legal"]) < 50
            redrawn = action == REDRAW
            if action < REDRAW - 1:
                visible = laid(visible, card, place_of(action, CAKE, card))


@pytest.mark.rule("Q8", "Q9", "Q10", "Q11", "Q16")
@pytest.mark.parametrize("options", WAYS)
def test_masks_of_random_games(options: dict[str, Any]) -> None:
    """Q9, Q10: every mask of whole random games, thousands of positions."""
    found = Counter[str]()
    for redrawing, games in ((0.0, 20), (0.3, 10)):
        for record in random_records(games, 40, redrawing=redrawing, **options):
            judge_masks(record, found)
    assert found["positions"] > 500
    assert found["after a redraw"] > 50
    assert found["crowded"] > 10 or "fruit" not in options.values()


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q8", "Q9", "Q10", "Q16")
@pytest.mark.parametrize("options", WAYS)
def test_masks_of_a_few_random_games(options: dict[str, Any]) -> None:
    """The same for runs without the JIT and with checked indices."""
    found = Counter[str]()
    for record in random_records(2, 41, redrawing=0.2, **options):
        judge_masks(record, found)
    assert found["positions"] >= 36


@pytest.mark.rule("Q8", "Q9", "Q10")
def test_single_actions_are_judged_as_the_mask_says() -> None:
    """What `step` refuses is what the mask lacks, and every number outside of it."""
    tables = make_vec("quatre_v0", tables=8, seed=3)
    rows, engine = np.arange(8), tables.engine
    for _ in range(30):
        tables.step(tables.sample())
    tables.step(np.where(rows % 2 == 0, REDRAW, tables.sample()))
    for row in rows:
        for action in range(-3, tables.actions + 3):
            legal = 0 <= action < tables.actions and tables.action_mask[row, action] == 1
            chosen = np.array([action])
            refused = engine.loops.find_illegal(tables.games, engine.parts, rows[[row]], chosen)
            assert (refused == 0) != legal, action


# ==================================================================== other sizes

#: Rows, columns and card size; many are as large as the lanes allow.
SIZES = [
    (16, 16, 1),
    (12, 14, 3),
    (5, 12, 4),
    (1, 1, 2),
    (14, 15, 2),
    (8, 12, 5),
    (2, 9, 8),
    (7, 3, 3),
]
#: Each size is compiled anew; without the JIT all of them are played.
PLAYED_SIZES = SIZES if PURE_PYTHON else SIZES[1:3]
KINDS, TURNS = 8, 8


def random_card(size: int, order: int, rng: random.Random) -> Grid:
    """A card that looks the same after `order` quarter turns (4: it need not otherwise)."""
    while True:
        cells = [[rng.choice("sbkocc......") for _ in range(size)] for _ in range(size)]
        for row in range(size):
            for column in range(size):
                other = (row, column)
                for _ in range(4):
                    for _ in range(order):
                        other = (other[1], size - 1 - other[0])
                    cells[other[0]][other[1]] = cells[row][column]
        card = tuple("".join(row) for row in cells)
        if turned(card, order) == card and set("".join(card)) != {"."}:
            return card


def random_file(
    rows: int, columns: int, size: int, rng: random.Random
) -> tuple[Grid, Sequence[Grid], ComponentFile]:
    """A board with holes and cards of all symmetries."""
    board = tuple("".join(rng.choice("++++.") for _ in range(columns)) for _ in range(rows))
    if "+" not in "".join(board):
        board = ("+" * columns, *board[1:])
    cards = [random_card(size, order, rng) for order in (4, 4, 4, 4, 4, 2, 2, 1)]
    text = component_text(board, cards, [4] * KINDS, head=[f"turns = {TURNS}"])
    return board, cards, parse_components(text, "mine.toml")


@pytest.mark.pure
@pytest.mark.rule("Q4", "Q8", "Q9", "Q10", "Q16")
@pytest.mark.parametrize(("rows", "columns", "size"), PLAYED_SIZES)
def test_masks_of_other_sizes(rows: int, columns: int, size: int) -> None:
    """Q4: boards and cards of other sizes, and the formula of the action ids."""
    rng = random.Random(rows)
    for _ in range(1 if PURE_PYTHON else 5):
        board, cards, components = random_file(rows, columns, size, rng)
        game = Game("quatre_v0", components=components)
        visible, redrawn = bare(board), False
        collect = game.engine.actions - 2
        while game.node != "over":
            kind = rng.choice(outcomes(game))
            game.apply_chance(kind)
            legal = legal_by_cells(board, visible, cards[kind], redrawn=redrawn)
            assert game.legal_actions() == legal
            action = rng.choice(legal)
            game.apply(action)
            redrawn = action > collect
            if action < collect:
                visible = laid(visible, cards[kind], place_of(action, board, cards[kind]))
            assert picture(game) == visible
