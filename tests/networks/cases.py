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
    theta, p = cp.Variable(len(buses)), cp.Variable(len(gens))
    flow = cp.Variable(len(lines))
    constraints: list[Any] = []
    out: list[Any] = [0.0] * len(buses)
    for k, row in enumerate(lines):
        f, t = place[int(row[0])], place[int(row[1])]
        r, x, rate, tap, shift = row[2], row[3], row[5], row[8] or 1.0, np.deg2rad(row[9])
        difference = theta[f] - theta[t]
        if convention == "matpower":
            constraints.append(flow[k] == base / (x * tap) * (difference - shift))
        else:
            constraints.append(flow[k] == -base * np.imag(1 / complex(r, x)) * difference)
        if rate:
            constraints += [flow[k] <= rate, flow[k] >= -rate]
        low, high = np.deg2rad(row[11]), np.deg2rad(row[12])
        constraints += [difference <= high, difference >= low]
        out[f], out[t] = out[f] + flow[k], out[t] - flow[k]
    cost: Any = 0.0
    made: list[Any] = [0.0] * len(buses)
    for k, row in enumerate(gens):
        status = row[7]
        constraints += [p[k] <= row[8] * status, p[k] >= row[9] * status]
        made[place[int(row[0])]] += p[k]
        c2, c1, c0 = costs[k, 4:7]
        cost += status * (c2 * cp.square(p[k]) + c1 * p[k] + c0)
    for k, row in enumerate(buses):
        constraints.append(made[k] - out[k] == row[2] + row[4])
        if row[1] == 3:
            constraints.append(theta[k] == 0)
    problem = cp.Problem(cp.Minimize(cost), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)
