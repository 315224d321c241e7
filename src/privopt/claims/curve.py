"""What decisions from the same sums come to at other epsilons, simulated; and read backwards.

    epsilon -> loss, distance          a few points, from nothing measured (epsilon 0) upwards
    epsilon_for(distance, loss)        the least epsilon at which both are small enough

Between two points the loss and the squared distance are taken to be linear in what a measurement
leaves unknown of the sums,

    t(epsilon) = 1 / (1 + (epsilon / even)^2),

with `even` the epsilon at which noise and sums vary alike. (That is so where data and noise are
normal and costs are quadratic: both fall as 1 / epsilon^2 towards what the sums do not tell, and
leave the constant as epsilon^2.) Points are means over simulated decisions, and so is all that is
read between them: SAMPLED.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, cast

from privopt.claims.guarantee import Provenance
from privopt.digits import up
from privopt.errors import InfeasibleError, InputError
from privopt.plain import integer, listed, number
from privopt.scalars import real

__all__ = ["EpsilonCurve", "EpsilonPoint"]

_DIGITS = 3  # of an epsilon
_MANY = 10**6  # points or decisions that nobody simulates


@dataclass(frozen=True)
class EpsilonPoint:
    """What simulated decisions came to at one epsilon.

    Attributes
    ----------
    loss, distance
        Mean loss after completion, and root mean square distance from the answers; None where no
        simulated measurement led to a decision.
    loss_error, distance_error
        Their standard errors; None where one decision is all there is.
    decisions, without
        Simulated measurements that led to a decision, and those that did not.
    """

    epsilon: float
    loss: float | None
    loss_error: float | None
    distance: float | None
    distance_error: float | None
    decisions: int
    without: int


@dataclass(frozen=True)
class EpsilonCurve:
    """Points in the order of their epsilons, of the same sums and public draws.

    Attributes
    ----------
    even
        The epsilon at which the noise varies as much as the sums do.
    """

    points: tuple[EpsilonPoint, ...]
    even: float

    @property
    def provenance(self) -> Provenance:
        """How it is known: by draws."""
        return Provenance.SAMPLED

    def epsilon_for(self, *, distance: float | None = None, loss: float | None = None) -> float:
        """The least epsilon at which distance and loss are at most that, rounded up.

        0.0 where the constant, from nothing measured, will do.

        Raises
        ------
        InfeasibleError
            No point of the curve is as low as that. Nothing is read beyond the last one.
        """
        return self._least(distance, loss)[0]

    def is_bound(self, *, distance: float | None = None, loss: float | None = None) -> bool:
        """Whether that epsilon is only a bound: a smaller one may do, but none was simulated.

        So it is at the least epsilon that led to decisions, where nothing measured led to none.
        """
        return self._least(distance, loss)[1]

    def _least(self, distance: float | None, loss: float | None) -> tuple[float, bool]:
        """The least epsilon at which both hold, and whether it is only a bound from above."""
        asked = {"distance": distance, "loss": loss}
        bounds = {
            name: real(value, name, "a number >= 0.", "compare with the curve.", low=0.0)
            for name, value in asked.items()
            if value is not None
        }
        if not bounds:
            raise InputError(
                "neither a distance nor a loss was asked for.",
                "at least one of them.",
                "pass distance=, in the units of the values, or loss=, a fraction.",
            )
        before: EpsilonPoint | None = None
        for point in self.points:
            if all(_holds(point, name, bound) for name, bound in bounds.items()):
                if before is None:
                    return point.epsilon, point.epsilon > 0
                found = max(self._crossing(before, point, *one) for one in bounds.items())
                return min(float(up(found, _DIGITS)) if found else 0.0, point.epsilon), False
            before = point if point.loss is not None else None
        raise self._out_of_reach(bounds)

    def _crossing(self, low: EpsilonPoint, high: EpsilonPoint, name: str, bound: float) -> float:
        """The least epsilon from one point to the next at which one figure is at most a bound."""
        first, last, wanted = (_height(name, v) for v in (_of(low, name), _of(high, name), bound))
        if first <= wanted:
            return low.epsilon
        share = (first - wanted) / (first - last)
        t = self._unknown(low.epsilon)
        t += share * (self._unknown(high.epsilon) - t)
        return self.even * math.sqrt(max(1 / t - 1, 0.0)) if t > 0 else high.epsilon

    def _unknown(self, epsilon: float) -> float:
        return 1 / (1 + (epsilon / self.even) ** 2)

    def _out_of_reach(self, bounds: dict[str, float]) -> InfeasibleError:
        """The error where no point is low enough: how near one comes, and what would do."""
        known = [point for point in self.points if point.loss is not None]
        asked = " and ".join(f"a {name} of {bound:g}" for name, bound in bounds.items())
        if not known:
            return InfeasibleError(
                "no simulated measurement led to a decision.",
                "values that can be completed for all data that a measurement leaves possible.",
                "take a larger eta, a narrower domain, or release fewer values.",
            )
        nearest = min(known, key=lambda one: max(_over(one, *each) for each in bounds.items()))
        there = " and ".join(f"a {name} of {up(_of(nearest, name), 3)}" for name in bounds)
        where = "nothing measured" if not nearest.epsilon else f"epsilon = {nearest.epsilon:g}"
        last = self.points[-1].epsilon
        return InfeasibleError(
            f"these sums lead to {asked} at no epsilon that was simulated.",
            f"no less than the nearest, {there} at {where} ({self.provenance.value}; the largest "
            f"epsilon simulated is {last:g}).",
            "choose an instrument for a larger epsilon, which may measure other sums; simulate "
            "this one at larger epsilons (privopt.simulate_instrument(..., epsilons=)); or decide "
            "with fidelity=, which trades loss for distance.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"even": self.even, "points": [asdict(point) for point in self.points]}

    @classmethod
    def from_dict(cls, data: object) -> EpsilonCurve:
        """What `to_dict` wrote; ValueError or KeyError for something else."""
        given = cast("dict[str, Any]", data)
        points = tuple(_point(one) for one in listed(given["points"]))
        rising = all(a.epsilon < b.epsilon for a, b in pairwise(points))
        even = number(given["even"])
        if not (rising and 0 < len(points) < _MANY and even > 0):
            raise ValueError
        return cls(points, even)


def _of(point: EpsilonPoint, name: str) -> float:
    value = point.distance if name == "distance" else point.loss
    return math.inf if value is None else value


def _holds(point: EpsilonPoint, name: str, bound: float) -> bool:
    return _of(point, name) <= bound


def _over(point: EpsilonPoint, name: str, bound: float) -> float:
    """How many times a figure is above its bound."""
    return _of(point, name) / bound if bound > 0 else _of(point, name)


def _height(name: str, value: float) -> float:
    """What is linear between points: the loss, and the square of the distance."""
    return value**2 if name == "distance" else value


def _point(data: object) -> EpsilonPoint:
    given = cast("dict[str, Any]", data)
    epsilon = number(given["epsilon"])
    if epsilon < 0:
        raise ValueError
    names = ("loss", "loss_error", "distance", "distance_error")
    figures = [None if given[name] is None else number(given[name]) for name in names]
    counts = [integer(given[name], 0, _MANY) for name in ("decisions", "without")]
    if (figures[0] is None) != (figures[2] is None):
        raise ValueError
    return EpsilonPoint(epsilon, figures[0], figures[1], figures[2], figures[3], *counts)
