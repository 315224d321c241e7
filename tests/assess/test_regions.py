"""The pieces are all there: known counts, and every solution met at random belongs to one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.assess.programs import anything, over, shares
from tests.assess.sources import exact, floats

from privopt.assess.regions import enumerate_regions
from privopt.errors import SolverError
from privopt.solving.solver import Settings


@pytest.mark.parametrize("source", [floats, exact])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_independent_parts_multiply(count: int, source: Any) -> None:
    form = over(shares(count), 0.0, 6.0)
    found = enumerate_regions(source(form, *range(0, 2 * count, 2)), room=np.full(2 * count, 1e6))
    assert (len(found.pieces), found.end, found.whole) == (3**count, "complete", True)
    for piece in found.pieces:  # of x, the first of each pair: a half where no limit binds, else 0
        slopes = piece.slopes / 3
        assert np.minimum(slopes, np.abs(slopes - 0.5)).max() < 1e-6


@pytest.mark.parametrize("source", [floats, exact])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("free", [1, 2, 4])
def test_every_solution_belongs_to_a_piece(seed: int, free: int, source: Any) -> None:
    """With one free direction every row depends on every other: rows change places."""
    form = over(anything(seed, private=3, free=free), -1.0, 1.0)
    looked = source(form, 0)
    found = enumerate_regions(looked)
    assert found.end == "complete"
    known = {piece.rows for piece in found.pieces}
    rng = np.random.default_rng(seed)
    for k in range(150):
        v = rng.uniform(-1, 1, 3) if k % 2 else np.sign(rng.normal(size=3))
        assert tuple(looked.binding(v)) in known


@pytest.mark.parametrize("seed", range(4))
def test_pieces_agree_with_the_solver_and_meet_at_their_borders(seed: int) -> None:
    program = anything(seed)
    form = over(program, -1.0, 1.0)
    previous = None
    for v in np.linspace([-1.0, -0.5], [1.0, 0.3], 60):
        law = form.binding(v)
        if form.rho * law.at(v).max(initial=0.0) > 1e-6:  # no solution keeps its rows
            previous = None
            continue
        z = form.point(law, v)
        assert z == pytest.approx(program.solve(d=v).z, abs=1e-5)
        if previous is not None:
            assert np.abs(z - previous).max() < 1.0  # continuous: 1/60 of the way, slopes below 30
        previous = z


def test_limits_end_the_search() -> None:
    form = over(shares(3), 0.0, 6.0)
    assert enumerate_regions(floats(form, 0), limit=5).end == "limit"
    assert len(enumerate_regions(floats(form, 0), limit=5).pieces) == 5
    late = Settings(time_limit=1.0).started(itertools.count().__next__)  # a second a look
    assert enumerate_regions(floats(form, 0), settings=late).end == "time"


def test_a_piece_is_made_of_numbers() -> None:
    form = over(shares(1), 0.0, 6.0)
    piece = floats(form, 0).piece(frozenset())
    for name in ("c", "g", "doubt", "slopes"):
        for bad in (np.nan, np.inf):
            part = np.array(getattr(piece, name))
            part.flat[0] = bad
            with pytest.raises(SolverError, match="no float can hold"):
                replace(piece, **{name: part})
    with pytest.raises(SolverError, match="no float can hold"):
        replace(piece, values=float("nan"))
