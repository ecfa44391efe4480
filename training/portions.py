"""Work cut into portions: played here, by processes of this machine, or by a cluster.

A portion comes out the same wherever and beside whatever it is played, since the chance of a game
follows from its number alone. So the number of players of portions changes nothing but the time.
"""

import multiprocessing
import signal
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from tefuda.envs.core.errors import TefudaError
from tefuda.training.extras import needs

P = TypeVar("P")
P_in = TypeVar("P_in", contravariant=True)
R = TypeVar("R")
R_out = TypeVar("R_out", covariant=True)


class Workplace(Protocol[P_in, R_out]):
    """Where portions are played; it can be pickled, and sent to other processes and machines."""

    def play(self, portion: P_in, /) -> R_out:
        """Plays one portion."""
        ...


def cut(count: int, size: int) -> list[range]:
    """The numbers 0 .. count - 1 in portions of at most `size`."""
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def play_portions(
    workplace: Workplace[P, R],
    portions: Sequence[P],
    *,
    jobs: int | None = None,
    ray: str | None = None,
) -> Iterator[tuple[P, R]]:
    """Plays portions and gives each with its result, in whatever order they are done.

    Args:
        workplace: Where they are played.
        portions: What is to be played.
        jobs: How many play at the same time: processes of this machine, by default 1, which is
            this one; or actors of the cluster, by default as many as it has CPUs.
        ray: The address of a Ray cluster that plays, or "local" for one on this machine alone.

    Raises:
        TefudaError: A portion could not be played, or its process died.
        MissingExtraError: Ray is not installed.
    """
    if ray is not None:
        with needs("ray"):
            from tefuda.training.cluster import play_on_cluster
        return play_on_cluster(workplace, portions, ray, jobs)
    if jobs is None or jobs == 1:
        return ((portion, workplace.play(portion)) for portion in portions)
    return _play_apart(workplace, portions, jobs)


def in_order(portions: Sequence[P], played: Iterable[tuple[P, R]]) -> Generator[R, None, None]:
    """The results in the order of their portions; those that come early wait."""
    early: dict[P, R] = {}
    waited_for = iter(portions)
    awaited = next(waited_for, None)
    for portion, result in played:
        early[portion] = result
        while awaited is not None and awaited in early:
            yield early.pop(awaited)
            awaited = next(waited_for, None)


def _play_apart(
    workplace: Workplace[P, R], portions: Sequence[P], jobs: int
) -> Iterator[tuple[P, R]]:
    context = multiprocessing.get_context("spawn")  # torch does not survive a fork
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(min(jobs, len(portions)), context, _begin_work, (workplace,))
    try:
        waiting = {pool.submit(_work, portion): portion for portion in portions}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    except BrokenProcessPool as error:
        raise TefudaError("a process that played has died; was there too little memory?") from error
    except BaseException:
        # Nobody will read what they are still at.
        for process in set(multiprocessing.active_children()) - set(others):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_workplace: Workplace[Any, Any] | None = None


def _begin_work(workplace: Workplace[Any, Any]) -> None:
    """Prepares a process; Ctrl-C reaches all of them, and only the first has to act on it."""
    global _workplace
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _workplace = workplace


def _work(portion: Any) -> Any:
    assert _workplace is not None
    return _workplace.play(portion)
