"""What simulations were asked about: the same for the same question, another for any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.measured.asked import asked_of


def program(**more: Any) -> po.ConvexProgram:
    given = {"linear": [1.0, 2.0, 3.0], "G": [[1, 1, 1]], "lower": 0.0, "upper": 4.0, **more}
    return po.ConvexProgram(**given)


ASKED: dict[str, Any] = {
    "program": program(), "query": po.Identity([0]), "feasibility": po.ExactBox(eta=0.05),
    "domain": po.Box(5.0, 7.0), "fidelity": 0.0,
}  # fmt: skip
OTHERS: list[dict[str, Any]] = [
    {"program": program(upper=5.0)},
    {"program": program(linear=[1.0, 2.0, 3.5])},
    {"query": po.Identity([1])},
    {"query": po.Linear(np.array([[2.0, 0.0, 0.0]]))},
    {"feasibility": po.ExactBox(eta=0.01)},
    {"feasibility": po.Always()},
    {"domain": po.Box(5.0, 7.5)},
    {"domain": po.Domain(5.0, 7.0, rows=([[1.0]], [5.5], [np.inf]))},
    {"fidelity": 1.0},
    {"fidelity": po.Within(1.0)},
    {"prior": [[6.0]]},
    {"program": program(G=[[1, 1, 1], [0, 0, 1]], private=[0], d=[6.0, 1.0])},
]


@pytest.mark.parametrize("change", OTHERS)
def test_another_question_is_another_one(change: dict[str, Any]) -> None:
    assert asked_of(**{**ASKED, **change})["digest"] != asked_of(**ASKED)["digest"]


def test_entries_that_follow_are_another_question_whatever_their_values() -> None:
    G = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    asked = [
        {**ASKED, "program": program(G=G, private=[0], d=[6.0, at, 1.0]), "balance": balance}
        for at, balance in ((6.0, None), (6.0, ["d[1]"]), (7.0, ["d[1]"]))
    ]
    found = [asked_of(**one)["digest"] for one in asked]
    assert found[0] != found[1] == found[2]


def test_the_same_question_is_the_same_whatever_the_data_are() -> None:
    first = asked_of(**ASKED)
    assert first == asked_of(**{**ASKED, "program": program(d=[6.5])})
    assert first == asked_of(**{**ASKED, "domain": po.Domain(5.0, 7.0)})
    assert first["values"] == ["z[0]"]


def test_an_instrument_knows_what_it_was_simulated_for_also_from_a_file() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    one = Instrument([[1.0]], program=program(), privacy=noise, domain=po.Box(5.0, 7.0))
    assert not one.simulated_for(asked_of(**ASKED))
    made = po.simulate_instrument(
        program(), po.Identity([0]), one, po.ExactBox(eta=0.05), epsilons=()
    )
    again = Instrument.from_dict(made.to_dict())
    assert again.to_dict() == made.to_dict()
    for found in (made, again):
        assert found.chosen_for == ("z[0]",)
        assert found.simulated_for(asked_of(**ASKED))
        assert not found.simulated_for(asked_of(**{**ASKED, "query": po.Identity([1])}))
        assert found.worth is not None
        assert found.worth.names == ("z[0]",)
        assert found.worth.distance == pytest.approx(found.distance)
    assert not made.with_epsilon(2.0).simulated_for(asked_of(**ASKED))
