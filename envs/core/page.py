"""The page of a game in Markdown: its own text, and tables made from the code."""

import inspect
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from tefuda.envs.core.engine import Engine, has_board
from tefuda.envs.core.options import Option
from tefuda.envs.core.sections import Section
from tefuda.envs.core.spec import GameSpec, Setup


def page(spec: GameSpec, picture: str | None = None) -> str:
    """The page of a game with its default options.

    Args:
        spec: The game.
        picture: Where a picture of it lies, as seen from the page.

    Returns:
        Markdown: what the game's package says of itself, then options, actions, chance and
        observations.
    """
    setup = spec.setup()
    parts = [
        f"# {spec.name}",
        *([f"![A table of {spec.name}]({picture})"] if picture else []),
        inspect.cleandoc(import_module(spec.rules.__package__ or "").__doc__ or ""),
        "## Options",
        table(("option", "default", "allowed", "meaning"), map(_option_row, spec.options)),
        f"## Actions\n\n{setup.actions} with the default options.",
        table(("ids", "meaning"), _action_rows(spec, setup)),
        "## Chance",
        table(("event", "outcome"), sorted(spec.text.CHANCE_MEANINGS.items())),
        "## Observations",
    ]
    for encoder in spec.encoders:
        engine = Engine(spec, setup, encoder)
        parts += [f"### {encoder}", _shape_line(engine), section_table(engine.sections)]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def section_table(sections: Sequence[Section]) -> str:
    """The sections of an observation as a table in Markdown."""
    return table(("section", "offset", "length", "highest", "meaning"), map(_section_row, sections))


def _section_row(section: Section) -> tuple[Any, ...]:
    meaning = section.meaning
    if section.fields:
        fields = ", ".join(f"{field.name} ({field.size})" for field in section.fields)
        meaning = f"{meaning}; fields (vocabulary): {fields}"
    return f"`{section.name}`", section.offset, section.length, section.high, meaning


def _option_row(option: Option) -> tuple[Any, ...]:
    default = "by the game" if option.default is None else f"`{option.default!r}`"
    meaning = option.meaning
    if option.only_with:
        name, value = option.only_with
        meaning = f"{meaning}; only with `{name}={value!r}`"
    return f"`{option.name}`", default, option.describe_allowed(), meaning


def _action_rows(spec: GameSpec, setup: Setup) -> Iterable[tuple[str, str]]:
    for actions, meaning in spec.text.action_ranges(setup):
        last = actions.stop - 1
        ids = f"{actions.start}" if len(actions) == 1 else f"{actions.start}-{last}"
        yield ids, meaning


def _shape_line(engine: Engine) -> str:
    if engine.pieces:
        pieces = ", ".join(f"`{name}` {shape}" for name, shape in engine.pieces.items())
        return f"A dict: {pieces}.{_box_line(engine)}"
    return f"Shape {engine.shape}."


def _box_line(engine: Engine) -> str:
    if not has_board(engine.pieces):
        return ""
    box = Engine(engine.spec, engine.setup, engine.encoder, "box").shown_shape
    return f' With `planes="box"` one array {box}: constant planes last.'
