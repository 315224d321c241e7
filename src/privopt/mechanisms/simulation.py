"""What is simulated to verify a mechanism (see `verify`): draws of its solution, row by row.

- a plan, z(xi) = z~ + Z xi, at its d
- solutions that were drawn before
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.discreet import discreet
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.verify import Batch, Verdicts, Verification, check_samples, simulate
from privopt.model.program import ConvexProgram
from privopt.solving.affine import Affine, Recourse
from privopt.solving.limits import Limits
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

__all__ = ["row_test", "verify_affine", "verify_solutions"]

_SPREAD = 50_000_000  # numbers of A Z up to which it is multiplied out


@dataclass(frozen=True, repr=False, eq=False)
class _Rows:
    """Some rows M z of an affine solution, relative to their sizes: slack, and what noise adds."""

    M: Sparse
    slack: Vector
    size: Vector
    recourse: Recourse

    @classmethod
    def of(cls, M: Sparse, right: Vector, affine: Affine, moved: Vector, scaling: Scaling) -> _Rows:
        """Rows M z <= right, or = right; `moved` is how far each variable moves."""
        size = row_sizes(M, right, affine.offset, moved, scaling)
        return cls(M, (right - np.asarray(M @ affine.offset)) / size, size, affine.recourse)

    @cached_property
    def spread(self) -> Dense:
        """M Z relative to the sizes."""
        return self.recourse.under(self.M) / self.size[:, None]

    def noise(self, xi: Dense) -> Dense:
        """M Z xi relative to the sizes, for each noise vector (row of xi)."""
        if len(self.slack) * self.recourse.shape[1] <= _SPREAD:
            return xi @ self.spread.T
        return np.asarray(self.M @ (self.recourse @ xi.T)).T / self.size

    def over(self, xi: Dense) -> Verdicts:
        """For each noise vector and each row: whether the limit is exceeded."""
        return np.asarray(self.noise(xi) - self.slack > TOLERANCE)

    def off(self, xi: Dense) -> Verdicts:
        """The same in both directions."""
        return np.asarray(np.abs(self.noise(xi) - self.slack) > TOLERANCE)


def _scaling(program: ConvexProgram, target: Vector, z: Vector) -> Scaling:
    scaling = Scaling.of(program, target)
    return scaling.refined(program, target, z) or scaling


def row_test(
    program: ConvexProgram, S: Sparse, affine: Affine, deviation: float
) -> Callable[[Dense], Verdicts]:
    """A function that tells for each noise vector (row) whether z(xi) breaks a limit."""
    scaling = _scaling(program, program.right_hand_side(), affine.offset)
    limits = Limits.of(program, S)
    rows, moved = limits.straight, deviation * affine.recourse.sizes
    straight = _Rows.of(rows.matrix, rows.bound, affine, moved, scaling)
    return lambda xi: np.asarray(
        np.column_stack([straight.over(xi), _beyond(limits, affine, xi)]).any(axis=1)
    )


def _beyond(limits: Limits, affine: Affine, xi: Dense) -> Verdicts:
    """For each noise vector and each curved limit: whether z(xi) is outside its cone."""
    if not len(limits.curved):
        return np.zeros((len(xi), 0), dtype=bool)
    return _outside(limits, (affine.offset + (affine.recourse @ xi.T).T))


def _outside(limits: Limits, z: Dense) -> Verdicts:
    """For each solution (row) and each curved limit: whether it is outside its cone."""
    curved = limits.curved
    return np.asarray(curved.outside(z) > TOLERANCE * curved.sizes(z))


@discreet
def verify_affine(
    program: ConvexProgram,
    S: Sparse,
    affine: Affine,
    draw: Callable[[int], Dense],
    *,
    deviation: float,
    samples: int,
) -> Verification:
    """Simulate z(xi) = offset + recourse xi, which releases S z~ + xi.

    `draw(count)` makes that many noise vectors (rows), of entries with the given deviation.
    """
    check_samples(samples)
    target, moved = program.right_hand_side(), deviation * affine.recourse.sizes
    scaling = _scaling(program, target, affine.offset)
    limits = Limits.of(program, S)
    held, own = limits.straight, limits.equalities
    rows = _Rows.of(held.matrix, held.bound, affine, moved, scaling)
    equalities = program.equalities.taken(own).matrix
    units = replace(scaling, equality_factors=scaling.equality_factors[own])
    balances = _Rows.of(equalities, target[own], affine, moved, units)
    base = np.asarray(S @ affine.offset)

    def batch(count: int) -> Batch:
        xi = draw(count)
        over = np.column_stack([rows.over(xi), _beyond(limits, affine, xi)])
        bad = np.asarray(over.any(axis=1) | balances.off(xi).any(axis=1))
        return Batch(over, [(bad, base + xi[bad])])

    completion = partial(Completion, program, S, target, scaling=scaling)
    width = len(program.rows) + len(target) + len(base) + 3 * program.n * (len(limits.curved) > 0)
    return simulate(held.names + limits.curved.names, batch, completion, samples, width)


def verify_solutions(program: ConvexProgram, S: Sparse, z: Dense) -> Verification:
    """Count among solutions (rows); a row's size is that at their mean and deviation."""
    limits, target = Limits.of(program, S), program.right_hand_side()
    rows, balances = limits.straight, program.equalities
    scaling, middle, spread = Scaling.of(program, target), z.mean(axis=0), z.std(axis=0)
    size = row_sizes(rows.matrix, rows.bound, middle, spread, scaling)
    over = np.asarray(rows.matrix @ z.T).T - rows.bound > TOLERANCE * size
    if len(limits.curved):
        over = np.column_stack([over, _outside(limits, z)])
    size = row_sizes(balances.matrix, target, middle, spread, scaling)
    off = np.abs(np.asarray(balances.matrix @ z.T).T - target) > TOLERANCE * size
    bad = np.asarray(over.any(axis=1) | off.any(axis=1))
    released = np.asarray(S @ z.T).T[bad]
    completion = partial(Completion, program, S, target)
    names = rows.names + limits.curved.names
    return simulate(names, lambda _: Batch(over, [(bad, released)]), completion, len(z), 1)
