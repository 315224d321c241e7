"""What is stated as a cost, beside what is paid: every kind of cost, for plan, policy and decision.

    python -m benchmarks.realised [--json]

A market of two zones: a0 + a1 + f = dA, b0 + b1 - f = dB, 0 <= a, b <= 2, |f| <= 0.8. Released are
a0 and b0; dA and dB are private. At the optimum b0 and f are at their limits, and with most costs
a0 is, too. The noise is Laplace of scale 0.1, all rows hold together with 95% (`ExactBox`).

| stated | realised |
|---|---|
| `plan.cost`, `policy.cost`: of the affine solution, heights of epigraphs at their best | the cost, as numpy has it, of z~ + K v + Z xi at fresh draws |
| `completed_loss` of plan, policy, decision: of the best solution that has the release | the same by a search along f, the one direction that is left, beside the optima of plain cvxpy models, at fresh draws |

Fresh draws of data are uniform on the domain; after a measurement y they are drawn by rejection.
z is the difference in standard errors of both. A right number is beyond two in 4.6% of the cells (in
6.4% of those of `policy.cost` that are sampled: 16 blocks, Student's law).

The protocol, written down before the first run: seeds are those below. Every z is printed, with the
count beyond two and the probability of that count or more. Each cell beyond two is repeated once,
with new seeds and ten times the draws on both sides (of a decision: ten decisions from the same
measurement, each with draws of its own). What is beyond two again is an error to be found. Besides,
at no draw may a completed release cost more than the affine solution, where that is feasible.
"""  # noqa: E501 -- a table

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from scipy.stats import t as student
from tests.mechanisms.measured.cases import measured

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.mechanisms.completed import completed_loss
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.expected_cost import Answering, plan_cost, policy_cost
from privopt.mechanisms.private_data import PrivateData, even_draws

NAMES = ["a0", "a1", "b0", "b1", "f"]
LINEAR = np.array([2.0, 3.0, 1.0, 1.5, 0.05])
G = np.array([[1.0, 1, 0, 0, 1], [0, 0, 1, 1, -1]])
MIDDLE, HALF = np.array([3.0, 1.8]), np.array([0.3, 0.3])
LOW, HIGH = np.array([0.0, 0, 0, 0, -0.8]), np.array([2.0, 2, 2, 2, 0.8])
LAPLACE, BOX = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)
QUERY = po.Identity(["a0", "b0"])
SEED, AGAIN = 20_26, 9_119  # of the first run, and of repetitions
AFFINE, COMPLETED, OPTIMA = 2_000_000, 100_000, 2_000  # draws: direct, searched, solved for
TWICE = 2 * float(student.sf(2.0, 1e9))

DIAGONAL = np.array([0.3, 0.5, 0.2, 0.4, 0.1])
FACTOR = np.random.default_rng(7).normal(size=(5, 5)) / 3
SLOPES = np.array([[0.0, 1, 0, 1, 0], [0, 2, 0, 0.5, 0.3], [0, 3.0, 0, 0, 0]])
HEIGHTS = np.array([0.0, -0.4, -1.2])


@dataclass(frozen=True)
class Kind:
    """One cost beside the linear one: as privopt, numpy and cvxpy are told of it.

    `direct` and `plain` take solutions as columns; `plain` is the sum over them.
    """

    given: dict[str, Any]
    direct: Callable[[Dense], Vector]
    plain: Callable[[Any], Any]


def _pieces_plain(z: Any) -> Any:  # noqa: ANN401 -- cvxpy
    rows = [SLOPES[i] @ z + HEIGHTS[i] for i in range(3)]
    return cp.sum(cp.maximum(*rows)) + cp.sum(cp.maximum(z[0] - 1, 3 * z[0] - 4.2, 0))


PIECES = [
    po.PiecewiseLinear(of="a0", slopes=[0, 1, 3], offsets=[0, -1, -4.2]),
    po.PiecewiseLinear(slopes=SLOPES, offsets=HEIGHTS),
]
KINDS: dict[str, Kind] = {
    "linear": Kind({}, lambda z: 0 * z[0], lambda z: 0),
    "diagonal": Kind(
        {"quadratic": DIAGONAL},
        lambda z: DIAGONAL @ z**2,
        lambda z: cp.sum(DIAGONAL @ cp.square(z)),
    ),
    "matrix": Kind(
        {"quadratic": FACTOR.T @ FACTOR},
        lambda z: np.square(FACTOR @ z).sum(axis=0),
        lambda z: cp.sum_squares(FACTOR @ z),
    ),
    "piecewise": Kind(
        {"costs": PIECES},
        lambda z: (
            np.max(SLOPES @ z + HEIGHTS[:, None], axis=0)
            + np.maximum(np.maximum(z[0] - 1, 3 * z[0] - 4.2), 0)
        ),
        _pieces_plain,
    ),
    "norm": Kind(
        {"costs": [po.Norm(C=["a0", "a1", "f"], weight=1.5)]},
        lambda z: 1.5 * np.linalg.norm(z[[0, 1, 4]], axis=0),
        lambda z: 1.5 * cp.sum(cp.norm(z[[0, 1, 4]], axis=0)),
    ),
    "power": Kind(
        {"costs": [po.Power(C=["a0", "a1", "f"], power=2.5)]},
        lambda z: (np.abs(z[[0, 1, 4]]) ** 2.5).sum(axis=0),
        lambda z: cp.sum(cp.power(cp.abs(z[[0, 1, 4]]), 2.5)),
    ),
    "exponential": Kind(
        {"costs": [po.Exponential(C=["a0", "a1", "b1"], e=-1.0)]},
        lambda z: np.exp(z[[0, 1, 3]] - 1).sum(axis=0),
        lambda z: cp.sum(cp.exp(z[[0, 1, 3]] - 1)),
    ),
    "logarithm": Kind(
        {"costs": [po.Logarithm(C=["a0", "a1", "b1"], e=2.0, weight=2.0)]},
        lambda z: -2 * np.log(z[[0, 1, 3]] + 2).sum(axis=0),
        lambda z: -2 * cp.sum(cp.log(z[[0, 1, 3]] + 2)),
    ),
    "entropy": Kind(
        {"costs": [po.Entropy(C=["a1", "b0", "f"], e=2.0)]},
        lambda z: ((z[[1, 2, 4]] + 2) * np.log(z[[1, 2, 4]] + 2)).sum(axis=0),
        lambda z: -cp.sum(cp.entr(z[[1, 2, 4]] + 2)),
    ),
}
KINDS["mix"] = Kind(
    {
        "quadratic": DIAGONAL,
        "costs": [*PIECES, *KINDS["norm"].given["costs"], *KINDS["exponential"].given["costs"]],
    },
    lambda z: sum(KINDS[k].direct(z) for k in ("diagonal", "piecewise", "norm", "exponential")),
    lambda z: sum(KINDS[k].plain(z) for k in ("diagonal", "piecewise", "norm", "exponential")),
)


@dataclass(frozen=True)
class Cell:
    """What is stated and what was found, each with its standard error."""

    kind: str
    what: str
    stated: tuple[float, float]
    found: tuple[float, float]
    chance: float = TWICE

    @property
    def z(self) -> float:
        """The difference in standard errors of both; of two exact numbers that agree, none."""
        off = self.found[0] - self.stated[0]
        error = math.hypot(self.stated[1], self.found[1])
        return 0.0 if abs(off) <= 1e-7 * abs(self.stated[0]) else off / error


def cost(kind: Kind, z: Dense) -> Vector:
    """The cost of solutions (columns)."""
    return LINEAR @ z + kind.direct(z)


def optimal(kind: Kind, d: Dense) -> Vector:
    """The optimal cost at each d (row), by plain cvxpy models of up to 400 of them."""
    found = []
    for part in np.array_split(d, -(-len(d) // 400)):
        z = cp.Variable((5, len(part)))
        rules = [G @ z == part.T, z >= LOW[:, None], z <= HIGH[:, None]]
        problem = cp.Problem(cp.Minimize(cp.sum(LINEAR @ z) + kind.plain(z)), rules)
        problem.solve(solver=cp.CLARABEL)
        found.append(cost(kind, np.asarray(z.value)))
    return np.concatenate(found)


def completed(kind: Kind, d: Dense, y: Dense) -> Vector:
    """The least cost with a release (row) at each d, by golden sections along f; NaN if none."""
    low = np.max([LOW[4] + 0 * d[:, 0], d[:, 0] - y[:, 0] - HIGH[1], y[:, 1] - d[:, 1]], axis=0)
    high = np.min([HIGH[4] + 0 * low, d[:, 0] - y[:, 0], y[:, 1] - d[:, 1] + HIGH[3]], axis=0)
    inside = (y >= LOW[[0, 2]] - 1e-9) & (y <= HIGH[[0, 2]] + 1e-9)
    possible = (low <= high + 1e-9) & inside.all(axis=1)

    def at(f: Vector) -> Vector:
        z = [y[:, 0], d[:, 0] - y[:, 0] - f, y[:, 1], d[:, 1] - y[:, 1] + f, f]
        return cost(kind, np.array(z))

    golden, ends = (math.sqrt(5) - 1) / 2, np.array([low, np.maximum(low, high)])
    for _ in range(60):
        width = golden * (ends[1] - ends[0])
        left = at(ends[1] - width) <= at(ends[0] + width)
        ends = np.where(left, [ends[0], ends[0] + width], [ends[1] - width, ends[1]])
    return np.where(possible, np.min([at(ends.mean(axis=0)), at(ends[0]), at(ends[1])], 0), np.nan)


def check_no_dearer(kind: Kind, z: Dense, least: Vector) -> None:
    """Refuse a completion that costs more than the feasible solution (column) it completes."""
    feasible = ((z >= LOW[:, None]) & (z <= HIGH[:, None])).all(axis=0)
    if not (least[feasible] <= cost(kind, z)[feasible] + 1e-8).all():
        raise ValueError("a completed release costs more than the affine solution")


def mean_of(values: Vector) -> tuple[float, float]:
    """A mean and its standard error, without what is NaN."""
    known = values[~np.isnan(values)]
    return float(known.mean()), float(known.std(ddof=1)) / math.sqrt(len(known))


def told(estimate: MeanEstimate, blocks: int | None = None) -> tuple[float, float]:
    """A stated mean and its standard error."""
    if estimate.is_exact:
        return float(estimate.value), 0.0
    freedom = (blocks or estimate.samples) - 1
    wide = float(student.ppf(0.5 + 0.5 * estimate.confidence, freedom))
    return float(estimate.value), (estimate.interval[1] - estimate.interval[0]) / 2 / wide


def relative(excess: Vector, best: Vector) -> tuple[float, float]:
    """The mean excess over the mean optimal cost; its error is next to all that of the excess."""
    mean, error = mean_of(excess)
    return mean / abs(best.mean()), error / abs(best.mean())


def program(kind: Kind, d: Any) -> po.ConvexProgram:  # noqa: ANN401
    """The market."""
    return po.ConvexProgram(
        linear=LINEAR, G=G, d=d, lower=LOW, upper=HIGH, names=NAMES, **kind.given
    )


def plan_cells(name: str, seed: int, times: int) -> list[Cell]:
    """A plan at the middle of the domain."""
    kind, again = KINDS[name], times > 1
    rng = np.random.default_rng([seed, 1])
    market = program(kind, MIDDLE)
    plan = po.solve(market, QUERY, LAPLACE, BOX)
    Z, exact = np.asarray(plan.recourse)[:5], (plan.cost, 0.0)
    paid = []
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
        loss = completed_loss(market, plan.S, np.tile(MIDDLE, (len(y), 1)), y)
    z = plan.expected[:5, None] + Z @ plan.calibration.sample(rng, COMPLETED * times).T
    best = optimal(kind, MIDDLE[None])
    least = completed(kind, np.tile(MIDDLE, (z.shape[1], 1)), z[[0, 2]].T)
    check_no_dearer(kind, z, least)
    return [*cells, Cell(name, "plan, completed", told(loss), relative(least - best, best))]


def policy_cells(name: str, seed: int, times: int) -> list[Cell]:
    """A policy for the domain, of a noise level of one or more."""
    kind, again = KINDS[name], times > 1
    rng = np.random.default_rng([seed, 3])
    market, domain = program(kind, None), po.Box(MIDDLE - HALF, MIDDLE + HALF)
    policy = po.design(market, QUERY, LAPLACE, BOX, domain=domain, fidelity=1.0, floor=1.0)
    Z, gain = np.asarray(policy.recourse)[:5], policy.gain[:5]

    def drawn(count: int) -> tuple[Dense, Dense]:
        v = HALF * rng.uniform(-1, 1, (count, 2))
        return v, policy.offset[:5, None] + gain @ v.T + Z @ policy.unit.sample(rng, count).T

    paid = np.concatenate([cost(kind, drawn(AFFINE)[1]) for _ in range(times)])
    stated = [(policy.cost, 0.0) if policy.priced is None else told(policy.priced, 16)]
    if again and policy.priced is not None and not policy.priced.is_exact:
        curved = Curved.of(market, policy.S, lambda: policy.offset)
        data = PrivateData.of(market, MIDDLE - HALF, MIDDLE + HALF, None, None)
        centre = policy.offset.copy()
        centre[curved.price.t] = 0.0
        answering = Answering(curved, np.asarray(policy.recourse), policy.unit)
        seeds = range(seed, seed + times)
        stated = [told(policy_cost(answering, centre, policy.gain, data, k), 16) for k in seeds]
    whole = float(np.mean([s[0] for s in stated])), math.hypot(*(s[1] for s in stated)) / times
    chance = TWICE if again or not whole[1] else 2 * float(student.sf(2.0, 15))
    cells = [Cell(name, "policy.cost", whole, mean_of(paid), chance)]
    loss = policy.completed_loss
    if again:
        fresh = np.random.default_rng([seed, 4])
        count = 1 << math.ceil(math.log2(256 * times))
        u = even_draws(MIDDLE - HALF, MIDDLE + HALF, fresh, count)
        z = policy.offset[:5, None] + gain @ (u - MIDDLE).T
        y = (z + Z @ policy.unit.sample(fresh, len(u)).T)[[0, 2]].T
        loss = completed_loss(market, policy.S, u, y)
    v, z = drawn(OPTIMA * times)
    best, least = optimal(kind, MIDDLE + v), completed(kind, MIDDLE + v, z[[0, 2]].T)
    check_no_dearer(kind, z, least)
    return [*cells, Cell(name, "policy, completed", told(loss), relative(least - best, best))]


def decision_cells(name: str, seed: int, times: int) -> list[Cell]:
    """A decision from the total, measured at a point of the domain with noise of a fixed seed."""
    kind = KINDS[name]
    market, domain = program(kind, None), po.Box(MIDDLE - HALF, MIDDLE + HALF)
    instrument = po.Instrument(np.ones((1, 2)), program=market, privacy=LAPLACE, domain=domain)
    y = measured(instrument, MIDDLE + [0.1, -0.2], np.random.default_rng(5))
    scale, total = instrument.calibration.scale, float(y.release.values[0])
    rng = np.random.default_rng([seed, 5])
    prior = optimal(kind, MIDDLE + HALF * rng.uniform(-1, 1, (OPTIMA, 2)))
    stated, found = [], []
    for k in range(times):
        more = {} if times == 1 else {"rng": seed + k}
        decision = po.decide(market, QUERY, y, BOX, **more)
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


def tail(chances: list[float], count: int) -> float:
    """The probability of `count` hits or more, of events with these chances."""
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    return float(law[count:].sum())


MAKERS = (plan_cells, policy_cells, decision_cells)


def main() -> None:
    """Run the protocol, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    asked = parser.parse_args()
    line = "{:12} {:20} {:>12} {:>9} {:>12} {:>9} {:>6}"
    print(line.format("kind", "number", "stated", "+-", "realised", "+-", "z"))

    def show(cell: Cell, note: str = "") -> None:
        parts = [f"{x:.6g}" if i % 2 == 0 else f"{x:.1g}" for i, x in enumerate(cell.stated)]
        parts += [f"{x:.6g}" if i % 2 == 0 else f"{x:.1g}" for i, x in enumerate(cell.found)]
        print(line.format(cell.kind, cell.what, *parts, f"{cell.z:.2f}"), note, flush=True)

    cells = []
    for name in asked.kinds:
        for maker in MAKERS:
            for cell in maker(name, SEED, 1):
                cells.append((cell, maker))
                show(cell)
    beyond = [(cell, maker) for cell, maker in cells if abs(cell.z) > 2]
    chance = tail([cell.chance for cell, _ in cells], len(beyond))
    expected = sum(cell.chance for cell, _ in cells)
    print(f"{len(beyond)} of {len(cells)} beyond two; {expected:.1f} expected of right numbers;")
    print(f"probability of that many or more: {chance:.2f}")
    for cell, maker in beyond:
        for new in maker(cell.kind, AGAIN, 10):
            if new.what == cell.what:
                show(new, "(again, ten times the draws)")
    if asked.json:
        print(json.dumps([{"kind": c.kind, "what": c.what, "z": c.z} for c, _ in cells]))


if __name__ == "__main__":
    main()
