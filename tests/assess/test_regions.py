"""The pieces are all there: known counts, and every solution met at random belongs to one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.assess.programs import anything, over, shares

from privopt.assess.farthest import chord, farthest, longest
from privopt.assess.regions import enumerate_regions


@pytest.mark.parametrize("count", [1, 2, 3])
def test_independent_parts_multiply(count: int) -> None:
    form = over(shares(count), 0.0, 6.0)
    found = enumerate_regions(form)
    assert (len(found.laws), found.end, found.whole) == (3**count, "complete", True)
    for law in found.laws:  # of x, the first of each pair: a half where no limit binds, else none
        slopes = np.diag((form.along + form.spread @ law.x[:, 1:])[::2]) / 3
        assert np.minimum(np.abs(slopes), np.abs(slopes - 0.5)).max() < 1e-9


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("free", [1, 2, 4])
def test_every_solution_belongs_to_a_piece(seed: int, free: int) -> None:
    """With one free direction every row depends on every other: rows change places."""
    form = over(anything(seed, private=3, free=free), -1.0, 1.0)
    found = enumerate_regions(form)
    if found.end == "thin":  # nothing feasible
        return
    known = {law.rows for law in found.laws}
    rng = np.random.default_rng(seed)
    infeasible = 0
    for k in range(150):
        v = rng.uniform(-1, 1, 3) if k % 2 else np.sign(rng.normal(size=3))
        law = form.binding(v)
        if law is None:
            infeasible += 1
        else:
            assert law.rows in known
    if infeasible:
        assert not found.whole


@pytest.mark.parametrize("seed", range(4))
def test_pieces_agree_with_the_solver_and_meet_at_their_borders(seed: int) -> None:
    program = anything(seed)
    form = over(program, -1.0, 1.0)
    previous = None
    for v in np.linspace([-1.0, -0.5], [1.0, 0.3], 60):
        law = form.binding(v)
        if law is None:
            previous = None
            continue
        z = form.point(law.at(v), v)
        assert z == pytest.approx(program.solve(d=v).z, abs=1e-5)
        if previous is not None:
            assert np.abs(z - previous).max() < 1.0  # continuous: 1/60 of the way, slopes below 30
        previous = z


def test_limits_end_the_search() -> None:
    form = over(shares(3), 0.0, 6.0)
    assert enumerate_regions(form, limit=5).end == "limit"
    assert len(enumerate_regions(form, limit=5).laws) == 5
    assert enumerate_regions(form, deadline=0.0).end == "time"


def test_lengths_of_pieces_are_those_of_the_segments() -> None:
    """d from 0 to 6 is v from -1 to 1; the pieces of `shares` are each a third of it."""
    form = over(shares(1), 0.0, 6.0)
    for law in enumerate_regions(form).laws:
        assert longest(form, law, 0) == pytest.approx(2 / 3, abs=1e-6)


def test_steep_pieces_first() -> None:
    """x + y = d: y moves by 1/2 in the middle third, by 1 outside; S releases y."""
    form = over(shares(1), 0.0, 6.0)
    laws = enumerate_regions(form).laws
    fixed, through = form.along[[1]], form.spread[[1]]
    for step, wanted in [(0.1, 0.3), (2 / 3, 2.0), (4 / 3, 4.0), (2.0, 5.0)]:
        found = farthest(form, laws, fixed, through, np.array([step]), 1)
        assert found == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_no_pair_of_a_dense_grid_lies_further_apart(seed: int, order: int) -> None:
    form = over(anything(seed, private=2, free=2), -1.0, 1.0)
    found = enumerate_regions(form)
    if found.end == "thin":
        return
    fixed, through = form.along[:3], form.spread[:3]
    step = 2 / 30
    bound = farthest(form, found.laws, fixed, through, np.full(2, step), order)

    def values(v: Any) -> Any:
        law = form.binding(v) if np.abs(v).max() <= 1 else None
        return np.full(3, np.nan) if law is None else fixed @ v + through @ law.at(v)

    axis = np.linspace(-1, 1, 31)
    grid = np.array([[values(np.array([a, b])) for b in axis] for a in axis])
    pairs = [np.diff(grid, axis=side).reshape(-1, 3) for side in (0, 1)]
    for law, centre in zip(found.laws, found.centres, strict=True):  # the grid may miss thin ones
        for j, e in enumerate(np.eye(2)):
            low, high = chord(form, law, centre, j)
            v = centre + 0.999 * low * e
            pairs.append(values(v + min(step, 0.999 * (high - low)) * e)[None] - values(v)[None])
    largest = float(np.nanmax(np.linalg.norm(np.vstack(pairs), ord=order, axis=1)))
    assert 0.5 * bound <= largest <= bound * (1 + 1e-6)
