"""Who sees what in torutorento: nothing hidden leaks, and nothing that is seen gets lost.

Random games are told once more with some hidden outcomes changed. The second implementation says
whether a seat could tell the two courses apart; observation, mask and information state must agree.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from helpers.games import same_observation
from helpers.torutorento import (
    DONE,
    FLOWER,
    PICK_DECK,
    TAKE_DECK,
    asked,
    cards,
    chance,
    deal,
    face,
    fall,
    grow,
    hand,
    insertion,
    pass_takes,
    put,
    take,
    take_action,
    take_from,
)
from oracles.torutorento import Torutorento
from tefuda.envs import Game

PLAYERS = [3, 4, 5]
PHASES = ("setup", "leaves", "taking", "growth", "change")
COURSES = 10
ENCODERS = list(Game("torutorento_v0", seed=(0, 0, 0)).engine.spec.encoders)


class Event(NamedTuple):
    name: str
    seat: int | None
    value: int


def views(game: Game, seat: int) -> list[Any]:
    """All that is shown to a seat: information state, observation, and its mask if it acts."""
    mask = game.legal_actions() if game.seat == seat and game.node == "decision" else None
    return [game.information_state(seat), game.observation(seat).tobytes(), mask]


def replayed(values: Sequence[int], players: int, encoder: str) -> Game:
    """The game with these events, which are known to be possible."""
    game = Game("torutorento_v0", players=players, encoder=encoder, target=40)
    for value in values:
        game.advance(value)
    return game


# ==================================================================== courses that differ


def random_course(rng: random.Random, players: int) -> tuple[list[Event], list[str]]:
    """One round or two at random, and the phase after each event."""
    game = Torutorento(players, target=40, max_rounds=rng.choice((1, 1, 2)))
    course: list[Event] = []
    phases: list[str] = []
    while game.kind != "over":
        weights = game.outcomes()
        values = list(weights) or game.legal()
        chances = [float(p) for p in weights.values()] or None
        course.append(Event(game.name, game.seat, rng.choices(values, chances)[0]))
        game.apply(course[-1].value)
        phases.append(game.phase)
    return course, phases


def tell(
    course: Sequence[Event], players: int, rng: random.Random
) -> tuple[Torutorento, list[int]] | None:
    """Plays a changed course; ways up are added and left out as its cards need them.

    Returns:
        The game with all its values, or None where the course is impossible.
    """
    game, values = Torutorento(players, target=40), []
    for event in course:
        if game.name == "way_up" and event.name != "way_up":
            values.append(rng.randrange(2))
            game.apply(values[-1])
        elif event.name == "way_up" and game.name != "way_up":
            continue
        if (game.name, game.seat) != (event.name, event.seat):
            return None
        try:
            game.apply(event.value)
        except ValueError:
            return None
        values.append(event.value)
    return (game, values) if game.name != "way_up" else None


def changed_course(
    course: Sequence[Event], rng: random.Random, hidden: Sequence[int]
) -> list[Event]:
    """The course with some of its hidden events changed."""
    changed = list(course)
    # Ways up of cards that have left the hand are all that stays hidden to the end of a round.
    ways = [k for k in hidden if course[k].name == "way_up"] or hidden
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.choice(rng.choice((ways, hidden)))
        event = changed[at]
        if event.name in ("deal", "deck"):
            partners = [k for k in hidden if changed[k].name in ("deal", "deck")]
            other = rng.choice(partners)
            changed[at] = event._replace(value=changed[other].value)
            changed[other] = changed[other]._replace(value=event.value)
        elif event.name == "leaf":
            changed[at] = event._replace(value=rng.randrange(DONE))
        else:
            several = 8 if event.name == "flower_slot" else 2
            changed[at] = event._replace(value=rng.randrange(several))
    return changed


def hidden_from(course: Sequence[Event], seat: int) -> list[int]:
    """The events whose value another seat alone sees when they happen."""
    decks = [k for k, event in enumerate(course) if event.name == "deck"]
    growth = {k for k in decks if course[k - 1].name == "pick"}
    private = ("flower_slot", "deal", "way_up", "leaf")
    return [
        k
        for k, event in enumerate(course)
        if event.seat != seat and (event.name in private or k in growth)
    ]


class Pair(NamedTuple):
    """Two courses of a game, and whether a seat saw the same in both."""

    same: bool
    phase: str
    values: list[int]
    others: list[int]


def pairs(players: int, seat: int, courses: int, seed: int) -> Iterator[Pair]:
    """Courses that end in each phase, each beside some that differ in hidden events."""
    rng = random.Random(seed)
    for _ in range(courses):
        whole, phases = random_course(rng, players)
        for phase in (name for name in PHASES if name in phases):
            ends = [k for k, name in enumerate(phases, start=1) if name == phase]
            course = whole[: rng.choice(ends)]
            plain = tell(course, players, rng)
            hidden = hidden_from(course, seat)
            if plain is not None and hidden:
                yield from _changed(course, plain, hidden, seat, rng)


def _changed(
    course: Sequence[Event],
    plain: tuple[Torutorento, list[int]],
    hidden: Sequence[int],
    seat: int,
    rng: random.Random,
) -> Iterator[Pair]:
    game, values = plain
    seen = game.seen(seat)
    for _ in range(4):
        other = tell(changed_course(course, rng, hidden), game.players, rng)
        if other is not None and other[1] != values:
            yield Pair(other[0].seen(seat) == seen, game.phase, values, other[1])


@pytest.mark.rule("T6", "T8", "T9", "T14", "T15", "T16")
@pytest.mark.parametrize("players", PLAYERS)
def test_what_a_seat_cannot_tell_apart_looks_the_same(players: int) -> None:
    """No hidden deal, way up, leaf or deck card shows; whatever was seen is remembered."""
    phases: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for seat in range(players):
        for pair in pairs(players, seat, COURSES, seed=10 * players + seat):
            one, other = (replayed(v, players, ENCODERS[0]) for v in (pair.values, pair.others))
            phases[pair.same][pair.phase] += 1
            if pair.same:
                assert views(one, seat) == views(other, seat)
            else:
                assert one.information_state(seat) != other.information_state(seat)
    assert min(phases[True][phase] for phase in PHASES) >= 5, phases
    assert min(phases[False][phase] for phase in PHASES) >= 1, phases


@pytest.mark.rule("T15")
@pytest.mark.parametrize("encoder", ENCODERS[1:])
def test_other_encoders_show_nothing_more(encoder: str) -> None:
    """Courses that look the same to a seat have the same observation in every encoder."""
    compared = 0
    for pair in pairs(4, 1, 2 * COURSES, seed=3):
        if pair.same:
            one, other = (replayed(v, 4, encoder) for v in (pair.values, pair.others))
            assert same_observation(one.observation(1), other.observation(1))
            compared += 1
    assert compared >= 40


# ==================================================================== falling leaves


def leaf_courses(rng: random.Random, seat: int, players: int) -> tuple[list[int], list[int]]:
    """Two games in the falling leaves; all but `seat` choose differently in the second.

    Returns:
        The leaves so far of both games: those of the seats before `seat` (the parent is 0), and
        then the same ones of `seat`.
    """
    own = sorted(rng.sample(range(8), rng.randrange(9)))
    courses: list[list[int]] = []
    for _ in range(2):
        actions: list[int] = []
        for _ in range(seat):
            actions += [*sorted(rng.sample(range(8), rng.randrange(9))), DONE]
        courses.append([*actions, *own])
    return courses[0], courses[1]


@pytest.mark.pure
@pytest.mark.rule("T8")
@pytest.mark.parametrize("players", PLAYERS)
def test_falling_leaves_are_simultaneous(players: int) -> None:
    """T8: at the turn of a seat nothing tells what the seats before it have chosen."""
    rng, dealt = random.Random(players), deal(["F HT M", *["B F"] * (players - 1)])
    differed = 0
    for _ in range(6):
        for seat in range(1, players):
            courses = leaf_courses(rng, seat, players)
            games = [dealt.clone(), dealt.clone()]
            for game, actions in zip(games, courses, strict=True):
                for action in actions:
                    game.apply(action)
                assert game.seat == seat
            differed += courses[0] != courses[1]
            for observer in range(players):
                if observer >= seat:
                    assert views(games[0], observer) == views(games[1], observer)
    assert differed > 5 * (players - 1)


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T8")
@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_changes_while_others_choose(players: int) -> None:
    """T8: from the own choice on until all have chosen, every step of others looks like none."""
    rng = random.Random(players)
    for parent in range(players):
        game = deal([""] * players, parent=parent)
        shown = {seat: views(game, seat)[:2] for seat in range(players)}
        steps = 0
        while True:
            actor = game.seat
            assert actor is not None
            action = rng.choice(game.legal_actions())
            twin = game.clone()
            twin.apply(action)
            if asked(twin) != "leaf":
                break
            for seat in range(players):
                if seat != actor:
                    assert views(twin, seat)[:2] == shown[seat]
            shown[actor] = views(twin, actor)[:2]
            game, steps = twin, steps + 1
        assert steps >= players - 1


@pytest.mark.pure
@pytest.mark.rule("T8")
def test_leaves_are_seen_once_all_have_chosen() -> None:
    """T8: slots and faces, by everybody."""
    one, other = (deal(["F HT M 1 2 3 3 3", "", ""]) for _ in range(2))
    fall(one, {0: [1, 3]})
    fall(other, {0: [1, 4]})
    for seat in (1, 2):
        assert one.information_state(seat) != other.information_state(seat)
        assert (one.observation(seat) != other.observation(seat)).any()


@pytest.mark.pure
@pytest.mark.rule("T8", "T15")
def test_the_slot_of_a_leaf_is_seen() -> None:
    """T8: of two equal cards it matters which one fell."""
    one, other = (deal(["F 1 2 1 3 3 3 3", "", ""]) for _ in range(2))
    fall(one, {0: [1]})
    fall(other, {0: [3]})
    assert one.information_state(1) != other.information_state(1)


# ==================================================================== single events


def told_apart(make: Callable[[str], Game], one: str, other: str) -> list[int]:
    """The seats that can tell two games apart that were made with different words."""
    games = make(one), make(other)
    return [
        seat
        for seat in range(games[0].players)
        if games[0].information_state(seat) != games[1].information_state(seat)
    ]


def looks_different(make: Callable[[str], Game], one: str, other: str) -> list[int]:
    """The seats whose observation differs."""
    games = make(one), make(other)
    return [
        seat
        for seat in range(games[0].players)
        if (games[0].observation(seat) != games[1].observation(seat)).any()
    ]


def with_hand(word: str) -> Game:
    others = ["F 1 1 1 2 2 2 3", "F 1 1 2 3 3 3 3"]
    return deal([f"F {word} 1 1 2 2 3 3", *others], market="HH HH HH")


def with_card_taken(word: str) -> Game:
    """Seat 0 has drawn a card of seat 1 and not put it yet."""
    game = deal(["", f"F {word} 1 1 2 2 3 3", ""], market="HH HH HH")
    fall(game)
    game.apply(take_action(game, 1, 1))
    return game


def with_taken_card_put(word: str) -> Game:
    game = with_card_taken(word)
    put(game, 0)
    return game


def with_deck_card_taken(word: str) -> Game:
    game = deal(["", "", ""])
    fall(game)
    game.apply(TAKE_DECK)
    chance(game, "deck", 0, face(word))
    return game


def growing(hand_of_seat: str, market: str = "") -> Game:
    """Seat 0 is to grow the card that it let fall (slot 0)."""
    game = deal([hand_of_seat, "", ""], market=market)
    fall(game, {0: [0]})
    pass_takes(game)
    return game


def with_deck_card(word: str) -> Game:
    """Seat 0 has drawn a card of the deck in growth and not inserted it yet."""
    game = growing("F F 1 1 2 2 3 M")
    game.apply(PICK_DECK)
    chance(game, "deck", 0, face(word))
    return game


def with_deck_card_inserted(word: str) -> Game:
    """... and has inserted it; another card is still missing, so that hands are not shown."""
    game = deal(["F F 1 1 2 2 3 M", "", ""])
    fall(game, {0: [0, 1]})
    pass_takes(game)
    grow(game, word, 2, deck=True)
    return game


def with_open_card_inserted(word: str) -> Game:
    game = deal(["F F 1 1 2 2 3 M", "", ""], market="HT <H TT")
    fall(game, {0: [0, 1]})
    pass_takes(game)
    grow(game, word, 2)
    return game


@pytest.mark.pure
@pytest.mark.rule("T6", "T9", "T14", "T15")
@pytest.mark.parametrize(
    ("make", "one", "other", "seats"),
    [
        (with_hand, "HH", "TT", [0]),
        (with_hand, "HT", "TH", [0]),  # the way up alone
        (with_hand, "H>", "1", [0]),  # nor does anybody notice that a way up was drawn
        (with_card_taken, "HH", "TT", [0, 1, 2]),  # turned face up
        (with_deck_card_taken, "HH", "TT", [0, 1, 2]),
        (with_deck_card, "HH", "TT", [0]),  # the taker alone
        (with_deck_card, "HH", "H>", [0]),
        (with_deck_card_inserted, "HH", "TT", [0]),
        (with_deck_card_inserted, "HT", "TH", [0]),  # of a deck card only the place is seen
        (with_open_card_inserted, "HT", "TH", [0, 1, 2]),  # of a face-up card the way up too
        (with_open_card_inserted, "H>", "<H", [0, 1, 2]),
    ],
)
def test_who_can_tell(make: Callable[[str], Game], one: str, other: str, seats: list[int]) -> None:
    """Who sees what, event by event; what is seen is in the observation too."""
    assert told_apart(make, one, other) == seats
    assert looks_different(make, one, other) == seats


@pytest.mark.pure
@pytest.mark.rule("T2", "T9")
def test_the_way_up_of_a_taken_card_is_not_told() -> None:
    """T2: outside a hand a card has none; only the owner of the hand knew it."""
    for make in (with_card_taken, with_taken_card_put):
        assert told_apart(make, "HT", "TH") == [1]
        assert looks_different(make, "HT", "TH") == []


@pytest.mark.pure
@pytest.mark.rule("T15")
def test_the_gap_of_a_deck_card_is_seen() -> None:
    """T15: only the place, but that by all."""
    games = [with_deck_card("TT") for _ in range(2)]
    for game, gap in zip(games, (1, 6), strict=True):
        game.apply(insertion(gap))
    games = []
    for gap in (1, 5):
        game = deal(["F F 1 1 2 2 3 M", "", ""])
        fall(game, {0: [0, 1]})
        pass_takes(game)
        grow(game, "TT", gap, deck=True)
        games.append(game)
    for seat in range(3):
        assert games[0].information_state(seat) != games[1].information_state(seat)
        assert (games[0].observation(seat) != games[1].observation(seat)).any()


@pytest.mark.pure
@pytest.mark.rule("T16")
def test_hands_are_shown_in_the_change_phase() -> None:
    """T16: two hands that only their owner could tell apart, then everybody."""

    def make(word: str) -> Game:
        game = deal([f"F {word}", "M F", ""])
        fall(game)
        if word != "early":
            pass_takes(game)
        return game

    assert told_apart(make, "HT", "TH") == [0, 1, 2]
    assert looks_different(make, "HT", "TH") == [0, 1, 2]


@pytest.mark.pure
@pytest.mark.rule("T15", "T7")
def test_knowledge_is_gone_when_hands_are_dealt_anew() -> None:
    """T15: at the end of the round nothing of the old hands is left in the observation."""
    games = []
    for word in ("HT", "TT"):
        game = growing("F 1 1 2 2 3 3 3", market=f"{word} HH HH")
        game.apply(47 + face(word))
        game.apply(insertion(0))
        assert game.chance_name == "flower_slot"
        games.append(game)
    for seat in range(3):
        np.testing.assert_array_equal(games[0].observation(seat), games[1].observation(seat))


@pytest.mark.pure
@pytest.mark.rule("T9")
def test_taken_slots_are_seen() -> None:
    """T9: of two equal cards it matters which was drawn."""
    games = [deal(["", "F 1 2 1 3 3 3 3", ""]) for _ in range(2)]
    for game, slot in zip(games, (1, 3), strict=True):
        fall(game)
        take_from(game, 1, slot)
        take(game)
    assert games[0].information_state(2) != games[1].information_state(2)


@pytest.mark.pure
def test_seats_and_scores_are_public() -> None:
    """What fields hold, and how many cards the deck has, is seen by all."""
    for to in (1, 2):
        game = deal(["", "", ""])
        fall(game)
        take(game, "HH", to=to)
        sections = {section.name: section.slice for section in game.engine.sections}
        for seat in range(3):
            fields = game.observation(seat)[sections["fields"]].reshape(3, 13)
            assert fields[(to - seat) % 3].tolist() == [0, 1, *[0] * 10, 1]
            assert game.observation(seat)[sections["deck"]].tolist() == [71 - 24 - 3 - 1]
    assert cards("F")[0][0] == FLOWER
    assert len(hand(game, 0).split()) == 8
