"""What pages say: the fields of the screens, and nothing that is typed at a prompt or in Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.web.test_forms import BAD
from tests.web.workbench import FORM

from privopt.web.forms import filled
from privopt.web.problems import Problem
from privopt.web.programs import Programs

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
