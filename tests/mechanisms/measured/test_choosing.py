"""Choosing what to measure: the same choice every time, from public data alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.errors import InfeasibleError, InputError, NotImplementableError

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
BOX = po.ExactBox(eta=0.05)
DOMAIN = po.Box(1.0, 2.0)
OWN = {"mine": {"n": ["north"]}}


def program(d: Any = (0.0, 1.5), **more: Any) -> po.ConvexProgram:
    asked = {
        "linear": [1.0, 2, 3, 1], "quadratic": [1.0, 0.5, 0.2, 0.3], "d": d, "private": [0],
        "G": [[1.0, 1, 0, 1], [0, 1, 1, -1]], "lower": 0.0, "upper": 5.0,
        "data_names": ["north", "south"], **more,
    }  # fmt: skip
    return po.ConvexProgram(**asked)


def chosen(one: po.ConvexProgram, **more: Any) -> po.Instrument:
    asked: dict[str, Any] = {"domain": DOMAIN, **more}
    return po.choose_instrument(one, po.Identity([0]), NOISE, BOX, **asked)


@pytest.fixture(scope="module")
def instrument() -> po.Instrument:
    return chosen(program(), candidates=OWN)


def rows(instrument: po.Instrument) -> dict[str, dict[str, Any]]:
    assert instrument.comparison is not None
    return {row["candidate"]: row for row in instrument.comparison["candidates"]}


@pytest.mark.long
def test_the_same_bytes_whatever_d_is(instrument: po.Instrument) -> None:
    text = json.dumps(instrument.to_dict())
    other = program((1e6, 1.5))
    for name, held in vars(other).items():
        if isinstance(held, np.ndarray) and np.array_equal(held, other.d):
            object.__setattr__(other, name, np.array([np.nan, 1.5]))
    assert np.isnan(other.d[0])
    assert json.dumps(chosen(other, candidates=OWN).to_dict()) == text


@pytest.mark.slow
def test_the_same_bytes_with_two_private_entries() -> None:
    texts = {
        json.dumps(chosen(program(d, private=None)).to_dict()) for d in (None, [1.0, 2], [1e6, -3])
    }
    assert len(texts) == 1


def test_the_table_has_the_constant_and_the_users_own(instrument: po.Instrument) -> None:
    found = rows(instrument)
    assert {"nothing", "mine", "total"} <= set(found)
    for name in ("nothing", "mine"):
        assert found[name]["fresh"]
        assert found[name]["loss"] >= -1e-9
    simulated = [row["loss"] for row in found.values() if row.get("fresh")]
    assert instrument.loss == min(simulated)
    assert found["mine"]["decisions"] + found["mine"]["without"] == 16


@pytest.mark.slow
def test_nothing_measured_is_chosen_where_nothing_is_to_be_told() -> None:
    """All data within 1e-6: noise of 0.1 says nothing about them."""
    found = chosen(program(), domain=po.Box(1.5, 1.5 + 1e-6))
    assert found.loss is not None
    assert found.loss <= 1e-6
    assert found.names == ()  # a tie is the constant's, which spends no epsilon


@pytest.mark.long
def test_a_bound_on_the_distance(instrument: po.Instrument) -> None:
    nearest = min(row["distance"] for row in rows(instrument).values() if row.get("fresh"))
    found = chosen(program(), fidelity=po.Within(1.5 * nearest))
    assert found.distance is not None
    assert found.distance <= 1.5 * nearest
    with pytest.raises(InfeasibleError, match="distance"):
        chosen(program(), fidelity=po.Within(1e-9))


def test_one_instrument_is_simulated_as_it_was_when_it_was_chosen(
    instrument: po.Instrument,
) -> None:
    asked = po.Instrument({"n": ["north"]}, program=program(), privacy=NOISE, domain=DOMAIN)
    found = po.simulate_instrument(program(), po.Identity([0]), asked, BOX, epsilons=())
    for name in ("loss", "distance", "decisions", "without", "failed"):
        assert rows(found)["asked"][name] == rows(instrument)["mine"][name]


def test_what_is_refused() -> None:
    for bad in ({"mine": {"a": ["nobody"]}}, {"mine": np.ones((1, 3))}, {"mine": {"a": []}}, [1]):
        with pytest.raises(InputError):
            chosen(program(), candidates=bad)
    with pytest.raises(InputError):
        chosen(program(), fidelity=-1.0)


def test_a_question_without_any_decision_says_so() -> None:
    """z0 is between 1.1 and 1 somewhere in the domain, whatever is measured."""
    one = po.ConvexProgram(
        linear=[1.0, 1.0], quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=[1.2, 0.9]
    )
    noise = po.Laplace(epsilon=0.05, alpha=1.0)
    with pytest.raises(InfeasibleError, match="whatever was measured"):
        po.choose_instrument(one, po.Identity([0]), noise, BOX, domain=po.Box(1.0, 2.0))


def test_a_value_that_the_data_fix_is_named_as_the_reason() -> None:
    with pytest.raises(NotImplementableError, match="follows from the private data alone"):
        po.choose_instrument(
            po.ConvexProgram(linear=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=9.0),
            po.Sum([[0, 1]]), NOISE, BOX, domain=po.Box(1.0, 2.0),
        )  # fmt: skip


@pytest.mark.slow
def test_a_domain_with_thin_rows_can_be_chosen_for() -> None:
    domain = po.Domain(1.0, 2.0, rows=([[1.0, 1.0]], 3.0, 3.001))
    steps: list[tuple[int, int]] = []
    one = program(None, private=None)
    found = chosen(one, domain=domain, progress=lambda done, of: steps.append((done, of)))
    assert found.loss is not None
    assert steps
    assert all(done <= of for done, of in steps)


@pytest.mark.slow
def test_a_network_is_served_by_half_of_the_constants_loss() -> None:
    one = po.experiments.instance("14_ieee", 1)
    found = po.choose_instrument(
        one.program, one.query, NOISE, po.ExactBox(eta=0.025), domain=one.domain
    )
    assert found.loss is not None
    assert found.loss <= 0.5 * rows(found)["nothing"]["loss"]
