"""The affine rule whose cost, by its chords, is least in the worst case over a region.

    minimise   max over U of [ c1'z(u) + sum_k w_k (2 c_k g_k'z(u) - c_k^2) ]  +  sum_k w_k r_k^2
    subject to z(u) = z0 + K (u - middle),   E z0 = N t,  E K = N F
               A_i z(u) <= b_i,   |g_k'z(u) - c_k| <= r_k          for every u of U

For |x - c| <= r the chord is x^2 <= 2 c x - c^2 + r^2, which is convex in r: with the centres c_k
given, this is one quadratic program in z0, K, r and the multipliers of each row (`region`). Centres
are where the optima at some draws lie, then in the middle of what the rule runs through: the old
rule stays feasible at the same value, so the value falls from round to round.

Rows enter when a rule exceeds them. Of a large program K_0 is a gain that keeps the rows, near the
slope of an optimum; slopes K_k of other optima are mixed with it, and what follows the measured
sums is chosen freely: K = K_0 + sum_k theta_k (K_k - K_0) + L W.
"""

from __future__ import annotations

from collections.abc import Sequence
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

__all__ = ["FULL", "CheapestRule", "PricedRule"]

FULL = 2_000  # numbers of a gain up to which all of it is chosen
_OVER = 1e-8  # of its size: a row exceeded by less is kept
_NEARLY = 1e-3  # of its size: a row with less room will be exceeded
_WORST = 40  # rows that enter at once
_ROUNDS = 40
_RANK = 1e-10
_CENTRES = 6  # times that the middle of the squares is moved
_PAYS = 1e-6  # of the cost: what that must have saved to be done again


@dataclass(frozen=True, repr=False, eq=False)
class PricedRule:
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
        self.large = q * nx > FULL
        self._basis = sp.csr_array(self._W) if self.large else sp.csr_array(sp.eye_array(q))

    def begin(self, gain: Dense, others: Sequence[Dense] = ()) -> None:
        """Begin with a gain K_0, and mix others with it: of a large program these count."""
        E, right = self.small.E.toarray(), np.asarray(self.small.N @ self.F)
        inverse = np.linalg.pinv(E, rcond=_RANK)
        self._start, *mixed = (one + inverse @ (right - E @ one) for one in (gain, *others))
        self._steps = [one[:, self._moving] - self._start[:, self._moving] for one in mixed]

    def best(self) -> PricedRule | Outcome:
        """The rule of least worst-case cost; INFEASIBLE where no affine rule keeps the rows."""
        values = self.points @ self.squares.T.toarray()
        ends = values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)
        centres = np.where(np.isfinite(ends[0]), 0.5 * (ends[0] + ends[1]), 0.0)
        best: PricedRule | None = None
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

    def _about(self, centres: Vector) -> PricedRule | Outcome:
        """The best rule for some centres: rows enter as they are exceeded."""
        for _ in range(_ROUNDS):
            rule = self._solved(centres)
            if rule is Outcome.UNBOUNDED and self._bounded_by_more():
                continue
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

    def _bounded_by_more(self) -> bool:
        """Let rows enter that may bound what falls without end: of one variable first, then all."""
        for more in (self.small.own.tolist(), range(len(self.small.limits))):
            if not self._work.issuperset(more):
                self._work |= set(more)
                return True
        return False

    def _solved(self, centres: Vector) -> PricedRule | Outcome:
        """The quadratic program of the rows at work."""
        problem = self._problem(centres, np.array(sorted(self._work), dtype=np.intp))
        answer = solve_conic(problem, self.settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        nx, b = len(self.small.linear), self._basis
        L, shares = np.split(answer.x[nx:], [nx * b.shape[0]])
        K = self._start.copy()
        K[:, self._moving] += (L.reshape(nx, b.shape[0]) @ b.toarray()) / self._half
        for share, step in zip(shares, self._steps, strict=False):
            K[:, self._moving] += share * step
        value = float(problem.q @ answer.x) - float(self.weights @ centres**2)
        value += 0.5 * float(answer.x @ (problem.P @ answer.x))
        return PricedRule(answer.x[:nx], K, value)

    def _problem(self, centres: Vector, work: Positions) -> ConicProblem:
        """The program over x0, L, theta; for each direction v, m+, m-, s; the radii r, and tau.

        A direction is a row a at work, a square in either sense, or the cost. Its worst case is v:

            a x0 + shift + sum_j s_j + m+'high - m-'low <= v,
            s_j >= |(a K)_j - (m+ - m-)'W_j|   in units of the box
        """
        small, g = self.small, self.squares
        cost = small.linear + 2 * np.asarray(g.T @ (self.weights * centres))
        a: Any = sp.vstack([self._M[work], g, -g, sp.csr_array(cost[None])], format="csr")
        shift, follows = np.zeros(a.shape[0]), np.zeros((a.shape[0], self.F.shape[1]))
        shift[: len(work)], follows[: len(work)] = self._shift[work], self._follows[work]
        slopes: Dense = np.asarray(a @ self._start) + follows
        still = np.setdiff1d(np.arange(len(self.region.half)), self._moving)
        shift += np.abs(slopes[:, still]) @ self.region.half[still]
        fixed = slopes[:, self._moving] * self._half
        (count, nx), rho, squares = a.shape, self._basis.shape[0], len(self.weights)
        q, r = fixed.shape[1], len(self._low)
        sizes = (nx, nx * rho, len(self._steps), count * (1 + 2 * r + q), squares, 1)
        # E x0 = N t and E L = 0.
        E = small.E
        equal = _row(sizes, {0: E}), _row(sizes, {1: sp.kron(E, sp.eye_array(rho))})
        right = np.concatenate([np.asarray(small.N @ self.target), np.zeros(E.shape[0] * rho)])
        # a x0 + sum s + m+'high - m-'low - v <= -shift
        each = sp.eye_array(count)
        own = np.concatenate([[-1.0], self._high, -self._low, np.ones(q)])[None]
        above = _row(sizes, {0: a, 3: sp.kron(each, sp.csr_array(own))})
        # +-[a L B + sum_k theta_k a (K_k - K_0) - (m+ - m-)'W] - s <= -+fixed
        mixed = [(np.asarray(a @ step) * self._half).ravel() for step in self._steps]
        mix = sp.csr_array(np.array(mixed).reshape(len(mixed), count * q).T)
        gain = sp.kron(a, sp.csr_array(self._basis.T))
        W = sp.csr_array(self._W.T)
        slab: Any = sp.hstack([sp.csr_array((q, 1)), -W, W, sp.csr_array((q, q))])
        part = sp.hstack([sp.csr_array((q, 1 + 2 * r)), sp.eye_array(q)])
        up, down = (
            _row(sizes, {1: sign * gain, 2: sign * mix, 3: sp.kron(each, sign * slab - part)})
            for sign in (1, -1)
        )
        # m+, m- >= 0
        none = sp.csr_array((2 * r, 1)), sp.csr_array((2 * r, q))
        positive = _row(
            sizes, {3: sp.kron(each, sp.hstack([none[0], -sp.eye_array(2 * r), none[1]]))}
        )
        # v <= limit, v - c <= r, v + c <= r, v <= tau
        value = sp.kron(each, sp.csr_array(np.eye(1, 1 + 2 * r + q)))
        radii = sp.vstack(
            [
                sp.csr_array((len(work), squares)), -sp.eye_array(squares), -sp.eye_array(squares),
                sp.csr_array((1, squares)),
            ]
        )  # fmt: skip
        tau = sp.csr_array(-np.eye(count)[:, -1:])
        ends = _row(sizes, {3: value, 4: radii, 5: tau})
        bound = np.concatenate([small.limits[work], centres, -centres, [0.0]])
        b = [right, -shift, -fixed.ravel(), fixed.ravel(), np.zeros(2 * r * count), bound]
        P, price = np.zeros(sum(sizes)), np.zeros(sum(sizes))
        P[-squares - 1 : -1], price[-1] = 2 * self.weights, 1.0
        whole = np.concatenate(b)
        return ConicProblem(
            P=sp.csc_array(sp.diags_array(P)),
            q=price,
            A=sp.csc_array(sp.vstack([*equal, above, up, down, positive, ends])),
            b=whole,
            cones=(Cone.zero(len(right)), Cone.nonnegative(len(whole) - len(right))),
        )


def _row(sizes: tuple[int, ...], parts: dict[int, Any]) -> Any:  # noqa: ANN401 -- sparse
    """A row of blocks, zero but for some."""
    (count,) = {part.shape[0] for part in parts.values()}
    blocks = [parts.get(k, sp.csr_array((count, size))) for k, size in enumerate(sizes)]
    return sp.hstack(blocks, format="csr")
