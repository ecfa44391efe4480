"""Component files and options of torutorento: the shipped file, wrong ones, research variants."""

import hashlib
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.torutorento import (
    COUNTS,
    DONE,
    FACES,
    FLOWER,
    TAKE_DECK,
    asked,
    changed,
    component_text,
    hand,
    last_points,
    market,
    outcomes,
    play_event,
    random_event,
    scored,
)
from tefuda.envs import Game, make, make_vec
from tefuda.envs.core.errors import ComponentError, OptionError
from tefuda.envs.core.parts import parse_components

SHIPPED = Game("torutorento_v0", seed=(0, 0, 0)).engine.setup.components.text
VARIANT = component_text(COUNTS, "hand_size = 4; players = [2, 3]")


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def edited(text: str, old: str, new: str) -> str:
    """The text with its only occurrence of the line `old` replaced."""
    assert text.count(f"\n{old}\n") == 1, old
    return text.replace(f"\n{old}\n", f"\n{new}\n" if new else "\n")


def start(**options: Any) -> Game:
    return Game("torutorento_v0", seed=(0, 0, 0), **options)


# ==================================================================== the shipped file


@pytest.mark.pure
@pytest.mark.rule("T1")
def test_the_shipped_file_states_the_published_counts() -> None:
    """T1: 71 cards in 12 faces."""
    data = parse_components(SHIPPED, "shipped").data
    assert data["counts"] == dict(zip(FACES, COUNTS, strict=True))
    assert sum(data["counts"].values()) == 71


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
def test_a_copy_of_the_shipped_file_plays_the_same(tmp_path: Path) -> None:
    """T1a: a path and a shipped name are the same rules; only the record carries the text."""
    path = write(tmp_path, SHIPPED)
    own, shipped = start(components=path), start()
    own.settle()
    shipped.settle()
    assert own.values == shipped.values
    np.testing.assert_array_equal(own.engine.parts, shipped.engine.parts)
    described = shipped.record()["components"]
    assert own.record()["components"] == {**described, "text": SHIPPED}
    assert start(components=described["name"]).record()["components"] == described


@pytest.mark.pure
@pytest.mark.rule("T1")
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_do_not_change_the_hash(tmp_path: Path, end: str) -> None:
    """The sha256 is that of the text with its lines ended by a newline alone."""
    path = tmp_path / "mine.toml"
    path.write_bytes(SHIPPED.replace("\n", end).encode())
    described = start(components=path).record()["components"]
    assert described["sha256"] == hashlib.sha256(SHIPPED.encode()).hexdigest()
    assert described["text"] == SHIPPED


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
def test_the_counts_of_a_file_are_played(tmp_path: Path) -> None:
    """T1a: each face has as many cards as the file says, the order of its lines means nothing."""
    counts = changed(head=0, tail_tail=9, mimic=1)
    text = component_text(counts)
    head, rows = text.split("[counts]\n")
    backwards = head + "[counts]\n" + "\n".join(rows.splitlines()[::-1]) + "\n"
    for written in (text, backwards):
        game = start(components=write(tmp_path, written), players=5)
        game.apply_chance(0)
        game.apply_chance(0)
        left = [n - 5 * (face == FLOWER) for face, n in enumerate(counts)]
        expected = {face: n / sum(left) for face, n in enumerate(left) if n}
        assert dict(game.chance_outcomes()) == pytest.approx(expected)


# ==================================================================== wrong files

WRONG = [
    # line, what stands there instead, place, words of the broken fact
    ("head = 5", "", "counts.head", "is missing"),
    ("mimic = 2", "", "counts.mimic", "is missing"),
    ("body-3 = 10", "", "counts.body-3", "is missing"),
    ("head = 5", "head = -1", "counts.head", "-1 must be at least 0"),
    ("bird = 5", "bird = -5", "counts.bird", "-5 must be at least 0"),
    ("head = 5", "head = 5.0", "counts.head", "5.0 must be an integer"),
    ("head = 5", 'head = "5"', "counts.head", "'5' must be an integer"),
    ("head = 5", "head = true", "counts.head", "True must be an integer"),
    ("mimic = 2", "mimic = 2\nbody-4 = 3", "counts.body-4", "is not known; allowed are head"),
    ("mimic = 2", "mimic = 2\nlegend = 1", "counts.legend", "is not known"),
    ("mimic = 2", "mimic = 2\nMimic = 2", "counts.Mimic", "is not known"),
    ("flower = 7", "flower = 3", "counts.flower", "3 flowers, but 4 seats"),
    ("flower = 7", "flower = 0", "counts.flower", "0 flowers, but 4 seats"),
    ("body-1 = 10", "body-1 = 200", "counts", "261 cards in all, but at most 127"),
    ('name = "reconstruction"', "", "name", "is missing"),
    ('name = "reconstruction"', "name = 3", "name", "3 must be a text"),
    ('name = "reconstruction"', 'name = "mine"\nedition = 2', "edition", "is not known"),
    ('name = "reconstruction"', 'name = "mine"\nfacts = {}', "facts", "only a research variant"),
]  # fmt: skip


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize(("old", "new", "place", "fact"), WRONG)
def test_a_broken_fact_is_refused(
    tmp_path: Path, old: str, new: str, place: str, fact: str
) -> None:
    """T1a: the message says file, place and the broken fact."""
    path = write(tmp_path, edited(SHIPPED, old, new))
    with pytest.raises(ComponentError) as error:
        start(components=path, players=4)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert fact in str(error.value)


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize(
    ("text", "place", "fact"),
    [
        ('name = "mine"\n', "counts", "is missing"),
        ('name = "mine"\ncounts = 3\n', "counts", "3 must be a table"),
        ('name = "mine"\n[counts]\n', "counts.head", "is missing"),
        ("", "name", "is missing"),
    ],
)
def test_a_file_without_counts_is_refused(tmp_path: Path, text: str, place: str, fact: str) -> None:
    """T1a: the counts must be there."""
    with pytest.raises(ComponentError, match=rf"mine\.toml: {place}: {fact}"):
        start(components=write(tmp_path, text))


def counts_in_all(total: int, flowers: int) -> list[int]:
    """So many cards, most of them bodies."""
    counts = [0] * 12
    counts[FLOWER], counts[5] = flowers, total - flowers
    return counts


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_flower_and_nine_cards_for_each_seat(tmp_path: Path, players: int) -> None:
    """T1a: as many are enough, one less is refused, by the number of players of the game."""
    path = write(tmp_path, component_text(counts_in_all(9 * players, players)))
    game = start(components=path, players=players)
    game.settle()
    assert asked(game) == "leaf"
    path = write(tmp_path, component_text(counts_in_all(9 * players - 1, players)))
    with pytest.raises(ComponentError, match=f"mine.toml: counts: {9 * players - 1} cards in all"):
        start(components=path, players=players)
    path = write(tmp_path, component_text(counts_in_all(9 * players, players - 1)))
    with pytest.raises(ComponentError, match=rf"counts\.flower: {players - 1} flowers"):
        start(components=path, players=players)


@pytest.mark.pure
@pytest.mark.rule("T1")
def test_a_file_that_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    """The parser's place is passed on."""
    path = write(tmp_path, edited(SHIPPED, "head = 5", "head = five"))
    line = SHIPPED[: SHIPPED.index("\nhead = 5\n")].count("\n") + 2
    with pytest.raises(ComponentError, match=rf"mine\.toml: not a TOML file: .*line {line}\b"):
        start(components=path)


@pytest.mark.pure
@pytest.mark.rule("T1")
def test_a_face_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """TOML allows a key once."""
    path = write(tmp_path, edited(SHIPPED, "head = 5", "head = 5\nhead = 5"))
    with pytest.raises(ComponentError, match=r"mine\.toml: not a TOML file"):
        start(components=path)


@pytest.mark.pure
@pytest.mark.rule("T1")
def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    """Not with a bare UnicodeDecodeError."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"name = 'caf\xe9'\n")
    with pytest.raises(ComponentError, match=r"mine\.toml.*cannot be read"):
        start(components=path)


@pytest.mark.pure
@pytest.mark.rule("T1")
@pytest.mark.parametrize("name", ["nowhere.toml", "first_edition", "../data/reconstruction"])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    """The message lists what is allowed."""
    with pytest.raises(ComponentError, match=f"{re.escape(name)}.*'reconstruction'"):
        start(components=name)


# ==================================================================== options

WRONG_OPTIONS = [
    ("players", 1), ("players", 2), ("players", 6), ("players", "3"), ("players", 3.0),
    ("players", True),
    ("target", 0), ("target", -1), ("target", "20"), ("target", 20.0), ("target", True),
    ("tie_ranking", "sparse"), ("tie_ranking", "Dense"), ("tie_ranking", 1),
    ("mimic_body", 0), ("mimic_body", 4), ("mimic_body", 1.0), ("mimic_body", "1"),
    ("max_rounds", 0), ("max_rounds", -3), ("max_rounds", 2.5), ("max_rounds", False),
    ("reward", "points"), ("reward", 0),
]  # fmt: skip


@pytest.mark.pure
@pytest.mark.rule("T16", "T18", "T21", "T22")
@pytest.mark.parametrize(("name", "value"), WRONG_OPTIONS)
def test_wrong_options_are_refused(name: str, value: object) -> None:
    """The message names option and value."""
    with pytest.raises(OptionError, match=f"{name}={re.escape(repr(value))}"):
        start(**{name: value})


@pytest.mark.pure
@pytest.mark.parametrize("name", ["rounds", "scoring", "ranking"])
def test_unknown_options_are_refused(name: str) -> None:
    """The message names those that there are."""
    options: dict[str, Any] = {name: 1}
    with pytest.raises(OptionError, match=f"{name}.*tie_ranking"):
        start(**options)
    with pytest.raises(OptionError, match=f"{name}.*tie_ranking"):
        make("torutorento_v0", **options)
    with pytest.raises(OptionError, match=f"{name}.*tie_ranking"):
        make_vec("torutorento_v0", **options)


@pytest.mark.pure
@pytest.mark.rule("T16", "T18", "T21", "T22")
def test_defaults_stand_in_the_record() -> None:
    """The page's defaults, resolved."""
    record = start().record()
    assert (record["env"], record["players"]) == ("torutorento_v0", 4)
    assert record["options"] == {
        "target": 20, "tie_ranking": "dense", "mimic_body": 1, "max_rounds": 30, "reward": "win",
    }  # fmt: skip


# ==================================================================== research variants

WRONG_FACTS = [
    ("hand_size = 4", "hand_size = 0", "facts.hand_size", "0 must lie between 1 and 8"),
    ("hand_size = 4", "hand_size = 9", "facts.hand_size", "9 must lie between 1 and 8"),
    ("hand_size = 4", 'hand_size = "four"', "facts.hand_size", "'four' must be an integer"),
    ("hand_size = 4", "hand_size = 4\ntricks = 3", "facts.tricks", "is not known; allowed"),
    ("players = [2, 3]", "players = [1, 3]", "facts.players[0]", "1 must lie between 2 and 5"),
    ("players = [2, 3]", "players = [2, 6]", "facts.players[1]", "6 must lie between 2 and 5"),
    ("players = [2, 3]", "players = 2", "facts.players", "2 must be a list"),
    ("players = [2, 3]", 'stages = ["harvest"]', "facts.stages[0]", "'harvest' must be one of"),
    ("players = [2, 3]", 'stages = "leaves"', "facts.stages", "'leaves' must be a list"),
    ('variant = "of a test"', "variant = 3", "variant", "3 must be a text"),
    ("flower = 7", "flower = 1", "counts.flower", "1 flowers, but 3 seats"),
]  # fmt: skip


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize(("old", "new", "place", "fact"), WRONG_FACTS)
def test_wrong_facts_of_a_variant_are_refused(
    tmp_path: Path, old: str, new: str, place: str, fact: str
) -> None:
    """T1a: a variant is checked too, within the engine's limits."""
    path = write(tmp_path, edited(VARIANT, old, new))
    with pytest.raises(ComponentError) as error:
        start(components=path, players=3)
    assert str(error.value).startswith(f"{path}: {place}: ")
    assert fact in str(error.value)


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
def test_a_variant_has_its_own_numbers_of_players(tmp_path: Path) -> None:
    """T1a: those that its facts name, and no others."""
    path = write(tmp_path, VARIANT)
    assert start(components=path, players=2).players == 2
    for players in (4, 5):
        with pytest.raises(OptionError, match=f"players={players} is not allowed.*2, 3 players"):
            start(components=path, players=players)


def random_game(seed: int, **options: Any) -> Game:
    """A whole random game; its record is replayed and judged by the package."""
    game, rng = Game("torutorento_v0", **options), random.Random(seed)
    while game.node != "over":
        play_event(game, random_event(game, rng))
    twin = Game.from_record(game.record())
    assert (twin.values, twin.winners) == (game.values, game.winners)
    assert sum(game.returns()) == pytest.approx(0)
    return game


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize("hand_size", [1, 3, 8])
def test_hands_of_other_sizes(tmp_path: Path, hand_size: int) -> None:
    """T1a: so many cards are dealt, and grown again."""
    path = write(tmp_path, component_text(COUNTS, f"hand_size = {hand_size}; players = [2]"))
    for seed in range(4):
        game = random_game(seed, components=path, players=2, max_rounds=2)
        events = game.record()["events"]
        names = [event.get("name") for event in events]
        assert names.count("deal") == 2 * 2 * (hand_size - 1)
        assert names.count("market") == 2 * 2
    game = start(components=path, players=2)
    game.settle()
    assert [len(hand(game, seat).split()) for seat in range(2)] == [hand_size] * 2
    assert len(market(game).split()) == 2
    assert game.legal_actions() == [*range(hand_size), DONE]


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
@pytest.mark.parametrize(
    ("stages", "questions"),
    [
        (["taking", "growth", "change"], "take put pick insert bird mimic"),
        (["leaves", "growth"], "leaf pick insert"),
        (["leaves"], "leaf"),
        (["change"], "bird mimic insert"),
        ([], ""),
    ],
)
def test_phases_can_be_left_out(tmp_path: Path, stages: list[str], questions: str) -> None:
    """T1a: without a phase the next one follows at once; the round is scored all the same."""
    path = write(tmp_path, component_text(changed(bird=15, mimic=15), f"stages = {stages}"))
    found = set()
    for seed in range(6):
        game, rng = Game("torutorento_v0", components=path, max_rounds=3), random.Random(seed)
        while scored(game) < 3:
            found.add(asked(game))
            play_event(game, random_event(game, rng))
        assert game.truncated
        assert len(last_points(game)) == 4
        Game.from_record(game.record())
    chances = {"first_parent", "flower_slot", "deal", "way_up", "market", "deck"}
    assert found - chances == set(questions.split())


@pytest.mark.pure
@pytest.mark.rule("T1", "T1a")
def test_without_leaves_the_parent_takes_first(tmp_path: Path) -> None:
    """T1a: taking follows the deal; all hands are full, and the deck is there."""
    path = write(tmp_path, component_text(COUNTS, 'stages = ["taking"]'))
    game = Game("torutorento_v0", components=path, players=3)
    game.apply_chance(2)
    while game.node == "chance":
        game.apply_chance(outcomes(game)[0])
    assert (asked(game), game.seat) == ("take", 2)
    assert TAKE_DECK in game.legal_actions()


@pytest.mark.rule("T1", "T1a")
def test_a_tiny_variant_in_the_batch(tmp_path: Path) -> None:
    """T1a: the batch engine plays it too."""
    counts = [0, 0, 2, 0, 0, 3, 0, 2, 3, 1, 1, 1]
    path = write(tmp_path, component_text(counts, "hand_size = 3; players = [2]"))
    options: dict[str, Any] = {"players": 2, "components": path, "target": 6, "max_rounds": 5}
    tables = make_vec("torutorento_v0", tables=64, seed=1, keep_actions=True, **options)
    ended = 0
    for _ in range(200):
        assert tables.action_mask.any(axis=1).all()
        assert (tables.observation >= 0).all()
        assert (tables.observation <= tables.engine.highs()).all()
        tables.step(tables.sample())
        ended += int(tables.done.sum())
    assert ended > 100
    np.testing.assert_allclose(tables.reward.sum(axis=1), 0, atol=1e-6)
