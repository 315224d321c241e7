"""Advice on a job: what it says agrees with the library's own simulations and with the ledger."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from tests.app.test_measuring import job
from tests.ledger.requests import request

import privopt as po
from privopt.app.advising import Advice, advise
from privopt.app.job import Job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.app.source import source_of
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
    assert alone.worth is not None
    assert plain["values"] == alone.worth.to_dict()
    assert plain["at_the_middle"] == decision.worth.to_dict()
    assert set(found.keep) | set(found.leave_out) == set(decision.names)
    assert (plain["epsilon"], plain["measure"]) == (1.0, ["day", "night"])
    assert (found.fits, found.left, plain["limit"]) == (None, None, None)
    assert "not known" in found.summary()
    assert "Measure day, night at epsilon 1, and release coal" in repr(found)


def test_one_worth_is_behind_verdict_table_and_data(job: Job) -> None:
    """That of the simulated measurements, with one rounding; the table of candidates has it too."""
    found = made(job)
    view = found.view()
    (told,) = [fact.text for fact in view.facts if fact.name == "tells"]
    assert told == f"{found.worth.verdict} (on average over simulated measurements)"
    assert "tells" in found.verdict
    errors, spreads = (np.array(view.table.columns[name]) for name in ("off by", "constant"))
    assert found.instrument.distance == pytest.approx(math.hypot(*errors))
    assert found.instrument.spread == pytest.approx(math.hypot(*spreads))
    share = 1 - (math.hypot(*errors) / math.hypot(*spreads)) ** 2
    assert found.to_dict()["tells"] == pytest.approx(share)
    assert found.instrument.table is not None
    percent = found.instrument.table.columns["tells, %"][0]
    assert f"{percent:g}%" in found.verdict
    assert f"{percent:g}%" in told
    assert list(view.table.columns["tells, %"]) == [percent]  # one value: it is all of them
    kept = dict(zip(view.table.rows, view.table.columns["release"], strict=True))
    assert {name for name, word in kept.items() if word == "yes"} == set(found.keep)


def test_what_was_simulated_for_another_query_lends_no_number(job: Job) -> None:
    """The sums stay; loss, distance, table and verdict are of this question, and it says so."""
    kept = made(job).instrument
    again = made(job, measure=kept)
    assert again.other == ""
    assert again.instrument is kept
    other = made(job, measure=kept, query=po.Identity(["gas"]))
    alone = made(job, query=po.Identity(["gas"]))
    assert other.instrument.to_dict() == alone.instrument.to_dict()
    assert other.worth.distance != made(job).worth.distance
    assert other.other == "coal"
    assert "chosen for coal, and were simulated anew" in other.summary()
    assert other.to_dict()["chosen_for"] == "coal"
    assert made(job, measure=kept, feasibility=po.ExactBox(eta=0.2)).other.startswith("the same")
    bare = dict(kept.comparison or {})
    del bare["asked"], bare["errors"], bare["spreads"]  # a file of before
    old = made(job, measure=kept.compared(bare))
    assert old.other == "a question that its file does not name"
    assert old.instrument.to_dict() == kept.to_dict()


def with_held(job: Job, tmp_path: Path, upper: float) -> Job:
    """The job with hydro, whose capacity is `upper`, and wind, which has none."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 9.0], quadratic=[0.3, 0.3, 0.3, 0.0], lower=0,
        G=[[1, 1, 0, 1], [0, 0, 1, 0]], upper=[9, 9, 9, upper],
        names=["coal", "gas", "hydro", "wind"], data_names=["day", "night"], unit="MW",
    )  # fmt: skip
    po.PublicProgram(program).save(tmp_path / "held.json")
    return dataclasses.replace(job, source=source_of({"file": str(tmp_path / "held.json")}))


def test_a_value_without_room_is_a_constant_that_costs_nothing(job: Job, tmp_path: Path) -> None:
    held = with_held(job, tmp_path, 0.0)
    found = made(held, query=po.Identity(["coal", "wind"]))
    assert (found.keep, found.leave_out, found.always) == (("coal",), (), {"wind": 0.0})
    assert "wind is 0 MW whatever the data are: it has no room." in found.verdict
    alone = made(held, query=po.Identity(["coal"]))
    assert found.verdict.startswith(alone.verdict)
    table = found.view().table
    assert list(table.columns["release"]) == ["yes", "a constant"]
    assert list(table.columns["off by"])[1] == 0.0
    assert table.columns["tells, %"][1] is None
    # With room, but too dear to run at any data of the domain: the same, over the domain.
    dear = made(with_held(job, tmp_path, 5.0), query=po.Identity(["coal", "wind"]))
    assert dear.always == {"wind": 0.0}
    assert "wind is 0 MW over the whole domain." in dear.verdict


def test_where_every_value_is_a_constant_nothing_is_to_be_paid(job: Job, tmp_path: Path) -> None:
    for upper in (0.0, 5.0):
        found = made(with_held(job, tmp_path, upper), query=po.Identity(["wind"]))
        assert found.verdict.startswith(
            "The answer is the same over the whole domain: publish it without privopt. wind is 0 MW"
        )
        assert "rontier" not in found.summary()
        assert (found.keep, found.leave_out, found.charge) == ((), (), po.Budget(0))
        assert found.to_dict()["epsilon"] == 0.0
        assert found.pictures() == ()


def test_values_that_a_constant_beats_are_left_out(job: Job) -> None:
    """Next to no epsilon: all of them; the advice is not to spend it."""
    assert job.privacy is not None
    poor = made(job, privacy=dataclasses.replace(job.privacy, epsilon=1e-3))
    assert poor.verdict.startswith("Do not spend epsilon 0.001")
    assert poor.leave_out == poor.worth.drop
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
