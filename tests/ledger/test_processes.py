"""Many processes at once: not one charge over the limit, and one winner for each key."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest
from tests.ledger.requests import ADDRESSES, BOTH, fork, join, never, open_ledger, request

from privopt.errors import BudgetExceededError
from privopt.ledger import Budget, Ledger

IN_STORES = BOTH

PROCESSES = 16


def crowd(folder: Path, charges: int) -> None:
    """Room for 5/8 of all charges: exactly these get an output."""
    room = PROCESSES * charges * 5 // 8
    ledger = open_ledger(folder, room * 0.125)

    def work() -> None:
        mine = Ledger(ledger.place)
        made = 0
        for number in range(charges):
            try:
                output = mine.charge(
                    request(0.125), lambda _, n=number: b"%d %d" % (os.getpid(), n)
                )
            except BudgetExceededError:
                continue
            assert output == b"%d %d" % (os.getpid(), number)
            made += 1
        (folder / f"made-{os.getpid()}").write_text(str(made))

    assert join([fork(work, 10 + 2 * charges) for _ in range(PROCESSES)]) == [0] * PROCESSES
    made = sum(int(path.read_text()) for path in folder.glob("made-*"))
    report = ledger.verify()
    assert made == report.charges == report.released == room
    assert report.spent == report.limit


@pytest.mark.long
def test_sixteen_processes_stay_within_the_limit(folder: Path) -> None:
    crowd(folder, 10 if folder in ADDRESSES else 60)


@pytest.mark.slow
def test_sixteen_processes_with_a_thousand_charges_each(folder: Path) -> None:
    crowd(folder, 1000)


@pytest.mark.long
def test_one_winner_for_each_key_and_the_others_replay(folder: Path) -> None:
    keys, racers = [f"key {number}" for number in range(12)], PROCESSES
    ledger = open_ledger(folder, 100)
    start = time.monotonic() + 0.3

    def work() -> None:
        mine = Ledger(ledger.place)
        time.sleep(max(0.0, start - time.monotonic()))

        def make(_: object) -> bytes:
            time.sleep(0.003)
            return b"%d" % os.getpid()

        outputs = [mine.charge(request(0.1), make, key) for key in keys]
        (folder / f"out-{os.getpid()}").write_bytes(b" ".join(outputs))

    assert join([fork(work) for _ in range(racers)]) == [0] * racers
    seen = {path.read_bytes() for path in folder.glob("out-*")}
    assert len(seen) == 1
    report = ledger.verify()
    assert report.charges == report.released == len(keys)
    assert report.spent == Budget("1.2")
    assert not list(folder.glob("*-key-*"))


def test_those_who_wait_for_a_maker_that_dies_find_the_key_burnt(folder: Path) -> None:
    ledger = open_ledger(folder)
    ready, tell = os.pipe()

    def maker() -> None:
        def make(_: object) -> bytes:
            os.write(tell, b"x")
            time.sleep(0.2)
            os._exit(7)

        Ledger(ledger.place).charge(request(0.1), make, "k")

    first = fork(maker)
    os.read(ready, 1)

    def waiter() -> None:
        with pytest.raises(Exception, match="never stored"):
            Ledger(ledger.place).charge(request(0.1), never, "k")

    assert join([first, *(fork(waiter) for _ in range(3))]) == [7, 0, 0, 0]
    assert ledger.spent == Budget("0.1")


@pytest.mark.long
def test_many_open_a_new_ledger_at_once_and_one_makes_it(folder: Path) -> None:
    def work() -> None:
        open_ledger(folder, 1).charge(request("0.01"), lambda _: b"")

    assert join([fork(work) for _ in range(12)]) == [0] * 12
    report = open_ledger(folder, 1).verify()
    assert (report.charges, report.rows) == (12, 25)


@pytest.mark.long
def test_a_ledger_that_was_open_before_a_fork_works_on_both_sides(folder: Path) -> None:
    ledger = open_ledger(folder, 10)
    ledger.charge(request(0.1), lambda _: b"")

    def work() -> None:
        for _ in range(20):
            ledger.charge(request("0.01"), lambda _: b"")

    children = [fork(work) for _ in range(4)]
    for _ in range(20):
        ledger.charge(request("0.01"), lambda _: b"")
        ledger.close()  # the last to close removes the log: the others' charges must survive
    assert join(children) == [0] * 4
    assert ledger.spent == Budget("1.1")
    assert ledger.verify().released == 101


def spawned(ledger: Ledger) -> None:
    ledger.charge(request(0.1), lambda _: b"")


@pytest.mark.long
def test_a_ledger_travels_to_a_new_process(folder: Path) -> None:
    ledger = open_ledger(folder)
    process = multiprocessing.get_context("spawn").Process(target=spawned, args=(ledger,))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert ledger.spent == Budget("0.1")


def test_a_ledger_that_stays_locked_is_refused(folder: Path) -> None:
    ledger = open_ledger(folder)
    other = Ledger(ledger.place, timeout=0.05)
    with (
        ledger.store.writing(),
        pytest.raises(Exception, match="locked for too long.*Nothing was released"),
    ):
        other.charge(request(0.1), never)
    other.charge(request(0.1), lambda _: b"")
