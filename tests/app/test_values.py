"""One entry of a job: TOML and a flag give the same value, or the same refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.app.outputs import Output
from privopt.app.schema import Form, Key
from privopt.app.values import (
    is_number,
    number_of,
    of_text,
    of_toml,
    path_of,
    split,
)
from privopt.errors import InputError

steady = settings(deadline=None, max_examples=60, derandomize=True)


def key(form: Form, *choices: str) -> Key:
    return Key("section", "entry", form, "What it is.", "entry", choices)


def test_a_file_names_paths_from_its_folder_on(tmp_path: Path) -> None:
    assert of_text(key(Form.FILE), "d.csv") == "d.csv"
    assert of_toml(key(Form.FILE), "d.csv", tmp_path) == str(tmp_path / "d.csv")
    assert of_toml(key(Form.FILE), "/d.csv", tmp_path) == "/d.csv"
    assert of_toml(key(Form.BOUNDS), "low.csv", tmp_path) == str(tmp_path / "low.csv")
    found = of_toml(key(Form.OUTPUT), "r.json", tmp_path)
    assert (found.path, found.folder) == (str(tmp_path / "r.json"), tmp_path)
    assert of_text(key(Form.OUTPUT), "r.json") == Output("r.json")
    for wrong in ("", " ", "a\0b", "~nobody-at-all/x"):
        assert path_of(wrong, tmp_path) is None


WRONG: list[tuple[Form, str | None, Any]] = [
    (Form.TEXT, "", 3), (Form.NUMBER, "x", "1"), (Form.NUMBER, "inf", True),
    (Form.NUMBER, "1e999", float("nan")), (Form.NUMBERS, "1,,2", []), (Form.WHOLE, "1.0", 1.0),
    (Form.WHOLE, "9" * 19, 10**18), (Form.YES, "yes", 1), (Form.NAMES, "a,,b", [1.5]),
    (Form.GROUPS, "a;;b", ["a"]), (Form.AMOUNT, "x", True), (Form.FILE, "", 3),
    (Form.VALUES, None, "1"), (Form.VALUES, None, [True]), (Form.VALUES, None, {"a": "b"}),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "written"), WRONG)
def test_what_is_not_of_its_kind_is_refused(form: Form, text: str | None, written: Any) -> None:
    with pytest.raises(InputError, match="section"):
        of_toml(key(form), written, None)
    if text is not None:
        with pytest.raises(InputError):
            of_text(key(form), text)


@steady
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_to_the_same_bits(value: float) -> None:
    assert number_of(repr(value)) == value
    assert is_number(repr(value))


@steady
@given(st.lists(st.text("ab[](,", min_size=1, max_size=6)))
def test_commas_within_brackets_belong_to_a_name(parts: list[str]) -> None:
    whole = [part for part in parts if balanced(part)]
    if whole:
        assert split(",".join(whole)) == whole


def balanced(part: str) -> bool:
    """Brackets close, and commas stand inside of them only."""
    depth = 0
    for letter in part:
        depth += (letter in "[(") - (letter in ")]")
        if depth < 0 or (letter == "," and depth == 0):
            return False
    return depth == 0
