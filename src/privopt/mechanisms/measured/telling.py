"""What the values of a decision tell of the answers, and which epsilon would tell more.

Answers a and measured sums w = W u, in units of their noise, have covariances C_aw and C_ww at
public draws. The best linear guess at a from w and its noise leaves hidden, by the noise alone,

    noise_k^2 = most_k^2 / (1 + rate_k)       most_k^2 = |C_aw v_k|^2 / rate_k

in direction k, C_ww = V diag(rate) V'; without a measurement, most_k^2.

A decision need not be linear, and may aim at cost rather than at the answers: what it is off by
besides stays as it is when epsilon grows. That makes the epsilon named an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privopt.arrays import Vector
from privopt.claims.worth import Worth, narrow_entries
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.task import DecisionTask, Outlook
from privopt.mechanisms.private_data import Answers

__all__ = ["decision_worth", "hidden", "narrow_of"]

_NONE = 1e-12  # of the largest rate: no direction at all


def decision_worth(task: DecisionTask, belief: Belief, q: Vector, outlook: Outlook) -> Worth:
    """Errors and spreads of decided values, with what the noise of the measurements hides."""
    return Worth(
        task.names,
        task.off(outlook.errors(q)),
        task.spreads,
        math.fsum(one.epsilon for one in belief.measurements),
        *hidden(belief.instruments, task.answers),
        samples=int(np.isfinite(outlook.answers).all(axis=1).sum()),
        narrow=narrow_of(belief),
    )


def narrow_of(belief: Belief) -> tuple[str, ...]:
    """Private entries whose domain is narrower than alpha."""
    first = belief.instruments[0]
    kernel = first.kernel
    names = [kernel.data_names[int(i)] for i in kernel.private]
    return narrow_entries(names, first.domain, first.privacy.neighbours)


def hidden(instruments: Sequence[Instrument], answers: Answers) -> tuple[Vector, Vector]:
    """What noise hides of the answers, in parts, and what each would be without a measurement."""
    sums = [one.W / noise.deviation for one in instruments if (noise := one.calibration)]
    if not sums:
        return np.zeros(0), np.zeros(0)
    off = answers.values - answers.values.mean(axis=0)
    moved = (answers.drawn - answers.drawn.mean(axis=0)) @ np.vstack(sums).T
    rates, vectors = np.linalg.eigh(moved.T @ moved / len(moved))
    kept = rates > _NONE * max(float(rates[-1]), 0.0)
    rates, vectors = rates[kept], vectors[:, kept]
    most = np.linalg.norm(off.T @ (moved @ vectors) / len(off), axis=0) / np.sqrt(rates)
    return most / np.sqrt(1.0 + rates), most
