"""What every part of an `arrow` owes, whatever it is made of: checked against dense algebra."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from privopt.arrays import Dense, Vector
from privopt.solving.arrow import Part, Places
from privopt.solving.cones import Weights
from privopt.solving.interior import Start


def matrix(operator: Callable[[Vector], Vector], size: int) -> Dense:
    """The matrix of a linear operator, from what it does to unit vectors."""
    return np.array([operator(unit) for unit in np.eye(size)]).T


def inside(rng: np.random.Generator, numbers: int, cones: tuple[int, int]) -> Vector:
    """A point inside of some numbers and second-order cones, of very different sizes."""
    rounds = rng.normal(size=cones)
    rounds[:, 0] = np.linalg.norm(rounds[:, 1:], axis=1) * (1 + np.exp(rng.uniform(-5, 1)))
    return np.concatenate([np.exp(rng.uniform(-3, 3, numbers)), rounds.ravel()])


def weights_of(part: Part, size: int, seed: int) -> Weights:
    """Weights of a part's own rows; `size` is that of its cones."""
    rng, cones = np.random.default_rng(seed), (part.cones, size)
    numbers = len(part.limits) - part.cones * size
    return Weights(inside(rng, numbers, cones), inside(rng, numbers, cones), cones)


def check_steps(part: Part, rows: int, size: int, seed: int) -> None:
    """Transposes are transposes; `reduced` knows K^-1 and C K^-1 C', K = P + B'W^-2 B."""
    n, weights = len(part.cost), weights_of(part, size, seed)
    P, B, C = (matrix(one, n) for one in (part.quadratic, part.own, part.shared))
    assert B.shape == (len(part.limits), n)
    assert C.shape == (rows, n)
    assert pytest.approx(P.T) == P
    assert matrix(part.own_transposed, len(B)) == pytest.approx(B.T)
    assert matrix(part.shared_transposed, rows) == pytest.approx(C.T)
    inverse = np.linalg.inv(P + B.T @ matrix(weights.inverse, len(B)) @ B)
    found = part.reduced(weights)
    largest = np.abs(inverse).max()
    assert matrix(found.solve, n) == pytest.approx(inverse, rel=1e-6, abs=1e-9 * largest)
    wanted = C @ inverse @ C.T
    assert found.gram == pytest.approx(wanted, rel=1e-6, abs=1e-9 * np.abs(wanted).max())


def check_places(part: Part, directions: Places, size: Vector) -> None:
    """The rows of some directions have the variables of these, and no others but N.

    `size` marks the variables that belong to a direction, the sizes of its values.
    """
    B = matrix(part.own, len(part.cost))
    x, rows = part.places(directions)
    assert len({*x.tolist()}) == len(x)
    assert size[x].all()
    touched = np.flatnonzero(np.abs(B[rows]).max(axis=0) * size)
    assert sorted(touched.tolist()) == sorted(x.tolist())
    others = np.setdiff1d(np.arange(len(B)), rows)
    assert not np.abs(B[np.ix_(others, x)]).any()


def check_balance(
    part: Part, start: Start, shared: Vector, t: float, moved: Vector, cones: tuple[int, int]
) -> None:
    """A start is on its own rows, with products t, and in balance where it is not at N.

    `moved` is what its own rows have besides; the variables after N feel only multipliers.
    """
    assert start.slack == pytest.approx(part.limits - moved - part.own(start.x), abs=1e-9)
    m = len(start.slack) - cones[0] * cones[1]
    assert start.slack[:m] * start.dual[:m] == pytest.approx(np.full(m, t))
    S, Y = (one[m:].reshape(cones) for one in (start.slack, start.dual))
    assert (S * Y).sum(axis=1) == pytest.approx(np.full(cones[0], t))
    assert S[:, :1] * Y[:, 1:] + Y[:, :1] * S[:, 1:] == pytest.approx(0 * S[:, 1:], abs=1e-9)
    assert (start.dual[:m] > 0).all()
    forces = part.own_transposed(start.dual) + part.shared_transposed(shared)
    alone = matrix(part.quadratic, len(start.x)).any(axis=0)  # N, the only variables with a cost
    assert forces[~alone] == pytest.approx(np.zeros((~alone).sum()), abs=1e-8)
