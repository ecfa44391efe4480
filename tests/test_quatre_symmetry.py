"""Turning the board of quatre: observation, mask and action turn as the rules do."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.quatre import CAKE, PUBLISHED, component_text, place_id, turned
from tefuda.envs import make, make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import OptionError
from tefuda.envs.quatre.symmetry import Symmetry

ENCODERS = ("flat", "planes", "tokens")
TABLES = 48
WAYS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_turns": "fruit"},
    {"players": 3, "adjacency": "diagonal"},
    {"players": 4, "reward": "score"},
]


def shown(tables: Tables) -> Any:
    """What the acting seats observe, in pieces where the encoder has them."""
    if tables.engine.pieces:
        return {name: piece.copy() for name, piece in tables.pieces.items()}
    return tables.observation.copy()


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name, piece in expected.items():
            np.testing.assert_array_equal(found[name], piece)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.rule("Q9", "Q10", "Q13")
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("way", WAYS)
def test_turns_commute_with_the_rules(way: dict[str, Any], encoder: str) -> None:
    """Twin tables: the same draws, every action turned; each sees the other's board turned."""
    options: dict[str, Any] = {"seed": 6, "encoder": encoder, "autoreset": False, **way}
    tables, twins = (make_vec("quatre_v0", tables=TABLES, **options) for _ in range(2))
    symmetry = Symmetry(tables.engine.setup, encoder)
    assert symmetry.turns == (0, 1, 2, 3)
    turns = np.arange(TABLES) % 4
    rng = np.random.default_rng(1)
    while (tables.seat >= 0).any():
        actions = tables.sample()
        actions[rng.random(TABLES) < 0.05] = tables.actions - 2
        observation, mask, moved = symmetry.turn(shown(tables), tables.action_mask, actions, turns)
        assert_same(observation, shown(twins))
        np.testing.assert_array_equal(mask, twins.action_mask)
        tables.step(actions)
        twins.step(moved)
        for name in ("seat", "reward", "done", "totals", "winners"):
            np.testing.assert_array_equal(getattr(twins, name), getattr(tables, name))
    assert_same(
        symmetry.turn(shown(tables), tables.action_mask, np.zeros(TABLES, np.int64), turns)[0],
        shown(twins),
    )


@pytest.mark.rule("Q9")
def test_four_quarter_turns_are_none() -> None:
    """Turns add up; turning by nothing changes nothing, and nothing is turned in place."""
    tables = make_vec("quatre_v0", tables=TABLES, seed=7)
    symmetry = Symmetry(tables.engine.setup)
    for _ in range(20):
        tables.step(tables.sample())
    sample = (tables.observation.copy(), tables.action_mask.copy(), tables.sample())
    turned_samples = [symmetry.turn(*sample, quarters) for quarters in range(4)]
    quarter = sample
    for quarters in range(5):
        for found, expected in zip(quarter, turned_samples[quarters % 4], strict=True):
            np.testing.assert_array_equal(found, expected)
        quarter = symmetry.turn(*quarter, 1)
    np.testing.assert_array_equal(sample[0], tables.observation)
    np.testing.assert_array_equal(sample[1], tables.action_mask)


@pytest.mark.rule("Q9")
@pytest.mark.parametrize("kind", [0, 5, 17])
def test_what_becomes_of_an_action(kind: int) -> None:
    """A placement moves with the board; of turns that look the same the smallest is named."""
    tables = make_vec("quatre_v0", tables=400, seed=8)
    row = int(np.flatnonzero(tables.games["card"] == kind)[0])
    symmetry = Symmetry(tables.engine.setup)
    card = PUBLISHED.cards[kind]
    looks = [turned(card, quarters) for quarters in range(4)]
    observation, mask = tables.observation[[row]], tables.action_mask[[row]]
    places = ((4, 5), (2, 2), (8, 3))
    for top, left in places:
        for quarters in sorted({looks.index(look) for look in looks}):
            action = np.array([place_id((top, left, quarters), CAKE, card)])
            for turns in range(4):
                at = (top, left)
                for _ in range(turns):
                    at = (at[1], 12 - 3 - at[0])
                expected = (*at, looks.index(turned(card, quarters + turns)))
                _, _, moved = symmetry.turn(observation, mask, action, turns)
                assert moved.tolist() == [place_id(expected, CAKE, card)]
    for action in (tables.actions - 2, tables.actions - 1):
        _, _, moved = symmetry.turn(observation, mask, np.array([action]), 3)
        assert moved.tolist() == [action]


@pytest.mark.rule("Q3", "Q4")
@pytest.mark.parametrize(
    ("board", "turns"),
    [
        (("+++", "+++", "+++"), (0, 1, 2, 3)),
        ((".++", "+++", "++."), (0, 2)),
        (("++++", "++++"), (0, 2)),
        (("++++", "+++."), (0,)),
        (("+..", "+..", "+++"), (0,)),
        (("++.", ".+.", ".++"), (0, 2)),
    ],
)
def test_turns_that_a_board_allows(
    board: tuple[str, ...], turns: tuple[int, ...], tmp_path: Path
) -> None:
    """Those that leave the marks as they are; others are refused."""
    path = tmp_path / "mine.toml"
    path.write_text(component_text(board, [("s.", ".b")], [36]), encoding="utf-8")
    engine = make("quatre_v0", components=path).engine
    symmetry = Symmetry(engine.setup)
    assert symmetry.turns == turns
    sample = (np.zeros((1, engine.size)), np.zeros((1, engine.actions)), np.array([0]))
    for quarters in {0, 1, 2, 3, 4, -1} - set(turns):
        with pytest.raises(
            OptionError, match=f"{quarters} is not one of {', '.join(map(str, turns))}"
        ):
            symmetry.turn(*sample, quarters)


def test_unknown_encoders_are_refused() -> None:
    with pytest.raises(OptionError, match="encoder='picture' is not allowed"):
        Symmetry(make("quatre_v0").engine.setup, "picture")


@pytest.mark.rule("Q4", "Q9")
@pytest.mark.parametrize("encoder", ["flat", "tokens"])
def test_half_turns_of_mini_commute(encoder: str) -> None:
    """Q4: a board that only half a turn leaves as it is, and cards of 2 x 2."""
    options: dict[str, Any] = {"players": 2, "components": "mini", "encoder": encoder}
    tables, twins = (make_vec("quatre_v0", tables=TABLES, seed=2, **options) for _ in range(2))
    symmetry = Symmetry(tables.engine.setup, encoder)
    for _ in range(20):
        actions = tables.sample()
        observation, mask, moved = symmetry.turn(shown(tables), tables.action_mask, actions, 2)
        assert_same(observation, shown(twins))
        np.testing.assert_array_equal(mask, twins.action_mask)
        tables.step(actions)
        twins.step(moved)
        np.testing.assert_array_equal(twins.reward, tables.reward)
