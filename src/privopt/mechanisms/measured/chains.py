"""Chains that move by p(u | y), the density of the private data after a measurement.

    p(u | y)  ~  prod over measurements and their rows k of  f((y_k - W_k u) / scale_k)

within a region.

Slice sampling, one entry after the other (the density along an entry is log-concave on an interval,
so shrinking the interval finds the slice), and exchanges among a few entries that leave all sums as
they are (two whose columns are proportional in every measurement and slab; or one more than there
are sums): those are drawn exactly, uniform on what the box leaves. Both leave p(u | y) as it is.
Many chains run side by side, and each gives one draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.robust.region import Region

__all__ = ["Chains", "Evidence"]

_SHRINKS = 200
_NONE = 1e-12  # of a direction: an entry that does not move
_ALIKE = 12  # decimals in which proportional columns agree

Density = Callable[[Dense], Dense]


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """One measurement: y = W u + scale * noise of a log-density (up to a constant)."""

    W: Dense
    y: Vector
    scale: float
    log_density: Density

    def likelihood(self, sums: Dense) -> Vector:
        """The logarithm of the likelihood where W u is a row of `sums`."""
        return self.log_density((self.y - sums) / self.scale).sum(axis=-1)


class Chains:
    """Chains side by side, one a row of u."""

    def __init__(
        self, where: Region, evidence: Sequence[Evidence], u: Dense, rng: np.random.Generator
    ) -> None:
        self._lower, self._upper = where.middle - where.half, where.middle + where.half
        self._where, self._evidence, self._rng, self.u = where, evidence, rng, u.copy()
        sums = np.vstack([one.W for one in evidence] + [where.W])
        self._sums, moving = sums, self._lower < self._upper
        self._groups = _proportional(sums, moving)
        self._moving = np.flatnonzero(moving)
        self._rank = int(np.linalg.matrix_rank(sums[:, moving])) if len(sums) else 0
        grouped = sum(len(group) for group, _ in self._groups)
        self._apart = len(self._moving) - grouped

    def exchange(self) -> None:
        """Move a few entries against each other, all sums staying."""
        self._pairs()
        if self._apart and len(sums := self._sums):
            size, order = self._rank + 1, self._rng.permutation(self._moving)
            for start in range(0, len(order) - size + 1, size):
                block = np.sort(order[start : start + size])
                self._along(block, np.linalg.svd(sums[:, block])[2][-1])

    def _along(self, block: NDArray[np.intp], direction: Vector) -> None:
        """Move these entries along a direction that changes no sum, as far as the box allows."""
        used = np.abs(direction) > _NONE
        block, direction = block[used], direction[used]
        here = self.u[:, block]
        ends = np.stack([self._lower[block] - here, self._upper[block] - here]) / direction
        low = np.minimum(ends.min(axis=0).max(axis=1), 0.0)
        high = np.maximum(ends.max(axis=0).min(axis=1), 0.0)
        step = low + (high - low) * self._rng.random(len(here))
        moved = here + step[:, None] * direction
        self.u[:, block] = np.clip(moved, self._lower[block], self._upper[block])

    def _pairs(self) -> None:
        """Pairs of entries of proportional columns."""
        rng, u = self._rng, self.u
        for group, factor in self._groups:
            order = rng.permutation(len(group))
            half = len(order) // 2
            a, b = order[:half], order[half : 2 * half]
            i, j = group[a], group[b]
            ratio = -factor[a] / factor[b]  # of the move of j to that of i
            ends = np.stack(
                [(self._lower[j] - u[:, j]) / ratio, (self._upper[j] - u[:, j]) / ratio]
            )
            low = np.maximum(self._lower[i] - u[:, i], ends.min(axis=0))
            high = np.minimum(self._upper[i] - u[:, i], ends.max(axis=0))
            step = low + (high - low) * rng.random(low.shape)
            u[:, i] = np.clip(u[:, i] + step, self._lower[i], self._upper[i])
            u[:, j] = np.clip(u[:, j] + ratio * step, self._lower[j], self._upper[j])

    def sweep(self) -> None:
        """A slice in every entry."""
        for j in np.flatnonzero(self._lower < self._upper):
            self.u[:, j] = self._slice(int(j))

    def _slice(self, j: int) -> Vector:
        """New values of entry j: the interval is shrunk to the old one until one is high enough."""
        rng, here = self._rng, self.u[:, j].copy()
        along = _Along(self._where, self._evidence, self.u, j)
        low, high = along.interval(self._lower[j], self._upper[j])
        low, high = np.minimum(low, here), np.maximum(high, here)
        waiting, new = np.arange(len(here)), here.copy()
        level = along.height(here, waiting) - rng.exponential(size=len(here))
        for _ in range(_SHRINKS):
            trial = low[waiting] + (high - low)[waiting] * rng.random(len(waiting))
            taken = along.height(trial, waiting) >= level[waiting]
            new[waiting[taken]] = trial[taken]
            waiting, trial = waiting[~taken], trial[~taken]
            below = trial < here[waiting]
            low[waiting[below]], high[waiting[~below]] = trial[below], trial[~below]
            if not len(waiting):
                break
        return new


class _Along:
    """The density of all chains along entry j, the others staying."""

    def __init__(self, where: Region, evidence: Sequence[Evidence], u: Dense, j: int) -> None:
        here = u[:, j]
        self._parts: list[tuple[Dense, Vector, Density]] = []
        for one in evidence:
            rows = np.flatnonzero(one.W[:, j])
            if len(rows):
                slope = one.W[rows, j] / one.scale
                rest = (one.y[rows] - u @ one.W[rows].T) / one.scale + here[:, None] * slope
                self._parts.append((rest, slope, one.log_density))
        rows = np.flatnonzero(where.W[:, j])
        self._slope = where.W[rows, j]
        rest = (u - where.middle) @ where.W[rows].T - here[:, None] * self._slope
        self._low, self._high = where.low[rows] - rest, where.high[rows] - rest

    def height(self, value: Vector, which: NDArray[np.intp]) -> Vector:
        """The log-density of some chains with other values of the entry."""
        total = np.zeros(len(value))
        for rest, slope, log_density in self._parts:
            total += log_density(rest[which] - value[:, None] * slope).sum(axis=1)
        return total

    def interval(self, lower: float, upper: float) -> tuple[Vector, Vector]:
        """Where the entry can lie: in the box, and in every slab it is part of."""
        ends = np.stack([self._low / self._slope, self._high / self._slope])
        return (
            np.maximum(lower, ends.min(axis=0).max(axis=1, initial=-np.inf)),
            np.minimum(upper, ends.max(axis=0).min(axis=1, initial=np.inf)),
        )


def _proportional(W: Dense, moving: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], Vector]]:
    """Groups of entries whose columns of W are multiples of one, and the multiples."""
    groups: dict[bytes, tuple[list[int], list[float]]] = {}
    for j in np.flatnonzero(moving):
        used = np.flatnonzero(W[:, j])
        if not len(used):
            continue
        factor = float(W[used[0], j])
        key = np.round(W[:, j] / factor, _ALIKE).tobytes()
        entries, factors = groups.setdefault(key, ([], []))
        entries.append(int(j))
        factors.append(factor)
    return [
        (np.array(entries), np.array(factors))
        for entries, factors in groups.values()
        if len(entries) > 1
    ]
