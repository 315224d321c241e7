"""What is said about what was typed: in the unit of its field, and without a guess."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.web.workbench import FORM, Page

from privopt.web.forms import filled
from privopt.web.problems import Problem
from privopt.web.programs import Programs


def told(tmp_path: Path, **entries: str | None) -> list[Problem]:
    form = {k: v for k, v in {**FORM, **entries}.items() if v is not None}
    return list(filled(form, Programs(tmp_path).source_of).problems)


@pytest.mark.parametrize(
    ("field", "entry", "shown"), [("eta", "1", "100 %"), ("eta", "-0.05", "-5 %"),
                                  ("around", "1.2", "120 %")]
)  # fmt: skip
def test_shares_are_said_in_percent(field: str, entry: str, shown: str, tmp_path: Path) -> None:
    (one,) = told(tmp_path, **{field: entry})
    assert shown in one.got
    assert "percentage" in one.needed
    assert re.search(r"0\.\d", one.needed + one.remedy) is None  # 0.05 would be 0.05 %


@pytest.mark.parametrize(
    ("field", "typed", "meant"),
    [("alpha", "2,5", "2.5"), ("epsilon", "1,5", "1.5"), ("eta", "0,5", "0.5"),
     ("within", "1,5", "1.5")],
)  # fmt: skip
def test_a_decimal_comma_is_one_problem_and_never_guessed(
    field: str, typed: str, meant: str, tmp_path: Path
) -> None:
    (one,) = told(tmp_path, **{field: typed})
    assert (one.field, one.remedy) == (field, f"write {meant}.")
    assert typed in one.got


def test_a_wrong_limit_is_blamed_on_the_limit(shared: tuple[object, Page], tmp_path: Path) -> None:
    _, page = shared
    answer = page.client.post(
        "/api/ledger", json={"path": str(tmp_path / "new.ledger"), "limit": "-3"}
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == "limit"
    assert answer.json()["error"]["got"] == "“Limit” is -3."
    assert not (tmp_path / "new.ledger").exists()
