"""Chance in quatre: what can come, how likely it is said to be, and how often it comes."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.quatre import (
    COLLECT,
    KINDS,
    PUBLISHED,
    REDRAW,
    bag,
    box,
    collect,
    draw,
    random_step,
    start,
)
from helpers.statistics import assert_frequencies
from tefuda.envs import Game, make_vec
from tefuda.envs.core.chance import stream_of

DRAWS = 4000
SEED = 20
COPIES = Counter(dict(enumerate(PUBLISHED.counts)))


def sampled(game: Game, count: int) -> Counter[int]:
    """Outcomes of the present chance node as `settle` draws them, from different streams."""
    found: Counter[int] = Counter()
    for number in range(count):
        twin = game.clone()
        words = (np.uint64(word) for word in (SEED, number, 0, 0))
        twin.state["stream"] = stream_of(*words)
        twin.settle()
        found[twin.values[len(game.values)]] += 1
    return found


def with_bag(left: dict[int, int]) -> Game:
    """A game of four in which all other cards have been collected."""
    game = start(players=4)
    for kind in (COPIES - Counter(left)).elements():
        collect(game, kind)
    assert bag(game) == left
    return game


def after_a_redraw(left: dict[int, int], kind: int) -> Game:
    """The same after this kind has been drawn and put back."""
    game = with_bag(left)
    draw(game, kind)
    game.apply(REDRAW)
    return game


HALF = dict.fromkeys(range(8), 2) | dict.fromkeys(range(10, 18), 1)
NODES: dict[str, tuple[Callable[[], Game], dict[int, int]]] = {
    "start": (lambda: start(players=3), COPIES),
    "half way": (lambda: with_bag(HALF), HALF),
    "half way, after a redraw": (lambda: after_a_redraw(HALF, 12), HALF),
    "three cards": (lambda: with_bag({5: 2, 16: 1}), {5: 2, 16: 1}),
    "three cards, after a redraw": (lambda: after_a_redraw({5: 2, 16: 1}, 16), {5: 2, 16: 1}),
    "last card": (lambda: with_bag({19: 1}), {19: 1}),
    "last card, after a redraw": (lambda: after_a_redraw({19: 1}, 19), {19: 1}),
}


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("Q1", "Q8")
@pytest.mark.parametrize("name", NODES)
def test_stated_probabilities(name: str) -> None:
    """Chance: copies left in the bag by cards left in the bag; the seat is who plays."""
    make, left = NODES[name]
    game, total = make(), sum(left.values())
    assert (game.node, game.chance_name) == ("chance", "draw")
    assert game.chance_outcomes() == [(kind, left[kind] / total) for kind in sorted(left)]


@pytest.mark.rule("Q1", "Q8")
@pytest.mark.parametrize("name", NODES)
def test_settle_draws_as_often_as_stated(name: str) -> None:
    """The frequencies of `settle` are those of the copies in the bag."""
    make, left = NODES[name]
    found, total = sampled(make(), DRAWS), sum(left.values())
    if len(left) > 1:
        assert_frequencies(found, {kind: copies / total for kind, copies in left.items()})
    else:
        assert set(found) == set(left)


@pytest.mark.pure
@pytest.mark.rule("Q1", "Q8")
@pytest.mark.parametrize("options", [{"players": 3}, {"players": 4}])
def test_probabilities_all_through_a_game(options: dict[str, Any]) -> None:
    """Chance: at every draw of random games, by counting what has come and gone back."""
    for number in range(3):
        game, rng = start(**options), random.Random(number)
        while game.node != "over":
            if game.node == "chance":
                left = bag(game)
                stated = [(kind, left[kind] / left.total()) for kind in sorted(left)]
                assert game.chance_outcomes() == stated
                random_step(game, rng)
            elif REDRAW in game.legal_actions() and rng.random() < 0.5:
                game.apply(REDRAW)
            else:
                game.apply(
                    rng.choice([action for action in game.legal_actions() if action < REDRAW])
                )


@pytest.mark.rule("Q1", "Q8")
def test_draws_of_a_batch() -> None:
    """Q8: over many keys, what comes in the first play, and after a redraw in the second."""
    tables = make_vec("quatre_v0", tables=20_000, seed=SEED, players=4)
    probabilities = {kind: copies / 36 for kind, copies in COPIES.items()}
    first = tables.games["card"].copy()
    assert_frequencies(Counter(first.tolist()), probabilities)
    tables.step(np.full(20_000, COLLECT))
    second = tables.games["card"].copy()
    assert_frequencies(Counter(second.tolist()), probabilities)
    assert_frequencies(
        Counter((first == second).astype(int).tolist()),
        {0: 1 - (16 * 2) / (36 * 35), 1: (16 * 2) / (36 * 35)},
    )
    tables.step(np.full(20_000, REDRAW))
    third = tables.games["card"]
    # All but the card collected are in the bag again, the one drawn second included.
    assert_frequencies(Counter(third.tolist()), probabilities)
    again = sum((copies * (copies - 1)) * (copies - 1) for copies in COPIES.values())
    again += sum(copies * (36 - copies) * copies for copies in COPIES.values())
    same = again / (36 * 35 * 35)
    assert_frequencies(Counter((second == third).astype(int).tolist()), {0: 1 - same, 1: same})


@pytest.mark.rule("Q8")
def test_random_play_is_uniform_over_the_mask() -> None:
    """`sample` draws every legal action as often as every other, though it writes no mask."""
    components = box(*["sb./..."] * KINDS, board=["..+++", "", "+++", "+.+"])
    tables = make_vec("quatre_v0", tables=20_000, seed=SEED, players=2, components=components)
    legal = np.flatnonzero(tables.action_mask[0])
    assert (tables.action_mask == tables.action_mask[0]).all()
    assert 10 < legal.size < 40
    for _ in range(2):
        found = Counter(tables.sample().tolist())
        assert_frequencies(found, dict.fromkeys(legal.tolist(), 1 / legal.size))
    tables.step(np.full(20_000, REDRAW))
    found = Counter(tables.sample().tolist())
    assert_frequencies(found, dict.fromkeys(legal.tolist()[:-1], 1 / (legal.size - 1)))


# ==================================================================== keys


def drawn(key: tuple[int, int, int], plays: int = 6, **options: Any) -> list[int]:
    """What comes in the first plays of a game of collectors."""
    game = Game("quatre_v0", seed=key, **options)
    for _ in range(plays):
        game.settle()
        game.apply(COLLECT)
    return [event.value or 0 for event in game.information_state(0) if event.kind == "chance"]


@pytest.mark.pure
def test_every_word_of_the_key_matters() -> None:
    """Seed, table and game number each change the draws; the same key repeats them."""
    keys = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2**40, 0, 0), (2**62, 0, 0)]
    draws = [drawn(key) for key in keys]
    assert len({tuple(draw) for draw in draws}) == len(keys)
    assert draws == [drawn(key) for key in keys]


@pytest.mark.pure
@pytest.mark.rule("Q8")
def test_variants_of_the_options_have_the_same_draws() -> None:
    """What comes depends on the key and the bag alone."""
    variants: list[dict[str, Any]] = [
        {"players": 2},
        {"players": 2, "two_player_turns": "fruit", "reward": "score"},
        {"players": 3, "adjacency": "diagonal"},
        {"players": 4},
    ]
    assert len({tuple(drawn((5, 0, 0), **options)) for options in variants}) == 1


@pytest.mark.pure
@pytest.mark.rule("Q8")
def test_resample_opens_the_future_alone() -> None:
    """All is public but the future of the bag: a resampled game differs in that only."""
    game = Game("quatre_v0", seed=(8, 0, 0), players=3)
    rng = random.Random(8)
    for _ in range(20):
        game.settle()
        game.apply(rng.choice(game.legal_actions()))
    game.settle()
    others = [game.resample(1, np.random.default_rng(seed)) for seed in range(20)]
    for other in others:
        assert other.values == game.values
        assert other.legal_actions() == game.legal_actions()
        assert (other.seat, other.totals, other.node) == (game.seat, game.totals, game.node)
        for seat in range(3):
            np.testing.assert_array_equal(other.observation(seat), game.observation(seat))
            assert other.information_state(seat) == game.information_state(seat)
        assert Game.from_record(other.record()).values == game.values
    futures = set()
    for other in [game, *others]:
        while other.node != "over":
            other.apply(COLLECT)
            other.settle()
        futures.add(other.values)
    assert len(futures) > 15
