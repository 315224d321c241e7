"""Draws of the private data as a measurement leaves them: prior times the density of the noise.

    p(u | y)  ~  prior(u)  prod over measurements and their rows k of  f((y_k - W_k u) / scale)

For the uniform prior on a box: slice sampling, one entry after the other (the density along an
entry is log-concave on an interval, so shrinking the interval finds the slice), and exchanges
between two entries whose columns of W are proportional, which leave W u as it is: those are drawn
exactly, uniform on what the box leaves. Both leave p(u | y) as it is. Many chains run side by side
and each gives one draw, so draws are independent; chains start from prior draws, resampled by their
likelihood. For a prior that is given by draws of its own, these are resampled and nothing else.

With a `region` the draws are those of p(u | y) within it. Everything here is public.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.robust.region import Region

__all__ = ["Evidence", "posterior"]

_SWEEPS = 12
_MANY = 64  # prior draws for each chain, of which it starts at one
_SHRINKS = 200
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


def posterior(
    lower: Vector,
    upper: Vector,
    evidence: Evidence,
    count: int,
    rng: np.random.Generator,
    *,
    prior: Dense | None = None,
    region: Region | None = None,
) -> Dense:
    """Draws of u, one a row; fewer than `count` if no start lies within the region."""
    pool = prior
    if pool is None:
        pool = lower + (upper - lower) * rng.random((_MANY * count, len(lower)))
    weight = evidence.likelihood(pool @ evidence.W.T)
    if region is not None:
        weight = np.where(region.holds(pool), weight, -np.inf)
    best = float(weight.max(initial=-np.inf))
    if best == -np.inf:
        return np.zeros((0, len(lower)))
    share = np.exp(weight - best)
    u = pool[rng.choice(len(pool), count, p=share / share.sum())]
    if prior is not None or not len(evidence.W):
        return u
    chains = _Chains(lower, upper, evidence, region, u, rng)
    for _ in range(_SWEEPS):
        chains.exchange()
        chains.sweep()
    return chains.u


class _Chains:
    """Chains side by side, one a row of u."""

    def __init__(
        self,
        lower: Vector,
        upper: Vector,
        evidence: Evidence,
        region: Region | None,
        u: Dense,
        rng: np.random.Generator,
    ) -> None:
        self._lower, self._upper, self._evidence = lower, upper, evidence
        self._region, self._rng, self.u = region, rng, u.copy()
        self._groups = _proportional(evidence.W, lower < upper)

    def exchange(self) -> None:
        """Move pairs of entries of proportional columns against each other, W u staying."""
        rng, u = self._rng, self.u
        if self._region is not None and len(self._region.W):
            return  # its rows may see what W does not
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
        rng, here, every = self._rng, self.u[:, j], np.arange(len(self.u))
        rest = self.u @ self._used(j).T - here[:, None] * self._evidence.W[self._rows(j), j]
        level = self._height(j, rest, here, every) - rng.exponential(size=len(here))
        low, high = np.full(len(here), self._lower[j]), np.full(len(here), self._upper[j])
        waiting, new = every, here.copy()
        for _ in range(_SHRINKS):
            trial = low[waiting] + (high - low)[waiting] * rng.random(len(waiting))
            taken = self._height(j, rest, trial, waiting) >= level[waiting]
            new[waiting[taken]] = trial[taken]
            waiting, trial = waiting[~taken], trial[~taken]
            below = trial < here[waiting]
            low[waiting[below]], high[waiting[~below]] = trial[below], trial[~below]
            if not len(waiting):
                break
        return new

    def _rows(self, j: int) -> NDArray[np.intp]:
        return np.flatnonzero(self._evidence.W[:, j])

    def _used(self, j: int) -> Dense:
        return self._evidence.W[self._rows(j)]

    def _height(self, j: int, rest: Dense, value: Vector, which: NDArray[np.intp]) -> Vector:
        """The log-density of some chains with other values of entry j."""
        evidence, rows = self._evidence, self._rows(j)
        off = evidence.y[rows] - rest[which] - value[:, None] * evidence.W[rows, j]
        found = evidence.log_density(off / evidence.scale).sum(axis=1)
        if self._region is None:
            return found
        other = self.u[which]
        other[:, j] = value
        return np.where(self._region.holds(other), found, -np.inf)


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
