"""Component files of quatre: the shipped ones, wrong ones, and boards and cards of other sizes."""

import hashlib
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from helpers.quatre import (
    CAKE,
    FRUITS,
    PUBLISHED,
    component_text,
    oracle_components,
    outcomes,
    turned,
)
from tefuda.envs import Game, make
from tefuda.envs.core.errors import ComponentError, OptionError

SHIPPED = make("quatre_v0").engine.setup.components.text


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def edited(text: str, old: str, new: str) -> str:
    """The text with its only occurrence of `old` replaced."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def shipped_text(name: str) -> str:
    """The text of a shipped file; each can be played by two."""
    return make("quatre_v0", players=2, components=name).engine.setup.components.text


# ==================================================================== the shipped files


@pytest.mark.rule("Q1", "Q2", "Q3", "Q4")
def test_the_shipped_file_keeps_the_stated_facts() -> None:
    """Q1 to Q3: the file as it stands is what the page says, and says itself what it holds."""
    data = tomllib.loads(SHIPPED)
    assert data["name"] == "reconstruction"
    assert oracle_components(SHIPPED) == PUBLISHED
    assert Counter(row["copies"] for row in data["cards"]) == {2: 16, 1: 4}
    assert data["expect"] == {"cards": 36, "kinds": 20, "marks": 112}


@pytest.mark.rule("Q1", "Q2")
def test_kinds_of_the_published_deck() -> None:
    """Q1, Q2: no kind looks like another, and no fruit is printed more often than the others."""
    looks = {min(turned(card, quarters) for quarters in range(4)) for card in PUBLISHED.cards}
    assert len(looks) == 20
    printed = "".join(
        copies * "".join(card)
        for card, copies in zip(PUBLISHED.cards, PUBLISHED.counts, strict=True)
    )
    assert {printed.count(fruit) for fruit in FRUITS} == {printed.count("s")}


@pytest.mark.rule("Q3")
def test_quarters_of_the_board_are_equal() -> None:
    """Q3: 112 marks in a square of 12 x 12."""
    assert "".join(CAKE).count("+") == 112
    assert {turned(CAKE, quarters) for quarters in range(4)} == {CAKE}


@pytest.mark.rule("Q4")
def test_a_copy_of_the_shipped_file_plays_the_same(tmp_path: Path) -> None:
    """Q4: only the record carries the text; line ends do not matter."""
    path = write(tmp_path, SHIPPED.replace("\n", "\r\n"))
    own, shipped = (
        Game("quatre_v0", seed=(3, 0, 0), components=components)
        for components in (path, "reconstruction")
    )
    own.settle()
    shipped.settle()
    assert own.values == shipped.values
    np.testing.assert_array_equal(own.engine.parts, shipped.engine.parts)
    described = {"name": "reconstruction", "sha256": hashlib.sha256(SHIPPED.encode()).hexdigest()}
    assert shipped.record()["components"] == described
    assert own.record()["components"] == {**described, "text": SHIPPED}


# ==================================================================== length of a game


def scored_turns(components: str | Path, players: int, **options: Any) -> list[float]:
    """After which turns there is a scoring."""
    game = Game("quatre_v0", players=players, components=components, **options)
    collect = game.engine.actions - 2
    while game.node != "over":
        game.apply_chance(outcomes(game)[0])
        game.apply(collect)
    plays, found = 0, []
    for event in game.record()["events"]:
        plays += event["kind"] == "decision"
        if event["kind"] == "score":
            found.append(plays / (4 if "fruit" in options.values() else players))
    return found


def shaped(head: list[str]) -> str:
    """The published board and cards, twice over, with these lines before them."""
    return component_text(
        CAKE, PUBLISHED.cards, [2 * copies for copies in PUBLISHED.counts], head=head
    )


PLAYED = [
    # lines of the file, players, turns with a scoring
    ([], 2, [3, 6, 9]),
    ([], 3, [3, 6, 10]),
    ([], 4, [3, 6, 9]),
    (["turns = 9"], 3, [3, 6, 9]),
    (["turns = 9", "scoring_turns = [1, 5]"], 3, [1, 5, 9]),
    (["turns = 9", "scoring_turns = [1, 5]"], 2, [1, 5, 9]),
    (["turns = 9", "scoring_turns = []"], 4, [9]),
    (["turns = { 2 = 5, 4 = 9 }"], 2, [3, 5]),
    (["turns = { 2 = 5, 4 = 9 }"], 3, [3, 6, 10]),
    (["turns = { 2 = 5, 4 = 9 }", "scoring_turns = { 3 = [2], 2 = [4, 5] }"], 2, [4, 5]),
    (["turns = { 2 = 5, 4 = 9 }", "scoring_turns = { 3 = [2], 2 = [4, 5] }"], 3, [2, 10]),
    (["turns = { 2 = 5, 4 = 9 }", "scoring_turns = { 3 = [2], 2 = [4, 5] }"], 4, [3, 6, 9]),
]


@pytest.mark.pure
@pytest.mark.rule("Q4", "Q6", "Q13")
@pytest.mark.parametrize(("head", "players", "turns"), PLAYED)
def test_a_file_states_its_length(
    tmp_path: Path, head: list[str], players: int, turns: list[int]
) -> None:
    """Q4: one number or list for all, or a table by players; otherwise as published."""
    path = write(tmp_path, shaped(head))
    assert scored_turns(path, players) == turns
    if players == 2:
        assert scored_turns(path, 2, two_player_turns="fruit") == turns


@pytest.mark.rule("Q4", "Q6")
@pytest.mark.parametrize("name", ["reconstruction", "mini", "tart"])
def test_shipped_files_last_as_long_as_they_state(name: str) -> None:
    """Q4, Q6, Q13: turns, scorings and players of every shipped file."""
    components = oracle_components(shipped_text(name))
    for players, turns in components.scoring_turns.items():
        assert scored_turns(name, players) == list(turns)
    for players in {2, 3, 4} - set(components.turns):
        with pytest.raises(OptionError, match=f"players={players} is not allowed"):
            make("quatre_v0", players=players, components=name)


@pytest.mark.rule("Q4")
def test_facts_of_mini() -> None:
    """3 x 3 board, cards of 2 x 2, three kinds twice, two players, two turns."""
    mini = oracle_components(shipped_text("mini"))
    assert (len(mini.board), {len(row) for row in mini.board}) == (3, {3})
    assert ({len(card) for card in mini.cards}, mini.counts) == ({2}, (2, 2, 2))
    assert mini.turns == {2: 2}


@pytest.mark.rule("Q4", "Q6")
def test_fewer_cards_than_plays(tmp_path: Path) -> None:
    """Q4: refused for the games that would need more, and only for those."""
    copies = [2] * 9 + [1] * 11  # 29 cards
    path = write(tmp_path, component_text(CAKE, PUBLISHED.cards, copies))
    needs: list[tuple[dict[str, Any], int]] = [
        ({"players": 3}, 30),
        ({"players": 4}, 36),
        ({"players": 2, "two_player_turns": "fruit"}, 36),
    ]
    for options, plays in needs:
        with pytest.raises(ComponentError, match=rf"mine\.toml: cards: 29 cards.*{plays} plays"):
            make("quatre_v0", components=path, **options)
    assert make("quatre_v0", components=path, players=2).engine.players == 2
    mine = component_text(CAKE, PUBLISHED.cards, copies, head=["turns = { 3 = 9 }"])
    assert make("quatre_v0", components=write(tmp_path, mine), players=3).engine.players == 3
    with pytest.raises(ComponentError, match=r"6 cards.*8 plays"):
        make("quatre_v0", components="mini", players=2, two_player_turns="fruit")


# ==================================================================== wrong files

SMALL = component_text(
    (".++.", "++++", ".++."),
    (("s.", ".c"), ("bk", "o.")),
    (4, 5),
    head=["players = [2, 3]", "turns = 2", "scoring_turns = [1]"],
)
SMALL += "[expect]\ncards = 9\nkinds = 2\nmarks = 8\n"

WRONG = [
    # old, new, place, words of the reason
    ("++++", "+++", "board row 1", "3 letters"),
    ("++++", "+++++", "board row 1", "5 letters"),
    ("++++\n.++.", "++++\n.++", "board row 2", "3 letters"),
    ("++++", "+x++", "board row 1", "'x'"),
    ("++++", "+s++", "board row 1", "'s'"),
    (".++.\n++++\n.++.", "....\n....", "board", "no mark"),
    (".++.\n++++\n.++.", "", "board", "empty"),
    (".c", ".", "cards[0].face row 1", "1 letters"),
    (".c", ".cc", "cards[0].face row 1", "3 letters"),
    (".c", ".C", "cards[0].face row 1", "'C'"),
    ("s.", "+.", "cards[0].face row 0", "'+'"),
    ("bk", "bq", "cards[1].face row 0", "'q'"),
    ("o.", "o.\n..", "cards[1].face", "3 rows of 2"),
    ("bk\no.", "bk.\no..\n...", "cards[1].face", "3 x 3, but cards[0] is 2 x 2"),
    ("bk\no.", "b", "cards[1].face", "1 x 1, but cards[0] is 2 x 2"),
    ("s.\n.c", "..\n..", "cards[0].face", "neither fruit nor cream"),
    ("bk\no.", "..\n..", "cards[1].face", "neither fruit nor cream"),
    ("bk\no.\n", "", "cards[1].face", "empty"),
    ("cards = 9", "cards = 10", "expect.cards", "10 are stated, but the file has 9"),
    ("kinds = 2", "kinds = 3", "expect.kinds", "3 are stated, but the file has 2"),
    ("marks = 8", "marks = 7", "expect.marks", "7 are stated, but the file has 8"),
    ("marks = 8", "marks = true", "expect.marks", "True must be an integer"),
    ("marks = 8", 'marks = "8"', "expect.marks", "'8' must be an integer"),
    ("marks = 8", "creams = 4", "expect.creams", "is not known"),
    ("copies = 4", "copies = 0", "cards[0].copies", "0 must lie between 1 and"),
    ("copies = 5", "copies = -1", "cards[1].copies", "-1 must lie between 1 and"),
    ("copies = 4", "copies = 2.0", "cards[0].copies", "2.0 must be an integer"),
    ("copies = 4", "copies = true", "cards[0].copies", "True must be an integer"),
    ("copies = 4\n", "", "cards[0].copies", "is missing"),
    ("copies = 5", "copies = 5\nturns = 4", "cards[1].turns", "is not known"),
    ('face = """\nbk\no.\n"""', "", "cards[1].face", "is missing"),
    ('face = """\nbk\no.\n"""', "face = 3", "cards[1].face", "3 must be a text"),
    ('face = """\nbk\no.\n"""', 'face = ["bk", "o."]', "cards[1].face", "must be a text"),
    ("players = [2, 3]", "players = [2, 5]", "players[1]", "5 must be"),
    ("players = [2, 3]", "players = [1, 2]", "players[0]", "1 must be"),
    ("players = [2, 3]", "players = [2, 2]", "players[1]", "twice"),
    ("players = [2, 3]", "players = []", "players", "empty"),
    ("players = [2, 3]", "players = 2", "players", "2 must be a list"),
    ("players = [2, 3]", 'players = ["2"]', "players[0]", "'2' must be an integer"),
    ("\nturns = 2", "\nturns = 0", "turns", "0 must lie between 1 and"),
    ("\nturns = 2", '\nturns = "2"', "turns", "'2' must be an integer"),
    ("\nturns = 2", "\nturns = [2, 3]", "turns", "must be an integer"),
    ("\nturns = 2", "\nturns = { 2 = 0 }", "turns.2", "0 must lie between 1 and"),
    ("\nturns = 2", "\nturns = { 5 = 2 }", "turns.5", "is not known"),
    ("scoring_turns = [1]", "scoring_turns = [0]", "scoring_turns[0]", "0 must lie between 1"),
    ("scoring_turns = [1]", "scoring_turns = [1, 3]", "scoring_turns[1]", "between 1 and 2"),
    ("scoring_turns = [1]", "scoring_turns = [2, 1]", "scoring_turns[1]", "larger than 2"),
    ("scoring_turns = [1]", "scoring_turns = [1, 1]", "scoring_turns[1]", "larger than 1"),
    ("scoring_turns = [1]", "scoring_turns = 1", "scoring_turns", "1 must be a list"),
    ("scoring_turns = [1]", "scoring_turns = { 3 = [4] }", "scoring_turns.3[0]", "4 must lie"),
    ('name = "mine"\n', "", "name", "is missing"),
    ('name = "mine"', "name = 3", "name", "3 must be a text"),
    ('name = "mine"', 'name = "mine"\nedition = 2', "edition", "is not known"),
]


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(("old", "new", "place", "reason"), WRONG)
def test_a_wrong_file_is_refused(
    tmp_path: Path, old: str, new: str, place: str, reason: str
) -> None:
    """Q4: the message says file, place (key and index, grid and row) and reason."""
    assert make("quatre_v0", players=2, components=write(tmp_path, SMALL)).engine.players == 2
    path = write(tmp_path, edited(SMALL, old, new))
    with pytest.raises(ComponentError) as error:
        make("quatre_v0", players=2, components=path)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert reason in str(error.value)


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('name = "mine"\ncards = []\n', "board", "is missing"),
        ('name = "mine"\nboard = "+"\n', "cards", "is missing"),
        ('name = "mine"\nboard = "+"\ncards = 3\n', "cards", "3 must be a list"),
        ('name = "mine"\nboard = "+"\ncards = []\n', "cards", "0 kinds"),
        ('name = "mine"\nboard = "+"\ncards = [3]\n', "cards[0]", "3 must be a table"),
        ('name = "mine"\nboard = ["+"]\ncards = []\n', "board", "must be a text"),
    ],
)
def test_a_file_without_board_or_cards_is_refused(
    tmp_path: Path, text: str, place: str, reason: str
) -> None:
    """Q4: both must be there."""
    path = write(tmp_path, text)
    with pytest.raises(ComponentError) as error:
        make("quatre_v0", components=path)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert reason in str(error.value)


@pytest.mark.rule("Q4")
def test_a_file_that_is_no_toml_or_not_there(tmp_path: Path) -> None:
    """The parser's line is passed on; the names of shipped files are listed."""
    path = write(tmp_path, edited(SMALL, "copies = 4", "copies = four"))
    line = SMALL[: SMALL.index("copies = 4")].count("\n") + 1
    with pytest.raises(ComponentError, match=rf"mine\.toml: not a TOML file: .*line {line}\b"):
        make("quatre_v0", components=path)
    for name in ("cake", "reconstruction.tom", str(tmp_path / "other.toml")):
        with pytest.raises(ComponentError, match="'mini', 'reconstruction', 'tart'"):
            make("quatre_v0", components=name)


# ==================================================================== sizes


def of_size(rows: int, columns: int, size: int) -> str:
    """A file with a full board and one kind of card."""
    face = ["s" * size, *["." * size] * (size - 1)]
    return component_text(["+" * columns] * rows, [face], [36])


LARGEST = [(16, 16, 1), (14, 15, 2), (12, 14, 3), (10, 13, 4), (8, 12, 5), (2, 9, 8)]


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(
    ("rows", "columns", "size"), [*LARGEST, (1, 1, 1), (1, 16, 1), (16, 1, 1), (1, 1, 5), (3, 7, 2)]
)
def test_number_of_actions(tmp_path: Path, rows: int, columns: int, size: int) -> None:
    """Action ids: four for each cell where a card's top left can lie, collect, redraw."""
    env = make("quatre_v0", components=write(tmp_path, of_size(rows, columns, size)))
    high, wide = rows + size - 1, columns + size - 1
    assert env.action_space("player_0") == spaces.Discrete(4 * high * wide + 2)
    assert env.engine.label(4 * high * wide) == "collect"
    assert env.engine.label(4 * high * wide + 1) == "redraw"
    assert "row 0, column 0, turned 270" in env.engine.label(
        ((size - 1) * wide + (size - 1)) * 4 + 3
    )
    assert f"row {rows - 1}, column {columns - 1}, turned 0" in env.engine.label(
        (high * wide - 1) * 4
    )


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(("rows", "columns", "size"), LARGEST)
def test_larger_boards_are_refused(tmp_path: Path, rows: int, columns: int, size: int) -> None:
    """The lanes of the mask hold columns + k - 1 and rows + 2 (k - 1) up to 16."""
    for more_rows, more_columns, word in ((1, 0, "rows"), (0, 1, "columns")):
        text = of_size(rows + more_rows, columns + more_columns, size)
        path = write(tmp_path, text)
        with pytest.raises(ComponentError, match=rf"mine\.toml: board: .*{word}.* at most 16"):
            make("quatre_v0", components=path)


def small(**changes: int) -> str:
    """A file of one mark, so many equal kinds, copies of each, and turns."""
    values = {"kinds": 8, "copies": 40, "turns": 9, **changes}
    faces, copies = [["s"]] * values["kinds"], [values["copies"]] * values["kinds"]
    return component_text(["+"], faces, copies, head=[f"turns = {values['turns']}"])


@pytest.mark.rule("Q4")
@pytest.mark.parametrize(
    ("name", "place"), [("kinds", "cards"), ("copies", "cards[0].copies"), ("turns", "turns")]
)
def test_other_limits_are_named(tmp_path: Path, name: str, place: str) -> None:
    """What a record or an observation cannot hold is refused; the limit itself is allowed."""
    with pytest.raises(ComponentError) as error:
        make("quatre_v0", components=write(tmp_path, small(**{name: 10_000})))
    assert f"mine.toml: {place}: 10000 " in str(error.value)
    limit = int(str(error.value).split()[-1])
    assert limit >= 50
    assert make("quatre_v0", components=write(tmp_path, small(**{name: limit}))).engine.actions
    with pytest.raises(ComponentError, match=f"{limit + 1} .* {limit}$"):
        make("quatre_v0", components=write(tmp_path, small(**{name: limit + 1})))
