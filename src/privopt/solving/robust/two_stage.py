"""The two-stage program: values q for all draws at once, everything else for each draw by itself.

    minimise   mean over draws k of c(x_k)  +  sum_i fidelity_i (q_i - answer_i)^2
    subject to E x_k = N t_k,  M x_k <= b - R t_k,  S z_k = q        for every draw
               C z_k + e in K                                        likewise
               g'q <= limit                                          for every cut

`answer` is the mean of the answers to be near to: the squared distance from each of them differs
from that from their mean by a constant. One sparse program; rows with several entries enter it
only where a draw exceeds them, so few do (a moderate program with cones has all of them from the
start). Cuts are what the certificate of a decision needs of q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Positions
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.robust.completing import Completing
from privopt.solving.robust.condensed import Condensed
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.sparse import taken

__all__ = ["Chosen", "TwoStage"]

_OVER = 1e-8  # a row exceeded by less than this part of its size is kept
_MODERATE = 300_000  # rows of all draws that one sparse program may have from the start
_WORST = 10  # rows that enter at once for a draw
_ROUNDS = 60


@dataclass(frozen=True, repr=False, eq=False)
class Chosen:
    """Values q (scaled), the objective without its constants, and x of every draw."""

    q: Vector
    value: float
    x: Dense


class TwoStage:
    """The program of some draws; what was found out about rows serves the next solve.

    Parameters
    ----------
    small
        The program without the variables that follow.
    S
        The query in scaled units.
    targets
        Scaled right-hand sides t_k, one a row.
    fidelity, answer
        Weights of the squared distance from `answer`, one for each value, in scaled units.
    parts
        What `Completing` makes of program and query, if it is there already.
    likely
        Rows with several entries that will bind at some draw: with a good guess fewer rounds pass
        until all that do are there.
    """

    def __init__(
        self,
        small: Condensed,
        S: Sparse,
        targets: Dense,
        settings: Settings,
        *,
        fidelity: Vector | None = None,
        answer: Vector | None = None,
        parts: Completing | None = None,
        likely: Positions | None = None,
    ) -> None:
        self._small, self._targets, self._settings = small, targets, settings
        self._parts = Completing(small, S) if parts is None else parts
        self._on_x = self._parts.on_x
        self._shift = np.asarray(self._parts.on_t @ targets.T).T  # S z = on_x x + shift
        p = S.shape[0]
        self._fidelity = np.zeros(p) if fidelity is None else fidelity
        self._answer = np.zeros(p) if answer is None else answer
        count, rows = len(targets), len(small.limits)
        self._work = np.zeros((count, rows), dtype=bool)
        self._work[:, small.own] = True
        self._work[:, [] if likely is None else likely] = True
        self._curved = len(small.program.cones) > 0
        if self._curved and count * rows <= _MODERATE:
            self._work[:] = True
        self._rows = _Rows(small, targets)

    def solve(self, cuts: list[tuple[Vector, float]]) -> Chosen | Outcome:
        """The optimum under some cuts g'q <= limit."""
        for _ in range(_ROUNDS):
            found = self._at_once(cuts)
            if isinstance(found, Outcome):
                return found
            over = self._small.activity(found.x, self._targets) - self._small.limits
            over = np.where(self._work, 0.0, over / self._small.sizes)
            if not (over > _OVER).any():
                return found
            worst = np.partition(over, -_WORST, axis=1)[:, -_WORST] if over.shape[1] > _WORST else 0
            self._work |= (over > _OVER) & (over >= np.reshape(worst, (-1, 1)))
        return Outcome.STALLED

    def _value(self, q: Vector, x: Dense) -> float:
        cost = x @ self._small.linear + (x * (x @ self._small.quadratic.toarray())).sum(axis=1)
        return float(cost.mean() + self._fidelity @ (q * q - 2 * q * self._answer))

    def _at_once(self, cuts: list[tuple[Vector, float]]) -> Chosen | Outcome:
        small, count = self._small, len(self._targets)
        nx, p = len(small.linear), self._on_x.shape[0]
        each, width = sp.eye_array(count), count * nx + p
        draw, row = np.nonzero(self._work)
        M, limits = self._rows.of(draw, row)
        place: Any = M.indices + nx * np.repeat(draw, np.diff(M.indptr))
        inequalities: Any = sp.csr_array((M.data, place, M.indptr), shape=(len(row), width))
        shared = sp.kron(np.ones((count, 1)), -sp.eye_array(p))
        query = sp.hstack([sp.kron(each, self._on_x), shared])
        equalities = sp.kron(each, small.E)
        parts: list[Any] = [
            sp.hstack([equalities, sp.csr_array((equalities.shape[0], p))]), query, inequalities,
        ]  # fmt: skip
        right = [np.asarray(small.N @ self._targets.T).T.ravel(), -self._shift.ravel(), limits]
        if cuts:
            slopes = np.array([slope for slope, _ in cuts])
            parts.append(sp.hstack([sp.csr_array((len(cuts), count * nx)), sp.csr_array(slopes)]))
            right.append(np.array([limit for _, limit in cuts]))
        cones: tuple[Cone, ...] = ()
        if self._curved:
            on_x, on_t, e = small.cones
            width = count * on_x.shape[0]
            parts.append(sp.hstack([sp.kron(each, -on_x), sp.csr_array((width, p))]))
            right.append((e + np.asarray(on_t @ self._targets.T).T).ravel())
            cones = small.program.cones.cones * count
        P = sp.block_diag(
            [sp.kron(each, 2 * small.quadratic / count), sp.diags_array(2 * self._fidelity)]
        )
        pull = -2 * self._fidelity * self._answer
        cost = np.concatenate([np.tile(small.linear / count, count), pull])
        problem = ConicProblem(
            P=sp.csc_array(P),
            q=cost,
            A=sp.vstack(parts, format="csc"),
            b=np.concatenate(right),
            cones=(
                Cone.zero(equalities.shape[0] + query.shape[0]),
                Cone.nonnegative(len(row) + len(cuts)),
                *cones,
            ),
        )
        answer = solve_conic(problem, self._settings)
        if answer.outcome is not Outcome.OPTIMAL:
            return answer.outcome
        x = answer.x[: count * nx].reshape(count, nx)
        q = answer.x[count * nx :]
        return Chosen(q, self._value(q, x), x)


class _Rows:
    """Rows of a condensed program, and their limits at every draw, each found once."""

    def __init__(self, small: Condensed, targets: Dense) -> None:
        self._small, self._targets = small, targets
        self._where = np.full(len(small.limits), -1)
        self._M: Any = sp.csr_array((0, len(small.linear)))
        self._limits = np.zeros((0, len(targets)))

    def of(self, draw: Positions, row: Positions) -> tuple[Any, Vector]:
        """The rows in their order, and the limit of each at its draw."""
        new = np.unique(row[self._where[row] < 0])
        if len(new):
            M, R = self._small.rows(new)
            limits = self._small.limits[new, None] - np.asarray(R @ self._targets.T)
            self._where[new] = self._M.shape[0] + np.arange(len(new))
            self._M = sp.vstack([self._M, M], format="csr")
            self._limits = np.vstack([self._limits, limits])
        at = self._where[row]
        return taken(self._M, at), self._limits[at, draw]
