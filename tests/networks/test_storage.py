"""Storage units: what they refuse, and what they begin with."""

from __future__ import annotations

from typing import Any

import pytest

import privopt as po
from privopt.errors import InputError


def test_it_begins_half_full_unless_told() -> None:
    assert po.networks.Storage(3, 2.0, 1.0).begins_with == 1.0
    assert po.networks.Storage(3, 2.0, 1.0, initial=0.25).begins_with == 0.25


@pytest.mark.parametrize(
    "given",
    [
        {"energy": 0.0},
        {"power": -1.0},
        {"efficiency": 1.1},
        {"efficiency": 0.0},
        {"initial": 3.0},
        {"initial": -0.1},
        {"bus": "three"},
        {"bus": True},
    ],
)
def test_what_no_store_has_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(given))):
        po.networks.Storage(**{"bus": 3, "energy": 2.0, "power": 1.0, **given})
