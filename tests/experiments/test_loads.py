"""PGLib's own loads as a study: what is private, what is released, and where there is no plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments import Loads, run
from privopt.experiments.loads import loads_case, small_networks
from privopt.report import write


@pytest.mark.parametrize("wrong", [{"width": 0}, {"share": 1.5}, {"change": "x"}, {"samples": 0}])
def test_bad_input_of_loads_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Loads(networks=("3_lmbd",), **wrong)


def test_loads_are_the_networks_own(tmp_path: Path) -> None:
    assert len(small_networks()) == 36
    assert {"3_lmbd", "24_ieee_rts", "118_ieee__sad"} <= set(small_networks())
    network = po.networks.load("5_pjm")
    case = loads_case(Loads(networks=("5_pjm",)), network, np.random.default_rng(0))
    private = case.program.private
    assert (network.buses.demand[private] != 0).all()
    assert len(private) == np.count_nonzero(network.buses.demand) == 3
    lower, upper = case.domain.ends(len(private))
    assert np.allclose(upper - lower, 0.1 * network.buses.demand[private])
    assert case.query.matrix(case.program).shape[0] == 1
    assert case.alpha == pytest.approx(0.02 * network.buses.demand.max())
    found = run(Loads(networks=("5_pjm", "5_pjm__sad"), runs=1, samples=100), tmp_path)
    status = {(row["network"], row["algorithm"]): row["status"] for row in found.rows}
    assert status["5_pjm", "certified"] == "solved"
    assert {how for (name, _), how in status.items() if name == "5_pjm__sad"} == {"infeasible"}
    served = [row["served_mean"] for row in found.summary if row["algorithm"] == "no privacy"]
    assert served == [100.0, 0.0]
    floor = next(row for row in found.summary if row["algorithm"] == "certified s=1")
    assert floor["level_mean"] >= 1.0
    text = write(tmp_path)[-1].read_text(encoding="utf-8")
    assert "Of 2 networks 1 have a feasible optimum" in text


def test_a_network_without_loads_is_refused() -> None:
    network = po.networks.load("3_lmbd")
    empty = replace(network, buses=replace(network.buses, demand=np.zeros(3)))
    with pytest.raises(InputError, match="no load"):
        loads_case(Loads(networks=("3_lmbd",)), empty, np.random.default_rng(0))
