"""The policy network: what it is fed with, and how it chooses among legal actions."""

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution, MaybeMasks
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from tefuda.training.attention import TokenFeatures, has_tokens

#: The piece of an observation that tells of every action.
ACTIONS = "actions"

#: The piece that a privileged critic sees beside: what all other seats see.
OTHERS = "others"

#: Beside it, the acting seat's own observation where that is one array.
OWN = "own"

#: A piece of an observation with so many dimensions is a board.
_BOARD = 3

#: The logit of an illegal action; its probability is exactly 0, and times its logarithm too.
_NEVER = -1e8
_BELOW_ONE = 1 - 1e-6


class Scale(nn.Module):
    """Brings the entries of an observation to a like size.

    Entries are counts from 0 to the `high` of the space. Most counts stay far below their limit,
    and rare large ones should not drown the flags beside them: an entry is divided by the square
    root of its limit.
    """

    scale: torch.Tensor

    def __init__(self, space: spaces.Space[Any]) -> None:
        assert isinstance(space, spaces.Box)
        super().__init__()
        highs = np.maximum(space.high.astype(np.float32), 1)
        self.register_buffer("scale", torch.as_tensor(1 / np.sqrt(highs)), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, ...) float observations to the same shape."""
        return observations * self.scale


class ScaledFlatten(BaseFeaturesExtractor):
    """Flattens an observation and brings its entries to a like size."""

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, math.prod(observation_space.shape))
        self.scale = Scale(observation_space)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, ...) float observations to (B, D) features."""
        return torch.flatten(self.scale(observations), start_dim=1)


class BoardFeatures(BaseFeaturesExtractor):
    """Convolves the boards among the pieces of an observation and adds the other pieces.

    Args:
        observation_space: Pieces (C, rows, columns), which are boards, and pieces (K,).
        channels: Of each of two layers of 3 x 3.
        units: What the boards come to.
    """

    def __init__(
        self, observation_space: spaces.Dict, channels: int = 32, units: int = 128
    ) -> None:
        shapes = {name: piece.shape or () for name, piece in observation_space.items()}
        boards = [name for name, shape in shapes.items() if len(shape) == _BOARD]
        others = [name for name in shapes if name not in boards]
        width = units * len(boards) + sum(math.prod(shapes[name]) for name in others)
        super().__init__(observation_space, width)
        self.boards = nn.ModuleDict(
            {name: _convolution(shapes[name], channels, units) for name in boards}
        )
        self.scales = nn.ModuleDict({name: Scale(observation_space[name]) for name in shapes})

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Pieces (B, ...) to (B, D) features."""
        found = []
        for name, scale in self.scales.items():
            piece = scale(observations[name])
            piece = self.boards[name](piece) if name in self.boards else piece
            found.append(piece.flatten(start_dim=1))
        return torch.cat(found, dim=1)


def _convolution(shape: tuple[int, ...], channels: int, units: int) -> nn.Module:
    planes, rows, columns = shape
    return nn.Sequential(
        nn.Conv2d(planes, channels, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.Conv2d(channels, channels, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(channels * rows * columns, units),
        nn.ReLU(),
    )


class ActionFeatures(BaseFeaturesExtractor):
    """Hands on what an observation tells of every action, behind what it tells of the table.

    Args:
        observation_space: Pieces `table` (D,) and `actions` (K, A).
    """

    def __init__(self, observation_space: spaces.Dict) -> None:
        table, actions = observation_space["table"], observation_space[ACTIONS]
        assert isinstance(table, spaces.Box)
        assert isinstance(actions, spaces.Box)
        super().__init__(observation_space, table.low.size + actions.low.size)
        self.scale = Scale(table)
        self.action_scale = Scale(actions)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Pieces (B, ...) to (B, D + K * A) features."""
        actions = self.action_scale(observations[ACTIONS])
        return torch.cat([self.scale(observations["table"]), actions.flatten(start_dim=1)], dim=1)


class PrivilegedFeatures(BaseFeaturesExtractor):
    """Puts what the other seats see, which is for the critic alone, before the own features.

    Args:
        observation_space: The pieces of the own observation, or `own`; and `others` (P - 1, D).
    """

    def __init__(self, observation_space: spaces.Dict) -> None:
        own, others = own_space(observation_space), observation_space[OTHERS]
        assert isinstance(others, spaces.Box)
        features = extractor_for(own)(own)
        super().__init__(observation_space, others.low.size + features.features_dim)
        self.own = features
        self.scale = Scale(others)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Pieces (B, ...) to (B, (P - 1) * D + own) features."""
        pieces = {name: piece for name, piece in observations.items() if name != OTHERS}
        own = self.own(pieces.get(OWN, pieces))
        return torch.cat([self.scale(observations[OTHERS]).flatten(start_dim=1), own], dim=1)


def own_space(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """The space of what the acting seat itself sees."""
    if not (isinstance(space, spaces.Dict) and OTHERS in space.spaces):
        return space
    pieces = {name: piece for name, piece in space.items() if name != OTHERS}
    return pieces[OWN] if OWN in pieces else spaces.Dict(pieces)


def extractor_for(space: spaces.Space[Any]) -> type[BaseFeaturesExtractor]:
    """What brings observations of a space before the layers."""
    if not isinstance(space, spaces.Dict):
        return TokenFeatures if has_tokens(space) else ScaledFlatten
    if OTHERS in space.spaces:
        return PrivilegedFeatures
    return ActionFeatures if ACTIONS in space.spaces else BoardFeatures


class ActionScorer(nn.Module):
    """Scores every action by its features, which the state of the table weighs.

    The weights are the same for all actions, so what is learnt of one holds for all.

    Args:
        state: S, units of the latent state.
        features: K.
        actions: A.
    """

    def __init__(self, state: int, features: int, actions: int) -> None:
        super().__init__()
        self._state = state
        self._shape = (features, actions)
        self.base = nn.Linear(state, actions)
        self.weigh = nn.Linear(state, features)

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """(B, S + K * A) to logits (B, A)."""
        state, flat = latent[:, : self._state], latent[:, self._state :]
        weights = self.weigh(state).unsqueeze(1)
        scores = torch.bmm(weights, flat.reshape(-1, *self._shape)).squeeze(1)
        logits: torch.Tensor = self.base(state) + scores
        return logits


class StateExtractor(MlpExtractor):
    """SB3's layers, each for the features that are meant for it.

    The features of actions pass the actor's layers by; those of the other seats are the critic's.

    Args:
        others: O, features of what the other seats see.
        table: D, features of what the acting seat sees.
        actions: K * A, features of actions.
        layers: As `net_arch` of SB3.
        activation: What comes between them.
    """

    def __init__(
        self,
        others: int,
        table: int,
        actions: int,
        layers: list[int] | dict[str, list[int]],
        activation: type[nn.Module],
    ) -> None:
        super().__init__(table, layers, activation)
        if others:
            self.value_net = MlpExtractor(others + table, layers, activation).value_net
            self.latent_dim_vf = self.latent_dim_vf if layers else others + table
        self.latent_dim_pi += actions
        self._own = slice(others, others + table)
        self._seen = slice(others + table)
        self._actions = slice(others + table, None)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """(B, O + D + K * A) to (B, S + K * A)."""
        state = super().forward_actor(features[:, self._own])
        return torch.cat([state, features[:, self._actions]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """(B, O + D + K * A) to (B, V)."""
        return super().forward_critic(features[:, self._seen])


class LegalActions(MaskableCategoricalDistribution):
    """A categorical distribution over the legal actions.

    It is the distribution of its base class, which normalises the logits three times (as made,
    without a mask, with it); here it is done once, when first asked for. With a hundred actions
    that is a tenth of all training time, with eight hundred much more.
    """

    logits: torch.Tensor
    _log_probabilities: torch.Tensor | None

    def __init__(self, actions: int, features: int = 0) -> None:
        super().__init__(actions)
        self._features = features

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """The last layer of the actor; where an observation has features of actions, a scorer."""
        if not self._features:
            return nn.Linear(latent_dim, self.action_dim)
        state = latent_dim - self._features * self.action_dim
        return ActionScorer(state, self._features, self.action_dim)

    def proba_distribution(self, action_logits: torch.Tensor) -> Self:
        """Takes the logits (B, A) of all actions."""
        self.logits = action_logits.view(-1, self.action_dim)
        self._log_probabilities = None
        return self

    def apply_masking(self, masks: MaybeMasks) -> None:
        """Leaves only the actions where `masks` (B, A) is not 0; once, before anything is asked."""
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=self.logits.device)
            self.logits = self.logits.masked_fill(~legal.view(self.logits.shape), _NEVER)
        self._log_probabilities = None

    @property
    def log_probabilities(self) -> torch.Tensor:
        """(B, A), of illegal actions so low that their exponential is 0."""
        if self._log_probabilities is None:
            self._log_probabilities = self.logits.log_softmax(dim=1)
        return self._log_probabilities

    @property
    def probabilities(self) -> torch.Tensor:
        """(B, A), 0 for illegal actions.

        The exponential of the logarithms would be the same, but for numbers as low as those of
        illegal actions it takes ten times as long.
        """
        return self.logits.softmax(dim=1)

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        """(B,) the logarithm of the probability of each action (B,)."""
        return self.log_probabilities.gather(1, actions.long().view(-1, 1)).squeeze(1)

    def entropy(self) -> torch.Tensor:
        """(B,) in nats."""
        return -(self.probabilities * self.log_probabilities).sum(dim=1)

    def sample(self) -> torch.Tensor:
        """(B,) actions drawn by their probabilities."""
        sums = self.probabilities.cumsum(dim=1)
        # Below 1 by more than a rounding error: no draw may lie beyond the last legal action.
        drawn = torch.rand(len(sums), 1, device=sums.device) * sums[:, -1:] * _BELOW_ONE
        return (sums > drawn).int().argmax(dim=1)

    def mode(self) -> torch.Tensor:
        """(B,) the likeliest actions."""
        return self.logits.argmax(dim=1)


class TablePolicy(MaskableActorCriticPolicy):
    """SB3's masked actor and critic with the leaner distribution.

    Where an observation has a piece `actions` (K, A), the actor scores actions by it. A piece
    `others` is the critic's alone; to play, it may be absent.
    """

    def _build(self, lr_schedule: Schedule) -> None:
        assert isinstance(self.action_space, spaces.Discrete)
        shape = actions_shape(self.observation_space)
        self.action_dist = LegalActions(int(self.action_space.n), shape[0])
        super()._build(lr_schedule)

    def _build_mlp_extractor(self) -> None:
        actions = math.prod(actions_shape(self.observation_space))
        others = math.prod(others_shape(self.observation_space))
        if not actions and not others:
            super()._build_mlp_extractor()
            return
        table = self.features_dim - actions - others
        extractor = StateExtractor(others, table, actions, self.net_arch, self.activation_fn)
        self.mlp_extractor = extractor.to(self.device)

    def obs_to_tensor(self, observation: Any) -> tuple[Any, bool]:
        """Observations as tensors; see SB3. What others see counts as 0 where it is absent."""
        shape = others_shape(self.observation_space)
        pieces = observation if isinstance(observation, dict) else {OWN: observation}
        if math.prod(shape) and OTHERS not in pieces:
            assert isinstance(self.observation_space, spaces.Dict)
            name, piece = next(iter(pieces.items()))
            batch = piece.shape[: piece.ndim - len(self.observation_space[name].shape or ())]
            observation = {**pieces, OTHERS: np.zeros((*batch, *shape), np.int8)}
        return super().obs_to_tensor(observation)

    def distribution_of(self, observations: Any, masks: npt.NDArray[Any]) -> LegalActions:
        """The distribution over actions for observations (B, ...) and masks (B, A), as arrays."""
        seen, _ = self.obs_to_tensor(observations)
        found = self.get_distribution(seen, masks)
        assert isinstance(found, LegalActions)
        return found

    def frozen(self) -> Self:
        """A copy that does not learn."""
        twin = type(self)(**self._get_constructor_parameters())
        twin.load_state_dict(self.state_dict())
        twin.set_training_mode(False)
        return twin


def actions_shape(space: spaces.Space[Any]) -> tuple[int, int]:
    """(K, A), the shape of the features of actions in an observation; (0, 0) without any."""
    if isinstance(space, spaces.Dict) and ACTIONS in space.spaces:
        features, actions = space[ACTIONS].shape or (0, 0)
        return features, actions
    return 0, 0


def others_shape(space: spaces.Space[Any]) -> tuple[int, int]:
    """(P - 1, D), the shape of what the other seats see; (0, 0) where that is not shown."""
    if isinstance(space, spaces.Dict) and OTHERS in space.spaces:
        seats, values = space[OTHERS].shape or (0, 0)
        return seats, values
    return 0, 0
