"""Each kind of variable of a feeder stands where its names are."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.networks import Convention
from privopt.networks.layout import Layout


@pytest.mark.parametrize("convention", [Convention.LINDISTFLOW, Convention.SOCP])
def test_places_are_those_of_the_names(convention: Convention) -> None:
    network = po.networks.load("case33bw").with_generators({18: (0.5, 30.0)})
    names, at = network.program(convention).names, Layout.of(network, convention)
    assert (names[0], names[at.units]) == ("p[1]", "q[1]")
    assert (names[at.P], names[at.Q]) == ("flow[1,2]", "reactive_flow[1,2]")
    assert (names[at.v], names[at.v + 32]) == ("v[1]", "v[33]")
    losses = convention is Convention.SOCP
    assert (at.current == at.cost) is not losses
    if losses:
        assert names[at.current : at.cost] == tuple(n for n in names if n.startswith("current[")
                                                    and "~" not in n)  # fmt: skip
    assert at.width <= len(names)
