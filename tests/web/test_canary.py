"""Who sees the private data: of `privopt open`, as it is run, the curator's process alone.

Every Python process that it starts notes which files it opens. A canary in the data file appears in
no answer of the public process, in no address, and in nothing that is printed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from tests.web.workbench import CANARY, FORM, LOADS, Page, curators, with_data

_WATCH = """
import os, sys
_busy = False
def _note(event, args):
    global _busy
    if event == "open" and not _busy and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if path.endswith(("loads.csv", "job.toml")):
            _busy = True
            try:
                with open(os.environ["WATCHED"], "a") as file:
                    file.write(" ".join(sys.orig_argv[1:4]) + "|" + os.path.basename(path) + "\\n")
            finally:
                _busy = False
sys.addaudithook(_note)
"""


def test_only_the_curators_process_sees_the_data(tmp_path: Path) -> None:
    job = with_data(tmp_path)
    watch, seen = tmp_path / "watch", tmp_path / "seen.txt"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(_WATCH)
    paths = os.pathsep.join([str(watch), *(one for one in sys.path if one)])
    process = subprocess.Popen(
        [sys.executable, "-m", "privopt", "open", str(job), "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": paths, "WATCHED": str(seen), "COLUMNS": "200"},
    )  # fmt: skip
    answers: list[httpx.Response] = []
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        address = line.split()[-1]
        page = Page(address)
        page.client.event_hooks = {"response": [answers.append]}
        with contextlib.closing(page.client):
            _use(page, tmp_path)
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130)
    opened = set(seen.read_text().splitlines())
    assert "-P -m privopt.web.curator|loads.csv" in opened
    assert all(one.startswith("-P -m privopt.web.curator|") for one in opened), opened
    assert len(answers) > 10
    for answer in answers:
        assert not _leaks(answer.text), answer.url
        assert "token" not in str(answer.url)
    assert not _leaks(f"{out}{err}")
    assert err.count("token=") == 0  # the only one was in the first line


def _use(page: Page, folder: Path) -> None:
    """All that the public process answers, before and after a look and a release."""
    with curators(page) as curator:
        texts: dict[str, Any] = curator.get("/api/start").json()["fields"]
        found = curator.post("/api/dry-run", fields=texts)
        assert not _leaks(found.text)
        assert _leaks(curator.post("/api/look", fields=texts).text)
        made = curator.post(
            "/api/release", fields=texts, out=str(folder / "out"), confirm="first",
            digest=found.json()["digest"],
        )  # fmt: skip
        assert made.status_code == 200, made.text
        assert not _leaks(made.text)
        for file in made.json()["files"].values():
            assert not _leaks(curator.get(file["address"]).text)
    page.put({**{k: v for k, v in FORM.items() if k != "measure"}, "mechanism": "plan"})
    digest = page.design()
    while not page.get(f"/api/design/{digest}").json()["result"]:
        time.sleep(0.05)
    for path in ("/api/state", "/api/model", "/api/ledger", "/api/job.toml", "/api/job.py",
                 "/api/networks", f"/api/design/{digest}", "/model", "/release"):  # fmt: skip
        assert page.get(path).status_code == 200
    page.post("/api/ledger/verify")


def _leaks(text: str) -> bool:
    return any(str(value) in text for value in (CANARY, *LOADS.values())) or "150.739" in text
