"""The one PettingZoo AEC adapter: any game as an environment with action masks.

All checks that users need are made here, so that no wrapper is needed for them: illegal actions,
wrong types, steps before a reset and after the end.
"""

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from pettingzoo import AECEnv

from tefuda.envs.core.chance import Key, check_seed, fresh_seed
from tefuda.envs.core.contract import NOBODY, TRUNCATED
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import (
    ActionRangeError,
    GameOverError,
    IllegalActionError,
    NotResetError,
    OptionError,
)
from tefuda.envs.core.game import Game, check_action
from tefuda.envs.core.loops import PAID, REFUSED
from tefuda.envs.core.picture import Window, draw_svg, has_picture, pixels
from tefuda.envs.core.record import RecordData
from tefuda.envs.core.spaces import observation_space

Observation = dict[str, Any]

#: The modes of every game, and those of a game that has a drawing.
TEXT_MODES = ("ansi",)
RENDER_MODES = (*TEXT_MODES, "rgb_array", "human")
ILLEGAL = ("raise", "terminate")

_ILLEGAL_REWARD = -1.0


class TableEnv(AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # untyped base
    """One table as an AEC environment.

    Observations are `{"observation": int8, "action_mask": (A,) int8}`, infos hold the mask and
    nothing else. `observe` works for any agent at any time; the mask of an agent that is not to
    act is all zero. Seat k is "player_k".

    Attributes:
        engine: The game made ready, with `sections`, `setup` and `label`.
        possible_agents: The names of all seats.
    """

    def __init__(
        self, engine: Engine, *, render_mode: str | None = None, illegal: str = "raise"
    ) -> None:
        """Makes a table; `reset` deals.

        Args:
            engine: The game made ready.
            render_mode: None; "ansi", text in colours; "rgb_array", pixels; or "human", a window
                that follows the game by itself.
            illegal: What an illegal action does: "raise" an error that leaves the game as it was,
                or "terminate" the game with -1 for the offender, as PettingZoo's wrapper does.

        Raises:
            OptionError: `render_mode` or `illegal` is not allowed.
        """
        super().__init__()
        modes = RENDER_MODES if has_picture(engine.spec) else TEXT_MODES
        _check_word("render_mode", render_mode, (None, *modes))
        _check_word("illegal", illegal, ILLEGAL)
        self.engine = engine
        self.render_mode = render_mode
        self.illegal = illegal
        self.metadata: dict[str, Any] = {
            "name": engine.spec.id,
            "render_modes": list(modes),
            # Asked for by `aec_to_parallel` alone, in whose cycles every agent acts once.
            # `turn_based_aec_to_parallel` takes the environment as it is.
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(engine.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._make_spaces()
        self._games = engine.records(1)
        self._key: Key | None = None
        self._actions: list[int] = []
        self._acting = NOBODY
        # What the acting agent sees, and its mask; users get copies.
        self._mask = np.zeros(engine.actions, np.int8)
        self._seen = np.zeros(engine.size, np.int8)
        self._paid = np.zeros(engine.players)
        # Observations are shown as they are written, which saves a call for each.
        self._shows_rows = not engine.pieces and len(engine.shape) == 1
        self._no_mask = np.zeros(engine.actions, np.int8)
        self._window = Window()

    def _make_spaces(self) -> None:
        engine = self.engine
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_space(engine),
                    "action_mask": spaces.Box(0, 1, (engine.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(engine.actions) for agent in self.possible_agents
        }
        highs = np.stack([engine.highs()] * engine.players)
        self.state_space = spaces.Box(np.zeros_like(highs), highs, dtype=np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """The same object for an agent every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object for an agent every time."""
        return self.action_spaces[agent]

    # ---------------------------------------------------------------- playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: Begins the game (seed, 0, 0). With None the next game number follows; an
                environment that was never seeded takes fresh entropy.
            options: Not used; accepted for the sake of the interface.

        Raises:
            OptionError: The seed is not allowed.
        """
        self._key = self._next_key(seed)
        self._actions = []
        self.engine.begin(self._games, 0, self._key)
        self.engine.loops.settle_one(self._games, self.engine.parts, 0)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._idle_info() for agent in self.agents}
        self._skip_agent_selection = None
        self._paid_last = False
        self._look()
        self._give_turn()
        self._follow()

    def _look(self) -> None:
        """Writes what the acting agent sees, and its mask; `step` has both from its one call."""
        loops, parts = self.engine.loops, self.engine.parts
        seat = max(int(self._games["seat"][0]), 0)
        loops.observe_one(self._games, parts, 0, seat, self._seen)
        loops.legal_one(self._games, parts, 0, self._mask)

    def _next_key(self, seed: int | None) -> Key:
        if seed is not None:
            return check_seed(seed), 0, 0
        if self._key is None:
            return fresh_seed(), 0, 0
        first, table, number = self._key
        return first, table, number + 1

    def step(self, action: int | None) -> None:
        """Plays the acting agent's decision, and the chance that follows it.

        Args:
            action: An integer; None for an agent whose game has ended.

        Raises:
            NotResetError: There is no game yet.
            ActionTypeError: The action is no integer.
            ActionRangeError: It is outside 0 .. A - 1.
            IllegalActionError: It is illegal now.
            GameOverError: The game has ended.
        """
        if not self.agents:
            self._refuse_without_agents(action)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._step_dead(agent, action)
            return
        status = self._play(action)
        if status == REFUSED:
            self._end_illegally(agent)
            return
        self._cumulative_rewards[agent] = 0.0
        if status == PAID:
            self._pay(self._paid.tolist())
        elif self._paid_last:
            self._pay([0.0] * self.engine.players)
        self._paid_last = status == PAID
        self.infos[agent] = self._idle_info()
        self._give_turn()
        self._follow()

    def _play(self, action: Any) -> int:
        """Plays an action if it is legal; raises, or returns `REFUSED`, if it is not."""
        engine = self.engine
        try:
            checked = check_action(action, engine.actions)
            status = engine.loops.play_one(
                self._games,
                engine.parts,
                0,
                checked,
                engine.reward_kind,
                self._paid,
                self._seen,
                self._mask,
            )
            if status == REFUSED:
                legal = engine.legal_actions(self._games, 0)
                raise IllegalActionError(engine.refusal(checked, legal))
        except (IllegalActionError, ActionRangeError):
            if self.illegal == "raise":
                raise
            return REFUSED
        self._actions.append(checked)
        return int(status)

    def _give_turn(self) -> None:
        """Names who acts, or ends the game for everybody."""
        seat = int(self._games["seat"][0])
        if seat == NOBODY:
            self._end(bool(self._games["ending"][0] == TRUNCATED))
            return
        self._acting = seat
        self.agent_selection = self.possible_agents[seat]
        self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}

    def _end(self, truncated: bool) -> None:
        ended = self.truncations if truncated else self.terminations
        for agent in self.agents:
            ended[agent] = True
        self._acting = NOBODY
        self.agent_selection = self.agents[0]

    def _pay(self, rewards: list[float]) -> None:
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()

    def _end_illegally(self, agent: str) -> None:
        """Ends the game with a penalty for the offender alone."""
        self._cumulative_rewards[agent] = 0.0
        rewards = [0.0] * self.engine.players
        rewards[self._seats[agent]] = _ILLEGAL_REWARD
        self._pay(rewards)
        self.infos[agent] = self._idle_info()
        self._mask[:] = 0
        self._end(truncated=False)

    def _step_dead(self, agent: str, action: int | None) -> None:
        if action is not None:
            raise GameOverError(
                f"action {action!r} of {agent}: the game has ended; the only action is None"
            )
        self._was_dead_step(action)

    def _refuse_without_agents(self, action: int | None) -> None:
        if self._key is None:
            raise NotResetError("call reset() before step()")
        raise GameOverError(f"action {action!r}: the game has ended; call reset() for the next")

    def _idle_info(self) -> dict[str, Any]:
        return {"action_mask": self._no_mask.copy()}

    # ---------------------------------------------------------------- looking

    def observe(self, agent: str) -> Observation:
        """What an agent may know, at any time, also when it is idle or its game has ended.

        Raises:
            NotResetError: There is no game yet.
            OptionError: There is no such agent.
        """
        seat = self._seat_of(agent)
        acts = seat == self._acting
        row = self._seen.copy() if acts else self._row_of(seat)
        mask = self._mask.copy() if acts else self._no_mask.copy()
        if self._shows_rows:
            return {"observation": row, "action_mask": mask}
        return {"observation": self.engine.show(row), "action_mask": mask}

    def _row_of(self, seat: int) -> npt.NDArray[np.int8]:
        row = np.empty(self.engine.size, np.int8)
        self.engine.loops.observe_one(self._games, self.engine.parts, 0, seat, row)
        return row

    def _seat_of(self, agent: str) -> int:
        if self._key is None:
            raise NotResetError("call reset() before observe()")
        if agent not in self._seats:
            raise OptionError(f"agent {agent!r} is not one of {', '.join(self.possible_agents)}")
        return self._seats[agent]

    def state(self) -> npt.NDArray[np.int8]:
        """Everything at once, for privileged critics: the observations of all seats, (P, ...).

        Raises:
            NotResetError: There is no game yet.
        """
        seats = [self._seat_of(agent) for agent in self.possible_agents]
        return np.stack([self._row_of(seat).reshape(self.engine.shape) for seat in seats])

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table with all cards open.

        Returns:
            With "ansi" a text, with "rgb_array" an array (height, width, 3), with "human" None.

        Raises:
            NotResetError: There is no game yet.
            MissingExtraError: Pixels need the extra "draw", which is not installed.
            DisplayError: A window needs a display, and there is none.
        """
        if self.render_mode is None:
            logger.warn("render() needs a render_mode; make the environment with one")
            return None
        if self._key is None:
            raise NotResetError("call reset() before render()")
        engine = self.engine
        if self.render_mode == "ansi":
            return engine.spec.text.ansi(engine.setup, self._games[0], None)
        picture = pixels(draw_svg(engine, self._games, 0, None))
        if self.render_mode == "rgb_array":
            return picture
        self._window.show(picture, engine.spec.id, float(self.metadata["render_fps"]))
        return None

    def _follow(self) -> None:
        """Shows the present position, where somebody watches."""
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._window.close()

    # ---------------------------------------------------------------- the game itself

    def __copy__(self) -> "TableEnv":
        """A table of its own: two that shared one game would spoil it for each other."""
        return copy.deepcopy(self)

    @property
    def totals(self) -> dict[str, int]:
        """The points of every agent so far."""
        totals = self._games["totals"][0]
        return {agent: int(totals[seat]) for agent, seat in self._seats.items()}

    @property
    def winners(self) -> list[str]:
        """The winning agents; none while the game runs."""
        winners = self._games["winners"][0]
        return [agent for agent, seat in self._seats.items() if winners[seat]]

    def game(self) -> Game:
        """A copy of the present game as a tree.

        Raises:
            NotResetError: There is no game yet.
        """
        if self._key is None:
            raise NotResetError("call reset() before game()")
        return Game.replay(self.engine, self._key, self._actions)

    def record(self) -> RecordData:
        """The record of the present game.

        Raises:
            NotResetError: There is no game yet.
        """
        return self.game().record()


def _check_word(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise OptionError(f"{name}={value!r} is not allowed; it must be one of {words}")
