"""Options of a game: declared once, then checked, documented and recorded from there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tefuda.envs.core.errors import OptionError


@dataclass(frozen=True)
class Option:
    """One option of a game.

    Attributes:
        name: The keyword.
        default: Its value when not given; None where the game works it out.
        allowed: The allowed values: a range, or a tuple of words.
        meaning: One line for the docs.
        only_with: (option, value) without which this option does not apply, or None.
    """

    name: str
    default: Any
    allowed: range | tuple[str, ...]
    meaning: str
    only_with: tuple[str, str] | None = None

    def applies(self, options: Mapping[str, Any]) -> bool:
        """Whether the option means anything beside these (earlier) options."""
        return self.only_with is None or options.get(self.only_with[0]) == self.only_with[1]

    def describe_allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.allowed, range):
            return f"an integer from {self.allowed.start} to {self.allowed.stop - 1}"
        return "one of " + ", ".join(repr(word) for word in self.allowed)

    def check(self, value: Any) -> Any:
        """Returns `value` if it is allowed.

        Raises:
            OptionError: It is not; the message names option, value and what is allowed.
        """
        kind = int if isinstance(self.allowed, range) else str
        if not isinstance(value, kind) or isinstance(value, bool) or value not in self.allowed:
            raise OptionError(
                f"option {self.name}={value!r} is not allowed; it must be {self.describe_allowed()}"
            )
        return value


REWARD = Option(
    "reward",
    "win",
    ("win", "score"),
    'what is paid: "win" once at the end, or "score" the points after every scoring',
)


def resolve(declared: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the given options and fills in the defaults of those that apply.

    An option given as None counts as not given.

    Raises:
        OptionError: An option is unknown, not allowed, or does not apply beside the others.
    """
    names = [option.name for option in declared]
    for name in given:
        if name not in names:
            raise OptionError(f"unknown option {name!r}; this game has {', '.join(names)}")
    resolved: dict[str, Any] = {}
    for option in declared:
        value = given.get(option.name)
        if not option.applies(resolved):
            if value is not None:
                assert option.only_with is not None
                raise OptionError(
                    f"option {option.name}={value!r} applies only with "
                    f"{option.only_with[0]}={option.only_with[1]!r}"
                )
            continue
        resolved[option.name] = option.default if value is None else option.check(value)
    return resolved
