"""Whether the certificate in a decision's file proves its claim: in fractions, and nothing else.

    for every u of the region    A z(u) <= b + B u,    C z(u) + e in its cone
                                 M z(u) = start + F u,    S z(u) = q
                                 z(u) = z0 + K (u - middle)
    the region holds             { u : a'u <= most for every public fact about u }

Floats satisfy no equality to the last bit. So z0 and K are replaced by an exact solution beside
them, which elimination finds, and every inequality is asked of that one. Uses no privopt.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

SHIFT = 1e-9  # relative to the solution: equalities that are off by more are no rounding

Row = list[Fraction]
Table = list[Row]


def exact(table: Any) -> Table:
    """The rows of a matrix of floats, or of the sparse one of a file, as fractions."""
    if isinstance(table, dict):
        ends, (rows, columns) = table["indptr"], table["shape"]
        dense = [[0.0] * columns for _ in range(rows)]
        for i, row in enumerate(dense):
            for at in range(ends[i], ends[i + 1]):
                row[table["indices"][at]] += table["data"][at]
        table = dense
    return [[Fraction(float(v)) for v in row] for row in table]


@dataclass(frozen=True)
class Claim:
    """What is claimed, in the numbers of whoever asked; see the head of the file.

    Rows stand in the order of the file's multipliers, cones in that of its polygons. `facts` are
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
    """What is proven: the least slack of each row and of each facet, relative to its size.

    `shift` is how far the exact solution is from that of the file, relative to it; infinite where
    there is none. `covers`: the region holds all u of the facts. `inside`: polygons are in cones.
    """

    rows: list[float]
    facets: list[float]
    shift: float
    covers: bool
    inside: bool

    @property
    def slack(self) -> float:
        """The least of all slacks."""
        return min([*self.rows, *self.facets], default=math.inf)

    @property
    def holds(self) -> bool:
        """Whether the claim is proven."""
        return self.covers and self.inside and self.shift <= SHIFT and self.slack >= 0


def prove(text: str, claim: Claim) -> Proof:
    """Look at the certificate of a decision's file."""
    file = json.loads(text)
    given, q = file["certificate"], [Fraction(v) for v in file["values"]]
    n = len(claim.S[0])
    middle, half, low, high, z0 = (
        [Fraction(v) for v in given[key]] for key in ("middle", "half", "low", "high", "solution")
    )
    W, m, K = exact(given["slabs"]), exact(given["multipliers"]), exact(given["gain"])[:n]
    solution = [[at, *slopes] for at, slopes in zip(z0[:n], K, strict=True)]
    M, F = exact(claim.M), exact(claim.F)
    due = [[Fraction(t) + dot(f, middle), *f] for t, f in zip(claim.start, F, strict=True)]
    due += [[v] + [Fraction(0)] * len(middle) for v in q]
    M += exact(claim.S)
    off = [minus(t, product(row, solution)) for row, t in zip(M, due, strict=True)]
    step = eliminated(M, off)
    covers = _covers(claim.facts, middle, half, list(zip(W, low, high, strict=True)))
    if step is None:
        return Proof([], [], math.inf, covers=covers, inside=False)
    weights = [Fraction(1), *half]
    moved = max((dot(map(abs, row), weights) for row in step), default=Fraction(0))
    size = max((dot(map(abs, row), weights) for row in solution), default=Fraction(0))
    solution = [plus(row, by) for row, by in zip(solution, step, strict=True)]
    tasks = [
        (minus(product(a, solution), [t + dot(f, middle), *f]), abs(t) + length(a, solution))
        for a, t, f in zip(exact(claim.A), map(Fraction, claim.b), exact(claim.B), strict=True)
    ]
    count = len(tasks)
    polygons = [exact(N) for N in given.get("polygons", [])]
    for (C, e), N in zip(claim.cones, polygons, strict=True):
        points, sizes = [], []
        for row, by in zip(exact(C), map(Fraction, e), strict=True):
            at, *slopes = product(row, solution)
            points.append([at + by, *slopes])
            sizes.append(abs(by) + length(row, solution))
        tasks += [([-v for v in product(f, points)], dot(map(abs, f), sizes)) for f in N]
    slacks = [
        float(-_worst(row, multipliers, half, W, low, high) / (size or 1))
        for (row, size), multipliers in zip(tasks, m, strict=True)
    ]
    distinct = {str(N): N for N in polygons}
    inside = all(map(inscribed, distinct.values()))
    shift = float(moved / (size or 1))
    return Proof(slacks[:count], slacks[count:], shift, covers=covers, inside=inside)


def _worst(row: Row, m: Row, half: Row, W: Table, low: Row, high: Row) -> Fraction:
    """What `row`, a value and slopes, is at most over the region, by multipliers of its slabs."""
    left = minus(row[1:], product(m, W)) if W else row[1:]
    ends = (high[k] if by > 0 else low[k] for k, by in enumerate(m))
    return row[0] + dot(map(abs, left), half) + dot(m, ends)


def _covers(
    facts: Sequence[tuple[Any, float]], middle: Row, half: Row, slabs: list[tuple[Row, Row, Row]]
) -> bool:
    """Whether each bound of the region follows from one fact, or from bounds of entries."""
    known = [(exact([a])[0], Fraction(most)) for a, most in facts if math.isfinite(most)]

    def most(a: Row) -> Fraction | float:
        at = next(j for j, v in enumerate(a) if v)
        along = (
            limit * a[at] / row[at]
            for row, limit in known
            if row[at] * a[at] > 0 and [v * a[at] for v in row] == [v * row[at] for v in a]
        )
        return min(along, default=math.inf)

    def ends(j: int, sign: int) -> Fraction | float:
        return most([Fraction(sign * (i == j)) for i in range(len(half))])

    def reach(a: Row) -> Fraction | float:
        terms = [abs(v) * ends(j, 1 if v > 0 else -1) for j, v in enumerate(a) if v]
        return sum(terms, Fraction(0))

    bounds: list[tuple[Row, Fraction]] = []
    for j, wide in enumerate(half):
        unit = [Fraction(i == j) for i in range(len(half))]
        bounds += [(unit, middle[j] + wide), ([-v for v in unit], wide - middle[j])]
    for a, low, high in slabs:
        at = dot(a, middle)
        bounds += [(a, high + at), ([-v for v in a], -low - at)]  # type: ignore[operator]
    return all(min(most(a), reach(a)) <= limit for a, limit in bounds if any(a))


def inscribed(N: Table) -> bool:
    """Whether { s : N s >= 0 } lies in the cone s_0 >= ||(s_1, s_2)||.

    It is the hull of its edges, if it contains no line; and each edge lies on two of its planes.
    """
    edges: Table = []
    for a, b in combinations(N, 2):
        ray = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        for s in (ray, [-v for v in ray]):
            if any(s) and all(dot(row, s) >= 0 for row in N):
                edges.append(s)
    pointed = eliminated([list(column) for column in zip(*N, strict=True)], unit(3)) is not None
    return pointed and all(s[0] >= 0 and s[0] ** 2 >= s[1] ** 2 + s[2] ** 2 for s in edges)


def eliminated(M: Table, R: Table) -> Table | None:
    """An X with M X = R exactly, zero but for one row for each independent one of M; or None."""
    n, left = len(M[0]), [[*a, *r] for a, r in zip(M, R, strict=True)]
    pivots: dict[int, Row] = {}
    while left:
        row = max(left, key=lambda one: max(map(abs, one[:n])))
        left.remove(row)
        at = max(range(n), key=lambda j: abs(row[j]))
        if not row[at]:
            return None if any(any(one) for one in [row, *left]) else _read(pivots, n, len(R[0]))
        row = [v / row[at] for v in row]
        left = [_without(one, row, at) for one in left]
        pivots = {j: _without(one, row, at) for j, one in pivots.items()} | {at: row}
    return _read(pivots, n, len(R[0]))


def _without(one: Row, row: Row, at: int) -> Row:
    by = one[at]
    return [v - by * w if w else v for v, w in zip(one, row, strict=True)] if by else one


def _read(pivots: dict[int, Row], n: int, width: int) -> Table:
    return [pivots[j][n:] if j in pivots else [Fraction(0)] * width for j in range(n)]


def unit(size: int) -> Table:
    """The unit matrix."""
    return [[Fraction(i == j) for i in range(size)] for j in range(size)]


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    """a'b."""
    return sum((v * w for v, w in zip(a, b, strict=True) if v and w), Fraction(0))


def product(a: Row, table: Table) -> Row:
    """a'table."""
    return [dot(a, column) for column in zip(*table, strict=True)]


def length(a: Row, solution: Table) -> Fraction:
    """|a|'|z0|."""
    return dot(map(abs, a), (abs(row[0]) for row in solution))


def plus(a: Row, b: Row) -> Row:
    """A + b."""
    return [v + w for v, w in zip(a, b, strict=True)]


def minus(a: Row, b: Row) -> Row:
    """A - b."""
    return [v - w for v, w in zip(a, b, strict=True)]
