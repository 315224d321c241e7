"""`privopt solve`: a plan for the curator, marked as such; infeasible is an answer too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.cli.running import D, run, shown

import privopt as po


def test_solve_is_marked_private(folder: Path) -> None:
    said = run("solve plan.toml").stdout
    for part in ("PRIVATE", "depends on d", "loss", "Limits with the least room", "ASSUMED"):
        assert part in said
    data = shown("solve plan.toml")
    program = po.PublicProgram.load(folder / "program.json").program.at([D])
    plan = po.solve(
        program,
        po.Identity(["coal", "gas"]),
        po.Laplace(epsilon=1, alpha=0.05),
        po.ExactBox(eta=0.05),
    )
    assert data["private"] is True
    assert data["cost"] == plan.cost
    assert data["released"] == ["coal", "gas"]
    rows = plan.program.rows  # the limits that noise reaches first, in plain numbers
    A = rows.matrix.toarray()
    moved = np.linalg.norm(A @ np.asarray(plan.recourse), axis=1) * plan.calibration.deviation
    ratio = (rows.bound - A @ plan.expected) / moved
    order = [rows.names[k] for k in np.argsort(ratio, kind="stable")]
    assert [one["row"] for one in data["tightest"]] == order[:5]
    found = [one["room"] / one["deviation"] for one in data["tightest"]]
    assert np.allclose(found, sorted(ratio)[:5])
    assert list(folder.glob("*.html")) == []


def test_infeasible_is_for_the_curator(folder: Path) -> None:
    result = run("solve plan.toml --epsilon 0.001", code=3)
    assert result.stdout == ""
    assert "--reveal" in result.stderr
    assert "PRIVATE" not in result.stderr
    told = run("solve plan.toml --epsilon 0.001 --reveal", code=3)
    assert "PRIVATE" in told.stderr
    assert "smallest epsilon" in told.stderr
    assert "--reveal" not in told.stderr
    assert "-> see what is told above." in told.stderr
    run("release --no-ledger job.toml --lower 50 --upper 60", code=3)
    run("release --no-ledger plan.toml --epsilon 0.001 --out r.json", code=3)
    assert not (folder / "r.json").exists()
