"""A cell: one instance, where its d lies, which sums are measured, and with what noise.

| d | |
|---|---|
| low, high | all entries at the lower, at the upper end of the domain |
| vertex 1, vertex 2 | each entry at an end of its own |
| inside 1, inside 2 | uniform on the domain |

Sums: the total, four zones of neighbouring nodes (as many as there are entries, if fewer), each
entry. Laplace and Gaussian noise with `ExactBox(eta)`, truncated Laplace with `Always()`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import privopt as po
from benchmarks.headline.subject import Subject
from privopt.arrays import Dense, Vector
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.measured.belief import Belief
from privopt.noise.calibration import Calibration, Privacy

__all__ = ["BOUNDED", "LAWS", "POINTS", "SUMS", "Cell", "Simulated"]

POINTS = ("low", "high", "vertex 1", "vertex 2", "inside 1", "inside 2")
SUMS = ("total", "zones", "each")
BOUNDED = "truncated"
LAWS = ("laplace", "gaussian", BOUNDED)
DELTA = 1e-5
_ZONES = 4


@dataclass(frozen=True)
class Cell:
    """What is simulated together; its name is that of its row in the journal."""

    work: str
    point: str
    sums: str
    law: str

    @property
    def name(self) -> str:
        """Unique among the cells of an instance."""
        return f"{self.work}: {self.law}, {self.sums}, {self.point}"

    @property
    def number(self) -> list[int]:
        """For seeds."""
        return [POINTS.index(self.point), SUMS.index(self.sums), LAWS.index(self.law)]


class Simulated:
    """Measurements of a cell, with noise from numpy on the grid of the real one."""

    def __init__(self, one: Subject, cell: Cell) -> None:
        count = len(one.program.private)
        lower, upper = one.domain.ends(count)
        self.u = _entries(cell.point, lower, upper, one.seed)
        self.instrument = po.Instrument(
            _matrix(cell.sums, count), program=one.program, privacy=_noise(cell.law, one),
            domain=one.domain,
        )  # fmt: skip
        self.promise: Feasibility = (
            po.Always() if cell.law == BOUNDED else po.ExactBox(eta=one.conditions.eta)
        )

    @property
    def sums(self) -> Vector:
        """W u, without noise."""
        return self.instrument.W @ self.u

    @property
    def half_width(self) -> Vector:
        """How far y may be from W u within U(y)."""
        return Belief((self.instrument,), (self.sums,)).half_widths(self.promise)[0]

    def draws(self, count: int, rng: np.random.Generator) -> Dense:
        """Y of so many measurements, one a row."""
        noise = self._calibration
        y = self.sums + noise.scale * noise.law.sample(rng, (count, len(self.sums)))
        return self._on_grid(y)

    def edges(self, count: int, rng: np.random.Generator) -> Dense:
        """Y as far from W u as U(y) allows, in every row, with random signs."""
        signs = rng.choice([-1.0, 1.0], size=(count, len(self.sums)))
        inner = self.half_width - 2.0**self._calibration.exponent
        return self._on_grid(self.sums + signs * inner * (1 - 1e-12))

    def belief(self, y: Vector) -> Belief:
        """What a measurement leaves possible."""
        return Belief((self.instrument,), (y,))

    @property
    def _calibration(self) -> Calibration:
        noise = self.instrument.calibration
        if noise is None:
            raise TypeError("an instrument without rows measures nothing")
        return noise

    def _on_grid(self, y: Dense) -> Dense:
        grid = 2.0**self._calibration.exponent
        return np.round(y / grid) * grid


def _entries(point: str, lower: Vector, upper: Vector, seed: int) -> Vector:
    """The private entries of d."""
    if point in ("low", "high"):
        return lower if point == "low" else upper
    rng = np.random.default_rng([seed, POINTS.index(point)])
    if point.startswith("vertex"):
        return np.where(rng.integers(2, size=len(lower)) > 0, upper, lower)
    return rng.uniform(lower, upper)


def _matrix(sums: str, count: int) -> Dense:
    if sums == "each":
        return np.eye(count)
    zones = 1 if sums == "total" else min(_ZONES, count - 1)
    zone = np.arange(count) * zones // count
    return (zone == np.arange(zones)[:, None]).astype(float)


def _noise(law: str, one: Subject) -> Privacy:
    epsilon, alpha = one.conditions.epsilon, one.alpha
    if law == "gaussian":
        return po.Gaussian(epsilon=epsilon, delta=DELTA, alpha=alpha)
    if law == BOUNDED:
        return po.TruncatedLaplace(epsilon=epsilon, delta=DELTA, alpha=alpha)
    return po.Laplace(epsilon=epsilon, alpha=alpha)
