"""The contract of a game: the verbs that each game's `rules.py` defines.

The functions here are placeholders. The loops of `engine.py` call them by these names, and
`jit.bind` replaces them with a game's own. They trust their caller: who calls them has checked
the node and the legality.

A game is one record `game` (all of its state, its random stream included; its dtype begins with
`common_fields`) beside one read-only record `parts` (options, decks, boards, tables).

Node kinds are `DECISION`, `CHANCE` and `OVER`. `game.seat` is who acts at a decision, who acts
or receives at a chance node, and `NOBODY` where the rules name no seat or the game is over.
"""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from tefuda.envs.core.jit import Record, kernel

DECISION, CHANCE, OVER = range(3)

#: `game.seat` where no seat acts or receives.
NOBODY = -1

#: Why a game has ended (`game.ending`); games add reasons of their own from `ENDINGS` on.
RUNNING, TRUNCATED, ENDINGS = range(3)

#: What an information state holds in place of a value that a seat does not see.
HIDDEN = -1

#: What `sees` tells of an event: a seat does not notice it at all, notices it but not its value,
#: or sees all of it.
UNNOTICED, NOTICED, SEEN = range(3)

VERBS = (
    "start",
    "node",
    "legal",
    "is_legal",
    "apply",
    "chances",
    "apply_chance",
    "sample_chance",
    "settle",
    "random_action",
    "sees",
    "news",
    "resample",
)


def common_fields(seats: int, log: int) -> list[tuple[Any, ...]]:
    """The fields with which every game's dtype begins.

    Args:
        seats: The largest number of seats.
        log: The largest number of events (decisions and chance outcomes) in a round.
    """
    return [
        ("seed", np.uint64),  # key (seed, table, number) of the game's chance
        ("table", np.uint64),
        ("number", np.uint64),
        ("stream", np.uint64),  # state of the random stream of this round
        ("round_index", np.int16),  # 0, 1, ...
        ("phase", np.int16),  # what is asked now, a constant of the game's state.py
        ("seat", np.int16),  # who acts or receives, or NOBODY
        ("ending", np.int16),  # RUNNING, TRUNCATED, or the game's reason
        ("scorings", np.int16),  # how many scoring events there have been
        ("points", np.int32, (seats,)),  # points of the latest scoring event
        ("gained", np.int32, (seats,)),  # points since the last call that plays began
        ("totals", np.int32, (seats,)),  # points of the whole game
        ("winners", np.int8, (seats,)),  # 1 for each winner, once the game is over
        ("logged", np.int16),  # number of events in this round so far
        ("log", np.int16, (log,)),  # their values: outcomes and actions, in order
    ]


@kernel
def note(game: Record, value: int) -> None:
    """Writes the value of an event into the round's log; each event begins with it."""
    game.log[game.logged] = value
    game.logged += 1


def verbs_of(rules: ModuleType, observe: Any, greedy: Any) -> Mapping[str, Any]:
    """The verbs of a game's `rules` module, with one of its encoders and its scripted player."""
    own = {name: getattr(rules, name) for name in VERBS}
    return {**own, "observe": observe, "greedy": greedy or _nobody}


@kernel
def _nobody(game: Record, parts: Record, holder: Record) -> int:
    """Stands where a game has no scripted player; nobody asks it."""
    return -1


def start(game: Record, parts: Record) -> None:
    """Begins a new game, up to its first node, in a zeroed record that has its key."""
    raise NotImplementedError


def node(game: Record) -> int:
    """The kind of the present node: `DECISION`, `CHANCE` or `OVER`."""
    raise NotImplementedError


def legal(game: Record, parts: Record, mask: Any) -> None:
    """Writes 1 for each legal action of the acting seat into `mask` (A,), 0 elsewhere."""
    raise NotImplementedError


def is_legal(game: Record, parts: Record, action: int) -> bool:
    """Whether `action` (any integer) is legal for the acting seat, by the game alone."""
    raise NotImplementedError


def apply(game: Record, parts: Record, action: int) -> None:
    """Plays one decision, up to the next node of any kind."""
    raise NotImplementedError


def chances(game: Record, parts: Record, outcomes: Any, weights: Any) -> int:
    """Writes the outcomes of a chance node and their integer weights; returns their number."""
    raise NotImplementedError


def apply_chance(game: Record, parts: Record, outcome: int) -> None:
    """Plays one chance outcome, up to the next node of any kind."""
    raise NotImplementedError


def sample_chance(game: Record, parts: Record) -> int:
    """Draws an outcome of the present chance node from `game.stream`, by its weights."""
    raise NotImplementedError


def settle(game: Record, parts: Record) -> None:
    """Samples chance nodes until a decision or the end."""
    raise NotImplementedError


def random_action(game: Record, parts: Record, holder: Record) -> int:
    """Draws a legal action uniformly with `holder.stream`, without writing a mask."""
    raise NotImplementedError


def observe(game: Record, parts: Record, seat: int, observation: Any) -> None:
    """Writes what `seat` may know, at any time of the game, into `observation` (D,) int8."""
    raise NotImplementedError


def sees(game: Record, parts: Record, seat: int, value: int) -> int:
    """How much `seat` will see of the event that is about to happen: `UNNOTICED` ... `SEEN`."""
    raise NotImplementedError


def news(game: Record, parts: Record, seat: int, values: Any) -> int:
    """Writes what the event that just happened told `seat` beside its value; returns how much."""
    raise NotImplementedError


def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    """Redraws, for the current round, all that is hidden from `seat`, with `holder.stream`.

    Every event that the seat saw, and every legality that it could infer from them, stays true.
    Deals are weighted by chance alone, hidden choices are uniform among the legal ones, and
    every consistent world has a positive probability. The record's `log` tells the new course
    of the round, and its `stream` is drawn anew, so that the future is open too.
    """
    raise NotImplementedError


def greedy(game: Record, parts: Record, holder: Record) -> int:
    """The scripted player's action for the acting seat, by what that seat may know.

    Ties may be broken with `holder.stream`.
    """
    raise NotImplementedError
