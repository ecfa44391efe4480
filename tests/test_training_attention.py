"""The attention model for observations that are tokens."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from gymnasium import spaces

from tefuda.envs import GAMES, make_vec
from tefuda.training.agents import GreedyAgent
from tefuda.training.agents.policy import load_model
from tefuda.training.attention import TokenFeatures, has_tokens
from tefuda.training.config import TrainConfig
from tefuda.training.imitate import watch_teacher
from tefuda.training.model import make_model, make_pupil
from tefuda.training.ppo import SelfPlayPPO

CONFIG = TrainConfig(game="torutorento", tables=4, steps=8, batch=32, encoder="tokens")

# Two kinds of tokens: the second field has 5 values in the first three, 3 values in the others.
HIGH = np.array([[2, 4], [2, 4], [2, 4], [2, 2], [2, 2]], np.int8)
SPACE = spaces.Box(np.zeros_like(HIGH), HIGH, dtype=np.int8)


def features(*tokens: tuple[int, int]) -> torch.Tensor:
    torch.manual_seed(1)
    network = TokenFeatures(SPACE, width=8, heads=2, readers=3)
    assert network.features_dim == 24
    with torch.no_grad():
        found: torch.Tensor = network(torch.tensor([tokens], dtype=torch.float32))
    return found[0]


def test_only_tokens_are_taken_for_tokens() -> None:
    assert has_tokens(SPACE)
    assert not has_tokens(spaces.Box(0, 1, (5,)))
    assert not has_tokens(spaces.Box(0, 1, (2, 3, 4)))


def test_padding_does_not_matter() -> None:
    some = features((1, 3), (0, 0), (0, 0), (2, 1), (0, 0))
    # Where a token stands within its section does not matter; so neither does where padding is.
    torch.testing.assert_close(some, features((0, 0), (0, 0), (1, 3), (0, 0), (2, 1)))
    assert not torch.allclose(some, features((1, 3), (0, 0), (0, 0), (2, 1), (2, 1)))


def test_padding_is_as_if_it_were_not_there() -> None:
    torch.manual_seed(1)
    short = TokenFeatures(spaces.Box(np.zeros_like(HIGH[:4]), HIGH[:4], dtype=np.int8), width=8)
    torch.manual_seed(1)
    long = TokenFeatures(SPACE, width=8)
    tokens = torch.tensor([[[1.0, 3.0], [2.0, 4.0], [1.0, 1.0], [2.0, 1.0]]])
    padded = torch.cat([tokens, torch.zeros(1, 1, 2)], dim=1)
    torch.testing.assert_close(short(tokens), long(padded))


def test_every_value_of_every_field_of_every_kind_has_an_embedding() -> None:
    network = TokenFeatures(SPACE, width=8)
    assert network.embeddings.num_embeddings == 1 + (2 + 4) + (2 + 2)
    used = [
        int(network.offsets[token, field]) + value
        for token in (0, 3)
        for field in range(2)
        for value in range(1, int(HIGH[token, field]) + 1)
    ]
    assert sorted(used) == list(range(1, 11))
    assert not network.embeddings.weight[0].any()
    assert (
        features((1, 2), (0, 0), (0, 0), (0, 0), (0, 0))
        .sub(features((0, 0), (0, 0), (0, 0), (1, 2), (0, 0)))
        .any()
    )


@pytest.mark.parametrize("game", GAMES)
def test_is_chosen_where_observations_are_tokens(game: str) -> None:
    model = make_model(TrainConfig(game=game, tables=4, steps=8, batch=32, encoder="tokens"))
    network = model.policy.features_extractor
    assert isinstance(network, TokenFeatures)
    model.learn(64)
    observations = make_vec(game, tables=50, seed=1, encoder="tokens").observation
    reached = network.offsets[None] + torch.as_tensor(observations, dtype=torch.long)
    assert int(reached.max()) < network.embeddings.num_embeddings


def loss_of(model: SelfPlayPPO) -> float:
    """How unlikely the scripted player's actions are to the policy, in nats."""
    tables = make_vec("torutorento", tables=40, seed=8, encoder="tokens")
    lessons = watch_teacher(tables, GreedyAgent(), 50)
    found = model.probabilities_of(lessons.observations, lessons.masks)
    chosen = found[np.arange(len(lessons.actions)), lessons.actions]
    return float(-np.log(chosen).mean())


def test_it_learns_and_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    model = make_model(CONFIG)
    before = loss_of(model)
    pupil = make_pupil(CONFIG, model)
    pupil.study(0.0)
    assert pupil.learnt < 17_000
    after = loss_of(model)
    assert after < 0.75 * before
    model.save(tmp_path / "model.zip")
    assert loss_of(load_model(tmp_path)) == pytest.approx(after)
