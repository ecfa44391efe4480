"""The rules of torutorento one by one: birds, mimics, scores, legend, end of the game."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from helpers.torutorento import (
    DONE,
    LIFT,
    ROLES,
    TWO_WAYS,
    WORDS,
    asked,
    cards,
    change,
    changed,
    deal,
    deal_round,
    fall,
    grow,
    hand,
    insertion,
    keep_hands,
    last_points,
    move,
    pass_takes,
    played,
    scored,
)
from tefuda.envs import Game

pytestmark = [pytest.mark.pure, pytest.mark.bounds]

ONE = "H> 1 <T"  # a caterpillar of length 1
TWO = "H> 2 <T"


def rival(length: int) -> str:
    """A hand with one flower and one caterpillar of this length, up to 15."""
    threes, rest = divmod(length, 3)
    return " ".join(["H>", *["3"] * threes, *([str(rest)] if rest else []), "<T", "F"])


def flowerless(text: str, others: Sequence[str], **options: Any) -> Game:
    """The change phase in which seat 0 holds these eight cards, and no flower.

    It lets its flower fall, and grows the last of its cards.
    """
    words = text.split()
    assert len(words) == 8
    game = deal([" ".join(["F", *words[:7]]), *others], market=words[7], **options)
    fall(game, {0: [0]})
    pass_takes(game)
    assert hand(game, 0).split() == words[:7]
    grow(game, words[7], 7)
    return game


def assert_lengths(
    text: str,
    lengths: Sequence[int],
    roles: Sequence[str] = (),
    *,
    has_flower: bool = True,
    **options: Any,
) -> None:
    """The caterpillars of a hand have these lengths.

    For each length another seat holds a single caterpillar that must turn out equally long: it
    gets the same points, and no rank is between them.

    Args:
        text: The hand of seat 0; it gets a flower if it has none.
        lengths: What its caterpillars should be, without order.
        roles: What its mimics are declared to be.
        has_flower: Whether it has a flower; if not, the text must have eight cards.
        **options: The options of the game.
    """
    ladder = sorted(set(lengths), reverse=True)
    rivals = [*map(rival, ladder), "", ""][: max(2, len(ladder))]
    if has_flower:
        game = deal([text, *rivals], **options)
        keep_hands(game, roles)
    else:
        game = flowerless(text, rivals, **options)
        change(game, roles)
    points = dict(zip(ladder, (5, 3, 2), strict=False))
    expected = [sum(points[length] for length in lengths), *points.values(), 0, 0]
    assert last_points(game) == expected[: game.players], (text, roles)


# ==================================================================== caterpillars


@pytest.mark.rule("T3", "T18")
@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("H> 1 <T", [1]),
        ("T> 1 <H", [1]),
        ("H> 1 2 3 <T", [6]),
        ("T> 3 3 3 3 3 <H", [15]),
        ("H> <T", []),  # no body
        ("T> <H 1 2", []),
        ("1 2 3", []),  # no ends
        ("H> 1 2", []),  # one end
        ("1 <T", []),
        ("H> 1 <H", []),  # head and head
        ("T> 1 <T", []),  # tail and tail
        ("HH 1 HH", []),
        ("TT 1 TT", []),
        ("<H 1 <T", []),  # the left end faces the wrong way
        ("H> 1 T>", []),  # the right one does
        ("<H 1 T>", []),  # both do
        ("<T 1 H>", []),
        ("H> 1 F 1 <T", []),  # a card in between
        ("H> F 1 <T", []),
        ("H> 1 F <T", []),
        ("H> 1 Y <T F", [None]),
        ("H> 1 B 1 <T", []),
        ("H> 1 H> 2 <T", [2]),  # the nearer end counts
        ("H> 1 <T 2 <T", [1]),
        ("F H> 1 2 <T 3 1", [3]),  # cards outside do not matter
    ],
)
def test_one_run_of_cards(text: str, lengths: list[int | None]) -> None:
    """T3: an end, bodies, the other end, with nothing else in between."""
    if lengths == [None]:  # the butterfly's point (T19), and no caterpillar
        game = deal([text, "", ""])
        keep_hands(game)
        assert last_points(game) == [1, 0, 0]
    else:
        assert_lengths(text, [length for length in lengths if length])


@pytest.mark.rule("T3")
@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("H> 1 TT 2 <H", [1, 2]),
        ("T> 1 HH 2 <T", [1, 2]),
        ("T> 1 HT 2 <H", [1, 2]),
        ("H> 1 TH 2 <T", [1, 2]),
        ("H> 2 TT 2 <H", [2, 2]),
        ("H> 1 HT 2 <H", [2]),  # the left edge does not fit
        ("T> 1 HT 2 <T", [1]),  # the right one does not
        ("H> 1 HT 2 <T", []),
        ("HH 1 TT", [1]),
        ("TT 1 HH 2 TT", [1, 2]),
        ("H> 1 TT 2 HH 3 <T", [1, 2, 3]),
        ("H> 1 TT <H 2", [1]),  # the second edge has no body
        ("HT 1 HT 2 HT", [1, 2]),
        ("HT 1 TH 2 HT", []),
        ("H> 1 <T H> 2 <T", [1, 2]),  # without a double card
        ("TT HH 1 TT HH", [1]),
    ],
)
def test_double_cards_serve_both_sides(text: str, lengths: list[int]) -> None:
    """T3: each edge serves one caterpillar."""
    assert_lengths(text, lengths)


@pytest.mark.rule("T4")
@pytest.mark.parametrize("seed", range(12))
def test_a_hand_turned_round_scores_the_same(seed: int) -> None:
    """T4: order reversed, every card turned, mimics declared the other way round."""
    rng = random.Random(seed)
    words = [word for word in WORDS.values() if word not in ("B", "F", "M")]
    hands = [rng.choices([*words, "1", "2", "H>", "<T"], k=7) for _ in range(3)]
    hands = [[*text, "F"] for text in hands]
    for text in hands:
        rng.shuffle(text)
    slot = rng.randrange(8)
    if hands[0][slot] != "F":
        hands[0][slot] = "M"
    roles = [rng.choice(list(ROLES)) for text in hands for word in text if word == "M"]
    points = []
    for texts, declared in (
        (hands, roles),
        ([turned(hands[0]), *hands[1:]], [TURNED_ROLES[role] for role in roles]),
        ([turned(text) for text in hands], [TURNED_ROLES[role] for role in roles]),
    ):
        game = deal([" ".join(text) for text in texts], counts=[10] * 12)
        keep_hands(game, declared)
        points.append(last_points(game))
    assert points[1] == points[0]
    assert points[2] == points[0]


TURNED_ROLES = {"M>H": "<HM", "<HM": "M>H", "M>T": "<TM", "<TM": "M>T", "body": "body"}


def turned(text: Sequence[str]) -> list[str]:
    """A hand turned round."""
    lying = cards(" ".join(text))[::-1]
    return [WORDS[number, 1 - way if number in TWO_WAYS else way] for number, way in lying]


# ==================================================================== birds


@pytest.mark.rule("T16")
def test_birds_from_the_parent_on_and_before_all_mimics() -> None:
    """T16: each bird of a seat in turn, then the mimics in the same order of seats."""
    game = deal(["B F", "M B B F", "M F"], parent=1)
    fall(game)
    pass_takes(game)
    course = []
    while asked(game) in ("bird", "mimic"):
        course.append((asked(game), game.seat))
        game.apply(game.legal_actions()[0])
    birds = [("bird", 1), ("bird", 1), ("bird", 0)]
    assert course == [*birds, ("mimic", 1), ("mimic", 2)]


@pytest.mark.rule("T16")
def test_a_bird_moves_one_card() -> None:
    """T16: any card, to any gap, either way up where its edges differ; or none."""
    game = deal(["B H> 1 2 F <H 3 M", "", ""])
    fall(game)
    pass_takes(game)
    assert game.legal_actions() == [DONE, *range(LIFT, LIFT + 8)]
    game.apply(LIFT + 5)
    assert hand(game, 0) == "B H> 1 2 F 3 M"
    assert game.legal_actions() == list(range(60, 76))
    twin = game.clone()
    twin.apply(insertion(4, 0))
    assert hand(twin, 0) == "B H> 1 2 H> F 3 M"
    game.apply(insertion(7, 1))
    assert hand(game, 0) == "B H> 1 2 F 3 M <H"
    assert (asked(game), game.seat) == ("mimic", 0)


@pytest.mark.rule("T16")
def test_a_lifted_card_with_equal_edges_has_one_way_up() -> None:
    """T16, action ids: only o = 0."""
    game = deal(["B H> 1 2 F <H 3 M", "", ""])
    fall(game)
    pass_takes(game)
    game.apply(LIFT + 2)
    assert game.legal_actions() == list(range(60, 76, 2))


@pytest.mark.rule("T16")
def test_a_move_can_complete_a_caterpillar() -> None:
    """T16: the score is that of the hand after the moves."""
    game = deal(["H> 1 2 F B <H T> 3", "", ""])
    keep_hands(game, birds=[(6, 3, 0)])  # the tail, turned, behind the 2
    assert last_points(game) == [5, 0, 0]


@pytest.mark.rule("T16")
def test_the_bird_itself_can_be_moved_and_a_card_put_back() -> None:
    """T16: any card may be lifted, and put back as it was."""
    game = deal(["H> 1 B <T F", "", ""])
    keep_hands(game, birds=[(2, 0, 0)])
    assert last_points(game) == [5, 0, 0]
    game = deal(["H> 1 <T B F 2 3", "", ""])
    fall(game)
    pass_takes(game)
    before = hand(game, 0)
    move(game, 2, 2, 0)
    assert hand(game, 0) == before or scored(game)
    assert last_points(game) == [5, 0, 0]


@pytest.mark.rule("T16")
@pytest.mark.parametrize(
    ("birds", "points"),
    [
        ([(3, 7, 0), (3, 7, 0)], 6),  # both cards are moved away from between the ends
        ([(3, 7, 0), ()], 1),
        ([(), (3, 7, 0)], 1),
        ([(), ()], 1),
        ([(3, 7, 0), (0, 7, 0)], 1),  # the second bird moves the first
        ([(4, 0, 0), (4, 0, 0)], 6),
    ],
)
def test_two_birds_in_a_hand(birds: list[tuple[int, ...]], points: int) -> None:
    """T16: each may move a card; one that declines leaves the other its move."""
    game = deal(["B B H> F Y 1 <T 2", "", ""])
    fall(game)
    pass_takes(game)
    assert (asked(game), game.seat) == ("bird", 0)
    change(game, birds=birds)
    assert last_points(game) == [points, 0, 0]


@pytest.mark.rule("T16")
def test_birds_in_a_field_move_nothing() -> None:
    """T16: they have to be in the hand."""
    game = deal(["B F", "", ""])
    fall(game, {0: [0]})
    pass_takes(game)
    grow(game, "TT", 0)
    assert scored(game) == 1


# ==================================================================== mimics

#: A hand in which a mimic completes a caterpillar in just one role, and the length.
ROLE_HANDS = {
    "M>H": ("M 2 <T", 2),
    "<HM": ("T> 2 M", 2),
    "M>T": ("M 2 <H", 2),
    "<TM": ("H> 2 M", 2),
    "body": ("H> M <T", 1),
}


@pytest.mark.rule("T16")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("fitting", ROLE_HANDS)
def test_a_mimic_in_each_role(role: str, fitting: str) -> None:
    """T16: a head or a tail towards either side, or a body; in another role it fits nothing."""
    text, length = ROLE_HANDS[fitting]
    assert_lengths(text, [length] if role == fitting else [], [role])


@pytest.mark.rule("T16")
def test_a_mimic_has_five_roles_whatever_the_hand() -> None:
    """T16: all are always open."""
    game = deal(["", "M F", ""])
    fall(game)
    pass_takes(game)
    assert (game.seat, game.legal_actions()) == (1, [84, 85, 86, 87, 88])


@pytest.mark.rule("T16", "T17")
@pytest.mark.parametrize("mimic_body", [1, 2, 3])
def test_length_of_a_mimic_as_a_body(mimic_body: int) -> None:
    """T16, T17: `mimic_body`, changed by the flowers as every body is."""
    options: dict[str, Any] = {"mimic_body": mimic_body}
    assert_lengths("H> M <T", [mimic_body], ["body"], **options)
    assert_lengths("H> M 2 <T F F", [mimic_body + 1 + 3], ["body"], **options)
    alone = [mimic_body - 1] if mimic_body > 1 else []
    assert_lengths("H> M <T 1 1 1 1 1", alone, ["body"], has_flower=False, **options)
    beside = mimic_body - 1 + 1
    assert_lengths("H> M 2 <T 1 1 1 1", [beside], ["body"], has_flower=False, **options)


@pytest.mark.rule("T16")
@pytest.mark.parametrize(
    ("text", "roles", "lengths"),
    [
        ("M 2 M", ["M>H", "<TM"], [2]),
        ("M 2 M", ["M>T", "<HM"], [2]),
        ("M 2 M", ["<TM", "M>H"], []),  # the left one is declared first
        ("M 2 M", ["M>H", "<HM"], []),
        ("M M <T", ["M>H", "body"], [1]),
        ("M M <T", ["body", "M>H"], []),
        ("H> M M <T", ["body", "body"], [2]),
        ("H> 1 M 2 M 3 <T", ["<TM", "body"], [1]),
    ],
)
def test_two_mimics_in_a_hand(text: str, roles: list[str], lengths: list[int]) -> None:
    """T16: declared from left to right."""
    assert_lengths(text, lengths, roles)


@pytest.mark.rule("T16")
def test_a_declared_mimic_has_one_edge() -> None:
    """T16: it is a head or a tail, not a double card."""
    for role in ROLES:
        fits = {"<TM": [1], "M>H": [2]}.get(role, [])
        assert_lengths("H> 1 M 2 <T", fits if role != "body" else [4], [role])


@pytest.mark.rule("T16")
def test_a_moved_mimic_is_declared_where_it_lies_then() -> None:
    """T16: birds come first; left to right is that of the hand after them."""
    game = deal(["M F M B 2 <T 1 1", "", ""])
    keep_hands(game, ["<HM", "M>H"], [(0, 3, 0)])  # F M B M 2 <T 1 1
    assert last_points(game) == [5, 0, 0]


# ==================================================================== flowers


@pytest.mark.rule("T17")
@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("H> 1 2 <T F", [3]),
        ("H> 1 2 <T F F", [5]),
        ("H> 1 2 <T F F F", [7]),
        ("H> 1 2 <T F F F F", [9]),
        ("H> 1 <T F F F F F", [5]),
        ("F H> 1 TT 3 <H F F", [3, 5]),  # every body of the hand, wherever the flowers lie
    ],
)
def test_flowers_lengthen_every_body(text: str, lengths: list[int]) -> None:
    """T17: one changes nothing, each more adds 1 to every body."""
    assert_lengths(text, lengths)


@pytest.mark.rule("T17")
@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("H> 2 <T TT TT TT TT TT", [1]),
        ("H> 2 3 <T TT TT TT TT", [3]),
        ("H> 1 <T TT TT TT TT TT", []),  # no body is left
        ("H> 1 1 1 <T TT TT TT", []),
        ("H> 1 2 <T TT TT TT TT", [1]),  # the void body neither counts ...
        ("H> 2 1 2 <T TT TT TT", [2]),  # ... nor breaks
        ("H> 1 1 3 1 <T TT TT", [2]),
        ("H> 1 TT 2 <H TT TT TT", [1]),
        ("H> 1 TT 2 HH 1 <T TT", [1]),
    ],
)
def test_void_bodies_without_a_flower(text: str, lengths: list[int]) -> None:
    """T17: every body loses 1; one that comes to 0 is as if it were not there."""
    counts = changed(tail_tail=12)
    assert_lengths(text, lengths, has_flower=False, counts=counts)


# ==================================================================== ranks


@pytest.mark.rule("T18")
@pytest.mark.parametrize(
    ("lengths", "dense", "competition"),
    [
        ([3, 2, 1], [5, 3, 2], [5, 3, 2]),
        ([4, 3, 2, 1], [5, 3, 2, 2], [5, 3, 2, 2]),
        ([3, 3, 2], [5, 5, 3], [5, 5, 2]),
        ([3, 3, 3], [5, 5, 5], [5, 5, 5]),
        ([3, 2, 2], [5, 3, 3], [5, 3, 3]),
        ([3, 3, 2, 1], [5, 5, 3, 2], [5, 5, 2, 2]),
        ([3, 2, 2, 1], [5, 3, 3, 2], [5, 3, 3, 2]),
        ([2, 2, 2, 1], [5, 5, 5, 3], [5, 5, 5, 2]),
        ([5, 4, 3, 2, 2], [5, 3, 2, 2, 2], [5, 3, 2, 2, 2]),
        ([0, 1, 0], [0, 5, 0], [0, 5, 0]),
        ([0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ],
)
def test_points_by_rank(lengths: list[int], dense: list[int], competition: list[int]) -> None:
    """T18: equal lengths get equal points; the next is the next rank, or counts those above."""
    hands = [rival(length) if length else "" for length in lengths]
    for ranking, points in (("dense", dense), ("competition", competition)):
        game = deal(hands, tie_ranking=ranking)
        keep_hands(game)
        assert last_points(game) == points


@pytest.mark.rule("T18")
def test_all_caterpillars_of_all_seats_are_ranked() -> None:
    """T18: those of one hand too."""
    # Lengths 3 and 1, 2, and 3: the 2 is of the second length, but two are above it.
    for ranking, points in (("dense", [5 + 2, 3, 5]), ("competition", [5 + 2, 2, 5])):
        game = deal(["H> 1 TT 3 <H", rival(2), rival(3)], tie_ranking=ranking)
        keep_hands(game)
        assert last_points(game) == points


@pytest.mark.rule("T18")
def test_two_of_a_hand_can_be_the_longest() -> None:
    """T18: they tie with each other."""
    for ranking, other in (("dense", 3), ("competition", 2)):
        game = deal(["H> 2 TT 2 <H", rival(1), ""], tie_ranking=ranking)
        keep_hands(game)
        assert last_points(game) == [10, other, 0]


@pytest.mark.rule("T19")
@pytest.mark.parametrize(("text", "points"), [("Y", 1), ("Y Y", 2), (f"Y {ONE} Y", 7)])
def test_butterflies(text: str, points: int) -> None:
    """T19: a point each, beside those of caterpillars."""
    game = deal([text, "", ""])
    keep_hands(game)
    assert last_points(game) == [points, 0, 0]


@pytest.mark.rule("T19")
def test_butterflies_in_a_field_count_nothing() -> None:
    """T19: they have to be in the hand."""
    game = deal(["Y F", "", ""])
    fall(game, {0: [0]})
    pass_takes(game)
    grow(game, "TT", 0)
    assert last_points(game) == [0, 0, 0]


# ==================================================================== the legend


def totals_after(*rounds: Sequence[str], **options: Any) -> list[int]:
    """The totals after these rounds."""
    return played(rounds, target=100, **options).totals


NONE = ["", "", ""]


@pytest.mark.rule("T20")
@pytest.mark.parametrize(("length", "total"), [(9, 5), (10, 9), (11, 9), (15, 9)])
def test_the_first_legend(length: int, total: int) -> None:
    """T20: a caterpillar of 10 or more earns it."""
    assert totals_after(["", rival(length), ""]) == [0, total, 0]


@pytest.mark.rule("T20")
def test_the_legend_is_held_over_the_rounds() -> None:
    """T20: it counts once, as long as the seat holds it."""
    assert totals_after([rival(10), "", ""], NONE, ["", ONE, ""]) == [9, 5, 0]


@pytest.mark.rule("T20")
@pytest.mark.parametrize(
    ("second", "totals"),
    [
        (11, [5, 9, 0]),  # beaten: the legend and its 4 points go
        (10, [9, 5, 0]),  # equal to the mark: nothing happens
        (9, [9, 5, 0]),
    ],
)
def test_the_legend_is_beaten_by_a_longer_one(second: int, totals: list[int]) -> None:
    """T20: any longer than the longest so far."""
    assert totals_after([rival(10), "", ""], ["", rival(second), ""]) == totals


@pytest.mark.rule("T20", "T22")
def test_losing_the_legend_is_minus_four() -> None:
    """T20, T22: the points of the round are the change of the total, the legend included."""
    game = played([[rival(10), "", ""], ["", rival(11), ""]])
    assert last_points(game) == [-4, 9, 0]
    assert game.totals == [5, 9, 0]
    game = played([[rival(10), "", ""], [ONE, rival(11), ""]])
    assert last_points(game) == [3 - 4, 9, 0]


@pytest.mark.rule("T20")
def test_who_holds_the_legend_raises_its_own_mark() -> None:
    """T20: the same seat keeps it, without another 4 points."""
    rounds = [[rival(10), "", ""], [rival(12), "", ""], ["", rival(11), ""]]
    assert totals_after(*rounds) == [14, 5, 0]
    assert totals_after(*rounds, ["", rival(13), ""]) == [10, 14, 0]


@pytest.mark.rule("T20")
def test_the_longest_of_several_counts() -> None:
    """T20: both beat the mark."""
    assert totals_after([rival(10), rival(12), ""]) == [3, 9, 0]
    rounds = [["", "", rival(10)], [rival(12), rival(11), ""]]
    assert totals_after(*rounds) == [9, 3, 5]


@pytest.mark.rule("T20")
def test_equal_longest_ones_of_different_seats() -> None:
    """T20: nobody gets it; the mark is that length all the same."""
    tied = [rival(11), rival(11), ""]
    assert totals_after(tied) == [5, 5, 0]
    assert totals_after(tied, ["", "", rival(11)]) == [5, 5, 5]
    assert totals_after(tied, ["", "", rival(12)]) == [5, 5, 9]


@pytest.mark.rule("T20")
def test_a_tie_takes_the_legend_from_its_holder() -> None:
    """T20: nobody keeps it either, not even one of those who tie."""
    held = [rival(10), "", ""]
    assert totals_after(held, ["", rival(11), rival(11)]) == [5, 5, 5]
    assert totals_after(held, [rival(11), rival(11), ""]) == [10, 5, 0]
    assert totals_after(held, [rival(11), rival(11), ""], [rival(12), "", ""]) == [19, 5, 0]


@pytest.mark.rule("T20")
def test_a_tie_with_the_mark_changes_nothing() -> None:
    """T20: two of the length of the mark do not beat it."""
    assert totals_after([rival(11), "", ""], ["", rival(11), rival(11)]) == [9, 5, 5]


# ==================================================================== end of the game


@pytest.mark.rule("T21")
def test_a_sole_leader_with_twenty_points_wins() -> None:
    """T21: not with 19 or less."""
    rounds = [[ONE, "", ""]] * 3
    game = played([*rounds, ["Y Y H> F", "", ""]])
    assert (game.totals, game.node) == ([17, 0, 0], "chance")
    game = played([*rounds, [ONE, TWO, ""]])
    assert (game.totals, game.node) == ([18, 5, 0], "chance")
    game = played([*rounds, [ONE, "", ""]])
    assert (game.totals, game.node, game.winners) == ([20, 0, 0], "over", [0])
    assert (game.truncated, game.legal_actions()) == (False, [])


@pytest.mark.rule("T21")
def test_twenty_points_shared_by_two_go_on() -> None:
    """T21: until one seat alone has the highest total."""
    both = [ONE, ONE, ""]
    game = played([both] * 4)
    assert (game.totals, game.node, game.winners) == ([20, 20, 0], "chance", None)
    deal_round(game, both)
    keep_hands(game)
    assert (game.totals, game.node) == ([25, 25, 0], "chance")
    deal_round(game, [TWO, ONE, ""])
    keep_hands(game)
    assert (game.totals, game.node, game.winners) == ([30, 28, 0], "over", [0])


@pytest.mark.rule("T21")
def test_a_target_of_twenty_one() -> None:
    """T21: the other reading, more than 20."""
    rounds = [[ONE, "", ""]] * 4
    game = played(rounds, target=21)
    assert (game.totals, game.node) == ([20, 0, 0], "chance")
    deal_round(game, ["Y", "", ""])
    keep_hands(game)
    assert (game.totals, game.winners) == ([21, 0, 0], [0])


@pytest.mark.rule("T21", "T20")
def test_the_legend_counts_for_the_target() -> None:
    """T21, T20: 5 + 4 reach 8; and who loses it may fall below."""
    assert played([[rival(10), "", ""]], target=9).winners == [0]
    game = played([[rival(10), "", ""]], target=10)
    assert game.node == "chance"
    deal_round(game, [ONE, rival(11), ""])
    keep_hands(game)
    assert (game.totals, game.node) == ([8, 9, 0], "chance")


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    ("hands", "winners"),
    [([ONE, "", "", ""], [0]), ([ONE, "", ONE, ""], [0, 2]), (["", "", "", ""], [0, 1, 2, 3])],
)
def test_the_limit_of_rounds_truncates(hands: list[str], winners: list[int]) -> None:
    """T21: the highest total wins, equal totals share."""
    game = played([hands], max_rounds=1)
    assert (game.node, game.truncated, game.winners) == ("over", True, winners)
    share = (1 / len(winners) - 1 / 4) * 4 / 3
    paid = [share if seat in winners else -1 / 3 for seat in range(4)]
    assert game.returns() == pytest.approx(paid)


@pytest.mark.rule("T21")
def test_a_win_in_the_last_round_is_no_truncation() -> None:
    """T21: only without a winner is a game truncated."""
    game = played([[ONE, "", ""]], max_rounds=1, target=5)
    assert (game.node, game.truncated, game.winners) == ("over", False, [0])


@pytest.mark.rule("T21")
def test_the_limit_counts_rounds() -> None:
    """T21: the second round is the last of two."""
    game = played([[ONE, "", ""]], max_rounds=2)
    assert game.node == "chance"
    deal_round(game, ["", ONE, ""])
    keep_hands(game)
    assert (game.node, game.truncated, game.winners) == ("over", True, [0, 1])


@pytest.mark.rule("T22")
def test_reward_score_pays_after_each_round() -> None:
    """T22: the change of the total less the mean of the others'."""
    game = played([[rival(10), ONE, "", ""]], reward="score")
    assert game.returns() == pytest.approx([9 - 1, 3 - 3, -4, -4])
    deal_round(game, ["", "", rival(11), ""])
    keep_hands(game)
    assert last_points(game) == [-4, 0, 9, 0]
    second = [-4 - 3, 0 - 5 / 3, 9 + 4 / 3, 0 - 5 / 3]
    total = [a + b for a, b in zip([8, 0, -4, -4], second, strict=True)]
    assert game.returns() == pytest.approx(total)
    assert sum(game.returns()) == pytest.approx(0)


@pytest.mark.rule("T22", "T21")
def test_reward_win_pays_at_the_end_alone() -> None:
    """Payoffs: a sole winner gets 1, the others share the loss."""
    game = played([[ONE, "", ""]], target=10)
    assert game.returns() == [0, 0, 0]
    deal_round(game, [ONE, "", ""])
    keep_hands(game)
    assert game.returns() == pytest.approx([1, -1 / 2, -1 / 2])
    assert game.returns("score") == pytest.approx([10, -5, -5])
