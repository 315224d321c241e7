"""Violation of a plan's limits by a simulation of our own.

100 000 draws. A claim "with probability at most eta" is rejected where a binomial count this large
has a probability below 1e-6 in all (one-sided, split over the counts of a test). Seeds are fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import privopt as po

DRAWS, FALSE_ALARM, ETA = 100_000, 1e-6, 0.05
ROUNDING = 1e-8  # of a row's size: what the library calls rounding
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
TRUNCATED = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
CUT = po.TruncatedLaplace(epsilon=1.0, delta=0.02, alpha=0.1)  # 4% of Laplace cut off
ROW_CLAIMS: dict[str, tuple[Any, Any]] = {
    "laplace-exact": (LAPLACE, po.Analytic(eta=ETA)),
    "laplace-unimodal": (LAPLACE, po.Analytic(eta=ETA, margin="unimodal")),
    "gaussian-exact": (GAUSSIAN, po.Analytic(eta=ETA)),
    "truncated-exact": (CUT, po.Analytic(eta=ETA)),
}
JOINT_CLAIMS: dict[str, tuple[Any, Any]] = {
    "laplace-box": (LAPLACE, po.ExactBox(eta=ETA)),
    "gaussian-box": (GAUSSIAN, po.ExactBox(eta=ETA)),
    "truncated-box": (CUT, po.ExactBox(eta=ETA)),
    "laplace-joint": (LAPLACE, po.Joint(eta=ETA, beta=0.001)),
    "laplace-bonferroni": (LAPLACE, po.Analytic(eta=ETA, scope="joint")),
}
TIGHT = {"laplace-exact", "gaussian-exact"}  # these spend their eta


def tight() -> tuple[po.ConvexProgram, po.Identity]:
    """Three demands, seven supplies, three released, every supply between tight limits."""
    rng = np.random.default_rng(5)
    program = po.ConvexProgram(
        linear=rng.uniform(4, 8, 7), quadratic=rng.uniform(0.5, 1, 7), A=rng.normal(size=(3, 7)),
        b=np.full(3, 6.0), lower=-2.0, upper=2.0,
        G=np.hstack([np.eye(3), rng.uniform(0.2, 1, (3, 4))]), d=[0.9, -0.4, 0.7],
    )  # fmt: skip
    return program, po.Identity([3, 4, 5])


def paper() -> tuple[po.ConvexProgram, po.Identity]:
    one: Any = po.experiments.instance("5_pjm", 0)
    return one.program, one.query


PROGRAMS = {"5_pjm": paper, "tight": tight}


def violated(which: str, noise: Any, kind: Any) -> np.ndarray:
    """Whether each row (column) is beyond its limit at each draw of the noise."""
    program, query = PROGRAMS[which]()
    plan = po.solve(program, query, noise, kind)
    eye, low, high = np.eye(program.n), np.isfinite(program.lower), np.isfinite(program.upper)
    A = np.vstack([program.A.toarray(), -eye[low], eye[high]])
    b = np.concatenate([program.b, -program.lower[low], program.upper[high]])
    z, Z, scale = plan.expected, np.asarray(plan.recourse), plan.calibration.scale
    rng, shape = np.random.default_rng(0), (DRAWS, Z.shape[1])
    if isinstance(noise, po.Gaussian):
        xi = scale * rng.normal(size=shape)
    else:
        most = 0.0 if isinstance(noise, po.Laplace) else np.expm1(noise.epsilon) / 2 / noise.delta
        inside = most / (1 + most) if most else 1.0  # the cut is at scale ln(1 + most)
        size = -np.log1p(-inside * rng.random(shape))
        xi = scale * size * rng.choice([-1.0, 1.0], shape)
    reach = np.abs(z) + np.abs(Z).sum(axis=1) * scale
    allowed = ROUNDING * (np.abs(b) + np.abs(A) @ np.maximum(reach, 1e-6 * reach.max()))
    return np.asarray(xi @ (A @ Z).T > b - A @ z + allowed)


def plausible(counts: Any, eta: float) -> bool:
    """Whether no count speaks against a probability of at most eta."""
    counts = np.asarray(counts)
    return bool((binom.sf(counts - 1, DRAWS, eta) >= FALSE_ALARM / counts.size).all())


@pytest.mark.parametrize("which", PROGRAMS)
@pytest.mark.parametrize("name", ROW_CLAIMS)
def test_each_row_within_eta(name: str, which: str) -> None:
    counts = violated(which, *ROW_CLAIMS[name]).sum(axis=0)
    assert plausible(counts, ETA)
    if name in TIGHT and which == "tight":
        assert not plausible(counts, 0.9 * ETA)


@pytest.mark.long
@pytest.mark.parametrize("which", PROGRAMS)
@pytest.mark.parametrize("name", JOINT_CLAIMS)
def test_all_rows_within_eta(name: str, which: str) -> None:
    assert plausible(violated(which, *JOINT_CLAIMS[name]).any(axis=1).sum(), ETA)


@pytest.mark.parametrize("which", PROGRAMS)
def test_always_is_always(which: str) -> None:
    assert not violated(which, TRUNCATED, po.Always()).any()


def test_too_many_are_noticed() -> None:
    """The test can fail: 6% is not 5%."""
    rng = np.random.default_rng(0)
    assert plausible(rng.binomial(DRAWS, ETA, 20), ETA)
    assert not plausible(rng.binomial(DRAWS, 1.2 * ETA, 20), ETA)
