"""How long a charge, `verify` and `show` take in ledgers of 10^2 to 10^6 rows, and in what memory.

    python -m benchmarks.ledger_growth [--folder FOLDER] [--rows 1000000] [--count 200]

The rows are made by the ledger's own functions in one transaction: charges with keys, outputs of
300 bytes, 20 releasers with quotas. `verify` and `show` run in processes of their
own, whose largest resident memory is stated beside that of a process that only imports the command
line.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import privopt as po
from privopt.ledger import Request
from privopt.ledger.opening import Given, first_row
from privopt.ledger.request import private_set
from privopt.ledger.row import Row, Share
from privopt.ledger.stores.registry import open_store
from privopt.ledger.writing import now

RELEASERS = 20
LIMIT = po.Budget(10**9)
OUTPUT = b"x" * 300
REQUEST = Request(mechanism="plan", epsilon=1, alpha=0.1, private=private_set(["a"]))


def build(path: Path, rows: int) -> None:
    """A ledger of so many rows, in one transaction."""
    store, shares = open_store(path, read_only=False, timeout=60.0), dict[str, Share]()
    charge, quota = REQUEST.charge.charge, LIMIT.limit
    with store.beginning() as transaction:
        head = first_row(Given(), LIMIT, str(path), now(), store.home)
        transaction.append(head)
        for number in range(RELEASERS):
            name = f"releaser {number}"
            shares[name] = Share(limit=quota)
            named: dict[str, Any] = {
                "releasers": number + 1,
                **Row.named(name, shares[name]),
            }
            head = head.after("quota", time=now(), **named)
            transaction.append(head)
        while head.seq < rows:
            head = head.after(
                "charge",
                charge=charge,
                time=now(),
                key=f"key {head.seq}",
                request=REQUEST.text,
                **_named(shares, head.seq % RELEASERS),
            )
            transaction.append(head)
            head = head.after("output", of=head.seq, output=OUTPUT)
            transaction.append(head)
    store.close()


def _named(shares: dict[str, Share], number: int) -> dict[str, Any]:
    """What a charge says of its releaser, whose share grows."""
    name = f"releaser {number}"
    was = shares.get(name, Share())
    shares[name] = Share(was.spent.plus(REQUEST.charge.charge), was.limit)
    return Row.named(name, shares[name])


def charges(path: Path, count: int, anchor: Path | None = None) -> str:
    """Median and 99th percentile of charges under a quota, and their mean processor time."""
    took, begun = np.empty(count), time.process_time()
    with po.Ledger(path, releaser="releaser 7", anchor=anchor) as ledger:
        if anchor is None:
            ledger.charge(REQUEST, lambda _: OUTPUT)  # opens the file
            begun = time.process_time()
        for number in range(count):
            start = time.perf_counter()
            ledger.charge(REQUEST, lambda _: OUTPUT)
            took[number] = time.perf_counter() - start
    median, high = 1e3 * np.quantile(took, (0.5, 0.99))
    used = 1e3 * (time.process_time() - begun) / count
    return f"median {median:6.2f} ms   p99 {high:7.2f} ms   processor {used:5.2f} ms"


def resident(*words: str) -> tuple[float, float]:
    """Seconds of processor time and largest resident memory (MB) of a process."""
    command = [sys.executable, "-c", "from privopt.cli import app; app()", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where the ledger lies")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        sizes = [10**power for power in range(2, 10) if 10**power <= given.rows]
        _, least = resident("--version")
        print(f"the command line alone: {least:.0f} MB")
        for rows in sizes:
            path = Path(folder) / f"{rows}.ledger"
            start = time.perf_counter()
            build(path, rows)
            built, size = time.perf_counter() - start, path.stat().st_size / 1e6
            print(f"{rows} rows, {size:.1f} MB, built in {built:.1f} s", flush=True)
            print(f"  charge                {charges(path, given.count)}", flush=True)
            anchor = Path(folder) / f"{rows}.anchor"
            with po.Ledger(path, read_only=True) as ledger:
                ledger.anchor_at(anchor)
            print(f"  charge, with anchor   {charges(path, given.count, anchor)}", flush=True)
            for words in (["verify"], ["show"], ["show", "--json"], ["show", "--last", "20"]):
                took, memory = resident("ledger", words[0], str(path), *words[1:])
                said = " ".join(words)
                print(f"  {said:<20} {took:8.1f} s of processor   {memory:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
