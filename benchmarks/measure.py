"""Rates measured side by side: all contenders in one process, in turns, per CPU second."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Case:
    """What a contender is, as results name it.

    Attributes:
        face: Through what the game is played: "batch", "floor", "aec", "wrapped" or "plain".
        tables: How many tables are stepped at once.
        encoder: How observations are written; None where there are none.
        sampling: Whether the choice of random legal actions is part of the work.
    """

    face: str
    tables: int = 1
    encoder: str | None = None
    sampling: bool = False


@dataclass(frozen=True)
class Contender:
    """One way to make decisions.

    Attributes:
        case: What it is.
        run: Plays a fixed stretch and returns how many decisions that were.
        prepare: What has to come before each stretch and is not counted.
    """

    case: Case
    run: Callable[[], int]
    prepare: Callable[[], None] = _nothing


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        rounds: How often each contender has its turn.
        seconds: CPU seconds of a turn, at least; a stretch is always played to its end.
    """

    rounds: int = 7
    seconds: float = 0.25


#: Decisions per CPU second of each turn.
Rates = dict[Case, list[float]]


def measure(contenders: Sequence[Contender], effort: Effort) -> Rates:
    """Gives every contender its turns, in alternating order.

    What disturbs the machine for a while then disturbs all of them. CPU time is that of the whole
    process, so a contender that starts threads pays for them.
    """
    for contender in contenders:  # compiles
        contender.prepare()
        contender.run()
    rates: Rates = {contender.case: [] for contender in contenders}
    for number in range(effort.rounds):
        for contender in contenders if number % 2 == 0 else reversed(contenders):
            rates[contender.case].append(turn(contender, effort.seconds))
    return rates


def turn(contender: Contender, seconds: float) -> float:
    """Decisions per CPU second of one contender over at least `seconds`."""
    decisions, spent = 0, 0.0
    while spent < seconds:
        contender.prepare()
        begun = time.process_time()
        decisions += contender.run()
        spent += time.process_time() - begun
    return decisions / spent


def ratio(rates: Rates, case: Case, to: Case) -> float:
    """The median over the rounds of one contender's rate against another's."""
    return median(a / b for a, b in zip(rates[case], rates[to], strict=True))
