"""Chance in gacha: what can come, how likely it is said to be, and how often it comes."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.gacha import (
    REDRAW,
    bag,
    deal,
    end_round,
    hand,
    outcomes,
    play_trick,
    random_action,
    scored,
)
from helpers.statistics import assert_frequencies
from oracles.gacha import Gacha
from tefuda.envs import Game, make_vec
from tefuda.envs.core.chance import stream_of

GAMES = 4000
SEED = 20


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


def first_leader_node() -> Game:
    return Game("gacha_v0", players=5, seed=(0, 0, 0))


def deal_node() -> Game:
    """Seat 1 is about to get the second of its cards."""
    game = Game("gacha_v0", players=3, seed=(0, 0, 0))
    for outcome in (0, *range(1, 12)):
        game.apply_chance(outcome)
    return game


def stock_node() -> Game:
    """Four cards are undealt."""
    game = deal([[1, 2], [3, 4], [5, 6]], icons={1: ["redraw"]}, cards=10)
    game.apply(112)
    game.apply(0)
    game.apply(REDRAW)
    return game


def ball_node(drawn: int, **options: Any) -> Game:
    """The first `drawn` colours have come up."""
    hands = [[1, 7, 14, 20, 27, 35], [2, 8, 15, 21, 23, 36], [3, 9, 16, 17, 24, 37]]
    game = deal(hands, icons={number: ["gacha"] for number in hands[0]}, **options)
    for ball in range(drawn + 1):
        leader = game.seat
        assert leader is not None
        cards = [hand(game, (leader + k) % 3)[0] for k in range(3)]
        play_trick(game, ("may", "must")[ball % 2], cards, ball=ball if ball < drawn else None)
    return game


def tie_node() -> Game:
    """Seat 0 has drawn the card 25, seat 1 is about to draw."""
    game = Game("gacha_v0", players=4, seed=(0, 0, 0), scoring="vp", rounds=1, tie="draw")
    game.apply_chance(0)
    game = end_round(game, [5, 5, 3, 3])
    game.apply_chance(25)
    return game


NODES: dict[str, tuple[Callable[[], Game], list[int]]] = {
    "first_leader": (first_leader_node, [0, 1, 2, 3, 4]),
    "deal": (deal_node, list(range(12, 40))),
    "stock": (stock_node, [7, 8, 9, 10]),
    "ball of five": (lambda: ball_node(0), [0, 1, 2, 3, 4]),
    "ball of three": (lambda: ball_node(2), [2, 3, 4]),
    "last ball": (lambda: ball_node(4), [4]),
    "ball after a refill": (lambda: ball_node(5), [0, 1, 2, 3, 4]),
    "ball, shuffled": (lambda: ball_node(3, trump_draw="shuffle"), [0, 1, 2, 3, 4]),
    "tie_draw": (tie_node, [number for number in range(1, 50) if number != 25]),
}


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G5", "G7", "G18", "G22", "G28")
@pytest.mark.parametrize("name", NODES)
def test_stated_probabilities(name: str) -> None:
    """Each chance node is uniform over what can come."""
    make, possible = NODES[name]
    game = make()
    assert game.chance_name in name
    assert game.chance_outcomes() == [(outcome, 1 / len(possible)) for outcome in possible]


@pytest.mark.rule("G5", "G7", "G18", "G22", "G28")
@pytest.mark.parametrize("name", NODES)
def test_settle_draws_as_often_as_stated(name: str) -> None:
    """The frequencies of `settle` are the probabilities of `chance_outcomes`."""
    game = NODES[name][0]()
    found = sampled(game, GAMES)
    if len(NODES[name][1]) > 1:
        assert_frequencies(found, dict(game.chance_outcomes()))
    else:
        assert list(found) == outcomes(game)


@pytest.mark.rule("G7")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_first_leaders_of_a_batch(players: int) -> None:
    """G7: over many keys each seat leads as often as the others."""
    tables = make_vec("gacha_v0", tables=20_000, seed=SEED, players=players)
    found = Counter(tables.games["first_leader"].tolist())
    assert_frequencies(found, dict.fromkeys(range(players), 1 / players))
    np.testing.assert_array_equal(tables.seat, tables.games["first_leader"])


@pytest.mark.rule("G5")
@pytest.mark.parametrize(("players", "cards"), [(3, 39), (5, 55)])
def test_deals_of_a_batch(players: int, cards: int) -> None:
    """G5: over many keys every card is in every hand, and in the stock, as often as it should."""
    tables = make_vec("gacha_v0", tables=GAMES, seed=SEED, players=players)
    hands = tables.games["hand"]
    probabilities = dict.fromkeys(range(players), 10 / cards)
    probabilities[players] = 1 - players * 10 / cards
    for card in range(cards):
        held = (hands[:, :players] >> np.uint64(card)) & np.uint64(1)
        places = np.where(held.any(axis=1), held.argmax(axis=1), players)
        assert_frequencies(Counter(places.tolist()), probabilities)


@pytest.mark.rule("G5")
def test_pairs_of_cards_in_a_batch() -> None:
    """G5: two cards lie in the same hand as often as two dealt ones do."""
    tables = make_vec("gacha_v0", tables=GAMES, seed=SEED, players=4)
    hands = tables.games["hand"][:, :4]
    together = 4 * (10 * 9) / (49 * 48)
    for first, second in [(0, 1), (0, 48), (10, 21), (25, 26), (47, 48)]:
        pair = np.uint64(1 << first | 1 << second)
        found = Counter(((hands & pair) == pair).any(axis=1).astype(int).tolist())
        assert_frequencies(found, {0: 1 - together, 1: together})


@pytest.mark.rule("G22")
def test_first_balls_of_random_games() -> None:
    """G22: the first ball of a game is each colour alike, also where play is at random."""
    tables = make_vec("gacha_v0", tables=GAMES, seed=SEED, players=3, autoreset=False)
    first = np.full(GAMES, -1)
    for _ in range(60):
        tables.step(tables.sample())
        drawn = np.array([31 ^ int(balls) for balls in tables.games["bag"]])
        single = (first < 0) & np.isin(drawn, [1, 2, 4, 8, 16])
        first[single] = np.log2(drawn[single]).astype(int)
    assert (first >= 0).mean() > 0.9
    assert_frequencies(Counter(first[first >= 0].tolist()), dict.fromkeys(range(5), 0.2))


# ==================================================================== keys


def played(
    key: tuple[int, int, int], agent: int, rounds: int, **options: Any
) -> list[tuple[int, ...]]:
    """The deals of the first rounds of a game whose decisions are drawn by `agent`."""
    game, rng = Game("gacha_v0", seed=key, **options), random.Random(agent)
    game.settle()
    deals = [game.values[-10 * game.players :]]
    while len(deals) < rounds:
        before = scored(game)
        game.apply(random_action(game, rng, redraws=agent / 4))
        game.settle()
        if scored(game) > before:
            deals.append(game.values[-10 * game.players :])
    return deals


@pytest.mark.pure
@pytest.mark.rule("G5")
@pytest.mark.parametrize("players", [3, 5])
def test_deals_do_not_depend_on_what_was_drawn_before(players: int) -> None:
    """A key has one deal for each round, whatever was played, redrawn and drawn before."""
    options: dict[str, Any] = {"players": players, "scoring": "vp"}
    one, other = (played((5, 1, 2), agent, 3, **options) for agent in (1, 4))
    assert one == other
    assert len(set(one)) == 3


@pytest.mark.pure
def test_every_word_of_the_key_matters() -> None:
    """Seed, table and game number each change the deal; the same key repeats it."""
    keys = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2**40, 0, 0), (2**62, 0, 0)]
    deals = [played(key, 0, 1, players=3)[0] for key in keys]
    assert len(set(deals)) == len(keys)
    assert deals[0] == played(keys[0], 0, 1, players=3)[0]


@pytest.mark.pure
@pytest.mark.rule("G7", "G5")
def test_variants_of_the_options_have_the_same_deals() -> None:
    """What is dealt depends on the key alone, not on scoring, draw of trumps or reward."""
    plain = played((5, 0, 0), 0, 2, players=4)
    options: dict[str, Any] = {"scoring": "vp", "trump_draw": "shuffle", "reward": "score"}
    assert played((5, 0, 0), 0, 2, players=4, **options) == plain


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize("trump_draw", ["bag", "shuffle"])
def test_every_chance_node_of_a_game_is_as_in_the_second_implementation(trump_draw: str) -> None:
    """Names, seats, outcomes and probabilities, node by node."""
    for players, seed in ((3, 0), (4, 1), (5, 2)):
        options: dict[str, Any] = {"scoring": "vp", "rounds": 2, "trump_draw": trump_draw}
        game = Game("gacha_v0", players=players, **options)
        second, rng = Gacha(players, **options), random.Random(seed)
        while game.node != "over":
            if game.node == "chance":
                assert (game.chance_name, game.seat) == (second.name, second.seat)
                stated = {outcome: float(p) for outcome, p in second.outcomes().items()}
                assert dict(game.chance_outcomes()) == pytest.approx(stated)
                value = rng.choice(outcomes(game))
                game.apply_chance(value)
            else:
                value = random_action(game, rng, redraws=0.8)
                game.apply(value)
            second.apply(value)
            assert bag(game) == second.bag
