"""Bases of gain and noise: what the equalities say holds for every number."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.test_gain_columns import design_program

from privopt.solving.gain_space import Spaces


@pytest.mark.parametrize("rank", [None, 0, 3])
@pytest.mark.parametrize("silent", [False, True])
def test_every_number_gives_a_gain(silent: bool, rank: int | None) -> None:
    made = design_program("14_ieee", silent=silent)
    data = made._data
    spaces = Spaces(data, made._near, silent=silent, rank=rank)
    rng = np.random.default_rng(0)
    if rank:
        shape = data.gain.shape
        spaces.share(data.gain, rng.normal(size=shape), rank)
    N = rng.normal(size=(data.private, spaces.gain.basis.shape[-1]))
    K = spaces.gain.lift(N)
    assert np.abs(data.G @ K - data.G @ data.gain).max() <= 1e-9
    if silent:
        assert np.abs(np.asarray(data.query @ K)).max() <= 1e-9
    M = rng.normal(size=(data.released, spaces.noise.basis.shape[-1]))
    Z = spaces.noise.lift(M)
    assert np.abs(data.G @ Z).max() <= 1e-9
    assert np.abs(data.query @ Z - np.eye(data.released)).max() <= 1e-9
    # The cost of a change is the quadratic form, and there is no slope at the start.
    cost = float((Z * (data.quadratic @ Z)).sum())
    start = float((spaces.noise.start * (data.quadratic @ spaces.noise.start)).sum())
    assert cost == pytest.approx(start + np.einsum("jk,kl,jl", M, spaces.noise.curve, M))


def test_a_gain_of_low_rank_has_few_numbers() -> None:
    made = design_program("14_ieee")
    full = Spaces(made._data, made._near, silent=False, rank=None)
    few = Spaces(made._data, made._near, silent=False, rank=0)
    assert few.gain.basis.shape[-1] == 4
    assert full.gain.basis.shape[-1] == 12
