"""No leak: what is hidden from a seat can be redrawn, and the seat cannot tell.

Resampling is checked in every game at thousands of random positions, and its distribution
exactly where all worlds can be enumerated. What a seat does see, its observations show.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers.gacha import card_line, deal_round, play_trick
from helpers.games import (
    EVERY_GAME,
    encodings,
    everything,
    oracle_of,
    play_to_end,
    same_observation,
    some_positions,
    spec_of,
    step_at_random,
)
from helpers.statistics import assert_frequencies
from helpers.worlds import all_worlds
from tefuda.envs import GAMES, Game
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import PURE_PYTHON, fields
from tefuda.envs.core.parts import ComponentFile, parse_components

pytestmark = pytest.mark.usefixtures("tiny_game")

every_game = pytest.mark.parametrize("name", EVERY_GAME)

#: Games in which nothing but the future is hidden.
OPEN_GAMES = {"quatre_v0"}
#: For the first encoder, and for each of the others.
POSITIONS = (40, 10) if PURE_PYTHON else (1200, 300)


# ==================================================================== the same to the seat


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.parametrize(("name", "encoder"), encodings())
def test_a_seat_cannot_tell_a_resampled_game_from_the_real_one(name: str, encoder: str) -> None:
    """Observation, legal actions, information state and public standing are the same."""
    rng, hidden = np.random.default_rng(1), Counter[str]()
    positions = POSITIONS[encoder != next(iter(spec_of(name).encoders))]
    for game in some_positions(name, 1, positions, share=0.1, encoder=encoder):
        before = everything(game)
        seat = int(rng.integers(game.players))
        world = game.resample(seat, rng)
        assert everything(game) == before
        assert same_observation(world.observation(seat), game.observation(seat))
        assert world.information_state(seat) == game.information_state(seat)
        assert (world.totals, world.winners) == (game.totals, game.winners)
        if len(game.values) % 5 == 0:  # now and then, for the sake of time
            assert in_words(world, seat) == in_words(game, seat)
        if game.node == "decision":
            assert (world.node, world.seat) == (game.node, game.seat)
            if game.seat == seat:
                assert world.legal_actions() == game.legal_actions()
        hidden["course"] += world.values != game.values
        for other in set(range(game.players)) - {seat}:
            hidden["view"] += not same_observation(
                world.observation(other), game.observation(other)
            )
    least = 0 if name in OPEN_GAMES else positions / 4
    assert min(hidden["course"], hidden["view"]) >= least
    assert name not in OPEN_GAMES or not hidden.total()


def in_words(game: Game, seat: int) -> tuple[Any, ...]:
    """What a seat is told in text and as JSON; before its first decision, without the node."""
    engine, view = game.engine, game.view(seat)
    if game.node == "chance":
        view = {**view, "asked": None, "acting": None, "legal": []}
    return engine.spec.text.ansi(engine.setup, game.state, seat), game.describe(seat), view


@pytest.mark.parametrize("name", GAMES)
def test_resampled_games_are_possible(name: str) -> None:
    """The second implementation judges their records, at once and after they are played on."""
    rng, judged = np.random.default_rng(2), 0
    count = 8 if name in OPEN_GAMES else 120
    for game in some_positions(name, 2, count, share=0.05):
        someone = int(rng.integers(game.players))
        acting = someone if game.seat is None else game.seat
        worlds = [game.resample(seat, rng) for seat in {someone, acting}]
        for world in worlds:
            oracle_of(name).judge(world.record())
            check_replay(world)
        judged += len(worlds)
        end = play_to_end(worlds[-1], random.Random(judged))
        oracle_of(name).judge(end.record())
    assert judged > count


def check_replay(world: Game) -> None:
    """A resampled game is, to every seat, what its own course leads to."""
    twin = Game.from_record(world.record())
    assert (twin.node, twin.seat, twin.values) == (world.node, world.seat, world.values)
    assert twin.legal_actions() == world.legal_actions()
    for seat in range(world.players):
        assert same_observation(twin.observation(seat), world.observation(seat))
        assert twin.information_state(seat) == world.information_state(seat)


@every_game
def test_the_future_of_a_resampled_game_is_open(name: str) -> None:
    """Its chance is another than the real one's, and another each time."""
    rng = np.random.default_rng(3)
    checked = 0
    for game in some_positions(name, 3, 40, share=0.1):
        if game.node == "over":
            continue
        worlds = [game.resample(0, rng) for _ in range(5)]
        streams = {int(world.state["stream"]) for world in (game, *worlds)}
        assert len(streams) == 6
        assert {world.key for world in worlds} == {None}
        checked += 1
    assert checked > 20


@pytest.mark.pure
@every_game
def test_resampling_follows_its_generator(name: str) -> None:
    for game in some_positions(name, 4, 20, share=0.05):
        one, two = (game.resample(0, np.random.default_rng(9)) for _ in range(2))
        assert everything(one) == everything(two)


# ==================================================================== scripted players


@pytest.mark.parametrize("name", [name for name in EVERY_GAME if spec_of(name).greedy])
def test_the_scripted_player_acts_on_what_its_seat_may_know(name: str) -> None:
    """At resampled positions it does the same with the same luck, and asking changes nothing."""
    rng, acted = np.random.default_rng(5), Counter[int]()
    for number, game in enumerate(some_positions(name, 5, 1500, share=0.2)):
        if game.node != "decision":
            continue
        assert game.seat is not None
        worlds = [game, game.resample(game.seat, rng), game.resample(game.seat, rng)]
        before = [everything(world) for world in worlds]
        (action, *others) = [greedy_action(world, number) for world in worlds]
        assert others == [action, action]
        assert action in game.legal_actions()
        assert [everything(world) for world in worlds] == before
        acted[action] += 1
    assert acted.total() > 400
    assert len(acted) > 1


def greedy_action(game: Game, luck: int) -> int:
    """The scripted player's action with the stream of a holder."""
    holders, actions = fields(np.zeros(1, STREAM)), np.zeros(1, np.int64)
    holders["stream"] = (luck + 1) << 32 | 77
    rows: npt.NDArray[np.int64] = np.zeros(1, np.int64)
    engine = game.engine
    engine.loops.greedy_actions(game._games, engine.parts, holders, rows, actions)
    return int(actions[0])


# ==================================================================== what matters is seen

Twins = tuple[Game, Game]

#: So many events two games are played on at most.
HORIZON = 25

#: Where a seat sees two different things and rightly does not tell them apart afterwards: which
#: of the unknown cards of a hand was taken makes no difference to who does not know that hand.
FORGOTTEN: dict[str, Callable[[Game], bool]] = {
    "torutorento_v0": lambda game: 9 <= game.legal_actions()[0] <= 41,
}


@pytest.mark.parametrize(("name", "encoder"), encodings())
def test_what_matters_gives_different_observations(name: str, encoder: str) -> None:
    """Two values of the next event, where a seat sees which: it observes a difference from then on.

    Or the two have come to be alike to all seats, and then stay so to the end of the game.
    """
    rng, compared, alike = random.Random(6), 0, 0
    for game in some_positions(name, 6, 250, share=0.15, encoder=encoder):
        values = possible(game)
        if len(values) < 2 or (game.node == "decision" and forgets(name, game)):
            continue
        pair, twins = rng.sample(values, 2), (game.clone(), game.clone())
        for twin, value in zip(twins, pair, strict=True):
            twin.advance(value)
        seats = [seat for seat in range(game.players) if told_apart(twins, seat)]
        if seats:
            compared += 1
            alike += become_alike(twins, rng.choice(seats), pair, rng)
    assert compared > 100
    assert alike > 0 or name == "quatre_v0"


def possible(game: Game) -> list[int]:
    """What can come next."""
    if game.node == "chance":
        return [outcome for outcome, _ in game.chance_outcomes()]
    return game.legal_actions()


def forgets(name: str, game: Game) -> bool:
    return name in FORGOTTEN and FORGOTTEN[name](game)


def told_apart(twins: Twins, seat: int) -> bool:
    return twins[0].information_state(seat) != twins[1].information_state(seat)


def become_alike(twins: Twins, seat: int, pair: list[int], rng: random.Random) -> bool:
    """Plays two games on as alike as can be, while a seat observes that they differ.

    Where one takes a value in which they differed, the other takes that of the other.

    Returns:
        Whether at some time it observed no difference; then there was none for good.
    """
    one, other = twins
    exchanged = {pair[0]: pair[1], pair[1]: pair[0]}
    for _ in range(HORIZON):
        if same_observation(one.observation(seat), other.observation(seat)):
            assert_equal_for_good(twins, rng)
            return True
        values = possible(one)
        value = rng.choice([v for v in values if v in exchanged] or values) if values else None
        if value is None or exchanged.get(value, value) not in possible(other):
            return False
        one.advance(value)
        other.advance(exchanged.get(value, value))
    return False


def assert_equal_for_good(twins: Twins, rng: random.Random) -> None:
    """Plays two games on alike: to nobody is there ever a difference."""
    one, other = twins
    while True:
        assert (one.node, one.seat) == (other.node, other.seat)
        assert possible(one) == possible(other)
        assert one.returns("score") == other.returns("score")
        for seat in range(one.players):
            assert same_observation(one.observation(seat), other.observation(seat))
        if one.node == "over":
            assert one.winners == other.winners
            return
        other.advance(step_at_random(one, rng))


def test_information_sets_of_the_tiny_game() -> None:
    """Every course of one round: equal knowledge gives equal observations and masks.

    And where an observation is the same, so is what stands on the table.
    """
    by_knowledge: dict[Any, set[Any]] = defaultdict(set)
    by_observation: dict[Any, set[Any]] = defaultdict(set)
    for game in every_course(Game("tiny_v0", rounds=1)):
        for seat in range(game.players):
            seen = game.observation(seat).tobytes()
            mask = tuple(game.legal_actions()) if game.seat == seat else ()
            by_knowledge[seat, game.information_state(seat)].add((seen, mask))
            by_observation[seat, seen].add((game.node, game.seat, mask, tuple(game.totals)))
    assert {len(seen) for seen in by_knowledge.values()} == {1}
    assert {len(what) for what in by_observation.values()} == {1}
    assert len(by_knowledge) > len(by_observation) > 200


def every_course(game: Game) -> Iterator[Game]:
    """Every position of a game."""
    yield game
    for value in possible(game):
        twin = game.clone()
        twin.advance(value)
        yield from every_course(twin)


# ==================================================================== the distribution, exactly


def few_coloured(
    players: int, hand: int, cards: int, colours: Sequence[str], *, redraws: bool = True
) -> ComponentFile:
    """A deck of colours in turn, so few that voids and face-down plays abound; half can redraw."""
    faces = [colours[number % len(colours)] for number in range(cards)]
    rows = [
        card_line(number + 1, colour, ["redraw"] if redraws and number % 4 < 2 else [])
        for number, colour in enumerate(faces)
    ]
    lines = [
        *('name = "small"', 'variant = "small"', "cards = [", *rows, "]"),
        *("[facts]", f"hand_size = {hand}", f"tricks = {hand}", "[facts.colours]"),
        *(f"{colour} = {faces.count(colour)}" for colour in colours),
        *(f"[facts.players.{players}]", f"cards = {cards}", "misere = [1]", "rank_wp = [1]"),
    ]
    return parse_components("\n".join(lines) + "\n", "small.toml")


def canonical(game: Game, values: tuple[int, ...]) -> tuple[int, ...]:
    """A course whose hands are dealt in rising order; the first value is the first leader."""
    size = int(game.engine.parts[0]["hand_size"])
    dealt = 1 + size * game.players
    hands = [sorted(values[at : at + size]) for at in range(1, dealt, size)]
    return (values[0], *(card for hand in hands for card in hand), *values[dealt:])


def rising(seat: int) -> Callable[[Game, int], bool]:
    """Deals the hands of others in rising order: every hand has as many other orders."""

    def allowed(game: Game, value: int) -> bool:
        if game.node != "chance" or game.chance_name != "deal" or game.seat == seat:
            return True
        size = int(game.engine.parts[0]["hand_size"])
        first_of_hand = (len(game.values) - 1) % size == 0
        return first_of_hand or value > game.values[-1]

    return allowed


def gacha_positions(players: int, hand: int, cards: int) -> Iterator[tuple[Game, int]]:
    """Positions of the first round of small games, and a seat for each."""
    deck, dealt = few_coloured(players, hand, cards, ("red", "blue")), 1 + players * hand
    for seed in range(600):
        game, rng = Game("gacha_v0", players=players, components=deck), random.Random(seed)
        for _ in range(rng.randrange(dealt + 3, dealt + 5 * players * hand)):
            if game.node != "over":
                step_at_random(game, rng)
        if int(game.state["scorings"]) == 0 and game.node == "decision":
            yield game, rng.randrange(players)


def hidden_events(game: Game, seat: int) -> set[str]:
    """What others hid from a seat, or showed of their hands."""
    found = {
        seen.name
        for seen in game.information_state(seat)
        if seen.value is None and seen.seat != seat and seen.name != "deal"
    }
    if np.delete(game.state["void_age"], seat, axis=0).any():
        found.add("void")
    if game.state["redrawn_count"] > 0:
        found.add("returned card drawn")
    return found


@pytest.mark.rule("G12", "G14", "G18")
@pytest.mark.parametrize(
    ("players", "hand", "cards", "wanted"),
    [
        (2, 3, 9, {"stock", "return", "play", "void"}),
        (2, 4, 9, {"stock", "return", "play", "void", "returned card drawn"}),
        (3, 2, 8, {"stock", "return", "play", "void"}),
    ],
)
def test_resampling_of_small_gacha_is_exact(
    players: int, hand: int, cards: int, wanted: set[str]
) -> None:
    """Each world that agrees with what the seat has seen comes as often as it should."""
    rng, seen = np.random.default_rng(7), Counter[str]()
    for game, seat in gacha_positions(players, hand, cards):
        events = hidden_events(game, seat) & wanted
        if all(seen[kind] > 1 for kind in events):
            continue
        weights = all_worlds(game, seat, rising(seat))
        if len(weights) > 3 and max(weights.values()) < 50 * min(weights.values()):
            check_distribution(game, seat, weights, rng)
            seen.update(events)
            if all(seen[kind] > 1 for kind in wanted):
                return
    raise AssertionError(f"too few positions: {seen}")


@pytest.mark.rule("G11")
def test_different_voids_of_two_seats() -> None:
    """Seat 1 has shown to hold no red, seat 2 no blue; the yellow cards can be with either.

    To deal them one after the other would favour worlds in which the first took a card that the
    second could not have had.
    """
    deck = few_coloured(3, 4, 15, ("red", "blue", "yellow"), redraws=False)
    game = Game("gacha_v0", players=3, components=deck)
    game.apply_chance(0)
    deal_round(game, [[9, 11, 13, 14], [5, 6, 8, 12], [3, 4, 7, 10]])
    play_trick(game, "must", [14, 5, 4])
    play_trick(game, "may", [9, 6, 10])
    play_trick(game, "must", [13, 12, 7])
    assert game.seat == 0
    owners = {4: 2, 5: 1, 6: 1, 7: 2, 10: 2, 12: 1}
    in_order = rising(0)

    def allowed(game: Game, value: int) -> bool:
        dealt = game.node == "chance" and game.chance_name == "deal"
        return in_order(game, value) and not (dealt and owners.get(value, game.seat) != game.seat)

    weights = all_worlds(game, 0, allowed)
    # Seat 1 has the 2, 3, 8 or 15, and seat 2 the 1, 3 or 15.
    assert len(weights) == 4 * 3 - 2
    check_distribution(game, 0, weights, np.random.default_rng(8))


def check_distribution(
    game: Game, seat: int, weights: Counter[tuple[int, ...]], rng: np.random.Generator
) -> None:
    """Compares the frequencies of resampled courses with their weights."""
    total = sum(weights.values())
    assert canonical(game, game.values) in {canonical(game, values) for values in weights}
    stated: Counter[tuple[int, ...]] = Counter()
    for values, weight in weights.items():
        stated[canonical(game, values)] += weight / total  # type: ignore[assignment]  # a weight
    draws = max(5000, int(8 / min(stated.values())))
    found = Counter(canonical(game, game.resample(seat, rng).values) for _ in range(draws))
    ids = {values: number for number, values in enumerate(stated)}
    assert_frequencies(
        {ids.get(values, -1): count for values, count in found.items()},
        {ids[values]: float(weight) for values, weight in stated.items()},
    )
