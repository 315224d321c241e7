"""Advice on a job: what it says agrees with the library's own simulations and with the ledger."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.app.test_measuring import job
from tests.ledger.requests import request

import privopt as po
from privopt.app.advising import Advice, advise
from privopt.app.job import Job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.mechanisms.measured.simulating import FRESH

__all__ = ["job"]


@pytest.fixture(autouse=True)
def quick(few_runs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few simulated decisions, at the asked epsilon alone."""
    monkeypatch.setattr("privopt.mechanisms.measured.epsilons.epsilons_of", lambda *_: ())
    monkeypatch.setattr("privopt.mechanisms.measured.epsilons.FRESH", FRESH[:3])


def made(job: Job, **changes: object) -> Advice:
    return advise(dataclasses.replace(job, data=None, **changes))


def test_it_says_what_the_library_finds(job: Job) -> None:
    """The same instrument, its simulated loss, and the worth of the decision at the middle."""
    assert job.source is not None
    assert job.query is not None
    assert job.feasibility is not None
    found = made(job)
    asked = job.source.program, job.query
    alone = po.simulate_instrument(*asked, instrument_of(job), job.feasibility)
    assert found.instrument.to_dict() == alone.to_dict()
    plain = found.to_dict()
    assert plain["loss"] == alone.loss
    assert alone.table is not None
    assert plain["loss_of_constant"] == pytest.approx(
        alone.table.columns["loss, %"][list(alone.table.rows).index("nothing")] / 100
    )
    decision = tried(job, alone)
    assert plain["values"] == decision.worth.to_dict()
    assert set(found.keep) | set(found.leave_out) == set(decision.names)
    assert (plain["epsilon"], plain["measure"]) == (1.0, ["day", "night"])
    assert (found.fits, found.left, plain["limit"]) == (None, None, None)
    assert "not known" in found.summary()
    assert "Measure day, night at epsilon 1, and release coal" in repr(found)


def test_one_figure_says_what_is_told(job: Job) -> None:
    """That of the simulated measurements: the table of the values has none of its own."""
    found = made(job)
    view = found.view()
    assert [fact.text for fact in view.facts if fact.name == "tells"] == [found.worth.verdict]
    assert "tells, %" not in view.table.columns
    kept = dict(zip(view.table.rows, view.table.columns["release"], strict=True))
    assert {name for name, word in kept.items() if word == "yes"} == set(found.keep)


def test_values_that_a_constant_beats_are_left_out(job: Job) -> None:
    """Next to no epsilon: all of them; the advice is not to spend it."""
    assert job.privacy is not None
    poor = made(job, privacy=dataclasses.replace(job.privacy, epsilon=1e-3))
    assert poor.verdict.startswith("Do not spend epsilon 0.001")
    assert poor.leave_out == poor.decision.worth.drop
    assert poor.worth.tells < 0.1


def test_where_nothing_is_measured_the_constant_is_advised_at_no_charge(
    job: Job, tmp_path: Path
) -> None:
    free = made(job, measure="nothing", ledger=str(tmp_path / "l"), limit=po.Budget(1))
    assert free.verdict.startswith("Release the constant")
    assert (free.charge, free.fits, free.leave_out) == (po.Budget(0), None, ())
    assert free.to_dict()["epsilon"] == 0.0
    assert not (tmp_path / "l").exists()


def test_it_counts_how_often_the_charge_fits_what_is_left(job: Job, tmp_path: Path) -> None:
    """In exact units: nine tenths are left of one, in which 0.3 fits three times."""
    assert job.privacy is not None
    place = tmp_path / "loads.ledger"
    low = {"privacy": dataclasses.replace(job.privacy, epsilon=0.3)}
    not_made = made(job, ledger=str(place), limit=po.Budget("0.9"), **low)
    assert (not_made.fits, not_made.left) == (3, po.Budget("0.9"))
    assert not place.exists()
    with po.Ledger(place, limit=po.Budget(1)) as ledger:
        ledger.charge(request("0.1"), lambda _: b"x")
        before = place.read_bytes()
    found = made(job, ledger=str(place), **low)
    assert (found.fits, found.left, found.spent) == (3, po.Budget("0.9"), po.Budget("0.1"))
    assert place.read_bytes() == before
    dear = made(job, ledger=str(place))
    assert dear.fits == 0
    assert "does not fit what is left of the budget, epsilon 0.9" in dear.verdict


def test_no_private_data_are_read(job: Job) -> None:
    class Refuses:
        def read(self, names: object) -> object:
            raise AssertionError(names)

    told = advise(dataclasses.replace(job, data=Refuses()))
    assert told.to_dict() == made(job).to_dict()


def test_it_draws_and_tabulates_itself(job: Job) -> None:
    found = made(job)
    assert list(found.to_pandas().index) == list(found.decision.names)
    drawn = found.pictures() or (found.instrument.plot(),)
    assert all(one.inside in found.plot().svg for one in drawn)
    assert found.verdict in found.plot().caption
