"""Portions played by a Ray cluster: long-lived actors, and portions played again when one dies.

Each actor makes the workplace ready once and then gets one portion after another. An actor that
dies, with its process or its machine, is replaced, and the portion that it was at goes to the next
one that is free. Only an actor that has reported ready gets a portion, so that nothing waits for
actors for which the cluster has no room yet.
"""

import os
import pickle
import secrets
import socket
import tempfile
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import ray
from ray.cloudpickle.cloudpickle import dumps
from ray.exceptions import ObjectLostError, RayActorError, RayTaskError

from tefuda.envs.core.errors import TefudaError
from tefuda.training.portions import Workplace

P = TypeVar("P")
R = TypeVar("R")

#: The address of a cluster that is started here and ends with the work.
LOCAL = "local"

#: How many actors may die at the same portion, or before they are ready.
MOST_DEATHS = 3

# Seconds in which a cluster must answer.
_PATIENCE = 5.0


def play_on_cluster(
    workplace: Workplace[P, R], portions: Sequence[P], address: str, actors: int | None = None
) -> Iterator[tuple[P, R]]:
    """Plays portions on a cluster and gives each with its result, in whatever order they are done.

    Args:
        workplace: Where they are played; it is sent to every actor.
        portions: What is to be played, each hashable and different from the others.
        address: The address of the cluster, "auto" for the one that this machine belongs to, or
            "local" for one that is started here. A process that Ray is already connected to
            another cluster keeps its connection.
        actors: How many actors; by default as many as the cluster has CPUs.

    Raises:
        TefudaError: There is no such cluster, a portion could not be played, or actors die at it.
    """
    with connected(address):
        crew = Crew(workplace, portions, actors or int(ray.cluster_resources().get("CPU", 1)))
        try:
            yield from crew.play()
        finally:
            crew.dismiss()


@contextmanager
def connected(address: str) -> Generator[None, None, None]:
    """A connection to a cluster; a cluster that is started for it writes to a scratch folder.

    Raises:
        TefudaError: There is no such cluster.
    """
    if ray.is_initialized():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="ray") as scratch:
        if address == LOCAL:
            _keep_to_itself()
        try:
            _knock(address)
            ray.init(**_how(address, scratch))
        except (OSError, ValueError, RuntimeError) as error:
            raise TefudaError(f"there is no Ray cluster at {address!r}: {error}") from error
        try:
            yield
        finally:
            ray.shutdown()


def _how(address: str, scratch: str) -> dict[str, Any]:
    """How to call `ray.init`."""
    if address != LOCAL:
        return {"address": address, "log_to_driver": False, "logging_level": "WARNING"}
    return {
        "address": LOCAL,
        "include_dashboard": False,
        "log_to_driver": False,
        "logging_level": "ERROR",
        "_temp_dir": os.environ.get("RAY_TMPDIR", scratch),
    }


def _knock(address: str) -> None:
    """Sees that somebody listens at HOST:PORT, for which Ray itself waits for minutes.

    Raises:
        OSError: Nobody does.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), _PATIENCE).close()


def _keep_to_itself() -> None:
    """A cluster for one command reports nothing, and leaves no secret in the home folder."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


class Worker:
    """An actor's side of the work."""

    def __init__(self) -> None:
        self._workplace: Workplace[Any, Any] | None = None

    def begin(self, workplace: bytes) -> None:
        """Makes the workplace ready, by unpickling it; an error of it is one of this call."""
        self._workplace = pickle.loads(workplace)

    def play(self, portion: Any) -> Any:
        """Plays one portion."""
        assert self._workplace is not None
        return self._workplace.play(portion)


class Crew(Generic[P, R]):
    """The actors, what each is at, and what is left to do.

    Args:
        workplace: Where portions are played.
        portions: What is to be played.
        actors: How many actors, at most one a portion.

    Attributes:
        actors: Handles of the actors that live, as far as is known.
        deaths: How many have died.
    """

    def __init__(self, workplace: Workplace[P, R], portions: Sequence[P], actors: int) -> None:
        self._left = deque(portions)
        self._workplace = ray.put(dumps(workplace))
        # Who is at what, by what is waited for; at None who is not ready yet.
        self._at: dict[Any, tuple[Any, P | None]] = {}
        self._lost: Counter[P | None] = Counter()
        # Ray's types of an actor do not survive its own decorator.
        self._hire: Any = ray.remote(num_cpus=1, max_restarts=0)(Worker).remote
        self.actors: list[Any] = []
        self._idle: list[Any] = []
        for _ in range(min(actors, len(portions))):
            self._add()

    @property
    def deaths(self) -> int:
        """How many actors have died."""
        return self._lost.total()

    def play(self) -> Iterator[tuple[P, R]]:
        """Plays all portions.

        Raises:
            TefudaError: A portion could not be played, or actors die at it.
        """
        while self._left or any(portion is not None for _, portion in self._at.values()):
            (done,), _ = ray.wait(list(self._at), num_returns=1)
            actor, portion = self._at.pop(done)
            try:
                result = _result(done)
            except (RayActorError, ObjectLostError) as error:
                self._replace(actor, portion, error)
                continue
            self._employ(actor)
            if portion is not None:
                yield portion, result

    def _add(self) -> None:
        actor = self._hire()
        self.actors.append(actor)
        self._at[actor.begin.remote(self._workplace)] = actor, None

    def _employ(self, actor: Any) -> None:
        """Gives an actor the next portion, if there is one."""
        if not self._left:
            self._idle.append(actor)
            return
        portion = self._left.popleft()
        self._at[actor.play.remote(portion)] = actor, portion

    def _replace(self, actor: Any, portion: P | None, error: Exception) -> None:
        """Takes note of a death; what the actor was at comes next."""
        self._lost[portion] += 1
        if self._lost[portion] >= MOST_DEATHS:
            at = "before they were ready" if portion is None else f"at {portion!r}"
            raise TefudaError(
                f"{MOST_DEATHS} actors have died {at}; was there too little memory? {error}"
            ) from error
        if portion is not None:
            self._left.appendleft(portion)
        self.actors.remove(actor)
        ray.kill(actor)  # it may live, where only its result was lost
        self._add()
        if self._idle and self._left:
            self._employ(self._idle.pop())

    def dismiss(self) -> None:
        """Ends all actors."""
        for actor in self.actors:
            ray.kill(actor)


def _result(done: Any) -> Any:
    """What an actor has found; an error of its work is raised as it was there."""
    try:
        return ray.get(done)
    except RayTaskError as error:
        raise error.cause from None
