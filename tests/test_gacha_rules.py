"""The rules of gacha one by one, at positions set up by hand."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from helpers.gacha import (
    BLACK,
    BLUE,
    COLOURS,
    DECK,
    GREEN,
    KEEP,
    NO_ICONS,
    PURPLE,
    RED,
    REDRAW,
    YELLOW,
    asked,
    bag,
    cards_of,
    deal,
    deal_round,
    discard,
    discardable,
    end_round,
    face_down,
    hand,
    last_points,
    last_vp,
    order,
    outcomes,
    play,
    play_trick,
    playable,
    put_back,
    random_action,
    redraw,
    scored,
    short_deck,
    to_last_ball,
    trick_points,
    trump,
    won,
)
from oracles.gacha import set_score
from tefuda.envs import Game
from tefuda.envs.core.errors import IllegalActionError, OptionError
from tefuda.envs.gacha.rules import set_points

pytestmark = [pytest.mark.pure, pytest.mark.bounds]

FIRST_TRICKS = [[1, 2], [3, 4], [5, 6]]  # hands of three seats


def start(**options: Any) -> Game:
    """A published game before its first chance node."""
    return Game("gacha_v0", seed=(0, 0, 0), **options)


# ==================================================================== components


@pytest.mark.rule("G1")
@pytest.mark.parametrize(("players", "cards"), [(3, 39), (4, 49), (5, 55)])
def test_cards_in_use(players: int, cards: int) -> None:
    """G1: 3 players use the cards 1-39, 4 players 1-49, 5 players all 55."""
    game = start(players=players)
    game.apply_chance(0)
    assert outcomes(game) == list(range(1, cards + 1))


@pytest.mark.rule("G1")
@pytest.mark.parametrize("players", [1, 2, 6, "3", 3.0, True])
def test_other_numbers_of_players_are_refused(players: object) -> None:
    """G1: the published game is for 3, 4 or 5."""
    with pytest.raises(OptionError, match="players"):
        start(players=players)


@pytest.mark.rule("G1", "G2")
def test_colours_of_the_deck() -> None:
    """G2: groups of five whose colours shift by one; every fifth of the 55 numbers is black."""
    game = start(players=5)
    labels = [game.label(number - 1) for number in DECK]
    black = [11, 22, 33, 44, 55]
    others = [number for number in range(1, 56) if number not in black]
    for index, number in enumerate(others):
        group, position = divmod(index, 5)
        assert labels[number - 1] == f"play {number} {COLOURS[(position - group) % 5]}"
    assert all(labels[number - 1] == f"play {number} black" for number in black)
    named = {14: "red", 27: "red", 23: "blue", 36: "blue", 39: "green"}
    assert all(labels[number - 1].endswith(colour) for number, colour in named.items())


@pytest.mark.rule("G3")
def test_icons_of_the_deck() -> None:
    """G3: the icons of each colour, counted upwards, and those of the black cards."""
    parts = start(players=5).engine.setup.parts[0]
    icons = {
        number: tuple(int(parts[name][number - 1]) for name in ("gacha", "revo", "redraw", "dust"))
        for number in DECK
    }
    for colour in range(5):
        assert [icons[number] for number in cards_of(colour)] == [
            (0, 0, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 1, 1, 0),
            (0, 0, 1, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0),
        ]  # fmt: skip
    assert [icons[number] for number in (11, 22, 33, 44, 55)] == [
        (1, 0, 0, 1), (0, 0, 0, 2), (1, 0, 0, 1), (0, 0, 0, 2), (0, 0, 0, 3),
    ]  # fmt: skip


@pytest.mark.rule("G4")
def test_five_balls_none_black() -> None:
    """G4: a ball of each colour but black."""
    game = deal(FIRST_TRICKS)
    assert bag(game) == [RED, BLUE, YELLOW, GREEN, PURPLE]


# ==================================================================== round


@pytest.mark.rule("G5")
@pytest.mark.parametrize(("players", "stock"), [(3, 9), (4, 9), (5, 5)])
def test_setup_of_a_round(players: int, stock: int) -> None:
    """G5: ten cards each, seat 0 first, the rest is the stock; black trump, high order."""
    game = start(players=players)
    game.apply_chance(1)
    receivers = []
    while game.node == "chance":
        receivers.append(game.seat)
        game.apply_chance(outcomes(game)[-1])
    assert receivers == [seat for seat in range(players) for _ in range(10)]
    assert [len(hand(game, seat)) for seat in range(players)] == [10] * players
    assert int(game.state["undealt_count"]) == stock
    assert (trump(game), order(game), len(bag(game))) == (BLACK, "high", 5)


@pytest.mark.rule("G5", "G22")
def test_order_and_bag_survive_the_round_and_trump_does_not() -> None:
    """G5: the order and the bag stay as they lie, trump becomes black again."""
    game = deal([[17], [3], [6]])  # revo, nothing, gacha
    play_trick(game, "must", [17, 3, 6], ball=GREEN)
    assert scored(game)
    deal_round(game, [[1], [2], [3]])
    assert (trump(game), order(game)) == (BLACK, "low")
    assert bag(game) == [RED, BLUE, YELLOW, PURPLE]


@pytest.mark.rule("G5", "G22")
def test_empty_bag_is_refilled_at_the_start_of_a_round() -> None:
    """G5: all five drawn, so the next round begins with five; until then the bag is empty."""
    icons = {number: ["gacha"] for number in (1, 7, 14, 20, 27)}
    game = deal([[1, 7, 14, 20, 27], [2, 8, 15, 21, 23], [3, 9, 16, 17, 24]], icons=icons)
    for ball in range(4):
        play_trick(game, ("may", "must")[ball % 2], next_cards(game), ball=ball)
    play_trick(game, "may", next_cards(game))
    before = bag(game)
    game.apply_chance(4)
    assert before == [4]
    assert bag(game) == [0, 1, 2, 3, 4]
    assert game.chance_name == "deal"


def winner_of(follow: str, cards: list[int]) -> int:
    """Who wins a trick that is the whole game."""
    game = deal([[number] for number in cards], cards=55, icons=NO_ICONS, scoring="vp", rounds=1)
    play_trick(game, follow, cards)
    assert game.node == "over"
    return trick_points(game).index(1)


def next_cards(game: Game) -> list[int]:
    """The lowest card of every seat from the leader on."""
    leader = game.seat
    assert leader is not None
    return [hand(game, (leader + k) % game.players)[0] for k in range(game.players)]


@pytest.mark.rule("G6")
def test_trump_is_never_black_again_within_a_round() -> None:
    """G6: once trump has changed from black, it has a ball's colour for the rest of the round."""
    for seed in range(5):
        game, rng = start(players=3), random.Random(seed)
        changed, rounds, black_again = False, 0, 0
        while game.node != "over":
            if len(game.values) and game.node == "chance" and game.chance_name == "deal":
                rounds, changed = rounds + 1, False
            if game.node == "chance":
                game.apply_chance(rng.choice(outcomes(game)))
            else:
                black_again += changed and trump(game) == BLACK
                changed = trump(game) != BLACK
                game.apply(random_action(game, rng))
        assert rounds
        assert not black_again


@pytest.mark.rule("G7")
def test_first_leader_is_drawn() -> None:
    """G7: each seat is as likely as the others, and the drawn one leads."""
    game = start(players=4)
    assert (game.chance_name, game.seat) == ("first_leader", None)
    assert game.chance_outcomes() == [(seat, 0.25) for seat in range(4)]
    assert deal(FIRST_TRICKS, first_leader=2).seat == 2


def leader_of_next_round(first_leader: int, vp: list[int], **options: Any) -> int | None:
    """Who leads the second round after a first one with this VP."""
    game = start(players=len(vp), **options)
    game.apply_chance(first_leader)
    game = end_round(game, vp)
    while game.node == "chance":
        game.apply_chance(outcomes(game)[0])
    assert asked(game) == "follow"
    return game.seat


@pytest.mark.rule("G7")
@pytest.mark.parametrize(
    ("rule", "first_leader", "vp", "leader"),
    [
        ("rotate", 1, [9, 3, 3, 0], 2),
        ("rotate", 3, [9, 3, 3, 0], 0),
        ("most", 1, [9, 3, 3, 0], 0),
        ("fewest", 1, [9, 3, 3, 0], 3),
        ("most", 1, [7, 7, 0, 7], 3),  # seat 2 would be named: from there 3 is nearest
        ("most", 2, [7, 7, 0, 7], 3),  # the named seat is among the equals
        ("most", 3, [0, 7, 7, 0], 1),
        ("fewest", 3, [7, 0, 0, 7], 1),
        ("fewest", 1, [7, 0, 0, 7], 2),
        ("fewest", 2, [7, 0, 0, 7], 1),  # around the table
        ("most", 1, [5, 9, 5, 0], 1),  # the same seat again
        ("fewest", 1, [5, 0, 5, 9], 1),
        ("most", 2, [5, 5, 5, 5], 3),
        ("fewest", 2, [5, 5, 5, 5], 3),
    ],
)
@pytest.mark.parametrize("scoring", ["wp", "vp"])
def test_leader_of_the_next_round(
    rule: str, first_leader: int, vp: list[int], leader: int, scoring: str
) -> None:
    """G7: clockwise, or the seat with most or fewest points, the nearest among equals."""
    found = leader_of_next_round(first_leader, vp, next_leader=rule, scoring=scoring)
    assert found == leader


@pytest.mark.rule("G7", "G28")
def test_most_counts_the_totals_of_the_game() -> None:
    """G7: `most` looks at the total VP, not at those of the last round."""
    game = start(players=3, scoring="vp", next_leader="most")
    game.apply_chance(0)
    game = end_round(end_round(game, [9, 0, 0]), [0, 0, 5])
    while game.node == "chance":
        game.apply_chance(outcomes(game)[0])
    assert game.seat == 0


@pytest.mark.rule("G8")
def test_winner_leads_the_next_trick() -> None:
    """G8: and the round is over when the hands are."""
    game = deal([[1, 2], [7, 3], [14, 4]], icons=NO_ICONS)
    play_trick(game, "must", [1, 7, 14])
    assert game.seat == 2
    play_trick(game, "may", [4, 2, 3])
    assert scored(game) == 1


@pytest.mark.rule("G8")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_round_is_ten_tricks(players: int) -> None:
    """G8: ten tricks, one T point each."""
    game = start(players=players)
    game = to_last_ball(game)
    assert sum(trick_points(game)) == 10
    assert not any(hand(game, seat) for seat in range(players))


# ==================================================================== trick


@pytest.mark.rule("G9")
def test_follow_type_of_the_trick_before_is_barred() -> None:
    """G9: all three in the first trick of a round, then not the one before."""
    game = deal([[1, 2, 3, 4], [7, 8, 9, 10], [14, 15, 16, 12]], icons=NO_ICONS)
    assert game.legal_actions() == [110, 111, 112]
    play_trick(game, "may", [1, 7, 14])
    assert game.legal_actions() == [110, 111]
    play_trick(game, "must", [8, 15, 2])
    assert game.legal_actions() == [111, 112]
    play_trick(game, "must-not", [16, 4, 9])
    assert game.legal_actions() == [110, 112]


@pytest.mark.rule("G9")
def test_all_follow_types_are_open_in_the_next_round() -> None:
    """G9: the restriction does not reach over the end of a round."""
    game = deal([[1], [2], [3]], icons=NO_ICONS)
    play_trick(game, "must", [1, 2, 3])
    deal_round(game, [[1], [2], [3]])
    assert game.legal_actions() == [110, 111, 112]


@pytest.mark.rule("G10")
def test_seats_play_clockwise_from_the_leader() -> None:
    """G10: one card each, from the own hand alone."""
    game = deal(FIRST_TRICKS, first_leader=1, icons=NO_ICONS)
    game.apply(112)
    turns = []
    for number in (3, 5, 1):
        turns.append(game.seat)
        assert game.seat is not None
        assert playable(game) == hand(game, game.seat)
        play(game, number)
    assert turns == [1, 2, 0]
    with pytest.raises(IllegalActionError):
        deal(FIRST_TRICKS).apply(2)


@pytest.mark.rule("G11")
def test_must_follow_the_led_colour() -> None:
    """G11: who holds the led colour plays it; who does not, any card."""
    game = deal([[14, 11], [20, 2], [3, 4]], icons=NO_ICONS)
    game.apply(110)
    assert playable(game) == [11, 14]  # the leader may lead anything, trump too
    play(game, 14)
    assert playable(game) == [20]
    play(game, 20)
    assert playable(game) == [3, 4]


@pytest.mark.rule("G11")
@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ([14, 20, 4], 1),  # the strongest of the led colour
        ([20, 14, 38], 0),  # an off-colour card never wins
        ([20, 38, 39], 0),
        ([20, 27, 11], 2),  # a trump
        ([20, 22, 11], 1),  # the strongest trump
        ([11, 38, 39], 0),  # trump led
        ([11, 22, 39], 1),
    ],
)
def test_winner_under_must(cards: list[int], winner: int) -> None:
    """G11: the strongest trump, otherwise the strongest card of the led colour."""
    assert winner_of("must", cards) == winner


@pytest.mark.rule("G11", "G6")
def test_a_balls_colour_is_trump_and_black_is_plain() -> None:
    """G11: after a change of trump the new colour wins, and black no longer."""
    options: dict[str, Any] = {"scoring": "vp", "rounds": 1}
    game = deal([[3, 14], [9, 22], [16, 6]], icons={3: ["gacha"]}, **options)
    play_trick(game, "may", [3, 9, 16], ball=RED)
    play_trick(game, "must", [22, 6, 14])  # black led, a plain purple, a red trump
    assert trick_points(game) == [1, 1, 0]


@pytest.mark.rule("G12")
def test_must_not_play_a_colour_that_lies() -> None:
    """G12: the leader no trump; later seats no colour that lies face up; trump is open."""
    game = deal([[11, 1], [7, 22], [8, 14]], icons=NO_ICONS)
    game.apply(111)
    assert playable(game) == [1]
    play(game, 1)
    assert playable(game) == [22]  # red lies; trump may be played
    play(game, 22)
    assert playable(game) == [8]


@pytest.mark.rule("G12")
def test_trump_is_barred_once_it_lies() -> None:
    """G12: "trump too, unless trump already lies face up"."""
    game = deal([[1, 14], [11, 7], [22, 2]], icons=NO_ICONS)
    game.apply(111)
    play(game, 1, 11)
    assert playable(game) == [2]


@pytest.mark.rule("G12", "G14")
def test_who_cannot_avoid_the_colours_plays_face_down() -> None:
    """G12: any card, face down."""
    game = deal([[1, 14], [8, 2], [20, 15]], icons=NO_ICONS)
    game.apply(111)
    play(game, 1, 8)
    assert playable(game) == [15, 20]
    play(game, 20)
    assert won(game, 1) == {"red": 1, "blue": 1, "down": 1, "T": 1}


def leader_with_only_trump(hands: list[list[int]]) -> Game:
    """Under must-not, before the lead of seat 0, whose hand is black."""
    game = deal(hands, cards=55, icons=NO_ICONS)
    game.apply(111)
    return game


@pytest.mark.rule("G13", "G12")
def test_leader_with_only_trump_plays_face_down() -> None:
    """G13: any card face down, and the next seat may play anything, trump too."""
    game = leader_with_only_trump([[11, 22], [33, 1], [2, 7]])
    assert playable(game) == [11, 22]
    play(game, 11)
    assert face_down(game) == [0]
    assert playable(game) == [1, 33]


@pytest.mark.rule("G13", "G14")
def test_third_seat_after_a_face_down_lead() -> None:
    """G13: only what the second seat played bars a colour; the face-down card bars none."""
    game = leader_with_only_trump([[11, 22], [1, 2], [33, 7]])
    play(game, 22, 1)
    assert playable(game) == [33]  # red lies; the black card face down does not count


@pytest.mark.rule("G13", "G12")
def test_third_seat_after_trump_on_a_face_down_lead() -> None:
    """G12, G13: trump that the second seat played face up bars trump for the third."""
    game = leader_with_only_trump([[11, 22], [33, 1], [44, 7]])
    play(game, 22, 33)
    assert playable(game) == [7]


@pytest.mark.rule("G14")
def test_a_face_down_card_never_wins() -> None:
    """G14: not even a trump, not even the largest number."""
    game = leader_with_only_trump([[33, 22], [1, 2], [3, 4]])
    play(game, 33, 1, 3)
    assert trick_points(game) == [0, 0, 1]


@pytest.mark.rule("G14")
def test_only_its_player_sees_a_face_down_card() -> None:
    """G14: two games that differ in nothing else look alike to the other seats."""
    one, other = (leader_with_only_trump([[33, 22], [1, 2], [3, 4]]) for _ in range(2))
    play(one, 33)
    play(other, 22)
    for seat in (1, 2):
        # Which card is left in the hand of seat 0 is hidden too.
        assert one.information_state(seat) == other.information_state(seat)
        np.testing.assert_array_equal(one.observation(seat), other.observation(seat))
    assert one.information_state(0) != other.information_state(0)
    assert (one.observation(0) != other.observation(0)).any()


@pytest.mark.rule("G14", "G18", "G19", "G20", "G22")
@pytest.mark.parametrize("icon", ["redraw", "revo", "dust3", "gacha"])
def test_icons_of_a_face_down_card_have_no_effect(icon: str) -> None:
    """G14: no redraw is asked, the order stays, nothing is discarded, no ball is drawn."""
    game = deal([[11, 22], [1, 2], [3, 4]], icons={11: [icon]})
    play_trick(game, "must-not", [11, 1, 3])
    assert asked(game) == "follow"
    assert (order(game), trump(game)) == ("high", BLACK)
    assert won(game, 2) == {"red": 1, "yellow": 1, "down": 1, "T": 1}


@pytest.mark.rule("G15")
@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ([1, 2, 3], 2),
        ([3, 1, 2], 0),  # any colour
        ([1, 38, 3], 1),
        ([38, 11, 3], 1),  # the trump, whatever the numbers
        ([3, 38, 39], 1),  # green lies: 39 face down
        ([38, 3, 11], 2),
    ],
)
def test_winner_under_must_not(cards: list[int], winner: int) -> None:
    """G15: the face-up trump, otherwise the strongest number that lies face up."""
    assert winner_of("must-not", cards) == winner


@pytest.mark.rule("G16")
@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ([1, 2, 3], 1),
        ([38, 11, 39], 0),  # trump has no force
        ([11, 22, 1], 0),
        ([5, 4, 3, 39], 0),
        ([35, 50, 52, 54, 11], 2),
    ],
)
def test_winner_under_may(cards: list[int], winner: int) -> None:
    """G16: the second strongest number."""
    assert winner_of("may", cards) == winner


@pytest.mark.rule("G16")
def test_any_card_may_be_played_under_may() -> None:
    """G16: the led colour binds nobody, and all cards lie face up."""
    game = deal([[1, 11], [7, 22], [14, 2]], icons=NO_ICONS)
    game.apply(112)
    for number in (1, 7, 14):
        assert game.seat is not None
        assert playable(game) == hand(game, game.seat)
        play(game, number)
    assert won(game, 1) == {"red": 3, "T": 1}


@pytest.mark.rule("G17", "G19")
@pytest.mark.parametrize(
    ("follow", "cards", "winner"),
    [
        ("must", [14, 20, 2], 0),  # the smaller of the led colour
        ("must", [20, 14, 2], 1),
        ("must", [14, 22, 11], 2),  # the smaller trump
        ("must", [14, 11, 22], 1),
        ("must-not", [20, 39, 8], 2),
        ("must-not", [1, 22, 3], 1),  # a trump is a trump
        ("may", [1, 38, 39], 1),  # the second smallest
        ("may", [12, 11, 22], 0),
    ],
)
def test_small_numbers_are_strong_in_the_low_order(
    follow: str, cards: list[int], winner: int
) -> None:
    """G17: while the order is low, among trumps and for the second strongest too."""
    icons = {17: ["revo"]}
    game = deal([[17], [3], [4]], icons=icons, scoring="vp", rounds=2)
    play_trick(game, "may", [17, 3, 4])
    assert order(game) == "low"
    # The next round keeps the order. Its first leader is seat 1.
    deal_round(game, [[cards[(seat - 1) % 3]] for seat in range(3)])
    play_trick(game, follow, cards)
    assert trick_points(game).index(1) == (winner + 1) % 3


# ==================================================================== redraw

TWO_TRICKS = [[1, 2], [3, 4], [5, 6]]
REDRAWS = {1: ["redraw"], 3: ["redraw"], 5: ["redraw"]}


@pytest.mark.rule("G18")
def test_redraw_is_asked_before_the_next_seat_plays() -> None:
    """G18: it is optional; declined, nothing happens."""
    game = deal(TWO_TRICKS, icons=REDRAWS)
    game.apply(112)
    game.apply(0)
    assert (game.seat, game.legal_actions()) == (0, [REDRAW, KEEP])
    game.apply(KEEP)
    assert (game.seat, asked(game)) == (1, "play")
    assert hand(game, 0) == [2]


@pytest.mark.rule("G18")
@pytest.mark.parametrize("returned", [2, 39])
def test_redraw_draws_one_card_and_returns_one(returned: int) -> None:
    """G18: the drawn card or another goes to the bottom; there is no way to return none."""
    game = deal(TWO_TRICKS, icons=REDRAWS)
    game.apply(112)
    game.apply(0)
    game.apply(REDRAW)
    assert (game.chance_name, game.seat) == ("stock", 0)
    assert outcomes(game) == list(range(7, 40))
    game.apply_chance(39)
    assert game.legal_actions() == [54 + 2, 54 + 39]
    put_back(game, returned)
    assert hand(game, 0) == [41 - returned]
    assert (game.seat, asked(game)) == (1, "play")


@pytest.mark.rule("G18")
def test_a_drawn_card_can_be_played_at_the_next_trick() -> None:
    """G18: it belongs to the hand."""
    game = deal(TWO_TRICKS, icons=REDRAWS)
    game.apply(112)
    game.apply(0)
    redraw(game, drawn=39, returned=2)
    play(game, 3, 5)
    assert game.seat == 1
    play_trick(game, "must", [4, 6, 39])
    assert scored(game)


@pytest.mark.rule("G18")
def test_redraw_is_not_asked_in_the_tenth_trick() -> None:
    """G18: there it can change nothing; in the ninth it is asked."""
    hands = [
        [28, 14, 1, 7, 20, 35, 27, 4, 10, 12],
        [29, 15, 2, 8, 21, 36, 23, 18, 25, 31],
        [30, 16, 3, 9, 17, 37, 24, 38, 39, 5],
    ]
    late = {14, 15, 16, 28, 29, 30}  # cards with redraw, kept for the last two tricks
    game = deal(hands)
    asked_in, last = [], []
    for trick in range(10):
        game.apply((110, 112)[trick % 2])
        while asked(game) in ("play", "redraw"):
            if asked(game) == "redraw":
                asked_in.append(trick)
                game.apply(KEEP)
            else:
                last.append(min(playable(game), key=lambda number: (number in late, number)))
                game.apply(last[-1] - 1)
        if asked(game) == "ball":
            game.apply_chance(outcomes(game)[0])
    assert late & set(last[-6:-3])
    assert 8 in asked_in
    assert late & set(last[-3:])
    assert 9 not in asked_in


def redraw_twice() -> Game:
    """A stock of one card: seat 0 takes it and returns 2, seat 1 is about to draw."""
    game = deal(TWO_TRICKS, icons=REDRAWS, cards=7)
    game.apply(112)
    game.apply(0)
    redraw(game, drawn=7, returned=2)
    game.apply(2)
    assert (game.seat, asked(game)) == (1, "redraw")
    return game


@pytest.mark.rule("G18")
def test_returned_cards_come_without_a_chance_event() -> None:
    """G18: once the undealt cards are used up, the returned ones come in the order returned."""
    game = redraw_twice()
    game.apply(REDRAW)
    assert asked(game) == "return"
    assert hand(game, 1) == [2, 4]
    put_back(game, 4)
    game.apply(4)
    game.apply(REDRAW)
    assert hand(game, 2) == [4, 6]
    assert [event["name"] for event in game.record()["events"] if event["kind"] == "chance"] == [
        "first_leader", *["deal"] * 6, "stock",
    ]  # fmt: skip


@pytest.mark.rule("G18")
def test_undealt_cards_come_before_returned_ones() -> None:
    """G18: a returned card lies at the bottom, and comes after every undealt one."""
    game = deal(TWO_TRICKS, icons=REDRAWS, cards=8)
    game.apply(112)
    game.apply(0)
    redraw(game, drawn=7, returned=2)
    game.apply(2)
    game.apply(REDRAW)
    assert outcomes(game) == [8]
    game.apply_chance(8)
    put_back(game, 4)
    game.apply(4)
    game.apply(REDRAW)
    assert hand(game, 2) == [2, 6]


@pytest.mark.rule("G18")
def test_the_owner_of_a_returned_card_knows_who_drew_it() -> None:
    """G18: its place was known, so the drawing tells the owner; nobody else learns the card."""
    game = redraw_twice()
    sections = {section.name: section.slice for section in game.engine.sections}
    assert game.observation(0)[sections["returned"]].nonzero()[0].tolist() == [2 - 1]
    game.apply(REDRAW)
    seen = {seat: game.observation(seat) for seat in range(3)}
    assert seen[0][sections["drawn_again"]].nonzero()[0].tolist() == [2 - 1]
    assert not seen[0][sections["returned"]].any()
    assert not seen[2][sections["drawn_again"]].any()
    assert seen[1][sections["drawn"]].nonzero()[0].tolist() == [2 - 1]
    assert game.information_state(1)[-1] == ("news", "", 1, 2)
    assert game.information_state(2)[-1] == ("decision", "redraw", 1, REDRAW)


@pytest.mark.rule("G18")
def test_one_may_draw_the_own_returned_card() -> None:
    """G18: a stock of one gives the card back to the seat that put it there."""
    game = deal([[1, 2, 8], [3, 4, 9], [5, 6, 7]], icons={1: ["redraw"], 2: ["redraw"]}, cards=10)
    game.apply(112)
    game.apply(0)
    redraw(game, drawn=10, returned=8)
    play(game, 3, 5)
    game.apply(110)
    play(game, 9, 6)
    game.apply(1)
    game.apply(REDRAW)
    assert hand(game, 0) == [8, 10]


@pytest.mark.rule("G18")
def test_redraw_is_private() -> None:
    """G18: the others see neither the drawn nor the returned card, but that it happened."""
    games = []
    for drawn, returned in ((39, 2), (38, 2), (38, 38)):
        game = deal(TWO_TRICKS, icons=REDRAWS)
        game.apply(112)
        game.apply(0)
        redraw(game, drawn=drawn, returned=returned)
        games.append(game)
    for seat in (1, 2):
        views = {game.information_state(seat) for game in games}
        assert len(views) == 1
        assert len({game.observation(seat).tobytes() for game in games}) == 1
    assert len({game.information_state(0) for game in games}) == 3
    assert len({game.observation(0).tobytes() for game in games}) == 3


# ==================================================================== revo, dust, gacha


@pytest.mark.rule("G19")
def test_revo_holds_from_the_next_trick_on() -> None:
    """G19: the trick itself is judged by the order in which it was played."""
    game = deal([[20, 1], [14, 2], [7, 3]], icons={20: ["revo"]})
    play_trick(game, "must", [20, 14, 7])
    assert (game.seat, order(game)) == (0, "low")
    play_trick(game, "must-not", [1, 2, 3])
    assert last_vp(game) == [set_score((0, 0, 1, 1, 4), 2), 4, 4]


@pytest.mark.rule("G19")
@pytest.mark.parametrize("cards", [[20], [20, 21], [20, 21, 17]])
def test_revo_flips_once_a_trick(cards: list[int]) -> None:
    """G19: however many revo icons lie in it."""
    game = deal([[20, 1], [21, 2], [17, 3]], icons={number: ["revo"] for number in cards})
    play_trick(game, "may", [20, 21, 17])
    assert order(game) == "low"


@pytest.mark.rule("G19")
def test_two_tricks_with_revo_restore_the_order() -> None:
    """G19: the order flips each time."""
    game = deal([[20, 1], [21, 2], [17, 3]], icons={20: ["revo"], 1: ["revo"]})
    play_trick(game, "may", [20, 21, 17])
    play_trick(game, "must", next_cards(game))
    assert order(game) == "high"


@pytest.mark.rule("G20")
def test_winner_chooses_what_is_discarded() -> None:
    """G20: as many as the dust says, one after another with rising position."""
    game = deal([[22, 1], [2, 3], [4, 5]], icons={22: ["dust2"]})
    play_trick(game, "must", [22, 2, 4])
    assert game.seat == 0
    assert discardable(game) == [0, 1]  # the mask leaves room for the second
    discard(game, 1)
    assert discardable(game) == [2]
    discard(game, 2)
    assert won(game, 0) == {"black": 1, "T": 1}


@pytest.mark.rule("G20")
def test_dust_mask_leaves_room() -> None:
    """G20: with two of five to go, the last position cannot be the first choice."""
    hands = [[22, 1], [2, 3], [4, 6], [7, 8], [9, 10]]
    for first, rest in enumerate([[1, 2, 3, 4], [2, 3, 4], [3, 4], [4]]):
        game = deal(hands, icons={22: ["dust2"]})
        play_trick(game, "must", [22, 2, 4, 7, 9])
        assert discardable(game) == [0, 1, 2, 3]
        discard(game, first)
        assert discardable(game) == rest


@pytest.mark.rule("G20")
def test_dust_adds_up() -> None:
    """G20: dust 1 and dust 2 make three of four."""
    game = deal([[22, 1], [11, 3], [4, 6], [7, 8]], icons={22: ["dust2"], 11: ["dust1"]})
    play_trick(game, "must", [22, 11, 4, 7])
    assert discardable(game) == [0, 1]
    discard(game, 0)
    discard(game, 1)
    assert discardable(game) == [2, 3]
    discard(game, 3)
    assert won(game, 0) == {"green": 1, "T": 1}


@pytest.mark.rule("G20", "G21")
@pytest.mark.parametrize("icons", [{55: ["dust3"]}, {55: ["dust3"], 44: ["dust2"]}])
def test_dust_at_least_as_large_as_the_trick(icons: dict[int, list[str]]) -> None:
    """G20, G21: all cards go, one after another, and the T point remains."""
    game = deal([[55, 1], [44, 3], [4, 5]], cards=55, icons=icons)
    play_trick(game, "must", [55, 44, 4])
    for position in range(3):
        assert discardable(game) == [position]
        discard(game, position)
    assert asked(game) == "follow"
    assert won(game, 0) == {"T": 1}


@pytest.mark.rule("G20", "G14")
def test_face_down_cards_are_discarded_unseen() -> None:
    """G20: the winner may choose a face-down card, and still does not learn what it was."""
    views = []
    for hidden in (15, 23):
        game = deal([[8, 14], [22, 2], [15, 23]], icons={22: ["dust1"]})
        play_trick(game, "must-not", [8, 22, hidden], dust=[2])
        assert won(game, 1) == {"blue": 1, "black": 1, "T": 1}
        views.append(game.information_state(1))
    assert views[0] == views[1]


@pytest.mark.rule("G21")
def test_winner_takes_the_trick_and_a_t_point() -> None:
    """G21: the cards by colour, the face-down ones without it."""
    game = deal([[8, 14], [22, 2], [15, 23]], icons=NO_ICONS)
    play_trick(game, "must-not", [8, 22, 15])
    assert won(game, 1) == {"blue": 1, "black": 1, "down": 1, "T": 1}
    assert trick_points(game) == [0, 1, 0]


@pytest.mark.rule("G22")
def test_gacha_draws_a_ball_that_stays_out() -> None:
    """G22: trump becomes its colour; the winner of the trick is who draws."""
    game = deal([[1, 2], [7, 3], [14, 4]], icons={1: ["gacha"]})
    play_trick(game, "must", [1, 7, 14])
    assert (game.chance_name, game.seat) == ("ball", 2)
    assert game.chance_outcomes() == [(colour, 0.2) for colour in range(5)]
    game.apply_chance(YELLOW)
    assert trump(game) == YELLOW
    assert bag(game) == [RED, BLUE, GREEN, PURPLE]


@pytest.mark.rule("G22")
def test_gacha_is_drawn_once_a_trick() -> None:
    """G22: however many gacha icons lie in it."""
    game = deal([[1, 2], [7, 3], [14, 4]], icons={n: ["gacha"] for n in (1, 7, 14)})
    play_trick(game, "must", [1, 7, 14], ball=BLUE)
    assert asked(game) == "follow"
    assert len(bag(game)) == 4


def gacha_every_trick(**options: Any) -> Game:
    """Six tricks, each with a gacha icon."""
    hands = [[1, 7, 14, 20, 27, 35], [2, 8, 15, 21, 23, 36], [3, 9, 16, 17, 24, 37]]
    return deal(hands, icons={number: ["gacha"] for number in hands[0]}, **options)


@pytest.mark.rule("G22")
def test_refill_can_give_the_same_colour_again() -> None:
    """G22: five balls are out, so they are put back, and trump may stay what it is."""
    game = gacha_every_trick()
    for trick in range(5):
        play_trick(game, ("may", "must")[trick % 2], next_cards(game))
        assert outcomes(game) == list(range(trick, 5))
        game.apply_chance(trick)
    assert (trump(game), bag(game)) == (PURPLE, [])
    play_trick(game, "must", next_cards(game))
    assert outcomes(game) == [0, 1, 2, 3, 4]
    game.apply_chance(PURPLE)
    assert bag(game) == [RED, BLUE, YELLOW, GREEN]


@pytest.mark.rule("G22")
def test_shuffled_balls_never_stay_out() -> None:
    """G22: with trump_draw="shuffle" each time one of all five."""
    game = gacha_every_trick(trump_draw="shuffle")
    for trick in range(5):
        play_trick(game, ("may", "must")[trick % 2], next_cards(game))
        assert outcomes(game) == [0, 1, 2, 3, 4]
        game.apply_chance(GREEN)
        assert trump(game) == GREEN


@pytest.mark.rule("G22")
def test_the_last_tricks_ball_is_drawn_too() -> None:
    """G22: for the bag goes on into the next round."""
    game = deal([[1], [2], [3]], icons={1: ["gacha"]})
    play_trick(game, "may", [1, 2, 3])
    assert game.chance_name == "ball"
    assert not scored(game)
    game.apply_chance(RED)
    assert scored(game) == 1
    deal_round(game, [[1], [2], [3]])
    assert bag(game) == [BLUE, YELLOW, GREEN, PURPLE]


@pytest.mark.rule("G23")
def test_order_after_the_last_card() -> None:
    """G23: winner, revo, dust, cards and T point, gacha."""
    game = deal([[22, 1], [11, 2], [4, 5]], icons={22: ["dust1"], 11: ["revo"], 4: ["gacha"]})
    play_trick(game, "must", [22, 11, 4])
    assert (game.seat, asked(game)) == (0, "dust")  # the winner by the high order
    assert order(game) == "low"
    assert trick_points(game) == [0, 0, 0]
    discard(game, 2)  # the icon of a discarded card counts all the same
    assert (game.seat, asked(game)) == (0, "ball")
    assert won(game, 0) == {"black": 2, "T": 1}
    game.apply_chance(RED)
    assert (game.seat, asked(game)) == (0, "follow")


# ==================================================================== score of a round


def points_of_sets(colours: tuple[int, ...], wilds: int) -> int:
    """The kernel that counts sets, asked by itself."""
    counts = np.array([*colours, 0, 0, 0], np.int8)
    return int(set_points(start(players=3).engine.parts[0], counts, wilds))


@pytest.mark.rule("G24")
@pytest.mark.parametrize(
    ("colours", "wilds", "vp"),
    [
        ((2, 2, 2, 1, 1), 4, 6),  # red, blue, yellow 2 each, green, purple 1 each; 1 + 3 wild
        ((2, 2, 2, 1, 2), 0, 4),  # red, blue, yellow, purple 2 each, green 1
        ((0, 2, 2, 2, 8), 0, 2),  # blue, yellow, green 2 each, purple 8
        ((0, 0, 0, 0, 0), 0, 0),
        ((1, 1, 1, 1, 1), 0, 3),
        ((1, 1, 1, 1, 0), 0, 1),
        ((1, 1, 1, 0, 0), 0, 0),
        ((1, 1, 1, 0, 0), 1, 1),
        ((0, 0, 0, 0, 0), 5, 3),  # several wild cards may serve in one set
        ((0, 0, 0, 0, 0), 4, 1),
        ((0, 0, 0, 0, 0), 10, 6),
    ],
)
def test_sets_of_the_page(colours: tuple[int, ...], wilds: int, vp: int) -> None:
    """G24: the page's examples (W set by itself), and the smallest sets."""
    for order_of_colours in set(itertools.permutations(colours)):
        assert points_of_sets(order_of_colours, wilds) == vp


def best_sets(colours: tuple[int, ...], wilds: int) -> int:
    """G24's closed form."""
    best = 0
    for a, b in itertools.product(range(sum(colours) + wilds + 1), repeat=2):
        lacks = [max(0, a + b - n) for n in colours]
        if 5 * a + 4 * b > sum(colours) + wilds:
            continue
        if sum(lacks) - min(b, sum(min(lack, b) for lack in lacks)) <= wilds:
            best = max(best, 3 * a + b)
    return best


@pytest.mark.rule("G24")
def test_sets_agree_with_closed_form_and_exhaustion() -> None:
    """G24: every hand of up to three cards a colour, and random larger ones."""
    rng = random.Random(0)
    small = [*itertools.combinations_with_replacement(range(4), 5)]
    large = [tuple(sorted(rng.choices(range(9), k=5))) for _ in range(40)]
    for colours in [*small, *large]:
        wilds = rng.randrange(9)
        shuffled = tuple(rng.sample(colours, k=5))
        found = points_of_sets(shuffled, wilds)
        assert found == set_score(colours, wilds), (shuffled, wilds)
        assert found == best_sets(colours, wilds), (shuffled, wilds)


@pytest.mark.rule("G24")
def test_face_down_cards_and_t_points_are_wild() -> None:
    """G24: captured face-down cards and each T point stand for any colour, black for nothing."""
    game = deal([[8, 1, 11], [22, 2, 3], [15, 23, 36]], icons=NO_ICONS)
    play_trick(game, "must-not", [8, 22, 15])
    assert won(game, 1) == {"blue": 1, "black": 1, "down": 1, "T": 1}
    play_trick(game, "may", [2, 23, 1])
    assert won(game, 1) == {"red": 1, "blue": 3, "black": 1, "down": 1, "T": 2}
    play_trick(game, "must", [3, 36, 11])  # yellow, blue and a black card to seat 0
    # Seat 1: red, blue and three wild cards. Seat 0: yellow, blue and one wild card.
    assert last_vp(game) == [0, 3, 8]


MISERE = [
    (3, 1, 8), (3, 2, 4),
    (4, 1, 6), (4, 2, 3), (4, 3, 2),
    (5, 1, 4), (5, 2, 2), (5, 3, 1), (5, 4, 1),
]  # fmt: skip


def rounds_with_trickless_seats(players: int, trickless: int) -> Game:
    """A scored round in which seats 0, 1 ... won a trick each, and the last `trickless` none.

    Every seat has a colour of its own; the winner of a trick plays a black card, the trump.
    """
    winners = players - trickless
    hands = []
    for seat in range(players):
        own = cards_of(seat, most=39)[:winners]
        hands.append([[11, 22, 33, 44][seat], *own[1:]] if seat < winners else own)
    game = deal(hands, first_leader=players - 1, cards=55, icons=NO_ICONS)
    for trick in range(winners):
        game.apply((110, 111)[trick % 2])
        for _ in range(players):
            black = [number for number in playable(game) if number % 11 == 0]
            plain = [number for number in playable(game) if number % 11]
            play(game, *(black if game.seat == trick else plain)[:1])
    return game


@pytest.mark.rule("G25")
@pytest.mark.parametrize(("players", "trickless", "vp"), MISERE)
def test_misere(players: int, trickless: int, vp: int) -> None:
    """G25: seats without a trick each get a fixed VP by how many they are."""
    game = rounds_with_trickless_seats(players, trickless)
    assert last_vp(game)[players - trickless :] == [vp] * trickless


@pytest.mark.rule("G25")
@pytest.mark.parametrize(("players", "trickless", "vp"), MISERE)
def test_misere_of_the_published_game(players: int, trickless: int, vp: int) -> None:
    """G25: the same with hands of ten."""
    winners = players - trickless
    game = start(players=players)
    game.apply_chance(0)
    end_round(game, [3] * winners + [vp] * trickless, tricks=[1] * winners + [0] * trickless)


# ==================================================================== scoring "wp"


@pytest.mark.rule("G26")
@pytest.mark.parametrize(
    ("vp", "wp"),
    [
        ([7, 7, 5, 5], [2, 2, 1, 1]),
        ([8, 5, 5, 3], [2, 1, 1, 0]),
        ([9, 3, 3, 3, 0], [2, 1, 1, 1, 0]),
        ([9, 7, 5, 3, 1], [2, 1, 1, 0, 0]),  # 5 players: first 2, second and third 1
        ([9, 9, 7, 7, 5], [2, 2, 1, 1, 1]),
        ([9, 7, 5], [2, 1, 0]),
        ([0, 5, 0], [0, 2, 0]),  # only who has 1 VP is ranked
        ([0, 0, 0], [0, 0, 0]),
        ([1, 0, 1, 3], [1, 0, 1, 2]),
        ([5, 5, 5, 5], [2, 2, 2, 2]),
        ([3, 5, 7, 9], [0, 0, 1, 2]),
    ],
)
def test_win_points_by_rank(vp: list[int], wp: list[int]) -> None:
    """G26: equal VP, equal rank, and no rank is skipped."""
    game = start(players=len(vp))
    game.apply_chance(0)
    game = end_round(game, vp)
    assert (last_vp(game), last_points(game), game.totals) == (vp, wp, wp)


def play_rounds(vp: list[list[int]], tricks: list[int] | None = None, **options: Any) -> Game:
    """A game with rounds of this VP; `tricks` are the T points of the last of them."""
    game = start(players=len(vp[0]), **options)
    game.apply_chance(0)
    for number, row in enumerate(vp):
        assert game.node == "chance"
        game = end_round(game, row, tricks=tricks if number == len(vp) - 1 else None)
    return game


@pytest.mark.rule("G27")
def test_four_win_points_end_the_game() -> None:
    """G27: not three; the winner is who has most."""
    game = play_rounds([[9, 5, 0, 0], [5, 9, 0, 0]])
    assert game.totals == [3, 3, 0, 0]
    assert game.node == "chance"
    game = end_round(game, [9, 7, 0, 0])
    assert game.totals == [5, 4, 0, 0]
    assert (game.node, game.winners, game.truncated) == ("over", [0], False)
    assert game.returns() == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])


@pytest.mark.rule("G27")
@pytest.mark.parametrize(
    ("tricks", "winners"),
    [
        ([3, 2, 1, 1], [0]),
        ([2, 3, 1, 1], [1]),
        ([2, 2, 3, 1], [0, 1]),  # seat 2 has more tricks, but not most WP
        ([1, 2, 3, 3], [1]),
    ],
)
def test_t_points_of_the_last_round_decide_among_equals(
    tricks: list[int], winners: list[int]
) -> None:
    """G27: more T points in the last round; among equals still, they share the win."""
    game = play_rounds([[7, 7, 6, 6], [7, 7, 6, 6]], tricks)
    assert game.totals == [4, 4, 2, 2]
    assert game.winners == winners


@pytest.mark.rule("G27", "G30")
def test_payoffs_of_a_shared_win() -> None:
    """G27: w winners among P seats get (1/w - 1/P) P/(P-1) each, the others -1/(P-1)."""
    game = play_rounds([[7, 7, 5, 5], [7, 7, 5, 5]], [2, 2, 1, 1])
    assert game.returns() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


# ==================================================================== scoring "vp"


@pytest.mark.rule("G28")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_as_many_rounds_as_players_by_default(players: int) -> None:
    """G28: unless `rounds` says otherwise."""
    assert start(players=players, scoring="vp").record()["options"]["rounds"] == players
    game = play_rounds([[3] * players] * players, scoring="vp")
    assert (game.node, game.totals) == ("over", [3 * players] * players)


@pytest.mark.rule("G28")
def test_victory_points_add_up_over_the_rounds() -> None:
    """G28: most VP wins, and points, totals and vp of the score event are VP."""
    game = play_rounds([[9, 3, 0], [0, 5, 7]], scoring="vp", rounds=2)
    assert last_points(game) == [0, 5, 7]
    assert game.totals == [9, 8, 7]
    assert (game.node, game.winners, game.truncated) == ("over", [0], False)


@pytest.mark.rule("G28")
@pytest.mark.parametrize(
    ("rounds", "winners"),
    [
        ([[5, 7, 0], [5, 3, 0]], [0]),
        ([[7, 5, 0], [3, 5, 0]], [1]),
        ([[7, 3, 0], [3, 7, 0]], [0, 1]),
        ([[7, 3, 5], [3, 7, 5]], [2]),
        ([[9, 5, 0], [0, 3, 0]], [0]),  # the spread decides among equals only
        ([[0, 3, 5], [6, 3, 1], [6, 6, 6]], [1]),  # best and worst of all rounds
    ],
)
def test_smaller_spread_decides_among_equals(rounds: list[list[int]], winners: list[int]) -> None:
    """G28: the difference between a seat's best and worst round; else they share the win."""
    assert play_rounds(rounds, scoring="vp", rounds=len(rounds)).winners == winners


def tie(tie_rule: str, seats: list[int]) -> Game:
    """Four seats, one round, these with the most VP."""
    vp = [5 if seat in seats else 3 for seat in range(4)]
    return play_rounds([vp], scoring="vp", rounds=1, tie=tie_rule)


@pytest.mark.rule("G28")
def test_equals_share_the_win_by_default() -> None:
    """G28: tie="share"."""
    game = tie("share", [1, 3])
    assert (game.node, game.winners) == ("over", [1, 3])


@pytest.mark.rule("G28")
@pytest.mark.parametrize(("first", "second", "winner"), [(1, 2, 3), (49, 48, 1)])
def test_equals_draw_for_the_win(first: int, second: int, winner: int) -> None:
    """G28: one card each in rising order, from all cards; the largest number wins."""
    game = tie("draw", [1, 3])
    assert (game.node, game.winners) == ("chance", None)
    assert (game.chance_name, game.seat) == ("tie_draw", 1)
    assert outcomes(game) == list(range(1, 50))
    game.apply_chance(first)
    assert game.seat == 3
    assert outcomes(game) == [number for number in range(1, 50) if number != first]
    game.apply_chance(second)
    assert (game.node, game.winners) == ("over", [winner])
    assert game.returns() == pytest.approx([1 if s == winner else -1 / 3 for s in range(4)])


@pytest.mark.rule("G28")
def test_no_draw_where_there_is_one_winner() -> None:
    """G28: tie="draw" asks nothing of a sole winner."""
    assert tie("draw", [2]).winners == [2]


# ==================================================================== limit, rewards, options


@pytest.mark.rule("G29")
@pytest.mark.parametrize(("tricks", "winners"), [([3, 2, 1, 1], [0]), ([1, 1, 5, 1], [0, 1])])
def test_the_limit_of_rounds_truncates(tricks: list[int], winners: list[int]) -> None:
    """G29: nobody has 4 WP after `max_rounds`; the standing decides the payoffs."""
    game = play_rounds([[7, 7, 6, 6]], tricks, max_rounds=1)
    assert (game.node, game.truncated, game.winners) == ("over", True, winners)
    paid = 1 if len(winners) == 1 else 1 / 3
    assert game.returns() == pytest.approx([paid if s in winners else -1 / 3 for s in range(4)])


@pytest.mark.rule("G29")
def test_reaching_the_goal_in_the_last_round_is_no_truncation() -> None:
    """G29: only without an end is a game truncated."""
    game = play_rounds([[9, 5, 0, 0], [9, 5, 0, 0]], max_rounds=2)
    assert (game.node, game.truncated, game.winners) == ("over", False, [0])


@pytest.mark.rule("G29")
def test_twenty_rounds_by_default() -> None:
    """G29: `max_rounds` is 20."""
    assert start(players=3).record()["options"]["max_rounds"] == 20


@pytest.mark.rule("G30")
@pytest.mark.parametrize("scoring", ["wp", "vp"])
def test_reward_score_pays_the_points_after_each_round(scoring: str) -> None:
    """G30: WP or VP, less the mean of the others'; every payment sums to zero."""
    game = start(players=4, scoring=scoring, reward="score")
    game.apply_chance(0)
    assert game.returns() == [0, 0, 0, 0]
    game = end_round(game, [8, 5, 5, 3])
    points = {"wp": [2, 1, 1, 0], "vp": [8, 5, 5, 3]}[scoring]
    expected = [own - (sum(points) - own) / 3 for own in points]
    assert game.returns() == pytest.approx(expected)
    assert sum(game.returns()) == pytest.approx(0)
    game = end_round(game, [8, 5, 5, 3])
    assert game.returns() == pytest.approx([2 * payoff for payoff in expected])
    assert game.returns("win") == ([0, 0, 0, 0] if scoring == "vp" else pytest.approx(
        [1, -1 / 3, -1 / 3, -1 / 3]
    ))  # fmt: skip


@pytest.mark.rule("G27", "G28", "G29")
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 3},
        {"tie": "draw"},
        {"scoring": "vp", "max_rounds": 5},
        {"scoring": "vp", "rounds": 0},
        {"max_rounds": 0},
        {"trump_draw": "urn"},
        {"next_leader": "loudest"},
        {"reward": "fun"},
        {"speed": 3},
    ],
)
def test_options_that_do_not_apply_are_refused(options: dict[str, Any]) -> None:
    """An option without meaning under this scoring, or with a wrong value, is an error."""
    with pytest.raises(OptionError, match=list(options)[-1]):
        start(**options)


def test_two_seats_play_a_variant() -> None:
    """A variant for two: the second strongest of two is the weaker."""
    deck = short_deck(2, 2, icons=NO_ICONS)
    game = Game("gacha_v0", players=2, components=deck)
    game.apply_chance(0)
    deal_round(game, [[1, 2], [3, 4]])
    play_trick(game, "may", [1, 3])
    assert (game.seat, trick_points(game)) == (0, [1, 0])
