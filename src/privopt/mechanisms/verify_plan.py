"""Verification of an affine solution z(xi) = z~ + Z xi at one d (see `verify`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.discreet import discreet
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.verify import Batch, Verdicts, Verification, check_samples, simulate
from privopt.model.program import ConvexProgram
from privopt.solving.affine import Affine, Recourse
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

__all__ = ["row_test", "verify_affine"]

_SPREAD = 50_000_000  # numbers of A Z up to which it is multiplied out


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
    """Simulate z(xi) = offset + recourse xi.

    `draw(count)` makes that many noise vectors (rows), of entries with the given deviation.
    """
    check_samples(samples)
    return simulate(_AffineSimulation(program, S, affine, draw, deviation), samples)


class _AffineSimulation:
    """Draws of z(xi); what is released is S z~ + xi."""

    def __init__(
        self,
        program: ConvexProgram,
        S: Sparse,
        affine: Affine,
        draw: Callable[[int], Dense],
        deviation: float,
    ) -> None:
        self.names, self._draw = program.rows.names, draw
        self._limits, self._balances, scaling = _views(program, affine, deviation)
        self.completion = Completion(program, S, program.right_hand_side(), scaling=scaling)
        self._base = np.asarray(S @ affine.offset)
        self.width = len(self.names) + len(program.equalities) + len(self._base)

    def batch(self, count: int) -> Batch:
        """The next draws."""
        xi = self._draw(count)
        over = self._limits.over(xi)
        bad = np.asarray(over.any(axis=1) | self._balances.off(xi).any(axis=1))
        return Batch(over, [(bad, self._base + xi[bad])])


@dataclass(frozen=True, repr=False, eq=False)
class _View:
    """Slack b - M z~ of some rows, relative to their sizes, and what noise adds to M z."""

    slack: Vector
    size: Vector
    M: Sparse
    recourse: Recourse

    @cached_property
    def _spread(self) -> Dense | None:
        """M Z relative to the sizes, where it is small; otherwise noise goes through Z."""
        if len(self.slack) * self.recourse.shape[1] > _SPREAD:
            return None
        return self.recourse.under(self.M) / self.size[:, None]

    def _excess(self, xi: Dense) -> Dense:
        if self._spread is not None:
            return xi @ self._spread.T - self.slack
        moved = np.asarray(self.M @ (self.recourse @ xi.T))
        return moved.T / self.size - self.slack

    def over(self, xi: Dense) -> Verdicts:
        """For each noise vector (row of xi) and each row: whether the limit is exceeded."""
        return np.asarray(self._excess(xi) > TOLERANCE)

    def off(self, xi: Dense) -> Verdicts:
        """The same in both directions."""
        return np.asarray(np.abs(self._excess(xi)) > TOLERANCE)


def _views(
    program: ConvexProgram, affine: Affine, deviation: float
) -> tuple[_View, _View, Scaling]:
    """Inequalities and equalities, each row relative to its size at this solution and noise."""
    target, z = program.right_hand_side(), affine.offset
    scaling = Scaling.of(program, target)
    scaling = scaling.refined(program, target, z) or scaling
    spread = deviation * affine.recourse.sizes
    parts: list[_View] = []
    for M, right in (
        (program.rows.matrix, program.rows.bound),
        (program.equalities.matrix, target),
    ):
        size = row_sizes(M, right, z, spread, scaling)
        slack = right - np.asarray(M @ z)
        parts.append(_View(slack / size, size, M, affine.recourse))
    return parts[0], parts[1], scaling


def row_test(
    program: ConvexProgram, affine: Affine, deviation: float
) -> Callable[[Dense], Verdicts]:
    """A function that tells for each noise vector (row) whether z(xi) breaks an inequality."""
    view = _views(program, affine, deviation)[0]
    return lambda xi: np.asarray(view.over(xi).any(axis=1))
