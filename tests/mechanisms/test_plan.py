"""solve() against a plain CVXPY model, and what every plan must satisfy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import convex, toy
from tests.reference.plain import plain_model, random_program, vertices_model

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.03)
COST = 1e-6


def relative(found: float, wanted: float) -> float:
    return abs(found - wanted) / max(1e-9, abs(wanted))


def queries(data: Any, p: int) -> dict[str, tuple[po.Identity | po.Sum | po.Linear, Any]]:
    """Identity, Sum and Linear queries of a program, each with its matrix."""
    n = data["G"].shape[1]
    chosen = np.flatnonzero(data["S"].sum(axis=0))
    rng = np.random.default_rng(1000 + p)
    general = rng.normal(size=(p, n))
    others = np.setdiff1d(np.arange(n), chosen)
    groups = [[int(chosen[k]), int(others[k])] for k in range(p)]
    sums = np.zeros((p, n))
    for k, group in enumerate(groups):
        sums[k, group] = 1.0
    return {
        "identity": (po.Identity(chosen), data["S"]),
        "sum": (po.Sum(groups), sums),
        "linear": (po.Linear(general), general),
    }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["identity", "sum", "linear"])
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN])
def test_cost_equals_the_plain_model_for_norm_margins(
    seed: int, kind: str, noise: po.Laplace | po.Gaussian
) -> None:
    data = random_program(seed, n=9, equalities=3, rows=10, p=2)
    query, S = queries(data, 2)[kind]
    margin = "unimodal" if isinstance(noise, po.Laplace) else "exact"
    eta = np.linspace(0.02, 0.1, len(data["b"]))
    plan = po.solve(convex(data), query, noise, po.Analytic(eta=eta, margin=margin))
    from scipy.stats import norm

    factors = np.sqrt(2 / (9 * eta)) if margin == "unimodal" else norm.isf(eta)
    plain = plain_model(**(data | {"S": S}), sigma=plan.calibration.deviation, factors=factors)
    assert relative(plan.cost, plain.cost) <= COST
    assert plan.residual <= 0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("quadratic", [True, False])
@pytest.mark.parametrize("name", ["cost", "solution", "published"])
@pytest.mark.parametrize("phi", [0.0, 0.3, 0.9])
def test_objectives_equal_the_plain_model(
    seed: int, quadratic: bool, name: Any, phi: float
) -> None:
    data = random_program(seed, n=8, equalities=3, rows=8, p=3, quadratic=quadratic)
    objective = {
        "cost": po.CostDeviation(phi=phi),
        "solution": po.SolutionDeviation(phi=phi),
        "published": po.SolutionDeviation(phi=phi, published=True),
    }[name]
    query = po.Linear(data["S"])
    feasibility = po.Analytic(eta=0.05, margin="unimodal")
    if name == "cost" and quadratic:
        with pytest.raises(po.errors.CombinationError, match="quadratic"):
            po.solve(convex(data), query, LAPLACE, feasibility, objective=objective)
        return
    plan = po.solve(convex(data), query, LAPLACE, feasibility, objective=objective)
    sigma = plan.calibration.deviation
    factors = np.full(len(data["b"]), np.sqrt(2 / (9 * 0.05)))
    plain = plain_model(**data, sigma=sigma, factors=factors, objective=name, phi=phi)
    Z = np.asarray(plan.recourse)
    deviation = (
        sigma
        * {
            "cost": np.linalg.norm(Z.T @ data["c1"]),
            "solution": np.linalg.norm(Z),
            "published": np.linalg.norm(Z.sum(axis=1)),
        }[name]
    )
    assert relative((1 - phi) * plan.cost + phi * float(deviation), plain.objective) <= COST
    if name == "cost":
        assert plan.cost_deviation == pytest.approx(float(deviation))
    if name == "solution":
        assert plan.solution_deviation == pytest.approx(float(deviation))


@pytest.mark.parametrize("seed", range(3))
def test_full_weight_on_the_deviation_equals_the_plain_model(seed: int) -> None:
    data = random_program(seed, n=8, equalities=3, rows=8, p=2)
    plan = po.solve(
        convex(data),
        po.Linear(data["S"]),
        LAPLACE,
        po.Analytic(eta=0.05, margin="unimodal"),
        objective=po.SolutionDeviation(phi=1.0),
    )
    factors = np.full(len(data["b"]), np.sqrt(2 / (9 * 0.05)))
    plain = plain_model(
        **data, sigma=plan.calibration.deviation, factors=factors, objective="solution", phi=1.0
    )
    assert relative(plan.solution_deviation, plain.objective) <= COST


@pytest.mark.parametrize("p", [1, 2, 4, 6])
def test_boxes_equal_brute_force_over_their_vertices(p: int) -> None:
    data = random_program(p, n=10, equalities=3, rows=6, p=p)
    plan = po.solve(
        convex(data), po.Linear(data["S"]), LAPLACE, po.SampledBox(eta=0.2, beta=0.1), rng=p
    )
    box = plan.margins.box
    assert box is not None
    assert not np.allclose(box.low, -box.high)  # asymmetric
    scale = plan.calibration.scale
    wanted = vertices_model(
        **data, sigma=plan.calibration.deviation, box=(scale * box.low, scale * box.high)
    )
    assert relative(plan.cost, wanted.cost) <= COST


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("make", [
    po.ExactBox(eta=0.05), po.SampledBox(eta=0.05, beta=0.05), po.Joint(eta=0.05, beta=0.05),
    po.Scenario(eta=0.1, beta=0.1, samples=300), po.Always(),
])  # fmt: skip
def test_other_reformulations_equal_the_plain_model(seed: int, make: Any) -> None:
    data = random_program(seed, n=9, equalities=3, rows=8, p=2)
    bounded = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.1)
    noise = bounded if isinstance(make, po.Always) else LAPLACE
    plan = po.solve(convex(data), po.Linear(data["S"]), noise, make, rng=seed)
    scale, margins = plan.calibration.scale, plan.margins
    how: dict[str, Any] = {}
    if margins.box is not None:
        how["box"] = (scale * margins.box.low, scale * margins.box.high)
    elif margins.draws is not None:
        how["scenarios"] = scale * margins.draws
    else:
        how["factors"] = margins.deviations
    plain = plain_model(**data, sigma=plan.calibration.deviation, **how)
    assert relative(plan.cost, plain.cost) <= COST


def test_forty_noise_dimensions_are_ordinary() -> None:
    p = 40
    rng = np.random.default_rng(0)
    program = po.ConvexProgram(
        linear=rng.uniform(1, 3, 2 * p),
        quadratic=rng.uniform(0.1, 0.3, 2 * p),
        G=np.hstack([np.eye(p), np.eye(p)]),
        d=rng.uniform(2, 3, p),
        lower=0.0,
        upper=4.0,
    )
    plan = po.solve(program, po.Identity(range(p)), LAPLACE, po.ExactBox(eta=0.05))
    verification = plan.verify(20_000)
    assert verification.violation.interval[0] <= 0.05


scales = st.sampled_from([1e-6, 1e-3, 1.0, 1e3, 1e6])


@pytest.mark.long
@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 12),
    p=st.integers(1, 3),
    unit=scales,
    money=scales,
    rows=scales,
    feasibility=st.sampled_from([
        po.Analytic(eta=0.05), po.Analytic(eta=0.05, margin="unimodal"), po.ExactBox(eta=0.1)
    ]),
)  # fmt: skip
def test_equalities_and_query_hold_at_every_draw_in_any_units(
    seed: int, n: int, p: int, unit: float, money: float, rows: float, feasibility: Any
) -> None:
    """Units of the variables, of money, and of the rows change; the promises do not."""
    equalities = max(1, min(n // 3, n - p - 1))
    data = random_program(seed, n=n, equalities=equalities, rows=5, p=min(p, n - equalities))
    program = po.ConvexProgram(
        linear=money * data["c1"] / unit,
        quadratic=money * data["C2"] / unit**2,
        A=rows * data["A"],
        b=rows * unit * data["b"],
        G=data["G"] / rows,
        d=unit * data["d"] / rows,
    )
    noise = po.Laplace(epsilon=1.0, alpha=0.05 * unit)
    S = data["S"]
    plan = po.solve(program, po.Linear(S), noise, feasibility)
    Z = np.asarray(plan.recourse)
    assert np.abs(S @ Z - np.eye(len(S))).max() <= 1e-9
    xi = plan.calibration.scale * np.random.default_rng(seed).laplace(size=(len(S), 1000))
    z = plan.affine.at(xi)
    G = data["G"] / rows
    size = np.abs(G) @ np.abs(z) + np.abs(program.d)[:, None]
    assert (np.abs(G @ z - program.d[:, None]) <= 1e-8 * size).all()
    wanted = po.solve(convex(data), po.Linear(S), po.Laplace(epsilon=1.0, alpha=0.05), feasibility)
    assert plan.cost / money == pytest.approx(wanted.cost, rel=1e-5, abs=1e-5)


def test_release_is_on_the_grid_and_charged_as_asked() -> None:
    plan = po.solve(toy(), po.Identity(["x", "y"]), LAPLACE, po.Analytic(eta=0.05))
    release = plan.release()
    assert release.exponent is not None
    step = 2.0**release.exponent
    assert all(float(value / step).is_integer() for value in release.values)
    assert 0.999 < release.epsilon <= 1.0
    assert release.names == ("x", "y")
    assert plan.release().values.tolist() != release.values.tolist()


def test_realised_solution_serves_the_demand_and_matches_the_release() -> None:
    plan = po.solve(toy(), po.Identity(["x", "y"]), LAPLACE, po.Analytic(eta=0.05))
    release = plan.release()
    z = plan.realise(release)
    assert z.sum() == pytest.approx(6.0, abs=1e-12)
    assert z[:2] == pytest.approx(release.values, abs=1e-12)
    other = po.solve(toy(), po.Identity(["w"]), LAPLACE, po.Analytic(eta=0.05)).release()
    with pytest.raises(po.errors.InputError, match="no release"):
        plan.realise(other)


@pytest.mark.long
def test_releases_are_centred_on_the_expected_solution_with_the_stated_scale() -> None:
    """KS test of 4000 secure draws against Laplace; false alarm 1e-6 (no seed can be set)."""
    from scipy.stats import kstest, laplace

    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    values = np.array([plan.release().values[0] for _ in range(4000)])
    residual = (values - plan.expected[0]) / plan.calibration.scale
    assert kstest(residual, laplace.cdf).pvalue > 1e-6
    assert kstest(1.2 * residual, laplace.cdf).pvalue < 1e-3  # the test can fail


def test_ten_times_the_query_gets_ten_times_the_noise() -> None:
    S = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0]])
    one = po.solve(toy(), po.Linear(S), LAPLACE, po.Analytic(eta=0.1))
    ten = po.solve(toy(), po.Linear(10 * S), LAPLACE, po.Analytic(eta=0.1))
    assert ten.calibration.scale == pytest.approx(10 * one.calibration.scale, rel=1e-9)
    assert ten.cost == pytest.approx(one.cost, rel=1e-7)


def test_tighter_promises_cost_more() -> None:
    costs = [
        po.solve(toy(7.5), po.Identity(["x"]), LAPLACE, po.Analytic(eta=eta)).cost
        for eta in (0.2, 0.05, 0.01)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_fixed_variables_carry_no_noise() -> None:
    program = toy(lower=[0.0, 0.0, 1.0], upper=[4.0, 4.0, 1.0])
    plan = po.solve(program, po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    assert plan.expected[2] == pytest.approx(1.0, abs=1e-12)
    assert np.abs(np.asarray(plan.recourse)[2]).max() <= 1e-12


def test_guarantee_travels_into_repr_json_and_release() -> None:
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    assert plan.guarantee.privacy.provenance is po.Provenance.ASSUMED
    assert plan.guarantee.feasibility.provenance is po.Provenance.PROVEN
    assert plan.guarantee.feasibility.scope is po.Scope.ROW
    assert "ASSUMED" in repr(plan)
    data = plan.release().to_dict()
    assert data["guarantee"]["privacy"]["provenance"] == "ASSUMED"
    assert any("neighbour" in item for item in data["guarantee"]["privacy"]["assumptions"])


def test_claims_and_release_do_not_depend_on_the_data() -> None:
    """Everything public but the values is the same for two data sets."""
    for feasibility in (po.Analytic(eta=0.05), po.Joint(eta=0.05, beta=0.01), po.ExactBox(eta=0.1)):
        seen = []
        for d in (6.0, 7.0):
            release = po.solve(toy(d), po.Identity(["x"]), LAPLACE, feasibility, rng=0).release()
            data = release.to_dict()
            data.pop("values")
            seen.append(data)
        assert seen[0] == seen[1]


def test_private_values_are_not_in_reprs() -> None:
    plan = po.solve(toy(6.123456), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    shown = [repr(x) for x in (plan, plan.program, plan.optimum, plan.recourse, plan.verify(100))]
    hidden = [f"{value:.4g}" for value in (*plan.expected, plan.cost, plan.optimum.cost, 6.123456)]
    assert not [value for value in hidden for text in shown if value in text]


def test_linear_cost_is_said_to_rest_on_a_unique_optimum() -> None:
    feasibility = po.Analytic(eta=0.05)
    strict = po.solve(toy(), po.Identity(["x"]), LAPLACE, feasibility)
    flat = po.solve(toy(quadratic=None), po.Identity(["x"]), LAPLACE, feasibility)
    assert not any("unique" in item for item in strict.guarantee.privacy.assumptions)
    assert any("unique" in item for item in flat.guarantee.privacy.assumptions)


def test_other_mechanisms_releases_are_not_realised() -> None:
    plan = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05))
    with pytest.raises(po.errors.InputError, match="another mechanism"):
        plan.realise(po.output_perturbation(toy(), po.Identity(["x"]), LAPLACE).release())


def test_a_saved_release_equals_the_one_loaded(tmp_path: Path) -> None:
    release = po.solve(toy(), po.Identity(["x"]), LAPLACE, po.Analytic(eta=0.05)).release()
    release.save(tmp_path / "release.json")
    assert po.Release.load(tmp_path / "release.json") == release


@pytest.mark.parametrize(
    ("price", "cost", "expected"), [(0.0, 0.1 * np.log(10), 0.1), (0.5, 1.61513, 1.62507)]
)
def test_a_variable_of_the_users_answers_noise_affinely(
    price: float, cost: float, expected: float
) -> None:
    """t >= |x - 3| with price (6 - x) + t, t not auxiliary: its expected value is priced."""
    program = po.ConvexProgram(
        linear=[0, price, 1], G=[[1, 1, 0]], d=[6], A=[[1, 0, -1], [-1, 0, -1]], b=[3, -3]
    )
    noise = po.Laplace(epsilon=1, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.Analytic(eta=0.05))
    assert plan.cost == pytest.approx(cost, rel=1e-5)
    xi = np.random.default_rng(0).laplace(scale=0.1, size=400_000)
    x = plan.expected[0] + xi
    assert (price * (6 - x) + np.abs(x - 3)).mean() == pytest.approx(expected, rel=5e-3)
    bounded = po.TruncatedLaplace(epsilon=1, delta=1e-5, alpha=0.1)
    robust = po.solve(program, po.Identity([0]), bounded, po.Always())
    bound = robust.calibration.scale * robust.calibration.law.bound
    z = robust.expected[:, None] + np.asarray(robust.recourse) @ np.array([[-bound, 0.0, bound]])
    assert (z[2] >= np.abs(z[0] - 3) - 1e-7).all()


def test_errors_of_a_plan_hold_its_bias() -> None:
    """Against simulated releases: a plan keeps off the limits, where the optimum lies."""
    noise, limits = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
    plan = po.solve(toy(), po.Identity(["x"]), noise, limits)  # the optimum has x = 4, its limit
    drawn = plan.centre + plan.calibration.sample(np.random.default_rng(0), 100_000)
    off = np.sqrt(np.square(drawn - plan.optimum.z[0]).mean(axis=0))
    assert plan.errors == pytest.approx(off, rel=0.02)
    assert plan.errors[0] > 1.2 * plan.calibration.deviation
    assert f"{plan.distance:.4g} expected" in plan.summary()
    assert f"{plan.distance:.4g}" not in repr(plan)  # private
