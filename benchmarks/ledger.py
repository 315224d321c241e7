"""Releases a second, with and without a ledger, and how long a charge takes.

    python -m benchmarks.ledger [--folder FOLDER] [--count 2000]

A plan of 35 values on a local disk: `release` alone, `release(ledger=)`, and `Ledger.charge` with
nothing to make. A charge is two transactions, each on the disk when it ends.

Beside them what a bare transaction of SQLite costs with each journal, in turns so that all meet the
same load: a write-ahead log, and the rollback journal that ledgers use (see
`ledger.stores.sqlite.connecting` for why).
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import privopt as po
from privopt.arrays import Vector
from privopt.ledger import Request
from privopt.ledger.request import private_set

VALUES = 35


def plan() -> po.Plan:
    """35 private demands, each served by a source that is released and one that is not."""
    program = po.ConvexProgram(
        linear=np.arange(2.0 * VALUES),
        quadratic=np.ones(2 * VALUES),
        G=np.hstack([np.eye(VALUES), np.eye(VALUES)]),
        d=np.full(VALUES, 1.5),
    )
    return po.solve(
        program,
        po.Identity(range(VALUES)),
        po.Laplace(epsilon=1.0, alpha=0.1),
        po.Analytic(eta=0.05),
    )


def seconds(work: Callable[[], object], count: int) -> Vector:
    """How long each of `count` calls took."""
    found = np.empty(count)
    for number in range(count):
        start = time.perf_counter()
        work()
        found[number] = time.perf_counter() - start
    return found


def journals(folder: Path, count: int) -> None:
    """Print how long a transaction takes with each journal."""
    connections: dict[str, sqlite3.Connection] = {}
    for name in ("WAL, FULL", "DELETE, EXTRA", "TRUNCATE, EXTRA"):
        journal, synchronous = name.split(", ")
        made = sqlite3.connect(folder / journal, isolation_level=None)
        made.execute(f"PRAGMA journal_mode = {journal}")
        made.execute(f"PRAGMA synchronous = {synchronous}")
        made.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, content BLOB)")
        connections[name] = made
    took = {name: np.empty(count) for name in connections}
    for number in range(count):
        for name, connection in connections.items():
            start = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows (content) VALUES (zeroblob(600))")
            connection.execute("COMMIT")
            took[name][number] = time.perf_counter() - start
    for name, times in took.items():
        show(f"SQLite {name}", times)


def show(name: str, took: Vector) -> None:
    """One line of the report."""
    median, high = 1e3 * np.quantile(took, (0.5, 0.99))
    print(
        f"{name:<22} {len(took) / took.sum():8.0f} a second   median {median:6.2f} ms   "
        f"p99 {high:6.2f} ms   longest {1e3 * took.max():6.2f} ms"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the ledger lies")
    parser.add_argument("--count", type=int, default=2000)
    given = parser.parse_args()
    made = plan()
    request = Request(mechanism="none", epsilon=1, alpha=0.1, private=private_set(["a"]))
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        released = po.Ledger(Path(folder) / "a.ledger", limit=po.Budget(10**9))
        charged = po.Ledger(Path(folder) / "b.ledger", limit=po.Budget(10**9))
        made.release(released)  # what is made once
        print(f"{released.verify().drive}, {given.count} calls each")
        for name, work in {
            "release": made.release,
            "release(ledger=)": lambda: made.release(released),
            "charge": lambda: charged.charge(request, lambda _: b""),
        }.items():
            show(name, seconds(work, given.count))
        journals(Path(folder), given.count)
        start = time.perf_counter()
        rows = released.verify().rows
        print(f"verify: {rows} rows in {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
