"""Which files a job reads; and the file of the private data is no public bound."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.writing import toml

from privopt.app.tree import check_domain_is_public, from_toml, inputs_of
from privopt.errors import InputError

JOB = {
    "program": {"file": "program.json"},
    "data": {"file": "d.csv"},
    "query": {"linear": "S.csv"},
    "domain": {"lower": "low.csv", "upper": 9.0},
    "ledger": {"path": "loads.ledger"},
    "output": {"path": "release.json"},
}


def test_every_file_that_is_read_and_the_ledger(tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text(toml(JOB))
    found = inputs_of(from_toml(job), job)
    names = ("job.toml", "program.json", "d.csv", "S.csv", "low.csv", "loads.ledger")
    assert sorted(Path(one).name for one in found) == sorted(names)
    assert {Path(one).parent for one in found} == {tmp_path}
    assert inputs_of({}, None) == ()


@pytest.mark.parametrize("end", ["lower", "upper"])
@pytest.mark.parametrize("name", ["d.csv", "./d.csv", "other/../d.csv", "link.csv"])
def test_private_data_are_no_bounds_under_any_name(tmp_path: Path, end: str, name: str) -> None:
    (tmp_path / "d.csv").write_text("a,1\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "link.csv").symlink_to("d.csv")
    other = "upper" if end == "lower" else "lower"
    tree = {
        "data": {"file": str(tmp_path / "d.csv")},
        "domain": {end: str(tmp_path / name), other: 1.0},
    }
    with pytest.raises(InputError, match=f"{end} is .*, the file of the private data"):
        check_domain_is_public(tree)


def test_other_files_and_files_that_are_not_there_are_bounds(tmp_path: Path) -> None:
    data, other = str(tmp_path / "d.csv"), str(tmp_path / "e.csv")
    check_domain_is_public({"data": {"file": data}, "domain": {"lower": other, "upper": 2.0}})
    check_domain_is_public({"data": {"values": [1.0]}, "domain": {"lower": data, "upper": 2.0}})
    with pytest.raises(InputError):  # not there yet, but the same
        check_domain_is_public({"data": {"file": data}, "domain": {"lower": data, "upper": 2.0}})
