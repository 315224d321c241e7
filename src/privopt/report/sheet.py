"""A sheet: a view as a page in the style of the experiments' page, which works offline.

A title, a lead, warnings, figures in large type, pictures, tables, and the two claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import privopt
from privopt.extra import library
from privopt.foreign import seen
from privopt.report.curve import Curve
from privopt.show.view import PRIVATE, Table, View

__all__ = ["Picture", "filled", "sheet"]

_DIGITS = 8


@dataclass(frozen=True)
class Picture:
    """A curve with its title, caption and colour, a variable of page.css."""

    title: str
    caption: str
    colour: str
    curve: Curve


def sheet(view: View, pictures: tuple[Picture, ...] = ()) -> str:
    """The page of a view as text. The same view gives the same text."""
    facts = Table("", [one.name for one in view.facts], {"": [one.text for one in view.facts]})
    tables = [(table.title, table) for table in (view.table, *view.more) if len(table)]
    return filled(
        "sheet.html.jinja",
        view=view,
        pictures=pictures,
        private=PRIVATE,
        tables=[*tables[:1], *([("details", facts)] if len(facts) else []), *tables[1:]],
        digits=_DIGITS,
        version=privopt.__version__,
    )


def filled(template: str, **values: Any) -> str:  # noqa: ANN401 -- whatever it shows
    """A template of this folder with its values, our styles and our scripts."""
    library("jinja2", "report")
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=seen
    )
    environment.lstrip_blocks = True
    # The files are ours and hold no text from outside.
    source = {name: Markup(_source(f"page.{name}")) for name in ("css", "js")}  # noqa: S704
    return environment.from_string(_source(template)).render(source=source, **values)


def _source(name: str) -> str:
    return (files("privopt.report") / name).read_text(encoding="utf-8")
