"""Random programs over several periods, decided one after the other in a process of its own.

    python -m tests.mechanisms.measured.random_horizons 0 20

prints a line for each seed. A crash of a solver ends the process, which the caller sees.
"""

from __future__ import annotations

import faulthandler
import sys
from typing import Any

import numpy as np

import privopt as po
from privopt.errors import PrivoptError
from privopt.mechanisms.measured import timed
from privopt.networks import Storage

NETWORKS = ("3_lmbd", "5_pjm", "14_ieee")


def network(rng: np.random.Generator) -> tuple[Any, Any]:
    """Some periods of a small network, with or without ramps and storage; some units released."""
    found = po.networks.load(NETWORKS[int(rng.integers(len(NETWORKS)))])
    T, total = int(rng.integers(1, 5)), float(found.buses.demand.sum())
    stores = [
        Storage(
            int(rng.choice(found.buses.number)), total * rng.uniform(0.01, 0.3),
            total * rng.uniform(0.01, 0.1), rng.uniform(0.7, 1.0),
        )
        for _ in range(int(rng.integers(3)))
    ]  # fmt: skip
    ramps = None if rng.random() < 0.4 else float(rng.choice([0.02, 0.2, 0.6]))
    profile = rng.uniform(0.5, 1.0) * rng.uniform(0.85, 1.0, T)
    program = found.program(periods=T, profile=profile, ramps=ramps, storage=stores)
    own = [name for name in program.names if name[0] in "pc"]
    size = int(rng.integers(1, max(2, len(own) // 3)))
    return program, po.Identity(rng.choice(own, size, replace=False).tolist())


def inventory(rng: np.random.Generator) -> tuple[Any, Any]:
    """Stocks of some goods over some periods; an order or a stock is released."""
    T, goods = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    size = T * goods
    keep = np.kron(np.eye(T) - rng.choice([0.0, 0.9, 1.0]) * np.eye(T, k=-1), np.eye(goods))
    linear = rng.choice([0.0, 1.0]) * rng.uniform(size=2 * size)
    program = po.ConvexProgram(
        linear=linear, quadratic=rng.choice([0.0, 0.1]) * np.ones(2 * size),
        A=np.hstack([np.zeros((T, size)), np.kron(np.eye(T), np.ones(goods))]),
        b=np.full(T, rng.choice([1.0, 4.0, 20.0])), G=np.hstack([-keep, np.eye(size)]),
        d=rng.uniform(0.2, 1.0, size), lower=0.0, upper=rng.choice([1.0, 5.0]),
    ).over(po.Periods.grid(range(T), range(goods)))  # fmt: skip
    first = size if rng.random() < 0.5 else 0
    return program, po.Identity([first + int(rng.integers(size))])


def run(seed: int) -> str:
    """How one random program ended."""
    rng = np.random.default_rng([seed, 19])
    program, query = (network if rng.random() < 0.6 else inventory)(rng)
    periods, d = program.periods, program.d[program.private]
    timed.WIDE = 0 if rng.random() < 0.6 else timed.WIDE
    width = float(rng.choice([0.0, 0.02, 0.1, 0.4]))
    sums = [{}, periods.totals(), periods.totals(1), np.eye(len(d))][int(rng.integers(4))]
    alpha = max(0.2 * width, 0.01) * float(np.abs(d).max())
    owners = periods.customers if rng.random() < 0.5 else None
    privacy = po.Laplace(epsilon=float(rng.choice([0.1, 1.0, 20.0])), alpha=alpha, owners=owners)
    try:
        instrument = po.Instrument(
            sums, program=program, privacy=privacy,
            domain=po.Box((1 - width) * d - 0.1 * width, (1 + width) * d + 0.1 * width),
        )  # fmt: skip
        asked = po.ExactBox(eta=0.05)
        settings = po.Settings(time_limit=20.0)
        found = po.decide(program, query, instrument.measure(program.d), asked, settings=settings)
        checked = found.check()
        assert checked.excess <= 0
        assert checked.off <= 1e-9
    except PrivoptError as error:
        return type(error).__name__
    return "decided"


if __name__ == "__main__":
    faulthandler.enable()
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.write(f"{number} {run(number)}\n")
        sys.stdout.flush()
