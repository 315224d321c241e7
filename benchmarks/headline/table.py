"""The headline table: medians over instances, ratios, and paired differences, in Markdown.

ratio of medians     median of a mechanism / median of the other one, over its own instances
median of ratios     over instances that both have (losses above 1e-9 of the cost only: below it
                     they are the solver's rounding)
paired               mean of the differences over those instances, and its standard error
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.headline.journal import Row
from benchmarks.headline.mechanisms import NOTHING, PLAN, title
from privopt.arrays import Vector

__all__ = ["headline"]

_LEAST = {"loss": 1e-9, "distance": 1e-6}  # what is below is rounding
_ENDS = ("infeasible", "failed", "time limit", "refused", "error")


class Rows:
    """The rows of one network, by mechanism and seed."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.of = {(row["mechanism"], row["seed"]): row for row in rows}
        self.seeds = sorted({row["seed"] for row in rows})

    def column(self, name: str, what: str) -> Vector:
        """A figure of a mechanism by seed; NaN where there is none."""
        every = (self.of.get((name, seed), {}).get(what) for seed in self.seeds)
        return np.array([np.nan if value is None else float(value) for value in every])

    def spread(self) -> Vector:
        """That of each instance, whichever mechanism's row says it."""
        every = np.array([self.column(name, "spread") for name in {key[0] for key in self.of}])
        return np.nanmax(np.where(np.isnan(every), -np.inf, every), axis=0, initial=-np.inf)

    def rows(self, name: str) -> list[Row]:
        """All rows of a mechanism."""
        return [row for (one, _), row in self.of.items() if one == name]


def headline(rows: Sequence[Row], order: Sequence[str]) -> str:
    """The tables of one network; `order` of the mechanisms, others after them."""
    table = Rows(rows)
    present = {name for name, _ in table.of}
    names = [name for name in order if name in present]
    names += sorted(present - set(names))
    first = rows[0]
    told = ", ".join(f"{key} {value}" for key, value in first["conditions"].items() if value)
    parts = [
        f"## {first['network']}: {len(table.seeds)} instances ({told})",
        _absolute(table, names),
        _ratios(table, names),
        _paired(table, names),
        _endings(table, names),
    ]
    return "\n\n".join(part for part in parts if part)


def _absolute(table: Rows, names: Sequence[str]) -> str:
    """What each comes to by itself."""
    lines = [
        "Medians over instances; loss after completion, at the true d, of draws that can be"
        " completed. Failed: draws that cannot. Without: no plan or decision. Both are"
        " means. Ratios: of medians; median of paired ones [middle half of them].",
        "",
        "| | instances | loss, % | distance | spread | distance / spread | failed, % | without, % "
        "| seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    spread = table.spread()
    for name in names:
        loss, distance = table.column(name, "loss"), table.column(name, "distance")
        seconds = table.column(name, "seconds") - np.nan_to_num(table.column(name, "preparing"))
        cells = (
            f"{np.isfinite(loss).sum()} of {len(table.rows(name))}",
            _figure(100 * _median(loss)),
            _figure(_median(distance)),
            _figure(_median(np.where(np.isfinite(distance), spread, np.nan))),
            _quotient(distance, spread, "distance"),
            _figure(100 * _mean(table.column(name, "failed"))),
            _figure(100 * _mean(table.column(name, "without"))),
            _figure(_median(seconds)),
        )
        lines.append(f"| {title(name)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratios(table: Rows, names: Sequence[str]) -> str:
    """Beside the plan and the constant."""
    lines = [
        "| | loss / plan's | loss / constant's | distance / plan's | distance / constant's |",
        "|---|---|---|---|---|",
    ]
    for name in names:
        cells = [
            _ratio(table, name, other, what)
            for what in ("loss", "distance")
            for other in (PLAN, NOTHING)
        ]
        lines.append(f"| {title(name)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratio(table: Rows, name: str, other: str, what: str) -> str:
    if name == other:
        return ""
    return _quotient(table.column(name, what), table.column(other, what), what)


def _quotient(mine: Vector, theirs: Vector, what: str) -> str:
    """Ratio of medians; median of ratios, and where the middle half of them lies."""
    both = np.isfinite(mine) & np.isfinite(theirs) & (theirs > _LEAST[what])
    if not both.any():
        return ""
    paired = np.maximum(mine[both], 0.0) / theirs[both]
    low, middle, high = np.percentile(paired, [25, 50, 75])
    below = _median(theirs)
    whole = _figure(_median(mine) / below) if below > _LEAST[what] else "-"
    return f"{whole}; {_figure(middle)} [{_figure(low)}, {_figure(high)}]"


def _paired(table: Rows, names: Sequence[str]) -> str:
    """Mean differences and their standard errors."""
    lines = [
        "Mean paired difference ± its standard error (instances that both have).",
        "",
        "| | loss - plan's, % | loss - constant's, % | distance - plan's | distance - constant's "
        "| distance - spread |",
        "|---|---|---|---|---|---|",
    ]
    spread = table.spread()
    for name in names:
        cells = [
            _difference(scale * (table.column(name, what) - table.column(other, what)))
            if name != other
            else ""
            for what, scale in (("loss", 100.0), ("distance", 1.0))
            for other in (PLAN, NOTHING)
        ]
        cells.append(_difference(table.column(name, "distance") - spread))
        lines.append(f"| {title(name)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _difference(values: Vector) -> str:
    values = values[np.isfinite(values)]
    if not len(values):
        return ""
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{values.mean():+.3g} ± {error:.2g} ({len(values)})"


def _endings(table: Rows, names: Sequence[str]) -> str:
    """What had no answer, and why."""
    lines: list[str] = []
    for name in names:
        rows = table.rows(name)
        why = Counter(f"{row['status']}: {row['reason']}" for row in rows if row["status"] in _ENDS)
        for row in rows:
            why.update({f"a draw: {text}": count for text, count in row["reasons"].items()})
            if row.get("unsolved"):
                why["a completion that the solver did not find"] += 1
            if "unjudged" in row:
                why[f"unjudged: {row['unjudged']}"] += 1
        lines += [f"- {title(name)}, {count} times: {text}" for text, count in why.most_common()]
    return "\n".join(lines)


def _median(values: Vector) -> float:
    values = values[np.isfinite(values)]
    return float(np.median(values)) if len(values) else np.nan


def _mean(values: Vector) -> float:
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else np.nan


def _figure(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"
