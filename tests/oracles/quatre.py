"""Second opinion on the game quatre: slow, plain Python, written from its rules page alone.

`Quatre` plays the game one node at a time, `judge` replays a written record and refuses any
difference. Nothing here is shared with the fast engine. The ids Q1 .. Q16 are those of the rules
page; "records" means the section Records of the page that all games share. Where the page leaves a
reading open, a comment `# decision:` says which one is played here.

Not covered: reading a component file (Q4). A test that uses one hands over `Components`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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

# What a cell shows. A bare mark, and the place where only transparent cells lie, shows nothing.
# decision: the page names no letters for a component file; here they are the fruits' initials.
STRAWBERRY, BLUEBERRY, KIWI, ORANGE = "s", "b", "k", "o"
FRUITS: Final = (STRAWBERRY, BLUEBERRY, KIWI, ORANGE)  # Q1, in the order of Q5
CREAM: Final = "c"
TRANSPARENT: Final = "."

MARK: Final = "+"  # Q3
NO_MARK: Final = "."

PATTERNS: Final = (  # Q2
    ("mm.", ".c.", "..a"),
    ("m..", ".a.", "c.b"),
    ("...", "mac", ".b."),
    ("m.c", "m..", ".ab"),
    ("m..", ".m.", "..m"),
)
COPIES_OF_PATTERN: Final = (2, 2, 2, 2, 1)  # Q2
REPLACED: Final = ("m", "a", "b")  # Q2: in shift n they become the fruits n, n + 1, n + 2
BOARD_COLUMNS: Final = 12  # Q3
MARKS_OF_ROW: Final = (4, 8, 10, 10, 12, 12, 12, 12, 10, 10, 8, 4)  # Q3

OWNED_FRUITS: Final[dict[int, tuple[tuple[str, ...], ...]]] = {  # Q5: players -> fruits of a seat
    2: ((STRAWBERRY, KIWI), (BLUEBERRY, ORANGE)),
    3: ((STRAWBERRY,), (BLUEBERRY,), (KIWI,)),
    4: ((STRAWBERRY,), (BLUEBERRY,), (KIWI,), (ORANGE,)),
}
TURNS: Final = {2: 9, 3: 10, 4: 9}  # Q6
SCORING_TURNS: Final = (3, 6)  # Q13: beside the last
COLLECTED_POINTS: Final = 1  # Q13: of each collected card in each scoring

QUARTER_TURNS: Final = (0, 1, 2, 3)  # Q9

SIDE_BY_SIDE: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNER_TO_CORNER: Final = ((-1, -1), (-1, 1), (1, -1), (1, 1))
NEIGHBOURS: Final = {  # Q13
    "orthogonal": SIDE_BY_SIDE,
    "diagonal": SIDE_BY_SIDE + CORNER_TO_CORNER,
}

TWO_PLAYERS: Final = 2
TWO_PLAYER_TURNS: Final = ("player", "fruit")
ADJACENCIES: Final = ("orthogonal", "diagonal")

DRAW: Final = "draw"  # the only chance
PLAY: Final = "play"  # the only kind of decision
OVER: Final = "over"

Kind = Literal["chance", "decision", "over"]
Grid = tuple[str, ...]  # rows of letters
Cell = tuple[int, int]  # row and column of the board's square, from 0 at its top left


# ---------------------------------------------------------------------------------------------
# Components
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Components:
    """Board, cards and length of the game (Q4).

    Attributes:
        board: Rows of equal length; MARK where a mark is, NO_MARK elsewhere.
        cards: The card kinds in file order, each k rows of k letters.
        counts: How many copies there are of each kind.
        turns: Players to number of turns; the keys are the allowed numbers of players.
        scoring_turns: Players to the turns after which there is a scoring. The last turn always
            has one, listed or not.
    """

    board: Grid
    cards: tuple[Grid, ...]
    counts: tuple[int, ...]
    turns: dict[int, int]
    scoring_turns: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Actor:
    """Who takes one play a turn: a seat, or, with two_player_turns "fruit", a fruit (Q6).

    Attributes:
        seat: Who decides, and whose points it makes.
        fruits: The fruits whose points count for it.
    """

    seat: int
    fruits: tuple[str, ...]


@dataclass(frozen=True)
class Placed:
    """A card that lies on the board.

    Attributes:
        kind: Its kind.
        row: Row of its top-left cell after turning, below 0 where that lies off the board.
        column: Column of that cell.
        quarter_turns: How many times it was turned by 90 degrees, clockwise.
    """

    kind: int
    row: int
    column: int
    quarter_turns: int


def reconstruction() -> Components:
    """The reconstructed board and cards, computed from Q2 and Q3."""
    shifts = range(len(FRUITS))
    return Components(
        board=tuple((MARK * marks).center(BOARD_COLUMNS, NO_MARK) for marks in MARKS_OF_ROW),
        cards=tuple(_card_of(pattern, shift) for pattern in PATTERNS for shift in shifts),
        counts=tuple(copies for copies in COPIES_OF_PATTERN for _ in shifts),
        turns=dict(TURNS),
        scoring_turns={players: (*SCORING_TURNS, last) for players, last in TURNS.items()},
    )


def _card_of(pattern: Grid, shift: int) -> Grid:
    """Q2: a pattern with m, a, b replaced by three fruits in a row."""
    fruit_of = {letter: FRUITS[(n + shift) % len(FRUITS)] for n, letter in enumerate(REPLACED)}
    return tuple("".join(fruit_of.get(letter, letter) for letter in row) for row in pattern)


# ---------------------------------------------------------------------------------------------
# Rules that need no game: turning, covering, groups, payoffs
# ---------------------------------------------------------------------------------------------


def turned(card: Grid, quarter_turns: int) -> Grid:
    """Q9: the card turned clockwise by 90 degrees, so many times."""
    if quarter_turns == 0:
        return card
    once = tuple("".join(column) for column in zip(*reversed(card), strict=True))
    return turned(once, quarter_turns - 1)


def distinct_quarter_turns(card: Grid) -> list[int]:
    """The quarter turns that are legal ids: of those that look the same only the smallest.

    "Look the same" means equal as whole k x k grids, transparent rim included.
    """
    return [
        q
        for q in QUARTER_TURNS
        if not any(turned(card, smaller) == turned(card, q) for smaller in range(q))
    ]


def printed_cells(card: Grid, row: int, column: int) -> Iterator[tuple[Cell, str]]:
    """The fruits and creams of a (turned) card whose top-left cell lies at row, column (Q9).

    Yields:
        The cell of the board's square, which may lie outside of it, and the letter there.
    """
    for down, letters in enumerate(card):
        for right, letter in enumerate(letters):
            if letter != TRANSPARENT:
                yield (row + down, column + right), letter


def may_cover(upper: str, lower: str) -> bool:
    """Q10: whether a fruit or cream may be laid on what is visible in its cell."""
    if upper == CREAM:
        return True  # cream over anything
    return lower not in FRUITS  # fruit over nothing or over cream


def group_sizes(visible: dict[Cell, str], fruit: str, adjacency: str) -> list[int]:
    """Q13: the sizes of the groups of one visible fruit, found by flood fill.

    Args:
        visible: What is visible in each cell.
        fruit: A letter of FRUITS.
        adjacency: "orthogonal" or "diagonal".

    Returns:
        One size a group, in falling order.
    """
    unvisited = {cell for cell, letter in visible.items() if letter == fruit}
    sizes: list[int] = []
    while unvisited:
        to_visit = [unvisited.pop()]
        size = 0
        while to_visit:
            row, column = to_visit.pop()
            size += 1
            for down, right in NEIGHBOURS[adjacency]:
                neighbour = (row + down, column + right)
                if neighbour in unvisited:
                    unvisited.remove(neighbour)
                    to_visit.append(neighbour)
        sizes.append(size)
    return sorted(sizes, reverse=True)


def fruit_points(visible: dict[Cell, str], fruit: str, adjacency: str) -> int:
    """Q13: the squares of the sizes of a fruit's groups, added up."""
    return sum(size * size for size in group_sizes(visible, fruit, adjacency))


def actors_of(players: int, two_player_turns: str) -> list[Actor]:
    """Q6: who takes the plays, in the first order (Q6, Q7)."""
    seats = [Actor(seat, fruits) for seat, fruits in enumerate(OWNED_FRUITS[players])]
    if players == TWO_PLAYERS and two_player_turns == "fruit":
        owners = [next(seat for seat in seats if fruit in seat.fruits) for fruit in FRUITS]
        return [Actor(owner.seat, (fruit,)) for owner, fruit in zip(owners, FRUITS, strict=True)]
    return seats


def next_order(order: list[int], totals: list[int]) -> list[int]:
    """Q14: highest total first; of equal ones first who acted later in the order just used."""
    return sorted(order, key=lambda actor: (totals[actor], order.index(actor)), reverse=True)


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


class Quatre:
    """One game of quatre, walked node by node.

    Attributes:
        name: What the node is: "draw", "play" or "over".
        seat: Who plays; None when the game is over.
        components: Board and cards.
        actors: Who takes plays: the seats, or the fruits (Q6). An actor's number is its index.
        order: The actors' numbers in the present turn order.
        turn: Number of the turn, from 1.
        plays_done: Plays finished in this turn.
        bag: How many copies of each kind are in the bag.
        card: The kind of the card drawn and not yet placed, collected or returned, else None.
        redrawn: Whether the one redraw of this play is spent (Q8).
        placed: The cards on the board, the lowest first.
        collected: Of each actor, the kinds of the cards that it collected.
        actor_totals: Of each actor, its points so far. Actors are the seats but with "fruit".
        totals: Of each seat, its points so far.
        points: Of each scoring held, the points of each seat.
        winners: The winning seats in rising order, None before the end.
        truncated: Always False: the game has a fixed length.
    """

    def __init__(
        self,
        players: int = 4,
        *,
        two_player_turns: str = "player",
        adjacency: str = "orthogonal",
        components: Components | None = None,
    ) -> None:
        """Starts a game at its first draw.

        Args:
            players: 2, 3 or 4, and one that the components know.
            two_player_turns: "player" or "fruit". Without meaning unless players is 2.
            adjacency: "orthogonal" or "diagonal".
            components: Board and cards; None: the reconstruction.

        Raises:
            ValueError: An option has no such value, or the components cannot be played.
        """
        self.players = players
        self.two_player_turns = two_player_turns
        self.adjacency = adjacency
        self.components = reconstruction() if components is None else components
        self._check_options()
        self.actors = actors_of(players, two_player_turns)
        self._check_components()
        self._begin_game()

    def _check_options(self) -> None:
        """Refuses an option without such a value."""
        known_players = sorted(set(OWNED_FRUITS) & set(self.components.turns))
        _require(self.players in known_players, f"players {self.players!r} not in {known_players}")
        for name, value, known in (
            ("two_player_turns", self.two_player_turns, TWO_PLAYER_TURNS),
            ("adjacency", self.adjacency, ADJACENCIES),
        ):
            _require(value in known, f"{name} {value!r} is not one of {known}")
        # decision: "refused when given" (records) is seen here only for a value that would change
        # something; the default "player" cannot be told from an option that was not given.
        _require(
            self.players == TWO_PLAYERS or self.two_player_turns == "player",
            "two_player_turns applies to 2 players only",
        )

    def _check_components(self) -> None:
        """Q4: refuses components that this game cannot be played with."""
        board, cards = self.components.board, self.components.cards
        _require(len({len(row) for row in board}) == 1, "the board is ragged or empty")
        _require(set("".join(board)) <= {MARK, NO_MARK}, "the board has an unknown letter")
        _require(len({len(card) for card in cards}) == 1, "the cards differ in size or are none")
        known = {*FRUITS, CREAM, TRANSPARENT}
        for kind, card in enumerate(cards):
            letters = set("".join(card))
            _require({len(row) for row in card} == {len(card)}, f"card {kind} is not a square")
            _require(letters <= known, f"card {kind} has an unknown letter")
            _require(letters != {TRANSPARENT}, f"card {kind} has no fruit and no cream")
        counts = self.components.counts
        _require(len(counts) == len(cards), "there is not one count a card kind")
        _require(all(count >= 0 for count in counts), "a count is negative")
        scoring_stated = self.players in self.components.scoring_turns
        _require(scoring_stated, f"no scoring turns for {self.players} players")
        plays = self._turns() * len(self.actors)
        # decision: Q4 is checked against the plays of this game, with its players and its
        # two_player_turns, not against the longest game that the file allows.
        _require(sum(counts) >= plays >= 1, f"{sum(counts)} cards for {plays} plays")

    # --- what the outside asks -----------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Whether chance or a seat moves next, or nobody."""
        if self.name == DRAW:
            return "chance"
        if self.name == PLAY:
            return "decision"
        return "over"

    def legal(self) -> list[int]:
        """The acting seat's action ids in rising order; empty when it is not a decision."""
        if self.kind != "decision":
            return []
        redraw = [] if self.redrawn else [self.redraw_id]  # Q8
        return sorted([*self._legal_places(), self.collect_id, *redraw])

    def outcomes(self) -> dict[int, Fraction]:
        """The outcomes of a chance node with their probabilities; empty elsewhere ("Chance")."""
        if self.kind != "chance":
            return {}
        left = sum(self.bag)
        return {kind: Fraction(copies, left) for kind, copies in enumerate(self.bag) if copies > 0}

    def apply(self, value: int) -> list[Event]:
        """Makes one move: an action id at a decision, a card kind at a draw.

        Args:
            value: One of `legal()` or of `outcomes()`.

        Returns:
            The score events that it caused, as in the record format: none or one.

        Raises:
            ValueError: The value is impossible here; the game is unchanged.
        """
        if value not in self.legal() and value not in self.outcomes():
            raise ValueError(f"{value!r} is impossible at {self.kind} {self.name}")
        if self.kind == "chance":
            return self._apply_draw(value)
        if value == self.redraw_id:
            return self._apply_redraw()
        if value == self.collect_id:
            return self._apply_collect()
        return self._apply_place(value)

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
            paid = [score_payoffs(points) for points in self.points]
        return [float(sum(row[seat] for row in paid)) for seat in range(self.players)]

    def visible(self) -> dict[Cell, str]:
        """Q10: the fruit or cream seen in each cell; cells that show nothing are left out."""
        shown: dict[Cell, str] = {}
        for placed in self.placed:  # from the lowest to the highest card
            card = turned(self.components.cards[placed.kind], placed.quarter_turns)
            shown.update(printed_cells(card, placed.row, placed.column))
        return shown

    def picture(self) -> Grid:
        """The board as text: the visible letters, MARK where a mark shows nothing, NO_MARK."""
        visible = self.visible()
        return tuple(
            "".join(visible.get((row, column), empty) for column, empty in enumerate(letters))
            for row, letters in enumerate(self.components.board)
        )

    def collected_of(self, seat: int) -> list[int]:
        """Q12: the kinds of all cards that a seat has collected."""
        return [
            kind
            for actor, kinds in zip(self.actors, self.collected, strict=True)
            if actor.seat == seat
            for kind in kinds
        ]

    # --- action ids ----------------------------------------------------------------------------

    @property
    def _card_size(self) -> int:
        """The k of the page."""
        return len(self.components.cards[0])

    @property
    def _id_rows(self) -> int:
        """The H of the page."""
        return len(self.components.board) + self._card_size - 1

    @property
    def _id_columns(self) -> int:
        """The W of the page."""
        return len(self.components.board[0]) + self._card_size - 1

    @property
    def collect_id(self) -> int:
        """The action that collects the card."""
        return 4 * self._id_rows * self._id_columns

    @property
    def redraw_id(self) -> int:
        """The action that returns the card and draws again."""
        return 4 * self._id_rows * self._id_columns + 1

    def place_id(self, row: int, column: int, quarter_turns: int) -> int:
        """The action that places the turned card with its top-left cell at row, column."""
        rim = self._card_size - 1
        return ((row + rim) * self._id_columns + (column + rim)) * 4 + quarter_turns

    def place_of_id(self, action: int) -> tuple[int, int, int]:
        """Row, column and quarter turns of a place action: the inverse of `place_id`."""
        rim = self._card_size - 1
        square, quarter_turns = divmod(action, 4)
        row, column = divmod(square, self._id_columns)
        return row - rim, column - rim, quarter_turns

    # --- set up and turn order -----------------------------------------------------------------

    def _begin_game(self) -> None:
        """Q6, Q7: nothing on the board, all cards in the bag, the first order."""
        self.placed: list[Placed] = []
        self.collected: list[list[int]] = [[] for _ in self.actors]
        self.bag = list(self.components.counts)
        self.order = list(range(len(self.actors)))
        self.turn = 1
        self.plays_done = 0
        self.actor_totals = [0] * len(self.actors)
        self.totals = [0] * self.players
        self.points: list[list[int]] = []
        self.winners: list[int] | None = None
        self.truncated = False
        self._begin_play()

    def _turns(self) -> int:
        """Q6: how many turns the game lasts."""
        return self.components.turns[self.players]

    def _actor(self) -> int:
        """The number of the actor whose play it is."""
        return self.order[self.plays_done]

    def _begin_play(self) -> None:
        """Q8: a play begins with a draw, and its redraw is not spent."""
        self.card: int | None = None
        self.redrawn = False
        self.name = DRAW
        self.seat: int | None = self.actors[self._actor()].seat

    def _end_play(self) -> list[Event]:
        """Q6: the next in order plays; after the last of them the turn is over.

        Returns:
            The score event of the turn's end, if any.
        """
        self.plays_done += 1
        if self.plays_done < len(self.order):
            self._begin_play()
            return []
        return self._end_turn()

    def _end_turn(self) -> list[Event]:
        """Q13, Q14: a scoring if one is due, then the next turn or the end."""
        last = self.turn == self._turns()
        due = last or self.turn in self.components.scoring_turns[self.players]
        events = [self._score()] if due else []
        if last:
            self._end_game()
            return events
        if due:
            self.order = next_order(self.order, self.actor_totals)
        self.turn += 1
        self.plays_done = 0
        self._begin_play()
        return events

    def _end_game(self) -> None:
        """Q15: the highest total wins, equal totals share."""
        self.winners = best_seats(range(self.players), self.totals)
        self.card = None
        self.name = OVER
        self.seat = None

    # --- a play --------------------------------------------------------------------------------

    def _apply_draw(self, kind: int) -> list[Event]:
        """Q8: a card leaves the bag, and the seat decides."""
        self.bag[kind] -= 1
        self.card = kind
        self.name = PLAY
        return []

    def _apply_redraw(self) -> list[Event]:
        """Q8: the card goes back into the bag first, so that it can come again."""
        # decision: "the seat may" has no condition but once in the play, so a redraw is legal also
        # when the bag is empty; then the same card comes back for certain.
        assert self.card is not None
        self.bag[self.card] += 1
        self.card = None
        self.redrawn = True
        self.name = DRAW
        return []

    def _legal_places(self) -> list[int]:
        """Q9, Q10: every position and turn of the card, looked at one by one."""
        assert self.card is not None
        card = self.components.cards[self.card]
        visible = self.visible()
        rim = self._card_size - 1
        # decision: Q11, a card needs no contact with another, not even with a mark but those
        # under its fruits and creams.
        return [
            self.place_id(row, column, quarter_turns)
            for quarter_turns in distinct_quarter_turns(card)
            for row in range(-rim, len(self.components.board))
            for column in range(-rim, len(self.components.board[0]))
            if self._fits(turned(card, quarter_turns), row, column, visible)
        ]

    def _fits(self, card: Grid, row: int, column: int, visible: dict[Cell, str]) -> bool:
        """Whether every fruit and cream of a turned card may lie where it would (Q9, Q10)."""
        return all(
            self._is_mark(cell) and may_cover(letter, visible.get(cell, TRANSPARENT))
            for cell, letter in printed_cells(card, row, column)
        )

    def _is_mark(self, cell: Cell) -> bool:
        """Whether there is a mark in a cell, which may lie outside the board's square (Q3, Q9)."""
        row, column = cell
        board = self.components.board
        inside = 0 <= row < len(board) and 0 <= column < len(board[0])
        return inside and board[row][column] == MARK

    def _apply_place(self, action: int) -> list[Event]:
        """Q9: the card lies on top of those that lie already."""
        assert self.card is not None
        row, column, quarter_turns = self.place_of_id(action)
        self.placed.append(Placed(self.card, row, column, quarter_turns))
        return self._end_play()

    def _apply_collect(self) -> list[Event]:
        """Q12: the card is kept for good; Q6: with "fruit" it is noted for the play's fruit."""
        assert self.card is not None
        self.collected[self._actor()].append(self.card)
        return self._end_play()

    # --- scoring -------------------------------------------------------------------------------

    def _actor_points(self, number: int, visible: dict[Cell, str]) -> int:
        """Q13: an actor's fruits on the board and the cards that it has collected so far."""
        fruits = self.actors[number].fruits
        on_board = sum(fruit_points(visible, fruit, self.adjacency) for fruit in fruits)
        return on_board + COLLECTED_POINTS * len(self.collected[number])

    def _score(self) -> Event:
        """Q13, Q14: counts board and collected cards, and adds the points up.

        Returns:
            The score event (records).
        """
        visible = self.visible()
        gained = [self._actor_points(number, visible) for number in range(len(self.actors))]
        points = [0] * self.players  # Q5: a seat's score is the sum of its actors'
        for number, actor in enumerate(self.actors):
            self.actor_totals[number] += gained[number]
            points[actor.seat] += gained[number]
        self.totals = [total + gain for total, gain in zip(self.totals, points, strict=True)]
        self.points.append(points)
        return {
            "kind": "score",
            "name": "scoring",
            "points": list(points),
            "totals": list(self.totals),
        }


# ---------------------------------------------------------------------------------------------
# Judging a record
# ---------------------------------------------------------------------------------------------

ENV: Final = "quatre_v0"
COMMON_OPTIONS: Final = {"adjacency", "reward"}
TWO_PLAYER_OPTIONS: Final = COMMON_OPTIONS | {"two_player_turns"}  # records: only if it applies


def judge(record: Event, components: Components | None = None) -> None:
    """Replays a whole record and refuses any difference.

    Args:
        record: The JSON object, read.
        components: The record's own components; needed exactly when it carries their "text".

    Raises:
        JudgeError: The first difference, with the index of its event.
    """
    judge_record(record, ENV, lambda head: _game_of(head, components))


def _game_of(record: Event, components: Components | None) -> Quatre:
    """Checks options and components, and makes the game that they name."""
    judge_components(record["components"], components is not None, components != reconstruction())
    players = record["players"]
    wanted = TWO_PLAYER_OPTIONS if players == TWO_PLAYERS else COMMON_OPTIONS
    return Quatre(players, components=components, **judge_options(record["options"], wanted))
