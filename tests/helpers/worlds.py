"""All worlds that a seat cannot tell from the real one, by walking the tree: small games only."""

from collections import Counter
from collections.abc import Callable, Collection

from tefuda.envs import Game
from tefuda.envs.core.game import Seen

Values = tuple[int, ...]
#: Tells whether an outcome or action may come next, to spare courses that differ in nothing.
Allowed = Callable[[Game, int], bool]


def all_worlds(
    game: Game, seat: int, allowed: Allowed = lambda game, value: True
) -> Counter[Values]:
    """The weights of all courses that show `seat` what it has seen of `game`.

    A course weighs the product of its chance probabilities, and of 1 / n for each choice among n
    legal actions that the seat did not see.

    Args:
        game: A game from its beginning on.
        seat: Whose knowledge.
        allowed: May leave out courses, as long as it leaves out the same share of each kind.

    Returns:
        The weights by the values of the course.
    """
    known = game.information_state(seat)
    found: Counter[Values] = Counter()  # of floats; Counter.total() sums them
    walk(Game(game.engine), seat, known, 1.0, allowed, found)
    return found


def walk(
    game: Game,
    seat: int,
    known: tuple[Seen, ...],
    weight: float,
    allowed: Allowed,
    found: Counter[Values],
) -> None:
    """Follows every branch that the seat takes for possible."""
    state = game.information_state(seat)
    if state != known[: len(state)]:
        return
    if len(state) == len(known):
        found[game.values] += weight  # type: ignore[assignment]  # a weight, not a count
        return
    unseen = known[len(state)].value is None
    for value, probability in branches(game, unseen):
        if (unseen or value == known[len(state)].value) and allowed(game, value):
            twin = game.clone()
            twin.advance(value)
            walk(twin, seat, known, weight * probability, allowed, found)


def branches(game: Game, unseen: bool) -> Collection[tuple[int, float]]:
    """What can come next, with its weight; a decision that is seen weighs nothing."""
    if game.node == "chance":
        return game.chance_outcomes()
    legal = game.legal_actions()
    return [(action, 1 / len(legal) if unseen else 1.0) for action in legal]
