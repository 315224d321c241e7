"""The same for random programs: overlapping sums, several measurements, domains with rows.

They are those of the tests (`tests/mechanisms/measured/cases.py`): Laplace and Gaussian noise with
`ExactBox(eta=0.1)`, truncated Laplace with `Always()`. Decisions are those of `po.decide`, all of
it. d is a vertex of the domain's box where that keeps the domain's rows, and a point inside.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.mechanisms.measured.cases import Case, case, inside

from benchmarks.feasibility.completing import completed
from benchmarks.feasibility.leaving import MEASUREMENTS
from benchmarks.headline.journal import Row
from benchmarks.headline.subject import Conditions
from privopt.arrays import Vector
from privopt.errors import InfeasibleError
from privopt.mechanisms.measured.belief import Belief

__all__ = ["CONDITIONS", "PROGRAMS", "RANDOM", "both"]

RANDOM, PROGRAMS = "random", 100
CONDITIONS = Conditions(source=RANDOM, draws=5, alpha=None, eta=0.1)
_TRIES = 20  # vertices, until one keeps the rows of the domain


def both(seed: int) -> Iterator[Row]:
    """Rows of one program: how often d leaves U(y), and how often a decision fails."""
    one = case(seed)
    noise = type(one.privacy).__name__.lower().removesuffix("laplace") or "laplace"
    for number, (point, u) in enumerate(_points(one, seed)):
        rng = np.random.default_rng([seed, number])
        about = {"point": point, "sums": f"{sum(map(len, one.sums))} rows", "law": noise}
        if any(map(len, one.sums)):
            yield about | {"work": "leaving"} | _left(one, u, rng)
        yield about | {"work": "deciding"} | _decided(one, u, rng)


def _points(one: Case, seed: int) -> Iterator[tuple[str, Vector]]:
    rng = np.random.default_rng([seed, 99])
    lower: Vector
    upper: Vector
    lower, upper = one.domain.ends(len(one.program.private))
    W, low, high = one.domain.slabs(one.program.private_names)
    for _ in range(_TRIES):
        u = np.where(rng.integers(2, size=len(lower)) > 0, upper, lower)
        if (W @ u >= low).all() and (W @ u <= high).all():
            yield "vertex", u
            break
    yield "inside", inside(one, rng)


def _left(one: Case, u: Vector, rng: np.random.Generator) -> Row:
    """How often some row of some measurement is further off than within U(y)."""
    instruments = tuple(one.instruments)
    widths = Belief(instruments, tuple(each.W @ u for each in instruments)).half_widths(
        one.feasibility
    )
    out = np.zeros(MEASUREMENTS, dtype=bool)
    for each, half in zip(instruments, widths, strict=True):
        noise = each.calibration
        if noise is None:
            continue
        grid = 2.0**noise.exponent
        y = each.W @ u + noise.scale * noise.law.sample(rng, (MEASUREMENTS, len(half)))
        off = np.abs(np.round(y / grid) * grid - each.W @ u)
        out |= np.asarray((off > half).any(axis=1))
    return {"samples": MEASUREMENTS, "outside": int(out.sum())}


def _decided(one: Case, u: Vector, rng: np.random.Generator) -> Row:
    program = one.program
    d = program.d.copy()
    d[program.private] = u
    row: Row = {"samples": CONDITIONS.draws, "outside": 0, "decisions": 0, "failed": 0,
                "failed_inside": 0, "unclear": 0}  # fmt: skip
    for _ in range(CONDITIONS.draws):
        given = one.simulated(u, rng)
        belief = Belief.of(given, program)
        widths = belief.half_widths(one.feasibility)
        outside = any(
            bool((np.abs(y - each.W @ u) > half).any())
            for each, y, half in zip(belief.instruments, belief.values, widths, strict=True)
        )
        row["outside"] += outside
        try:
            decision = one.decide(given)
        except InfeasibleError:  # no decision at this y
            continue
        row["decisions"] += 1
        possible = completed(program, one.query.matrix(program), d, np.array(decision.values))
        if not possible:
            row["failed" if possible is False else "unclear"] += 1
            row["failed_inside"] += possible is False and not outside
    return row
