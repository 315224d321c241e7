"""`privopt design`: a policy from public data alone, and what it is worth."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import run, shown

import privopt as po


def test_design_writes_a_policy_and_says_if_it_is_a_constant(folder: Path) -> None:
    data = shown("design", "job.toml", "--out", "policy.json")
    policy = po.Policy.load(folder / "policy.json")
    assert data["policy"] == "policy.json"
    assert (data["loss"], data["distance"]) == (policy.loss, policy.distance)
    assert data["constant"] is False
    said = run("design", "job.toml", "--floor", "0", "--identity", "coal").stdout
    assert "PUBLIC" in said
    assert "a constant" in said
    assert "--floor 1" in " ".join(said.split())


def test_design_reads_no_data(folder: Path) -> None:
    (folder / "d.csv").unlink()
    run("design", "job.toml")
    run("solve", "job.toml", code=2)
