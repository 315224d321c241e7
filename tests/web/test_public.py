"""The public process: pages, the form, two tabs, and what it refuses, on real processes."""

from __future__ import annotations

import re

import pytest
from tests.web.workbench import FORM, Page

from privopt.web.serving import Bench

Both = tuple[Bench, Page]


def test_pages_static_files_and_what_is_not_there(bench: Both) -> None:
    _, page = bench
    assert page.first.url.path == "/design"
    for name in ("model", "design", "release", "ledger"):
        text = page.get(f"/{name}").text
        assert f'data-screen="{name}"' in text
        linked = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
        assert linked
        for address in linked:
            assert page.get(address).status_code == 200, address
        assert " style=" not in text
        assert "<script>" not in text
    for path in ("/static/../public.py", "/static/%2e%2e%2fpublic.py", "/nowhere", "/static/x.py"):
        answer = page.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]["remedy"]


def test_modules_import_only_what_is_there(bench: Both) -> None:
    _, page = bench
    seen: set[str] = set()
    waiting = [f"/static/{name}.js" for name in ("model", "design", "release", "ledger", "private")]
    while waiting:
        address = waiting.pop()
        if address not in seen:
            seen.add(address)
            answer = page.get(address)
            assert answer.status_code == 200, address
            assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "")
            assert "https://" not in answer.text
            waiting += re.findall(r'from "(/static/[^"]+)"', answer.text)


def test_the_form_goes_round_and_another_tab_is_told(bench: Both) -> None:
    _, page = bench
    state = page.get("/api/state").json()
    assert state["form"] == FORM
    assert state["problems"] == []
    changed = page.put({**FORM, "epsilon": "0.5"}, state["revision"])
    assert changed.status_code == 200
    assert changed.json()["digest"] != state["digest"]
    late = page.put({**FORM, "epsilon": "2"}, state["revision"])
    assert late.status_code == 409
    assert late.json()["state"]["form"]["epsilon"] == "0.5"
    assert page.post("/api/design", revision=state["revision"]).status_code == 409


def test_a_form_with_a_problem_is_kept_and_not_designed(bench: Both) -> None:
    _, page = bench
    answer = page.put({**FORM, "epsilon": "-1"}).json()
    assert [one["field"] for one in answer["problems"]] == ["epsilon"]
    refused = page.post("/api/design", revision=answer["revision"])
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "epsilon"
    assert page.get("/api/model").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api/form", b"{"),
        ("PUT", "/api/form", b"[1]"),
        ("PUT", "/api/form", b'{"revision": true, "form": {}}'),
        ("PUT", "/api/form", b'{"form": {}}'),
        ("PUT", "/api/form", b'{"revision": 1, "form": {"data": "x"}}'),
        ("PUT", "/api/form", b'{"revision": NaN, "form": {}}'),
        ("POST", "/api/design", b'{"revision": 1, "more": 1}'),
        ("POST", "/api/ledger", b'{"limit": "1"}'),
        ("POST", "/api/ledger", b'{"path": " "}'),
        ("POST", "/api/ledger", b'{"path": "/no/such/folder/x.ledger"}'),
        ("POST", "/api/ledger", b'{"path": "/no/such/folder/x.ledger", "limit": "much"}'),
        ("POST", "/api/evidence", b'{"files": [], "out": "x"}'),
        ("POST", "/api/evidence", b'{"files": ["/no/such.json"], "out": ""}'),
        ("POST", "/api/evidence", b'{"files": ["/no/such.json"], "out": "/no/such/out"}'),
        ("GET", "/api/design/unknown", b""),
    ],
)
def test_bad_requests_are_answered_in_three_sentences(
    shared: Both, method: str, path: str, body: bytes
) -> None:
    answer = shared[1].client.request(method, path, content=body)
    assert answer.status_code in (400, 404, 409, 422), answer.text
    error = answer.json()["error"]
    assert error["got"]
    assert error["needed"]
    assert error["remedy"]
    assert "unexpected" not in error["got"]


def test_the_job_as_a_file_and_as_python(shared: Both) -> None:
    page = shared[1]
    toml = page.get("/api/job.toml").text
    assert 'identity = ["p[1]"]' in toml
    assert "loads.csv" not in toml
    compile(page.get("/api/job.py").text, "job.py", "exec")


def test_a_job_that_would_be_refused_is_not_handed_out(bench: Both) -> None:
    page = bench[1]
    assert page.put({**FORM, "epsilon": "-1"}).status_code == 200
    for path in ("/api/job.toml", "/api/job.py"):
        answer = page.get(path)
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == "epsilon"


def test_the_model_has_public_loads_and_bounds(shared: Both) -> None:
    found = shared[1].get("/api/model").json()
    assert found["kind"] == "network"
    assert [bus["demand"] for bus in found["buses"]] == [110.0, 110.0, 95.0]
    assert all(0 <= bus["x"] <= 1 and 0 <= bus["y"] <= 1 for bus in found["buses"])
    assert found["private"][0]["lower"] == pytest.approx(99.0)
    assert len(found["lines"]) == 3
