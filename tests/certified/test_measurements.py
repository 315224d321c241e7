"""Measurements from their saved files: the law of y on its grid, at neighbours of every relation.

y = q + noise, q exact fractions from the file. Laplace: ln P(v | d) - ln P(v | d') at every output
v is (|v - q'|_1 - |v - q|_1) / scale, largest at v = q. Truncated: the same where both laws live,
and delta is the mass where one vanishes. Gaussian: by the delta of the continuous law. Nothing of
privopt judges.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.certified import checks, laws
from tests.certified.stored import Noise, Stored, exact_distance, power, read
from tests.certified.test_density import outputs
from tests.certified.test_owners import instrument, pairs
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


def stored_of(one: Instrument, folder: Path) -> Stored:
    """The instrument within the file of a measurement: what a reader of that file has."""
    low, high = one.domain
    d = np.zeros(len(one.kernel.data_names))
    d[one.kernel.private] = 0.5 * (low + high)
    one.measure(d).save(folder / "measurement.json")
    inside = json.loads((folder / "measurement.json").read_text())["instrument"]
    (folder / "inside.json").write_text(json.dumps(inside))
    return read(folder / "inside.json")


def noise_of(stored: Stored) -> Noise:
    assert stored.noise is not None
    return stored.noise


@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_density_ratio_is_at_most_e_to_the_epsilon(
    relation: str, r: int, tmp_path: Path
) -> None:
    asked = po.Laplace(epsilon=1.0, **RELATIONS[relation])
    one = Instrument(SUMS[r], program=program(4), privacy=asked, domain=po.Box(0.5, 1.3))
    stored = stored_of(one, tmp_path)
    noise, largest = noise_of(stored), Fraction(0)
    for first, second in pairs(stored, np.random.default_rng(r), 60):
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
    noise, largest = noise_of(stored), 0.0
    K = laws.truncation(noise, stored.asked_epsilon, stored.asked_delta)
    for first, second in pairs(stored, np.random.default_rng(r), 60):
        both = zip(stored.values(first), stored.values(second), strict=True)
        shift = [int((a - b) / power(noise.exponent)) for a, b in both]
        assert sum(map(abs, shift)) * power(noise.exponent) / noise.scale <= stored.asked_epsilon
        lost = laws.vanishing(noise, K, shift)
        assert Fraction(lost) <= stored.asked_delta
        largest = max(largest, float(lost))
    assert largest > 0.9 * float(stored.asked_delta) / r


def check_charges(folder: Path, count: int, each: int) -> None:
    """Random instruments and relations: the charge covers the noise, and every pair its charge."""
    rng = np.random.default_rng(1818)
    for _ in range(count):
        stored = stored_of(instrument(rng), folder)
        noise = noise_of(stored)
        checks.check_charge(stored, noise)
        for first, second in pairs(stored, rng, each):
            moved = exact_distance(stored, first, second)
            assert moved.within(noise.sensitivity, stored.order)
            if stored.kind == "TruncatedLaplace":
                checks.check_vanishing(stored, noise, first, second)


@pytest.mark.long
def test_the_charge_covers_every_neighbour(tmp_path: Path) -> None:
    check_charges(tmp_path, 40, 12)


@pytest.mark.slow
def test_the_charge_covers_sixty_neighbours_of_each_of_a_thousand(tmp_path: Path) -> None:
    check_charges(tmp_path, 1000, 60)


def test_a_smaller_charge_would_be_seen(tmp_path: Path) -> None:
    """Noise a thousandth too small, or calibrated to half of an owner's entries, is caught."""
    asked = po.Laplace(epsilon=1.0, **RELATIONS["owners"])
    one = Instrument(SUMS[2], program=program(4), privacy=asked, domain=po.Box(0.5, 1.3))
    stored_of(one, tmp_path)
    data = json.loads((tmp_path / "inside.json").read_text())
    for name in ("scale", "sensitivity"):
        less = data["calibration"] | {name: 0.999 * data["calibration"][name]}
        (tmp_path / "less.json").write_text(json.dumps(data | {"calibration": less}))
        stored = read(tmp_path / "less.json")
        some = list(pairs(stored, np.random.default_rng(0), 60))
        within = all(
            exact_distance(stored, a, b).within(noise_of(stored).sensitivity, 1) for a, b in some
        )
        covered = noise_of(stored).sensitivity / noise_of(stored).scale <= noise_of(stored).epsilon
        assert not (within and covered)
