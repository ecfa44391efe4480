"""Observations of gacha, section by section, against what the second implementation tells.

Random games run beside the slow implementation, which here also notes what each seat has seen.
At every node every seat's observation is compared with values worked out from those notes.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from helpers.gacha import outcomes, random_action
from oracles import gacha as oracle
from oracles.gacha import Card, Play
from tefuda.envs import Game
from tefuda.envs.core.sections import Section

Values = dict[str, list[int]]
Row = dict[str, int]

COLOURS = range(6)
FOLLOWS = (oracle.MUST, oracle.MUST_NOT, oracle.MAY)
#: Nodes before the first round, and after the last, are looked at in tests of their own.
OUTSIDE_A_ROUND = ("first_leader", "tie_draw", "over")

# What the page of the encoder says of tokens.
CARD, PLAY, SEAT, VOIDS, TABLE, TURN = range(1, 7)
UNSEEN, IN_HAND, JUST_DRAWN, GONE, IN_STOCK, DRAWN_BY_OTHER = range(1, 7)
NOT_YET, FACE_UP, FACE_DOWN, FACE_UP_GONE, FACE_DOWN_GONE = range(1, 6)
NO, YES = 1, 2


class Witness(oracle.Gacha):
    """The slow game, with notes of what every seat has seen in this round."""

    def _clear_table(self) -> None:
        super()._clear_table()
        self.shown: set[int] = set()  # cards played face up
        self.hidden: list[set[int]] = [set() for _ in range(self.players)]  # ... face down
        self.owners: list[int] = []  # who put each of `returned` there
        self.drawn_again: list[set[int]] = [set() for _ in range(self.players)]
        self.void_age: list[dict[int, int]] = [{} for _ in range(self.players)]
        self.drawn: int | None = None

    def _apply_play(self, action: int) -> None:
        assert self.seat is not None and self.follow is not None
        seat, number = self.seat, action + 1
        lying = {play.card.colour for play in self.plays if play.face_up}
        face_up = bool(self._playable())
        if not face_up:
            self.hidden[seat].add(number)
            self._note_voids(seat, set(COLOURS) - (lying or {self.trump}))
        else:
            self.shown.add(number)
            led = self.plays[0].card.colour if self.plays else None
            if self.follow == oracle.MUST and led not in (None, self.deck[number].colour):
                assert led is not None
                self._note_voids(seat, {led})
        super()._apply_play(action)

    def _note_voids(self, seat: int, colours: Iterable[int]) -> None:
        self.void_age[seat].update(dict.fromkeys(colours, 1))

    def _draw_returned(self) -> None:
        self.drawn_again[self.owners.pop(0)].add(self.returned[0])
        super()._draw_returned()

    def _take_drawn(self, number: int) -> None:
        assert self.seat is not None
        self.drawn = number
        self.drawn_again[self.seat].discard(number)
        ages = self.void_age[self.seat]
        ages.update({colour: age + 1 for colour, age in ages.items()})
        super()._take_drawn(number)

    def _apply_return(self, action: int) -> None:
        assert self.seat is not None
        self.owners.append(self.seat)
        super()._apply_return(action)

    # ---------------------------------------------------------------- what follows from it

    def in_stock(self, seat: int) -> set[int]:
        """The returned cards of a seat that are in the stock."""
        pairs = zip(self.returned, self.owners, strict=True)
        return {number for number, owner in pairs if owner == seat}

    def depth(self, number: int, seat: int) -> int:
        """Where a card that the seat has returned lies in the stock, 1 for the top; else 0."""
        if number not in self.in_stock(seat):
            return 0
        return len(self.undealt) + self.returned.index(number) + 1

    def winning(self) -> int | None:
        """The position that wins the trick as it lies; None where nothing lies that can."""
        if self.name in ("dust", "ball"):  # the order may have flipped since
            return (self.winner - self.leader) % self.players
        return winning_position(self.plays, self.follow, self.trump, self.high)

    def would_lead(self, seat: int) -> set[int]:
        """The cards that would win the trick as it lies if the seat played them now."""
        if (self.name, self.seat) != ("play", seat):
            return set()
        there = len(self.plays)
        tries = {n: [*self.plays, Play(seat, self.deck[n], True)] for n in self._playable()}
        return {
            number
            for number, plays in tries.items()
            if winning_position(plays, self.follow, self.trump, self.high) == there
        }

    def won_columns(self, seat: int) -> list[int]:
        """Cards won face up of each colour, cards won face down, T points."""
        lying = Counter(play.card.colour if play.face_up else None for play in self.won[seat])
        return [*(lying[colour] for colour in COLOURS), lying[None], self.t_points[seat]]


def winning_position(
    plays: Sequence[Play], follow: int | None, trump: int, high: bool
) -> int | None:
    """Which of the plays so far wins, by the page's rules for a whole trick."""
    face_up = [play for play in plays if play.face_up]
    if not face_up:
        return None
    assert follow is not None
    if follow == oracle.MAY and len(plays) == 1:
        return 0  # nothing is second strongest yet
    winner = oracle.trick_winner(list(plays), follow, trump, high)
    return [play.seat for play in plays].index(winner)


# ==================================================================== the sections of flat


def one_hot(size: int, *places: int | None) -> list[int]:
    return [int(place in places) for place in range(size)]


def cards_as_bits(game: Witness, numbers: Iterable[int]) -> list[int]:
    held = set(numbers)
    return [int(number in held) for number in range(1, oracle.CARDS_USED[game.players] + 1)]


def base_64(value: int) -> list[int]:
    return list(divmod(value, 64))


def clockwise(game: Witness, seat: int) -> list[int]:
    """The seats from the observing one on."""
    return [(seat + k) % game.players for k in range(game.players)]


def offset(game: Witness, other: int | None, seat: int) -> int | None:
    return None if other is None else (other - seat) % game.players


def seen_card(play: Play, seat: int) -> Card | None:
    return play.card if play.face_up or play.seat == seat else None


def flat(game: Witness, seat: int) -> Values:
    """Every section of the flat encoder, as `seat` should see it."""
    return {**_cards(game, seat), **_trick(game, seat), **_table(game), **_seats(game, seat)}


def _cards(game: Witness, seat: int) -> Values:
    drawn = [game.drawn] if (game.name, game.seat) == ("return", seat) else []
    numbers: dict[str, Iterable[Any]] = {
        "hand": game.hands[seat],
        "gone": game.shown | game.hidden[seat],
        "drawn_again": game.drawn_again[seat] - game.shown,
        "drawn": drawn,
        "would_lead": game.would_lead(seat),
    }
    bits = {name: cards_as_bits(game, those) for name, those in numbers.items()}
    numbers_used = range(1, oracle.CARDS_USED[game.players] + 1)
    return {**bits, "returned": [game.depth(number, seat) for number in numbers_used]}


def _trick(game: Witness, seat: int) -> Values:
    players = game.players
    seen = [seen_card(play, seat) for play in game.plays]
    seen += [None] * (players - len(seen))
    face_up = [play.card.colour for play in game.plays if play.face_up]
    return {
        "trick": [bit for c in seen for bit in cards_as_bits(game, [c.number] if c else [])],
        "trick_down": one_hot(players, *(k for k, p in enumerate(game.plays) if not p.face_up)),
        "trick_discarded": one_hot(players, *game.dust_chosen),
        "leading": one_hot(players, game.winning()),
        "led": one_hot(6, *face_up[:1]),
        "table_colours": one_hot(6, *face_up),
    }


def _table(game: Witness) -> Values:
    return {
        "follow": one_hot(3, *(k for k, f in enumerate(FOLLOWS) if f == game.follow)),
        "previous_follow": one_hot(
            3, *(k for k, f in enumerate(FOLLOWS) if f == game.previous_follow)
        ),
        "trump": one_hot(6, game.trump),
        "order": [int(not game.high)],
        "balls": one_hot(5, *game.bag),
        "dust": [game.dust_due - len(game.dust_chosen)],
        "stock": [len(game.undealt) + len(game.returned)],
        "undealt": [len(game.undealt)],
        "trick_number": one_hot(10, game.trick - 1),
        "round": base_64(game.round_number - 1),
        "phase": one_hot(5, *(k for k, n in enumerate(oracle.DECISIONS) if n == game.name)),
    }


def _seats(game: Witness, seat: int) -> Values:
    around, players = clockwise(game, seat), game.players
    return {
        "won": [n for other in around for n in game.won_columns(other)],
        "totals": [digit for other in around for digit in base_64(game.totals[other])],
        "voids": [game.void_age[other].get(colour, 0) for other in around for colour in COLOURS],
        "actor": one_hot(players, offset(game, game.seat, seat)),
        "leader": one_hot(players, offset(game, game.leader, seat)),
        "first_leader": one_hot(players, offset(game, game.first_leader, seat)),
    }


# ==================================================================== the sections of tokens


def tokens(game: Witness, seat: int) -> dict[str, list[Row]]:
    """Every section of the tokens encoder: a row of named categories for each token."""
    around = list(enumerate(clockwise(game, seat)))
    names = [*("red", "blue", "yellow", "green", "purple", "black")]
    return {
        "cards": [
            _card_token(game, seat, n) for n in range(1, oracle.CARDS_USED[game.players] + 1)
        ],
        "plays": [_play_token(game, seat, k) for k in range(game.players)],
        "seats": [
            {
                "kind": SEAT,
                "seat": k + 1,
                **{
                    name: n + 1
                    for name, n in zip(
                        [*(f"won_{name}" for name in names), "won_down", "t_points"],
                        game.won_columns(other),
                        strict=True,
                    )
                },
            }
            for k, other in around
        ],
        "voids": [
            {
                "kind": VOIDS,
                "seat": k + 1,
                **{f"void_{name}": game.void_age[other].get(c, 0) for c, name in enumerate(names)},
                "totals_high": game.totals[other] // 64,
                "totals_low": game.totals[other] % 64,
            }
            for k, other in around
        ],
        "table": [_table_token(game)],
        "turn": [_turn_token(game, seat)],
    }


def _face(card: Card) -> Row:
    gacha, revo, redraw = (int(icon in card.icons) for icon in ("gacha", "revo", "redraw"))
    dust = sum(oracle.DUST_OF_ICON.get(icon, 0) for icon in card.icons)
    icons = gacha + 2 * revo + 4 * redraw + 8 * dust
    return {"number": card.number, "colour": card.colour + 1, "icons": icons + 1}


def _card_token(game: Witness, seat: int, number: int) -> Row:
    if number in game.hands[seat]:
        just_drawn = (game.name, game.seat, game.drawn) == ("return", seat, number)
        place = JUST_DRAWN if just_drawn else IN_HAND
    elif number in game.shown | game.hidden[seat]:
        place = GONE
    elif number in game.in_stock(seat):
        place = IN_STOCK
    else:
        place = DRAWN_BY_OTHER if number in game.drawn_again[seat] else UNSEEN
    leads = int(number in game.would_lead(seat))
    return {
        "kind": CARD,
        **_face(game.deck[number]),
        "place": place,
        "would_lead": leads,
        "depth": game.depth(number, seat),
    }


def _play_token(game: Witness, seat: int, position: int) -> Row:
    owner = (game.leader + position - seat) % game.players
    row = {"kind": PLAY, "seat": owner + 1}
    if position >= len(game.plays):
        return {**row, "state": NOT_YET}
    lying = game.plays[position]
    card = seen_card(lying, seat)
    gone = position in game.dust_chosen
    states = (FACE_UP, FACE_UP_GONE) if lying.face_up else (FACE_DOWN, FACE_DOWN_GONE)
    leading = YES if game.winning() == position else NO
    return {**row, **(_face(card) if card else {}), "state": states[gone], "leading": leading}


def _table_token(game: Witness) -> Row:
    face_up = [play.card.colour for play in game.plays if play.face_up]
    return {
        "kind": TABLE,
        "follow": 0 if game.follow is None else FOLLOWS.index(game.follow) + 1,
        "previous_follow": (
            0 if game.previous_follow is None else FOLLOWS.index(game.previous_follow) + 1
        ),
        "trump": game.trump + 1,
        "order": 1 if game.high else 2,
        "led": face_up[0] + 1 if face_up else 0,
        "table_colours": sum(1 << colour for colour in set(face_up)) + 1,
        "balls": sum(1 << colour for colour in game.bag) + 1,
        "dust": game.dust_due - len(game.dust_chosen) + 1,
        "stock": len(game.undealt) + len(game.returned) + 1,
    }


def _turn_token(game: Witness, seat: int) -> Row:
    actor, leader, first = (
        offset(game, other, seat) for other in (game.seat, game.leader, game.first_leader)
    )
    assert actor is not None and leader is not None and first is not None
    return {
        "kind": TURN,
        "phase": oracle.DECISIONS.index(game.name) + 1 if game.kind == "decision" else 0,
        "actor": actor + 1,
        "leader": leader + 1,
        "first_leader": first + 1,
        "trick_number": game.trick,
        "round_high": (game.round_number - 1) // 64,
        "round_low": (game.round_number - 1) % 64,
        "undealt": len(game.undealt) + 1,
    }


# ==================================================================== comparing


def read_flat(sections: Sequence[Section], observation: np.ndarray) -> Values:
    return {section.name: observation[section.slice].tolist() for section in sections}


def read_tokens(sections: Sequence[Section], observation: np.ndarray) -> dict[str, list[Row]]:
    """The tokens by section; fields that are 0 are left out, and fields without a name refused."""
    values, found = observation.reshape(-1), {}
    for section in sections:
        rows = values[section.slice].reshape(section.tokens, -1)
        assert not rows[:, len(section.fields) :].any()
        names = [field.name for field in section.fields]
        found[section.name] = [
            {name: value for name, value in zip(names, row, strict=False) if value}
            for row in rows.tolist()
        ]
    return found


def without_zeros(expected: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {
        name: [{key: value for key, value in row.items() if value} for row in rows]
        for name, rows in expected.items()
    }


def compare(flat_game: Game, token_game: Game, witness: Witness, seen: Counter[str]) -> None:
    """Compares what every seat sees at the present node."""
    for seat in range(witness.players):
        expected = flat(witness, seat)
        found = read_flat(flat_game.engine.sections, flat_game.observation(seat))
        assert found == expected
        seen.update(name for name, values in expected.items() if any(values))
        seen["older void"] += any(age > 1 for age in expected["voids"])
        found_tokens = read_tokens(token_game.engine.sections, token_game.observation(seat))
        assert found_tokens == without_zeros(tokens(witness, seat))
        seen["position"] += 1


def walk(seed: int, players: int, seen: Counter[str], **options: Any) -> None:
    """Plays a random game with both encoders beside the slow one, and compares at every node."""
    chosen: dict[str, Any] = {"players": players, **options}
    flat_game = Game("gacha_v0", **chosen)
    token_game = Game("gacha_v0", encoder="tokens", **chosen)
    witness, rng = Witness(**chosen), random.Random(seed)
    while flat_game.node != "over":
        skipped = witness.name == "deal" and rng.random() < 0.9
        if witness.name not in OUTSIDE_A_ROUND and not skipped:
            compare(flat_game, token_game, witness, seen)
        if flat_game.node == "chance":
            value = rng.choice(outcomes(flat_game))
            flat_game.apply_chance(value)
            token_game.apply_chance(value)
        else:
            value = random_action(flat_game, rng, redraws=0.9)
            flat_game.apply(value)
            token_game.apply(value)
        witness.apply(value)


@pytest.mark.rule("G12", "G14", "G16", "G18", "G20", "G21")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_observations_of_random_games(players: int) -> None:
    """Both encoders, for every seat at thousands of nodes; each section also had its say."""
    seen: Counter[str] = Counter()
    walk(1, players, seen, scoring="vp", trump_draw="shuffle", rounds=4)
    walk(2, players, seen, next_leader="fewest", max_rounds=5)
    walk(3, players, seen, scoring="vp", rounds=3)
    assert seen["position"] > 2000
    sections = [section.name for section in Game("gacha_v0").engine.sections]
    assert not {*sections, "older void"} - seen.keys(), seen


@pytest.mark.pure
@pytest.mark.bounds
@pytest.mark.rule("G14", "G18")
def test_observations_of_a_round() -> None:
    """The same for runs without the JIT and with checked indices."""
    seen: Counter[str] = Counter()
    walk(4, 3, seen, scoring="vp", rounds=1)
    walk(5, 5, seen, scoring="vp", rounds=1)
    assert seen["position"] > 300


@pytest.mark.pure
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("encoder", ["flat", "tokens"])
def test_sections_fill_the_observation(players: int, encoder: str) -> None:
    """They lie one behind the other without a gap, and name every value."""
    game = Game("gacha_v0", seed=(0, 0, 0), players=players, encoder=encoder)
    end = 0
    for section in game.engine.sections:
        assert section.slice == slice(end, end + section.length)
        end = section.slice.stop
    game.settle()
    for seat in range(players):
        observation = game.observation(seat)
        assert (observation.size, observation.dtype) == (end, np.int8)
        assert (observation >= 0).all()
        assert (observation <= game.engine.highs()).all()


@pytest.mark.pure
@pytest.mark.rule("G28", "G29")
@pytest.mark.parametrize(
    ("totals", "rounds"), [([200, 64, 63, 1], 130), ([8100, 0, 127, 128], 999)]
)
def test_values_above_127_take_two_entries(totals: list[int], rounds: int) -> None:
    """Totals and the round stand in base 64, the high digit first, own seat first."""
    games = [
        Game("gacha_v0", seed=(0, 0, 0), scoring="vp", rounds=1000, encoder=e)
        for e in ("flat", "tokens")
    ]
    for game in games:
        game.settle()
        game.state["totals"][:4] = totals
        game.state["round_index"] = rounds
    flat_game, token_game = games
    sections = {section.name: section.slice for section in flat_game.engine.sections}
    for seat in range(4):
        around = [totals[(seat + k) % 4] for k in range(4)]
        observation = flat_game.observation(seat)
        assert observation[sections["totals"]].tolist() == [d for n in around for d in base_64(n)]
        assert observation[sections["round"]].tolist() == base_64(rounds)
        found = read_tokens(token_game.engine.sections, token_game.observation(seat))
        digits = [(row.get("totals_high", 0), row.get("totals_low", 0)) for row in found["voids"]]
        assert digits == [divmod(n, 64) for n in around]
        turn = found["turn"][0]
        assert (turn.get("round_high", 0), turn.get("round_low", 0)) == divmod(rounds, 64)


@pytest.mark.pure
@pytest.mark.parametrize("scoring", ["wp", "vp"])
def test_observations_at_the_end(scoring: str) -> None:
    """Nobody is asked any more; what was won and the totals can still be read."""
    limit = {"max_rounds": 1} if scoring == "wp" else {"rounds": 1}
    options: dict[str, Any] = {"players": 3, "scoring": scoring, **limit}
    game, witness, rng = Game("gacha_v0", **options), Witness(**options), random.Random(0)
    while game.node != "over":
        chance = game.node == "chance"
        value = rng.choice(outcomes(game)) if chance else random_action(game, rng)
        (game.apply_chance if chance else game.apply)(value)
        witness.apply(value)
    for seat in range(3):
        found = read_flat(game.engine.sections, game.observation(seat))
        for name in ("hand", "would_lead", "phase", "actor", "trick_number", "dust", "drawn"):
            assert not any(found[name]), name
        around = clockwise(witness, seat)
        assert found["won"] == [n for other in around for n in witness.won_columns(other)]
        assert found["totals"] == [d for other in around for d in base_64(witness.totals[other])]


@pytest.mark.pure
def test_a_dirty_row_is_written_over() -> None:
    """Rows are reused: whatever stood there before leaves no trace."""
    rng = random.Random(3)
    for encoder in ("flat", "tokens"):
        game = Game("gacha_v0", seed=(0, 0, 0), players=3, encoder=encoder)
        game.settle()
        for _ in range(60):
            game.apply(random_action(game, rng))
            game.settle()
            row = np.full(game.engine.size, 77, np.int8)
            game.engine.loops.observe_one(game._games, game.engine.parts, 0, 1, row)
            np.testing.assert_array_equal(row.reshape(game.engine.shape), game.observation(1))
