"""The games that are known by name."""

from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.spec import GameSpec

_GAMES: dict[str, GameSpec] = {}


def register_game(spec: GameSpec) -> None:
    """Makes a game known by its versioned name "NAME_v0"."""
    _GAMES[spec.id] = spec


def find_game(name: str) -> GameSpec:
    """The game of a name: "NAME_v0", or "NAME" for its newest version.

    Raises:
        OptionError: There is no such game.
    """
    if name in _GAMES:
        return _GAMES[name]
    versions = [spec for spec in _GAMES.values() if spec.name == name]
    if not versions:
        known = ", ".join(repr(game) for game in _GAMES)
        raise OptionError(f"game {name!r} is not known; the games are {known}")
    return max(versions, key=lambda spec: spec.version)


def known_games() -> tuple[GameSpec, ...]:
    """All games, in the order in which they were registered."""
    return tuple(_GAMES.values())
