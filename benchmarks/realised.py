"""What is stated as a cost, beside what is paid: every kind of cost, for plan and decision.

    python -m benchmarks.realised [KINDS] [--again] [--json]

On the market of `benchmarks.two_zones`. The noise is Laplace of scale 0.1, and all rows hold
together with 95% (`ExactBox`); margins keep released values and the line between zones off limits
at which the optimum has them.

| stated | realised |
|---|---|
| `plan.cost`: of the affine solution, heights of epigraphs at their best | the cost, as numpy has it, of z~ + Z xi at fresh draws |
| `completed_loss` of plan, decision: of the best solution that has the release | the same by a search along f, the one direction that is left, beside the optima of plain cvxpy models, at fresh draws |

Fresh draws of data are uniform on the domain; after a measurement y they are drawn by rejection.
z is the difference in standard errors of both. A right number is beyond two in 4.6% of the cells.

The protocol, written down before the first run: seeds are those below. Every z is printed, with the
count beyond two and the probability of that count or more. Each cell beyond two is repeated once,
with new seeds and ten times the draws on both sides (of a decision: ten decisions from the same
measurement, each with draws of its own). What is beyond two again is an error to be found. Besides,
at no draw may a completed release cost more than the affine solution, where that is feasible.

The seeds that numbers are stated by are the library's, the same for all kinds: z-scores of one
number go together over the kinds, so that the probability of the count is a guide, no more.
`--again` repeats every cell, with ten times the draws: no part of the protocol, but sharper.
"""  # noqa: E501 -- a table

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom
from scipy.stats import t as student
from tests.mechanisms.measured.cases import measured

import privopt as po
from benchmarks.two_zones import (
    HALF,
    KINDS,
    MIDDLE,
    QUERY,
    check_no_dearer,
    completed,
    cost,
    optimal,
    program,
)
from privopt.arrays import Vector
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.completed import completed_loss
from privopt.mechanisms.expected_cost import Answering, plan_cost

LAPLACE, BOX = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)
SEED, AGAIN = 20_26, 9_119  # of the first run, and of repetitions
AFFINE, COMPLETED, OPTIMA = 2_000_000, 100_000, 2_000  # draws: direct, searched, solved for
ACCURACY = 1e-9  # of the cost: losses are fractions of it
TWICE = 2 * float(student.sf(2.0, 1e9))

Measured = tuple[float, float]  # a number and its standard error


@dataclass(frozen=True)
class Cell:
    """What is stated and what was found, each with its standard error."""

    kind: str
    what: str
    stated: Measured
    found: Measured

    @property
    def z(self) -> float:
        """The difference in standard errors of both; none, if it is the accuracy of solvers."""
        off = self.found[0] - self.stated[0]
        error = math.hypot(self.stated[1], self.found[1])
        return 0.0 if abs(off) <= ACCURACY * max(1.0, abs(self.stated[0])) else off / error


def mean_of(values: Vector) -> Measured:
    """A mean and its standard error, without what is NaN."""
    known = values[~np.isnan(values)]
    return float(known.mean()), float(known.std(ddof=1)) / math.sqrt(len(known))


def told(estimate: MeanEstimate) -> Measured:
    """A stated mean and its standard error."""
    if estimate.is_exact:
        return float(estimate.value), 0.0
    wide = float(student.ppf(0.5 + 0.5 * estimate.confidence, estimate.samples - 1))
    return float(estimate.value), (estimate.interval[1] - estimate.interval[0]) / 2 / wide


def relative(excess: Vector, best: Vector) -> Measured:
    """The mean excess over the mean optimal cost; its error is next to all that of the excess."""
    mean, error = mean_of(excess)
    return mean / abs(best.mean()), error / abs(best.mean())


def plan_cells(name: str, seed: int, times: int) -> list[Cell]:
    """A plan at the middle of the domain."""
    kind, again = KINDS[name], times > 1
    rng = np.random.default_rng([seed, 1])
    market = program(kind, MIDDLE)
    plan = po.solve(market, QUERY, LAPLACE, BOX)
    Z, exact = np.asarray(plan.recourse)[:5], (plan.cost, 0.0)
    paid: list[Vector] = []
    for _ in range(times):
        xi = plan.calibration.sample(rng, AFFINE)
        paid.append(cost(kind, plan.expected[:5, None] + Z @ xi.T))
    stated = exact if plan.priced is None else told(plan.priced)
    if again and plan.curved is not None:
        answering = Answering(plan.curved, np.asarray(plan.recourse), plan.calibration)
        centre = plan.expected.copy()
        centre[plan.curved.price.t] = 0.0
        stated = told(plan_cost(answering, centre, draws=2048 * times, seed=seed))
    cells = [Cell(name, "plan.cost", stated, mean_of(np.concatenate(paid)))]
    loss = plan.completed_loss
    if again:
        y = plan.centre + plan.calibration.sample(np.random.default_rng([seed, 2]), 256 * times)
        d = np.tile(MIDDLE, (len(y), 1))
        loss = completed_loss(market, plan.S, d, y)
        least, best = completed(kind, d, y), optimal(kind, MIDDLE[None])
        if abs(loss.value - relative(least - best, best)[0]) > 10 * ACCURACY:
            raise ValueError("completions differ at the same draws")
    z = plan.expected[:5, None] + Z @ plan.calibration.sample(rng, COMPLETED * times).T
    best = optimal(kind, MIDDLE[None])
    least = completed(kind, np.tile(MIDDLE, (z.shape[1], 1)), z[[0, 2]].T)
    check_no_dearer(kind, z, least)
    return [*cells, Cell(name, "plan, completed", told(loss), relative(least - best, best))]


def decision_cells(name: str, seed: int, times: int) -> list[Cell]:
    """A decision from the total, measured at a point of the domain with noise of a fixed seed."""
    kind = KINDS[name]
    market, domain = program(kind, None), po.Box(MIDDLE - HALF, MIDDLE + HALF)
    instrument: Any = po.Instrument(np.ones((1, 2)), program=market, privacy=LAPLACE, domain=domain)
    y: Any = measured(instrument, MIDDLE + np.array([0.1, -0.2]), np.random.default_rng(5))
    scale, total = instrument.calibration.scale, float(y.release.values[0])
    rng = np.random.default_rng([seed, 5])
    prior = optimal(kind, MIDDLE + HALF * rng.uniform(-1, 1, (OPTIMA, 2)))
    stated: list[Measured] = []
    found: list[Measured] = []
    for k in range(times):
        own = None if times == 1 else seed + k
        decision = po.decide(market, QUERY, y, BOX, rng=own)
        pool = MIDDLE + HALF * rng.uniform(-1, 1, (40 * OPTIMA, 2))
        likely = np.exp(-np.abs(total - pool.sum(axis=1)) / scale)
        u = pool[rng.uniform(size=len(pool)) * likely.max() < likely][:OPTIMA]
        best = optimal(kind, u)
        excess = completed(kind, u, np.tile(decision.values, (len(u), 1))) - best
        stated.append(told(decision.completed_loss))
        mean, error = mean_of(excess)
        found.append((mean / abs(prior.mean()), error / abs(prior.mean())))
    both = [
        (float(np.mean([s[0] for s in side])), math.hypot(*(s[1] for s in side)) / times)
        for side in (stated, found)
    ]
    return [Cell(name, "decision, completed", both[0], both[1])]


Maker = Callable[[str, int, int], list[Cell]]
MAKERS: tuple[Maker, ...] = (plan_cells, decision_cells)


def main() -> None:
    """Run the protocol, and print it."""
    parser = argparse.ArgumentParser(description="What is stated as a cost, beside what is paid.")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    asked = parser.parse_args()
    line = "{:12} {:20} {:>12} {:>9} {:>12} {:>9} {:>6}"
    print(line.format("kind", "number", "stated", "+-", "realised", "+-", "z"))

    def show(cell: Cell, note: str = "") -> None:
        parts = [f"{x:.6g}" if i % 2 == 0 else f"{x:.1g}" for i, x in enumerate(cell.stated)]
        parts += [f"{x:.6g}" if i % 2 == 0 else f"{x:.1g}" for i, x in enumerate(cell.found)]
        print(line.format(cell.kind, cell.what, *parts, f"{cell.z:.2f}"), note, flush=True)

    cells: list[tuple[Cell, Maker]] = []
    for name in asked.kinds:
        for maker in MAKERS:
            for cell in maker(name, AGAIN, 10) if asked.again else maker(name, SEED, 1):
                cells.append((cell, maker))
                show(cell)
    beyond = [(cell, maker) for cell, maker in cells if abs(cell.z) > 2]
    chance = float(binom.sf(len(beyond) - 1, len(cells), TWICE))
    expected = TWICE * len(cells)
    print(f"{len(beyond)} of {len(cells)} beyond two; {expected:.1f} expected of right numbers;")
    print(f"probability of that many or more: {chance:.2f}")
    for cell, maker in [] if asked.again else beyond:
        for new in maker(cell.kind, AGAIN, 10):
            if new.what == cell.what:
                show(new, "(again, ten times the draws)")
    if asked.json:
        print(json.dumps([{"kind": c.kind, "what": c.what, "z": c.z} for c, _ in cells]))


if __name__ == "__main__":
    main()
