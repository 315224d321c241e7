"""Every run as a point: violation or loss, by algorithm, with mean, quartiles and printed mean."""

from __future__ import annotations

import statistics
from typing import Literal

from privopt.report.compare import Line
from privopt.report.folder import ResultTable
from privopt.report.methods import method
from privopt.report.plots import style
from privopt.report.plots.style import Figure, label, percent, root
from privopt.report.records import Run

__all__ = ["distribution"]

Quantity = Literal["violation", "loss"]
GOLDEN = 0.6180339887


def distribution(table: ResultTable, lines: tuple[Line, ...], case: str, what: Quantity) -> Figure:
    """One case. The points are spread sideways by a fixed rule, only to be seen."""
    data: list[Figure] = []
    names: list[str] = []
    for line in (one for one in lines if one.row.case == case):
        name = line.row.algorithm
        runs = [run for run in table.runs if (run.case, run.algorithm) == (case, name)]
        known = [(run, value) for run in runs if (value := getattr(run, what)) is not None]
        if not known:
            continue
        at = len(names)
        names.append(name)
        data += [_points(name, at, known), _quartiles(name, at, [value for _, value in known])]
        if printed := getattr(line, what).printed:
            data.append(_printed(name, at, printed.mean))
    values = [v for r in table.runs if r.case == case and (v := getattr(r, what)) is not None]
    top = max([*values, 1.0])
    shapes, notes = [], []
    eta = table.eta if what == "violation" else None
    if eta is not None:
        top = max(top, eta)
        across = style.line_across(root(eta), f"η = {eta:g} %")
        shapes, notes = [across["shape"]], [across["annotation"]]
    return style.picture(
        data,
        340,
        (48, 10, 10, 64),
        xaxis=style.axis(
            range=[-0.6, len(names) + 0.15],
            showgrid=False,
            tickangle=-30,
            tickvals=list(range(len(names))),
            ticktext=[label(name) for name in names],
        ),
        yaxis=style.root_axis(f"{what}, %", top, eta),
        shapes=shapes,
        annotations=notes,
    )


def _points(name: str, at: int, known: list[tuple[Run, float]]) -> Figure:
    return style.scatter(
        [round(at + 0.5 * ((k * GOLDEN) % 1 - 0.5), 4) for k in range(len(known))],
        [root(value) for _, value in known],
        f"{label(name)}, run %{{customdata[0]}}<br>%{{customdata[1]}}",
        customdata=[[run.run, percent(value)] for run, value in known],
        marker={"size": 5, "color": method(name).css, "opacity": 0.4},
    )


def _quartiles(name: str, at: int, values: list[float]) -> Figure:
    """A bar from the lower to the upper quartile, with a dot at the mean."""
    mean = statistics.fmean(values)
    low, middle, high = (
        statistics.quantiles(values, method="inclusive") if values[1:] else values * 3
    )
    text = (
        f"<b>{label(name)}</b>, {len(values)} runs<br>mean {percent(mean)}<br>"
        f"median {percent(middle)}<br>quartiles {percent(low)} to {percent(high)}"
    )
    bar = {
        "type": "data",
        "symmetric": False,
        "array": [max(root(high) - root(mean), 0)],
        "arrayminus": [max(root(mean) - root(low), 0)],
        "color": "var(--ink)",
        "thickness": 2,
        "width": 0,
    }
    dot = {"size": 9, "color": "var(--ground)", "line": {"width": 2, "color": "var(--ink)"}}
    return style.scatter([at], [root(mean)], text, marker=dot, error_y=bar)


def _printed(name: str, at: int, mean: float) -> Figure:
    """A dash beside the points: the mean the paper prints."""
    dash = {"symbol": "triangle-left", "size": 11, "color": "var(--printed)"}
    text = f"{label(name)}<br>printed mean {percent(mean)}"
    return style.scatter([at + 0.38], [root(mean)], text, marker=dash)
