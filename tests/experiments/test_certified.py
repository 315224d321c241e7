"""Assumed and proven privacy as a study: what a row says, and that it can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments import CertifiedTable, run
from privopt.experiments.certified import ALGORITHMS
from privopt.experiments.study import Row
from privopt.report import write

OLD = Path(__file__).parents[1] / "fixtures" / "v0_1_0" / "finished" / "certified.journal"
ADDED = ("completed", "undecided", "loss_of")
BOUND = "lower bound"
SMALL = CertifiedTable(networks=("3_lmbd",), runs=2, samples=2000, tries=30)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("certified")
    run(SMALL, out)
    return out


def rows(out: Path) -> dict[str, Row]:
    found = json.loads((out / "certified.json").read_text(encoding="utf-8"))["rows"]
    return {row["algorithm"]: row for row in found}


@pytest.mark.long
def test_every_row_says_how_it_is_known(whole: Path) -> None:
    found = rows(whole)
    assert tuple(found) == ALGORITHMS
    assert found["PIQ-a"]["privacy"] == "ASSUMED"
    assert found["lower bound"]["privacy"] == "SAMPLED"
    # In run 1 some data of the domain have no plan: that certificate rests on an assumption.
    assert found["PIQ-a recalibrated"]["privacy"] == "PROVEN, ASSUMED"
    for name in ALGORITHMS[3:]:
        assert found[name]["privacy"] == "PROVEN"
        assert found[name]["loss_of"] == ("completion" if name == "measured" else "affine solution")
        assert "PROVEN, neighbours" in found[name]["guarantee"]
    assert found["certified s=1"]["level_mean"] >= 1.0
    assert found["certified"]["loss_mean"] <= found["certified s=1"]["loss_mean"] + 1e-6
    assert found["certified exact margins"]["loss_mean"] <= found["certified"]["loss_mean"] + 1e-6
    assert found["certified always"]["joint_violation_mean"] == 0.0
    assert found["certified"]["row_violation_mean"] <= 2.5
    assert all(found[name]["completed_mean"] is not None for name in ALGORITHMS if name != BOUND)
    assert found["measured"]["completed_mean"] == found["measured"]["loss_mean"]


def test_a_witness_refutes_and_the_certificate_agrees(whole: Path) -> None:
    found = rows(whole)
    bound, proven = found["lower bound"], found["PIQ-a recalibrated"]
    assert bound["epsilon_max"] > 1.69
    assert bound["beyond_runs"] == 1
    assert bound["witness"]["step"] <= 0.1
    assert bound["witness"]["moved"] == pytest.approx(0.1 * bound["epsilon_max"], rel=1e-6)
    raw = pd.read_parquet(whole / "certified.parquet")
    searched, sure = (
        raw[raw.algorithm == name].sort_values("run").factor.to_numpy()
        for name in ("lower bound", "PIQ-a recalibrated")
    )
    assert (searched <= sure * (1 + 1e-9)).all()
    assert proven["regions_mean"] >= 1


def test_the_loss_is_that_of_table_1_and_d_is_drawn_from_the_domain(whole: Path) -> None:
    table = run(po.experiments.Table1(networks="3_lmbd", runs=2, samples=50, algorithms=("PIQ-a",)),
                whole / "table")  # fmt: skip
    assert rows(whole)["PIQ-a"]["loss_mean"] == table.summary[0]["loss_mean"]
    d = [po.experiments.instance("14_ieee", k).program.d for k in range(20)]
    assert 0.5 <= np.min(d) < 0.51 < 0.99 < np.max(d) <= 1.0


@pytest.mark.long
def test_resumed_and_apart_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    lines = (whole / "certified.journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "certified.journal").write_bytes(b"".join(lines[:9]) + lines[9][:40])
    seen: list[int] = []
    run(SMALL, tmp_path, progress=lambda done, _: seen.append(done))
    assert seen[0] == 8
    assert (tmp_path / "certified.json").read_bytes() == (whole / "certified.json").read_bytes()


def test_a_journal_of_an_earlier_version_goes_on(whole: Path, tmp_path: Path) -> None:
    """Its rows lack what was added since; the conditions are still the same."""
    first, *rows_there = map(
        json.loads, (whole / "certified.journal").read_text(encoding="utf-8").splitlines()
    )
    older = json.loads(OLD.read_text(encoding="utf-8").splitlines()[0])
    assert first["conditions"].keys() == older["conditions"].keys()
    kept = [
        {key: value for key, value in row.items() if key not in ADDED}
        for row in rows_there
        if json.loads(row["key"])[2] not in ("affine rule", "measured")
    ]
    lines = [json.dumps(line) + "\n" for line in (first, *kept)]
    (tmp_path / "certified.journal").write_text("".join(lines), encoding="utf-8")
    seen: list[int] = []
    run(SMALL, tmp_path, progress=lambda done, _: seen.append(done))
    assert seen[0] == len(kept) == 2 * (len(ALGORITHMS) - 2)
    before, now = rows(whole), rows(tmp_path)
    assert now["measured"] == before["measured"]
    assert now["certified"]["completed_mean"] is None
    assert now["certified"]["loss_mean"] == before["certified"]["loss_mean"]
    assert now["certified"]["loss_of"] == "affine solution"


def test_the_page_has_the_picture(whole: Path) -> None:
    text = write(whole).read_text(encoding="utf-8")
    assert 'data-plot="certified"' in text
    assert "true ε" in text
    assert "demand[3]" in text


@pytest.mark.parametrize(
    "wrong",
    [{"tries": 9}, {"pieces": 0}, {"enumerated": -1}, {"runs": 0}, {"algorithms": ("OP",)},
     {"networks": ()}],
)  # fmt: skip
def test_bad_input_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        CertifiedTable(**wrong)
