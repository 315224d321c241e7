"""Tables are told from lines of name,value and from JSON by their first line."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.app.tables import is_table


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        ("bus,load", True), ("bus,customer,load", True), ("name,MW", True), ("bus;load", True),
        ("a,b,c", True), ("customer\tbus\tload", True), ("time,value", True),
        ("name,value", False), ("entry,value", False), ("demand[1],0.5", False),
        ("p[1,2],0.5", False), ("station,reading", False), ("[1, 2]", False), ("{", False),
        ("0.5", False), ("", False),
    ],
)  # fmt: skip
def test_first_lines(tmp_path: Path, first: str, wanted: bool) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{first}\n1,2\n", encoding="utf-8")
    assert is_table(str(path), {}) is wanted
    assert is_table(str(path), {"columns": {"bus": "x"}})


def test_what_is_not_there_is_no_table(tmp_path: Path) -> None:
    assert not is_table(str(tmp_path / "none.csv"), {})
