"""Observations of quatre: everything but the future of the bag, as named sections of int8 values.

`flat` is the default. `expert` adds for every action what it would change, for the best places also
how the board would stand, and whether the scripted player would rather collect or redraw. `planes`
shows the board and the card drawn as planes for convolutional networks, with the rest as a context
vector behind them; beside the bare facts it has the sizes of groups and what one more fruit would
gain. `tokens` says the same as rows of categories for attention models.

Fruits and actors go round from the seat's own one (with two players, every second is its own), and
a fruit that nobody owns stands last; the kinds of cards are renamed accordingly where the deck
treats all fruits alike.
"""

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.jit import Record, inlined, kernel
from tefuda.envs.core.sections import Section, layout, token_section
from tefuda.envs.core.spec import Encoder, Setup
from tefuda.envs.quatre.greedy import (
    Changes,
    Kept,
    best_action,
    fruit_weights,
    keep_board,
    try_places,
)
from tefuda.envs.quatre.outlook import (
    BEST_PLACES,
    ENTRIES_A_UNIT,
    MEASURES,
    measure_places,
    rank_places,
)
from tefuda.envs.quatre.rules import (
    collect_action,
    gain_of_fruit,
    is_fruit,
    is_legal,
    may_take_fruit,
)
from tefuda.envs.quatre.state import (
    FIRST_FRUIT,
    FRUIT_COUNT,
    MAX_COPIES,
    MAX_TURNS,
    NO_ACTOR,
    NO_CARD,
    NOTHING,
    PLAY_PHASE,
    PRINTED,
    QUARTER_TURNS,
)

Observation = npt.NDArray[np.int8]

# A value that can exceed 127 takes two entries: v // 64 and v % 64.
_BASE, _BASE_BITS = 64, 6
_MOST = 127
_MOST_LONG = _MOST * _BASE + _BASE - 1


# ==================================================================== flat


def flat_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `flat`, in their order."""
    cells = setup.parts[0]["marks"].size
    return layout(
        [
            Section("cream", cells, 1, "visible cream, row by row"),
            Section("fruits", FRUIT_COUNT * cells, 1, "each visible fruit, own first, row by row"),
            *context_sections(setup),
        ]
    )


def context_sections(setup: Setup) -> list[Section]:
    """The sections that `flat` and `planes` share: all but the board."""
    parts = setup.parts[0]
    kinds, actors = int(parts["copies"].size), int(parts["actors"])
    return [
        Section("card", kinds, 1, "the kind of the card drawn"),
        Section("bag", kinds, MAX_COPIES, "copies in the bag, by kind"),
        Section("bag_left", 2, _MOST, "cards in the bag, in base 64, high digit first"),
        Section("redraw", 1, 1, "1 while the card drawn can go back"),
        Section("seat", setup.players, 1, "the observing seat"),
        Section("actor", actors, 1, "whose play it is"),
        Section("order", actors * actors, 1, "who acts first in a turn, second ..."),
        Section("turn", int(parts["turns"]), 1, "the turn, from 0"),
        Section("to_scoring", 1, MAX_TURNS, "turns up to the next scoring, this one counted"),
        Section("scorings", 1, MAX_TURNS, "scorings still to come"),
        Section("totals", actors * 2, _MOST, "points of the game by actor, in base 64"),
        Section("collected", actors, MAX_TURNS, "cards collected, by actor"),
        Section("groups", FRUIT_COUNT * 2, _MOST, "each fruit's group points now, in base 64"),
    ]  # fmt: skip


@kernel
def observe_flat(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,)."""
    at = _write_symbols(game, parts, seat, observation, 0)
    _write_context(game, parts, seat, observation, at)


@kernel
def _write_symbols(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    """cream, fruits: a plane for each symbol."""
    cells = len(game.board)
    for place in range(PRINTED):
        symbol = parts.symbol_at[seat, place]
        # A slice, so that no index can be negative and the compiler takes many cells at once.
        plane = observation[at : at + cells]
        for cell in range(cells):
            plane[cell] = game.board[cell] == symbol
        at += cells
    return at


@kernel
def _write_context(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    """All but the board, up to the end of the observation."""
    observation[at:] = 0
    kinds = len(game.bag)
    if game.card != NO_CARD:
        observation[at + parts.kind_place[seat, game.card]] = 1
    at += kinds
    for place in range(kinds):
        observation[at + place] = game.bag[parts.kind_at[seat, place]]
    at += kinds
    _write_long(observation, at, game.bag_left)
    observation[at + 2] = 1 - game.redrawn
    observation[at + 3 + seat] = 1
    at = _write_turn(game, parts, seat, observation, at + 3 + parts.players)
    _write_points(game, parts, seat, observation, at)


@kernel
def _write_turn(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """actor, order, turn, to_scoring, scorings."""
    actors = parts.actors
    if game.actor != NO_ACTOR:
        observation[at + parts.actor_place[seat, game.actor]] = 1
    at += actors
    for place in range(actors):
        observation[at + parts.actor_place[seat, game.order[place]]] = 1
        at += actors
    if game.turn < parts.turns:
        observation[at + game.turn] = 1
    at += parts.turns
    observation[at] = parts.to_scoring[game.turn]
    observation[at + 1] = parts.scorings - game.scorings
    return at + 2


@kernel
def _write_points(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    """totals, collected, groups."""
    actors = parts.actors
    for place in range(actors):
        actor = parts.actor_at[seat, place]
        _write_long(observation, at + 2 * place, game.actor_totals[actor])
        observation[at + 2 * actors + place] = game.collected[actor]
    at += 3 * actors
    for place in range(FRUIT_COUNT):
        fruit = parts.symbol_at[seat, place + 1] - FIRST_FRUIT
        _write_long(observation, at + 2 * place, game.group_points[fruit])


@inlined
def _write_long(observation: Observation, at: int, value: int) -> None:
    """A value of at least 0 in two entries of base 64, the high one first; it saturates."""
    shown = min(value, _MOST_LONG)
    observation[at] = shown >> _BASE_BITS
    observation[at + 1] = shown & (_BASE - 1)


# ==================================================================== planes

# Planes of the board: marks, cream, fruits, group sizes, gains; then those of the card drawn.
_BOARD_PLANES = 1 + PRINTED + 1 + FRUIT_COUNT
_CARD_PLANES = QUARTER_TURNS * PRINTED


def plane_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `planes`: the planes one after the other, then the context."""
    cells = setup.parts[0]["marks"].size
    return layout(
        [
            Section("marks", cells, 1, "1 where a mark is"),
            Section("cream", cells, 1, "visible cream"),
            Section("fruits", FRUIT_COUNT * cells, 1, "each visible fruit, own first"),
            Section("group_size", cells, _MOST, "how large the group of a fruit is"),
            Section("gain", FRUIT_COUNT * cells, _MOST, "what one more fruit here would score"),
            Section("face", _CARD_PLANES * cells, 1, "the card drawn, by turn and symbol"),
            *context_sections(setup),
        ]
    )  # fmt: skip


def plane_shapes(setup: Setup) -> dict[str, tuple[int, ...]]:
    """The shapes of the two pieces of `planes`: board (C, R, columns) and context (K,)."""
    length = sum(section.length for section in context_sections(setup))
    board = (_BOARD_PLANES + _CARD_PLANES, *setup.parts[0]["marks"].shape)
    return {"board": board, "context": (length,)}


@kernel
def observe_planes(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,): planes, then context."""
    cells = len(game.board)
    observation[: (_BOARD_PLANES + _CARD_PLANES) * cells] = 0
    columns = parts.marks.shape[1]
    for cell in range(cells):
        observation[cell] = parts.marks[cell // columns, cell % columns]
    at = _write_symbols(game, parts, seat, observation, cells)
    for cell in range(cells):
        if is_fruit(game.board[cell]):
            observation[at + cell] = min(game.group_size[game.group[cell]], _MOST)
    at = _write_gains(game, parts, seat, observation, at + cells)
    at = _write_faces(game, parts, seat, observation, at)
    _write_context(game, parts, seat, observation, at)


@kernel
def _write_gains(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """gain: a plane for each fruit; 0 where no fruit can be laid, 1 where it would be single."""
    cells = len(game.board)
    for cell in range(cells):
        if not may_take_fruit(game, parts, cell):
            continue
        for place in range(FRUIT_COUNT):
            observation[at + place * cells + cell] = 1
        for k in range(parts.neighbour_count[cell]):
            symbol = game.board[parts.neighbours[cell, k]]
            if is_fruit(symbol):
                plane = at + (parts.symbol_place[seat, symbol] - 1) * cells
                gain = gain_of_fruit(game, parts, cell, symbol)
                observation[plane + cell] = min(gain, _MOST)
    return at + FRUIT_COUNT * cells


@kernel
def _write_faces(game: Record, parts: Record, seat: int, observation: Observation, at: int) -> int:
    """face: the card drawn in its four turns, in the middle of the board's square."""
    cells = len(game.board)
    if game.card == NO_CARD:
        return at + _CARD_PLANES * cells
    rows, columns = parts.marks.shape
    size = parts.bare.shape[1]
    top, left = (rows - size) // 2, (columns - size) // 2
    for turn in range(QUARTER_TURNS):
        for k in range(parts.printed[game.card]):
            row = top + parts.cell_row[game.card, turn, k]
            column = left + parts.cell_column[game.card, turn, k]
            plane = parts.symbol_place[seat, parts.cell_symbol[game.card, turn, k]]
            # A card can be larger than a very small board.
            if 0 <= row < rows and 0 <= column < columns:
                observation[at + plane * cells + row * columns + column] = 1
        at += PRINTED * cells
    return at


# ==================================================================== expert

# Of each action: what it adds to the points of each fruit; whether the scripted player takes it
# rather than any place (which place that player prefers, the points tell); whether it is one of the
# best places; and if so, how the board would stand.
_SCRIPTED, _BEST, _OUTLOOK = FRUIT_COUNT, FRUIT_COUNT + 1, FRUIT_COUNT + 2
_ACTION_FEATURES = _OUTLOOK + MEASURES
# What can fall below 0 is shown with so much added.
_LEVEL = 64


def expert_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `expert`: those of `flat`, then what follows for every action."""
    changes = "what the action adds to the points of each fruit, own first, plus 64; 0 if illegal"
    return layout(
        [
            *flat_sections(setup),
            Section("changes", FRUIT_COUNT * setup.actions, _MOST, changes),
            Section(
                "scripted", setup.actions, 1,
                "1 for collecting or redrawing where the scripted player would",
            ),
            Section("best", setup.actions, 1, "1 for the places that gain most"),
            Section(
                "outlook", MEASURES * setup.actions, _MOST,
                "for these, against the very best: growth, second growth, largest group, "
                "liberties, growth squared, room (see `outlook`), scaled, plus 64",
            ),
        ]
    )  # fmt: skip


def expert_shapes(setup: Setup) -> dict[str, tuple[int, ...]]:
    """The shapes of the two pieces of `expert`: table (D,) and actions (K, A)."""
    length = sum(section.length for section in flat_sections(setup))
    return {"table": (length,), "actions": (_ACTION_FEATURES, setup.actions)}


@kernel
def observe_expert(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (D,): `flat`, then features of the seat's legal actions."""
    actions = collect_action(parts) + 2
    at = len(observation) - _ACTION_FEATURES * actions
    observe_flat(game, parts, seat, observation[:at])
    observation[at:] = 0
    if game.phase == PLAY_PHASE and game.seat == seat:
        features = observation[at:].reshape(-1, actions)
        kept = keep_board(game)
        changes = try_places(game, parts, kept)
        _write_changes(game, parts, seat, changes, features)
        action = best_action(game, parts, changes, kept)
        if action >= collect_action(parts):
            features[_SCRIPTED, action] = 1
        _write_outlook(game, parts, changes, kept, features)


@kernel
def _write_changes(
    game: Record, parts: Record, seat: int, changes: Changes, features: npt.NDArray[np.int8]
) -> None:
    """changes: of the places where the card drawn may lie, and of collecting and redrawing."""
    places = collect_action(parts)
    for place in range(FRUIT_COUNT):
        fruit = parts.symbol_at[seat, place + 1] - FIRST_FRUIT
        for action in range(places):
            if is_legal(game, parts, action):
                change = _LEVEL + changes[fruit, action]
                features[place, action] = min(max(change, 1), _MOST)
        features[place, places] = _LEVEL
        features[place, places + 1] = _LEVEL * (1 - game.redrawn)


@kernel
def _write_outlook(
    game: Record, parts: Record, changes: Changes, kept: Kept, features: npt.NDArray[np.int8]
) -> None:
    """best, outlook: of the places that gain most, compared with the first of them."""
    weights = fruit_weights(game, parts)
    ranked = np.zeros(BEST_PLACES, np.int64)
    measures = np.zeros((BEST_PLACES, MEASURES))
    count = rank_places(game, parts, weights, changes, ranked)
    measure_places(game, parts, weights, kept, ranked[:count], measures)
    for rank in range(count):
        features[_BEST, ranked[rank]] = 1
        for k in range(MEASURES):
            difference = ENTRIES_A_UNIT[k] * (measures[rank, k] - measures[0, k])
            entry = _LEVEL + int(np.rint(difference))
            features[_OUTLOOK + k, ranked[rank]] = min(max(entry, 1), _MOST)


# ==================================================================== tokens

# The kinds of token.
CELL, FACE, KIND, ACTOR, FRUIT, TURN = range(1, 7)
# Every token has so many fields.
TOKEN_FIELDS = 8

_NO, _YES = 1, 2
_TOKEN = ("token", TURN + 1)


def token_sections(setup: Setup) -> tuple[Section, ...]:
    """The sections of `tokens`: rows of `TOKEN_FIELDS` categories; one is added to every count."""
    parts = setup.parts[0]
    marks = parts["marks"]
    size, kinds = parts["bare"].shape[-1], int(parts["copies"].size)
    actor = int(parts["actors"]) + 1
    grid = [("row", max(*marks.shape, size) + 1), ("column", max(*marks.shape, size) + 1)]
    symbol = ("symbol", PRINTED + 2)
    return layout(
        [
            token_section(
                "cells", int(marks.sum()), TOKEN_FIELDS, "one token a mark, row by row",
                [_TOKEN, *grid, symbol, ("group_size", _MOST + 1)],
            ),
            token_section(
                "face", size * size, TOKEN_FIELDS, "one token a cell of the card drawn, unturned",
                [_TOKEN, *grid, symbol],
            ),
            token_section(
                "kinds", kinds, TOKEN_FIELDS, "one token a kind of card",
                [_TOKEN, ("kind", kinds + 1), ("in_bag", MAX_COPIES + 1), ("drawn", _YES + 1)],
            ),
            token_section(
                "actors", actor - 1, TOKEN_FIELDS, "one token for each who takes plays, own first",
                [
                    _TOKEN, ("actor", actor), ("acts", _YES + 1), ("place_in_order", actor),
                    ("collected", MAX_TURNS + 2), ("total_high", _MOST + 1), ("total_low", _BASE),
                ],
            ),
            token_section(
                "groups", FRUIT_COUNT, TOKEN_FIELDS, "one token a fruit: its group points",
                [_TOKEN, symbol, ("points_high", _MOST + 1), ("points_low", _BASE)],
            ),
            token_section(
                "turn", 1, TOKEN_FIELDS, "when it is, and who looks",
                [
                    _TOKEN, ("turn", MAX_TURNS + 1), ("to_scoring", MAX_TURNS + 2),
                    ("scorings", MAX_TURNS + 2), ("redraw", _YES + 1), ("seat", setup.players + 1),
                    ("bag_left_high", _MOST + 1), ("bag_left_low", _BASE),
                ],
            ),
        ]
    )  # fmt: skip


def token_shape(setup: Setup) -> tuple[int, int]:
    """(L, F): how many tokens of how many fields."""
    return sum(section.tokens for section in token_sections(setup)), TOKEN_FIELDS


@kernel
def observe_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> None:
    """Writes the observation of `seat` (L * F,)."""
    observation[:] = 0
    at = _write_cell_tokens(game, parts, seat, observation)
    at = _write_face_tokens(game, parts, seat, observation, at)
    at = _write_kind_tokens(game, parts, seat, observation, at)
    at = _write_actor_tokens(game, parts, seat, observation, at)
    at = _write_fruit_tokens(game, parts, seat, observation, at)
    _write_turn_token(game, parts, seat, observation, at)


@kernel
def _write_cell_tokens(game: Record, parts: Record, seat: int, observation: Observation) -> int:
    at = 0
    rows, columns = parts.marks.shape
    for row in range(rows):
        for column in range(columns):
            if parts.marks[row, column]:
                cell = row * columns + column
                symbol = game.board[cell]
                _write_cell(parts, seat, observation, at, row, column, symbol)
                observation[at] = CELL
                if is_fruit(symbol):
                    observation[at + 4] = min(game.group_size[game.group[cell]], _MOST)
                at += TOKEN_FIELDS
    return at


@kernel
def _write_cell(
    parts: Record,
    seat: int,
    observation: Observation,
    at: int,
    row: int,
    column: int,
    symbol: int,
) -> None:
    """row, column, symbol of the token of a cell."""
    observation[at + 1] = row + 1
    observation[at + 2] = column + 1
    observation[at + 3] = 1 if symbol == NOTHING else parts.symbol_place[seat, symbol] + 2


@kernel
def _write_face_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    size = parts.bare.shape[1]
    for row in range(size):
        for column in range(size):
            if game.card != NO_CARD:
                symbol = parts.face[game.card, 0, row * size + column]
                _write_cell(parts, seat, observation, at, row, column, symbol)
                observation[at] = FACE
            at += TOKEN_FIELDS
    return at


@kernel
def _write_kind_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for place in range(len(game.bag)):
        kind = parts.kind_at[seat, place]
        observation[at] = KIND
        observation[at + 1] = place + 1
        observation[at + 2] = game.bag[kind] + 1
        observation[at + 3] = _YES if game.card == kind else _NO
        at += TOKEN_FIELDS
    return at


@kernel
def _write_actor_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for place in range(parts.actors):
        actor = parts.actor_at[seat, place]
        observation[at] = ACTOR
        observation[at + 1] = place + 1
        observation[at + 2] = _YES if game.actor == actor else _NO
        observation[at + 4] = game.collected[actor] + 1
        _write_long(observation, at + 5, game.actor_totals[actor])
        at += TOKEN_FIELDS
    begin = at - parts.actors * TOKEN_FIELDS
    for place in range(parts.actors):
        own = parts.actor_place[seat, game.order[place]]
        observation[begin + own * TOKEN_FIELDS + 3] = place + 1
    return at


@kernel
def _write_fruit_tokens(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> int:
    for place in range(1, PRINTED):
        observation[at] = FRUIT
        observation[at + 1] = place + 2
        symbol = parts.symbol_at[seat, place]
        _write_long(observation, at + 2, game.group_points[symbol - FIRST_FRUIT])
        at += TOKEN_FIELDS
    return at


@kernel
def _write_turn_token(
    game: Record, parts: Record, seat: int, observation: Observation, at: int
) -> None:
    observation[at] = TURN
    if game.turn < parts.turns:
        observation[at + 1] = game.turn + 1
    observation[at + 2] = parts.to_scoring[game.turn] + 1
    observation[at + 3] = parts.scorings - game.scorings + 1
    observation[at + 4] = _NO if game.redrawn else _YES
    observation[at + 5] = seat + 1
    _write_long(observation, at + 6, game.bag_left)


ENCODERS = {
    "flat": Encoder(observe_flat, flat_sections),
    "expert": Encoder(observe_expert, expert_sections, pieces=expert_shapes),
    "tokens": Encoder(observe_tokens, token_sections, token_shape),
    "planes": Encoder(observe_planes, plane_sections, pieces=plane_shapes),
}
