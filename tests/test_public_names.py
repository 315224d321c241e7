"""Scripts of version 0.1.0 go on running: its names, their arguments and attributes are there.

`fixtures/v0_1_0/names.py` wrote down what that version had. What may be new: names, attributes, and
arguments that can be left out. What a result is made from is nobody's business but its verb's: a
`Plan` comes from `solve`, so its own constructor may change.
"""

from __future__ import annotations

import json
import runpy
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import privopt as po

FOLDER = Path(__file__).parent / "fixtures" / "v0_1_0"
NAMES: dict[str, Any] = json.loads((FOLDER / "names.json").read_text())
MADE_BY_VERBS = ("InputPerturbation", "OutputPerturbation", "Plan", "Policy")
GONE = {"Settings": ["deadline is gone"]}  # a clock: settings have none, what runs has its own
DESCRIBED = runpy.run_path(str(FOLDER / "names.py"))["described"]
# Section 7 of the design: names that are a contract, with their arguments in order.
CONTRACT = {
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
    "design": "program query privacy feasibility domain prior fidelity floor rng settings",
    "Box": "lower upper",
    "Plan.release": "ledger key",
    "Policy.release": "d ledger key",
    "Policy.complete": "d release",
    "Plan.verify": "samples rng",
    "Policy.verify": "samples rng",
    "Release.load": "path",
    "Policy.load": "path",
    "Policy.save": "path",
    "networks.load": "name_or_path",
    "networks.Network.program": "",
    "experiments.instance": "",
}
RESULTS = {
    "Optimum": "z cost",
    "Plan": "expected recourse cost loss guarantee",
    "Policy": "offset gain recourse sensitivity guarantee cost loss distance",
    "Guarantee": "privacy feasibility",
    "Claim": "statement provenance because scope",
    "Release": "values names epsilon delta guarantee",
    "Verification": "violation completion rows",
    "Estimate": "value interval samples",
    "experiments.Instance": "program query domain",
}


def thing(name: str) -> Any:
    return reduce(getattr, name.split("."), po)


def lost(then: list[list[Any]], now: list[list[Any]]) -> list[str]:
    """Arguments that a call of then could give, or leave out, and a call of now cannot."""
    places = {name: place for place, (name, _, _) in enumerate(now)}
    found: list[str] = []
    for place, (name, kind, optional) in enumerate(then):
        if name not in places:
            found.append(f"{name} is gone")
            continue
        here = now[places[name]]
        if here[1] != kind or (kind != "KEYWORD_ONLY" and places[name] != place):
            found.append(f"{name} is passed in another way")
        if optional and not here[2]:
            found.append(f"{name} must be given")
    known = {name for name, _, _ in then}
    new = [one for one, kind, optional in now if not optional and not kind.startswith("VAR")]
    return found + [f"{one} must be given" for one in new if one not in known]


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_name_of_0_1_0_can_be_used_as_it_was(name: str) -> None:
    then = NAMES[name]
    if then is None:  # a constant, such as __version__
        assert thing(name) is not None
        return
    now, wrong = DESCRIBED(thing(name)), list[str]()
    if then["arguments"] is not None and name not in MADE_BY_VERBS:
        wrong += lost(then["arguments"], now["arguments"])
    for part, arguments in then.get("attributes", {}).items():
        if part not in now["attributes"] and not hasattr(example(name), part):
            wrong.append(f"{part} is gone")
        elif arguments is not None:
            wrong += [f"{part}: {one}" for one in lost(arguments, now["attributes"][part])]
    assert wrong == GONE.get(name, [])


def example(name: str) -> Any:
    """A program sets its attributes one by one: they are looked for in one that was made."""
    return po.ConvexProgram(linear=[1.0], G=[[1]]) if name == "ConvexProgram" else None


def test_everything_of_then_is_listed_now() -> None:
    assert {name for name in NAMES if "." not in name} <= set(po.__all__)


@pytest.mark.parametrize("name", sorted(CONTRACT))
def test_a_name_of_the_contract_takes_what_it_says(name: str) -> None:
    described = DESCRIBED(thing(name))["arguments"]
    taken = [one for one, _, _ in described if one not in ("self", "cls")]
    asked = CONTRACT[name].split()
    assert [one for one in taken if one in asked] == asked


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_result_of_the_contract_has_what_it_says(name: str) -> None:
    assert set(RESULTS[name].split()) <= set(DESCRIBED(thing(name))["attributes"])


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ([["b", "KEYWORD_ONLY", True]], "a is gone"),
        ([["a", "KEYWORD_ONLY", False], ["b", "KEYWORD_ONLY", True]], "in another way"),
        ([["a", "POSITIONAL_OR_KEYWORD", False], ["b", "KEYWORD_ONLY", False]], "b must be given"),
        (
            [["c", "POSITIONAL_OR_KEYWORD", True], ["a", "POSITIONAL_OR_KEYWORD", False],
             ["b", "KEYWORD_ONLY", True]],
            "a is passed in another way",
        ),
        (
            [["a", "POSITIONAL_OR_KEYWORD", False], ["b", "KEYWORD_ONLY", True],
             ["c", "KEYWORD_ONLY", False]],
            "c must be given",
        ),
    ],
)  # fmt: skip
def test_a_change_that_breaks_scripts_would_be_seen(now: list[list[Any]], says: str) -> None:
    then = [["a", "POSITIONAL_OR_KEYWORD", False], ["b", "KEYWORD_ONLY", True]]
    assert lost(then, then) == []
    assert any(says in one for one in lost(then, now))
