"""The references agree with each other, with closed forms and with simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom
from tests.reference.laplace import (
    cutting_plane,
    quantile,
    quantile_gradient,
    smallest_ratio,
    tail_equal,
    tail_exact,
    tail_quadrature,
)
from tests.reference.plain import (
    ObjectiveName,
    Vector,
    expected_cost,
    plain_model,
    random_program,
    vertices_model,
)

DIRECTIONS = [[1.0], [1.0, 0.4], [1.0, -0.999, 0.3], [3.0, 0.01, 1.0, 2.0], [0.9, 0.0, -0.8, 0.7]]


@pytest.mark.parametrize("a", DIRECTIONS)
def test_exact_and_quadrature_tails_agree(a: list[float]) -> None:
    for x in (0.0, 1e-7, 1e-3, 0.1, 1.0, 3.0, 8.0, 20.0):
        assert tail_quadrature(a, x) == pytest.approx(tail_exact(a, x), rel=0, abs=1e-13)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 12])
def test_equal_and_quadrature_tails_agree(k: int) -> None:
    for x in (0.0, 0.2, 2.0, 9.0):
        assert tail_quadrature(np.ones(k), x) == pytest.approx(tail_equal(k, x), rel=0, abs=1e-13)


def test_exact_tail_tends_to_the_equal_tail() -> None:
    """Nearly equal coefficients: weights near 10^44 cancel, and the answer is still exact."""
    a = [1 + Fraction(j - 2, 10**12) for j in range(5)]
    for x in (0.0, 1.0, 30.0):
        assert tail_exact(a, x) == pytest.approx(tail_equal(5, x), rel=1e-13)


def test_exact_tail_closed_forms() -> None:
    assert tail_exact([3.0, 2.0, 1.0], 0.0) == 0.5
    assert tail_exact([2.0], 100.0) == pytest.approx(0.5 * math.exp(-50.0), rel=1e-14)
    two = (2 / 3) * math.exp(-2.0) - (1 / 6) * math.exp(-4.0)
    assert tail_exact([1.0, 0.5], 2.0) == pytest.approx(two, rel=1e-14)
    with pytest.raises(ValueError, match="distinct"):
        tail_exact([1.0, -1.0], 1.0)


@pytest.mark.parametrize("a", [[1.0, 0.5, -0.2], [1.0, 1.0, 1.0]])
def test_tail_agrees_with_simulation(a: list[float]) -> None:
    """A correct tail fails with probability at most 1e-6 per point, 6e-6 over the six points."""
    draws = 400_000
    X = np.random.default_rng(7).laplace(size=(draws, len(a))) @ np.array(a)
    for x in (0.5, 2.0, 5.0):
        law = binom(draws, tail_quadrature(a, x))
        assert law.ppf(5e-7) <= np.count_nonzero(x < X) <= law.isf(5e-7)


@pytest.mark.parametrize("eta", [0.001, 0.025, 0.2, 0.45])
def test_quantile_inverts_the_tail(eta: float) -> None:
    assert quantile([-3.0], eta) == pytest.approx(3.0 * math.log(0.5 / eta), rel=1e-10)
    assert tail_equal(3, quantile(np.ones(3), eta)) == pytest.approx(eta, rel=1e-10)
    assert quantile([0.0, 0.0], eta) == 0.0


@pytest.mark.parametrize("eta", [0.01, 0.1])
@pytest.mark.parametrize("a", [[1.0, 0.4, -0.7], [1.0, 1.0], [1.0, 0.0]])
def test_gradient_is_homogeneous(a: list[float], eta: float) -> None:
    """q(s a) = s q(a), hence a'grad q(a) = q(a)."""
    assert quantile_gradient(a, eta) @ a == pytest.approx(quantile(a, eta), rel=1e-8)


def test_gradient_is_the_conditional_mean() -> None:
    """The derivative dq/da_1 is E[xi_1 | a'xi = q]."""
    a, eta = (1.0, 0.6), 0.05
    q = quantile(a, eta)

    def density(u: float) -> float:
        return math.exp(-abs(u) - abs((q - a[0] * u) / a[1]))

    kinks = (0.0, q / a[0])
    top, _ = quad(lambda u: u * density(u), -40.0, 40.0, points=kinks, limit=200)
    bottom, _ = quad(density, -40.0, 40.0, points=kinks, limit=200)
    assert quantile_gradient(a, eta)[0] == pytest.approx(top / bottom, rel=1e-7)


def test_cuts_are_valid() -> None:
    """q is a norm: g'a <= q(a) for the gradient g at any other point."""
    rng = np.random.default_rng(3)
    eta = 0.05
    g = quantile_gradient([1.0, -0.3, 0.5], eta)
    for a in rng.normal(size=(20, 3)):
        assert g @ a <= quantile(a, eta) + 1e-8
        assert quantile(a, eta) >= 0.9 * smallest_ratio(3, eta, 0) * 2**0.5 * np.linalg.norm(a)


@pytest.mark.parametrize("objective", ["expected", "cost", "solution", "published"])
@pytest.mark.parametrize("quadratic", [True, False])
def test_box_and_vertices_agree(objective: ObjectiveName, quadratic: bool) -> None:
    program = random_program(5, p=3, quadratic=quadratic)
    box = (np.array([-0.3, -0.1, -0.4]), np.array([0.2, 0.5, 0.0]))
    by_support = plain_model(**program, sigma=0.2, box=box, objective=objective, phi=0.4)
    by_vertex = vertices_model(**program, sigma=0.2, box=box, objective=objective, phi=0.4)
    assert by_support.objective == pytest.approx(by_vertex.objective, rel=1e-7)


def test_a_one_dimensional_box_is_a_cone() -> None:
    """p = 1: sum_j max(-h a_j, h a_j) = h |a| = (h/sigma) sigma ||a||_2."""
    program = random_program(2, p=1)
    cone = plain_model(**program, sigma=0.2, factors=np.full(len(program["b"]), 2.0))
    box = plain_model(**program, sigma=0.2, box=([-0.4], [0.4]))
    assert cone.cost == pytest.approx(box.cost, rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_objectives_are_what_they_say(seed: int) -> None:
    program = random_program(seed)
    c1, sigma, phi = program["c1"], 0.25, 0.6
    factors = np.full(len(program["b"]), 2.0)
    expected = plain_model(**program, sigma=sigma, factors=factors)
    assert expected.objective == pytest.approx(expected.cost, abs=1e-8)

    def spread(name: str, Z: Vector) -> float:
        part = {"cost": Z.T @ c1, "solution": Z.ravel(), "published": Z.sum(axis=1)}[name]
        return sigma * float(np.linalg.norm(part))

    names: tuple[ObjectiveName, ...] = ("cost", "solution", "published")
    for name in names:
        r = plain_model(**program, sigma=sigma, factors=factors, objective=name, phi=phi)
        value = (1 - phi) * r.cost + phi * spread(name, r.Z)
        assert r.objective == pytest.approx(value, abs=1e-8)
        assert value <= (1 - phi) * expected.cost + phi * spread(name, expected.Z) + 1e-8
        assert r.cost >= expected.cost - 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_the_solution_is_feasible_and_the_margin_costs(seed: int) -> None:
    program = random_program(seed)
    A, b, G, d, S = (program[name] for name in ("A", "b", "G", "d", "S"))
    factors = np.full(len(b), 2.0)
    r = plain_model(**program, sigma=0.25, factors=factors)
    assert np.all(A @ r.z + 0.5 * np.linalg.norm(A @ r.Z, axis=1) <= b + 1e-8)
    np.testing.assert_allclose(G @ r.z, d, atol=1e-8)
    np.testing.assert_allclose(G @ r.Z, 0.0, atol=1e-8)
    np.testing.assert_allclose(S @ r.Z, np.eye(2), atol=1e-8)
    assert r.cost == expected_cost(program["c1"], program["C2"], r.z, r.Z, 0.25)
    assert r.cost > plain_model(**program, sigma=0.25, factors=0 * factors).cost + 1e-3


def test_no_optimum_is_an_error() -> None:
    program = random_program(0)
    with pytest.raises(RuntimeError, match="infeasible"):
        plain_model(**program, sigma=100.0, factors=np.ones(len(program["b"])))
    with pytest.raises(ValueError, match="exactly one"):
        plain_model(**program, sigma=1.0)


def test_cutting_plane_is_a_cone_in_one_dimension() -> None:
    """p = 1: q(a) = ln(1/(2 eta)) |a|."""
    program = random_program(1, p=1, quadratic=False)
    scale, eta = 0.15, 0.025
    factors = np.full(len(program["b"]), math.log(0.5 / eta) / math.sqrt(2.0))
    cone = plain_model(**program, sigma=math.sqrt(2.0) * scale, factors=factors)
    cost, _, _, _ = cutting_plane(**program, scale=scale, eta=eta)
    assert cost == pytest.approx(cone.cost, abs=1e-6)


@pytest.mark.long
def test_cutting_plane_is_feasible_and_between_two_cones() -> None:
    """The optimum of a relaxation (the cuts are valid) that is feasible is the optimum."""
    program = random_program(2)
    scale, eta = 0.15, 0.025
    cost, z, Z, rounds = cutting_plane(**program, scale=scale, eta=eta)
    margins = np.array([scale * quantile(a, eta) for a in program["A"] @ Z])
    assert np.all(program["A"] @ z + margins <= program["b"] + 1e-7)
    assert rounds > 1
    ones = np.ones(len(program["b"]))
    low, high = (
        plain_model(**program, sigma=math.sqrt(2.0) * scale, factors=factor * ones).cost
        for factor in (smallest_ratio(2, eta), math.log(0.5 / eta) / math.sqrt(2.0))
    )
    assert low <= cost + 1e-6 <= high + 2e-6
