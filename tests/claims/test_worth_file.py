"""Worth in a file: every bit comes back, files of earlier versions load, damage is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from privopt.claims.worth import Worth
from privopt.claims.worth_file import worth_from_dict, worth_to_dict

WORTH = Worth(
    ("a", "b"), np.array([0.1, 1 / 3]), np.array([0.7, 0.0]), 0.5,
    np.array([0.1, 0.2, 0.3]), np.array([0.1, np.inf, 1 / 7 + 0.3]), 128, ("d[0]",),
)  # fmt: skip
FIELDS = ("errors", "spreads", "noise", "most")


def plain(worth: Worth) -> Any:
    return json.loads(json.dumps(worth_to_dict(worth)))


def test_every_bit_comes_back() -> None:
    again = worth_from_dict(plain(WORTH), WORTH.names, WORTH.epsilon, WORTH.narrow)
    for name in FIELDS:
        assert getattr(again, name).tobytes() == getattr(WORTH, name).tobytes()
    assert again.to_dict() == WORTH.to_dict()
    unknown = Worth(("a",), np.array([np.nan]), np.array([1.0]), 1.0)
    assert not worth_from_dict(plain(unknown), ("a",), 1.0).known


def test_files_of_earlier_versions_load() -> None:
    alone = worth_from_dict({"errors": [0.1, 0.2]}, ("a", "b"), 1.0)
    assert alone.errors.tolist() == [0.1, 0.2]
    assert not alone.known
    assert plain(alone) == {"errors": [0.1, 0.2]}  # and stay as they were
    both = worth_from_dict({"errors": [0.1, 0.2], "spreads": [1.0, 1.0]}, ("a", "b"), 1.0)
    assert both.tells == pytest.approx(0.975)
    assert both.epsilon_for() is None


@pytest.mark.parametrize(
    "change",
    [
        {"errors": [0.1]}, {"errors": "x"}, {"errors": [0.1, -0.2]}, {"errors": [0.1, True]},
        {"spreads": [0.1, -1e-9]}, {"spreads": None}, {"worth": None}, {"worth": {}},
        {"worth": {"noise": [0.2], "most": [0.1], "samples": 3}},
        {"worth": {"noise": [0.2], "most": [], "samples": 3}},
        {"worth": {"noise": [0.2, None], "most": [1.0, 1.0], "samples": 3}},
        {"worth": {"noise": [-0.2], "most": [1.0], "samples": 3}},
        {"worth": {"noise": [0.2], "most": [1.0], "samples": -3}},
    ],
)  # fmt: skip
def test_damage_is_refused(change: dict[str, Any]) -> None:
    data = plain(WORTH) | change
    with pytest.raises((ValueError, KeyError, TypeError)):
        worth_from_dict(data, WORTH.names, WORTH.epsilon)
