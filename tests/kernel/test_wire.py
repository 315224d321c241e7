"""Files: every bit comes back, a failed write leaves nothing, foreign files are refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.errors import InputError
from privopt.kernel import wire
from privopt.kernel.wire import Public

steady = settings(
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


class Thing(Public):
    """Anything public."""

    kind = "thing"
    version = 1

    def __init__(self, **data: Any) -> None:
        self.data = data

    def record(self) -> dict[str, Any]:
        return self.data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Thing:
        return cls(**{name: data[name] for name in data.keys() - {"privopt", "version", "more"}})

    def __getitem__(self, name: str) -> Any:
        return self.data[name]


@steady
@given(values=st.lists(numbers), text=st.text())
def test_numbers_and_text_come_back_to_the_bit(
    tmp_path: Path, values: list[float], text: str
) -> None:
    wire.dump(Thing(values=values, text=text), tmp_path / "file")
    found = wire.load(Thing, tmp_path / "file")
    assert [value.hex() for value in found["values"]] == [value.hex() for value in values]
    assert found["text"] == text


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    wire.dump(Thing(x=1), tmp_path / "file")
    whole = json.loads((tmp_path / "file").read_text(encoding="utf-8"))
    assert whole == {"privopt": "thing", "version": 1, "x": 1}


def test_an_old_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    for x in (1, 2):
        wire.dump(Thing(x=x), str(tmp_path / "file"))
    assert wire.load(Thing, str(tmp_path / "file"))["x"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_a_number_is_not_written_and_the_old_file_stays(
    tmp_path: Path, bad: float
) -> None:
    wire.dump(Thing(x=1.0), tmp_path / "file")
    with pytest.raises(ValueError):
        wire.dump(Thing(x=bad), tmp_path / "file")
    assert wire.load(Thing, tmp_path / "file")["x"] == 1.0
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_missing_folder_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="could not be written"):
        wire.dump(Thing(), tmp_path / "no" / "file")


def test_a_failed_write_leaves_no_part_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="could not be written"):
        wire.dump(Thing(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "could not be read"),
        (b"{", "could not be read"),
        (b"\xff\xfe\x00", "could not be read"),
        (b'{"privopt": "thing", "version": 1} x', "could not be read"),
        (b"[" * 100_000, "could not be read"),
        (b"[]", "is not a thing"),
        (b"null", "is not a thing"),
        (b'"thing"', "is not a thing"),
        (b"{}", "is not a thing"),
        (b'{"privopt": "other", "version": 1}', "is not a thing"),
        (b'{"privopt": "thing"}', "version None"),
        (b'{"privopt": "thing", "version": 2}', "version 2"),
        (b'{"privopt": "thing", "version": "1"}', "version '1'"),
        (b'{"privopt": "thing", "version": 1, "more": 2}', "is not a whole thing"),
        (b'{"privopt": "thing", "version": 1, "x": 1, "x": 2}', "could not be read"),
    ],
)
def test_foreign_and_damaged_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says):
        wire.load(Thing, path)


@pytest.mark.parametrize("place", ["missing", "."])
def test_a_path_that_is_no_file_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="no file|could not be read"):
        wire.load(Thing, tmp_path / place)


def test_an_error_speaks_of_the_file_not_of_its_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"secret": 12345.678')
    with pytest.raises(InputError) as caught:
        wire.load(Thing, path)
    cause: Any = caught.value.__cause__
    assert "12345" not in str(caught.value)
    assert cause is None


def test_public_types_are_these_and_no_others() -> None:
    public = {po.Release, po.PublicProgram, po.Instrument, po.Measurement, po.Decision}
    assert {kind for kind in Public.__subclasses__() if kind is not Thing} == public


def test_what_is_private_has_no_way_to_a_file(tmp_path: Path) -> None:
    program = po.ConvexProgram(linear=[1, 2], quadratic=[1, 1], G=[[1, 1]], d=[3], lower=0, upper=3)
    query, noise = po.Identity([0]), po.Laplace(epsilon=1, alpha=0.1)
    plan = po.solve(program, query, noise, po.Analytic(eta=0.05))
    private = (
        program,
        program.solve(),
        plan,
        plan.verify(samples=100),
        po.output_perturbation(program, query, noise),
        po.input_perturbation(program, query, noise),
    )
    for thing in private:
        with pytest.raises(InputError, match=f"a {type(thing).__name__} is private"):
            wire.dump(thing, tmp_path / "file")
        with pytest.raises(TypeError):
            json.dumps(thing)
        assert not hasattr(thing, "save")
        assert not hasattr(thing, "to_dict")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 300, "\ud800"])
def test_a_name_that_no_file_has_is_our_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="could not be written"):
        wire.dump(Thing(), path)
    with pytest.raises(InputError, match="no file"):
        wire.load(Thing, path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no ordinary file"):
        wire.dump(Thing(), tmp_path / "pipe")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    assert (tmp_path / "pipe").is_fifo()
