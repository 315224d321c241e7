"""A workbench from its first process to its last: nothing is left of it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import httpx
import pytest

from privopt.errors import InputError
from privopt.web.serving import bound, opened


def test_nothing_is_left_of_a_workbench() -> None:
    with opened() as bench, bench.serving():
        folder, pid, port = bench.session.folder, bench.curator.pid, bench.port
        assert folder.stat().st_mode & 0o077 == 0
        answer = httpx.get(bench.address, follow_redirects=False)
        assert answer.status_code == 303
        assert bench.address != bench.address
        bench.session.designs.prepare()
    assert not Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with socket.socket() as tried, pytest.raises(OSError, match="refused"):
        tried.connect(("127.0.0.1", port))


def test_a_port_is_this_machines_alone() -> None:
    with bound(0) as listening:
        host, port = listening.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(InputError, match="cannot be used"), bound(port):
            pass
