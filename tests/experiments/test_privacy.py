"""Assumed and proven privacy as a study: what a row says, and that it can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments import PrivacyTable, run
from privopt.experiments.decisions import decisions
from privopt.experiments.privacy import ALGORITHMS, MEANS
from privopt.experiments.study import Row, Unit, streams
from privopt.experiments.table1 import drawn_instance
from privopt.networks import fingerprint
from privopt.report import write

SMALL = PrivacyTable(networks=("3_lmbd",), runs=2, samples=2000, tries=30)
PRINTED = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.025, margin="unimodal")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("privacy")
    run(SMALL, out)
    return out


def rows(out: Path) -> dict[str, Row]:
    found = json.loads((out / "privacy.json").read_text(encoding="utf-8"))["rows"]
    return {row["algorithm"]: row for row in found}


def measured(algorithm: str, **changes: Any) -> Row:
    study = PrivacyTable(networks=("3_lmbd",), samples=200, tries=30, **changes)
    return study.work(Unit("3_lmbd", 0, algorithm))


def drawn() -> Any:
    return drawn_instance(0, "3_lmbd", fingerprint("3_lmbd"), 0)


def test_every_row_says_how_it_is_known(whole: Path) -> None:
    found = rows(whole)
    assert tuple(found) == ALGORITHMS
    assert found["PIQ-a"]["privacy"] == "ASSUMED"
    assert found["PIQ-a"]["loss_of"] == "affine solution"
    assert found["lower bound"]["privacy"] == "SAMPLED"
    assert found["measured"]["privacy"] == "PROVEN"
    assert found["measured"]["loss_of"] == "completion"
    assert "PROVEN, neighbours" in found["measured"]["guarantee"]
    assert found["PIQ-a"]["row_violation_mean"] <= 2.5
    assert found["PIQ-a"]["completed_mean"] is not None
    assert found["measured"]["completed_mean"] == found["measured"]["loss_mean"]


def test_a_witness_refutes(whole: Path) -> None:
    bound = rows(whole)["lower bound"]
    assert bound["epsilon_max"] > 1.69
    assert bound["beyond_runs"] == 1
    assert bound["witness"]["step"] <= 0.1
    assert bound["witness"]["moved"] == pytest.approx(0.1 * bound["epsilon_max"], rel=1e-6)


def test_the_loss_is_that_of_table_1_and_d_is_drawn_from_the_domain(whole: Path) -> None:
    table = run(po.experiments.Table1(networks="3_lmbd", runs=2, samples=50, algorithms=("PIQ-a",)),
                whole / "table")  # fmt: skip
    assert rows(whole)["PIQ-a"]["loss_mean"] == table.summary[0]["loss_mean"]
    d = [po.experiments.instance("14_ieee", k).program.d for k in range(20)]
    assert 0.5 <= np.min(d) < 0.51 < 0.99 < np.max(d) <= 1.0


@pytest.mark.long
def test_resumed_and_apart_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    lines = (whole / "privacy.journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "privacy.journal").write_bytes(b"".join(lines[:4]) + lines[4][:40])
    seen: list[int] = []
    run(SMALL, tmp_path, progress=lambda done, _: seen.append(done))
    assert seen[0] == 3
    assert (tmp_path / "privacy.json").read_bytes() == (whole / "privacy.json").read_bytes()


def test_the_page_has_the_picture(whole: Path) -> None:
    text = write(whole)[-1].read_text(encoding="utf-8")
    assert 'data-plot="privacy"' in text
    assert "true ε" in text
    assert "demand[3]" in text


@pytest.mark.parametrize(
    "wrong", [{"tries": 9}, {"runs": 0}, {"algorithms": ("OP",)}, {"networks": ()}]
)
def test_bad_input_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        PrivacyTable(**wrong)


def test_what_has_no_plan_is_counted_with_its_reason() -> None:
    unit = {"network": "3_lmbd", "run": 0, "algorithm": "PIQ-a"}
    (row,) = SMALL.summarise([{**unit, **measured("PIQ-a", alpha=5.0)}])
    assert row["infeasible_runs"] == 1
    assert row["loss_mean"] is row["piqa_mean"] is None
    assert "no affine solution" in row["reasons"][0]["reason"]


def none() -> Row:
    names = ("loss", *MEANS, "epsilon", "privacy", "guarantee", "claims", "reason")
    return {**dict.fromkeys(names), "loss_of": "affine solution"}


def test_the_printed_loss_beside_is_over_the_same_runs() -> None:
    made = [
        {**none(), "network": "3_lmbd", "run": k, "algorithm": name, "loss": loss, "status": status}
        for name, losses in (("PIQ-a", (1.0, 3.0)), ("measured", (None, 2.0)))
        for k, loss in enumerate(losses)
        for status in ("solved" if loss else "infeasible",)
    ]
    printed, ours = SMALL.summarise(made)
    assert (printed["loss_mean"], printed["piqa_mean"]) == (2.0, 2.0)
    assert (ours["loss_mean"], ours["piqa_mean"]) == (2.0, 3.0)


def test_an_epsilon_beyond_the_claim_refutes_and_the_worst_one_is_the_witness() -> None:
    found = [
        {**none(), "network": "3_lmbd", "run": k, "algorithm": "lower bound", "status": "solved",
         "epsilon": epsilon, "entry": f"d[{k}]", "step": 0.1, "moved": epsilon / 10}
        for k, epsilon in enumerate((0.9, 1.0 + 1e-9, 1.7, 1.2))
    ]  # fmt: skip
    (row,) = SMALL.summarise(found)
    assert (row["epsilon_max"], row["beyond_runs"]) == (1.7, 2)
    assert row["epsilon_mean"] == pytest.approx(1.2, abs=1e-6)
    assert row["witness"] == {"run": 2, "entry": "d[2]", "step": 0.1, "moved": 1.7 / 10}


def test_a_decision_has_the_loss_after_completion_alone() -> None:
    one, row, rng = drawn(), measured("measured"), streams(0, "3_lmbd", 0)[2]
    kept = po.ExactBox(eta=0.025)
    found = decisions(one.program, one.query, PRINTED[0], kept, domain=one.domain, rng=rng)
    assert row["loss"] == row["completed"] == pytest.approx(100 * found.loss.value)
    assert row["distance"] == pytest.approx(found.distance)
    assert row["joint_violation"] == row["undecided"] == 0.0
    assert row["row_violation"] is None
    assert row["loss_of"] == "completion"


def test_a_search_and_a_plan_are_as_the_library_has_them() -> None:
    one, row = drawn(), measured("PIQ-a")
    plan = po.solve(one.program, one.query, *PRINTED, rng=streams(0, "3_lmbd", 0)[1])
    assert row["loss"] == pytest.approx(100 * plan.loss)
    off = plan.S @ (plan.expected - plan.optimum.z)
    noise = plan.S.shape[0] * plan.calibration.deviation**2
    assert row["distance"] ** 2 == pytest.approx(float(off @ off) + noise)
    searched = measured("lower bound")
    assert searched["moved"] == pytest.approx(searched["epsilon"] * 0.1, rel=1e-6)
    assert searched["loss"] is None
