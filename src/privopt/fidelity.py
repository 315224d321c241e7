"""How near a release is to the non-private answer: as a bound, instead of a weight.

`Within(distance)` asks for the cheapest policy whose expected distance from the non-private answer
(root mean square over the prior and the noise) is at most `distance`. The design weighs the squared
distance against the cost; cost rises and distance falls with the weight, so the weight for a bound
is found by bisection, to a few percent of the distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from privopt.errors import InfeasibleError
from privopt.policy import Policy
from privopt.private_data import Answers
from privopt.scalars import real

__all__ = ["Within", "unit_weight", "within"]

_NEAR = 0.97  # of the distance: near enough to the bound
_STEPS = 12
_LARGEST = 1e6  # times the unit weight: what this does not reach, nothing does


@dataclass(frozen=True)
class Within:
    """Expected distance of the release from the non-private answer, at most."""

    distance: float

    def __post_init__(self) -> None:
        remedy = "compare with policy.distance of a design without it."
        distance = real(
            self.distance, "distance", "a positive number.", remedy, low=0.0, open_low=True
        )
        object.__setattr__(self, "distance", distance)


def unit_weight(answers: Answers, distance: float) -> float:
    """The weight at which a distance counts as much as one percent of the cost."""
    cost = abs(float(answers.costs.mean())) or 1.0
    return 0.01 * cost / distance**2


def within(bound: Within, design: Callable[[float], Policy], answers: Answers) -> Policy:
    """The cheapest policy within the bound, of those a weight gives."""
    best = design(0.0)
    if best.distance <= bound.distance:
        return best
    weight, low = unit_weight(answers, best.distance), 0.0
    most = _LARGEST * weight
    found = design(weight)
    while found.distance > bound.distance:
        if weight >= most:
            raise InfeasibleError(
                f"no policy of this noise has an expected distance within {bound.distance:g}.",
                f"a distance of at least {1.01 * found.distance:.3g} (tried), or less noise.",
                "use that distance, or a larger epsilon or a smaller alpha.",
            )
        low, weight = weight, 10.0 * weight
        found = design(weight)
    best, high = found, weight
    for _ in range(_STEPS):
        if best.distance >= _NEAR * bound.distance:
            break
        weight = (low * high) ** 0.5 if low else 0.1 * high
        found = design(weight)
        if found.distance <= bound.distance:
            best, high = found, weight
        else:
            low = weight
    return best
