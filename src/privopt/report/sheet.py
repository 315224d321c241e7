"""A sheet: one page about one thing, in the style of the experiments' page, that works offline.

A title, a lead, a few figures in large type, pictures, the two claims, and tables of texts.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.resources import files

import privopt
from privopt.errors import InputError
from privopt.guarantee import Guarantee
from privopt.report.page import embed
from privopt.report.plots.style import Figure
from privopt.report.settings import Grid

__all__ = ["Picture", "Sheet", "render"]


@dataclass(frozen=True)
class Picture:
    """A plotly figure with its title, caption and height in pixels."""

    title: str
    caption: str
    height: int
    figure: Figure


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
    _need("jinja2", *(["plotly"] if sheet.pictures else []))
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    plotly = ""
    if sheet.pictures:
        from plotly.offline import get_plotlyjs

        plotly = get_plotlyjs()
    figures = {f"picture-{k}": one.figure for k, one in enumerate(sheet.pictures, start=1)}
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    # The files are ours and hold no text from outside; `embed` makes the data safe in a script.
    source = {name: Markup(_source(f"page.{name}")) for name in ("css", "js")}  # noqa: S704
    return environment.from_string(_source("sheet.html.jinja")).render(
        sheet=sheet,
        source=source,
        plotly=Markup(plotly),  # noqa: S704
        figures=Markup(embed(figures)),  # noqa: S704
        version=privopt.__version__,
    )


def _need(*packages: str) -> None:
    for name in packages:
        try:
            importlib.import_module(name)
        except ImportError:
            raise InputError(
                f"the page needs {name}, which is not installed.",
                "the packages of the extra `report`.",
                "pip install 'privopt[report]'",
            ) from None


def _source(name: str) -> str:
    return (files("privopt.report") / name).read_text(encoding="utf-8")
