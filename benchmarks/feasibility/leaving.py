"""How often d lies outside U(y): all rows of all measurements at once.

    d not in U(y)   <=>   |y - W u| > half-width in some row       (u is in the domain)

Some of the measurements are looked at through `Belief.region`, too, which decisions use: it must
hold every u that the test above calls inside. (It may hold more: what floats round is rounded
outwards, and a region that is empty is enlarged.)
"""

from __future__ import annotations

import numpy as np

from benchmarks.feasibility.cell import Cell, Simulated
from benchmarks.headline.journal import Row
from benchmarks.headline.subject import Subject

__all__ = ["MEASUREMENTS", "left"]

MEASUREMENTS = 100_000
_BLOCK = 10_000
_COMPARED = 200


def left(one: Subject, cell: Cell) -> Row:
    """Counts of a cell."""
    made = Simulated(one, cell)
    rng = np.random.default_rng([one.seed, 3, *cell.number])
    half, outside, missed = made.half_width, 0, 0
    for start in range(0, MEASUREMENTS, _BLOCK):
        y = made.draws(_BLOCK, rng)
        out = np.asarray((np.abs(y - made.sums) > half).any(axis=1))
        outside += int(out.sum())
        if start == 0:
            inside = np.flatnonzero(~out[:_COMPARED])
            regions = (made.belief(y[k]).region(made.promise) for k in inside)
            missed = sum(not region.holds(made.u[None])[0] for region in regions)
    return {"samples": MEASUREMENTS, "outside": outside, "region_misses": missed}
