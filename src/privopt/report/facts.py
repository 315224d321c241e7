"""The headline: a few facts computed from the files, what is proven and reproduced first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from privopt.report.compare import Comparison, Line
from privopt.report.folder import Curves, Folder, ResultTable
from privopt.report.plots.style import percent
from privopt.report.plots.tradeoff import cheapest
from privopt.report.proofs import BOUND, Proofs

__all__ = ["Headline", "Miss", "facts", "misses", "unsolved"]


@dataclass(frozen=True)
class Headline:
    """A number and what it counts."""

    value: str
    text: str


@dataclass(frozen=True)
class Miss:
    """A printed mean that was not reproduced."""

    case: str
    algorithm: str
    what: str
    comparison: Comparison


def misses(lines: Iterable[Line]) -> tuple[Miss, ...]:
    """The printed means that were not reproduced, the farthest first, those with no value last."""
    found = [
        Miss(line.row.case, line.row.algorithm, what, item)
        for line in lines
        for what, item in (("violation", line.violation), ("loss", line.loss))
        if item.counted and not item.within
    ]
    return tuple(sorted(found, key=lambda m: -abs(m.comparison.z or 0.0)))


def facts(folder: Folder, tables: Mapping[str, tuple[Line, ...]]) -> tuple[Headline, ...]:
    """What a visitor should know first."""
    lines = [line for table in tables.values() for line in table]
    printed = [item for line in lines for item in (line.violation, line.loss) if item.counted]
    found = _of_proofs(folder.privacy) if folder.privacy is not None else []
    if printed:
        kept = sum(item.within for item in printed)
        runs = sorted({item.found.runs for item in printed if item.found is not None}) or [0]
        many = f"{runs[0]} to {runs[-1]} runs" if runs[1:] else f"{runs[0]} runs"
        text = f"printed means within 3 standard errors ({many} here, 100 in the paper)"
        found.append(Headline(f"{kept} of {len(printed)}", text))
    table = folder.table1 or folder.table2
    if table is not None:
        found += _of_table(table)
    if folder.figure2 is not None:
        found += _of_curves(folder.figure2)
    return tuple(found)


def unsolved(table: ResultTable) -> tuple[str, ...]:
    """How many runs of which algorithm ended without a solution, as texts."""
    counts = Counter(
        (run.case, run.algorithm, run.status) for run in table.runs if run.status != "solved"
    )
    return tuple(f"{case} {name}, {count} {how}" for (case, name, how), count in counts.items())


def _of_proofs(proofs: Proofs) -> list[Headline]:
    """How far off an epsilon is that is only assumed."""
    shown = [
        (row.epsilon, row.network, row.witness)
        for row in proofs.each(BOUND)
        if row.beyond and row.epsilon is not None and row.witness is not None
    ]
    if not shown:
        return []
    epsilon, where, pair = max(shown, key=lambda item: item[0])
    moved = f"{pair.entry} moved by {pair.step:.2g} moves the release by {pair.moved:.2g}"
    text = f"true ε of PIQ-a on {where}, where {proofs.asked:g} is claimed: {moved}"
    return [Headline(f"≥ {epsilon:.2f}", text)]


def _of_table(table: ResultTable) -> list[Headline]:
    """Where noise on the answer does worst, and what keeping all limits costs there."""
    naive = [row for row in table.rows if row.algorithm == "OP"]
    rates = [(row.violation.mean, row.case) for row in naive if row.violation]
    if not rates:
        return []
    rate, case = max(rates, key=lambda one: one[0])
    text = f"of answers with noise added afterwards (OP) are infeasible on {case}"
    found = [Headline(percent(rate), text)]
    best = cheapest(table, case)
    if best is not None and best.loss and best.violation:
        text = (
            f"extra cost of the cheapest promise on all limits there: {best.algorithm}, infeasible "
            f"in {percent(best.violation.mean)} of draws ({table.eta:g} % allowed)"
        )
        found.append(Headline(percent(best.loss.mean), text))
    return found


def _of_curves(curves: Curves) -> list[Headline]:
    """How far the variance of the loss falls, at the widest spread of costs."""
    cost = [p for p in curves.points if p.panel == "cost" and p.variance is not None]
    widest = [p for p in cost if p.cbar == max(q.cbar for q in cost)]
    if len(widest) < 2:
        return []
    first, last = min(widest, key=lambda p: p.phi), max(widest, key=lambda p: p.phi)
    text = f"variance of the loss (%²) as its weight φ grows from {first.phi:g} to {last.phi:g}"
    return [Headline(f"{_small(first.variance)} → {_small(last.variance)}", text)]


def _small(value: float | None) -> str:
    """Two digits; what is rounding beside everything on the page is zero."""
    return "0" if value is None or abs(value) < 1e-6 else f"{value:.2g}"
