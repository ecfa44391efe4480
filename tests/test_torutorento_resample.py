"""Redrawing what a seat cannot know: the same to that seat, possible, as likely as it should."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from helpers.statistics import assert_frequencies
from helpers.torutorento import (
    COUNTS,
    DONE,
    PICK_DECK,
    TAKE_DECK,
    asked,
    changed,
    components,
    deal,
    hand,
    insertion,
    play_event,
    random_event,
    scored,
)
from oracles.torutorento import Torutorento
from tefuda.envs import Game

BEASTS = changed(bird=10, mimic=10)
SETUP = ("first_parent", "flower_slot", "deal", "way_up", "market")


def oracle_view(game: Game, seat: int, **options: Any) -> Any:
    """What a seat has seen by the second implementation; refuses an impossible course."""
    second = Torutorento(game.players, **options)
    for value in game.values:
        second.apply(value)
    return second.seen(seat)


def positions(players: int, seed: int, rounds: int, counts: Sequence[int]) -> Iterator[Game]:
    """A game after each of its events."""
    game = Game(
        "torutorento_v0", players=players, components=components(counts), max_rounds=rounds,
        target=99,
    )  # fmt: skip
    rng = random.Random(seed)
    while game.node != "over":
        yield game
        play_event(game, random_event(game, rng))


# ==================================================================== whole games


@pytest.mark.rule("T6", "T8", "T14", "T15")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_seat_cannot_tell_the_worlds_apart(players: int) -> None:
    """Its view is the same, its actions too, and the new course is a possible one."""
    rng, differ, phases = np.random.default_rng(players), 0, Counter[str]()
    options: dict[str, Any] = {"max_rounds": 2, "target": 99}
    for seed, counts in enumerate((COUNTS, BEASTS)):
        options["counts"] = tuple(counts)
        for number, game in enumerate(positions(players, seed, 2, counts)):
            if number % 3 == seed:
                continue
            seat = int(rng.integers(players))
            twin = game.resample(seat, rng)
            if asked(game) not in SETUP:  # there, others do not notice each way up
                assert (twin.node, twin.seat) == (game.node, game.seat)
            assert twin.totals == game.totals
            assert twin.information_state(seat) == game.information_state(seat)
            np.testing.assert_array_equal(twin.observation(seat), game.observation(seat))
            if game.seat == seat:
                assert twin.legal_actions() == game.legal_actions()
            assert oracle_view(twin, seat, **options) == oracle_view(game, seat, **options)
            replayed = Game.from_record(twin.record())
            for other in range(players):
                np.testing.assert_array_equal(replayed.observation(other), twin.observation(other))
            differ += twin.values != game.values
            phases[asked(game)] += twin.values != game.values
    assert differ > 100
    assert {"leaf", "take", "put", "pick", "insert"} <= {k for k, n in phases.items() if n}


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T16")
def test_after_the_hands_are_shown_only_the_future_is_open() -> None:
    """T16: hidden no more, so that nothing of the course changes."""
    rng, changes = np.random.default_rng(0), 0
    for seed in range(12):
        for game in positions(3, seed, 1, BEASTS):
            if asked(game) in ("bird", "mimic"):
                assert game.resample(0, rng).values == game.values
                changes += 1
    assert changes >= 5


@pytest.mark.pure
@pytest.mark.rule("T6", "T7")
def test_rounds_that_are_over_do_not_change() -> None:
    """Only the current round is redrawn."""
    rng, compared = np.random.default_rng(0), 0
    begin = 0
    for game in positions(3, 1, 2, COUNTS):
        if scored(game) == 0:
            begin = len(game.values) + 1
        elif asked(game) == "leaf":
            twin = game.resample(1, rng)
            assert twin.values[:begin] == game.values[:begin]
            assert twin.values != game.values
            compared += 1
    assert compared


@pytest.mark.pure
@pytest.mark.rule("T6")
def test_the_future_is_open() -> None:
    """A resampled game draws another future than the real one."""
    game = deal(["", "", ""], seed=(1, 0, 0))
    rng = np.random.default_rng(0)
    futures = set()
    for _ in range(8):
        twin = game.resample(0, rng)
        for _ in range(3):
            twin.apply(DONE)
        twin.apply(TAKE_DECK)
        twin.settle()
        futures.add(twin.values[-1])
    assert len(futures) > 2


@pytest.mark.pure
@pytest.mark.rule("T8")
def test_leaves_of_others_are_redrawn() -> None:
    """T8: what another seat has chosen so far can be anything; the own choice stays."""
    game = deal(["", "", ""])
    for action in (2, 5, DONE, 0, 7, DONE, 3):
        game.apply(action)
    rng = np.random.default_rng(0)
    chosen: Counter[tuple[int, ...]] = Counter()
    for _ in range(60):
        twin = game.resample(0, rng)
        assert (twin.seat, twin.node) == (2, "decision")
        leaves = list(twin.values[-len(twin.values) + dealt_events(twin) :])
        assert leaves[:3] == [2, 5, DONE]
        second = leaves[3 : leaves.index(DONE, 3)]
        assert second == sorted(set(second))
        chosen[tuple(second)] += 1
    assert len(chosen) > 20


def dealt_events(game: Game) -> int:
    """How many events there are before the first leaf."""
    return sum(event["kind"] == "chance" for event in game.record()["events"])


# ==================================================================== likelihoods

# head-tail 3, body-1 2, body-2 3, flower 4, butterfly 2
TINY = [0, 0, 3, 0, 0, 2, 3, 0, 4, 0, 2, 0]


def tiny() -> Game:
    """Two seats with hands of three."""
    file = components(TINY, "hand_size = 3; players = [2]")
    game = Game("torutorento_v0", players=2, components=file)
    game.apply_chance(0)
    return game


def hidden_from_seat_0(game: Game) -> bool:
    """Whether seat 0 does not see the outcome of the present chance node."""
    private = ("flower_slot", "deal", "way_up")
    drawn = game.chance_name == "deck" and int(game.state["stage"]) == GROWTH_STAGE
    return game.seat == 1 and (game.chance_name in private or drawn)


GROWTH_STAGE = 3


def worlds(real: Game) -> dict[str, float]:
    """The hands of seat 1 with their probabilities, given all that seat 0 has seen.

    Every deal that is possible is played with the real decisions; those remain in which seat 0
    sees the same, each weighted by its chance. The way up of a deck card is a hidden choice.
    """
    seen, course = real.information_state(0), [*_seen_by_seat_0(real)]
    found: defaultdict[str, float] = defaultdict(float)

    def walk(game: Game, at: int, weight: float) -> None:
        between = game.node == "chance" and game.chance_name == "way_up" and game.seat == 1
        if at == len(course) and not between:
            if game.information_state(0) == seen:
                found[hand(game, 1)] += weight
            return
        for value, probability in _branches(game, 0 if between else course[at]):
            twin = game.clone()
            twin.advance(value)
            walk(twin, at + (not between), weight * probability)

    walk(tiny(), 0, 1.0)
    whole = sum(found.values())
    return {held: weight / whole for held, weight in found.items()}


def _branches(game: Game, real: int) -> list[tuple[int, float]]:
    """What may happen at a node where `real` did, as far as seat 0 knows."""
    if game.node == "chance":
        hidden = hidden_from_seat_0(game)
        return [(value, p) for value, p in game.chance_outcomes() if hidden or value == real]
    if game.seat == 1 and game.state["unseen"] and asked(game) == "insert":
        ways = [action for action in game.legal_actions() if action // 2 == real // 2]
        return [(action, 1 / len(ways)) for action in ways]
    return [(action, 1.0) for action in game.legal_actions() if action == real]


def _seen_by_seat_0(game: Game) -> Iterator[int]:
    """The events after the first parent, less the ways up that seat 1 was dealt."""
    for event in game.record()["events"][1:]:
        if event.get("name") != "way_up" or event["seat"] == 0:
            yield event["action"] if event["kind"] == "decision" else event["outcome"]


def play(game: Game, *values: int) -> Game:
    for value in values:
        play_event(game, value)
    return game


HT, BODY_1, BODY_2, FLOWER, BUTTERFLY = 2, 5, 6, 8, 10


def dealt(*seat_1: int) -> Game:
    """Seat 0 holds flower, body and head-tail; seat 1 these cards after its flower's slot 1."""
    return play(tiny(), 0, BODY_1, HT, 0, 1, *seat_1, HT, BODY_2)


def just_dealt() -> Game:
    """Nothing but the own hand and the market is known."""
    return dealt(BODY_2, BUTTERFLY)


def a_flower_has_left() -> Game:
    """Seat 1 held two flowers, and let one of them fall."""
    return play(dealt(FLOWER, BUTTERFLY), DONE, 0, DONE)


def a_body_has_left() -> Game:
    """Seat 1 let a card fall that is no flower: its flower is still there."""
    return play(dealt(BODY_2, BUTTERFLY), DONE, 0, DONE)


def two_have_left() -> Game:
    """Seat 1 let a flower and a butterfly fall, and lost its last card to seat 0's draw."""
    return play(dealt(FLOWER, BUTTERFLY), DONE, 0, DONE, 10, 42)


def a_deck_card_has_grown() -> Game:
    """Seat 1 lost two cards, and has grown one of the deck."""
    game = play(dealt(FLOWER, BUTTERFLY), 1, DONE, 0, 2, DONE)
    play(game, TAKE_DECK, BODY_1, 42, TAKE_DECK, BUTTERFLY, 42)
    assert (asked(game), game.seat) == ("pick", 1)
    return play(game, PICK_DECK, HT, insertion(0, 1))


def a_deck_card_is_in_the_fingers() -> Game:
    """The same, before it is inserted."""
    return play(tiny(), *a_deck_card_has_grown().values[1:-1])


@pytest.mark.rule("T6", "T8", "T14", "T15")
@pytest.mark.parametrize(
    "make",
    [
        just_dealt, a_body_has_left, a_flower_has_left, a_deck_card_has_grown,
        a_deck_card_is_in_the_fingers, two_have_left,
    ],
)  # fmt: skip
def test_worlds_come_as_often_as_they_should(make: Callable[[], Game]) -> None:
    """Against an enumeration of all deals, weighted by chance, that seat 0 cannot tell apart."""
    game = make()
    expected = worlds(game)
    assert hand(game, 1) in expected
    assert len(expected) > 3
    rng, draws = np.random.default_rng(1), 3000
    found = Counter(hand(game.resample(0, rng), 1) for _ in range(draws))
    assert set(found) <= set(expected)
    # Rare hands count as one.
    frequent = [held for held, p in expected.items() if p * draws >= 5]
    places = {held: frequent.index(held) if held in frequent else -1 for held in expected}
    probabilities: defaultdict[int, float] = defaultdict(float)
    counted: Counter[int] = Counter()
    for held, place in places.items():
        probabilities[place] += expected[held]
        counted[place] += found[held]
    assert_frequencies(counted, probabilities)
