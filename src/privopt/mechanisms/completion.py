"""The completion test: can a released vector be completed to a feasible solution?

    t(y) = min t   subject to   A z <= b + t * size,   G z = d,   S z = y,   t >= 0

No completion exists if t(y) exceeds the tolerance: the paper's test of feasibility. t is convex and
piecewise linear in y, so each solved y settles many others without a linear program: its tangent
shows that they have no completion either, or its solution, moved along as its basis says, is one of
theirs. The rest start from the last basis. Vectors solved before help with those of the next call:
plans of one program that differ in their objective are verified at nearly the same vectors.

With `keep`, only those equalities count: with the public ones alone, this is a test that reads
nothing private. `complete` makes the best completion, at d. A program with cones is looked at by
`conic_completion`, vector by vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector, curated
from privopt.discreet import discreet
from privopt.errors import InfeasibleError, InputError
from privopt.mechanisms.conic_completion import ConicCompletion
from privopt.model.program import ConvexProgram, Optimum
from privopt.solving.equilibration import scaled
from privopt.solving.highs import WarmLP
from privopt.solving.scaling import Scaling

__all__ = ["Completion", "complete", "holding"]

_REMEMBERED = 300  # solved vectors


class Completion:
    """The completion test of one program and query, for many released vectors."""

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        target: Vector,
        *,
        keep: NDArray[np.intp] | None = None,
        scaling: Scaling | None = None,
    ) -> None:
        size = len(program.equalities)
        kept = np.arange(size) if keep is None else keep
        # A test on public data must not look at the others, not even for units.
        visible = np.zeros(size)
        visible[kept] = target[kept]
        scaling = scaling or Scaling.of(program, visible)
        self._curved = None
        if len(program.cones):
            self._curved = ConicCompletion(program, S, visible, kept, scaling)
        A: Any = scaling.rows(program.rows.matrix)
        b = scaling.bounds(program.rows.bound)
        G: Any = scaling.equalities(program.equalities.matrix)[kept]
        d = scaling.targets(visible)[kept]
        query: Any = scaled(S, scaling.columns)
        length = np.sqrt(query.multiply(query).sum(axis=1))
        self._factor = 1.0 / length
        query = sp.diags_array(1.0 / length) @ query
        m, k, p = A.shape[0], G.shape[0], query.shape[0]
        self.A, self.b, self.limit = A, b, 1 + np.abs(b)
        self.G, self.query = G, query
        limit = sp.csr_array(self.limit[:, None])
        matrix = sp.block_array(
            [[A, -limit], [G, None], [query, None]]
            if m
            else [[G, None], [query, sp.csr_array((p, 1))]]
        )
        n = program.n
        self._lp = WarmLP(
            c=np.concatenate([np.zeros(n), [1.0]]),
            M=matrix,
            row_lower=np.concatenate([np.full(m, -np.inf), d, np.zeros(p)]),
            row_upper=np.concatenate([b, d, np.zeros(p)]),
            lower=np.concatenate([np.full(n, -np.inf), [0.0]]),
            upper=np.full(n + 1, np.inf),
        )
        self._rows: NDArray[np.intp] = np.arange(m + k, m + k + p)
        self._judged: list[_Judged] = []
        self.solves = 0

    def impossible(self, y: Dense, tolerance: float) -> NDArray[np.bool_]:
        """For each row of y: whether no completion exists within the tolerance."""
        if not np.isfinite(y).all():
            raise InputError("a released vector is not finite.", "finite numbers.", "check it.")
        if self._curved is not None:
            return self._curved.impossible(y, tolerance)
        asked = y * self._factor
        verdict = np.zeros(len(y), dtype=bool)
        unsettled = np.ones(len(y), dtype=bool)

        def settle(one: _Judged, which: NDArray[np.intp]) -> None:
            known = one.settles(asked[which], tolerance, self)
            unsettled[which[known]] = False
            verdict[which[known]] = one.beyond

        for position, which in self._nearest(asked):
            settle(self._judged[position], which)
        for i in range(len(y)):
            if not unsettled[i]:
                continue
            unsettled[i] = False
            self.solves += 1
            answer = self._lp.solve(self._rows, asked[i])
            if answer is None:  # the equalities alone refuse y
                verdict[i] = True
                continue
            verdict[i] = answer.value > tolerance
            n = self.A.shape[1]
            one = (
                _Judged(asked[i], beyond=True, value=answer.value, slope=answer.dual[self._rows])
                if verdict[i]
                else _Judged(asked[i], beyond=False, x=answer.x[:n], moved=self._moved())
            )
            if len(self._judged) < _REMEMBERED:
                self._judged.append(one)
            settle(one, np.flatnonzero(unsettled))
        return verdict

    def _moved(self) -> Dense:
        return self._lp.slope(self._rows)[: self.A.shape[1]]

    def _nearest(self, asked: Dense) -> list[tuple[int, NDArray[np.intp]]]:
        """For each vector solved earlier: the vectors it is the nearest one to."""
        if not self._judged or not len(asked):
            return []
        known = np.array([one.y for one in self._judged])
        nearest = np.concatenate(
            [
                np.argmin(
                    np.square(known).sum(axis=1) - 2 * part @ known.T, axis=1
                )  # the square of y itself is the same for all
                for part in np.array_split(asked, max(1, len(asked) // 10_000))
            ]
        )
        order = np.argsort(nearest, kind="stable")
        starts = np.flatnonzero(np.diff(nearest[order], prepend=-1))
        groups = np.split(order, starts[1:])
        return [(int(nearest[group[0]]), group) for group in groups]


@dataclass(frozen=True, repr=False, eq=False)
class _Judged:
    """A vector whose program was solved, and what that tells of others."""

    y: Vector
    beyond: bool
    value: float = 0.0
    slope: Vector | None = None
    x: Vector | None = None
    moved: Dense | None = None

    def settles(self, y: Dense, tolerance: float, test: Completion) -> NDArray[np.bool_]:
        """Which vectors have the same verdict for sure."""
        step = y - self.y
        if self.slope is not None:
            return np.asarray(self.value + step @ self.slope > 2 * tolerance)
        return self._follow(step, test) <= tolerance

    def _follow(self, step: Dense, test: Completion) -> Vector:
        """Largest excess of a row, relative to its size, if the solution follows y by its basis."""
        start = np.asarray(test.A @ self.x) - test.b
        excess = start[:, None] + np.asarray(test.A @ self.moved) @ step.T
        worst = (excess / test.limit[:, None]).max(axis=0, initial=-np.inf)
        # Where the equalities depend on each other the basis may leave one of them behind.
        stay = np.abs(np.asarray(test.G @ self.moved) @ step.T).max(axis=0, initial=0.0)
        reach = np.abs((np.asarray(test.query @ self.moved) - np.eye(step.shape[1])) @ step.T)
        return np.maximum(np.maximum(worst, stay), reach.max(axis=0, initial=0.0))


def holding(program: ConvexProgram, S: Sparse) -> ConvexProgram:
    """The program with S z = values as further equalities: after those of G, before other ones."""
    return ConvexProgram(
        linear=program.linear,
        quadratic=program.quadratic,
        A=program.A if len(program.b) else None,
        b=program.b if len(program.b) else None,
        G=sp.vstack([program.G, S], format="csr"),
        E=program.E if len(program.g) else None,
        g=program.g if len(program.g) else None,
        lower=program.lower,
        upper=program.upper,
        names=program.names,
        cones=[program.cones],
        auxiliary=program.auxiliary,
    )


@discreet
def complete(program: ConvexProgram, S: Sparse, d: Any, values: Vector) -> Optimum:  # noqa: ANN401
    """Least cost over A z <= b, G z = d and S z = values. Private: it depends on d."""
    data = curated(d, program.G.shape[0], "d", program.data_names)
    try:
        found = holding(program, S).solve(d=np.concatenate([data, values]))
    except InfeasibleError:
        raise InfeasibleError(
            "no feasible solution has the released values.",
            "a release that can be completed.",
            "this happens with the probability that the feasibility claim leaves; restore the "
            "nearest feasible solution yourself, and publish nothing about it.",
        ) from None
    return Optimum(found.z, program.cost(found.z), program.names, program.units)
