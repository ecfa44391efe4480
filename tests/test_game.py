"""The tree: nodes, chance, copies, what seats have seen, and errors that leave all as it was."""

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.games import (
    EVERY_GAME,
    everything,
    play_to_end,
    random_positions,
    same_observation,
    short,
    some_positions,
    spec_of,
    step_at_random,
)
from helpers.statistics import assert_frequencies
from tefuda.envs import Game
from tefuda.envs.core.chance import STREAM, stream_of
from tefuda.envs.core.errors import (
    ActionRangeError,
    ActionTypeError,
    ChanceError,
    GameOverError,
    IllegalActionError,
    OptionError,
)
from tefuda.envs.core.jit import PURE_PYTHON, fields

pytestmark = pytest.mark.usefixtures("tiny_game")

#: Chance nodes that random play hardly ever reaches; the tests of their game draw from them.
RARE = {"tie_draw"}

every_game = pytest.mark.parametrize("name", EVERY_GAME)


def at_decision(name: str) -> Game:
    """A decision somewhere in a game in which not every action is legal."""
    for game in some_positions(name, 0, 1000):
        partly = 0 < len(game.legal_actions()) < game.engine.actions
        if partly and len(game.values) > 5:
            return game
    raise AssertionError("no such decision")


def at_chance(name: str) -> Game:
    """A chance node with more than one outcome."""
    for game in random_positions(Game(name, **short(name)), random.Random(0)):
        if game.node == "chance" and len(game.chance_outcomes()) > 1:
            return game
    raise AssertionError("no such chance node")


def at_end(name: str) -> Game:
    return play_to_end(Game(name, seed=(1, 0, 0), **short(name)), random.Random(1))


# ==================================================================== nodes


@pytest.mark.pure
@pytest.mark.bounds
@every_game
def test_nodes_of_random_games(name: str) -> None:
    """Each node is of one kind, has what belongs to its kind, and looking at it changes nothing."""
    text, kinds = spec_of(name).text, Counter[str]()
    for game in some_positions(name, 1, 80 if PURE_PYTHON else 400, share=0.5):
        before = everything(game)
        kinds[game.node] += 1
        legal, seat = game.legal_actions(), game.seat
        assert legal == sorted(set(legal))
        assert (game.node == "decision") == bool(legal)
        assert (game.node == "over") == (game.winners is not None)
        if game.node == "decision":
            assert seat in range(game.players)
            assert all(0 <= action < game.engine.actions for action in legal)
            assert all(game.label(action) for action in legal)
        elif game.node == "chance":
            assert game.chance_name in text.CHANCE_NAMES.values()
            check_outcomes(game)
        else:
            assert seat is None
            assert game.winners
        for other in range(game.players):
            game.observation(other)
        text.ansi(game.engine.setup, game.state, seat)
        game.returns()
        game.information_state(0)
        assert everything(game) == before
    assert kinds.keys() == {"decision", "chance", "over"} or PURE_PYTHON


def check_outcomes(game: Game) -> None:
    """Different outcomes, rising, each with a probability, and a name in words."""
    stated = game.chance_outcomes()
    outcomes = [outcome for outcome, _ in stated]
    assert outcomes == sorted(set(outcomes))
    assert all(0 < probability <= 1 for _, probability in stated)
    assert sum(probability for _, probability in stated) == pytest.approx(1)
    words = {
        game.engine.spec.text.outcome_label(game.engine.setup, game.chance_name, outcome)
        for outcome in outcomes
    }
    assert len(words) == len(outcomes)


@pytest.mark.pure
@every_game
def test_one_action_is_legal_exactly_where_the_mask_says_so(name: str) -> None:
    """For every integer near the actions, and far from them, at every kind of node."""
    for game in some_positions(name, 2, 60, share=0.2):
        engine, legal = game.engine, set(game.legal_actions())
        far = (-(2**63), -(2**31), 2**31, 2**63 - 1)
        for action in (*range(-70, engine.actions + 70), *far):
            is_legal = engine.loops.is_legal_one(game._games, engine.parts, 0, action)
            assert bool(is_legal) == (action in legal), action


@every_game
def test_chance_comes_as_often_as_stated(name: str) -> None:
    """At random chance nodes of each kind, drawn from many different streams."""
    left: Counter[str] = Counter(dict.fromkeys(spec_of(name).text.CHANCE_NAMES.values(), 3))
    for game in some_positions(name, 3, 4000):
        if game.node != "chance" or not left[game.chance_name]:
            continue
        stated = dict(game.chance_outcomes())
        draws = max(1500, int(8 / min(stated.values())))
        if len(stated) > 1:
            left[game.chance_name] -= 1
            assert_frequencies(drawn(game, draws), stated)
        else:
            assert drawn(game, 10).keys() == stated.keys()
    assert {kind for kind, count in left.items() if count == 3} <= RARE


def drawn(game: Game, count: int) -> Counter[int]:
    """Outcomes of the present chance node, each from a stream of its own."""
    found: Counter[int] = Counter()
    twin, engine = game.clone(), game.engine
    for number in range(count):
        twin.state["stream"] = stream_of(*(np.uint64(n) for n in (17, number, 0, 0)))
        found[int(engine.loops.sample_chance_one(twin._games, engine.parts, 0))] += 1
    return found


@every_game
def test_random_actions_are_uniform_over_the_legal_ones(name: str) -> None:
    """At random decisions, for holders with different streams."""
    checked = 0
    for game in some_positions(name, 4, 60, share=0.15):
        if game.node != "decision":
            continue
        engine, legal = game.engine, game.legal_actions()
        count = max(800, 8 * len(legal))
        holders = fields(np.zeros(count, STREAM))
        holders["stream"] = [(n + 1) << 32 | 2**31 * (n % 7) for n in range(count)]
        engine.loops.seed_holders(holders, np.uint64(checked), np.uint64(2**63))
        tables, actions = fields(np.repeat(game._games, count)), np.zeros(count, np.int64)
        engine.loops.random_actions(tables, engine.parts, holders, np.arange(count), actions)
        found = Counter(actions.tolist())
        if len(legal) > 1:
            assert_frequencies(found, dict.fromkeys(legal, 1 / len(legal)))
            checked += 1
        else:
            assert list(found) == legal
    assert checked > 5


# ==================================================================== errors

WRONG_ACTIONS: list[tuple[Any, type[Exception]]] = [
    (-1, ActionRangeError),
    (10**6, ActionRangeError),
    (2**70, ActionRangeError),
    (1.0, ActionTypeError),
    (float("nan"), ActionTypeError),
    (np.float32(1), ActionTypeError),
    (True, ActionTypeError),
    (np.bool_(False), ActionTypeError),
    ("1", ActionTypeError),
    (None, ActionTypeError),
    ([0], ActionTypeError),
    (np.array([0]), ActionTypeError),
]


@pytest.mark.pure
@every_game
def test_wrong_actions_change_nothing(name: str) -> None:
    game = at_decision(name)
    before = everything(game)
    for action, error in WRONG_ACTIONS:
        with pytest.raises(error) as caught:
            game.apply(action)
        assert type(caught.value) is error
        assert everything(game) == before
    legal = game.legal_actions()
    illegal = next(action for action in range(game.engine.actions) if action not in legal)
    with pytest.raises(IllegalActionError) as caught:
        game.apply(illegal)
    assert str(illegal) in str(caught.value)
    assert game.label(illegal) in str(caught.value)
    assert game.label(legal[0]) in str(caught.value)
    assert everything(game) == before


@pytest.mark.pure
@every_game
def test_integers_of_all_kinds_are_actions(name: str) -> None:
    kinds: list[Callable[[int], Any]] = [int, np.int64, np.int16, np.uint32, np.array]
    for kind in kinds:
        game = at_decision(name)
        action = game.legal_actions()[0]
        game.apply(kind(action))
        assert game.values[-1] == action
        assert type(game.values[-1]) is int


@pytest.mark.pure
@every_game
def test_chance_is_not_to_be_had_at_decisions(name: str) -> None:
    for game in (at_decision(name), at_end(name)):
        before = everything(game)
        calls: list[Callable[[], Any]] = [
            game.chance_outcomes, lambda game=game: game.apply_chance(0),
            lambda game=game: game.chance_name,
        ]  # fmt: skip
        for call in calls:
            with pytest.raises(ChanceError, match=f"node of kind '{game.node}', not 'chance'"):
                call()
        assert everything(game) == before


@pytest.mark.pure
@every_game
def test_impossible_outcomes_change_nothing(name: str) -> None:
    game = at_chance(name)
    before = everything(game)
    possible = [outcome for outcome, _ in game.chance_outcomes()]
    impossible = next(n for n in range(1000) if n not in possible)
    wrong: list[Any] = [-1, impossible, 2**40, None, "0", float("nan"), float(possible[1]), True]
    for outcome in wrong:
        with pytest.raises(ChanceError, match="is not one of") as caught:
            game.apply_chance(outcome)
        assert game.chance_name in str(caught.value)
        assert everything(game) == before


@pytest.mark.pure
@every_game
def test_nobody_acts_at_chance_nodes_and_after_the_end(name: str) -> None:
    for game in (at_chance(name), at_end(name)):
        before = everything(game)
        with pytest.raises(GameOverError, match=f"node of kind '{game.node}'"):
            game.apply(0)
        game.settle() if game.node == "over" else None
        assert everything(game) == before


@pytest.mark.pure
@every_game
def test_wrong_seats_and_rewards(name: str) -> None:
    game = at_decision(name)
    wrong: list[Any] = [-1, game.players, 1.5, True, None, "0"]
    for seat in wrong:
        for call in (game.observation, game.information_state):
            with pytest.raises(OptionError, match="seat="):
                call(seat)
        with pytest.raises(OptionError, match="seat="):
            game.resample(seat, np.random.default_rng(0))
    with pytest.raises(OptionError, match="reward='points'"):
        game.returns("points")


@pytest.mark.pure
@every_game
def test_wrong_arguments(name: str) -> None:
    for wrong in ({"seed": 5}, {"seed": (1, 2)}, {"encoder": "braille"}, {"colour": 1}):
        arguments: dict[str, Any] = wrong
        with pytest.raises(OptionError):
            Game(name, **arguments)
    with pytest.raises(OptionError, match="game 'chess' is not known"):
        Game("chess")


# ==================================================================== keys and copies


@pytest.mark.pure
@every_game
def test_a_key_is_a_game(name: str) -> None:
    """The same key, the same chance; without a key another game every time."""
    one, two = (play_to_end(Game(name, seed=(9, 1, 2)), random.Random(3)) for _ in range(2))
    assert everything(one) == everything(two)
    assert one.key == (9, 1, 2)
    fresh = [Game(name) for _ in range(2)]
    assert fresh[0].key != fresh[1].key
    other = Game(name, seed=(9, 1, 3))
    other.settle()
    same = Game(name, seed=(9, 1, 2))
    same.settle()
    assert one.values[: len(same.values)] == same.values
    assert name == "tiny_v0" or other.values != same.values


@pytest.mark.pure
@every_game
def test_chance_from_elsewhere_takes_the_key_away(name: str) -> None:
    game = Game(name, seed=(9, 1, 2))
    game.apply_chance(game.chance_outcomes()[0][0])
    assert game.key is None
    game = Game(name, seed=(9, 1, 2))
    game.settle()
    assert game.key == (9, 1, 2)
    assert game.resample(0, np.random.default_rng(0)).key is None
    assert game.key == (9, 1, 2)


COPIES: dict[str, Callable[[Game], Game]] = {
    "clone": Game.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@pytest.mark.pure
@pytest.mark.parametrize("way", COPIES)
@every_game
def test_copies_go_on_alike_and_apart(name: str, way: str) -> None:
    """From any node a copy has the same future, and what it does is not done to the first."""
    for seed in range(3):
        game = Game(name, seed=(seed, 0, 0), **short(name))
        rng = random.Random(seed)
        for _ in range(rng.randrange(1, 40)):
            if game.node != "over":
                step_at_random(game, rng)
        before = everything(game)
        twin = COPIES[way](game)
        assert everything(twin) == before
        end = play_to_end(twin, random.Random(7))
        assert everything(game) == before
        assert everything(play_to_end(game, random.Random(7))) == everything(end)
        assert game.record() == end.record()


# ==================================================================== what seats have seen


@every_game
def test_information_states_only_grow(name: str) -> None:
    """What a seat has seen stays seen; own decisions are in it; other numbers are not all."""
    rng = random.Random(5)
    game = Game(name, **short(name))
    known: list[tuple[Any, ...]] = [()] * game.players
    hidden = 0
    while game.node != "over":
        seat, decides = game.seat, game.node == "decision"
        value = step_at_random(game, rng)
        for other in range(game.players):
            state = game.information_state(other)
            assert state[: len(known[other])] == known[other]
            new = state[len(known[other]) :]
            known[other] = state
            if decides and other == seat:
                assert (new[0].kind, new[0].seat, new[0].value) == ("decision", seat, value)
            hidden += any(seen.value is None for seen in new)
            assert all(seen.kind in ("decision", "chance", "news") for seen in new)
    assert hidden or name == "quatre_v0"


@pytest.mark.pure
@every_game
def test_information_states_do_not_depend_on_where_chance_came_from(name: str) -> None:
    game = play_to_end(Game(name, seed=(2, 0, 0), **short(name)), random.Random(2))
    twin = Game.from_record(game.record())
    for seat in range(game.players):
        assert twin.information_state(seat) == game.information_state(seat)
        assert same_observation(twin.observation(seat), game.observation(seat))


# ==================================================================== results


@pytest.mark.pure
@every_game
def test_returns_sum_to_zero_and_follow_totals_and_winners(name: str) -> None:
    for seed in range(3):
        game = Game(name, seed=(seed, 0, 0), **short(name))
        game.settle()
        assert game.returns() == game.returns("score") == [0] * game.players
        play_to_end(game, random.Random(seed))
        players, totals, winners = game.players, game.totals, game.winners
        assert winners
        share = (1 / len(winners) - 1 / players) * players / (players - 1)
        win = [share if seat in winners else -1 / (players - 1) for seat in range(players)]
        score = [own - (sum(totals) - own) / (players - 1) for own in totals]
        assert game.returns("win") == pytest.approx(win)
        assert game.returns("score") == pytest.approx(score)
        assert game.returns() == game.returns("win")
