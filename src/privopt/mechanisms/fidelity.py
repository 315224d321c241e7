"""How near a release is to the non-private answer: as a bound, instead of a weight.

`Within(distance)` asks for the cheapest decision whose expected distance from the non-private
answer is at most `distance`. It weighs the squared distance against the cost; cost rises and
distance falls with the weight, so the weight for a bound is found by bisection, to a few percent of
the distance. Where it lies between two weights is guessed by a straight line through the logarithms
of their distances.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from privopt.errors import InfeasibleError
from privopt.scalars import real

__all__ = ["Near", "Within", "unit_weight", "within"]

_NEAR = 0.97  # of the distance: near enough to the bound,
_AIM = 0.985  # and what is aimed at
_STEPS = 12
_TENS = 6  # powers of ten times the unit weight: beyond them the cost has no say any more
_NEAREST = 1e-12  # a distance below this is none
_INSIDE = 0.1  # of the way between two weights: a guess is no nearer to either


class Near(Protocol):
    """What a weight makes, at some distance."""

    @property
    def distance(self) -> float:
        """Expected distance from the non-private answer."""
        ...


N = TypeVar("N", bound=Near)


@dataclass(frozen=True)
class Within:
    """Expected distance of the release from the non-private answer, at most."""

    distance: float

    def __post_init__(self) -> None:
        remedy = "compare with decision.distance of a decision without it."
        distance = real(
            self.distance, "distance", "a positive number.", remedy, low=0.0, open_low=True
        )
        object.__setattr__(self, "distance", distance)


def unit_weight(scale: float, distance: float) -> float:
    """The weight at which a distance counts as much as one percent of the (scale of the) cost."""
    return 0.01 * scale / max(distance, _NEAREST) ** 2


def within(
    bound: Within,
    make: Callable[[float], N],
    scale: float,
    refused: Callable[[float], InfeasibleError],
) -> N:
    """The cheapest within the bound, of those that a weight makes.

    Parameters
    ----------
    make
        What a weight makes; 0 is tried first.
    scale
        That of costs.
    refused
        The error for a bound out of reach, from the least distance that was had.
    """
    tried = {0.0: make(0.0)}
    if tried[0.0].distance <= bound.distance:
        return tried[0.0]
    unit = unit_weight(scale, tried[0.0].distance)
    for weight in (unit * 10.0**k for k in range(_TENS + 1)):
        tried[weight] = make(weight)
        if tried[weight].distance <= bound.distance:
            return _cheaper(bound, make, tried, weight)
    raise refused(min(one.distance for one in tried.values()))


def _cheaper(bound: Within, make: Callable[[float], N], tried: dict[float, N], high: float) -> N:
    """What the least weight makes that will do, between the one that does and those below."""
    best = tried[high]
    low = max(weight for weight in tried if weight < high)
    for _ in range(_STEPS):
        if best.distance >= _NEAR * bound.distance:
            break
        share = _share(tried[low].distance, best.distance, bound.distance)
        weight = _middle(low, high, share)
        found = make(weight)
        if found.distance <= bound.distance:
            best, high = found, weight
        else:
            tried[weight], low = found, weight
    return best


def _share(above: float, below: float, bound: float) -> float:
    """How far on the way between two distances the bound lies, by their logarithms."""
    if not (math.isfinite(above) and below > 0):
        return 0.5
    share = math.log(above / (_AIM * bound)) / math.log(above / below)
    return min(max(share, _INSIDE), 1 - _INSIDE)


def _middle(low: float, high: float, share: float = 0.5) -> float:
    return low ** (1 - share) * high**share if low else 0.1 * high
