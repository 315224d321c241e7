"""Real decisions from simulated measurements, completed at d by another solver.

The decision is that of `po.decide` without its last step, which refuses a certificate that exact
fractions do not confirm: with it there could only be fewer decisions.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.feasibility.cell import Cell, Simulated
from benchmarks.feasibility.completing import completed
from benchmarks.headline.journal import Row
from benchmarks.headline.subject import Subject
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.solving.problem import Outcome

__all__ = ["EDGE", "decided"]

EDGE = "edge"


def decided(one: Subject, cell: Cell, count: int) -> Row:
    """Counts of a cell, and what was measured where a completion failed.

    `outside`: d was not in U(y). `without`: no decision, by reason. `unclear`: the solver did not
    say. `failed_inside`: no completion although d lies in U(y), which is never to happen.
    """
    made = Simulated(one, cell)
    edge = cell.work == EDGE
    rng = np.random.default_rng([one.seed, 5 if edge else 4, *cell.number])
    measured = made.edges(count, rng) if edge else made.draws(count, rng)
    d = one.program.d.copy()
    d[one.program.private] = made.u
    row: Row = {
        "samples": count, "outside": 0, "decisions": 0, "failed": 0, "failed_inside": 0,
        "unclear": 0, "without": {}, "failures": [], "decide_seconds": 0.0,
    }  # fmt: skip
    for y in measured:
        belief = made.belief(y)
        started = time.perf_counter()
        region = belief.region(made.promise)
        draws = belief.draws(DRAWS, rng, within=region)
        answer = one.task.decided(region, draws, 0.0)
        row["decide_seconds"] += time.perf_counter() - started
        outside = bool((np.abs(y - made.sums) > made.half_width).any())
        row["outside"] += outside
        if isinstance(answer, Outcome):
            row["without"][answer.value] = row["without"].get(answer.value, 0) + 1
            continue
        row["decisions"] += 1
        possible = completed(one.program, one.S, d, answer[0])
        if possible:
            continue
        row["failed" if possible is False else "unclear"] += 1
        row["failed_inside"] += possible is False and not outside
        row["failures"].append({"y": y.tolist(), "q": answer[0].tolist(), "outside": outside})
    return row
