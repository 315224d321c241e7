"""The same program as somebody might write it down: repeated, in other units, badly scaled.

Variables z = U z', rows times R, equalities times E, cost times kappa, released values in units of
v: c1' = kappa U c1, C2' = kappa U C2 U, A' = R A U, b' = R b, G' = E G U, d' = E d, S' = S U / v.
The optimal cost is kappa times that of the nice program, whatever U, R, E and v are. Equalities may
come again (times factors, or as sums), inequalities too, and public equalities as pairs of opposite
rows or equal bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.differential.nice import Generator, Matrix, Nice, Vector

import privopt as po

FACTORS = (1.0, -1.0, 0.5, 0.7, 1 / 3, 3.0, 7.0, 0.1)


@dataclass(frozen=True)
class Hostile:
    """What privopt is given, and how it maps back.

    `value` is the unit of released values, `columns` those of the variables.
    """

    program: po.ConvexProgram
    S: Matrix
    kappa: float
    value: float
    columns: Vector
    kinds: tuple[str, ...]


def hostile(rng: Generator, nice: Nice) -> Hostile:
    """Draw a form of the program."""
    kinds = list(nice.kinds)
    columns = nice.natural * _units(rng, nice.n, "variables", kinds)
    kappa = float(_units(rng, 1, "cost", kinds)[0])
    value = float(_units(rng, 1, "release", kinds)[0])
    G, d = _equalities(rng, nice, kinds)
    E = _units(rng, len(G), "equalities", kinds)
    A, b = np.vstack([nice.A, np.zeros((0, nice.n))]), nice.b
    lower, upper = nice.lower.copy(), nice.upper.copy()
    for row, right in zip(nice.H, nice.h, strict=True):
        at = np.flatnonzero(row)
        if len(at) == 1 and rng.random() < 0.5:
            lower[at] = upper[at] = right / row[at]
            kinds.append("equal bounds")
            continue
        for _ in range(int(rng.integers(1, 3))):
            kinds.append("opposite rows")
            f, g = (abs(float(rng.choice(FACTORS))) for _ in range(2))
            A, b = np.vstack([A, f * row, -g * row]), np.append(b, [f * right, -g * right])
    A, b = _again(rng, A, b, lower, upper, kinds)
    R = _units(rng, len(A), "rows", kinds)
    order = rng.permutation(len(A))
    program: dict[str, Any] = {
        "linear": kappa * columns * nice.c1,
        "quadratic": kappa * columns[:, None] * nice.C2 * columns,
        "G": E[:, None] * G * columns,
        "d": E * d,
        "lower": lower / columns,
        "upper": upper / columns,
    }
    if len(A):
        program |= {"A": (R[:, None] * A * columns)[order], "b": (R * b)[order]}
    return Hostile(
        po.ConvexProgram(**program), nice.S * columns / value, kappa, value, columns,
        tuple(sorted(set(kinds))),
    )  # fmt: skip


def _units(rng: Generator, size: int, what: str, kinds: list[str]) -> Vector:
    """Factors 10^-x to 10^x; x may be zero, and they may be powers of two."""
    if rng.random() < 0.6:
        return np.ones(size)
    most = int(rng.choice([1, 2, 4, 8]))
    kinds.append(f"{what} 1e{most}")
    factors = 10.0 ** rng.uniform(-most, most, size)
    return np.exp2(np.round(np.log2(factors))) if rng.random() < 0.4 else factors


def _equalities(rng: Generator, nice: Nice, kinds: list[str]) -> tuple[Matrix, Vector]:
    """G and d, some of them again."""
    G, d = nice.G, nice.d
    for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.5 else 0):
        weights = np.zeros(len(nice.G))
        some = rng.choice(len(weights), int(rng.integers(1, len(weights) + 1)), replace=False)
        weights[some] = rng.choice(FACTORS, len(some))
        kinds.append("equality again" if len(some) == 1 else "sum of equalities")
        G, d = np.vstack([G, weights @ nice.G]), np.append(d, weights @ nice.d)
    return G, d


def _again(
    rng: Generator, A: Matrix, b: Vector, lower: Vector, upper: Vector, kinds: list[str]
) -> tuple[Matrix, Vector]:
    """Some inequalities and bounds once more."""
    if len(A) and rng.random() < 0.3:
        kinds.append("rows again")
        at = rng.choice(len(A), int(rng.integers(1, 3)))
        factor = np.abs(rng.choice(FACTORS, len(at)))
        A, b = np.vstack([A, factor[:, None] * A[at]]), np.append(b, factor * b[at])
    if rng.random() < 0.3:
        kinds.append("bounds again")
        j = int(rng.integers(A.shape[1]))
        for sign, limit in ((1.0, upper[j]), (-1.0, -lower[j])):
            if np.isfinite(limit):
                f = abs(float(rng.choice(FACTORS)))
                A, b = np.vstack([A, sign * f * np.eye(A.shape[1])[j]]), np.append(b, f * limit)
    return A, b
