"""Deck files of gacha: the shipped one, wrong ones, and decks of research variants (G4)."""

import hashlib
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.gacha import COLOURS, DECK, asked, card_line, outcomes, random_action, short_deck
from tefuda.envs import Game, make_vec
from tefuda.envs.core.errors import ComponentError, OptionError
from tefuda.envs.core.parts import parse_components

pytestmark = pytest.mark.rule("G4")

SHIPPED = Game("gacha_v0", seed=(0, 0, 0)).engine.setup.components.text
VARIANT = short_deck(3, 2).text
RED_1 = '{ number = 1, colour = "red" }'
PURPLE_6 = '{ number = 6, colour = "purple", icons = ["gacha"] }'
BLACK_55 = '{ number = 55, colour = "black", icons = ["dust3"] }'


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def edited(text: str, old: str, new: str) -> str:
    """The text with its only occurrence of `old` replaced."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def start(**options: Any) -> Game:
    return Game("gacha_v0", seed=(0, 0, 0), **options)


# ==================================================================== the shipped deck


@pytest.mark.rule("G1", "G2", "G3", "G4")
def test_the_shipped_deck_keeps_the_stated_facts() -> None:
    """G4: the file as it stands is the deck of the page."""
    data = parse_components(SHIPPED, "shipped").data
    assert data["name"] == "reconstruction"
    found = {row["number"]: (row["colour"], tuple(row.get("icons", ()))) for row in data["cards"]}
    assert len(data["cards"]) == 55
    assert found == {number: (COLOURS[card.colour], card.icons) for number, card in DECK.items()}


@pytest.mark.rule("G4")
def test_a_copy_of_the_shipped_deck_plays_the_same(tmp_path: Path) -> None:
    """G4: a path and a shipped name are the same rules; only the record carries the text."""
    own = start(components=write(tmp_path, SHIPPED))
    shipped = start(components="reconstruction")
    own.settle()
    shipped.settle()
    assert own.values == shipped.values
    np.testing.assert_array_equal(own.engine.parts, shipped.engine.parts)
    assert own.record()["components"] == {
        **shipped.record()["components"], "text": SHIPPED,
    }  # fmt: skip


@pytest.mark.rule("G4")
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_do_not_change_the_hash(tmp_path: Path, end: str) -> None:
    """The sha256 is that of the text with its lines ended by a newline alone."""
    path = tmp_path / "mine.toml"
    path.write_bytes(SHIPPED.replace("\n", end).encode())
    described = start(components=path).record()["components"]
    assert described["sha256"] == hashlib.sha256(SHIPPED.encode()).hexdigest()
    assert described["text"] == SHIPPED


@pytest.mark.rule("G4")
def test_order_of_the_rows_means_nothing(tmp_path: Path) -> None:
    """G4: cards may stand in any order, their number tells them apart."""
    first, last = edited(SHIPPED, RED_1, "FIRST"), BLACK_55
    text = edited(first, last, RED_1).replace("FIRST", last)
    own, shipped = start(components=write(tmp_path, text)), start()
    np.testing.assert_array_equal(own.engine.parts, shipped.engine.parts)


@pytest.mark.rule("G3", "G4")
def test_changed_icons_are_played(tmp_path: Path) -> None:
    """G4: which icons a card carries is the file's affair, within the facts."""
    new = '{ number = 1, colour = "red", icons = ["redraw", "gacha"] }'
    game = start(components=write(tmp_path, edited(SHIPPED, RED_1, new)), players=3)
    game.apply_chance(0)
    while game.node == "chance":
        game.apply_chance(outcomes(game)[0])
    game.apply(112)
    game.apply(0)
    assert asked(game) == "redraw"


# ==================================================================== wrong decks

WRONG_CARDS = [
    # old, new, place, words of the broken fact
    (
        RED_1,
        '{ number = 0, colour = "red" }',
        "cards[0].number",
        "0 must be one of the numbers 1 to 55",
    ),
    (
        BLACK_55,
        '{ number = 56, colour = "black" }',
        "cards[54].number",
        "56 must be one of the numbers 1 to 55",
    ),
    (RED_1, '{ number = 7, colour = "red" }', "cards[6].number", "7 stands already at cards[0]"),
    (RED_1 + ",\n", "\n", "cards", "the number 1 is missing; 1 to 55 must stand once each"),
    (BLACK_55 + ",\n", "\n", "cards", "the number 55 is missing"),
    (RED_1, '{ colour = "red" }', "cards[0].number", "is missing"),
    (RED_1, '{ number = "1", colour = "red" }', "cards[0].number", "'1' must be an integer"),
    (RED_1, '{ number = 1.0, colour = "red" }', "cards[0].number", "1.0 must be an integer"),
    (RED_1, '{ number = true, colour = "red" }', "cards[0].number", "True must be an integer"),
    (RED_1, "{ number = 1 }", "cards[0].colour", "is missing"),
    (RED_1, '{ number = 1, colour = "blue" }', "cards", "9 red cards, but there must be 10"),
    (
        BLACK_55,
        '{ number = 55, colour = "red" }',
        "cards[54].colour",
        "11 red cards, but there must be 10",
    ),
    (RED_1, '{ number = 1, colour = "black" }', "cards", "9 red cards, but there must be 10"),
    (
        RED_1,
        '{ number = 1, colour = "pink" }',
        "cards[0].colour",
        "'pink' must be one of red, blue, yellow",
    ),
    (RED_1, '{ number = 1, colour = "Red" }', "cards[0].colour", "'Red' must be one of"),
    (RED_1, "{ number = 1, colour = 0 }", "cards[0].colour", "0 must be one of"),
    (
        RED_1,
        '{ number = 1, color = "red" }',
        "cards[0].color",
        "is not known; allowed are number, colour, icons",
    ),
    (
        PURPLE_6,
        '{ number = 6, colour = "purple", icons = ["dust1"] }',
        "cards[5].icons",
        "dust on a purple card, but only black cards carry dust",
    ),
    (
        PURPLE_6,
        '{ number = 6, colour = "purple", icons = ["gacha", "revo", "redraw"] }',
        "cards[5].icons",
        "3 icons, but a card has at most 2",
    ),
    (
        PURPLE_6,
        '{ number = 6, colour = "purple", icons = ["gacha", "gacha"] }',
        "cards[5].icons",
        "has the same icon twice",
    ),
    (
        BLACK_55,
        '{ number = 55, colour = "black", icons = ["dust1", "dust2"] }',
        "cards[54].icons",
        "has the same icon twice",
    ),
    (
        PURPLE_6,
        '{ number = 6, colour = "purple", icons = ["gatcha"] }',
        "cards[5].icons[0]",
        "'gatcha' must be one of gacha, revo, redraw, dust1",
    ),
    (
        BLACK_55,
        '{ number = 55, colour = "black", icons = ["gacha", "dust4"] }',
        "cards[54].icons[1]",
        "'dust4' must be one of",
    ),
    (
        BLACK_55,
        '{ number = 55, colour = "black", icons = [["dust3"]] }',
        "cards[54].icons[0]",
        "must be one of",
    ),
    (
        PURPLE_6,
        '{ number = 6, colour = "purple", icons = "gacha" }',
        "cards[5].icons",
        "'gacha' must be a list",
    ),
    (RED_1, "1", "cards[0]", "1 must be a table"),
    ('name = "reconstruction"\n', "", "name", "is missing"),
    ('name = "reconstruction"\n', "name = 3\n", "name", "3 must be a text"),
    (
        'name = "reconstruction"\n',
        'name = "mine"\nedition = 2\n',
        "edition",
        "is not known; allowed are name, cards",
    ),
    (
        'name = "reconstruction"\n',
        'name = "mine"\nfacts = { hand_size = 5 }\n',
        "facts",
        "only a research variant",
    ),
    ('name = "reconstruction"\n', 'name = "mine"\nvariant = "small"\n', "facts", "is missing"),
]


@pytest.mark.rule("G4")
@pytest.mark.parametrize(("old", "new", "place", "fact"), WRONG_CARDS)
def test_a_broken_fact_is_refused(
    tmp_path: Path, old: str, new: str, place: str, fact: str
) -> None:
    """G4: the message says file, place (key and index) and the broken fact."""
    path = write(tmp_path, edited(SHIPPED, old, new))
    with pytest.raises(ComponentError) as error:
        start(components=path)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert fact in str(error.value)


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    ("text", "place", "fact"),
    [
        ('name = "mine"\n', "cards", "is missing"),
        ('name = "mine"\ncards = 3\n', "cards", "3 must be a list"),
        ('name = "mine"\ncards = []\n', "cards", "the number 1 is missing"),
        ("", "name", "is missing"),
    ],
)
def test_a_file_without_cards_is_refused(tmp_path: Path, text: str, place: str, fact: str) -> None:
    """G4: the cards must be there."""
    with pytest.raises(ComponentError, match=rf"mine\.toml: {place}: {fact}"):
        start(components=write(tmp_path, text))


@pytest.mark.rule("G4")
def test_a_file_that_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    """The parser's place is passed on."""
    path = write(tmp_path, SHIPPED.replace(RED_1, "{ number = 1, colour = red }"))
    line = SHIPPED[: SHIPPED.index(RED_1)].count("\n") + 1
    with pytest.raises(ComponentError, match=rf"mine\.toml: not a TOML file: .*line {line}\b"):
        start(components=path)


@pytest.mark.rule("G4")
def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    """Not with a bare UnicodeDecodeError."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"name = 'caf\xe9'\n")
    with pytest.raises(ComponentError, match=r"mine\.toml.*cannot be read"):
        start(components=path)


@pytest.mark.rule("G4")
@pytest.mark.parametrize("name", ["nowhere.toml", "first_edition", "reconstruction.tom"])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    """The message lists what is allowed."""
    with pytest.raises(ComponentError, match=f"{re.escape(name)}.*'reconstruction'"):
        start(components=name)


# ==================================================================== research variants

LAST_CARD = card_line(55, "black", ["dust3"]) + "\n"
WRONG_FACTS = [
    ("hand_size = 2", "hand_size = 0", "facts.hand_size", "0 must lie between 1 and 55"),
    ("hand_size = 2", "hand_size = 1", "facts.tricks", "2 must lie between 1 and 1"),
    ("hand_size = 2\n", "", "facts.hand_size", "is missing"),
    ("hand_size = 2", 'hand_size = "two"', "facts.hand_size", "'two' must be an integer"),
    ("hand_size = 2", "hand_size = 14", "facts.players.3.cards", "39 must lie between 42 and 55"),
    ("tricks = 2", "tricks = 3", "facts.tricks", "3 must lie between 1 and 2"),
    ("tricks = 2\n", "", "facts.tricks", "is missing"),
    ("tricks = 2", "tricks = 2\ntarget = 0", "facts.target", "0 must lie between 1 and 999"),
    ("tricks = 2", "tricks = 2\nrounds = 3", "facts.rounds", "is not known; allowed are colours"),
    ("red = 10", "red = 11", "facts.colours", "56 cards in all; allowed are 1 to 55"),
    (LAST_CARD, "", "cards", "the number 55 is missing; 1 to 55 must stand once each"),
    ("red = 10", "red = 9", "cards[54].number", "55 must be one of the numbers 1 to 54"),
    ("red = 10\nblue = 10", "red = 11\nblue = 9", "cards", "10 red cards, but there must be 11"),
    (
        "red = 10\nblue = 10",
        "red = 9\nblue = 11",
        "cards[53].colour",
        "10 red cards, but there must be 9",
    ),
    ("red = 10", "red = -1", "facts.colours.red", "-1 must lie between 0 and 55"),
    ("red = 10", "pink = 10", "facts.colours.pink", "is not known; allowed are red"),
    ("black = 5", "black = 50", "facts.colours", "100 cards in all; allowed are 1 to 55"),
    (
        "[facts.players.3]",
        "[facts.players.1]",
        "facts.players.1",
        "'1' must be a number of players from 2 to 5",
    ),
    (
        "[facts.players.3]",
        "[facts.players.6]",
        "facts.players.6",
        "'6' must be a number of players from 2 to 5",
    ),
    (
        "[facts.players.3]",
        "[facts.players.three]",
        "facts.players.three",
        "'three' must be a number",
    ),
    ("cards = 39", "cards = 5", "facts.players.3.cards", "5 must lie between 6 and 55"),
    ("cards = 39", "cards = 56", "facts.players.3.cards", "56 must lie between 6 and 55"),
    ("cards = 39\n", "", "facts.players.3.cards", "is missing"),
    (
        "cards = 39",
        "cards = 39\nstock = 3",
        "facts.players.3.stock",
        "is not known; allowed are cards",
    ),
    (
        "misere = [8, 4]",
        "misere = [8, 4, 2]",
        "facts.players.3.misere",
        "3 values, but at most 2 have a meaning",
    ),
    (
        "misere = [8, 4]",
        "misere = [8, -4]",
        "facts.players.3.misere[1]",
        "-4 must lie between 0 and 999",
    ),
    ("misere = [8, 4]", "misere = [8, 0.5]", "facts.players.3.misere[1]", "0.5 must be an integer"),
    ("misere = [8, 4]", "misere = 8", "facts.players.3.misere", "8 must be a list"),
    ("misere = [8, 4]\n", "", "facts.players.3.misere", "is missing"),
    (
        "rank_wp = [2, 1]",
        "rank_wp = [4, 3, 2, 1]",
        "facts.players.3.rank_wp",
        "4 values, but at most 3 have a meaning",
    ),
    ("rank_wp = [2, 1]\n", "", "facts.players.3.rank_wp", "is missing"),
    ('variant = "short hands"', "variant = 3", "variant", "3 must be a text"),
]


@pytest.mark.rule("G4")
@pytest.mark.parametrize(("old", "new", "place", "fact"), WRONG_FACTS)
def test_wrong_facts_of_a_variant_are_refused(
    tmp_path: Path, old: str, new: str, place: str, fact: str
) -> None:
    """G4: a variant is checked against what it states itself, within the engine's limits."""
    path = write(tmp_path, edited(VARIANT, old, new))
    with pytest.raises(ComponentError) as error:
        start(components=path, players=3)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert fact in str(error.value)


@pytest.mark.rule("G4")
def test_a_variant_has_its_own_numbers_of_players(tmp_path: Path) -> None:
    """G4: those that its facts name, and no others."""
    path = write(tmp_path, VARIANT)
    assert start(components=path, players=3).players == 3
    for players in (2, 4, 5):
        with pytest.raises(OptionError, match=f"players={players} is not allowed.*for 3 players"):
            start(components=path, players=players)


TINY = """
name = "tiny"
variant = "two seats"
cards = [
    { number = 1, colour = "red", icons = ["gacha", "revo"] },
    { number = 2, colour = "blue", icons = ["redraw"] },
    { number = 3, colour = "red", icons = ["redraw"] },
    { number = 4, colour = "black", icons = ["dust3", "gacha"] },
    { number = 5, colour = "blue" },
    { number = 6, colour = "yellow", icons = ["revo"] },
    { number = 7, colour = "red" },
]
[facts]
colours = { red = 3, blue = 2, yellow = 1, black = 1 }
hand_size = 3
tricks = 3
target = 6
[facts.players.2]
cards = 7
misere = [5]
rank_wp = [3]
[facts.players.3]
cards = 9
misere = [5, 1]
rank_wp = [3]
"""


@pytest.mark.rule("G4")
def test_every_part_of_the_facts_is_checked(tmp_path: Path) -> None:
    """G4: also those of player counts that are not played now."""
    with pytest.raises(
        ComponentError, match=r"facts\.players\.3\.cards: 9 must lie between 9 and 7"
    ):
        start(components=write(tmp_path, TINY), players=2)


def tiny(folder: Path) -> Path:
    return write(folder, TINY[: TINY.index("[facts.players.3]")])


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G4", "G25", "G26", "G27")
def test_a_tiny_deck_for_two_plays_whole_games(tmp_path: Path) -> None:
    """G4: its own hand size, tricks, tables and goal hold, and its record is replayed."""
    vp_seen, redrawn = set(), 0
    for seed in range(30):
        game = start(components=tiny(tmp_path), players=2)
        rng = random.Random(seed)
        while game.node != "over":
            if game.node == "chance":
                game.apply_chance(rng.choice(outcomes(game)))
            else:
                redrawn += asked(game) == "redraw"
                game.apply(random_action(game, rng))
        record = game.record()
        twin = Game.from_record(record)
        assert (twin.values, twin.winners) == (game.values, game.winners)
        events = [event for event in record["events"] if event["kind"] == "score"]
        assert all(set(event["points"]) <= {0, 3} for event in events)
        vp_seen |= {vp for event in events for vp in event["vp"]}
        assert max(game.totals) == 6 or game.truncated
        assert sum(game.returns()) == pytest.approx(0)
        deals = sum(event.get("name") == "deal" for event in record["events"])
        assert deals == 6 * len(events)
    assert 5 in vp_seen  # misère
    assert redrawn


@pytest.mark.rule("G4")
def test_a_tiny_deck_in_the_batch(tmp_path: Path) -> None:
    """G4: the batch engine plays it too, with observations of its own length."""
    tables = make_vec(
        "gacha_v0", tables=64, seed=1, players=2, components=tiny(tmp_path), keep_actions=True
    )
    ended = 0
    for _ in range(300):
        assert tables.action_mask.any(axis=1).all()
        assert (tables.observation >= 0).all()
        assert (tables.observation <= tables.engine.highs()).all()
        tables.step(tables.sample())
        ended += int(tables.done.sum())
    assert ended > 100
    np.testing.assert_allclose(tables.reward.sum(axis=1), 0, atol=1e-6)


@pytest.mark.rule("G4", "G18")
def test_no_redraw_without_a_stock(tmp_path: Path) -> None:
    """G4, G18: where all cards are dealt there is nothing to draw."""
    text = edited(TINY[: TINY.index("[facts.players.3]")], "cards = 7\n", "cards = 6\n")
    for seed in range(10):
        game = start(components=write(tmp_path, text), players=2)
        rng = random.Random(seed)
        while game.node != "over":
            assert asked(game) not in ("redraw", "stock")
            if game.node == "chance":
                game.apply_chance(rng.choice(outcomes(game)))
            else:
                game.apply(random_action(game, rng))
