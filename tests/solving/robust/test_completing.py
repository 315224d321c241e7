"""Solutions that have given values: equalities and values hold, whatever is left free."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solving.robust.cases import Scaled
from tests.solving.robust.test_deciding import case

import privopt as po
from privopt.solving.robust.completing import Completing


@pytest.mark.parametrize("seed", range(4))
def test_every_such_x_has_the_values_and_keeps_the_equalities(seed: int) -> None:
    one, rng = case(seed), np.random.default_rng(seed)
    units = Scaled.of(one.program, one.S, one.region.middle)
    parts = Completing(units.small, units.query)
    assert parts.free
    targets = rng.normal(size=(3, len(units.middle)))
    q, y = rng.normal(size=len(one.S)), rng.normal(size=parts.Z.shape[1])
    for t, base in zip(targets, parts.base(targets), strict=True):
        x = base + parts.R @ q + parts.Z @ y
        np.testing.assert_allclose(units.small.E @ x, units.small.N @ t, atol=1e-9)
        z = units.small.lift(x[None], t[None])[0]
        np.testing.assert_allclose(units.query @ z, q, atol=1e-9)


def test_values_that_depend_on_each_other_are_not_free() -> None:
    one = po.ConvexProgram(linear=[1.0, 1, 1], quadratic=[1.0, 1, 1], G=[[1.0, 1, 1]], d=[1.0])
    units = Scaled.of(one, np.ones((1, 3)), np.ones(1))
    assert not Completing(units.small, units.query).free
