"""Payoffs, computed by hand from the formulas of the rules pages."""

from fractions import Fraction

import numpy as np
import pytest

from tefuda.envs.core.contract import common_fields
from tefuda.envs.core.jit import fields
from tefuda.envs.core.payoff import REWARD_SCORE, REWARD_WIN, REWARDS, write_reward

pytestmark = pytest.mark.pure

SEATS = 5
RECORD = np.dtype(common_fields(SEATS, 1))


def paid(
    players: int,
    kind: int,
    over: bool,
    winners: tuple[int, ...] = (),
    gained: tuple[int, ...] = (),
) -> list[float]:
    """What `write_reward` pays for these winners and points gained."""
    game = fields(np.zeros(1, RECORD))[0]
    game["winners"][list(winners)] = 1
    game["gained"][: len(gained)] = gained
    reward = np.full(players, 77.0)
    write_reward(game, players, kind, over, reward)
    return reward.tolist()


@pytest.mark.parametrize(
    ("players", "winners", "expected"),
    [
        (4, (2,), [-1 / 3, -1 / 3, 1, -1 / 3]),
        (4, (0, 3), [1 / 3, -1 / 3, -1 / 3, 1 / 3]),
        (4, (1, 2, 3), [-1 / 3, 1 / 9, 1 / 9, 1 / 9]),
        (4, (0, 1, 2, 3), [0, 0, 0, 0]),
        (3, (0,), [1, -0.5, -0.5]),
        (3, (0, 1), [0.25, 0.25, -0.5]),
        (2, (1,), [-1, 1]),
        (2, (0, 1), [0, 0]),
        (5, (4,), [-0.25, -0.25, -0.25, -0.25, 1]),
        (5, (0, 1), [0.375, 0.375, -0.25, -0.25, -0.25]),
    ],
)
def test_win(players: int, winners: tuple[int, ...], expected: list[float]) -> None:
    """(1/w - 1/P) P/(P-1) for a winner, -1/(P-1) for any other, and points count for nothing."""
    found = paid(players, REWARD_WIN, True, winners, (9, 8, 7, 6, 5)[:players])
    assert found == pytest.approx(expected, abs=1e-15)
    assert sum(found) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("gained", "expected"),
    [
        ((2, 0, 1, 0), [5 / 3, -1, 1 / 3, -1]),
        ((5, 5, 5), [0, 0, 0]),
        ((9, 0, 0), [9, -4.5, -4.5]),
        ((3, -1), [4, -4]),
        ((0, 0, 0, 0, 10), [-2.5, -2.5, -2.5, -2.5, 10]),
    ],
)
@pytest.mark.parametrize("over", [False, True])
def test_score(gained: tuple[int, ...], expected: list[float], over: bool) -> None:
    """Own points less the mean of the others', whether or not the game goes on."""
    found = paid(len(gained), REWARD_SCORE, over, (0,), gained)
    assert found == pytest.approx(expected, abs=1e-12)
    assert sum(found) == pytest.approx(0, abs=1e-12)


def test_win_pays_nothing_before_the_end() -> None:
    assert paid(4, REWARD_WIN, False, (2,), (1, 2, 3, 4)) == [0, 0, 0, 0]


def test_both_formulas_for_every_number_of_winners() -> None:
    """Against exact fractions."""
    for players in range(2, SEATS + 1):
        for winners in range(1, players + 1):
            won = (Fraction(1, winners) - Fraction(1, players)) * Fraction(players, players - 1)
            lost = Fraction(-1, players - 1)
            expected = [float(won)] * winners + [float(lost)] * (players - winners)
            assert paid(players, REWARD_WIN, True, tuple(range(winners))) == pytest.approx(expected)


def test_names_and_numbers_of_the_rewards_agree() -> None:
    assert (REWARDS[REWARD_WIN], REWARDS[REWARD_SCORE]) == ("win", "score")
