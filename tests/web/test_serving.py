"""A workbench from its first process to its last: nothing is left of it."""

from __future__ import annotations

import contextlib
import html
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from tests.web.workbench import FORM, Page, curators, with_data

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


def test_no_process_imports_from_the_folder_that_it_is_started_in(tmp_path: Path) -> None:
    """A folder of data may hold anybody's files, such as one that is called like a library."""
    for name in ("uvicorn", "numpy", "json", "privopt"):
        text = f"open({str(tmp_path / 'taken')!r}, 'w').close()\nraise SystemExit\n"
        (tmp_path / f"{name}.py").write_text(text)
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "privopt", "open", str(with_data(tmp_path)), "--no-browser"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as process:  # fmt: skip
        try:
            said = (re.search(r"http://\S+token=\S+", line) for line in process.stdout or ())
            address = next(one[0] for one in said if one)
            page = Page(address)
            with contextlib.closing(page.client), curators(page) as own:
                page.put(FORM)
                assert page.ended(page.design())["status"] == "done"
                fields = own.get("/api/start").json()["fields"]
                assert own.post("/api/dry-run", fields=fields).is_success
        finally:
            process.terminate()
            process.wait(60)
    assert not (tmp_path / "taken").exists()


def test_the_file_for_the_browser_is_for_its_owner_alone() -> None:
    with opened() as bench, bench.serving():
        path = Path(urlsplit(bench.door()).path)
        assert path.stat().st_mode & 0o077 == 0
        (found,) = set(re.findall(r"http://127[^\"]*", path.read_text()))
        assert httpx.get(html.unescape(found), follow_redirects=False).status_code == 303
        assert httpx.get(html.unescape(found), follow_redirects=False).status_code == 403  # once
    assert not path.exists()
