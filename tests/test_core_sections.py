"""Sections: where they lie, how high their values go, and what their tokens are."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.games import EVERY_GAME, encodings, spec_of
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.sections import (
    Field,
    Section,
    highs,
    layout,
    token_section,
    total_length,
    vocabulary,
)

pytestmark = pytest.mark.pure


def test_layout_puts_sections_one_behind_the_other() -> None:
    given = [Section("a", 3, 1, "..."), Section("b", 1, 9, "..."), Section("c", 4, 2, "...")]
    placed = layout(given)
    assert [section.offset for section in placed] == [0, 3, 4]
    assert [section.slice for section in placed] == [slice(0, 3), slice(3, 4), slice(4, 8)]
    assert [replace(section, offset=0) for section in placed] == given
    assert total_length(placed) == 8
    assert highs(placed).tolist() == [1, 1, 1, 9, 2, 2, 2, 2]
    assert highs(placed).dtype == np.int8


def test_tokens() -> None:
    cards = token_section("cards", 2, 4, "...", [("kind", 3), ("colour", 7)])
    seats = token_section("seats", 1, 4, "...", [("kind", 3), ("points", 100), ("x", 2), ("y", 5)])
    assert (cards.length, cards.high, cards.tokens) == (8, 6, 2)
    assert cards.fields == (Field("kind", 3), Field("colour", 7))
    assert highs(layout([cards, seats])).tolist() == [2, 6, 0, 0, 2, 6, 0, 0, 2, 99, 1, 4]
    assert vocabulary([cards, seats]) == (3, 100, 2, 5)


def test_a_token_holds_no_more_fields_than_it_is_wide() -> None:
    with pytest.raises(ValueError, match=r"'cards' has 2 fields, but a token only 1"):
        token_section("cards", 2, 1, "...", [("kind", 3), ("colour", 7)])


@pytest.mark.parametrize(("name", "encoder"), encodings())
def test_sections_of_every_encoder_fill_its_observation(name: str, encoder: str) -> None:
    """For every number of seats: no gap, no name twice, a meaning each, a shape that fits."""
    spec = spec_of(name)
    for players in spec.options[0].allowed:
        try:
            engine = Engine(spec, spec.setup(players=players), encoder)
        except ValueError:
            continue  # the published components are not for so many
        end = 0
        for section in engine.sections:
            assert section.slice == slice(end, end + section.length)
            assert section.length > 0
            assert 0 < section.high <= 127
            assert section.meaning
            end = section.slice.stop
        names = [section.name for section in engine.sections]
        assert len(set(names)) == len(names)
        assert engine.size == end == np.prod(engine.shape)
        assert engine.highs().shape == engine.shape
        if engine.pieces:
            assert sum(int(np.prod(shape)) for shape in engine.pieces.values()) == end


def test_every_game_has_an_encoder() -> None:
    assert {name for name, _ in encodings()} == set(EVERY_GAME)
    assert {encoder for name, encoder in encodings() if name == "tiny_v0"} == {"flat"}
