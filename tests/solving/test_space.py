"""Spaces of changes of the recourse: all describe the same set, or the part that can be optimal."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.cases import network_chance

from privopt.solving.response import Response
from privopt.solving.space import Border, Space


def least(space: Space, wanted: np.ndarray) -> tuple[float, np.ndarray]:
    """min tr(X'HX) with M L X = wanted and K X = 0, one column; its cost and Y."""
    H = space.quadratic.toarray()
    E = np.vstack([space.rows.toarray(), space.K.toarray()])
    right = np.concatenate([wanted, np.zeros(space.K.shape[0])])
    k = H.shape[0]
    system = np.block([[2 * H, E.T], [E, np.zeros((len(E), len(E)))]])
    x = np.linalg.lstsq(system, np.concatenate([np.zeros(k), right]), rcond=None)[0][:k]
    assert np.abs(E @ x - right).max() <= 1e-8
    return float(x @ H @ x), space.lift(x[:, None])[:, 0]


@pytest.mark.parametrize("name", ["14_ieee", "39_epri", "57_ieee"])
def test_the_answering_space_is_the_plain_one(name: str) -> None:
    chance = network_chance(name)
    data, movable = chance.scaled, chance.engine.models.movable
    lines = np.flatnonzero((np.diff(data.directions.D.indptr) > 1) & movable)[:2]
    M = data.directions.D[lines]
    plain = Space.plain(data.C, M, data.quadratic)
    answers = Response(data.C, data.quadratic, np.zeros(0, dtype=np.intp))
    answering = answers.space(M, np.zeros((data.C.shape[1], 1)))
    assert answering.rows.shape[1] <= len(lines)
    wanted = np.random.default_rng(0).normal(size=len(lines))
    cost, Y = least(plain, wanted)
    found, changed = least(answering, wanted)
    assert found == pytest.approx(cost, rel=1e-6)
    assert np.abs(data.C @ changed).max() <= 1e-8
    np.testing.assert_allclose(M @ changed, wanted, atol=1e-7)
    np.testing.assert_allclose(changed, Y, atol=1e-5 * np.abs(Y).max())


@pytest.mark.parametrize("seed", range(10))
def test_an_equality_that_follows_is_no_further_condition(seed: int) -> None:
    """Without the first variables nothing is left of equalities that others imply."""
    rng = np.random.default_rng(seed)
    given = rng.normal(size=(3, 8))
    C = sp.csr_array(np.vstack([given, rng.normal(size=(1, 3)) @ given]))
    border = Border.of(C, np.arange(3))
    assert border is not None
    assert not len(border.balance(sp.csr_array(C[:, 3:])))
