"""Gymnasium environments in which one seat learns and agents play the others.

Importing `tefuda.envs` registers "tefuda/Gacha-v0" and so on with Gymnasium::

    env = gymnasium.make("tefuda.envs:tefuda/Gacha-v0", opponents="greedy")
    envs = gymnasium.make_vec(
        "tefuda.envs:tefuda/Gacha-v0", num_envs=64, vectorization_mode="vector_entry_point"
    )

The legal actions stand in `info["action_mask"]` and in the method `action_masks()`, which
`env.get_wrapper_attr("action_masks")()` finds under any wrappers. Gymnasium's `check_env` samples
actions without a mask; pass `illegal="lose"` to it, which turns an illegal action into a lost game.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tefuda.envs import make_vec
from tefuda.envs.core.errors import GameOverError, IllegalActionError, NotResetError, OptionError
from tefuda.envs.core.spaces import observation_space
from tefuda.training.agents import Agent
from tefuda.wrappers.seat import SeatTables

#: What an illegal action does: an error that leaves the game as it was, or the game is lost.
ILLEGAL = ("raise", "lose")

_LOST = -1.0
_ONE = np.zeros(1, np.int64)


class SeatEnv(gymnasium.Env[Any, np.int64]):
    """One table: the learner's seat as an environment.

    A step plays the learner's action and the others' up to its next decision; its reward is what
    the learner was paid in between, which at the end of a game includes the final win or loss.
    Games that are cut short are `truncated`, and pay by their standing.

    Args:
        game: The versioned name, such as "gacha_v0".
        seat: The learner's seat, or "random" for another one every game.
        opponents: An agent or its name, or a list of P - 1 of them, clockwise from the learner.
        encoder: How observations are written; the game's first by default.
        illegal: What an illegal action does, "raise" or "lose" (-1, the game is over).
        render_mode: None or "ansi".
        **options: The options of the game.

    Raises:
        OptionError: An argument is not allowed.
        ComponentError: The component file is wrong.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - the name and type are the base class's
        "render_modes": ["ansi"],
        "render_fps": 1,
    }

    def __init__(
        self,
        game: str,
        *,
        seat: int | str = 0,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        encoder: str | None = None,
        illegal: str = "raise",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if illegal not in ILLEGAL:
            raise OptionError(f"illegal={illegal!r} is not one of {', '.join(ILLEGAL)}")
        if render_mode not in (None, "ansi"):
            raise OptionError(f"render_mode={render_mode!r} is not None or 'ansi'")
        self.render_mode = render_mode
        self.illegal = illegal
        tables = make_vec(game, encoder=encoder, autoreset=False, keep_actions=True, **options)
        self._seats = SeatTables(tables, seat, opponents)
        self.observation_space: spaces.Space[Any] = observation_space(tables.engine)
        self.action_space = spaces.Discrete(tables.actions)
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a game: (seed, 0, 0), or the next one.

        Returns:
            What the learner sees at its first decision, and {"action_mask": (A,) int8}.
        """
        super().reset(seed=seed)
        self._seats.tables.reset(seed=seed)
        self._seats.begin(_ONE)
        self._running = True
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action, and the others' up to its next decision.

        Raises:
            NotResetError: There is no game yet.
            GameOverError: The game has ended.
            ActionTypeError: The action is no integer.
            ActionRangeError: It is outside 0 .. A - 1.
            IllegalActionError: It is illegal, and `illegal` is "raise".
        """
        if not self._running:
            self._refuse(action)
        tables = self._seats.tables
        try:
            self._seats.step(np.asarray(action).reshape(1), _ONE)
        except IllegalActionError:
            if self.illegal == "raise":
                raise
            self._running = False
            observation, info = self._seen()
            return observation, _LOST, True, False, info
        over, cut = bool(tables.done[0]), bool(tables.truncated[0])
        self._running = not over
        observation, info = self._seen()
        return observation, float(self._seats.collect(_ONE)[0]), over and not cut, cut, info

    def _refuse(self, action: Any) -> None:
        if self._np_random is None:
            raise NotResetError("call reset() before step()")
        raise GameOverError(f"action {action!r}: the game has ended; call reset() for the next")

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        seen = self._seats.observe(_ONE)
        if isinstance(seen, dict):
            return {name: piece[0] for name, piece in seen.items()}, self._info()
        return seen[0], self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks()}

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(A,) the learner's legal actions, 1 or 0."""
        mask: npt.NDArray[np.int8] = self._seats.masks(_ONE)[0]
        return mask * np.int8(self._running)

    def render(self) -> str | None:  # type: ignore[override]  # "ansi" is the only mode
        """The table as the learner sees it, as text with ANSI colours."""
        if self.render_mode is None:
            return None
        tables = self._seats.tables
        engine = tables.engine
        learner = int(self._seats.learner[0])
        return engine.spec.text.ansi(engine.setup, tables.games[0], learner)

    @property
    def seat(self) -> int:
        """The learner's seat in the present game."""
        return int(self._seats.learner[0])

    def record(self) -> dict[str, Any]:
        """The record of the present game."""
        return self._seats.tables.record(0)


class SeatVectorEnv(VectorEnv[Any, Any, Any]):
    """Many tables, natively stepped; the others' seats are played in batches.

    An ended table begins its next game within the same step: what the learner saw last stands in
    `info["final_obs"]`, its mask (all zero) and the rest in `info["final_info"]`.

    Args:
        num_envs: How many tables.
        game: The versioned name, such as "gacha_v0".
        seat: The learner's seat, or "random" for another one every game.
        opponents: An agent or its name, or a list of P - 1 of them, clockwise from the learner.
        encoder: How observations are written; the game's first by default.
        **options: The options of the game.

    Raises:
        OptionError: An argument is not allowed.
        ComponentError: The component file is wrong.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - likewise
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": [],
    }

    def __init__(
        self,
        num_envs: int,
        game: str,
        *,
        seat: int | str = 0,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        encoder: str | None = None,
        **options: Any,
    ) -> None:
        self.num_envs = num_envs
        tables = make_vec(game, tables=num_envs, encoder=encoder, autoreset=False, **options)
        self._seats = SeatTables(tables, seat, opponents)
        self._all = np.arange(num_envs)
        self.single_observation_space = observation_space(tables.engine)
        self.single_action_space = spaces.Discrete(tables.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a game everywhere: table i (seed, i, 0), or the next one.

        Returns:
            (N, ...) what the learner sees, and {"action_mask": (N, A) int8}.

        Raises:
            OptionError: The seed is no single one: it seeds all tables.
        """
        if isinstance(seed, list):
            raise OptionError(f"seed={seed!r} is not allowed; one integer seeds all tables")
        self._seats.tables.reset(seed=seed)
        self._seats.begin(self._all)
        return self._seats.observe(self._all), {"action_mask": self.action_masks()}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Plays the learner's actions (N,), and the others' up to its next decision everywhere.

        Raises:
            ActionTypeError: `actions` are no integers, or not as many as tables.
            ActionRangeError: An action is outside 0 .. A - 1.
            IllegalActionError: An action is illegal at its table; no table has moved.
        """
        seats, tables = self._seats, self._seats.tables
        seats.step(actions, self._all)
        rewards = seats.collect(self._all)
        over = tables.done.copy()
        cut = over & tables.truncated
        info: dict[str, Any] = {}
        ended = np.flatnonzero(over)
        if ended.size:
            info = self._final(ended)
            tables.restart(ended)
            seats.begin(ended)
        info["action_mask"] = self.action_masks()
        return seats.observe(self._all), rewards, over & ~cut, cut, info

    def _final(self, ended: npt.NDArray[np.int64]) -> dict[str, Any]:
        """What ended games leave: (N,) objects, None where none ended, and which these are."""
        seen = self._seats.observe(ended)
        final = np.full(self.num_envs, None, object)
        for k, row in enumerate(ended.tolist()):
            whole = isinstance(seen, dict)
            final[row] = {name: piece[k] for name, piece in seen.items()} if whole else seen[k]
        happened = np.isin(self._all, ended)
        masks = np.zeros((self.num_envs, self._seats.tables.actions), np.int8)
        return {
            "final_obs": final,
            "_final_obs": happened,
            "final_info": {"action_mask": masks, "_action_mask": happened},
            "_final_info": happened,
        }

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(N, A) the learner's legal actions, 1 or 0."""
        return self._seats.masks(self._all)
