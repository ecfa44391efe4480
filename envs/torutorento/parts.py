"""Options and cards of torutorento: from keywords and a TOML file to one structured record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.options import REWARD, Option, resolve
from tefuda.envs.core.parts import ComponentFile, read_components
from tefuda.envs.core.spec import Setup
from tefuda.envs.torutorento.piles import ONE_HIGH, ONE_LOW
from tefuda.envs.torutorento.state import (
    ACTIONS,
    BODY_1,
    BODY_ROLE,
    CARDS,
    FACE_COUNT,
    FACE_OF,
    FACES,
    FLOWER,
    GAME,
    MAX_CARDS,
    MAX_SEATS,
    PARTS,
    ROLE_CARD,
    SLOTS,
    STAGES,
    TIE_RANKINGS,
)

DATA = Path(__file__).parent / "data"
DEFAULT_COMPONENTS = "reconstruction"

_MOST_ROUNDS = 1000
_MOST_TARGET = 1000
_MOST_BODY = 3

OPTIONS = (
    Option("players", 4, range(2, MAX_SEATS + 1), "number of seats; published: 3, 4 or 5"),
    Option(
        "target",
        20,
        range(1, _MOST_TARGET + 1),
        "points with which a sole leader wins (T21); 8 makes short games",
    ),
    Option(
        "tie_ranking",
        "dense",
        TIE_RANKINGS,
        "the length after equal ones has the next rank, or that of its place (T18)",
    ),
    Option("mimic_body", 1, range(1, _MOST_BODY + 1), "length of a mimic used as a body (T16)"),
    Option(
        "max_rounds", 30, range(1, _MOST_ROUNDS + 1), "rounds after which a game is truncated (T21)"
    ),
    REWARD,
)


@dataclass(frozen=True)
class Facts:
    """What does not follow from the options: the published game's facts, or a variant's own.

    Attributes:
        players: The numbers of seats that the components are for.
        hand_size: Cards in a hand (T6).
        stages: The stages of a round that are played, of `STAGES`.
    """

    players: tuple[int, ...]
    hand_size: int
    stages: tuple[str, ...]


PUBLISHED = Facts(players=(3, 4, 5), hand_size=SLOTS, stages=STAGES)
_RANK_POINTS = (5, 3, 2)
_BUTTERFLY_POINTS = 1
_LEGEND_LENGTH, _LEGEND_POINTS = 10, 4
_FILE_KEYS = ("name", "counts", "variant", "facts")
_FACT_KEYS = ("players", "hand_size", "stages")


def setup(
    players: int | None = None, components: str | Path | None = None, **options: Any
) -> Setup:
    """Settles a game of torutorento.

    Args:
        players: The number of seats, 4 by default.
        components: The name of shipped components or the path of a component file.
        **options: The other options, see `OPTIONS`.

    Raises:
        OptionError: An option is unknown or not allowed.
        ComponentError: The component file is wrong; the message says file, place and fact.
    """
    resolved = resolve(OPTIONS, {"players": players, **options})
    file = read_components(components, DATA, DEFAULT_COMPONENTS)
    facts, counts = read_counts(file)
    seats = resolved.pop("players")
    if seats not in facts.players:
        allowed = ", ".join(str(count) for count in sorted(facts.players))
        raise OptionError(
            f"option players={seats!r} is not allowed; "
            f"the components {file.name!r} are for {allowed} players"
        )
    _check_enough(file, facts, counts, seats)
    return Setup(
        players=seats,
        options=resolved,
        components=file,
        parts=_parts(seats, resolved, facts, counts),
        dtype=GAME,
        actions=ACTIONS,
        max_outcomes=FACE_COUNT,
    )


# ==================================================================== reading a component file


def read_counts(file: ComponentFile) -> tuple[Facts, tuple[int, ...]]:
    """Reads and checks a component file (T1, T1a).

    Returns:
        The facts of the game, and how many cards there are of each face.

    Raises:
        ComponentError: Something is unknown, missing or out of range; the message says where.
    """
    file.only_keys("", file.data, _FILE_KEYS)
    file.get("name", str)
    if "facts" in file.data and "variant" not in file.data:
        file.fail("facts", 'only a research variant (variant = "NAME") may state its own facts')
    facts = _read_facts(file) if "variant" in file.data else PUBLISHED
    file.only_keys("counts", file.get("counts", dict), FACES)
    counts = tuple(_read_count(file, face) for face in FACES)
    if sum(counts) > MAX_CARDS:
        file.fail("counts", f"{sum(counts)} cards in all, but at most {MAX_CARDS} are allowed")
    return facts, counts


def _read_count(file: ComponentFile, face: str) -> int:
    count = file.get(f"counts.{face}", int)
    if count < 0:
        file.fail(f"counts.{face}", f"{count} must be at least 0")
    return count


def _check_enough(file: ComponentFile, facts: Facts, counts: tuple[int, ...], players: int) -> None:
    """A flower for each seat, and for each seat a hand and a card of the market."""
    if counts[FLOWER] < players:
        fact = f"{counts[FLOWER]} flowers, but {players} seats get one each"
        file.fail(f"counts.{FACES[FLOWER]}", fact)
    needed = players * (facts.hand_size + 1)
    if sum(counts) < needed:
        file.fail("counts", f"{sum(counts)} cards in all, but {players} seats need {needed}")


def _read_facts(file: ComponentFile) -> Facts:
    """Reads what a research variant states of itself; what it leaves out is as published."""
    file.get("variant", str)
    file.only_keys("facts", file.get("facts", dict, {}), _FACT_KEYS)
    players = file.get("facts.players", list, list(PUBLISHED.players))
    for index, count in enumerate(players):
        _check_range(file, f"facts.players[{index}]", count, range(2, MAX_SEATS + 1))
    hand_size = file.get("facts.hand_size", int, PUBLISHED.hand_size)
    _check_range(file, "facts.hand_size", hand_size, range(1, SLOTS + 1))
    stages = file.get("facts.stages", list, list(STAGES))
    for index, stage in enumerate(stages):
        if stage not in STAGES:
            allowed = ", ".join(STAGES)
            file.fail(f"facts.stages[{index}]", f"{stage!r} must be one of {allowed}")
    return Facts(tuple(players), hand_size, tuple(stages))


def _check_range(file: ComponentFile, place: str, value: Any, allowed: range) -> None:
    if file.typed(place, value, int) not in allowed:
        file.fail(place, f"{value} must lie between {allowed.start} and {allowed.stop - 1}")


# ==================================================================== the record of parts


def _parts(
    players: int, options: Mapping[str, Any], facts: Facts, counts: tuple[int, ...]
) -> np.ndarray[Any, np.dtype[Any]]:
    """Writes everything that the kernels need to know into one record."""
    parts = np.zeros(1, PARTS)
    record = parts[0]
    record["players"] = players
    record["hand_size"] = facts.hand_size
    record["market"] = players
    for face, count in enumerate(counts):
        record["pack"][0] += ONE_LOW[face] * np.uint64(count)
        record["pack"][1] += ONE_HIGH[face] * np.uint64(count)
    for stage in STAGES:
        record[stage] = stage in facts.stages
    record["body"] = _body_lengths(options["mimic_body"])
    record["target"] = options["target"]
    record["max_rounds"] = options["max_rounds"]
    record["tie_ranking"] = TIE_RANKINGS.index(options["tie_ranking"])
    record["rank_points"] = _RANK_POINTS
    record["butterfly"] = _BUTTERFLY_POINTS
    record["legend_length"] = _LEGEND_LENGTH
    record["legend_points"] = _LEGEND_POINTS
    return parts


def _body_lengths(mimic_body: int) -> list[int]:
    """The length of each card as a body, 0 for all others."""
    bodies = {BODY_1 + number: number + 1 for number in range(_MOST_BODY)}
    lengths = [bodies.get(int(FACE_OF[card]), 0) for card in range(CARDS)]
    lengths[ROLE_CARD + BODY_ROLE] = mimic_body
    return lengths
