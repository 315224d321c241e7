"""A picture: SVG with a title, a description for who does not see it, a caption, and its numbers.

On a page it takes the page's colours. In a notebook or as a file it brings its own, which follow
the theme of whatever shows it. It has no script and fetches nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from privopt.files import write_whole
from privopt.show.pictures.svg import Svg, element, title
from privopt.show.pictures.theme import colour, stylesheet
from privopt.show.view import Table

__all__ = ["Picture"]

_XML = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture and what is said of it.

    Attributes
    ----------
    title, caption
        Above and below it.
    description
        What it shows, for who does not see it.
    width, height
        Of the box that it is drawn in.
    inside
        What is drawn.
    table
        Its numbers, where no table beside it has them.
    """

    title: str
    description: str
    width: float
    height: float
    inside: Svg
    caption: str = ""
    table: Table | None = None

    def __repr__(self) -> str:
        # Not the description: of a private result it has values.
        return f"Picture({self.title!r}, {self.width:g} by {self.height:g})"

    @property
    def svg(self) -> Svg:
        """The element for a page that has the colours."""
        return self._element()

    def alone(self) -> Svg:
        """The element with its own colours and ground."""
        used = set(re.findall(r"var\(--([a-z0-9]+)\)", self.inside)) | {"ground", "ink"}
        ground = element("rect", width=self.width, height=self.height, fill=colour("ground"))
        return self._element(element("style", Svg(stylesheet(used))), ground)

    def _element(self, *before: Svg) -> Svg:
        return element(
            "svg",
            title(self.title),
            element("desc", self.description),
            *before,
            self.inside,
            xmlns=_XML,
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img",
            aria_label=f"{self.title}. {self.description}",
            class_="privopt-picture",
            font_family="system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
            font_size=12,
            fill=colour("ink"),
        )

    def save(self, path: Path | str) -> Path:
        """Write it as an SVG file; as a page, where the name ends in .html."""
        text: str = self.alone()
        if Path(path).suffix.lower() in (".html", ".htm"):
            name = element("title", self.title)
            style = "<style>body{margin:1rem;font:1rem system-ui,sans-serif}</style>"
            head = f'<meta charset="utf-8">{name}<meta name="color-scheme" content="light dark">'
            text = (
                f'<!doctype html>\n<html lang="en"><head>{head}{style}</head><body>'
                f"<main>{element('h1', self.title)}{self._repr_html_()}</main></body></html>"
            )
        write_whole(Path(path), f"{text}\n".encode())
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.alone()

    def _repr_html_(self) -> str:
        below = element("figcaption", self.caption) if self.caption else Svg("")
        wide = f"margin:0;max-width:{self.width:g}px"
        return element("figure", self.alone(), below, style=wide)
