"""Which program of a network is made: of one time, over a horizon, of a feeder; in a unit."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.errors import InputError
from privopt.networks.horizon_program import HorizonProgram
from privopt.networks.programs import Over, program_of

NEVER = Over(None, None, None, None, None)


def test_a_horizon_only_where_time_is_spoken_of() -> None:
    network = po.networks.load("5_pjm")
    assert NEVER.once
    assert not isinstance(program_of(network, "powermodels", None, NEVER, None), HorizonProgram)
    over = Over(2, None, None, None, None)
    made = program_of(network, "powermodels", None, over, "MW")
    assert isinstance(made, HorizonProgram)
    assert made.units is not None
    assert made.d.sum() == pytest.approx(2000.0)


def test_what_does_not_go_together() -> None:
    network = po.networks.load("5_pjm")
    with pytest.raises(InputError, match="periods of a feeder"):
        program_of(network, "socp", None, Over(2, None, None, None, None), None)
    with pytest.raises(InputError, match="was given for a DC flow"):
        program_of(network, "powermodels", "private", NEVER, None)
