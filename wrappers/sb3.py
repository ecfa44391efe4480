"""A batch of tables as a Stable-Baselines3 `VecEnv`, for masked algorithms and self-play.

A column of the `VecEnv` is a table: its observation and mask are those of whichever seat acts.
Masks are where sb3-contrib looks for them, in `env_method("action_masks")`.

Seats are played by the algorithm unless a `Seating` gives them to other players, whose turns then
pass within a step. So does a turn in which there is nothing to choose: to ask a network about the
only legal action would cost as much as a real decision, and teach nothing.

The reward of a step is what was paid to the seat that acted, up to the next decision at its table.
That is not all a seat earns: games pay seats in the others' turns too. An algorithm that learns
from every seat reads `acted`, `payments` and `ended`, as `tefuda.training.ppo` does.

A game that is cut short pays by its standing, so that it is an end like any other: `infos` are
empty, and nothing is bootstrapped from a game that is over.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.loops import ASKED, CHOOSER
from tefuda.envs.core.spaces import observation_space
from tefuda.training.agents.scripted import GreedyAgent

#: In a seating: the seat is played by the algorithm.
LEARNER = -1

#: An array, or arrays by the names of an encoder's pieces.
Observations = npt.NDArray[np.int8] | dict[str, npt.NDArray[np.int8]]

_Ints = npt.NDArray[np.int64]


def shown(engine: Engine, observations: npt.NDArray[np.int8]) -> Observations:
    """Observations (M, ...) as a library sees them, a dict where the encoder has pieces."""
    seen: Observations = engine.show(observations.reshape(len(observations), -1))
    return seen


class Player(Protocol):
    """Whoever plays a seat that does not learn."""

    def act(self, tables: Tables, rows: _Ints) -> _Ints:
        """Chooses an action (R,) for the acting seat of each table in `rows` (R,)."""
        ...


class Seating(Protocol):
    """Who sits where, drawn anew for each game."""

    @property
    def players(self) -> Sequence[Player]:
        """Whom `draw` may seat beside the algorithm."""
        ...

    def seed(self, seed: int) -> None:
        """Begins the draws of a seed."""
        ...

    def draw(self, games: int, seats: int) -> _Ints:
        """(games, seats) indices of `players`, or `LEARNER`, who has a seat in every game."""
        ...

    def hear(self, seating: _Ints, winners: npt.NDArray[np.bool_]) -> None:
        """Hears of games that have ended: who sat where, and who won, (games, seats) each."""
        ...


class TablesVecEnv(VecEnv):
    """Tables at which an algorithm plays every seat, or those that a seating leaves to it.

    With N tables and P seats, all arrays are fresh after each step, since algorithms keep them.

    Args:
        tables: The tables, with autoreset; they belong to this object from now on.
        seating: Who else plays; nobody by default.

    Attributes:
        tables: The tables. Each is always at a decision of the algorithm's with a choice.
        acted: (N,) who made the algorithm's latest decision.
        payments: (N, P) float32, what every seat was paid from then on until its next decision at
            the table, or until the game's end.
        ended: (N,) bool, whether a game ended on the way; the table then shows a later one.
        games: How many games have ended.

    Raises:
        ValueError: The tables stay as they are once a game has ended, or keep actions.
    """

    def __init__(self, tables: Tables, seating: Seating | None = None) -> None:
        if not tables.autoreset:
            raise ValueError("tables=... have autoreset=False; a VecEnv needs autoreset=True")
        if tables.keep_actions:
            raise ValueError("tables=... have keep_actions=True; a VecEnv needs keep_actions=False")
        self.tables = tables
        self.acted = tables.seat.copy()
        self.payments = np.zeros((tables.tables, tables.players), np.float32)
        self.ended = np.zeros(tables.tables, np.bool_)
        self.games = 0
        self._seating = seating
        self._seats = np.full((tables.tables, tables.players), LEARNER, np.int64)
        self._all = np.arange(tables.tables)
        self._actions: _Ints = np.zeros(tables.tables, np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(tables.tables)]
        super().__init__(
            tables.tables, observation_space(tables.engine), spaces.Discrete(tables.actions)
        )

    def reset(self) -> Observations:
        """Begins a new game at every table, with the first seed given to `seed` if there is one.

        Returns:
            (N, D) the observations of the acting seats, or a dict where the encoder has pieces.
        """
        seed = self._seeds[0]
        self.tables.reset(seed=seed)
        if self._seating is not None and seed is not None:
            self._seating.seed(seed)
        self._reset_seeds()
        self._reset_options()
        self._seat_players(self._all)
        self._clear()
        self._play_on()
        self._clear()  # nobody has decided yet what these moves may have paid
        return self._look()

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Takes note of the actions (N,)."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the noted actions, and then on to the algorithm's next decisions.

        Returns:
            Observations (N, D) of the seats that act next, or a dict where the encoder has
            pieces; rewards (N,) of those that acted; whether a game ended (N,); N empty infos.
        """
        self._clear()
        self.acted = self.tables.seat.copy()
        self._play_on(self._actions)
        rewards = np.take_along_axis(self.payments, self.acted[:, None], axis=1)[:, 0]
        return self._look(), rewards, self.ended, self._infos

    def _look(self) -> Observations:
        """What the algorithm sees now, newly made."""
        return shown(self.tables.engine, self.tables.observation.copy())

    def _clear(self) -> None:
        self.payments = np.zeros_like(self.payments)
        self.ended = np.zeros_like(self.ended)

    def _note(self, rows: _Ints) -> None:
        """Notes what was paid at these tables, and seats players where a game has ended."""
        tables = self.tables
        # What a later game pays belongs to none of the decisions made so far.
        first = rows[~self.ended[rows]]
        self.payments[first] += tables.reward[first]
        over = rows[tables.done[rows]]
        self.ended[over] = True
        self.games += over.size
        if self._seating is not None and over.size:
            self._seating.hear(self._seats[over], tables.winners[over])
        self._seat_players(over)

    def _seat_players(self, rows: _Ints) -> None:
        if self._seating is not None and rows.size:
            self._seats[rows] = self._seating.draw(rows.size, self.tables.players)

    def _play_on(self, actions: _Ints | None = None) -> None:
        """Plays the algorithm's actions (N,), if any, and on until it has a choice everywhere."""
        rows = self._advance(self._all, actions)
        while rows.size:
            waiting = self._waiting(rows)
            asked, begun = rows[waiting], rows[~waiting]
            further = self._advance(asked, self._ask_players(asked)), self._advance(begun)
            rows = np.concatenate(further)

    def _advance(self, rows: _Ints, actions: _Ints | None = None) -> _Ints:
        """Plays actions (R,), if any, and what needs no answer after them.

        Returns:
            The rows at which it has to go on: where a player is to be asked, or a game has ended.
        """
        if not rows.size:
            return rows
        scripts, seeds = self._scripts()
        chosen = None if rows is self._all else rows
        self.tables.play_on(chosen, scripts[self._seats], seeds, actions=actions)
        over = self.tables.done[rows]
        self._note(rows)
        return rows[over | self._waiting(rows)]

    def _waiting(self, rows: _Ints) -> npt.NDArray[np.bool_]:
        """(R,) whether a player who follows no script is to act."""
        scripts, _ = self._scripts()
        waiting: npt.NDArray[np.bool_] = scripts[self._seats[rows, self.tables.seat[rows]]] == ASKED
        return waiting

    def _scripts(self) -> tuple[_Ints, list[int]]:
        """What `Tables.play_on` calls each player, and last the algorithm; and their seeds."""
        scripts: list[int] = []
        seeds: list[int] = []
        for player in self._seating.players if self._seating else ():
            if isinstance(player, GreedyAgent):
                scripts.append(len(seeds))
                seeds.append(player.seed)
            else:
                scripts.append(ASKED)
        return np.array([*scripts, CHOOSER]), seeds

    def _ask_players(self, rows: _Ints) -> _Ints:
        """Actions (R,) of the players who sit at these tables and follow no script."""
        sitting = self._seats[rows, self.tables.seat[rows]]
        actions = np.zeros(rows.size, np.int64)
        for index, player in enumerate(self._seating.players if self._seating else ()):
            own = np.flatnonzero(sitting == index)
            if own.size:
                actions[own] = player.act(self.tables, rows[own])
        return actions

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(N, A) the acting seats' legal actions, 1 or 0."""
        return self.tables.action_mask.copy()

    def observe_all(self) -> Observations:
        """(N * P, D) what every seat sees now, or a dict where the encoder has pieces."""
        seen = self.tables.observe_all()
        return shown(self.tables.engine, seen.reshape(-1, *seen.shape[2:]))

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """The result of a method for each table; the tables have one method, `action_masks`."""
        if method_name != "action_masks":
            raise AttributeError(f"a table has no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return [masks[table] for table in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of this object, once for each table."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: tables have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} cannot be set: tables have no attributes of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """False for each table: nothing wraps it."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """No table draws itself."""
        return [None for _ in range(self.num_envs)]

    def close(self) -> None:
        """Does nothing: there is nothing to free."""
