"""A workbench on 3_lmbd with private data of its own, and clients for its two processes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from privopt.web.serving import Bench, opened

FORM = {
    "network": "3_lmbd", "unit": "MW", "identity": "p[1]", "noise": "laplace", "epsilon": "1",
    "alpha": "1", "feasibility": "exact-box", "eta": "0.05", "around": "0.1",
    "mechanism": "measured", "measure": "total",
}  # fmt: skip
CANARY = 150.7391  # MW at bus 3, beyond the domain: no response but the private look shows it
LOADS = {"demand[1]": 108.7654, "demand[2]": 104.3219, "demand[3]": CANARY}
JOB = """
[program]
network = "3_lmbd"
unit = "MW"

[data]
file = "loads.csv"

[query]
identity = ["p[1]"]

[privacy]
noise = "laplace"
epsilon = 1.0
alpha = 1.0

[feasibility]
kind = "exact-box"
eta = 0.05

[domain]
around = 0.1

[design]
mechanism = "measured"
measure = "total"

[ledger]
path = "loads.ledger"
limit = 1.5
key = "first"
"""


class Page:
    """A browser's side of one process: its cookie, its origin, JSON both ways."""

    def __init__(self, address: str) -> None:
        origin = "/".join(address.split("/")[:3])
        self.client = httpx.Client(base_url=origin, headers={"origin": origin}, timeout=120.0)
        self.first = self.client.get(address, follow_redirects=True)
        self.client.headers["x-privopt-key"] = self.first.url.fragment.removeprefix("key=")

    def get(self, path: str) -> httpx.Response:
        return self.client.get(path)

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def put(self, form: Mapping[str, str], revision: int | None = None) -> httpx.Response:
        if revision is None:
            revision = self.get("/api/state").json()["revision"]
        return self.client.put("/api/form", json={"revision": revision, "form": dict(form)})

    def design(self, **more: Any) -> str:
        revision = self.get("/api/state").json()["revision"]
        answer = self.post("/api/design", revision=revision, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()["digest"]

    def ended(self, digest: str) -> dict[str, Any]:
        """What a design came to; the test's own time limit ends a wait for one that hangs."""
        while True:
            found = self.get(f"/api/design/{digest}").json()
            if found["status"] != "running":
                return found
            time.sleep(0.05)


@contextmanager
def workbench(job: Path | None = None) -> Generator[tuple[Bench, Page]]:
    """A workbench that serves, and a page that was let in."""
    with opened(job) as bench, bench.serving():
        page = Page(bench.address)
        with contextlib.closing(page.client):
            yield bench, page


@contextmanager
def curators(page: Page) -> Generator[Page]:
    """The curator's page, as the frame of the screen Release opens it."""
    own = Page(page.post("/api/curator").json()["address"])
    with contextlib.closing(own.client):
        yield own


def with_data(folder: Path) -> Path:
    """A job file of 3_lmbd with private data beside it."""
    rows = "".join(f"{name},{value!r}\n" for name, value in LOADS.items())
    (folder / "loads.csv").write_text(f"name,value\n{rows}")
    (folder / "job.toml").write_text(JOB)
    return folder / "job.toml"
