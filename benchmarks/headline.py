"""Measure, then decide, beside the paper's plan, a policy and a constant: same d, same draws.

    python -m benchmarks.headline 14_ieee --instances 20 --out headline.jsonl

For each of the paper's random instances: the loss after completion at the true d, and the distance
of what is released from the non-private answer, over a few draws of the noise. Goes on where it was
stopped (one line of the file for each instance), then prints medians over instances, and the means
of differences from the paper's plan with their standard errors.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import privopt as po
from privopt.errors import InfeasibleError
from privopt.mechanisms.completed import optima
from privopt.mechanisms.completion import holding
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.candidates import curvature, guess, proposed
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.mechanisms.measured.task import DecisionTask
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region

EPSILON, ALPHA, ETA = 1.0, 0.1, 0.025
NOISE = po.Laplace(epsilon=EPSILON, alpha=ALPHA)


class Instance:
    """One random instance: what every mechanism is judged by."""

    def __init__(self, network: str, seed: int, draws: int) -> None:
        self.one = po.experiments.instance(network, seed)
        self.program, self.query = self.one.program, self.one.query
        self.S = self.query.matrix(self.program)
        best = self.program.solve()
        self.optimal, self.answer = best.cost, np.asarray(self.S @ best.z)
        self.draws, self.seed = draws, seed

    def judged(self, released: list[np.ndarray]) -> dict[str, float]:
        """Mean loss after completion, root mean square distance, share that cannot be completed."""
        if not released:
            return {"loss": np.nan, "distance": np.nan, "failed": np.nan, "without": 1.0}
        values = np.array(released)
        d = np.tile(self.program.d, (len(values), 1))
        z = optima(holding(self.program, self.S), np.hstack([d, values]))
        cost = np.array([self.program.cost(x) if np.isfinite(x).all() else np.nan for x in z])
        square = np.square(values - self.answer).sum(axis=1).mean()
        return {
            "loss": float(np.nanmean((cost - self.optimal) / abs(self.optimal)))
            if np.isfinite(cost).any()
            else np.nan,
            "distance": float(np.sqrt(square)),
            "failed": float(np.isnan(cost).mean()),
            "without": 1 - len(released) / self.draws,
        }


def plan(one: Instance) -> dict[str, float]:
    """The paper's plan: assumed privacy, each row with probability 1 - eta."""
    kind = po.Analytic(eta=ETA, margin="unimodal")
    try:
        made = po.solve(one.program, one.query, NOISE, kind)
    except InfeasibleError:
        return one.judged([])
    rng = np.random.default_rng([one.seed, 7])
    scale, law = made.calibration.scale, made.calibration.law
    base = np.asarray(one.S @ made.expected)
    xi = scale * law.sample(rng, (one.draws, len(base)))
    return one.judged(list(base + xi))


def measured(one: Instance, kinds: list[str]) -> dict[str, dict[str, float]]:
    """Decisions from simulated measurements; `best guess` is the candidate that screening likes."""
    program = one.program
    names = program.private_names
    ends = one.one.domain.ends(len(names))
    everywhere = Region.of(*ends, *one.one.domain.slabs(names))
    task = DecisionTask(program, one.query, everywhere, ends, po.Settings())
    H = curvature(task, 0.0)
    every = {c.name: c for c in proposed(task, H, names, {})}
    made = {
        name: po.Instrument(
            c.W, program=program, privacy=NOISE, domain=one.one.domain, names=c.names
        )
        for name, c in every.items()
    }

    def guessed(name: str) -> float:
        noise = made[name].calibration
        return guess(task, H, every[name].W, 0.0 if noise is None else noise.deviation)

    best = min((name for name in every if name != "nothing"), key=guessed)
    results: dict[str, dict[str, float]] = {}
    for kind in kinds:
        name = best if kind == "best guess" else kind
        if name not in made:
            continue
        released: list[np.ndarray] = []
        u = program.d[program.private]
        for k in range(one.draws if len(every[name].W) else 1):
            rng = np.random.default_rng([one.seed, 11, k])
            noise = made[name].calibration
            xi = np.zeros(0)
            if noise is not None:
                xi = noise.scale * noise.law.sample(rng, (len(made[name].W),))
            belief = Belief((made[name],), (made[name].W @ u + xi,))
            region = belief.region(po.ExactBox(eta=ETA))
            found = task.decided(region, belief.draws(DRAWS, rng, within=region), 0.0)
            if not isinstance(found, Outcome):
                released.append(found[0])
        results[kind] = one.judged(released) | {"sums": float(len(every[name].W))}
        if not len(every[name].W) and released:
            results[kind]["without"] = 0.0
    spread = float(np.linalg.norm(task.spreads))
    results["spread"] = {"distance": spread, "loss": np.nan, "failed": np.nan, "without": 0.0}
    return results


def policy(one: Instance) -> dict[str, float]:
    """The certified policy, cheapest: proven privacy, all rows together."""
    made = po.design(
        one.program, one.query, NOISE, po.ExactBox(eta=ETA), domain=one.one.domain, rng=1
    )
    rng = np.random.default_rng([one.seed, 13])
    noise, middle = made.calibration, made.map.middle
    if noise is None:
        return one.judged([middle] * one.draws)
    lower, upper = made.domain
    u = np.clip(one.program.d[one.program.private], lower, upper) - 0.5 * (lower + upper)
    base = np.asarray(one.S @ (made.offset + made.gain @ u))
    xi = noise.scale * noise.law.sample(rng, (one.draws, len(base)))
    return one.judged(list(base + xi))


def main() -> None:
    """Run what is not there yet, then print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network")
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--kinds", default="nothing,total,each,best guess")
    parser.add_argument("--no-policy", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("headline.jsonl"))
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    if given.out.exists():
        rows = [json.loads(line) for line in given.out.read_text().splitlines()]
    done = {(row["network"], row["seed"]) for row in rows}
    for seed in range(given.instances):
        if (given.network, seed) in done:
            continue
        started = time.perf_counter()
        one = Instance(given.network, seed, given.draws)
        found = {"the paper's plan": plan(one)}
        if not given.no_policy:
            found["certified policy"] = policy(one)
        found |= measured(one, given.kinds.split(","))
        row = {"network": given.network, "seed": seed, "found": found}
        row["seconds"] = time.perf_counter() - started
        rows.append(row)
        with given.out.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{given.network} {seed}: {row['seconds']:.1f} s", flush=True)
    show([row for row in rows if row["network"] == given.network])


def show(rows: list[dict[str, Any]]) -> None:
    """Medians over the instances, and paired differences from the paper's plan."""
    print(f"\n{rows[0]['network']}, {len(rows)} instances: medians (paired difference +- se)")
    print(f"{'':<20} {'loss, %':>10} {'distance':>9} {'failed, %':>9} {'without, %':>10}")
    paper = np.array([row["found"]["the paper's plan"]["loss"] for row in rows])
    for name in rows[0]["found"]:
        found = [row["found"].get(name) for row in rows]
        got = {
            key: np.array([np.nan if c is None else c[key] for c in found], dtype=float)
            for key in ("loss", "distance", "failed", "without")
        }
        less = 100 * (got["loss"] - paper)
        less = less[np.isfinite(less)]
        error = less.std(ddof=1) / len(less) ** 0.5 if len(less) > 1 else np.nan
        paired = f"{less.mean():+.4f} +- {error:.4f}" if len(less) else ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the spread has a distance only
            loss, distance = 100 * np.nanmedian(got["loss"]), np.nanmedian(got["distance"])
            failed, without = (100 * np.nanmean(got[key]) for key in ("failed", "without"))
        cells = f"{loss:>10.5f} {distance:>9.4f} {failed:>9.2f} {without:>10.2f}"
        print(f"{name:<20} {cells}  {paired}")


if __name__ == "__main__":
    main()
