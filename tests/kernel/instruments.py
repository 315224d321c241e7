"""Random instruments, and what anyone can recompute from their saved files in exact fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import privopt as po
from privopt.kernel.instrument import Instrument
from privopt.noise.calibration import Privacy


def program(size: int, private: list[int] | None = None) -> po.ConvexProgram:
    """A program whose equalities name the entries of d; nothing else of it matters."""
    names = [f"d{i}" for i in range(size)]
    return po.ConvexProgram(
        linear=np.ones(size), G=np.eye(size), d=None, lower=0.0, upper=1e6, private=private,
        data_names=names,
    )  # fmt: skip


def noise(rng: np.random.Generator) -> Privacy:
    epsilon, alpha = float(10 ** rng.uniform(-2, 1)), float(10 ** rng.uniform(-3, 2))
    kind = int(rng.integers(3))
    if kind == 0:
        return po.Laplace(epsilon=epsilon, alpha=alpha)
    if kind == 1:
        return po.Gaussian(epsilon=min(epsilon, 5.0), delta=1e-6, alpha=alpha)
    return po.TruncatedLaplace(epsilon=epsilon, delta=1e-5, alpha=alpha)


def random_instrument(rng: np.random.Generator, asked: Privacy | None = None) -> Instrument:
    """Any W (zones, weights of many sizes, signs), any box, near zero and far from it."""
    size = int(rng.integers(1, 8))
    chosen = sorted(rng.permutation(size)[: int(rng.integers(1, size + 1))].tolist())
    privacy, q, r = noise(rng) if asked is None else asked, len(chosen), int(rng.integers(1, 4))
    W = rng.normal(size=(r, q)) * 10 ** rng.uniform(-3, 3)
    if rng.random() < 0.4:
        W = rng.choice([0.0, 1.0, -1.0], (r, q))
        W[~W.any(axis=1), 0] = 1.0
    alpha = privacy.neighbours.largest
    lower = alpha * (rng.choice([0.0, 50.0, -1e5]) + rng.uniform(-3, 3, q))
    upper = lower + alpha * rng.uniform(0, 40, q) * (rng.random(q) < 0.9)
    return Instrument(
        W, program=program(size, chosen), privacy=privacy, domain=po.Box(lower, upper)
    )


@dataclass(frozen=True)
class FileMap:
    """The map of a saved instrument or measurement, from its text alone."""

    data: dict[str, Any]

    @property
    def alpha(self) -> Fraction:
        """The curator's alpha: the decimal that was written, or its float if that is more."""
        alpha = self.data["noise"]["alpha"]
        return max(Fraction(alpha), Fraction(repr(alpha)))

    @property
    def order(self) -> int:
        return 2 if self.data["noise"]["kind"] == "Gaussian" else 1

    @property
    def ends(self) -> list[tuple[Fraction, Fraction]]:
        """The box in fractions."""
        step = Fraction(2) ** -self.data["map"]["coarse"]
        low, high = self.data["map"]["low"], self.data["map"]["high"]
        return [(a * step, b * step) for a, b in zip(low, high, strict=True)]

    def values(self, d: list[Fraction]) -> list[Fraction]:
        """W u of private entries as the curator has them, on the grid of the noise.

        They become floats, are clamped and rounded to the grid, and summed up.
        """
        made = self.data["map"]
        step, unit = Fraction(2) ** -made["coarse"], Fraction(2) ** -made["fine"]
        u = [
            min(max(Fraction(round(Fraction(float(x)) / step)), Fraction(a)), Fraction(b)) * step
            for x, a, b in zip(d, made["low"], made["high"], strict=True)
        ]
        sums = [
            sum((m * unit * x for m, x in zip(row, u, strict=True)), Fraction(0))
            for row in made["matrix"]
        ]
        cell = self.cell
        return [Fraction(math.floor(y / cell + Fraction(1, 2))) * cell for y in sums]

    @property
    def cell(self) -> Fraction:
        """The grid of the sums: that of the noise, or coarser where floats need it."""
        made = self.data["map"]
        reach = [max(abs(a), abs(b)) for a, b in zip(made["low"], made["high"], strict=True)]
        most = max(
            sum(abs(m) * x for m, x in zip(row, reach, strict=True)) for row in made["matrix"]
        )
        bound = Fraction(most) / Fraction(2) ** (made["fine"] + made["coarse"])
        top = math.frexp(float(bound))[1]
        if Fraction(2) ** top <= bound:  # rounded down to below a power of two
            top += 1
        return Fraction(2) ** max(self.data["calibration"]["exponent"], top - 53)

    def distance(self, y: list[Fraction], z: list[Fraction]) -> Fraction:
        """In the norm of the noise; of the l2 norm, its square."""
        moved = [abs(a - b) for a, b in zip(y, z, strict=True)]
        return (
            sum(moved, Fraction(0)) if self.order == 1 else sum((m * m for m in moved), Fraction(0))
        )
