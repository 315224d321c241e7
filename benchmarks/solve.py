"""`solve` and `verify` beside a plain CVXPY model, in one run, compilation included."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from tests.reference.plain import plain_model, random_program

import privopt as po

T = TypeVar("T")
SIZES = ((10, 3, 12, 2), (30, 10, 20, 5), (60, 25, 30, 10), (100, 40, 40, 15))


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    """Print one line for each size."""
    print("unimodal margins: plain CVXPY against privopt, ratio = plain / privopt;")
    print("exact margins: solve, and verify with 1e5 draws\n")
    print("  n    p  rows |  plain s  privopt s  ratio  cost difference | exact s  verify s")
    for n, equalities, rows, p in SIZES:
        data = random_program(1, n=n, equalities=equalities, rows=rows, p=p)
        program = po.ConvexProgram(
            linear=data["c1"], quadratic=data["C2"], A=data["A"], b=data["b"], G=data["G"],
            d=data["d"],
        )  # fmt: skip
        query, noise = po.Linear(data["S"]), po.Laplace(epsilon=1.0, alpha=0.05)
        margins = po.Analytic(eta=0.025, margin="unimodal")
        ours, plan = timed(lambda: po.solve(program, query, noise, margins))  # noqa: B023
        factors = np.full(len(data["b"]), np.sqrt(2 / (9 * 0.025)))
        plain, wanted = timed(
            lambda: plain_model(**data, sigma=plan.calibration.deviation, factors=factors)  # noqa: B023
        )
        exact, best = timed(lambda: po.solve(program, query, noise, po.Analytic(eta=0.025)))  # noqa: B023
        draws, _ = timed(lambda: best.verify(100_000))  # noqa: B023
        difference = abs(plan.cost - wanted.cost) / abs(wanted.cost)
        print(
            f"{n:3d} {p:4d} {len(data['b']):5d} | {plain:8.2f} {ours:10.2f} {plain / ours:6.1f} "
            f"{difference:16.1e} | {exact:7.2f} {draws:9.2f}"
        )


if __name__ == "__main__":
    main()
