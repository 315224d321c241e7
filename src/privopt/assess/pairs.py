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

    def scan(self, more: Callable[[], bool]) -> None:
        """The middle, vertices and random points, every entry moved."""
        lower, upper, moving = self._data.lower, self._data.upper, self._data.moving
        turn = 0
        while more():
            share = self._rng.uniform(size=len(lower))
            share = (np.full(len(lower), 0.5), np.round(share), share)[min(turn, 1 + turn % 2)]
            u = lower + share * (upper - lower)
            here = self._values(u)
            turn += 1
            if here is None:
                continue
            for j in self._rng.permutation(moving).tolist():
                if not more():
                    return
                pair = self.pair(u, j)
                self.measure(pair, here if pair.u[j] == u[j] else None)

    def climb(self, pair: Pair, more: Callable[[], bool]) -> None:
        """Change a pair at random, keep what moves the release further."""
        lower, upper = self._data.lower, self._data.upper
        top = max((distance for distance, other in self._found if other is pair), default=0.0)
        size, failures = 1.0, 0
        while more() and size > 1e-3:
            chosen = self._rng.uniform(size=len(lower)) < self._rng.uniform(0.05, 0.6)
            change = self._rng.normal(size=len(lower)) * size * (upper - lower)
            if self._rng.uniform() < 0.3:  # to the walls
                change = np.sign(change) * (upper - lower)
            u = np.clip(pair.u + np.where(chosen, change, 0.0), lower, upper)
            u[pair.j] = np.clip(u[pair.j], *sorted((pair.u[pair.j], pair.other[pair.j])))
            length = abs(pair.step) * (
                1 if self._rng.uniform() < 0.6 else self._rng.uniform(0.3, 3)
            )
            trial = self.pair(u, pair.j, length)
            distance = self.measure(trial)
            if distance > top * (1 + 1e-9):
                pair, top, failures = trial, distance, 0
                continue
            failures += 1
            if failures == _FAILURES:
                size, failures = size / 2, 0
