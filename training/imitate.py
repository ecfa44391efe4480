"""Lessons before self-play: the network learns to play as the game's scripted player does.

A scripted player decides a hundred times faster than a network learns, so its games come at no
cost, and to imitate it takes a fraction of the time in which self-play would find the same moves.
Self-play goes on from there, and finds what the scripted player does not see.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.utils import update_learning_rate

from tefuda.envs.core.batch import Tables
from tefuda.training.agents.base import Agent
from tefuda.training.augment import Turner
from tefuda.training.network import TablePolicy
from tefuda.wrappers.sb3 import shown

#: Tables at which the teacher plays, and its decisions at each between two rounds of learning.
LESSON_TABLES, LESSON_STEPS = 256, 64

# Random moves at each table before the first lesson: the games then stand at different stages.
_LEAD_IN = 200

# The learning rate falls linearly to this share of what it was.
_LAST_RATE = 0.1

ADAM_EPSILON = 1e-5  # as SB3 has it


class Lessons(NamedTuple):
    """What the teacher did where it had a choice, M decisions.

    Attributes:
        observations: (M, ...) what it saw.
        masks: (M, A) what it might have done.
        actions: (M,) what it did.
    """

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]


class Pupil:
    """A policy that learns from a teacher.

    Args:
        policy: The policy; its actor learns, its critic is left as it is.
        tables: `LESSON_TABLES` tables, at which the teacher plays every seat.
        teacher: Whom to imitate.
        learning_rate: At the start.
        batch: Decisions in a gradient step.
        seed: Seeds the order of the lessons.
        turner: Turns lessons at random; None leaves them as they are.

    Attributes:
        learnt: Decisions learnt from so far.
    """

    def __init__(
        self,
        policy: TablePolicy,
        tables: Tables,
        teacher: Agent,
        learning_rate: float,
        batch: int,
        seed: int,
        turner: Turner | None = None,
    ) -> None:
        self.learnt = 0
        self._turner = turner
        self._policy = policy
        self._tables = tables
        self._teacher = teacher
        self._rate = learning_rate
        self._batch = batch
        self._rng = np.random.default_rng(seed)
        self._optimizer = torch.optim.Adam(policy.parameters(), eps=ADAM_EPSILON)
        for _ in range(_LEAD_IN):
            tables.step(tables.sample())

    def study(self, done: float) -> int:
        """Watches the teacher for a while and learns from what it did.

        Args:
            done: How much of all lessons is done, 0 .. 1; it decides the learning rate.

        Returns:
            Decisions learnt from; those left over from full batches are dropped.
        """
        self._policy.set_training_mode(True)
        update_learning_rate(self._optimizer, self._rate * (1 - (1 - _LAST_RATE) * done))
        lessons = self._turned(watch_teacher(self._tables, self._teacher, LESSON_STEPS))
        order = self._rng.permutation(len(lessons.actions))
        batches = order.size // self._batch
        for chosen in order[: batches * self._batch].reshape(batches, self._batch):
            self._step(lessons.observations[chosen], lessons.masks[chosen], lessons.actions[chosen])
        self.learnt += batches * self._batch
        return batches * self._batch

    def _turned(self, lessons: Lessons) -> Lessons:
        if self._turner is None:
            return lessons
        rows = lessons.observations.reshape(len(lessons.actions), -1)
        turns = self._turner.draw(len(rows), self._rng)
        return Lessons(*self._turner.turn(rows, lessons.masks, lessons.actions, turns))

    def _step(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        actions: npt.NDArray[np.int64],
    ) -> None:
        """One gradient step towards the teacher's actions."""
        found = self._policy.distribution_of(shown(self._tables.engine, observations), masks)
        loss = -found.log_prob(torch.as_tensor(actions, device=self._policy.device)).mean()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
        self._optimizer.step()


def watch_teacher(tables: Tables, teacher: Agent, steps: int) -> Lessons:
    """Lets the teacher play every seat for some steps and notes what it did."""
    shape = (steps, tables.tables)
    observations = np.zeros((*shape, *tables.observation.shape[1:]), np.int8)
    masks = np.zeros((*shape, tables.actions), np.int8)
    actions = np.zeros(shape, np.int64)
    rows = np.arange(tables.tables)
    for step in range(steps):
        observations[step] = tables.observation
        masks[step] = tables.action_mask
        actions[step] = teacher.act(tables, rows)
        tables.step(actions[step])
    chosen = masks.sum(axis=2) > 1
    return Lessons(observations[chosen], masks[chosen], actions[chosen])
