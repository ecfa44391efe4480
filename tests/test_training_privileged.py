"""A critic that sees all seats while it learns, and an actor that never does."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

from tefuda.envs import make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import STREAM
from tefuda.envs.core.jit import fields
from tefuda.envs.core.spaces import observation_space
from tefuda.training.agents.policy import PolicyAgent, load_model
from tefuda.training.config import TrainConfig
from tefuda.training.learner_env import LearnerEnv, with_others
from tefuda.training.model import make_model, make_pupil
from tefuda.training.network import ACTIONS, OTHERS, own_space
from tefuda.training.ppo import SelfPlayPPO
from tefuda.wrappers.sb3 import Observations, shown

ENCODINGS = [
    ("gacha", "expert"),
    ("gacha", "tokens"),
    ("torutorento", "expert"),
    ("torutorento", "flat"),
    ("quatre", "planes"),
]
STEPS = 20


def config_of(game: str, encoder: str) -> TrainConfig:
    return TrainConfig(
        game=game,
        options={"players": 3},
        encoder=encoder,
        privileged=True,
        tables=16,
        steps=16,
        batch=128,
        layers=(16,),
    )


def learnt(game: str, encoder: str) -> SelfPlayPPO:
    """A model whose critic has learnt a little, so that it does not ignore anything."""
    model = make_model(config_of(game, encoder))
    model.learn(2 * 16 * 16)
    return model


def env_of(model: SelfPlayPPO) -> LearnerEnv:
    assert isinstance(model.env, LearnerEnv)
    return model.env


def positions(model: SelfPlayPPO) -> tuple[dict[str, Any], npt.NDArray[np.int8]]:
    """Observations and masks some steps after a start."""
    env = env_of(model)
    env.reset()
    for _ in range(STEPS):
        env.step(env.tables.sample())
    observations = env.step(env.tables.sample())[0]
    assert isinstance(observations, dict)
    return observations, env.action_masks()


@pytest.mark.parametrize(("game", "encoder"), ENCODINGS)
def test_others_reach_the_critic_alone(game: str, encoder: str) -> None:
    model = learnt(game, encoder)
    seen, masks = positions(model)
    rng = np.random.default_rng(1)
    changed = {**seen, OTHERS: rng.permuted(seen[OTHERS], axis=0)}
    own = {name: piece for name, piece in seen.items() if name != OTHERS}
    played = model.probabilities_of(seen, masks)
    np.testing.assert_array_equal(model.probabilities_of(changed, masks), played)
    np.testing.assert_array_equal(model.probabilities_of(own, masks), played)
    assert not np.allclose(model.value_of(seen), model.value_of(changed), rtol=0, atol=1e-4)


@pytest.mark.parametrize(("game", "encoder"), ENCODINGS)
def test_what_is_shown_beside_is_what_the_others_see(game: str, encoder: str) -> None:
    model = make_model(config_of(game, encoder))
    seen, _ = positions(model)
    env = env_of(model)
    tables, engine = env.tables, env.tables.engine
    rows = tables.observe_all().reshape(16, 3, -1)
    assert env.observation_space.contains({name: piece[0] for name, piece in seen.items()})
    assert own_space(env.observation_space) == observation_space(engine)
    everyone = env.observe_all()
    assert isinstance(everyone, dict)
    for table, seat in np.ndindex(16, 3):
        own = shown(engine, rows[table, [seat]])
        others = np.array([without_actions(engine, rows[table, (seat + k) % 3]) for k in (1, 2)])
        expected = with_others(own, others[None])
        assert isinstance(expected, dict)
        for name, piece in expected.items():
            np.testing.assert_array_equal(everyone[name][3 * table + seat], piece[0])
            if seat == tables.seat[table]:
                np.testing.assert_array_equal(seen[name][table], piece[0])


def without_actions(engine: Any, row: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    seen = shown(engine, row[None])
    if not isinstance(seen, dict):
        return row
    return np.concatenate([piece.ravel() for name, piece in seen.items() if name != ACTIONS])


def resampled(tables: Tables) -> Tables:
    """The same tables in worlds that their acting seats cannot tell from the real ones."""
    twin = make_vec(tables.engine.spec.name, tables=len(tables), seed=1, encoder="flat", players=3)
    engine, holders = tables.engine, fields(np.zeros(len(tables), STREAM))
    engine.loops.seed_holders(holders, np.uint64(5), np.uint64(7))
    twin.games[...] = tables.games
    for row, seat in enumerate(tables.seat):
        engine.loops.resample_one(twin.games, engine.parts, row, seat, holders[row : row + 1])
    twin.seat[...], twin.action_mask[...] = tables.seat, tables.action_mask
    for row, seat in enumerate(tables.seat):
        engine.loops.observe_one(twin.games, engine.parts, row, seat, twin.observation[row])
    return twin


@pytest.mark.parametrize("game", ["gacha", "torutorento"])
def test_hidden_cards_decide_nothing_but_the_value(game: str) -> None:
    model = learnt(game, "flat")
    agent = PolicyAgent(model)
    tables = make_vec(game, tables=40, seed=3, encoder="flat", players=3)
    for _ in range(30):
        tables.step(tables.sample())
    twin, rows = resampled(tables), np.arange(40)
    masks = tables.action_mask
    played = [agent.probabilities(agent.observe(which, rows), masks) for which in (tables, twin)]
    np.testing.assert_array_equal(played[0], played[1])
    np.testing.assert_array_equal(agent.act(tables, rows), agent.act(twin, rows))
    values = []
    for which in (tables, twin):
        env = LearnerEnv(which, privileged=True)
        values.append(model.value_of(env.observe_all()).reshape(40, 3)[rows, tables.seat])
    assert not np.allclose(values[0], values[1], rtol=0, atol=1e-4)


def test_it_takes_lessons_is_saved_and_plays(tmp_path: Path) -> None:
    model = make_model(config_of("gacha", "expert"))
    assert make_pupil(config_of("gacha", "expert"), model).study(0.0) > 0
    model.save(tmp_path / "model.zip")
    tables = make_vec("gacha", tables=20, seed=3, players=3, encoder="flat")
    rows = np.arange(20)
    loaded, kept = PolicyAgent(load_model(tmp_path)), PolicyAgent(model)
    for _ in range(30):
        actions = loaded.act(tables, rows)
        np.testing.assert_array_equal(actions, kept.act(tables, rows))
        tables.step(actions)


def test_without_it_nothing_is_shown_beside() -> None:
    config = TrainConfig(game="gacha", tables=4, steps=8, batch=32, encoder="flat")
    seen: Observations = env_of(make_model(config)).reset()
    assert isinstance(seen, np.ndarray)
