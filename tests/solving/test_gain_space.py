"""Bases of gain and noise: what the equalities say holds for every number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.test_column_program import design_program

from privopt.solving.gain_space import GainSpaces, noise_space


@pytest.mark.parametrize("rank", [None, 0, 3])
@pytest.mark.parametrize("silent", [False, True])
def test_every_number_gives_a_gain(silent: bool, rank: int | None) -> None:
    made = design_program("14_ieee", silent=silent, rank=rank)
    data = made.scaled
    gain = data.gain
    assert gain is not None
    spaces = GainSpaces(data, gain, made.engine.models.near, made.limits)
    rng = np.random.default_rng(0)
    if rank:
        spaces.share(gain.start, rng.normal(size=gain.start.shape), rank)
    space = spaces.gain.space(data.directions.D, gain.start)
    K = gain.start + space.lift(rng.normal(size=(spaces.gain.basis.shape[-1], gain.columns)), 1.0)
    assert np.abs(data.G @ K - data.G @ gain.start).max() <= 1e-9
    if silent:
        assert np.abs(np.asarray(gain.query @ K)).max() <= 1e-9


def test_every_number_gives_a_recourse_of_any_level() -> None:
    data = design_program("14_ieee").scaled
    around, rng = noise_space(data), np.random.default_rng(0)
    M = rng.normal(size=(around.basis.shape[-1], data.noise_dimensions))
    Y = around.space(data.directions.D, data.base).lift(M, 0.7)
    assert np.abs(data.C @ Y).max() <= 1e-9
    # The cost of a change is the quadratic form, and there is no slope at the start.
    change = np.einsum("kj,kl,lj", M, around.curve, M)
    assert data.energy_of(Y, None, 0.7) == pytest.approx(0.49 * data.energy + change)


def test_a_gain_of_low_rank_has_few_numbers() -> None:
    for rank, numbers in ((None, 12), (0, 4)):
        made = design_program("14_ieee", rank=rank)
        gain = made.scaled.gain
        assert gain is not None
        spaces = GainSpaces(made.scaled, gain, made.engine.models.near, made.limits)
        assert spaces.gain.basis.shape[-1] == numbers


@pytest.mark.parametrize("part", [0.0, 1e-13, 3e-11, 1e-10, 1e-9, 1e-7])
def test_a_cost_of_what_is_fixed_leaves_the_rest_without_one(part: float) -> None:
    """C'C costs nothing where C Y = 0 but rounding, which may be negative; `part` of it does."""
    data = design_program("14_ieee").scaled
    C, rng = data.C.toarray(), np.random.default_rng(0)
    fixed = C.T @ C / np.abs(C.T @ C).max()
    along = rng.normal(size=C.shape[1])
    along /= np.linalg.norm(along)
    around = noise_space(
        replace(data, quadratic=sp.csr_array(fixed + part * np.outer(along, along)))
    )
    basis = around.basis
    assert np.linalg.matrix_rank(basis) == basis.shape[1] == C.shape[1] - np.linalg.matrix_rank(C)
    assert np.abs(C @ basis).max() <= 1e-12 * np.abs(basis).max()
    assert np.linalg.eigvalsh(around.curve).max() <= 2
    if part <= 1e-13:  # rounding: a basis of length one, and hardly a cost
        assert basis.T @ basis == pytest.approx(np.eye(basis.shape[1]), abs=1e-12)
        assert np.abs(around.curve).max() <= 1e-9
