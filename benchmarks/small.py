"""Random small programs, ours against the plain CVXPY model: `python -m benchmarks.small 40`.

Plans of random programs up to 60 variables, dense and sparse, with quadratic and linear
costs, bounds written as rows of A or as bounds. Both sides are given matrices and timed in turn
until the solution is there; the first one warms up. Costs must agree; the fastest of some
runs counts for both alike.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np

import privopt as po

ALPHA, ETA = 0.05, 0.025
FACTOR = float(np.sqrt(2 / (9 * ETA)))
Data = dict[str, Any]


def random_program(seed: int) -> Data:
    """A program with a point inside, of up to 60 variables; every other one has bounds as rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 61))
    k, rows, p = max(1, n // int(rng.integers(2, 6))), int(rng.integers(0, n)), max(1, n // 8)
    G = rng.normal(size=(k, n))
    if seed % 3 == 0:
        G *= rng.random((k, n)) < max(0.2, 3 / n)
        G[np.arange(k), rng.permutation(n)[:k]] = 1.0
    z = rng.normal(size=n)
    A = rng.normal(size=(rows, n))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    room = rng.uniform(1.0, 2.0, size=rows)
    lower, upper = z - rng.uniform(0.5, 2, n), z + rng.uniform(0.5, 2, n)
    kind = seed // 2 % 4  # of cost: each variable its own, any, none for half of them, linear
    root = np.diag(np.sqrt(rng.uniform(0.05, 0.3, n)))
    if kind == 1:
        root = 0.4 * rng.normal(size=(n, n)) / np.sqrt(n)
    if kind > 1:
        root[n // 2 if kind == 2 else 0 :] = 0.0
    return {
        "c1": rng.normal(size=n), "root": root, "A": A, "b": A @ z + room, "G": G, "d": G @ z,
        "lower": lower, "upper": upper, "S": np.eye(n)[np.sort(rng.permutation(n)[:p])],
        "as_rows": bool(seed % 2),
    }  # fmt: skip


def program_of(data: Data) -> po.ConvexProgram:
    """The program as it is handed to privopt."""
    n = len(data["c1"])
    C2 = data["root"].T @ data["root"]
    given = {"linear": data["c1"], "quadratic": C2, "G": data["G"], "d": data["d"]}
    if data["as_rows"]:
        A = np.vstack([data["A"], np.eye(n), -np.eye(n)])
        return po.ConvexProgram(
            **given, A=A, b=np.concatenate([data["b"], data["upper"], -data["lower"]])
        )
    return po.ConvexProgram(
        **given, A=data["A"], b=data["b"], lower=data["lower"], upper=data["upper"]
    )


def plain_plan(data: Data, sigma: float) -> float:
    """The plan as a CVXPY user writes it down."""
    tool: Any = cp
    A, b = _rows(data)
    n, p = A.shape[1], len(data["S"])
    z, Z = cp.Variable(n), cp.Variable((n, p))
    root = data["root"]
    cost = data["c1"] @ z + tool.sum_squares(root @ z) + sigma**2 * tool.sum_squares(root @ Z)
    rows = A @ z + FACTOR * sigma * tool.norm(A @ Z, 2, axis=1) <= b
    G, S = data["G"], data["S"]
    return _value(cost, [G @ z == data["d"], G @ Z == 0, np.eye(p) == S @ Z, rows])


def _rows(data: Data) -> tuple[Any, Any]:
    eye = np.eye(len(data["c1"]))
    A = np.vstack([data["A"], eye, -eye])
    return A, np.concatenate([data["b"], data["upper"], -data["lower"]])


def _value(cost: Any, constraints: list[Any]) -> float:  # noqa: ANN401 -- CVXPY's expressions
    problem: Any = cp.Problem(cp.Minimize(cost), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value) if problem.status == "optimal" else float("nan")


def ours_plan(data: Data) -> float:
    """`po.solve`, from matrices."""
    noise = po.Laplace(epsilon=1.0, alpha=ALPHA)
    margins = po.Analytic(eta=ETA, margin="unimodal")
    try:
        return po.solve(program_of(data), po.Linear(data["S"]), noise, margins).cost
    except po.errors.InfeasibleError:
        return float("nan")


def timed(runs: int, *work: Callable[[], float]) -> list[tuple[float, float]]:
    """Seconds of the fastest run and the value of each, run in turn."""
    best = [float("inf")] * len(work)
    value = [0.0] * len(work)
    for _ in range(runs):
        for k, one in enumerate(work):
            start = time.perf_counter()
            value[k] = one()
            best[k] = min(best[k], time.perf_counter() - start)
    return list(zip(best, value, strict=True))


def main() -> None:
    """Print medians, and how often ours is the slower one."""
    parser = argparse.ArgumentParser(description="Random small programs against plain CVXPY.")
    parser.add_argument("count", type=int, nargs="?", default=20)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    sigma = np.sqrt(2) * ALPHA
    timed(1, lambda: ours_plan(random_program(0)), lambda: plain_plan(random_program(0), sigma))
    found: list[dict[str, Any]] = []
    for seed in range(asked.count):
        data = random_program(seed)
        (a, x), (b, y) = timed(asked.runs, lambda: ours_plan(data), lambda: plain_plan(data, sigma))  # noqa: B023
        row = {
            "seed": seed, "n": len(data["c1"]), "ours": a, "plain": b, "difference": x - y,
            "cost": x, "as_rows": data["as_rows"],
        }  # fmt: skip
        found.append(row)
        if asked.json:
            print(json.dumps(row), flush=True)
    ratio = np.array([row["ours"] / row["plain"] for row in found])
    middle = [float(np.median([row[side] for row in found])) for side in ("ours", "plain")]
    print(
        f"{asked.count} programs: median {middle[0]:.4f} s, plain {middle[1]:.4f} s; "
        f"ratio median {np.median(ratio):.2f}, largest {ratio.max():.2f}; "
        f"slower {100 * (ratio > 1).mean():.0f}%"
    )


if __name__ == "__main__":
    main()
