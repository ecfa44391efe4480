"""What tests of every game share: which games there are, and random play in any of them."""

import importlib
import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from helpers import tiny
from tefuda.envs import GAMES, Game
from tefuda.envs.core.registry import find_game, register_game
from tefuda.envs.core.spec import GameSpec

TINY = tiny.GAME.id
#: The registered games and the tiny one; a test that uses it by name has the fixture `tiny_game`.
EVERY_GAME = (*GAMES, TINY)

#: Options that make games short; a game that is not named here is played as it is by default.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 2},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 2},
}
#: Further options by game that change what is dealt, asked or seen.
VARIED: dict[str, list[dict[str, Any]]] = {
    "gacha_v0": [
        {"players": 4, "max_rounds": 2},
        {"players": 5, "scoring": "vp", "rounds": 1, "tie": "draw", "trump_draw": "shuffle"},
    ],
    "quatre_v0": [{"players": 3}, {"players": 2, "two_player_turns": "fruit"}, {"players": 4}],
    "torutorento_v0": [{"players": 4, "max_rounds": 1}, {"players": 5, "max_rounds": 1}],
    TINY: [{"players": 2}],
}

Array = npt.NDArray[Any]
Option = tuple[str, Any]


class Oracle(Protocol):
    """The second implementation of a game, as far as records go."""

    def judge(self, record: dict[str, Any]) -> None: ...


def spec_of(name: str) -> GameSpec:
    """A game by its name, the tiny one too."""
    return tiny.GAME if name == TINY else find_game(name)


def encodings(names: tuple[str, ...] = EVERY_GAME) -> list[tuple[str, str]]:
    """(game, encoder) for every encoder of the games."""
    return [(name, encoder) for name in names for encoder in spec_of(name).encoders]


def short(name: str) -> dict[str, Any]:
    """Options of a short game."""
    return SHORT.get(name, {})


def all_options(name: str) -> list[dict[str, Any]]:
    """The options of the short game and of the varied ones."""
    return [short(name), *VARIED.get(name, [])]


def oracle_of(name: str) -> Oracle:
    """The second implementation of a registered game."""
    module: ModuleType = importlib.import_module(f"oracles.{find_game(name).name}")
    return cast(Oracle, module)


def register_tiny() -> None:
    """Makes the tiny game known in this process; the fixture `tiny_game` forgets it again."""
    register_game(tiny.GAME)


def pieces_of(observation: Any) -> dict[str, Array]:
    """An observation as named arrays, also where it is one array."""
    return observation if isinstance(observation, dict) else {"": observation}


def same_observation(one: Any, other: Any) -> bool:
    """Whether two observations are equal, name by name."""
    first, second = pieces_of(one), pieces_of(other)
    return first.keys() == second.keys() and all(
        np.array_equal(array, second[name]) for name, array in first.items()
    )


def step_at_random(game: Game, rng: random.Random) -> int:
    """Plays a random action or outcome; returns it."""
    if game.node == "chance":
        outcomes = game.chance_outcomes()
        (value,) = rng.choices(
            [outcome for outcome, _ in outcomes], [weight for _, weight in outcomes]
        )
        game.apply_chance(value)
    else:
        value = rng.choice(game.legal_actions())
        game.apply(value)
    return value


def random_positions(game: Game, rng: random.Random) -> Iterator[Game]:
    """The positions of a random course of the game, from its present node to its end, included."""
    while game.node != "over":
        yield game
        step_at_random(game, rng)
    yield game


def play_to_end(game: Game, rng: random.Random) -> Game:
    """Plays at random to the end, chance from the game's own stream."""
    game.settle()
    while game.node != "over":
        game.apply(rng.choice(game.legal_actions()))
        game.settle()
    return game


def random_record(name: str, seed: int, **options: Any) -> dict[str, Any]:
    """The record of a random game with the key (seed, 0, 0)."""
    game = Game(name, seed=(seed, 0, 0), **options)
    return play_to_end(game, random.Random(seed)).record()


def some_positions(
    name: str, seed: int, count: int, *, share: float = 1.0, encoder: str | None = None
) -> Iterator[Game]:
    """Random positions of random games, with all options in turn.

    Args:
        name: The game.
        seed: Of the random play.
        count: How many positions.
        share: The part of the positions on the way that is given; the others are passed over.
        encoder: How observations are written.
    """
    rng = random.Random(seed)
    while True:
        for options in all_options(name):
            for game in random_positions(Game(name, encoder=encoder, **options), rng):
                if rng.random() < share:
                    if count == 0:
                        return
                    yield game
                    count -= 1


def everything(game: Game) -> tuple[Any, ...]:
    """All that makes up a game, to see that it has not changed."""
    return fields_of(game._games), game.values, game.key


def fields_of(records: Any) -> tuple[bytes, ...]:
    """What stands in records, field by field: between fields there may be anything."""
    return tuple(records[name].tobytes() for name in records.dtype.names)
