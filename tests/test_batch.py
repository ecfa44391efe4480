"""The batch face: it plays the games of the AEC face, all tables at once, checked beforehand."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers.games import (
    EVERY_GAME,
    all_options,
    encodings,
    fields_of,
    pieces_of,
    same_observation,
    short,
)
from tefuda.envs import Game, TableEnv, Tables, make, make_vec
from tefuda.envs.core.errors import (
    ActionError,
    ActionRangeError,
    ActionTypeError,
    IllegalActionError,
    OptionError,
    RecordError,
)
from tefuda.envs.core.jit import PURE_PYTHON
from tefuda.envs.core.loops import ASKED, CHOOSER
from tefuda.training.agents import GreedyAgent

pytestmark = pytest.mark.usefixtures("tiny_game")

every_game = pytest.mark.parametrize("name", EVERY_GAME)
every_encoder = pytest.mark.parametrize(("name", "encoder"), encodings())

# Without the JIT a tenth of it has to do.
MANY = 1 if PURE_PYTHON else 3

SHOWN = (
    "observation", "action_mask", "seat", "reward", "done", "truncated", "totals", "winners",
)  # fmt: skip


def seated(name: str, tables: int = 5, seed: int | None = 2, **options: Any) -> Tables:
    """Tables of a short game."""
    return make_vec(name, tables=tables, seed=seed, **{**short(name), **options})


def everything(tables: Tables) -> tuple[Any, ...]:
    """All that tables hold, to see that it has not changed."""
    shown = [getattr(tables, array).tobytes() for array in SHOWN]
    kept = [(k.key, list(k.actions), k.ended[0], list(k.ended[1])) for k in tables._kept or []]
    return shown, fields_of(tables.games), kept


def shown(tables: Tables, row: int) -> dict[str, Any]:
    """What a table shows, as values of its own."""
    return {name: getattr(tables, name)[row].tolist() for name in SHOWN}


def observation_of(tables: Tables, row: int) -> Any:
    """The observation of a table as the AEC face shows it."""
    if tables.engine.pieces:
        return {name: piece[row] for name, piece in tables.pieces.items()}
    return tables.observation[row]


# ==================================================================== the same as AEC


@pytest.mark.wheel
@pytest.mark.pure
@every_encoder
def test_table_0_plays_the_games_of_the_aec_environment(name: str, encoder: str) -> None:
    """Over several games in a row: same key, same actions, same everything."""
    for options in all_options(name)[:MANY]:
        tables = make_vec(name, tables=2, seed=6, encoder=encoder, **options)
        env = make(name, encoder=encoder, **options)
        env.reset(seed=6)
        games = 0
        while games < MANY:
            compare_turn(tables, env)
            actions = tables.sample()
            tables.step(actions)
            env.step(int(actions[0]))
            compare_result(tables, env)
            if tables.done[0]:
                games += 1
                env.reset()
        assert env._key == (6, 0, games)


def compare_turn(tables: Tables, env: TableEnv) -> None:
    agent = env.agent_selection
    seen = env.observe(agent)
    assert agent == f"player_{tables.seat[0]}"
    assert same_observation(observation_of(tables, 0), seen["observation"])
    np.testing.assert_array_equal(tables.action_mask[0], seen["action_mask"])
    np.testing.assert_array_equal(fields_of(tables.games[:1]), fields_of(env._games))


def compare_result(tables: Tables, env: TableEnv) -> None:
    np.testing.assert_array_equal(
        tables.reward[0], np.array(list(env.rewards.values()), np.float32)
    )
    assert tables.totals[0].tolist() == list(env.totals.values())
    assert tables.winners[0].tolist() == [agent in env.winners for agent in env.possible_agents]
    ended = [*env.terminations.values(), *env.truncations.values()]
    assert tables.done[0] == any(ended)
    assert tables.truncated[0] == all(env.truncations.values())


@pytest.mark.parametrize("reward", ["win", "score"])
@every_game
def test_every_table_is_the_tree_of_its_key(name: str, reward: str) -> None:
    """Table i plays (seed, i, 0), (seed, i, 1) ...: observations, masks, rewards, results."""
    tables = seated(name, 4, seed=11, reward=reward)
    games = [tree(tables, row) for row in range(4)]
    done = np.zeros(4, np.int64)
    while done.min() < 2:
        actions = tables.sample()
        before = [game.returns() for game in games]
        tables.step(actions)
        for row, game in enumerate(games):
            game.apply(int(actions[row]))
            game.settle()
            paid = [a - b for a, b in zip(game.returns(), before[row], strict=True)]
            assert tables.reward[row].tolist() == pytest.approx(paid, abs=1e-5)
            assert tables.totals[row].tolist() == game.totals
            assert tables.done[row] == (game.node == "over")
            assert np.flatnonzero(tables.winners[row]).tolist() == (game.winners or [])
            if tables.done[row]:
                done[row] += 1
                assert tables.truncated[row] == game.truncated
                games[row] = game = tree(tables, row)
                assert game.key == (11, row, done[row])
            assert tables.seat[row] == game.seat
            assert np.flatnonzero(tables.action_mask[row]).tolist() == game.legal_actions()
            assert game.seat is not None
            assert same_observation(observation_of(tables, row), game.observation(game.seat))


def tree(tables: Tables, row: int) -> Game:
    """The tree of a table's present key, at its first decision."""
    key = tuple(int(word) for word in tables.keys[row])
    assert len(key) == 3
    game = Game(tables.engine, seed=key)
    game.settle()
    return game


@every_encoder
def test_observations_of_all_seats(name: str, encoder: str) -> None:
    tables = seated(name, 3, encoder=encoder, keep_actions=True)
    for _ in range(4):
        tables.step(tables.sample())
    seen = tables.observe_all()
    assert seen.shape == (3, tables.players, *tables.engine.shape)
    for row in range(3):
        np.testing.assert_array_equal(seen[row, tables.seat[row]], tables.observation[row])
        game = tables.game(row)
        for seat in range(tables.players):
            pieces = pieces_of(game.observation(seat)).values()
            flat = np.concatenate([piece.reshape(-1) for piece in pieces])
            np.testing.assert_array_equal(seen[row, seat].reshape(-1), flat)


# ==================================================================== independence


@every_game
def test_a_table_does_not_depend_on_the_size_of_the_batch(name: str) -> None:
    """Table i shows and samples the same among 3 tables and among 17."""
    few, many = seated(name, 3, seed=5), seated(name, 17, seed=5)
    for _ in range(60):
        actions = many.sample()
        np.testing.assert_array_equal(few.sample(), actions[:3])
        many.step(actions)
        few.step(actions[:3])
        for row in range(3):
            assert shown(few, row) == shown(many, row)
    assert fields_of(few.games) == fields_of(many.games[:3])


@every_game
def test_a_table_does_not_depend_on_when_others_step(name: str) -> None:
    """All at once, one after the other, or some rows: the same in the end."""
    together, single = seated(name, 3, seed=5), seated(name, 3, seed=5)
    for step in range(40):
        actions = together.sample()
        together.step(actions)
        for row in ((0, 1, 2), (2, 0, 1))[step % 2]:
            only = single.sample([row])
            assert only.tolist() == [actions[row]]
            single.step(only, [row])
    assert fields_of(together.games) == fields_of(single.games)
    np.testing.assert_array_equal(together.observation, single.observation)
    np.testing.assert_array_equal(together.action_mask, single.action_mask)


@every_game
def test_a_deal_does_not_depend_on_earlier_rounds(name: str) -> None:
    """One key has one chance at the start of each round, whatever was decided and drawn before."""
    courses = [opening_chance(name, agent) for agent in range(6)]
    rounds = set.intersection(*(set(course) for course in courses))
    assert rounds >= ({0, 1} if name != "quatre_v0" else {0})
    for index in rounds:
        shortest = min(len(course[index]) for course in courses)
        openings = {tuple(course[index][:shortest]) for course in courses}
        assert shortest > 0
        assert len(openings) == 1


def opening_chance(name: str, agent: int) -> dict[int, list[int]]:
    """The outcomes before the first decision of each round, for an agent's way to play."""
    game, found = Game(name, seed=(3, 1, 4), **short(name)), dict[int, list[int]]()
    opening, index = True, 0
    rng = np.random.default_rng(agent)
    while game.node != "over":
        if int(game.state["round_index"]) != index:
            opening, index = True, int(game.state["round_index"])
        if game.node == "chance":
            value = int(game.engine.loops.sample_chance_one(game._games, game.engine.parts, 0))
            game.advance(value)
            if opening:
                found.setdefault(index, []).append(value)
        else:
            opening = False
            game.apply(int(rng.choice(game.legal_actions())))
    return found


# ==================================================================== checks before any move

WRONG: dict[str, tuple[Callable[[npt.NDArray[np.int64]], Any], type[ActionError]]] = {
    "floats": (lambda legal: legal.astype(float), ActionTypeError),
    "NaN": (lambda legal: np.where(legal < 0, legal, np.nan), ActionTypeError),
    "bools": (lambda legal: legal > 0, ActionTypeError),
    "strings": (lambda legal: legal.astype(str), ActionTypeError),
    "None": (lambda legal: None, ActionTypeError),
    "Nones": (lambda legal: [None] * legal.size, ActionTypeError),
    "one for all": (lambda legal: legal[0], ActionTypeError),
    "too few": (lambda legal: legal[:-1], ActionTypeError),
    "too many": (lambda legal: [*legal, 0], ActionTypeError),
    "a column": (lambda legal: legal[:, None], ActionTypeError),
    "beyond the range": (lambda legal: [*legal[:-1], 10**6], ActionRangeError),
    "below the range": (lambda legal: [*legal[:-1], -1], ActionRangeError),
    "far below": (lambda legal: [*legal[:-1], -(2**63)], ActionRangeError),
}


@pytest.mark.pure
@pytest.mark.parametrize("what", WRONG)
@every_game
def test_wrong_actions_move_no_table(name: str, what: str) -> None:
    """Though only the last table's is wrong, none has moved, and nothing was kept."""
    tables = seated(name, keep_actions=True)
    tables.step(tables.sample())
    legal = tables.sample()
    make_wrong, error = WRONG[what]
    before = everything(tables)
    with pytest.raises(error) as caught:
        tables.step(make_wrong(legal))
    assert type(caught.value) is error
    assert everything(tables) == before
    tables.step(legal)
    assert everything(tables) != before


@pytest.mark.pure
@every_game
def test_one_illegal_action_moves_no_table(name: str) -> None:
    """It is named with its table, its label and the legal ones; the last of many is found too."""
    tables = seated(name, 40, keep_actions=True)
    for _ in range(4):
        tables.step(tables.sample())
    partly = np.flatnonzero(tables.action_mask.min(axis=1) == 0)
    for row in (partly[0], partly[-1]):
        actions, before = tables.sample(), everything(tables)
        illegal = int(tables.action_mask[row].argmin())
        actions[row] = illegal
        with pytest.raises(IllegalActionError, match=f"^table {row}: ") as caught:
            tables.step(actions)
        assert tables.engine.label(illegal) in str(caught.value)
        assert everything(tables) == before


@pytest.mark.pure
@every_game
def test_wrong_rows_move_no_table(name: str) -> None:
    tables = seated(name)
    before = everything(tables)
    for rows in ([5], [-1], [0, 0], [0.0], [True, False], ["0"], [[0]], 0):
        for call in (tables.sample, tables.restart):
            with pytest.raises(OptionError, match="rows"):
                call(rows)
        with pytest.raises(OptionError, match="rows"):
            tables.step(np.zeros(np.size(rows), np.int64), rows)
    assert everything(tables) == before


@pytest.mark.pure
@every_game
def test_no_rows_are_no_step(name: str) -> None:
    tables = seated(name)
    games = fields_of(tables.games)
    assert tables.sample([]).tolist() == []
    tables.step(np.empty(0, np.int64), [])
    tables.step([], [])
    tables.restart([])
    assert fields_of(tables.games) == games


def test_wrong_arguments(tiny_game: str) -> None:
    for wrong in (
        {"tables": 0}, {"tables": 2.0}, {"tables": True}, {"tables": 2**25}, {"seed": -1},
        {"seed": "0"}, {"encoder": "x"}, {"colour": 1},
    ):  # fmt: skip
        arguments: dict[str, Any] = wrong
        with pytest.raises(OptionError, match=next(iter(wrong))):
            make_vec(tiny_game, **arguments)


# ==================================================================== ends, restarts, records


@every_game
def test_autoreset_shows_the_last_results_beside_the_next_game(name: str) -> None:
    tables = seated(name, 3, keep_actions=True)
    ended = 0
    while ended < 7:
        tables.step(tables.sample())
        for row in range(3):
            assert tables.seat[row] >= 0
            assert tables.action_mask[row].any()
            if not tables.done[row] and tables.sample()[0] % 4:
                continue
            record = tables.record(row)
            if tables.done[row]:
                ended += 1
                assert record["winners"] == np.flatnonzero(tables.winners[row]).tolist()
                assert record["truncated"] == tables.truncated[row]
                last = [event for event in record["events"] if event["kind"] == "score"][-1]
                assert last["totals"] == tables.totals[row].tolist()
                assert record["seed"] == [2, row, int(tables.keys[row, 2]) - 1]
            else:
                assert record["winners"] is None
                assert record["seed"] == tables.keys[row].tolist()
                assert not tables.winners[row].any()
                assert not tables.truncated[row]


@pytest.mark.pure
@every_game
def test_without_autoreset_an_ended_table_stays_until_it_is_restarted(name: str) -> None:
    tables = seated(name, 3, autoreset=False, keep_actions=True)
    while not tables.done[1]:
        tables.step(tables.sample([1]), [1])
    assert tables.seat.tolist()[1] == -1
    assert not tables.action_mask[1].any()
    assert tables.sample()[1] == 0
    record, standing = tables.record(1), shown(tables, 1)
    assert record["winners"] == np.flatnonzero(tables.winners[1]).tolist() != []
    for action in (0, 7, 10**6):  # whatever it is told
        actions = tables.sample()
        actions[1] = action
        tables.step(actions)
        assert tables.record(1) == record
        assert not tables.reward[1].any()
        assert {**shown(tables, 1), "reward": standing["reward"]} == standing
    check_restart(tables)


def check_restart(tables: Tables) -> None:
    """Restarts table 1, which has ended, and sees that the others stay."""
    others = [shown(tables, row) for row in (0, 2)]
    tables.restart([1])
    assert tables.keys[1].tolist() == [2, 1, 1]
    assert not tables.done[1]
    assert tables.seat[1] >= 0
    assert tables.action_mask[1].any()
    assert not tables.totals[1].any()
    assert not tables.winners[1].any()
    assert tables.record(1)["seed"] == [2, 1, 1]
    assert [shown(tables, row) for row in (0, 2)] == others
    tables.restart([2])  # a running one too
    assert tables.keys[2].tolist() == [2, 2, 1]


@pytest.mark.pure
@every_game
def test_other_rows_are_no_longer_done_after_a_step(name: str) -> None:
    tables = seated(name, 2)
    while not tables.done[0]:
        tables.step(tables.sample([0]), [0])
    assert tables.reward[0].any() or tables.winners[0].all()
    tables.step(tables.sample([1]), [1])
    assert not tables.done[0]
    assert not tables.winners[0].any()
    assert not tables.totals[0].any()
    assert not tables.reward[0].any()


@pytest.mark.pure
@every_game
def test_reset(name: str) -> None:
    """Without a seed every table goes to its next game; with one it begins with game 0."""
    tables = seated(name, 3, seed=4)
    first = everything(tables)
    sampled = tables.sample()
    tables.step(sampled)
    tables.reset()
    assert tables.keys.tolist() == [[4, 0, 1], [4, 1, 1], [4, 2, 1]]
    tables.reset(seed=4)
    assert everything(tables) == first
    np.testing.assert_array_equal(tables.sample(), sampled)
    before = everything(tables)
    with pytest.raises(OptionError, match="seed="):
        tables.reset(seed=-3)
    assert everything(tables) == before
    fresh = [int(seated(name, 1, seed=None).keys[0, 0]) for _ in range(2)]
    assert fresh[0] != fresh[1]


@every_game
def test_sampling_does_not_touch_the_games(name: str) -> None:
    """Whether or how often one samples, the games' own chance stays the same."""
    one, two = seated(name), seated(name)
    for _ in range(30):
        actions = one.sample()
        for _ in range(3):
            two.sample()
        before = fields_of(two.games)
        two.sample()
        assert fields_of(two.games) == before
        one.step(actions)
        two.step(actions)
    assert fields_of(one.games) == fields_of(two.games)


@pytest.mark.pure
@every_game
def test_records_need_kept_actions(name: str) -> None:
    tables = seated(name)
    for call in (tables.record, tables.game):
        with pytest.raises(RecordError, match="keep_actions=True"):
            call(0)
    kept = seated(name, keep_actions=True)
    wrong: tuple[Any, ...] = (-1, 5, 1.0, True, None)
    for row in wrong:
        for call in (kept.record, kept.game):
            with pytest.raises(OptionError, match="rows"):
                call(row)


@every_game
def test_records_of_a_batch_replay(name: str) -> None:
    """Of running and of ended games, they are those of the AEC face."""
    tables = seated(name, 2, keep_actions=True)
    env = make(name, **short(name))
    env.reset(seed=2)
    for step in range(150):
        actions = tables.sample()
        tables.step(actions)
        env.step(int(actions[0]))
        if step % 10 == 0 or tables.done[0]:
            assert tables.record(0) == env.record()
            assert Game.from_record(tables.record(1)).record() == tables.record(1)
        if tables.done[0]:
            env.reset()
    assert tables.keys[0, 2] > 0


# ==================================================================== copies

COPIES: dict[str, Callable[[Tables], Tables]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda tables: pickle.loads(pickle.dumps(tables)),
}


@pytest.mark.pure
@pytest.mark.parametrize("way", COPIES)
@every_encoder
def test_copies_go_on_alike_and_apart(name: str, encoder: str, way: str) -> None:
    """Also what is a view of another array in the first is one in the copy."""
    tables = seated(name, 2, encoder=encoder, keep_actions=True)
    for _ in range(5):
        tables.step(tables.sample())
    before = everything(tables)
    twin = COPIES[way](tables)
    assert everything(twin) == before
    course = []
    for _ in range(13 * MANY):
        twin.step(twin.sample())
        course.append(everything(twin))
    assert everything(tables) == before
    for expected in course:
        tables.step(tables.sample())
        assert everything(tables) == expected
    assert tables.record(1) == twin.record(1)
    assert len({fields_of(one.games) for one in (tables, twin)}) == 1


@every_game
def test_sizes(name: str) -> None:
    tables = seated(name, 7)
    players, actions = tables.players, tables.actions
    assert (len(tables), tables.tables) == (7, 7)
    shapes = {
        array: (getattr(tables, array).shape, getattr(tables, array).dtype) for array in SHOWN
    }
    assert shapes == {
        "observation": ((7, *tables.engine.shape), np.int8),
        "action_mask": ((7, actions), np.int8),
        "seat": ((7,), np.int64),
        "reward": ((7, players), np.float32),
        "done": ((7,), np.bool_),
        "truncated": ((7,), np.bool_),
        "totals": ((7, players), np.int32),
        "winners": ((7, players), np.bool_),
    }


# ==================================================================== turns that need no answer


def play_slowly(
    tables: Tables,
    row: int,
    action: int | None,
    players: npt.NDArray[np.int64],
    seeds: list[int],
) -> npt.NDArray[np.float64]:
    """What `play_on` does at a table, one step after another; returns what was paid."""
    paid = np.zeros(tables.players)
    if action is not None:
        tables.step([action], [row])
        paid += tables.reward[row]
    while action is None or not tables.done[row]:
        player = players[row, tables.seat[row]]
        legal = np.flatnonzero(tables.action_mask[row])
        if player == ASKED or (player == CHOOSER and legal.size > 1):
            return paid
        if player >= 0:
            legal = GreedyAgent(seeds[player]).act(tables, np.array([row]))
        action = int(legal[0])
        tables.step([action], [row])
        paid += tables.reward[row]
    return paid


@pytest.mark.bounds
@pytest.mark.parametrize("reward", ["win", "score"])
@every_game
def test_playing_on_is_stepping_one_by_one(name: str, reward: str) -> None:
    """Scripted players of two seeds, one who is always asked, one who is where it can choose."""
    seeds, rng = [4, 7], np.random.default_rng(3)
    quick, slow = (seated(name, 6, seed=1, reward=reward) for _ in range(2))
    ended = 0
    for turn in range(40):
        players = rng.integers(ASKED, len(seeds), quick.reward.shape)
        rows = rng.permutation(6)[:4]
        actions = quick.sample(rows) if turn % 2 else None
        first = [None] * 4 if actions is None else actions.tolist()
        paid = [play_slowly(slow, *turn, players, seeds) for turn in zip(rows, first, strict=True)]
        quick.play_on(rows, players, seeds, actions=actions)
        np.testing.assert_allclose(quick.reward[rows], paid, atol=1e-5)
        for tables in (quick, slow):
            tables.games["gained"] = 0  # it belongs to the call, not to the game
        np.testing.assert_array_equal(fields_of(quick.games), fields_of(slow.games))
        for array in ("observation", "action_mask", "seat"):
            np.testing.assert_array_equal(getattr(quick, array), getattr(slow, array))
        others = np.setdiff1d(np.arange(6), rows)
        assert not quick.reward[others].any()
        assert not quick.done[others].any()
        ended += int(quick.done.sum())
        everywhere = quick.sample()
        quick.step(everywhere)
        slow.step(everywhere)
        ended += int(quick.done.sum())
    assert ended


def test_who_plays_on_is_checked() -> None:
    tables = seated("gacha_v0", 2)
    before = everything(tables)
    nobody = np.full(tables.reward.shape, ASKED)
    with pytest.raises(OptionError, match=r"players: 1 is not one of -2 .* with 1 seeds, 0 .. 0"):
        tables.play_on([0], nobody + 3, [5])
    with pytest.raises(OptionError, match="players must have shape"):
        tables.play_on([0], nobody[:1])
    with pytest.raises(OptionError, match="table 2"):
        tables.play_on([2], nobody)
    with pytest.raises(OptionError, match="seed=-1"):
        tables.play_on([0], nobody, [-1])
    with pytest.raises(ActionRangeError, match="table 1: action -1"):
        tables.play_on([1], nobody, actions=[-1])
    assert everything(tables) == before
    with pytest.raises(OptionError, match="keep_actions=True"):
        seated("gacha_v0", 2, keep_actions=True).play_on([0], nobody)
