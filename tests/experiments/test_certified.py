"""Assumed and proven privacy as a study: what a row says, and that it can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.errors import InputError, NotCertifiedError
from privopt.experiments import CertifiedTable, Loads, policies, run
from privopt.experiments.certified import ALGORITHMS
from privopt.experiments.loads import loads_case, small_networks
from privopt.experiments.policies import Case, Noise, measure_case
from privopt.experiments.policy_summary import summarise_policies
from privopt.experiments.study import Row, streams
from privopt.report import write

SMALL = CertifiedTable(networks=("3_lmbd",), runs=2, samples=2000, tries=30)
NOISE = Noise(epsilon=1.0, alpha=0.1, eta=0.025, delta=1e-5, tries=30, pieces=50)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("certified")
    run(SMALL, out)
    return out


def rows(out: Path) -> dict[str, Row]:
    found = json.loads((out / "certified.json").read_text(encoding="utf-8"))["rows"]
    return {row["algorithm"]: row for row in found}


def test_every_row_says_how_it_is_known(whole: Path) -> None:
    found = rows(whole)
    assert tuple(found) == ALGORITHMS
    assert found["PIQ-a"]["privacy"] == "ASSUMED"
    assert found["lower bound"]["privacy"] == "SAMPLED"
    # In run 1 some data of the domain have no plan: that certificate rests on an assumption.
    assert found["PIQ-a recalibrated"]["privacy"] == "PROVEN, ASSUMED"
    for name in ALGORITHMS[3:]:
        assert found[name]["privacy"] == "PROVEN"
        assert "PROVEN, neighbours" in found[name]["guarantee"]
    assert found["certified s=1"]["level_mean"] >= 1.0
    assert found["certified"]["loss_mean"] <= found["certified s=1"]["loss_mean"] + 1e-6
    assert found["certified exact margins"]["loss_mean"] <= found["certified"]["loss_mean"] + 1e-6
    assert found["certified always"]["joint_violation_mean"] == 0.0
    assert found["certified"]["row_violation_mean"] <= 2.5


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


def test_resumed_and_apart_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    lines = (whole / "certified.journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "certified.journal").write_bytes(b"".join(lines[:9]) + lines[9][:40])
    seen: list[int] = []
    run(SMALL, tmp_path, progress=lambda done, _: seen.append(done))
    assert seen[0] == 8
    assert (tmp_path / "certified.json").read_bytes() == (whole / "certified.json").read_bytes()


def test_the_page_has_the_picture(whole: Path) -> None:
    text = write(whole).read_text(encoding="utf-8")
    assert 'data-plot="certified"' in text
    assert "true ε" in text
    assert "demand[3]" in text


def test_what_is_not_certified_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = po.experiments.instance("3_lmbd", 0)
    case = Case(drawn.program, drawn.query, drawn.domain)

    def refuse(*_: object, **__: object) -> None:
        raise NotCertifiedError("it is not certified: too many pieces. 9 seen.", "", "", 9, 2.0)

    for noise, reason in ((NOISE, "it is not certified: too many pieces"), (
        Noise(epsilon=1.0, alpha=0.1, eta=0.025, delta=0.0, tries=0, pieces=0), "not tried",
    )):  # fmt: skip
        monkeypatch.setattr(policies, "certify", refuse)
        row = measured(case, "PIQ-a recalibrated", noise)
        assert row["status"] == "not certified"
        assert row["reason"].startswith(reason)
        assert row["loss"] is row["factor"] is row["privacy"] is None


def measured(case: Case, algorithm: str, noise: Noise) -> Row:
    _, solver, draws = streams(0, "3_lmbd", 0)
    return measure_case(case, algorithm, noise, samples=200, solver=solver, draws=draws)


def test_an_infeasible_design_is_counted_with_its_reason() -> None:
    drawn = po.experiments.instance("3_lmbd", 0)
    case = Case(drawn.program, drawn.query, drawn.domain)
    noise = Noise(epsilon=1.0, alpha=5.0, eta=0.025, delta=1e-5, tries=30, pieces=50)
    both = [
        {"network": "3_lmbd", "run": 0, "algorithm": name, **measured(case, name, noise)}
        for name in ("PIQ-a", "certified s=1")
    ]
    assert [row["status"] for row in both] == ["infeasible"] * 2
    printed, floor = summarise_policies(both, ("3_lmbd",), ("PIQ-a", "certified s=1"), 1.0)
    assert printed["infeasible_runs"] == floor["infeasible_runs"] == 1
    assert floor["loss_mean"] is floor["piqa_mean"] is None
    assert "no affine policy" in floor["reasons"][0]["reason"]


def test_the_printed_loss_beside_is_over_the_same_runs() -> None:
    base = measured_none()
    made = [
        {**base, "network": "a", "run": k, "algorithm": name, "loss": loss, "status": status}
        for name, losses in (("PIQ-a", (1.0, 3.0)), ("certified", (None, 2.0)))
        for k, loss in enumerate(losses)
        for status in ("solved" if loss else "infeasible",)
    ]
    printed, ours = summarise_policies(made, ("a",), ("PIQ-a", "certified"), 1.0)
    assert (printed["loss_mean"], printed["piqa_mean"]) == (2.0, 2.0)
    assert (ours["loss_mean"], ours["piqa_mean"]) == (2.0, 3.0)


def measured_none() -> Row:
    names = ("loss", *policies.MEANS, "constant", "epsilon", "privacy", "guarantee", "reason")
    return dict.fromkeys(names)


@pytest.mark.parametrize(
    "wrong",
    [{"tries": 9}, {"pieces": 0}, {"enumerated": -1}, {"runs": 0}, {"algorithms": ("OP",)},
     {"networks": ()}],
)  # fmt: skip
def test_bad_input_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        CertifiedTable(**wrong)


@pytest.mark.parametrize("wrong", [{"width": 0}, {"share": 1.5}, {"change": "x"}, {"samples": 0}])
def test_bad_input_of_loads_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Loads(networks=("3_lmbd",), **wrong)


def test_loads_are_the_networks_own(tmp_path: Path) -> None:
    assert len(small_networks()) == 36
    assert {"3_lmbd", "24_ieee_rts", "118_ieee__sad"} <= set(small_networks())
    network = po.networks.load("5_pjm")
    case = loads_case(network, np.random.default_rng(0), width=0.05, share=0.3)
    private = case.program.private
    assert (network.buses.demand[private] != 0).all()
    assert len(private) == np.count_nonzero(network.buses.demand) == 3
    lower, upper = case.domain.ends(len(private))
    assert np.allclose(upper - lower, 0.1 * network.buses.demand[private])
    assert case.query.matrix(case.program).shape[0] == 1
    found = run(Loads(networks=("5_pjm", "5_pjm__sad"), runs=1, samples=100), tmp_path)
    status = {(row["network"], row["algorithm"]): row["status"] for row in found.rows}
    assert status["5_pjm", "certified"] == "solved"
    assert {how for (name, _), how in status.items() if name == "5_pjm__sad"} == {"infeasible"}
    served = [row["served_mean"] for row in found.summary if row["algorithm"] == "no privacy"]
    assert served == [100.0, 0.0]
    floor = next(row for row in found.summary if row["algorithm"] == "certified s=1")
    assert floor["level_mean"] >= 1.0
    text = write(tmp_path).read_text(encoding="utf-8")
    assert "Of 2 networks 1 have a feasible optimum" in text


def test_a_network_without_loads_is_refused() -> None:
    network = po.networks.load("3_lmbd")
    buses = po.networks.Buses(network.buses.number, np.zeros(3), network.buses.shunt,
                              network.buses.reference)  # fmt: skip
    empty = po.networks.Network("none", 100.0, buses, network.branches, network.generators)
    with pytest.raises(InputError, match="no load"):
        loads_case(empty, np.random.default_rng(0), width=0.05, share=0.3)
