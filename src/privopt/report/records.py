"""What an experiment left: rows of means, single runs, points of a curve, a drawn network.

Each record is read from one JSON object or parquet row. `None` stands for a number that does not
exist: null, NaN or infinite in the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privopt.report.claimed import Claimed, read_claims

__all__ = ["CurvePoint", "Edge", "Mean", "Node", "Row", "Run", "Timing", "case", "mean", "number"]

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Mean:
    """Mean and standard deviation over a number of runs, in percent."""

    mean: float
    std: float | None
    runs: int


@dataclass(frozen=True)
class Row:
    """One algorithm on one network: how often its answers are infeasible, and what they cost."""

    network: str
    sums: int | None
    algorithm: str
    violation: Mean | None
    affine: float | None
    loss: Mean | None
    runs: int
    infeasible: int
    failed: int
    claims: tuple[Claimed, ...]

    @property
    def case(self) -> str:
        """The network, and the number of sums where sums are released."""
        return case(self.network, self.sums)

    @classmethod
    def read(cls, row: Fields) -> Row:
        """A row of table1.json or table2.json."""
        runs, infeasible = int(row["runs"]), int(row.get("infeasible_runs") or 0)
        failed = int(row.get("failed_runs") or 0)
        solved = runs - infeasible - failed
        return cls(
            network=str(row["network"]),
            sums=None if row.get("sums") is None else int(row["sums"]),
            algorithm=str(row["algorithm"]),
            violation=mean(row, "violation", solved),
            affine=number(row.get("affine_violation_mean")),
            loss=mean(row, "loss", solved),
            runs=runs,
            infeasible=infeasible,
            failed=failed,
            claims=read_claims(row),
        )


@dataclass(frozen=True)
class Run:
    """One algorithm on one network with one draw of costs and demands."""

    case: str
    algorithm: str
    run: int
    status: str
    violation: float | None
    loss: float | None

    @classmethod
    def read(cls, row: Fields) -> Run:
        """A row of table1.parquet or table2.parquet."""
        return cls(
            case=case(str(row["network"]), int(row["sums"]) if "sums" in row else None),
            algorithm=str(row["algorithm"]),
            run=int(row["run"]),
            status=str(row["status"]),
            violation=number(row["violation"]),
            loss=number(row["loss"]),
        )


@dataclass(frozen=True)
class CurvePoint:
    """Figure 2: one weight phi on the deviation, one spread cbar of the costs."""

    network: str
    panel: str
    cbar: float
    phi: float
    loss: float | None
    variance: float | None
    infeasible: int

    @classmethod
    def read(cls, row: Fields) -> CurvePoint:
        """A row of figure2.json; the variance is that of its panel, loss or solution."""
        panel = str(row["panel"])
        kind = "loss_variance" if panel == "cost" else "solution_variance"
        return cls(
            network=str(row["network"]),
            panel=panel,
            cbar=float(row["cbar"]),
            phi=float(row["phi"]),
            loss=number(row["loss"]),
            variance=number(row[kind]),
            infeasible=int(row.get("infeasible_runs") or 0) + int(row.get("failed_runs") or 0),
        )


@dataclass(frozen=True)
class Node:
    """A node of the drawing; its deviation is that of its supply under the noise."""

    bus: str
    released: bool
    supply: float
    deviation: float
    limit: float | None
    x: float
    y: float

    @classmethod
    def read(cls, row: Fields) -> Node:
        """A node of drawing.json."""
        return cls(
            bus=str(row["bus"]),
            released=bool(row["released"]),
            supply=number(row["supply"]) or 0.0,
            deviation=number(row["deviation"]) or 0.0,
            limit=number(row.get("limit")),
            x=float(row["x"]),
            y=float(row["y"]),
        )


@dataclass(frozen=True)
class Edge:
    """A line of the drawing; loading and deviation are shares of its limit."""

    start: str
    end: str
    loading: float
    deviation: float

    @classmethod
    def read(cls, row: Fields) -> Edge:
        """An edge of drawing.json."""
        return cls(
            start=str(row["from"]),
            end=str(row["to"]),
            loading=number(row["loading"]) or 0.0,
            deviation=number(row["deviation"]) or 0.0,
        )


@dataclass(frozen=True)
class Timing:
    """Seconds one algorithm took on one network."""

    network: str
    algorithm: str
    mean: float | None
    longest: float | None

    @classmethod
    def read(cls, row: Fields) -> Timing:
        """A row of timings.json."""
        return cls(
            network=str(row["network"]),
            algorithm=str(row["algorithm"]),
            mean=number(row["seconds_mean"]),
            longest=number(row["seconds_max"]),
        )


def case(network: str, sums: int | None) -> str:
    """The name under which rows and runs of one problem are shown together."""
    if sums is None:
        return network
    return f"{network}, {sums} sum{'' if sums == 1 else 's'}"


def number(value: float | None) -> float | None:
    """A finite number, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def mean(row: Fields, name: str, runs: int) -> Mean | None:
    """The mean of that name with its deviation; None where no run has a value."""
    value = number(row[f"{name}_mean"])
    if value is None or runs < 1:
        return None
    return Mean(value, number(row.get(f"{name}_std")), runs)
