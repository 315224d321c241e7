"""A program's file: every bit of what is public comes back, and nothing private goes in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import privopt as po
from privopt.errors import PrivoptError
from privopt.model.program_file import program_to_dict


def program(**more: Any) -> po.ConvexProgram:
    data: dict[str, Any] = {
        "linear": [1.0, 1 / 3, 3.0], "quadratic": [0.1, 0.0, 0.1], "A": [[1, -1, 0]], "b": [2.5],
        "G": [[1, 1, 1], [0, 1, 0]], "d": [6.054321, 1.25], "lower": [0, -float("inf"), 0],
        "upper": 4, "names": ["x", "y", "w"], "data_names": ["demand", "contract"],
        "row_names": ["line"], "private": ["demand"],
    }  # fmt: skip
    return po.ConvexProgram(**(data | more))


def test_what_is_public_comes_back_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    po.PublicProgram(program()).save(path)
    found = po.PublicProgram.load(path)
    assert program_to_dict(found.program) == program_to_dict(program())
    assert found.data == {"contract": 1.25}
    assert not found.program.has_data
    again = tmp_path / "again.json"
    found.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_nothing_private_is_written(tmp_path: Path) -> None:
    saved = po.PublicProgram(program())
    saved.save(tmp_path / "program.json")
    text = (tmp_path / "program.json").read_text(encoding="utf-8")
    for shown in (text, repr(saved), repr(saved.to_dict()), repr(vars(saved))):
        assert "6.054" not in shown
    with pytest.raises(PrivoptError, match="no right-hand side"):
        _ = saved.program.d
    other = tmp_path / "other.json"
    po.PublicProgram(program(d=[1.0, 1.25])).save(other)
    assert other.read_text(encoding="utf-8") == text


HAND = {"privopt": "program", "version": 1, "linear": [1, 2], "G": [[1, 1]], "upper": [4, None]}


def test_a_file_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(json.dumps(HAND | {"names": ["x", "y"], "lower": 0, "b": [], "A": []}))
    found = po.PublicProgram.load(path).program
    assert found.names == ("x", "y")
    assert found.rows.names == ("lower[x]", "lower[y]", "upper[x]")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"d": [3]}, "private entries of d go into a file of data"),
        ({"liner": [1]}, "'liner'"),
        ({"linear": [1, 2, 3]}, "linear has shape"),
        ({"linear": "x"}, "linear could not be read"),
        ({"G": None}, "no equality"),
        ({"G": [[1, "x"]]}, "G could not be read"),
        ({"lower": 5}, "above its upper bound"),
        ({"quadratic": [-1, 0]}, "quadratic|convex"),
        ({"names": ["x"]}, "names"),
        ({"private": ["x"]}, "not a name"),
        ({"data": {"d[0]": 1}}, "private, or no entry"),
        ({"data": {"x": 1}}, "private, or no entry"),
        ({"data": [1]}, "is not a whole program"),
        ({"version": 2}, "version 2"),
        ({"privopt": "release"}, "is not a program"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = tmp_path / "program.json"
    path.write_text(json.dumps(HAND | change))
    with pytest.raises(PrivoptError, match=says):
        po.PublicProgram.load(path)
