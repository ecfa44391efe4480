"""`planes="box"`: a board and its context as one array, in every face of a game."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from pettingzoo.test import api_test

from tefuda.envs import Game, make, make_vec
from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.envs.core.spaces import observation_space

NAME = "quatre_v0"
OPTIONS: dict[str, Any] = {"encoder": "planes", "players": 2}
BOX: dict[str, Any] = {**OPTIONS, "planes": "box"}


def engines() -> tuple[Engine, Engine]:
    """The same game with a dict, and with a box."""
    as_dict, as_box = (
        make_engine(find_game(NAME), "planes", players=2, planes=planes)
        for planes in ("dict", "box")
    )
    return as_dict, as_box


def boxed(pieces: dict[str, npt.NDArray[np.int8]]) -> npt.NDArray[np.int8]:
    """What a box must be, cell by cell."""
    board, context = pieces["board"], pieces["context"]
    constant = [np.full(board.shape[1:], value, np.int8) for value in context]
    return np.stack([*board, *constant])


def test_a_box_is_the_board_and_a_constant_plane_for_each_value() -> None:
    as_dict, as_box = engines()
    row = np.arange(as_dict.size).astype(np.int8)
    box = as_box.show(row)
    np.testing.assert_array_equal(box, boxed(as_dict.show(row)))
    assert box.dtype == np.int8
    assert as_box.shown_shape == box.shape
    space = observation_space(as_box)
    assert isinstance(space, gymnasium.spaces.Box)
    assert (space.high == boxed(as_dict.show(as_dict.highs()))).all()


def test_all_faces_show_the_same_box() -> None:
    env, tables, game = make(NAME, **BOX), make_vec(NAME, seed=4, **BOX), None
    plain = make_vec(NAME, seed=4, **OPTIONS)
    env.reset(seed=4)
    space = observation_space(env.engine)
    assert env.observation_space("player_0")["observation"] == space  # type: ignore[index]
    for _ in range(8):
        seat = int(tables.seat[0])
        pieces = {name: piece[0] for name, piece in plain.pieces.items()}
        seen = env.observe(f"player_{seat}")["observation"]
        assert space.contains(seen)
        np.testing.assert_array_equal(seen, boxed(pieces))
        np.testing.assert_array_equal(seen, tables.shown[0])
        game = env.game()
        np.testing.assert_array_equal(seen, game.observation(seat))
        action = tables.sample()
        plain.step(action)
        tables.step(action)
        env.step(int(action[0]))
    assert isinstance(game, Game)


def test_the_tables_show_what_their_encoder_says() -> None:
    for encoder in ("flat", "tokens", "planes"):
        tables = make_vec(NAME, tables=3, seed=1, encoder=encoder)
        shown = tables.shown
        if encoder == "planes":
            assert {name: piece.shape for name, piece in shown.items()} == {
                name: piece.shape for name, piece in tables.pieces.items()
            }
        else:
            np.testing.assert_array_equal(shown, tables.observation)


def test_it_is_an_environment_for_pettingzoo_and_gymnasium() -> None:
    api_test(make(NAME, **BOX), num_cycles=40)
    env = gymnasium.make("tefuda.envs:tefuda/Quatre-v0", **BOX)
    seen, _ = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    envs = gymnasium.make_vec(
        "tefuda.envs:tefuda/Quatre-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        **BOX,
    )
    seen, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(seen)


def test_it_survives_copies() -> None:
    env = make(NAME, **BOX)
    env.reset(seed=2)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        np.testing.assert_equal(twin.observe("player_0"), env.observe("player_0"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"encoder": "planes", "planes": "boxes"}, "planes='boxes' is not allowed.*'dict', 'box'"),
        ({"encoder": "flat", "planes": "box"}, "encoder='flat' has none"),
        ({"planes": "dict"}, "encoder='flat' has none"),
    ],
)
def test_where_there_are_no_planes_it_is_refused(wrong: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make(NAME, **wrong)
