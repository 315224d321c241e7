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
    UNFILLED,
    is_number,
    meant,
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


SAME: list[tuple[Form, str, Any, Any]] = [
    (Form.TEXT, "a b", "a b", "a b"),
    (Form.NUMBER, "2", 2, 2.0),
    (Form.NUMBER, "-1e-3", -0.001, -0.001),
    (Form.NUMBERS, "0.1,0.2", [0.1, 0.2], [0.1, 0.2]),
    (Form.NUMBERS, "0.1", 0.1, 0.1),
    (Form.WHOLE, "12", 12, 12),
    (Form.YES, "true", True, True),
    (Form.YES, "false", False, False),
    (Form.NAMES, "p[1],p[3,2],4", ["p[1]", "p[3,2]", 4], ["p[1]", "p[3,2]", 4]),
    (Form.GROUPS, "x,y;w", [["x", "y"], ["w"]], [["x", "y"], ["w"]]),
    (Form.BOUNDS, "1.5", 1.5, 1.5),
    (Form.BOUNDS, "1,2", [1, 2], [1.0, 2.0]),
    (Form.AMOUNT, "0.10", "0.10", "0.10"),
]


@pytest.mark.parametrize(("form", "text", "written", "value"), SAME)
def test_a_flag_and_a_file_say_the_same(form: Form, text: str, written: Any, value: Any) -> None:
    assert of_text(key(form), text) == of_toml(key(form), written, None) == value


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


def test_no_message_shows_a_private_number() -> None:
    with pytest.raises(InputError) as caught:
        of_toml(key(Form.VALUES), [731.25, "x"], None)
    assert "731" not in str(caught.value)


def test_one_of_a_few_words_and_the_one_that_was_meant() -> None:
    few = key(Form.TEXT, "laplace", "gaussian")
    assert of_text(few, "laplace") == "laplace"
    with pytest.raises(InputError, match="did you mean 'gaussian'"):
        of_text(few, "gausian")
    assert meant("zzz", ["laplace"]) == "check the spelling."


def test_what_is_still_to_be_filled_in_stays_so() -> None:
    assert of_toml(key(Form.NUMBER), "?", None) == UNFILLED
    assert of_toml(key(Form.BOUNDS), "?", None) == UNFILLED
    with pytest.raises(InputError):
        of_text(key(Form.NUMBER), "?")


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
