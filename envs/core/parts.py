"""Component files: TOML that a person can edit, read and checked with errors that say where."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from tefuda.envs.core.errors import ComponentError

Value = TypeVar("Value")

_TYPE_WORDS: dict[type, str] = {
    int: "an integer",
    str: "a text",
    list: "a list",
    dict: "a table",
    bool: "true or false",
}


@dataclass(frozen=True)
class ComponentFile:
    """A component file as read: its text, its parsed data, and how to complain about it.

    Attributes:
        source: Where it came from, for messages.
        text: The whole file, lines ended by a newline character alone.
        data: The parsed TOML.
        shipped: Whether it came with the package (records then need not carry the text).
    """

    source: str
    text: str
    data: Mapping[str, Any]
    shipped: bool

    @property
    def name(self) -> str:
        """The file's own name for its components."""
        return self.get("name", str)

    @property
    def sha256(self) -> str:
        """The hash of the text as UTF-8, which identifies the components in records."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def describe(self) -> dict[str, str]:
        """The `components` entry of a record."""
        identity = {"name": self.name, "sha256": self.sha256}
        return identity if self.shipped else {**identity, "text": self.text}

    def fail(self, place: str, fact: str) -> NoReturn:
        """Raises the error that names file, place and the broken fact."""
        raise ComponentError(f"{self.source}: {place}: {fact}")

    def get(self, key: str, kind: type[Value], default: Value | None = None) -> Value:
        """The value at a dotted key, which must be of the given type.

        Raises:
            ComponentError: It is missing (and there is no default) or of another type.
        """
        value: Any = self.data
        for step in key.split("."):
            if not isinstance(value, Mapping) or step not in value:
                if default is not None:
                    return default
                self.fail(key, "is missing")
            value = value[step]
        return self.typed(key, value, kind)

    def typed(self, place: str, value: Any, kind: type[Value]) -> Value:
        """Returns `value` if it is of the given type, else complains."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            self.fail(place, f"{value!r} must be {_TYPE_WORDS[kind]}")
        return value

    def only_keys(self, place: str, table: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
        """Complains of the first key of a table that means nothing."""
        for key in table:
            if key not in allowed:
                self.fail(
                    f"{place}.{key}" if place else key,
                    f"is not known; allowed are {', '.join(allowed)}",
                )


#: What the option `components` can be.
Components = str | Path | ComponentFile | None


def read_components(components: Components, folder: Path, default: str) -> ComponentFile:
    """Reads a component file.

    Args:
        components: The name of a file that the game ships, or the path of a file of one's own
            (anything that ends in `.toml`), or a file already read, or None for the default.
        folder: Where the game's shipped files are.
        default: The name of the default one.

    Raises:
        ComponentError: There is no such file, or it is no TOML.
    """
    if isinstance(components, ComponentFile):
        return components
    wanted = str(components) if components is not None else default
    own = wanted.endswith(".toml")
    path = Path(wanted) if own else folder / f"{wanted}.toml"
    if not path.is_file() or (not own and path.parent != folder):
        shipped = ", ".join(sorted(repr(file.stem) for file in folder.glob("*.toml")))
        raise ComponentError(
            f"components={wanted!r}: there is no such file; allowed are the path of a .toml file, "
            f"or one of {shipped}"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ComponentError(f"components={wanted!r} cannot be read: {error}") from error
    return parse_components(text, wanted if own else path.name, shipped=not own)


def parse_components(text: str, source: str, *, shipped: bool = False) -> ComponentFile:
    """Parses the text of a component file.

    Raises:
        ComponentError: The text is no TOML; the message says line and column.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ComponentError(f"{source}: not a TOML file: {error}") from error
    return ComponentFile(source, text, data, shipped)
