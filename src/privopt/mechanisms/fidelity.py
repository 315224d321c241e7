"""How near a release is to the non-private answer: as a bound, instead of a weight.

`Within(distance)` asks for the cheapest policy (or decision) whose expected distance from the
non-private answer is at most `distance`. Both weigh the squared distance against the cost; cost
rises and distance falls with the weight, so the weight for a bound is found by bisection, to a few
percent of the distance. Where it lies between two weights is guessed by a straight line through the
logarithms of their distances.

The distance of policies falls only nearly: the design knows the prior by its variances,
`policy.distance` is a mean over public draws, and a weight that counts for everything need not be
the nearest one. So a bound out of reach of all powers of ten is looked for once more about the best
of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, TypeVar

from privopt.digits import up
from privopt.errors import InfeasibleError
from privopt.scalars import real

__all__ = ["Near", "Within", "unit_weight", "within"]

_NEAR = 0.97  # of the distance: near enough to the bound,
_AIM = 0.985  # and what is aimed at
_STEPS = 12
_TENS = 6  # powers of ten times the unit weight: beyond them the cost has no say any more
_CLOSER = 3  # times to look on both sides of the best of them
_DIGITS = 4
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
        remedy = "compare with policy.distance of a design without it."
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
    refused: Callable[[float], InfeasibleError] | None = None,
) -> N:
    """The cheapest within the bound, of those that a weight makes.

    Parameters
    ----------
    make
        What a weight makes; 0 is tried first.
    scale
        That of costs.
    refused
        The error for a bound out of reach, from the least distance that was had; that of a policy
        unless given.
    """
    tried = {0.0: make(0.0)}
    if tried[0.0].distance <= bound.distance:
        return tried[0.0]
    unit = unit_weight(scale, tried[0.0].distance)
    for weight in chain((unit * 10.0**k for k in range(_TENS + 1)), _between(tried)):
        tried[weight] = make(weight)
        if tried[weight].distance <= bound.distance:
            return _cheaper(bound, make, tried, weight)
    raise (refused or _no_policy(bound))(min(one.distance for one in tried.values()))


def _no_policy(bound: Within) -> Callable[[float], InfeasibleError]:
    return lambda least: InfeasibleError(
        f"no policy of this noise has an expected distance within {bound.distance:g}.",
        f"a distance of at least {up(least, _DIGITS)} (tried), or less noise.",
        "use that distance, or a larger epsilon or a smaller alpha.",
    )


def _between(tried: Mapping[float, Near]) -> Iterator[float]:
    """Weights on both sides of the one that came nearest, closer and closer."""
    for _ in range(_CLOSER):
        nearest = min(tried, key=lambda weight: tried[weight].distance)
        below = max((weight for weight in tried if weight < nearest), default=None)
        above = min((weight for weight in tried if weight > nearest), default=None)
        if below is not None:
            yield _middle(below, nearest)
        if above is not None:
            yield _middle(nearest, above)


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
