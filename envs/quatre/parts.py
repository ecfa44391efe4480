"""Options and components of quatre: from keywords and a TOML file to one structured record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.options import REWARD, Option, resolve
from tefuda.envs.core.parts import ComponentFile, Components, read_components
from tefuda.envs.core.spec import Setup
from tefuda.envs.quatre.state import (
    ADJACENCIES,
    CREAM,
    EVENTS_PER_PLAY,
    FIRST_FRUIT,
    FRUIT_COUNT,
    LANES,
    MARK,
    MAX_COPIES,
    MAX_KINDS,
    MAX_SEATS,
    MAX_TURNS,
    NO_MARK,
    NOTHING,
    ORTHOGONAL,
    PRINTED,
    QUARTER_TURNS,
    SYMBOLS,
    TWO_PLAYER_TURNS,
    Sizes,
    game_dtype,
    parts_dtype,
)

DATA = Path(__file__).parent / "data"
DEFAULT_COMPONENTS = "reconstruction"

OPTIONS = (
    Option("players", 4, range(2, MAX_SEATS + 1), "number of seats (Q5, Q6)"),
    Option(
        "two_player_turns",
        "player",
        TWO_PLAYER_TURNS,
        "with two players, a play a turn for each seat, or for each fruit (Q6)",
        only_with=("players", 2),  # type: ignore[arg-type]  # compared only; Option says words
    ),
    Option("adjacency", "orthogonal", ADJACENCIES, "how fruits of a group touch (Q13)"),
    REWARD,
)

# The published game (Q6, Q13).
PLAYERS = (2, 3, 4)
TURNS = {2: 9, 3: 10, 4: 9}
SCORING_TURNS = (3, 6)
# Which actor owns which fruit (Q5, Q6): with two players a seat owns two, or each fruit acts for
# itself; with three nobody owns the last.
OWNERS_OF_TWO = (0, 1, 0, 1)
OWNERS_OF_THREE = (0, 1, 2, NOBODY)
OWNERS_OF_FOUR = (0, 1, 2, 3)

# Steps to the cells side by side, and over the corners.
SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))

_FILE_KEYS = ("name", "players", "turns", "scoring_turns", "board", "expect", "cards")
_EXPECT_KEYS = ("cards", "kinds", "marks")
_CARD_KEYS = ("copies", "face")

Array = np.ndarray[Any, np.dtype[Any]]
#: A grid of symbols, or of ones where marks are; row by row.
Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Kind:
    """A kind of card as a component file states it: how many there are, and what they show."""

    copies: int
    face: Grid


@dataclass(frozen=True)
class Box:
    """What a component file holds.

    Attributes:
        marks: 1 where the board has a mark (Q3).
        kinds: The kinds of cards (Q2).
        turns: Turns of a game, by player count; the counts that it can be played with (Q6).
        scoring_turns: Turns before the last that end with a scoring, by player count (Q13).
    """

    marks: Grid
    kinds: tuple[Kind, ...]
    turns: Mapping[int, int]
    scoring_turns: Mapping[int, tuple[int, ...]]

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return sum(kind.copies for kind in self.kinds)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the records; the same for every player count and option."""
        plays = max(count * _most_actors(players) for players, count in self.turns.items())
        return Sizes(
            rows=len(self.marks),
            columns=len(self.marks[0]),
            card=len(self.kinds[0].face),
            kinds=len(self.kinds),
            log=EVENTS_PER_PLAY * plays,
        )


def setup(players: int | None = None, components: Components = None, **options: Any) -> Setup:
    """Settles a game of quatre.

    Args:
        players: The number of seats, 4 by default.
        components: The name of shipped components or the path of a component file.
        **options: The other options, see `OPTIONS`.

    Raises:
        OptionError: An option is unknown, not allowed, or does not apply.
        ComponentError: The component file is wrong; the message says file, place and reason.
    """
    resolved = resolve(OPTIONS, {"players": players, **options})
    file = read_components(components, DATA, DEFAULT_COMPONENTS)
    box = read_box(file)
    seats = resolved.pop("players")
    if seats not in box.turns:
        allowed = ", ".join(str(count) for count in sorted(box.turns))
        raise OptionError(
            f"option players={seats!r} is not allowed; "
            f"the components {file.name!r} are for {allowed} players"
        )
    owners = _owners(seats, resolved)
    plays = box.turns[seats] * (1 + max(owners))
    if plays > box.cards:
        file.fail("cards", f"{box.cards} cards, but this game of {seats} players has {plays} plays")
    return Setup(
        players=seats,
        options=resolved,
        components=file,
        parts=_parts(seats, resolved, box, owners),
        dtype=game_dtype(box.sizes),
        actions=box.sizes.actions,
        max_outcomes=box.sizes.kinds,
    )


def _owners(players: int, options: Mapping[str, Any]) -> tuple[int, ...]:
    """The actor of each fruit (Q5, Q6)."""
    if players == 2 and options["two_player_turns"] == "player":
        return OWNERS_OF_TWO
    return OWNERS_OF_THREE if players == 3 else OWNERS_OF_FOUR


def _most_actors(players: int) -> int:
    """Plays in a turn, in the longest reading of the rules (Q6)."""
    return players if players == 3 else FRUIT_COUNT


# ==================================================================== reading a component file


def read_box(file: ComponentFile) -> Box:
    """Reads and checks a component file (Q4).

    Raises:
        ComponentError: The file is wrong; the message says place and reason.
    """
    file.only_keys("", file.data, _FILE_KEYS)
    file.get("name", str)
    marks = _read_grid(file, "board", file.get("board", str), NO_MARK + MARK)
    rows = file.get("cards", list)
    if not 1 <= len(rows) <= MAX_KINDS:
        file.fail("cards", f"{len(rows)} kinds; allowed are 1 to {MAX_KINDS}")
    kinds = tuple(_read_kind(file, f"cards[{index}]", row) for index, row in enumerate(rows))
    _check_sizes(file, marks, kinds)
    _check_expected(file, marks, kinds)
    turns = {count: _read_turns(file, count) for count in _read_players(file)}
    return Box(
        marks=marks,
        kinds=kinds,
        turns=turns,
        scoring_turns={count: _read_scoring(file, count, last) for count, last in turns.items()},
    )


def _read_grid(file: ComponentFile, place: str, text: str, letters: str) -> Grid:
    """Reads a text grid; a symbol is the index of its letter."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines:
        file.fail(place, "is empty")
    for row, line in enumerate(lines):
        for letter in line:
            if letter not in letters:
                allowed = " ".join(letters)
                file.fail(f"{place} row {row}", f"{letter!r} in {line!r} is not one of {allowed}")
        if len(line) != len(lines[0]):
            file.fail(
                f"{place} row {row}",
                f"{line!r} has {len(line)} letters, but row 0 has {len(lines[0])}",
            )
    return tuple(tuple(letters.index(letter) for letter in line) for line in lines)


def _read_kind(file: ComponentFile, place: str, row: Any) -> Kind:
    file.typed(place, row, dict)
    file.only_keys(place, row, _CARD_KEYS)
    for key in _CARD_KEYS:
        if key not in row:
            file.fail(f"{place}.{key}", "is missing")
    copies = file.typed(f"{place}.copies", row["copies"], int)
    if not 1 <= copies <= MAX_COPIES:
        file.fail(f"{place}.copies", f"{copies} must lie between 1 and {MAX_COPIES}")
    face = _read_grid(file, f"{place}.face", file.typed(f"{place}.face", row["face"], str), SYMBOLS)
    if len(face) != len(face[0]):
        file.fail(f"{place}.face", f"{len(face)} rows of {len(face[0])} letters are no square")
    if all(symbol == NOTHING for line in face for symbol in line):
        file.fail(f"{place}.face", "the card shows neither fruit nor cream")
    return Kind(copies, face)


def _check_sizes(file: ComponentFile, marks: Grid, kinds: tuple[Kind, ...]) -> None:
    """Cards of one size, and a board that the lanes can hold."""
    size = len(kinds[0].face)
    for index, kind in enumerate(kinds):
        if len(kind.face) != size:
            has = len(kind.face)
            file.fail(f"cards[{index}].face", f"{has} x {has}, but cards[0] is {size} x {size}")
    rows, columns = len(marks), len(marks[0])
    if not any(any(line) for line in marks):
        file.fail("board", "the board has no mark")
    if columns + size - 1 > LANES:
        file.fail(
            "board", f"{columns} columns with cards of {size} x {size}; "
            f"columns + card size - 1 may be at most {LANES}"
        )  # fmt: skip
    if rows + 2 * (size - 1) > LANES:
        file.fail(
            "board", f"{rows} rows with cards of {size} x {size}; "
            f"rows + 2 (card size - 1) may be at most {LANES}"
        )  # fmt: skip


def _check_expected(file: ComponentFile, marks: Grid, kinds: tuple[Kind, ...]) -> None:
    """The facts that the file states of itself."""
    file.only_keys("expect", file.get("expect", dict, {}), _EXPECT_KEYS)
    found = {
        "cards": sum(kind.copies for kind in kinds),
        "kinds": len(kinds),
        "marks": sum(sum(line) for line in marks),
    }
    for key, count in found.items():
        stated = file.get(f"expect.{key}", int, count)
        if stated != count:
            file.fail(f"expect.{key}", f"{stated} are stated, but the file has {count}")


def _read_players(file: ComponentFile) -> tuple[int, ...]:
    counts = file.get("players", list, list(PLAYERS))
    for index, count in enumerate(counts):
        place = f"players[{index}]"
        if file.typed(place, count, int) not in PLAYERS:
            file.fail(place, f"{count} must be 2, 3 or 4")
        if count in counts[:index]:
            file.fail(place, f"{count} stands there twice")
    if not counts:
        file.fail("players", "is empty")
    return tuple(counts)


def _read_turns(file: ComponentFile, players: int) -> int:
    """Turns of a game: one number for all player counts, or a table, or as published (Q6)."""
    place, value = _for_players(file, "turns", players, TURNS[players])
    turns = file.typed(place, value, int)
    if not 1 <= turns <= MAX_TURNS:
        file.fail(place, f"{turns} must lie between 1 and {MAX_TURNS}")
    return turns


def _read_scoring(file: ComponentFile, players: int, turns: int) -> tuple[int, ...]:
    """Turns with a scoring before the last turn, whose scoring needs no word (Q13)."""
    published = [turn for turn in SCORING_TURNS if turn <= turns]
    place, value = _for_players(file, "scoring_turns", players, published)
    listed = file.typed(place, value, list)
    for index, turn in enumerate(listed):
        here = f"{place}[{index}]"
        if not 1 <= file.typed(here, turn, int) <= turns:
            file.fail(here, f"{turn} must lie between 1 and {turns}, the last turn")
        if index > 0 and turn <= listed[index - 1]:
            file.fail(here, f"{turn} must be larger than {listed[index - 1]} before it")
    return tuple(turn for turn in listed if turn < turns)


def _for_players(file: ComponentFile, key: str, players: int, default: Any) -> tuple[str, Any]:
    """Place and value of a key that may be a table by player count."""
    value = file.data.get(key, default)
    if not isinstance(value, dict):
        return key, value
    file.only_keys(key, value, tuple(str(count) for count in PLAYERS))
    place = f"{key}.{players}"
    return place, value.get(str(players), default)


# ==================================================================== the record of parts


def _parts(players: int, options: Mapping[str, Any], box: Box, owners: tuple[int, ...]) -> Array:
    """Writes everything that the kernels need to know into one record."""
    parts = np.zeros(1, parts_dtype(box.sizes))
    record = parts[0]
    actors = 1 + max(owners)
    record["players"] = players
    record["actors"] = actors
    record["actor_seat"][:actors] = np.arange(actors) % players
    record["owner"] = owners
    record["adjacency"] = ADJACENCIES.index(options["adjacency"])
    record["turns"] = box.turns[players]
    _write_scorings(record, (*box.scoring_turns[players], box.turns[players]))
    record["cards"] = box.cards
    record["copies"] = [kind.copies for kind in box.kinds]
    record["marks"] = box.marks
    _write_neighbours(record)
    for index, kind in enumerate(box.kinds):
        _write_kind(record, index, np.array(kind.face, np.int8), box.sizes)
    for seat in range(players):
        _write_view(record, seat, box.kinds)
    return parts


def _write_scorings(record: Any, turns: tuple[int, ...]) -> None:
    """Which turns (counted from 1) are scored, and how far off a scoring is."""
    record["scorings"] = len(turns)
    for turn in range(turns[-1]):
        record["scores_after"][turn] = turn + 1 in turns
        record["to_scoring"][turn] = min(later - turn for later in turns if later > turn)


def _write_neighbours(record: Any) -> None:
    """The marks on which fruits of a group can lie beside each mark (Q13)."""
    marks = record["marks"]
    near = SIDES if record["adjacency"] == ORTHOGONAL else (*SIDES, *CORNERS)
    for row, column in np.argwhere(marks):
        steps = [(row + down, column + right) for down, right in near]
        inside = [(r, c) for r, c in steps if 0 <= r < marks.shape[0] and 0 <= c < marks.shape[1]]
        cells = [r * marks.shape[1] + c for r, c in inside if marks[r, c]]
        cell = row * marks.shape[1] + column
        record["neighbour_count"][cell] = len(cells)
        record["neighbours"][cell, : len(cells)] = cells


def _write_kind(record: Any, kind: int, face: Array, sizes: Sizes) -> None:
    """A card's turned faces, where it may lie for its marks' sake, and where it is bare."""
    turns = [np.rot90(face, -turn) for turn in range(QUARTER_TURNS)]
    for turn, turned in enumerate(turns):
        record["face"][kind, turn] = turned.ravel()
        alike = [earlier for earlier in range(turn + 1) if np.array_equal(turns[earlier], turned)]
        record["same_turn"][kind, turn] = alike[0]
        rows, columns = np.nonzero(turned)
        record["printed"][kind] = rows.size
        record["cell_row"][kind, turn, : rows.size] = rows
        record["cell_column"][kind, turn, : rows.size] = columns
        record["cell_symbol"][kind, turn, : rows.size] = turned[rows, columns]
    record["on_marks"][kind] = _lanes_on_marks(record["marks"], turns)
    for row in range(sizes.card):
        for column in range(sizes.card):
            bare = [turned[row, column] in (NOTHING, CREAM) for turned in turns]
            lanes = sum(bare[bit % QUARTER_TURNS] << bit for bit in range(LANES * QUARTER_TURNS))
            record["bare"][kind, row, column] = lanes


def _lanes_on_marks(marks: Array, turns: list[Array]) -> Array:
    """Lanes where every printed cell of a turned card lies on a mark (Q9).

    A turn that looks like a smaller one has no place at all.
    """
    overhang = turns[0].shape[0] - 1
    padded = np.pad(marks != 0, overhang)
    rows, columns = (length + overhang for length in marks.shape)
    lanes = np.zeros(rows, np.uint64)
    for turn, turned in enumerate(turns):
        if any(np.array_equal(earlier, turned) for earlier in turns[:turn]):
            continue
        lies = np.ones((rows, columns), np.bool_)
        for row, column in np.argwhere(turned != NOTHING):
            lies &= padded[row : row + rows, column : column + columns]
        shifts = np.arange(columns, dtype=np.uint64) * np.uint64(QUARTER_TURNS) + np.uint64(turn)
        lanes |= np.bitwise_or.reduce(lies.astype(np.uint64) << shifts, axis=1)
    return lanes


# ==================================================================== how seats see things


def _write_view(record: Any, seat: int, kinds: tuple[Kind, ...]) -> None:
    """The order in which a seat's observations show symbols, actors and kinds: own first.

    Fruits and actors go round from the own one; a fruit that nobody owns stays last.
    """
    actors = int(record["actors"])
    owned = int(np.sum(record["owner"] != NOBODY))
    fruits = [*np.roll(np.arange(owned), -seat).tolist(), *range(owned, FRUIT_COUNT)]
    symbols = [FIRST_FRUIT + fruit for fruit in fruits]
    record["symbol_at"][seat] = [CREAM, *symbols]
    record["symbol_place"][seat, record["symbol_at"][seat]] = np.arange(PRINTED)
    record["actor_at"][seat, :actors] = np.roll(np.arange(actors), -seat)
    record["actor_place"][seat, :actors] = np.argsort(record["actor_at"][seat, :actors])
    places = _kind_places(kinds, symbols)
    record["kind_place"][seat] = places
    record["kind_at"][seat] = np.argsort(places)


def _kind_places(kinds: tuple[Kind, ...], symbols: list[int]) -> list[int]:
    """Where each kind stands in the list of a seat that sees `symbols` in this order.

    A kind takes the place of the kind that looks to seat 0 as this one looks to the seat, so that
    a deck which treats the fruits alike looks the same to every seat. Other decks keep the order
    of their file.
    """
    seen_as = {NOTHING: NOTHING, CREAM: CREAM}
    seen_as.update({symbol: FIRST_FRUIT + place for place, symbol in enumerate(symbols)})
    looks = [Kind(kind.copies, _translate(kind.face, seen_as)) for kind in kinds]
    if len(set(kinds)) == len(kinds) and set(looks) == set(kinds):
        return [kinds.index(look) for look in looks]
    return list(range(len(kinds)))


def _translate(face: Grid, seen_as: Mapping[int, int]) -> Grid:
    return tuple(tuple(seen_as[symbol] for symbol in line) for line in face)
