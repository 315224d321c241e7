"""Released values lie on their grid: nothing of d is left in the low bits.

Noise drawn and added in floats leaves the values off any grid; the same check catches it.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.arrays import Vector

NOISE: dict[str, Any] = {
    "laplace": po.Laplace(epsilon=1.0, alpha=0.1),
    "gaussian": po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1),
    "truncated": po.TruncatedLaplace(epsilon=1.0, delta=1e-5, alpha=0.1),
}


def off_grid(values: Vector, exponent: int) -> int:
    """How many values are no multiple of 2^exponent (scaling by a power of two is exact)."""
    steps = np.ldexp(values, -exponent)
    return int((steps != np.floor(steps)).sum())


@cache
def instrument(kind: str) -> po.Instrument:
    """Thirty-five sums of as many private demands."""
    p = 35
    program = po.ConvexProgram(linear=np.arange(1.0 * p), G=np.eye(p))
    W = np.random.default_rng(1).uniform(0.5, 1.0, (p, p)) / p
    return po.Instrument(W, program=program, privacy=NOISE[kind], domain=po.Box(1.0, 2.0))


def measured(kind: str, d: Vector) -> po.Release:
    release = instrument(kind).measure(d).release
    assert release is not None
    return release


def released(kind: str, count: int) -> tuple[Vector, int]:
    rng, made, exponent = np.random.default_rng(0), list[Vector](), 0
    for _ in range(-(-count // 35)):
        release = measured(kind, rng.uniform(1.0, 2.0, 35))
        assert release.exponent is not None
        exponent = release.exponent
        made.append(release.values)
    return np.concatenate(made), exponent


@pytest.mark.parametrize("kind", NOISE)
def test_releases_lie_on_the_grid(kind: str) -> None:
    values, exponent = released(kind, 10_000)
    assert off_grid(values, exponent) == 0
    assert len(np.unique(values)) == len(values)


@pytest.mark.slow
@pytest.mark.parametrize("kind", NOISE)
def test_a_million_outputs_lie_on_the_grid(kind: str) -> None:
    values, exponent = released(kind, 1_000_000)
    assert len(values) >= 1_000_000
    assert off_grid(values, exponent) == 0


def test_values_still_lie_on_the_grid_after_a_file() -> None:
    release = measured("laplace", np.full(35, 1.5))
    again = np.array(json.loads(json.dumps(release.to_dict()))["values"])
    assert release.exponent is not None
    assert off_grid(again, release.exponent) == 0


def test_noise_in_floats_is_caught() -> None:
    values, exponent = released("laplace", 10_000)
    rng = np.random.default_rng(1)
    naive = rng.uniform(1.0, 2.0, len(values)) + 0.1 * rng.laplace(size=len(values))
    assert off_grid(naive, exponent) > 0.99 * len(naive)
