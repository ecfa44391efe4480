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
        face: Through what the game is played: "batch", "floor", "ceiling", "play-outs", "greedy",
            "aec", "wrapped" or "plain" (see `contenders`).
        tables: How many tables are stepped at once.
        encoder: How observations are written; None where there are none.
        float32: Whether a float32 copy of the observations is made after every step.
        sampling: Whether the choice of random legal actions is part of the work.
    """

    face: str
    tables: int = 1
    encoder: str | None = None
    float32: bool = False
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


QUICK = Effort(rounds=5, seconds=0.03)

#: Decisions per CPU second, one rate a round.
Rates = list[float]


def measure(contenders: Sequence[Contender], effort: Effort) -> list[Rates]:
    """Gives every contender its turns, in alternating order; returns the rates of each.

    What disturbs the machine for a while then disturbs all of them. CPU time is that of the whole
    process, so a contender that starts threads pays for them.
    """
    for contender in contenders:  # compiles
        contender.prepare()
        contender.run()
    rates: list[Rates] = [[] for _ in contenders]
    turns = list(zip(contenders, rates, strict=True))
    for number in range(effort.rounds):
        for contender, own in turns if number % 2 == 0 else reversed(turns):
            own.append(turn(contender, effort.seconds))
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


def ratio(rates: Sequence[float], to: Sequence[float]) -> float:
    """The median over the rounds of one contender's rate against another's."""
    return median(a / b for a, b in zip(rates, to, strict=True))
