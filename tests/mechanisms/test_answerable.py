"""Values that the equalities fix to something private cannot be decided: they would tell it."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import NotImplementableError

NOISE, BOX = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)


def decided(program: po.ConvexProgram, query: po.Sum | po.Identity) -> po.Decision:
    domain, q = po.Box(1.0, 2.0), len(program.private)
    sums = po.Instrument(np.ones((1, q)), program=program, privacy=NOISE, domain=domain)
    d = np.full(program.G.shape[0], 1.5)
    return po.decide(program, query, sums.measure(d), BOX)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_value_that_the_data_fix_is_refused(unit: float) -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 1.0], quadratic=[1.0, 0.5, 1.0], G=[[unit, unit, 0.0]], d=None,
        lower=-9.0 / unit, upper=9.0 / unit,
    )  # fmt: skip
    with pytest.raises(NotImplementableError, match="fix") as error:
        decided(program, po.Sum({"both": [0, 1], "other": [2]}))
    assert "both" in str(error.value)
    assert "other" not in error.value.released


def test_values_that_public_data_fix_together_are_decided() -> None:
    """z0 + z1 is fixed by public data: both cannot carry noise of their own, and need not."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 1.0, 0.5], quadratic=[1.0, 0.5, 1.0, 0.3],
        G=[[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]], d=[3.0, 0.0], private=[1],
        lower=-9.0, upper=9.0,
    )  # fmt: skip
    query = po.Identity([0, 1])
    with pytest.raises(NotImplementableError):
        po.solve(program, query, NOISE, BOX)
    found = decided(program, query)
    assert found.values.sum() == pytest.approx(3.0, abs=1e-9)
    np.testing.assert_allclose(found.complete([3.0, 1.5]).z[:2], found.values, atol=1e-6)
