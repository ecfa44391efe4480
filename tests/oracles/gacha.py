"""Second opinion on the game gacha: slow, plain Python, written from its rules page alone.

`Gacha` plays the game one node at a time, `judge` replays a written record and refuses any
difference. Nothing here is shared with the fast engine. The ids G1 .. G30 are those of the rules
page; "records" means the section Records of the page that all games share. Where the page leaves a
reading open, a comment `# decision:` says which one is played here.

Not covered: decks that declare a research variant (second half of G4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final, Literal

from oracles.judging import (
    HEADER,
    REWARDS,
    Event,
    JudgeError,
    judge_components,
    judge_options,
    judge_record,
    score_payoffs,
    win_payoffs,
)

# ---------------------------------------------------------------------------------------------
# The page in constants
# ---------------------------------------------------------------------------------------------

RED, BLUE, YELLOW, GREEN, PURPLE, BLACK = range(6)
TRUMP_COLOURS: Final = (RED, BLUE, YELLOW, GREEN, PURPLE)  # G4: the five balls

DECK_SIZE: Final = 55  # G1
CARDS_USED: Final = {3: 39, 4: 49, 5: 55}  # G1: players -> cards 1 .. this number
HAND_SIZE: Final = 10  # G5
TRICKS: Final = 10  # G8

BLACK_NUMBERS: Final = (11, 22, 33, 44, 55)  # G2
GROUP: Final = 5  # G2
ICONS_OF_RANK: Final[dict[int, tuple[str, ...]]] = {  # G3: k of a colour -> icons
    1: (),
    2: ("gacha",),
    3: ("redraw",),
    4: ("revo",),
    5: ("revo", "redraw"),
    6: ("redraw",),
    7: ("gacha",),
    8: ("revo",),
    9: ("gacha",),
    10: (),
}
ICONS_OF_BLACK: Final[dict[int, tuple[str, ...]]] = {  # G3
    11: ("dust1", "gacha"),
    22: ("dust2",),
    33: ("dust1", "gacha"),
    44: ("dust2",),
    55: ("dust3",),
}
DUST_OF_ICON: Final = {"dust1": 1, "dust2": 2, "dust3": 3}  # G3, G20

FIVE_SET_VP: Final = 3  # G24
FOUR_SET_VP: Final = 1  # G24
MISERE_VP: Final[dict[int, dict[int, int]]] = {  # G25: players -> seats without a trick -> VP
    3: {1: 8, 2: 4},
    4: {1: 6, 2: 3, 3: 2},
    5: {1: 4, 2: 2, 3: 1, 4: 1},
}
RANK_WP: Final[dict[int, tuple[int, ...]]] = {3: (2, 1), 4: (2, 1), 5: (2, 1, 1)}  # G26
WP_GOAL: Final = 4  # G27
DEFAULT_MAX_ROUNDS: Final = 20

# Action ids
FIRST_PLAY: Final = 0  # 0-54: play card id + 1
FIRST_RETURN: Final = 55  # 55-109: put card id - 54 at the bottom of the stock
MUST, MUST_NOT, MAY = 110, 111, 112
REDRAW, NO_REDRAW = 113, 114
FIRST_DUST: Final = 115  # 115-119: discard the card of the k-th player, k = id - 115

SCORINGS: Final = ("wp", "vp")
TRUMP_DRAWS: Final = ("bag", "shuffle")
NEXT_LEADERS: Final = ("rotate", "most", "fewest")
TIES: Final = ("share", "draw")

CHANCES: Final = ("first_leader", "deal", "stock", "ball", "tie_draw")
DECISIONS: Final = ("follow", "play", "redraw", "return", "dust")
OVER: Final = "over"

Kind = Literal["chance", "decision", "over"]


# ---------------------------------------------------------------------------------------------
# Cards
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """One card (G1).

    Attributes:
        number: 1 .. 55.
        colour: 0 .. 4 red, blue, yellow, green, purple; 5 black.
        icons: Any of "gacha", "revo", "redraw", "dust1", "dust2", "dust3".
    """

    number: int
    colour: int
    icons: tuple[str, ...]


@dataclass(frozen=True)
class Play:
    """One card lying in a trick.

    Attributes:
        seat: Who played it.
        card: The whole card.
        face_up: False where G12 or G13 forced it face down.
    """

    seat: int
    card: Card
    face_up: bool


@dataclass(frozen=True)
class Sight:
    """One event together with who sees its value ("Who sees what").

    Attributes:
        kind: "chance", "decision", "draw" (a returned card comes up, no chance) or "score".
        name: Name of the chance or decision; a face-down play is called "play_face_down".
        seat: The seat of the event, or None.
        value: Outcome, action, card or scores.
        private: Whether only `seat` sees the value.
    """

    kind: str
    name: str
    seat: int | None
    value: object
    private: bool


def reconstruction() -> dict[int, Card]:
    """The reconstructed deck of 55 cards, computed from G2 and G3."""
    coloured = [number for number in range(1, DECK_SIZE + 1) if number not in BLACK_NUMBERS]
    deck = {number: Card(number, BLACK, ICONS_OF_BLACK[number]) for number in BLACK_NUMBERS}
    seen_of_colour = dict.fromkeys(TRUMP_COLOURS, 0)
    for index, number in enumerate(coloured):
        group, position = divmod(index, GROUP)
        colour = (position - group) % len(TRUMP_COLOURS)
        seen_of_colour[colour] += 1
        deck[number] = Card(number, colour, ICONS_OF_RANK[seen_of_colour[colour]])
    return dict(sorted(deck.items()))


# ---------------------------------------------------------------------------------------------
# Rules that need no game: playable cards, winner of a trick, scores
# ---------------------------------------------------------------------------------------------


def may_play_face_up(hand: list[Card], plays: list[Play], follow: int, trump: int) -> list[Card]:
    """The cards of a hand that may be played face up (G11, G12, G13, G16).

    Args:
        hand: The cards held.
        plays: What lies in the trick already, the leader's card first.
        follow: MUST, MUST_NOT or MAY.
        trump: The trump colour.

    Returns:
        Cards of the hand; none of them only under MUST_NOT.
    """
    if follow == MUST:
        return _playable_must(hand, plays)
    if follow == MUST_NOT:
        return _playable_must_not(hand, plays, trump)
    return list(hand)


def _playable_must(hand: list[Card], plays: list[Play]) -> list[Card]:
    """G11: the leader any card; who holds the led colour plays it; who does not, any card."""
    if not plays:
        return list(hand)
    of_led_colour = [card for card in hand if card.colour == plays[0].card.colour]
    return of_led_colour or list(hand)


def _playable_must_not(hand: list[Card], plays: list[Play], trump: int) -> list[Card]:
    """G12, G13: the leader no trump; a later seat no colour that lies face up, trump alike."""
    if not plays:
        return [card for card in hand if card.colour != trump]
    lying = [play.card.colour for play in plays if play.face_up]
    return [card for card in hand if card.colour not in lying]


def strongest_first(plays: list[Play], high: bool) -> list[Play]:
    """G17: sorted by number, large numbers first while the order is high, else small ones."""
    return sorted(plays, key=lambda play: play.card.number, reverse=high)


def trick_winner(plays: list[Play], follow: int, trump: int, high: bool) -> int:
    """The seat that wins a complete trick (G11, G15, G16, G17).

    Args:
        plays: One play of each seat, the leader's first.
        follow: MUST, MUST_NOT or MAY.
        trump: The trump colour during this trick.
        high: Whether large numbers are strong.

    Returns:
        The winning seat.
    """
    face_up = [play for play in plays if play.face_up]  # G14
    trumps = [play for play in face_up if play.card.colour == trump]
    if follow == MAY:
        return strongest_first(face_up, high)[1].seat
    if trumps:
        return strongest_first(trumps, high)[0].seat
    if follow == MUST:
        led = [play for play in face_up if play.card.colour == plays[0].card.colour]
        return strongest_first(led, high)[0].seat
    return strongest_first(face_up, high)[0].seat


def icons_in_effect(plays: list[Play]) -> list[str]:
    """The icons of a trick, those of face-down cards left out (G14)."""
    return [icon for play in plays if play.face_up for icon in play.card.icons]


@cache
def set_score(colours: tuple[int, ...], wild: int) -> int:
    """G24: the best VP of won cards, found by trying every next set.

    In a set the seat spends a coloured card before a wild one: nothing that the coloured card
    could do later is impossible for the wild card that was kept in its place.

    Args:
        colours: How many cards the seat has of each of the five colours, in any order.
        wild: Cards won face down and T points together.

    Returns:
        The largest sum of VP.
    """
    best = 0
    for omitted, worth in [(None, FIVE_SET_VP), *((c, FOUR_SET_VP) for c in TRUMP_COLOURS)]:
        wanted = [colour for colour in TRUMP_COLOURS if colour != omitted]
        missing = [colour for colour in wanted if colours[colour] == 0]
        if len(missing) > wild:
            continue
        left = [n - 1 if c in wanted and n > 0 else n for c, n in enumerate(colours)]
        # The five colours are alike here, so sorting them only makes repeated cases meet.
        best = max(best, worth + set_score(tuple(sorted(left)), wild - len(missing)))
    return best


def rank_points(vp: list[int]) -> list[int]:
    """G26: WP of a round from the VP of its seats."""
    table = RANK_WP[len(vp)]
    ranks = sorted({value for value in vp if value >= 1}, reverse=True)
    wp_of_vp = dict(zip(ranks, table, strict=False))
    return [wp_of_vp.get(value, 0) for value in vp]


def best_seats(seats: Iterable[int], values: list[int]) -> list[int]:
    """Those of the seats whose value is the largest among them, in rising order."""
    among = sorted(seats)
    largest = max(values[seat] for seat in among)
    return [seat for seat in among if values[seat] == largest]


def _require(condition: bool, complaint: str) -> None:
    """Raises ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


# ---------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------


class Gacha:
    """One game of gacha, walked node by node.

    Attributes:
        name: What the node is: a name of CHANCES, of DECISIONS, or "over".
        seat: Who acts or receives; None for first_leader and when the game is over.
        hands: The card numbers that each seat holds, in rising order.
        undealt: Card numbers neither dealt nor come up from the stock, rising.
        returned: Card numbers put at the bottom of the stock, the next to come first.
        won: Plays that each seat has won this round.
        t_points: T points of each seat this round (tricks won).
        discarded: Plays removed by dust this round.
        trump: The trump colour.
        high: Whether large numbers are strong.
        bag: Colours of the balls in the bag, rising.
        round_number: Rounds begun, from 1.
        trick: Number of the trick in the round, 1 .. 10.
        first_leader: First leader of the round.
        leader: Leader of the trick.
        follow: Follow type of the trick, None before it is chosen.
        previous_follow: Follow type of the round's previous trick, if any.
        plays: The trick's cards in order of play.
        winner: Winner of the last complete trick.
        dust_due: How many cards of this trick dust removes.
        dust_chosen: Positions chosen so far, counted from the leader.
        totals: Sum of each seat's WP ("wp") or VP ("vp").
        vp_rounds: VP of each scored round, a list of seats each.
        point_rounds: Points (WP or VP) of each scored round, a list of seats each.
        tied: Seats that draw for the win (G28), empty when there is no draw.
        tie_cards: What they have drawn so far.
        winners: The winning seats in rising order, None before the end.
        truncated: Whether `max_rounds` ended the game (G29).
    """

    def __init__(
        self,
        players: int = 4,
        *,
        scoring: str = "wp",
        rounds: int | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        trump_draw: str = "bag",
        next_leader: str = "rotate",
        tie: str = "share",
        deck: dict[int, Card] | None = None,
    ) -> None:
        """Starts a game at its first chance node, first_leader.

        Args:
            players: 3, 4 or 5.
            scoring: "wp" or "vp".
            rounds: Length of a "vp" game; None: as many as players. Refused with "wp".
            max_rounds: Longest "wp" game. Without meaning under "vp".
            trump_draw: "bag" or "shuffle".
            next_leader: "rotate", "most" or "fewest".
            tie: "share" or "draw". Without meaning under "wp".
            deck: Card number to card, numbers 1 .. 55; None: the reconstruction.

        Raises:
            ValueError: An option has no such value.
        """
        self.players = players
        self.scoring = scoring
        self.max_rounds = max_rounds
        self.trump_draw = trump_draw
        self.next_leader = next_leader
        self.tie = tie
        self.deck = reconstruction() if deck is None else dict(deck)
        _require(rounds is None or scoring == "vp", "rounds applies to scoring 'vp' only")
        self.rounds = players if rounds is None else rounds
        self._check_options()
        self._begin_game()

    def _check_options(self) -> None:
        """Refuses an option without such a value, and a deck without the 55 numbers (G1)."""
        _require(self.players in CARDS_USED, f"players {self.players!r} is not 3, 4 or 5")
        _require(self.rounds >= 1, f"rounds {self.rounds!r} is less than 1")
        _require(self.max_rounds >= 1, f"max_rounds {self.max_rounds!r} is less than 1")
        for name, value, known in (
            ("scoring", self.scoring, SCORINGS),
            ("trump_draw", self.trump_draw, TRUMP_DRAWS),
            ("next_leader", self.next_leader, NEXT_LEADERS),
            ("tie", self.tie, TIES),
        ):
            _require(value in known, f"{name} {value!r} is not one of {known}")
        numbers = set(range(1, DECK_SIZE + 1))
        _require(set(self.deck) == numbers, "a deck has the numbers 1 .. 55, each once")

    # --- what the outside asks -----------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Whether chance or a seat moves next, or nobody."""
        if self.name in CHANCES:
            return "chance"
        if self.name in DECISIONS:
            return "decision"
        return "over"

    def legal(self) -> list[int]:
        """The acting seat's action ids in rising order; empty when it is not a decision."""
        ids = {
            "follow": self._legal_follow,
            "play": self._legal_play,
            "redraw": lambda: [REDRAW, NO_REDRAW],
            "return": self._legal_return,
            "dust": self._legal_dust,
        }
        return sorted(ids[self.name]()) if self.kind == "decision" else []

    def outcomes(self) -> dict[int, Fraction]:
        """The outcomes of a chance node with their probabilities; empty elsewhere.

        Every chance of this game is uniform over what is possible (page, "Chance").
        """
        possible: dict[str, list[int]] = {
            "first_leader": list(range(self.players)),
            "deal": self.undealt,
            "stock": self.undealt,
            "ball": self.bag,
            "tie_draw": [card for card in self._cards_used() if card not in self.tie_cards],
        }
        if self.kind != "chance":
            return {}
        values = possible[self.name]
        return {value: Fraction(1, len(values)) for value in values}

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
            "first_leader": self._apply_first_leader,
            "deal": self._apply_deal,
            "stock": self._apply_stock,
            "ball": self._apply_ball,
            "tie_draw": self._apply_tie_draw,
            "follow": self._apply_follow,
            "play": self._apply_play,
            "redraw": self._apply_redraw,
            "return": self._apply_return,
            "dust": self._apply_dust,
        }[self.name]
        self._remember(value)
        self._score_events: list[Event] = []
        step(value)
        return self._score_events

    def payoffs(self, reward: str) -> list[float]:
        """The rewards paid to each seat so far (payoffs, common page).

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
        """
        # decision: a returned card that another seat draws later is hidden (None) from the seat
        # that returned it, in that event. It can work it out from its own earlier events.
        return tuple(
            (s.kind, s.name, s.seat, None if s.private and s.seat != seat else s.value)
            for s in self._sights
        )

    def _remember(self, value: int) -> None:
        """Notes an event, before it is made, with what others may see of it."""
        name = self.name
        if name == "play" and not self._playable():
            name = "play_face_down"
        private = name in ("deal", "stock", "return", "play_face_down")
        self._sights.append(Sight(self.kind, name, self.seat, value, private))

    # --- game and rounds -----------------------------------------------------------------------

    def _begin_game(self) -> None:
        """G5, G7: high order, full bag; the first leader is drawn before the first deal."""
        self.high = True
        self.bag = list(TRUMP_COLOURS)
        self.round_number = 0
        self.totals = [0] * self.players
        self.vp_rounds: list[list[int]] = []
        self.point_rounds: list[list[int]] = []
        self.tied: list[int] = []
        self.tie_cards: list[int] = []
        self.winners: list[int] | None = None
        self.truncated = False
        self._sights: list[Sight] = []
        self._clear_table()
        self.first_leader = 0
        self.leader = 0
        self.winner = 0
        self._go_to("first_leader", None)

    def _clear_table(self) -> None:
        """Takes everything that belongs to one round off the table; trump is black (G5)."""
        self.hands: list[list[int]] = [[] for _ in range(self.players)]
        self.undealt = self._cards_used()
        self.returned: list[int] = []
        self.won: list[list[Play]] = [[] for _ in range(self.players)]
        self.discarded: list[Play] = []
        self.t_points = [0] * self.players
        self.trump = BLACK
        self.trick = 1
        self.follow: int | None = None
        self.previous_follow: int | None = None
        self._clear_trick()

    def _clear_trick(self) -> None:
        """Readies the middle of the table for the next trick."""
        self.plays: list[Play] = []
        self.dust_due = 0
        self.dust_chosen: list[int] = []

    def _cards_used(self) -> list[int]:
        """G1: the numbers in play with this many players."""
        return list(range(1, CARDS_USED[self.players] + 1))

    def _go_to(self, name: str, seat: int | None) -> None:
        """Makes this the node that comes next."""
        self.name = name
        self.seat = seat

    def _apply_first_leader(self, seat: int) -> None:
        """G7: the drawn seat leads the first round."""
        self.first_leader = seat
        self._begin_round()

    def _begin_round(self) -> None:
        """G5: set up; an empty bag is refilled, order and bag stay else; then deal."""
        self.round_number += 1
        self._clear_table()
        self._refill_if_empty()
        self.leader = self.first_leader
        self._go_to("deal", 0)

    def _refill_if_empty(self) -> None:
        """G5, G22: five balls that are all out are put back."""
        if not self.bag:
            self.bag = list(TRUMP_COLOURS)

    def _apply_deal(self, number: int) -> None:
        """G5: seat 0 gets its ten cards, then seat 1 and so on; then the first trick begins."""
        assert self.seat is not None
        self.undealt = [card for card in self.undealt if card != number]
        self._into_hand(self.seat, number)
        receivers = [s for s in range(self.players) if len(self.hands[s]) < HAND_SIZE]
        if receivers:
            self._go_to("deal", receivers[0])
        else:
            self._go_to("follow", self.leader)

    def _into_hand(self, seat: int, number: int) -> None:
        """Adds a card to a hand, which stays in rising order."""
        self.hands[seat] = sorted([*self.hands[seat], number])

    def _out_of_hand(self, seat: int, number: int) -> None:
        """Takes a card out of a hand."""
        self.hands[seat] = [card for card in self.hands[seat] if card != number]

    # --- trick ---------------------------------------------------------------------------------

    def _legal_follow(self) -> list[int]:
        """G9: any type in the first trick of a round, then not the previous trick's."""
        return [follow for follow in (MUST, MUST_NOT, MAY) if follow != self.previous_follow]

    def _apply_follow(self, action: int) -> None:
        """G9, G10: the type is set and the leader plays first."""
        self.follow = action
        self._go_to("play", self.leader)

    def _playable(self) -> list[int]:
        """The numbers that the acting seat may play face up (G11 .. G13, G16)."""
        assert self.seat is not None
        assert self.follow is not None
        hand = [self.deck[number] for number in self.hands[self.seat]]
        playable = may_play_face_up(hand, self.plays, self.follow, self.trump)
        return [card.number for card in playable]

    def _legal_play(self) -> list[int]:
        """A playable card face up; who has none plays any card, face down (G12, G13)."""
        assert self.seat is not None
        numbers = self._playable() or self.hands[self.seat]
        return [FIRST_PLAY + number - 1 for number in numbers]

    def _apply_play(self, action: int) -> None:
        """G10: the card lies in the trick; its redraw icon is asked at once (G18)."""
        assert self.seat is not None
        number = action - FIRST_PLAY + 1
        play = Play(self.seat, self.deck[number], face_up=bool(self._playable()))
        self._out_of_hand(self.seat, number)
        self.plays.append(play)
        if "redraw" in icons_in_effect([play]) and self.trick < TRICKS:
            self._go_to("redraw", self.seat)
        else:
            self._after_play()

    def _after_play(self) -> None:
        """G10: the next seat clockwise plays, until each has played one card."""
        if len(self.plays) < self.players:
            self._go_to("play", (self.leader + len(self.plays)) % self.players)
        else:
            self._finish_trick()

    # --- redraw --------------------------------------------------------------------------------

    def _apply_redraw(self, action: int) -> None:
        """G18: draw from the stock or not.

        The stock never runs out: it begins with nine cards (five with 5 players), and every
        card drawn is followed by one put back. When the undealt cards have all come up, the
        returned ones come in their order, without a chance event (page, "Chance").
        """
        if action == NO_REDRAW:
            self._after_play()
        elif self.undealt:
            self._go_to("stock", self.seat)
        else:
            self._draw_returned()

    def _draw_returned(self) -> None:
        """The oldest returned card comes up; only who draws it sees it."""
        number = self.returned[0]
        self.returned = self.returned[1:]
        self._sights.append(Sight("draw", "stock", self.seat, number, private=True))
        self._take_drawn(number)

    def _apply_stock(self, number: int) -> None:
        """G18: an undealt card comes up."""
        self.undealt = [card for card in self.undealt if card != number]
        self._take_drawn(number)

    def _take_drawn(self, number: int) -> None:
        """G18: the drawn card joins the hand, from which one card must be put back."""
        assert self.seat is not None
        self._into_hand(self.seat, number)
        self._go_to("return", self.seat)

    def _legal_return(self) -> list[int]:
        """G18: any card of the hand, the drawn one or another."""
        assert self.seat is not None
        return [FIRST_RETURN + number - 1 for number in self.hands[self.seat]]

    def _apply_return(self, action: int) -> None:
        """G18: the card goes to the bottom of the stock, and the trick goes on."""
        assert self.seat is not None
        number = action - FIRST_RETURN + 1
        self._out_of_hand(self.seat, number)
        self.returned.append(number)
        self._after_play()

    # --- end of a trick (G23: winner; revo; dust; cards and T point; gacha) ---------------------

    def _winner(self) -> int:
        """The winner of the complete trick, by the order under which it was played.

        Only called before revo flips the order.
        """
        assert self.follow is not None
        return trick_winner(self.plays, self.follow, self.trump, self.high)

    def _finish_trick(self) -> None:
        """G23: winner, revo, and as much dust as there is."""
        self.winner = self._winner()
        # decision: what the icons do is fixed by the cards played; dust that removes a card
        # (its own or one with gacha) does not undo that card's icons.
        icons = icons_in_effect(self.plays)
        if "revo" in icons:  # G19: once, however many
            self.high = not self.high
        dust = sum(DUST_OF_ICON.get(icon, 0) for icon in icons)  # G20
        self.dust_due = min(dust, len(self.plays))
        self._after_dust()

    def _after_dust(self) -> None:
        """G20: the winner chooses until enough cards are chosen.

        Every node is an event (records), so where all cards must go they too are asked for
        one after another, each with a single possibility.
        """
        if len(self.dust_chosen) < self.dust_due:
            self._go_to("dust", self.winner)
        else:
            self._take_trick()

    def _legal_dust(self) -> list[int]:
        """Positions beyond the last chosen one that leave enough positions for the rest."""
        positions = range(len(self.plays))
        later = [k for k in positions if all(k > chosen for chosen in self.dust_chosen)]
        still_due_after_this = self.dust_due - len(self.dust_chosen) - 1
        fitting = [k for k in later if len([j for j in later if j > k]) >= still_due_after_this]
        return [FIRST_DUST + k for k in fitting]

    def _apply_dust(self, action: int) -> None:
        """G20: one card of the trick is out of the round."""
        position = action - FIRST_DUST
        self.dust_chosen.append(position)
        self.discarded.append(self.plays[position])
        self._after_dust()

    def _take_trick(self) -> None:
        """G21, G22: the winner takes what is left and a T point; then a ball, if gacha lay."""
        left = [play for k, play in enumerate(self.plays) if k not in self.dust_chosen]
        self.won[self.winner].extend(left)
        self.t_points[self.winner] += 1
        if "gacha" in icons_in_effect(self.plays):  # once, however many; tenth trick too
            self._refill_if_empty()
            self._go_to("ball", self.winner)
        else:
            self._end_trick()

    def _apply_ball(self, colour: int) -> None:
        """G22: trump becomes the ball's colour; from a bag the ball stays out."""
        self.trump = colour
        if self.trump_draw == "bag":
            self.bag = [ball for ball in self.bag if ball != colour]
        self._end_trick()

    def _end_trick(self) -> None:
        """G8: the winner leads the next trick, or the tenth trick ends the round."""
        if self.trick == TRICKS:
            self._end_round()
            return
        self.trick += 1
        self.leader = self.winner
        self.previous_follow = self.follow
        self.follow = None
        self._clear_trick()
        self._go_to("follow", self.leader)

    # --- end of a round ------------------------------------------------------------------------

    def _seat_vp(self, seat: int) -> int:
        """VP of a seat in this round (G24, G25)."""
        without_trick = [s for s in range(self.players) if self.t_points[s] == 0]
        if seat in without_trick:
            return MISERE_VP[self.players][len(without_trick)]
        face_up = [play for play in self.won[seat] if play.face_up]
        face_down = [play for play in self.won[seat] if not play.face_up]
        counts = [len([p for p in face_up if p.card.colour == c]) for c in TRUMP_COLOURS]
        return set_score(tuple(sorted(counts)), len(face_down) + self.t_points[seat])

    def _end_round(self) -> None:
        """G24 .. G26: score the round, then see whether the game is over."""
        vp = [self._seat_vp(seat) for seat in range(self.players)]
        points = rank_points(vp) if self.scoring == "wp" else list(vp)
        self.totals = [total + gain for total, gain in zip(self.totals, points, strict=True)]
        self.vp_rounds.append(vp)
        self.point_rounds.append(points)
        self._announce_score(points, vp)
        if self.scoring == "wp":
            self._after_round_wp()
        else:
            self._after_round_vp()

    def _announce_score(self, points: list[int], vp: list[int]) -> None:
        """Writes the score event (records)."""
        event: Event = {
            "kind": "score",
            "name": "round",
            "points": list(points),
            "totals": list(self.totals),
            "vp": list(vp),
        }
        self._score_events.append(event)
        shown = (tuple(points), tuple(self.totals), tuple(vp))
        self._sights.append(Sight("score", "round", None, shown, private=False))

    def _after_round_wp(self) -> None:
        """G27, G29: 4 WP end the game; so does `max_rounds`, as a truncation."""
        if max(self.totals) >= WP_GOAL:
            self._end_game(self._standing_wp())
        elif self.round_number == self.max_rounds:
            self.truncated = True
            self._end_game(self._standing_wp())
        else:
            self._next_round()

    def _standing_wp(self) -> list[int]:
        """G27: most WP; among equals more T points in the last round; else they share."""
        most_wp = best_seats(range(self.players), self.totals)
        return best_seats(most_wp, self.t_points)

    def _after_round_vp(self) -> None:
        """G28: the game lasts `rounds` rounds; equal seats share or draw cards."""
        if self.round_number < self.rounds:
            self._next_round()
            return
        standing = self._standing_vp()
        if self.tie == "draw" and len(standing) > 1:
            self.tied = standing
            self._go_to("tie_draw", self.tied[0])
        else:
            self._end_game(standing)

    def _standing_vp(self) -> list[int]:
        """G28: most VP; among equals the smaller gap between best and worst round."""
        most_vp = best_seats(range(self.players), self.totals)
        rows = [[vp[seat] for vp in self.vp_rounds] for seat in range(self.players)]
        gaps = [max(row) - min(row) for row in rows]
        return best_seats(most_vp, [-gap for gap in gaps])

    def _apply_tie_draw(self, number: int) -> None:
        """G28: each tied seat draws a card in rising order; the largest number wins."""
        self.tie_cards.append(number)
        if len(self.tie_cards) < len(self.tied):
            self._go_to("tie_draw", self.tied[len(self.tie_cards)])
        else:
            largest = max(self.tie_cards)
            self._end_game([self.tied[self.tie_cards.index(largest)]])

    def _next_round(self) -> None:
        """G7: names the first leader of the next round and begins it."""
        self.first_leader = self._next_first_leader()
        self._begin_round()

    def _next_first_leader(self) -> int:
        """G7: the next seat clockwise; or by most or fewest WP (VP), equals nearest to it."""
        rotate = (self.first_leader + 1) % self.players
        if self.next_leader == "rotate":
            return rotate
        wanted = max(self.totals) if self.next_leader == "most" else min(self.totals)
        clockwise = [(rotate + k) % self.players for k in range(self.players)]
        # "nearest clockwise, counted from the seat that rotate would name": that seat is nearest.
        return next(seat for seat in clockwise if self.totals[seat] == wanted)

    def _end_game(self, winners: list[int]) -> None:
        """Ends the game."""
        self.winners = sorted(winners)
        self._go_to(OVER, None)


# ---------------------------------------------------------------------------------------------
# Judging a record
# ---------------------------------------------------------------------------------------------

ENV: Final = "gacha_v0"
COMMON_OPTIONS: Final = {"scoring", "trump_draw", "next_leader", "reward"}
OPTIONS: Final = {  # only those that apply to the scoring (records)
    "wp": COMMON_OPTIONS | {"max_rounds"},
    "vp": COMMON_OPTIONS | {"rounds", "tie"},
}
NUMBERS: Final = ("rounds", "max_rounds")


def judge(record: Event, deck: dict[int, Card] | None = None) -> None:
    """Replays a whole record and refuses any difference.

    Args:
        record: The JSON object, read.
        deck: The cards of the record's own components; needed exactly when it carries "text".

    Raises:
        JudgeError: The first difference, with the index of its event.
    """
    judge_record(record, ENV, lambda head: _game_of(head, deck), score_keys={"vp"})


def _game_of(record: Event, deck: dict[int, Card] | None) -> Gacha:
    """Checks options and components, and makes the game that they name."""
    judge_components(record["components"], deck is not None, deck != reconstruction())
    written = record["options"]
    if not isinstance(written, dict) or written.get("scoring") not in SCORINGS:
        raise JudgeError(HEADER, f"options {written!r} do not name a scoring of {SCORINGS}")
    options = judge_options(written, OPTIONS[written["scoring"]], NUMBERS)
    return Gacha(record["players"], deck=deck, **options)
