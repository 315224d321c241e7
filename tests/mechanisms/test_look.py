"""The curator's look: what would be clamped, another unit, and nothing that is published."""

from __future__ import annotations

import json

import numpy as np
import pytest

import privopt as po
from privopt.kernel import wire
from privopt.mechanisms.look import DataLook, RowCounts, look

NAMES = [f"load {k}" for k in range(12)]


@pytest.fixture(scope="module")
def instrument() -> po.Instrument:
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    box = po.Box(np.zeros(12), np.linspace(0.1, 1 / 3, 12))
    program = po.ConvexProgram(
        linear=[1.0, 2.0, *[0.0] * 12], quadratic=[0.1] * 14, lower=-40, upper=40,
        G=np.vstack([np.ones((1, 14)), np.eye(12, 14, 2)]),
        data_names=["public", *NAMES], private=NAMES, d=[6.0] + [0.0] * 12,
    )  # fmt: skip
    return po.Instrument({"all": NAMES}, program=program, privacy=noise, domain=box)


def about(found: DataLook) -> list[str]:
    return [one.about for one in found.findings]


def test_what_lies_outside_is_named(instrument: po.Instrument) -> None:
    d = np.r_[99.0, instrument.domain[1]]  # a public entry has no domain
    assert about(look(instrument, d)) == []
    assert "No private entry lies outside of the domain." in look(instrument, d).summary()
    d[2], d[4] = -0.5, 7.0
    found = look(instrument, d)
    assert np.flatnonzero(found.clamped).tolist() == [1, 3]
    assert found.findings[0].words.startswith(
        "2 of 12 private entries lie outside of the domain and would be clamped to it: load 1, "
        "load 3. They lie beyond it by"
    )
    assert "load 9, ..." in look(instrument, d + 9).findings[0].words


def test_the_ends_of_the_domain_lie_within_though_rounded(
    instrument: po.Instrument,
) -> None:
    ends = np.linspace(0.1, 1 / 3, 12)
    assert (ends > instrument.kernel.map.box[1]).any()
    assert not look(instrument, np.r_[6.0, ends]).clamped.any()
    assert look(instrument, np.r_[6.0, ends + 1e-5]).clamped.all()


def sums(lower: object = 80.0, upper: object = 120.0, count: int = 8) -> po.Instrument:
    program = po.ConvexProgram(linear=np.ones(count), G=np.eye(count), lower=0)
    noise = po.Laplace(epsilon=1.0, alpha=1.0)
    box = po.Box(lower, upper)
    return po.Instrument({"all": range(count)}, program=program, privacy=noise, domain=box)


D = np.linspace(85.0, 118.0, 8)


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e-2, 1e2, 1e3, 1e6])
def test_another_unit_is_named(factor: float) -> None:
    found = look(sums(), factor * D)
    assert about(found)[:2] == ["clamped", "unit"]
    assert f"about {factor:g} times" in found.findings[1].words


@pytest.mark.parametrize("d", [D, D + 10, np.r_[D[:6], 1e5, 1e5], 5 * D])
def test_no_other_unit_is_made_up(d: np.ndarray) -> None:
    """Data within the domain, near it, mostly within it, or off by no usual factor."""
    assert "unit" not in about(look(sums(), d))


def test_other_findings() -> None:
    assert "unit" in about(look(sums(), -D))  # the other sign
    assert {"clamped", "negative"} <= set(about(look(sums(), -D)))
    assert "zero" in about(look(sums(), np.r_[0.0, D[1:]]))
    assert about(look(sums(), np.full(8, 100.0))) == ["constant"]
    rows = RowCounts("", 9, 3, at_most=4, per_entry=(1, 1, 2), repeated=1, outside=2, cut=3)
    assert about(look(sums(), D, rows)) == ["sites", "bound", "repeated", "owners"]


def test_a_look_is_private() -> None:
    found = look(sums(), 1000 * D)
    assert "85000" not in repr(found) + found._repr_html_()
    assert "85000" in found.summary()  # for the curator, who asks
    assert json.loads(json.dumps(found.to_dict()))["private"] is True
    with pytest.raises(po.errors.PrivoptError, match="private"):
        wire.text(found)  # pyright: ignore[reportArgumentType]
