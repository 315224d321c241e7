"""Whether the certificate in a decision's file proves its claim: in fractions, without privopt.

    for every u of the region    A z(u) <= b + B u,    C z(u) + e in its cone
                                 M z(u) = start + F u,    S z(u) = q
                                 z(u) = z0 + K (u - middle)
    the region holds             { u : a'u <= most for every public fact about u }

Floats satisfy no equality to the last bit. So z0 and K are replaced by an exact solution beside
them, which elimination finds, and every inequality is asked of that one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

SHIFT = 1e-9  # relative to the solution: equalities that are off by more are no rounding


@dataclass(frozen=True)
class Claim:
    """What is claimed, in the numbers of whoever asked; see the head of the file.

    Rows stand in the order of the file's multipliers, cones in that of its polygons. Facts are
    pairs of a row a and a number: a'u is at most that.
    """

    A: Any
    b: Any
    B: Any
    M: Any
    start: Any
    F: Any
    S: Any
    cones: Sequence[tuple[Any, Any]]
    facts: Sequence[tuple[Any, float]]


@dataclass(frozen=True)
class Proof:
    """What is proven: the slack of each row and of each facet of a polygon, relative to its size.

    `shift` is how far the exact solution is from that of the file, relative to it; infinite where
    there is none. `covers`: the region holds all u of the facts. `inside`: polygons are in cones.
    """

    rows: list[float]
    facets: list[float]
    shift: float
    covers: bool
    inside: bool

    @property
    def solved(self) -> bool:
        """Whether the exact solution keeps everything."""
        return self.covers and self.inside and min([*self.rows, *self.facets], default=0.0) >= 0

    @property
    def holds(self) -> bool:
        """Whether it is that of the file, up to rounding."""
        return self.solved and self.shift <= SHIFT


def exact(table: Any) -> Any:
    """An array of floats as fractions."""
    return np.frompyfunc(Fraction, 1, 1)(np.asarray(table, dtype=float))


def prove(text: str, claim: Claim) -> Proof:
    """Look at the certificate of a decision's file."""
    file = json.loads(text)
    given = file["certificate"]
    keys = ("middle", "half", "low", "high", "solution", "multipliers")
    middle, half, low, high, z0, m = (exact(given[key]) for key in keys)
    gain, n, q = given["gain"], len(claim.S[0]), len(half)
    if isinstance(gain, dict):
        parts: Any = gain["data"], gain["indices"], gain["indptr"]
        gain = sp.csr_array(parts, shape=gain["shape"]).toarray()
    W = exact(given["slabs"]).reshape(len(low), q)
    covers = covered(claim.facts, middle, half, W, low, high)
    X, F = np.column_stack([z0, exact(gain)])[:n], exact(claim.F)
    M = exact(np.vstack([claim.M, claim.S]))
    due = np.zeros((len(M), 1 + q), dtype=object)
    due[: len(F)] = np.column_stack([exact(claim.start) + F @ middle, F])
    due[len(F) :, 0] = exact(file["values"])
    step = solution(M, due - M @ X)
    if step is None:
        return Proof([], [], math.inf, covers=covers, inside=False)
    X, weights = X + step, np.array([Fraction(1), *half])
    shift = max(abs(step) @ weights) / (max(abs(X) @ weights) or 1)
    A, B = exact(claim.A), exact(claim.B)
    b = exact(claim.b) + B @ middle
    rows, sizes = A @ X - np.column_stack([b, B]), abs(b) + abs(A) @ abs(X[:, 0])
    polygons = [exact(N) for N in given.get("polygons", [])]
    for (C, e), N in zip(claim.cones, polygons, strict=True):
        points, reach = exact(C) @ X, abs(exact(e)) + abs(exact(C)) @ abs(X[:, 0])
        points[:, 0] += exact(e)
        rows, sizes = np.vstack([rows, -N @ points]), np.append(sizes, abs(N) @ reach)
    worst = rows[:, 0] + np.maximum(m, 0) @ high + np.minimum(m, 0) @ low
    worst += abs(rows[:, 1:] - m @ W) @ half
    slacks = [float(-over / (size or 1)) for over, size in zip(worst, sizes, strict=True)]
    inside = all(inscribed(N) for N in {str(N): N for N in polygons}.values())
    return Proof(slacks[: len(A)], slacks[len(A) :], float(shift), covers=covers, inside=inside)


def covered(
    facts: Sequence[tuple[Any, float]], middle: Any, half: Any, W: Any, low: Any, high: Any
) -> bool:
    """Whether each bound of the region follows from one fact, or from those on single entries."""
    known = [(exact(a), Fraction(most)) for a, most in facts if math.isfinite(most)]
    unit = np.eye(len(half), dtype=int).astype(object)

    def most(a: Any) -> Any:
        j = next(j for j, v in enumerate(a) if v)
        along = [(row, end) for row, end in known if row[j] * a[j] > 0]
        ends = [end * a[j] / row[j] for row, end in along if not any(row * a[j] - a * row[j])]
        return min(ends, default=math.inf)

    def follows(a: Any, end: Fraction) -> bool:
        return min(most(a), sum(most(v * e) for v, e in zip(a, unit, strict=True) if v)) <= end

    slabs = np.vstack([unit, -unit, W, -W])
    ends = np.concatenate([half, half, high, -low]) + slabs @ middle
    return all(follows(a, end) for a, end in zip(slabs, ends, strict=True))


def inscribed(N: Any) -> bool:
    """Whether { s : N s >= 0 } lies in the cone s_0 >= ||(s_1, s_2)||.

    It is the hull of its edges, each of which lies on two of its planes; of a line both ways are.
    """
    rays = [sign * np.cross(a, b) for a, b in combinations(N, 2) for sign in (1, -1)]
    edges = [s for s in rays if any(s) and all(N @ s >= 0)]
    return bool(edges) and all(s[0] >= 0 and s @ s <= 2 * s[0] ** 2 for s in edges)


def solution(M: Any, R: Any) -> Any:
    """An X with M X = R exactly, of few entries; None if there is none."""
    n, T, pivots = M.shape[1], np.hstack([M, R]), dict[int, int]()
    for _ in range(len(M)):
        places = [(i, j) for i in range(len(T)) if i not in pivots for j in range(n)]
        i, j = max(places, key=lambda at: abs(T[at]))
        if not T[i, j]:
            break
        T[i] = T[i] / T[i, j]
        for k in {*range(len(T))} - {i}:
            T[k] = T[k] - T[k, j] * T[i]
        pivots[i] = j
    X = np.zeros((n, R.shape[1]), dtype=object)
    X[list(pivots.values())] = T[list(pivots), n:]
    return None if (M @ X - R).any() else X
