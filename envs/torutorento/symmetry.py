"""The one symmetry of torutorento: turning a whole hand round changes nothing that matters (T4).

`HandFlip` turns the observing seat's own hand round in observations, masks and actions: slot k
goes to n - 1 - k, gap g to n - g, every card to its other way up, and a mimic's role to the one
that looks the other way. It is its own inverse. Where order matters as such it does nothing:
while leaves fall (their slots are chosen in rising order), and while mimics are declared, left to
right, if there are two or more in the hand.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.jit import kernel
from tefuda.envs.core.sections import Section
from tefuda.envs.core.spec import Setup
from tefuda.envs.torutorento.encode import (
    ENCODERS,
    SLOT_WIDTH,
    TOKEN_FIELDS,
)
from tefuda.envs.torutorento.hands import BYTE, NO_HAND, SHIFT
from tefuda.envs.torutorento.state import (
    ACTIONS,
    BODY_ROLE,
    DECLARE_PHASE,
    FACE_COUNT,
    FALL_PHASE,
    INSERT_ACTION,
    LIFT_ACTION,
    MIMIC,
    ROLE_ACTION,
    SLOTS,
    TURNED,
    TWO_WAYS,
)

Observations = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]

# (Of equal places the scripted player takes the first, so `expert` does not turn with the hand.)
_ENCODERS = ("flat", "tokens")
_IS_TWO_WAY = TWO_WAYS != 0


@kernel
def turned_round(hand: np.uint64) -> np.uint64:
    """A hand's word turned round: order reversed, every card the other way up."""
    turned = NO_HAND
    while hand != NO_HAND:
        turned = (turned << SHIFT[1]) | np.uint64(TURNED[np.int64(hand & BYTE)])
        hand = hand >> SHIFT[1]
    return turned


class HandFlip:
    """Turns own hands round in batches of what their seats see and do.

    N is the number of observations; they may be flat (N, D) or in the encoder's shape.
    """

    def __init__(self, setup: Setup, encoder: str = "flat") -> None:
        """Prepares the flip for a game and one of its encoders, "flat" or "tokens".

        Raises:
            OptionError: `encoder` is another one.
        """
        if encoder not in _ENCODERS:
            allowed = ", ".join(repr(name) for name in _ENCODERS)
            raise OptionError(f"encoder={encoder!r} is not allowed; it must be one of {allowed}")
        coding = ENCODERS[encoder]
        self._sections = {section.name: section for section in coding.sections(setup)}
        self._view = _Tokens(self._sections) if encoder == "tokens" else _Flat(self._sections)
        self._sources = np.stack([self._view.sources(held) for held in range(SLOTS + 1)])

    def applies(self, observations: Observations) -> npt.NDArray[np.bool_]:
        """(N,) where the flip does anything."""
        rows = _rows(observations)
        declares = self._view.is_asked(rows, DECLARE_PHASE)
        several = self._view.faces(rows)[:, :, MIMIC].sum(axis=1) > 1
        return ~(self._view.is_asked(rows, FALL_PHASE) | (declares & several))

    def observations(self, observations: Observations) -> Observations:
        """The observations with the own hands turned round, a new array."""
        rows = _rows(observations)
        flipped = np.take_along_axis(rows, self._sources[self._view.held(rows)], axis=1)
        self._view.turn(flipped)
        applies = self.applies(observations)[:, None]
        return np.where(applies, flipped, rows).reshape(observations.shape)

    def masks(self, observations: Observations, masks: Observations) -> Observations:
        """The masks (N, A) that go with the flipped observations, a new array."""
        return np.take_along_axis(masks, self._actions(observations), axis=1)

    def actions(self, observations: Observations, actions: Indices) -> Indices:
        """The actions (N,) that do the same in the flipped observations, a new array."""
        found: Indices = self._actions(observations)[np.arange(len(actions)), actions]
        return found

    def _actions(self, observations: Observations) -> Indices:
        """(N, A) where each action goes, and comes from; `observations` are the unflipped."""
        rows = _rows(observations)
        two_ways = self._view.card(rows)[:, _IS_TWO_WAY].any(axis=1)
        found = _ACTION_MAPS[self._view.held(rows), two_ways.astype(np.int64)]
        applies = self.applies(observations)[:, None]
        return np.where(applies, found, np.arange(ACTIONS))


def _rows(observations: Observations) -> Observations:
    return observations.reshape(len(observations), -1)


def _action_map(held: int, two_ways: int) -> Indices:
    """Where each action goes in a hand of so many cards; each map is its own inverse."""
    found = np.arange(ACTIONS)
    for gap in range(held + 1):
        for way in range(1 + two_ways):
            turned = INSERT_ACTION + 2 * (held - gap) + (1 - way if two_ways else way)
            if turned < LIFT_ACTION:
                found[INSERT_ACTION + 2 * gap + way] = turned
    for slot in range(held):
        found[LIFT_ACTION + slot] = LIFT_ACTION + held - 1 - slot
    for role in range(BODY_ROLE):
        found[ROLE_ACTION + role] = ROLE_ACTION + (role ^ 1)
    return found


# By cards in the hand, and whether the card to be inserted has two ways up.
_ACTION_MAPS = np.array(
    [[_action_map(held, two_ways) for two_ways in range(2)] for held in range(SLOTS + 1)]
)


def _swapped(held: int) -> list[int]:
    """Where each slot comes from; what lies behind the hand stays."""
    return [held - 1 - slot if slot < held else slot for slot in range(SLOTS)]


# ==================================================================== where things stand


class _Flat:
    """Where `flat` says what the flip needs to know, and what it moves."""

    def __init__(self, sections: dict[str, Section]) -> None:
        self._at = {name: section.offset for name, section in sections.items()}
        self._length = sum(section.length for section in sections.values())

    def sources(self, held: int) -> Indices:
        """(D,) where each entry comes from."""
        found = np.arange(self._length)
        slots = _swapped(held)
        for slot, source in enumerate(slots):
            to = self._at["hand"] + SLOT_WIDTH * slot
            come = self._at["hand"] + SLOT_WIDTH * source
            found[to : to + FACE_COUNT] = np.arange(come, come + FACE_COUNT)
            # Left head and tail come from right head and tail, and the other way round.
            found[to + FACE_COUNT : to + SLOT_WIDTH] = come + FACE_COUNT + np.array([2, 3, 0, 1])
            for name in ("hand_open", "hand_way_up", "hand_known", "hand_drawn"):
                found[self._at[name] + slot] = self._at[name] + source
            found[self._at["stubs"] + slot] = self._at["stubs"] + SLOTS + source
            found[self._at["stubs"] + SLOTS + slot] = self._at["stubs"] + source
        return found

    def turn(self, rows: Observations) -> None:
        """Turns the way up of every own card that has two."""
        ways = self._part(rows, "hand_way_up", SLOTS)
        ways ^= self.faces(rows)[:, :, _IS_TWO_WAY].any(axis=2)

    def faces(self, rows: Observations) -> Observations:
        """(N, slots, faces) one-hot."""
        hand = self._part(rows, "hand", SLOTS * SLOT_WIDTH).reshape(-1, SLOTS, SLOT_WIDTH)
        return hand[:, :, :FACE_COUNT]

    def card(self, rows: Observations) -> npt.NDArray[np.bool_]:
        """(N, faces) the card between two places."""
        return self._part(rows, "card", FACE_COUNT) != 0

    def held(self, rows: Observations) -> Indices:
        """(N,) cards in the own hand."""
        return rows[:, self._at["held"]].astype(np.int64)

    def is_asked(self, rows: Observations, phase: int) -> npt.NDArray[np.bool_]:
        """(N,) whether this phase is asked."""
        return np.asarray(rows[:, self._at["phase"] + phase] != 0)

    def _part(self, rows: Observations, name: str, length: int) -> Observations:
        return rows[:, self._at[name] : self._at[name] + length]


class _Tokens:
    """The same for `tokens`."""

    def __init__(self, sections: dict[str, Section]) -> None:
        self._length = sum(section.length for section in sections.values())
        self._field = {
            (name, field.name): section.offset + k
            for name, section in sections.items()
            for k, field in enumerate(section.fields)
        }

    def sources(self, held: int) -> Indices:
        """(L * F,) where each entry comes from."""
        found = np.arange(self._length)
        pairs = {"left_edge": "right_edge", "left_stub": "right_stub"}
        pairs |= {right: left for left, right in pairs.items()}
        for slot, source in enumerate(_swapped(held)):
            for name in ("face", "way_up", "others_know", "falls", *pairs):
                to = self._field["hands", name] + TOKEN_FIELDS * slot
                come = self._field["hands", pairs.get(name, name)] + TOKEN_FIELDS * source
                found[to] = come
        return found

    def turn(self, rows: Observations) -> None:
        """Turns the way up (1 or 2) of every own card that has two."""
        ways = self._own(rows, "way_up")
        turns = self.faces(rows)[:, :, _IS_TWO_WAY].any(axis=2)
        ways[...] = np.where(turns, 3 - ways, ways)

    def faces(self, rows: Observations) -> npt.NDArray[np.bool_]:
        """(N, slots, faces) one-hot."""
        return _one_hot(self._own(rows, "face"))

    def card(self, rows: Observations) -> npt.NDArray[np.bool_]:
        """(N, faces) the card between two places."""
        return _one_hot(rows[:, self._field["table", "face"]])

    def held(self, rows: Observations) -> Indices:
        """(N,) cards in the own hand."""
        return rows[:, self._field["seats", "held"]].astype(np.int64)

    def is_asked(self, rows: Observations, phase: int) -> npt.NDArray[np.bool_]:
        """(N,) whether this phase is asked."""
        return np.asarray(rows[:, self._field["table", "phase"]] == phase + 1)

    def _own(self, rows: Observations, name: str) -> Observations:
        begin = self._field["hands", name]
        return rows[:, begin : begin + SLOTS * TOKEN_FIELDS : TOKEN_FIELDS]


def _one_hot(faces: Observations) -> npt.NDArray[np.bool_]:
    """A last axis of faces for numbers that are 0 for none, else 1 + face."""
    return faces[..., None] == np.arange(1, FACE_COUNT + 1)
