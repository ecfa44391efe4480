"""Chance in torutorento: what can come, how likely it is said to be, and how often it comes."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.statistics import assert_frequencies
from helpers.torutorento import (
    COUNTS,
    FLOWER,
    LYING,
    PICK_DECK,
    TAKE_DECK,
    TWO_WAYS,
    WORDS,
    deal,
    deck,
    fall,
    hand,
    outcomes,
    pass_takes,
    play_event,
    random_event,
    scored,
)
from oracles.torutorento import Torutorento
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


# ==================================================================== nodes


def before_first_parent() -> Game:
    return Game("torutorento_v0", players=5, seed=(0, 0, 0))


def before_flower_slot() -> Game:
    """Seat 1 is about to get its flower."""
    game = Game("torutorento_v0", players=3, seed=(0, 0, 0))
    game.apply_chance(0)
    game.apply_chance(3)
    for _ in range(7):
        game.apply_chance(5)
    return game


def before_deal() -> Game:
    """Seven bodies of length 1 are out, and a butterfly."""
    game = before_flower_slot()
    game.apply_chance(0)
    game.apply_chance(10)
    return game


def before_way_up() -> Game:
    game = before_deal()
    game.apply_chance(2)
    return game


def before_market() -> Game:
    game = deal(["", "", "", ""])
    fresh = Game("torutorento_v0", players=4, seed=(0, 0, 0))
    for value in game.values[:-1]:
        fresh.apply_chance(value)
    return fresh


def before_take() -> Game:
    game = deal(["F M M B H> H> H> <T", "", ""])
    fall(game)
    game.apply(TAKE_DECK)
    return game


def before_growth() -> Game:
    game = deal(["F M M B H> H> H> <T", "", ""])
    fall(game, {0: [4]})
    pass_takes(game)
    game.apply(PICK_DECK)
    return game


def by_count(counts: list[int]) -> dict[int, float]:
    """Each face as likely as it has cards."""
    return {face: count / sum(counts) for face, count in enumerate(counts) if count}


def without(*gone: int) -> list[int]:
    """The published counts without these faces and the flowers of three seats."""
    counts = [*COUNTS]
    for face in [*gone, *[FLOWER] * 3]:
        counts[face] -= 1
    return counts


NODES: dict[str, tuple[Callable[[], Game], Callable[[Game], dict[int, float]]]] = {
    "first_parent": (before_first_parent, lambda _: dict.fromkeys(range(5), 1 / 5)),
    "flower_slot": (before_flower_slot, lambda _: dict.fromkeys(range(8), 1 / 8)),
    "deal": (before_deal, lambda _: by_count(without(*[5] * 7, 10))),
    "way_up": (before_way_up, lambda _: {0: 1 / 2, 1: 1 / 2}),
    "market": (before_market, lambda game: by_count(deck(game))),
    "deck in taking": (before_take, lambda game: by_count(deck(game))),
    "deck in growth": (before_growth, lambda game: by_count(deck(game))),
}


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T2", "T5", "T6", "T9", "T14")
@pytest.mark.parametrize("name", NODES)
def test_stated_probabilities(name: str) -> None:
    """Seats, slots and ways up are uniform, faces go by the counts that are left."""
    make, expected = NODES[name]
    game = make()
    assert game.chance_name in name
    assert dict(game.chance_outcomes()) == pytest.approx(expected(game))


@pytest.mark.rule("T2", "T5", "T6", "T9", "T14")
@pytest.mark.parametrize("name", NODES)
def test_settle_draws_as_often_as_stated(name: str) -> None:
    """The frequencies of `settle` are the probabilities of `chance_outcomes`."""
    game = NODES[name][0]()
    assert_frequencies(sampled(game, GAMES), dict(game.chance_outcomes()))


# ==================================================================== batches


@pytest.mark.rule("T5")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_first_parents_of_a_batch(players: int) -> None:
    """T5: over many keys each seat begins as often as the others."""
    tables = make_vec("torutorento_v0", tables=20_000, seed=SEED, players=players)
    found = Counter(tables.seat.tolist())
    assert_frequencies(found, dict.fromkeys(range(players), 1 / players))


def dealt_cards(tables: Any) -> np.ndarray:
    """The cards of all hands as numbers 1 + 2 face + way up, (N, P, 8)."""
    words = np.ascontiguousarray(tables.games["hand"][:, : tables.players])
    return words.view(np.uint8).reshape(*words.shape, 8)


@pytest.mark.rule("T6", "T2")
@pytest.mark.parametrize("players", [3, 5])
def test_hands_of_a_batch(players: int) -> None:
    """T6: in every slot of every seat each card, either way up, as often as it should."""
    tables = make_vec("torutorento_v0", tables=GAMES, seed=SEED, players=players)
    counts = [*COUNTS]
    counts[FLOWER] -= players
    probabilities = {}
    for face, way in LYING.values():
        share = 7 / 8 * counts[face] / sum(counts) + (face == FLOWER) / 8
        probabilities[1 + 2 * face + way] = share / (2 if face in TWO_WAYS else 1)
    cards = dealt_cards(tables)
    for seat in range(players):
        for slot in range(8):
            assert_frequencies(Counter(cards[:, seat, slot].tolist()), probabilities)
    assert ((cards == 1 + 2 * FLOWER).sum(axis=2) >= 1).all()


@pytest.mark.rule("T6")
def test_pairs_of_cards_in_a_batch() -> None:
    """T6: two dealt cards of a hand are drawn without putting back."""
    tables = make_vec("torutorento_v0", tables=GAMES, seed=SEED, players=4)
    left = sum(COUNTS) - 4
    cards = dealt_cards(tables)
    for face in (5, 10, 11):
        count = COUNTS[face]
        pairs = 7 * 6 / 2 * count * (count - 1) / (left * (left - 1))
        held = ((cards - 1) // 2 == face).sum(axis=2)
        found = (held * (held - 1) / 2).sum(axis=0)
        spread = 4.5 * np.sqrt(GAMES * (pairs + pairs**2 * 4))
        np.testing.assert_allclose(found, GAMES * pairs, atol=spread)


@pytest.mark.rule("T6")
def test_markets_of_a_batch() -> None:
    """T6: what is turned up is as likely as what is dealt."""
    tables = make_vec("torutorento_v0", tables=GAMES, seed=SEED, players=5)
    counts = [*COUNTS]
    counts[FLOWER] -= 5
    low = tables.games["piles"][:, 5, 0]
    for face in range(8):
        lying = (low >> np.uint64(8 * face)) & np.uint64(255)
        mean = GAMES * 5 * counts[face] / sum(counts)
        assert abs(int(lying.sum()) - mean) < 4.5 * np.sqrt(mean)


# ==================================================================== keys


def played(key: tuple[int, int, int], agent: int, rounds: int, **options: Any) -> list[list[str]]:
    """The hands dealt in the first rounds of a game whose decisions are drawn by `agent`."""
    game, rng = Game("torutorento_v0", seed=key, **options), random.Random(agent)
    game.settle()
    deals = [dealt_hands(game)]
    while len(deals) < rounds:
        before = scored(game)
        game.apply(rng.choice(game.legal_actions()))
        game.settle()
        if scored(game) > before:
            deals.append(dealt_hands(game))
    return deals


def dealt_hands(game: Game) -> list[str]:
    return [hand(game, seat) for seat in range(game.players)]


@pytest.mark.pure
@pytest.mark.rule("T6", "T7")
@pytest.mark.parametrize("players", [3, 5])
def test_deals_do_not_depend_on_what_was_drawn_before(players: int) -> None:
    """A key has one deal for each round, whatever was played and drawn before."""
    one, other = (played((5, 1, 2), agent, 3, players=players) for agent in (1, 4))
    assert one == other
    assert len({str(hands) for hands in one}) == 3


@pytest.mark.pure
def test_every_word_of_the_key_matters() -> None:
    """Seed, table and game number each change the deal; the same key repeats it."""
    keys = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2**40, 0, 0), (2**62, 0, 0)]
    deals = [str(played(key, 0, 1, players=3)) for key in keys]
    assert len(set(deals)) == len(keys)
    assert deals[0] == str(played(keys[0], 0, 1, players=3))


@pytest.mark.pure
@pytest.mark.rule("T6")
def test_variants_of_the_options_have_the_same_deals() -> None:
    """What is dealt depends on the key alone, not on points, limits or reward."""
    plain = played((5, 0, 0), 0, 2, players=4)
    options: dict[str, Any] = {"tie_ranking": "competition", "mimic_body": 3, "target": 50}
    assert played((5, 0, 0), 0, 2, players=4, reward="score", **options) == plain


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T5", "T6", "T9", "T14")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_chance_node_of_a_game_is_as_in_the_second_implementation(players: int) -> None:
    """Names, seats, outcomes and probabilities, node by node."""
    game = Game("torutorento_v0", players=players, max_rounds=2)
    second, rng = Torutorento(players, max_rounds=2), random.Random(players)
    nodes: Counter[str] = Counter()
    while game.node != "over":
        if game.node == "chance":
            assert (game.chance_name, game.seat) == (second.name, second.seat)
            stated = {outcome: float(p) for outcome, p in second.outcomes().items()}
            assert dict(game.chance_outcomes()) == pytest.approx(stated)
            nodes[second.name + second.phase] += 1
        deck_actions = [a for a in (TAKE_DECK, PICK_DECK) if a in game.legal_actions()]
        value = deck_actions[0] if deck_actions and rng.random() < 0.5 else random_event(game, rng)
        play_event(game, value)
        second.apply(value)
    assert nodes.keys() >= {"decktaking", "deckgrowth", "flower_slotsetup", "way_upsetup"}


@pytest.mark.rule("T6", "T14")
def test_outcomes_that_cannot_come() -> None:
    """A face whose cards are all out is no outcome."""
    game = deal(["M M F", "Y Y F", ""])
    fall(game)
    game.apply(TAKE_DECK)
    assert {WORDS[face, 0] for face in range(12)} - {WORDS[k, 0] for k in outcomes(game)} == {
        "M", "Y",
    }  # fmt: skip
