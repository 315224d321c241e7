"""Verification by simulation: how often do released solutions break the constraints?

Two questions, each answered by a share of draws with its Clopper-Pearson interval:

- violation: does z(xi) = z~ + Z xi itself break a constraint (jointly, and row by row)?
- completion: given the released S z(xi), does no feasible z exist at all (the paper's test)?

A row counts as broken when it exceeds its limit by more than `tolerance` times its size, |b_i| +
|A_i| |z~| + |A_i| (deviation of z) (`solving.scaling.row_sizes`), so units do not matter. The draws
are numpy's, with a seed, not those of a release. The result depends on d: it is the curator's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.estimate import Estimate
from privopt.discreet import discreet
from privopt.mechanisms.completion import completion_of
from privopt.model.program import ConvexProgram
from privopt.scalars import whole
from privopt.show.figures import Dots, spans
from privopt.show.result import PrivateResult
from privopt.show.view import Note, Table, View
from privopt.solving.affine import Affine, Recourse
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

__all__ = ["Verification", "check_samples", "row_test", "verify_affine"]

_BLOCK = 20_000_000  # numbers in memory at once
_SPREAD = 50_000_000  # numbers of A Z up to which it is multiplied out
_DRAWN = 40  # rows in a picture


@dataclass(frozen=True, repr=False, eq=False)
class Verification(PrivateResult):
    """What simulation found. Private: values only by attribute or `summary()`.

    Attributes
    ----------
    violation
        Share of draws whose solution breaks any constraint.
    completion
        Share of draws whose released values cannot be completed: no feasible solution has them. For
        a baseline, whose own solution breaks the equalities by construction, this is what counts.
    rows
        Share for each row of `program.rows` (vectors).
    tolerance
        Violations up to this multiple of a row's size are rounding.
    """

    violation: Estimate
    completion: Estimate
    rows: Estimate
    names: tuple[str, ...]
    tolerance: float

    def __repr__(self) -> str:
        return (
            f"Verification({self.violation.samples} draws, {len(self.names)} rows, tolerance "
            f"{self.tolerance:g}; private: read .violation, .completion, .rows, or print "
            ".summary())"
        )

    def worst(self) -> tuple[str, Estimate]:
        """The row broken most often, with its estimate."""
        if not self.names:
            return "", Estimate.of(0, self.rows.samples, self.rows.confidence)
        i = int(np.argmax(self.rows.value))
        count = round(float(self.rows.value[i]) * self.rows.samples)
        return self.names[i], Estimate.of(count, self.rows.samples, self.rows.confidence)

    def _view(self) -> View:
        order, (low, high) = self._order, self.rows.interval
        return View(
            f"Simulated {self.violation.samples} releases. PRIVATE if they were of private data.",
            Table(
                "row",
                [self.names[i] for i in order],
                {
                    "broken, %": 100 * self.rows.value[order],
                    "at least": 100 * low[order],
                    "at most": 100 * high[order],
                },
            ),
            (
                Note(f"breaks a constraint: {self.violation.summary()}"),
                Note(f"cannot be completed: {self.completion.summary()}"),
            ),
            limit=5,
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """The rows broken most often, with their intervals. Private, like the rest."""
        order, (low, high) = self._order[:_DRAWN], self.rows.interval
        shares = Dots("broken", 100 * self.rows.value[order], 100 * low[order], 100 * high[order])
        return spans(
            [self.names[i] for i in order],
            [shares],
            f"How often rows break in {self.violation.samples} releases",
            f"any row: {self.violation.summary()}; cannot be completed: "
            f"{self.completion.summary()}",
            "% of the releases",
        )

    @property
    def _order(self) -> NDArray[np.intp]:
        """Rows, those broken most often first."""
        return np.argsort(-np.asarray(self.rows.value, dtype=float), kind="stable")


def check_samples(samples: int) -> None:
    """Refuse a number of draws that is not one."""
    whole(samples, "samples", "use 10_000 for a good estimate.")


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
    rows, target = program.rows, program.right_hand_side()
    limits, balances, scaling = _views(program, affine, deviation)
    completion = completion_of(program, S, target, scaling)
    base = np.asarray(S @ affine.offset)
    counts, broken, impossible = np.zeros(len(rows)), 0, 0
    block = max(1, _BLOCK // max(1, len(rows) + len(target) + len(base)))
    for start in range(0, samples, block):
        xi = draw(min(block, samples - start))
        over = limits.over(xi)
        counts += over.sum(axis=0)
        bad = over.any(axis=1) | balances.off(xi).any(axis=1)
        broken += int(bad.sum())
        impossible += int(completion.impossible(base + xi[bad], TOLERANCE).sum())
    return Verification(
        Estimate.of(broken, samples),
        Estimate.of(impossible, samples),
        Estimate.of(counts, samples),
        rows.names,
        TOLERANCE,
    )


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

    def over(self, xi: Dense) -> NDArray[np.bool_]:
        """For each noise vector (row of xi) and each row: whether the limit is exceeded."""
        return np.asarray(self._excess(xi) > TOLERANCE)

    def off(self, xi: Dense) -> NDArray[np.bool_]:
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
) -> Callable[[Dense], NDArray[np.bool_]]:
    """A function that tells for each noise vector (row) whether z(xi) breaks an inequality."""
    view = _views(program, affine, deviation)[0]
    return lambda xi: np.asarray(view.over(xi).any(axis=1))
