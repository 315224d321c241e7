"""Margins: the support function of each form of noise set, by brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.noise.laplace_sum import quantile
from privopt.solving.margins import Cuboid, Margins

steady = settings(deadline=None, max_examples=40, derandomize=True)
shapes = {"seed": st.integers(0, 1000), "rows": st.integers(0, 5), "p": st.integers(1, 4)}


def data(seed: int, rows: int, p: int) -> tuple[Any, Cuboid]:
    rng = np.random.default_rng(seed)
    low = rng.normal(size=p)
    return rng.normal(size=(rows, p)), Cuboid(low, low + rng.exponential(size=p))


@steady
@given(**shapes)
def test_the_support_of_a_box_is_its_worst_vertex(seed: int, rows: int, p: int) -> None:
    a, box = data(seed, rows, p)
    vertices = np.array(list(itertools.product(*zip(box.low, box.high, strict=True))))
    worst = (a @ vertices.T).max(axis=1)
    assert box.support(a) == pytest.approx(worst)
    assert Margins(box=box).value(a, 1.0) == pytest.approx(worst)


@steady
@given(**shapes)
def test_draws_are_covered_one_by_one(seed: int, rows: int, p: int) -> None:
    a, _ = data(seed, rows, p)
    draws = np.random.default_rng(seed + 1).normal(size=(30, p))
    wanted = [max(float(row @ xi) for xi in draws) for row in a]
    assert Margins(draws=draws).value(a, 1.0) == pytest.approx(wanted)


def test_draws_over_many_rows_keep_their_order() -> None:
    rng = np.random.default_rng(0)
    a, draws = rng.normal(size=(500, 3)), rng.normal(size=(20, 3))
    assert Margins(draws=draws).value(a, 1.0) == pytest.approx((a @ draws.T).max(axis=1))


@steady
@given(**shapes)
def test_the_two_norm_counts_standard_deviations(seed: int, rows: int, p: int) -> None:
    a, _ = data(seed, rows, p)
    factors = np.linspace(1.0, 2.0, rows)
    wanted = [k * 1.5 * float(np.sqrt(sum(x * x for x in row))) for k, row in zip(factors, a)]  # noqa: B905
    assert Margins(deviations=factors).value(a, 1.5) == pytest.approx(wanted)


def test_a_smooth_norm_is_its_own_value_whatever_models_it() -> None:
    a = np.array([[1.0, 1.0], [0.0, 2.0]])
    eta = np.array([0.05, 0.1])
    margins = Margins(deviations=np.zeros(2), norm=lambda rows, a: quantile(a, eta[rows]))
    assert margins.value(a, 1.0) == pytest.approx(quantile(a, eta)[0])


@steady
@given(seed=st.integers(0, 1000), factor=st.sampled_from([0.0, 0.5, 7.0]))
def test_every_margin_is_positively_homogeneous(seed: int, factor: float) -> None:
    a, box = data(seed, 4, 3)
    draws = np.random.default_rng(seed + 1).normal(size=(10, 3))
    for margins in (Margins(box=box), Margins(draws=draws), Margins(deviations=np.ones(4))):
        assert margins.value(factor * a, 1.5) == pytest.approx(factor * margins.value(a, 1.5))
