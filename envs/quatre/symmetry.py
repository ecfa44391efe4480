"""Turning the board: exact augmentation of observations, masks and actions.

Where the marks look the same after a quarter turn, so does the whole game: a position and its
turned twin have the same values, and every action has a turned twin. A learner may therefore turn
each sample at random. Everything is looked up in tables, for whole batches at once:

    symmetry = Symmetry(setup, "flat")
    turns = rng.choice(symmetry.turns, size=len(actions))
    observation, mask, actions = symmetry.turn(observation, mask, actions, turns)

N is the number of samples, D of observation values, A of actions.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.sections import Section, total_length
from tefuda.envs.core.spec import Setup
from tefuda.envs.quatre.encode import ENCODERS
from tefuda.envs.quatre.state import QUARTER_TURNS

Array = npt.NDArray[Any]

# The sections that show the cells of the board; all others stay as they are.
_CELL_SECTIONS = ("marks", "cream", "fruits", "group_size", "gain", "cells")
# After how many quarter turns a card can look the same.
_PERIODS = (1, 2, QUARTER_TURNS)
# Where a row tells the card drawn: a section with an entry, or a field of its tokens, a kind.
# (Of equal places the scripted player takes the first, so `expert` does not turn with the board.)
_CARD_SECTION = {"flat": "card", "planes": "card", "tokens": "kinds"}
_DRAWN_FIELD = "drawn"
# The fields of a board cell's token that tell where it is; they stay too.
_PLACE_FIELDS = ("token", "row", "column")


class Symmetry:
    """The turns of the board that change nothing in the game.

    Attributes:
        turns: The numbers of quarter turns (clockwise) that the marks allow: 0 always, and all
            four where the board has the full symmetry.
    """

    def __init__(self, setup: Setup, encoder: str = "flat") -> None:
        """Makes the tables.

        Args:
            setup: The game's setup.
            encoder: How observations are written: "flat", "tokens" or "planes".

        Raises:
            OptionError: There is no such encoder.
        """
        if encoder not in _CARD_SECTION:
            allowed = ", ".join(repr(name) for name in _CARD_SECTION)
            raise OptionError(f"encoder={encoder!r} is not allowed; it must be one of {allowed}")
        marks = setup.parts[0]["marks"]
        self.turns = tuple(
            turn for turn in range(QUARTER_TURNS) if np.array_equal(np.rot90(marks, -turn), marks)
        )
        coding = ENCODERS[encoder]
        sections = coding.sections(setup)
        self._pieces = dict(coding.pieces(setup)) if coding.pieces else {}
        self._card = _card_entries(sections, _CARD_SECTION[encoder])
        self._periods = np.array([_period(same) for same in setup.parts[0]["same_turn"]])
        self._sources = _observation_sources(sections, marks, self.turns)
        self._targets = _action_targets(setup, self.turns)
        self._mask_sources = np.argsort(self._targets, axis=2)

    def turn(
        self, observation: Array | Mapping[str, Array], mask: Array, actions: Array, turns: Any
    ) -> tuple[Any, Array, Array]:
        """Turns samples.

        The card drawn decides what becomes of a placement: where two turns of it look the same,
        only the smaller one is an action.

        Args:
            observation: (N, D), or (N, *shape) in the encoder's shape, or a dict of the pieces.
            mask: (N, A) the masks.
            actions: (N,) the actions.
            turns: Quarter turns clockwise, (N,) or one number for all.

        Returns:
            The three turned, newly made, in the form in which they came.

        Raises:
            OptionError: The board does not have one of the turns.
        """
        rows = self._rows_of(observation, len(mask))
        amount = self._check_turns(turns, len(mask))
        periods = self._periods[np.argmax(rows[:, self._card], axis=1)]
        chosen = np.asarray(actions)
        turned = np.empty_like(rows), np.empty_like(mask), np.empty_like(chosen)
        for turn in self.turns:
            alike = np.flatnonzero(amount == turn)
            turned[0][alike] = np.take(rows[alike], self._sources[turn], axis=1)
            for period in _PERIODS:
                some = alike[periods[alike] == period]
                targets, sources = self._targets[period, turn], self._mask_sources[period, turn]
                turned[1][some] = np.take(mask[some], sources, axis=1)
                turned[2][some] = targets[chosen[some]]
        return self._formed_as(observation, turned[0]), turned[1], turned[2]

    def _rows_of(self, observation: Array | Mapping[str, Array], count: int) -> Array:
        if isinstance(observation, Mapping):
            pieces = [observation[name].reshape(count, -1) for name in self._pieces]
            return np.concatenate(pieces, axis=1)
        return observation.reshape(count, -1)

    def _formed_as(self, observation: Array | Mapping[str, Array], rows: Array) -> Any:
        if not isinstance(observation, Mapping):
            return rows.reshape(observation.shape)
        ends = np.cumsum([np.prod(shape) for shape in self._pieces.values()])
        pieces = np.split(rows, ends[:-1], axis=1)
        return {
            name: piece.reshape(observation[name].shape)
            for name, piece in zip(self._pieces, pieces, strict=True)
        }

    def _check_turns(self, turns: Any, count: int) -> Array:
        amount = np.broadcast_to(np.asarray(turns), (count,))
        wrong = amount[~np.isin(amount, self.turns)]
        if wrong.size:
            allowed = ", ".join(str(turn) for turn in self.turns)
            raise OptionError(f"turns: {wrong[0]} is not one of {allowed}, which this board allows")
        return amount


# ==================================================================== observations


def _observation_sources(
    sections: tuple[Section, ...], marks: Array, turns: tuple[int, ...]
) -> Array:
    """(4, D): for each number of turns, the entry that each entry of a row is taken from."""
    sources = np.tile(np.arange(total_length(sections)), (QUARTER_TURNS, 1))
    for turn in turns:
        for section in sections:
            if section.name in _CELL_SECTIONS:
                turned = _turned_tokens if section.fields else _turned_planes
                sources[turn, section.slice] = section.offset + turned(section, marks, turn)
    return sources


def _turned_planes(section: Section, marks: Array, turn: int) -> Array:
    """The entries of planes, one behind the other, that the turned planes are taken from."""
    planes = np.arange(section.length).reshape(-1, *marks.shape)
    return np.rot90(planes, -turn, axes=(1, 2)).ravel()


def _turned_tokens(section: Section, marks: Array, turn: int) -> Array:
    """The same for one token a mark: what lies there turns, where it is stays."""
    token_at = np.zeros(marks.shape, np.int64)
    token_at[marks != 0] = np.arange(section.tokens)
    tokens = np.rot90(token_at, -turn)[marks != 0]
    entries = np.arange(section.length).reshape(section.tokens, -1)
    sources = entries[tokens]
    for field, described in enumerate(section.fields):
        if described.name in _PLACE_FIELDS:
            sources[:, field] = entries[:, field]
    return sources.ravel()


def _card_entries(sections: tuple[Section, ...], name: str) -> Array:
    """(kinds,) the entries of a row of which the largest tells the card drawn."""
    section = next(section for section in sections if section.name == name)
    entries = np.arange(section.offset, section.offset + section.length)
    if not section.fields:
        return entries
    field = [described.name for described in section.fields].index(_DRAWN_FIELD)
    return entries.reshape(section.tokens, -1)[:, field]


# ==================================================================== actions


def _period(same_turn: Array) -> int:
    """After how many quarter turns a card looks the same."""
    return len(set(same_turn.tolist()))


def _action_targets(setup: Setup, turns: tuple[int, ...]) -> Array:
    """(5, 4, A): by the card's period and the number of turns, what each action becomes."""
    rows, columns = setup.parts[0]["marks"].shape
    overhang = setup.parts["bare"].shape[-1] - 1
    corners = np.arange((rows + overhang) * (columns + overhang)).reshape(rows + overhang, -1)
    targets = np.tile(np.arange(setup.actions), (QUARTER_TURNS + 1, QUARTER_TURNS, 1))
    card_turns = np.arange(QUARTER_TURNS)
    for period in _PERIODS:
        for turn in turns:
            # A turned card lies where the turned board has the corner; the rest of its turns are
            # no actions, and change places among themselves.
            moved = np.argsort(np.rot90(corners, -turn).ravel())
            shown = card_turns // period * period + (card_turns + turn) % period
            places = moved[:, None] * QUARTER_TURNS + shown
            targets[period, turn, : places.size] = places.ravel()
    return targets
