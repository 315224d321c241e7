"""Least-norm corrections and null-space parts, against the pseudo-inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.solving.projector import Projector

steady = settings(deadline=None, max_examples=40, derandomize=True)


def system(seed: int, rows: int, rank: int, n: int, spread: float) -> Any:
    """A matrix of the given rank, rows in units that differ by 10^spread."""
    rng = np.random.default_rng(seed)
    rank = min(rows, rank, n)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0][:rank]
    mix = rng.normal(size=(rows, rank))
    mix[:rank] += 3 * np.eye(rank)
    return 10.0 ** rng.uniform(-spread, spread, size=(rows, 1)) * (mix @ basis)


@steady
@given(
    seed=st.integers(0, 1000),
    rows=st.integers(1, 6),
    rank=st.integers(1, 6),
    n=st.integers(1, 8),
    spread=st.sampled_from([0.0, 3.0]),
)
def test_the_correction_is_the_least_norm_solution(
    seed: int, rows: int, rank: int, n: int, spread: float
) -> None:
    """Also for dependent rows, as long as the system has a solution."""
    C = system(seed, rows, rank, n, spread)
    x = np.random.default_rng(seed).normal(size=(n, 2))
    found = Projector(sp.csr_array(C)).correction(C @ x)
    sizes = np.linalg.norm(C, axis=1)[:, None]
    assert (C @ found) / sizes == pytest.approx((C @ x) / sizes, abs=1e-9)
    unit = C / sizes
    wanted = np.linalg.pinv(unit, rcond=1e-10) @ (unit @ x)
    assert found == pytest.approx(wanted, abs=1e-6)


@steady
@given(
    seed=st.integers(0, 1000),
    rows=st.integers(1, 6),
    rank=st.integers(1, 6),
    n=st.integers(1, 8),
    spread=st.sampled_from([0.0, 3.0]),
)
def test_the_null_part_is_the_projection(
    seed: int, rows: int, rank: int, n: int, spread: float
) -> None:
    C = system(seed, rows, rank, n, spread)
    unit = C / np.linalg.norm(C, axis=1)[:, None]
    v = np.random.default_rng(seed).normal(size=n)
    projector = Projector(sp.csr_array(C))
    found = projector.null_part(v)
    wanted = v - np.linalg.pinv(unit, rcond=1e-10) @ (unit @ v)
    assert found == pytest.approx(wanted, abs=1e-6)
    assert projector.null_part(found) == pytest.approx(found, abs=1e-9)


def test_vectors_and_columns_are_treated_alike() -> None:
    C = sp.csr_array(system(3, 3, 3, 6, 2.0))
    v = np.random.default_rng(0).normal(size=(6, 4))
    projector = Projector(C)
    whole, parts = projector.correction(C @ v), projector.null_part(v)
    for k in range(4):
        assert whole[:, k] == pytest.approx(projector.correction(C @ v[:, k]), abs=1e-12)
        assert parts[:, k] == pytest.approx(projector.null_part(v[:, k]), abs=1e-12)


def test_a_network_whose_demands_balance() -> None:
    """Node balances of a ring with chords: rows add up to zero, so one of them is redundant."""
    rng = np.random.default_rng(0)
    nodes, lines = 60, 90
    start = np.concatenate([np.arange(nodes), rng.integers(0, nodes, lines - nodes)])
    end = np.concatenate(
        [(np.arange(nodes) + 1) % nodes, (start[nodes:] + rng.integers(1, nodes, 30)) % nodes]
    )
    C = np.zeros((nodes, lines))
    C[start, np.arange(lines)] += 1.0
    C[end, np.arange(lines)] -= 1.0
    assert np.linalg.matrix_rank(C) < nodes
    demand = rng.normal(size=nodes)
    demand -= demand.mean()
    found = Projector(sp.csr_array(C)).correction(demand)
    assert C @ found == pytest.approx(demand, abs=1e-10)
    assert found == pytest.approx(np.linalg.lstsq(C, demand)[0], abs=1e-7)


def test_repeated_and_empty_rows_are_allowed() -> None:
    C = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    projector = Projector(sp.csr_array(C))
    assert projector.correction(np.array([2.0, 4.0, 0.0])) == pytest.approx([1.0, 1.0, 0.0])
    assert projector.null_part(np.array([3.0, 1.0, 5.0])) == pytest.approx([1.0, -1.0, 5.0])
