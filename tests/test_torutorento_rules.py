"""The rules of torutorento one by one, up to the end of growth, at positions set up by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from helpers.torutorento import (
    BIRD,
    COUNTS,
    DONE,
    FACES,
    FLOWER,
    LYING,
    MIMIC,
    PICK,
    PICK_DECK,
    TAKE_DECK,
    TWO_WAYS,
    asked,
    chance,
    changed,
    deal,
    deal_round,
    deck,
    face,
    fall,
    field,
    grow,
    hand,
    harmless,
    insertion,
    keep_hands,
    last_points,
    market,
    open_hands,
    outcomes,
    parent_of,
    pass_takes,
    pickable,
    played,
    put,
    scored,
    take,
    take_action,
    take_from,
)
from tefuda.envs import Game
from tefuda.envs.core.errors import IllegalActionError

pytestmark = [pytest.mark.pure, pytest.mark.bounds]

PLAIN = ["", "", ""]
ONE = "H> 1 <T"  # a caterpillar of length 1


def start(**options: Any) -> Game:
    """A published game before its first chance node."""
    return Game("torutorento_v0", seed=(0, 0, 0), **options)


def at_takes(
    hands: Sequence[str], leaves: Mapping[int, Sequence[int]] | None = None, **more: Any
) -> Game:
    """A game at its first take, after these leaves have fallen."""
    game = deal(hands, **more)
    fall(game, leaves)
    return game


def at_growth(
    hands: Sequence[str], leaves: Mapping[int, Sequence[int]], *, counts: Any = COUNTS, **more: Any
) -> Game:
    """A game at its first growth; every take was one of the deck into the own field."""
    game = at_takes(hands, leaves, counts=counts, **more)
    pass_takes(game)
    return game


def turns_of_growth(game: Game) -> list[int | None]:
    """Who has the turns of growth; every seat takes bodies of the deck."""
    turns = []
    while asked(game) == "pick":
        turns.append(game.seat)
        game.apply(PICK_DECK)
        game.apply_chance(face(harmless(game)))
        game.apply(insertion(0))
    return turns


# ==================================================================== cards


@pytest.mark.rule("T1")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_cards_in_the_deck(players: int) -> None:
    """T1: 71 cards of 12 faces; a flower for each seat is dealt apart (T6)."""
    game = start(players=players)
    game.apply_chance(0)
    game.apply_chance(3)
    counts = [5, 5, 5, 5, 5, 10, 10, 10, 7 - players, 5, 2, 2]
    assert sum(counts) == 71 - players
    assert game.chance_outcomes() == [(k, n / sum(counts)) for k, n in enumerate(counts)]


@pytest.mark.rule("T1")
def test_names_of_the_faces() -> None:
    """T1: the indices 0 to 11 stand for the faces in the page's order."""
    game = start()
    assert [game.label(PICK + number) for number in range(12)] == [f"pick a {f}" for f in FACES]


@pytest.mark.rule("T2", "T6")
@pytest.mark.parametrize("number", range(12))
def test_way_up_is_drawn_where_edges_differ(number: int) -> None:
    """T2: heads, head-tails and tails lie one of two ways up, all others way up 0."""
    game = start(players=3)
    game.apply_chance(0)
    game.apply_chance(0)
    game.apply_chance(number)
    assert {FACES[face] for face in TWO_WAYS} == {"head", "head-tail", "tail"}
    if number in TWO_WAYS:
        assert (game.chance_name, game.seat) == ("way_up", 0)
        assert game.chance_outcomes() == [(0, 0.5), (1, 0.5)]
        game.apply_chance(1)
    assert game.chance_name == "deal"


#: Left and right edge of each card as it lies; only heads and tails matter.
EDGES = {
    "H>": ("nothing", "head"), "<H": ("head", "nothing"),
    "HH": ("head", "head"),
    "HT": ("head", "tail"), "TH": ("tail", "head"),
    "<T": ("tail", "nothing"), "T>": ("nothing", "tail"),
    "TT": ("tail", "tail"),
    "1": ("open", "open"), "2": ("open", "open"), "3": ("open", "open"),
    "F": ("nothing", "nothing"), "B": ("nothing", "nothing"), "Y": ("nothing", "nothing"),
}  # fmt: skip


@pytest.mark.rule("T2", "T3")
@pytest.mark.parametrize("left", EDGES)
def test_edges_on_both_sides_of_a_body(left: str) -> None:
    """T2, T3: a caterpillar where the edges beside the body are a head and a tail, else none."""
    rights = list(EDGES)
    for first in range(0, len(rights), 3):
        trio = [*rights[first : first + 3], "F", "F"][:3]
        game = deal([f"{left} 1 {right}" for right in trio], counts=changed(butterfly=6, bird=8))
        keep_hands(game)
        expected = []
        for right in trio:
            fits = {EDGES[left][1], EDGES[right][0]} == {"head", "tail"}
            expected.append(5 * fits + (left == "Y") + (right == "Y"))
        assert last_points(game) == expected, (left, trio)


# ==================================================================== setup of a round


@pytest.mark.rule("T5")
def test_first_parent_is_drawn() -> None:
    """T5: before the first deal, each seat alike; the drawn seat begins the falling leaves."""
    game = start(players=5)
    assert (game.chance_name, game.seat) == ("first_parent", None)
    assert game.chance_outcomes() == [(seat, 0.2) for seat in range(5)]
    assert parent_of(deal(["", "", "", ""], parent=2)) == 2


@pytest.mark.rule("T5")
@pytest.mark.parametrize(
    ("parent", "leaders", "following"),
    [
        (0, [1], 1),
        (0, [0], 0),  # alone at the top
        (0, [0, 2], 2),  # among equals the parent is left out
        (2, [0, 1], 0),
        (2, [1, 2], 1),
        (3, [2, 3], 2),
        (1, [0, 3], 3),
        (1, [], 2),  # all have nothing
        (3, [0, 1, 2, 3], 0),
    ],
)
def test_parent_of_the_next_round(parent: int, leaders: list[int], following: int) -> None:
    """T5: the highest total, among equals the nearest clockwise from the parent."""
    game = played([[ONE if seat in leaders else "" for seat in range(4)]], parent=parent)
    deal_round(game, ["", "", "", ""])
    assert parent_of(game) == following


@pytest.mark.rule("T5", "T20")
def test_legend_counts_for_the_parent() -> None:
    """T5: 5 and the legend's 4 exceed 5; without the legend the equals' other would follow."""
    game = played([["H> 3 3 3 1 <T", "", ""], ["", ONE, ""]])
    assert game.totals == [9, 5, 0]
    deal_round(game, PLAIN)
    assert parent_of(game) == 0


@pytest.mark.rule("T5")
def test_totals_of_the_game_count_for_the_parent() -> None:
    """T5: not the points of the round alone."""
    game = played([[ONE, "", ""], [ONE, "", ""], ["", ONE, ""]])
    deal_round(game, PLAIN)
    assert parent_of(game) == 0


@pytest.mark.rule("T6")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_chance_of_a_deal(players: int) -> None:
    """T6: each seat a slot for its flower, then seven cards; as many cards as players turn up."""
    game = start(players=players)
    game.apply_chance(0)
    nodes = []
    while game.node == "chance":
        nodes.append((game.chance_name, game.seat))
        assert game.chance_name != "flower_slot" or game.chance_outcomes() == [
            (slot, 1 / 8) for slot in range(8)
        ]
        game.apply_chance(7 if game.chance_name == "flower_slot" else _one_way(game))
    dealt = [(name, seat) for seat in range(players) for name in ("flower_slot", *["deal"] * 7)]
    assert nodes == [*dealt, *[("market", None)] * players]
    assert sum(deck(game)) == 71 - 9 * players


def _one_way(game: Game) -> int:
    """A face that lies way up 0 alone."""
    return next(number for number in (5, 6, 7, 1, 4) if number in outcomes(game))


@pytest.mark.rule("T6")
@pytest.mark.parametrize("slot", [0, 3, 7])
def test_hands_lie_as_dealt(slot: int) -> None:
    """T6: the flower in its slot, the other cards from left to right around it, each way up."""
    rest = ["<H", "T>", "HT", "TH", "1", "F", "M"]
    words = [*rest[:slot], "F", *rest[slot:]]
    game = deal(["", " ".join(words), ""], flowers={1: slot}, market="B Y H>")
    assert hand(game, 1) == " ".join(words)
    assert market(game) == "H> B Y"
    assert (field(game, 1), hand(game, 0).split()[0]) == ("", "F")


@pytest.mark.rule("T7")
def test_all_cards_come_back() -> None:
    """T7: each round begins with all cards; points stay."""
    game = at_takes([ONE, "F M B", ""], {1: [1, 2]})
    pass_takes(game)
    turns_of_growth(game)
    assert (game.chance_name, game.totals) == ("flower_slot", [5, 0, 0])
    assert [field(game, seat) for seat in range(3)] == ["", "", ""]
    game.apply_chance(0)
    full = start(players=3)
    full.apply_chance(0)
    full.apply_chance(0)
    assert game.chance_outcomes() == full.chance_outcomes()


# ==================================================================== falling leaves


@pytest.mark.rule("T8")
def test_leaves_are_chosen_in_rising_order() -> None:
    """T8: any card to the right of those chosen, or done; after slot 7 only done."""
    game = deal(PLAIN)
    assert game.legal_actions() == [0, 1, 2, 3, 4, 5, 6, 7, DONE]
    game.apply(2)
    assert game.legal_actions() == [3, 4, 5, 6, 7, DONE]
    game.apply(6)
    assert game.legal_actions() == [7, DONE]
    game.apply(7)
    assert game.legal_actions() == [DONE]
    with pytest.raises(IllegalActionError):
        game.apply(0)


@pytest.mark.rule("T8")
@pytest.mark.parametrize("parent", [0, 1, 2])
def test_seats_choose_from_the_parent_on(parent: int) -> None:
    """T8: each to its end, clockwise."""
    game = deal(PLAIN, parent=parent)
    turns = []
    while asked(game) == "leaf":
        turns.append(game.seat)
        game.apply(5 if 5 in game.legal_actions() else DONE)
    assert turns == [(parent + k // 2) % 3 for k in range(6)]


@pytest.mark.rule("T8")
def test_leaves_fall_and_hands_close_up() -> None:
    """T8: none, some or all, face up into the own field once all have chosen; order stays."""
    game = deal(["F H> 1 2 3 <T T> TT", "F F B B B <H HH HT", ""])
    for slots in ([1, 4], range(8), []):
        for slot in slots:
            game.apply(slot)
        assert field(game, 0) == field(game, 1) == ""
        game.apply(DONE)
    assert hand(game, 0) == "F 1 2 <T T> TT"
    assert field(game, 0) == "H> 3"
    assert hand(game, 1) == ""
    assert field(game, 1) == "H> HH HT F F B B B"
    assert (len(hand(game, 2).split()), field(game, 2)) == (8, "")


# ==================================================================== taking


@pytest.mark.rule("T9")
@pytest.mark.parametrize("parent", [0, 1, 2])
def test_each_seat_takes_once_from_the_parent_on(parent: int) -> None:
    """T9: clockwise; afterwards growth begins, here for nobody."""
    game = at_takes([ONE, "", ""], parent=parent)
    turns = []
    while asked(game) == "take":
        turns.append(game.seat)
        take(game)
    assert turns == [(parent + k) % 3 for k in range(3)]
    assert scored(game) == 1


@pytest.mark.rule("T9")
def test_a_card_of_another_hand() -> None:
    """T9: by its position; that hand closes up, and the card goes into any field."""
    game = at_takes(["", "F H> 1 2 3 <T T> TT", ""])
    assert open_hands(game) == {1: 8, 2: 8}
    take_from(game, 1, 4, to=2)
    assert hand(game, 1) == "F H> 1 2 <T T> TT"
    assert (field(game, 0), field(game, 1), field(game, 2)) == ("", "", "3")
    assert game.seat == 1
    take_from(game, 2, 0)
    assert open_hands(game) == {0: 8, 1: 7}
    take_from(game, 1, 6, to=0)
    assert hand(game, 1) == "F H> 1 2 <T T>"
    assert (field(game, 0), field(game, 1)) == ("TT", "F")


@pytest.mark.rule("T9")
def test_the_field_is_chosen_after_the_card_is_seen() -> None:
    """T9: the top card of the deck is drawn first, then put into the field of any seat."""
    game = at_takes(["", "", "", ""], parent=3)
    game.apply(TAKE_DECK)
    assert (game.chance_name, game.seat) == ("deck", 3)
    game.apply_chance(MIMIC)
    assert (game.seat, game.legal_actions()) == (3, [42, 43, 44, 45])
    before = deck(game)
    put(game, 1)
    assert (field(game, 1), deck(game)) == ("M", before)


@pytest.mark.rule("T9", "T10")
@pytest.mark.parametrize("birds", [1, 2, 3])
def test_birds_in_the_own_field_give_takes(birds: int) -> None:
    """T9: one more take for each, all in one go."""
    game = at_takes(["B B B F", "", ""], {0: range(birds)})
    turns = []
    while asked(game) == "take":
        turns.append(game.seat)
        take(game)
    assert turns == [*[0] * (1 + birds), 1, 2]


@pytest.mark.rule("T9")
def test_birds_in_a_hand_give_no_takes() -> None:
    """T9: they have to lie in the field."""
    game = at_takes(["B B F", "", ""])
    take(game)
    assert game.seat == 1


@pytest.mark.rule("T10")
def test_a_mimic_in_the_field_protects_the_hand() -> None:
    """T10: nobody draws from that seat; it takes itself as others do."""
    game = at_takes(["", "M F", ""], {1: [0]})
    assert open_hands(game) == {2: 8}
    with pytest.raises(IllegalActionError):
        game.apply(take_action(game, 1, 0))
    take(game)
    assert (game.seat, open_hands(game)) == (1, {0: 8, 2: 8})
    take(game)
    assert open_hands(game) == {0: 8}


@pytest.mark.rule("T10")
def test_a_mimic_in_a_hand_protects_nothing() -> None:
    """T10: it has to lie in the field."""
    assert open_hands(at_takes(["", "M F", ""])) == {1: 8, 2: 8}


@pytest.mark.rule("T10")
def test_a_hand_without_cards_cannot_be_drawn_from() -> None:
    """T10: the last card of a hand can be taken, then there is none."""
    game = at_takes(["", "", ""], {1: range(7), 2: range(8)})
    assert open_hands(game) == {1: 1}
    take_from(game, 1, 0)
    assert (game.seat, open_hands(game)) == (1, {0: 8})


@pytest.mark.rule("T10")
def test_a_take_is_not_declined() -> None:
    """T10: there is no action for it, and the deck always remains."""
    game = at_takes(["M F", "", "M F"], {0: [0], 1: range(8), 2: [0]}, parent=1)
    assert game.legal_actions() == [TAKE_DECK]


#: No cards but those of hands and market: the deck is empty.
SMALL = [0, 0, 0, 0, 0, 10, 10, 0, 3, 0, 0, 4]


@pytest.mark.rule("T10", "T1")
def test_takes_lapse_where_nothing_can_be_taken() -> None:
    """T10: the deck is empty, and all hands are protected; growth follows at once."""
    game = at_takes(["M F", "M F", "M F"], {0: [0], 1: [0], 2: [0]}, counts=SMALL)
    assert sum(deck(game)) == 0
    assert asked(game) == "pick"


@pytest.mark.rule("T10")
def test_takes_lapse_for_a_seat_without_a_source() -> None:
    """T10: the own hand is none; the others, who can draw from it, still take."""
    game = at_takes(["F", "M F", "M F"], {1: [0], 2: [0]}, counts=SMALL)
    assert (game.seat, open_hands(game)) == (1, {0: 8})
    assert TAKE_DECK not in game.legal_actions()
    take_from(game, 0, 7)
    assert (game.seat, open_hands(game)) == (2, {0: 7})
    take_from(game, 0, 0, to=0)
    assert asked(game) == "pick"


@pytest.mark.rule("T10")
def test_open_takes_lapse_when_the_deck_runs_out() -> None:
    """T10: of two takes the second has no source left."""
    counts = [*SMALL]
    counts[BIRD], counts[FLOWER] = 1, 4  # two cards more: one of them stays in the deck
    hands = ["B M F", "M F", "M F"]
    game = at_takes(hands, {0: [0, 1], 1: [0], 2: [0]}, counts=counts)
    assert (sum(deck(game)), game.seat, game.legal_actions()) == (2, 0, [TAKE_DECK])
    game.apply(TAKE_DECK)
    game.apply_chance(outcomes(game)[0])
    put(game, 0)
    assert (game.seat, game.legal_actions()) == (0, [TAKE_DECK])
    game.apply(TAKE_DECK)
    game.apply_chance(outcomes(game)[0])
    put(game, 0)
    assert asked(game) == "pick"


@pytest.mark.rule("T10", "T10a", "T11")
def test_a_bird_put_into_the_own_field_goes_on_at_once() -> None:
    """T10a: its take belongs to the same go."""
    game = at_takes(PLAIN)
    for seat, word in [(0, "B"), (0, "B"), (0, ""), (1, ""), (2, "")]:
        assert game.seat == seat
        take(game, word)
    assert asked(game) != "take"


def takes(game: Game, course: Sequence[tuple[int, str, int]]) -> None:
    """Takes of the deck: who has the turn, the card ("": any), and into whose field it goes."""
    for seat, word, to in course:
        assert (asked(game), game.seat) == ("take", seat)
        take(game, word, to=to)


@pytest.mark.rule("T11")
@pytest.mark.parametrize(
    ("parent", "course"),
    [
        # before its turn: two takes in its go
        (0, [(0, "B", 2), (1, "", 1), (2, "", 2), (2, "", 2)]),
        # after its turn: a further lap, for that seat alone
        (0, [(0, "", 0), (1, "B", 0), (2, "", 2), (0, "", 0)]),
        # several: clockwise from the parent, whatever the order in which they came
        (0, [(0, "", 0), (1, "B", 0), (2, "B", 1), (0, "", 0), (1, "", 1)]),
        (1, [(1, "", 1), (2, "B", 1), (0, "B", 2), (1, "", 1), (2, "", 2)]),
        # two for one seat: both in one go
        (0, [(0, "", 0), (1, "B", 0), (2, "B", 0), (0, "", 0), (0, "", 0)]),
        # a bird of a further lap: to a seat still to come in it, and to one that is over
        (0, [(0, "", 0), (1, "B", 0), (2, "", 2), (0, "B", 2), (2, "", 2)]),
        (0, [(0, "", 0), (1, "", 1), (2, "B", 1), (1, "B", 0), (0, "B", 2), (2, "", 2)]),
        # an own one in a further lap
        (2, [(2, "", 2), (0, "B", 2), (1, "", 1), (2, "B", 2), (2, "", 2)]),
    ],
)
def test_a_bird_that_reaches_a_seat(parent: int, course: list[tuple[int, str, int]]) -> None:
    """T11: it gives its take to the seat in whose field it lies, whenever it came there."""
    game = at_takes(PLAIN, parent=parent)
    takes(game, course)
    assert asked(game) != "take"


@pytest.mark.rule("T11", "T9")
def test_a_bird_taken_from_a_hand_counts_too() -> None:
    """T11: however it came there."""
    game = at_takes(["", "B F", ""])
    take_from(game, 1, 0, to=2)
    takes(game, [(1, "", 1), (2, "", 2), (2, "", 2)])


@pytest.mark.rule("T11", "T10")
def test_a_mimic_put_on_a_seat_before_its_turn() -> None:
    """T11: from that moment nobody draws from it; it takes all the same."""
    game = at_takes(PLAIN)
    assert open_hands(game) == {1: 8, 2: 8}
    take(game, "M", to=2)
    assert open_hands(game) == {0: 8}
    take(game)
    assert (game.seat, open_hands(game)) == (2, {0: 8, 1: 8})


@pytest.mark.rule("T11", "T10")
def test_a_mimic_put_on_a_seat_after_its_turn() -> None:
    """T11: the seats that follow cannot draw from it either."""
    game = at_takes(PLAIN)
    take(game)
    assert open_hands(game) == {0: 8, 2: 8}
    take(game, "M", to=0)
    assert (game.seat, open_hands(game)) == (2, {1: 8})


@pytest.mark.rule("T11", "T9")
def test_a_mimic_put_on_itself_in_the_midst_of_the_takes() -> None:
    """T11: it does not hinder the own takes that are still open."""
    game = at_takes(["B F", "", ""], {0: [0]})
    take(game, "M")
    assert (game.seat, open_hands(game)) == (0, {1: 8, 2: 8})
    take(game)
    assert open_hands(game) == {2: 8}


# ==================================================================== growth


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    ("parent", "fallen", "first"),
    [
        (0, [2, 1, 1], 0),  # the parent alone has most
        (0, [1, 1, 2], 2),
        (0, [2, 1, 2], 2),  # equal to the parent
        (0, [2, 2, 2], 1),
        (0, [1, 2, 2], 1),  # equal without the parent
        (1, [2, 1, 2], 2),
        (1, [2, 2, 1], 0),
        (2, [2, 2, 1], 0),
        (2, [1, 2, 2], 1),
    ],
)
def test_who_begins_growth(parent: int, fallen: list[int], first: int) -> None:
    """T12: most cards in the field, among equals the nearest clockwise from the parent."""
    leaves = {seat: range(count) for seat, count in enumerate(fallen)}
    assert at_growth(PLAIN, leaves, parent=parent).seat == first


@pytest.mark.rule("T12")
def test_cards_put_there_by_others_count() -> None:
    """T12: all cards of a field, whosever they were."""
    game = at_takes(PLAIN, {0: [0, 1], 1: [0]})
    takes(game, [(0, "", 1), (1, "", 1), (2, "", 1)])
    assert game.seat == 1


@pytest.mark.rule("T12")
def test_seats_with_eight_cards_are_passed_over() -> None:
    """T12: also the one that would begin; the next clockwise does then."""
    game = at_takes(PLAIN, {0: [0], 2: [0]})
    takes(game, [(0, "", 1), (1, "", 1), (2, "", 1)])
    assert turns_of_growth(game) == [2, 0]


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    ("fallen", "turns"),
    [([2, 1, 3], [2, 0, 1, 2, 0, 2]), ([1, 3, 1], [1, 2, 0, 1, 1]), ([0, 0, 2], [2, 2])],
)
def test_one_card_a_turn_until_all_have_eight(fallen: list[int], turns: list[int]) -> None:
    """T12: clockwise, and who is complete drops out."""
    game = at_growth(PLAIN, {seat: range(1, 1 + n) for seat, n in enumerate(fallen)})
    assert turns_of_growth(game) == turns
    assert scored(game) == 1


@pytest.mark.rule("T13")
@pytest.mark.parametrize(
    ("fallen", "turns"),
    [
        # seat 2 begins in each; its slots 0 and 1 hold mimics
        ({2: [2, 3]}, [2, 2]),
        ({2: [0, 3], 0: [0]}, [0, 2, 2]),
        ({2: [0, 3, 4], 0: [0], 1: [0]}, [0, 1, 2, 2, 2]),
        ({2: [0, 1], 0: [0, 1], 1: [0]}, [0, 1, 2, 0, 2]),  # two mimics: still one turn
        ({2: [0, 3], 1: []}, [2, 2]),  # nobody else is to act
    ],
)
def test_a_mimic_misses_the_first_turn(fallen: dict[int, list[int]], turns: list[int]) -> None:
    """T13: once, however many mimics lie in the field when the phase begins."""
    assert turns_of_growth(at_growth(["", "", "M M F"], fallen)) == turns


@pytest.mark.rule("T13", "T11")
def test_a_mimic_put_there_by_another_misses_the_turn_too() -> None:
    """T13: whether it came before or after the turn of the seat in the lap."""
    game = at_takes(PLAIN, {0: [0, 1], 1: [0, 1], 2: [0]})
    takes(game, [(0, "M", 2), (1, "M", 0), (2, "", 2)])
    # Seat 2 would begin, and misses; so does seat 0.
    assert turns_of_growth(game) == [1, 2, 0, 1, 0]


@pytest.mark.rule("T13", "T14")
def test_a_mimic_picked_out_of_the_field_makes_no_difference() -> None:
    """T13: what lay there when the phase began counts."""
    game = at_growth(["", "M F", ""], {0: [0, 1, 2], 1: [0], 2: [0]})
    assert game.seat == 0
    grow(game, "M", 0)
    assert "M" not in field(game, 1)
    assert game.seat == 2


@pytest.mark.rule("T13", "T14")
def test_a_mimic_picked_up_costs_no_turn() -> None:
    """T13: nor does one of the market."""
    game = at_growth(PLAIN, {0: [0, 1], 1: [0]}, market="M")
    grow(game, "M", 0)
    assert turns_of_growth(game) == [1, 0]


@pytest.mark.rule("T14")
def test_what_can_be_picked() -> None:
    """T14: every face that lies in a field or the market, or the deck."""
    game = at_growth(["F HH Y B", "F TT", "F T> TH"], {0: [1], 1: [1], 2: [1]}, market="Y H> M")
    fields = [field(game, seat).split() for seat in range(3)]
    assert [pile[0] for pile in fields] == ["HH", "TT", "<T"]
    taken = {pile[1] for pile in fields}
    assert set(pickable(game).split()) == {"H>", "HH", "<T", "TT", "Y", "M", "deck"} | taken


@pytest.mark.rule("T14")
def test_the_market_is_the_first_to_lose_a_card() -> None:
    """T14: before the own field."""
    game = at_growth(["F TT", "F TT", ""], {0: [1, 2], 1: [1]}, market="TT")
    grow(game, "TT", 0)
    assert "TT" not in market(game)
    assert (field(game, 0).count("TT"), field(game, 1).count("TT")) == (1, 1)
    assert game.seat == 1
    grow(game, "TT", 0)
    assert (field(game, 0).count("TT"), field(game, 1).count("TT")) == (1, 0)
    grow(game, "TT", 0)
    assert field(game, 0).count("TT") == 0


@pytest.mark.rule("T14")
def test_the_nearest_field_clockwise_loses_the_card() -> None:
    """T14: counted from who picks."""
    game = at_growth(["", "F TT", "F TT", ""], {1: [1, 2], 2: [1], 3: [1, 2, 3]})
    assert game.seat == 3
    grow(game, "TT", 0)
    assert (field(game, 1).count("TT"), field(game, 2).count("TT")) == (0, 1)


@pytest.mark.rule("T14")
def test_a_deck_card_must_be_kept() -> None:
    """T14: after it is seen it can only be inserted."""
    game = at_growth(["F 3 3 1 1 1 1 1", "", ""], {0: [1, 2]})
    game.apply(PICK_DECK)
    assert (game.chance_name, game.seat) == ("deck", 0)
    counts = deck(game)
    assert game.chance_outcomes() == [(k, n / sum(counts)) for k, n in enumerate(counts) if n]
    game.apply_chance(face("TH"))
    assert game.legal_actions() == list(range(60, 74))
    game.apply(insertion(1, 1))
    assert hand(game, 0) == "F TH 1 1 1 1 1"
    counts[face("TH")] -= 1
    assert deck(game) == counts


@pytest.mark.rule("T14")
def test_no_deck_pick_without_a_deck() -> None:
    """T14: what lies face up is all that is left."""
    game = at_takes(["M F", "M F", "M F"], {0: [0], 1: [0], 2: [0]}, counts=SMALL)
    assert PICK_DECK not in game.legal_actions()


@pytest.mark.rule("T14", "T2", "T4")
@pytest.mark.parametrize("word", LYING)
def test_insertions(word: str) -> None:
    """T14: at every gap, either way up where the edges differ; the others stay as they are."""
    number, way = LYING[word]
    game = at_growth(["F H> T> HT <H TH 1", "", ""], {0: [5, 6, 7]}, market=word)
    before = "F H> T> HT <H"
    assert hand(game, 0) == before
    game.apply(PICK + number)
    ways = [0, 1] if number in TWO_WAYS else [0]
    assert game.legal_actions() == [60 + 2 * gap + w for gap in range(6) for w in ways]
    for gap in range(6):
        twin = game.clone()
        twin.apply(insertion(gap, way))
        words = before.split()
        assert hand(twin, 0).split() == [*words[:gap], word, *words[gap:]]


@pytest.mark.rule("T14")
def test_insertion_into_an_empty_hand() -> None:
    """T14: there is one gap."""
    game = at_growth(PLAIN, {0: range(8)}, market="H>")
    game.apply(PICK + face("H>"))
    assert game.legal_actions() == [60, 61]
    game.apply(61)
    assert hand(game, 0) == "<H"


@pytest.mark.rule("T12", "T9")
def test_growth_is_left_out_where_all_hands_are_full() -> None:
    """T12: nobody discards, nobody is drawn from."""
    game = at_takes(["B F", "", ""])
    pass_takes(game)
    assert (asked(game), game.seat) == ("bird", 0)


@pytest.mark.rule("T12")
def test_deck_cards_of_growth_have_a_receiver() -> None:
    """Chance: the seat of a deck node is who draws."""
    game = at_growth(["", "", "", "", ""], {3: [1]}, parent=2)
    game.apply(PICK_DECK)
    chance(game, "deck", 3, face("B"))
    assert game.seat == 3
