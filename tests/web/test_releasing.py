"""The curator's process: dry run, look, confirmation, one charge, files; and what it refuses."""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.web.workbench import CANARY, FORM, Page, curators

from privopt.ledger import Ledger
from privopt.web.serving import Bench

Both = tuple[Bench, Page]


def _asked(curator: Page, out: Path, **fields: str) -> dict[str, Any]:
    """The body of a release, after its dry run."""
    texts = {**curator.get("/api/start").json()["fields"], **fields}
    found = curator.post("/api/dry-run", fields=texts)
    assert found.status_code == 200, found.text
    key, digest = texts["key"], found.json()["digest"]
    return {"fields": texts, "out": str(out), "confirm": key, "digest": digest}


def _charges(folder: Path) -> list[str | None]:
    with Ledger(folder / "loads.ledger", read_only=True) as seen:
        return [one.key for one in seen.recent(100) if one.kind == "charge"]


def test_from_the_dry_run_to_the_files(bench: Both, curator: Page, tmp_path: Path) -> None:
    page, out = bench[1], tmp_path / "out"
    assert curator.first.status_code == 200
    body = _asked(curator, out)
    assert not (tmp_path / "loads.ledger").exists()

    refused = curator.post("/api/release", **body)
    assert refused.status_code == 409
    assert refused.json()["error"]["field"] == "clamp"
    assert not (tmp_path / "loads.ledger").exists()

    look = curator.post("/api/look", fields=body["fields"])
    assert look.json()["private"] is True
    assert f"{CANARY:.6g}" in look.text
    assert look.headers["cache-control"] == "no-store"
    assert (tmp_path / "loads.csv.checked").stat().st_mode & 0o077 == 0

    wrong = curator.post("/api/release", **{**body, "confirm": "yes"})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "confirm")

    with ThreadPoolExecutor(2) as pool:  # a double click
        both = [pool.submit(curator.post, "/api/release", **body) for _ in range(2)]
    answers = [one.result().json() for one in both]
    assert sorted(one["replayed"] for one in answers) == [False, True]
    assert sorted(one["charge"]["epsilon"] for one in answers) == ["0", "1"]
    assert answers[0]["view"]["table"] == answers[1]["view"]["table"]
    assert _charges(tmp_path) == ["first"]

    files = answers[0]["files"]
    assert set(files) == {"release", "measurement", "decision", "page"}
    for kind, file in files.items():
        served = curator.get(file["address"])
        assert served.content == Path(file["path"]).read_bytes()
        sandboxed = served.headers["content-security-policy"].startswith("sandbox")
        assert sandboxed == (kind == "page")
    assert json.loads(Path(files["release"]["path"]).read_bytes())["names"] == ["p[1]"]
    assert curator.get("/released/loads.csv").status_code == 404

    state = page.get("/api/state").json()
    assert state["ledger"]["spent"]["epsilon"] == "1"
    ledger = page.get("/api/ledger").json()
    assert [row["key"] for row in ledger["rows"]] == [None, "first"]
    assert page.post("/api/ledger/verify").json()["released"] == 1
    made = page.post(
        "/api/evidence", files=[files["release"]["path"]], out=str(tmp_path / "evidence")
    )
    assert made.json()["sound"] is True

    over = curator.post("/api/dry-run", fields={**body["fields"], "key": "second"}).json()
    assert over["fits"] is False
    assert over["problem"]["exhausted"] is True
    assert over["ledger"]["left"]["epsilon"] == "0.5"
    second = {**body, "fields": {**body["fields"], "key": "second"}, "confirm": "second"}
    refused = curator.post("/api/release", **second, clamp=True)
    assert refused.status_code == 409
    assert _charges(tmp_path) == ["first"]
    assert not (out / "second.json").exists()

    page.put({**FORM, "epsilon": "0.25"})
    changed = curator.post("/api/release", **second, clamp=True)
    assert changed.status_code == 409
    assert "changed after the dry run" in changed.json()["error"]["got"]


def test_a_killed_curator_is_started_again_where_it_was(bench: Both) -> None:
    served, page = bench
    before = served.curator.pid
    with curators(page) as first:
        os.kill(before, signal.SIGKILL)
        with curators(page) as again:
            assert served.curator.pid != before
            assert again.first.status_code == 200
            assert again.client.base_url == first.client.base_url
            assert again.get("/api/start").json()["fields"]["key"] == "first"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"data": "/no/such.csv"}, "data"),
        ({"limit": "much"}, "limit"),
        ({"limit-delta": "-"}, "limit-delta"),
        ({"decimal": ";"}, "decimal"),
        ({"missing": "guess"}, "missing"),
        ({"sites": "secret"}, "sites"),
        ({"bounded": "perhaps"}, "bounded"),
        ({"columns": "x"}, "columns"),
        ({"nonsense": "x"}, "nonsense"),
        ({"key": 7}, "key"),
        ({"ledger": "/no/such/folder/x.ledger"}, None),
    ],
)
def test_bad_fields_are_told_by_name(
    shared: Both, fields: dict[str, Any], field: str | None
) -> None:
    with curators(shared[1]) as curator:
        texts = curator.get("/api/start").json()["fields"]
        answer = curator.post("/api/dry-run", fields={**texts, **fields})
    found = answer.json()
    error = found["error"] if "error" in found else found["problem"]
    assert error["got"]
    assert error["needed"]
    assert error["remedy"]
    assert "unexpected" not in error["got"]
    if field is not None:
        assert answer.status_code in (400, 422)
        assert error["field"] == field


def test_a_job_without_ledger_or_key_cannot_be_charged(tmp_path: Path) -> None:
    from privopt.web.asking import Fields
    from privopt.web.problems import ProblemError
    from privopt.web.session import Session

    Session(tmp_path, FORM, None, tmp_path)
    fields = Fields(tmp_path, {}, None, tmp_path)
    (tmp_path / "d.csv").write_text("name,value\n")
    data = {"data": str(tmp_path / "d.csv")}
    for given, missing in (
        ({}, "data"), ({"data": " "}, "data"), (data, "ledger"), ({**data, "ledger": "x"}, "key"),
    ):  # fmt: skip
        with pytest.raises(ProblemError) as caught:
            fields.asked(given, "ledger", "key")
        assert caught.value.problem.field == missing


def test_files_are_not_written_over_and_nothing_is_charged(
    shared: Both, tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("out")
    (out / "taken.json").write_text("mine")
    with curators(shared[1]) as curator:
        body = _asked(curator, out, key="taken")
        for place in (str(out), " ", "/proc/no/such"):
            refused = curator.post("/api/release", **{**body, "out": place}, clamp=True)
            assert (refused.status_code, refused.json()["error"]["field"]) == (422, "out")
    assert (out / "taken.json").read_text() == "mine"
    assert not Path(body["fields"]["ledger"]).exists()


def test_the_place_of_the_page_is_taken_too(bench: Both, curator: Page, tmp_path: Path) -> None:
    """A link to the data at its place is neither written through nor shown as published."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "first.html").symlink_to(tmp_path / "loads.csv")
    kept = (tmp_path / "loads.csv").read_bytes()
    body = _asked(curator, out)
    refused = curator.post("/api/release", **body, clamp=True)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "out")
    assert not (tmp_path / "loads.ledger").exists()
    (out / "first.html").unlink()
    made = curator.post("/api/release", **body, clamp=True).json()
    assert "page" in made["files"]
    (out / "first.html").unlink()
    (out / "first.html").symlink_to(tmp_path / "loads.csv")
    again = curator.post("/api/release", **_asked(curator, out), clamp=True).json()
    assert again["replayed"] is True
    assert "page" not in again["files"]
    assert "is there already, with something else" in again["no_page"]
    assert curator.get("/released/second.html").status_code == 404
    assert (tmp_path / "loads.csv").read_bytes() == kept


def test_a_public_file_that_changed_after_the_dry_run_is_seen(
    bench: Both, curator: Page, tmp_path: Path
) -> None:
    page, names = bench[1], ("demand[1]", "demand[2]", "demand[3]")
    for end, value in (("lower", 95), ("upper", 110)):
        text = "".join(f"{name},{value}\n" for name in names)
        (tmp_path / f"{end}.csv").write_text(text)
    ends = {end: str(tmp_path / f"{end}.csv") for end in ("lower", "upper")}
    form = {name: text for name, text in FORM.items() if name != "around"}
    assert page.put({**form, **ends}).json()["problems"] == []
    body = _asked(curator, tmp_path / "out")
    (tmp_path / "upper.csv").write_text("".join(f"{name},112\n" for name in names))
    refused = curator.post("/api/release", **body, clamp=True)
    assert refused.status_code == 409
    assert not (tmp_path / "loads.ledger").exists()
