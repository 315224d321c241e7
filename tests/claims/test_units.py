"""Units are labels that go with every number, in every file, and are refused where they differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privopt as po
from privopt.claims.units import UnitLabels, unit_of
from privopt.kernel import wire

LABEL = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=8)


@given(LABEL, st.lists(LABEL | st.just(""), min_size=1, max_size=5), LABEL | st.just(""))
def test_they_read_back(data: str, values: list[str], cost: str) -> None:
    units = UnitLabels(data, tuple(values), cost)
    text = json.dumps(units.to_dict())
    assert UnitLabels.from_dict(json.loads(text), len(values)) == units


def program(unit: Any = "MW") -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1, 2, 3], quadratic=[1, 1, 1], G=[[1, 1, 0], [0, 0, 1]], d=[3.0, 1.0], lower=0,
        upper=9, unit=unit, names=["x", "y", "angle"], data_names=["a", "b"],
    )  # fmt: skip


MIXED = UnitLabels("MW", ("MW", "MW", "rad"), "$/h")


def test_a_value_has_the_unit_of_its_variables() -> None:
    made = program(MIXED)
    assert made.units is not None
    S = po.Linear([[1, 1, 0], [0, 0, 2], [1, 0, 1]]).matrix(made)
    assert made.units.of_rows(S).values == ("MW", "rad", "")


def test_what_a_program_adds_has_units_too() -> None:
    made = po.ConvexProgram(
        linear=[1, 1], G=[[1, 1]], d=[1, 2], A=[[1, 0]], b=[0], private_limits=[0], lower=0,
        unit=UnitLabels("MW", "MW", "$/h"), costs=[po.PiecewiseLinear(slopes=[[1, 0]])],
    )  # fmt: skip
    assert made.units is not None
    assert made.units.values == ("MW", "MW", "$/h", "MW")


def outputs(made: po.ConvexProgram) -> list[Any]:
    """One of every public kind."""
    box, noise = po.Box(0.5, 4.0), po.Laplace(epsilon=1.0, alpha=0.1)
    kept, query = po.ExactBox(eta=0.1), po.Identity(["x"])
    sums = po.Instrument({"all": [0, 1]}, program=made, privacy=noise, domain=box)
    measured = sums.measure(made.d)
    decision = po.decide(made, query, measured, kept)
    return [
        po.PublicProgram(made), sums, measured, decision, decision.release(),
        po.solve(made, query, noise, kept).release(),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def kinds() -> tuple[list[Any], list[Any]]:
    return outputs(program()), outputs(program(None))


@pytest.mark.parametrize("k", range(6))
def test_every_output_says_it_and_reads_back(
    kinds: tuple[list[Any], list[Any]], k: int, tmp_path: Path
) -> None:
    made, bare = kinds[0][k], kinds[1][k]
    made.save(tmp_path / "x.json")
    again = type(made).load(tmp_path / "x.json")
    assert again.to_dict() == made.to_dict()
    assert '"MW"' in wire.text(made)
    assert "unit" not in set(bare.to_dict()) - set() or "units" not in bare.to_dict()
    if hasattr(made, "summary"):
        assert "MW" in again.summary()
        assert "MW" in made._repr_html_()
        assert "MW" not in bare.summary()
        frame = made.to_pandas()
        told = frame.attrs["unit"] if frame.ndim == 1 else frame["unit"].to_dict()
        assert set(told.values()) == {"MW"}


def test_private_results_say_it_too() -> None:
    optimum = program(MIXED).solve()
    assert "$/h" in optimum.summary()
    assert optimum.to_pandas()["unit"].tolist() == ["MW", "MW", "rad"]
    plan = po.solve(program(), po.Identity(["x"]), po.Laplace(epsilon=1.0, alpha=0.1),
                    po.ExactBox(eta=0.1))  # fmt: skip
    assert "MW" in plan.summary()


def test_a_measurement_in_another_unit_is_refused() -> None:
    noise, box = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(0.5, 4.0)
    measured = po.Instrument({}, program=program("kW"), privacy=noise, domain=box).measure([1, 2])
    for other in (program("MW"), program(None)):
        with pytest.raises(po.errors.InputError, match="the measurement is in kW, the program in"):
            po.decide(other, po.Identity(["x"]), measured, po.ExactBox(eta=0.1))


def test_a_ledger_does_not_add_alphas_of_different_units(tmp_path: Path) -> None:
    noise, box = po.Laplace(epsilon=0.5, alpha=0.1), po.Box(0.5, 4.0)
    sums = [
        po.Instrument({"all": [0, 1]}, program=program(unit), privacy=noise, domain=box)
        for unit in ("MW", "MW", "kW", None)
    ]
    with po.Ledger(tmp_path / "d.ledger", po.Budget(5)) as ledger:
        sums[0].measure([1, 2], ledger)
        sums[1].measure([1, 2], ledger)
        for other in sums[2:]:
            with pytest.raises(po.errors.LedgerError, match="in one unit"):
                other.measure([1, 2], ledger)
        assert ledger.spent == po.Budget(1)


def test_a_label_converts_nothing_and_can_be_taken_away() -> None:
    made = program()
    assert unit_of(made.in_unit(None)) is None
    assert unit_of(made.in_unit("kW")) == "kW"
    assert np.array_equal(made.in_unit("kW").d, made.d)


@pytest.mark.parametrize("unit", ["", "x" * 41, "a\nb", 3, UnitLabels("MW", ("MW",)), b"MW"])
def test_labels_that_will_not_do(unit: Any) -> None:
    with pytest.raises(po.errors.InputError, match="unit"):
        program(unit)
