"""SIGKILL and Ctrl-C at any time: no output without its charge, and the chain stays whole.

A kill shows what the process had handed to the system, not what a power cut would leave: that rests
on synchronous=FULL and on a disk that keeps what it reports as written.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from tests.accounting.requests import fork, join, open_ledger, request

from privopt.accounting import Budget, Ledger
from privopt.errors import BurntError


def released(ledger: Ledger, tell: int) -> None:
    """Charge for ever; say each output aloud only when `charge` has returned it."""
    number = 0
    while True:
        number += 1
        name = b"%d-%d" % (os.getpid(), number)
        key = name.decode() if number % 2 else None
        os.write(tell, ledger.charge(request("0.001"), lambda _, name=name: name, key) + b"\n")


def heard(ready: int) -> set[bytes]:
    text = b""
    while True:
        try:
            part = os.read(ready, 65536)
        except BlockingIOError:
            return set(text.split())
        text += part


def check(ledger: Ledger, said: set[bytes]) -> None:
    """Every output that anyone saw is a stored output of a charge."""
    report = ledger.verify()
    with ledger._store.reading() as connection:
        stored = {row[0] for row in connection.execute("SELECT output FROM entries WHERE of > 0")}
    assert said <= stored
    assert len(stored) == report.released
    assert report.spent.exact[0] * 1000 == report.charges


def random_kills(folder: Path, kills: int) -> tuple[int, int]:
    """Kill charging processes at random times; a fresh file after every 50 kills."""
    rng, outputs, burnt = np.random.default_rng(1), 0, 0
    for batch in range(0, kills, 50):
        place = folder / str(batch)
        place.mkdir()
        ledger = open_ledger(place, 10**6)
        ready, tell = os.pipe()
        os.set_blocking(ready, False)
        said: set[bytes] = set()
        for _ in range(min(50, kills - batch)):
            child = fork(lambda path=ledger.path, tell=tell: released(Ledger(path), tell))
            time.sleep(rng.uniform(0.002, 0.015))
            os.kill(child, signal.SIGKILL)
            assert join([child]) == [-signal.SIGKILL]
            said |= heard(ready)
        os.close(ready)
        os.close(tell)
        check(ledger, said)
        outputs, burnt = outputs + len(said), burnt + ledger.verify().unfinished
        ledger.close()
    return outputs, burnt


def test_kills_at_random_times(folder: Path) -> None:
    outputs, _ = random_kills(folder, 300)
    assert outputs > 0


@pytest.mark.slow
def test_ten_thousand_kills(folder: Path) -> None:
    outputs, burnt = random_kills(folder, 10_000)
    assert outputs > 10_000
    assert burnt > 0


def killed_at(ledger: Ledger, step: int, tell: int) -> None:
    """One charge that kills its process before its SQL statement number `step` (or in `make`)."""
    seen = 0

    def trace(_: str) -> None:
        nonlocal seen
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    def make(_: object) -> bytes:
        trace("")
        return b"made"

    with ledger._store.reading() as connection:
        connection.set_trace_callback(trace)
        seen = -1  # the COMMIT of this transaction comes first
    os.write(tell, ledger.charge(request("0.001"), make, "k"))


def test_a_kill_before_each_step_of_the_protocol(folder: Path) -> None:
    states: list[tuple[int, int, bytes]] = []
    for step in range(40):
        place = folder / str(step)
        place.mkdir()
        ledger = open_ledger(place, 1)
        ready, tell = os.pipe()
        child = fork(
            lambda path=ledger.path, step=step, tell=tell: killed_at(Ledger(path), step, tell)
        )
        os.close(tell)
        code = join([child])[0]
        said = os.read(ready, 100)
        os.close(ready)
        check(ledger, {said} if said else set())
        report = ledger.verify()
        states.append((report.charges, report.released, said))
        # Afterwards the key is as good as new, burnt, or replays.
        if report.charges == 0 or report.released == 1:
            made = ledger.charge(request("0.001"), lambda _: b"made", "k")
            assert made == b"made"
        else:
            with pytest.raises(BurntError):
                ledger.charge(request("0.001"), lambda _: b"made", "k")
        assert ledger.spent == Budget("0.001")
        ledger.close()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert said == b""
    # Not charged, then charged, then stored and returned; every state was met, in this order.
    assert states == sorted(states)
    assert {state[:2] for state in states} == {(0, 0), (1, 0), (1, 1)}
    assert states[-1] == (1, 1, b"made")
    assert len(states) > 8


def test_ctrl_c_at_random_times(folder: Path) -> None:
    ledger = open_ledger(folder, 10**6)
    ready, tell = os.pipe()
    os.set_blocking(ready, False)
    said: set[bytes] = set()

    def work() -> None:
        # An interrupt that strikes in a collection (a __del__, a callback) is lost: none here.
        gc.disable()
        mine = Ledger(ledger.path)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.write(tell, b"ready\n")
        try:
            released(mine, tell)
        except KeyboardInterrupt:
            # The same object goes on afterwards: nothing is left locked or half done.
            mine.charge(request("0.001"), lambda _: b"after-%d" % os.getpid())

    rng = np.random.default_rng(2)
    for _ in range(40):
        child = fork(work)
        while b"ready" not in (new := heard(ready)):
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.008))
        os.kill(child, signal.SIGINT)
        assert join([child])[0] in (0, 1)  # 1: struck outside of the loop
        said |= (new | heard(ready)) - {b"ready"}
    os.close(ready)
    os.close(tell)
    check(ledger, said)
    assert said
