"""A file that was given in place of another is called what it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import privopt as po
from privopt.recognise import kind_of, use_of


@pytest.fixture
def files(tmp_path: Path) -> Path:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], d=[3.0], lower=0, upper=4)
    po.PublicProgram(program).save(tmp_path / "program.json")
    noise = po.Laplace(epsilon=1.0, alpha=0.01)
    po.output_perturbation(program, po.Identity([0]), noise).release().save(
        tmp_path / "release.json"
    )
    instrument = po.Instrument({"t": [0]}, program=program, privacy=noise, domain=po.Box(2.0, 4.0))
    measured = instrument.measure([3.0])
    instrument.save(tmp_path / "instrument.json")
    measured.save(tmp_path / "measurement.json")
    po.decide(program, po.Identity([0]), measured, po.ExactBox(eta=0.05)).save(
        tmp_path / "decision.json"
    )
    po.Ledger(tmp_path / "loads.ledger", po.Budget(1)).close()
    (tmp_path / "job.toml").write_text("[privacy]\n")
    (tmp_path / "case.m").write_text("% a case\nfunction mpc = case3\n")
    (tmp_path / "other.json").write_text('{"some": "thing"}')
    (tmp_path / "note.txt").write_text('it says "privopt": "release", but it is no JSON')
    (tmp_path / "raw").write_bytes(os.urandom(10_000).replace(b"mpc", b""))
    (tmp_path / "empty").touch()
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def test_each_kind_is_known_by_what_it_holds(files: Path) -> None:
    known = {
        "program.json": "program", "release.json": "release", "loads.ledger": "ledger",
        "instrument.json": "instrument", "measurement.json": "measurement",
        "decision.json": "decision", "job.toml": "job",
        "case.m": "case", "other.json": None,
        "note.txt": None, "raw": None, "empty": None, "folder.toml": None, "loop": None,
        "none.json": None,
    }  # fmt: skip
    assert {name: kind_of(files / name) for name in known} == known


def test_the_name_does_not_matter(files: Path) -> None:
    for name, kind in (("release.json", "release"), ("loads.ledger", "ledger"), ("case.m", "case")):
        (files / "odd").unlink(missing_ok=True)
        (files / name).rename(files / "odd")
        assert kind_of(files / "odd") == kind


def test_it_comes_with_the_command_that_takes_it(files: Path) -> None:
    path = files / "loads.ledger"
    assert use_of(path) == ("a ledger", f"look at it with: privopt ledger show {path}")
    assert use_of(files / "other.json") is None
    path = files / "instrument.json"
    assert use_of(path) == (
        "an instrument",
        f"measure with it: privopt measure job.toml --measure {path} --data d.csv, or "
        f"audit it with: privopt audit --instrument {path}"
    )  # fmt: skip
    for odd in ("\0", "x" * 5000):
        assert use_of(odd) is None
