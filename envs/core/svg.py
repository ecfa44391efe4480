"""What the drawings of all games share: a small builder of SVG, the palette, buttons, text.

An element is made by a function that hangs it into its parent and returns it. Attributes are
keywords; an underscore stands for a hyphen, and one at the end is left out: `stroke_width=2`,
`class_="legal"`. Numbers are user units, of which a drawing has `WIDTH` across.
"""

from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml
from xml.etree.ElementTree import Element

from tefuda.envs.core.contract import NOBODY
from tefuda.envs.core.spec import Setup

__all__ = [
    "ACCENT", "BACK", "CARD_EDGE", "FAINT", "INK", "MARGIN", "OKABE_ITO", "PANEL", "PAPER",
    "QUIET", "SURFACE", "WHITE", "WIDTH", "Element", "Tint", "actionable", "button",
    "canvas", "caption", "circle", "crown", "ellipse", "group", "halo", "header", "line",
    "panel", "path", "polygon", "rect", "seat_disc", "text", "to_text", "who_is_to",
]  # fmt: skip

#: The width of every drawing, and what is left free at its sides.
WIDTH, MARGIN = 800, 16

# ---------------------------------------------------------------- colours
#: The palette of Okabe and Ito, which colour-blind people can tell apart.
OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "purple": "#CC79A7",
}
INK, QUIET, FAINT, WHITE = "#2B2A28", "#6B665C", "#C9C1B0", "#FFFFFF"
SURFACE, PANEL, PAPER, CARD_EDGE = "#F6F1E7", "#ECE5D6", "#FFFDF8", "#B9B09D"
BACK = "#7C8794"
#: What can be chosen, and who acts.
ACCENT = OKABE_ITO["orange"]

_FONTS = (
    "'Noto Sans JP','Noto Sans CJK JP','Hiragino Sans','Yu Gothic','Meiryo',"
    "'Helvetica Neue',Arial,sans-serif"
)
# Where a pointer or the keyboard is, a choice shows it.
_STYLE = (
    ".legal{cursor:pointer;outline:none}"
    ".legal:hover .halo,.legal:focus .halo{stroke:#2B2A28;stroke-width:4}"
    "text{user-select:none}"
)
_NAMESPACE = "http://www.w3.org/2000/svg"
# How much thicker strong letters are drawn, by their size: no font needs a bold face for it.
_STRONG = 0.05


class Tint(NamedTuple):
    """How a kind of thing is told apart: by colour, letter and the colour of what lies on it."""

    fill: str
    letter: str
    on: str


# ==================================================================== elements


def canvas(height: float, title: str) -> Element:
    """An empty drawing with its ground; `title` is its name for screen readers."""
    root = Element(
        "svg",
        {
            "xmlns": _NAMESPACE,
            "viewBox": f"0 0 {WIDTH} {_written(height)}",
            "width": f"{WIDTH}",
            "height": _written(height),
            "font-family": _FONTS,
            "role": "group",
            "aria-label": title,
        },
    )
    Xml.SubElement(root, "title").text = title
    Xml.SubElement(root, "style").text = _STYLE
    rect(root, 0, 0, WIDTH, height, fill=SURFACE)
    return root


def to_text(root: Element) -> str:
    """The drawing as a document."""
    return Xml.tostring(root, encoding="unicode")


def _add(parent: Element, tag: str, attributes: dict[str, Any]) -> Element:
    named = {
        name.rstrip("_").replace("_", "-"): _written(value)
        for name, value in attributes.items()
        if value is not None
    }
    return Xml.SubElement(parent, tag, named)


def _written(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def group(parent: Element, x: float = 0, y: float = 0, **attributes: Any) -> Element:
    """A group whose origin is (x, y) of its parent."""
    if x or y:
        attributes = {"transform": f"translate({_written(x)} {_written(y)})", **attributes}
    return _add(parent, "g", attributes)


def rect(
    parent: Element, x: float, y: float, width: float, height: float, **attributes: Any
) -> Element:
    """A rectangle; `rx` rounds its corners."""
    return _add(parent, "rect", {"x": x, "y": y, "width": width, "height": height, **attributes})


def circle(parent: Element, x: float, y: float, radius: float, **attributes: Any) -> Element:
    """A circle around (x, y)."""
    return _add(parent, "circle", {"cx": x, "cy": y, "r": radius, **attributes})


def ellipse(
    parent: Element, x: float, y: float, across: float, down: float, **attributes: Any
) -> Element:
    """An ellipse around (x, y) with its two radii."""
    return _add(parent, "ellipse", {"cx": x, "cy": y, "rx": across, "ry": down, **attributes})


def line(parent: Element, x: float, y: float, x2: float, y2: float, **attributes: Any) -> Element:
    """A straight line."""
    return _add(parent, "line", {"x1": x, "y1": y, "x2": x2, "y2": y2, **attributes})


def path(parent: Element, d: str, **attributes: Any) -> Element:
    """A path in SVG's own notation."""
    return _add(parent, "path", {"d": d, **attributes})


def polygon(parent: Element, corners: list[tuple[float, float]], **attributes: Any) -> Element:
    """A closed shape with straight sides."""
    points = " ".join(f"{_written(float(x))},{_written(float(y))}" for x, y in corners)
    return _add(parent, "polygon", {"points": points, **attributes})


def text(
    parent: Element,
    x: float,
    y: float,
    words: object,
    size: float = 14,
    *,
    strong: bool = False,
    **attributes: Any,
) -> Element:
    """Words on a base line from x on, or around or up to it (`text_anchor="middle"`, "end")."""
    fill = attributes.pop("fill", INK)
    if strong:
        width = size * _STRONG
        attributes = {
            "stroke": fill,
            "stroke_width": width,
            "stroke_linejoin": "round",
        } | attributes
    element = _add(parent, "text", {"x": x, "y": y, "font_size": size, "fill": fill, **attributes})
    element.text = str(words)
    return element


# ==================================================================== what can be chosen


def actionable(parent: Element, action: int, label: str, x: float = 0, y: float = 0) -> Element:
    """A group that stands for one legal action: the page plays it when it is chosen."""
    return group(
        parent,
        x,
        y,
        class_="legal",
        data_action=action,
        tabindex=0,
        role="button",
        aria_label=label,
    )


def halo(parent: Element, x: float, y: float, width: float, height: float, rx: float = 8) -> None:
    """The frame around something that can be chosen."""
    rect(
        parent, x - 3, y - 3, width + 6, height + 6, rx=rx + 3, class_="halo",
        fill="none", stroke=ACCENT, stroke_width=3,
    )  # fmt: skip


def button(
    parent: Element, action: int, label: str, words: str, x: float, y: float, width: float
) -> None:
    """A choice in words, 30 high."""
    made = actionable(parent, action, label, x, y)
    rect(made, 0, 0, width, 30, rx=15, fill=PAPER)
    halo(made, 0, 0, width, 30, rx=15)
    text(made, width / 2, 20, words, 14, strong=True, text_anchor="middle")


# ==================================================================== the same in every game


def header(root: Element, name: str, japanese: str, where: str, what: str) -> None:
    """The strip on top: the game's names, where it stands, and what is asked."""
    text(root, MARGIN, 30, name, 21, strong=True)
    text(root, MARGIN, 50, japanese, 13, fill=QUIET)
    text(root, WIDTH - MARGIN, 30, where, 15, text_anchor="end")
    text(root, WIDTH - MARGIN, 50, what, 13, fill=QUIET, text_anchor="end")


def panel(
    parent: Element, x: float, y: float, width: float, height: float, *, acting: bool = False
) -> Element:
    """A field for things that belong together; framed where its seat is to act."""
    made = group(parent, x, y)
    frame = {"stroke": ACCENT, "stroke_width": 2.5} if acting else {}
    rect(made, 0, 0, width, height, rx=12, fill=PANEL, **frame)
    return made


def caption(
    parent: Element, x: float, y: float, english: str, japanese: str, size: float = 13
) -> None:
    """A name in both languages."""
    made = text(parent, x, y, english, size, strong=True)
    small = {"dx": size / 2, "font_size": size - 2, "fill": QUIET, "stroke": "none"}
    other = _add(made, "tspan", small)
    other.text = japanese


def who_is_to(setup: Setup, game: Any, seat: int | None, asked: str | None) -> str:
    """Who acts and what is asked of it, or who has won."""
    acting = int(game["seat"])
    if asked is None or acting == NOBODY:
        won = [str(player) for player in range(setup.players) if game["winners"][player]]
        return f"The game is over. Won by seat {' and '.join(won)}."
    return f"You are to {asked}." if acting == seat else f"Seat {acting} is to {asked}."


def seat_disc(parent: Element, x: float, y: float, seat: int, *, acting: bool) -> None:
    """A seat's number; filled where it is to act."""
    fill, on = (INK, WHITE) if acting else (PAPER, INK)
    circle(parent, x, y, 15, fill=fill, stroke=INK, stroke_width=1.5)
    text(parent, x, y + 6, seat, 16, strong=True, fill=on, text_anchor="middle")


def crown(parent: Element, x: float, y: float) -> None:
    """The mark of a winner, 22 wide, its foot on y."""
    corners = [(-11, 0), (-11, -13), (-5, -7), (0, -16), (5, -7), (11, -13), (11, 0)]
    made = group(parent, x, y)
    polygon(made, list(corners), fill=ACCENT, stroke=INK, stroke_width=1.2, stroke_linejoin="round")
