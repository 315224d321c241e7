"""Verification by simulation: how often do released solutions break the constraints?

Two questions, each answered by a share of draws with its Clopper-Pearson interval:

- violation: does z(xi) = z~ + Z xi itself break a constraint (jointly, and row by row)?
- completion: given the released S z(xi), does no feasible z exist at all (the paper's test)?

A row counts as broken when it exceeds its limit by more than `tolerance` times its size in the
scaled program (`conic.scaling`), so units do not matter. The draws are numpy's, with a seed, not
those of a release. The result depends on d: it is the curator's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.affine import Affine
from privopt.arrays import Dense, Sparse, Vector
from privopt.completion import Completion
from privopt.conic.scaling import TOLERANCE, Scaling
from privopt.errors import InputError
from privopt.estimate import Estimate
from privopt.noise.calibration import Calibration
from privopt.program import ConvexProgram

__all__ = ["Verification", "check_samples", "verify_affine"]

_BLOCK = 20_000_000  # numbers in memory at once


@dataclass(frozen=True, repr=False)
class Verification:
    """What simulation found. Private: values only by attribute.

    Attributes
    ----------
    violation
        Share of draws whose solution breaks any constraint.
    completion
        Share of draws whose released values no feasible solution has.
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
            f"{self.tolerance:g}; private: read .violation, .completion, .rows)"
        )

    def worst(self) -> tuple[str, Estimate]:
        """The row broken most often, with its estimate."""
        if not self.names:
            return "", Estimate.of(0, self.rows.samples, self.rows.confidence)
        i = int(np.argmax(self.rows.value))
        count = round(float(self.rows.value[i]) * self.rows.samples)
        return self.names[i], Estimate.of(count, self.rows.samples, self.rows.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (private: do not publish)."""
        return {
            key: {"value": est.value, "interval": list(est.interval), "samples": est.samples}
            for key, est in (("violation", self.violation), ("completion", self.completion))
        }


def check_samples(samples: int) -> None:
    """Refuse a number of draws that is not one."""
    if samples < 1:
        raise InputError(f"samples is {samples}.", "at least 1.", "use 10_000 for a good estimate.")


def verify_affine(
    program: ConvexProgram,
    S: Sparse,
    affine: Affine,
    calibration: Calibration,
    *,
    samples: int,
    rng: np.random.Generator,
) -> Verification:
    """Simulate z(xi) = offset + recourse xi for the noise of one calibration."""
    check_samples(samples)
    rows, target = program.rows, program.right_hand_side()
    scaling = Scaling.of(program, target, noise=0.0)
    limits = _inequalities(program, affine, scaling)
    balances = _equalities(program, affine, scaling)
    completion = Completion(program, S, target)
    base = np.asarray(S @ affine.offset)
    counts, broken, impossible = np.zeros(len(rows)), 0, 0
    block = max(1, _BLOCK // max(1, len(rows) + len(target) + calibration.size))
    for start in range(0, samples, block):
        shape = (min(block, samples - start), calibration.size)
        xi = calibration.scale * calibration.law.sample(rng, shape)
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


@dataclass(frozen=True)
class _View:
    """Slack b - A z~ and spread A Z of some rows, both relative to the rows' sizes."""

    slack: Vector
    spread: Dense

    def over(self, xi: Dense) -> NDArray[np.bool_]:
        """For each noise vector (row of xi) and each row: whether the limit is exceeded."""
        return np.asarray((xi @ self.spread.T - self.slack) > TOLERANCE)

    def off(self, xi: Dense) -> NDArray[np.bool_]:
        """The same in both directions."""
        return np.asarray(np.abs(xi @ self.spread.T - self.slack) > TOLERANCE)


def _inequalities(program: ConvexProgram, affine: Affine, scaling: Scaling) -> _View:
    rows = program.rows
    size = scaling.row_sizes(rows.bound)
    slack = rows.bound - np.asarray(rows.matrix @ affine.offset)
    return _View(slack / size, affine.recourse.under(rows.matrix) / size[:, None])


def _equalities(program: ConvexProgram, affine: Affine, scaling: Scaling) -> _View:
    G, target = program.equalities.matrix, program.right_hand_side()
    size = scaling.equality_sizes(target)
    slack = target - np.asarray(G @ affine.offset)
    return _View(slack / size, affine.recourse.under(G) / size[:, None])


def row_violations(program: ConvexProgram, affine: Affine, xi: Dense) -> NDArray[np.bool_]:
    """For each noise vector (row of xi): whether z(xi) breaks an inequality."""
    scaling = Scaling.of(program, program.right_hand_side(), noise=0.0)
    return np.asarray(_inequalities(program, affine, scaling).over(xi).any(axis=1))
