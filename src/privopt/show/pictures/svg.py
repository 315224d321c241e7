"""Elements of SVG as text, escaped where they are made.

    element("circle", title("bus 1"), cx=1.5, cy=2, fill=colour("accent"))
    <circle cx="1.5" cy="2" fill="var(--accent)"><title>bus 1</title></circle>

Names may be anybody's: plain text becomes text and never markup, and characters that are not seen
are written as what they are. Only what this module made (`Svg`) is taken as markup.
"""

from __future__ import annotations

import html
from typing import Any

from privopt.foreign import shown

__all__ = [
    "Svg", "clipped", "element", "group", "joined", "label", "number", "path", "text_width",
    "title",
]  # fmt: skip

_WIDE, _NARROW = 0.62, 0.34  # mean widths of letters and digits, and of narrow signs, in em


class Svg(str):
    """Markup that is ready to be put on a page; Jinja escapes it no further."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def element(tag: str, *children: object, **attributes: Any) -> Svg:  # noqa: ANN401 -- numbers, text
    """An element: `stroke_width` is `stroke-width`, `class_` is `class`, None is left out."""
    given = "".join(
        f' {name.strip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inside = "".join(map(_child, children))
    return Svg(f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>")


def group(*children: object, **attributes: Any) -> Svg:  # noqa: ANN401 -- numbers, text
    """Elements that share attributes; nothing where there are none."""
    return element("g", *children, **attributes) if any(children) else Svg("")


def joined(*parts: Svg) -> Svg:
    """Elements after each other."""
    return Svg("".join(parts))


def title(text: object) -> Svg:
    """What is shown on hover, and read aloud."""
    return element("title", str(text))


def path(*steps: object) -> str:
    """The steps of a path: letters and numbers, rounded."""
    return " ".join(step if isinstance(step, str) else number(step) for step in steps)


def label(text: object, x: float, y: float, anchor: str = "middle", **attributes: Any) -> Svg:  # noqa: ANN401
    """Words at a place."""
    placed = {"text_anchor": None if anchor == "start" else anchor} | attributes
    return element("text", str(text), x=x, y=y, **placed)


def number(value: Any) -> str:  # noqa: ANN401 -- whatever stands for a number
    """A place or a size, to a hundredth."""
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_width(text: str, size: float) -> float:
    """How wide words are at most, in a sans-serif font of this size."""
    return size * sum(_NARROW if letter in " .,:;'|ijl[]()1" else _WIDE for letter in text)


def clipped(text: str, width: float, size: float) -> str:
    """Words that are no wider than this, with an ellipsis where they are cut."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text}…"


def _value(value: object) -> str:
    if isinstance(value, str):
        return html.escape(shown(value))
    return number(value)


def _child(child: object) -> str:
    return child if isinstance(child, Svg) else html.escape(shown(child), quote=False)
