"""From tables to a network: those of two pandapower nets, stored with the cost pandapower finds."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.networks.tables import Tables, build

STORED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "pandapower.json").read_text(encoding="utf-8")
)["nets"]


def read(stored: dict[str, Any]) -> Tables:
    bus, gen, branch = (
        {column: np.array(values, float) for column, values in stored[part].items()}
        for part in ("bus", "gen", "branch")
    )
    costs = np.array(stored["gencost"], float)
    return Tables(stored["base_mva"], bus, gen, branch, costs, units=stored["units"])


def refuse(why: str) -> InputError:
    return InputError(why, "", "")


@pytest.mark.parametrize("name", STORED)
def test_the_cost_is_pandapowers(name: str) -> None:
    network = build(name, read(STORED[name]["tables"]), refuse)
    cost = network.program("matpower").solve().cost
    assert cost == pytest.approx(STORED[name]["cost"], rel=1e-7)


def test_a_refusal_reads_as_its_source_wants_it() -> None:
    tables = read(STORED["mixed"]["tables"])
    tables.bus["BUS_I"][1] = tables.bus["BUS_I"][0]
    with pytest.raises(InputError, match="^a bus number comes twice"):
        build("mixed", tables, refuse)


def test_costs_are_refused_by_the_name_of_the_unit() -> None:
    tables = read(STORED["mixed"]["tables"])
    tables.gencost[4] = [2, 0, 0, 3, -1, *[0] * (tables.gencost.shape[1] - 5)]
    with pytest.raises(InputError, match="^load 0 has a polynomial"):
        build("mixed", tables, refuse)


@pytest.mark.skipif(
    importlib.util.find_spec("pandapower") is not None, reason="pandapower is installed"
)
def test_without_pandapower_the_remedy_names_the_extra() -> None:
    with pytest.raises(InputError, match=r"pip install .*\[pandapower\]"):
        po.networks.from_pandapower(object())
