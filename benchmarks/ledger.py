"""Releases a second, with and without a ledger, and how long a charge takes.

    python -m benchmarks.ledger [--folder FOLDER] [--count 2000]

A policy of 35 values on a local disk: `release` alone, `release(ledger=)`, and `Ledger.charge` with
nothing to make. A charge is two transactions, each on the disk when it ends (synchronous=FULL).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import privopt as po
from privopt.accounting import Request
from privopt.accounting.request import private_set
from privopt.arrays import Vector

VALUES = 35


def policy() -> po.Policy:
    """35 private demands, each served by a source that is released and one that is not."""
    program = po.ConvexProgram(
        linear=np.arange(2.0 * VALUES),
        quadratic=np.ones(2 * VALUES),
        G=np.hstack([np.eye(VALUES), np.eye(VALUES)]),
    )
    return po.design(
        program,
        po.Identity(range(VALUES)),
        po.Laplace(epsilon=1.0, alpha=0.1),
        po.Analytic(eta=0.05),
        domain=po.Box(np.full(VALUES, 1.0), np.full(VALUES, 2.0)),
        floor=1.0,
    )


def seconds(work: Callable[[], object], count: int) -> Vector:
    """How long each of `count` calls took."""
    found = np.empty(count)
    for number in range(count):
        start = time.perf_counter()
        work()
        found[number] = time.perf_counter() - start
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the ledger lies")
    parser.add_argument("--count", type=int, default=2000)
    given = parser.parse_args()
    made, d = policy(), np.full(VALUES, 1.5)
    request = Request(mechanism="none", epsilon=1, alpha=0.1, private=private_set(["a"]))
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        released = po.Ledger(Path(folder) / "a.ledger", limit=po.Budget(10**9))
        charged = po.Ledger(Path(folder) / "b.ledger", limit=po.Budget(10**9))
        made.release(d, released)  # what is made once
        print(f"{released.verify().drive}, {given.count} calls each")
        for name, work in {
            "release": lambda: made.release(d),
            "release(ledger=)": lambda: made.release(d, released),
            "charge": lambda: charged.charge(request, lambda _: b""),
        }.items():
            took = seconds(work, given.count)
            median, high = 1e3 * np.quantile(took, (0.5, 0.99))
            print(
                f"{name:<18} {given.count / took.sum():8.0f} a second   median {median:6.2f} ms   "
                f"p99 {high:6.2f} ms   longest {1e3 * took.max():6.2f} ms"
            )
        start = time.perf_counter()
        rows = released.verify().rows
        print(f"verify: {rows} rows in {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
