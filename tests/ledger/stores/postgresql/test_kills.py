"""Releasers that are killed and servers that stop at once: no output without its charge.

The processes make real measurements, as the role `anna`. By turns they are killed at a
random time, or kill themselves before a statement of a release. In between the server is stopped
(`pg_ctl stop -m immediate`: every session ends without a word, as in a crash) while three processes
release, and started again; these go on by themselves, and whatever they were told in between, what
they got must be stored.

A stop shows what the server had handed to the system, not what a power cut would leave.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.ledger.requests import fork, join
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import Team, team
from tests.ledger.test_kills import heard, instrument, mark, one, release

from privopt.errors import LedgerError
from privopt.ledger import Ledger

STATEMENTS = 24  # of two releases, about: a first one looks at the catalogue too
BATCH = 100


@dataclass
class Tally:
    kills: int = 0
    stops: int = 0
    outputs: int = 0
    burnt: int = 0
    told: int = 0

    def __str__(self) -> str:
        return (
            f"{self.kills} kills and {self.stops} stops of the server: {self.outputs} outputs, "
            f"each charged; {self.burnt} burnt; {self.told} errors of a server that was gone"
        )


def deadly(step: int) -> None:
    """Let this process kill itself before its statement number `step`."""
    real, seen = psycopg.Connection.execute, [0]

    def execute(self: Any, *given: Any, **named: Any) -> Any:
        seen[0] += 1
        if seen[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, *given, **named)

    psycopg.Connection.execute = execute  # in this process alone, which ends soon


def releaser(place: str, tell: int, step: int | None = None) -> Callable[[], None]:
    def work() -> None:
        ledger, number = Ledger(place, timeout=30), 0
        os.write(tell, b"ready\n")
        if step is not None:
            deadly(step)
        while True:
            number += 1
            key = f"{os.getpid()}-{time.monotonic_ns()}" if number % 2 else None
            try:
                one(ledger, tell, key)
            except LedgerError:  # the server is gone; it comes back
                os.write(tell, b"error\n")
                time.sleep(0.05)

    return work


def check(made: Team, said: set[bytes], tally: Tally) -> None:
    """Every output that anyone saw is the stored output of a charge; the chain is whole."""
    report = made.owner.verify()
    with made.owner.store.reading() as rows:
        stored = {mark(row.output) for row in rows.rows(1) if row.output is not None}
    assert said <= stored
    assert len(stored) == report.released
    assert report.spent.exact[0] * 1000 == report.charges
    tally.outputs += len(said)
    tally.burnt += report.unfinished


def killed(made: Team, kills: int, rng: np.random.Generator, tally: Tally) -> None:
    """Kill releasers one after the other, half of them before a statement."""
    ready, tell = os.pipe()
    os.set_blocking(ready, False)
    said: set[bytes] = set()
    place = made.address("anna")
    with Ledger(place) as ledger:
        started = time.monotonic()
        for _ in range(3):
            release(ledger)
        took = (time.monotonic() - started) / 3  # a busy machine takes longer, and is given it
    for number in range(kills):
        step = tally.kills // 2 % STATEMENTS + 1 if number % 2 else None
        child = fork(releaser(place, tell, step))
        new: set[bytes] = set()
        while b"ready" not in new:
            time.sleep(0.001)
            new |= heard(ready)
        if step is None:
            time.sleep(rng.uniform(0, 4 * took))
            os.kill(child, signal.SIGKILL)
        assert join([child]) == [-signal.SIGKILL]
        tally.kills += 1
        said |= new | heard(ready)
    check(made, said - {b"error", b"ready"}, tally)
    os.close(ready)
    os.close(tell)


def stopped(made: Team, stops: int, rng: np.random.Generator, tally: Tally) -> None:
    """Stop the server under three releasers, and start it again."""
    ready, tell = os.pipe()
    os.set_blocking(ready, False)
    children = [fork(releaser(made.address(user), tell)) for user in ("anna", "anna", "ben")]
    said, opened = set[bytes](), b""
    while opened.count(b"ready") < len(children):
        time.sleep(0.001)
        with contextlib.suppress(BlockingIOError):
            opened += os.read(ready, 65536)
    said |= set(opened.split()) - {b"ready"}
    for _ in range(stops):
        time.sleep(rng.uniform(0.1, 0.4))
        made.server.stop("immediate")
        made.server.start()
        tally.stops += 1
    before, until = len(said | heard_all(ready, said, tally)), time.monotonic() + 60
    while len(said) < before + 3 and time.monotonic() < until:  # they go on
        time.sleep(0.05)
        heard_all(ready, said, tally)
    for child in children:
        os.kill(child, signal.SIGKILL)
    assert join(children) == [-signal.SIGKILL] * 3
    heard_all(ready, said, tally)
    assert len(said) >= before + 3
    check(made, said, tally)
    os.close(ready)
    os.close(tell)


def heard_all(ready: int, said: set[bytes], tally: Tally) -> set[bytes]:
    new = heard(ready)
    tally.told += b"error" in new
    said |= new - {b"error", b"ready"}
    return said


def many(server: Server, kills: int, stops: int) -> Tally:
    instrument()
    rng, tally = np.random.default_rng(3), Tally()
    while tally.kills < kills or tally.stops < stops:
        made = team(server, 10**6)
        killed(made, min(BATCH, kills - tally.kills), rng, tally)
        stopped(made, min(max(1, stops * BATCH // max(1, kills)), stops - tally.stops), rng, tally)
        made.owner.close()
    return tally


@pytest.mark.long
def test_sixteen_kills_and_a_stop(running: Server) -> None:
    tally = many(running, 16, 1)
    assert (tally.kills, tally.stops) == (16, 1)
    assert tally.outputs >= 3


@pytest.mark.kills
def test_two_thousand_kills_and_fifty_stops(
    running: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.monotonic()
    kills = int(os.environ.get("PRIVOPT_KILLS", "10000")) // 5
    tally = many(running, kills, kills // 40)
    assert (tally.kills, tally.stops) == (kills, kills // 40)
    assert tally.outputs > kills // 3
    assert tally.burnt > kills // 30
    with capsys.disabled():
        os.write(1, f"\n{tally}; {time.monotonic() - started:.0f} s\n".encode())
