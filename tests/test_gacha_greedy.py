"""The scripted player of gacha: legal, blind to what is hidden, strong, and sensible by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helpers.gacha import (
    FOLLOW,
    NO_ICONS,
    RED,
    REDRAW,
    deal,
    discard,
    discardable,
    face_down,
    play,
    play_trick,
    short_deck,
)
from tefuda.envs import Game, make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import fields
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.evaluate import evaluate

GREEDY, RANDOM = GreedyAgent(), RandomAgent()
DUST = 115  # + position in the trick

OPTIONS: list[dict[str, Any]] = [
    {"players": 3},
    {"players": 4, "trump_draw": "shuffle", "next_leader": "most"},
    {"players": 5, "scoring": "vp", "tie": "draw"},
]


def mixed_play(tables: Tables, steps: int, seed: int) -> Any:
    """Yields the greedy actions at each step; about half of what is played is random."""
    rows, rng = np.arange(tables.tables), np.random.default_rng(seed)
    for _ in range(steps):
        actions = GREEDY.act(tables, rows)
        yield actions
        at_random = rng.random(rows.size) < 0.5
        tables.step(np.where(at_random, tables.sample(), actions))


@pytest.mark.parametrize("options", OPTIONS)
def test_actions_are_legal_and_change_nothing(options: dict[str, Any]) -> None:
    """Over whole games, random moves among them; asking leaves every table as it is."""
    tables = make_vec("gacha_v0", tables=64, seed=1, **options)
    rows = np.arange(64)
    for actions in mixed_play(tables, 300, seed=2):
        assert tables.action_mask[rows, actions].all()
        before = tables.games.copy()
        np.testing.assert_array_equal(GREEDY.act(tables, rows), actions)
        np.testing.assert_array_equal(tables.games, before)


@pytest.mark.parametrize("options", OPTIONS)
def test_hidden_things_do_not_matter(options: dict[str, Any]) -> None:
    """It acts the same in every world that the acting seat cannot tell from the real one."""
    tables = make_vec("gacha_v0", tables=64, seed=3, **options)
    twin = make_vec("gacha_v0", tables=64, seed=3, **options)
    engine, rows = tables.engine, np.arange(64)
    holders = fields(np.zeros(64, STREAM))
    holders["stream"] = np.arange(1, 65)
    hands_differ = 0
    for actions in mixed_play(tables, 100, seed=4):
        twin.games[:] = tables.games
        for row, seat in enumerate(tables.seat):
            engine.loops.resample_one(twin.games, engine.parts, row, seat, holders[row : row + 1])
        hands_differ += int((twin.games["hand"] != tables.games["hand"]).any(axis=1).sum())
        np.testing.assert_array_equal(GREEDY.act(twin, rows), actions)
    assert hands_differ > 5000


@pytest.mark.parametrize(
    "options",
    [
        {"players": 3},
        {"players": 4},
        {"players": 5},
        {"players": 3, "scoring": "vp"},
        {"players": 5, "scoring": "vp", "trump_draw": "shuffle"},
    ],
)
def test_beats_random_seats(options: dict[str, Any]) -> None:
    """The interval of its mean payoff lies above 0.75; 0 is an even player, 1 a sole winner."""
    result = evaluate(GREEDY, RANDOM, "gacha_v0", games=1200, seed=5, options=options)
    assert result.interval[0] > 0.75


@pytest.mark.rule("G4")
def test_plays_variants() -> None:
    """Two seats with three cards each, legally; three seats with eight, and still well."""
    options: dict[str, Any] = {"players": 2, "components": short_deck(2, 3, cards=11)}
    tables = make_vec("gacha_v0", tables=64, seed=1, **options)
    rows, ended = np.arange(64), 0
    for actions in mixed_play(tables, 200, seed=6):
        assert tables.action_mask[rows, actions].all()
        ended += int(tables.done.sum())
    assert ended > 64
    options = {"players": 3, "components": short_deck(3, 8)}
    assert evaluate(GREEDY, RANDOM, "gacha_v0", games=600, options=options).interval[0] > 0.75


# ==================================================================== positions by hand

#: Positions that no rule looks at in between are set in the state: nothing else has to be played.
LOW = 1
T_POINT_COLUMN = 7


def choice(game: Game) -> int:
    """What the scripted player does here."""
    actions, holder = np.zeros(1, np.int64), fields(np.zeros(1, STREAM))
    game.engine.loops.greedy_actions(
        game._games, game.engine.parts, holder, np.zeros(1, np.int64), actions
    )
    assert int(actions[0]) in game.legal_actions()
    return int(actions[0])


def chosen_card(game: Game) -> int:
    """The number that it plays here."""
    return choice(game) + 1


def last_of_three(follow: str, lying: Sequence[int], held: Sequence[int], **state: int) -> Game:
    """Seat 2 of three is about to play the last card of the first of ten tricks.

    Args:
        follow: The follow type.
        lying: The two cards on the table.
        held: Some of its ten cards; the others are any that are not named here.
        **state: Fields of the state that are not as at the start of a game.
    """
    rest = [number for number in range(1, 40) if number not in {*lying, *held}]
    others, own = rest[:18], rest[18 : 28 - len(held)]
    game = deal([[lying[0], *others[:9]], [lying[1], *others[9:]], [*held, *own]], icons=NO_ICONS)
    for name, value in state.items():
        game.state[name] = value
    game.apply(FOLLOW[follow])
    play(game, *lying)
    return game


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G12", "G15")
def test_takes_a_trick_with_a_trump_under_must_not() -> None:
    """A trump that lies alone wins whatever the numbers."""
    assert chosen_card(last_of_three("must-not", [38, 36], [11, 22, 33, 1, 3])) in (11, 22, 33)


@pytest.mark.pure
@pytest.mark.rule("G13")
def test_a_hand_of_trumps_does_not_lead_under_must_not() -> None:
    """Its card would lie face down and could not win."""
    game = deal([[11, 22], [1, 2], [3, 4]], icons=NO_ICONS)
    assert choice(game) != FOLLOW["must-not"]


@pytest.mark.pure
@pytest.mark.rule("G16")
def test_takes_the_second_place_under_may() -> None:
    """With 38 and 20 on the table a number between them wins, and 39 does not."""
    assert 20 < chosen_card(last_of_three("may", [38, 20], [30, 39, 1])) < 38


@pytest.mark.pure
@pytest.mark.rule("G11", "G17", "G19")
def test_knows_which_numbers_are_strong() -> None:
    """Last to follow to red 14 and 20, it wins with a larger red, in the low order with 1."""
    assert chosen_card(last_of_three("must", [14, 20], [1, 27, 35])) in (27, 28, 35)
    assert chosen_card(last_of_three("must", [14, 20], [1, 27, 35], order=LOW)) in (1, 7)


@pytest.mark.pure
@pytest.mark.rule("G24")
def test_gets_rid_of_black_where_it_cannot_win() -> None:
    """Of two middling cards that lose alike it plays the one that is worth nothing to win."""
    game = deal([[38, 2], [39, 3], [17, 22]], icons=NO_ICONS)
    game.state["trump"] = RED
    game.apply(FOLLOW["must"])
    play(game, 38, 39)
    assert chosen_card(game) == 22


def late_trick(t_points: Sequence[int]) -> Game:
    """Two tricks are left; seat 2 is last to follow to red 14 and 20 with red 7 and 35."""
    game = deal([[14, 2], [20, 3], [7, 35]], icons=NO_ICONS)
    game.state["won"][:3, T_POINT_COLUMN] = t_points
    game.apply(FOLLOW["must"])
    play(game, 14, 20)
    return game


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G25")
def test_hopes_for_misere_late_in_the_round() -> None:
    """Without a trick it stays below; with one it takes what it can get."""
    assert chosen_card(late_trick([4, 4, 0])) == 7
    assert chosen_card(late_trick([4, 3, 1])) == 35


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G20", "G24")
def test_discards_what_it_needs_least() -> None:
    """First black, then the colour that it has already; not the new colour."""
    game = deal([[22, 27, 12], [7, 20, 10], [1, 8, 4]], icons={22: ["dust2"]})
    play_trick(game, "must", [27, 20, 1])
    game.apply(FOLLOW["must-not"])
    play(game, 12, 7, 8)
    assert game.seat == 0
    game.apply(FOLLOW["must"])
    play(game, 22, 10, 4)
    assert discardable(game) == [0, 1]
    assert choice(game) == DUST + 0
    discard(game, 0)
    assert choice(game) in (DUST + 1, DUST + 2)


@pytest.mark.pure
@pytest.mark.rule("G20", "G24")
def test_does_not_discard_a_card_that_lies_face_down() -> None:
    """It will count as any colour."""
    game = deal([[8, 14], [22, 2], [15, 23]], icons={22: ["dust1"]})
    play_trick(game, "must-not", [8, 22, 15])
    assert face_down(game) == [2]
    assert choice(game) == DUST + 1  # the black card


@pytest.mark.pure
@pytest.mark.rule("G18")
def test_redraws_and_puts_a_middling_card_back() -> None:
    """Neither a trump nor an extreme number goes into the stock."""
    game = deal([[3, 11, 21], [1, 2, 4], [5, 6, 7]], icons={3: ["redraw"]})
    game.apply(FOLLOW["may"])
    game.apply(3 - 1)
    assert choice(game) == REDRAW
    game.apply(REDRAW)
    game.apply_chance(39)
    assert choice(game) == 54 + 21
