"""Violation by a simulation of our own, at the worst vertices of the domain and at random points.

100 000 draws. A claim "with probability at most eta" is rejected where a binomial count this large
has a probability below 1e-6 in all (one-sided, split over the counts of a test). Seeds are fixed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from tests.certified import laws
from tests.certified.checks import ROUNDING
from tests.certified.programs import Case, of_instance
from tests.certified.stored import Noise, Stored, read

import privopt as po

DRAWS, FALSE_ALARM, ETA = 100_000, 1e-6, 0.05
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


def tight_case(noise: Any, kind: Any) -> Case:
    """Three demands, seven supplies, three released, every supply between tight limits."""
    rng = np.random.default_rng(5)
    G = np.hstack([np.eye(3), rng.uniform(0.2, 1, (3, 4))])
    return Case(
        linear=rng.uniform(1, 2, 7), quadratic=np.diag(rng.uniform(0.5, 1, 7)),
        A=rng.normal(size=(3, 7)), b=np.full(3, 3.0), lower=np.full(7, -1.0), upper=np.full(7, 1.0),
        G=G, d=np.zeros(3), private=np.arange(3), S=np.eye(7)[3:6], low=np.array([0.0, -0.5, 0.5]),
        high=np.array([1.0, 0.5, 1.0]), noise=noise, feasibility=kind, floor=0.4,
    )  # fmt: skip


def case(which: str, noise: Any, kind: Any) -> Case:
    if which == "tight":
        return tight_case(noise, kind)
    return of_instance(po.experiments.instance(which, 0), noise, kind, floor=0.5)


def drawn(rng: np.random.Generator, stored: Stored, noise: Noise) -> np.ndarray:
    """Noise of the file, one draw a row."""
    scale, shape = float(noise.scale), (DRAWS, noise.size)
    if stored.kind == "Gaussian":
        return scale * rng.normal(size=shape)
    inside = 1.0
    if stored.kind == "TruncatedLaplace":
        inside = -np.expm1(-laws.cut(stored, noise) / scale)
    size = -np.log1p(-inside * rng.random(shape))
    return scale * size * rng.choice([-1.0, 1.0], shape)


class Simulated:
    """Counts of violation of one policy."""

    def __init__(self, case: Case, path: Path) -> None:
        case.design().save(path)
        stored = read(path)
        assert stored.noise is not None
        z0, K = np.array(stored.whole["offset"]), np.array(stored.whole["gain"])
        Z = np.array(stored.whole["recourse"]) / float(stored.whole["sensitivity"])
        A, b = case.rows()
        self.half = 0.5 * (case.high - case.low)
        self.slack, self.gain = b - A @ z0, A @ K
        rng = np.random.default_rng(0)
        self.noise = drawn(rng, stored, stored.noise) @ (A @ Z).T
        size = (
            np.abs(z0) + np.abs(K) @ self.half + np.abs(Z).sum(axis=1) * float(stored.noise.scale)
        )
        size = np.maximum(size, 1e-6 * size.max())  # variables fixed at zero have rounding too
        self.slack = self.slack + ROUNDING * (np.abs(b) + np.abs(A) @ size)
        self.somewhere = rng.uniform(-self.half, self.half, (DRAWS, len(self.half))) @ self.gain.T

    def rows(self) -> np.ndarray:
        """For each row: violations at its worst vertex."""
        return (self.noise > self.slack - np.abs(self.gain) @ self.half).sum(axis=0)

    def rows_at_random(self) -> np.ndarray:
        """For each row: violations at random points."""
        return (self.noise + self.somewhere > self.slack).sum(axis=0)

    def joint(self) -> list[int]:
        """Violations of any row: at the vertices that are worst for some row, at random points."""
        vertices = np.unique(np.where(self.gain >= 0, 1.0, -1.0) * self.half, axis=0)
        found = [int((self.noise + self.gain @ u > self.slack).any(axis=1).sum()) for u in vertices]
        return [*found, int((self.noise + self.somewhere > self.slack).any(axis=1).sum())]


def plausible(counts: Any, eta: float) -> bool:
    """Whether no count speaks against a probability of at most eta."""
    counts = np.asarray(counts)
    return bool((binom.sf(counts - 1, DRAWS, eta) >= FALSE_ALARM / counts.size).all())


@pytest.mark.parametrize("which", ["5_pjm", "tight"])
@pytest.mark.parametrize("name", ROW_CLAIMS)
def test_each_row_within_eta(name: str, which: str, tmp_path: Path) -> None:
    seen = Simulated(case(which, *ROW_CLAIMS[name]), tmp_path / "policy.json")
    at_worst = seen.rows()
    assert plausible(at_worst, ETA)
    assert plausible(seen.rows_at_random(), ETA)
    if name in TIGHT and which == "tight":
        assert not plausible(at_worst, 0.9 * ETA)


@pytest.mark.long
@pytest.mark.parametrize("which", ["5_pjm", "tight"])
@pytest.mark.parametrize("name", JOINT_CLAIMS)
def test_all_rows_within_eta(name: str, which: str, tmp_path: Path) -> None:
    seen = Simulated(case(which, *JOINT_CLAIMS[name]), tmp_path / "policy.json")
    assert plausible(seen.joint(), ETA)


@pytest.mark.parametrize("which", ["5_pjm", "tight"])
def test_always_is_always(which: str, tmp_path: Path) -> None:
    seen = Simulated(case(which, TRUNCATED, po.Always()), tmp_path / "policy.json")
    assert max(seen.joint()) == 0
    assert seen.rows().max() == 0


def test_too_many_are_noticed() -> None:
    """The test can fail: 6% is not 5%."""
    rng = np.random.default_rng(0)
    assert plausible(rng.binomial(DRAWS, ETA, 20), ETA)
    assert not plausible(rng.binomial(DRAWS, 1.2 * ETA, 20), ETA)
