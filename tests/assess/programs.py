"""Small programs whose releases can be tried everywhere."""

from __future__ import annotations

import numpy as np

import privopt as po


def counterexample() -> po.ConvexProgram:
    """Raising d1 by alpha raises z2 and lowers z3 by alpha: the paper's claim is off by two."""
    return po.ConvexProgram(
        linear=[10, 1, 1],
        quadratic=[1e-3] * 3,
        G=[[1, 1, 0], [0, 1, 1]],
        lower=0,
        data_names=["d1", "d2"],
    )


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
