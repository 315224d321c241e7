"""Margins that take more than one solve: a model of them, improved where the solution shows it.

Draws enter by cuts: solve, cut with the worst draws of the rows that are violated, repeat. A smooth
norm h (the exact Laplace quantile) is modelled by a cone with a tilt,

    k ||a|| + (g - k a0/||a0||)'a,     k >= h(a0)/||a0||,   g = gradient of h at a0

which agrees with h in value and gradient at a0. Solved again at its own solution, it usually agrees
with h there after a few rounds; the optimality conditions are then those of the convex program with
h itself, so that point is its optimum. Where the slopes do not approach each other, h curves more
than its model and k is raised. The tangents of h collected on the way lie below it everywhere: over
a low cone they give a lower bound of the optimum, and where the best solution that keeps the
margins costs no more than that, it is the optimum too. Should neither settle, the tangents are used
alone (Kelley's method).
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.solving.margins import Cuts, Margins, Norm
from privopt.solving.spread import Spread

DRAWS_A_ROW = 12  # cuts added for one violated row in one round
TILTS = 12  # rounds after which tangents are used alone
FIRST_BOUND = 3  # rounds before a lower bound is asked for
SLOPE = 5e-5  # relative difference of model and norm in slope; its square reaches the cost
SHARPEST = 8.0  # how far k is raised


class Step(Enum):
    """What a look at a solution shows."""

    DONE = auto()
    """The solution is optimal for the margins themselves."""
    KEPT = auto()
    """It keeps them; a better one may exist."""
    BROKEN = auto()
    """It breaks them."""


class Refinement(Protocol):
    """A model of the margins that learns from solutions."""

    @property
    def model(self) -> Margins:
        """What to solve under."""
        ...

    @property
    def cuts(self) -> Cuts:
        """Tangents to solve under besides."""
        ...

    @property
    def below(self) -> bool:
        """Whether model and cuts lie below the margins, so that their optimum is a lower bound."""
        ...

    def look(self, spread: Spread, slack: Vector) -> tuple[Step, Vector]:
        """Learn from a solution: A Z and slack = b - A z; how far each row is above its limit.

        The excess is relative to what is allowed to rounding: positive where a row is broken.
        """
        ...


class Fixed:
    """Margins that are their own model."""

    def __init__(self, margins: Margins, p: int, allowed: Vector, deviation: float) -> None:
        self.model, self.cuts, self.below = margins, Cuts.none(p), True
        self._allowed, self._deviation = allowed, deviation

    def look(self, spread: Spread, slack: Vector) -> tuple[Step, Vector]:
        """Nothing to learn but which rows are broken."""
        value = spread.under(self.model, self._deviation)
        return Step.DONE, value - slack - self._allowed


class Draws:
    """h(a) = max_s a'xi_s, by cuts with the worst draws."""

    def __init__(self, draws: Dense, allowed: Vector) -> None:
        self.model, self.cuts, self.below = Margins(), Cuts.none(draws.shape[1]), True
        self._draws, self._allowed = draws, allowed

    def look(self, spread: Spread, slack: Vector) -> tuple[Step, Vector]:
        """Cut with the most violated draws of every violated row."""
        a = spread.dense
        rows: list[int] = []
        draws: list[int] = []
        for i in np.flatnonzero(np.abs(a).max(axis=1, initial=0.0) > 0):
            excess = self._draws @ a[i] - slack[i]
            worst = np.argpartition(-excess, min(DRAWS_A_ROW, len(excess) - 1))[:DRAWS_A_ROW]
            violated = worst[excess[worst] > self._allowed[i]]
            rows += [int(i)] * len(violated)
            draws += violated.tolist()
        none = np.full(len(slack), -np.inf)
        if not rows:
            return Step.DONE, none
        gradients = self._draws[np.array(draws, dtype=np.intp)]
        self.cuts = self.cuts.more(np.array(rows, dtype=np.intp), gradients)
        return Step.BROKEN, none


class Tilt:
    """A smooth norm, by a cone with a tilt; by tangents if that does not settle."""

    def __init__(
        self,
        margins: Margins,
        norm: Norm,
        allowed: Vector,
        deviation: float,
        sizes: Vector,
        movable: NDArray[np.bool_] | None = None,
    ) -> None:
        self.model = self._low = replace(margins, norm=None)
        self._norm, self._allowed = norm, allowed
        self._deviation, self._sizes = deviation, sizes
        self._tangents: Cuts | None = None
        self._sharper, self._gap = np.ones(len(sizes)), np.full(len(sizes), np.inf)
        self._movable = np.ones(len(sizes), dtype=bool) if movable is None else movable
        self._round = 0

    @property
    def cuts(self) -> Cuts:
        """Tangents. A tilted model lies above its own: beside it they would be in the way."""
        p = 0 if self._tangents is None else self._tangents.gradients.shape[1]
        if self._tangents is None or self.model.tilt is not None:
            return Cuts.none(p)
        return self._tangents

    @property
    def below(self) -> bool:
        """Whether the low cone and the tangents are the model."""
        return self._tangents is not None and self.model.tilt is None

    def look(self, spread: Spread, slack: Vector) -> tuple[Step, Vector]:
        """Compare model and norm at a solution, and tilt the model to the norm there."""
        a = spread.dense
        value, gradient = self._evaluate(a, slack)
        live = value > 2 * self._allowed
        differs = self._differences(a, value, gradient, slack, live)
        excess = value - slack - self._allowed
        keeps = bool((excess <= 0).all())
        if keeps and (self._round > TILTS or bool((differs <= SLOPE).all())):
            return Step.DONE, excess
        bounding = self.below
        if not bounding:
            raised = np.minimum(2 * self._sharper, SHARPEST)
            self._sharper = np.where(differs > 0.5 * self._gap, raised, self._sharper)
            self._gap = np.where(differs > 0, differs, np.inf)
        near = np.flatnonzero(self._movable & live & (value - slack > -1e-6 * self._sizes))
        tangents = self._tangents or Cuts.none(a.shape[1])
        self._tangents = tangents.more(near, gradient[near])
        tilted = self._tilted(a, value, gradient, live)
        bound = keeps and not bounding and self._round >= FIRST_BOUND
        self.model = self._low if bound or self._round >= TILTS else tilted
        self._round += 1
        return (Step.KEPT if keeps else Step.BROKEN), excess

    def _evaluate(self, a: Dense, slack: Vector) -> tuple[Vector, Dense]:
        """Value and gradient of the norm; zero on rows that hold with its ceiling already."""
        value, gradient = np.zeros(len(a)), np.zeros(a.shape)
        above = np.full(len(a), np.inf)
        if self._low.ceiling is not None:
            above = self._low.ceiling * self._deviation * np.linalg.norm(a, axis=1)
        near = np.flatnonzero(above > slack - 1e-6 * self._sizes)
        value[near], gradient[near] = self._norm(near, a[near])
        return value, gradient

    def _slope(self, model: Margins, a: Dense) -> Dense:
        """Gradient of a model at a (zero where a is)."""
        size = np.linalg.norm(a, axis=1)
        unit = a / np.where(size > 0, size, 1.0)[:, None]
        factor = np.zeros(len(a)) if model.deviations is None else model.deviations
        slope = (factor * self._deviation)[:, None] * unit
        return slope if model.tilt is None else slope + model.tilt

    def _differences(
        self, a: Dense, value: Vector, gradient: Dense, slack: Vector, live: NDArray[np.bool_]
    ) -> Vector:
        """Relative difference in slope of model and norm on rows that bind, zero on others."""
        size = np.linalg.norm(a, axis=1)
        slope = self._slope(self.model, a)
        nearest = slack - np.maximum(value, (slope * a).sum(axis=1))
        binding = nearest < 1e-6 * self._sizes
        difference = np.linalg.norm(slope - gradient, axis=1) * size
        # Where h is next to zero the low cone must say so, not a model tilted elsewhere.
        tilted = np.zeros(len(a), dtype=bool)
        if self.model.tilt is not None:
            tilted = np.abs(self.model.tilt).max(axis=1, initial=0.0) > 0
        return np.where(
            binding & live,
            difference / np.where(live, value, 1.0),
            np.where(binding & ~live & tilted, 1.0, 0.0),
        )

    def _tilted(self, a: Dense, value: Vector, gradient: Dense, live: NDArray[np.bool_]) -> Margins:
        """The cone with a tilt that agrees with the norm at a; a low cone where h is near zero."""
        size = np.linalg.norm(a, axis=1)
        low = self._low.deviations
        start = np.zeros(len(a)) if low is None else low
        ratio = value / (self._deviation * np.where(live, size, 1.0))
        deviations = np.where(live, self._sharper * ratio, start)
        flat = self._slope(replace(self._low, deviations=deviations), a)
        tilt = np.where(live[:, None], gradient - flat, 0.0)
        return replace(self._low, deviations=deviations, tilt=tilt)
