"""Processes on two hosts race for one ledger on PostgreSQL: the sum ends exactly at the limit.

    python -m benchmarks.racing [--charges 20000] [--processes 16]

The hosts are two network namespaces of Linux, each with an address of its own and its own half of
the processes; the server listens on the bridge between them. The bridge itself lies in a third
namespace, in which the whole benchmark runs: none of these addresses exists on the machine's own
network. Where namespaces cannot be made (not root, no iproute2), both halves run on the loopback,
and the first line says so. Only a quarter of
the charges fit. Outputs are counted by the processes, and compared with the ledger.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
from tests.ledger.stores.postgresql.server import Server

import privopt as po
from privopt.errors import BudgetExceededError
from privopt.ledger import Request
from privopt.ledger.request import private_set

_BRIDGE, _NET = "privoptbr0", "10.213.77"
HOSTS = ("privopta", "privoptb")


def ip(*words: str) -> None:
    """One command of iproute2."""
    subprocess.run(["ip", *words], check=True, capture_output=True)  # noqa: S603, S607


def remove() -> None:
    """Take away what `namespaces` makes."""
    for words in (*(("netns", "del", name) for name in HOSTS), ("link", "del", _BRIDGE)):
        with contextlib.suppress(subprocess.CalledProcessError):
            ip(*words)


def _can_be_apart() -> bool:
    """Whether namespaces can be made here."""
    return os.geteuid() == 0 and all(shutil.which(name) for name in ("ip", "unshare"))


@contextlib.contextmanager
def namespaces(*, inside: bool) -> Generator[bool]:
    """Two namespaces, joined by a bridge in this one; whether they could be made."""
    made = inside
    try:
        if made:
            remove()
            ip("link", "set", "lo", "up")
            ip("link", "add", _BRIDGE, "type", "bridge")
            ip("addr", "add", f"{_NET}.1/24", "dev", _BRIDGE)
            ip("link", "set", _BRIDGE, "up")
            for number, name in enumerate(HOSTS):
                outer, inner = f"{name}o", f"{name}i"
                ip("netns", "add", name)
                ip("link", "add", outer, "type", "veth", "peer", "name", inner)
                ip("link", "set", outer, "master", _BRIDGE, "up")
                ip("link", "set", inner, "netns", name)
                ip("-n", name, "addr", "add", f"{_NET}.{number + 2}/24", "dev", inner)
                ip("-n", name, "link", "set", inner, "up")
                ip("-n", name, "link", "set", "lo", "up")
    except subprocess.CalledProcessError:
        made = False
    try:
        yield made
    finally:
        if inside:
            remove()


def race(address: str, charges: int) -> None:
    """Charge so often; print how many went through, and how long each took."""
    ledger = po.Ledger(address, timeout=600)
    request = Request(mechanism="none", epsilon="0.001", alpha=0.1, private=private_set(["a"]))
    through, took = 0, list[float]()
    print("ready", flush=True)
    sys.stdin.readline()  # all begin at once
    for _ in range(charges):
        start = time.perf_counter()
        try:
            ledger.charge(request, lambda _: b"out")
        except BudgetExceededError:
            continue
        took.append(time.perf_counter() - start)
        through += 1
    print(through, *(f"{1e3 * one:.2f}" for one in took))


def started(address: str, charges: int, host: str | None) -> subprocess.Popen[str]:
    """A process that races, in a namespace."""
    inside = [] if host is None else ["ip", "netns", "exec", host]
    command = [*inside, sys.executable, "-m", "benchmarks.racing", "--one", address]
    command += ["--charges", str(charges)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path.cwd())  # noqa: S603


def main() -> None:
    """Race and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--charges", type=int, default=20_000)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--one", help="address: be one of the processes")
    parser.add_argument("--inside", action="store_true", help="this is the third namespace")
    given = parser.parse_args()
    if given.one:
        race(given.one, given.charges)
        return
    if not given.inside and _can_be_apart():
        command = ["unshare", "--net", sys.executable, "-m", "benchmarks.racing", "--inside"]
        command += ["--charges", str(given.charges), "--processes", str(given.processes)]
        sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603
    with namespaces(inside=given.inside) as apart:
        listen = f"127.0.0.1,{_NET}.1" if apart else "127.0.0.1"
        server = Server(listen=listen)
        try:
            _compare(server, given.charges, given.processes, apart=apart)
        finally:
            server.remove()


def _compare(server: Server, charges: int, processes: int, *, apart: bool) -> None:
    where = "two network namespaces" if apart else "the loopback (no namespaces to be had)"
    print(f"{processes} processes on {where}, {charges} charges, room for a quarter of them")
    room = charges // 4
    owner = po.Ledger(server.address("race"), po.Budget(f"{room}e-3"))
    host = f"{_NET}.1" if apart else "127.0.0.1"
    address = f"postgresql://postgres@{host}:{server.port}/postgres?ledger=race"
    each = charges // processes
    racers = [
        started(address, each, HOSTS[number % 2] if apart else None) for number in range(processes)
    ]
    for racer in racers:
        if racer.stdout is None or racer.stdout.readline() != "ready\n":
            sys.exit("a process did not begin")
    start = time.perf_counter()
    for racer in racers:
        if racer.stdin is not None:
            racer.stdin.write("\n")
            racer.stdin.flush()
    answers = [racer.communicate()[0].split() for racer in racers]
    seconds = time.perf_counter() - start
    through = sum(int(answer[0]) for answer in answers)
    took = np.array([float(one) for answer in answers for one in answer[1:]])
    report = owner.verify()
    print(report.summary())
    exact = through == room == report.charges == report.released and report.spent == report.limit
    median, high = np.quantile(took, (0.5, 0.99))
    print(
        f"{through} went through, {each * processes - through} were refused, in {seconds:.0f} s: "
        f"{through / seconds:.0f} a second; median {median:.1f} ms, p99 {high:.1f} ms"
    )
    print("the sum is the limit, exactly" if exact else "THE SUM IS NOT THE LIMIT")
    if not exact:
        sys.exit(1)


if __name__ == "__main__":
    main()
