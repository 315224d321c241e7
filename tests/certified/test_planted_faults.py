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
from tests.certified.checks import (
    BrokenError,
    check_feasibility,
    check_privacy,
    check_public,
    check_release,
)
from tests.certified.programs import Case, neighbours
from tests.certified.stored import read
from tests.certified.test_density import FALSE_ALARM, surprise

import privopt as po
from privopt.kernel.fixed import FixedMap
from privopt.kernel.policy import PolicyKernel
from privopt.mechanisms.private_data import PrivateData
from privopt.noise import secure

Patch = pytest.MonkeyPatch
LAPLACE = po.Laplace(epsilon=8.0, alpha=0.1)
GAUSSIAN = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
TRUNCATED = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
ROWS = po.Analytic(eta=0.05, margin="unimodal")


def case(noise: Any = LAPLACE, kind: Any = ROWS) -> Case:
    """Two private demands, four supplies; both released ones follow both demands; limits bind."""
    return Case(
        linear=np.array([1.0, 2.0, 3.0, 4.0]), quadratic=np.diag([0.5, 0.5, 0.5, 0.5]),
        A=np.zeros((0, 4)), b=np.zeros(0), lower=np.full(4, -40.0),
        upper=np.array([0.1, 40.0, 40.0, 40.0]),
        G=np.array([[1.0, 1.0, 0.0, 0.5], [0.0, 0.4, 1.0, 1.0]]), d=np.array([0.4, 1.7]),
        private=np.arange(2), S=np.eye(4)[[1, 3]], low=np.array([0.0, 1.0]),
        high=np.array([1.0, 3.0]), noise=noise, feasibility=kind, fidelity=100.0,
    )  # fmt: skip


# One value, which follows one demand much more than the other.
ONE_VALUE = dataclasses.replace(case(GAUSSIAN), S=np.eye(4)[[1]])


def check(given: Case, folder: Path) -> None:
    """Every check of this folder, on one design."""
    policy = given.design()
    path = folder / "policy.json"
    policy.save(path)
    stored, rng = read(path), np.random.default_rng(0)
    assert stored.noise is not None
    check_release(policy, path, [pair[0] for pair in neighbours(stored, rng, 60)])
    check_privacy(path, neighbours(stored, rng, 300))
    check_feasibility(path, given)
    if surprise(policy, stored, stored.noise, 1000) <= FALSE_ALARM:
        raise BrokenError("release: the noise is not that of the file")

    def made(d: np.ndarray) -> Path:
        program = po.ConvexProgram(**given.parts(), d=d)
        found = folder / f"{d[0]}.json"
        given.design(program).save(found)
        return found

    check_public(made, given.d, np.array([0.9, 1.1]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("noise", "kind"),
    [(LAPLACE, ROWS), (GAUSSIAN, po.ExactBox(eta=0.1)), (TRUNCATED, po.Always())],
    ids=["laplace", "gaussian", "truncated"],
)
def test_sound_code_passes(noise: Any, kind: Any, tmp_path: Path) -> None:
    check(case(noise, kind), tmp_path)


def wrong_norm(patch: Patch) -> None:
    """The map's distance is measured in l2 where Laplace noise needs l1."""
    true = FixedMap.sensitivity

    def sensitivity(self: FixedMap, alpha: float, order: int, k: int) -> float:
        return true(self, alpha, 2, k)

    patch.setattr(FixedMap, "sensitivity", sensitivity)


def wrong_norm_of_the_noise(patch: Patch) -> None:
    """Laplace noise says it hides l2 distances: design and map follow it."""
    patch.setattr(po.Laplace, "order", property(lambda self: 2))


def forgotten_entry(patch: Patch) -> None:
    """The entry of d that moves the release most is left out of the sensitivity."""
    true = FixedMap.steps

    def steps(self: FixedMap, alpha: float) -> list[int]:
        found = true(self, alpha)
        sizes = [sum(abs(int(v)) for v in column) for column in self.matrix.T]
        found[int(np.argmax(sizes))] = 0
        return found

    patch.setattr(FixedMap, "steps", steps)


def uncounted_rounding_of_d(patch: Patch) -> None:
    """Neighbours are thought to be alpha apart on the grid of d, without the step of rounding."""
    true = FixedMap.steps

    def steps(self: FixedMap, alpha: float) -> list[int]:
        return [max(step - 1, 0) for step in true(self, alpha)]

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
    """A release takes d as it is, outside the domain too."""

    def clamped(self: FixedMap, d: np.ndarray) -> np.ndarray:
        return np.rint(np.ldexp(np.clip(d, -100, 100), self.coarse)).astype(np.int64)

    patch.setattr(FixedMap, "clamped", clamped)


def other_entries(patch: Patch) -> None:
    """A release reads the private entries in the wrong order."""
    true = PolicyKernel.entries

    def entries(self: PolicyKernel, d: Any) -> np.ndarray:
        return true(self, d)[::-1]

    patch.setattr(PolicyKernel, "entries", entries)


def narrow_domain(patch: Patch) -> None:
    """Rows are kept at the mean of the domain only: |A K| w is next to nothing."""
    true = PrivateData.specification

    def specification(self: PrivateData, *given: Any, **named: Any) -> Any:
        found = true(self, *given, **named)
        return dataclasses.replace(found, low=1e-3 * found.low, high=1e-3 * found.high)

    patch.setattr(PrivateData, "specification", specification)


def narrow_margin(patch: Patch) -> None:
    """The margin of the noise is that of twice the eta."""
    true = po.Analytic.row_eta
    patch.setattr(po.Analytic, "row_eta", lambda self, rows: 2 * true(self, rows))


def mean_from_d(patch: Patch) -> None:
    """The prior is centred at the true d: offset and gain depend on it."""
    true = PrivateData.__init__

    def init(self: PrivateData, program: po.ConvexProgram, *given: Any) -> None:
        true(self, program, *given)
        self.mean = np.clip(program.d[program.private], self.lower, self.upper)

    patch.setattr(PrivateData, "__init__", init)


@pytest.mark.parametrize(
    ("plant", "given", "caught"),
    [
        (wrong_norm, case(), "times the charged sensitivity"),
        (wrong_norm_of_the_noise, case(), "times the charged sensitivity"),
        (forgotten_entry, case(), "times the charged sensitivity"),
        (forgotten_entry, ONE_VALUE, "times the charged sensitivity"),
        (uncounted_rounding_of_d, case(), "times the charged sensitivity"),
        (partial(small_scale, po.Laplace), case(), "more than charged"),
        (partial(small_scale, po.TruncatedLaplace), case(TRUNCATED), "more than charged"),
        (partial(small_scale, po.Gaussian), case(GAUSSIAN), "more than charged"),
        (early_cut, case(TRUNCATED), "cut elsewhere"),
        (small_draws, case(), "noise is not that of the file"),
        (no_clamp, case(), "values before the noise"),
        (other_entries, case(), "values before the noise"),
        (narrow_domain, case(), "a row is exceeded"),
        (narrow_margin, case(), "a row is exceeded"),
        (mean_from_d, case(), "the file depends on d"),
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
        "no-domain-in-the-margin",
        "margin-of-another-eta",
        "design-reads-d",
    ],
)
def test_a_planted_fault_is_caught(
    plant: Callable[[Patch], None],
    given: Case,
    caught: str,
    tmp_path: Path,
    monkeypatch: Patch,
) -> None:
    plant(monkeypatch)
    with pytest.raises(BrokenError, match=caught):
        check(given, tmp_path)


class Guarded(po.ConvexProgram):
    """A program whose d may not be read."""

    @property
    def d(self) -> np.ndarray:
        """Nobody's business."""
        raise BrokenError("public: d was read")


def test_a_design_does_not_read_d() -> None:
    given = case()
    assert given.design(Guarded(**given.parts(), d=given.d)).cost > 0


def test_a_design_that_reads_d_is_caught(monkeypatch: Patch) -> None:
    mean_from_d(monkeypatch)
    given = case()
    with pytest.raises(BrokenError, match="d was read"):
        given.design(Guarded(**given.parts(), d=given.d))
