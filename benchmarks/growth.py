"""How the time of a decision grows: with tables, players, rounds; memory a table; threads.

Use: python benchmarks/growth.py [--quick] [--games gacha_v0 ...] [--results FOLDER]
"""

import time
import tracemalloc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import command
import contenders
from contenders import USUAL
from measure import QUICK, Contender, Effort, measure
from results import Results

from tefuda.envs import TefudaError, make_vec
from tefuda.envs.core.registry import find_game

_COUNTS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
_QUICK_COUNTS = (1, 64, 1024, 16384)
_ROUNDS = (1, 2, 4, 8, 16)
_THREADS = (1, 2)
# Tables by which the memory of one is told.
_MANY = 16384


def _effort(quick: bool) -> Effort:
    return QUICK if quick else Effort(rounds=5)


def measure_game(game: str, quick: bool) -> Results:
    """Measures a game's growth in every direction it has."""
    effort = _effort(quick)
    return {
        "tables": rates_by_tables(game, _QUICK_COUNTS if quick else _COUNTS, effort),
        "players": rates_by_option(game, "players", player_counts(game), effort),
        "rounds": rates_by_option(game, "rounds", round_counts(game), effort),
        "threads": rates_by_threads(game, effort),
        "bytes_a_table": bytes_a_table(game),
    }


def rates_by_tables(game: str, counts: Sequence[int], effort: Effort) -> list[Results]:
    """Rates of the batch engine by its number of tables."""
    rivals = [_step(game, count, {}) for count in counts]
    return _rows(counts, rivals, effort)


def rates_by_option(
    game: str, name: str, variants: Sequence[dict[str, Any]], effort: Effort
) -> list[Results]:
    """Rates of the batch engine by the value of an option."""
    rivals = [_step(game, USUAL, options) for options in variants]
    return _rows([options[name] for options in variants], rivals, effort)


def _step(game: str, count: int, options: dict[str, Any]) -> Contender:
    tape = contenders.write_tape(game, count, **options)
    return contenders.step(game, contenders.encoders(game)[0], tape, **options)


def _rows(values: Sequence[int], rivals: Sequence[Contender], effort: Effort) -> list[Results]:
    """One row a contender: the value it stands for, and its rates."""
    return [
        {"value": value, "rounds": [round(rate) for rate in rates]}
        for value, rates in zip(values, measure(rivals, effort), strict=True)
    ]


# ==================================================================== what can be varied


def player_counts(game: str) -> list[dict[str, Any]]:
    """The numbers of players that a game can be played with as it comes."""
    (players,) = (option for option in find_game(game).options if option.name == "players")
    counts = [{"players": count} for count in players.allowed]
    return [options for options in counts if _is_possible(game, options)]


def _is_possible(game: str, options: dict[str, Any]) -> bool:
    """Whether the game's own components allow it; other decks may allow more."""
    try:
        make_vec(game, **options)
    except TefudaError:
        return False
    return True


def round_counts(game: str) -> list[dict[str, Any]]:
    """Options for games of so many rounds; none if a game has no such option."""
    return [
        {**dict([option.only_with] if option.only_with else []), option.name: rounds}
        for option in find_game(game).options
        if option.name == "rounds"
        for rounds in _ROUNDS
    ]


# ==================================================================== memory, threads


def bytes_a_table(game: str) -> dict[str, float]:
    """What each further table takes, by encoder: its record, and its rows of all buffers."""
    return {name: _bytes_a_table(game, name) for name in contenders.encoders(game)}


def _bytes_a_table(game: str, encoder: str) -> float:
    make_vec(game, tables=1, seed=0, encoder=encoder)  # compiles
    tracemalloc.start()
    tables = make_vec(game, tables=_MANY, seed=0, encoder=encoder)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(held / len(tables), 1)


def rates_by_threads(game: str, effort: Effort) -> list[Results]:
    """Decisions per second of wall time, with one batch in each of 1 and 2 threads.

    Kernels let other threads run. Unlike CPU time, wall time counts what others do on the machine.
    """
    batches = [_step(game, USUAL, {}) for _ in range(max(_THREADS))]
    rows: list[Results] = [{"value": threads, "rounds": []} for threads in _THREADS]
    for _ in range(effort.rounds):
        for row in rows:
            row["rounds"].append(round(_threads_turn(batches[: row["value"]], effort.seconds)))
    return rows


def _threads_turn(batches: Sequence[Contender], seconds: float) -> float:
    """Decisions per second of wall time while each batch plays in a thread of its own."""

    def play(batch: Contender) -> int:
        decisions = 0
        while time.perf_counter() < end:
            batch.prepare()
            decisions += batch.run()
        return decisions

    with ThreadPoolExecutor(len(batches)) as pool:
        begun = time.perf_counter()
        end = begun + seconds
        decisions = sum(pool.map(play, batches))
        return decisions / (time.perf_counter() - begun)


if __name__ == "__main__":
    command.run(
        command.Script(
            name="growth",
            purpose="Measures how the time of a decision grows.",
            settings=lambda quick: asdict(_effort(quick)),
            measure=measure_game,
        )
    )
