"""The loops over tables, written once against the contract and bound to each game.

Every function here takes whole arrays and a row (or rows), for that is what Numba dispatches
fastest. N is the number of tables, R the number of rows meant, P the seats, A the actions, D the
observation values. `parts` and `blank` are arrays of one record.

These functions trust their caller; `engine.Engine` and what is built on it check.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.chance import stream_of
from tefuda.envs.core.contract import (
    CHANCE,
    DECISION,
    HIDDEN,
    OVER,
    SEEN,
    TRUNCATED,
    UNNOTICED,
    apply,
    apply_chance,
    chances,
    greedy,
    is_legal,
    legal,
    news,
    node,
    observe,
    random_action,
    resample,
    sample_chance,
    sees,
    settle,
    start,
)
from tefuda.envs.core.jit import Records
from tefuda.envs.core.payoff import write_reward

#: What `find_illegal` returns where every action is legal.
ALL_LEGAL = -1

#: In `play_on`: who is asked whenever it acts, and who is asked only where it has a choice.
ASKED, CHOOSER = -2, -1

#: What stands for no action.
NO_ACTION = -1

#: What `play_one` returns.
REFUSED, NOTHING_PAID, PAID = range(3)

#: The kind of an entry of `tell` that is no event of its own: something the seat is told.
NEWS = -1

_NEXT = np.uint64(1)
_ROUND_SHIFT = np.uint64(32)
# Tells the streams of agents from those of games, whose fourth word is a round.
_AGENTS = np.uint64(2**62)


# ==================================================================== one table


def begin(
    games: Records,
    parts: Records,
    blank: Records,
    row: int,
    seed: np.uint64,
    table: np.uint64,
    number: np.uint64,
) -> None:
    """Begins the game with the key (seed, table, number), up to its first node."""
    games[row] = blank[0]
    game = games[row]
    game.seed = seed
    game.table = table
    game.number = number
    start(game, parts[0])


def node_of(games: Records, row: int) -> int:
    """The kind of the present node."""
    return node(games[row])


def settle_one(games: Records, parts: Records, row: int) -> None:
    """Samples chance nodes until a decision or the end."""
    settle(games[row], parts[0])


def sample_chance_one(games: Records, parts: Records, row: int) -> int:
    """Draws the outcome of the present chance node from the game's stream."""
    return sample_chance(games[row], parts[0])


def chances_one(games: Records, parts: Records, row: int, outcomes: Any, weights: Any) -> int:
    """Writes the outcomes of the present chance node and their weights."""
    return chances(games[row], parts[0], outcomes, weights)


def advance_one(games: Records, parts: Records, row: int, value: int) -> None:
    """Plays one event: an action at a decision, an outcome at a chance node."""
    game = games[row]
    game.gained[:] = 0
    if node(game) == DECISION:
        apply(game, parts[0], value)
    else:
        apply_chance(game, parts[0], value)


def is_legal_one(games: Records, parts: Records, row: int, action: int) -> bool:
    """Whether the acting seat may take `action`."""
    return is_legal(games[row], parts[0], action)


def legal_one(games: Records, parts: Records, row: int, mask: Any) -> None:
    """Writes the acting seat's mask (A,)."""
    legal(games[row], parts[0], mask)


def observe_one(games: Records, parts: Records, row: int, seat: int, observation: Any) -> None:
    """Writes the observation (D,) of any seat."""
    observe(games[row], parts[0], seat, observation)


def reward_one(
    games: Records,
    parts: Records,
    row: int,
    reward_kind: int,
    reward: npt.NDArray[np.float64],
) -> None:
    """Writes what the latest event paid (P,)."""
    game = games[row]
    write_reward(game, parts[0].players, reward_kind, node(game) == OVER, reward)


def play_one(
    games: Records,
    parts: Records,
    row: int,
    action: int,
    reward_kind: int,
    reward: npt.NDArray[np.float64],
    observation: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
) -> int:
    """Plays a decision and the chance after it, if the action is legal.

    One call does it all, for the call itself costs more than the game: `observation` (D,) and
    `mask` (A,) become those of who acts next.

    Returns:
        `REFUSED` (nothing has changed), `NOTHING_PAID`, or `PAID`: `reward` (P,) was written.
    """
    game = games[row]
    if not is_legal(game, parts[0], action):
        return REFUSED
    scorings = game.scorings
    game.gained[:] = 0
    apply(game, parts[0], action)
    settle(game, parts[0])
    over = node(game) == OVER
    observe(game, parts[0], max(game.seat, 0), observation)
    legal(game, parts[0], mask)
    if not over and game.scorings == scorings:
        return NOTHING_PAID
    write_reward(game, parts[0].players, reward_kind, over, reward)
    return PAID


def resample_one(games: Records, parts: Records, row: int, seat: int, holder: Records) -> None:
    """Redraws all that is hidden from `seat`."""
    resample(games[row], parts[0], seat, holder[0])


def tell(
    games: Records,
    parts: Records,
    values: npt.NDArray[np.int16],
    seat: int,
    told: npt.NDArray[np.int16],
) -> int:
    """Replays a game and writes what `seat` sees of it.

    Args:
        games: One record in which the game has just begun; it is played to the last value.
        parts: The parts.
        values: (V,) all events of the game: actions and outcomes.
        seat: Who is told.
        told: (n, 3) rows (phase, seat, value or `HIDDEN`); phase is `NEWS` for what the event
            before told the seat beside its value.

    Returns:
        How many rows were written.
    """
    game = games[0]
    count = 0
    extra = np.zeros(told.shape[0], np.int16)
    for at in range(values.size):
        value = values[at]
        sight = sees(game, parts[0], seat, value)
        if sight != UNNOTICED:
            told[count, 0] = game.phase
            told[count, 1] = game.seat
            told[count, 2] = value if sight == SEEN else HIDDEN
            count += 1
        advance_one(games, parts, 0, value)
        for k in range(news(game, parts[0], seat, extra)):
            told[count, 0] = NEWS
            told[count, 1] = seat
            told[count, 2] = extra[k]
            count += 1
    return count


# ==================================================================== many tables


def begin_rows(
    games: Records,
    parts: Records,
    blank: Records,
    rows: npt.NDArray[np.int64],
    seed: np.uint64,
    numbers: npt.NDArray[np.uint64],
) -> None:
    """Begins the games (seed, row, numbers[k]) in `rows`, up to their first decision."""
    for k in range(rows.size):
        row = rows[k]
        begin(games, parts, blank, row, seed, np.uint64(row), numbers[k])
        settle(games[row], parts[0])


def find_illegal(
    games: Records,
    parts: Records,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
) -> int:
    """The first k whose action is illegal at table rows[k], or `ALL_LEGAL`; ended tables pass."""
    for k in range(rows.size):
        game = games[rows[k]]
        if node(game) != OVER and not is_legal(game, parts[0], actions[k]):
            return k
    return ALL_LEGAL


def step_rows(
    games: Records,
    parts: Records,
    blank: Records,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    autoreset: bool,
    reward_kind: int,
    observation: npt.NDArray[np.int8],
    action_mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
) -> None:
    """Plays actions[k] at table rows[k] and writes all that `Tables` shows of these tables."""
    clear_standing(games, parts, reward, done, truncated, totals, winners)
    for k in range(rows.size):
        row = rows[k]
        game = games[row]
        if node(game) == OVER:
            continue
        scorings = game.scorings
        game.gained[:] = 0
        apply(game, parts[0], actions[k])
        settle(game, parts[0])
        show_row(
            games, parts, blank, row, scorings, autoreset, reward_kind, observation, action_mask,
            seat, reward, done, truncated, totals, winners,
        )  # fmt: skip


def play_on(
    games: Records,
    parts: Records,
    blank: Records,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
    players: npt.NDArray[np.int64],
    seeds: npt.NDArray[np.uint64],
    holders: Records,
    autoreset: bool,
    reward_kind: int,
    observation: npt.NDArray[np.int8],
    action_mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
) -> None:
    """Plays at each table in `rows` what needs no answer, see `Tables.play_on`.

    Before it comes actions[k], unless that is `NO_ACTION`. It writes all that `Tables` shows, once
    a table: `reward` is the sum of what was paid.
    """
    clear_standing(games, parts, reward, done, truncated, totals, winners)
    for k in range(rows.size):
        row = rows[k]
        game = games[row]
        scorings = game.scorings
        game.gained[:] = 0
        action = actions[k]
        moves = 0
        while node(game) != OVER:
            if action == NO_ACTION:
                action = passing_action(
                    game, parts, players[row], seeds, holders[row], action_mask[row]
                )
            if action == NO_ACTION:
                break
            apply(game, parts[0], action)
            settle(game, parts[0])
            action = NO_ACTION
            moves += 1
        if moves:
            show_row(
                games, parts, blank, row, scorings, autoreset, reward_kind, observation,
                action_mask, seat, reward, done, truncated, totals, winners,
            )  # fmt: skip


def passing_action(
    game: Any,
    parts: Records,
    players: npt.NDArray[np.int64],
    seeds: npt.NDArray[np.uint64],
    holder: Any,
    mask: npt.NDArray[np.int8],
) -> int:
    """What the acting seat does if it need not be asked, or `NO_ACTION`."""
    player = players[game.seat]
    if player >= 0:
        holder.stream = agent_stream(game, np.uint64(seeds[player]))
        return greedy(game, parts[0], holder)
    if player == ASKED:
        return NO_ACTION
    legal(game, parts[0], mask)
    return only_action(mask)


def only_action(mask: npt.NDArray[np.int8]) -> int:
    """The only action that `mask` (A,) allows; `NO_ACTION` where it allows several."""
    found = NO_ACTION
    for action in range(mask.size):
        if mask[action]:
            if found != NO_ACTION:
                return NO_ACTION
            found = action
    return found


def clear_standing(
    games: Records,
    parts: Records,
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
) -> None:
    """Forgets what the step before paid, and which games it ended."""
    reward[:] = 0
    for row in range(games.size):
        if done[row] and node(games[row]) != OVER:
            show_standing(games[row], parts, False, done, truncated, totals, winners, row)


def show_row(
    games: Records,
    parts: Records,
    blank: Records,
    row: int,
    scorings: int,
    autoreset: bool,
    reward_kind: int,
    observation: npt.NDArray[np.int8],
    action_mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
) -> None:
    """Writes all that `Tables` shows of a table that has moved; begins its next game if due.

    `scorings` is how many scorings its game had before.
    """
    game = games[row]
    over = node(game) == OVER
    if over or game.scorings != scorings:
        write_reward(game, parts[0].players, reward_kind, over, reward[row])
        show_standing(game, parts, over, done, truncated, totals, winners, row)
    if over and autoreset:
        begin(games, parts, blank, row, game.seed, game.table, game.number + _NEXT)
        settle(game, parts[0])
    seat[row] = game.seat
    observe(game, parts[0], max(game.seat, 0), observation[row])
    legal(game, parts[0], action_mask[row])


def show_standing(
    game: Any,
    parts: Records,
    over: bool,
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
    row: int,
) -> None:
    """Writes whether the game is over, why, the totals and who has won."""
    done[row] = over
    truncated[row] = game.ending == TRUNCATED
    for player in range(parts[0].players):
        totals[row, player] = game.totals[player]
        winners[row, player] = game.winners[player] != 0


def show_rows(
    games: Records,
    parts: Records,
    rows: npt.NDArray[np.int64],
    observation: npt.NDArray[np.int8],
    action_mask: npt.NDArray[np.int8],
    seat: npt.NDArray[np.int64],
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    totals: npt.NDArray[np.int32],
    winners: npt.NDArray[np.bool_],
) -> None:
    """Writes all that `Tables` shows of tables that have just begun."""
    for k in range(rows.size):
        row = rows[k]
        game = games[row]
        reward[row] = 0
        show_standing(game, parts, node(game) == OVER, done, truncated, totals, winners, row)
        seat[row] = game.seat
        observe(game, parts[0], max(game.seat, 0), observation[row])
        legal(game, parts[0], action_mask[row])


def observe_all(games: Records, parts: Records, observations: npt.NDArray[np.int8]) -> None:
    """Writes the observation of every seat at every table, (N, P, D)."""
    for row in range(games.size):
        for seat in range(observations.shape[1]):
            observe(games[row], parts[0], seat, observations[row, seat])


def seed_holders(holders: Records, seed: np.uint64, purpose: np.uint64) -> None:
    """Starts a stream a table, keyed by (seed, row, 0, purpose)."""
    for row in range(holders.size):
        holders[row].stream = stream_of(seed, np.uint64(row), np.uint64(0), purpose)


def random_actions(
    games: Records,
    parts: Records,
    holders: Records,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
) -> None:
    """Draws a uniformly random legal action for each row, with the stream of its table."""
    for k in range(rows.size):
        row = rows[k]
        if node(games[row]) == DECISION:
            actions[k] = random_action(games[row], parts[0], holders[row])
        else:
            actions[k] = 0


def start_agent_streams(
    games: Records,
    holders: Records,
    rows: npt.NDArray[np.int64],
    agent_seed: np.uint64,
) -> None:
    """Starts the stream of the coming decision in `rows`, for an agent with its own seed.

    The key is (agent seed, game key, seat, decision): what an agent draws depends neither on the
    batch nor on what it drew before.
    """
    for k in range(rows.size):
        holders[rows[k]].stream = agent_stream(games[rows[k]], agent_seed)


def agent_stream(game: Any, agent_seed: np.uint64) -> np.uint64:
    """The stream of the coming decision for an agent with its own seed."""
    key = stream_of(agent_seed, game.seed, game.table, game.number)
    decision = (np.uint64(game.round_index) << _ROUND_SHIFT) | np.uint64(game.logged)
    return stream_of(key, np.uint64(max(game.seat, 0)), decision, _AGENTS)


def greedy_actions(
    games: Records,
    parts: Records,
    holders: Records,
    rows: npt.NDArray[np.int64],
    actions: npt.NDArray[np.int64],
) -> None:
    """The scripted player's action for each row, with the stream of its table."""
    for k in range(rows.size):
        row = rows[k]
        actions[k] = greedy(games[row], parts[0], holders[row])


def play_out(games: Records, parts: Records, row: int, holder: Records) -> int:
    """Plays a game to its end by uniformly random actions; returns the number of decisions."""
    game = games[row]
    count = 0
    while node(game) != OVER:
        if node(game) == CHANCE:
            settle(game, parts[0])
        else:
            apply(game, parts[0], random_action(game, parts[0], holder[0]))
            count += 1
    return count
