"""One program written in other ways: `python -m benchmarks.written 57_ieee 118_ieee`.

Limits as rows of A instead of bounds, fixed variables as equalities of G or as pairs of rows, rows
given twice, scaled, and equalities as pairs a z <= b, -f a z <= -f b. Each is solved in turn with
the program as the paper's instance has it; the fastest of some runs counts. Costs must agree.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import privopt as po
from benchmarks.programs import ALPHA, EPSILON, ETA, Matrices, matrices

Given = dict[str, Any]


def usual(data: Matrices) -> Given:
    """As it is: bounds as bounds, the reference fixed by them."""
    return {
        "linear": data.linear, "quadratic": data.quadratic, "A": data.A, "b": data.b, "G": data.G,
        "d": data.d, "lower": data.lower, "upper": data.upper,
    }  # fmt: skip


def _units(data: Matrices, which: Any) -> Any:  # noqa: ANN401
    return sp.eye_array(len(data.linear), format="csr")[np.flatnonzero(which)]


def as_rows(data: Matrices, *, public: bool = True) -> Given:
    """Bounds as rows of A; fixed variables as equalities of G."""
    free = data.lower < data.upper
    low, high = np.isfinite(data.lower) & free, np.isfinite(data.upper) & free
    given = usual(data)
    given["A"] = sp.vstack([data.A, -_units(data, low), _units(data, high)], format="csr")
    given["b"] = np.concatenate([data.b, -data.lower[low], data.upper[high]])
    given["G"] = sp.vstack([data.G, _units(data, ~free)], format="csr")
    given["d"] = np.concatenate([data.d, data.lower[~free]])
    if public:
        given["private"] = list(range(len(data.d)))
    return {**given, "lower": None, "upper": None}


def as_pairs(data: Matrices, factor: float) -> Given:
    """Bounds as rows of A; fixed variables as pairs of rows, the second one scaled."""
    given, free = as_rows(data), data.lower < data.upper
    fixed, value = _units(data, ~free), data.lower[~free]
    given["A"] = sp.vstack([given["A"], fixed, -factor * fixed], format="csr")
    given["b"] = np.concatenate([given["b"], value, -factor * value])
    del given["private"]
    return {**given, "G": data.G, "d": data.d}


def doubled(data: Matrices) -> Given:
    """Every row of A twice, the second one scaled and looser, and every bound as a row besides."""
    free = data.lower < data.upper
    low, high = np.isfinite(data.lower) & free, np.isfinite(data.upper) & free
    given = usual(data)
    given["A"] = sp.vstack(
        [data.A, 0.7 * data.A, -_units(data, low), 3 * _units(data, high)], format="csr"
    )
    given["b"] = np.concatenate(
        [data.b, 0.7 * data.b * 1.1, -data.lower[low], 3 * data.upper[high]]
    )
    return given


WAYS: dict[str, Callable[[Matrices], Given]] = {
    "as it is": usual,
    "bounds as rows, fixed as public equalities": as_rows,
    "bounds as rows, fixed as private equalities": lambda data: as_rows(data, public=False),
    "bounds as rows, fixed as pairs": lambda data: as_pairs(data, 1.0),
    "bounds as rows, fixed as scaled pairs": lambda data: as_pairs(data, 0.3),
    "rows twice, bounds as rows and bounds": doubled,
}


def once(given: Given, released: list[int]) -> tuple[float, float]:
    """Seconds and cost of one solve, from matrices."""
    noise = po.Laplace(epsilon=EPSILON, alpha=ALPHA)
    margins = po.Analytic(eta=ETA, margin="unimodal")
    start = time.perf_counter()
    plan = po.solve(po.ConvexProgram(**given), po.Identity(released), noise, margins)
    return time.perf_counter() - start, plan.cost


def main() -> None:
    """Print milliseconds, ratios and costs."""
    parser = argparse.ArgumentParser(description="One program written in other ways.")
    parser.add_argument("networks", nargs="*", default=["57_ieee", "118_ieee"])
    parser.add_argument("--runs", type=int, default=7)
    asked = parser.parse_args()
    for name in asked.networks:
        data = matrices(name)
        ways = {way: make(data) for way, make in WAYS.items()}
        best = dict.fromkeys(ways, float("inf"))
        cost = dict.fromkeys(ways, 0.0)
        for _ in range(asked.runs):
            for way, given in ways.items():
                seconds, cost[way] = once(given, data.released)
                best[way] = min(best[way], seconds)
        first = next(iter(ways))
        for way in ways:
            off = abs(cost[way] - cost[first]) / abs(cost[first])
            print(
                f"{name:10} {way:44} {1e3 * best[way]:7.1f} ms "
                f"{best[way] / best[first]:6.2f} x   cost off by {off:.0e}"
            )


if __name__ == "__main__":
    main()
