"""A process of ours takes one line, and ends when its stdin is closed."""

from __future__ import annotations

import subprocess
import sys

CODE = (
    "from privopt.web.life import end_with_stdin, first_line; import time; "
    "print(first_line(), flush=True); end_with_stdin(); time.sleep(600)"
)


def test_it_takes_a_line_and_ends_with_its_stdin() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"asked\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"b'asked\\n")
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(60) == 0


def test_without_a_line_it_ends_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
