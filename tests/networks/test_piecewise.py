"""A piecewise-linear cost is the least variable above its pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.networks.cases import branch, bus, gen, piecewise, polynomial, write

import privopt as po
from privopt.networks.piecewise import rows_above


def test_the_least_cost_above_the_rows_is_that_of_the_points(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2, 1, 50.0)],
        [gen(1, 200.0), gen(2, 90.0)],
        [branch(1, 2)],
        [polynomial(0.0, 3.0, 0.0), piecewise(0, 5, 30, 305, 60, 905, 90, 1805)],
    )
    rows, right, names = rows_above(po.networks.load(path), 4, 3)
    assert names == ["piece[2,1]", "piece[2,2]", "piece[2,3]"]
    matrix = rows.toarray()
    assert not matrix[:, [0, 2]].any()
    assert (matrix[:, 3] == -1).all()
    for megawatts in (0.0, 12.0, 30.0, 47.0, 60.0, 88.0):
        least = float(np.max(matrix[:, 1] * megawatts / 100 - right))
        assert np.isclose(least, np.interp(megawatts, [0, 30, 60, 90], [5, 305, 905, 1805]))
