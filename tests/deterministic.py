"""A sampler that repeats itself, for tests alone: nothing in `src` can choose it.

It stands in for the two functions that call OpenDP, draws on the same grid from a seeded generator,
and keeps what it was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from privopt.arrays import Vector
from privopt.noise import secure


@dataclass(frozen=True)
class Draw:
    """One call of the sampler."""

    kind: str
    scale: float
    k: int
    values: Vector
    noise: Vector


@dataclass
class Deterministic:
    """Noise of `stretch` times the scale; `draws` are the calls so far."""

    seed: int = 0
    stretch: float = 1.0
    draws: list[Draw] = field(default_factory=list[Draw])

    def install(self, patch: pytest.MonkeyPatch) -> Deterministic:
        rng = np.random.default_rng(self.seed)
        laws: dict[str, Callable[[int], Vector]] = {
            "laplace": lambda size: rng.laplace(size=size),
            "gaussian": lambda size: rng.standard_normal(size),
        }
        for kind, law in laws.items():
            patch.setattr(secure, kind, self._sampler(kind, law))
        return self

    def _sampler(self, kind: str, law: Callable[[int], Vector]) -> Callable[..., Vector]:
        def draw(values: Vector, scale: float, k: int) -> Vector:
            steps = np.rint(self.stretch * law(len(values)) * math.ldexp(scale, -k))
            self.draws.append(Draw(kind, scale, k, np.array(values), np.ldexp(steps, k)))
            return secure.on_grid(values, k) + np.ldexp(steps, k)

        return draw
