"""The map of a network, bare and with results: values at their buses, loading as it is."""

from __future__ import annotations

import re

import numpy as np
from tests.show.pictures.reading import hovers, parsed, words

import privopt as po
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
    sums = {"total": list(program.data_names)}
    measured = po.Instrument(sums, program=program, privacy=noise, domain=box).measure(d)
    decision = po.decide(program, po.Identity(["p[3]"]), measured, po.ExactBox(eta=0.05))
    release = decision.release()
    value = f"{release.values[0]:.3g}"
    on = network.plot(release)
    (own,) = [text for text in hovers(parsed(on)) if "released" in text]
    assert own.startswith("bus 3")
    assert value in own
    assert any(text.startswith(f"3: {value}") for text in words(parsed(on)))
    assert map_of(release) is None  # a release has no program
    page = map_of(release, network)  # it is there to be published: nothing of the case's loads
    assert page is not None
    assert "demand" not in page.svg
    assert any(text.startswith(f"3: {value}") for text in words(parsed(page)))
    assert "demand of the case" in on.svg
    drawn = map_of(decision)
    assert drawn is not None
    assert any("loading" in text for text in words(parsed(drawn)))
    assert "demand, middle of what is possible" in drawn.svg
