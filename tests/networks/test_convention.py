"""A convention and what is known of reactive demands are read from their names."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.errors import InputError
from privopt.networks import Convention, Reactive


def test_names_are_read_and_others_refused() -> None:
    assert [Convention.read(name) for name in ("socp", Convention.MATPOWER)] == ["socp", "matpower"]
    feeders = {name for name in Convention if name.of_feeders}
    assert feeders == {"lindistflow", "socp"}
    assert Reactive.read("private") is Reactive.PRIVATE
    with pytest.raises(InputError, match="'ac' is no convention"):
        Convention.read("ac")
    with pytest.raises(InputError, match="reactive is 'none'"):
        Reactive.read("none")


def test_a_dc_flow_knows_no_reactive_demands() -> None:
    network = po.networks.load("case33bw")
    with pytest.raises(InputError, match="reactive='public' was given for a DC flow"):
        network.program(reactive="public")
