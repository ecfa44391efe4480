"""Ratings: strengths found again, intervals that hold, no order of games."""

import numpy as np
import pytest

pytest.importorskip("statsmodels")

from tefuda.training.ratings import POINTS, Meeting, rate

NAMES = ["weak", "even", "strong"]
STRENGTHS = np.array([-1.0, 0.25, 0.75])  # logarithms, with the mean 0
PLAYERS, DEALS = 4, 300
PAIRS = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]


def meetings(seed: int, noise: float = 0.0) -> list[Meeting]:
    """Games drawn from the model; with noise, the deals favour somebody in all games alike."""
    rng = np.random.default_rng(seed)
    luck = noise * rng.normal(size=(DEALS, 3))
    found = []
    for agent, opponent in PAIRS:
        own, others = (np.exp(STRENGTHS[k] + luck[:, k]) for k in (agent, opponent))
        chance = own / (own + (PLAYERS - 1) * others)
        won = rng.random((DEALS, PLAYERS)) < chance[:, None]
        found.append(Meeting(agent, opponent, np.arange(DEALS), won.astype(float)))
    return found


def test_strengths_are_found_again_and_intervals_hold() -> None:
    held = []
    for seed in range(60):
        ratings = rate(NAMES, meetings(seed), PLAYERS)
        assert [rating.agent for rating in ratings] == NAMES
        held += [
            rating.low < POINTS * strength < rating.high
            for rating, strength in zip(ratings, STRENGTHS, strict=True)
        ]
        assert sum(rating.rating for rating in ratings) == pytest.approx(0, abs=1e-6)
    assert 0.88 < np.mean(held) < 0.99


def test_luck_that_all_games_of_a_deal_share_widens_the_intervals() -> None:
    plain, lucky = (rate(NAMES, meetings(1, noise), PLAYERS) for noise in (0.0, 1.5))
    for narrow, wide in zip(plain, lucky, strict=True):
        assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def test_two_ratings_give_the_chance_to_win() -> None:
    # A wins 60 of 100 games among three B's: its odds are 1.5, its strength 4.5 times theirs.
    shares = np.repeat([1.0, 0.0], [60, 40]).reshape(25, 4)
    a, b = rate(["a", "b"], [Meeting(0, 1, np.arange(25), shares)], 4)
    assert a.rating - b.rating == pytest.approx(400 * np.log10(4.5), rel=0.02)
    assert a.rating == pytest.approx(-b.rating)


def test_a_shared_win_is_half_a_win() -> None:
    whole = np.array([[1.0, 0.0], [0.0, 1.0]] * 50)
    one, half = (
        rate(["a", "b"], [Meeting(0, 1, np.arange(100), shares)], 2)[0]
        for shares in (whole, np.full_like(whole, 0.5))
    )
    assert one.rating == pytest.approx(half.rating, abs=1e-6)


def test_the_order_of_games_does_not_matter() -> None:
    first = meetings(3)
    cut = [
        Meeting(agent, opponent, deals[part], shares[part])
        for agent, opponent, deals, shares in first
        for part in (slice(100, None), slice(0, 100))
    ]
    for one, other in zip(
        rate(NAMES, first, PLAYERS), rate(NAMES, cut[::-1], PLAYERS), strict=True
    ):
        assert (one.rating, one.low) == pytest.approx((other.rating, other.low), abs=1e-6)


def test_who_lost_every_game_is_low_but_not_infinitely() -> None:
    nothing, all_won = np.zeros((DEALS, PLAYERS)), np.ones((DEALS, PLAYERS))
    deals = np.arange(DEALS)
    found = rate(["a", "b"], [Meeting(0, 1, deals, nothing), Meeting(1, 0, deals, all_won)], 4)
    assert -2000 < found[0].rating < -500
    assert np.isfinite([found[0].low, found[1].high]).all()
