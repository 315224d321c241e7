"""The two-stage program of a horizon with its certificate, as one sparse program.

    minimise   mean over draws k of c(z_k)  +  sum_i fidelity_i (q_i - answer_i)^2
    subject to G z_k = t_k,  A z_k <= b,  S z_k = S z_0 = q            for every draw
               G z_0 = t(middle),  A z_0 + margin <= b                 the certificate

The margins are those of a gain K that is given: then q has the certificate z_0 + K (u - middle).
Where no z_0 has room for them, `nearest` says by how much, and which rows stand in the way.
Limits of variables are all there from the start; rows with several entries enter the draws where
one exceeds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.sparse import taken

__all__ = ["Nearest", "TimedChoice", "TimedProgram"]

_OVER = 1e-8  # a row exceeded by less than this part of its size is kept
_ROUNDS = 20
_ROUGH = 1e-7  # tolerance of what only guides
_LEAST = 1e-3  # of its size: a row is at least that wide


@dataclass(frozen=True, repr=False, eq=False)
class Nearest:
    """A point that keeps its rows, or exceeds them least.

    Attributes
    ----------
    z
        The point.
    excess
        How much each row is exceeded there.
    worst
        The largest of them, in parts of the width of the row.
    """

    z: Vector
    excess: Vector
    worst: float


@dataclass(frozen=True, repr=False, eq=False)
class TimedChoice:
    """Values, their objective without its constants, the certificate's z_0, prices of its rows."""

    q: Vector
    value: float
    z: Vector
    price: Vector


@dataclass(repr=False, eq=False)
class TimedProgram:
    """The program in scaled units.

    Attributes
    ----------
    A, limits, sizes
        Rows, their limits and sizes.
    G, targets, middle
        Equalities, their right-hand sides at each draw (a row each), and at the middle.
    linear, quadratic
        The cost.
    S, fidelity, answer
        The query, and weights of the squared distance from `answer`.
    entered
        Which rows are there for the draws.
    """

    A: Sparse
    limits: Vector
    sizes: Vector
    G: Sparse
    targets: Dense
    middle: Vector
    linear: Vector
    quadratic: Sparse
    S: Sparse
    fidelity: Vector
    answer: Vector
    entered: NDArray[np.bool_]
    settings: Settings

    @cached_property
    def widths(self) -> Vector:
        """Half of what lies between the two limits of a variable; of other rows, their sizes."""
        lower, upper = np.full(self.A.shape[1], -np.inf), np.full(self.A.shape[1], np.inf)
        alone = np.flatnonzero(np.diff(self.A.indptr) == 1)
        entry, column = self.A.data[self.A.indptr[alone]], self.A.indices[self.A.indptr[alone]]
        limit = self.limits[alone] / entry
        np.minimum.at(upper, column[entry > 0], limit[entry > 0])
        np.maximum.at(lower, column[entry < 0], limit[entry < 0])
        width = 0.5 * (upper - lower)[column] * np.abs(entry)
        found = np.maximum(np.abs(self.limits), _LEAST * self.sizes)
        found[alone] = np.where(np.isfinite(width), np.maximum(width, _LEAST), found[alone])
        return found

    def nearest(self, margin: Vector) -> Nearest | Outcome:
        """The z_0 that exceeds its rows least, all of them together, each in parts of its width.

            minimise   sum_i e_i / width_i     subject to   A z_0 + margin <= b + e,  e >= 0

        Where no row has to be exceeded it is one with much room: solvers end in the middle.
        """
        (k, n), m = self.G.shape, len(self.limits)
        eye = sp.eye_array(m)
        problem = ConicProblem(
            P=sp.csc_array((n + m, n + m)),
            q=np.append(np.zeros(n), 1 / self.widths),
            A=sp.block_array([[self.G, None], [self.A, -eye], [None, -eye]], format="csc"),
            b=np.concatenate([self.middle, self.limits - margin, np.zeros(m)]),
            cones=(Cone.zero(k), Cone.nonnegative(2 * m)),
        )
        answer = solve_conic(problem, self.settings.easier(_ROUGH))
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        z, e = answer.x[:n], answer.x[n:]
        return Nearest(z, np.maximum(e, 0.0), float((e / self.widths).max(initial=0.0)))

    def solve(self, margin: Vector) -> TimedChoice | Outcome:
        """The best values that have a certificate with these margins."""
        for _ in range(_ROUNDS):
            problem = self._problem(margin)
            answer = solve_conic(problem, self.settings)
            if answer.outcome is not Outcome.OPTIMAL:
                return answer.outcome
            n, count = self.G.shape[1], len(self.targets)
            z = answer.x.reshape(count + 1, n)
            over = (np.asarray(self.A @ z[1:].T) - self.limits[:, None]) / self.sizes[:, None]
            bad = (over > _OVER).any(axis=1) & ~self.entered
            if not bad.any():
                first = self.G.shape[0] * (count + 1) + self.S.shape[0] * count
                dual = np.zeros(len(problem.b)) if answer.dual is None else answer.dual
                price = np.maximum(dual[first : first + len(self.limits)], 0.0)
                q = np.asarray(self.S @ z[0])
                return TimedChoice(q, self._value(q, z[1:]), z[0], price)
            self.entered |= bad
        return Outcome.STALLED

    def _value(self, q: Vector, z: Dense) -> float:
        curved = (z.T * np.asarray(self.quadratic @ z.T)).sum(axis=0)
        far = self.fidelity @ (q * q - 2 * q * self.answer)
        return float((z @ self.linear + curved).mean() + far)

    def _problem(self, margin: Vector) -> ConicProblem:
        """The program with the rows there are: z_0 first, then the draws."""
        count, (k, n) = len(self.targets), self.G.shape
        p, rows = self.S.shape[0], np.flatnonzero(self.entered)
        every, each = sp.eye_array(count + 1), sp.eye_array(count)
        query = sp.hstack([sp.kron(np.full((count, 1), -1.0), self.S), sp.kron(each, self.S)])
        own = sp.hstack([self.A, sp.csr_array((len(self.limits), count * n))])
        some = sp.kron(each, taken(self.A, rows))
        some = sp.hstack([sp.csr_array((some.shape[0], n)), some])
        weights = sp.diags_array(2 * self.fidelity)
        P = sp.block_diag([self.S.T @ weights @ self.S, sp.kron(each, 2 * self.quadratic / count)])
        pull = -2 * np.asarray(self.S.T @ (self.fidelity * self.answer))
        return ConicProblem(
            P=sp.csc_array(P),
            q=np.concatenate([pull, np.tile(self.linear / count, count)]),
            A=sp.vstack([sp.kron(every, self.G), query, own, some], format="csc"),
            b=np.concatenate(
                [
                    self.middle, self.targets.ravel(), np.zeros(count * p),
                    self.limits - margin, np.tile(self.limits[rows], count),
                ]
            ),
            cones=(
                Cone.zero(k * (count + 1) + p * count),
                Cone.nonnegative(len(self.limits) + count * len(rows)),
            ),
        )  # fmt: skip
