"""A front has no constant where none is known: what is not known is not 0."""

from __future__ import annotations

import pytest

from privopt.web.front import front_of, point_of


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["distance", "loss"])
def test_an_unknown_constant_is_none(name: str, value: float | None) -> None:
    known = {"distance": 2.0, "loss": 0.1, name: value}
    constant = point_of(0.0, known["distance"], known["loss"], 1.0)
    assert constant[name] is None
    assert front_of([], None, constant)["constant"] is None


def test_a_constant_that_is_known_stays() -> None:
    here = point_of(1.0, 1.0, 0.05, 1.0)
    found = front_of([here], here, point_of(0.0, 2.0, 0.1, 1.0))
    assert found["constant"] == {"distance": 2.0, "loss": 0.1}
    assert found["here"] is here
