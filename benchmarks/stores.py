"""A ledger in a file and one on PostgreSQL, side by side: charges a second, p99, and growth.

    python -m benchmarks.stores [--folder FOLDER] [--count 400] [--rows 100 10000 1000000]

Each charge is two transactions, on the disk when they end; there is nothing to make. The processes
charge one ledger at once, over a socket of the same machine. For growth a ledger is filled with
rows (past the triggers, by the superuser, in the same chain), and charged by one process in turn
with smaller ones, so that all have the same load. `verify` and `show` run in processes of their
own (their processor time and largest resident memory).

The server is started in a folder; both stores use the same disk (`--folder`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from tests.ledger.stores.postgresql.server import Server

import privopt as po
from benchmarks.ledger_growth import resident
from privopt.arrays import Vector
from privopt.ledger import Request, chain
from privopt.ledger.request import private_set
from privopt.ledger.row import COLUMNS, Row, Share

TIME = "2026-01-01T00:00:00Z"
TRIGGERS = {"entries": ("checked", "never_changed", "never_emptied"),
            "head": ("head_follows", "head_stays")}  # fmt: skip


def request() -> Request:
    """What is charged."""
    return Request(mechanism="none", epsilon="1e-6", alpha=0.1, private=private_set(["a"]))


def charges(place: str, count: int) -> Vector:
    """How long each charge took."""
    ledger, took = po.Ledger(place, timeout=600), np.empty(count)
    for number in range(count):
        start = time.perf_counter()
        ledger.charge(request(), lambda _: b"out")
        took[number] = time.perf_counter() - start
    ledger.close()
    return took


def in_turn(places: dict[int, str], count: int) -> dict[int, Vector]:
    """How long each charge took in ledgers that are charged by turns, under the same load."""
    ledgers = {rows: po.Ledger(place, timeout=600) for rows, place in places.items()}
    took = {rows: np.empty(count) for rows in places}
    for number in range(count):
        for rows, ledger in ledgers.items():
            start = time.perf_counter()
            ledger.charge(request(), lambda _: b"out")
            took[rows][number] = time.perf_counter() - start
    for ledger in ledgers.values():
        ledger.close()
    return took


def crowd(place: str, processes: int, count: int, folder: Path) -> tuple[float, Vector]:
    """Seconds for all, and how long each charge took, with processes that charge at once."""
    children: list[int] = []
    start = time.perf_counter()
    for number in range(processes):
        child = os.fork()
        if not child:
            try:
                np.save(folder / f"{number}.npy", charges(place, count // processes))
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    seconds = time.perf_counter() - start
    found: list[Vector] = [np.load(folder / f"{number}.npy") for number in range(processes)]
    return seconds, np.concatenate(found)


def fill(server: Server, ledger: po.Ledger, rows: int) -> None:
    """Bring a ledger on the server to so many rows."""
    with ledger.store.reading() as transaction:
        row = chain.last(transaction)
    charge, names = request().charge.charge, ", ".join(f'"{name}"' for name in COLUMNS)
    name, text = ledger.store.name, request().text
    with server.connect() as connection:
        for table, triggers in TRIGGERS.items():
            for trigger in triggers:
                connection.execute(f"ALTER TABLE {name}.{table} DISABLE TRIGGER {trigger}")
        with connection.cursor().copy(f"COPY {name}.entries ({names}) FROM STDIN") as copy:
            while row.seq + 2 <= rows:
                held: dict[str, Any] = Row.named("postgres", Share(row.spent.plus(charge)))
                row = row.after("charge", charge=charge, time=TIME, request=text, **held)
                copy.write_row([getattr(row, one) for one in COLUMNS])
                row = row.after("output", of=row.seq, output=b"out")
                copy.write_row([getattr(row, one) for one in COLUMNS])
        settled = request()
        connection.execute(
            f"UPDATE {name}.head SET seq = %s, digest = %s, alpha = %s, private = %s",  # noqa: S608
            (row.seq, row.digest, settled.alpha, settled.private),
        )
        for table, triggers in TRIGGERS.items():
            for trigger in triggers:
                connection.execute(f"ALTER TABLE {name}.{table} ENABLE ALWAYS TRIGGER {trigger}")
        connection.execute(f"ANALYZE {name}.entries")


def show(name: str, seconds: float, took: Vector) -> None:
    """One line of the report."""
    median, high = 1e3 * np.quantile(took, (0.5, 0.99))
    print(
        f"{name:<34} {len(took) / seconds:7.0f} a second   median {median:7.2f} ms   "
        f"p99 {high:8.2f} ms",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="disk of both stores")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 10_000, 1_000_000])
    given = parser.parse_args()
    disk: Path = given.folder
    folder = Path(tempfile.mkdtemp(dir=disk))
    server = Server(folder=disk)
    try:
        for processes in (1, 4, 16):
            places = {
                "SQLite": str(folder / f"{processes}.ledger"),
                "PostgreSQL": server.address(),
            }
            for name, place in places.items():
                po.Ledger(place, po.Budget(1000)).close()
                took = crowd(place, processes, given.count, folder)
                show(f"{name}, {processes} processes", took[0], took[1])
        grown: dict[int, str] = {}
        for rows in given.rows:
            ledger = po.Ledger(server.address(), po.Budget(1000))
            fill(server, ledger, rows)
            ledger.close()
            grown[rows] = ledger.place
        for rows, took in in_turn(grown, given.count).items():
            show(f"PostgreSQL, {rows} rows", float(took.sum()), took)
        for rows, place in grown.items():
            for word in ("verify", "show"):
                used, memory = resident("ledger", word, place)
                print(f"{word:<8} {rows:>8} rows {used:8.1f} s of processor {memory:6.0f} MB")
    finally:
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
