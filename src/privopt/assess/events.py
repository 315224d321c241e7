"""The events an audit can choose from, and the one that promises most.

    E = { low_1 < t_1(y) <= high_1, ... },      t a feature of the released vector y, a number:

    coordinate     y_j
    low bits       the largest t with y_j a multiple of 2^t (infinite for 0)
    Laplace score  sum_j (|y_j - m_j| - |y_j - m'_j|) / s_j
    direction      sum_j (m'_j - m_j) y_j / s_j^2

The two scores are the log-likelihood ratios of Laplace and of Gaussian noise of spread s around m
and m', up to constants. Noise that is drawn and added in floating point shows in the low bits: the
rounding of q + xi depends on q.

- thresholds (low or high infinite) on each coordinate and on each score of the whole vector, at
  quantiles of the releases
- each coordinate within a coarse interval, and among these only the values that are, or are not,
  multiples of some 2^t

`choose` returns the event whose bound on epsilon would be largest on the releases it is shown. It
must be tested on others: on these it is the best of many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector

__all__ = ["CAUTION", "Coordinate", "LowBits", "Range", "ReleaseEvent", "choose", "scores"]

CAUTION = 4.0  # deviations: small events look good by chance, among many
_SIMPLER = 1.1  # what low bits must promise more than a threshold to be preferred
_CELLS = 32  # coarse intervals begin and end at these quantiles
_TAIL = np.geomspace(1e-5, 0.02, 24)
_CUTS = np.concatenate([_TAIL, np.linspace(0.03, 0.97, 95), 1 - _TAIL])
_DIGITS = 53  # of a float's mantissa
_STILL = 1e-60  # a spread below it is none


def _between(label: str, low: float, high: float) -> str:
    if low == -np.inf:
        return f"{label} <= {high:.6g}"
    if high == np.inf:
        return f"{label} > {low:.6g}"
    if np.nextafter(low, high) == high:
        return f"{label} = {high:.6g}"
    return f"{low:.6g} < {label} <= {high:.6g}"


@dataclass(frozen=True)
class Coordinate:
    """A released value."""

    j: int
    label: str

    def of(self, Y: Dense) -> Vector:
        """The column."""
        return Y[:, self.j]

    def words(self, low: float, high: float) -> str:
        """The range of the value."""
        return _between(self.label, low, high)


@dataclass(frozen=True)
class LowBits:
    """The 2-adic valuation of a released value: the position of its last bit that is set."""

    j: int
    name: str

    @property
    def label(self) -> str:
        """What is counted."""
        return f"last bit of {self.name}"

    def of(self, Y: Dense) -> Vector:
        """Exact for every finite float; infinite for zero."""
        fraction, exponent = np.frexp(Y[:, self.j])
        whole = np.ldexp(fraction, _DIGITS).astype(np.int64)
        _, last = np.frexp((whole & -whole).astype(float))  # of a power of two: its place plus one
        return np.where(whole == 0, np.inf, (exponent - _DIGITS + last - 1).astype(float))

    def words(self, low: float, high: float) -> str:
        """Multiples of a power of two, or not (one of the two ends is infinite)."""
        if low == -np.inf:
            return f"{self.name} is not a multiple of 2^{high + 1:.0f}"
        return f"{self.name} is a multiple of 2^{low + 1:.0f}"


@dataclass(frozen=True, eq=False)
class _Score:
    """A number made of the centres of d and d', and of the spread about them."""

    centre: Vector = field(repr=False)
    other: Vector = field(repr=False)
    spread: Vector = field(repr=False)

    label: ClassVar[str]

    def words(self, low: float, high: float) -> str:
        """The range of the score."""
        return _between(self.label, low, high)


class LaplaceScore(_Score):
    """How much nearer y lies to the centre of d' than to that of d, in multiples of the spread."""

    label = "Laplace score of the vector"

    def of(self, Y: Dense) -> Vector:
        """The score of each row."""
        nearer = np.abs(Y - self.centre) - np.abs(Y - self.other)
        return np.asarray((nearer / self.spread).sum(axis=1))


class Direction(_Score):
    """Where y lies along the line from the centre of d to that of d'."""

    label = "score of the vector along the line between the centres"

    def of(self, Y: Dense) -> Vector:
        """The score of each row."""
        return np.asarray(Y @ ((self.other - self.centre) / self.spread**2))


Feature: TypeAlias = Coordinate | LowBits | LaplaceScore | Direction


def scores(Y: Dense, Y_prime: Dense) -> list[Feature]:
    """Both scores, with medians and mean absolute deviations of these releases.

    A single value has none: there the coordinate says as much.
    """
    if Y.shape[1] == 1:
        return []
    centre, other = np.median(Y, axis=0), np.median(Y_prime, axis=0)
    spread = 0.5 * (np.abs(Y - centre).mean(axis=0) + np.abs(Y_prime - other).mean(axis=0))
    spread = np.where(spread > _STILL, spread, 1.0)
    return [LaplaceScore(centre, other, spread), Direction(centre, other, spread)]


@dataclass(frozen=True)
class Range:
    """A feature within (low, high]."""

    feature: Feature
    low: float
    high: float

    def holds(self, Y: Dense) -> NDArray[np.bool_]:
        """Whether it does, for each row."""
        t = self.feature.of(Y)
        return (self.low < t) & (t <= self.high)

    def __str__(self) -> str:
        return self.feature.words(self.low, self.high)


@dataclass(frozen=True)
class ReleaseEvent:
    """Releases of which all of some ranges hold; of no range: all releases."""

    ranges: tuple[Range, ...]

    def holds(self, Y: Dense) -> NDArray[np.bool_]:
        """Whether it happened, for each row."""
        found = np.ones(len(Y), dtype=bool)
        for one in self.ranges:
            found &= one.holds(Y)
        return found

    def __str__(self) -> str:
        return " and ".join(str(one) for one in self.ranges) or "any release"


@dataclass(frozen=True, eq=False)
class _Family:
    """Many events at once: how often each happened after d and d', and the event of an index."""

    hits: NDArray[np.intp]
    others: NDArray[np.intp]
    event: Callable[[int], ReleaseEvent]
    handicap: float = 1.0


def choose(
    Y: Dense, Y_prime: Dense, names: Sequence[str], delta: float
) -> tuple[ReleaseEvent, bool]:
    """The event that promises most, and whether it is likelier after d; a release is a row.

    delta is taken off the larger probability.
    """
    best, chosen, after_d = -np.inf, ReleaseEvent(()), True
    for family in _families(Y, Y_prime, names):
        for k, m, first in (
            (family.hits, family.others, True),
            (family.others, family.hits, False),
        ):
            gain = _promise(k, m, len(Y), delta) / family.handicap
            i = int(gain.argmax())
            if gain[i] > best:
                best, chosen, after_d = float(gain[i]), family.event(i), first
    return chosen, after_d


def _promise(k: NDArray[np.intp], m: NDArray[np.intp], n: int, delta: float) -> Vector:
    """(P_low - delta) / P_up by Wilson's intervals, which are quick and near enough to choose."""
    return (_wilson(k, n, -CAUTION) - delta) / _wilson(m, n, CAUTION)


def _wilson(k: NDArray[np.intp], n: int, z: float) -> Vector:
    """The end z deviations away of the interval of a share k / n."""
    return (k + z**2 / 2 + z * np.sqrt(k * (n - k) / n + z**2 / 4)) / (n + z**2)


def _families(Y: Dense, Y_prime: Dense, names: Sequence[str]) -> Iterator[_Family]:
    for j, name in enumerate(names):
        yield _thresholds(Coordinate(j, name), Y, Y_prime)
        yield _low_bits(j, name, Y, Y_prime)
    for score in scores(Y, Y_prime):
        yield _thresholds(score, Y, Y_prime)


def _thresholds(feature: Feature, Y: Dense, Y_prime: Dense) -> _Family:
    t, t_prime = np.sort(feature.of(Y)), np.sort(feature.of(Y_prime))
    both = np.concatenate([t, t_prime])
    cuts = np.unique(np.quantile(both, _CUTS, method="inverted_cdf"))

    def count(sorted_values: Vector) -> NDArray[np.intp]:
        below = np.searchsorted(sorted_values, cuts, side="right")
        return np.concatenate([below, len(sorted_values) - below])

    def event(i: int) -> ReleaseEvent:
        cut = float(cuts[i % len(cuts)])
        ends = (-np.inf, cut) if i < len(cuts) else (cut, np.inf)
        return ReleaseEvent((Range(feature, *ends),))

    return _Family(count(t), count(t_prime), event)


def _low_bits(j: int, name: str, Y: Dense, Y_prime: Dense) -> _Family:
    value, bits = Coordinate(j, name), LowBits(j, name)
    levels = np.unique(np.concatenate([bits.of(Y), bits.of(Y_prime)]))
    both = np.concatenate([value.of(Y), value.of(Y_prime)])
    edges = np.quantile(both, np.arange(1, _CELLS) / _CELLS, method="inverted_cdf")
    often = edges[1:][edges[1:] == edges[:-1]]  # values of their own weight get their own interval
    edges = np.union1d(edges, np.nextafter(often, -np.inf))
    first, last = np.triu_indices(len(edges) + 2, 1)
    shape = (len(edges) + 1, len(levels))

    def count(X: Dense) -> NDArray[np.intp]:
        """For each interval and level: how many values in it end at or below the level, or not."""
        cell = np.searchsorted(edges, value.of(X), side="left")
        level = np.searchsorted(levels, bits.of(X))
        table = np.bincount(cell * shape[1] + level, minlength=shape[0] * shape[1]).reshape(shape)
        sums = np.zeros((shape[0] + 1, shape[1]), dtype=np.intp)
        sums[1:] = table.cumsum(axis=0).cumsum(axis=1)
        below = sums[last] - sums[first]
        # The whole interval first: among equals the first is chosen.
        return np.stack([below[:, ::-1], below[:, -1:] - below]).ravel()

    def event(i: int) -> ReleaseEvent:
        above, interval, level = np.unravel_index(i, (2, len(first), shape[1]))
        bounds = np.concatenate([[-np.inf], edges, [np.inf]])
        within = Range(value, float(bounds[first[interval]]), float(bounds[last[interval]]))
        if above:
            among = Range(bits, float(levels[level]), np.inf)
        else:  # level 0: whatever the last bit
            among = Range(bits, -np.inf, float(levels[-1 - level]) if level else np.inf)
        said = (one for one in (within, among) if (one.low, one.high) != (-np.inf, np.inf))
        return ReleaseEvent(tuple(said))

    return _Family(count(Y), count(Y_prime), event, _SIMPLER)
