"""Decisions by periods: of the same kind as others, proven in the same way, nearly as good."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.mechanisms.measured.cases import measured

import privopt as po
from privopt.errors import NoDecisionError, NotImplementableError
from privopt.mechanisms.measured import task, timed
from privopt.mechanisms.measured.timed import draws_of, wide
from privopt.networks import Storage


@pytest.fixture
def by_periods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs with periods are decided by periods, however small they are."""
    monkeypatch.setattr(timed, "WIDE", 0)


def horizon(T: int = 3, **more: Any) -> po.networks.HorizonProgram:
    network = po.networks.load("5_pjm")
    store = Storage(2, 1.0, 0.5)
    profile = 0.8 + 0.1 * np.sin(np.arange(T))
    return network.program(periods=T, profile=profile, ramps=0.5, storage=[store], **more)


def asked(program: Any, width: float = 0.05, sums: Any = "periods") -> po.Measurement:
    d = program.d[program.private]
    privacy = po.Laplace(epsilon=1.0, alpha=0.01, owners=program.periods.customers)
    instrument = po.Instrument(
        program.periods.totals() if sums == "periods" else sums,
        program=program, privacy=privacy, domain=po.Box((1 - width) * d, (1 + width) * d),
    )  # fmt: skip
    return measured(instrument, d, np.random.default_rng(3))


QUERY = ["p[3]@00", "p[3]@01", "p[1,2]@02"]
ETA = po.ExactBox(eta=0.05)


@pytest.mark.long
@pytest.mark.parametrize("sums", ["periods", {}, {"all": list(range(15))}])
def test_it_costs_nearly_what_the_best_gain_costs(
    sums: Any, by_periods: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = horizon()
    measurement = asked(program, 0.1, sums)
    found = po.decide(program, po.Identity(QUERY), measurement, ETA)
    assert found.certificate is not None
    assert not isinstance(found.certificate.K, np.ndarray)
    assert found.check().excess <= 0
    assert found.check().off <= 1e-12
    monkeypatch.setattr(timed, "WIDE", 10**9)
    best = po.decide(program, po.Identity(QUERY), measurement, ETA)
    assert best.certificate is not None
    assert isinstance(best.certificate.K, np.ndarray)
    assert found.loss == pytest.approx(best.loss, abs=2e-3)
    assert str(found.guarantee) == str(best.guarantee)


def test_the_certificate_is_read_as_it_was_written_and_holds_at_draws(by_periods: None) -> None:
    program = horizon()
    found = po.decide(program, po.Identity(QUERY), asked(program), ETA)
    data = json.loads(json.dumps(found.to_dict()))
    again = po.Decision.from_dict(data)
    assert again.to_dict() == data
    assert again.program.periods == program.periods
    assert again.check() == found.check()
    seen = again.verify(samples=200)
    assert seen.violation.value <= 0.05
    assert found.complete(program.d).cost >= program.solve().cost - 1e-6


def test_a_certificate_that_was_touched_does_not_pass(by_periods: None) -> None:
    program = horizon()
    data = po.decide(program, po.Identity(QUERY), asked(program), ETA).to_dict()
    gain = data["certificate"]["gain"]
    gain["data"][len(gain["data"]) // 2] += 0.25
    found = po.Decision.from_dict(data).check()
    assert found.excess > 0 or found.off > 1e-6


def test_d_is_not_looked_at(by_periods: None) -> None:
    program = horizon()
    measurement = asked(program)
    one, other = (
        po.decide(given, po.Identity(QUERY), measurement, ETA)
        for given in (program, program.at(3.0 * program.d))
    )
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_distance_and_fidelity_are_heard(by_periods: None) -> None:
    program = horizon()
    measurement = asked(program, 0.1)
    free = po.decide(program, po.Identity(QUERY), measurement, ETA)
    near = po.decide(program, po.Identity(QUERY), measurement, ETA, fidelity=1e5)
    assert near.distance <= free.distance + 1e-6
    assert near.loss >= free.loss - 1e-6


@pytest.mark.long
def test_where_there_is_none_it_says_that_gains_by_periods_were_tried(by_periods: None) -> None:
    program = horizon()
    every = [name for name in program.names if name.startswith("p[") and "p[4]" not in name]
    with pytest.raises(NoDecisionError, match="by periods"):
        po.decide(program, po.Identity(every), asked(program, 0.5, {}), ETA)


def test_values_that_follow_from_the_data_are_refused(by_periods: None) -> None:
    G = sp.csr_array(np.eye(4))
    program = po.ConvexProgram(
        linear=np.ones(4), G=G, d=np.ones(4), lower=0.0, upper=5.0
    ).over(po.Periods.grid(range(4), ["one"]))  # fmt: skip
    with pytest.raises(NotImplementableError):
        po.decide(program, po.Identity([0]), asked(program, 0.5, {}), ETA)


def test_which_programs_are_decided_by_periods_and_by_how_many_draws() -> None:
    assert not wide(horizon())
    day = po.networks.load("14_ieee").program(periods=24)
    assert wide(day)
    assert not wide(day.over(None))
    assert draws_of(day) == 40
    assert draws_of(po.networks.load("118_ieee").program(periods=24)) == 15


@pytest.mark.long
def test_a_day_of_14_buses_is_decided_and_proven() -> None:
    network = po.networks.load("14_ieee")
    program = network.program(
        periods=24, profile=0.8 + 0.1 * np.sin(np.arange(24) / 4), ramps=0.3,
        storage=[Storage(3, 0.2, 0.05)],
    )  # fmt: skip
    found = po.decide(
        program, po.Identity([name for name in program.names if name.startswith("p[2]")]),
        asked(program, 0.1), ETA,
    )  # fmt: skip
    assert found.check().excess <= 0
    assert found.completed_loss.without == 0
    assert task.wide(program)
