"""Stated costs of plans and policies with curved costs: closed forms, and intervals that cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom
from scipy.stats import t as student

import privopt as po
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.expected_cost import Answering, plan_cost, policy_cost
from privopt.mechanisms.private_data import PrivateData

NAMES = ["a", "b", "c"]
LINEAR, SQUARE = np.array([1.0, 2.0, 1.5]), np.array([0.2, 0.1, 0.3])
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=0.9, delta=1e-3, alpha=0.05)
TRUNCATED = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
BOX, QUERY, DOMAIN = po.ExactBox(eta=0.05), po.Identity(["a", "b"]), po.Box(3.0, 4.0)
PIECES = po.PiecewiseLinear(of="a", slopes=[0, 2, 6], offsets=[0, -1, -8])
NEITHER = po.PiecewiseLinear(of="c", slopes=[-1, 2], offsets=[0.5, -2.5])
GROWTH = po.Exponential(C=["a", "c"], e=-1.0)
LIMIT = po.NormLimit(C=["a", "b"], g=3.0)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(50)


def _program(*costs: Any, cones: Any = (), d: float | None = 3.5) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=LINEAR, quadratic=SQUARE, G=[[1, 1, 1]], d=None if d is None else [d],
        lower=0, upper=3, names=NAMES, costs=costs, cones=cones,
    )  # fmt: skip


def _rule(calibration: Any) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over one entry of the noise, panel by panel."""
    far = min(calibration.law.bound, 45.0)
    ends = np.linspace(-far, far, 721)
    half = 0.5 * np.diff(ends)[:, None]
    x = ends[:-1, None] + half * (1 + NODES)
    weights = half * WEIGHTS * np.exp(calibration.law.log_density(x))
    return calibration.scale * x.ravel(), weights.ravel()


def _highest(z: np.ndarray) -> np.ndarray:
    return np.maximum(np.maximum(0, 2 * z - 1), 6 * z - 8)


def _straight(z: np.ndarray, Z: np.ndarray, deviation: float) -> float:
    return float(LINEAR @ z + SQUARE @ z**2 + deviation**2 * (SQUARE @ (Z**2).sum(axis=1)))


@pytest.mark.parametrize("law", [LAPLACE, GAUSSIAN, TRUNCATED])
def test_a_plan_with_pieces_of_a_released_value_is_exact(law: Any) -> None:
    """Against quadrature over the noise of `a`; panels do not know where the kinks are: 1e-9."""
    plan = po.solve(_program(PIECES), QUERY, law, BOX)
    assert plan.priced is not None
    assert plan.priced.is_exact
    assert plan.priced.interval == (plan.cost, plan.cost)
    z, Z = plan.expected[:3], np.asarray(plan.recourse)[:3]
    x, weights = _rule(plan.calibration)
    mean = float(_highest(z[0] + x) @ weights)
    assert plan.cost == pytest.approx(_straight(z, Z, plan.calibration.deviation) + mean, rel=1e-7)
    assert "(exact)" in plan.summary()


def test_pieces_of_a_sum_of_noise_are_exact_of_gaussian_noise_only() -> None:
    """c answers both entries: two pieces that differ by one Gaussian term have Bachelier's mean."""
    plan = po.solve(_program(NEITHER), QUERY, GAUSSIAN, BOX)
    assert plan.priced is not None
    assert plan.priced.is_exact
    z, Z = plan.expected[:3], np.asarray(plan.recourse)[:3]
    assert (np.abs(Z[2]) > 0.01).all()
    deviation = plan.calibration.deviation
    apart, spread = 3 * z[2] - 3.0, 3 * deviation * float(np.linalg.norm(Z[2]))
    density = np.exp(-0.5 * (apart / spread) ** 2) / np.sqrt(2 * np.pi)
    mean = 0.5 - z[2] + apart * ndtr(apart / spread) + spread * density
    assert plan.cost == pytest.approx(_straight(z, Z, deviation) + mean, rel=1e-12)
    drawn = po.solve(_program(NEITHER), QUERY, LAPLACE, BOX).priced
    assert drawn is not None
    assert not drawn.is_exact
    assert drawn.samples == 2048


def test_curved_limits_alone_leave_the_cost_exact() -> None:
    plan = po.solve(_program(cones=(LIMIT,)), QUERY, LAPLACE, BOX)
    z, Z = plan.expected, np.asarray(plan.recourse)
    assert plan.priced is not None
    assert plan.priced.is_exact
    assert plan.cost == pytest.approx(_straight(z, Z, plan.calibration.deviation), rel=1e-12)
    policy = po.design(
        _program(cones=(LIMIT,), d=None), QUERY, LAPLACE, BOX, domain=DOMAIN, floor=1.0
    )
    z, Z, gain = policy.offset, np.asarray(policy.recourse), policy.gain[:, 0]
    moved = float(SQUARE @ gain**2) / 12
    assert policy.priced is not None
    assert policy.priced.is_exact
    assert policy.cost == pytest.approx(_straight(z, Z, policy.unit.deviation) + moved, rel=1e-12)


def test_a_policy_over_a_given_prior_is_exact() -> None:
    rows = np.random.default_rng(4).beta(2, 5, (40, 1)) + 3.0
    policy = po.design(
        _program(PIECES, d=None), QUERY, LAPLACE, BOX, domain=DOMAIN, prior=rows, floor=1.0
    )
    assert policy.priced is not None
    assert policy.priced.is_exact
    x, weights = _rule(policy.unit)
    Z = np.asarray(policy.recourse)[:3]
    total = 0.0
    for u in rows[:, 0] - 3.5:
        z = (policy.offset + policy.gain[:, 0] * u)[:3]
        total += _straight(z, Z, policy.unit.deviation)
        total += float(_highest(z[0] + Z[0, 0] * x) @ weights)
    assert policy.cost == pytest.approx(total / len(rows), rel=1e-7)
    again = po.Policy.from_dict(policy.to_dict())
    assert policy.to_dict()["priced"]["exact"] is True
    assert again.priced is not None
    assert again.priced.is_exact


def _answering(program: po.ConvexProgram, law: Any) -> tuple[Answering, np.ndarray]:
    """An affine solution that nothing was optimised for."""
    S = QUERY.matrix(program)
    near = np.zeros(program.n)
    near[:3] = 1.2, 1.3, 1.0
    curved = Curved.of(program, S, lambda: near)
    assert curved is not None
    Z = np.zeros((program.n, 2))
    Z[:3] = [[1, 0], [0, 1], [-1, -1]]
    return Answering(curved, Z, law.calibrate(2, 0.3)), near


def _beyond(found: list[MeanEstimate], truth: float, freedom: int) -> int:
    """How many are off by more than two of the standard errors that they state."""
    wide = float(student.ppf(0.995, freedom))
    errors = [(one.interval[1] - one.value) / wide for one in found]
    return sum(abs(one.value - truth) > 2 * error for one, error in zip(found, errors, strict=True))


def _usual(count: int, freedom: int, tries: int) -> bool:
    """Whether a right interval misses so often, but for one in ten thousand either way."""
    p = 2 * float(student.sf(2.0, freedom))
    return bool(binom.ppf(1e-4, tries, p) <= count <= binom.ppf(1 - 1e-4, tries, p))


def test_the_interval_of_a_plan_covers_the_mean() -> None:
    """E exp(x) of a Gaussian x is known: two standard errors are missed in 4.6% of 400 seeds."""
    answering, z = _answering(_program(PIECES, GROWTH), GAUSSIAN)
    sigma = answering.noise.deviation
    a = plan_cost(_answering(_program(PIECES), GAUSSIAN)[0], z[:4])
    assert a.is_exact
    grown = np.exp(z[[0, 2]] - 1 + sigma**2 * np.array([1, 2]) / 2).sum()
    found = [plan_cost(answering, z, draws=256, seed=seed) for seed in range(400)]
    assert not found[0].is_exact
    assert _usual(_beyond(found, float(a.value + grown), 255), 255, 400)


@pytest.mark.long
@pytest.mark.parametrize("rows", [None, 20, 5_000])
def test_the_interval_of_a_policy_covers_the_mean(rows: int | None) -> None:
    """The same over the data, too: the uniform prior, all rows of a prior, some rows of many.

    Draws of rows without replacement lie a little nearer to the mean of all than the interval says
    (1024 of 5000: by a tenth), which the bounds on the count have room for.
    """
    program = _program(GROWTH)
    answering, z = _answering(program, GAUSSIAN)
    prior = None if rows is None else np.random.default_rng(8).beta(2, 5, (rows, 1)) + 3.0
    data = PrivateData.of(program, np.array([3.0]), np.array([4.0]), prior, None)
    gain = np.zeros((program.n, 1))
    gain[:3, 0] = 0.3, 0.5, 0.2
    spread = answering.noise.deviation**2
    if prior is None:
        v, weights = 0.5 * NODES, 0.5 * WEIGHTS
    else:
        v, weights = prior[:, 0] - data.mean[0], np.full(len(prior), 1 / len(prior))
    solution = z[:3, None] + gain[:3] * v
    straight = LINEAR @ solution + SQUARE @ solution**2
    straight = straight + spread * (SQUARE @ [1, 1, 2])
    grown = np.exp(solution[[0, 2]] - 1 + spread * np.array([[1], [2]]) / 2).sum(axis=0)
    truth = float((straight + grown) @ weights)
    seeds = range(150)
    found = [policy_cost(answering, z, gain, data, seed) for seed in seeds]
    freedom = 15 if rows is None else found[0].samples - 1
    assert found[0].samples >= 1024
    assert _usual(_beyond(found, truth, freedom), freedom, len(seeds))


def test_draws_at_which_the_cost_is_infinite_are_counted() -> None:
    program = _program(po.Logarithm(C=["a"], e=-1.0), PIECES)
    answering, z = _answering(program, LAPLACE)
    found = plan_cost(answering, z)
    xi = answering.noise.sample(np.random.default_rng(19), 2048)[:, 0]
    bad = (np.abs(xi) >= 0.2).sum()
    assert found.without == bad > 0
    assert np.isfinite(found.value)
    data = PrivateData.of(program, np.array([3.0]), np.array([4.0]), None, None)
    gain = np.zeros((program.n, 1))
    gain[1, 0] = 1.0
    assert policy_cost(answering, z, gain, data).without > 0
