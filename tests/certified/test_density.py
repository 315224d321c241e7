"""The law of a measurement on its grid, computed from the file, at neighbours of every relation.

y = q + noise, q exact fractions from the file. Laplace: ln P(v | d) - ln P(v | d') at every output
v is (|v - q'|_1 - |v - q|_1) / scale, largest, |q - q'|_1 / scale, at v = q. Truncated: the same
where both laws live, and delta is the mass where one vanishes. Nothing of privopt judges. Then
measurements are drawn: they must follow that law.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, norm
from tests.certified import laws
from tests.certified.neighbours import Pair, of_one_entry, of_one_owner
from tests.certified.stored import Noise, Stored, exact_distance, power, read
from tests.kernel.instruments import program

import privopt as po
from privopt.kernel.instrument import Instrument

RELATIONS = {
    "plain": {"alpha": 0.1},
    "by entry": {"alpha": [0.1, 0.2, 0.05, 0.1]},
    "owners": {"alpha": 0.1, "owners": [0, 0, 1, 1]},
    "total": {"alpha": [0.1, 0.2, 0.05, 0.1], "owners": [0, 0, 0, 1], "change": "total"},
}
SUMS = {1: [[1.0, 1.0, 1.0, 1.0]], 2: [[1.0, 1.0, 0.0, -1.0], [0.0, 0.5, 1.0, 1.0]]}
NOISES: dict[str, Any] = {
    "laplace": po.Laplace(epsilon=1.0, alpha=0.1),
    "truncated": po.TruncatedLaplace(epsilon=1.0, delta=1e-2, alpha=0.1),
    "gaussian": po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1),
}
DRAWS, BINS = 2000, 24
FALSE_ALARM = 1e-6 / 6  # six tests of the sampler: a false alarm in a million runs of the suite


def stored_of(one: Instrument, folder: Path) -> Stored:
    """The instrument within the file of a measurement: what a reader of that file has."""
    low, high = one.domain
    d = np.zeros(len(one.kernel.data_names))
    d[one.kernel.private] = 0.5 * (low + high)
    one.measure(d).save(folder / "measurement.json")
    whole = json.loads((folder / "measurement.json").read_text())
    (folder / "inside.json").write_text(json.dumps(whole["parts"][whole["instrument"]]))
    return read(folder / "inside.json")


def adversaries(stored: Stored, seed: int) -> Iterator[Pair]:
    rng = np.random.default_rng(seed)
    yield from of_one_owner(stored, rng, 60)
    if stored.owners == [[j] for j in range(len(stored.low))] and len(set(stored.alphas)) == 1:
        yield from of_one_entry(stored, rng, 60)


def outputs(first: list[Fraction], second: list[Fraction], cell: Fraction) -> Any:
    """Outputs of every kind: left and right of both values, at them, and between."""
    each: list[list[Fraction]] = []
    for a, b in zip(first, second, strict=True):
        low, high = min(a, b), max(a, b)
        middle = low + (high - low) // (2 * cell) * cell
        each.append([low - 3 * cell, low - 10**9 * cell, low, middle, high, high + cell])
    return itertools.product(*each)


@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_density_ratio_is_at_most_e_to_the_epsilon(
    relation: str, r: int, tmp_path: Path
) -> None:
    asked = po.Laplace(epsilon=1.0, **RELATIONS[relation])
    one = Instrument(SUMS[r], program=program(4), privacy=asked, domain=po.Box(0.5, 1.3))
    stored = stored_of(one, tmp_path)
    noise, largest = stored.noise, Fraction(0)
    for first, second in adversaries(stored, r):
        q, other = stored.values(first), stored.values(second)
        top = exact_distance(stored, first, second).l1 / noise.scale
        for v in outputs(q, other, power(noise.exponent)):
            there = zip(v, q, other, strict=True)
            loss = sum((abs(x - b) - abs(x - a) for x, a, b in there), Fraction(0))
            assert abs(loss / noise.scale) <= top
        assert top <= noise.epsilon <= stored.asked_epsilon
        largest = max(largest, top)
    assert largest > stored.asked_epsilon * Fraction(999, 1000)  # and no more noise than that


@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_truncated_law_is_epsilon_delta_private(relation: str, r: int, tmp_path: Path) -> None:
    asked = po.TruncatedLaplace(epsilon=1.0, delta=1e-2, **RELATIONS[relation])
    one = Instrument(SUMS[r], program=program(4), privacy=asked, domain=po.Box(0.5, 1.3))
    stored = stored_of(one, tmp_path)
    noise, largest = stored.noise, 0.0
    K = laws.truncation(noise, stored.asked_epsilon, stored.asked_delta)
    for first, second in adversaries(stored, r):
        both = zip(stored.values(first), stored.values(second), strict=True)
        shift = [int((a - b) / power(noise.exponent)) for a, b in both]
        assert sum(map(abs, shift)) * power(noise.exponent) / noise.scale <= stored.asked_epsilon
        lost = laws.vanishing(noise, K, shift)
        assert Fraction(lost) <= stored.asked_delta
        largest = max(largest, float(lost))
    assert largest > 0.9 * float(stored.asked_delta) / r


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


def below(stored: Stored) -> Callable[[np.ndarray], np.ndarray]:
    """P(noise <= x) at grid points x, from the stored numbers."""
    noise = stored.noise
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


def surprise(instrument: Instrument, stored: Stored, draws: int = DRAWS) -> float:
    """p-value of the chi-square test of measurements against the law of the file, at one d."""
    private, noise = [0.37, 2.9], stored.noise
    center = np.array([float(v) for v in stored.values(private)])
    seen = np.array([instrument.measure(private).values for _ in range(draws)]) - center
    steps = np.ldexp(seen, -noise.exponent)
    assert (steps == np.rint(steps)).all()
    shares = below(stored)(seen)  # uniform on [0, 1], up to a step of the grid
    cells = np.minimum((shares * BINS).astype(int), BINS - 1)
    if cells.shape[1] == 2:  # both at once: independence is tested too
        counts = np.histogram2d(cells[:, 0], cells[:, 1], bins=BINS // 4)[0].ravel()
    else:
        counts = np.bincount(cells[:, 0], minlength=BINS).astype(float)
    expected = draws / len(counts)
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))


@pytest.mark.long
@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("kind", NOISES)
def test_measurements_follow_the_law_of_the_file(kind: str, r: int, tmp_path: Path) -> None:
    """Chi-square over bins of equal probability; false alarms below 1e-6 for the six of them."""
    sums, box = [[1.0, 0.4], [0.5, 1.0]][:r], po.Box([0.0, 1.0], [1.0, 3.0])
    one = Instrument(sums, program=program(2), privacy=NOISES[kind], domain=box)
    assert surprise(one, stored_of(one, tmp_path)) > FALSE_ALARM
