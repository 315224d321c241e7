"""Designs in worker processes: found again, ended by the next, failed with a reason when killed."""

from __future__ import annotations

import os
import signal
import time

import pytest
from tests.web.workbench import FORM, Page

from privopt.web.running import Designs
from privopt.web.serving import Bench

Both = tuple[Bench, Page]


def _runs(designs: Designs, digest: str) -> int:
    """The worker of a design, once it has said something."""
    while designs.look(digest)["status"] == "running":
        worker = designs.worker
        if worker is not None:
            return worker
        time.sleep(0.01)
    pytest.fail("the design ended before it could be looked at")


def test_a_design_ends_with_all_its_parts_and_is_found_again(shared: Both) -> None:
    page = shared[1]
    digest = page.design()
    found = page.ended(digest)
    assert found["status"] == "done", found["error"]
    result = found["result"]
    assert {"answer", "map", "worth", "claims", "charge", "front"} <= set(result)
    assert result["charge"]["epsilon"] == "1"
    assert result["claims"]["privacy"]["provenance"] == "PROVEN"
    assert result["claims"]["privacy"]["label"] == "PROVEN"
    z0, rows = result["map"]["z0"], result["map"]["lines"]["rows"]
    assert len(result["map"]["K"]) == len(z0)
    assert all(0 <= j < len(z0) for j in rows["j"])
    again = page.post("/api/design", revision=page.get("/api/state").json()["revision"]).json()
    assert again == {"digest": digest, "status": "done"}
    assert page.ended(digest)["seconds"] == found["seconds"]


def test_the_next_design_ends_the_one_before(shared: Both) -> None:
    designs, page = shared[0].session.designs, shared[1]
    page.put({**FORM, "epsilon": "0.7"})
    first = page.design()
    worker = _runs(designs, first)
    page.put({**FORM, "epsilon": "0.5"})
    second = page.design()
    assert second != first
    assert designs.look(first)["status"] == "stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    page.client.delete("/api/design")
    assert designs.look(second)["status"] == "stopped"
    page.put({**FORM, "epsilon": "0.7"})
    assert page.design() == first
    assert designs.look(first)["status"] == "running"


def test_a_killed_worker_is_told_and_the_next_design_works(shared: Both) -> None:
    designs, page = shared[0].session.designs, shared[1]
    page.put({**FORM, "epsilon": "0.8"})
    digest = page.design()
    os.kill(_runs(designs, digest), signal.SIGKILL)
    found = page.ended(digest)
    assert found["status"] == "failed"
    assert found["error"]["remedy"] == "run again."
    assert page.design() == digest
    while not page.get(f"/api/design/{digest}").json()["result"]:
        assert page.get(f"/api/design/{digest}").json()["status"] == "running"
        time.sleep(0.05)


@pytest.mark.parametrize("wrong", [{"measure": "demand[98];demand[99]"}, {"fidelity": "-2"}])
def test_what_only_a_design_can_refuse_is_told_too(shared: Both, wrong: dict[str, str]) -> None:
    page = shared[1]
    page.put({**FORM, **wrong})
    found = page.ended(page.design())
    assert found["status"] == "failed"
    assert found["error"]["got"]
    assert found["error"]["needed"]
    assert found["error"]["remedy"]
    assert "unexpected" not in found["error"]["got"]


def test_plans_have_their_parts(shared: Both) -> None:
    page = shared[1]
    page.put({**{k: v for k, v in FORM.items() if k != "measure"}, "mechanism": "plan"})
    found = page.ended(page.design())
    assert found["status"] == "done", found["error"]
    result = found["result"]
    assert {"answer", "map", "worth", "front"} <= set(result)
    assert result["map"]["K"] is None


@pytest.mark.slow
def test_candidates_are_shown_on_request(shared: Both) -> None:
    page = shared[1]
    page.put(FORM)
    found = page.ended(page.design(choose=True))
    assert found["status"] == "done", found["error"]
    names = [one["name"] for one in found["result"]["candidates"]]
    assert "total" in names
