"""An interior-point method for quadratic programs whose structure its owner knows best.

    minimise 1/2 x'P x + q'x   subject to   E x = d,   B x + s = b,   s >= 0

Mehrotra's predictor and corrector with Gondzio's centrality correctors. Everything that depends on
the structure, above all the Newton system

    P dx + E'dy + B'dl = f,   E dx = g,   B dx - dl / weights = h

with weights = multiplier / slack of each row, is left to a `Structured` program. The answer is an
optimum to the given tolerance or None: infeasible, unbounded and badly scaled programs are for a
solver that tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from privopt.arrays import Vector
from privopt.solving.threads import one_thread

__all__ = ["InnerOptimum", "Newton", "Start", "Structured", "interior_point"]

_ITERATIONS = 150
_CORRECTORS = 2
_NEAR = 0.995  # of the way to the boundary
_BAND = 10.0  # products this many times above or below the target are corrected
_SMALL = 1e-3  # gap below which a direction is refined once, by its residual
_LEAST = 0.05  # part of the allowed gap below which the steps do not aim
_SHORTEST = 1e-5  # a step this short is a stall
_POOR = 0.125  # a first step shorter than this, far from feasible: the start is given up

Newton: TypeAlias = Callable[[Vector, Vector, Vector], tuple[Vector, Vector, Vector]]
"""(f, g, h) -> (dx, dy, dl)."""


class Structured(Protocol):
    """A quadratic program by what one does with it."""

    @property
    def q(self) -> Vector:
        """Linear cost."""
        ...

    @property
    def b(self) -> Vector:
        """Limits of the rows."""
        ...

    @property
    def d(self) -> Vector:
        """Right-hand side of the equalities."""
        ...

    def quadratic(self, x: Vector) -> Vector:
        """P x."""
        ...

    def rows(self, x: Vector) -> Vector:
        """B x."""
        ...

    def rows_transposed(self, dual: Vector) -> Vector:
        """B' times multipliers of the rows."""
        ...

    def equalities(self, x: Vector) -> Vector:
        """E x."""
        ...

    def equalities_transposed(self, y: Vector) -> Vector:
        """E' times multipliers of the equalities."""
        ...

    def newton(self, weights: Vector) -> Newton:
        """Solves of the Newton system under weights of the rows."""
        ...


@dataclass(frozen=True, repr=False, eq=False)
class Start:
    """Where to begin: x, positive slacks and multipliers of the rows.

    The multipliers y of the equalities are zero unless given.
    """

    x: Vector
    slack: Vector
    dual: Vector
    y: Vector | None = None


@dataclass(frozen=True, repr=False, eq=False)
class InnerOptimum:
    """A solution, slacks and multipliers of its rows, multipliers y, and its objective."""

    x: Vector
    slack: Vector
    dual: Vector
    y: Vector
    value: float

    @property
    def start(self) -> Start:
        """To go on from here."""
        return Start(self.x, self.slack, self.dual, self.y)


def interior_point(program: Structured, start: Start, tolerance: float) -> InnerOptimum | None:
    """The optimum to a relative tolerance; None where the iterations do not get there."""
    with one_thread(), np.errstate(all="ignore"):
        return _iterations(program, start, tolerance)


def _iterations(program: Structured, start: Start, tolerance: float) -> InnerOptimum | None:
    x, s, dual = start.x, start.slack, start.dual
    y = np.zeros(len(program.d)) if start.y is None else start.y
    sizes = 1 + np.array(
        [np.abs(part).max(initial=0.0) for part in (program.q, program.b, program.d)]
    )
    for iteration in range(_ITERATIONS):
        Px = program.quadratic(x)
        off = Px + program.q + program.rows_transposed(dual) + program.equalities_transposed(y)
        over = program.rows(x) + s - program.b
        wrong = program.equalities(x) - program.d
        gap = float(s @ dual)
        value = float(0.5 * x @ Px + program.q @ x)
        worst = np.array([np.abs(part).max(initial=0.0) for part in (off, over, wrong)])
        if not np.isfinite(gap + worst.sum()):
            return None
        if gap <= tolerance * (1 + abs(value)) and bool((worst <= tolerance * sizes).all()):
            return InnerOptimum(x, s, dual, y, value)
        try:
            weights, mean = dual / s, gap / len(s)
            newton = program.newton(weights)
            step = _Step(program, newton, weights, s, dual, (off, over, wrong))
            predictor = step.predictor()
            dx, dy, ds, dl, length = predictor
            if not iteration and length < _POOR and (worst > sizes).any():
                # The end of the Newton step, with whatever is not positive brought inside.
                x, y, depth = x + dx, y + dy, mean**0.5
                s, dual = np.maximum(np.abs(s + ds), depth), np.maximum(np.abs(dual + dl), depth)
                continue
            least = _LEAST * tolerance * (1 + abs(value)) / len(s)
            dx, dy, ds, dl, length = step.best(predictor, mean, least)
        except (np.linalg.LinAlgError, RuntimeError):  # singular to rounding
            return None
        if not length > _SHORTEST:
            return None
        length = min(1.0, _NEAR * length)
        x, y, s, dual = x + length * dx, y + length * dy, s + length * ds, dual + length * dl
    return None


_Direction: TypeAlias = tuple[Vector, Vector, Vector, Vector, float]


class _Step:
    """One step: directions for given products of slacks and multipliers."""

    def __init__(
        self,
        program: Structured,
        solve: Newton,
        weights: Vector,
        s: Vector,
        dual: Vector,
        residuals: tuple[Vector, Vector, Vector],
    ) -> None:
        self._program, self._solve, self._weights = program, solve, weights
        self._s, self._dual = s, dual
        self._off, self._over, self._wrong = residuals

    def predictor(self) -> _Direction:
        """To products of zero."""
        return self._towards(self._s * self._dual)

    def best(self, predictor: _Direction, mean: float, least: float) -> _Direction:
        """The corrector of a predictor, and further ones as long as they lengthen the step.

        It does not aim at products below `least`, which would only spoil the equations.
        """
        count = len(self._s)
        _, _, ds, dl, length = predictor
        length = min(1.0, length)
        predicted = float((self._s + length * ds) @ (self._dual + length * dl)) / count
        target = max(mean * (predicted / mean) ** 3, least)
        trial = self._s * self._dual + ds * dl - target
        direction, products = self._towards(trial), trial
        for _ in range(_CORRECTORS):
            _, _, ds, dl, length = direction
            if length >= 1.0:
                break
            aim = min(1.0, 1.5 * length + 0.3)
            there = (self._s + aim * ds) * (self._dual + aim * dl)
            change = np.clip(there, target / _BAND, target * _BAND) - there
            trial = trial - np.maximum(change, -_BAND * target)
            other = self._towards(trial)
            if other[-1] < 1.02 * length:
                break
            direction, products = other, trial
        return self._towards(products, direction) if mean * count < _SMALL else direction

    def _towards(self, products: Vector, near: _Direction | None = None) -> _Direction:
        """The direction that changes the products s * dual by minus `products`; how far it goes.

        Given a direction that is `near`, it is refined: solved for its residual alone.
        """
        s, dual, program, weights = self._s, self._dual, self._program, self._weights
        share = products / dual
        f, g, h = -self._off, -self._wrong, share - self._over
        if near is not None:
            dx, dy, _, dl, _ = near
            f = (
                f
                - program.quadratic(dx)
                - program.equalities_transposed(dy)
                - program.rows_transposed(dl)
            )
            g, h = g - program.equalities(dx), h - program.rows(dx) + dl / weights
        x, y, change = self._solve(f, g, h)
        if near is not None:
            x, y, change = x + near[0], y + near[1], change + near[3]
        # Each by the formula that does not magnify errors of x.
        ds = -self._over - program.rows(x)
        bound = np.flatnonzero(dual > s)
        ds[bound] = -share[bound] - change[bound] / weights[bound]
        return x, y, ds, change, min(_reach(s, ds), _reach(dual, change))


def _reach(v: Vector, dv: Vector) -> float:
    """The largest t for which v + t dv is not negative."""
    return float(1.0 / np.maximum(-dv / v, 1e-300).max(initial=1e-300))
