"""The AEC face: PettingZoo's own tests, errors that leave all as it was, copies, rewards."""

import copy
import importlib
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel_wrapper

from helpers.games import (
    EVERY_GAME,
    encodings,
    fields_of,
    pieces_of,
    same_observation,
    short,
    spec_of,
)
from tefuda.envs import GAMES, Game, TableEnv, make
from tefuda.envs.core.aec import RENDER_MODES, TEXT_MODES
from tefuda.envs.core.errors import (
    ActionError,
    ActionRangeError,
    ActionTypeError,
    GameOverError,
    IllegalActionError,
    NotResetError,
    OptionError,
)
from tefuda.envs.core.picture import has_picture
from tefuda.envs.core.spaces import observation_space

pytestmark = pytest.mark.usefixtures("tiny_game")

every_game = pytest.mark.parametrize("name", EVERY_GAME)
every_encoder = pytest.mark.parametrize(("name", "encoder"), encodings())


def started(name: str, seed: int | None = 0, steps: int = 0, **options: Any) -> TableEnv:
    """An environment after some random steps of a short game."""
    env = make(name, **{**short(name), **options})
    env.reset(seed=seed)
    rng = random.Random(seed)
    for _ in range(steps):
        env.step(any_legal(env, rng))
    return env


def any_legal(env: TableEnv, rng: random.Random) -> int:
    mask = env.infos[env.agent_selection]["action_mask"]
    return rng.choice(np.flatnonzero(mask).tolist())


def is_over(env: TableEnv) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def play_on(env: TableEnv, rng: random.Random, games: int = 1) -> Iterator[TableEnv]:
    """Plays at random to the end of so many games, and gives the environment at every step."""
    for game in range(games):
        if game:
            env.reset()
        yield env
        while not is_over(env):
            env.step(any_legal(env, rng))
            yield env


def everything(env: TableEnv) -> tuple[Any, ...]:
    """All that makes up an environment, to see that it has not changed."""
    arrays = [fields_of(env._games), env._mask.tobytes()]
    for agent in env.possible_agents:
        seen = env.observe(agent)
        pieces = pieces_of(seen["observation"])
        arrays += [*((name, array.tobytes()) for name, array in pieces.items())]
        arrays.append(seen["action_mask"].tobytes())
    masks = {agent: info["action_mask"].tobytes() for agent, info in env.infos.items()}
    return (
        arrays, masks, env._key, list(env._actions), list(env.agents), env.agent_selection,
        dict(env.rewards), dict(env._cumulative_rewards), dict(env.terminations),
        dict(env.truncations), env.totals, env.winners,
    )  # fmt: skip


# ==================================================================== PettingZoo's own tests


@pytest.mark.wheel
@every_encoder
def test_pettingzoo_api(name: str, encoder: str) -> None:
    api_test(make(name, encoder=encoder), num_cycles=150)
    api_test(make(name, encoder=encoder, illegal="terminate"), num_cycles=20)


@every_game
def test_pettingzoo_api_over_whole_games(name: str) -> None:
    api_test(make(name, **short(name), reward="score"), num_cycles=1000)


@every_game
def test_pettingzoo_seed(name: str) -> None:
    seed_test(lambda: make(name, **short(name)), num_cycles=200)


@every_game
def test_pettingzoo_render(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo asks for every mode; of a game without a drawing, only text is to be had."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    modes = RENDER_MODES if has_picture(spec_of(name)) else TEXT_MODES

    def listed(render_mode: str) -> TableEnv:
        env = make(name, render_mode=render_mode if render_mode in modes else None)
        env.metadata["render_fps"] = 1000  # nobody looks on
        return env

    assert make(name).metadata["render_modes"] == list(modes)
    render_test(listed)  # type: ignore[arg-type]  # which is wrong about what it calls
    with pytest.raises(OptionError, match=r"render_mode='gif' is not allowed.*None, 'ansi'"):
        make(name, render_mode="gif")


@every_game
def test_rendering_without_a_mode_says_so(name: str) -> None:
    env = started(name)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    shown = started(name, steps=3, render_mode="ansi")
    text = shown.render()
    assert text and text == spec_of(name).text.ansi(shown.engine.setup, shown.game().state, None)


@pytest.mark.wheel
@pytest.mark.parametrize("name", GAMES)
def test_environments_are_found_by_pettingzoo(name: str) -> None:
    game, version = name.rsplit("_v", 1)
    made = pettingzoo.make("aec", f"tefuda/{game}-v{version}", players=3)
    module = importlib.import_module(f"tefuda.envs.{name}")
    for env in (made, module.env(players=3), module.raw_env(players=3), make(name, players=3)):
        assert env.unwrapped.metadata["name"] == name
        assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert module.__doc__


@every_game
def test_seats_do_not_act_at_once(name: str) -> None:
    """Turns are taken one after the other and seen at once: no parallel environment."""
    env = make(name)
    assert env.metadata["is_parallelizable"] is False
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel_wrapper(env)


# ==================================================================== spaces and observations


@pytest.mark.pure
@every_encoder
def test_observations_of_all_agents_at_any_time(name: str, encoder: str) -> None:
    """Within their space, newly made, the same as the tree's, and masked only for who acts."""
    env = make(name, encoder=encoder, **short(name))
    env.reset(seed=3)
    rng = random.Random(3)
    for step, _ in enumerate(play_on(env, rng)):
        if step % 5 and not is_over(env):
            continue
        before, game = everything(env), env.game()
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert same_observation(seen["observation"], game.observation(seat))
            acts = agent == env.agent_selection and not is_over(env)
            legal = game.legal_actions() if acts else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
            for array in (*pieces_of(seen["observation"]).values(), seen["action_mask"]):
                assert array.dtype == np.int8
                array[...] = 99  # an array of the user's own
        assert everything(env) == before
        check_infos(env)


def check_infos(env: TableEnv) -> None:
    """Each agent's mask and nothing else."""
    for agent in env.agents:
        assert list(env.infos[agent]) == ["action_mask"]
        assert env.infos[agent]["action_mask"].dtype == np.int8
        expected = env.observe(agent)["action_mask"]
        np.testing.assert_array_equal(env.infos[agent]["action_mask"], expected)


@every_encoder
def test_spaces(name: str, encoder: str) -> None:
    """The same for all agents, the same object every time, with the highs of the sections."""
    env = make(name, encoder=encoder)
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert space == env.observation_space("player_0")
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent) == spaces.Discrete(env.engine.actions)
        assert isinstance(space, spaces.Dict)
        assert space["observation"] == observation_space(env.engine)
    env.reset(seed=0)
    assert env.state_space.contains(env.state())


@pytest.mark.pure
@every_game
def test_state_holds_the_observations_of_all_seats(name: str) -> None:
    env = started(name, steps=4)
    rows = [env.observe(agent)["observation"] for agent in env.possible_agents]
    np.testing.assert_array_equal(env.state(), np.stack(rows))


# ==================================================================== wrong actions

WRONG: dict[str, tuple[Any, type[ActionError]]] = {
    "below the range": (-1, ActionRangeError),
    "beyond the range": (10**6, ActionRangeError),
    "beyond 64 bits": (2**70, ActionRangeError),
    "float": (1.0, ActionTypeError),
    "NaN": (float("nan"), ActionTypeError),
    "NumPy's NaN": (np.float64("nan"), ActionTypeError),
    "bool": (True, ActionTypeError),
    "NumPy's bool": (np.bool_(True), ActionTypeError),
    "string": ("1", ActionTypeError),
    "None": (None, ActionTypeError),
    "list": ([0], ActionTypeError),
    "array": (np.array([0]), ActionTypeError),
}


@pytest.mark.pure
@pytest.mark.parametrize("what", WRONG)
@every_game
def test_wrong_actions_have_their_own_error_and_change_nothing(name: str, what: str) -> None:
    env = started(name, steps=3)
    before = everything(env)
    action, error = WRONG[what]
    with pytest.raises(error) as caught:
        env.step(action)
    assert type(caught.value) is error
    assert everything(env) == before
    env.step(any_legal(env, random.Random(0)))


@pytest.mark.pure
@every_game
def test_illegal_actions_are_named_and_change_nothing(name: str) -> None:
    env = first_with_illegal(name)
    before = everything(env)
    mask = env.infos[env.agent_selection]["action_mask"]
    legal, illegal = np.flatnonzero(mask).tolist(), int(np.flatnonzero(mask == 0)[-1])
    with pytest.raises(IllegalActionError) as caught:
        env.step(illegal)
    assert type(caught.value) is IllegalActionError
    for action in (illegal, legal[0]):
        assert str(action) in str(caught.value)
        assert env.engine.label(action) in str(caught.value)
    assert everything(env) == before


def first_with_illegal(name: str, **options: Any) -> TableEnv:
    """An environment at a decision where not every action is legal."""
    env = started(name, seed=1, **options)
    for _ in play_on(env, random.Random(2), games=20):
        if not is_over(env) and not env.infos[env.agent_selection]["action_mask"].all():
            return env
    raise AssertionError("every action was legal")


@pytest.mark.pure
@every_game
def test_before_the_first_reset(name: str) -> None:
    env = make(name)
    calls: list[Callable[[], Any]] = [
        lambda: env.step(0), lambda: env.step(None), lambda: env.observe("player_0"),
        env.state, env.game, env.record,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(NotResetError, match=r"call reset\(\) before"):
            call()
    env.reset(seed=0)
    assert env._key == (0, 0, 0)


@pytest.mark.pure
@every_game
def test_after_the_end(name: str) -> None:
    """Only None is taken, until nobody is left; then nothing is."""
    env = started(name)
    for _ in play_on(env, random.Random(0)):
        pass
    before = everything(env)
    for action in (0, -1, 1.5, "x"):
        with pytest.raises(GameOverError, match="the game has ended"):
            env.step(action)  # type: ignore[arg-type]  # what a user may do
    assert everything(env) == before
    for left in range(len(env.possible_agents), 0, -1):
        assert len(env.agents) == left
        env.step(None)
    assert env.agents == []
    for other in (0, None):
        with pytest.raises(GameOverError, match=r"call reset\(\) for the next"):
            env.step(other)
    assert env.observe("player_0")["action_mask"].sum() == 0
    assert env.winners


@every_game
def test_wrong_agents_options_and_seeds(name: str) -> None:
    env = started(name, steps=2)
    before = everything(env)
    with pytest.raises(OptionError, match="agent 'player_9' is not one of player_0, player_1"):
        env.observe("player_9")
    for seed in (-1, 1.5, True, "0", 2**63):
        with pytest.raises(OptionError, match="seed="):
            env.reset(seed=seed)  # type: ignore[arg-type]  # what a user may do
    assert everything(env) == before
    for wrong in ({"illegal": "ignore"}, {"render_mode": "svg"}, {"encoder": "x"}, {"colour": 1}):
        options: dict[str, Any] = wrong
        with pytest.raises(OptionError, match=next(iter(wrong))):
            make(name, **options)


# ==================================================================== illegal="terminate"


@pytest.mark.pure
@every_game
def test_an_illegal_action_can_end_the_game(name: str) -> None:
    """-1 for the offender, nothing for the others; the next game is the next in number."""
    for action in (None, 10**6, -1):
        env = first_with_illegal(name, illegal="terminate", reward="score")
        offender, key = env.agent_selection, env._key
        mask = env.infos[offender]["action_mask"]
        env.step(int(np.flatnonzero(mask == 0)[0]) if action is None else action)
        assert env.rewards == {agent: -float(agent == offender) for agent in env.agents}
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        assert env._cumulative_rewards[offender] == -1
        for agent in env.agents:
            assert not env.observe(agent)["action_mask"].any()
            assert not env.infos[agent]["action_mask"].any()
        with pytest.raises(GameOverError):
            env.step(0)
        for _ in env.possible_agents:
            env.step(None)
        env.reset()
        assert key is not None
        assert env._key == (key[0], key[1], key[2] + 1)
        assert set(env.rewards.values()) == {0}


@pytest.mark.pure
@every_game
def test_a_wrong_type_never_ends_the_game(name: str) -> None:
    env = started(name, steps=2, illegal="terminate")
    before = everything(env)
    for action in (1.0, "1", None, True):
        with pytest.raises(ActionTypeError):
            env.step(action)  # type: ignore[arg-type]  # what a user may do
    assert everything(env) == before


# ==================================================================== copies

COPIES: dict[str, Callable[[TableEnv], TableEnv]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.pure
@pytest.mark.parametrize("way", COPIES)
@every_game
def test_copies_go_on_alike_and_apart(name: str, way: str) -> None:
    """From mid-game over its end into the next game; what one does is not done to the other."""
    for steps in (0, 1, 5):
        env = started(name, seed=steps, steps=steps)
        before = everything(env)
        twin = COPIES[way](env)
        assert everything(twin) == before
        course = [everything(one) for one in play_on(twin, random.Random(1), games=2)]
        assert everything(env) == before
        for one, expected in zip(play_on(env, random.Random(1), games=2), course, strict=True):
            assert everything(one) == expected
        assert env.record() == twin.record()


@every_game
def test_a_copy_that_was_never_reset_is_as_fresh(name: str) -> None:
    for way in COPIES.values():
        twin = way(make(name))
        with pytest.raises(NotResetError):
            twin.step(0)
        first = make(name)
        for env in (first, twin):
            env.reset(seed=5)
        assert everything(twin) == everything(first)


# ==================================================================== seeds and game numbers


@pytest.mark.pure
@every_game
def test_reset_goes_on_to_the_next_game_number(name: str) -> None:
    """Whether or not the game was played to its end; a seed begins anew."""
    env = started(name, seed=8)
    keys = []
    for _ in range(3):
        keys.append(env._key)
        env.reset()
    assert keys == [(8, 0, 0), (8, 0, 1), (8, 0, 2)]
    env.reset(seed=8)
    assert env._key == (8, 0, 0)
    for number in range(3):
        game = Game(name, seed=(8, 0, number), **short(name))
        game.settle()
        assert env.game().values == game.values
        assert env.record()["seed"] == [8, 0, number]
        env.reset()


@every_game
def test_never_seeded_environments_differ(name: str) -> None:
    env, other = started(name, seed=None), started(name, seed=None)
    assert env._key is not None and other._key is not None
    assert env._key[0] != other._key[0]
    first = env._key[0]
    env.reset()
    assert env._key == (first, 0, 1)


# ==================================================================== rewards


@pytest.mark.parametrize("reward", ["win", "score"])
@every_game
def test_rewards(name: str, reward: str) -> None:
    """Paid to all when it happens, once; what an agent has not yet been told adds up."""
    env = started(name, reward=reward)
    agents, rng = env.possible_agents, random.Random(4)
    for _ in range(2):
        told, paid = dict.fromkeys(agents, 0.0), dict.fromkeys(agents, 0.0)
        before = env.game().returns()
        while not is_over(env):
            agent = env.agent_selection
            told[agent] += env.last()[1]
            env.step(any_legal(env, rng))
            after = env.game().returns()
            step = [a - b for a, b in zip(after, before, strict=True)]
            assert list(env.rewards.values()) == pytest.approx(step)
            for one in agents:
                paid[one] += env.rewards[one]
                owed = paid[one] - told[one]
                assert env._cumulative_rewards[one] == pytest.approx(owed)
            before = after
        for _ in agents:
            told[env.agent_selection] += env.last()[1]
            env.step(None)
        assert list(told.values()) == pytest.approx(env.record()["payoffs"])
        assert sum(told.values()) == pytest.approx(0)
        env.reset()


@every_game
def test_endings_totals_and_winners_are_those_of_the_tree(name: str) -> None:
    env = started(name)
    seen = set()
    for _ in play_on(env, random.Random(6), games=3):
        game = env.game()
        assert list(env.totals.values()) == game.totals
        ended = game.node == "over"
        assert set(env.terminations.values()) == {ended and not game.truncated}
        assert set(env.truncations.values()) == {ended and game.truncated}
        winners = [f"player_{seat}" for seat in game.winners or []]
        assert env.winners == winners
        for field in set(env._games.dtype.names) - {"gained"}:  # that of the latest event or step
            np.testing.assert_array_equal(env._games[field], game._games[field], field)
        seen.add(ended)
    assert seen == {True, False}


def test_a_game_cut_short_is_truncated() -> None:
    env = make("gacha_v0", players=3, max_rounds=1)
    env.reset(seed=0)
    for _ in play_on(env, random.Random(0)):
        pass
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert env.record()["truncated"] is True
    assert env.winners
