"""Standard output is the caller's: what is written inside goes to standard error."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from threading import Event, Thread

import pytest

from privopt.solving.quiet import quiet


def test_what_is_written_inside_goes_elsewhere(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(1, b"before\n")
    with quiet():
        os.write(1, b"inside\n")
        ctypes.CDLL(None).puts(b"by C")
        with quiet():
            os.write(1, b"deeper\n")
        os.write(1, b"still inside\n")
    os.write(1, b"after\n")
    out, err = capfd.readouterr()
    assert out == "before\nafter\n"
    assert sorted(err.splitlines()) == ["by C", "deeper", "inside", "still inside"]


def test_it_is_turned_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError), quiet():
        raise ZeroDivisionError
    os.write(1, b"mine\n")
    assert capfd.readouterr().out == "mine\n"


def test_no_descriptor_is_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with quiet(), quiet():
            pass
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("closed", ["1", "2", "1 2"])
def test_a_closed_stream_is_no_hindrance(closed: str) -> None:
    code = (
        "import os; from privopt.solving.quiet import quiet\n"
        f"for one in map(int, '{closed}'.split()): os.close(one)\n"
        "with quiet(): done = 1\n"
        "os._exit(7 if done else 1)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_threads_leave_standard_output_where_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    inside, leave = Event(), Event()

    def hold() -> None:
        with quiet():
            inside.set()
            leave.wait()

    other = Thread(target=hold)
    other.start()
    inside.wait()
    with quiet():
        leave.set()
        other.join()
        os.write(1, b"between\n")
    os.write(1, b"after\n")
    out, err = capfd.readouterr()
    assert (out, err) == ("after\n", "between\n")
