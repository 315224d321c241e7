"""The pieces are all there: known counts, and every solution met at random belongs to one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.assess.programs import anything, over, shares

from privopt.assess import polytope as module
from privopt.assess import regions
from privopt.assess.moves import farthest
from privopt.assess.pieces import ExactPieces, FloatPieces, Pieces
from privopt.assess.polytope import alike, chord, conditions, longest, polytope_of
from privopt.assess.regions import enumerate_regions
from privopt.errors import SolverError
from privopt.solving.distance import LeastDistance
from privopt.solving.solution_map import SolutionMap
from privopt.solving.solver import Settings


def released(form: LeastDistance, *which: int) -> Any:
    return sp.csr_array(np.eye(len(form.offset))[list(which)])


def floats(form: LeastDistance, *which: int, order: int = 1) -> FloatPieces:
    return FloatPieces(form, released(form, *which), order)


def exact(form: LeastDistance, *which: int, order: int = 1) -> ExactPieces:
    """The box from -1 to 1 in the units of v itself."""
    ends = np.ones(form.size)
    return ExactPieces(SolutionMap.of(form, -ends, ends), released(form, *which), order)


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


@pytest.mark.parametrize("source", [floats, exact])
def test_lengths_of_pieces_are_those_of_the_segments(source: Any) -> None:
    """d from 0 to 6 is v from -1 to 1; the pieces of `shares` are each a third of it."""
    form = over(shares(1), 0.0, 6.0)
    for piece in enumerate_regions(source(form, 0)).pieces:
        assert longest(piece, 0) == pytest.approx(2 / 3, abs=1e-6)


@pytest.mark.parametrize("source", [floats, exact])
def test_steep_pieces_first(source: Any) -> None:
    """x + y = d: y moves by 1/2 in the middle third, by 1 outside; S releases y."""
    pieces = enumerate_regions(source(over(shares(1), 0.0, 6.0), 1)).pieces
    for step, wanted in [(0.1, 0.3), (2 / 3, 2.0), (4 / 3, 4.0), (2.0, 5.0)]:
        assert farthest(pieces, np.array([step])) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("source", [floats, exact])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_no_pair_of_a_dense_grid_lies_further_apart(seed: int, order: int, source: Any) -> None:
    form = over(anything(seed, private=2, free=2), -1.0, 1.0)
    looked: Pieces = source(form, 0, 1, 2, order=order)
    found = enumerate_regions(looked)
    step = 2 / 30
    bound = farthest(found.pieces, np.full(2, step))

    def values(v: Any) -> Any:
        return form.point(form.binding(v), v)[:3] if np.abs(v).max() <= 1 else np.full(3, np.nan)

    axis = np.linspace(-1, 1, 31)
    grid = np.array([[values(np.array([a, b])) for b in axis] for a in axis])
    pairs = [np.diff(grid, axis=side).reshape(-1, 3) for side in (0, 1)]
    for piece, centre in zip(found.pieces, found.centres, strict=True):  # thin ones may be missed
        for j, e in enumerate(np.eye(2)):
            low, high = chord(piece, centre, j)
            v = centre + 0.999 * low * e
            pairs.append(values(v + min(step, 0.999 * (high - low)) * e)[None] - values(v)[None])
    largest = float(np.nanmax(np.linalg.norm(np.vstack(pairs), ord=order, axis=1)))
    assert 0.5 * bound <= largest <= bound * (1 + 1e-6)


def nothing(*_: object) -> float:
    return float("nan")


@pytest.mark.parametrize("source", [floats, exact])
@pytest.mark.parametrize("seed", range(3))
def test_where_no_bound_comes_nothing_is_left_out(
    monkeypatch: pytest.MonkeyPatch, source: Any, seed: int
) -> None:
    """NaN is no proof: every facet is crossed, no length is short, no row is kept by it."""
    form = over(anything(seed, private=3, free=1), -1.0, 1.0)
    looked = source(form, 0)
    known = enumerate_regions(looked)
    monkeypatch.setattr(regions, "ceiling", nothing)
    monkeypatch.setattr(module, "ceiling", nothing)
    proven = 0
    for piece in known.pieces:
        polytope = polytope_of(piece, form.size)
        assert polytope is not None
        assert regions.Search(looked).facets(polytope).all()
        proven += len(polytope.held.c)
        assert not piece.rows or not polytope.keeps(np.zeros(len(piece.c)))
        assert {longest(piece, j) for j in range(form.size)} == {2.0}
    assert proven


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


@pytest.mark.parametrize("at", ["g", "c", "doubt"])
def test_conditions_that_are_no_numbers_count(at: str) -> None:
    """As may happen to sums: none is taken for proven, none for another hyperplane."""
    form = over(shares(1), 0.0, 6.0)
    piece = floats(form, 0).piece(frozenset())
    held = conditions(piece)
    assert held is not None
    part = np.array(getattr(held, at))
    part[0] = np.nan
    bad = replace(held, **{at: part})
    assert alike(bad, 0, 1)
    assert not alike(held, 0, 1)
    damaged = np.array(getattr(piece, at))
    damaged[held.row[0]] = np.nan
    object.__setattr__(piece, at, damaged)
    with np.errstate(all="ignore"):
        counted = conditions(piece)
    assert counted is not None
    assert held.row[0] in counted.row
