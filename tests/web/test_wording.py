"""What pages say: the fields of the screens, and nothing that is typed at a prompt or in Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.web.test_forms import BAD
from tests.web.workbench import FORM, Page

from privopt.errors import Action, Clause, InputError
from privopt.web.forms import filled
from privopt.web.problems import Problem
from privopt.web.programs import Programs
from privopt.web.wording import on_screen

_ELSEWHERE = re.compile(
    r"--\w|\[[a-z]+\] |\w=\.\.\.|error\.|ledger\.set|\w= |program\.private|pass "
)


def told(tmp_path: Path, **entries: str | None) -> list[Problem]:
    form = {k: v for k, v in {**FORM, **entries}.items() if v is not None}
    return list(filled(form, Programs(tmp_path).source_of).problems)


@pytest.mark.parametrize("field", BAD)
def test_the_problems_of_fields_speak_of_fields(field: str, tmp_path: Path) -> None:
    text, beside = BAD[field]
    for one in told(tmp_path, **{**beside, field: text}):
        assert _ELSEWHERE.search(f"{one.got} {one.needed} {one.remedy}") is None, one.to_dict()


def test_an_empty_field_is_named_by_its_label(tmp_path: Path) -> None:
    (one,) = told(tmp_path, alpha=None)
    assert one.field == "alpha"
    assert one.got == "“Hidden change α” is empty."
    assert "--" not in one.remedy


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


def test_what_python_or_the_command_line_says_otherwise() -> None:
    tells = Clause(Action.REVEAL, "tells the curator where.")
    take = Clause(Action.TAKE, values=(("eta", 0.08), ("epsilon", 2.0)))
    said = Problem.of(InputError("a.", "b.", ("correct the file", tells))).remedy
    assert said == "correct the file."
    assert "reveal()" not in Problem.of(InputError("a.", "b.", (tells,))).remedy
    said = Problem.of(InputError("a.", "b.", (take,))).remedy
    assert said == "set “Limits may break η” to 8 % or “Privacy ε” to 2."
    limit = Clause(Action.SET_LIMIT, ".")
    assert "set_limit" not in Problem.of(InputError("a.", "b.", (limit,))).remedy
    assert "fallback=" not in on_screen("or name a fallback= in advance.")
    for action in Action:
        clause = Clause(action, " x.")
        assert str(clause) not in Problem.of(InputError("a.", "b.", (clause,))).remedy, action


def test_a_wrong_limit_is_blamed_on_the_limit(shared: tuple[object, Page], tmp_path: Path) -> None:
    _, page = shared
    answer = page.client.post(
        "/api/ledger", json={"path": str(tmp_path / "new.ledger"), "limit": "-3"}
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == "limit"
    assert answer.json()["error"]["got"] == "“Limit” is -3."
    assert not (tmp_path / "new.ledger").exists()
