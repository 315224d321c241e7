"""A request of epsilon is charged at most epsilon; ten times the query, ten times the noise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
import scipy.sparse as sp

import privopt as po
from privopt.errors import InputError
from privopt.noise.calibration import (
    query_sensitivity,
    smallest_scale,
)

Noise: TypeAlias = po.Laplace | po.TruncatedLaplace | po.Gaussian
NOISES: dict[str, Callable[..., Noise]] = {
    "laplace": lambda delta=0.0, **more: po.Laplace(**more),
    "truncated": po.TruncatedLaplace,
    "gaussian": po.Gaussian,
}
COMMON: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "alpha": 0.1}


def random_request(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Any units, dimension, query, budget and number of tries."""
    largest = -2.0 if kind == "gaussian" else -0.5  # OpenDP is slow to convert a large delta
    noise = NOISES[kind](
        epsilon=float(10 ** rng.uniform(-3, 1)),
        delta=float(10 ** rng.uniform(-9, largest)),
        alpha=float(10 ** rng.uniform(-6, 6)),
        sensitivity=po.Assumed(float(10 ** rng.uniform(-1, 1))),
    )
    size = int(rng.choice([1, 2, 3, 10, 35, 374]))
    S = sp.csr_array(rng.choice([1.0, -0.1, 7.3, 1e-3], size=(min(size, 3), 2)))
    Delta = query_sensitivity(noise, S)
    bound = None if rng.random() < 0.3 else Delta * float(10 ** rng.uniform(-2, 6))
    tries = int(rng.integers(1, 8))
    return {"noise": noise, "size": size, "Delta": Delta, "bound": bound, "tries": tries}


def charged(request: dict[str, Any]) -> tuple[Noise, Any]:
    noise: Noise = request["noise"]
    found = noise.calibrate(
        request["size"], request["Delta"], bound=request["bound"], tries=request["tries"]
    )
    assert Fraction(found.epsilon) <= Fraction(noise.epsilon), request
    assert Fraction(found.delta) <= Fraction(noise.delta), request
    assert found.scale > 0
    return noise, found


SEEDS = [(0, 0.2), *(pytest.param(seed, 1.0, marks=pytest.mark.slow) for seed in range(4))]


@pytest.mark.parametrize(("seed", "part"), SEEDS)
def test_laplace_is_charged_at_most_what_was_asked_and_hardly_less(seed: int, part: float) -> None:
    """2500 requests a seed, or a part of them; the l1 shift on the grid is Delta + p 2^k."""
    rng = np.random.default_rng(seed)
    for _ in range(round(2500 * part)):
        request = random_request(rng, "laplace")
        noise, found = charged(request)
        moved = Fraction(request["Delta"]) + request["size"] * Fraction(2) ** found.exponent
        loss = request["tries"] * moved / Fraction(found.scale)
        assert loss <= Fraction(found.epsilon)
        assert Fraction(found.epsilon) >= (1 - Fraction(1, 10**6)) * Fraction(noise.epsilon)


@pytest.mark.parametrize(("seed", "part"), SEEDS)
def test_truncated_laplace_is_charged_at_most_what_was_asked(seed: int, part: float) -> None:
    """2500 requests a seed; the proof needs exp(moved / scale) <= e^epsilon, f(moved) <= delta."""
    rng = np.random.default_rng(10 + seed)
    for _ in range(round(2500 * part)):
        request = random_request(rng, "truncated")
        noise, found = charged(request)
        moved = Fraction(request["Delta"]) + request["size"] * Fraction(2) ** found.exponent
        shift = moved / Fraction(found.scale)
        assert request["tries"] * shift <= Fraction(found.epsilon)
        assert Fraction(found.epsilon) >= (1 - Fraction(1, 10**6)) * Fraction(noise.epsilon)
        vanishing = math.expm1(float(shift)) / (2 * math.expm1(found.law.bound))
        assert request["tries"] * vanishing <= noise.delta * (1 + 1e-13)


@pytest.mark.parametrize(("seed", "part"), SEEDS)
def test_gaussian_is_charged_at_most_what_was_asked(seed: int, part: float) -> None:
    """75 requests a seed, or a part of them."""
    rng = np.random.default_rng(20 + seed)
    for _ in range(round(75 * part)):
        noise, found = charged(random_request(rng, "gaussian"))
        assert found.epsilon >= (1 - 1e-6) * noise.epsilon


@pytest.mark.parametrize("kind", NOISES)
def test_ten_times_the_query_gets_ten_times_the_noise(kind: str) -> None:
    noise = NOISES[kind](**COMMON)
    program = po.ConvexProgram(G=[[1.0, 1.0, 1.0, 1.0]])
    S = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, -0.3, 1.0, 0.0]])
    found = []
    for factor in (1.0, 10.0):
        matrix = po.Linear(factor * S).matrix(program)
        found.append(noise.calibrate(2, query_sensitivity(noise, matrix)))
    assert found[1].sensitivity == pytest.approx(10 * found[0].sensitivity, rel=1e-14)
    assert found[1].scale == pytest.approx(10 * found[0].scale, rel=1e-8)
    assert found[1].deviation == pytest.approx(10 * found[0].deviation, rel=1e-8)


@pytest.mark.parametrize("kind", NOISES)
def test_a_larger_alpha_or_factor_gets_more_noise(kind: str) -> None:
    S = sp.csr_array([[1.0, 0.0]])
    requests = [
        NOISES[kind](**COMMON),
        NOISES[kind](**(COMMON | {"alpha": 0.3})),
        NOISES[kind](**(COMMON | {"sensitivity": po.Assumed(3.0)})),
    ]
    plain, wider, assumed = (
        noise.calibrate(1, query_sensitivity(noise, S)).scale for noise in requests
    )
    assert wider == pytest.approx(3 * plain, rel=1e-8)
    assert assumed == pytest.approx(3 * plain, rel=1e-8)


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["epsilon", "alpha"])
def test_a_request_out_of_range_is_refused(kind: str, name: str, bad: float) -> None:
    with pytest.raises(InputError, match=f"{name} is"):
        NOISES[kind](**(COMMON | {name: bad}))


@pytest.mark.parametrize("kind", ["truncated", "gaussian"])
@pytest.mark.parametrize("bad", [0.0, -1e-5, 1.0, 2.0, math.nan])
def test_a_delta_out_of_range_is_refused(kind: str, bad: float) -> None:
    with pytest.raises(InputError, match="delta is"):
        NOISES[kind](**(COMMON | {"delta": bad}))


def test_truncated_noise_needs_delta_at_most_one_half() -> None:
    assert po.TruncatedLaplace(**(COMMON | {"delta": 0.5})).delta == 0.5
    with pytest.raises(InputError, match="delta is 0.6"):
        po.TruncatedLaplace(**(COMMON | {"delta": 0.6}))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("bad", [1.0, None, "1"])
def test_a_bare_number_is_no_sensitivity(kind: str, bad: object) -> None:
    """A factor without its provenance would make an epsilon without one."""
    with pytest.raises(InputError, match="Assumed"):
        NOISES[kind](**(COMMON | {"sensitivity": bad}))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("name", ["epsilon", "alpha"])
@pytest.mark.parametrize("bad", ["1", None])
def test_what_is_not_a_number_is_refused(kind: str, name: str, bad: object) -> None:
    with pytest.raises(InputError, match=f"{name} is"):
        NOISES[kind](**(COMMON | {name: bad}))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("change", [{"epsilon": 0.0}, {"alpha": 0.0}, {"epsilon": -1.0}])
def test_replace_refuses_what_the_constructor_refuses(kind: str, change: dict[str, float]) -> None:
    with pytest.raises(InputError):
        dataclasses.replace(NOISES[kind](**COMMON), **change)


@pytest.mark.parametrize("kind", NOISES)
def test_a_calibration_shows_its_numbers_and_compares_by_them(kind: str) -> None:
    noise = NOISES[kind](**COMMON)
    first, second, other = (noise.calibrate(size, 0.1) for size in (2, 2, 3))
    assert first == second
    assert first != other
    assert f"scale={first.scale!r}" in repr(first)


def test_the_smallest_scale_fits_and_hardly_more() -> None:
    limit = Fraction(1, 3)
    calls: list[float] = []

    def charge(scale: float) -> float:
        calls.append(scale)
        return 2.0 / scale + 1e-11

    scale = smallest_scale(charge, 6.0, limit)
    assert Fraction(charge(scale)) <= limit
    assert charge(scale * (1 - 1e-10)) > limit
    assert len(calls) < 20


def test_a_charge_that_never_fits_is_refused() -> None:
    with pytest.raises(InputError, match="no scale was found"):
        smallest_scale(lambda scale: 1.0 + 1e-20 * scale, 1.0, Fraction(1, 2))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.7, 1.0])
@pytest.mark.parametrize("tries", [1, 3])
def test_a_charge_is_not_above_epsilon_as_it_was_written(
    kind: str, epsilon: float, tries: int
) -> None:
    """The float 0.1 is above one tenth: ten releases charged at that exceed a limit of 1."""
    rng = np.random.default_rng(6)
    noise = NOISES[kind](epsilon=epsilon, delta=1e-5, alpha=0.1)
    for Delta in rng.uniform(0.001, 3, 12 if kind == "gaussian" else 40):
        made = noise.calibrate(3, float(Delta), tries=tries)
        assert Fraction(made.epsilon) <= Fraction(repr(epsilon))
        assert made.epsilon > 0.999 * epsilon
