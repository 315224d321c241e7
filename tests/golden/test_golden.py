"""Each golden job gives the answer that is on file: see the package for the rules."""

from __future__ import annotations

import json

import pytest
from tests.golden.answer import TOLERANCE, differences
from tests.golden.jobs import ANSWERS, JOBS, answered

LONG = (
    "plans_118_ieee",
    "plans_57_ieee",
    "decisions_118_ieee",
    "decisions_57_ieee",
    "commands_postgresql",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in JOBS]
)
def test_the_answer_is_that_on_file(name: str) -> None:
    was = json.loads((ANSWERS / f"{name}.json").read_text(encoding="utf-8"))
    now = answered(name)
    assert list(differences(was["exact"], now["exact"])) == []
    moved = differences(was["close"], now["close"])
    assert [one for one in moved if one[3] > TOLERANCE] == []


def test_every_answer_on_file_has_its_job() -> None:
    assert {path.stem for path in ANSWERS.glob("*.json")} == {*JOBS, "commands_postgresql"}
