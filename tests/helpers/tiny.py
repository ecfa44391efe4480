"""A second game, as small as one can be that uses all of the core, which it proves to know no game.

Each seat is dealt a rank in private. In turn each passes or claims; a rank of 0 cannot be claimed
with. After a claim the next seat clockwise is shown the rank; after the last one all are shown the
ranks of all claims. The highest of them scores a point, and after the last round the most points
win.

This file is the whole game: state, rules, encoder, words and setup.
"""

import sys
from pathlib import Path
from typing import Any, cast

import numpy as np

from tefuda.envs.core.chance import draw, draw_seed, restart_stream
from tefuda.envs.core.contract import (
    CHANCE,
    DECISION,
    ENDINGS,
    NOBODY,
    NOTICED,
    OVER,
    SEEN,
    common_fields,
    note,
)
from tefuda.envs.core.jit import Record, kernel
from tefuda.envs.core.options import REWARD, Option, resolve
from tefuda.envs.core.parts import ComponentFile, parse_components
from tefuda.envs.core.sections import Section, layout
from tefuda.envs.core.spec import Encoder, GameSpec, Setup, Text

MAX_SEATS, RANKS = 3, 4
PASS, CLAIM = range(2)
EVERYBODY = NOBODY - 1
ASK_PHASE, DEAL_PHASE, OVER_PHASE = range(3)
ALL_ROUNDS_PLAYED = ENDINGS

STATE = np.dtype(
    [
        *common_fields(MAX_SEATS, 2 * MAX_SEATS),
        ("rank", np.int16, (MAX_SEATS,)),
        ("claimed", np.int16, (MAX_SEATS,)),
        ("left", np.int16, (RANKS,)),  # cards not dealt, by rank
        ("shown_to", np.int16),  # who was shown ranks by the latest event, or NOBODY
        ("shown_count", np.int16),
        ("shown", np.int16, (MAX_SEATS,)),
    ],
    align=True,
)
PARTS = np.dtype([("players", np.int16), ("rounds", np.int16), ("copies", np.int16, (RANKS,))])

# ==================================================================== rules


@kernel
def start(game: Record, parts: Record) -> None:
    _begin_round(game, parts)


@kernel
def _begin_round(game: Record, parts: Record) -> None:
    restart_stream(game)
    game.logged = 0
    game.claimed[:] = 0
    game.left[:] = parts.copies
    game.phase = DEAL_PHASE
    game.seat = 0


@kernel
def node(game: Record) -> int:
    if game.phase == ASK_PHASE:
        return DECISION
    return CHANCE if game.phase == DEAL_PHASE else OVER


@kernel
def legal(game: Record, parts: Record, mask: Any) -> None:
    for action in range(2):
        mask[action] = is_legal(game, parts, action)


@kernel
def is_legal(game: Record, parts: Record, action: int) -> bool:
    if game.phase != ASK_PHASE:
        return False
    return action == PASS or (action == CLAIM and game.rank[game.seat] > 0)


@kernel
def apply(game: Record, parts: Record, action: int) -> None:
    note(game, action)
    game.claimed[game.seat] = action
    next_seat = (game.seat + 1) % parts.players
    game.shown_to = next_seat if action == CLAIM else NOBODY
    game.shown[0] = game.rank[game.seat]
    game.shown_count = 1
    game.seat = next_seat
    if game.logged == 2 * parts.players:
        _show_claims(game, parts)
        _score(game, parts)


@kernel
def _show_claims(game: Record, parts: Record) -> None:
    game.shown_to = EVERYBODY
    game.shown_count = 0
    for seat in range(parts.players):
        if game.claimed[seat] == 1:
            game.shown[game.shown_count] = game.rank[seat]
            game.shown_count += 1


@kernel
def _score(game: Record, parts: Record) -> None:
    highest = 0
    for seat in range(parts.players):
        highest = max(highest, game.claimed[seat] * game.rank[seat])
    for seat in range(parts.players):
        points = int(game.claimed[seat] == 1 and game.rank[seat] == highest)
        game.points[seat] = points
        game.gained[seat] += points
        game.totals[seat] += points
    game.scorings += 1
    game.round_index += 1
    if game.round_index < parts.rounds:
        _begin_round(game, parts)
    else:
        _finish(game, parts)


@kernel
def _finish(game: Record, parts: Record) -> None:
    for seat in range(parts.players):
        game.winners[seat] = game.totals[seat] == max(game.totals)
    game.ending = ALL_ROUNDS_PLAYED
    game.phase = OVER_PHASE
    game.seat = NOBODY


@kernel
def chances(game: Record, parts: Record, outcomes: Any, weights: Any) -> int:
    count = 0
    for rank in range(RANKS):
        if game.left[rank] > 0:
            outcomes[count] = rank
            weights[count] = game.left[rank]
            count += 1
    return count


@kernel
def apply_chance(game: Record, parts: Record, outcome: int) -> None:
    note(game, outcome)
    game.shown_to = NOBODY
    game.left[outcome] -= 1
    game.rank[game.seat] = outcome
    game.seat += 1
    if game.seat == parts.players:
        game.phase = ASK_PHASE
        game.seat = game.round_index % parts.players


@kernel
def sample_chance(game: Record, parts: Record) -> int:
    return _draw_rank(game.left, game)


@kernel
def _draw_rank(left: Any, holder: Record) -> int:
    rest = draw(holder, left.sum())
    rank = 0
    while rest >= left[rank]:
        rest -= left[rank]
        rank += 1
    return rank


@kernel
def settle(game: Record, parts: Record) -> None:
    while game.phase == DEAL_PHASE:
        apply_chance(game, parts, sample_chance(game, parts))


@kernel
def random_action(game: Record, parts: Record, holder: Record) -> int:
    return draw(holder, 2) if game.rank[game.seat] > 0 else PASS


@kernel
def sees(game: Record, parts: Record, seat: int, value: int) -> int:
    return NOTICED if game.phase == DEAL_PHASE and game.seat != seat else SEEN


@kernel
def news(game: Record, parts: Record, seat: int, values: Any) -> int:
    if game.shown_to != seat and game.shown_to != EVERYBODY:
        return 0
    for k in range(game.shown_count):
        values[k] = game.shown[k]
    return game.shown_count


@kernel
def _is_dealt(game: Record, seat: int) -> bool:
    return game.phase != DEAL_PHASE or seat < game.seat


@kernel
def _knows(game: Record, parts: Record, seat: int, other: int) -> bool:
    """Whether `seat` knows the rank of `other`: its own, or one that it was shown."""
    is_next = (other + 1) % parts.players == seat
    return seat == other or (game.claimed[other] == 1 and (is_next or game.phase == OVER_PHASE))


@kernel
def resample(game: Record, parts: Record, seat: int, holder: Record) -> None:
    while not _redeal(game, parts, seat, holder):
        pass
    game.seed = draw_seed(holder)
    restart_stream(game)


@kernel
def _redeal(game: Record, parts: Record, seat: int, holder: Record) -> bool:
    """Deals the unknown ranks anew; returns whether every claim was allowed."""
    game.left[:] = parts.copies
    for other in range(parts.players):
        if _is_dealt(game, other) and _knows(game, parts, seat, other):
            game.left[game.rank[other]] -= 1
    allowed = True
    for other in range(parts.players):
        if _is_dealt(game, other) and not _knows(game, parts, seat, other):
            rank = _draw_rank(game.left, holder)
            game.left[rank] -= 1
            game.rank[other] = rank
            game.log[other] = rank
            allowed = allowed and (rank > 0 or game.claimed[other] == 0)
    return allowed


@kernel
def greedy(game: Record, parts: Record, holder: Record) -> int:
    """Claims with the two highest ranks; otherwise as it comes, if it can."""
    own = game.rank[game.seat]
    if own >= RANKS - 2:
        return CLAIM
    return draw(holder, 2) if own > 0 else PASS


@kernel
def observe(game: Record, parts: Record, seat: int, observation: Any) -> None:
    players = parts.players
    observation[:] = 0
    if _is_dealt(game, seat):
        observation[game.rank[seat]] = 1
    at = 2 * RANKS
    for offset in range(players):
        other = (seat + offset) % players
        if offset > 0 and _is_dealt(game, other) and _knows(game, parts, seat, other):
            observation[RANKS + game.rank[other]] += 1
        observation[at + offset] = game.claimed[other]
        observation[at + players + offset] = game.totals[other]
        observation[at + 2 * players + offset] = game.phase != OVER_PHASE and game.seat == other
    observation[at + 3 * players] = game.round_index
    observation[at + 3 * players + 1] = game.phase


# ==================================================================== words

CHANCE_NAMES = {DEAL_PHASE: "deal"}
DECISION_NAMES = {ASK_PHASE: "ask"}
SCORE_NAME = "round"
CHANCE_MEANINGS = {"deal": "a rank; the seat is who gets it"}


def action_ranges(setup: Setup, /) -> tuple[tuple[range, str], ...]:
    return (range(PASS, CLAIM), "pass"), (range(CLAIM, CLAIM + 1), "claim")


def label(setup: Setup, action: int, /) -> str:
    return ("pass", "claim")[action]


def outcome_label(setup: Setup, name: str, outcome: int, /) -> str:
    return f"rank {outcome}"


def score_details(setup: Setup, game: Record, /) -> dict[str, list[int]]:
    return {"rounds": [int(game["round_index"])]}


def ansi(setup: Setup, game: Record, seat: int | None, /) -> str:
    ranks = game["rank"][: setup.players].tolist()
    return f"ranks {[rank if seat in (None, k) else '?' for k, rank in enumerate(ranks)]}\n"


# ==================================================================== setup

MOST_ROUNDS = 9
OPTIONS = (
    Option("players", 3, range(2, MAX_SEATS + 1), "number of seats"),
    Option("rounds", 2, range(1, MOST_ROUNDS + 1), "rounds of a game"),
    REWARD,
)
COMPONENTS = parse_components('name = "tiny"\ncopies = [2, 1, 3, 2]\n', "tiny.toml", shipped=True)


def setup(
    players: int | None = None, components: ComponentFile | str | None = None, **options: Any
) -> Setup:
    file = components if isinstance(components, ComponentFile) else COMPONENTS
    resolved = resolve(OPTIONS, {"players": players, **options})
    parts = np.zeros(1, PARTS)
    parts["players"] = resolved.pop("players")
    parts["rounds"] = resolved["rounds"]
    parts["copies"] = file.get("copies", list)
    return Setup(
        players=int(parts["players"][0]),
        options=resolved,
        components=file,
        parts=parts,
        dtype=STATE,
        actions=2,
        max_outcomes=RANKS,
    )


def sections(setup: Setup) -> tuple[Section, ...]:
    players = setup.players
    return layout(
        [
            Section("rank", RANKS, 1, "own rank"),
            Section("shown", RANKS, MAX_SEATS, "ranks of others that it was shown"),
            Section("claimed", players, 1, "claims, own first"),
            Section("totals", players, MOST_ROUNDS, "points, own first"),
            Section("actor", players, 1, "who acts or receives"),
            Section("round", 1, MOST_ROUNDS, "rounds played"),
            Section("phase", 1, OVER_PHASE, "what is asked"),
        ]
    )


_THIS = sys.modules[__name__]
GAME = GameSpec(
    name="tiny",
    version=0,
    rules=_THIS,
    setup=setup,
    options=OPTIONS,
    encoders={"flat": Encoder(observe, sections)},
    text=cast(Text, _THIS),
    folder=Path(__file__),
    greedy=greedy,
)
