"""Positions of quatre: own boards and cards, and plays whose cards are named.

What the rules page says of laying cards stands here once more, as plainly as can be: `can_lie`
looks at every cell of a card at one place, and `legal_by_cells` at every place.

Boards made by `box` are drawn into the square of the published game, with as many kinds of cards
and as long a longest game, so that tests of positions compile nothing of their own.
"""

import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from oracles.quatre import SCORING_TURNS, TURNS, Components, reconstruction
from tefuda.envs import Game, make_vec
from tefuda.envs.core.parts import ComponentFile, parse_components

FRUITS = "sbko"
CREAM, TRANSPARENT, MARK = "c", ".", "+"
QUARTER_TURNS = range(4)

#: The published game by the rules page (Q1 to Q3), not by the package's file.
PUBLISHED = reconstruction()
CAKE = PUBLISHED.board
SQUARE, CARD_SIZE, KINDS = 12, 3, 20
COLLECT, REDRAW = 784, 785

#: Rows of letters.
Grid = tuple[str, ...]
#: Row and column of a card's top-left cell on the board, and quarter turns clockwise.
Place = tuple[int, int, int]

# A kind that stands in the box only to make up the number of kinds.
_FILLER: Grid = ("...", ".o.", "...")
# Turns of the longest published game, for four players.
_LONGEST = TURNS[4]


# ==================================================================== component files


def rows_of(card: str) -> Grid:
    """A grid written in one line, such as "s./.c"."""
    return tuple(card.split("/"))


def component_text(
    board: Sequence[str],
    cards: Sequence[Sequence[str]],
    copies: Sequence[int] | None = None,
    *,
    head: Sequence[str] = (),
    name: str = "mine",
) -> str:
    """The text of a component file.

    Args:
        board: Its rows.
        cards: The rows of each kind.
        copies: Of each kind; one by default.
        head: Further lines before the first table, such as "turns = 2".
        name: Its name.
    """
    lines = [f'name = "{name}"', *head, 'board = """', *board, '"""']
    for face, count in zip(cards, copies or [1] * len(cards), strict=True):
        lines += ["[[cards]]", f"copies = {count}", 'face = """', *face, '"""']
    return "\n".join(lines) + "\n"


def box(
    *cards: str,
    board: Sequence[str] = CAKE,
    players: int = 2,
    turns: int = 3,
    scoring_turns: Sequence[int] = (),
    copies: int = 30,
) -> ComponentFile:
    """An own component file.

    Args:
        cards: The kinds, in one line each; smaller cards lie at the top left of 3 x 3.
        board: Its marks; smaller boards lie at the top left of 12 x 12.
        players: The number of seats that it is for.
        turns: Turns of a game.
        scoring_turns: Turns with a scoring before the last.
        copies: Of each kind.
    """
    square = _padded(board, SQUARE)
    faces = [_padded(rows_of(card), CARD_SIZE) for card in cards]
    faces += [_FILLER] * (KINDS - len(faces))
    other = 2 if players == 4 else 4  # its games are the longest that the file has
    head = [
        f"players = [{players}, {other}]",
        f"turns = {{ {players} = {turns}, {other} = {_LONGEST} }}",
        f"scoring_turns = {{ {players} = {list(scoring_turns)}, {other} = [] }}",
    ]
    return parse_components(component_text(square, faces, [copies] * KINDS, head=head), "mine.toml")


def _padded(grid: Sequence[str], size: int) -> Grid:
    rows = [row.ljust(size, TRANSPARENT) for row in grid]
    return (*rows, *[TRANSPARENT * size] * (size - len(rows)))


def oracle_components(text: str) -> Components:
    """A component file as the second implementation takes it."""
    data = tomllib.loads(text)
    players = data.get("players", list(TURNS))
    turns = {count: _of_players(data, "turns", count, TURNS[count]) for count in players}
    return Components(
        board=tuple(data["board"].split()),
        cards=tuple(tuple(row["face"].split()) for row in data["cards"]),
        counts=tuple(row["copies"] for row in data["cards"]),
        turns=turns,
        scoring_turns={
            count: (*_of_players(data, "scoring_turns", count, SCORING_TURNS), last)
            for count, last in turns.items()
        },
    )


def _of_players(data: Mapping[str, Any], key: str, players: int, default: Any) -> Any:
    value = data.get(key, default)
    return value.get(str(players), default) if isinstance(value, dict) else value


# ==================================================================== the page, plainly


def turned(card: Grid, quarters: int) -> Grid:
    """Q9: a card after so many quarter turns clockwise: what was left comes to the top."""
    size = len(card)
    for _ in range(quarters):
        card = tuple(
            "".join(card[size - 1 - column][row] for column in range(size)) for row in range(size)
        )
    return card


@cache
def printed(card: Grid, quarters: int) -> list[tuple[int, int, str]]:
    """Row, column and letter of every fruit and cream of a turned card."""
    return [
        (row, column, letter)
        for row, line in enumerate(turned(card, quarters))
        for column, letter in enumerate(line)
        if letter != TRANSPARENT
    ]


def can_lie(board: Grid, visible: Grid, card: Grid, at: Place) -> bool:
    """Q9, Q10: whether a card may be placed there, looked at cell by cell."""
    top, left, quarters = at
    for down, right, letter in printed(card, quarters):
        row, column = top + down, left + right
        if not (0 <= row < len(board) and 0 <= column < len(board[0])):
            return False  # off the square
        if board[row][column] != MARK:
            return False  # not on a mark
        if letter in FRUITS and visible[row][column] in FRUITS:
            return False  # fruit over visible fruit
    return True


def place_id(at: Place, board: Grid, card: Grid) -> int:
    """The action id of a place, by the formula of the page."""
    (row, column, quarters), k = at, len(card)
    width = len(board[0]) + k - 1
    return ((row + k - 1) * width + (column + k - 1)) * 4 + quarters


def all_places(board: Grid, card: Grid) -> Iterator[Place]:
    """Every place with an action id, in the order of the ids."""
    k = len(card)
    for row in range(-(k - 1), len(board)):
        for column in range(-(k - 1), len(board[0])):
            for quarters in QUARTER_TURNS:
                yield row, column, quarters


def legal_by_cells(board: Grid, visible: Grid, card: Grid, *, redrawn: bool) -> list[int]:
    """Q8, Q9, Q10, Q16: the legal actions, found place by place and cell by cell."""
    looks = [turned(card, quarters) for quarters in QUARTER_TURNS]
    smallest = [looks.index(look) == quarters for quarters, look in enumerate(looks)]
    legal = [
        place_id(at, board, card)
        for at in all_places(board, card)
        if smallest[at[2]] and can_lie(board, visible, card, at)
    ]
    collect = 4 * (len(board) + len(card) - 1) * (len(board[0]) + len(card) - 1)
    return [*legal, collect] if redrawn else [*legal, collect, collect + 1]


def laid(visible: Grid, card: Grid, at: Place) -> Grid:
    """What shows once a card lies there."""
    top, left, quarters = at
    rows = [list(row) for row in visible]
    for down, right, letter in printed(card, quarters):
        rows[top + down][left + right] = letter
    return tuple("".join(row) for row in rows)


def bare(board: Grid) -> Grid:
    """What shows on a board without a card."""
    return (TRANSPARENT * len(board[0]),) * len(board)


def place_of(action: int, board: Grid, card: Grid) -> Place:
    """The place that an action id means; its inverse is `place_id`."""
    k = len(card)
    corner, quarters = divmod(action, 4)
    row, column = divmod(corner, len(board[0]) + k - 1)
    return row - (k - 1), column - (k - 1), quarters


# ==================================================================== plays


def start(components: ComponentFile | None = None, players: int = 2, **options: Any) -> Game:
    """A game at its first draw."""
    return Game("quatre_v0", players=players, components=components, **options)


def draw(game: Game, kind: int) -> None:
    """The card of a play comes: this kind."""
    assert game.node == "chance"
    game.apply_chance(kind)


def place(game: Game, kind: int, row: int, column: int, quarters: int = 0) -> None:
    """A whole play: the kind comes and is placed."""
    draw(game, kind)
    game.apply(square_id(row, column, quarters))


def collect(game: Game, kind: int) -> None:
    """A whole play: the kind comes and is collected."""
    draw(game, kind)
    game.apply(COLLECT)


def redraw(game: Game, kind: int) -> None:
    """The card drawn goes back, and this kind comes."""
    game.apply(REDRAW)
    draw(game, kind)


def square_id(row: int, column: int, quarters: int = 0) -> int:
    """The action id of a place in the published square."""
    return place_id((row, column, quarters), CAKE, PUBLISHED.cards[0])


def places(game: Game) -> list[Place]:
    """Where the card drawn may be placed, in the published square."""
    return [
        place_of(action, CAKE, PUBLISHED.cards[0])
        for action in game.legal_actions()
        if action < COLLECT
    ]


def outcomes(game: Game) -> list[int]:
    """The kinds that can come."""
    return [kind for kind, _ in game.chance_outcomes()]


def random_step(game: Game, rng: random.Random) -> None:
    """One event at random, all as likely as each other."""
    if game.node == "chance":
        game.apply_chance(rng.choice(outcomes(game)))
    else:
        game.apply(rng.choice(game.legal_actions()))


def play_out(game: Game, rng: random.Random) -> Game:
    """The game, played to its end at random."""
    while game.node != "over":
        random_step(game, rng)
    return game


# ==================================================================== reading a position


def picture(game: Game) -> Grid:
    """What shows in every cell of the board's square."""
    marks = game.engine.setup.parts[0]["marks"]
    letters = TRANSPARENT + FRUITS + CREAM
    shown = game.state["board"].reshape(marks.shape)
    return tuple("".join(letters[symbol] for symbol in row) for row in shown)


def scorings(game: Game) -> list[list[int]]:
    """The points of every seat in each scoring so far."""
    return [event["points"] for event in game.record()["events"] if event["kind"] == "score"]


def bag(game: Game) -> Counter[int]:
    """How many of each kind are in the bag, counted from the events."""
    copies = game.engine.setup.parts[0]["copies"].tolist()
    held = Counter(dict(enumerate(copies)))
    card = None
    for event in game.record()["events"]:
        if event["kind"] == "chance":
            card = event["outcome"]
            held[card] -= 1
        elif event["kind"] == "decision" and event["action"] == game.engine.actions - 1:
            assert card is not None
            held[card] += 1
    return +held


# ==================================================================== many games


def random_records(
    games: int, seed: int, *, collecting: float = 0.0, redrawing: float = 0.0, **options: Any
) -> Iterator[dict[str, Any]]:
    """The records of random games, one a table.

    Args:
        games: How many.
        seed: The seed of the tables.
        collecting: How often a card is collected whatever else could be done with it.
        redrawing: How often it is redrawn where that is legal.
        **options: The options of the games.
    """
    tables = make_vec(
        "quatre_v0", tables=games, seed=seed, autoreset=False, keep_actions=True, **options
    )
    rng = np.random.default_rng(seed)
    collect = tables.actions - 2
    while (rows := np.flatnonzero(tables.seat >= 0)).size:
        actions, dice = tables.sample(rows), rng.random(rows.size)
        actions[dice < collecting] = collect
        may_redraw = tables.action_mask[rows, collect + 1] == 1
        actions[(dice > 1 - redrawing) & may_redraw] = collect + 1
        tables.step(actions, rows)
    for row in range(games):
        yield tables.record(row)


#: The largest board that there can be, of 16 x 16 marks; strawberries, blueberries and cream.
LARGEST = component_text(["+" * 16] * 16, [["s"], ["b"], ["c"]], [120, 60, 60], head=["turns = 60"])
