"""`decide` on radial feeders (LinDistFlow): set-points of units, voltages within limits.

    python -m benchmarks.feeders
    python -m benchmarks.feeders case141 --runs 5 --json
    python -m benchmarks.feeders --margin      # lower limits raised by what LinDistFlow neglects

MATPOWER's feeders with two units added that cost more than the substation: they are needed for the
voltages alone. The total demand is measured (Laplace, epsilon 1; alpha is a tenth of the median
load of a bus), the domain is half to all of the nominal load at every bus, eta is 5%. The true data
are in turn a vertex of the domain and a point inside of it.

| column | what |
|---|---|
| first, again | CPU seconds of `po.decide`: with a program nothing was done with, and after that |
| loss | after completion, of the last decision |
| checked | data of U(y) at which the voltages were looked at, over all decisions |
| outside | of these, how many have a voltage outside of the limits by more than 1e-7 |
| margin | the least distance of a voltage from its limit over all of them, per unit |
| missed | runs whose true data are outside of U(y): the noise was larger than eta allows for |
| AC | the least voltage by an AC power flow at the worst of these data; `limit` without margin |

What is checked has nothing of privopt in it but the decided set-points: U(y) from the law of the
noise, the voltages by sums along the paths of the tree. Data of U(y) are, for each bus, those with
its lowest and highest voltage (a linear program, HiGHS), random vertices, and mixtures of these.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import linprog
from tests.mechanisms.measured.cases import measured
from tests.networks.feeders import sweep, tree

import privopt as po
from privopt.networks import Network

EPSILON, ETA, SHARE = 1.0, 0.05, 0.1
VERTICES = 200
OUTSIDE = 1e-7
FEEDERS: dict[str, tuple[dict[int, tuple[float, float]], float, float]] = {
    "case33bw": ({18: (1.0, 30.0), 33: (1.5, 28.0)}, 0.95, 1.05),
    "case69": ({27: (1.0, 30.0), 65: (2.0, 28.0)}, 0.95, 1.05),
    "case85": ({54: (1.5, 30.0), 76: (1.0, 28.0)}, 0.92, 1.05),
    "case141": ({52: (3.0, 30.0), 87: (3.0, 28.0)}, 0.95, 1.05),
}
MARGIN = {"case33bw": 0.003, "case69": 0.004, "case85": 0.007, "case141": 0.003}
_COLUMNS = ("buses", "alpha, kW", "first", "again", "loss", "checked", "outside", "margin",
            "missed", "AC", "limit")  # fmt: skip
_LINE = "{:10} " + "{:>9} " * len(_COLUMNS)


@dataclass(frozen=True, eq=False)
class Feeder:
    """A feeder with units, and its squared voltages 1 - drops u + lifts p."""

    network: Network
    drops: Any  # bus by bus: what a unit of demand takes, its reactive part included
    lifts: Any  # bus by unit

    @classmethod
    def of(cls, name: str, margin: float = 0.0) -> Feeder:
        """One of the table above, its lower limit raised by a margin."""
        units, low, high = FEEDERS[name]
        low += margin
        network = po.networks.load(name).with_generators(units).with_voltage_limits(low, high)
        buses, lines = network.buses, network.branches
        above: dict[int, list[int]] = {int(np.flatnonzero(buses.reference)[0]): []}
        for before, bus, line in tree(network):
            above[bus] = [*above[before], line]
        path = np.zeros((len(buses), len(lines)))
        for bus, own in above.items():
            path[bus, own] = 1.0
        ratio = buses.reactive / np.where(buses.demand > 0, buses.demand, 1.0)
        R, X = 2 * path @ np.diag(lines.r) @ path.T, 2 * path @ np.diag(lines.x) @ path.T
        return cls(network, R + X * ratio, R[:, network.generators.bus[1:]])

    def squared(self, u: Any, p: Any) -> Any:  # noqa: ANN401
        """Squared voltages for each row of u."""
        return 1.0 - np.atleast_2d(u) @ self.drops.T + self.lifts @ p

    def lowest(self, u: Any, p: Any) -> float:  # noqa: ANN401
        """The least AC voltage at u."""
        buses = self.network.buses
        scale = np.divide(u, buses.demand, out=np.zeros_like(u), where=buses.demand > 0)
        actual = replace(
            self.network, buses=replace(buses, demand=u, reactive=scale * buses.reactive)
        )
        injected = np.zeros(len(buses))
        np.add.at(injected, self.network.generators.bus[1:], p)
        return float(np.abs(sweep(actual, injected)[0]).min())


def possible(
    feeder: Feeder, total: float, half: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Data of U(y): those with extreme voltages of each bus, and vertices and mixtures."""
    high = feeder.network.buses.demand
    low = 0.5 * high
    slab = max(total - half, low.sum()), min(total + half, high.sum())
    ones = np.ones((1, len(high)))
    worst: list[Any] = []
    for row in feeder.drops:
        for sign in (-1.0, 1.0):
            found: Any = linprog(
                sign * row, A_ub=np.vstack([ones, -ones]), b_ub=np.array([slab[1], -slab[0]]),
                bounds=list(zip(low.tolist(), high.tolist(), strict=True)), method="highs",
            )  # fmt: skip
            worst.append(found.x)
    corners: list[Any] = []
    for _ in range(VERTICES):
        u, left = low.copy(), slab[int(rng.integers(2))] - low.sum()
        for k in rng.permutation(len(high)):
            u[k] += min(left, high[k] - low[k])
            left -= u[k] - low[k]
        corners.append(u)
    mixed = rng.dirichlet(np.ones(5), VERTICES) @ np.array(corners)[:5]
    return np.array([*worst, *corners, *mixed]), slab


def run(name: str, runs: int, margin: float = 0.0) -> dict[str, Any]:
    """One line of the table."""
    feeder = Feeder.of(name, margin)
    network = feeder.network
    nominal, (_, low, high) = network.buses.demand, FEEDERS[name]
    alpha = SHARE * float(np.median(nominal[nominal > 0]))
    program = network.program("lindistflow")
    query = po.Identity([f"p[{bus}]" for bus in FEEDERS[name][0]])
    privacy = po.Laplace(epsilon=EPSILON, alpha=alpha)
    instrument = po.Instrument(
        {"total": list(program.private_names)},
        program=program,
        privacy=privacy,
        domain=po.Box(0.5 * nominal, nominal),
    )
    half = alpha / EPSILON * math.log(1 / ETA)
    seconds: list[float] = []
    checked = outside = missed = 0
    nearest, lowest, loss = math.inf, math.inf, math.nan
    for k in range(runs):
        rng = np.random.default_rng(k)
        inside = rng.random(len(nominal)) if k % 2 else rng.integers(0, 2, len(nominal))
        u = nominal * (0.5 + 0.5 * inside)
        measurement = measured(instrument, u, rng)
        started = time.process_time()
        decision = po.decide(program, query, measurement, po.ExactBox(eta=ETA))
        seconds.append(time.process_time() - started)
        loss, p = decision.loss, np.array(decision.values)
        data, slab = possible(feeder, float(measurement.values[0]), half, rng)
        if slab[0] <= u.sum() <= slab[1]:
            data = np.vstack([data, u])
        else:
            missed += 1
        voltage = np.sqrt(feeder.squared(data, p))
        others = ~network.buses.reference
        beyond = np.maximum(low + margin - voltage, voltage - high)[:, others]
        checked += len(data)
        outside += int((beyond.max(axis=1) > OUTSIDE).sum())
        nearest = min(nearest, float(-beyond.max()))
        lowest = min(lowest, feeder.lowest(data[voltage.min(axis=1).argmin()], p))
    return {
        "buses": len(nominal), "alpha, kW": 1e3 * network.base_mva * alpha, "first": seconds[0],
        "again": median(seconds[1:] or seconds), "loss": loss, "checked": checked,
        "outside": outside, "margin": nearest, "missed": missed, "AC": lowest, "limit": low,
    }  # fmt: skip


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("feeders", nargs="*", default=list(FEEDERS))
    parser.add_argument("--runs", type=int, default=4, help="measurements and decisions of each")
    parser.add_argument("--margin", action="store_true", help="raise the lower limits")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if not asked.json:
        print(_LINE.format("feeder", *_COLUMNS))
    for name in asked.feeders:
        row = run(name, asked.runs, MARGIN[name] if asked.margin else 0.0)
        if asked.json:
            print(json.dumps({"feeder": name, **row}), flush=True)
            continue
        digits = {"first": ".1f", "again": ".1f", "loss": ".2%", "margin": ".1e", "AC": ".4f"}
        shown = [format(row[what], digits.get(what, ".4g")) for what in _COLUMNS]
        print(_LINE.format(name, *shown), flush=True)


if __name__ == "__main__":
    main()
