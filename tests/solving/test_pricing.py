"""What only prices never stands in the way: any z that keeps the rest is completed by a solver."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.curved import CONES, curved, missing, nested, scattered, solved

import privopt as po
from privopt.solving.cone_rows import ConeRows
from privopt.solving.pricing import Pricing
from privopt.solving.problem import Cone

FAR, ROOM = 0.5, 0.3  # an exponential within another is no number for a solver farther out


def corners(program: po.ConvexProgram, found: Pricing, rng: np.random.Generator) -> list[Any]:
    """Points of what is left, as far out as it goes in random directions."""
    z: Any = cp.Variable(program.n)
    rows, equalities = ~found.rows, ~found.equalities
    A, b = program.rows.matrix.toarray()[rows], program.rows.bound[rows]
    E, e = program.equalities.matrix.toarray()[equalities], program.right_hand_side()[equalities]
    left = program.cones.taken(np.flatnonzero(~found.cones))
    assert not E[:, found.variables].any()
    assert not A[:, found.variables].any()
    assert not left.matrix.toarray()[:, found.variables].any()
    assert not found.domain.matrix.toarray()[:, found.variables].any()
    limits = [
        E @ z == e, A @ z <= b, cp.abs(z) <= FAR, *curved(left, z),
        found.domain.matrix.toarray() @ z <= found.domain.bound - ROOM,
    ]  # fmt: skip
    points: list[Any] = []
    for _ in range(2):
        solved(cp.Problem(cp.Minimize(rng.normal(size=program.n) @ z), limits))
        if z.value is None:
            return []
        points.append(np.asarray(z.value)[found.limits])
    return points


def completes(program: po.ConvexProgram, rng: np.random.Generator, kept: Any = None) -> int:
    """How many points of what is left were completed; -1 where nothing only prices."""
    found = Pricing.of(program, kept)
    if found.nothing:
        return -1
    points = corners(program, found, rng)
    for point in points:
        slack = missing(program, point, found.limits, program.d)
        if np.isnan(slack):  # the solver says nothing of it
            continue
        assert slack <= 1e-5, (slack, found.variables, point)
    return len(points)


FAST, ALL = 12, 400


def seeds(fast: int) -> list[Any]:
    slow = (pytest.param(s, marks=pytest.mark.slow) for s in range(fast, ALL))
    return [*range(fast), *slow]


@pytest.mark.parametrize("seed", seeds(FAST))
def test_epigraphs_within_epigraphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    completes(nested(rng), rng)


@pytest.mark.parametrize("seed", seeds(FAST))
def test_any_rows_and_cones_that_share_variables(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    program = scattered(rng, int(rng.integers(4, 8)), int(rng.integers(1, 4)), 3)
    completes(program, rng, np.array([2]) if seed % 3 == 0 else None)


def test_these_programs_have_something_to_complete() -> None:
    """So that the tests above say something."""
    total = [0, 0]
    for seed in range(60):
        rng = np.random.default_rng(seed)
        total[0] += not Pricing.of(nested(rng)).nothing
        total[1] += not Pricing.of(scattered(rng, 6, 2, 3)).nothing
    assert min(total) >= 20


def of(matrix: Any, offset: Any = 0.0, cone: Cone = CONES[0], **more: Any) -> po.ConvexProgram:
    """A program with one cone row; x = d is the first variable."""
    C = sp.csr_array(np.asarray(matrix, dtype=float))
    n = C.shape[1]
    rows = ConeRows((cone,), C, np.broadcast_to(np.asarray(offset, float), 3).copy(), ("limit",))
    asked = {"linear": np.ones(n), "G": np.eye(1, n), "d": [1.0], "cones": [rows], **more}
    return po.ConvexProgram(**asked)


X_FREE = [[0, 1], [1, 0], [0, 0]]  # |x| <= t


def test_a_height_only_prices() -> None:
    found = Pricing.of(of(X_FREE))
    assert found.variables.tolist() == [False, True]
    assert found.cones.tolist() == [True]
    assert len(found.domain) == 0


@pytest.mark.parametrize(
    "more",
    [
        {"upper": [np.inf, 5.0]},
        {"A": [[1.0, 1.0]], "b": [5.0]},
        {"lower": [-np.inf, 2.0], "upper": [np.inf, 2.0]},
        {"G": [[1.0, 0.0], [1.0, 1.0]], "d": [1.0, 5.0]},
        {"E": [[1.0, 1.0]], "g": [5.0]},
    ],
)
def test_a_height_with_a_limit_is_one(more: dict[str, Any]) -> None:
    found = Pricing.of(of(X_FREE, **more))
    assert found.nothing
    assert not found.cones.any()


def test_a_height_that_is_released_is_a_limit() -> None:
    assert Pricing.of(of(X_FREE), np.array([1])).nothing


@pytest.mark.parametrize("cost", [[1.0, -1.0], [0.0, 0.0]])
def test_what_it_costs_does_not_matter(cost: list[float]) -> None:
    """A height that pays to be high has no optimum, and stands in the way of nothing either."""
    assert not Pricing.of(of(X_FREE, linear=cost)).nothing


def test_a_variable_in_two_cones_with_opposite_directions_is_a_limit() -> None:
    C = sp.csr_array(np.array([[0, 1], [1, 0], [0, 0], [0, -1], [1, 0], [0, 0.0]]))
    rows = ConeRows((CONES[0],) * 2, C, np.zeros(6), ("a", "b"))
    program = po.ConvexProgram(linear=[1, 1], G=[[1, 0]], d=[0.0], cones=[rows])
    assert Pricing.of(program).nothing


def test_two_rays_of_the_edge_leave_nothing_where_their_sum_is_inside() -> None:
    """(t + v, t - v + x, 0): every x will do."""
    found = Pricing.of(of([[0, 1, 1], [1, 1, -1], [0, 0, 0]]))
    assert found.variables.tolist() == [False, True, True]
    assert len(found.domain) == 0
    same = Pricing.of(of([[0, 1, 2], [1, 1, 2], [0, 0, 0]]))
    assert len(same.domain) == 1


@pytest.mark.parametrize(("y", "z"), [(0.1, 0.2), (0.3, 0.7), (0.6, 0.8), (1 / 3, 0.9)])
def test_the_edge_is_no_way_out_where_floats_do_not_hold_it(y: float, z: float) -> None:
    """(h t, y t + x, z t) with h^2 = y^2 + z^2 has a t for y x < 0 only: a limit of x."""
    program = of([[0, float(np.hypot(y, z))], [1, y], [0, z]])
    found = Pricing.of(program)
    assert found.nothing or len(found.domain)


def test_entries_that_are_zero_or_stored_twice_count_as_they_are() -> None:
    data, at = np.array([1.0, 0.0, -1.0, 2.0, 1.0]), np.array([1, 2, 1, 1, 0])
    C: Any = sp.csr_array((data, at, np.array([0, 4, 5, 5])), shape=(3, 3))
    rows = ConeRows((CONES[0],), C, np.zeros(3), ("a",))
    found = Pricing.of(po.ConvexProgram(linear=[1, 1, 1], G=[[1, 0, 0]], d=[1.0], cones=[rows]))
    assert found.variables.tolist() == [False, True, False]
    assert found.cones.all()


DOMAINS = [  # cone, matrix over (x, w, t), offset, and which (x, w) have a t
    (CONES[1], [[0, 0, -1], [0, 0, 0], [1, 0, 0]], [0, 1, 0], lambda x, _: x > 0),  # -log x
    (CONES[1], [[0, 0, -1], [1, 0, 0], [0, 0, 0]], [0, 0, 1], lambda x, _: x > 0),  # x log x
    (CONES[1], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0], lambda _, w: w > 0),  # w exp(x/w)
    (CONES[1], [[0, 0, -1], [0, 1, 0], [1, 0, 0]], [0, 0, 0], lambda x, w: min(x, w) > 0),
    (CONES[2], [[0, 0, 1], [0, 1, 0], [1, 0, 0]], [0, 0, 0], lambda _, w: w > 0),  # x^2 / w
    (CONES[0], [[0, 1, 1], [0, 1, -1], [2, 0, 0]], [0, 0, 0], lambda _, w: w > 0),
    (CONES[0], [[0, 1, 1], [2, 0, 0], [0, 1, -1]], [0, 0, 0], lambda _, w: w > 0),
    (CONES[0], [[1, 1, 1], [0, 0, 0], [1, 0, -1]], [0, 0, 1], lambda x, w: 2 * x + w + 1 > 0),
    (CONES[2], [[1, 0, 0], [0, 0, 1], [0, 1, 0]], [2, 0, 0], lambda x, _: x > -2),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(DOMAINS)))
def test_the_domain_is_where_there_is_a_height(case: int) -> None:
    cone, matrix, offset, inside = DOMAINS[case]
    found = Pricing.of(of(matrix, offset, cone), np.array([1]))  # w is released
    assert found.variables.tolist() == [False, False, True]
    rng = np.random.default_rng(case)
    z = np.column_stack([rng.normal(size=(400, 2)) * [[2.0, 2.0]], np.zeros(400)])
    kept = (found.domain.bound >= np.asarray(found.domain.matrix @ z.T).T).all(axis=1)
    assert kept.tolist() == [bool(inside(x, w)) for x, w, _ in z]
    assert kept.any()


def test_a_number_that_is_no_point_of_the_domain_is_never_kept() -> None:
    """-log(x) - log(-1) has no height."""
    found = Pricing.of(of([[0, -1], [0, 0], [0, 0]], [0, 1, -1], CONES[1]))
    assert found.domain.matrix.nnz == 0
    assert (found.domain.bound < 0).any()


def test_a_public_equality_that_says_what_a_price_is_goes_with_it() -> None:
    """|v| <= t, v = 2 x + 1: t, then v, and the equality."""
    program = of([[0, 0, 1], [0, 1, 0], [0, 0, 0]], E=[[-2.0, 1.0, 0.0]], g=[1.0], G=[[1.0, 0, 0]])
    found = Pricing.of(program)
    assert found.variables.tolist() == [False, True, True]
    assert found.equalities.tolist() == [False, True]
    assert found.rounds.tolist() == [0, 2, 1]
    twice = of(
        [[0, 0, 1], [0, 1, 0], [0, 0, 0]], E=[[-2.0, 1.0, 0.0], [1.0, 1.0, 0.0]], g=[1.0, 0.0]
    )
    assert Pricing.of(twice).equalities.sum() == 0  # two equalities do limit x
