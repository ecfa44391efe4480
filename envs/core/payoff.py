"""What seats are paid; the same formulas for every game, and every reward sums to zero."""

from typing import Any

from tefuda.envs.core.jit import Record, kernel

#: The choices of the option `reward`, as the kernels know them.
REWARD_WIN, REWARD_SCORE = range(2)
REWARDS = ("win", "score")


@kernel
def write_reward(game: Record, players: int, kind: int, over: bool, reward: Any) -> None:
    """Writes what the latest step paid to every seat.

    Args:
        game: The record; `gained` and, at the end, `winners` are read.
        players: The number of seats.
        kind: `REWARD_WIN` or `REWARD_SCORE`.
        over: Whether the game has just ended.
        reward: (P,) floats to be written.
    """
    if kind == REWARD_SCORE:
        _pay_points(game, players, reward)
    elif over:
        _pay_winners(game, players, reward)
    else:
        reward[:] = 0


@kernel
def _pay_points(game: Record, players: int, reward: Any) -> None:
    """Each seat gets its own points less the mean of the points that the others gained."""
    total = 0
    for seat in range(players):
        total += game.gained[seat]
    for seat in range(players):
        own = game.gained[seat]
        reward[seat] = own - (total - own) / (players - 1)


@kernel
def _pay_winners(game: Record, players: int, reward: Any) -> None:
    """Of w winners each gets (1/w - 1/P) P/(P-1), any other seat -1/(P-1)."""
    winners = 0
    for seat in range(players):
        winners += game.winners[seat]
    for seat in range(players):
        if game.winners[seat]:
            reward[seat] = (1 / winners - 1 / players) * players / (players - 1)
        else:
            reward[seat] = -1 / (players - 1)
