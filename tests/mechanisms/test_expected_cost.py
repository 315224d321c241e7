"""Stated costs of plans with curved costs: closed forms, and intervals that cover."""

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
from privopt.mechanisms.expected_cost import Answering, plan_cost

NAMES = ["a", "b", "c"]
LINEAR, SQUARE = np.array([1.0, 2.0, 1.5]), np.array([0.2, 0.1, 0.3])
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=0.9, delta=1e-3, alpha=0.05)
TRUNCATED = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
BOX, QUERY = po.ExactBox(eta=0.05), po.Identity(["a", "b"])
PIECES = po.PiecewiseLinear(of="a", slopes=[0, 2, 6], offsets=[0, -1, -8])
NEITHER = po.PiecewiseLinear(of="c", slopes=[-1, 2], offsets=[0.5, -2.5])
GROWTH = po.Exponential(C=["a", "c"], e=-1.0)
LIMIT = po.NormLimit(C=["a", "b"], g=3.0)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(50)


def _program(*costs: Any, cones: Any = (), d: float = 3.5) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=LINEAR, quadratic=SQUARE, G=[[1, 1, 1]], d=[d],
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


def test_draws_at_which_the_cost_is_infinite_are_counted() -> None:
    program = _program(po.Logarithm(C=["a"], e=-1.0), PIECES)
    answering, z = _answering(program, LAPLACE)
    found = plan_cost(answering, z)
    xi = answering.noise.sample(np.random.default_rng(19), 2048)[:, 0]
    bad = (np.abs(xi) >= 0.2).sum()
    assert found.without == bad > 0
    assert np.isfinite(found.value)
