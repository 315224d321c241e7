"""The curator's application: its routes, and the fields that each request must have."""

from __future__ import annotations

import pytest
from tests.web.workbench import Page, curators

from privopt.web.serving import Bench


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/dry-run", {}),
        ("/api/look", {"fields": []}),
        ("/api/release", {"fields": {}, "out": "x", "confirm": "y"}),
        ("/api/release", {"fields": {}, "out": 1, "confirm": "y", "digest": "z"}),
        ("/api/release", {"fields": {}, "out": "x", "confirm": "y", "digest": "z", "more": 1}),
    ],
)
def test_requests_that_lack_something_are_refused(
    shared: tuple[Bench, Page], path: str, body: dict[str, object]
) -> None:
    with curators(shared[1]) as curator:
        answer = curator.post(path, **body)
        assert answer.status_code == 400
        assert answer.json()["error"]["remedy"]


def test_its_page_may_be_framed_by_the_workbench_alone(shared: tuple[Bench, Page]) -> None:
    bench, page = shared
    with curators(page) as curator:
        told = curator.first.headers["content-security-policy"]
        assert f"frame-ancestors {bench.origin} http://localhost:{bench.port};" in told
        assert "frame-src 'none'" in told
        curator.client.headers["origin"] = bench.origin
        assert curator.post("/api/look", fields={}).status_code == 403
