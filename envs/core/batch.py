"""The batch engine: thousands of tables of one game, stepped at once."""

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.chance import STREAM, check_seed, fresh_seed
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import (
    ActionRangeError,
    ActionTypeError,
    GameOverError,
    IllegalActionError,
    OptionError,
    RecordError,
)
from tefuda.envs.core.game import Game
from tefuda.envs.core.jit import fields
from tefuda.envs.core.loops import ALL_LEGAL, ASKED, CHOOSER, NO_ACTION
from tefuda.envs.core.record import RecordData

Rows = npt.NDArray[np.int64]

_MOST_TABLES = 2**24
# Tells the streams of `sample()` from those of games, whose fourth word is a round.
_SAMPLING = np.uint64(2**63)


class Tables:
    """N tables of one game (see DESIGN of the package: the batch face).

    All arrays are the engine's own buffers and are overwritten by the next step: copy what
    should last. P is the number of seats, A of actions, and D (or a shape) of observation values.

    Attributes:
        observation: (N, ...) int8, what the acting seat may know.
        action_mask: (N, A) int8, 1 for each legal action of the acting seat.
        seat: (N,) int64, who acts; -1 where a table has ended and stays so.
        reward: (N, P) float32, what the latest step paid to every seat.
        done: (N,) bool, a game has ended with the latest step; with `autoreset` the table shows
            already the next game.
        truncated: (N,) bool, it ended by the limit of rounds.
        totals: (N, P) int32, of the game that has just ended where `done`, else of the running.
        winners: (N, P) bool, of the game that has just ended where `done`, else false.
        games: (N,) the records, for kernels.
        engine: The game made ready, with `sections`, `setup`, `parts` and `loops`.
    """

    def __init__(
        self,
        engine: Engine,
        tables: int,
        *,
        seed: int | None = None,
        autoreset: bool = True,
        keep_actions: bool = False,
    ) -> None:
        """Seats everybody and deals.

        Args:
            engine: The game made ready.
            tables: How many tables, N.
            seed: Table i plays the games (seed, i, 0), (seed, i, 1) ...; None takes fresh entropy.
            autoreset: Whether an ended table begins its next game within the same step.
            keep_actions: Whether to keep what `record` needs.

        Raises:
            OptionError: The number of tables or the seed is not allowed.
        """
        if isinstance(tables, bool) or not isinstance(tables, int | np.integer):
            raise OptionError(f"tables={tables!r} is not allowed; it must be an integer")
        if not 1 <= tables <= _MOST_TABLES:
            raise OptionError(
                f"tables={tables!r} is not allowed; it must lie in 1 .. {_MOST_TABLES}"
            )
        self.engine = engine
        self.autoreset = autoreset
        self._count = int(tables)
        self._all = np.arange(self._count)
        self._kept: list[_Kept] | None = None
        if keep_actions:
            self._kept = [_Kept() for _ in range(self._count)]
        self._make_buffers()
        self.reset(fresh_seed() if seed is None else seed)

    def _make_buffers(self) -> None:
        count, players = self._count, self.engine.players
        self.games = self.engine.records(self._count)
        self._rows_of_observation = np.zeros((count, self.engine.size), np.int8)
        self.observation = self._rows_of_observation.reshape(count, *self.engine.shape)
        self.action_mask = np.zeros((count, self.engine.actions), np.int8)
        self.seat = np.zeros(count, np.int64)
        self.reward = np.zeros((count, players), np.float32)
        self.done = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self.totals = np.zeros((count, players), np.int32)
        self.winners = np.zeros((count, players), np.bool_)
        self._holders = fields(np.zeros(count, STREAM))
        self._scripts = fields(np.zeros(count, STREAM))
        self._standing = (
            self.seat, self.reward, self.done, self.truncated, self.totals, self.winners,
        )  # fmt: skip

    # ---------------------------------------------------------------- sizes

    def __len__(self) -> int:
        return self._count

    @property
    def tables(self) -> int:
        """The number of tables N."""
        return self._count

    @property
    def keep_actions(self) -> bool:
        """Whether they keep what `record` needs."""
        return self._kept is not None

    @property
    def players(self) -> int:
        """The number of seats P."""
        return self.engine.players

    @property
    def actions(self) -> int:
        """The number of actions A."""
        return self.engine.actions

    @property
    def pieces(self) -> dict[str, npt.NDArray[np.int8]]:
        """The pieces of `observation` by name, (N, ...) each, where the encoder has pieces."""
        return self.engine.cut(self._rows_of_observation)

    @property
    def shown(self) -> Any:
        """The observations as other libraries see them.

        `observation` itself, or `pieces` where the encoder has pieces; with `planes="box"` one
        array (N, planes, rows, columns), newly made.
        """
        return self.engine.show(self._rows_of_observation)

    @property
    def keys(self) -> npt.NDArray[np.uint64]:
        """The keys (seed, table, number) of the running games, (N, 3)."""
        games = self.games
        return np.stack([games["seed"], games["table"], games["number"]], axis=1)

    # ---------------------------------------------------------------- playing

    def reset(self, seed: int | None = None) -> None:
        """Begins a new game everywhere.

        Args:
            seed: Table i begins the game (seed, i, 0); with None it goes on to its next number.

        Raises:
            OptionError: The seed is not allowed.
        """
        if seed is None:
            self.restart(self._all)
            return
        self._seed = np.uint64(check_seed(seed))
        self.engine.loops.seed_holders(self._holders, self._seed, _SAMPLING)
        self._begin(self._all, np.zeros(self._count, np.uint64))

    def restart(self, rows: Any) -> None:
        """Begins the next game at the tables `rows`, ended or not.

        Raises:
            OptionError: `rows` is not a list of different tables.
        """
        rows = self._check_rows(rows)
        self._begin(rows, self.games["number"][rows] + np.uint64(1))

    def _begin(self, rows: Rows, numbers: npt.NDArray[np.uint64]) -> None:
        engine = self.engine
        engine.loops.begin_rows(self.games, engine.parts, engine.blank, rows, self._seed, numbers)
        if self._kept is not None:
            for row in rows:
                self._kept[row].begin(self._key(row))
        engine.loops.show_rows(
            self.games, engine.parts, rows, self._rows_of_observation, self.action_mask,
            *self._standing,
        )  # fmt: skip

    def step(self, actions: Any, rows: Any = None) -> None:
        """Plays one decision at each table, and the chance that follows it.

        All actions are checked before any table moves. An ended table (`autoreset=False`) stays
        as it is whatever its action.

        Args:
            actions: (N,) integers, or (R,) where `rows` are given.
            rows: (R,) tables that play; the others stay, with `reward` 0 and `done` false.

        Raises:
            ActionTypeError: `actions` are no integers, or not as many as tables.
            ActionRangeError: An action is outside 0 .. A - 1.
            IllegalActionError: An action is illegal at its table.
        """
        rows = self._all if rows is None else self._check_rows(rows)
        actions = self._check_actions(actions, rows)
        if self._kept is not None:
            self._keep(actions, rows)
        engine = self.engine
        engine.loops.step_rows(
            self.games, engine.parts, engine.blank, rows, actions, self.autoreset,
            engine.reward_kind, self._rows_of_observation, self.action_mask, *self._standing,
        )  # fmt: skip
        if self._kept is not None:
            self._turn_pages(rows)

    def play_on(self, rows: Any, players: Any, seeds: Any = (), *, actions: Any = None) -> None:
        """Plays, at some tables, all turns that need no answer, and the chance after them.

        It is a series of steps in one, and writes observations only at its end. It stops where
        somebody has to be asked, or where a game ends (with autoreset the next one then stands at
        its first decision). What was paid meanwhile is added up in `reward`; the other tables
        stay, with `reward` 0 and `done` false.

        Args:
            rows: (R,) the tables; None for all.
            players: (N, P) who sits where: `ASKED`, who is asked at every turn; `CHOOSER`, who is
                asked where there are two legal actions or more; or k, the game's scripted player
                with the seed `seeds[k]`.
            seeds: The seeds of scripted players; as a `GreedyAgent` with that seed they play.
            actions: (R,) what is played at each table before; nothing by default.

        Raises:
            ActionError: An action is not allowed, see `step`.
            OptionError: A row or a player is not allowed, the game has no scripted player, or the
                tables keep actions.
        """
        rows = self._all if rows is None else self._check_rows(rows)
        players, seeds = self._check_players(players, seeds)
        if actions is None:
            actions = np.full(rows.size, NO_ACTION)
        else:
            actions = self._check_actions(actions, rows)
        engine = self.engine
        engine.loops.play_on(
            self.games, engine.parts, engine.blank, rows, actions, players, seeds, self._scripts,
            self.autoreset, engine.reward_kind, self._rows_of_observation, self.action_mask,
            *self._standing,
        )  # fmt: skip

    def sample(self, rows: Any = None) -> npt.NDArray[np.int64]:
        """Draws uniformly random legal actions from streams that belong to the tables.

        Args:
            rows: (R,) the tables to draw for; all by default.

        Returns:
            (N,) or (R,) actions; 0 for a table that has ended.
        """
        rows = self._all if rows is None else self._check_rows(rows)
        actions = np.empty(rows.size, np.int64)
        engine = self.engine
        engine.loops.random_actions(self.games, engine.parts, self._holders, rows, actions)
        return actions

    # ---------------------------------------------------------------- looking

    def observe_all(self) -> npt.NDArray[np.int8]:
        """What every seat of every table may know, (N, P, ...) int8, newly made."""
        engine = self.engine
        seen = np.zeros((self._count, engine.players, engine.size), np.int8)
        engine.loops.observe_all(self.games, engine.parts, seen)
        return seen.reshape(self._count, engine.players, *engine.shape)

    def game(self, row: int) -> Game:
        """A copy of the running game of a table as a tree.

        Raises:
            RecordError: The tables do not keep actions.
        """
        return self._replay(row, ended=False)

    def record(self, row: int) -> RecordData:
        """The record of a table's game: of the one that has just ended where `done`.

        Raises:
            RecordError: The tables do not keep actions.
        """
        (row,) = self._check_rows([row])
        return self._replay(row, ended=bool(self.done[row]) and self.autoreset).record()

    # ---------------------------------------------------------------- copies

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy's observations are again a view of its own rows."""
        self.__dict__.update(state)
        self.observation = self._rows_of_observation.reshape(self._count, *self.engine.shape)

    def __copy__(self) -> "Tables":
        """Tables of their own: two that shared their games would spoil them for each other."""
        return copy.deepcopy(self)

    # ---------------------------------------------------------------- kept courses

    def _replay(self, row: int, *, ended: bool) -> Game:
        if self._kept is None:
            raise RecordError("these tables keep no actions; make them with keep_actions=True")
        (row,) = self._check_rows([row])
        key, actions = self._kept[row].ended if ended else self._kept[row].running
        return Game.replay(self.engine, key, actions)

    def _key(self, row: int) -> tuple[int, int, int]:
        game = self.games[row]
        return int(game["seed"]), int(game["table"]), int(game["number"])

    def _keep(self, actions: npt.NDArray[np.int64], rows: Rows) -> None:
        assert self._kept is not None
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            if self.seat[row] >= 0:
                self._kept[row].actions.append(action)

    def _turn_pages(self, rows: Rows) -> None:
        assert self._kept is not None
        if self.autoreset:
            for row in rows[self.done[rows]].tolist():
                self._kept[row].begin(self._key(row))

    # ---------------------------------------------------------------- checks

    def _check_rows(self, rows: Any) -> Rows:
        checked = np.asarray(rows)
        if checked.size == 0:
            return np.empty(0, np.int64)
        if checked.dtype.kind not in "iu" or checked.ndim != 1:
            raise OptionError(f"rows must be a list of table numbers, not {rows!r}")
        wrong = checked[(checked < 0) | (checked >= self._count)]
        if wrong.size:
            raise OptionError(f"rows: table {wrong[0]} is not one of 0 .. {self._count - 1}")
        if checked is not self._all and np.unique(checked).size < checked.size:
            raise OptionError("rows: a table is named twice")
        return checked.astype(np.int64, copy=False)

    def _check_players(
        self, players: Any, seeds: Any
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        if self._kept is not None:
            raise OptionError("keep_actions=True: tables that keep actions are stepped one by one")
        if len(seeds) and self.engine.spec.greedy is None:
            raise OptionError(f"seeds={seeds!r}: {self.engine.spec.name} has no scripted player")
        checked = np.ascontiguousarray(players, dtype=np.int64)
        if checked.shape != self.reward.shape:
            raise OptionError(f"players must have shape {self.reward.shape}, not {checked.shape}")
        wrong = checked[(checked < ASKED) | (checked >= len(seeds))]
        if wrong.size:
            raise OptionError(
                f"players: {wrong[0]} is not one of {ASKED} (asked), {CHOOSER} (chooses) or, with "
                f"{len(seeds)} seeds, 0 .. {len(seeds) - 1}"
            )
        return checked, np.array([check_seed(seed) for seed in seeds], np.uint64)

    def _check_actions(self, actions: Any, rows: Rows) -> npt.NDArray[np.int64]:
        checked = np.asarray(actions)
        if checked.size and checked.dtype.kind not in "iu":
            raise ActionTypeError(f"actions must be integers, not of dtype {checked.dtype}")
        if checked.shape != rows.shape:
            raise ActionTypeError(f"actions must have shape {rows.shape}, not {checked.shape}")
        chosen = np.ascontiguousarray(checked, dtype=np.int64)
        wrong = self.engine.loops.find_illegal(self.games, self.engine.parts, rows, chosen)
        if wrong != ALL_LEGAL:
            self._refuse(int(chosen[wrong]), int(rows[wrong]))
        return chosen

    def _refuse(self, action: int, row: int) -> None:
        engine = self.engine
        if not 0 <= action < engine.actions:
            raise ActionRangeError(
                f"table {row}: action {action} is not one of 0 .. {engine.actions - 1}"
            )
        legal = engine.legal_actions(self.games, row)
        if not legal:
            raise GameOverError(f"table {row}: the game has ended; nobody can act")
        raise IllegalActionError(f"table {row}: {engine.refusal(action, legal)}")


class _Kept:
    """The course of a table: the key and the actions of its running and of its last game."""

    def __init__(self) -> None:
        self.key = (0, 0, 0)
        self.actions: list[int] = []
        self.ended: tuple[tuple[int, int, int], list[int]] = (self.key, self.actions)

    @property
    def running(self) -> tuple[tuple[int, int, int], list[int]]:
        return self.key, self.actions

    def begin(self, key: tuple[int, int, int]) -> None:
        self.ended = self.running
        self.key, self.actions = key, []
