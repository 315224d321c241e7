"""Each name of the tables is the reformulation it says."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments.algorithms import applies, check_algorithms, corners, feasibility
from privopt.experiments.table1 import ALGORITHMS as IDENTITY
from privopt.experiments.table1 import NETWORKS, Table1
from privopt.experiments.table2 import ALGORITHMS as SUMS


def test_names_and_reformulations() -> None:
    expected = {
        "PIQ-a": po.Analytic(eta=0.02, margin="unimodal"),
        "PSQ-a": po.Analytic(eta=0.02, margin="unimodal"),
        "PIQ-s": po.SampledBox(eta=0.02, beta=0.1),
        "PSQ-s": po.SampledBox(eta=0.02, beta=0.1),
        "exact margins": po.Analytic(eta=0.02, margin="exact"),
        "exact box": po.ExactBox(eta=0.02),
        "sampled box": po.SampledBox(eta=0.02, beta=0.1),
        "joint factor": po.Joint(eta=0.02, beta=0.1),
        "measured": po.ExactBox(eta=0.02),
    }
    assert set(expected) | {"OP"} == set(IDENTITY) | set(SUMS)
    for name, kept in expected.items():
        assert repr(feasibility(name, boxes=True, eta=0.02, beta=0.1)) == repr(kept)
    plain = po.Scenario(eta=0.02, beta=0.1, samples=1000)
    assert feasibility("PIQ-s", boxes=False, eta=0.02, beta=0.1) == plain


def test_the_papers_sample_method_by_network() -> None:
    beside = [Table1(networks=(name,), runs=1, algorithms=("sampled box",)) for name in NETWORKS]
    assert [bool(table.units()) for table in beside] == [False] * 4 + [True] * 2
    assert corners(11)
    assert not corners(17)


def test_the_sampled_box_has_a_row_only_beside_scenarios() -> None:
    assert applies("sampled box", boxes=False)
    assert not applies("sampled box", boxes=True)
    assert all(applies(name, boxes=True) for name in IDENTITY if name != "sampled box")


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="PIQ-a"):
        check_algorithms(("PIQ-z",), IDENTITY)
