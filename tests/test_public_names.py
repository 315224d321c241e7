"""Names that are a contract, with their arguments in order: scripts rely on them."""

from __future__ import annotations

import inspect
from functools import reduce
from typing import Any

import pytest

import privopt as po

ARGUMENTS = {
    "ConvexProgram": "linear quadratic A b G d lower upper names private",
    "ConvexProgram.solve": "",
    "ConvexProgram.cost": "z",
    "Identity": "which",
    "Identity.matrix": "program",
    "Sum": "groups",
    "Linear": "S",
    "Laplace": "epsilon alpha sensitivity",
    "Gaussian": "epsilon delta alpha sensitivity",
    "TruncatedLaplace": "epsilon delta alpha sensitivity",
    "Assumed": "factor",
    "Analytic": "eta margin scope",
    "SampledBox": "eta beta",
    "ExactBox": "eta",
    "Joint": "eta beta",
    "Scenario": "eta beta samples",
    "Always": "",
    "ExpectedCost": "",
    "CostDeviation": "phi",
    "SolutionDeviation": "phi",
    "Settings": "tolerance time_limit threads",
    "Repeat": "mu test",
    "solve": "program query privacy feasibility objective repeat rng settings",
    "Box": "lower upper",
    "Plan.release": "ledger key",
    "Plan.verify": "samples rng",
    "choose_instrument": "program query privacy feasibility domain prior candidates fidelity rng",
    "Instrument": "W program privacy domain",
    "Instrument.measure": "d ledger key",
    "decide": "program query measurement feasibility fidelity prior rng settings",
    "Decision.complete": "d",
    "Decision.release": "",
    "Release.load": "path",
    "Release.save": "path",
    "networks.load": "name_or_path",
    "networks.Network.program": "",
    "experiments.instance": "",
}
ATTRIBUTES = {
    "Optimum": "z cost",
    "Plan": "expected recourse cost loss guarantee",
    "Instrument": "W loss distance spread",
    "Measurement": "values W names epsilon delta claim",
    "Decision": "values names guarantee loss distance",
    "Guarantee": "privacy feasibility",
    "Claim": "statement provenance because scope",
    "Release": "values names epsilon delta guarantee",
    "Verification": "violation completion rows",
    "Estimate": "value interval samples",
    "experiments.Instance": "program query domain",
}


def thing(name: str) -> Any:
    return reduce(getattr, name.split("."), po)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_stand_in_the_order_of_the_contract(name: str) -> None:
    taken, asked = list(inspect.signature(thing(name)).parameters), ARGUMENTS[name].split()
    assert [one for one in taken if one in asked] == asked


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_result_has_what_the_contract_says(name: str) -> None:
    there = {*dir(thing(name)), *inspect.get_annotations(thing(name))}
    assert set(ATTRIBUTES[name].split()) <= there
