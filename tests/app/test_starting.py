"""A job file to start from: that of a network runs, that of a program asks what only you know."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import privopt as po
from privopt.app.job import read_job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.app.starting import network_job, program_job
from privopt.errors import InputError


def test_the_job_of_a_network_runs_as_it_is(tmp_path: Path, few_runs: None) -> None:
    text, data = network_job("5_pjm", None, Path("loads.csv"))
    (tmp_path / "job.toml").write_text(text)
    (tmp_path / "loads.csv").write_text(data)
    job = read_job(tmp_path / "job.toml")
    program = po.networks.load("5_pjm").program(unit="MW")
    assert job.d(program.data_names).tolist() == program.d.tolist()
    assert program.d[1] == 300.0  # as the case file has it
    assert tried(job, instrument_of(job)).names == tuple(tomllib.loads(text)["query"]["identity"])


@pytest.mark.parametrize(("network", "measure"), [("14_ieee", "choose"), ("118_ieee", "total")])
def test_what_to_measure_is_chosen_where_that_does_not_take_long(
    tmp_path: Path, network: str, measure: str
) -> None:
    (tmp_path / "job.toml").write_text(network_job(network, None, None)[0])
    job = read_job(tmp_path / "job.toml")
    assert (job.measure, job.made_by()) == (measure, "measured")
    assert job.kept("instrument", "elsewhere.json") == str(tmp_path / "loads.instrument.json")


def test_the_job_of_a_program_is_open_where_only_the_curator_knows(tmp_path: Path) -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[1.0, 1.0, 1.0], G=[[1, 1, 0], [0, 0, 1]], d=[1.0, 2.0],
        lower=0, upper=4, private=[0], data_names=["load", "known"],
    )  # fmt: skip
    po.PublicProgram(program).save(tmp_path / "program.json")
    text, data = program_job(tmp_path / "program.json", Path("program.json"), None)
    tree = tomllib.loads(text)
    assert tree["privacy"]["alpha"] == tree["domain"]["lower"] == tree["domain"]["upper"] == "?"
    assert data == "name,value\nload,\nknown,2.0\n"
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(InputError, match="numbers that only you can decide"):
        read_job(tmp_path / "job.toml")
