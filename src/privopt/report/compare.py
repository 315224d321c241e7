"""Printed against reproduced: the difference in standard errors of the difference.

    z = (m2 - m1) / sqrt(s1^2 / n1 + s2^2 / n2)        1: printed, 2: reproduced

A mean counts as reproduced where |z| <= 3, or where it equals the printed one to the two decimals
that were printed (then rounding alone can make z large, and s1 = s2 = 0 leaves no z at all). Few
runs say little about their own deviation: below 30 the printed one stands for it. A mean over fewer
than half of the runs, because the others had no plan, is none that could be compared.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from privopt.report.folder import ResultTable
from privopt.report.records import Mean, TableRow

__all__ = ["LIMIT", "Comparison", "Line", "compare", "printed_size", "score"]

LIMIT = 3.0
ROUNDING = 0.005
FEW = 30
PRINTED_RUNS = 100


@dataclass(frozen=True)
class Comparison:
    """One mean beside the printed one; either may be missing."""

    printed: Mean | None
    found: Mean | None
    enough: bool = True

    @property
    def z(self) -> float | None:
        """Standard errors by which the reproduced mean lies above the printed one."""
        if self.printed is None or self.found is None:
            return None
        return score(self.printed, self.found)

    @property
    def counted(self) -> bool:
        """Whether the paper printed this mean: then it is reproduced, or it is not."""
        return self.printed is not None

    @property
    def same(self) -> bool:
        """Equal to the decimals that were printed."""
        if self.printed is None or self.found is None:
            return False
        return abs(self.printed.mean - self.found.mean) <= ROUNDING + 1e-12

    @property
    def within(self) -> bool:
        """Whether the printed mean is reproduced."""
        close = self.same or (self.z is not None and abs(self.z) <= LIMIT)
        return close and self.enough


@dataclass(frozen=True)
class Line:
    """A reproduced row with its two comparisons."""

    row: TableRow
    violation: Comparison
    loss: Comparison


def score(printed: Mean, found: Mean) -> float | None:
    """The z of the module's formula; None where a deviation is unknown."""
    own = printed.std if found.runs < FEW else found.std
    if printed.std is None or own is None:
        return None
    difference = found.mean - printed.mean
    error = math.sqrt(printed.std**2 / printed.runs + own**2 / found.runs)
    if error == 0:
        return 0.0 if difference == 0 else math.copysign(math.inf, difference)
    return difference / error


def compare(name: str, table: ResultTable) -> tuple[Line, ...]:
    """Every row of `table` beside what the paper prints in its table `name`."""
    lines: list[Line] = []
    for row in table.rows:
        entry = _entry(name, row.network, row.sums)
        enough = 2 * (row.infeasible + row.failed) <= row.runs
        violation = Comparison(_mean(entry, row.algorithm), row.violation, enough)
        loss = Comparison(_mean(entry, f"loss {row.algorithm}"), row.loss, enough)
        lines.append(Line(row, violation, loss))
    return tuple(lines)


def printed_size(network: str) -> tuple[int, int] | None:
    """Variables and constraints of a network of the paper."""
    entry = _entry("table1", network, None)
    return (int(entry["n"]), int(entry["constraints"])) if entry else None


@cache
def _published() -> dict[str, Any]:
    path = files("privopt") / "experiments" / "published.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _entry(name: str, network: str, sums: int | None) -> dict[str, Any]:
    for entry in _published()[name]:
        if entry["network"] == network and entry.get("sums") == sums:
            return entry
    return {}


def _mean(entry: dict[str, Any], key: str) -> Mean | None:
    pair = entry.get(key)
    return None if pair is None else Mean(float(pair[0]), float(pair[1]), PRINTED_RUNS)
