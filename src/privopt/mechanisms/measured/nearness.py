"""The cheapest values within a distance of the non-private answers, at one measurement.

    minimise   mean over draws u_k of V(q, u_k)       such that q has a certificate
    subject to mean over draws of ||q - s_k||^2 <= distance^2,      s_k = S z*(u_k) the answers

The mean squared distance is that from the mean answer, which q decides, and that of the answers
from their mean, which it does not:

    mean ||q - s_k||^2 = ||q - mean||^2 + spread^2.

Both are convex in q, so a weight on the squared distance stands for the bound, and the weight is
found by the bisection of `fidelity`. Draws, answers and certificates are public, and so is it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.digits import up
from privopt.errors import InfeasibleError
from privopt.mechanisms.completed import optima
from privopt.mechanisms.fidelity import Within, unit_weight, within
from privopt.mechanisms.measured.certificate import Certificate
from privopt.mechanisms.measured.task import DecisionTask
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region

__all__ = ["decided_near"]

_FIRST = 1e-3  # of the scale of costs: decisions lose little, so small weights count already
_ALL = 1e7  # times the first weight: the distance is all that counts
_DIGITS = 4


@dataclass(frozen=True, repr=False, eq=False)
class _Weighed:
    """What a weight makes; `distance` is that of the values from the mean answer."""

    made: tuple[Vector, Certificate] | Outcome
    distance: float


def decided_near(
    task: DecisionTask, region: Region, draws: Dense, fidelity: float | Within
) -> tuple[Vector, Certificate] | Outcome:
    """The decided values for a weight, or within a distance, and their certificate.

    Raises
    ------
    InfeasibleError
        No values with a certificate are as near; says which distance can be had.
    """
    if not isinstance(fidelity, Within):
        return task.decided(region, draws, fidelity)
    first = task.decided(region, draws, 0.0)
    if isinstance(first, Outcome):
        return first
    z = optima(task.program, task.data.whole(draws.T).T)
    answers = np.asarray(task.S @ z[np.isfinite(z).all(axis=1)].T).T
    mean = answers.mean(axis=0)
    spread = math.sqrt(float(np.square(answers - mean).sum(axis=1).mean()))

    def make(weight: float) -> _Weighed:
        made = task.decided(region, draws, weight) if weight else first
        far = math.inf if isinstance(made, Outcome) else float(np.linalg.norm(made[0] - mean))
        return _Weighed(made, far)

    def refused(least: float) -> InfeasibleError:
        return _out_of_reach(fidelity, math.hypot(least, spread))

    scale, room = _FIRST * task.scale, fidelity.distance**2 - spread**2
    if room <= 0:
        unit = unit_weight(scale, make(0.0).distance)
        raise refused(min(make(weight).distance for weight in (0.0, _ALL * unit)))
    return within(Within(math.sqrt(room)), make, scale, refused).made


def _out_of_reach(bound: Within, least: float) -> InfeasibleError:
    return InfeasibleError(
        f"no values that can be decided at this y have an expected distance within "
        f"{bound.distance:g}.",
        f"a distance of at least {up(least, _DIGITS)} (tried), or a measurement that leaves less "
        "open.",
        "use that distance, measure more precisely (a larger epsilon, more sums), or name a "
        "fallback= in advance.",
    )
