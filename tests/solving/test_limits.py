"""Limits as rows: whatever keeps them keeps rows and cones, in fractions; and they are tight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from tests.model.curved import KINDS, both
from tests.solving.curved import missing, nested, solved

import privopt as po
from privopt.solving.limits import Limits, inscribed_rows, limits_of
from privopt.solving.pricing import Pricing


def released(n: int, *which: int) -> Any:
    return sp.csr_array(np.eye(n)[list(which)])


def point(limits: Limits, target: Any, rng: np.random.Generator) -> Any:
    """A point of the rows, as far out as they go."""
    program = limits.program
    z: Any = cp.Variable(program.n)
    model = cp.Problem(
        cp.Minimize(rng.normal(size=program.n) @ z),
        [
            program.rows.matrix.toarray() @ z <= program.rows.bound,
            program.equalities.matrix.toarray() @ z == target[limits.equalities],
            cp.abs(z) <= 3,
        ],
    )
    solved(model)
    return None if z.value is None else np.asarray(z.value)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_keeps_the_rows_is_completed(seed: int) -> None:
    one = both(seed, (KINDS[seed], KINDS[seed + 3]), (2, 3), n=5)
    program, rng = one.program, np.random.default_rng(seed)
    limits = Limits.of(program, released(program.n, 0), program.solve().z[None])
    assert limits.proven
    assert not limits.same
    target = program.right_hand_side()
    for _ in range(2):
        z = point(limits, target, rng)
        assert z is not None
        whole = np.zeros((1, program.n))
        whole[:, limits.kept] = z
        assert limits.curved.outside(whole).max(initial=-1.0) <= 1e-7
        assert missing(program, z, limits.kept, program.d) <= 1e-6


def test_rows_of_polygons_are_products_within_what_is_said() -> None:
    """|N C z - the same in fractions| is at most `rounding`."""
    rng = np.random.default_rng(3)
    one = both(5, ("norm",), (2, 2), n=5).program
    limits = Limits.of(one, released(one.n, 0))
    z0, moved = rng.normal(size=len(limits.kept)), rng.uniform(0, 1, len(limits.kept))
    z = z0 + moved * rng.uniform(-1, 1, len(z0))
    wrong = limits.rounding(np.abs(z0) + moved)
    rows, whole = limits.program.rows, np.zeros(one.n)
    whole[limits.kept] = z
    curved, k = limits.curved, 0
    for i in np.flatnonzero(limits.owner >= 0):
        own = int(limits.owner[i])
        k = k + 1 if i and limits.owner[i - 1] == own else 0
        s = [
            sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, whole, strict=True))
            + Fraction(float(e))
            for row, e in zip(
                curved.matrix.toarray()[3 * own : 3 * own + 3],
                curved.offset[3 * own : 3 * own + 3], strict=True,
            )
        ]  # fmt: skip
        N = limits.polygons[own][k]
        exact = sum(Fraction(float(n)) * v for n, v in zip(N, s, strict=True))
        a = rows.matrix.toarray()[i]
        left = Fraction(float(rows.bound[i])) - sum(
            Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a, z, strict=True)
        )
        assert abs(left - exact) <= Fraction(float(wrong[i]))
        assert wrong[i] < 1e-12
    assert not wrong[limits.owner < 0].any()


def test_rounding_counts_for_domains_too() -> None:
    program = po.ConvexProgram(
        costs=[po.Logarithm(C=[[1.0, 1.0]])], G=[[1.0, -1.0]], d=[0.0], names=["x", "y"]
    )
    limits = Limits.of(program, released(3, 0))
    assert limits.program.rows.names == ("domain'[log[0]]",)
    assert 0 < limits.rounding(np.ones(2))[0] < 1e-14


def test_a_program_of_rows_is_its_own_limits() -> None:
    program = po.ConvexProgram(linear=[1.0, 1], G=[[1.0, 1]], d=[1.0], lower=0.0, upper=2.0)
    limits = Limits.of(program, released(2, 0))
    assert limits.same
    assert limits.program is program
    assert limits.proven
    assert limits.count == len(program.rows)
    assert not limits.rounding(np.zeros(2)).any()
    assert inscribed_rows(limits.curved, ())[0].shape == (0, 2)


def test_finer_polygons_leave_less() -> None:
    """max x over x^2 + y^2 <= 1, y = 0.1: the rows come nearer with every step."""
    limit = po.NormLimit(C=["x", "y"], g=1.0)
    program = po.ConvexProgram(
        linear=[1.0, 0.0], G=[[0.0, 1.0]], d=[0.1], names=["x", "y"], cones=[limit]
    )
    limits, gaps = Limits.of(program, released(2, 0)), list[float]()
    for _ in range(5):
        rows = limits.program.rows
        x: Any = cp.Variable(2)
        model = cp.Problem(
            cp.Maximize(x[0]), [rows.matrix.toarray() @ x <= rows.bound, x[1] == 0.1]
        )
        gaps.append(np.sqrt(1 - 0.01) - solved(model))
        at = np.asarray(x.value)
        tight = np.flatnonzero(rows.bound - np.asarray(rows.matrix @ at) <= 1e-6)
        assert limits.count == 1
        assert limits.proven
        limits = limits.finer(tight)
    assert gaps[0] > 1e-4
    assert min(gaps) >= -1e-7
    assert gaps[-1] <= 1e-4
    assert sorted(gaps, reverse=True) == gaps


def test_limits_with_given_polygons_prove_what_they_are() -> None:
    limit = po.NormLimit(C=["x", "y"], g=1.0)
    program = po.ConvexProgram(G=[[1.0, 1.0]], d=[0.1], names=["x", "y"], cones=[limit])
    S = released(2, 0)
    made = Limits.of(program, S)
    assert limits_of(program, S, made.polygons).proven
    larger = made.polygons[0] * [1.0, 0.9, 0.9]
    assert not limits_of(program, S, (larger,)).proven
    assert limits_of(program, S, (made.polygons[0] * [0.9, 1.0, 1.0],)).proven  # smaller


def test_prices_are_left_out() -> None:
    rng = np.random.default_rng(2)
    program = nested(rng)
    limits = Limits.of(program, released(program.n, 0))
    assert len(limits.kept) == program.n - Pricing.of(program, np.array([0])).variables.sum()
    assert limits.program.names == tuple(program.names[j] for j in limits.kept)
