"""Case files written for the tests, and an independent DC optimal power flow.

The reference model reads the tables as they stand and is written with a flow variable a branch, in
MW, with CVXPY: nothing of privopt is in it.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from matpowercaseframes import CaseFrames

Rows = list[list[float]]


def bus(number: int, kind: int = 1, demand: float = 0.0, shunt: float = 0.0) -> list[float]:
    return [number, kind, demand, 0, shunt, 0, 1, 1, 0, 230, 1, 1.1, 0.9]


def gen(at: int, high: float, low: float = 0.0, status: int = 1) -> list[float]:
    return [at, 0, 0, 0, 0, 1, 100, status, high, low]


def branch(
    source: int,
    target: int,
    x: float = 0.1,
    *,
    r: float = 0.0,
    rate: float = 0.0,
    tap: float = 0.0,
    shift: float = 0.0,
    status: int = 1,
    angles: tuple[float, float] = (-360.0, 360.0),
) -> list[float]:
    return [source, target, r, x, 0, rate, rate, rate, tap, shift, status, *angles]


def polynomial(*coefficients: float) -> list[float]:
    return [2, 0, 0, len(coefficients), *coefficients]


def piecewise(*points: float) -> list[float]:
    return [1, 0, 0, len(points) // 2, *points]


def write(
    path: Path, buses: Rows, gens: Rows, branches: Rows, costs: Rows, extra: str = ""
) -> Path:
    width = max(len(row) for row in costs)
    costs = [row + [0.0] * (width - len(row)) for row in costs]
    tables = {"bus": buses, "gen": gens, "branch": branches, "gencost": costs}
    text = "function mpc = test\nmpc.version = '2';\nmpc.baseMVA = 100.0;\n"
    for name, rows in tables.items():
        lines = "".join("\t" + "\t".join(repr(float(v)) for v in row) + ";\n" for row in rows)
        text += f"mpc.{name} = [\n{lines}];\n"
    path.write_text(text + extra, encoding="utf-8")
    return path


def reference_cost(path: Path, convention: str) -> float:
    """Cost of the DC optimal power flow of a case file, in money per hour."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its reader, about pandas
        case: Any = CaseFrames(str(path))
    buses, gens, lines = (getattr(case, name).to_numpy(float) for name in ("bus", "gen", "branch"))
    costs = case.gencost.to_numpy(float)
    base = float(case.baseMVA)
    place = {int(number): k for k, number in enumerate(buses[:, 0])}
    theta, p, flow = cp.Variable(len(buses)), cp.Variable(len(gens)), cp.Variable(len(lines))
    ends = [_picked([place[int(n)] for n in lines[:, side]], len(buses)) for side in (0, 1)]
    difference = ends[0] @ theta - ends[1] @ theta
    tap, shift = np.where(lines[:, 8] == 0, 1.0, lines[:, 8]), np.deg2rad(lines[:, 9])
    if convention == "matpower":
        along = cp.multiply(base / (lines[:, 3] * tap), difference - shift)
    else:
        along = cp.multiply(-base * np.imag(1 / (lines[:, 2] + 1j * lines[:, 3])), difference)
    rate = np.where(lines[:, 5] == 0, np.inf, lines[:, 5])
    limited, fixed = np.flatnonzero(np.isfinite(rate)), np.flatnonzero(buses[:, 1] == 3)
    status = gens[:, 7]
    made = _picked([place[int(n)] for n in gens[:, 0]], len(buses)).T @ p
    constraints: list[Any] = [
        flow == along,
        flow[limited] <= rate[limited],
        flow[limited] >= -rate[limited],
        difference >= np.deg2rad(lines[:, 11]),
        difference <= np.deg2rad(lines[:, 12]),
        p <= gens[:, 8] * status,
        p >= gens[:, 9] * status,
        made - (ends[0] - ends[1]).T @ flow == buses[:, 2] + buses[:, 4],
        theta[fixed] == 0,
    ]
    c2, c1, c0 = (status * column for column in costs[:, 4:7].T)
    cost = c2 @ cp.square(p) + c1 @ p + c0.sum()
    problem = cp.Problem(cp.Minimize(cost), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


def _picked(places: list[int], count: int) -> Any:
    """A row for each place, with a one there."""
    rows = np.arange(len(places))
    return sp.csr_array((np.ones(len(places)), (rows, places)), shape=(len(places), count))
