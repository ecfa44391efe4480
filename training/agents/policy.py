"""A player that follows a learnt policy."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import TefudaError
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.agents.streams import AgentStreams
from tefuda.training.ppo import SelfPlayPPO

#: The file of the model in a run folder.
MODEL_FILE = "model.zip"


class PolicyAgent:
    """Plays a policy: its likeliest action, or one drawn by its probabilities.

    Args:
        model: A model, its file, or the run folder that holds it.
        deterministic: Whether to play the likeliest action.
        seed: Seeds the draws.
        name: What tables and files call it.
    """

    def __init__(
        self,
        model: MaskablePPO | str | Path,
        deterministic: bool = True,
        seed: int = 0,
        name: str = "policy",
    ) -> None:
        self.name = name
        self.deterministic = deterministic
        self._streams = AgentStreams(seed)
        self._policy = (model if isinstance(model, MaskablePPO) else load_model(model)).policy

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`.

        Raises:
            TefudaError: The tables show other observations than the policy learnt from.
        """
        self._check(tables)
        observations, masks = tables.observation[rows], tables.action_mask[rows]
        if self.deterministic:
            actions, _ = self._policy.predict(observations, action_masks=masks, deterministic=True)
            return actions.astype(np.int64)
        return _choose(
            self.probabilities(observations, masks), self._streams.fractions(tables, rows)
        )

    def _check(self, tables: Tables) -> None:
        learnt, shown = self._policy.observation_space.shape, tables.observation.shape[1:]
        if learnt != shown:
            raise TefudaError(
                f"{self.name} learnt from observations of shape {learnt}, but these tables show "
                f"{shown}: were its players, options or encoder others?"
            )

    def probabilities(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float64]:
        """(R, A) the policy's probabilities of legal actions, 0 elsewhere."""
        with torch.no_grad():
            seen, _ = self._policy.obs_to_tensor(observations)
            found = self._policy.get_distribution(seen, masks)
        assert isinstance(found, MaskableCategoricalDistribution)
        return np.asarray(found.distribution.probs.cpu(), np.float64) * masks


def _choose(probabilities: npt.NDArray[np.float64], fractions: npt.NDArray[np.float64]) -> Actions:
    """Turns a number in [0, 1) for each row into an action, by its row of probabilities."""
    sums = probabilities.cumsum(axis=1)
    passed: Actions = (sums <= fractions[:, None] * sums[:, -1:]).sum(axis=1)
    return passed


def load_model(path: str | Path) -> SelfPlayPPO:
    """Loads a model from its file or its run folder.

    Raises:
        TefudaError: There is none.
    """
    file = Path(path) / MODEL_FILE if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise TefudaError(f"there is no model at {file}")
    return SelfPlayPPO.load(file, device="cpu")
