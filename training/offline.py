"""Decisions of games as tables in Parquet files, for offline learning and imitation.

One row is one decision:

| column | type | meaning |
|---|---|---|
| `game` | int64 | number of the game: its key is (seed, game, 0) |
| `decision` | int32 | number of the decision in its game |
| `seat` | int8 | who decided |
| `observation` | D int8 | what the seat saw, in the encoder's order |
| `action_mask` | A int8 | 1 for each legal action |
| `action` | int16 | what it did |
| `reward_to_go` | float32 | what the seat was paid from this decision to the end of the game |

Rows stand by game, then by decision. The file's metadata say which game it is, with which options
and encoder, and who played. Any reader of Parquet reads it; `read_decisions` gives NumPy arrays.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import check_seed
from tefuda.envs.core.engine import Engine, make_engine
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import Agent, make_agent
from tefuda.training.files import check_output, replacing
from tefuda.training.play import deal
from tefuda.training.portions import cut, in_order, play_portions

#: The key of the metadata in a file.
METADATA = b"tefuda"

# Games that are played at once; their decisions are a row group.
_PORTION = 64


class Decisions(NamedTuple):
    """M decisions; the columns of a file as arrays.

    Attributes:
        game: (M,) int64.
        decision: (M,) int32.
        seat: (M,) int8.
        observation: (M, ...) int8, in the encoder's shape.
        action_mask: (M, A) int8.
        action: (M,) int16.
        reward_to_go: (M,) float32.
    """

    game: npt.NDArray[np.int64]
    decision: npt.NDArray[np.int32]
    seat: npt.NDArray[np.int8]
    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    action: npt.NDArray[np.int16]
    reward_to_go: npt.NDArray[np.float32]


# ==================================================================== writing


def write_parquet(
    agent: Agent | str,
    game: str,
    *,
    games: int,
    seed: int,
    file: Path,
    encoder: str | None = None,
    options: Mapping[str, Any] | None = None,
    on_game: Callable[[], None] = lambda: None,
    jobs: int | None = None,
    ray: str | None = None,
) -> int:
    """Lets an agent play every seat and writes its decisions; game n has the key (seed, n, 0).

    Args:
        agent: Who plays, or its name (see `make_agent`). Other processes make it anew by its name.
        game: The game, such as "gacha_v0".
        games: How many.
        seed: The seed of the games' chance.
        file: Where to; it appears whole or not at all.
        encoder: How observations are written, for the file and the agent.
        options: Options of the game.
        on_game: Told after each game.
        jobs: How many play at the same time, see `play_portions`.
        ray: The address of a Ray cluster that plays, or "local".

    Returns:
        How many decisions were written.

    Raises:
        OptionError: The game, the seed or an option is not allowed, or the file cannot be written.
        MissingExtraError: Ray is not installed.
    """
    check_output(file)
    engine = make_engine(find_game(game), encoder, **(options or {}))
    work = Writing(agent, engine, check_seed(seed))
    portions = cut(games, _PORTION)
    schema = _schema(engine, work.agent.name, seed)
    count = 0
    with replacing(file) as part, pq.ParquetWriter(part, schema, compression="zstd") as writer:
        played = play_portions(work, portions, jobs=jobs, ray=ray)
        for numbers, decisions in zip(portions, in_order(portions, played), strict=True):
            writer.write_table(_table(schema, decisions))
            count += decisions.game.size
            for _ in numbers:
                on_game()
    return count


class Writing:
    """An agent that plays every seat, for portions of games whose decisions are told.

    Args:
        agent: Who plays, or its name.
        engine: The game made ready.
        seed: The seed of the games' chance.

    Attributes:
        agent: Who plays.
    """

    def __init__(self, agent: Agent | str, engine: Engine, seed: int) -> None:
        self._arguments = agent, engine, seed
        self.agent = make_agent(agent, engine=engine) if isinstance(agent, str) else agent

    def __reduce__(self) -> tuple[Any, ...]:
        return Writing, self._arguments

    def play(self, numbers: range) -> Decisions:
        """Plays some games to their ends and tells every decision."""
        _, engine, seed = self._arguments
        return _play(self.agent, engine, seed, numbers)


def _schema(engine: Engine, agent: str, seed: int) -> pa.Schema:
    about = {
        "env": engine.spec.id,
        "players": engine.players,
        "options": dict(engine.setup.options),
        "components": engine.setup.components.describe(),
        "encoder": engine.encoder,
        "shape": list(engine.shape),
        "agent": agent,
        "seed": seed,
    }
    columns = {
        "game": pa.int64(),
        "decision": pa.int32(),
        "seat": pa.int8(),
        "observation": pa.list_(pa.int8(), engine.size),
        "action_mask": pa.list_(pa.int8(), engine.actions),
        "action": pa.int16(),
        "reward_to_go": pa.float32(),
    }
    return pa.schema(columns.items(), metadata={METADATA: json.dumps(about)})


def _table(schema: pa.Schema, decisions: Decisions) -> pa.Table:
    columns = [
        pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
        if values.ndim > 1
        else pa.array(values)
        for values in decisions
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _play(agent: Agent, engine: Engine, seed: int, numbers: range) -> Decisions:
    """Plays some games to their ends and tells every decision."""
    tables = Tables(engine, len(numbers), seed=0, autoreset=False)
    deal(tables, seed, np.arange(numbers.start, numbers.stop))
    seen = tables.observation.reshape(tables.tables, -1)
    paid = np.zeros((tables.tables, tables.players), np.float32)
    steps: list[tuple[Any, ...]] = []
    rows = np.flatnonzero(~tables.done)
    while rows.size:
        seats = tables.seat[rows]
        actions = agent.act(tables, rows)
        steps.append(
            (rows, seats, seen[rows], tables.action_mask[rows], actions, paid[rows, seats])
        )
        tables.step(actions, rows)
        paid[rows] += tables.reward[rows]
        rows = rows[~tables.done[rows]]
    return _in_order(numbers.start, steps, paid)


def _in_order(
    first: int, steps: list[tuple[Any, ...]], payoffs: npt.NDArray[np.float32]
) -> Decisions:
    """The decisions by game; every step was one decision at each table that was still played."""
    rows, seats, seen, masks, actions, before = map(np.concatenate, zip(*steps, strict=True))
    order = np.argsort(rows, kind="stable")
    at = np.repeat(np.arange(len(steps)), [step[0].size for step in steps])
    to_go = payoffs[rows, seats] - before
    return Decisions(
        game=(first + rows[order]).astype(np.int64),
        decision=at[order].astype(np.int32),
        seat=seats[order].astype(np.int8),
        observation=seen[order],
        action_mask=masks[order],
        action=actions[order].astype(np.int16),
        reward_to_go=to_go[order].astype(np.float32),
    )


# ==================================================================== reading


def read_about(file: Path) -> dict[str, Any]:
    """What a file says of itself: game, options, components, encoder, shape, agent, seed."""
    about: dict[str, Any] = json.loads(pq.read_schema(file).metadata[METADATA])
    return about


def read_decisions(file: Path) -> Iterator[Decisions]:
    """The decisions of a file, some dozens of games at a time."""
    shape = tuple(read_about(file)["shape"])
    with pq.ParquetFile(file) as source:
        for group in range(source.num_row_groups):
            table = source.read_row_group(group)
            found = {name: _column(table.column(name)) for name in Decisions._fields}
            found["observation"] = found["observation"].reshape(-1, *shape)
            yield Decisions(**found)


def _column(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    values = column.combine_chunks()
    if pa.types.is_fixed_size_list(values.type):
        width: int = values.type.list_size
        return np.asarray(values.flatten()).reshape(-1, width)
    return np.asarray(values)
