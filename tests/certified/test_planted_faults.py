"""Faults planted in privopt: each must be caught by the check that is there for it.

A check that finds nothing on sound code proves little; here it finds what was broken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.certified.checks import BrokenError, check_measurement, check_privacy
from tests.certified.neighbours import of_one_entry
from tests.certified.stored import read
from tests.certified.test_density import FALSE_ALARM, NOISES, surprise
from tests.kernel.instruments import program

import privopt as po
from privopt.kernel.fixed import FixedMap
from privopt.kernel.instrument import Instrument
from privopt.kernel.noisy_map import NoisyMap
from privopt.noise import secure

Patch = pytest.MonkeyPatch
LAPLACE, GAUSSIAN, TRUNCATED = NOISES["laplace"], NOISES["gaussian"], NOISES["truncated"]
BOTH = [[1.0, 0.4], [0.5, 1.0]]
FINE = po.Laplace(epsilon=8.0, alpha=0.1)  # its grid is finer than that of d
ONE = [[1.0, 0.3]]  # follows one entry much more than the other


def check(noise: Any, sums: Any, folder: Path) -> None:
    """Every check of this folder, on one instrument."""
    box = po.Box([0.0, 1.0], [1.0, 3.0])
    one = Instrument(sums, program=program(2), privacy=noise, domain=box)
    path = folder / "instrument.json"
    one.save(path)
    stored, rng = read(path), np.random.default_rng(0)
    check_measurement(one, path, [pair[0] for pair in of_one_entry(stored, rng, 60)])
    check_privacy(path, of_one_entry(stored, rng, 300))
    if surprise(one, stored, 1000) <= FALSE_ALARM:
        raise BrokenError("measurement: the noise is not that of the file")


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_sound_code_passes(noise: Any, tmp_path: Path) -> None:
    check(noise, BOTH, tmp_path)


def wrong_norm(patch: Patch) -> None:
    """The map's distance is measured in l2 where Laplace noise needs l1."""
    true = FixedMap.sensitivity

    def sensitivity(self: FixedMap, relation: Any, order: int, k: int) -> float:
        return true(self, relation, 2, k)

    patch.setattr(FixedMap, "sensitivity", sensitivity)


def wrong_norm_of_the_noise(patch: Patch) -> None:
    """Laplace noise says it hides l2 distances: the map follows it."""
    patch.setattr(po.Laplace, "order", property(lambda self: 2))


def forgotten_entry(patch: Patch) -> None:
    """The entry of d that moves the sums most is left out of the sensitivity."""
    true = FixedMap.steps

    def steps(self: FixedMap, relation: Any) -> list[int]:
        found = true(self, relation)
        sizes = [sum(abs(int(v)) for v in column) for column in self.matrix.T]
        found[int(np.argmax(sizes))] = 0
        return found

    patch.setattr(FixedMap, "steps", steps)


def uncounted_rounding_of_d(patch: Patch) -> None:
    """Neighbours are thought to be alpha apart on the grid of d, without the step of rounding."""
    true = FixedMap.steps

    def steps(self: FixedMap, relation: Any) -> list[int]:
        return [max(step - 1, 0) for step in true(self, relation)]

    patch.setattr(FixedMap, "steps", steps)


def small_scale(family: Any, patch: Patch) -> None:
    """The noise is 1% too small for its sensitivity."""
    true = family.calibrate

    def calibrate(self: Any, size: int, Delta: float, **more: Any) -> Any:
        found = true(self, size, Delta, **more)
        scale = 0.99 * found.scale
        keywords = {**found.draw.keywords, "scale": scale}
        return dataclasses.replace(found, scale=scale, draw=partial(found.draw.func, **keywords))

    patch.setattr(family, "calibrate", calibrate)


def early_cut(patch: Patch) -> None:
    """Truncated noise is cut at 90% of its bound: delta is larger than charged."""
    true = po.TruncatedLaplace.calibrate

    def calibrate(self: Any, size: int, Delta: float, **more: Any) -> Any:
        found = true(self, size, Delta, **more)
        law = dataclasses.replace(found.law, bound=0.9 * found.law.bound)
        return dataclasses.replace(found, law=law)

    patch.setattr(po.TruncatedLaplace, "calibrate", calibrate)


def small_draws(patch: Patch) -> None:
    """The file is sound, but the sampler draws noise of 3/4 of its scale."""
    true = secure.laplace

    def laplace(values: np.ndarray, scale: float, k: int) -> np.ndarray:
        return true(values, 0.75 * scale, k)

    patch.setattr(secure, "laplace", laplace)


def no_clamp(patch: Patch) -> None:
    """A measurement takes d as it is, outside the domain too."""

    def clamped(self: FixedMap, d: np.ndarray) -> np.ndarray:
        return np.rint(np.ldexp(np.clip(d, -100, 100), self.coarse)).astype(np.int64)

    patch.setattr(FixedMap, "clamped", clamped)


def other_entries(patch: Patch) -> None:
    """A measurement reads the private entries in the wrong order."""
    true = NoisyMap.entries

    def entries(self: NoisyMap, d: Any) -> np.ndarray:
        return true(self, d)[::-1]

    patch.setattr(NoisyMap, "entries", entries)


@pytest.mark.parametrize(
    ("plant", "noise", "sums", "caught"),
    [
        (wrong_norm, LAPLACE, BOTH, "times the charged sensitivity"),
        (wrong_norm_of_the_noise, LAPLACE, BOTH, "times the charged sensitivity"),
        (forgotten_entry, LAPLACE, BOTH, "times the charged sensitivity"),
        (forgotten_entry, GAUSSIAN, ONE, "times the charged sensitivity"),
        (uncounted_rounding_of_d, FINE, BOTH, "times the charged sensitivity"),
        (partial(small_scale, po.Laplace), LAPLACE, BOTH, "more than charged"),
        (partial(small_scale, po.TruncatedLaplace), TRUNCATED, BOTH, "more than charged"),
        (partial(small_scale, po.Gaussian), GAUSSIAN, BOTH, "more than charged"),
        (early_cut, TRUNCATED, BOTH, "cut elsewhere"),
        (small_draws, LAPLACE, BOTH, "noise is not that of the file"),
        (no_clamp, LAPLACE, BOTH, "values before the noise"),
        (other_entries, LAPLACE, BOTH, "values before the noise"),
    ],
    ids=[
        "l2-for-l1-in-the-map",
        "l2-for-l1-in-the-noise",
        "entry-forgotten",
        "entry-forgotten-gaussian",
        "rounding-of-d",
        "scale-1%-laplace",
        "scale-1%-truncated",
        "scale-1%-gaussian",
        "cut-too-early",
        "sampler-draws-less",
        "no-clamp",
        "wrong-entries",
    ],
)
def test_a_planted_fault_is_caught(
    plant: Callable[[Patch], None],
    noise: Any,
    sums: Any,
    caught: str,
    tmp_path: Path,
    monkeypatch: Patch,
) -> None:
    plant(monkeypatch)
    with pytest.raises(BrokenError, match=caught):
        check(noise, sums, tmp_path)
