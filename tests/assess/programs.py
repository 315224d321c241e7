"""Small programs whose solution map is known, or small enough to be tried everywhere."""

from __future__ import annotations

import numpy as np

import privopt as po
from privopt.mechanisms.certified import form_of
from privopt.mechanisms.private_data import PrivateData
from privopt.solving.distance import LeastDistance


def counterexample() -> po.ConvexProgram:
    """Raising d1 by alpha raises z2 and lowers z3 by alpha: the paper's claim is off by two."""
    return po.ConvexProgram(
        linear=[10, 1, 1],
        quadratic=[1e-3] * 3,
        G=[[1, 1, 0], [0, 1, 1]],
        lower=0,
        data_names=["d1", "d2"],
    )


def shares(count: int) -> po.ConvexProgram:
    """`count` times: x + y = d, least squares, 1 <= x <= 2. Three pieces each, 3^count in all.

    x = y = d/2 for d in [2, 4]; x = 1 below, x = 2 above: there y alone follows.
    """
    pair, zero = np.kron(np.eye(count), [[1.0, 1.0]]), np.tile([1.0, -np.inf], count)
    upper = np.tile([2.0, np.inf], count)
    return po.ConvexProgram(quadratic=np.ones(2 * count), G=pair, lower=zero, upper=upper)


def anything(seed: int, private: int = 2, rows: int = 6, free: int = 3) -> po.ConvexProgram:
    """A random program with a few binding rows; zero is inside all of them at d = 0."""
    rng = np.random.default_rng(seed)
    n = private + free
    return po.ConvexProgram(
        linear=rng.normal(size=n),
        quadratic=rng.uniform(0.2, 1.0, n),
        A=rng.normal(size=(rows, n)),
        b=rng.uniform(0.3, 1.0, rows),
        G=rng.normal(size=(private, n)),
        lower=-2.0,
        upper=2.0,
    )


def over(program: po.ConvexProgram, lower: float, upper: float) -> LeastDistance:
    """A program over a box of all its private data."""
    size = len(program.private)
    data = PrivateData.of(program, np.full(size, lower), np.full(size, upper), None, None)
    return form_of(program, data)


def steep(seed: int) -> tuple[po.ConvexProgram, float]:
    """A random program some rows of which are nearly parallel, and its size: of d, z and b."""
    rng = np.random.default_rng(seed)
    private, free = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    n = private + free
    A = rng.normal(size=(3, n))
    angles = 10.0 ** rng.uniform(-9, -1, size=(3, 1))
    beside = rng.choice([-1.0, 1.0], size=(3, 1)) * A + angles * rng.normal(size=(3, n))
    size = 10.0 ** rng.uniform(0, 4)
    program = po.ConvexProgram(
        linear=size * rng.normal(size=n),
        quadratic=10.0 ** rng.uniform(-2, 1, n),
        A=np.vstack([A, beside]),
        b=size * rng.uniform(0.3, 1.0, 6),
        G=rng.normal(size=(private, n)),
        lower=-2.0 * size,
        upper=2.0 * size,
    )
    return program, size
