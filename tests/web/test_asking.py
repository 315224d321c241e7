"""The curator's fields: beside the public form and the job file, for the curator alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.workbench import FORM, with_data

from privopt.app.tree import from_toml
from privopt.errors import InputError
from privopt.web.asking import Fields
from privopt.web.ledgers import LedgerAt, name_ledger
from privopt.web.session import Session


@pytest.fixture
def fields(tmp_path: Path) -> Fields:
    job = with_data(tmp_path)
    Session(tmp_path, FORM, None, tmp_path)
    return Fields(tmp_path, from_toml(job), str(job), tmp_path)


def test_the_job_file_fills_the_fields(fields: Fields, tmp_path: Path) -> None:
    start = fields.start()
    assert start["fields"]["data"] == str(tmp_path / "loads.csv")
    assert start["form"] == FORM
    asked = fields.asked({})
    assert asked.job.key == "first"
    assert asked.ledger == LedgerAt(str(tmp_path / "loads.ledger"), "1.5")


def test_fields_go_before_the_job_file(fields: Fields, tmp_path: Path) -> None:
    asked = fields.asked({"key": "other", "ledger": str(tmp_path / "b.ledger")})
    assert asked.job.key == "other"
    assert asked.job.ledger == str(tmp_path / "b.ledger")
    name_ledger(tmp_path, LedgerAt(str(tmp_path / "c.ledger")))
    assert fields.start()["fields"]["ledger"] == str(tmp_path / "c.ledger")


def test_a_domain_read_from_the_data_is_refused(fields: Fields, tmp_path: Path) -> None:
    form = {k: v for k, v in FORM.items() if k != "around"}
    Session(
        tmp_path, {**form, "lower": str(tmp_path / "loads.csv"), "upper": "200"}, None, tmp_path
    )
    with pytest.raises(InputError, match="private data"):
        fields.asked({})
