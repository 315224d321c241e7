"""The check of a sparse gain says what the check of the same gain says where it is dense."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.robust.test_checking import Case, case

from privopt.solving.robust.checking import Checked, check
from privopt.solving.robust.sparse_checking import check_sparse


def both(one: Case, implied: tuple[np.ndarray, np.ndarray] | None = None) -> Checked:
    """What both say; they agree on what holds, and on how far equalities are off."""
    A, b = implied or (np.zeros((0, one.A.shape[1])), np.zeros(0))
    given = (
        sp.csr_array(one.A), one.b, sp.csr_array(one.G), one.target, sp.csr_array(one.F), one.z0,
    )  # fmt: skip
    rest = (one.m, one.region, (sp.csr_array(A), b))
    sparse = check_sparse(*given, sp.csr_array(one.K), *rest)
    dense = check(*given, one.K, *rest)
    assert sparse.off == dense.off
    assert sparse.excess == pytest.approx(dense.excess, rel=1e-6, abs=1e-10)  # of floats
    assert (sparse.excess <= 0) == (dense.excess <= 0)
    return sparse


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("seed", range(9))
def test_what_passes_holds_at_every_vertex(seed: int, best: bool) -> None:
    one = case(seed, best=best)
    holes = np.random.default_rng(seed).random(one.K.shape) < 0.4
    K = np.where(holes, 0.0, one.K)
    one = replace(
        one, K=K, F=one.G @ K, b=one.A @ one.z0 + one.region.bound(one.A @ K, one.m) + 1e-9
    )
    found = both(one)
    assert found.excess <= 0
    assert found.off == 0
    assert max(one.worst()) <= Fraction(found.excess)


@pytest.mark.parametrize("seed", range(6))
def test_a_row_that_is_exceeded_at_a_vertex_never_passes(seed: int) -> None:
    one = case(seed)
    worst = one.worst()
    i = int(np.argmax([float(value) for value in worst]))
    b = one.b.copy()
    b[i] += float(worst[i]) - 1e-13
    assert both(replace(one, b=b)).excess > 0


@pytest.mark.parametrize("part", ["z0", "K", "target", "F"])
def test_an_equality_that_does_not_hold_is_seen(part: str) -> None:
    one = case(2)
    moved = getattr(one, part).copy()
    moved.flat[0] += 2.0**-20
    assert both(replace(one, **{part: moved})).off > 1e-8


@pytest.mark.parametrize("part", ["z0", "K", "m"])
def test_what_is_no_number_proves_nothing(part: str) -> None:
    one = case(1)
    broken = getattr(one, part).copy()
    broken.flat[0] = np.nan
    one = replace(one, **{part: broken})
    assert both(one) == Checked(np.inf, np.inf)


def test_rows_that_equalities_imply_count_with_them() -> None:
    one = case(4)
    reach = one.G[:1] @ one.z0 + np.abs(one.G[:1] @ one.K) @ one.region.half
    assert both(one, (one.G[:1], reach)).off == 0
    assert both(one, (one.G[:1], reach - 0.25)).off > 0.01


def test_numbers_far_below_one_are_added_up() -> None:
    one = case(3)
    small = replace(one, K=2.0**-300 * one.K, F=2.0**-300 * one.F)
    assert both(small).off == 0
