"""Pairs of neighbours, and a search among them for the farthest by random changes.

A pair is data u and the same with one private entry moved by at most alpha, both in the domain. The
map from u to released values is asked for at both ends; the farthest pairs are remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.mechanisms.private_data import PrivateData
from privopt.noise.calibration import Privacy

__all__ = ["INSIDE", "KEPT", "Pair", "Pairs"]

KEPT = 12  # pairs remembered
INSIDE = 1 - 1e-12  # neighbours differ by at most alpha, rounding included
_FAILURES = 6  # changes that do not help before they are halved


@dataclass(frozen=True, eq=False)
class Pair:
    """Data u, and the same with entry j moved by a step."""

    u: Vector
    j: int
    step: float

    @property
    def other(self) -> Vector:
        """The neighbour."""
        moved = self.u.copy()
        moved[self.j] += self.step
        return moved


class Pairs:
    """The best pairs so far of a map from private entries to released values."""

    def __init__(
        self,
        values: Callable[[Vector], Vector | None],
        data: PrivateData,
        privacy: Privacy,
        rng: np.random.Generator,
    ) -> None:
        self._values, self._data, self._rng = values, data, rng
        self._order = privacy.order
        self._steps = INSIDE * np.minimum(privacy.one_alpha, data.upper - data.lower)
        self._found: list[tuple[float, Pair]] = []
        self._turn = 0

    def best(self) -> list[Pair]:
        """The pairs remembered, the farthest first."""
        return [pair for _, pair in self._found]

    def pair(self, u: Vector, j: int, step: float = np.inf) -> Pair:
        """Entry j moved by a step, to the side where there is room (from an end if need be)."""
        lower, upper = self._data.lower[j], self._data.upper[j]
        step = min(step, float(self._steps[j]))
        u = np.array(u)
        if u[j] + step > upper and u[j] - step < lower:
            u[j] = lower
        return Pair(u, j, step if u[j] + step <= upper else -step)

    def measure(self, pair: Pair, first: Vector | None = None) -> float:
        """Distance of a pair; -1 if an end has no solution."""
        here = self._values(pair.u) if first is None else first
        there = None if here is None else self._values(pair.other)
        if here is None or there is None:
            return -1.0
        distance = float(np.linalg.norm(here - there, ord=self._order))
        self._found.append((distance, pair))
        self._found.sort(key=lambda item: -item[0])
        del self._found[KEPT:]
        return distance

    def point(self) -> Vector:
        """The middle of the domain, its ends; then vertices and random points, of any total."""
        lower, upper = self._data.lower, self._data.upper
        level, share = self._rng.uniform(), self._rng.uniform(size=len(lower))
        ends = [np.full(len(lower), level) for level in (0.5, 0.0, 1.0)]
        mixed = [(share < level).astype(float), np.clip(level + share - 0.5, 0.0, 1.0)]
        share = ends[self._turn] if self._turn < len(ends) else mixed[self._turn % 2]
        self._turn += 1
        return lower + share * (upper - lower)

    def scan(self, more: Callable[[], bool]) -> None:
        """Every entry moved at one point after the other."""
        while more():
            u = self.point()
            here = self._values(u)
            if here is None:
                continue
            for j in self._rng.permutation(self._data.moving).tolist():
                if not more():
                    return
                pair = self.pair(u, j)
                self.measure(pair, here if pair.u[j] == u[j] else None)

    def changed(self, pair: Pair, size: float) -> Pair:
        """Some entries changed by about `size` of the domain, now and then the step too."""
        lower, upper, rng = self._data.lower, self._data.upper, self._rng
        chosen = rng.uniform(size=len(lower)) < rng.uniform(0.05, 0.6)
        change = rng.normal(size=len(lower)) * size * (upper - lower)
        kind = rng.uniform()
        if kind < 0.3:  # to the walls
            change = np.sign(change) * (upper - lower)
        elif kind < 0.5:  # all one way
            change = np.copysign(change, rng.normal())
        u = np.clip(pair.u + np.where(chosen, change, 0.0), lower, upper)
        u[pair.j] = np.clip(u[pair.j], *sorted((pair.u[pair.j], pair.other[pair.j])))
        longer = 1 if rng.uniform() < 0.6 else rng.uniform(0.3, 3)
        return self.pair(u, pair.j, abs(pair.step) * longer)

    def climb(self, pair: Pair, more: Callable[[], bool]) -> None:
        """Change a pair at random, keep what moves the release further."""
        top = max((distance for distance, other in self._found if other is pair), default=0.0)
        size, failures = 1.0, 0
        while more() and size > 1e-3:
            trial = self.changed(pair, size)
            distance = self.measure(trial)
            if distance > top * (1 + 1e-9):
                pair, top, failures = trial, distance, 0
                continue
            failures += 1
            if failures == _FAILURES:
                size, failures = size / 2, 0
