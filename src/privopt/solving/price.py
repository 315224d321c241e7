"""The part of a cost that is a minimum over further variables, and its slope, at many solutions.

    phi(z) = min over t of  h't + t'C t   subject to   A z + B t <= b,  E z + F t = g,
                                                       C z + D t + e in K

t are the heights of epigraphs and whatever else no user wrote: they are chosen anew for every z,
and never answer noise or data affinely. A t that shares no row with another one has a closed form
(`heights`); the rest is one cone program for all z together, and its multipliers are the slope.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Positions
from privopt.solving.heights import height, rises
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.program import Program
from privopt.solving.solver import Settings, solve_conic

__all__ = ["Pieces", "Price", "Priced"]

_AT_ONCE = 40_000  # variables of one cone program


@dataclass(frozen=True, eq=False, repr=False)
class Priced:
    """Phi at some solutions (rows), and the best t; infinite where there is none.

    `parts` are its slopes: phi is a sum of functions of a few variables each, here with the
    positions of these variables and one row of slopes for each solution.
    """

    values: Vector
    t: Dense
    parts: list[tuple[Positions, Dense]]


@dataclass(frozen=True, eq=False, repr=False)
class Pieces:
    """A part of phi that is piecewise linear: weight * max_i (A_i z - b_i), weight >= 0."""

    weight: float
    A: Sparse
    b: Vector


class Price:
    """Phi of a program whose variables `t` are chosen last.

    Attributes
    ----------
    t, z
        Positions of the variables that are chosen last, and of those that phi depends on.
    """

    def __init__(self, program: Program, t: Positions) -> None:
        self._program, self.t = program, t
        last = np.zeros(program.n, dtype=bool)
        last[t] = True
        self._rows = _touching(program.rows.matrix, last)
        self._equalities = _touching(program.equalities.matrix, last)
        rows = _touching(program.cones.matrix, last)
        self._cones = np.unique(rows // 3)
        own = (3 * self._cones[:, None] + np.arange(3)).ravel()
        self._every = _Parts(
            program.rows.matrix[self._rows], program.rows.bound[self._rows],
            program.equalities.matrix[self._equalities], program.equalities.bound[self._equalities],
            program.cones.matrix[own], program.cones.offset[own],
            tuple(program.cones.cones[int(k)] for k in self._cones),
        )  # fmt: skip
        self._kinds = self._every.kinds
        self._A, self._b = self._every.A, self._every.b
        self._E, self._C, self._e = self._every.E, self._every.C, self._every.e
        used = np.zeros(program.n, dtype=bool)
        for part in (self._A, self._E, self._C):
            used[part.indices] = True
        self.z = np.flatnonzero(used & ~last)
        self.h, self.C2 = program.linear[t], sp.csr_array(program.quadratic[t][:, t])

    @cached_property
    def _groups(self) -> Positions:
        """For each t, a number it shares with those that something ties it to."""
        blocks = self._program.cones.blocks[self._cones]
        ties = sp.vstack([self._A, self._E, blocks], format="csr")[:, self.t]
        links: Any = ties.T @ ties + abs(self.C2)
        links.data[:] = 1.0
        return np.asarray(csgraph.connected_components(links, directed=False)[1], dtype=np.intp)

    @cached_property
    def _closed(self) -> dict[int, _Alone]:
        """The t that stand alone and have a closed form, by their place among all t."""
        group = self._groups
        alone = np.bincount(group)[group] == 1
        found = {int(k): self._alone(int(k)) for k in np.flatnonzero(alone)}
        return {k: one for k, one in found.items() if one is not None}

    def _alone(self, k: int) -> _Alone | None:
        j = self.t[k]
        if self._E[:, [j]].nnz:
            return None
        column: Any = self._A[:, [j]].toarray().ravel()
        rows = np.flatnonzero(column)
        point: Any = self._C[:, [j]].toarray().reshape(-1, 3)
        cones = np.flatnonzero(point.any(axis=1))
        price, curve = float(self.h[k]), float(self.C2[k, k])
        for up in (1.0, -1.0):
            helps = (up * column[rows] < 0).all() and all(
                rises(self._kinds[c], up * point[c]) for c in cones
            )
            if helps and (up * price >= 0 or curve > 0) and (len(rows) or len(cones)):
                return _Alone(up, price, curve, rows, column[rows], cones, point[cones])
        return None

    @cached_property
    def pieces(self) -> dict[int, Pieces]:
        """The parts that are the highest of affine functions, by the place of their t."""
        first = np.ones(self._program.n)
        first[self.t] = 0.0
        found: dict[int, Pieces] = {}
        for k, one in self._closed.items():
            if len(one.cones) or one.curve:
                continue
            each = 1 / (-one.up * one.column)
            A = sp.diags_array(each) @ self._A[one.rows] @ sp.diags_array(first)
            found[k] = Pieces(one.up * one.price, sp.csr_array(A), each * self._b[one.rows])
        return found

    def at(self, z: Dense, but: Collection[int] = ()) -> Priced:
        """Phi at each row of z, but for some of its t; entries of t are not looked at."""
        z = z.copy()
        z[:, self.t] = 0.0
        values, t = np.zeros(len(z)), np.zeros((len(z), len(self.t)))
        parts: list[tuple[Positions, Dense]] = []
        for k, one in self._closed.items():
            if k in but:
                continue
            t[:, k], slope = self._highest(one, z)
            known = np.where(np.isfinite(t[:, k]), t[:, k], 0.0)
            cost = one.price * known + one.curve * known**2
            values += np.where(np.isfinite(t[:, k]), cost, np.inf)
            grows = one.price + 2 * one.curve * known
            used = np.setdiff1d(np.flatnonzero(slope.any(axis=0)), self.t)
            parts.append((used, grows[:, None] * slope[:, used]))
        rest = np.array([k for k in range(len(self.t)) if k not in self._closed], dtype=np.intp)
        if len(rest):
            size = max(1, _AT_ONCE // len(rest))
            blocks = [self._at_once(z[k : k + size], rest) for k in range(0, len(z), size)]
            values += np.concatenate([block[0] for block in blocks])
            t[:, rest] = np.concatenate([block[1] for block in blocks])
            for g, (used, _) in enumerate(blocks[0][2]):
                parts.append((used, np.concatenate([block[2][g][1] for block in blocks])))
        return Priced(values, t, parts)

    def _highest(self, one: _Alone, z: Dense) -> tuple[Vector, Dense]:
        """The t that stands alone, and its slope."""
        least, slope = np.full(len(z), -np.inf), np.zeros_like(z)
        if len(one.rows):
            A, factor = self._A[one.rows], -one.up * one.column
            over = (np.asarray(A @ z.T).T - self._b[one.rows]) / factor
            worst = np.argmax(over, axis=1)
            least = over[np.arange(len(z)), worst]
            slope = (A.toarray() / factor[:, None])[worst]
        for c, way in zip(one.cones, one.points, strict=True):
            rows = slice(3 * c, 3 * c + 3)
            C, e = self._C[rows], self._e[rows]
            v = np.asarray(C @ z.T).T + e
            found, on_v = height(self._kinds[int(c)], v, one.up * way)
            higher = found > least
            least = np.where(higher, found, least)
            slope[higher] = on_v[higher] @ C.toarray()
        if one.curve > 0:  # where the cost falls first
            bottom = -one.up * one.price / (2 * one.curve)
            slope[bottom > least] = 0.0
            least = np.maximum(least, bottom)
        return one.up * least, one.up * slope

    def _at_once(
        self, z: Dense, rest: Positions
    ) -> tuple[Vector, Dense, list[tuple[Positions, Dense]]]:
        """The others, by one cone program for all z: values, t, and the slopes of each group."""
        t = self.t[rest]
        parts = self._every.of(t)
        count, nt = len(z), len(t)
        each = sp.eye_array(count)
        A, E, C = parts.A[:, t], parts.E[:, t], parts.C[:, t]
        right_E = (parts.g - np.asarray(parts.E @ z.T).T).ravel()
        right_A = (parts.b - np.asarray(parts.A @ z.T).T).ravel()
        right_C = (parts.e + np.asarray(parts.C @ z.T).T).ravel()
        C2 = self._program.quadratic[t][:, t]
        problem = ConicProblem(
            P=sp.csc_array(sp.kron(each, 2 * C2)),
            q=np.tile(self._program.linear[t], count),
            A=sp.vstack([sp.kron(each, E), sp.kron(each, A), sp.kron(each, -C)], format="csc"),
            b=np.concatenate([right_E, right_A, right_C]),
            cones=(
                Cone.zero(len(right_E)),
                Cone.nonnegative(len(right_A)),
                *(parts.kinds * count),
            ),
        )
        answer = solve_conic(problem, Settings())
        ended = answer.outcome is Outcome.OPTIMAL and answer.dual is not None
        if not ended and count > 1:
            half = count // 2  # some z have no t: which?
            one, other = (self._at_once(part, rest) for part in (z[:half], z[half:]))
            slopes = [
                (used, np.concatenate([first, second]))
                for (used, first), (_, second) in zip(one[2], other[2], strict=True)
            ]
            return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), slopes
        x = answer.x.reshape(count, nt) if ended else np.full((1, nt), np.nan)
        dual = answer.dual if ended and answer.dual is not None else np.zeros(len(problem.b))
        values = x @ self._program.linear[t] + (x * np.asarray(C2 @ x.T).T).sum(axis=1)
        ends = np.cumsum([len(right_E), len(right_A)])
        prices = [part.reshape(count, -1) for part in np.split(dual, ends)]
        found = [
            parts.slopes(prices, self.t[rest[self._groups[rest] == g]], self.t)
            for g in np.unique(self._groups[rest])
        ]
        return np.where(np.isfinite(values), values, np.inf), x, found


@dataclass(frozen=True, eq=False, repr=False)
class _Alone:
    """One t: which way it rises, its price, its rows and cones and how it enters them."""

    up: float
    price: float
    curve: float
    rows: Positions
    column: Vector
    cones: Positions
    points: Dense


@dataclass(frozen=True, eq=False, repr=False)
class _Parts:
    """The rows, equalities and cones that hold some of the t."""

    A: Sparse
    b: Vector
    E: Sparse
    g: Vector
    C: Sparse
    e: Vector
    kinds: tuple[Cone, ...]

    def of(self, t: Positions) -> _Parts:
        """Those that hold some of the t."""
        last = np.zeros(self.A.shape[1], dtype=bool)
        last[t] = True
        rows, equalities = _touching(self.A, last), _touching(self.E, last)
        cones = np.unique(_touching(self.C, last) // 3)
        own = (3 * cones[:, None] + np.arange(3)).ravel()
        return _Parts(
            self.A[rows], self.b[rows], self.E[equalities], self.g[equalities],
            self.C[own], self.e[own], tuple(self.kinds[int(k)] for k in cones),
        )  # fmt: skip

    def slopes(
        self, prices: list[Dense], t: Positions, every: Positions
    ) -> tuple[Positions, Dense]:
        """What the multipliers of equalities, rows and cones say of the part that some t price."""
        last = np.zeros(self.A.shape[1], dtype=bool)
        last[t] = True
        equalities, rows = _touching(self.E, last), _touching(self.A, last)
        cones = np.unique(_touching(self.C, last) // 3)
        own = (3 * cones[:, None] + np.arange(3)).ravel()
        held = np.zeros(self.A.shape[1], dtype=bool)
        for M, at in ((self.E, equalities), (self.A, rows), (self.C, own)):
            held[M[at].indices] = True
        held[every] = False
        used = np.flatnonzero(held)
        slope = (
            prices[0][:, equalities] @ self.E[equalities][:, used].toarray()
            + prices[1][:, rows] @ self.A[rows][:, used].toarray()
            - prices[2][:, own] @ self.C[own][:, used].toarray()
        )
        return used, slope


def _touching(M: Sparse, columns: Any) -> Positions:  # noqa: ANN401 -- a mask
    """Rows with an entry in some columns."""
    return np.flatnonzero(np.asarray(abs(M) @ columns.astype(float)) > 0)
