"""Positions of torutorento, dealt and played by hand: hands, chance and decisions are all given.

A card of a hand is written as it lies. Where it has a head or a tail, an arrow shows to which side
the body goes on: `H>` is a head on the right edge, `<T` a tail on the left edge, `HT` a head on the
left and a tail on the right edge. `1 2 3` are bodies, `F` a flower, `B` a bird, `Y` a butterfly,
`M` a mimic. So the hand `H> 1 2 <T F` holds a caterpillar. A card that lies in a field, in the
market or in the deck has no way up; there any of its words will do.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tefuda.envs import Game
from tefuda.envs.core.parts import ComponentFile, parse_components

Card = tuple[int, int]  # face and way up
Counts = Sequence[int]

#: The faces and how many cards of each there are, by the rules page (T1).
FACES: Final = (
    "head", "head-head", "head-tail", "tail", "tail-tail", "body-1", "body-2", "body-3",
    "flower", "bird", "butterfly", "mimic",
)  # fmt: skip
COUNTS: Final[tuple[int, ...]] = (5, 5, 5, 5, 5, 10, 10, 10, 7, 5, 2, 2)

#: Each card as it may lie: its face and way up (T2).
LYING: Final[Mapping[str, Card]] = {
    "H>": (0, 0), "<H": (0, 1),
    "HH": (1, 0),
    "HT": (2, 0), "TH": (2, 1),
    "<T": (3, 0), "T>": (3, 1),
    "TT": (4, 0),
    "1": (5, 0), "2": (6, 0), "3": (7, 0),
    "F": (8, 0), "B": (9, 0), "Y": (10, 0), "M": (11, 0),
}  # fmt: skip
WORDS: Final[Mapping[Card, str]] = {card: word for word, card in LYING.items()}
#: The faces whose two ways up differ.
TWO_WAYS: Final[set[int]] = {face for face, way in LYING.values() if way == 1}
FLOWER, BIRD, BUTTERFLY, MIMIC = 8, 9, 10, 11

# Action ids, as the rules page lists them.
DONE: Final = 8  # also: the bird moves nothing
TAKE, TAKE_DECK, PUT, PICK, PICK_DECK, INSERT, LIFT = 9, 41, 42, 47, 59, 60, 76
#: What a mimic is declared to be. "M>T" reads: a tail whose body goes right.
ROLES: Final = {"M>H": 84, "<HM": 85, "M>T": 86, "<TM": 87, "body": 88}

HAND_SIZE = 8
# Cards that make no caterpillar at the right end of a hand, whatever lies to their left.
_FILLERS = ("1", "2", "3", "H>", "T>")
_MARKET_FILLERS = ("HH", "TT", "HT", *_FILLERS, "Y", "F", "B", "M")
# What is drawn from the deck where it does not matter.
_HARMLESS = ("1", "2", "3", "H>", "HH", "HT", "<T", "TT", "Y", "F")


# ==================================================================== cards and components


def cards(text: str) -> list[Card]:
    """The cards of a text such as "H> 1 <T"."""
    return [LYING[word] for word in text.split()]


def face(word: str) -> int:
    """The face of a word."""
    return LYING[word][0]


def components(counts: Counts, variant: str = "") -> ComponentFile:
    """A component file with these counts; `variant` adds lines of a research variant's facts."""
    return parse_components(component_text(counts, variant), "counts of a test")


def component_text(counts: Counts, variant: str = "") -> str:
    """The text of such a file."""
    rows = [f"{name} = {count}" for name, count in zip(FACES, counts, strict=True)]
    head = ['name = "of a test"', *(['variant = "of a test"'] if variant else [])]
    facts = ["[facts]", *variant.split("; ")] if variant else []
    return "\n".join([*head, "[counts]", *rows, *facts]) + "\n"


def changed(**changes: int) -> list[int]:
    """The published counts with some changed; `head_tail` is the face "head-tail"."""
    counts: list[int] = list(COUNTS)
    for name, count in changes.items():
        counts[FACES.index(name.replace("_", "-"))] = count
    return counts


# ==================================================================== dealing


def deal(
    hands: Sequence[str],
    *,
    market: str = "",
    parent: int = 0,
    flowers: Mapping[int, int] | None = None,
    counts: Counts = COUNTS,
    **options: Any,
) -> Game:
    """A game at its first decision, in which the seats hold these hands.

    Hands with less than eight cards, and the market, are filled up: a flower where there is none,
    then cards at the right end that make no caterpillar.

    Args:
        hands: Each seat's cards from left to right.
        market: Its cards.
        parent: The first parent.
        flowers: For some seats the slot of the dealt flower; otherwise that of their first one.
        counts: The cards that there are.
        **options: The options of the game.
    """
    game = begun(len(hands), parent, counts, **options)
    deal_round(game, hands, market=market, flowers=flowers, counts=counts)
    return game


def deal_round(
    game: Game,
    hands: Sequence[str],
    *,
    market: str = "",
    flowers: Mapping[int, int] | None = None,
    counts: Counts = COUNTS,
) -> None:
    """Deals the present round, as `deal` does."""
    full, turned_up = filled(hands, market, counts)
    for seat, hand_of_seat in enumerate(full):
        slot = (flowers or {}).get(seat, hand_of_seat.index(LYING["F"]))
        assert hand_of_seat[slot] == LYING["F"]
        chance(game, "flower_slot", seat, slot)
        for card in [*hand_of_seat[:slot], *hand_of_seat[slot + 1 :]]:
            deal_card(game, seat, card)
    for card in turned_up:
        chance(game, "market", None, card[0])
    assert asked(game) == "leaf"


def deal_card(game: Game, seat: int, card: Card) -> None:
    """Deals one card, its way up too where it matters."""
    chance(game, "deal", seat, card[0])
    if card[0] in TWO_WAYS:
        chance(game, "way_up", seat, card[1])


def filled(
    hands: Sequence[str], market: str, counts: Counts
) -> tuple[list[list[Card]], list[Card]]:
    """The hands and the market with what is missing put to their right ends.

    Of the cards that can fill, the most frequent ones are taken, so that the deck keeps some.
    """
    full = [cards(text) for text in hands]
    for hand_of_seat in full:
        if LYING["F"] not in hand_of_seat:
            hand_of_seat.append(LYING["F"])
    turned_up = cards(market)
    left = Counter(dict(enumerate(counts)))
    left.subtract(card[0] for pile in [*full, turned_up] for card in pile)
    assert min(left.values()) >= 0, "more cards of a face than there are"
    for pile in full:
        _fill(pile, HAND_SIZE, _FILLERS, left)
    _fill(turned_up, len(hands), _MARKET_FILLERS, left)
    return full, turned_up


def _fill(pile: list[Card], size: int, words: Sequence[str], left: Counter[int]) -> None:
    assert len(pile) <= size
    while len(pile) < size:
        pile.append(LYING[max(words, key=lambda word: left[face(word)])])
        left[pile[-1][0]] -= 1
        assert left[pile[-1][0]] >= 0


def chance(game: Game, name: str, seat: int | None, outcome: int) -> None:
    """Plays a chance node that must be this one."""
    assert (game.chance_name, game.seat) == (name, seat)
    game.apply_chance(outcome)


# ==================================================================== playing


def fall(game: Game, leaves: Mapping[int, Iterable[int]] | None = None) -> None:
    """Falling leaves of all seats; those that are not named let nothing fall."""
    for _ in range(game.players):
        assert asked(game) == "leaf" and game.seat is not None
        for slot in (leaves or {}).get(game.seat, ()):
            game.apply(slot)
        game.apply(DONE)


def take(game: Game, word: str = "", *, to: int | None = None) -> None:
    """The acting seat draws a card from the deck and puts it into the field of `to` (own).

    Without a word it is a card that has no effect.
    """
    seat = game.seat
    assert seat is not None
    game.apply(TAKE_DECK)
    chance(game, "deck", seat, face(word or harmless(game)))
    put(game, seat if to is None else to)


def harmless(game: Game) -> str:
    """A card that may come from the deck and is neither bird nor mimic."""
    return next(word for word in _HARMLESS if face(word) in outcomes(game))


def take_from(game: Game, seat: int, slot: int, *, to: int | None = None) -> None:
    """The acting seat takes a card of `seat`, and puts it into the field of `to` (own)."""
    own = game.seat
    assert own is not None
    game.apply(take_action(game, seat, slot))
    put(game, own if to is None else to)


def take_action(game: Game, seat: int, slot: int) -> int:
    """The action by which the acting seat takes a card of `seat`."""
    assert game.seat is not None
    return TAKE + ((seat - game.seat) % game.players - 1) * HAND_SIZE + slot


def put(game: Game, seat: int) -> None:
    """Puts the taken card into the field of a seat."""
    assert game.seat is not None
    game.apply(PUT + (seat - game.seat) % game.players)


def pass_takes(game: Game) -> None:
    """All takes that are open go to the deck, for cards that change nothing."""
    while asked(game) == "take":
        take(game)


def grow(game: Game, word: str, gap: int, *, deck: bool = False) -> None:
    """The acting seat picks this card, from the deck if so told, and inserts it as it lies."""
    number, way = LYING[word]
    seat = game.seat
    game.apply(PICK_DECK if deck else PICK + number)
    if deck:
        chance(game, "deck", seat, number)
    game.apply(insertion(gap, way))


def insertion(gap: int, way: int = 0) -> int:
    """The action that inserts a card at a gap."""
    return INSERT + 2 * gap + way


def move(game: Game, slot: int, gap: int, way: int = 0) -> None:
    """A bird moves a card."""
    game.apply(LIFT + slot)
    game.apply(insertion(gap, way))


def keep_hands(game: Game, roles: Sequence[str] = (), birds: Sequence[Sequence[int]] = ()) -> None:
    """Plays the present round on so that every seat scores the hand it was dealt.

    Args:
        game: A game at the first decision of a round.
        roles: What the mimics are declared to be, in their order.
        birds: The moves of birds (slot, gap, way up) in their order; an empty one declines.
    """
    fall(game)
    pass_takes(game)
    change(game, roles, birds)


def change(game: Game, roles: Sequence[str] = (), birds: Sequence[Sequence[int]] = ()) -> None:
    """Plays the change phase, see `keep_hands`; birds that are not named decline."""
    moves, declared = list(birds), list(roles)
    while asked(game) == "bird":
        if moves and moves[0]:
            move(game, *moves[0])
        else:
            game.apply(DONE)
        moves = moves[1:]
    while asked(game) == "mimic":
        game.apply(ROLES[declared.pop(0)])
    assert not declared
    assert not moves


def played(
    rounds: Iterable[Sequence[str]], *, parent: int = 0, counts: Counts = COUNTS, **options: Any
) -> Game:
    """A game after rounds in which every seat scored the hand it was dealt."""
    rows = [list(hands) for hands in rounds]
    game = begun(len(rows[0]), parent, counts, **options)
    for hands in rows:
        deal_round(game, hands, counts=counts)
        keep_hands(game)
    return game


def begun(players: int, parent: int, counts: Counts, **options: Any) -> Game:
    """A game with its first parent."""
    if tuple(counts) != COUNTS:
        options["components"] = components(counts)
    game = Game("torutorento_v0", players=players, **options)
    chance(game, "first_parent", None, parent)
    return game


def random_event(game: Game, rng: random.Random) -> int:
    """A random action, or a random outcome by its probability."""
    if game.node == "chance":
        values, weights = zip(*game.chance_outcomes(), strict=True)
        return int(rng.choices(values, weights)[0])
    return rng.choice(game.legal_actions())


def play_event(game: Game, value: int) -> None:
    """Plays an action or an outcome."""
    if game.node == "chance":
        game.apply_chance(value)
    else:
        game.apply(value)


# ==================================================================== reading a position


def asked(game: Game) -> str:
    """What is asked, told by the legal actions; at a chance node its name, "over" at the end."""
    if game.node == "chance":
        return game.chance_name
    if game.node == "over":
        return "over"
    highest = game.legal_actions()[-1]
    ends = {
        "leaf": DONE, "take": TAKE_DECK, "put": PICK - 1, "pick": PICK_DECK, "insert": LIFT - 1,
        "bird": 83, "mimic": 88,
    }  # fmt: skip
    return next(name for name, end in ends.items() if highest <= end)


def outcomes(game: Game) -> list[int]:
    """The outcomes of a chance node."""
    return [outcome for outcome, _ in game.chance_outcomes()]


def pickable(game: Game) -> str:
    """The faces that may be picked, "deck" for the deck."""
    assert asked(game) == "pick"
    words = [WORDS[action - PICK, 0] for action in game.legal_actions() if action < PICK_DECK]
    return " ".join([*words, *(["deck"] if PICK_DECK in game.legal_actions() else [])])


def open_hands(game: Game) -> dict[int, int]:
    """The seats from whose hands may be drawn, with the number of their slots."""
    assert asked(game) == "take" and game.seat is not None
    found: Counter[int] = Counter()
    for action in game.legal_actions():
        if action < TAKE_DECK:
            found[(game.seat + (action - TAKE) // HAND_SIZE + 1) % game.players] += 1
    return dict(found)


def hand(game: Game, seat: int) -> str:
    """The cards of a seat as they lie; a declared mimic is an `M`."""
    word = int(game.state["hand"][seat])
    held = [word >> 8 * slot & 255 for slot in range(HAND_SIZE)]
    return " ".join(WORDS[divmod(card - 1, 2)] if card <= 24 else "M" for card in held if card)


def pile(game: Game, index: int) -> str:
    """The cards of a pile of the state, by face."""
    low, high = (int(word) for word in game.state["piles"][index])
    counts = [(low if k < 8 else high) >> 8 * (k % 8) & 255 for k in range(len(FACES))]
    return " ".join(WORDS[k, 0] for k, count in enumerate(counts) for _ in range(count))


def field(game: Game, seat: int) -> str:
    """The cards in the field of a seat, by face."""
    return pile(game, seat)


def market(game: Game) -> str:
    """The cards of the market, by face."""
    return pile(game, 5)


def deck(game: Game) -> list[int]:
    """How many cards of each face the deck has."""
    found = Counter(pile(game, 6).split())
    return [found[WORDS[number, 0]] for number in range(len(FACES))]


def parent_of(game: Game) -> int:
    """The parent of the present round: who is asked first for falling leaves."""
    assert asked(game) == "leaf" and game.seat is not None
    return game.seat


def scored(game: Game) -> int:
    """How many rounds have been scored."""
    return int(game.state["scorings"])


def last_points(game: Game) -> list[int]:
    """The points of every seat in the round that was scored last, the legend's change included."""
    assert scored(game)
    return [int(points) for points in game.state["points"][: game.players]]
