"""Information-set Monte Carlo tree search as loops over records, bound to each game.

One tree belongs to one decision and to the seat that takes it. Every simulation redraws what is
hidden from that seat (`resample`), walks down the tree, adds one edge, plays on to a horizon and
tells every edge of its path what all seats got (single observer, max-n). Chance is sampled and
makes no branches. An action that the searching seat would not see leads to the same node whatever
it is, so that later decisions cannot depend on it.

An edge is chosen by UCB1 with the visits of a node counted only where the edge was legal, as the
worlds differ in what can be played. Values are scaled to 0 .. 1 by the least and the most that
any simulation has brought. A node gets a new edge only while it has fewer than `widening` times
the square root of its visits, for some games offer hundreds of actions; the first edge is the one
that the game's scripted player would take, the others are drawn.

These functions trust their caller, `ismcts.IsmctsAgent`.
"""

import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.chance import draw
from tefuda.envs.core.contract import (
    OVER,
    SEEN,
    apply,
    greedy,
    legal,
    node,
    random_action,
    resample,
    sees,
    settle,
)
from tefuda.envs.core.jit import Record, Records
from tefuda.envs.core.payoff import REWARD_SCORE, REWARD_WIN, write_reward

#: No node, no edge.
NOTHING = -1
#: The root of a tree.
ROOT = 0

#: How a simulation is played on below the tree.
RANDOM_ROLLOUT, GREEDY_ROLLOUT = range(2)

# A legal action that has an edge is marked in the mask of a node.
_OPEN, _TRIED = 1, 2
_LEAST_SPREAD = 1e-12

#: How a search is done.
PLAN = np.dtype(
    [
        ("simulations", np.int64),  # games played for a decision
        ("exploration", np.float64),  # the weight of the exploring term
        ("widening", np.float64),  # most edges of a node, in square roots of its visits
        ("rollout", np.int64),  # RANDOM_ROLLOUT or GREEDY_ROLLOUT
        ("horizon", np.int64),  # scoring events after which a simulation stops
    ],
    align=True,
)

NODE = np.dtype(
    [
        ("newest", np.int64),  # its newest edge, or NOTHING
        ("passed", np.int64),  # how many simulations have passed
        ("unseen", np.int64),  # the node to which actions lead that the searcher does not see
    ],
    align=True,
)


@cache
def edge_dtype(players: int) -> np.dtype[Any]:
    """The dtype of an edge: an action of a node.

    Args:
        players: The number of seats P.
    """
    return np.dtype(
        [
            ("action", np.int64),
            ("older", np.int64),  # the next older edge of its node, or NOTHING
            ("child", np.int64),  # the node to which it leads, or NOTHING
            ("visits", np.int64),
            ("offers", np.int64),  # visits of its node in which it was legal
            ("value", np.float64, (players,)),  # the sum of what each seat got
        ],
        align=True,
    )


@cache
def tree_dtype(players: int, actions: int) -> np.dtype[Any]:
    """The dtype of a tree, beside its arrays of nodes and edges.

    Args:
        players: The number of seats P.
        actions: The number of actions A.
    """
    return np.dtype(
        [
            ("nodes", np.int64),  # how many there are
            ("edges", np.int64),
            ("depth", np.int64),  # edges of the running simulation's path
            ("legal", np.int8, (actions,)),  # at the present node
            ("paid", np.float64, (players,)),  # by the latest event
            ("got", np.float64, (players,)),  # in the running simulation
            ("least", np.float64),  # ... and in all of them
            ("most", np.float64),
        ],
        align=True,
    )


def search_rows(
    games: Records,
    parts: Records,
    holders: Records,
    rows: npt.NDArray[np.int64],
    plan: Records,
    worlds: Records,
    trees: Records,
    nodes: Records,
    edges: Records,
    path: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
) -> None:
    """Searches for the acting seat of each row.

    Args:
        games: (N,) the records; they do not change.
        parts: The parts.
        holders: (N,) the streams of the decisions.
        rows: (R,) the tables.
        plan: A record `PLAN` with S simulations.
        worlds: A record to play in.
        trees: A record for the tree.
        nodes: (S + 1,) room for its nodes.
        edges: (S,) room for its edges; a simulation adds at most one, and a node with it.
        path: (S,) room for the edges of a simulation.
        actions: (R,) is written: the most visited action.
    """
    tree = trees[0]
    world = worlds[0]
    for k in range(rows.size):
        game = games[rows[k]]
        holder = holders[rows[k]]
        clear(tree, nodes)
        for _ in range(plan[0].simulations):
            worlds[0] = game
            resample(world, parts[0], game.seat, holder)
            simulate(world, parts[0], holder, plan[0], tree, nodes, edges, path)
        actions[k] = most_visited(nodes, edges)


def weigh_rows(
    games: Records,
    parts: Records,
    holders: Records,
    rows: npt.NDArray[np.int64],
    plan: Records,
    worlds: Records,
    trees: Records,
    actions: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
) -> None:
    """What some actions bring the acting seat of each row, without a tree.

    All actions of a row are tried in the same worlds.

    Args:
        games: (N,) the records; they do not change.
        parts: The parts.
        holders: (N,) the streams of the decisions.
        rows: (R,) the tables.
        plan: A record `PLAN`; its simulations are worlds.
        worlds: Two records to play in.
        trees: A record for what a simulation brings.
        actions: (R, K) legal actions, or `NOTHING`.
        values: (R, K) zeros; the mean over the worlds is written.
    """
    for k in range(rows.size):
        holder = holders[rows[k]]
        for _ in range(plan[0].simulations):
            worlds[0] = games[rows[k]]
            resample(worlds[0], parts[0], worlds[0].seat, holder)
            for one in range(actions.shape[1]):
                if actions[k, one] != NOTHING:
                    worlds[1] = worlds[0]
                    brought = weigh(worlds[1], parts[0], holder, plan[0], trees[0], actions[k, one])
                    values[k, one] += brought
        values[k] /= plan[0].simulations


def weigh(
    world: Record, parts: Record, holder: Record, plan: Record, tree: Record, action: int
) -> float:
    """What an action brings its seat in a world up to the horizon."""
    seat = world.seat
    tree.got[:] = 0.0
    end = world.scorings + plan.horizon
    take(world, parts, tree, action)
    play_on(world, parts, holder, tree, plan.rollout, end)
    got: float = tree.got[seat]
    return got


def clear(tree: Record, nodes: Records) -> None:
    """Leaves the root alone in the tree."""
    tree.nodes = 0
    tree.edges = 0
    tree.least = math.inf
    tree.most = -math.inf
    add_node(tree, nodes)


def simulate(
    world: Record,
    parts: Record,
    holder: Record,
    plan: Record,
    tree: Record,
    nodes: Records,
    edges: Records,
    path: npt.NDArray[np.int64],
) -> None:
    """Plays one world down the tree and on to the horizon, and remembers what came of it."""
    seat = world.seat
    tree.depth = 0
    tree.got[:] = 0.0
    end = world.scorings + plan.horizon
    known = tree.edges
    at = ROOT
    while node(world) != OVER and world.scorings < end and tree.edges == known:
        legal(world, parts, tree.legal)
        edge = choose(world, parts, holder, plan, tree, nodes, edges, at)
        path[tree.depth] = edge
        tree.depth += 1
        at = follow(world, parts, tree, nodes, edges, at, edge, seat)
        take(world, parts, tree, edges[edge].action)
    play_on(world, parts, holder, tree, plan.rollout, end)
    back_up(tree, edges, path)


def choose(
    world: Record,
    parts: Record,
    holder: Record,
    plan: Record,
    tree: Record,
    nodes: Records,
    edges: Records,
    at: int,
) -> int:
    """The edge that a simulation takes, a new one if its node may have one more."""
    nodes[at].passed += 1
    tried = mark_tried(tree, nodes, edges, at)
    if tried == 0:
        return add_edge(tree, nodes, edges, at, greedy(world, parts, holder))
    if tried < plan.widening * math.sqrt(nodes[at].passed):
        untried = count_open(tree)
        if untried > 0:
            return add_edge(tree, nodes, edges, at, pick_open(tree, holder, untried))
    return best_edge(tree, nodes, edges, at, world.seat, plan.exploration)


def mark_tried(tree: Record, nodes: Records, edges: Records, at: int) -> int:
    """Marks the legal actions that have an edge; returns how many they are."""
    tried = 0
    edge = nodes[at].newest
    while edge != NOTHING:
        if tree.legal[edges[edge].action] == _OPEN:
            tree.legal[edges[edge].action] = _TRIED
            edges[edge].offers += 1
            tried += 1
        edge = edges[edge].older
    return tried


def count_open(tree: Record) -> int:
    """How many legal actions have no edge."""
    count = 0
    for action in range(tree.legal.size):
        count += tree.legal[action] == _OPEN
    return count


def pick_open(tree: Record, holder: Record, count: int) -> int:
    """Draws one of the `count` legal actions that have no edge."""
    left = draw(holder, count)
    for action in range(tree.legal.size):
        if tree.legal[action] == _OPEN:
            if left == 0:
                return action
            left -= 1
    return NOTHING


def add_edge(tree: Record, nodes: Records, edges: Records, at: int, action: int) -> int:
    """Adds an edge to a node; its end is found by `follow`."""
    edge = tree.edges
    tree.edges += 1
    edges[edge].action = action
    edges[edge].older = nodes[at].newest
    edges[edge].child = NOTHING
    edges[edge].visits = 0
    edges[edge].offers = 1
    edges[edge].value[:] = 0.0
    nodes[at].newest = edge
    return edge


def best_edge(
    tree: Record, nodes: Records, edges: Records, at: int, seat: int, exploration: float
) -> int:
    """The legal edge with the highest upper confidence bound for the seat that acts."""
    best, best_bound = NOTHING, -math.inf
    spread = max(tree.most - tree.least, _LEAST_SPREAD)
    edge = nodes[at].newest
    while edge != NOTHING:
        record = edges[edge]
        if tree.legal[record.action] == _TRIED:
            mean = (record.value[seat] / record.visits - tree.least) / spread
            bound = mean + exploration * math.sqrt(math.log(record.offers) / record.visits)
            if bound > best_bound:
                best, best_bound = edge, bound
        edge = record.older
    return best


def follow(
    world: Record,
    parts: Record,
    tree: Record,
    nodes: Records,
    edges: Records,
    at: int,
    edge: int,
    seat: int,
) -> int:
    """The node to which an edge leads; actions that `seat` does not see share one."""
    if edges[edge].child == NOTHING:
        if sees(world, parts, seat, edges[edge].action) == SEEN:
            edges[edge].child = add_node(tree, nodes)
        else:
            if nodes[at].unseen == NOTHING:
                nodes[at].unseen = add_node(tree, nodes)
            edges[edge].child = nodes[at].unseen
    return edges[edge].child


def add_node(tree: Record, nodes: Records) -> int:
    """Adds a node without edges."""
    at = tree.nodes
    tree.nodes += 1
    nodes[at].newest = NOTHING
    nodes[at].passed = 0
    nodes[at].unseen = NOTHING
    return at


def take(world: Record, parts: Record, tree: Record, action: int) -> None:
    """Plays an action and the chance after it, and adds what it pays to what all have got."""
    scorings = world.scorings
    world.gained[:] = 0
    apply(world, parts, action)
    settle(world, parts)
    over = node(world) == OVER
    if over or world.scorings != scorings:
        collect(world, parts, tree, over)


def collect(world: Record, parts: Record, tree: Record, over: bool) -> None:
    """Adds the points paid, and at the end the win."""
    write_reward(world, parts.players, REWARD_SCORE, over, tree.paid)
    tree.got[:] += tree.paid
    if over:
        write_reward(world, parts.players, REWARD_WIN, over, tree.paid)
        tree.got[:] += tree.paid


def play_on(
    world: Record, parts: Record, holder: Record, tree: Record, rollout: int, end: int
) -> None:
    """Plays on to the horizon or the end."""
    while node(world) != OVER and world.scorings < end:
        if rollout == GREEDY_ROLLOUT:
            take(world, parts, tree, greedy(world, parts, holder))
        else:
            take(world, parts, tree, random_action(world, parts, holder))


def back_up(tree: Record, edges: Records, path: npt.NDArray[np.int64]) -> None:
    """Tells every edge of the path what all seats got."""
    for seat in range(tree.got.size):
        tree.least = min(tree.least, tree.got[seat])
        tree.most = max(tree.most, tree.got[seat])
    for depth in range(tree.depth):
        edge = path[depth]
        edges[edge].visits += 1
        for seat in range(tree.got.size):
            edges[edge].value[seat] += tree.got[seat]


def most_visited(nodes: Records, edges: Records) -> int:
    """The root's action with most visits; of equals the older."""
    best, most = NOTHING, 0
    edge = nodes[ROOT].newest
    while edge != NOTHING:
        if edges[edge].visits >= most:
            best, most = edges[edge].action, edges[edge].visits
        edge = edges[edge].older
    return best
