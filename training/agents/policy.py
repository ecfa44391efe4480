"""A player that follows a learnt policy."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import TefudaError
from tefuda.envs.core.spaces import observation_space
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.agents.streams import AgentStreams
from tefuda.training.network import own_space
from tefuda.training.ppo import SelfPlayPPO
from tefuda.wrappers.sb3 import Observations, shown

#: The file of the model in a run folder.
MODEL_FILE = "model.zip"

#: What a model's archive holds beside other things.
_MEMBERS = {"data", "policy.pth"}


class PolicyAgent:
    """Plays a policy: its likeliest action, or one drawn by its probabilities.

    It writes its observations itself where the tables show others than it learnt from, so that
    policies with different encoders can meet at one table.

    Args:
        model: A model, its file, or the run folder that holds it.
        deterministic: Whether to play the likeliest action.
        seed: Seeds the draws.
        name: What tables and files call it.

    Raises:
        TefudaError: There is no such model.
    """

    def __init__(
        self,
        model: SelfPlayPPO | str | Path,
        deterministic: bool = True,
        seed: int = 0,
        name: str = "policy",
    ) -> None:
        self.name = name
        self.deterministic = deterministic
        self._streams = AgentStreams(seed)
        self._model = model if isinstance(model, SelfPlayPPO) else load_model(model)
        self._engines: dict[Engine, Engine] = {}

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`.

        Raises:
            TefudaError: The policy learnt another game, or one with other observations.
        """
        observations, masks = self.observe(tables, rows), tables.action_mask[rows]
        if self.deterministic:
            actions, _ = self._model.predict(observations, action_masks=masks, deterministic=True)
            return actions.astype(np.int64)
        return _choose(
            self.probabilities(observations, masks), self._streams.fractions(tables, rows)
        )

    def check(self, engine: Engine) -> None:
        """Sees whether it can play a game.

        Raises:
            TefudaError: The policy learnt another game, or one with other observations.
        """
        game = self._model.game
        if game and game != engine.spec.id:
            raise TefudaError(f"{self.name} has learnt {game}, not {engine.spec.id}")
        self._check_shape(self._own_engine(engine))

    def observe(self, tables: Tables, rows: Rows) -> Observations:
        """What the acting seats (R,) see, written as the policy learnt it.

        Raises:
            TefudaError: The policy learnt another game, or one with other observations.
        """
        engine = self._engine_for(tables.engine)
        if engine is tables.engine:
            return shown(engine, tables.observation[rows])
        seen = np.zeros((rows.size, engine.size), np.int8)
        for row, seat, observation in zip(rows, tables.seat[rows], seen, strict=True):
            engine.loops.observe_one(tables.games, engine.parts, row, seat, observation)
        return shown(engine, seen.reshape(rows.size, *engine.shape))

    def _engine_for(self, shown: Engine) -> Engine:
        """The engine that writes the policy's observations at tables of this one, once checked."""
        if shown not in self._engines:
            self.check(shown)
            self._engines[shown] = self._own_engine(shown)
        return self._engines[shown]

    def _own_engine(self, shown: Engine) -> Engine:
        encoder = self._model.encoder
        if not encoder or encoder == shown.encoder:
            return shown
        return Engine(shown.spec, shown.setup, encoder)

    def _check_shape(self, engine: Engine) -> None:
        learnt = _shapes(own_space(self._model.observation_space))
        here = _shapes(observation_space(engine))
        if learnt != here:
            raise TefudaError(
                f"{self.name} has learnt from observations of shape {learnt}, but here they have "
                f"{here}: were its players or components others?"
            )

    def probabilities(
        self, observations: Observations, masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float64]:
        """(R, A) the policy's probabilities of legal actions, 0 elsewhere."""
        return self._model.probabilities_of(observations, masks).astype(np.float64)


def _shapes(space: spaces.Space[Any]) -> Any:
    """The shape of a space, or the shapes of its pieces."""
    if isinstance(space, spaces.Dict):
        return {name: piece.shape for name, piece in space.items()}
    return space.shape


def _choose(probabilities: npt.NDArray[np.float64], fractions: npt.NDArray[np.float64]) -> Actions:
    """Turns a number in [0, 1) for each row into an action, by its row of probabilities."""
    sums = probabilities.cumsum(axis=1)
    passed: Actions = (sums <= fractions[:, None] * sums[:, -1:]).sum(axis=1)
    return passed


def load_model(path: str | Path) -> SelfPlayPPO:
    """Loads a model from its file or its run folder.

    Like every SB3 model it is a pickle: load only what you trust.

    Raises:
        TefudaError: There is none, or its file is damaged.
    """
    file = Path(path) / MODEL_FILE if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise TefudaError(f"there is no model at {file}")
    check_model_file(file)
    return SelfPlayPPO.load(file, device="cpu")


def check_model_file(file: Path) -> None:
    """Sees whether the file of a model is as it was written.

    Raises:
        TefudaError: It is damaged, or no model at all.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            damaged, members = archive.testzip(), set(archive.namelist())
    except (OSError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise TefudaError(f"{file} is damaged or no model: {error}") from error
    if damaged is not None:
        raise TefudaError(f"{file} is damaged: its part {damaged!r} is not as it was written")
    if not members >= _MEMBERS:
        raise TefudaError(f"{file} is no model: it lacks {', '.join(sorted(_MEMBERS - members))}")
