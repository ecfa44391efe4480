"""What a game hands to the core: its verbs, its encoders, its words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from tefuda.envs.core.jit import Record, Records
from tefuda.envs.core.options import Option
from tefuda.envs.core.parts import ComponentFile
from tefuda.envs.core.sections import Section, total_length


@dataclass(frozen=True)
class Setup:
    """A game with all its options and components settled.

    Attributes:
        players: The number of seats P.
        options: Every option but players and components, by its resolved value.
        components: The component file.
        parts: The read-only record of the kernels, in an array of one.
        dtype: The dtype of the game's record; the same object for equal sizes.
        actions: The number of actions A.
        max_outcomes: The largest number of outcomes of a chance node.
        max_events: The largest number of events of a game (decisions and chance outcomes), where
            the game knows a better bound than the size of its record.
    """

    players: int
    options: Mapping[str, Any]
    components: ComponentFile
    parts: Records
    dtype: np.dtype[Any]
    actions: int
    max_outcomes: int
    max_events: int | None = None


@dataclass(frozen=True)
class Encoder:
    """One way to write an observation.

    Attributes:
        observe: The kernel `observe(game, parts, seat, observation)`.
        sections: Gives the sections for a setup.
        shape: Gives the shape in which the D values are shown, (D,) unless told otherwise.
        pieces: Gives the names and shapes of the pieces into which the D values are cut, in their
            order, where an observation is shown as a dict of arrays.
    """

    observe: Callable[[Record, Record, int, Any], None]
    sections: Callable[[Setup], tuple[Section, ...]]
    shape: Callable[[Setup], tuple[int, ...]] | None = None
    pieces: Callable[[Setup], Mapping[str, tuple[int, ...]]] | None = None

    def shape_for(self, setup: Setup) -> tuple[int, ...]:
        """The shape of an observation as users see it."""
        return self.shape(setup) if self.shape else (total_length(self.sections(setup)),)


class Event(NamedTuple):
    """An event as a seat saw it, or as it was.

    Attributes:
        phase: What was asked or drawn, a number of the game's.
        seat: Who acted or received, None where the rules name no seat.
        value: The action or outcome; None where the seat does not see it.
    """

    phase: int
    seat: int | None
    value: int | None


class Text(Protocol):
    """The words of a game, its module `text`."""

    @property
    def CHANCE_NAMES(self) -> Mapping[int, str]:  # noqa: N802 - a constant of a module
        """The name of the chance node of each phase that is one."""
        ...

    @property
    def DECISION_NAMES(self) -> Mapping[int, str]:  # noqa: N802 - likewise
        """What is asked in each phase that is a decision."""
        ...

    @property
    def SCORE_NAME(self) -> str:  # noqa: N802 - likewise
        """The name of a scoring event in records."""
        ...

    @property
    def CHANCE_MEANINGS(self) -> Mapping[str, str]:  # noqa: N802 - likewise
        """What the outcome of each chance node is, by its name."""
        ...

    def action_ranges(self, setup: Setup, /) -> Sequence[tuple[range, str]]:
        """The action ids and what they mean, rising."""
        ...

    def label(self, setup: Setup, action: int, /) -> str:
        """An action in words."""
        ...

    def outcome_label(self, setup: Setup, name: str, outcome: int, /) -> str:
        """A chance outcome in words."""
        ...

    def score_details(self, setup: Setup, game: Record, /) -> dict[str, list[int]]:
        """What a scoring event holds in records beside points and totals."""
        ...

    def ansi(self, setup: Setup, game: Record, seat: int | None, /) -> str:
        """A table in text with ANSI colours, as a seat sees it, or with all cards open."""
        ...


@runtime_checkable
class WordyText(Protocol):
    """What a game's module `text` may hold beside, for players that read."""

    def view(self, setup: Setup, game: Record, seat: int | None, /) -> dict[str, Any]:
        """What a seat knows of the table as JSON, or all of it with None."""
        ...

    def notes(self, setup: Setup, game: Record, seat: int, /) -> list[str]:
        """Lines beside the picture: what a seat remembers, and the rules that matter now."""
        ...


@runtime_checkable
class BoardText(Protocol):
    """What a game's module `text` holds beside, where cards are placed on a board."""

    @property
    def PLACE(self) -> str:  # noqa: N802 - a constant of a module
        """The `kind` of moves that place a card."""
        ...

    def decode(self, setup: Setup, action: int, /) -> Any:
        """A move with `kind`, and `row`, `column`, `turn` where it places a card."""
        ...

    def faces(self, setup: Setup, game: Record, /) -> list[list[str]] | None:
        """The card to be placed in its quarter turns, rows of letters; None where there is none."""
        ...


class Story(Protocol):
    """How a game tells its course in words, its module `story`."""

    def tell(self, setup: Setup, event: Event, /) -> str | None:
        """What a seat saw of an event, in a sentence; None where it is not worth one."""
        ...

    def explain(self, setup: Setup, before: Record, after: Record, /) -> list[str]:
        """What an event led to and by which rule, in sentences that every seat may hear.

        Args:
            setup: The game's setup.
            before: The record before the event.
            after: The record after it.
        """
        ...


@dataclass(frozen=True)
class GameSpec:
    """A game, as `core` knows it.

    Attributes:
        name: Its name, the same as that of its folder.
        version: The number in "NAME_v0"; any observable change of the game makes a new one.
        rules: The module of the verbs (`contract.VERBS`).
        setup: Settles players, components and options: `setup(players, components, **options)`.
        options: The declared options, players first.
        encoders: The encoders by name; the first is the default.
        text: The module of labels and drawings in text.
        greedy: The scripted player's kernel `greedy(game, parts, holder) -> action`.
        folder: The game's folder, or its file if it has only one; its sources decide what compiled
            code does.
    """

    name: str
    version: int
    rules: ModuleType
    setup: Callable[..., Setup]
    options: Sequence[Option]
    encoders: Mapping[str, Encoder]
    text: Text
    folder: Path
    greedy: Callable[[Record, Record, Record], int] | None = field(default=None)
    story: Story | None = field(default=None)

    @cached_property
    def id(self) -> str:
        """The versioned name, "NAME_v0"."""
        return f"{self.name}_v{self.version}"
