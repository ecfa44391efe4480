"""The policy network: its features, and its distribution over legal actions."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from tefuda.training.config import TrainConfig
from tefuda.training.model import make_model
from tefuda.training.network import ActionScorer, BoardFeatures, LegalActions, ScaledFlatten

ROWS, ACTIONS = 50, 12


def both() -> list[tuple[MaskableCategoricalDistribution, torch.Tensor]]:
    """sb3-contrib's distribution and ours, of the same logits and masks."""
    rng = np.random.default_rng(1)
    logits = torch.tensor(rng.normal(scale=3, size=(ROWS, ACTIONS)), dtype=torch.float32)
    masks = rng.random((ROWS, ACTIONS)) < 0.4
    masks[:, 0] |= ~masks.any(axis=1)
    masks[0] = np.arange(ACTIONS) == 3  # nothing to choose
    made: list[tuple[MaskableCategoricalDistribution, torch.Tensor]] = []
    for kind in (MaskableCategoricalDistribution, LegalActions):
        leaf = logits.clone().requires_grad_()
        distribution = kind(ACTIONS).proba_distribution(leaf)
        distribution.apply_masking(masks.astype(np.int8))
        made.append((distribution, leaf))
    return made


def test_is_the_distribution_of_sb3_contrib_with_its_gradients() -> None:
    (theirs, their_logits), (ours, our_logits) = both()
    actions = theirs.mode()
    torch.testing.assert_close(ours.mode(), actions)
    torch.testing.assert_close(ours.log_prob(actions.float()), theirs.log_prob(actions))
    torch.testing.assert_close(ours.entropy(), theirs.entropy())
    for distribution in (theirs, ours):
        (distribution.log_prob(actions).sum() + 0.3 * distribution.entropy().sum()).backward()
    torch.testing.assert_close(our_logits.grad, their_logits.grad)


def test_without_a_mask_every_action_is_legal() -> None:
    distribution = LegalActions(ACTIONS).proba_distribution(torch.zeros(2, ACTIONS))
    torch.testing.assert_close(distribution.probabilities, torch.full((2, ACTIONS), 1 / ACTIONS))


def test_draws_legal_actions_by_their_probabilities() -> None:
    torch.manual_seed(1)
    logits = torch.tensor([[0.0, 1.0, 5.0, -1.0]]).repeat(20_000, 1)
    distribution = LegalActions(4).proba_distribution(logits)
    distribution.apply_masking(np.tile(np.array([1, 1, 0, 1], np.int8), (20_000, 1)))
    shares = torch.bincount(distribution.sample(), minlength=4) / 20_000
    assert shares[2] == 0
    expected = torch.softmax(torch.tensor([0.0, 1.0, -torch.inf, -1.0]), 0)
    torch.testing.assert_close(shares, expected, atol=0.015, rtol=0)


def test_boards_are_convolved_and_all_else_goes_beside_them() -> None:
    def box(*shape: int) -> gymnasium.spaces.Box:
        return gymnasium.spaces.Box(0, 4, shape, np.int8)

    torch.manual_seed(1)
    space = gymnasium.spaces.Dict({"board": box(2, 5, 6), "context": box(3)})
    network = BoardFeatures(space, channels=4, units=7)
    assert network.features_dim == 7 + 3
    board = torch.zeros(2, 2, 5, 6)
    board[1, 0, 2, 3] = 4
    context = torch.tensor([[4.0, 0.0, 1.0]]).repeat(2, 1)
    features = network({"board": board, "context": context})
    assert features.shape == (2, 10)
    torch.testing.assert_close(features[:, 7:], context / 2)
    assert not torch.equal(features[0, :7], features[1, :7])


def test_features_are_scaled_by_the_largest_values() -> None:
    space = gymnasium.spaces.Box(np.zeros(3, np.int8), np.array([1, 4, 0], np.int8), dtype=np.int8)
    features = ScaledFlatten(space)(torch.tensor([[1.0, 4.0, 0.0]]))
    torch.testing.assert_close(features, torch.tensor([[1.0, 2.0, 0.0]]))


def test_actions_are_scored_by_their_features_with_weights_of_the_state() -> None:
    torch.manual_seed(1)
    scorer = ActionScorer(state=6, features=3, actions=ACTIONS)
    state, features = torch.randn(4, 6), torch.randn(4, 3, ACTIONS)
    found = scorer(torch.cat([state, features.flatten(1)], dim=1))
    weights = scorer.weigh(state)
    for action in range(ACTIONS):
        expected = scorer.base(state)[:, action] + (weights * features[:, :, action]).sum(1)
        torch.testing.assert_close(found[:, action], expected)


@pytest.mark.parametrize("game", ["quatre", "torutorento"])
def test_features_of_actions_reach_the_actor_alone(game: str) -> None:
    model = make_model(TrainConfig(game=game, tables=4, steps=8, batch=32, layers=(16,)))
    assert model.env is not None
    observations = model.env.reset()
    assert isinstance(observations, dict)
    masks = np.stack(model.env.env_method("action_masks"))
    blind = {**observations, "actions": np.zeros_like(observations["actions"])}
    np.testing.assert_array_equal(model.value_of(observations), model.value_of(blind))
    seen, unseen = (model.probabilities_of(those, masks) for those in (observations, blind))
    assert (seen[masks == 0] == 0).all()
    assert not np.allclose(seen, unseen, rtol=1e-6, atol=0)
