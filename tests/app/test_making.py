"""What is made of a job: the library's plan and instrument; only the plan reads d."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from tests.app.test_measuring import job

import privopt as po
from privopt.app.job import Job, read_job
from privopt.app.making import chosen_instrument, instrument_of, solved
from privopt.errors import CombinationError, InputError
from privopt.kernel import wire
from privopt.networks.locate import find

__all__ = ["job"]

SAID = {
    "identity": "p[3]", "epsilon": "1", "alpha": "0.01", "feasibility": "exact-box", "eta": "0.05",
}  # fmt: skip


def test_a_job_solves_as_the_library_does() -> None:
    job = read_job(flags=SAID | {"network": "5_pjm", "around": "0.05"})
    program = po.networks.load("5_pjm").program()
    asked = po.Identity(["p[3]"]), po.Laplace(epsilon=1, alpha=0.01), po.ExactBox(eta=0.05)
    assert solved(job).cost == po.solve(program, *asked).cost


@pytest.mark.long
def test_what_is_public_reads_no_private_data(tmp_path: Path, few_runs: None) -> None:
    """The data file does not even exist, and the case file's loads count for nothing."""
    case = find("5_pjm")
    said = SAID | {"lower": "0.5", "upper": "1.5", "data": str(tmp_path / "none.csv")}
    text = case.read_text(encoding="utf-8")
    assert " 300.0" in text
    other = tmp_path / "other.m"
    other.write_text(text.replace("300.0\t 98.61", "123.0\t 98.61"), encoding="utf-8")
    jobs = [read_job(flags=said | {"case": str(path)}) for path in (case, other)]
    one, same = (wire.text(chosen_instrument(each)) for each in jobs)
    assert one == same
    with pytest.raises(InputError, match="could not be read"):
        solved(jobs[0])


@pytest.mark.long
def test_it_chooses_as_the_library_does(job: Job, few_runs: None) -> None:
    """Sums that the job names are one more candidate; the words for sums are none."""
    assert job.source is not None
    asked = po.Identity(["coal"]), po.Laplace(epsilon=1, alpha=0.05), po.ExactBox(eta=0.05)
    named = {"the job's own": {"n": ["night"]}}
    seen: list[tuple[int, int]] = []
    for measure, candidates in (("each", {}), ({"n": ["night"]}, named)):
        found = chosen_instrument(
            dataclasses.replace(job, measure=measure, data=None), lambda *k: seen.append(k)
        )
        same = po.choose_instrument(
            job.source.program, *asked, domain=po.Box(2.0, 4.0), candidates=candidates
        )
        assert found.to_dict() == same.to_dict()
        assert found.table is not None
        assert ("the job's own" in found.table.rows) == bool(candidates)
    assert all(done <= total for done, total in seen)


def test_sums_are_chosen_where_the_job_says_so_alone(job: Job, few_runs: None) -> None:
    chosen = instrument_of(dataclasses.replace(job, measure="choose"))
    assert chosen.comparison is not None
    assert instrument_of(dataclasses.replace(job, measure=chosen)) is chosen
    total = instrument_of(dataclasses.replace(job, measure=None))
    assert (total.names, total.comparison) == (("total",), None)
    assert total.W.tolist() == [[1.0, 1.0]]


def test_a_saved_instrument_is_that_of_the_job_or_refused(job: Job, tmp_path: Path) -> None:
    path = str(tmp_path / "instrument.json")
    made = instrument_of(job)
    made.save(path)
    again = dataclasses.replace(job, measure=path)
    assert wire.text(instrument_of(again)) == wire.text(made)
    for change, says in (
        ({"privacy": po.Laplace(epsilon=2.0, alpha=0.05)}, "other noise"),
        ({"domain": po.Box(2.0, 4.5)}, "another domain"),
    ):
        with pytest.raises(CombinationError, match=says):
            instrument_of(dataclasses.replace(again, **change))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("part", ["source", "query", "privacy", "feasibility", "domain"])
def test_nothing_is_chosen_for_half_a_job(job: Job, part: str) -> None:
    with pytest.raises(InputError, match="the job has no"):
        chosen_instrument(dataclasses.replace(job, **{part: None}))  # pyright: ignore[reportArgumentType]
