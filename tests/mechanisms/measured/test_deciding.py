"""Decisions: the optimum of a plain model, a function of y and public data, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cases import Case, measured, objective, plain

import privopt as po
from privopt.errors import (
    CombinationError,
    InfeasibleError,
    InputError,
    NotImplementableError,
    SolverError,
    UnboundedError,
)
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.task import DecisionTask
from privopt.solving.problem import Outcome
from privopt.solving.robust import certifying, two_stage
from privopt.solving.robust.checking import Checked

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
BOX = po.ExactBox(eta=0.05)
FAST, ALL = 12, 50


def program(**more: Any) -> po.ConvexProgram:
    asked = {
        "linear": [1.0, 2, 3, 1], "quadratic": [1.0, 0.5, 0.2, 0.3],
        "G": [[1.0, 1, 0, 1], [0, 1, 1, -1]], "lower": 0.0, "upper": 5.0, **more,
    }  # fmt: skip
    return po.ConvexProgram(**asked)


def of(one: po.ConvexProgram, W: Any = ((1.0, 1.0),), **more: Any) -> po.Measurement:
    """A measurement of the middle of the domain."""
    asked: dict[str, Any] = {"privacy": NOISE, "domain": po.Box(1.0, 2.0), **more}
    instrument = po.Instrument(np.array(W), program=one, **asked)
    lower, upper = instrument.domain
    return measured(instrument, 0.5 * (lower + upper), np.random.default_rng(0))


def moved(one: po.Measurement, y: Any) -> po.Measurement:
    """The same with other values, on the grid."""
    assert one.release is not None
    grid = 2.0 ** (one.release.exponent or 0)
    values = np.round(np.asarray(y, dtype=float) / grid) * grid
    return replace(one, release=replace(one.release, values=values))


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [*range(FAST), *(pytest.param(s, marks=pytest.mark.slow) for s in range(FAST, ALL))]
)
def test_the_values_are_the_optimum_of_the_plain_model(seed: int) -> None:
    one, rng = cases.case(seed), np.random.default_rng(seed + 1000)
    measurements = one.simulated(cases.inside(one, rng), rng)
    known = plain(one, measurements)
    if known.q is None:
        with pytest.raises(InfeasibleError):
            one.decide(measurements)
        return
    found = one.decide(measurements)
    assert objective(one, found.values, known) == pytest.approx(known.value, rel=1e-5, abs=1e-6)
    seen = found.check()
    assert seen.excess <= 0
    assert seen.off <= 1e-10


QUICK = (1, 8, 26, 46, 49, 54, 56, 64)  # with and without a decision


@pytest.mark.long
@pytest.mark.parametrize(
    "seed",
    [
        *QUICK,
        *(pytest.param(s, marks=pytest.mark.slow) for s in range(11, 44) if s not in QUICK),
    ],
)
def test_regions_without_interior_have_a_decision_or_are_told_to_have_none(seed: int) -> None:
    """Neither may end with a solver that stalls: the plain model says which it is."""
    _, one, d = cases.flat(seed)
    measurements = one.simulated(d, np.random.default_rng(seed))
    known = plain(one, measurements)
    if known.q is None:
        with pytest.raises(InfeasibleError):
            one.decide(measurements)
        return
    found = one.decide(measurements)
    assert objective(one, found.values, known) == pytest.approx(known.value, rel=1e-5, abs=1e-6)
    assert found.check().excess <= 0


@pytest.mark.parametrize("outcome", [Outcome.STALLED, Outcome.TIME, Outcome.INFEASIBLE])
def test_a_fallback_is_taken_however_the_solver_ends(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = program()
    monkeypatch.setattr(DecisionTask, "decided", lambda *_: outcome)
    found = po.decide(one, po.Identity([0]), of(one), BOX, fallback=[0.5])
    assert found.values.tolist() == [0.5]
    assert found.certificate is None
    if outcome is not Outcome.INFEASIBLE:
        with pytest.raises(SolverError, match=outcome.value):
            po.decide(one, po.Identity([0]), of(one), BOX)


def test_a_certificate_that_does_not_hold_is_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    one = program()
    broken = Checked(excess=1e-3, off=0.0)
    monkeypatch.setattr(po.Decision, "check", lambda _: broken)
    with pytest.raises(SolverError, match="stalled"):
        po.decide(one, po.Identity([0]), of(one), BOX)
    assert po.decide(one, po.Identity([0]), of(one), BOX, fallback=[0.5]).certificate is None


def test_some_of_these_have_no_decision() -> None:
    """So that the same verdict says something."""
    for seed in (8, 17):
        one, rng = cases.case(seed), np.random.default_rng(seed + 1000)
        if plain(one, one.simulated(cases.inside(one, rng), rng)).q is None:
            return
    pytest.fail("all have one")


def text(one: Case, measurements: list[po.Measurement]) -> str:
    try:
        return json.dumps(one.decide(measurements).to_dict())
    except po.errors.PrivoptError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 5, 8])
def test_the_same_bytes_and_iterations_whatever_d_is(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, rng = cases.case(seed), np.random.default_rng(seed)
    measurements = one.simulated(cases.inside(one, rng), rng)
    calls: list[str] = []
    for module, name in ((certifying, "interior_point"), (two_stage, "solve_conic")):
        whole = getattr(module, name)

        def counted(*given: Any, whole: Any = whole) -> Any:
            calls.append(type(given[0]).__name__)
            return whole(*given)

        monkeypatch.setattr(module, name, counted)
    seen: list[tuple[str, list[str]]] = []
    for value in (0.0, 1e9, np.nan):
        private = one.program.private
        d = one.program.d.copy()
        d[private] = value
        other = one.program.at(np.where(np.isnan(d), 0.0, d))
        for name, held in vars(other).items():
            if isinstance(held, np.ndarray) and np.array_equal(held, other.d):
                object.__setattr__(other, name, d)
        assert np.array_equal(other.d, d, equal_nan=True)
        calls.clear()
        seen.append((text(replace(one, program=other), measurements), list(calls)))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0] == (text(one, measurements), seen[0][1])


def test_two_data_with_the_same_y_lead_to_the_same_bytes() -> None:
    """Noise patched so that both are measured alike: nothing but y reaches the decision."""
    instrument = po.Instrument(
        np.ones((1, 2)), program=program(), privacy=NOISE, domain=po.Box(1.0, 2.0)
    )
    noise = instrument.calibration
    assert noise is not None
    same = replace(noise, draw=lambda _: np.array([3.0]))
    instrument.kernel = replace(instrument.kernel, calibration=same)
    found: list[str] = []
    for d in ([1.0, 1.0], [2.0, 1.9]):
        one = program().at(np.array(d))
        decision = po.decide(one, po.Identity([0]), instrument.measure(d), BOX)
        found.append(json.dumps(decision.to_dict()))
    assert found[0] == found[1]


def test_eta_is_shared_by_several_measurements() -> None:
    """Each leaves its box with eta/2, so both together are wider than one by itself."""
    one = program()
    first, second = of(one), of(one, [[1.0, -1.0]])
    alone = po.decide(one, po.Identity([0]), first, BOX).certificate
    both = po.decide(one, po.Identity([0]), [first, second], BOX)
    half = po.decide(one, po.Identity([0]), first, po.ExactBox(eta=0.025)).certificate
    assert alone is not None
    assert half is not None
    assert both.certificate is not None
    wide = both.certificate.region.high - both.certificate.region.low
    np.testing.assert_allclose(wide[0], (half.region.high - half.region.low)[0])
    assert wide[0] > (alone.region.high - alone.region.low)[0]
    assert both.epsilon == pytest.approx(2.0)
    assert len(both.release().rests_on) == 2


def test_a_measurement_that_is_told_twice_is_known_once() -> None:
    one = program()
    first = of(one)
    once, twice = (po.decide(one, po.Identity([0]), given, BOX) for given in (first, [first] * 2))
    assert json.dumps(once.to_dict()) == json.dumps(twice.to_dict())


@pytest.mark.parametrize(
    ("W", "y"),
    [([[1.0, 1.0]], [50.0]), (np.eye(2), [50.0, -20.0]), ([[1, 1], [1, 0.5]], [50, -50])],
)
def test_what_no_data_could_have_led_to_is_decided_all_the_same(W: Any, y: Any) -> None:
    one = program()
    found = po.decide(one, po.Identity([0]), moved(of(one, W), y), BOX)
    assert found.check().excess <= 0
    assert po.Decision.from_dict(json.loads(json.dumps(found.to_dict()))).check().excess <= 0


@pytest.mark.parametrize(
    ("more", "domain"),
    [
        ({}, po.Box([1.0, 1.5], [2.0, 1.5])),
        ({"lower": None, "upper": None}, po.Box(1.0, 2.0)),
        ({"quadratic": None}, po.Box(1.0, 2.0)),
        ({"lower": [0, 0, 0.5, 0], "upper": [5, 5, 0.5, 5]}, po.Box([2.0, 1.0], [3.0, 1.5])),
        ({"lower": [1.0, -1, -1, -1], "upper": [1.0, 5, 5, 5]}, po.Box(1.0, 2.0)),
        ({"upper": [1.0, 1, 1, 0.5]}, po.Domain(0.5, 4.0, rows=(np.eye(2), 0.6, 1.1))),
    ],
    ids=["an entry", "no rows", "linear", "fixed", "fixed and released", "rows"],
)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 1e3])
def test_odd_programs_are_decided(more: dict[str, Any], domain: Any, epsilon: float) -> None:
    one = program(**more)
    given = of(one, domain=domain, privacy=po.Laplace(epsilon=epsilon, alpha=0.1))
    found = po.decide(one, po.Identity([0]), given, BOX, fidelity=1.0)
    seen = found.check()
    assert seen.excess <= 0
    assert seen.off <= 1e-10
    assert found.verify(50).violation.value <= 0.2


def test_a_domain_of_one_point_is_decided() -> None:
    one = program()
    found = po.decide(one, po.Identity([0]), of(one, domain=po.Box(1.5, 1.5)), BOX)
    assert found.check().excess <= 0
    assert found.distance < 1e-5


@pytest.mark.parametrize("unit", [1e6, 1e-6])
def test_units_do_not_matter(unit: float) -> None:
    one = program()
    other = program(upper=5 * unit, quadratic=np.array([1.0, 0.5, 0.2, 0.3]) / unit)
    found = po.decide(one, po.Identity([0]), of(one), BOX)
    scaled = of(
        other, domain=po.Box(unit, 2 * unit), privacy=po.Laplace(epsilon=1.0, alpha=0.1 * unit)
    )
    again = po.decide(other, po.Identity([0]), scaled, BOX)
    np.testing.assert_allclose(again.values, unit * found.values, rtol=1e-3)
    assert again.loss == pytest.approx(found.loss, rel=1e-3)


def test_entries_that_balance_others_follow() -> None:
    one = po.ConvexProgram(
        linear=[1.0, 2, 3], quadratic=[1.0, 1, 1], G=[[1.0, -1, 0], [0, 1, -1], [-1, 0, 1]],
        d=[0, 0, 0.0], private=[0, 1], lower=-5.0, upper=5.0,
    )  # fmt: skip
    given = of(one, domain=po.Box(-1.0, 1.0))
    with pytest.raises(InputError, match="balance"):
        po.decide(one, po.Identity([0]), given, BOX)
    found = po.decide(one, po.Identity([0]), given, BOX, balance=[2])
    assert found.check().excess <= 0
    z = found.complete([0.3, -0.5, 0.2]).z
    assert z[0] == pytest.approx(found.values[0], abs=1e-6)


def test_values_that_follow_from_the_data_are_refused_with_a_fallback_too() -> None:
    one = program()
    for more in ({}, {"fallback": [1.0]}):
        with pytest.raises(NotImplementableError):
            po.decide(one, po.Linear(np.array([[1.0, 1, 0, 1]])), of(one), BOX, **more)


def test_a_fallback_is_taken_where_there_is_no_decision_and_claims_nothing() -> None:
    one = program(upper=[1.2, 0.9, 1.0, 0.2])
    given = of(one, privacy=po.Laplace(epsilon=0.05, alpha=1.0))
    with pytest.raises(InfeasibleError, match="fallback"):
        po.decide(one, po.Identity([0]), given, BOX)
    found = po.decide(one, po.Identity([0]), given, BOX, fallback=[0.5])
    assert found.values.tolist() == [0.5]
    assert "nothing is claimed" in str(found.guarantee.feasibility)
    with pytest.raises(InputError, match="fallback"):
        found.check()
    again = po.Decision.from_dict(json.loads(json.dumps(found.to_dict())))
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())


def test_a_prior_of_draws() -> None:
    one, rng = program(), np.random.default_rng(0)
    given = of(one)
    prior = rng.uniform(1, 2, (300, 2))
    po.decide(one, po.Identity([0]), given, BOX, prior=prior)
    cut = of(one, privacy=po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.02))
    far = np.tile([[1.0, 1.0]], (3, 1))  # none of them is possible: uniform in their place
    po.decide(one, po.Identity([0]), cut, po.Always(), prior=far)
    rows = of(one, domain=po.Domain(1.0, 2.0, rows=([[1.0, 1.0]], [3.0], [4.0])))
    with pytest.raises(InputError, match="rows"):
        po.decide(one, po.Identity([0]), rows, BOX, prior=far)


@pytest.mark.parametrize("objective", [po.CostDeviation(phi=0.1), po.SolutionDeviation(phi=0.5)])
def test_deviations_are_refused(objective: Any) -> None:
    one = program()
    with pytest.raises(CombinationError, match="constants without a recourse"):
        po.decide(one, po.Identity([0]), of(one), BOX, objective=objective)


def test_an_objective_without_a_deviation_is_the_expected_cost() -> None:
    one = program()
    texts = {
        json.dumps(po.decide(one, po.Identity([0]), of(one), BOX, objective=given).to_dict())
        for given in (None, po.ExpectedCost(), po.CostDeviation(phi=0.0))
    }
    assert len(texts) == 1
    for bad in ("cost", po.ExpectedCost):
        with pytest.raises(InputError, match="objective"):
            po.decide(one, po.Identity([0]), of(one), BOX, objective=bad)  # pyright: ignore[reportArgumentType]


def test_the_deviation_of_the_cost_is_that_of_the_data_to_within_that_of_the_loss() -> None:
    """Why they are refused: whatever is decided, hardly any of it can be changed."""
    one, rng = po.experiments.instance("14_ieee", 2), np.random.default_rng(0)
    given = of(one.program, np.ones((1, 14)), domain=one.domain)
    belief = Belief.of(given, one.program)
    task = DecisionTask(one.program, one.query, belief.everywhere, belief.domain, po.Settings())
    best = po.decide(one.program, one.query, given, po.ExactBox(eta=0.025)).values
    draws = task.draws(belief, 100, rng)
    for q in (best, best + 0.01, best - 0.01):
        seen = task.outlook(q, draws)
        V, least = (part[np.isfinite(seen.completed)] for part in (seen.completed, seen.optimal))
        loss = V - least
        assert abs(V.std() - least.std()) <= loss.std() + 1e-9
        assert loss.std() < 0.05 * least.std()


def test_a_weighted_deviation_of_the_cost_is_not_convex_in_what_is_decided() -> None:
    """Two draws: V = |q| (what is released must be undone) and V = 10 (it costs nothing)."""
    one = po.ConvexProgram(
        linear=[0.0, 1.0, 1.0], G=[[1.0, 1.0, -1.0]], d=[0.0], lower=[-2.0, 0.0, 0.0], upper=9.0
    )

    def objective(q: float, phi: float) -> float:
        held = po.ConvexProgram(
            linear=one.linear, G=np.vstack([one.G.toarray(), [[1.0, 0, 0]]]), d=[0.0, q],
            lower=one.lower, upper=one.upper,
        )  # fmt: skip
        V = np.array([held.solve().cost, 10.0])
        return float((1 - phi) * V.mean() + phi * V.std())

    low, middle, high = (objective(q, 0.9) for q in (-1.0, 0.0, 1.0))
    assert middle > 0.5 * (low + high) + 0.1


def test_what_is_refused() -> None:
    one = program()
    given = of(one)
    with pytest.raises(CombinationError, match="TruncatedLaplace"):
        po.decide(one, po.Identity([0]), given, po.Always())
    with pytest.raises(CombinationError, match="ExactBox"):
        po.decide(one, po.Identity([0]), given, po.Analytic(eta=0.05))
    with pytest.raises(InputError, match="other data"):
        po.decide(program(private=[0], d=[1.0, 1.0]), po.Identity([0]), given, BOX)
    with pytest.raises(InputError, match="Measurement"):
        po.decide(one, po.Identity([0]), [], BOX)
    other = of(one, domain=po.Box(1.0, 2.5))
    with pytest.raises(InputError, match="domains"):
        po.decide(one, po.Identity([0]), [given, other], BOX)
    free = program(lower=None, upper=None, quadratic=None)
    with pytest.raises(UnboundedError):
        po.decide(free, po.Identity([0]), of(free), BOX)


@pytest.mark.parametrize("width", [6e-13, 1e-9, 1e-7])
def test_entries_that_hardly_move_are_decided_for(width: float) -> None:
    one = po.experiments.instance("5_pjm", 5)
    low, high = np.full(5, 0.5), np.array([1.0, 1.0, 1.0, 0.5 + width, 0.5 + width])
    privacy, domain = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(low, high)
    instrument = po.Instrument(np.eye(5)[:1], program=one.program, privacy=privacy, domain=domain)
    measured = instrument.measure(low)
    found = po.decide(one.program, one.query, measured, po.ExactBox(eta=0.025))
    assert found.check().excess <= 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_values_next_to_zero_are_checked_in_their_own_size(seed: int) -> None:
    # Plant 2 is at its lower limit: its flows and its output are 1e-5 where others are 50.
    rng = np.random.default_rng(seed)
    low, high = np.array([30.0, 25, 20]), np.array([50.0, 40, 35])
    out = np.kron(np.eye(3), np.ones(3))
    one = po.ConvexProgram(
        linear=np.concatenate([[11, 13, 15, 16, 15, 18, 24, 22, 21.0], np.zeros(3)]),
        quadratic=np.concatenate([np.zeros(9), [0.05] * 3]),
        G=np.vstack([np.hstack([np.tile(np.eye(3), 3), np.zeros((3, 3))]),
                     np.hstack([out, -np.eye(3)])]),
        d=np.zeros(6), private=[0, 1, 2],
        lower=0.0, upper=np.concatenate([np.full(9, np.inf), [60.0, 70.0, 50.0]]),
    )  # fmt: skip
    instrument = po.Instrument(
        np.ones((1, 3)), program=one, privacy=po.Laplace(epsilon=1.0, alpha=1.0),
        domain=po.Box(low, high),
    )  # fmt: skip
    measured = instrument.measure(np.append(np.where(rng.random(3) < 0.5, low, high), [0.0] * 3))
    found = po.decide(one, po.Identity([9, 11]), measured, po.ExactBox(eta=0.05))
    assert found.check().excess <= 0
    assert found.check().off <= 1e-10
