"""Second opinion on the game torutorento: slow, plain Python, written from its rules page alone.

`Torutorento` plays the game one node at a time, `judge` replays a written record and refuses any
difference. Nothing here is shared with the fast engine. The ids T1 .. T22 are those of the rules
page; "records" means the section Records of the page that all games share. Where the page leaves a
reading open, a comment `# decision:` says which one is played here.

A card in a hand is a pair (face, way up); in a field, in the market or in the deck it is its face
alone.

Not covered: components that declare a research variant (second half of T1a).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from oracles.judging import (
    REWARDS,
    Event,
    judge_components,
    judge_options,
    judge_record,
    score_payoffs,
    win_payoffs,
)
from oracles.judging import (
    JudgeError as JudgeError,
)

# ---------------------------------------------------------------------------------------------
# The page in constants
# ---------------------------------------------------------------------------------------------

# T1: the faces in their order
HEAD, HEAD_HEAD, HEAD_TAIL, TAIL, TAIL_TAIL, BODY_1, BODY_2, BODY_3 = range(8)
FLOWER, BIRD, BUTTERFLY, MIMIC = range(8, 12)
FACES: Final = range(12)
COUNTS: Final = (5, 5, 5, 5, 5, 10, 10, 10, 7, 5, 2, 2)  # T1: cards of each face, 71 in all

Edge = Literal["nothing", "head", "tail", "open"]

EDGES: Final[dict[int, tuple[Edge, Edge]]] = {  # T2: face -> left and right edge, way up 0
    HEAD: ("nothing", "head"),
    HEAD_HEAD: ("head", "head"),
    HEAD_TAIL: ("head", "tail"),
    TAIL: ("tail", "nothing"),
    TAIL_TAIL: ("tail", "tail"),
    BODY_1: ("open", "open"),
    BODY_2: ("open", "open"),
    BODY_3: ("open", "open"),
    FLOWER: ("nothing", "nothing"),
    BIRD: ("nothing", "nothing"),
    BUTTERFLY: ("nothing", "nothing"),
    MIMIC: ("nothing", "nothing"),  # until it is declared to be something (T16)
}
BODY_LENGTH: Final = {BODY_1: 1, BODY_2: 2, BODY_3: 3}

PLAYERS: Final = (3, 4, 5)
HAND_SIZE: Final = 8  # T6, T12
LEAST_CARDS_A_SEAT: Final = 9  # T1a
TAKES_WITHOUT_BIRDS: Final = 1  # T9
FLOWERS_WITHOUT_CHANGE: Final = 1  # T17: one flower 0, each more +1, none -1
POINTS_OF_RANK: Final = {1: 5, 2: 3}  # T18
POINTS_OF_OTHERS: Final = 2  # T18
BUTTERFLY_POINTS: Final = 1  # T19
LEGEND_POINTS: Final = 4  # T20
LEGEND_LENGTH: Final = 10  # T20
MIMIC_BODIES: Final = (1, 2, 3)

DEFAULT_TARGET: Final = 20  # T21
DEFAULT_MAX_ROUNDS: Final = 30  # T21

# Action ids
FIRST_LEAF: Final = 0  # 0-7: discard the card in slot k
DONE: Final = 8  # done (falling leaves), decline (birds)
FIRST_TAKE: Final = 9  # 9-40: take slot s of the seat at offset d: 9 + (d - 1) * 8 + s
TAKE_DECK: Final = 41
FIRST_PUT: Final = 42  # 42-46: into the field of the seat at offset d
FIRST_PICK: Final = 47  # 47-58: pick a face-up card of face id - 47
PICK_DECK: Final = 59
FIRST_INSERT: Final = 60  # 60-75: at gap g way up o: 60 + 2 * g + o
FIRST_LIFT: Final = 76  # 76-83: lift the card in slot k
HEAD_RIGHT, HEAD_LEFT, TAIL_RIGHT, TAIL_LEFT, A_BODY = range(84, 89)

ROLE_EDGES: Final[dict[int, tuple[Edge, Edge]]] = {  # T16: what a mimic is -> its edges (T2)
    HEAD_RIGHT: ("nothing", "head"),
    HEAD_LEFT: ("head", "nothing"),
    TAIL_RIGHT: ("nothing", "tail"),
    TAIL_LEFT: ("tail", "nothing"),
    A_BODY: ("open", "open"),
}

TIE_RANKINGS: Final = ("dense", "competition")

CHANCES: Final = ("first_parent", "flower_slot", "deal", "way_up", "market", "deck")
DECISIONS: Final = ("leaf", "take", "put", "pick", "insert", "bird", "reinsert", "mimic")
OVER: Final = "over"

Kind = Literal["chance", "decision", "over"]
Phase = Literal["setup", "leaves", "taking", "growth", "change"]
Card = tuple[int, int]  # face and way up


# ---------------------------------------------------------------------------------------------
# Caterpillars
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Piece:
    """What a card of a hand is in a caterpillar.

    Attributes:
        left: Its left edge as it lies (T2).
        right: Its right edge as it lies (T2).
        body: What it adds as a body, flowers counted (T17); None: it is no body.
    """

    left: Edge
    right: Edge
    body: int | None


def edges(face: int, way_up: int) -> tuple[Edge, Edge]:
    """The left and right edge of a card as it lies (T2)."""
    left, right = EDGES[face]
    return (right, left) if way_up == 1 else (left, right)


def ways_up(face: int) -> list[int]:
    """The ways up in which a card of this face may lie (T2)."""
    left, right = EDGES[face]
    return [0] if left == right else [0, 1]


def count_face(hand: Sequence[Card], face: int) -> int:
    """How many cards of a face are in a hand."""
    return len([card for card in hand if card[0] == face])


def caterpillars(
    hand: Sequence[Card],
    roles: Sequence[int] = (),
    flowers: int | None = None,
    mimic_body: int = 1,
) -> list[int]:
    """The lengths of the caterpillars of a hand, from left to right (T2, T3, T16, T17, T18).

    Args:
        hand: The cards from left to right, each (face, way up).
        roles: What each mimic is, from left to right: action ids 84 .. 88.
        flowers: How many flowers count; None: those of the hand.
        mimic_body: Length of a mimic that is a body.

    Returns:
        One length for each caterpillar.

    Raises:
        ValueError: There is not one role for each mimic.
    """
    if flowers is None:
        flowers = count_face(hand, FLOWER)
    change = flowers - FLOWERS_WITHOUT_CHANGE
    pieces = _pieces(hand, roles, change, mimic_body)
    # T17: a body that comes to 0 is as if it were not there.
    present = [piece for piece in pieces if piece.body is None or piece.body > 0]
    found = [_walk_from(present, start) for start in range(len(present))]
    return [length for length in found if length is not None]


def _pieces(
    hand: Sequence[Card], roles: Sequence[int], change: int, mimic_body: int
) -> list[Piece]:
    """What each card of the hand is, bodies changed by the flowers (T16, T17)."""
    _require(len(roles) == count_face(hand, MIMIC), f"{len(roles)} roles do not fit the mimics")
    roles_left = list(roles)
    pieces = []
    for face, way_up in hand:
        left, right = edges(face, way_up)
        length = BODY_LENGTH.get(face)
        if face == MIMIC:
            role = roles_left.pop(0)
            left, right = ROLE_EDGES[role]
            length = mimic_body if role == A_BODY else None
        pieces.append(Piece(left, right, None if length is None else length + change))
    return pieces


def _walk_from(pieces: list[Piece], start: int) -> int | None:
    """The length of the caterpillar whose left end is the card at `start`, if there is one (T3).

    It begins at the right edge of that card and goes on to the right, card by card. An edge
    serves one caterpillar only: a right edge is where one walk begins, and the left edge that
    ends a walk is reached from no other card, since all between are bodies.
    """
    begin = pieces[start].right
    if begin not in ("head", "tail"):
        return None
    length = 0  # above 0 as soon as there is a body
    for piece in pieces[start + 1 :]:
        if piece.body is not None:
            length += piece.body
        elif length > 0 and {begin, piece.left} == {"head", "tail"}:
            return length
        else:
            return None
    return None


# ---------------------------------------------------------------------------------------------
# Rules that need no game: points, legend, payoffs
# ---------------------------------------------------------------------------------------------


def rank_points(lengths: list[list[int]], tie_ranking: str) -> list[int]:
    """T18: the points of each seat for its caterpillars.

    Args:
        lengths: The lengths of each seat's caterpillars.
        tie_ranking: "dense" or "competition".

    Returns:
        One number a seat.
    """
    everybodys = [length for row in lengths for length in row]
    return [
        sum(_caterpillar_points(length, everybodys, tie_ranking) for length in row)
        for row in lengths
    ]


def _caterpillar_points(length: int, everybodys: list[int], tie_ranking: str) -> int:
    """T18: the points of one caterpillar among all of all seats."""
    longer = [other for other in everybodys if other > length]
    above = len(set(longer)) if tie_ranking == "dense" else len(longer)
    return POINTS_OF_RANK.get(above + 1, POINTS_OF_OTHERS)


def legend_after(
    holder: int | None, mark: int | None, lengths: list[list[int]]
) -> tuple[int | None, int | None]:
    """T20: who holds the legend after a round, and the length that it takes to beat.

    Args:
        holder: Who holds it before the round, if anybody.
        mark: The longest caterpillar that has earned it or tied for it so far, if any.
        lengths: The lengths of each seat's caterpillars in this round.

    Returns:
        Holder and mark after the round.
    """
    longest = max((length for row in lengths for length in row), default=0)
    beaten = longest >= LEGEND_LENGTH if mark is None else longest > mark
    if not beaten:
        return holder, mark
    seats = [seat for seat, row in enumerate(lengths) if longest in row]
    return (seats[0] if len(seats) == 1 else None), longest


def _require(condition: bool, complaint: str) -> None:
    """Raises ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


# ---------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sight:
    """One event together with what is seen of it ("Who sees what").

    Attributes:
        kind: "chance", "decision", "reveal" (cards are shown, no chance) or "score".
        name: Name of the chance, of the decision, or of what is revealed.
        seat: The seat of the event, or None.
        value: Outcome, action, cards or scores, as `seat` sees it.
        others: The same as the other seats see it; None: they do not see the value.
        noticed: Whether the other seats notice the event at all.
    """

    kind: str
    name: str
    seat: int | None
    value: object
    others: object
    noticed: bool


class Torutorento:
    """One game of torutorento, walked node by node.

    Attributes:
        name: What the node is: a name of CHANCES, of DECISIONS, or "over".
        seat: Who acts or receives; None for first_parent, market and when the game is over.
        phase: "setup", "leaves", "taking", "growth" or "change".
        parent: The parent of the round (T5).
        hands: Each seat's cards from left to right, each (face, way up).
        fields: The faces in each seat's field, in the order in which they came.
        market: The faces in the market.
        deck: How many cards of each face the deck still has; their order is unknown to all.
        flower_slots: The slot of each seat's dealt flower, for the seats dealt to so far.
        leaves: The slots that each seat has chosen to discard this round.
        takes_made: How many takes each seat has made this round.
        lap_position: Whose turn it is in the lap of takes, counted from the parent.
        misses_turn: Whether each seat still has to miss a turn of growth (T13).
        held: The face of the card taken or lifted and not yet put anywhere.
        from_deck: Whether the held card of growth came from the deck.
        birds_due: The seats that still use a bird, once for each bird, in their order.
        mimics_due: The seats that still declare a mimic, once for each mimic, in their order.
        roles: What each seat has declared its mimics to be, from left to right.
        lengths: The caterpillars of each seat in the last scored round.
        round_number: Rounds begun, from 1.
        scored: Each seat's points so far without the legend.
        legend_holder: Who holds the legend, if anybody.
        legend_mark: The length that must be beaten for the legend, None before the first.
        point_rounds: Change of each seat's total in each scored round, a list of seats each.
        winners: The winning seats in rising order, None before the end.
        truncated: Whether `max_rounds` ended the game (T21).
    """

    def __init__(
        self,
        players: int = 4,
        *,
        target: int = DEFAULT_TARGET,
        tie_ranking: str = "dense",
        mimic_body: int = 1,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        counts: tuple[int, ...] | None = None,
    ) -> None:
        """Starts a game at its first chance node, first_parent.

        Args:
            players: 3, 4 or 5.
            target: Total that it takes to win.
            tie_ranking: "dense" or "competition".
            mimic_body: Length of a mimic used as a body, 1 .. 3.
            max_rounds: Longest game.
            counts: How many cards of each face there are; None: those of the page.

        Raises:
            ValueError: An option has no such value.
        """
        self.players = players
        self.target = target
        self.tie_ranking = tie_ranking
        self.mimic_body = mimic_body
        self.max_rounds = max_rounds
        self.counts = COUNTS if counts is None else tuple(counts)
        self._check_options()
        self._check_counts()
        self._begin_game()

    def _check_options(self) -> None:
        """Refuses an option without such a value."""
        _require(self.players in PLAYERS, f"players {self.players!r} is not one of {PLAYERS}")
        # decision: the page gives no bounds for target and max_rounds; both are at least 1.
        _require(self.target >= 1, f"target {self.target!r} is less than 1")
        _require(self.max_rounds >= 1, f"max_rounds {self.max_rounds!r} is less than 1")
        for name, value, known in (
            ("tie_ranking", self.tie_ranking, TIE_RANKINGS),
            ("mimic_body", self.mimic_body, MIMIC_BODIES),
        ):
            _require(value in known, f"{name} {value!r} is not one of {known}")

    def _check_counts(self) -> None:
        """T1a: what a component file must fulfil."""
        _require(len(self.counts) == len(FACES), f"{len(self.counts)} counts, expected 12")
        _require(min(self.counts) >= 0, f"a count of {self.counts} is negative")
        _require(self.counts[FLOWER] >= self.players, "fewer flowers than seats")
        least = LEAST_CARDS_A_SEAT * self.players
        _require(sum(self.counts) >= least, f"fewer than {LEAST_CARDS_A_SEAT} cards a seat")

    # --- what the outside asks -----------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Whether chance or a seat moves next, or nobody."""
        if self.name in CHANCES:
            return "chance"
        if self.name in DECISIONS:
            return "decision"
        return "over"

    @property
    def totals(self) -> list[int]:
        """Each seat's points, the legend included (T20)."""
        return [
            points + (LEGEND_POINTS if seat == self.legend_holder else 0)
            for seat, points in enumerate(self.scored)
        ]

    def legal(self) -> list[int]:
        """The acting seat's action ids in rising order; empty when it is not a decision."""
        ids: dict[str, Callable[[], list[int]]] = {
            "leaf": self._legal_leaf,
            "take": self._legal_take,
            "put": self._legal_put,
            "pick": self._legal_pick,
            "insert": self._legal_insert,
            "bird": self._legal_bird,
            "reinsert": self._legal_insert,
            "mimic": lambda: list(ROLE_EDGES),
        }
        return sorted(ids[self.name]()) if self.kind == "decision" else []

    def outcomes(self) -> dict[int, Fraction]:
        """The outcomes of a chance node with their probabilities; empty elsewhere."""
        weights: dict[str, dict[int, int]] = {
            "first_parent": dict.fromkeys(range(self.players), 1),
            "flower_slot": dict.fromkeys(range(HAND_SIZE), 1),
            "way_up": {0: 1, 1: 1},
            "deal": self._faces_in_deck(),
            "market": self._faces_in_deck(),
            "deck": self._faces_in_deck(),
        }
        if self.kind != "chance":
            return {}
        whole = sum(weights[self.name].values())
        return {value: Fraction(n, whole) for value, n in weights[self.name].items()}

    def apply(self, value: int) -> list[Event]:
        """Makes one move: an action id at a decision, an outcome at a chance node.

        Args:
            value: One of `legal()` or of `outcomes()`.

        Returns:
            The score events that it caused, as in the record format: none or one.

        Raises:
            ValueError: The value is impossible here; the game is unchanged.
        """
        if value not in self.legal() and value not in self.outcomes():
            raise ValueError(f"{value!r} is impossible at {self.kind} {self.name}")
        step = {
            "first_parent": self._apply_first_parent,
            "flower_slot": self._apply_flower_slot,
            "deal": self._apply_deal,
            "way_up": self._apply_way_up,
            "market": self._apply_market,
            "deck": self._apply_deck,
            "leaf": self._apply_leaf,
            "take": self._apply_take,
            "put": self._apply_put,
            "pick": self._apply_pick,
            "insert": self._apply_insert,
            "bird": self._apply_bird,
            "reinsert": self._apply_reinsert,
            "mimic": self._apply_mimic,
        }[self.name]
        self._remember(value)
        self._score_events: list[Event] = []
        step(value)
        return self._score_events

    def payoffs(self, reward: str) -> list[float]:
        """The rewards paid to each seat so far (payoffs, common page; T22).

        Args:
            reward: "win" or "score".

        Returns:
            One number a seat, their sum is 0.
        """
        _require(reward in REWARDS, f"reward {reward!r} is not one of {REWARDS}")
        if reward == "win":
            paid = [] if self.winners is None else [win_payoffs(self.winners, self.players)]
        else:
            paid = [score_payoffs(points) for points in self.point_rounds]
        return [float(sum(row[seat] for row in paid)) for seat in range(self.players)]

    def seen(self, seat: int) -> tuple[tuple[str, str, int | None, object], ...]:
        """Everything that a seat has seen, in order ("Who sees what").

        Args:
            seat: Whose view.

        Returns:
            One (kind, name, seat, value) an event; a value hidden from the seat is None.
            Events that the seat does not even notice are not there.
        """
        return tuple(
            (s.kind, s.name, s.seat, s.value if s.seat == seat else s.others)
            for s in self._sights
            if s.seat == seat or s.noticed
        )

    def _remember(self, value: int) -> None:
        """Notes an event, before it is made, with what the others may see of it."""
        others: object = value
        if self.name in ("flower_slot", "deal", "way_up", "leaf"):
            others = None
        elif self.name == "deck" and self.phase == "growth":
            others = None  # T14: only the taker sees it
        elif self.name == "insert" and self.from_deck:
            others = ("gap", _gap(value))  # T15: only the place
        # decision: the others do not notice way_up, which would tell them that the card's edges
        # differ, nor single falling leaves, whose number is hidden until all have chosen (T8).
        noticed = self.name not in ("way_up", "leaf")
        self._sights.append(Sight(self.kind, self.name, self.seat, value, others, noticed))

    def _reveal(self, name: str, value: object) -> None:
        """Notes what becomes public without being the value of an event."""
        self._sights.append(Sight("reveal", name, None, value, value, noticed=True))

    # --- game and rounds -----------------------------------------------------------------------

    def _begin_game(self) -> None:
        """T5: the first parent is drawn before the first deal."""
        self.round_number = 0
        self.scored = [0] * self.players
        self.legend_holder: int | None = None
        self.legend_mark: int | None = None
        self.lengths: list[list[int]] = [[] for _ in range(self.players)]
        self.point_rounds: list[list[int]] = []
        self.winners: list[int] | None = None
        self.truncated = False
        self._sights: list[Sight] = []
        self.parent = 0
        self._clear_table()
        self._go_to("first_parent", None)

    def _clear_table(self) -> None:
        """T7: all cards come back; T6: one flower for each seat is kept out of the deck."""
        self.phase: Phase = "setup"
        self.hands: list[list[Card]] = [[] for _ in range(self.players)]
        self.fields: list[list[int]] = [[] for _ in range(self.players)]
        self.market: list[int] = []
        self.deck = list(self.counts)
        self.deck[FLOWER] -= self.players
        self.flower_slots: list[int] = []
        self.leaves: list[list[int]] = [[] for _ in range(self.players)]
        self.takes_made = [0] * self.players
        self.lap_position = 0
        self.misses_turn = [False] * self.players
        self.held: int | None = None
        self.from_deck = False
        self.birds_due: list[int] = []
        self.mimics_due: list[int] = []
        self.roles: list[list[int]] = [[] for _ in range(self.players)]

    def _go_to(self, name: str, seat: int | None) -> None:
        """Makes this the node that comes next."""
        self.name = name
        self.seat = seat

    def _clockwise(self, seat: int, steps: int) -> int:
        """The seat that many places clockwise."""
        return (seat + steps) % self.players

    def _from_parent(self) -> list[int]:
        """All seats clockwise, the parent first."""
        return [self._clockwise(self.parent, steps) for steps in range(self.players)]

    def _most(self, values: list[int]) -> int:
        """T5, T12: who has most; among equals the nearest clockwise from the parent.

        "The parent itself left out": of equals the parent comes last. A parent that alone has
        most is chosen all the same.
        """
        # decision: "left out" is said of the search among equals, not of the whole rule.
        after_parent = [self._clockwise(self.parent, steps + 1) for steps in range(self.players)]
        return next(seat for seat in after_parent if values[seat] == max(values))

    def _apply_first_parent(self, seat: int) -> None:
        """T5: the drawn seat is the parent of the first round."""
        self.parent = seat
        self._begin_round()

    def _begin_round(self) -> None:
        """T6: the cards are dealt, seat 0 first (page, "Chance")."""
        self.round_number += 1
        self._clear_table()
        self._go_to("flower_slot", 0)

    # --- setup ---------------------------------------------------------------------------------

    def _faces_in_deck(self) -> dict[int, int]:
        """The faces that the deck still has, with their numbers of cards."""
        return {face: self.deck[face] for face in FACES if self.deck[face] > 0}

    def _apply_flower_slot(self, slot: int) -> None:
        """T6: where the seat's flower lies; its other slots are filled from left to right."""
        self.flower_slots.append(slot)
        self._deal_on()

    def _deal_on(self) -> None:
        """T6: the next slot of the seat; its flower there needs no chance event."""
        assert self.seat is not None
        hand = self.hands[self.seat]
        if len(hand) == self.flower_slots[self.seat]:
            hand.append((FLOWER, 0))
        if len(hand) < HAND_SIZE:
            self._go_to("deal", self.seat)
        elif self.seat + 1 < self.players:
            self._go_to("flower_slot", self.seat + 1)
        else:
            self._go_to("market", None)

    def _apply_deal(self, face: int) -> None:
        """T6: a card for the slot; where its edges differ its way up is drawn as well."""
        assert self.seat is not None
        self.deck[face] -= 1
        if ways_up(face) == [0, 1]:
            self.held = face
            self._go_to("way_up", self.seat)
        else:
            self.hands[self.seat].append((face, 0))
            self._deal_on()

    def _apply_way_up(self, way_up: int) -> None:
        """T6: how the card just dealt lies."""
        assert self.seat is not None
        self.hands[self.seat].append((self._let_go(), way_up))
        self._deal_on()

    def _let_go(self) -> int:
        """The face of the held card, which is held no longer."""
        assert self.held is not None
        face = self.held
        self.held = None
        return face

    def _apply_market(self, face: int) -> None:
        """T6: as many cards as players are turned up; then the falling leaves begin."""
        self.deck[face] -= 1
        self.market.append(face)
        if len(self.market) == self.players:
            self.phase = "leaves"
            self._go_to("leaf", self.parent)

    # --- phase 1: falling leaves -----------------------------------------------------------------

    def _legal_leaf(self) -> list[int]:
        """T8: the slots to the right of those chosen already, or done; after slot 7 only done."""
        assert self.seat is not None
        chosen = self.leaves[self.seat]
        later = [k for k in range(HAND_SIZE) if all(k > slot for slot in chosen)]
        return [*(FIRST_LEAF + k for k in later), DONE]

    def _apply_leaf(self, action: int) -> None:
        """T8: one more card, or the seat is done and the next clockwise chooses."""
        assert self.seat is not None
        following = self._clockwise(self.seat, 1)
        if action != DONE:
            self.leaves[self.seat].append(action - FIRST_LEAF)
        elif following != self.parent:
            self._go_to("leaf", following)
        else:
            self._drop_leaves()

    def _drop_leaves(self) -> None:
        """T8: all have chosen: the cards go into the own fields, the hands close up."""
        fallen = []
        for seat, hand in enumerate(self.hands):
            slots = self.leaves[seat]
            faces = [hand[slot][0] for slot in slots]
            fallen.append(tuple(zip(slots, faces, strict=True)))
            self.fields[seat].extend(faces)
            self.hands[seat] = [card for slot, card in enumerate(hand) if slot not in slots]
        # decision: the page makes slots and faces public, the way up of a fallen card is not told.
        self._reveal("leaves", tuple(fallen))
        self.phase = "taking"
        self._next_take()

    # --- phase 2: taking -------------------------------------------------------------------------

    def _open_takes(self, seat: int) -> int:
        """T9, T11: one take, and one for each bird in the own field, less those made."""
        birds = self.fields[seat].count(BIRD)
        return TAKES_WITHOUT_BIRDS + birds - self.takes_made[seat]

    def _sources(self, seat: int) -> list[int]:
        """T9, T10: the take actions that a seat has; an empty hand has no slots."""
        ids = [TAKE_DECK] if self._faces_in_deck() else []
        for offset in range(1, self.players):
            other = self._clockwise(seat, offset)
            if MIMIC not in self.fields[other]:
                first = FIRST_TAKE + (offset - 1) * HAND_SIZE
                ids.extend(first + slot for slot in range(len(self.hands[other])))
        return ids

    def _legal_take(self) -> list[int]:
        """T10: a take is never declined."""
        assert self.seat is not None
        return self._sources(self.seat)

    def _next_take(self) -> None:
        """T9, T10a, T11: the same seat while it can, the rest of the lap, a further lap.

        Takes for which there is neither a hand nor the deck lapse (T10). They need no note: in
        this phase hands and deck only shrink and mimics stay, so a seat that has no source now
        has none later.
        """
        # decision: "no hand can be drawn from" is asked for each seat, whose own hand is no source
        # for it: with the deck empty, one seat's takes may lapse while another still takes.
        rest_of_lap = range(self.lap_position, self.players)
        further_lap = range(self.players)
        for position in [*rest_of_lap, *further_lap]:
            seat = self._from_parent()[position]
            if self._open_takes(seat) > 0 and self._sources(seat):
                self.lap_position = position
                self._go_to("take", seat)
                return
        self._begin_growth()

    def _apply_take(self, action: int) -> None:
        """T9: the top card of the deck, or a card of another hand, which closes up."""
        assert self.seat is not None
        self.takes_made[self.seat] += 1
        if action == TAKE_DECK:
            self._go_to("deck", self.seat)
            return
        offset_less_1, slot = divmod(action - FIRST_TAKE, HAND_SIZE)
        other = self._clockwise(self.seat, offset_less_1 + 1)
        face, _way_up = self.hands[other].pop(slot)
        self._reveal("taken", face)
        self.held = face
        self._go_to("put", self.seat)

    def _apply_deck(self, face: int) -> None:
        """T9, T14: the top card of the deck is in the seat's hands."""
        assert self.seat is not None
        self.deck[face] -= 1
        self.held = face
        self._go_to("put" if self.phase == "taking" else "insert", self.seat)

    def _legal_put(self) -> list[int]:
        """T9: the field of any seat, the own one too."""
        return [FIRST_PUT + offset for offset in range(self.players)]

    def _apply_put(self, action: int) -> None:
        """T9: the card lies in that field, and counts there from now (T11)."""
        assert self.seat is not None
        receiver = self._clockwise(self.seat, action - FIRST_PUT)
        self.fields[receiver].append(self._let_go())
        self._next_take()

    # --- phase 3: growth -------------------------------------------------------------------------

    def _begin_growth(self) -> None:
        """T12: who begins; T13: who will miss the first turn."""
        self.phase = "growth"
        self.misses_turn = [MIMIC in field for field in self.fields]
        self._turn_of(self._most([len(field) for field in self.fields]))

    def _turn_of(self, seat: int) -> None:
        """T12, T13: the first seat from this one that may act, or growth is over.

        A missed turn is no event: nothing is decided or drawn.
        """
        # decision: a seat with eight cards has no turn, so it has none to miss either; that makes
        # no difference, since its hand stays complete.
        while any(len(hand) < HAND_SIZE for hand in self.hands):
            if len(self.hands[seat]) < HAND_SIZE:
                if not self.misses_turn[seat]:
                    self._go_to("pick", seat)
                    return
                self.misses_turn[seat] = False
            seat = self._clockwise(seat, 1)
        self._begin_change()

    def _piles(self) -> list[list[int]]:
        """T14: where face-up cards lie, in the order in which they leave (action ids 47-58)."""
        assert self.seat is not None
        own_first = [self._clockwise(self.seat, steps) for steps in range(self.players)]
        return [self.market, *(self.fields[seat] for seat in own_first)]

    def _legal_pick(self) -> list[int]:
        """T14: every face that lies face up, and the deck while it has cards.

        There is always something: at least nine cards a seat (T1a), eight of them in hands.
        """
        lying = {face for pile in self._piles() for face in pile}
        deck = [PICK_DECK] if self._faces_in_deck() else []
        return [*(FIRST_PICK + face for face in lying), *deck]

    def _apply_pick(self, action: int) -> None:
        """T14: the card is in the seat's hands, and must be inserted."""
        self.from_deck = action == PICK_DECK
        if self.from_deck:
            self._go_to("deck", self.seat)
            return
        face = action - FIRST_PICK
        first_pile = next(pile for pile in self._piles() if face in pile)
        first_pile.remove(face)
        self.held = face
        self._go_to("insert", self.seat)

    def _legal_insert(self) -> list[int]:
        """T14, T16: every gap of the hand, each way up that the face has."""
        assert self.seat is not None
        assert self.held is not None
        gaps = range(len(self.hands[self.seat]) + 1)
        return [FIRST_INSERT + 2 * gap + way for gap in gaps for way in ways_up(self.held)]

    def _insert(self, action: int) -> None:
        """T14, T16: the held card goes into the hand, the others stay as they are."""
        assert self.seat is not None
        way_up = (action - FIRST_INSERT) % 2
        self.hands[self.seat].insert(_gap(action), (self._let_go(), way_up))

    def _apply_insert(self, action: int) -> None:
        """T12: one card a turn."""
        assert self.seat is not None
        self._insert(action)
        self.from_deck = False
        self._turn_of(self._clockwise(self.seat, 1))

    # --- phase 4: change -------------------------------------------------------------------------

    def _begin_change(self) -> None:
        """T16: all hands are shown; birds and mimics are used from the parent clockwise.

        Moving cards changes neither their number nor that of the birds and mimics.
        """
        self.phase = "change"
        self._reveal("hands", tuple(tuple(hand) for hand in self.hands))
        for seat in self._from_parent():
            self.birds_due += [seat] * count_face(self.hands[seat], BIRD)
            self.mimics_due += [seat] * count_face(self.hands[seat], MIMIC)
        self._next_change()

    def _next_change(self) -> None:
        """T16: all birds of all seats, then all mimics of all seats, then the scores."""
        if self.birds_due:
            self._go_to("bird", self.birds_due.pop(0))
        elif self.mimics_due:
            self._go_to("mimic", self.mimics_due.pop(0))
        else:
            self._end_round()

    def _legal_bird(self) -> list[int]:
        """T16: lift any card, or decline."""
        return [DONE, *(FIRST_LIFT + slot for slot in range(HAND_SIZE))]

    def _apply_bird(self, action: int) -> None:
        """T16: a card is lifted, or this bird is done with."""
        assert self.seat is not None
        if action == DONE:
            self._next_change()
            return
        self.held, _way_up = self.hands[self.seat].pop(action - FIRST_LIFT)
        self._go_to("reinsert", self.seat)

    def _apply_reinsert(self, action: int) -> None:
        """T16: the lifted card is back in the hand."""
        self._insert(action)
        self._next_change()

    def _apply_mimic(self, action: int) -> None:
        """T16: what the next mimic of the seat is."""
        assert self.seat is not None
        self.roles[self.seat].append(action)
        self._next_change()

    # --- end of a round --------------------------------------------------------------------------

    def _end_round(self) -> None:
        """T18 .. T20: score the round, then see whether the game is over."""
        before = self.totals
        self.lengths = [
            caterpillars(self.hands[seat], self.roles[seat], mimic_body=self.mimic_body)
            for seat in range(self.players)
        ]
        for seat, points in enumerate(rank_points(self.lengths, self.tie_ranking)):
            butterflies = count_face(self.hands[seat], BUTTERFLY)
            self.scored[seat] += points + BUTTERFLY_POINTS * butterflies
        self.legend_holder, self.legend_mark = legend_after(
            self.legend_holder, self.legend_mark, self.lengths
        )
        changes = [now - then for now, then in zip(self.totals, before, strict=True)]
        self.point_rounds.append(changes)
        self._announce_score(changes)
        self._after_round()

    def _announce_score(self, points: list[int]) -> None:
        """Writes the score event (records, T22)."""
        event: Event = {
            "kind": "score",
            "name": "round",
            "points": list(points),
            "totals": self.totals,
        }
        self._score_events.append(event)
        shown = (tuple(points), tuple(self.totals), self.legend_holder, self.legend_mark)
        self._sights.append(Sight("score", "round", None, shown, shown, noticed=True))

    def _after_round(self) -> None:
        """T21: a sole leader at the target wins; `max_rounds` truncates; else the next round."""
        highest = max(self.totals)
        leaders = [seat for seat in range(self.players) if self.totals[seat] == highest]
        if len(leaders) == 1 and highest >= self.target:
            self._end_game(leaders)
        elif self.round_number == self.max_rounds:
            self.truncated = True
            self._end_game(leaders)
        else:
            self.parent = self._most(self.totals)
            self._begin_round()

    def _end_game(self, winners: list[int]) -> None:
        """Ends the game."""
        self.winners = winners
        self._go_to(OVER, None)


def _gap(action: int) -> int:
    """The gap of an insertion."""
    return (action - FIRST_INSERT) // 2


# ---------------------------------------------------------------------------------------------
# Judging a record
# ---------------------------------------------------------------------------------------------

ENV: Final = "torutorento_v0"
OPTIONS: Final = {"target", "tie_ranking", "mimic_body", "max_rounds", "reward"}
NUMBERS: Final = ("target", "mimic_body", "max_rounds")


def judge(record: Event, counts: tuple[int, ...] | None = None) -> None:
    """Replays a whole record and refuses any difference.

    Args:
        record: The JSON object, read.
        counts: The cards of the record's own components; needed exactly when it carries "text".

    Raises:
        JudgeError: The first difference, with the index of its event.
    """
    judge_record(record, ENV, lambda head: _game_of(head, counts))


def _game_of(record: Event, counts: tuple[int, ...] | None) -> Torutorento:
    """Checks options and components, and makes the game that they name."""
    differ = counts is not None and tuple(counts) != COUNTS
    judge_components(record["components"], counts is not None, differ)
    options = judge_options(record["options"], OPTIONS, NUMBERS)
    return Torutorento(record["players"], counts=counts, **options)
