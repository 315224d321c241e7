"""Splitting a job: the public form on one side, data and ledger on the other."""

from __future__ import annotations

from pathlib import Path

from tests.web.workbench import FORM, with_data

from privopt.app.tree import from_toml
from privopt.web.curator import split


def test_the_public_form_has_no_data_and_no_ledger(tmp_path: Path) -> None:
    form, ledger = split(from_toml(with_data(tmp_path)), tmp_path)
    assert form == FORM
    assert ledger is not None
    assert ledger["place"] == str(tmp_path / "loads.ledger")
    assert ledger["limit"] == "1.5"


def test_a_job_without_a_ledger(tmp_path: Path) -> None:
    assert split({"data": {"values": {"demand[1]": 117.31}}}, tmp_path) == ({}, None)
    assert list(tmp_path.iterdir()) == []
