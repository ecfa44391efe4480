"""Options and decks of gacha: from keywords and a TOML file to one structured record."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.options import REWARD, Option, resolve
from tefuda.envs.core.parts import ComponentFile, read_components
from tefuda.envs.core.spec import Setup
from tefuda.envs.gacha.state import (
    ACTIONS,
    BLACK,
    COLOUR_SETS,
    COLOURS,
    GAME,
    MAX_CARDS,
    MAX_SEATS,
    MAX_TRICKS,
    NEXT_LEADERS,
    PARTS,
    SCORINGS,
    TIES,
    TRUMP_DRAWS,
)

DATA = Path(__file__).parent / "data"
DEFAULT_COMPONENTS = "reconstruction"

_MOST_ROUNDS = 1000
_MOST_ICONS = 2
_DUST = {"dust1": 1, "dust2": 2, "dust3": 3}
_ICONS = ("gacha", "revo", "redraw", *_DUST)

OPTIONS = (
    Option("players", 4, range(2, MAX_SEATS + 1), "number of seats; published: 3, 4 or 5"),
    Option("scoring", "wp", SCORINGS, "win points by rank, or victory points (G26-G28)"),
    Option(
        "rounds",
        None,
        range(1, _MOST_ROUNDS + 1),
        "rounds of a game; as many as players unless given (G28)",
        only_with=("scoring", "vp"),
    ),
    Option(
        "max_rounds",
        20,
        range(1, _MOST_ROUNDS + 1),
        "rounds after which a game is truncated (G29)",
        only_with=("scoring", "wp"),
    ),
    Option("trump_draw", "bag", TRUMP_DRAWS, "balls stay out, or one of five every time (G22)"),
    Option("next_leader", "rotate", NEXT_LEADERS, "who leads the next round (G7)"),
    Option(
        "tie",
        "share",
        TIES,
        "equals share the win, or draw a card for it (G28)",
        only_with=("scoring", "vp"),
    ),
    REWARD,
)


@dataclass(frozen=True)
class Card:
    """A card as a deck file states it: its colour index and its icons."""

    colour: int
    icons: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """What a deck must agree with: the published game's facts, or a research variant's own.

    Attributes:
        cards: Cards in use, by player count; they are the numbers 1 to this.
        colours: Cards of each colour in the whole deck.
        hand_size: Cards dealt to each seat.
        tricks: Tricks in a round.
        misere: VP of a seat without a trick, by player count and number of such seats (G25).
        rank_wp: WP by rank, by player count (G26).
        target: WP that end a game (G27).
    """

    cards: Mapping[int, int]
    colours: tuple[int, ...]
    hand_size: int
    tricks: int
    misere: Mapping[int, tuple[int, ...]]
    rank_wp: Mapping[int, tuple[int, ...]]
    target: int


PUBLISHED = Facts(
    cards={3: 39, 4: 49, 5: 55},
    colours=(10, 10, 10, 10, 10, 5),
    hand_size=10,
    tricks=10,
    misere={3: (8, 4), 4: (6, 3, 2), 5: (4, 2, 1, 1)},
    rank_wp={3: (2, 1), 4: (2, 1), 5: (2, 1, 1)},
    target=4,
)
_FIVE_SET_VP, _FOUR_SET_VP = 3, 1
_FILE_KEYS = ("name", "cards", "variant", "facts")
_CARD_KEYS = ("number", "colour", "icons")
_FACT_KEYS = ("colours", "hand_size", "tricks", "target", "players")
_PLAYER_KEYS = ("cards", "misere", "rank_wp")


def setup(
    players: int | None = None, components: str | Path | None = None, **options: Any
) -> Setup:
    """Settles a game of gacha.

    Args:
        players: The number of seats, 4 by default.
        components: The name of a shipped deck or the path of a deck file.
        **options: The other options, see `OPTIONS`.

    Raises:
        OptionError: An option is unknown, not allowed, or does not apply.
        ComponentError: The deck file is wrong; the message says file, place and fact.
    """
    resolved = resolve(OPTIONS, {"players": players, **options})
    file = read_components(components, DATA, DEFAULT_COMPONENTS)
    facts, cards = read_deck(file)
    seats = resolved.pop("players")
    if seats not in facts.cards:
        allowed = ", ".join(str(count) for count in sorted(facts.cards))
        raise OptionError(
            f"option players={seats!r} is not allowed; "
            f"the components {file.name!r} are for {allowed} players"
        )
    if resolved.get("rounds", seats) is None:
        resolved["rounds"] = seats
    return Setup(
        players=seats,
        options=resolved,
        components=file,
        parts=_parts(seats, resolved, facts, cards),
        dtype=GAME,
        actions=ACTIONS,
        max_outcomes=MAX_CARDS,
        max_events=_max_events(seats, resolved, facts),
    )


def _max_events(players: int, options: Mapping[str, Any], facts: Facts) -> int:
    """First leader; in each round deals and tricks; a tie card a seat.

    In a trick: a follow type, a ball, and for each seat a play, an answer, a card from the stock,
    a return and a discard.
    """
    trick = 2 + 5 * players
    each = players * facts.hand_size + facts.tricks * trick
    rounds: int = options.get("rounds", options.get("max_rounds"))
    return 1 + rounds * each + players


# ==================================================================== reading a deck


def read_deck(file: ComponentFile) -> tuple[Facts, tuple[Card, ...]]:
    """Reads and checks a deck (G1, G3, G4).

    Returns:
        The facts that it agrees with, and its cards in the order of their numbers.

    Raises:
        ComponentError: The deck breaks a fact; the message says place and fact.
    """
    file.only_keys("", file.data, _FILE_KEYS)
    file.get("name", str)
    facts = _read_facts(file) if "variant" in file.data else PUBLISHED
    if "facts" in file.data and "variant" not in file.data:
        file.fail("facts", 'only a research variant (variant = "NAME") may state its own facts')
    rows = file.get("cards", list)
    cards = [_read_card(file, f"cards[{index}]", row) for index, row in enumerate(rows)]
    _check_numbers(file, [row["number"] for row in rows], sum(facts.colours))
    _check_colours(file, cards, facts.colours)
    in_order = sorted(zip((row["number"] for row in rows), cards, strict=True))
    return facts, tuple(card for _, card in in_order)


def _read_card(file: ComponentFile, place: str, row: Any) -> Card:
    file.typed(place, row, dict)
    file.only_keys(place, row, _CARD_KEYS)
    for key in ("number", "colour"):
        if key not in row:
            file.fail(f"{place}.{key}", "is missing")
    file.typed(f"{place}.number", row["number"], int)
    colour = _read_word(file, f"{place}.colour", row["colour"], COLOURS)
    listed = file.typed(f"{place}.icons", row.get("icons", []), list)
    icons = tuple(
        _read_word(file, f"{place}.icons[{k}]", icon, _ICONS) for k, icon in enumerate(listed)
    )
    _check_icons(file, f"{place}.icons", icons, colour)
    return Card(COLOURS.index(colour), icons)


def _read_word(file: ComponentFile, place: str, word: Any, allowed: tuple[str, ...]) -> str:
    if word not in allowed:
        file.fail(place, f"{word!r} must be one of {', '.join(allowed)}")
    return str(word)


def _check_icons(file: ComponentFile, place: str, icons: tuple[str, ...], colour: str) -> None:
    if len(icons) > _MOST_ICONS:
        file.fail(place, f"{len(icons)} icons, but a card has at most {_MOST_ICONS}")
    kinds = ["dust" if icon in _DUST else icon for icon in icons]
    if len(set(kinds)) < len(kinds):
        file.fail(place, f"{list(icons)} has the same icon twice")
    if "dust" in kinds and colour != COLOURS[BLACK]:
        file.fail(place, f"dust on a {colour} card, but only black cards carry dust")


def _check_numbers(file: ComponentFile, numbers: list[int], count: int) -> None:
    """Every number from 1 to `count` stands once."""
    seen: dict[int, int] = {}
    for index, number in enumerate(numbers):
        place = f"cards[{index}].number"
        if not 1 <= number <= count:
            file.fail(place, f"{number} must be one of the numbers 1 to {count}")
        if number in seen:
            file.fail(place, f"{number} stands already at cards[{seen[number]}]")
        seen[number] = index
    missing = next((number for number in range(1, count + 1) if number not in seen), None)
    if missing is not None:
        file.fail("cards", f"the number {missing} is missing; 1 to {count} must stand once each")


def _check_colours(file: ComponentFile, cards: list[Card], wanted: tuple[int, ...]) -> None:
    for colour, count in enumerate(wanted):
        having = [index for index, card in enumerate(cards) if card.colour == colour]
        if len(having) != count:
            place = f"cards[{having[-1]}].colour" if len(having) > count else "cards"
            file.fail(place, f"{len(having)} {COLOURS[colour]} cards, but there must be {count}")


# ==================================================================== facts of a variant


def _read_facts(file: ComponentFile) -> Facts:
    """Reads what a research variant states of itself (G4), within the record's limits."""
    file.get("variant", str)
    file.only_keys("facts", file.get("facts", dict), _FACT_KEYS)
    counts = file.get("facts.colours", dict)
    file.only_keys("facts.colours", counts, COLOURS)
    colours = tuple(
        _read_int(file, f"facts.colours.{name}", range(MAX_CARDS + 1), default=0)
        for name in COLOURS
    )
    if not 1 <= sum(colours) <= MAX_CARDS:
        file.fail("facts.colours", f"{sum(colours)} cards in all; allowed are 1 to {MAX_CARDS}")
    hand_size = _read_int(file, "facts.hand_size", range(1, MAX_CARDS + 1))
    tricks = _read_int(file, "facts.tricks", range(1, min(hand_size, MAX_TRICKS) + 1))
    target = _read_int(file, "facts.target", range(1, 1000), default=PUBLISHED.target)
    players = [_read_players(file, key) for key in file.get("facts.players", dict)]
    for count in players:
        fewest = count * hand_size
        _read_int(file, f"facts.players.{count}.cards", range(fewest, sum(colours) + 1))
    return Facts(
        cards={count: file.get(f"facts.players.{count}.cards", int) for count in players},
        colours=colours,
        hand_size=hand_size,
        tricks=tricks,
        misere={count: _read_table(file, count, "misere", count - 1) for count in players},
        rank_wp={count: _read_table(file, count, "rank_wp", count) for count in players},
        target=target,
    )


def _read_players(file: ComponentFile, key: str) -> int:
    place = f"facts.players.{key}"
    if key not in {str(count) for count in range(2, MAX_SEATS + 1)}:
        file.fail(place, f"{key!r} must be a number of players from 2 to {MAX_SEATS}")
    file.only_keys(place, file.get(place, dict), _PLAYER_KEYS)
    return int(key)


def _read_int(file: ComponentFile, place: str, allowed: range, default: int | None = None) -> int:
    value = file.get(place, int, default)
    if value not in allowed:
        file.fail(place, f"{value} must lie between {allowed.start} and {allowed.stop - 1}")
    return value


def _read_table(file: ComponentFile, players: int, key: str, most: int) -> tuple[int, ...]:
    """Reads a table of points; ranks or counts beyond its end get nothing."""
    place = f"facts.players.{players}.{key}"
    values = file.get(place, list)
    if len(values) > most:
        file.fail(place, f"{len(values)} values, but at most {most} have a meaning")
    for index, value in enumerate(values):
        if file.typed(f"{place}[{index}]", value, int) not in range(1000):
            file.fail(f"{place}[{index}]", f"{value} must lie between 0 and 999")
    return tuple(values)


# ==================================================================== the record of parts


def _parts(
    players: int, options: Mapping[str, Any], facts: Facts, cards: tuple[Card, ...]
) -> np.ndarray[Any, np.dtype[Any]]:
    """Writes everything that the kernels need to know into one record."""
    parts = np.zeros(1, PARTS)
    record = parts[0]
    record["players"] = players
    record["cards"] = facts.cards[players]
    record["hand_size"] = facts.hand_size
    record["tricks"] = facts.tricks
    record["scoring"] = SCORINGS.index(options["scoring"])
    record["rounds"] = options.get("rounds", options.get("max_rounds"))
    record["trump_draw"] = TRUMP_DRAWS.index(options["trump_draw"])
    record["next_leader"] = NEXT_LEADERS.index(options["next_leader"])
    record["tie"] = TIES.index(options.get("tie", TIES[0]))
    record["target"] = facts.target
    record["five_set"] = _FIVE_SET_VP
    record["four_set"] = _FOUR_SET_VP
    misere, ranks = facts.misere[players], facts.rank_wp[players]
    record["misere"][1 : 1 + len(misere)] = misere
    record["rank_wp"][: len(ranks)] = ranks
    _write_cards(record, cards[: facts.cards[players]])
    return parts


def _write_cards(record: Any, cards: tuple[Card, ...]) -> None:
    for card, face in enumerate(cards):
        record["colour"][card] = face.colour
        for icon in face.icons:
            record["dust" if icon in _DUST else icon][card] = _DUST.get(icon, 1)
    for colours in range(COLOUR_SETS):
        of_colours = [card for card, face in enumerate(cards) if colours >> face.colour & 1]
        record["of_colours"][colours] = sum(1 << card for card in of_colours)
