"""The affine rule whose cost, by its chords, is least in the worst case over a region.

    minimise   max over U of [ c1'z(u) + sum_k w_k (2 c_k g_k'z(u) - c_k^2) ]  +  sum_k w_k r_k^2
    subject to z(u) = z0 + K (u - middle),   E z0 = N t,  E K = N F
               A_i z(u) <= b_i,   |g_k'z(u) - c_k| <= r_k          for every u of U

For |x - c| <= r the chord is x^2 <= 2 c x - c^2 + r^2, which is convex in r: with the centres c_k
given, this is one quadratic program in z0, K, r and the multipliers of each row (`region`). Centres
are where the optima at some draws lie, then in the middle of what the rule runs through: the old
rule stays feasible at the same value, so the value falls from round to round.

Rows enter when a rule exceeds them. Of a large program K follows sums that were measured, and is
otherwise the slope of an optimum: K = K_0 + L W.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Positions
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.reduced import reduced
from privopt.solving.robust.region import Region
from privopt.solving.solver import Settings, solve_conic

__all__ = ["CheapestRule", "Rule"]

_FULL = 10_000  # numbers of a gain up to which all of it is chosen
_OVER = 1e-8  # of its size: a row exceeded by less is kept
_NEARLY = 1e-3  # of its size: a row with less room will be exceeded
_WORST = 40  # rows that enter at once
_ROUNDS = 40
_RANK = 1e-10
_CENTRES = 6  # times that the middle of the squares is moved
_PAYS = 1e-6  # of the cost: what that must have saved to be done again


@dataclass(frozen=True, repr=False, eq=False)
class Rule:
    """The rule in condensed units: x0, K, and the bound of its cost in those of the scaling."""

    x: Vector
    K: Dense
    value: float


@dataclass(repr=False, eq=False)
class CheapestRule:
    """Rules of one condensed program over one region.

    Parameters
    ----------
    small
        The condensed program; its limits hold every row and, of cones, polygons.
    region
        Where the private data can lie.
    target, F
        Scaled right-hand side at the middle of the region, and how it follows the data.
    weights, squares
        w_k and g_k over the variables of the condensed program, in its units.
    points
        Optima at some draws (rows, condensed): where centres begin.
    likely
        Rows that will bind.
    """

    small: Condensed
    region: Region
    target: Vector
    F: Dense
    weights: Vector
    squares: Sparse
    points: Dense
    settings: Settings
    likely: Positions
    _work: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        small = self.small
        lean, self._moving = reduced(self.region)
        self._half = lean.half
        self._W, self._low, self._high = lean.W * lean.half, lean.low, lean.high
        M, R = small.rows(np.arange(len(small.limits)))
        self._M, self._shift = sp.csr_array(M), np.asarray(R @ self.target)
        self.begin(np.zeros((len(small.linear), self.F.shape[1])))
        self._follows = np.asarray(R @ self.F)
        self._work |= set(self.likely.tolist())
        q, nx = len(self._moving), len(small.linear)
        self.large = q * nx > _FULL
        self._basis = sp.csr_array(self._W) if self.large else sp.csr_array(sp.eye_array(q))

    def begin(self, gain: Dense) -> None:
        """Begin with a gain K_0, brought to where E K = N F: of a large program it counts."""
        E, right = self.small.E.toarray(), np.asarray(self.small.N @ self.F)
        self._start = gain + np.linalg.pinv(E, rcond=_RANK) @ (right - E @ gain)

    def found(self) -> Rule | Outcome:
        """The rule of least worst-case cost; INFEASIBLE where no affine rule keeps the rows."""
        values = self.points @ self.squares.T.toarray()
        ends = values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)
        centres = np.where(np.isfinite(ends[0]), 0.5 * (ends[0] + ends[1]), 0.0)
        best: Rule | None = None
        for _ in range(_CENTRES):
            rule = self._about(centres)
            if isinstance(rule, Outcome):
                return rule if best is None else best
            if best is not None and rule.value > best.value - _PAYS * (1 + abs(best.value)):
                return min(best, rule, key=lambda one: one.value)
            best = rule
            if not len(self.weights):
                return rule
            g = self.squares
            slopes = np.asarray(g @ rule.K)
            up, down = self.region.support(slopes)[0], self.region.support(-slopes)[0]
            centres = np.asarray(g @ rule.x) + 0.5 * (up - down)
        return best or Outcome.STALLED

    def _about(self, centres: Vector) -> Rule | Outcome:
        """The best rule for some centres: rows enter as they are exceeded."""
        for _ in range(_ROUNDS):
            rule = self._solved(centres)
            if isinstance(rule, Outcome):
                return rule
            slopes = np.asarray(self._M @ rule.K) + self._follows
            margin, _ = self.region.support(slopes)
            over = np.asarray(self._M @ rule.x) + self._shift + margin - self.small.limits
            over /= self.small.sizes
            over[list(self._work)] = -np.inf
            if not len(over) or over.max() <= _OVER:
                return rule
            worst = np.argsort(-over)[:_WORST]
            self._work |= set(worst[over[worst] > -_NEARLY].tolist())
        return Outcome.STALLED

    def _solved(self, centres: Vector) -> Rule | Outcome:
        """The quadratic program of the rows at work."""
        build = _Build(self, centres, np.array(sorted(self._work), dtype=np.intp))
        answer = solve_conic(build.problem, self.settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        nx, b = len(self.small.linear), self._basis
        x = answer.x[:nx]
        L = answer.x[nx : nx + nx * b.shape[0]].reshape(nx, -1)
        K = self._start.copy()
        K[:, self._moving] += (L @ b.toarray()) / np.where(self._half > 0, self._half, 1.0)
        constant = -float(self.weights @ centres**2)
        value = float(build.problem.q @ answer.x) + constant
        value += 0.5 * float(answer.x @ (build.problem.P @ answer.x))
        return Rule(x, K, value)


class _Build:
    """The quadratic program: x0, L, then for each direction its value, slabs and parts; r, tau.

    A direction is a row a; its value v has  a x0 + shift + sum_j s_j + m+'high - m-'low <= v  and
    s_j >= |(a K)_j - (m+ - m-)'W_j| in units of the box.
    """

    def __init__(self, rule: CheapestRule, centres: Vector, work: Positions) -> None:
        small, g, w = rule.small, rule.squares, rule.weights
        nx, rho = len(small.linear), rule._basis.shape[0]
        cost = small.linear + 2 * np.asarray(g.T @ (w * centres))
        none = np.zeros((1, rule.F.shape[1]))
        vectors: Any = sp.vstack([rule._M[work], g, -g, sp.csr_array(cost[None])], format="csr")
        count, squares = vectors.shape[0], len(w)
        shift = np.zeros(count)
        shift[: len(work)] = rule._shift[work]
        follows = np.vstack([rule._follows[work], np.repeat(none, 2 * squares + 1, axis=0)])
        slopes = np.asarray(vectors @ rule._start) + follows
        still = np.setdiff1d(np.arange(slopes.shape[1]), rule._moving)
        shift += np.abs(slopes[:, still]) @ rule.region.half[still]
        fixed = slopes[:, rule._moving] * rule._half
        q, r = fixed.shape[1], len(rule._low)
        # Places of the variables.
        size = 1 + 2 * r + q
        first = nx + nx * rho
        values = first + size * np.arange(count)
        radii = first + size * count + np.arange(squares)
        width = first + size * count + squares + 1
        tau = width - 1
        each = sp.eye_array(count)
        # E x0 = N t and E L = 0.
        E = small.E
        equal: Any = sp.block_diag([E, sp.kron(E, sp.eye_array(rho))], format="csr")
        equal = sp.hstack([equal, sp.csr_array((equal.shape[0], width - first))], format="csr")
        right = np.concatenate([np.asarray(small.N @ rule.target), np.zeros(E.shape[0] * rho)])
        # a x0 + sum s + m+'high - m-'low - value <= - shift
        own = np.concatenate([[-1.0], rule._high, -rule._low, np.ones(q)])[None]
        tail = sp.csr_array((count, squares + 1))
        above = sp.hstack(
            [vectors, sp.csr_array((count, nx * rho)), sp.kron(each, sp.csr_array(own)), tail]
        )
        # +-[a L B - (m+ - m-)'W] - s <= -+ fixed
        gain = sp.kron(vectors, sp.csr_array(rule._basis.T))
        slab = sp.hstack([sp.csr_array((q, 1)), -rule._W.T, rule._W.T, sp.csr_array((q, q))])
        part = sp.hstack([sp.csr_array((q, 1 + 2 * r)), sp.eye_array(q)])
        empty, behind = sp.csr_array((count * q, nx)), sp.csr_array((count * q, squares + 1))
        both = [
            sp.hstack([empty, sign * gain, sp.kron(each, sign * slab - part), behind])
            for sign in (1.0, -1.0)
        ]
        # m+, m- >= 0
        hidden = (values[:, None] + 1 + np.arange(2 * r)).ravel()
        positive = _units(hidden, -1.0, width)
        # value <= limit; value - c <= r; value + c <= r; value <= tau
        ends = _units(values, 1.0, width).tolil()
        bound = np.zeros(count)
        bound[: len(work)] = small.limits[work]
        bound[len(work) : len(work) + squares] = centres
        bound[len(work) + squares : len(work) + 2 * squares] = -centres
        for k in range(squares):
            ends[len(work) + k, radii[k]] = -1.0
            ends[len(work) + squares + k, radii[k]] = -1.0
        ends[count - 1, tau] = -1.0
        P = np.zeros(width)
        P[radii] = 2 * w
        price = np.zeros(width)
        price[tau] = 1.0
        A = sp.vstack([equal, above, *both, positive, ends], format="csc")
        b = np.concatenate(
            [right, -shift, -fixed.ravel(), fixed.ravel(), np.zeros(len(hidden)), bound]
        )
        self.problem = ConicProblem(
            P=sp.csc_array(sp.diags_array(P)), q=price, A=A, b=b,
            cones=(Cone.zero(len(right)), Cone.nonnegative(len(b) - len(right))),
        )  # fmt: skip


def _units(columns: Positions, sign: float, width: int) -> Any:  # noqa: ANN401 -- sparse
    count = len(columns)
    parts: Any = (np.full(count, sign), (np.arange(count), columns))
    return sp.csr_array(parts, shape=(count, width))
