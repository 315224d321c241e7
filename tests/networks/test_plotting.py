"""The map of a network, bare and with results: values at their buses, loading as it is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.show.pictures.reading import hovers, parsed, words

import privopt as po
from privopt.networks.chart import bus_of, chart_of_network, chart_of_program, ends_of
from privopt.networks.plotting import map_of

NETWORK = po.networks.load("14_ieee")


def test_a_bare_network_shows_demand_and_generators_in_megawatts() -> None:
    root = parsed(NETWORK.plot())
    said = hovers(root)
    for number, demand in zip(NETWORK.buses.number, NETWORK.buses.demand, strict=True):
        (own,) = [text for text in said if re.match(rf"bus {number}\b", text)]
        assert (f"demand of the case {100 * demand:.4g} MW" in own) == (demand > 0)
    assert sum(text.startswith("line") for text in said) == 20
    assert any("MW" in text for text in words(root))
    assert not any("loading" in text for text in words(root))


def test_a_program_has_the_chart_of_its_network() -> None:
    for program in (NETWORK.program(), NETWORK.program(unit="MW")):
        chart = chart_of_program(program)
        assert chart is not None
        assert chart.buses == chart_of_network(NETWORK).buses
        np.testing.assert_array_equal(chart.places, NETWORK.places)
    assert chart_of_program(po.ConvexProgram(linear=[1.0], G=[[1.0]])) is None


def test_a_feeder_and_a_horizon_have_charts() -> None:
    feeder = po.networks.load("case33bw")
    chart = chart_of_program(feeder.program("lindistflow"))
    assert chart is not None
    assert (len(chart.buses), len(chart.source)) == (33, 32)
    hours = chart_of_program(NETWORK.program(periods=2))
    assert hours is not None
    assert len(hours.source) == 20


def test_an_optimum_loads_the_lines_as_its_flows_do() -> None:
    optimum = NETWORK.program().solve()
    lines, n = NETWORK.branches, len(NETWORK.generators)
    angle = optimum.z[n : n + len(NETWORK.buses)]
    b = lines.x / (lines.r**2 + lines.x**2)
    loading = np.abs(b * (angle[lines.source] - angle[lines.target])) / lines.rate
    said = hovers(parsed(NETWORK.plot(optimum)))
    found = [int(m[1]) for text in said if (m := re.search(r"(\d+)% of its limit", text))]
    # PowerModels' limits are the tighter of rate and angle: a line is loaded at least by its flow.
    assert len(found) == 20
    assert all(
        have >= 100 * want - 1 for have, want in zip(sorted(found), sorted(loading), strict=True)
    )
    assert not any("released" in text for text in said)


def test_released_values_stand_at_their_buses() -> None:
    network = po.networks.load("5_pjm")
    d = network.base_mva * network.buses.demand
    program = network.program(unit="MW").without_data()
    noise = po.Laplace(epsilon=1.0, alpha=1.0)
    box = po.Box(0.9 * d, 1.1 * d + 5)
    policy = po.design(program, po.Identity(["p[3]"]), noise, po.ExactBox(eta=0.05), domain=box,
                       floor=1.0)  # fmt: skip
    release = policy.release(d)
    value = f"{release.values[0]:.3g}"
    on = network.plot(release)
    (own,) = [text for text in hovers(parsed(on)) if "released" in text]
    assert own.startswith("bus 3")
    assert value in own
    assert any(text.startswith(f"3: {value}") for text in words(parsed(on)))
    assert map_of(release) is None  # a release has no program
    drawn = map_of(policy)
    assert drawn is not None
    assert any("loading" in text for text in words(parsed(drawn)))
    assert "demand, middle of its domain" in drawn.svg


@pytest.mark.parametrize(
    ("name", "bus", "ends"),
    [("p[3]", ("p", "3"), None), ("p[3,1]@07", ("p", "3"), None), ("flow[1,2]", None, ("1", "2")),
     ("rate[1,2,2]@x", None, ("1", "2")), ("total", None, None), ("p[", None, None)],
)  # fmt: skip
def test_names_say_where(
    name: str, bus: tuple[str, str] | None, ends: tuple[str, str] | None
) -> None:
    assert ends_of(name) == ends
    if ends is None:
        assert bus_of(name) == bus
