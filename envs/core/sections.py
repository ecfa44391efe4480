"""Named sections of an observation: one table that encoders fill, tests check and docs print."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Field:
    """A categorical field of a token.

    Attributes:
        name: Its name.
        size: Its vocabulary: values are 0 .. size - 1, and 0 is padding or nothing.
    """

    name: str
    size: int


@dataclass(frozen=True)
class Section:
    """A stretch of an observation.

    Attributes:
        name: Its name.
        length: How many int8 values it has.
        high: The largest value that an entry can take (the smallest is 0).
        meaning: One line for the docs.
        fields: Where the section is rows of tokens, the fields of a row; else empty.
        tokens: How many such rows there are.
        offset: Where it begins; set by `layout`.
    """

    name: str
    length: int
    high: int
    meaning: str
    fields: tuple[Field, ...] = ()
    tokens: int = 0
    offset: int = 0

    @property
    def slice(self) -> slice:
        """Where the section lies in an observation."""
        return slice(self.offset, self.offset + self.length)


def layout(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Puts sections one behind the other."""
    placed: list[Section] = []
    offset = 0
    for section in sections:
        placed.append(replace(section, offset=offset))
        offset += section.length
    return tuple(placed)


def total_length(sections: Sequence[Section]) -> int:
    """D, the number of values of an observation."""
    return sum(section.length for section in sections)


def highs(sections: Sequence[Section]) -> npt.NDArray[np.int8]:
    """The largest value of each entry, (D,)."""
    return np.concatenate([_section_highs(section) for section in sections])


def _section_highs(section: Section) -> npt.NDArray[np.int8]:
    if not section.fields:
        return np.full(section.length, section.high, dtype=np.int8)
    token = np.zeros(section.length // section.tokens, dtype=np.int8)
    token[: len(section.fields)] = [field.size - 1 for field in section.fields]
    return np.tile(token, section.tokens)


def token_section(
    name: str, tokens: int, width: int, meaning: str, fields: Sequence[tuple[str, int]]
) -> Section:
    """A section of `tokens` rows of `width` fields; fields that a row lacks are always 0."""
    named = tuple(Field(*field) for field in fields)
    if len(named) > width:
        raise ValueError(f"section {name!r} has {len(named)} fields, but a token only {width}")
    high = max(field.size for field in named) - 1
    return Section(name, tokens * width, high, meaning, named, tokens)


def vocabulary(sections: Sequence[Section]) -> tuple[int, ...]:
    """The vocabulary of each field of a token, the largest over all sections."""
    width = max(len(section.fields) for section in sections)
    return tuple(
        max(section.fields[k].size for section in sections if k < len(section.fields))
        for k in range(width)
    )
