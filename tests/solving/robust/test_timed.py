"""Which variables belong to which period."""

from __future__ import annotations

import numpy as np
from tests.solving.robust import timed_cases

from privopt.solving.robust.timed import COUPLES


def test_names_of_a_network_say_the_same() -> None:
    one = timed_cases.network(3)
    timed = one.gains.timed
    fixed = set(one.program.fixed.tolist())
    for j, name in enumerate(one.program.names):
        period = int(name.rpartition("@")[2])
        if j in fixed:
            assert timed.variables[j] < COUPLES
        elif name.startswith("stored") and period < 2:
            assert timed.variables[j] == COUPLES
        else:
            assert timed.variables[j] == period


def test_what_is_left_at_the_end_follows_the_store() -> None:
    one = timed_cases.network(3)
    names = np.array(one.program.names)
    assert set(names[one.gains.timed.follows]) == {"stored[3]@02"}
    own = set(names[one.gains.timed.free(1, coupled=False)])
    more = set(names[one.gains.timed.free(1, coupled=True)])
    assert more - own == {"stored[3]@00", "stored[3]@01", "stored[3]@02"}


def test_a_stock_couples_and_orders_are_of_their_period() -> None:
    timed = timed_cases.inventory(4).gains.timed
    assert timed.variables.tolist() == [COUPLES] * 3 + [3, 0, 1, 2, 3]


def test_without_coupling_all_is_of_one_period() -> None:
    one = timed_cases.network(2, store=False)
    assert (one.gains.timed.variables != COUPLES).all()
    assert not one.gains.timed.follows.any()
