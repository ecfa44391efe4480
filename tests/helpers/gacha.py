"""Positions of gacha, dealt and played by hand: hands, chance and decisions are all given.

Cards are named by the number printed on them, seats by number, positions in a trick from 0.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from oracles.gacha import CARDS_USED, MISERE_VP, RANK_WP, Card, reconstruction, set_score
from tefuda.envs import Game
from tefuda.envs.core.parts import ComponentFile, parse_components

COLOURS = ("red", "blue", "yellow", "green", "purple", "black")
RED, BLUE, YELLOW, GREEN, PURPLE, BLACK = range(6)

# Action ids, as the rules page lists them.
FOLLOW = {"must": 110, "must-not": 111, "may": 112}
REDRAW, KEEP = 113, 114

#: The deck by the rules page (G2, G3), not by the package's file.
DECK: Mapping[int, Card] = reconstruction()

Icons = Mapping[int, Sequence[str]]
#: A card without icons for every number.
NO_ICONS: Icons = {}


# ==================================================================== decks


def card_line(number: int, colour: str, icons: Sequence[str] = ()) -> str:
    """A card of a deck file."""
    words = ", ".join(f'"{icon}"' for icon in icons)
    return f'    {{ number = {number}, colour = "{colour}", icons = [{words}] }},'


def short_deck(
    players: int, hand_size: int, *, cards: int | None = None, icons: Icons | None = None
) -> ComponentFile:
    """The published deck with shorter hands and as many tricks, as a research variant.

    Args:
        players: The number of seats.
        hand_size: Cards in a hand, and tricks in a round.
        cards: The numbers in use are 1 to this; None: as published.
        icons: What the cards carry; None: as published.
    """
    published = 3 if players == 2 else players
    colours = [sum(card.colour == colour for card in DECK.values()) for colour in range(6)]
    lines = [
        'name = "short hands"',
        'variant = "short hands"',
        "[facts]",
        f"hand_size = {hand_size}",
        f"tricks = {hand_size}",
        "[facts.colours]",
        *(f"{name} = {count}" for name, count in zip(COLOURS, colours, strict=True)),
        f"[facts.players.{players}]",
        f"cards = {cards or CARDS_USED[published]}",
        f"misere = {list(MISERE_VP[published].values())[: players - 1]}",
        f"rank_wp = {list(RANK_WP[published])}",
    ]
    faces = {n: card.icons if icons is None else icons.get(n, ()) for n, card in DECK.items()}
    rows = [card_line(n, COLOURS[card.colour], faces[n]) for n, card in DECK.items()]
    text = "\n".join([*lines[:2], "cards = [", *rows, "]", *lines[2:]]) + "\n"
    return parse_components(text, "short hands")


def cards_of(colour: int, most: int = 55) -> list[int]:
    """The numbers up to `most` of a colour, rising."""
    return [number for number, card in DECK.items() if card.colour == colour and number <= most]


# ==================================================================== dealing and playing


def deal(
    hands: Sequence[Sequence[int]],
    *,
    first_leader: int = 0,
    cards: int | None = None,
    icons: Icons | None = None,
    **options: Any,
) -> Game:
    """A game at its first decision, in which seat k holds `hands[k]` and nothing else.

    Hands of ten are those of the published game. Shorter ones come from `short_deck`, and the
    round has as many tricks as a hand has cards.
    """
    players, size = len(hands), len(hands[0])
    if size < 10 or cards is not None or icons is not None:
        options["components"] = short_deck(players, size, cards=cards, icons=icons)
    game = Game("gacha_v0", players=players, **options)
    game.apply_chance(first_leader)
    deal_round(game, hands)
    return game


def deal_round(game: Game, hands: Sequence[Sequence[int]]) -> None:
    """Deals the present round."""
    for seat, hand in enumerate(hands):
        for number in hand:
            assert (game.chance_name, game.seat) == ("deal", seat)
            game.apply_chance(number)
    assert asked(game) == "follow"


def play(game: Game, *numbers: int) -> None:
    """Plays cards, one seat after the other; redraws are declined."""
    for number in numbers:
        game.apply(number - 1)
        if asked(game) == "redraw":
            game.apply(KEEP)


def play_trick(
    game: Game,
    follow: str,
    numbers: Sequence[int],
    *,
    dust: Sequence[int] = (),
    ball: int | None = None,
) -> None:
    """Plays a trick: the follow type, the cards from the leader on, then dust and ball."""
    game.apply(FOLLOW[follow])
    play(game, *numbers)
    for position in dust:
        discard(game, position)
    if ball is not None:
        assert game.chance_name == "ball"
        game.apply_chance(ball)


def redraw(game: Game, drawn: int | None, returned: int) -> None:
    """Redraws: `drawn` comes by chance (None: a returned card comes), `returned` goes back."""
    game.apply(REDRAW)
    if drawn is not None:
        assert game.chance_name == "stock"
        game.apply_chance(drawn)
    put_back(game, returned)


def put_back(game: Game, number: int) -> None:
    """Puts a card of the hand at the bottom of the stock."""
    game.apply(number + 54)


def discard(game: Game, position: int) -> None:
    """The winner discards the card at a position of the trick."""
    game.apply(115 + position)


def random_action(game: Game, rng: random.Random, *, redraws: float = 0.5) -> int:
    """A random legal action that redraws with the probability `redraws`."""
    legal = game.legal_actions()
    if legal == [REDRAW, KEEP]:
        return REDRAW if rng.random() < redraws else KEEP
    return rng.choice(legal)


# ==================================================================== reading a position


def asked(game: Game) -> str:
    """What is asked ("follow", "play", "redraw", "return", "dust"), told by the legal actions.

    At a chance node its name, and "over" at the end.
    """
    if game.node == "chance":
        return game.chance_name
    if game.node == "over":
        return "over"
    lowest = game.legal_actions()[0]
    ends = {"play": 55, "return": 110, "follow": 113, "redraw": 115, "dust": 120}
    return next(name for name, end in ends.items() if lowest < end)


def playable(game: Game) -> list[int]:
    """The numbers that may be played."""
    assert asked(game) == "play"
    return [action + 1 for action in game.legal_actions()]


def discardable(game: Game) -> list[int]:
    """The positions that may be discarded."""
    assert asked(game) == "dust"
    return [action - 115 for action in game.legal_actions()]


def outcomes(game: Game) -> list[int]:
    """The outcomes of a chance node."""
    return [outcome for outcome, _ in game.chance_outcomes()]


def hand(game: Game, seat: int) -> list[int]:
    """The numbers that a seat holds, rising."""
    return [number for number in DECK if int(game.state["hand"][seat]) >> (number - 1) & 1]


def face_down(game: Game) -> list[int]:
    """The positions of the trick that lie face down."""
    return [k for k in range(game.players) if int(game.state["trick_down"]) >> k & 1]


def trump(game: Game) -> int:
    """The trump colour."""
    return int(game.state["trump"])


def order(game: Game) -> str:
    """The number order, "high" or "low"."""
    return ("high", "low")[int(game.state["order"])]


def bag(game: Game) -> list[int]:
    """The colours of the balls in the bag."""
    return [colour for colour in range(5) if int(game.state["bag"]) >> colour & 1]


def won(game: Game, seat: int) -> dict[str, int]:
    """What a seat has won in this round: cards by colour, "down", and "T"; zeros left out."""
    names = (*COLOURS, "down", "T")
    return {k: int(n) for k, n in zip(names, game.state["won"][seat], strict=True) if n}


def trick_points(game: Game) -> list[int]:
    """The T points of every seat."""
    return [won(game, seat).get("T", 0) for seat in range(game.players)]


def scored(game: Game) -> int:
    """How many rounds have been scored."""
    return int(game.state["scorings"])


def last_vp(game: Game) -> list[int]:
    """The VP of every seat in the round that was scored last."""
    assert scored(game)
    return [int(vp) for vp in game.state["vp"][: game.players]]


def last_points(game: Game) -> list[int]:
    """The points (WP or VP) of every seat in the round that was scored last."""
    assert scored(game)
    return [int(points) for points in game.state["points"][: game.players]]


# ==================================================================== rounds with a wanted score


def to_last_ball(game: Game) -> Game:
    """The game at the ball node of the present round's last trick, by random play.

    There all cards are taken, and the round is scored as soon as the ball is drawn.
    """
    played = len(game.values)
    for attempt in range(200):
        twin, rng = game.clone(), random.Random(attempt)
        while (
            twin.node != "over" and twin.totals == game.totals and len(twin.values) < played + 999
        ):
            if twin.node == "chance" and twin.chance_name == "ball" and not any(_hands(twin)):
                return twin
            _step_at_random(twin, rng)
    raise AssertionError("no round ended with a ball")


def _hands(game: Game) -> list[list[int]]:
    return [hand(game, seat) for seat in range(game.players)]


def _step_at_random(game: Game, rng: random.Random) -> None:
    if game.node == "chance":
        game.apply_chance(rng.choice(outcomes(game)))
    else:
        game.apply(random_action(game, rng, redraws=0.0))


def end_round(game: Game, vp: Sequence[int], *, tricks: Sequence[int] | None = None) -> Game:
    """The game after the present round, in which every seat had this VP.

    The cards won are put into the game's state (where no rule looks at them any more but that
    of the score), so that the VP come out; the score itself is counted by the game. Such a game
    has no valid record.

    Args:
        game: The game, somewhere in the round; it is left as it is.
        vp: The VP of every seat.
        tricks: The T points of every seat; one by default.
    """
    game = to_last_ball(game)
    for seat, points in enumerate(vp):
        t_points = 1 if tricks is None else tricks[seat]
        game.state["won"][seat] = won_row(points, t_points)
    game.apply_chance(outcomes(game)[0])
    assert last_vp(game) == list(vp)
    return game


@cache
def won_row(vp: int, t_points: int) -> tuple[int, ...]:
    """Won cards that make `vp` together with `t_points` (a row of the record's `won`)."""
    if t_points == 0:
        return (0,) * 8  # misère: the number of such seats decides
    for total in range(40):
        for colours in _splits(total, 5, total):
            if set_score(tuple(sorted(colours)), t_points) == vp:
                return (*colours, 0, 0, t_points)
    raise AssertionError(f"no cards make {vp} VP with {t_points} T points")


def _splits(total: int, places: int, most: int) -> Collection[tuple[int, ...]]:
    """All falling rows of `places` numbers with this total, none above `most`."""
    if places == 0:
        return [()] if total == 0 else []
    return [
        (first, *rest)
        for first in range(min(total, most), -1, -1)
        for rest in _splits(total - first, places - 1, first)
    ]
