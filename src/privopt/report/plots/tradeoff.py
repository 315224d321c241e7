"""What the guarantee costs: mean loss across, mean violation up, one sign for each algorithm."""

from __future__ import annotations

from typing import Any

from privopt.report.folder import ResultTable
from privopt.report.methods import Promise, method, promise
from privopt.report.plots import style
from privopt.report.plots.style import Figure, label, percent, root
from privopt.report.records import TableRow

__all__ = ["cheapest", "tradeoff"]


def cheapest(table: ResultTable, case: str) -> TableRow | None:
    """The least mean loss among methods that promise all limits, keep to eta and never failed."""
    if table.eta is None:
        return None
    keep = [
        (row.loss.mean, row.algorithm, row)
        for row in table.of(case)
        if promise(row.algorithm, row.claims) is Promise.ALL
        and row.infeasible + row.failed == 0
        and row.loss is not None
        and row.violation is not None
        and row.violation.mean <= table.eta
    ]
    return min(keep, key=lambda item: item[:2])[2] if keep else None


def tradeoff(table: ResultTable, case: str) -> Figure:
    """One case; all cases of a table share their axes, so that they can be read side by side."""
    losses = [row.loss.mean for row in table.rows if row.loss]
    violations = [row.violation.mean for row in table.rows if row.violation]
    right = max([*losses, 1.0])
    top = max([*violations, table.eta or 0, 1.0])
    best = cheapest(table, case)
    shapes: list[Any] = []
    notes: list[Any] = []
    if table.eta is not None:
        across = style.line_across(root(table.eta), f"η = {table.eta:g} %")
        ground = across["shape"] | {
            "type": "rect",
            "y0": -0.04 * root(top),
            "fillcolor": "var(--allowed)",
            "line": {"width": 0},
        }
        shapes, notes = [ground, across["shape"]], [across["annotation"]]
    data = [_sign(row) for row in table.of(case) if row.violation]
    if best is not None:
        data.insert(0, _ring(best))
    return style.picture(
        data,
        250,
        (40, 10, 8, 40),
        xaxis=style.axis("mean loss, %", range=[-0.05 * right, 1.08 * right], nticks=6),
        yaxis=style.root_axis("violation, %", top, table.eta, sparse=True),
        shapes=shapes,
        annotations=notes,
    )


def _sign(row: TableRow) -> Figure:
    how = method(row.algorithm)
    loss = row.loss.mean if row.loss else 0.0
    text = [
        f"<b>{label(row.algorithm)}</b>, {promise(row.algorithm, row.claims)}",
        f"violation {percent(row.violation.mean if row.violation else None)}",
        f"loss {percent(row.loss.mean)}" if row.loss else "no loss of its own (drawn at 0)",
    ]
    if row.infeasible:
        text.append(f"infeasible in {row.infeasible} of {row.runs} runs")
    if row.failed:
        text.append(f"the solver failed in {row.failed} of {row.runs} runs")
    return style.scatter(
        [loss],
        [root(row.violation.mean) if row.violation else None],
        "<br>".join(text),
        cliponaxis=False,
        marker=style.sign(how.symbol, 11, how.css),
    )


def _ring(row: TableRow) -> Figure:
    """A ring round the cheapest."""
    ring = {"symbol": "circle-open", "size": 23, "color": method(row.algorithm).css}
    return _sign(row) | {"marker": ring | {"line": {"width": 1.5}}, "hoverinfo": "skip"}
