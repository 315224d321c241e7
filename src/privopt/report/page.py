"""The page: read the folder, compare, draw, and write one file whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privopt.errors import InputError
from privopt.extra import library
from privopt.files import write_whole
from privopt.report import format as show
from privopt.report.compare import Line, compare, printed_size
from privopt.report.facts import facts, misses, unsolved
from privopt.report.folder import Folder, ResultTable, read
from privopt.report.methods import groups, method
from privopt.report.plots.agreement import agreement
from privopt.report.plots.distribution import distribution
from privopt.report.plots.network import network
from privopt.report.plots.proofs import height, proofs
from privopt.report.plots.style import Figure
from privopt.report.plots.tradeoff import cheapest, tradeoff
from privopt.report.plots.variance import TITLES, variance
from privopt.report.proofs import LOOKS
from privopt.report.records import different
from privopt.report.sheet import filled

__all__ = ["check_page", "write"]

NAMES = {
    "certified": "Proof",
    "table1": "Table 1",
    "table2": "Table 2",
    "figure2": "Figure 2",
    "loads": "Own loads",
}
_MARK = b'<meta name="generator" content="privopt">'
_HEAD = 4096  # bytes of a page in which the mark is
EXTRA = ("jinja2", "pandas", "plotly", "pyarrow")


def write(folder: Path | str, *, overwrite: bool = False) -> Path:
    """Write `report.html` into the folder of an experiment.

    Parameters
    ----------
    folder
        Holds at least one of `table1.json`, `table2.json`, `figure2.json`, `certified.json` and
        `loads.json`; the raw runs (`.parquet`), `timings.json` and `drawing.json` are shown where
        they are.
    overwrite
        Whether a `report.html` that privopt did not write may be replaced.

    Returns
    -------
    Path
        The page. The same files give the same bytes.
    """
    for name in EXTRA:
        library(name, "report")
    if not overwrite:
        check_page(Path(folder))
    target = Path(folder) / "report.html"
    found = read(Path(folder))
    try:
        text = _render(found)
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"the results in {folder} hold what cannot be shown ({type(error).__name__}).",
            "the files as the experiments wrote them.",
            "run the experiments again.",
        ) from error
    try:
        write_whole(target, text.encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that may be written to.",
            "change its permissions, or copy it elsewhere.",
        ) from None
    return target


def check_page(folder: Path) -> None:
    """Refuse if the folder has a `report.html` that is no page of privopt."""
    target = folder / "report.html"
    try:
        other = target.is_file() and _MARK not in target.read_bytes()[:_HEAD]
    except OSError:
        other = True
    if other:
        raise InputError(
            f"{target} is there already, and privopt did not write it.",
            "a folder for the results, without a page of someone else.",
            "pass another folder, move the page away, or replace it with --overwrite.",
        )


def _render(folder: Folder) -> str:
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    tables = {
        name: (table, compare(name, table))
        for name, table in (("table1", folder.table1), ("table2", folder.table2))
        if table is not None
    }
    lines = {NAMES[name]: lines for name, (_, lines) in tables.items()}
    figures = dict(_figures(folder, tables))
    others = {name: getattr(folder, name) for name in ("figure2", "certified", "loads")}
    settings = {NAMES[name]: table.settings for name, (table, _) in tables.items()}
    settings |= {NAMES[name]: part.settings for name, part in others.items() if part is not None}
    return filled(
        "page.html.jinja",
        plotly=Markup(get_plotlyjs()),  # noqa: S704
        figures=Markup(embed(figures)),  # noqa: S704 -- `embed` makes the data safe in a script
        drawn=figures.keys(),
        folder=folder,
        tables=tables,
        names=NAMES,
        facts=facts(folder, lines),
        misses=misses(line for table in lines.values() for line in table),
        grids=show.grids(settings),
        panels=TITLES,
        networks=dict.fromkeys(p.network for p in folder.figure2.points) if folder.figure2 else (),
        methods=groups(row.algorithm for table, _ in tables.values() for row in table.rows),
        unsolved=unsolved,
        cheapest=cheapest,
        method=method,
        size=printed_size,
        looks=LOOKS,
        height=height,
        show=show,
        different=different,
    )


def _figures(
    folder: Folder, tables: dict[str, tuple[ResultTable, tuple[Line, ...]]]
) -> Iterator[tuple[str, Figure]]:
    """Every picture under the name by which the page asks for it."""
    if folder.certified is not None:
        yield "certified", proofs(folder.certified)
    compared = {NAMES[name]: lines for name, (_, lines) in tables.items()}
    if any(line.violation.z is not None for lines in compared.values() for line in lines):
        yield "agreement", agreement(compared)
    for name, (table, lines) in tables.items():
        for k, case in enumerate(table.cases):
            yield f"{name}-tradeoff-{k}", tradeoff(table, case)
            if table.runs:
                yield f"{name}-violation-{k}", distribution(table, lines, case, "violation")
                yield f"{name}-loss-{k}", distribution(table, lines, case, "loss")
    if folder.figure2 is not None:
        shown = dict.fromkeys((p.network, p.panel) for p in folder.figure2.points)
        for where, panel in shown:
            if not folder.figure2.solved(where):
                continue
            yield f"figure2-{where}-{panel}", variance(folder.figure2, where, panel)
    if folder.drawing is not None:
        yield "drawing", network(folder.drawing)


def embed(data: dict[str, Any]) -> str:
    """JSON that can stand inside a script element, whatever texts it holds."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
