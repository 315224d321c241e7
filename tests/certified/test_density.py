"""The law of a release on its grid, computed from the stored numbers, at neighbours.

Laplace: ln P(v | d) - ln P(v | d') = (|v - q'|_1 - |v - q|_1) / scale at every output v, which is
largest, |q - q'|_1 / scale, at v = q. Truncated: the same where both live, and delta is the mass
where one vanishes. Then releases are drawn: they must follow that law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm
from tests.certified import laws
from tests.certified.programs import Case, neighbours
from tests.certified.stored import Noise, Stored, power, read

import privopt as po

ROWS = po.Analytic(eta=0.05, margin="unimodal")
NOISES: dict[str, tuple[Any, Any]] = {
    "laplace": (po.Laplace(epsilon=1.0, alpha=0.1), ROWS),
    "truncated": (po.TruncatedLaplace(epsilon=1.0, delta=1e-2, alpha=0.1), po.Always()),
    "gaussian": (po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1), ROWS),
}
DRAWS, BINS = 2000, 24
FALSE_ALARM = 1e-6 / 6  # six tests of the sampler: a false alarm in a million runs of the suite


def small(kind: str, p: int) -> Case:
    """Two demands met by four supplies, of which p are released."""
    noise, feasibility = NOISES[kind]
    return Case(
        linear=np.array([1.0, 2.0, 3.0, 4.0]), quadratic=np.diag([0.5, 0.5, 0.5, 0.5]),
        A=np.zeros((0, 4)), b=np.zeros(0), lower=np.full(4, -40.0), upper=np.full(4, 40.0),
        G=np.array([[1.0, 1.0, 0.0, 0.3], [0.0, 0.4, 1.0, 1.0]]), d=np.zeros(2),
        private=np.arange(2), S=np.eye(4)[[1, 3]][:p], low=np.array([0.0, 1.0]),
        high=np.array([1.0, 3.0]), noise=noise, feasibility=feasibility, fidelity=10.0,
    )  # fmt: skip


def designed(kind: str, p: int, folder: Path) -> tuple[po.Policy, Stored, Noise]:
    policy = small(kind, p).design()
    policy.save(folder / "policy.json")
    stored = read(folder / "policy.json")
    assert stored.noise is not None
    return policy, stored, stored.noise


def outputs(first: list[Fraction], second: list[Fraction], cell: Fraction) -> Any:
    """Outputs of every kind: left and right of both values, at them, and between."""
    each: list[list[Fraction]] = []
    for a, b in zip(first, second, strict=True):
        low, high = min(a, b), max(a, b)
        middle = low + (high - low) // (2 * cell) * cell
        each.append([low - 3 * cell, low - 10**9 * cell, low, middle, high, high + cell])
    return itertools.product(*each)


@pytest.mark.parametrize("p", [1, 2])
def test_the_density_ratio_is_at_most_e_to_the_epsilon(p: int, tmp_path: Path) -> None:
    _, stored, noise = designed("laplace", p, tmp_path)
    cell, largest = power(noise.exponent), Fraction(0)
    for first, second in neighbours(stored, np.random.default_rng(p), 60):
        q, r = stored.values(first), stored.values(second)
        top = sum((abs(a - b) for a, b in zip(q, r, strict=True)), Fraction(0)) / noise.scale
        for v in outputs(q, r, cell):
            loss = sum(
                (abs(x - b) - abs(x - a) for x, a, b in zip(v, q, r, strict=True)), Fraction(0)
            )
            assert abs(loss / noise.scale) <= top
        assert top <= stored.asked_epsilon
        largest = max(largest, top)
    assert largest > stored.asked_epsilon * Fraction(1 - 1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_the_truncated_law_is_epsilon_delta_private(p: int, tmp_path: Path) -> None:
    _, stored, noise = designed("truncated", p, tmp_path)
    cell = power(noise.exponent)
    K = laws.truncation(noise, stored.asked_epsilon, stored.asked_delta)
    largest = 0.0
    for first, second in neighbours(stored, np.random.default_rng(p), 60):
        pairs = zip(stored.values(first), stored.values(second), strict=True)
        shift = [int((a - b) / cell) for a, b in pairs]
        # Where both live the ratio is at most e^epsilon, so delta is the mass where one vanishes.
        assert sum(map(abs, shift)) * cell / noise.scale <= stored.asked_epsilon
        lost = laws.vanishing(noise, K, shift)
        assert Fraction(lost) <= stored.asked_delta
        largest = max(largest, float(lost))
    assert largest > 0.99 * float(stored.asked_delta) / p


@pytest.mark.parametrize("shift", [(0,), (1,), (4,), (3, 1), (-2, 2), (0, 5)])
def test_the_closed_form_by_direct_summation(shift: tuple[int, ...]) -> None:
    """All outputs of a coarse law: sum of (P - e^epsilon P')+ is the mass where P' vanishes."""
    noise = Noise(len(shift), Fraction(0), Fraction(5), 0, Fraction(0), Fraction(0))
    K, r = 9, math.exp(-1 / 5)
    epsilon = sum(map(abs, shift)) / 5
    whole = sum(r ** abs(i) for i in range(-K, K + 1))

    def mass(v: tuple[int, ...], center: tuple[int, ...]) -> float:
        apart = [abs(a - b) for a, b in zip(v, center, strict=True)]
        return math.prod(r**a / whole if a <= K else 0.0 for a in apart)

    zero = (0,) * len(shift)
    every = itertools.product(range(-K - 6, K + 7), repeat=len(shift))
    excess = sum(
        max(mass(v, zero) - math.exp(epsilon + 1e-12) * mass(v, shift), 0.0) for v in every
    )
    assert laws.vanishing(noise, K, shift) == pytest.approx(Decimal(excess), abs=Decimal("1e-10"))


def below(stored: Stored, noise: Noise) -> Callable[[np.ndarray], np.ndarray]:
    """P(noise <= x) at grid points x, from the stored numbers."""
    scale, cell = float(noise.scale), float(power(noise.exponent))
    if stored.kind == "Gaussian":
        return lambda x: norm.cdf((x + cell / 2) / scale)
    r = math.exp(-cell / scale)

    def laplace(x: np.ndarray) -> np.ndarray:
        up = np.exp(-(np.abs(x) + cell) / scale) / (1 + r)
        return np.where(x >= 0, 1 - up, np.exp(-np.abs(x) / scale) / (1 + r))

    if stored.kind == "Laplace":
        return laplace
    B = np.array([laws.cut(stored, noise)])
    left, right = laplace(-B - cell), laplace(B)
    return lambda x: np.clip((laplace(x) - left) / (right - left), 0.0, 1.0)


def surprise(policy: po.Policy, stored: Stored, noise: Noise, draws: int = DRAWS) -> float:
    """p-value of the chi-square test of releases against the law of the file, at one d."""
    private = [0.37, 2.9]
    center = np.array([float(v) for v in stored.values(private)])
    seen = np.array([policy.release(np.array(private)).values for _ in range(draws)]) - center
    steps = np.ldexp(seen, -noise.exponent)
    assert (steps == np.rint(steps)).all()
    shares = below(stored, noise)(seen)  # uniform on [0, 1], up to a step of the grid
    cells = np.minimum((shares * BINS).astype(int), BINS - 1)
    if cells.shape[1] == 2:  # both at once: independence is tested too
        counts = np.histogram2d(cells[:, 0], cells[:, 1], bins=BINS // 4)[0].ravel()
    else:
        counts = np.bincount(cells[:, 0], minlength=BINS).astype(float)
    expected = draws / len(counts)
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))


@pytest.mark.long
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("kind", NOISES)
def test_releases_follow_the_law_of_the_file(kind: str, p: int, tmp_path: Path) -> None:
    """Chi-square over bins of equal probability; false alarms below 1e-6 for the six of them."""
    policy, stored, noise = designed(kind, p, tmp_path)
    assert surprise(policy, stored, noise) > FALSE_ALARM
