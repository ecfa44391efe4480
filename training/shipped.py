"""The policies that come with tefuda: where they lie, and what their cards say.

Each game has NAME.zip, the policy, and its card twice: NAME.json for programs, NAME.md for people
(see `tefuda.training.ship`, which writes them). What a policy was trained for is read from the
card alone, so that a newer tefuda, whose trainer has other settings, can still load it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.envs.core.registry import find_game

#: Where the shipped policies lie.
POLICIES = Path(__file__).parent / "policies"

#: What is paid for decides nothing of what can be played.
_REWARD = "reward"
_COMPONENTS = "components"
_PLAYERS = "players"


@dataclass(frozen=True)
class PolicyCard:
    """What is known of a shipped policy.

    Attributes:
        model: Its file.
        facts: All that the card says, see `tefuda.training.ship`.
    """

    model: Path
    facts: Mapping[str, Any]

    @classmethod
    def find(cls, game: str) -> "PolicyCard":
        """The card of a game's shipped policy.

        Raises:
            OptionError: There is no such game.
            TefudaError: It has no shipped policy, or its card cannot be read.
        """
        name = find_game(game).name
        file = POLICIES / f"{name}.json"
        if not file.is_file():
            known = ", ".join(shipped_games()) or "no game"
            raise TefudaError(f"{name} has no shipped policy; there is one for {known}")
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            return cls(POLICIES / facts["file"]["name"], facts)
        except (ValueError, KeyError, TypeError) as error:
            raise TefudaError(f"{file} is no model card: {error!r}") from error

    def check_file(self) -> None:
        """Sees whether the policy's file is the one that the card tells of.

        Raises:
            TefudaError: It is missing or another.
        """
        if not self.model.is_file():
            raise TefudaError(f"there is no model at {self.model}")
        if file_hash(self.model) != self.facts["file"]["sha256"]:
            raise TefudaError(f"{self.model} is not the file that its card tells of")

    def check_game(self, engine: Engine) -> None:
        """Sees whether a game is the one that the policy was trained for.

        Raises:
            OptionError: It is another game, or has other players, options or components.
        """
        trained = self.facts["trained_for"]
        if engine.spec.id != trained["game"]:
            raise OptionError(f"the shipped policy plays {trained['game']}, not {engine.spec.id}")
        defaults = {option.name: option.default for option in engine.spec.options}
        learnt, here = {**defaults, **_conditions(trained)}, _conditions(game_facts(engine))
        others = [name for name, value in here.items() if learnt.get(name) != value]
        if others:
            raise OptionError(
                f"the shipped policy of {engine.spec.name} was trained for "
                f"{describe_conditions(trained)}, not for "
                + ", ".join(_describe(name, here[name]) for name in others)
            )


def shipped_games() -> list[str]:
    """The games that have a shipped policy."""
    return sorted(file.stem for file in POLICIES.glob("*.json"))


def game_facts(engine: Engine) -> dict[str, Any]:
    """What a game is: its name, players, options and components, as a card says it."""
    setup = engine.setup
    return {
        "game": engine.spec.id,
        "players": setup.players,
        "options": {name: value for name, value in setup.options.items() if name != _REWARD},
        "components": setup.components.describe(),
    }


def describe_conditions(facts: Mapping[str, Any]) -> str:
    """Players, options and components of `game_facts` in words."""
    return ", ".join(_describe(name, value) for name, value in _conditions(facts).items())


def _conditions(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What has to be equal; components by name and hash."""
    components = facts["components"]
    return {
        _PLAYERS: facts["players"],
        **facts["options"],
        _COMPONENTS: (components["name"], components["sha256"]),
    }


def _describe(name: str, value: Any) -> str:
    if name == _COMPONENTS:
        deck, digest = value
        return f"components={deck!r} (sha256 {digest[:8]})"
    return f"{name}={value!r}"


def file_hash(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
