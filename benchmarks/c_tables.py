"""The batch of `ceiling/gacha.c`: the same tables of gacha in plain C, compiled on the spot.

Use: python benchmarks/c_tables.py [STEPS]

Plays many games with it and with the batch engine and fails at the first difference.
"""

import ctypes
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs import make_vec
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.registry import find_game

#: The one game that there is in C, with its default options and encoder.
GAME = "gacha_v0"

_SOURCE = Path(__file__).parent / "ceiling" / "gacha.c"
_COMPILERS = ("gcc", "cc", "clang")
_FLAGS = ("-std=c11", "-O3", "-march=native", "-Wall", "-Wextra", "-shared", "-fPIC")

# A deck as the C file has it.
_CARDS = 49
_FACES = ("colour", "gacha", "revo", "redraw", "dust")
_DECK = np.dtype(
    [*((face, np.int16, (_CARDS,)) for face in _FACES), ("of_colours", np.uint64, (64,))],
    align=True,
)
_CHECKED_TABLES = 64
_CHECKED_STEPS = 4000
_SEED = 0

Array = npt.NDArray[Any]


class DifferenceError(Exception):
    """The C file and the batch engine do not play the same."""


def compiler() -> str | None:
    """The C compiler of the system, None where there is none."""
    return next((found for name in _COMPILERS if (found := shutil.which(name))), None)


@cache
def library() -> ctypes.CDLL:
    """Compiles the C file and loads it.

    Raises:
        FileNotFoundError: There is no C compiler.
        subprocess.CalledProcessError: It does not compile.
    """
    command = compiler()
    if command is None:
        raise FileNotFoundError(f"no C compiler: none of {', '.join(_COMPILERS)} was found")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "gacha.so"
        subprocess.run([command, *_FLAGS, "-o", target, _SOURCE], check=True)
        return ctypes.CDLL(str(target))


class _Shown(ctypes.Structure):
    """Where the C file writes what is shown."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("observation", "mask", "seat", "reward", "done")
    ]


class CTables:
    """N tables of gacha in C, with the face of `tefuda.envs.Tables` as far as it is measured.

    Actions are not checked: an illegal one spoils the table.

    Args:
        count: The number of tables N.
        seed: Table i plays the games (seed, i, 0), (seed, i, 1) ...

    Attributes:
        observation: (N, D) int8, what the acting seat may know.
        action_mask: (N, A) int8.
        seat: (N,) int64, who acts.
        reward: (N, P) float32, what the latest step paid.
        done: (N,) bool, a game has ended with the latest step.
        games: (N, bytes) uint8, the tables; a copy of it can be put back.
    """

    def __init__(self, count: int, seed: int) -> None:
        self._c = library()
        engine = make_engine(find_game(GAME))
        table, observation, mask = _sizes(self._c)
        if (observation, mask) != (engine.size, engine.actions):
            raise DifferenceError(
                f"{_SOURCE.name} writes {observation} observation values and {mask} actions, "
                f"the batch engine {engine.size} and {engine.actions}"
            )
        self._all = np.arange(count)
        self._deck = _deck(engine.parts)
        self.games = np.zeros((count, table), np.uint8)
        self.observation = np.zeros((count, observation), np.int8)
        self.action_mask = np.zeros((count, mask), np.int8)
        self.seat = np.zeros(count, np.int64)
        self.reward = np.zeros((count, engine.players), np.float32)
        self.done = np.zeros(count, np.bool_)
        shown = (self.observation, self.action_mask, self.seat, self.reward, self.done)
        self._shown = _Shown(*(array.ctypes.data for array in shown))
        self._c.gacha_begin(
            _at(self.games), ctypes.c_int64(count), ctypes.c_uint64(seed), _at(self._deck),
            ctypes.byref(self._shown),
        )  # fmt: skip

    def __len__(self) -> int:
        return self._all.size

    def sample(self, rows: Array | None = None) -> npt.NDArray[np.int64]:
        """(R,) random legal actions, for all tables by default."""
        rows = self._all if rows is None else rows
        actions = np.empty(rows.size, np.int64)
        self._c.gacha_sample(
            _at(self.games), _at(rows), ctypes.c_int64(rows.size), _at(self._deck), _at(actions)
        )
        return actions

    def step(self, actions: npt.NDArray[np.int64], rows: Array | None = None) -> None:
        """Plays legal actions (R,), at all tables by default."""
        rows = self._all if rows is None else rows
        self._c.gacha_step(
            _at(self.games), _at(rows), ctypes.c_int64(rows.size), _at(actions), _at(self._deck),
            ctypes.byref(self._shown),
        )  # fmt: skip


def _at(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _sizes(c: ctypes.CDLL) -> tuple[int, int, int]:
    """Bytes of a table, of an observation, of a mask."""
    sizes = np.zeros(3, np.int64)
    c.gacha_sizes(_at(sizes))
    table, observation, mask = sizes.tolist()
    return table, observation, mask


def _deck(parts: Array) -> Array:
    """The cards as the C file reads them."""
    deck = np.zeros(1, _DECK)
    for face in _FACES:
        deck[face] = parts[face][:, :_CARDS]
    deck["of_colours"] = parts["of_colours"]
    return deck


# ==================================================================== the check


def check(steps: int = _CHECKED_STEPS, tables: int = _CHECKED_TABLES, seed: int = _SEED) -> int:
    """Plays the same random games with both and compares all that is shown after every step.

    Returns:
        How many games have ended.

    Raises:
        DifferenceError: They differ; the message says where.
    """
    ours, c = make_vec(GAME, tables=tables, seed=seed), CTables(tables, seed)
    games = 0
    for step in range(steps):
        actions = ours.sample()
        _compare("action", step, actions, c.sample())
        ours.step(actions)
        c.step(actions)
        for name in ("observation", "action_mask", "seat", "reward", "done"):
            _compare(name, step, getattr(ours, name), getattr(c, name))
        games += int(ours.done.sum())
    return games


def _compare(name: str, step: int, ours: Array, c: Array) -> None:
    if not np.array_equal(ours, c):
        where = np.argwhere(ours != c)[0].tolist()
        raise DifferenceError(f"step {step}: {name} differs first at {where}")


if __name__ == "__main__":
    print(f"{check(*map(int, sys.argv[1:])):,} games are the same in C")
