"""The pages of an experiment's folder: read it, compare, draw, and write each file whole or not.

    report.html       the paper's Tables 1 and 2 and Figure 2, beside the printed numbers
    privacy.html      assumed against proven privacy

Each is written if the folder has what it shows, shows its own methods only, and links to the
others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

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
from privopt.report.plots.proofs import proofs
from privopt.report.plots.style import sign
from privopt.report.plots.tradeoff import cheapest, tradeoff
from privopt.report.plots.variance import TITLES, variance
from privopt.report.proofs import LOOKS
from privopt.report.records import different
from privopt.report.sheet import filled
from privopt.show.pictures.picture import Picture

__all__ = ["PAGES", "check_page", "page_for", "write"]

NAMES = {
    "privacy": "Privacy",
    "table1": "Table 1",
    "table2": "Table 2",
    "figure2": "Figure 2",
}
_MARK = b'<meta name="generator" content="privopt">'
_HEAD = 4096  # bytes of a page in which the mark is
EXTRA = ("jinja2", "pandas", "pyarrow")


@dataclass(frozen=True)
class ExperimentPage:
    """A page: its file, its name among the pages, its headline, and the experiments it shows."""

    file: str
    name: str
    headline: str
    experiments: tuple[str, ...]


PAGES = (
    ExperimentPage(
        "report.html",
        "The paper",
        "The paper’s experiments, run again",
        ("table1", "table2", "figure2"),
    ),
    ExperimentPage("privacy.html", "Privacy", "Whether privacy is assumed or proven", ("privacy",)),
)


def page_for(experiment: str) -> str:
    """The file of the page that shows an experiment."""
    return next(one.file for one in PAGES if experiment in one.experiments)


def write(folder: Path | str, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write the pages of an experiment's folder into it.

    Parameters
    ----------
    folder
        Holds at least one of `table1.json`, `table2.json`, `figure2.json` and `privacy.json`; the
        raw runs (`.parquet`), `timings.json` and `drawing.json` are shown where they are.
    overwrite
        Whether a page that privopt did not write may be replaced.

    Returns
    -------
    tuple of Path
        The pages, in the order of `PAGES`. The same files give the same bytes.
    """
    for name in EXTRA:
        library(name, "report")
    if not overwrite:
        check_page(Path(folder))
    found = read(Path(folder))
    shown = {one: part for one in PAGES if (part := _part(found, one)) is not None}
    try:
        texts = {one.file: _render(part, one, shown) for one, part in shown.items()}
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"the results in {folder} hold what cannot be shown ({type(error).__name__}).",
            "the files as the experiments wrote them.",
            "run the experiments again.",
        ) from error
    return tuple(_written(Path(folder) / name, text) for name, text in texts.items())


def _written(target: Path, text: str) -> Path:
    try:
        write_whole(target, text.encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that may be written to.",
            "change its permissions, or copy it elsewhere.",
        ) from None
    return target


def check_page(folder: Path, *more: str) -> None:
    """Refuse if a page of the folder, or one named in `more`, is there and is none of ours."""
    for target in (folder / name for name in (*(one.file for one in PAGES), *more)):
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


def _part(folder: Folder, subject: ExperimentPage) -> Folder | None:
    """What a subject shows of a folder; None where there is nothing."""
    kept = {name: getattr(folder, name) for name in subject.experiments}
    if all(part is None for part in kept.values()):
        return None
    absent = dict.fromkeys(name for name in NAMES if name not in subject.experiments)
    drawing = folder.drawing if "table1" in subject.experiments else None
    work = tuple(one for one in folder.work if one.name in subject.experiments)
    return replace(folder, **absent, drawing=drawing, work=work)


def _render(folder: Folder, subject: ExperimentPage, shown: Mapping[ExperimentPage, Folder]) -> str:
    tables = {
        name: (table, compare(name, table))
        for name, table in (("table1", folder.table1), ("table2", folder.table2))
        if table is not None
    }
    lines = {NAMES[name]: lines for name, (_, lines) in tables.items()}
    others = {name: getattr(folder, name) for name in ("figure2", "privacy")}
    settings = {NAMES[name]: table.settings for name, (table, _) in tables.items()}
    settings |= {NAMES[name]: part.settings for name, part in others.items() if part is not None}
    return filled(
        "page.html.jinja",
        subject=subject,
        others=[one for one in shown if one is not subject],
        figures=dict(_figures(folder, tables)),
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
        sign=sign,
        size=printed_size,
        looks={name: LOOKS[name] for name in LOOKS if folder.privacy and folder.privacy.each(name)},
        show=show,
        different=different,
    )


def _figures(
    folder: Folder, tables: dict[str, tuple[ResultTable, tuple[Line, ...]]]
) -> Iterator[tuple[str, Picture]]:
    """Every picture under the name by which the page asks for it."""
    if folder.privacy is not None:
        yield "privacy", proofs(folder.privacy)
    compared = {NAMES[name]: lines for name, (_, lines) in tables.items()}
    if any(line.violation.z is not None for lines in compared.values() for line in lines):
        yield "agreement", agreement(compared)
    for name, (table, lines) in tables.items():
        if table.cases:
            yield f"{name}-first", tradeoff(table, table.cases[-1], named=True)
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
