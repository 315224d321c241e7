"""Table 1 as a study: its units, its instances, and means of the runs that have a plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import privopt as po
from privopt.experiments import Table1, run
from privopt.experiments.study import streams
from privopt.experiments.table1 import drawn_instance, table_row
from privopt.networks import fingerprint


def test_infeasible_runs_are_rows(tmp_path: Path) -> None:
    study = Table1(networks=("3_lmbd",), runs=3, samples=100, alpha=5.0, algorithms=("OP", "PIQ-a"))
    found = run(study, tmp_path)
    row = found.summary[1]
    assert row["infeasible_runs"] == row["runs"] == 3
    assert row["loss_mean"] is row["violation_mean"] is row["guarantee"] is None
    assert [r["status"] for r in found.rows if r["algorithm"] == "PIQ-a"] == ["infeasible"] * 3


def test_algorithms_share_an_instance_and_runs_do_not() -> None:
    identity = fingerprint("14_ieee")
    one, again = (drawn_instance(3, "14_ieee", identity, 0) for _ in range(2))
    assert one is again
    other = drawn_instance(3, "14_ieee", identity, 1)
    assert not np.array_equal(one.program.d, other.program.d)
    drawn = po.experiments.instance("14_ieee", streams(3, "14_ieee", 0)[0])
    assert np.array_equal(one.program.d, drawn.program.d)
    assert one.released == drawn.released


def test_a_row_of_the_table_is_of_the_runs_with_a_plan() -> None:
    """Against numpy; what has no plan is counted, and in no mean."""
    losses, shares = [1.0, 2.5, None, None], [10.0, 30.0, None, None]
    ends = ["solved", "solved", "infeasible", "failed"]
    runs = [
        {"loss": loss, "violation": share, "affine_violation": share, "status": end,
         "guarantee": None if loss is None else f"that of {loss}", "claims": None}
        for loss, share, end in zip(losses, shares, ends, strict=True)
    ]  # fmt: skip
    row = table_row(runs)
    assert (row["runs"], row["infeasible_runs"], row["failed_runs"]) == (4, 1, 1)
    assert row["loss_mean"] == np.mean([1.0, 2.5])
    assert row["loss_std"] == pytest.approx(np.std([1.0, 2.5], ddof=1))
    assert row["violation_std"] == pytest.approx(np.std([10.0, 30.0], ddof=1))
    assert row["guarantee"] == "that of 1.0"


def test_units_come_run_by_run_and_scenarios_have_the_box_beside_them() -> None:
    study = Table1(networks=("3_lmbd", "57_ieee"), runs=2, algorithms=("OP", "sampled box"))
    assert [(u.run, u.network, u.algorithm) for u in study.units()] == [
        (run, network, name)
        for run in (0, 1)
        for network, name in (("3_lmbd", "OP"), ("57_ieee", "OP"), ("57_ieee", "sampled box"))
    ]
