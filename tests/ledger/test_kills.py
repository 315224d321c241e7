"""SIGKILL and Ctrl-C at any time: no output without its charge, and the chain stays whole.

The processes make real measurements; they are forked from this one, which is warm. Between
kills the ledger is moved, with its journal or without, brought back to a name where a journal was
left, copied, and given a second name. By turns it lies in memory and on a disk, where most of the
time goes into commits, so most kills strike there.

A kill shows what a process had handed to the system, not what a power cut would leave: the system
lives on, and writes what it was given. Against power loss there is synchronous=EXTRA, and a disk
that keeps what it reports as written; neither is tested here.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import os
import shutil
import signal
import time
import traceback
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.ledger.requests import fork, join, never, open_ledger, sqlite

import privopt as po
from privopt.errors import BudgetExceededError, BurntError, LedgerError
from privopt.kernel import wire
from privopt.kernel.noisy_map import NoisyMap
from privopt.ledger import Budget, Ledger
from privopt.noise import secure

D = [6.0]
PRICE = "0.001"
STEPS = 26  # of a release under a key: 24 statements of SQL, and around the drawing of noise


@cache
def instrument() -> po.Instrument:
    """Measures the private demand that three suppliers meet."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], d=None, lower=0, upper=4
    )
    noise = po.Laplace(epsilon=float(PRICE), alpha=1e-4)
    made = po.Instrument(
        {"total": [0]}, program=program, privacy=noise, domain=po.Box([5.0], [7.0])
    )
    made.measure(D)  # loads the sampler: the children start with it
    assert made.kernel.request().charge == Budget(PRICE)
    return made


def release(ledger: Ledger, key: str | None = None) -> po.Release:
    """What the ledger stores of a measurement."""
    made = instrument().measure(D, ledger, key).release
    assert made is not None
    return made


def mark(stored: bytes) -> bytes:
    """An output in few bytes: what is written to a pipe at once is not torn by a kill."""
    return hashlib.sha256(stored).hexdigest().encode()


def one(ledger: Ledger, tell: int, key: str | None = None) -> None:
    """A release, said aloud only when it was returned."""
    os.write(tell, mark(wire.text(release(ledger, key)).encode()) + b"\n")


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

    read, draw = NoisyMap.entries, secure.laplace_measurement

    def entries(self: NoisyMap, d: Any) -> Any:
        trace("d is read")
        return read(self, d)

    def measurement(*given: Any) -> Any:
        trace("noise is drawn")
        return draw(*given)

    NoisyMap.entries = entries  # in this process alone, which ends soon
    secure.laplace_measurement = measurement
    with sqlite(ledger).reading() as rows:
        if step % 2:  # a cache without room: pages reach the file before the commit
            rows.connection.execute("PRAGMA cache_size = 1")
            rows.connection.execute("PRAGMA cache_spill = 1")
        rows.connection.set_trace_callback(trace)
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
    with sqlite(ledger).reading() as rows:
        stored = [
            row[0] for row in rows.connection.execute("SELECT output FROM entries WHERE of > 0")
        ]
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
    moves: int = 0
    half_written: int = 0
    stale: int = 0

    def __str__(self) -> str:
        return (
            f"{self.kills} kills: {self.outputs} outputs, each charged; {self.burnt} burnt; "
            f"{self.moves} moves, copies and links, of which {self.half_written} parted a half "
            f"written file from its journal and {self.stale} met a journal left behind"
        )


def usable(path: Path) -> bool:
    """Whether the ledger can be written to."""
    try:
        with Ledger(path) as ledger, pytest.raises(BudgetExceededError):
            ledger.charge(
                replace(instrument().kernel.request(), epsilon=10**9, own_epsilon=None), never
            )
    except LedgerError:
        return False
    return True


def journal(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def disturbed(path: Path, rng: np.random.Generator, tally: Tally) -> Path:
    """Do something to the file that killed processes left; where it lies afterwards."""
    others = [item for item in path.parent.glob("*-journal") if item != journal(path)]
    action, new = int(rng.integers(8)), path.with_name(f"{tally.kills}.ledger")
    tally.moves += action < 5
    if action == 0:
        os.link(path, new)
        assert not usable(path)
        assert not usable(new)
        new.unlink()
    elif action in (1, 2):  # moved or copied, with its journal
        (path.rename if action == 1 else partial(shutil.copy, path))(new)
        if journal(path).exists():
            journal(path).rename(journal(new))
        path.unlink(missing_ok=True)
        assert usable(new)
        return new
    elif action == 3:  # moved without its journal
        path.rename(new)
        if not usable(new):
            tally.half_written += 1
            journal(path).rename(journal(new))
            assert usable(new)
        return new
    elif action == 4 and others:  # brought back to where a journal was left
        assert usable(path)
        back = others[0].with_name(others[0].name.removesuffix("-journal"))
        path.rename(back)
        if not usable(back):
            tally.stale += 1
            others[0].unlink()
            assert usable(back)
        return back
    return path


def many_kills(folder: Path, disk: Path, kills: int) -> Tally:
    """Kill releasing processes, by turns at a random time and before a step of a release.

    The steps of about seven releases are met in turn. A fresh file after every 50 kills.
    """
    rng, tally = np.random.default_rng(1), Tally()
    instrument()
    for batch in range(0, kills, 50):
        place = (disk if batch // 50 % 3 == 1 else folder) / str(batch)
        place.mkdir()
        path = open_ledger(place, 10**6).path
        ready, tell = os.pipe()
        os.set_blocking(ready, False)
        said: set[bytes] = set()
        for number in range(min(50, kills - batch)):
            step = (batch + number) // 2 % (6 * STEPS) if number % 2 else None

            def work(path: Path = path, tell: int = tell, step: int | None = step) -> None:
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
            path = disturbed(path, rng, tally)
        os.close(ready)
        os.close(tell)
        with Ledger(path) as ledger:
            check(ledger, said)
            tally.outputs += len(said)
            tally.burnt += ledger.verify().unfinished
        shutil.rmtree(place)
    return tally


@pytest.mark.long
def test_two_hundred_kills(folder: Path, tmp_path: Path) -> None:
    tally = many_kills(folder, tmp_path, 200)
    assert tally.kills == 200
    assert tally.outputs > 60
    assert tally.burnt > 15
    assert tally.moves > 60


@pytest.mark.kills
def test_ten_thousand_kills(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.monotonic()
    kills = int(os.environ.get("PRIVOPT_KILLS", "10000"))
    tally = many_kills(folder, tmp_path, kills)
    assert tally.kills == kills
    assert tally.outputs > kills // 3
    assert tally.burnt > kills // 15
    with capsys.disabled():
        taken = time.monotonic() - started
        os.write(1, f"\n{tally}; {taken:.0f} s\n".encode())


@pytest.mark.long
def test_a_kill_before_each_step_of_a_release(folder: Path) -> None:
    instrument()
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
            assert release(ledger, "k") == release(ledger, "k")
        else:
            with pytest.raises(BurntError):
                release(ledger, "k")
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


TURNS = 40


@pytest.mark.long
def test_ctrl_c_at_random_times(folder: Path) -> None:
    instrument()
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
            release(mine)
        except Exception:
            traceback.print_exc()
            os._exit(3)

    rng = np.random.default_rng(2)
    for turn in itertools.count():
        if turn >= TURNS and said:
            break
        child = fork(work)
        while b"ready" not in (new := heard(ready)):
            time.sleep(0.001)
        # On a busy machine none may get so far in that time: the others are given more.
        time.sleep(rng.uniform(0.0, 0.02 * max(1, turn - TURNS)))
        assert interrupted(child) in (0, 1)  # 1: struck outside of the loop
        said |= (new | heard(ready)) - {b"ready"}
    os.close(ready)
    os.close(tell)
    check(ledger, said)
    assert said
