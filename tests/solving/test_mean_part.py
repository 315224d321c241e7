"""The first part of an arrow: its rows by their definition, and its steps by dense algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.parts import matrix, weights

from privopt.solving.mean_part import MeanPart
from privopt.solving.normal import NormalEquations

N, WAYS, EQUALITIES, ROWS = 6, 4, 2, 6


def made(seed: int) -> MeanPart:
    """Rows with a margin are multiples of three of the directions."""
    rng = np.random.default_rng(seed)
    square, A = rng.normal(size=(N, N)), sp.csr_array(rng.normal(size=(7, N)))
    P, G = sp.csr_array(square @ square.T), sp.csr_array(rng.normal(size=(EQUALITIES, N)))
    group = np.array([0, 2, 2, 1, 0, 2], dtype=np.intp)
    alone = np.array([1, 2, 5], dtype=np.intp)
    return MeanPart(
        linear=rng.normal(size=N), P=P, A=A, D=sp.csr_array(rng.normal(size=(WAYS, N))), G=G,
        d=rng.normal(size=EQUALITIES), normal=NormalEquations(P, A, G), alone=alone,
        bound=rng.normal(size=len(alone)), group=group, factor=rng.normal(size=len(group)),
    )  # fmt: skip


def dense(part: MeanPart) -> tuple[Any, ...]:
    """P, rows of its own, shared rows and equalities, from the fields."""
    shared = np.zeros((ROWS, N))
    for i, (g, f) in enumerate(zip(part.group, part.factor, strict=True)):
        shared[i] = f * part.D.toarray()[g]
    return part.P.toarray(), part.A.toarray()[part.alone], shared, part.G.toarray()


def test_its_operators_are_what_they_stand_for() -> None:
    part = made(0)
    P, A, C, G = dense(part)
    assert matrix(part.quadratic, N) == pytest.approx(P)
    assert matrix(part.own, N) == pytest.approx(A)
    assert matrix(part.own_transposed, len(A)) == pytest.approx(A.T)
    assert matrix(part.shared, N) == pytest.approx(C)
    assert matrix(part.shared_transposed, ROWS) == pytest.approx(C.T)
    assert matrix(part.equalities, N) == pytest.approx(G)
    assert matrix(part.equalities_transposed, EQUALITIES) == pytest.approx(G.T)
    assert part.limits.tolist() == part.bound.tolist()
    assert part.cost.tolist() == part.linear.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_steps_are_those_of_dense_matrices(seed: int) -> None:
    """[K, G'; G, 0] with K = P + A'W^-2 A: its inverse, and what that makes of the shared rows."""
    part, rng = made(seed), np.random.default_rng(seed)
    P, A, C, G = dense(part)
    own = weights(rng, len(A))
    K = P + A.T @ np.diag(own) @ A
    inverse = np.linalg.inv(np.block([[K, G.T], [G, np.zeros((EQUALITIES, EQUALITIES))]]))
    gram, solve, follow = part.factored(own)
    assert gram == pytest.approx(C @ inverse[:N, :N] @ C.T, rel=1e-6, abs=1e-8)
    r, e, dual = rng.normal(size=N), rng.normal(size=EQUALITIES), rng.normal(size=ROWS)
    assert solve(r, e) == pytest.approx(inverse @ np.append(r, e), rel=1e-6, abs=1e-8)
    assert follow(dual) == pytest.approx(inverse[:, :N] @ C.T @ dual, rel=1e-6, abs=1e-8)


def test_steps_under_other_weights_do_not_remember_the_first() -> None:
    part, ones = made(1), np.ones(3)
    light, heavy, again = (w * ones for w in (1e-3, 1e3, 1e-3))
    before = part.factored(light)[0].copy()
    assert np.abs(part.factored(heavy)[0] - before).max() > 1e-2 * np.abs(before).max()
    assert part.factored(again)[0] == pytest.approx(before)
