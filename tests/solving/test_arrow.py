"""Programs of two parts: what a start keeps of a point of a program with fewer directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.solving.arrow import Arrow, MeanPart, Overlap
from privopt.solving.box_columns import BoxColumns
from privopt.solving.interior import InnerOptimum, Start, interior_point
from privopt.solving.normal import NormalEquations

N, WAYS, COLUMNS, NUMBERS = 6, 7, 3, 4


class Made:
    """|z| small under rows +-D z <= 1, with margins for columns in some directions."""

    def __init__(self, working: list[int]) -> None:
        rng = np.random.default_rng(0)
        D: Any = sp.csr_array(rng.normal(size=(WAYS, N)))
        A, eye = sp.csr_array(sp.vstack([D, -D])), sp.csr_array(sp.eye_array(N))
        G = sp.csr_array(rng.normal(size=(1, N)))
        root, fixed = rng.normal(size=(WAYS, NUMBERS)), rng.normal(size=(COLUMNS, WAYS))
        self.working = np.array(working, dtype=np.intp)
        place = np.full(WAYS, -1, dtype=np.intp)
        place[self.working] = np.arange(len(working))
        place = np.tile(place, 2)
        self.which, alone = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        group, factor = place[self.which], np.repeat([1.0, -1.0], len(working))
        count, w = len(group), self.working
        mean = MeanPart(
            linear=rng.normal(size=N), P=eye, A=A, D=D[w], G=G, d=np.array([0.3]),
            normal=NormalEquations(eye, A, G), alone=alone, bound=np.full(len(alone), 4.0),
            group=group, factor=factor,
        )  # fmt: skip
        self.columns = BoxColumns(
            root=root[w], curve=np.eye(NUMBERS), weight=np.ones(COLUMNS), fixed=fixed[:, w],
            half=np.full((COLUMNS, len(w)), 0.5), middle=np.zeros(COLUMNS), group=group,
            size=np.abs(factor), tilt=factor,
        )  # fmt: skip
        self.arrow = Arrow(mean, self.columns, np.full(count, 4.0))

    def start(self, before: Made | None = None, point: Start | None = None) -> Start:
        """Anywhere, or with what is kept of a point."""
        z, numbers, y, kept = np.zeros(N), np.zeros((COLUMNS, NUMBERS)), None, None
        if before is not None and point is not None:
            z, own = before.arrow.split(point.x)
            numbers, y = before.columns.parts(own)[0], point.y
            _, *ways = np.intersect1d(before.working, self.working, return_indices=True)
            _, *rows = np.intersect1d(before.which, self.which, return_indices=True)
            kept = Overlap(before.arrow, point, (ways[0], ways[1]), (rows[0], rows[1]))
        prices = np.full(len(self.arrow.mean.limits), 0.1), np.full(len(self.which), 0.1)
        return self.arrow.start(z, numbers, prices, 1.0, y, kept)


def solved(made: Made, start: Start, tolerance: float) -> InnerOptimum:
    found = interior_point(made.arrow, start, tolerance)
    assert found is not None
    return found


def test_a_point_of_the_same_program_is_kept_whole() -> None:
    made, again = Made([0, 2, 3, 5]), Made([0, 2, 3, 5])
    point = solved(made, made.start(), 1e-3).start
    kept = again.start(made, point)
    assert kept.x == pytest.approx(point.x)
    assert kept.slack == pytest.approx(point.slack)
    assert kept.dual == pytest.approx(point.dual)


@pytest.mark.parametrize("more", [[0, 1, 2, 3, 5], [0, 2, 3, 4, 5, 6], [2, 3, 6]])
def test_with_other_directions_the_rest_stays_as_it_is(more: list[int]) -> None:
    made, grown = Made([0, 2, 3, 5]), Made(more)
    point = solved(made, made.start(), 1e-3).start
    kept = grown.start(made, point)
    off = grown.arrow.apart(grown.arrow.rows(kept.x) + kept.slack - grown.arrow.b)
    assert np.abs(off[1]).max() <= 1e-6
    if set(more) >= {0, 2, 3, 5}:
        old = np.isin(grown.which, made.which)
        assert np.abs(off[2][old]).max() <= 0.05
    whole = solved(grown, grown.start(), 1e-10)
    assert solved(grown, kept, 1e-10).value == pytest.approx(whole.value, rel=1e-8)
