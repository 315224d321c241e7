"""Random programs with cone rows, and cone rows in plain CVXPY."""

from __future__ import annotations

import warnings
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.cone_rows import ConeRows
from privopt.solving.problem import Cone, Kind

CONES = (Cone.second_order(3), Cone.exponential(), Cone.of_power(0.5), Cone.of_power(0.2))


def within(cone: Cone, s: Any, slack: Any = 0.0) -> Any:
    """S + slack * inside in the cone, as CVXPY says it."""
    x, y, z = (s[i] + slack * float(cone.inside[i]) for i in range(3))
    if cone.kind is Kind.SECOND_ORDER:
        return cp.SOC(x, cp.hstack([y, z]))
    if cone.kind is Kind.EXPONENTIAL:
        return cp.ExpCone(x, y, z)
    return cp.PowCone3D(x, y, z, cone.power)


def curved(cones: ConeRows, z: Any, slack: Any = 0.0) -> list[Any]:
    """All cone rows at z."""
    C, e = cones.matrix.toarray(), cones.offset
    return [
        within(cone, C[3 * k : 3 * k + 3] @ z + e[3 * k : 3 * k + 3], slack)
        for k, cone in enumerate(cones.cones)
    ]


def solved(model: Any) -> float:
    """The optimal value; infinite where there is no point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return float(model.solve(solver=cp.CLARABEL))
        except cp.SolverError:
            return float("nan")


def missing(program: po.ConvexProgram, fixed: Vector, where: Any, d: Vector) -> float:
    """The least slack with which some z has `fixed` at the positions `where`; NaN: unknown."""
    z, slack = cp.Variable(program.n), cp.Variable(nonneg=True)
    target = program.right_hand_side(d)
    rows = [
        z[where] == fixed,
        program.equalities.matrix.toarray() @ z == target,
        program.rows.matrix.toarray() @ z <= program.rows.bound + slack,
        *curved(program.cones, z, slack),
    ]
    return solved(cp.Problem(cp.Minimize(slack), rows))


def scattered(rng: np.random.Generator, n: int, cones: int, rows: int) -> po.ConvexProgram:
    """Rows and cones of few entries, all -1, 0 or 1: edges of cones are hit all the time."""

    def sparse(count: int, share: float) -> Dense:
        sign = rng.integers(0, 2, (count, n)) * 2 - 1
        return np.where(rng.uniform(size=(count, n)) < share, sign, 0).astype(float)

    kinds = tuple(CONES[k] for k in rng.integers(0, len(CONES), cones))
    matrix = np.vstack([sparse(3, 0.35) for _ in range(cones)])
    offset = rng.integers(-1, 3, 3 * cones).astype(float)
    given = ConeRows(kinds, sp.csr_array(matrix), offset, tuple(f"cone{k}" for k in range(cones)))
    G = np.zeros((1, n))
    G[0, :2] = 1.0
    E = sparse(1, 0.3)
    return po.ConvexProgram(
        linear=rng.normal(size=n), A=sparse(rows, 0.4), b=rng.integers(0, 3, rows),
        G=G, d=[1.0], cones=[given], **({"E": E, "g": [0.5]} if E.any() else {}),
    )  # fmt: skip


def nested(rng: np.random.Generator, n: int = 3, heights: int = 3) -> po.ConvexProgram:
    """Epigraphs of epigraphs over n variables, some of them with a limit or a fixed sum."""
    width = n + heights
    points: list[Dense] = []
    offsets: list[Vector] = []
    kinds: list[Cone] = []
    A: list[Vector] = []
    b: list[float] = []
    for k in range(n, width):
        unit = np.eye(width)[k] * (1.0 if rng.uniform() < 0.8 else -1.0)
        x = np.zeros((2, width))
        x[:, :n] = (0.6 * rng.normal(size=(2, n))).round(1)
        if k > n:  # of an earlier height, mostly in the direction that keeps it convex
            x[0, k - 1] = rng.choice([0.5, 1.0, -0.5], p=[0.45, 0.45, 0.1])
        none = np.zeros(width)
        what = rng.integers(0, 6)
        if what == 0:
            for row in x:
                A.append(row - unit)
                b.append(float(rng.normal()))
            continue
        made, constant, cone = {
            1: ((unit, x[1], none), (0, 0, 1), CONES[0]),
            2: ((x[0], none, unit), (0, 1, 0), CONES[1]),
            3: ((-unit, none, x[1]), (0, 1, 1), CONES[1]),
            4: ((unit, none, x[1]), (0, 1, 0.5), CONES[2]),
            5: ((unit + x[1], unit - x[1], 2 * x[0]), (1, -1, 0), CONES[0]),
        }[int(what)]
        points.append(np.array(made))
        offsets.append(np.array(constant, dtype=float))
        kinds.append(cone)
    if rng.uniform() < 0.5:  # a genuine limit of some height
        A.append(np.eye(width)[rng.integers(n, width)])
        b.append(3.0)
    matrix = np.vstack([np.zeros((0, width)), *points])
    offset = np.concatenate([np.zeros(0), *offsets])
    names = tuple(f"cone{k}" for k in range(len(kinds)))
    G = np.zeros((1, width))
    G[0, :n] = 1.0
    return po.ConvexProgram(
        auxiliary=range(n, width),
        linear=np.ones(width), A=np.array(A) if A else None, b=b if A else None, G=G, d=[0.7],
        cones=[ConeRows(tuple(kinds), sp.csr_array(matrix), offset, names)],
    )  # fmt: skip
