"""Data files: read by name, refused without a word on what they hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privopt.errors import InputError
from privopt.jobs.data import read_values

NAMES = ("demand[1]", "flow[1,2]", "x y")
VALUES = [0.25, -1e-7, 3.0]
HIDDEN = "12345.678"


@pytest.mark.parametrize(
    "content",
    [
        "demand[1],0.25\nflow[1,2],-1e-7\nx y,3\n",
        "name,value\nx y,3.0\n\nflow[1,2],-1e-7\ndemand[1],+.25",
        'name,value\r\n"flow[1,2]",-1e-7\r\nx y , 3\r\ndemand[1],0.25\r\n',
        "\ufeffdemand[1],0.25\nflow[1,2],-1e-7\nx y,3\n",
        json.dumps(VALUES),
        json.dumps(dict(zip(reversed(NAMES), reversed(VALUES), strict=True))),
    ],
)
def test_forms_of_a_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "d"
    path.write_text(content, encoding="utf-8", newline="")
    assert read_values(str(path), NAMES).tolist() == VALUES


@pytest.mark.parametrize(
    "content",
    [
        "",
        HIDDEN,
        f"demand[1],{HIDDEN}\nflow[1,2],x\nx y,1",
        f"demand[1],{HIDDEN}\nflow[1,2],nan\nx y,1",
        f"demand[1],{HIDDEN}\nflow[1,2],1e999\nx y,1",
        f"demand[1],{HIDDEN}\ndemand[1],1\nflow[1,2],1\nx y,1",
        f"demand[1],{HIDDEN}\nflow[1,2],1",
        f"Mr {HIDDEN},{HIDDEN}\nflow[1,2],1\nx y,1",
        f'demand[1],"{HIDDEN}',
        f"[{HIDDEN}, 1]",
        f"[{HIDDEN}, 1, true]",
        f"[{HIDDEN}, 1, null]",
        f"[{HIDDEN}, 1, NaN]",
        f"[{HIDDEN}, 1, 1e400]",
        f'{{"demand[1]": {HIDDEN}, "flow[1,2]": "1", "x y": 2}}',
        f'{{"demand[1]": {HIDDEN}, "demand[1]": 1, "flow[1,2]": 1, "x y": 2}}',
        f'{{"demand": {HIDDEN}}}',
        f"[{HIDDEN}",
        "[" * 100_000,
    ],
)
def test_what_is_wrong_is_not_quoted(tmp_path: Path, content: str) -> None:
    path = tmp_path / "d"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_values(str(path), NAMES)
    error = caught.value
    assert "12345" not in "".join((str(error), repr(error), repr(vars(error))))
    assert str(path) in error.got
    assert "name,value" in error.needed
    assert error.__cause__ is None


@pytest.mark.parametrize("place", ["none", ".", "\0"])
def test_what_is_no_file(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="could not be read"):
        read_values(str(tmp_path / place), NAMES)


@settings(
    deadline=None, max_examples=50, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_every_bit_comes_back(tmp_path: Path, values: list[float]) -> None:
    path = tmp_path / "d"
    path.write_text("".join(f"{n},{v!r}\n" for n, v in zip(NAMES, values, strict=True)))
    assert [v.hex() for v in read_values(str(path), NAMES)] == [v.hex() for v in values]
