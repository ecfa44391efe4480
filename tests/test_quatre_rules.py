"""The rules of quatre one by one, at positions set up by hand."""

import random
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pytest

from helpers.quatre import (
    CAKE,
    COLLECT,
    FRUITS,
    PUBLISHED,
    REDRAW,
    Place,
    all_places,
    bag,
    bare,
    box,
    can_lie,
    collect,
    draw,
    laid,
    outcomes,
    picture,
    place,
    places,
    play_out,
    redraw,
    rows_of,
    scorings,
    square_id,
    start,
)
from tefuda.envs import Game, make_vec, quatre_v0
from tefuda.envs.core.errors import ChanceError, GameOverError, IllegalActionError, OptionError

pytestmark = [pytest.mark.pure, pytest.mark.bounds]

#: Every way to play, with the plays of a game.
GAMES: list[tuple[dict[str, Any], int]] = [
    ({"players": 2}, 18),
    ({"players": 2, "two_player_turns": "player"}, 18),
    ({"players": 2, "two_player_turns": "fruit"}, 36),
    ({"players": 3}, 30),
    ({"players": 4}, 36),
]
WAYS = [options for options, _ in GAMES]


def seats_of_a_turn(options: dict[str, Any]) -> list[int]:
    """The seats of the first turn: the seats in their order, or the owners of the fruits."""
    return [0, 1, 0, 1] if "fruit" in options.values() else list(range(options["players"]))


def collect_all(game: Game, plays: int) -> list[int | None]:
    """Whose plays these are; in each a card is collected."""
    seats = []
    for _ in range(plays):
        seats.append(game.seat)
        collect(game, outcomes(game)[0])
    return seats


# ==================================================================== components


@pytest.mark.rule("Q1", "Q2")
def test_the_bag_of_the_published_game() -> None:
    """Q1: 36 cards, sixteen kinds twice and four once; Q2: the fifth pattern comes once."""
    game = start(players=4)
    assert outcomes(game) == list(range(20))
    copies = [36 * chance for _, chance in game.chance_outcomes()]
    assert copies == pytest.approx([2] * 16 + [1] * 4)


@pytest.mark.rule("Q1", "Q2")
@pytest.mark.parametrize("kind", range(20))
def test_cards_of_the_published_game(kind: int) -> None:
    """Q2: each kind shows its pattern with the three fruits of its shift."""
    patterns = (
        "mm./.C./..a", "m../.a./C.b", ".../maC/.b.", "m.C/m../.ab", "m../.m./..m",
    )  # fmt: skip
    pattern, shift = divmod(kind, 4)
    names = {"C": "c", **{name: FRUITS[(shift + k) % 4] for k, name in enumerate("mab")}}
    face = rows_of("".join(names.get(letter, letter) for letter in patterns[pattern]))
    game = start(players=4)
    place(game, kind, 4, 5)
    assert picture(game) == laid(bare(CAKE), face, (4, 5, 0))


@pytest.mark.rule("Q3")
def test_the_board_is_a_round_cake() -> None:
    """Q3: there are 112 marks, four equal quarters, in rows of these lengths."""
    game = start(box("s"))
    draw(game, 0)
    marks = {(row, column) for row, column, quarters in places(game) if quarters == 0}
    lengths = [4, 8, 10, 10, 12, 12, 12, 12, 10, 10, 8, 4]
    assert [sum(row == wanted for row, _ in marks) for wanted in range(12)] == lengths
    assert len(marks) == 112
    assert {(column, 11 - row) for row, column in marks} == marks
    assert {(row, 11 - column) for row, column in marks} == marks


@pytest.mark.rule("Q5")
@pytest.mark.parametrize(
    ("players", "options", "points"),
    [
        (4, {}, [9, 4, 1, 16]),
        (3, {}, [9, 4, 1]),  # nobody owns the oranges, though they lie there
        (2, {}, [10, 20]),
        (2, {"two_player_turns": "fruit"}, [10, 20]),
    ],
)
def test_who_owns_which_fruit(players: int, options: dict[str, Any], points: list[int]) -> None:
    """Q5: one fruit each; with two players strawberry and kiwi against blueberry and orange."""
    turns = 2 if players == 2 and not options else 1
    components = box("sss/bb./k..", "oo./oo.", "c", players=players, turns=turns)
    game = start(components, players, **options)
    place(game, 0, 2, 4)
    place(game, 1, 8, 4)
    while game.node != "over":
        place(game, 2, 6, 6)
    assert "".join(picture(game)).count("o") == 4
    assert game.totals == points


# ==================================================================== turns and plays


@pytest.mark.rule("Q6", "Q7")
@pytest.mark.parametrize(("options", "plays"), GAMES)
def test_plays_of_a_game(options: dict[str, Any], plays: int) -> None:
    """Q6: nine turns, ten with three players; Q7: the first order is that of the seats."""
    game = start(**options)
    turn = seats_of_a_turn(options)
    seats = collect_all(game, plays)
    assert game.node == "over"
    assert seats[: 2 * len(turn)] == [*turn, *turn]
    assert all(seats.count(seat) == plays / game.players for seat in range(game.players))


@pytest.mark.rule("Q6")
@pytest.mark.parametrize(("options", "plays"), GAMES)
def test_cards_left_in_the_bag(options: dict[str, Any], plays: int) -> None:
    """Q6: a play takes one card for good; 36 plays use the whole bag."""
    game = start(**options)
    collect_all(game, plays - 1)
    left = bag(game)
    assert left.total() == 36 - (plays - 1)
    assert game.chance_outcomes() == [
        (kind, left[kind] / left.total()) for kind in sorted(left)
    ]  # fmt: skip
    collect_all(game, 1)
    assert (game.node, game.seat, game.legal_actions()) == ("over", None, [])
    with pytest.raises(GameOverError):
        game.apply(COLLECT)
    with pytest.raises(ChanceError):
        game.chance_outcomes()


@pytest.mark.rule("Q6", "Q14")
def test_fruits_take_turns_of_their_own() -> None:
    """Q6: a collected card counts for the play's fruit in the order, for its owner in points."""
    game = start(box("c", turns=2, scoring_turns=[1]), two_player_turns="fruit")
    for fruit in range(4):
        assert game.seat == fruit % 2
        if fruit == 2:
            collect(game, 0)
        else:
            place(game, 0, 5, 5)
    assert game.totals == [1, 0]
    # Kiwi has one point; of orange, blueberry and strawberry who acted later goes first.
    assert collect_all(game, 4) == [0, 1, 1, 0]
    assert game.totals == [4, 2]


@pytest.mark.rule("Q6", "Q14")
def test_fruits_are_compared_each_by_its_own_points() -> None:
    """Q6, Q14: with `fruit` one seat's fruits may be first and last."""
    components = box("ss.", "bbb/.../oo.", "c", turns=2, scoring_turns=[1])
    game = start(components, two_player_turns="fruit")
    place(game, 0, 2, 4)
    place(game, 1, 4, 4)
    place(game, 2, 9, 9)
    collect(game, 2)  # for orange
    assert scorings(game) == [[4, 14]]
    # Blueberry 9, orange 4 and 1, strawberry 4, kiwi 0.
    assert collect_all(game, 4) == [1, 1, 0, 0]


@pytest.mark.rule("Q8")
@pytest.mark.parametrize("options", WAYS)
def test_all_seats_see_the_same(options: dict[str, Any]) -> None:
    """Q8: the card drawn, and all else, is seen by every seat."""
    game = play_out(start(**options), random.Random(1))
    seen = [game.information_state(seat) for seat in range(game.players)]
    assert all(states == seen[0] for states in seen)
    assert [event.value for event in seen[0]] == list(game.values)


@pytest.mark.rule("Q8")
def test_one_redraw_a_play() -> None:
    """Q8: the card goes back, another is drawn, and then it is placed or collected."""
    game = start(box("s", "b", "k"))
    for seat in (0, 1, 0):
        draw(game, 0)
        assert (game.seat, game.legal_actions()[-2:]) == (seat, [COLLECT, REDRAW])
        redraw(game, 1)
        assert game.seat == seat
        assert REDRAW not in game.legal_actions()
        with pytest.raises(IllegalActionError):
            game.apply(REDRAW)
        game.apply(COLLECT)


@pytest.mark.rule("Q8")
def test_a_redraw_puts_the_card_back_first() -> None:
    """Q8: the same card can come again, with the probability that it had."""
    game = start(players=4)
    before = game.chance_outcomes()
    draw(game, 16)  # there is one of this kind
    game.apply(REDRAW)
    assert (game.seat, game.chance_name) == (0, "draw")
    assert game.chance_outcomes() == before
    draw(game, 16)
    game.apply(COLLECT)
    assert 16 not in outcomes(game)


@pytest.mark.rule("Q8")
def test_a_redraw_with_an_empty_bag_brings_the_same_card() -> None:
    """Q8: nothing but "once in the play" limits the redraw."""
    game = start(players=4)
    collect_all(game, 35)
    (last,) = outcomes(game)
    draw(game, last)
    game.apply(REDRAW)
    assert game.chance_outcomes() == [(last, 1.0)]
    draw(game, last)
    assert REDRAW not in game.legal_actions()
    game.apply(COLLECT)
    assert game.node == "over"


@pytest.mark.rule("Q8", "Q12")
def test_a_card_after_a_redraw_is_placed_or_collected() -> None:
    """Q8, Q12: like any other."""
    game = start(box("s", "b", turns=1))
    draw(game, 0)
    redraw(game, 1)
    game.apply(square_id(5, 5))
    assert picture(game)[5][5] == "b"
    draw(game, 1)
    redraw(game, 0)
    game.apply(COLLECT)
    assert game.totals == [0, 2]


# ==================================================================== where a card may lie


@pytest.mark.rule("Q9")
@pytest.mark.parametrize(
    ("quarters", "face"),
    [(0, "sb./..k/..o"), (1, "..s/..b/ok."), (2, "o../k../.bs"), (3, ".ko/b../s..")],
)
def test_quarter_turns_are_clockwise(quarters: int, face: str) -> None:
    """Q9: the four turns as they look on the board."""
    game = start(box("sb./..k/..o"))
    place(game, 0, 4, 5, quarters)
    assert picture(game) == laid(bare(CAKE), rows_of(face), (4, 5, 0))


def placements(card: str, board: Sequence[str]) -> set[Place]:
    """Where a card may lie on an own board without cards."""
    game = start(box(card, board=board))
    draw(game, 0)
    return set(places(game))


@pytest.mark.rule("Q9")
def test_cards_are_never_turned_over() -> None:
    """Q9: an L fits marks in its own shape, turned, but not in that of its mirror image."""
    card = "s../s../ss."
    own = [["+..", "+..", "++."], ["+++", "+.."], ["++.", ".+.", ".+."], ["..+", "+++"]]
    for quarters, board in enumerate(own):
        assert [turn for *_, turn in placements(card, board)] == [quarters]
    for board in (["..+", "..+", ".++"], ["+..", "+++"], ["++.", "+..", "+.."], ["+++", "..+"]):
        assert not placements(card, board)


@pytest.mark.rule("Q9")
def test_transparent_cells_may_hang_over() -> None:
    """Q9: off the marks and off the square, on all sides."""
    last = [*["." * 12] * 11, "." * 11 + "+"]
    assert placements("s", ["+"]) == {(0, 0, 0), (0, -2, 1), (-2, -2, 2), (-2, 0, 3)}
    assert placements("s", last) == {(11, 11, 0), (11, 9, 1), (9, 9, 2), (9, 11, 3)}
    assert placements(".../.../.s.", ["+"]) == {(-2, -1, 0), (-1, 0, 1), (0, -1, 2), (-1, -2, 3)}


@pytest.mark.rule("Q9")
@pytest.mark.parametrize("letter", [*FRUITS, "c"])
def test_fruit_and_cream_lie_on_marks(letter: str) -> None:
    """Q9: neither may lie beside the marks or off the square."""
    assert placements(f"s{letter}", ["++"]) == {(0, 0, 0), (-2, -1, 2)}
    assert not placements(f"s{letter}", ["+"])
    assert not placements(f"s.{letter}", ["++"])
    assert placements(f"s.{letter}", ["+.+"]) == {(0, 0, 0), (-2, 0, 2)}


@pytest.mark.rule("Q9")
def test_cream_off_the_board_is_refused() -> None:
    """Q9: where the cake has no mark, and off the square."""
    game = start()
    draw(game, 8)  # ... / sbc / .k.
    assert (3, 9, 0) in places(game)
    # The fruits would lie on marks, the cream at row 3, column 11, or row 4, column 12.
    for outside in ((2, 9), (3, 10)):
        with pytest.raises(IllegalActionError):
            game.apply(square_id(*outside))


@pytest.mark.rule("Q9")
@pytest.mark.parametrize(
    ("card", "turns"),
    [
        (".../.s./...", {0}),
        ("s.s/.c./s.s", {0}),
        ("s../.b./..s", {0, 1}),
        ("s.c/.../c.s", {0, 1}),
        ("sbs", {0, 1, 2, 3}),
        ("c", {0, 1, 2, 3}),  # the same cell, but elsewhere on the card
        ("s.b/.../s.b", {0, 1, 2, 3}),
    ],
)
def test_equal_turns_of_a_card_are_masked(card: str, turns: set[int]) -> None:
    """Action ids: where two turns look the same, only the smaller one is legal."""
    assert {turn for *_, turn in placements(card, CAKE)} == turns


@pytest.mark.rule("Q2", "Q9")
@pytest.mark.parametrize("kind", range(20))
def test_turns_of_the_published_cards(kind: int) -> None:
    """The fifth pattern looks the same after half a turn; the others have four looks."""
    game = start()
    draw(game, kind)
    turns = {turn for *_, turn in places(game)}
    assert turns == ({0, 1} if kind >= 16 else {0, 1, 2, 3})


COVERS = [
    # upper, lower, allowed
    *((upper, ".", True) for upper in [*FRUITS, "c"]),
    *((upper, "c", True) for upper in [*FRUITS, "c"]),
    *(("c", lower, True) for lower in FRUITS),
    *((upper, lower, False) for upper in FRUITS for lower in FRUITS),
]


@pytest.mark.rule("Q10")
@pytest.mark.parametrize(("upper", "lower", "allowed"), COVERS)
def test_what_may_lie_on_what(upper: str, lower: str, allowed: bool) -> None:
    """Q10: all but fruit over visible fruit, be it of its own kind."""
    game = start(box(f"{lower}./.c", f"{upper}./.c"))
    place(game, 0, 4, 4)
    draw(game, 1)
    assert (4, 6, 0) in places(game)
    assert ((4, 4, 0) in places(game)) == allowed
    if allowed:
        game.apply(square_id(4, 4))
        assert picture(game)[4][4] == upper
    else:
        with pytest.raises(IllegalActionError):
            game.apply(square_id(4, 4))


@pytest.mark.rule("Q10")
def test_fruit_on_cream_on_fruit() -> None:
    """Q10: a fruit covered by cream is no longer there, to bar a fruit or to be counted."""
    game = start(box("s", "c", "b", "k", turns=5))
    place(game, 0, 5, 5)
    draw(game, 2)
    assert (5, 5, 0) not in places(game)
    game.apply(COLLECT)
    place(game, 1, 5, 5)  # cream over the strawberry
    place(game, 2, 5, 5)  # a blueberry over the cream
    draw(game, 3)
    assert (5, 5, 0) not in places(game)
    game.apply(COLLECT)
    place(game, 1, 5, 5)
    place(game, 3, 5, 5)
    assert picture(game)[5][5] == "k"
    while game.node != "over":
        place(game, 1, 8, 8)
    assert game.totals == [2, 1]  # a kiwi and a card collected against a card collected


@pytest.mark.rule("Q10")
def test_transparent_cells_cover_nothing() -> None:
    """Q10: what lies below a transparent cell is still seen, and still bars fruits."""
    game = start(box("sbc", "..k/.../k..", turns=2))
    place(game, 0, 5, 5)
    place(game, 1, 5, 5)
    assert picture(game)[5][5:8] == "sbk"
    draw(game, 1)
    barred = [(5, 3, 0), (5, 4, 0), (5, 5, 0), (3, 5, 0), (3, 6, 0), (3, 7, 0)]
    assert not set(barred) & set(places(game))
    assert {(5, 6, 0), (5, 2, 0)} <= set(places(game))


@pytest.mark.rule("Q9", "Q10", "Q11")
def test_a_card_needs_no_contact() -> None:
    """Q11: all that Q9 and Q10 allow is legal, near other cards and far from them."""
    game = start()
    visible = bare(CAKE)
    for kind, at in ((0, (1, 2, 0)), (9, (8, 7, 1)), (4, (2, 4, 2)), (17, (5, 0, 1))):
        draw(game, kind)
        card = PUBLISHED.cards[kind]
        turns = {0, 1} if kind == 17 else {0, 1, 2, 3}
        assert places(game) == [
            other
            for other in all_places(CAKE, card)
            if other[2] in turns and can_lie(CAKE, visible, card, other)
        ]
        game.apply(square_id(*at))
        visible = laid(visible, card, at)
        assert picture(game) == visible


@pytest.mark.rule("Q12")
def test_a_collected_card_is_kept() -> None:
    """Q12: it lies nowhere, comes no more, and the seat's later plays are of other cards."""
    game = start(players=3)
    collect(game, 0)
    collect(game, 16)
    collect(game, 0)
    assert picture(game) == bare(CAKE)
    assert not {0, 16} & set(outcomes(game))
    rest = play_out(game, random.Random(3))
    drawn = [event["outcome"] for event in rest.record()["events"] if event["kind"] == "chance"]
    assert not {0, 16} & set(drawn[3:])


@pytest.mark.rule("Q9", "Q16")
def test_nothing_can_be_placed_for_want_of_marks() -> None:
    """Q16: then the card is redrawn first, or collected."""
    game = start(box("s.s", "ss.", board=["++"]))
    draw(game, 0)
    assert game.legal_actions() == [COLLECT, REDRAW]
    redraw(game, 0)
    assert game.legal_actions() == [COLLECT]
    game.apply(COLLECT)
    draw(game, 0)
    redraw(game, 1)
    assert len(places(game)) == 2


@pytest.mark.rule("Q10", "Q16")
def test_nothing_can_be_placed_for_want_of_room() -> None:
    """Q16: on a board full of fruits only cream finds a place."""
    game = start(box("sb", "c", board=["++"]))
    place(game, 0, 0, 0)
    draw(game, 0)
    assert game.legal_actions() == [COLLECT, REDRAW]
    redraw(game, 1)
    assert len(places(game)) == 8


# ==================================================================== points


@pytest.mark.rule("Q13")
def test_the_example_of_the_page() -> None:
    """Q13: three singles, three pairs, one group of three, one collected card: 25."""
    game = start(box("s.s/.../s..", "ss./.../ss.", "ss.", "sss", "c", players=4, turns=5), 4)
    for kind, row, column in ((0, 4, 0), (1, 4, 4), (2, 9, 4), (3, 4, 8)):
        place(game, kind, row, column)
        for _ in range(3):
            place(game, 4, 10, 8)
    collect(game, 4)
    for _ in range(3):
        place(game, 4, 10, 8)
    assert game.totals == [25, 0, 0, 0]


@pytest.mark.rule("Q13")
@pytest.mark.parametrize(
    ("card", "orthogonal", "diagonal"),
    [
        ("s", 1, 1),
        ("ss.", 4, 4),
        ("s../s../s..", 9, 9),
        ("s../.s./..s", 3, 9),
        ("..s/.s./s..", 3, 9),
        ("s.s/.s./s.s", 5, 25),
        ("sss/s.s/sss", 64, 64),
        ("ss./..s/.ss", 13, 25),
        ("s.s/.../s.s", 4, 4),
        ("sb./bs.", 2, 4),  # groups of other fruits do not part them
        ("sk./ks.", 4, 8),  # two fruits of the same seat are not one group
        ("sss/sss/sss", 81, 81),
    ],
)
def test_groups_score_the_square_of_their_size(card: str, orthogonal: int, diagonal: int) -> None:
    """Q13: of one visible fruit, side by side, or as the option says at corners too."""
    for adjacency, points in (("orthogonal", orthogonal), ("diagonal", diagonal)):
        for at in ((4, 4), (9, 4), (2, 2)):
            game = start(box(card, "c", turns=1), adjacency=adjacency)
            place(game, 0, *at)
            place(game, 1, 6, 11)
            assert game.totals[0] == points
    default = start(box(card, "c", turns=1))
    place(default, 0, 4, 4)
    place(default, 1, 6, 11)
    assert default.totals[0] == orthogonal


@pytest.mark.rule("Q13")
@pytest.mark.parametrize("adjacency", ["orthogonal", "diagonal"])
def test_groups_reach_over_cards_but_not_over_the_edge(adjacency: str) -> None:
    """Q13: what touches is one group, whoever placed it; the ends of two rows do not touch."""
    game = start(box("ss.", "s", turns=3), adjacency=adjacency)
    place(game, 0, 4, 10)  # to the end of its row
    place(game, 1, 5, 0)  # the start of the next
    place(game, 1, 4, 0)
    place(game, 1, 6, 11)
    place(game, 0, 8, 4)
    place(game, 1, 8, 6)
    assert game.totals == [4 + 4 + 1 + 9, 0]
    joined = start(box("ss.", "s", turns=3), adjacency=adjacency)
    for column in (0, 2, 4, 6, 8, 10):
        place(joined, 0, 4, column)
    assert joined.totals == [144, 0]


@pytest.mark.rule("Q10", "Q13")
def test_cream_parts_a_group() -> None:
    """Q13: only visible fruit counts, and only over visible fruit do groups hold together."""
    game = start(box("sss/sss", "c", turns=2, scoring_turns=[1]))
    place(game, 0, 5, 5)
    place(game, 1, 9, 9)
    place(game, 1, 5, 6)
    place(game, 1, 6, 6)
    assert scorings(game) == [[36, 0], [8, 0]]


@pytest.mark.rule("Q13")
@pytest.mark.parametrize(("options", "plays"), GAMES)
def test_scorings_of_the_published_game(options: dict[str, Any], plays: int) -> None:
    """Q13: after turns 3, 6 and the last; a collected card scores 1 in each that follows."""
    game = start(**options)
    actors = len(seats_of_a_turn(options))
    last = plays // actors
    played, found = 0, []
    while game.node != "over":
        collect_all(game, 1)
        played += 1
        if len(scorings(game)) > len(found):
            found.append((played / actors, scorings(game)[-1]))
    own = actors // game.players
    assert found == [(turn, [own * turn] * game.players) for turn in (3, 6, last)]
    assert game.totals == [own * (3 + 6 + last)] * game.players


@pytest.mark.rule("Q12", "Q13")
def test_a_collected_card_and_a_fruit_score_in_every_scoring() -> None:
    """Q13: both stay; points add up (Q14)."""
    game = start(box("b", "c", turns=4, scoring_turns=[1, 3]))
    collect(game, 1)
    place(game, 0, 4, 4)
    while game.node != "over":
        place(game, 1, 9, 9)
    assert scorings(game) == [[1, 1]] * 3
    assert game.totals == [3, 3]


@pytest.mark.rule("Q13")
@pytest.mark.parametrize("scoring_turns", [[], [3]])
def test_the_last_turn_is_scored_once(scoring_turns: list[int]) -> None:
    """Q13: whether or not it stands among the file's scoring turns."""
    game = start(box("c", turns=3, scoring_turns=scoring_turns))
    collect_all(game, 6)
    assert scorings(game) == [[3, 3]]


# ==================================================================== order and end


def play_turn(game: Game, seats: Sequence[int], collecting: Collection[int]) -> None:
    """A turn in which these seats, in this order, collect or lay cream."""
    for seat in seats:
        assert game.seat == seat
        if seat in collecting:
            collect(game, 0)
        else:
            place(game, 0, 5, 5)


@pytest.mark.rule("Q14")
@pytest.mark.parametrize(
    ("collecting", "orders"),
    [
        # Who collects in each turn, and the order after each scoring.
        ([{1, 3}, set(), {0, 2}], [[3, 1, 2, 0], [1, 3, 0, 2], [3, 1, 2, 0]]),
        ([set(), {0}, {0, 1, 2, 3}], [[3, 2, 1, 0], [0, 1, 2, 3], [0, 3, 2, 1]]),
        ([set(), {2}, {0, 1}], [[2, 1, 0], [2, 0, 1], [2, 1, 0]]),
        ([{0, 1, 2}, {1}, set()], [[2, 1, 0], [1, 0, 2], [1, 2, 0]]),
        ([set(), set(), {0}, {1}, {1}], [[1, 0], [0, 1], [0, 1], [0, 1], [1, 0]]),
        ([{1}, {0}, {0}], [[1, 0], [1, 0], [0, 1]]),
    ],
)
def test_order_after_a_scoring(collecting: list[set[int]], orders: list[list[int]]) -> None:
    """Q14: the highest total first; of equals, who acted later in the order just used."""
    players, turns = len(orders[0]), len(collecting)
    components = box("c", players=players, turns=turns + 1, scoring_turns=range(1, turns + 1))
    game = start(components, players)
    order = list(range(players))
    for those, following in zip(collecting, orders, strict=True):
        play_turn(game, order, those)
        order = following
    play_turn(game, order, set())


@pytest.mark.rule("Q6", "Q14")
@pytest.mark.parametrize(
    ("collecting", "orders"),
    [
        ([{0, 3}, {2}, set()], [[3, 0, 2, 1], [0, 3, 2, 1], [3, 0, 2, 1]]),
        ([set(), {1, 2}, {0, 3}], [[3, 2, 1, 0], [1, 2, 0, 3], [2, 1, 3, 0]]),
    ],
)
def test_order_of_fruits_after_a_scoring(
    collecting: list[set[int]], orders: list[list[int]]
) -> None:
    """Q14: with `fruit` it compares the fruits, and the owner of each acts."""
    turns = len(collecting)
    components = box("c", turns=turns + 1, scoring_turns=range(1, turns + 1))
    game = start(components, two_player_turns="fruit")
    order = [0, 1, 2, 3]
    for those, following in zip(collecting, orders, strict=True):
        for fruit in order:
            play_turn(game, [fruit % 2], {0, 1} if fruit in those else ())
        order = following
    assert collect_all(game, 4) == [fruit % 2 for fruit in order]


@pytest.mark.rule("Q14")
def test_order_goes_by_totals() -> None:
    """Q14: not by the points of the latest scoring."""
    game = start(box("sss", "ccc", "c", players=3, turns=3, scoring_turns=[1, 2]), 3)
    place(game, 0, 5, 5)
    place(game, 2, 9, 9)
    place(game, 2, 9, 9)
    place(game, 1, 5, 5)  # seat 0 again
    assert collect_all(game, 2) == [2, 1]
    assert scorings(game) == [[9, 0, 0], [0, 1, 1]]
    assert collect_all(game, 3) == [0, 1, 2]


@pytest.mark.rule("Q14")
def test_order_holds_until_the_next_scoring() -> None:
    """Q14: a turn without a scoring changes nothing."""
    game = start(box("c", players=3, turns=4, scoring_turns=[1, 3]), 3)
    play_turn(game, [0, 1, 2], {1})
    play_turn(game, [1, 2, 0], {0})
    play_turn(game, [1, 2, 0], {0})
    assert game.totals == [2, 2, 0]
    play_turn(game, [0, 1, 2], {})


#: Players, who collects a card, and what "win" pays.
ENDS = [
    (2, {1}, [-1, 1]),
    (2, {0, 1}, [0, 0]),
    (2, set[int](), [0, 0]),
    (3, {0}, [1, -1 / 2, -1 / 2]),
    (3, {0, 2}, [1 / 4, -1 / 2, 1 / 4]),
    (3, {0, 1, 2}, [0, 0, 0]),
    (4, {3}, [-1 / 3, -1 / 3, -1 / 3, 1]),
    (4, {0, 2}, [1 / 3, -1 / 3, 1 / 3, -1 / 3]),
    (4, {0, 1, 3}, [1 / 9, 1 / 9, -1 / 3, 1 / 9]),
    (4, {0, 1, 2, 3}, [0, 0, 0, 0]),
]


@pytest.mark.rule("Q15")
@pytest.mark.parametrize(("players", "collecting", "payoffs"), ENDS)
def test_the_highest_total_wins(players: int, collecting: set[int], payoffs: list[float]) -> None:
    """Q15: equal totals share the win; payoffs as all games have them."""
    game = start(box("c", players=players, turns=1), players)
    assert (game.winners, game.returns()) == (None, [0] * players)
    play_turn(game, range(players), collecting)
    winners = sorted(collecting) or list(range(players))
    assert game.winners == winners
    assert not game.truncated
    assert game.returns() == pytest.approx(payoffs)
    assert game.record()["winners"] == winners


@pytest.mark.rule("Q15")
def test_seats_win_not_fruits() -> None:
    """Q5, Q15: the sum of both fruits counts, in either reading."""
    game = start(box("sss", "bb./.../oo.", "b", "c", turns=1), two_player_turns="fruit")
    place(game, 0, 2, 4)
    place(game, 1, 6, 4)
    place(game, 3, 9, 9)
    place(game, 2, 4, 0)
    assert (game.totals, game.winners) == ([9, 9], [0, 1])  # strawberry alone has the most


@pytest.mark.rule("Q13", "Q15")
def test_score_pays_after_every_scoring() -> None:
    """Payoffs: own points less the mean of the others', summed over the scorings."""
    components = box("c", players=3, turns=2, scoring_turns=[1])
    game = start(components, 3, reward="score")
    play_turn(game, [0, 1, 2], {1})
    assert game.returns() == pytest.approx([-1 / 2, 1, -1 / 2])
    play_turn(game, [1, 2, 0], {1, 2})
    assert game.totals == [0, 3, 1]
    assert game.returns() == pytest.approx([-2, 5 / 2, -1 / 2])
    assert game.returns("win") == pytest.approx([-1 / 2, 1, -1 / 2])


# ==================================================================== options and faces


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 1}, "players=1 is not allowed"),
        ({"players": 5}, "players=5 is not allowed"),
        ({"players": True}, "players=True is not allowed"),
        ({"players": "4"}, "players='4' is not allowed"),
        ({"players": 3.0}, "players=3.0 is not allowed"),
        ({"players": 2, "two_player_turns": "seat"}, "'player', 'fruit'"),
        ({"players": 3, "two_player_turns": "fruit"}, "only with players=2"),
        ({"players": 4, "two_player_turns": "player"}, "only with players=2"),
        ({"two_player_turns": "fruit"}, "only with players=2"),
        ({"adjacency": "knight"}, "'orthogonal', 'diagonal'"),
        ({"adjacency": 4}, "'orthogonal', 'diagonal'"),
        ({"reward": "points"}, "'win', 'score'"),
        ({"turns": 3}, "unknown option 'turns'"),
        ({"encoder": "picture"}, "encoder='picture' is not allowed"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    """The message names the option, its value and what is allowed."""
    with pytest.raises(OptionError, match=words):
        Game("quatre_v0", **options)


def test_options_by_default() -> None:
    """Four seats, and of the other options those that apply."""
    assert Game("quatre_v0").players == 4
    common = {"adjacency": "orthogonal", "reward": "win"}
    assert Game("quatre_v0").record()["options"] == common
    two = start(players=2).record()["options"]
    assert two == {"two_player_turns": "player", **common}


@pytest.mark.rule("Q8")
@pytest.mark.parametrize("options", WAYS)
def test_environment_batch_and_tree_play_the_same_game(options: dict[str, Any]) -> None:
    """One key is one game, whatever face it is played through."""
    env, rng = quatre_v0.env(**options), random.Random(5)
    env.reset(seed=11)
    tables = make_vec("quatre_v0", tables=2, seed=11, autoreset=False, **options)
    game = Game("quatre_v0", seed=(11, 0, 0), **options)
    game.settle()
    while game.node != "over":
        assert env.agent_selection == f"player_{game.seat}"
        seen = env.observe(env.agent_selection)
        assert tables.seat[0] == game.seat
        assert game.seat is not None
        for observation in (seen["observation"], tables.observation[0]):
            np.testing.assert_array_equal(observation, game.observation(game.seat))
        for mask in (seen["action_mask"], tables.action_mask[0]):
            np.testing.assert_array_equal(np.flatnonzero(mask), game.legal_actions())
        action = rng.choice(game.legal_actions())
        env.step(action)
        tables.step([action], [0])
        game.apply(action)
        game.settle()
    by_seat = dict(zip(env.possible_agents, game.totals, strict=True))
    assert (env.totals, tables.totals[0].tolist()) == (by_seat, game.totals)
    assert np.flatnonzero(tables.winners[0]).tolist() == game.winners
    assert env.winners == [env.possible_agents[seat] for seat in game.winners or ()]
    assert tables.reward[0].tolist() == pytest.approx(game.returns())
    rewards = [env.rewards[agent] for agent in env.possible_agents]
    assert rewards == pytest.approx(game.returns())
