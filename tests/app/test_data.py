"""Data files: read by name, refused without a word on what they hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privopt.app.data import read_values
from privopt.errors import InputError

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
        f"demand[1],{HIDDEN}\nflow[1,2],inf\nx y,1",
        f"demand[1],{HIDDEN}\ndemand[1],1\nflow[1,2],1\nx y,1",
        f"demand[1],{HIDDEN}\nflow[1,2],1",
        f"Mr {HIDDEN},{HIDDEN}\nflow[1,2],1\nx y,1",
        f'demand[1],"{HIDDEN}',
        f"[{HIDDEN}, 1]",
        f"[{HIDDEN}, 1, true]",
        f"[{HIDDEN}, 1, null]",
        f"[{HIDDEN}, 1, NaN]",
        f"[{HIDDEN}, 1, -Infinity]",
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


LABELS = [f"demand[{k}]" for k in range(1, 15)]
SOME = "(demand[1], demand[2], demand[3], ...)"


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (json.dumps([0.5] * 10), "holds 10 numbers."),
        ("[]", "holds 0 numbers."),
        ("", "holds 0 numbers by name: 14 of 14 missing (demand[1], demand[2], demand[3], ...)."),
        (
            json.dumps(dict.fromkeys(LABELS[:12], 0.5)),
            "holds 12 numbers by name: 2 of 14 missing (demand[13], demand[14]).",
        ),
        (
            json.dumps(dict.fromkeys([*LABELS, "mine"], 0.5)),
            "holds 15 numbers by name: 1 unknown.",
        ),
        (
            "name,value\n" + "".join(f"{label},0.5\n" for label in LABELS[5:]),
            "holds 9 numbers by name: 5 of 14 missing (demand[1], demand[2], demand[3], ...).",
        ),
        (
            "".join(f"{label},0.5\n" for label in [*LABELS[1:], "demand[2]", "mine"]),
            "holds 15 numbers by name: 1 of 14 missing (demand[1]); 1 unknown; 1 more than once.",
        ),
        ("0.5\n" * 4, "holds 4 numbers without names."),
        ("value\n" + "0.5\n" * 14, "holds 14 numbers without names."),
        ("{", "is neither CSV nor JSON."),
    ],
)
def test_how_many_came_and_what_is_needed(tmp_path: Path, content: str, got: str) -> None:
    path = tmp_path / "d"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_values(path, LABELS)
    assert caught.value.got == f"{path} {got}"
    assert caught.value.needed.startswith(f"14 numbers by name {SOME}")


def test_the_curator_is_told_which_differ(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.write_text("".join(f"{name},0.5\n" for name in [LABELS[0], LABELS[0], "mine"]))
    with pytest.raises(InputError) as caught:
        read_values(path, LABELS)
    assert caught.value.private is not None
    told = caught.value.private.reveal()
    assert "missing: demand[2], demand[3], demand[4], demand[5], demand[6], ...\n" in told
    assert "unknown: mine\n" in told
    assert told.endswith("more than once: demand[1]")
    path.write_text(json.dumps([0.5] * 13 + [None]))
    with pytest.raises(InputError) as caught:
        read_values(path, LABELS)
    assert caught.value.private is not None
    assert caught.value.private.reveal() == "no finite number: demand[14]"


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
