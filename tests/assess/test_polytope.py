"""Bounds from duals hold for every dual, and are tight at the right one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.assess.programs import anything, over, shares
from tests.assess.sources import exact, floats

from privopt.assess import polytope as module
from privopt.assess import regions
from privopt.assess.polytope import alike, ceiling, conditions, longest, polytope_of
from privopt.assess.regions import enumerate_regions


@pytest.mark.parametrize("seed", range(10))
def test_no_point_of_the_polytope_is_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, c, cost = rng.normal(size=(6, 3)), rng.uniform(0.1, 0.5, 6), rng.normal(size=3)
    best = linprog(-cost, A_ub=-G, b_ub=c, bounds=[(-1, 1)] * 3, method="highs")
    nothing, largest = np.zeros(6), -float(best.fun or 0.0)
    assert ceiling(cost, G, c, nothing, -best.ineqlin.marginals) == pytest.approx(largest)
    for _ in range(20):  # whatever the duals are
        assert ceiling(cost, G, c, nothing, rng.normal(size=6)) >= largest
    assert ceiling(cost, G, c, nothing, np.full(6, np.nan)) == pytest.approx(np.abs(cost).sum())


def test_doubt_is_paid_for() -> None:
    G, c, y = np.array([[-1.0]]), np.array([0.5]), np.ones(1)
    assert ceiling(np.ones(1), G, c, np.zeros(1), y) == pytest.approx(0.5)
    assert ceiling(np.ones(1), G, c, np.full(1, 0.1), y) == pytest.approx(0.6)


def test_what_is_no_number_bounds_nothing() -> None:
    G, c, y = np.array([[-1.0, 0.5]]), np.array([0.5]), np.ones(1)
    good = (np.ones(2), G, c, np.zeros(1), y)
    assert ceiling(*good) < np.inf
    for at in range(4):
        for bad in (np.nan, np.inf, -np.inf)[: 2 if at == 3 else 3]:  # doubt is not below zero
            parts = [np.array(part) for part in good]
            parts[at].flat[0] = bad
            with np.errstate(all="ignore"):
                assert ceiling(*parts) == np.inf
    with np.errstate(all="ignore"):  # finite numbers whose products are not
        assert ceiling(np.ones(2), G, np.array([-1e308]), np.zeros(1), np.full(1, 1e308)) == np.inf


@pytest.mark.parametrize("source", [floats, exact])
def test_lengths_of_pieces_are_those_of_the_segments(source: Any) -> None:
    """d from 0 to 6 is v from -1 to 1; the pieces of `shares` are each a third of it."""
    form = over(shares(1), 0.0, 6.0)
    for piece in enumerate_regions(source(form, 0)).pieces:
        assert longest(piece, 0) == pytest.approx(2 / 3, abs=1e-6)


def nothing(*_: object) -> float:
    return float("nan")


@pytest.mark.long
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
