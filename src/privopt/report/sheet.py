"""A sheet: one page about one thing, in the style of the experiments' page, that works offline.

A title, a lead, a few figures in large type, pictures, the two claims, and tables of texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import privopt
from privopt.claims.guarantee import Guarantee
from privopt.extra import library
from privopt.foreign import seen
from privopt.report.curve import Curve
from privopt.report.settings import Grid

__all__ = ["Picture", "Sheet", "render"]


@dataclass(frozen=True)
class Picture:
    """A curve with its title, caption and colour, a variable of page.css."""

    title: str
    caption: str
    colour: str
    curve: Curve


@dataclass(frozen=True)
class Sheet:
    """What stands on a page."""

    title: str
    lead: str
    notices: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()
    guarantee: Guarantee | None = None
    tables: tuple[Grid, ...] = ()


def render(sheet: Sheet) -> str:
    """The page as text. The same sheet gives the same text."""
    library("jinja2", "report")
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=seen
    )
    environment.lstrip_blocks = True
    # The files are ours and hold no text from outside.
    source = {name: Markup(_source(f"page.{name}")) for name in ("css", "js")}  # noqa: S704
    return environment.from_string(_source("sheet.html.jinja")).render(
        sheet=sheet,
        source=source,
        version=privopt.__version__,
    )


def _source(name: str) -> str:
    return (files("privopt.report") / name).read_text(encoding="utf-8")
