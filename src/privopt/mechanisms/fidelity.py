"""How near a release is to the non-private answer: as a bound, instead of a weight.

`Within(distance)` asks for the cheapest policy whose expected distance from the non-private answer
(root mean square over the prior and the noise) is at most `distance`. The design weighs the squared
distance against the cost; cost rises and distance falls with the weight, so the weight for a bound
is found by bisection, to a few percent of the distance.

The distance falls only nearly: the design knows the prior by its variances, `policy.distance` is a
mean over public draws, and a weight that counts for everything need not be the nearest one.
So a bound out of reach of all powers of ten is looked for once more about the best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from privopt.digits import up
from privopt.errors import InfeasibleError
from privopt.mechanisms.policy import Policy
from privopt.scalars import real

__all__ = ["Within", "unit_weight", "within"]

_NEAR = 0.97  # of the distance: near enough to the bound
_STEPS = 12
_TENS = 6  # powers of ten times the unit weight: beyond them the cost has no say any more
_CLOSER = 3  # times to look on both sides of the best of them
_DIGITS = 4
_NEAREST = 1e-12  # a distance below this is none


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


def unit_weight(scale: float, distance: float) -> float:
    """The weight at which a distance counts as much as one percent of the (scale of the) cost."""
    return 0.01 * scale / max(distance, _NEAREST) ** 2


def within(bound: Within, design: Callable[[float], Policy], scale: float) -> Policy:
    """The cheapest policy within the bound, of those a weight gives; `scale` is that of costs."""
    tried = {0.0: design(0.0)}
    if tried[0.0].distance <= bound.distance:
        return tried[0.0]
    unit = unit_weight(scale, tried[0.0].distance)
    for weight in chain((unit * 10.0**k for k in range(_TENS + 1)), _between(tried)):
        tried[weight] = design(weight)
        if tried[weight].distance <= bound.distance:
            return _cheaper(bound, design, tried, weight)
    least = up(min(one.distance for one in tried.values()), _DIGITS)
    raise InfeasibleError(
        f"no policy of this noise has an expected distance within {bound.distance:g}.",
        f"a distance of at least {least} (tried), or less noise.",
        "use that distance, or a larger epsilon or a smaller alpha.",
    )


def _between(tried: dict[float, Policy]) -> Iterator[float]:
    """Weights on both sides of the one that came nearest, closer and closer."""
    for _ in range(_CLOSER):
        nearest = min(tried, key=lambda weight: tried[weight].distance)
        below = max((weight for weight in tried if weight < nearest), default=None)
        above = min((weight for weight in tried if weight > nearest), default=None)
        if below is not None:
            yield _middle(below, nearest)
        if above is not None:
            yield _middle(nearest, above)


def _cheaper(
    bound: Within, design: Callable[[float], Policy], tried: dict[float, Policy], high: float
) -> Policy:
    """The policy of the least weight that will do, between the one that does and those below."""
    best = tried[high]
    low = max(weight for weight in tried if weight < high)
    for _ in range(_STEPS):
        if best.distance >= _NEAR * bound.distance:
            break
        weight = _middle(low, high)
        found = design(weight)
        if found.distance <= bound.distance:
            best, high = found, weight
        else:
            low = weight
    return best


def _middle(low: float, high: float) -> float:
    return (low * high) ** 0.5 if low else 0.1 * high
