"""A box that holds every solution that costs no more than a cap, at any u of a region. Proven.

    A z <= b,   t_low <= G z <= t_high,   s = C z + e in K,   c0 + c1'z + z'C2 z <= cap

Each row bounds each of its variables by what the others can add at least; this is repeated while it
narrows anything. Of a cone, rows that hold all of it take part (s_0 >= |s_1| and the like). Where
variables follow from others by the equalities (the angles of a network), an approximate inverse B
of their columns bounds them all at once:

    z_J = B (t - G_x z_x) + (I - B G_J) z_J

All sums are rounded outwards. The box serves to bound what floats leave of a gradient
(`cost_below`): it need not be tight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.problem import Cone, Kind
from privopt.solving.program import Program
from privopt.solving.robust.squares import Squares
from privopt.solving.sparse import absolute, places, stacked

__all__ = ["enclosed"]

_UNIT = 2.0**-52  # twice what one operation on floats can be wrong by, relatively
_OUT = 1e-12  # relative: more than the few operations after a sum are wrong by
_OUT_OF_ROOTS = 1e-9  # and more than those of a root
_TINY = 1e-290  # more than products below the smallest float add up to
_NARROWER = 0.02  # of its width: a bound that moves less does not count
_SMALL = 0.5  # h up to which the variables are bounded by themselves
_ROUNDS = 60
_TANGENTS = (-40, -10, -3, -1, 0, 1, 3, 10, 40)  # exponents of two at which exp is touched


def enclosed(
    program: Program, constant: float, squares: Squares, ends: tuple[Vector, Vector], cap: float
) -> tuple[Vector, Vector]:
    """Lower and upper ends of the box; infinite where none was found.

    Parameters
    ----------
    ends
        Between what the right-hand sides of the equalities lie.
    cap
        What the solutions cost at most.
    """
    n, curved = program.n, program.cones
    least = ends[0].copy()
    least[program.slabs[0]] = -np.inf  # their second rows say what it is
    ends = least, ends[1]
    rows, bound = _rows(program, ends)
    lower = np.concatenate([program.lower, np.full(3 * len(curved), -np.inf)])
    upper = np.concatenate([program.upper, np.full(3 * len(curved), np.inf)])
    followed = False
    for _ in range(_ROUNDS):
        before = lower.copy(), upper.copy()
        _by_rows(rows, bound, lower, upper)
        _by_cost(program, constant, squares, cap, lower[:n], upper[:n])
        if _narrowed(before, (lower, upper)):
            continue
        if followed or not _follow(program, ends, lower[:n], upper[:n]):
            break
        followed = True
    return lower[:n], upper[:n]


def _rows(program: Program, ends: tuple[Vector, Vector]) -> tuple[Sparse, Vector]:
    """Rows over (z, s): limits, equalities in both directions, what s is, and around the cones."""
    curved = program.cones
    G, width = program.equalities.matrix, 3 * len(curved)
    slabs = program.slabs[2]
    straight = stacked(program.rows.matrix, slabs.matrix, G, sp.csr_array(-G))
    bound = [program.rows.bound, slabs.bound, ends[1], -ends[0]]
    if not width:
        return straight, np.concatenate(bound)
    C, e, unit = curved.matrix, curved.offset, sp.eye_array(width)
    around = sp.csr_array(sp.block_diag([_around(cone) for cone in curved.cones]))
    whole: Any = sp.vstack(
        [
            sp.hstack([straight, sp.csr_array((straight.shape[0], width))]),
            sp.hstack([C, -unit]),
            sp.hstack([-C, unit]),
            sp.hstack([sp.csr_array((around.shape[0], program.n)), -around]),
        ],
        format="csr",
    )
    return whole, np.concatenate([*bound, -e, e, np.zeros(around.shape[0])])


def _around(cone: Cone) -> Any:  # noqa: ANN401 -- a matrix
    """Rows N with N s >= 0 for every s of the cone."""
    if cone.kind is Kind.SECOND_ORDER:
        return np.array([[1.0, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1]])
    if cone.kind is Kind.POWER:  # |s_2| <= a s_0 + (1 - a) s_1
        a, b = cone.power, np.nextafter(1 - cone.power, 1.0)
        return np.array([[1.0, 0, 0], [0, 1, 0], [a, b, 1], [a, b, -1]])
    # s_2 >= c (s_0 + (1 - log c) s_1), the tangent of exp at log c, for c = 2^i
    touching = [
        [-(2.0**i), -(2.0**i) * np.nextafter(1 - i * np.log(2.0) - 1e-12 * abs(i), -np.inf), 1.0]
        for i in _TANGENTS
    ]
    return np.array([[0.0, 1, 0], [0, 0, 1], *touching])


def _by_rows(M: Sparse, bound: Vector, lower: Vector, upper: Vector) -> None:
    """Each row, each of its variables: a_j z_j <= b - the least that the others add up to."""
    if not M.nnz:
        return
    row, column, a = places(M), M.indices, M.data
    with np.errstate(invalid="ignore"):
        term = np.where(a > 0, a * lower[column], a * upper[column])
    term = np.where(a == 0, 0.0, term)
    far = np.isinf(term)
    near = np.where(far, 0.0, term)
    count = len(bound)
    total = np.bincount(row, near, minlength=count)
    size = np.bincount(row, np.abs(near), minlength=count) + np.abs(bound)
    loose = np.bincount(row, far, minlength=count)
    entries = np.bincount(row, minlength=count) + 8
    room = bound - total + (entries * _UNIT * size + _TINY)
    left = room[row] + near
    left = left + 4 * _UNIT * (np.abs(room[row]) + np.abs(near))
    known = ((loose[row] == 0) | ((loose[row] == 1) & far)) & (a != 0) & np.isfinite(left)
    at, found = column[known], left[known] / a[known]
    rises = a[known] > 0
    found = found + np.where(rises, 1.0, -1.0) * (_OUT * np.abs(found) + _TINY)
    np.minimum.at(upper, at[rises], found[rises])
    np.maximum.at(lower, at[~rises], found[~rises])


def _by_cost(
    program: Program, constant: float, squares: Squares, cap: float, lower: Vector, upper: Vector
) -> None:
    """The same for the cost: c_j z_j + w_j z_j^2 <= cap - the least that the others cost."""
    n, c, g = program.n, program.linear, squares.vectors
    w = np.zeros(n)
    if squares.single:  # other squares cost at least nothing
        w[g.indices] = squares.weights
    rest = squares.remainder(program.quadratic, np.maximum(np.abs(lower), np.abs(upper)))
    if not np.isfinite(rest) or not np.isfinite(cap):
        return
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bottom = np.clip(
            np.where(w > 0, -0.5 * (c / w), np.where(c > 0, lower, upper)), lower, upper
        )
        least = c * bottom + w * bottom**2
        size = np.abs(c * bottom) + w * bottom**2
    least, size = (np.where((c == 0) & (w == 0), 0.0, part) for part in (least, size))
    far = ~np.isfinite(least)
    near, size = np.where(far, 0.0, least), np.where(far, 0.0, size)
    wrong = (n + 16) * _UNIT * (size.sum() + abs(cap) + abs(constant) + rest) + _TINY
    room = (cap - constant + rest - near.sum() + wrong) + near
    known = ((far.sum() == 0) | ((far.sum() == 1) & far)) & ((c != 0) | (w > 0))
    for j in np.flatnonzero(known):
        if w[j] > 0:
            # Where the root is small beside c, `wrong` makes up for what the difference is off by.
            root = np.sqrt(max(c[j] ** 2 + 4 * w[j] * room[j], 0.0) + _TINY)
            ends = 0.5 * ((-c[j] - root) / w[j]), 0.5 * ((-c[j] + root) / w[j])
            wide = _OUT_OF_ROOTS * 0.5 * ((abs(c[j]) + root) / w[j]) + _TINY
            lower[j], upper[j] = max(lower[j], ends[0] - wide), min(upper[j], ends[1] + wide)
        else:
            end = room[j] / c[j]
            if c[j] > 0:
                upper[j] = min(upper[j], end + _OUT * abs(end) + _TINY)
            else:
                lower[j] = max(lower[j], end - _OUT * abs(end) - _TINY)


def _narrowed(before: tuple[Vector, Vector], after: tuple[Vector, Vector]) -> bool:
    """Whether some bound is new, or narrower by more than a little."""
    for old, new, other in zip(before, after, after[::-1], strict=True):
        if (np.isinf(old) & np.isfinite(new)).any():
            return True
        moved = np.isfinite(old) & (old != new)
        width = np.abs(old[moved] - other[moved])
        if (np.abs(old[moved] - new[moved]) > _NARROWER * width).any():
            return True
    return False


def _follow(program: Program, ends: tuple[Vector, Vector], lower: Vector, upper: Vector) -> bool:
    """Bound the variables that follow from bounded ones; whether there are any."""
    most = np.maximum(np.abs(lower), np.abs(upper))
    J = np.flatnonzero(np.isinf(most))
    G: Any = program.equalities.matrix
    used = np.asarray(absolute(G)[:, J].sum(axis=0)).ravel() > 0
    J = J[used]
    loose = np.setdiff1d(np.flatnonzero(np.isinf(most)), J)
    if not len(J):
        return False
    t = np.maximum(np.abs(ends[0]), np.abs(ends[1]))
    settled = np.asarray(absolute(G)[:, loose].sum(axis=1)).ravel() == 0
    rows = np.flatnonzero(settled & np.isfinite(t))
    G, t = G[rows], t[rows]
    own: Dense = G[:, J].toarray()
    if own.shape[0] < own.shape[1]:
        return False
    B = np.linalg.pinv(own)
    H = np.abs(np.eye(len(J)) - B @ own)
    H += (own.shape[0] + 8) * _UNIT * (np.abs(B) @ np.abs(own) + np.eye(len(J))) + _TINY
    out = 1 + (sum(G.shape) + 8) * _UNIT  # more than these sums are wrong by, relatively
    known = np.where(np.isfinite(most), most, 0.0)
    base = np.abs(B) @ (t + np.asarray(absolute(sp.csr_array(G)) @ known)) * out * out
    base = np.maximum(base, _OUT * float(base.max()) + _TINY)
    h = float(((H * base) / base[:, None]).sum(axis=1).max()) * out
    if not h < _SMALL:
        return False
    bound = base / (1 - h) * (1 + _OUT)
    lower[J], upper[J] = np.maximum(lower[J], -bound), np.minimum(upper[J], bound)
    return True
