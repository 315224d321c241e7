"""`privopt open`: what it says before it serves. The workbench itself is tested in tests/web."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.running import run


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_its_extra_it_says_how_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    said = run("open --no-browser", code=2).stderr
    assert f"{missing} is not installed" in said
    assert "[web]" in said


def test_other_commands_do_not_load_it() -> None:
    run("networks 3_lmbd")
    assert "--no-browser" in run("open --help").stdout


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = run("open --no-browser --port", port, code=2).stderr
    assert f"port {port} cannot be used" in said


def test_a_job_file_that_cannot_be_read_is_refused_by_the_curator(tmp_path: Path) -> None:
    said = run("open", str(tmp_path / "none.toml"), "--no-browser", code=2).stderr
    assert "could not be read" in said
    (tmp_path / "job.toml").write_text("[data]\nvalues = { a = 12345.678 \n")
    said = run("open", str(tmp_path / "job.toml"), "--no-browser", code=2).stderr
    assert "is no TOML" in said
    assert "12345" not in said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_however_it_is_asked_to_end_nothing_is_left(tmp_path: Path, how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "privopt", "open", "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert any("token=" in line for line in process.stdout)
        (folder,) = tmp_path.iterdir()
        time.sleep(1.0)  # it serves by now, or is about to: both must do
        process.send_signal(how)
        try:
            assert process.wait(60) in (0, 130, 128 + how)
        finally:
            process.kill()  # a test that fails does not wait for ever
    assert not folder.exists()
