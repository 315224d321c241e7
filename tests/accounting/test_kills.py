"""SIGKILL and Ctrl-C at any time: no output without its charge, and the chain stays whole.

The processes make real releases of a policy; they are forked from this one, which is warm. A kill
shows what a process had handed to the system, not what a power cut would leave: the system lives
on, and writes what it was given. Against power loss there is synchronous=FULL, and a disk that
keeps what it reports as written; neither is tested here.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import signal
import time
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.accounting.requests import fork, join, open_ledger

import privopt as po
from privopt import wire
from privopt.accounting import Budget, Ledger
from privopt.errors import BurntError

D = [6.0]
PRICE = "0.001"
STEPS = 13  # of a release under a key: eleven statements of SQL, and around the drawing of noise


@cache
def policy() -> po.Policy:
    """Three suppliers meet a private demand; the first one's supply is released."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], d=None, lower=0, upper=4
    )
    noise = po.Laplace(epsilon=float(PRICE), alpha=1e-4)
    made = po.design(
        program,
        po.Identity([0]),
        noise,
        po.Analytic(eta=0.05),
        domain=po.Box([5.0], [7.0]),
        floor=0.3,
    )
    made.release(D)  # loads the sampler: the children start with it
    assert made.request.charge == Budget(PRICE)
    return made


def mark(stored: bytes) -> bytes:
    """An output in few bytes: what is written to a pipe at once is not torn by a kill."""
    return hashlib.sha256(stored).hexdigest().encode()


def one(ledger: Ledger, tell: int, key: str | None = None) -> None:
    """A release, said aloud only when it was returned."""
    made = policy().release(D, ledger, key)
    os.write(tell, mark(wire.text(made).encode()) + b"\n")


def released(ledger: Ledger, tell: int) -> None:
    """Release for ever, every other time under a key."""
    number = 0
    while True:
        number += 1
        one(ledger, tell, f"{os.getpid()}-{time.monotonic_ns()}" if number % 2 else None)


def deadly(ledger: Ledger, step: int) -> None:
    """Let this process kill itself before its step number `step`: a statement, or the noise."""
    seen = 0

    def trace(_: str) -> None:
        nonlocal seen
        if seen == step:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    draw = po.Policy._made

    def traced(self: po.Policy, d: Any, entry: Any) -> po.Release:
        trace("d is read")
        made = draw(self, d, entry)
        trace("the release is made")
        return made

    po.Policy._made = traced  # in this process alone, which ends soon
    with ledger._store.reading() as connection:
        connection.set_trace_callback(trace)
        seen = -1  # the COMMIT of this transaction comes first


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
        stored = [row[0] for row in connection.execute("SELECT output FROM entries WHERE of > 0")]
    assert said <= {mark(output) for output in stored}
    assert len(stored) == report.released
    assert report.spent.exact[0] * 1000 == report.charges
    # Children of one parent do not share their noise.
    values = {float(wire.read(po.Release, output, "it").values[0]) for output in stored}
    assert len(values) == len(stored)


@dataclass
class Tally:
    kills: int = 0
    outputs: int = 0
    burnt: int = 0


def many_kills(folder: Path, kills: int) -> Tally:
    """Kill releasing processes, by turns at a random time and before a step of a release.

    The steps of about seven releases are met in turn. A fresh file after every 50 kills.
    """
    rng, tally = np.random.default_rng(1), Tally()
    policy()
    for batch in range(0, kills, 50):
        place = folder / str(batch)
        place.mkdir()
        ledger = open_ledger(place, 10**6)
        ready, tell = os.pipe()
        os.set_blocking(ready, False)
        said: set[bytes] = set()
        for number in range(min(50, kills - batch)):
            step = (batch + number) // 2 % (6 * STEPS) if number % 2 else None

            def work(path: Path = ledger.path, tell: int = tell, step: int | None = step) -> None:
                mine = Ledger(path)
                if step is not None:
                    deadly(mine, step)
                released(mine, tell)

            child = fork(work)
            if step is None:  # otherwise it kills itself
                time.sleep(rng.uniform(0.002, 0.02))
                os.kill(child, signal.SIGKILL)
            assert join([child]) == [-signal.SIGKILL]
            tally.kills += 1
            said |= heard(ready)
        os.close(ready)
        os.close(tell)
        check(ledger, said)
        tally.outputs += len(said)
        tally.burnt += ledger.verify().unfinished
        ledger.close()
    return tally


def test_three_hundred_kills(folder: Path) -> None:
    tally = many_kills(folder, 300)
    assert tally.kills == 300
    assert tally.outputs > 300
    assert tally.burnt > 30


@pytest.mark.kills
def test_ten_thousand_kills(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    tally = many_kills(folder, 10_000)
    assert tally.kills == 10_000
    assert tally.outputs > 10_000
    assert tally.burnt > 1000
    with capsys.disabled():
        taken = time.monotonic() - started
        line = f"10,000 kills: {tally.outputs} outputs, each charged; {tally.burnt} burnt"
        os.write(1, f"\n{line}; {taken:.0f} s\n".encode())


def test_a_kill_before_each_step_of_a_release(folder: Path) -> None:
    policy()
    states: list[tuple[int, int, int]] = []
    for step in range(40):
        place = folder / str(step)
        place.mkdir()
        ledger = open_ledger(place, 1)
        ready, tell = os.pipe()

        def work(path: Path = ledger.path, step: int = step, tell: int = tell) -> None:
            mine = Ledger(path)
            deadly(mine, step)
            one(mine, tell, "k")

        child = fork(work)
        os.close(tell)
        code = join([child])[0]
        said = set(os.read(ready, 100).split())
        os.close(ready)
        check(ledger, said)
        report = ledger.verify()
        states.append((report.charges, report.released, len(said)))
        # Afterwards the key is as good as new, burnt, or replays.
        if report.charges == 0 or report.released == 1:
            assert policy().release(D, ledger, "k") == policy().release(D, ledger, "k")
        else:
            with pytest.raises(BurntError):
                policy().release(D, ledger, "k")
        assert ledger.spent == Budget(PRICE)
        ledger.close()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert not said
    # Not charged, then charged, then stored and returned; every state was met, in this order.
    assert states == sorted(states)
    assert {state[:2] for state in states} == {(0, 0), (1, 0), (1, 1)}
    assert states[-1] == (1, 1, 1)
    assert len(states) == STEPS + 1


def interrupted(child: int) -> int:
    """Exit code after Ctrl-C. One that strikes in a finaliser is lost in Python: press it again."""
    while True:
        os.kill(child, signal.SIGINT)
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.001)


def test_ctrl_c_at_random_times(folder: Path) -> None:
    policy()
    ledger = open_ledger(folder, 10**6)
    ready, tell = os.pipe()
    os.set_blocking(ready, False)
    said: set[bytes] = set()

    def work() -> None:
        gc.disable()  # fewer finalisers
        mine = Ledger(ledger.path)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.write(tell, b"ready\n")
        with contextlib.suppress(KeyboardInterrupt):
            released(mine, tell)
        try:
            # The same object goes on afterwards: nothing is left locked or half done.
            policy().release(D, mine)
        except Exception:
            traceback.print_exc()
            os._exit(3)

    rng = np.random.default_rng(2)
    for _ in range(40):
        child = fork(work)
        while b"ready" not in (new := heard(ready)):
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.02))
        assert interrupted(child) in (0, 1)  # 1: struck outside of the loop
        said |= (new | heard(ready)) - {b"ready"}
    os.close(ready)
    os.close(tell)
    check(ledger, said)
    assert said
