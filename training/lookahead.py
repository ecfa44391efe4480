"""Lessons from look-ahead: the policy learns what its likeliest actions bring.

Use: python -m tefuda.training.lookahead GAME FILE [--states 24000] [--worlds 8] [--seed 0]

Writes a model that `tefuda train GAME --start FILE` goes on from. First it imitates the game's
scripted player, as every run does. Then, at a sample of positions, each of its likeliest actions
is tried in the same worlds, the scripted player playing on in all seats up to the next scoring,
and the policy learns that its logits differ as these values do. Of what kind the action is, such
as whether a card is placed at all, is left to the scripted player: only actions of the range in
which its own lies (`action_ranges` of the game's text) are tried.

A look-ahead compares actions in one position and in one world, where self-play has one noisy game
for each. What it has given so far is told in `benchmarks/results/tried.md`.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.utils import update_learning_rate

from tefuda.envs import make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import TefudaError
from tefuda.envs.core.jit import fields
from tefuda.training.agents import search
from tefuda.training.agents.ismcts import search_loops
from tefuda.training.agents.scripted import GreedyAgent
from tefuda.training.agents.streams import AgentStreams
from tefuda.training.arguments import positive, whole
from tefuda.training.config import TrainConfig
from tefuda.training.imitate import ADAM_EPSILON, Pupil
from tefuda.training.model import LESSONS, choose_encoder, make_model, make_pupil, seed_for
from tefuda.training.network import TablePolicy
from tefuda.training.progress import counting
from tefuda.wrappers.sb3 import shown

#: How many actions of a position are tried.
TRIED = 8

#: Positions to learn from, and worlds in each of them.
STATES, WORLDS = 24_000, 8

# A difference of 1 in scaled rewards is one of so much in logits.
_SHARPNESS = 5.0
# Tables at which the scripted player plays; of the positions there this share is looked at, and at
# that share one of the likeliest actions is played instead, so that games differ.
_TABLES, _LOOKED_AT, _STRAYING = 256, 0.25, 0.1
_PASSES, _BATCH, _RATE, _LAST_RATE, _MAX_GRAD = 4, 256, 1e-3, 0.05, 1.0
_HORIZON = 1
_REFUSED = 2


class Weighed(NamedTuple):
    """Positions in which actions were tried, M of them.

    Attributes:
        observations: (M, ...) what the acting seat saw.
        masks: (M, A) what it might have done.
        actions: (M, K) what was tried, the likeliest first; `search.NOTHING` behind the last.
        values: (M, K) what it brought, in the reward "score", and at the game's end the win.
    """

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.int8]
    actions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]

    def some(self, chosen: npt.NDArray[np.int64]) -> "Weighed":
        """Those positions alone."""
        return Weighed(
            self.observations[chosen], self.masks[chosen], self.actions[chosen], self.values[chosen]
        )


class Lookahead:
    """Tries actions by playing on from them.

    Args:
        engine: The engine of the tables at which it is asked.
        worlds: In how many worlds each action is tried.
        seed: Seeds the worlds.
    """

    def __init__(self, engine: Engine, worlds: int = WORLDS, seed: int = 0) -> None:
        self._plan = fields(np.zeros(1, search.PLAN))
        self._plan[0] = (worlds, 0.0, 0.0, search.GREEDY_ROLLOUT, _HORIZON)
        self._worlds = engine.records(2)
        tree = search.tree_dtype(engine.players, engine.actions)
        self._tree = fields(np.zeros(1, tree))
        self._streams = AgentStreams(seed)

    def values(
        self, tables: Tables, rows: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """What actions (R, K) bring the acting seats of the tables `rows` (R,), (R, K)."""
        engine = tables.engine
        values = np.zeros(actions.shape)
        search_loops(engine.spec.id).weigh_rows(
            tables.games, engine.parts, self._streams.begin(tables, rows), rows, self._plan,
            self._worlds, self._tree, actions, values,
        )  # fmt: skip
        return values


def kinds_of(engine: Engine) -> npt.NDArray[np.int64]:
    """The kind of each action, (A,): the number of its range."""
    kinds = np.zeros(engine.actions, np.int64)
    for number, (actions, _) in enumerate(engine.spec.text.action_ranges(engine.setup)):
        kinds[actions.start : actions.stop] = number
    return kinds


def likeliest(
    policy: TablePolicy,
    tables: Tables,
    rows: npt.NDArray[np.int64],
    taught: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The `TRIED` likeliest legal actions of one kind at each table.

    Args:
        policy: By whose probabilities.
        tables: The tables.
        rows: (R,) which of them.
        taught: (R,) legal actions, whose kinds count.

    Returns:
        (R, K) actions; `search.NOTHING` behind the last.
    """
    kinds = kinds_of(tables.engine)
    mask = tables.action_mask[rows] * (kinds == kinds[taught][:, None])
    with torch.no_grad():
        found = policy.distribution_of(shown(tables.engine, tables.observation[rows]), mask)
        actions: npt.NDArray[np.int64] = found.logits.topk(TRIED, dim=1).indices.numpy()
    legal = np.take_along_axis(mask, actions, axis=1) != 0
    return np.where(legal, actions, search.NOTHING)


# ==================================================================== gathering


def gather(policy: TablePolicy, tables: Tables, states: int, worlds: int, seed: int) -> Weighed:
    """Lets the scripted player play, and tries actions at a share of the positions."""
    lookahead = Lookahead(tables.engine, worlds, seed)
    teacher, rng = GreedyAgent(seed), np.random.default_rng(seed)
    policy.set_training_mode(False)
    found: list[Weighed] = []
    with counting("positions", states) as advance:
        while (count := sum(len(some.values) for some in found)) < states:
            taught = teacher.act(tables, np.arange(tables.tables))
            found.append(_look_around(policy, tables, taught, lookahead, rng, states - count))
            advance(len(found[-1].values))
            _play(policy, tables, taught, rng)
    return Weighed(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _look_around(
    policy: TablePolicy,
    tables: Tables,
    taught: npt.NDArray[np.int64],
    lookahead: Lookahead,
    rng: np.random.Generator,
    most: int,
) -> Weighed:
    """Tries actions at some of the tables where there is a choice, at most so many."""
    choice = tables.action_mask.sum(axis=1) > 1
    rows = np.flatnonzero(choice & (rng.random(tables.tables) < _LOOKED_AT))[:most]
    actions = likeliest(policy, tables, rows, taught[rows])
    values = lookahead.values(tables, rows, actions)
    return Weighed(tables.observation[rows], tables.action_mask[rows], actions, values)


def _play(
    policy: TablePolicy,
    tables: Tables,
    taught: npt.NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """One decision at every table: the scripted player's, now and then another likely one."""
    actions = taught.copy()
    rows = np.flatnonzero(rng.random(tables.tables) < _STRAYING)
    likely = likeliest(policy, tables, rows, taught[rows])
    choices = (likely != search.NOTHING).sum(axis=1)
    actions[rows] = likely[np.arange(rows.size), rng.integers(choices)]
    tables.step(actions)


# ==================================================================== learning


def learn_values(
    policy: TablePolicy, engine: Engine, weighed: Weighed, scale: float, seed: int
) -> None:
    """Fits the actor: logits of actions that were tried differ as their values do.

    Args:
        policy: The policy; its critic is left as it is.
        engine: The engine of the tables.
        weighed: What to learn from.
        scale: What rewards are multiplied by.
        seed: Seeds the order.
    """
    policy.set_training_mode(True)
    optimizer = torch.optim.Adam(policy.parameters(), eps=ADAM_EPSILON)
    portions = _portions(len(weighed.values), np.random.default_rng(seed))
    for done, chosen in enumerate(portions):
        left = 1 - done / len(portions)
        update_learning_rate(optimizer, _RATE * (_LAST_RATE + (1 - _LAST_RATE) * left))
        loss = _loss(policy, engine, weighed.some(chosen), scale)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
        torch.nn.utils.clip_grad_norm_(policy.parameters(), _MAX_GRAD)
        optimizer.step()


def _portions(count: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """The gradient steps of all passes; of each pass what fills no batch is left out."""
    batches = count // _BATCH
    orders = [rng.permutation(count)[: batches * _BATCH] for _ in range(_PASSES)]
    return [portion for order in orders for portion in order.reshape(batches, _BATCH)]


def _loss(policy: TablePolicy, engine: Engine, some: Weighed, scale: float) -> torch.Tensor:
    """How far logits differ otherwise than values do; and nothing untried is to be likely."""
    found = policy.distribution_of(shown(engine, some.observations), some.masks)
    tried = torch.as_tensor(some.actions != search.NOTHING)
    actions = torch.as_tensor(np.maximum(some.actions, 0))
    logs = found.log_probabilities.gather(1, actions).masked_fill(~tried, -torch.inf)
    wanted = torch.as_tensor(some.values * scale * _SHARPNESS, dtype=torch.float32)
    # Compared with the mean of the actions tried, so that none of them carries all the noise.
    weights = tried / tried.sum(dim=1, keepdim=True)
    errors = torch.where(tried, logs - wanted, 0.0)
    errors = torch.where(tried, errors - (weights * errors).sum(dim=1, keepdim=True), 0.0)
    squares = (weights * errors**2).sum(dim=1).mean()
    return squares - torch.logsumexp(logs, dim=1).mean()


# ==================================================================== command


def make_start(config: TrainConfig, file: Path, *, states: int, worlds: int) -> None:
    """Writes a model that has had lessons from the scripted player and from look-ahead."""
    model = make_model(config)
    policy = model.policy
    assert isinstance(policy, TablePolicy)
    _imitate(make_pupil(config, model), config.most_lessons)
    seed = seed_for(config, LESSONS, learnt=states)
    tables = make_vec(
        config.game,
        tables=_TABLES,
        seed=seed,
        encoder=choose_encoder(config),
        **config.learning_options,
    )
    weighed = gather(policy, tables, states, worlds, seed)
    learn_values(policy, tables.engine, weighed, config.reward_scale, seed)
    model.save(file)


def _imitate(pupil: Pupil, lessons: int) -> None:
    with counting("lessons", lessons) as advance:
        while pupil.learnt < lessons:
            advance(pupil.study(pupil.learnt / lessons))


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tefuda.training.lookahead")
    parser.description = "Teaches a policy by look-ahead, to be trained on by tefuda train --start."
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--states", type=positive, default=STATES, help="positions to learn from")
    parser.add_argument("--worlds", type=positive, default=WORLDS, help="worlds in each")
    parser.add_argument("--seed", type=whole, default=0)
    given = parser.parse_args(arguments)
    try:
        config = TrainConfig.for_game(given.game, seed=given.seed)
        make_start(config, given.file, states=given.states, worlds=given.worlds)
    except TefudaError as error:
        print(f"tefuda: {error}", file=sys.stderr)
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
