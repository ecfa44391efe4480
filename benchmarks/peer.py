"""What is told of every game that is compared with others."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SEED = 0

#: Kinds of which like is compared with like.
SINGLE, WRAPPED, BATCH = GROUPS = ("one table", "one table, wrapped", "batch")

#: Decisions of single tables that are played at once.
STRETCH = 200

#: Our own name in the comparison.
OURS = "tefuda"


@dataclass(frozen=True)
class Facts:
    """What a peer is.

    Attributes:
        group: One of `GROUPS`.
        library: Whose it is.
        game: Its name there.
        players: The number of seats.
        values: The number of values of an observation.
        bytes: The bytes of an observation.
        actions: The number of actions.
        tables: How many tables are stepped at once.
    """

    group: str
    library: str
    game: str
    players: int
    values: int
    bytes: int
    actions: int
    tables: int = 1


@dataclass(frozen=True)
class Peer:
    """A game that is compared.

    Attributes:
        facts: What it is.
        run: Plays a stretch and returns how many decisions that were.
    """

    facts: Facts
    run: Callable[[], int]


#: Library, game, and what makes its peer.
Maker = tuple[str, str, Callable[[], Peer]]

_random = random.Random(SEED).random


def pick(actions: Sequence[int]) -> int:
    """One of some actions, drawn in the same way for everybody."""
    return actions[int(_random() * len(actions))]
