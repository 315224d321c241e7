"""What a job measures: words, groups, files of zones; what is no such thing is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import privopt as po
from privopt.app.sums import sums_of
from privopt.errors import InputError

NAMES = ["a", "b[1,2]", "c"]


def test_words_and_groups() -> None:
    assert sums_of("total", NAMES) == {"total": NAMES}
    assert sums_of("each", NAMES) == {name: [name] for name in NAMES}
    assert sums_of("nothing", NAMES) == {}
    assert sums_of({"north": ["a"]}, NAMES) == {"north": ["a"]}
    assert sums_of([["a", "c"], [1]], NAMES) == {"sum[0]": ["a", "c"], "sum[1]": [1]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("z.csv", "name,zone\na,x\nb[1,2],y\nc,x\n"),
        ("z.csv", '"a",x\n"b[1,2]",y\nc , x\n'),
        ("z.json", '{"x": ["a", "c"], "y": ["b[1,2]"]}'),
    ],
)
def test_zones_of_a_file(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert sums_of(str(tmp_path / name), NAMES) == {"x": ["a", "c"], "y": ["b[1,2]"]}


def test_an_instrument_of_a_file(tmp_path: Path) -> None:
    program = po.ConvexProgram(G=[[1, 1]], linear=[1.0, 2.0], data_names=["a"])
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    made = po.Instrument({"t": ["a"]}, program=program, privacy=noise, domain=po.Box(0.0, 1.0))
    made.save(tmp_path / "i.json")
    found = sums_of(str(tmp_path / "i.json"), ["a"])
    assert isinstance(found, po.Instrument)
    assert found.to_dict() == made.to_dict()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("z.csv", "a,x\nq,y\n", "names q, which is no private entry"),
        ("z.csv", "a\n", "an entry and a zone"),
        ("z.csv", "a,\n", "an entry and a zone"),
        ("z.csv", "name,zone\n", "no line"),
        ("z.csv", '"a', "an entry and a zone"),
        ("z.json", "{}", "no groups"),
        ("z.json", '{"x": "a"}', "no groups"),
        ("z.json", "[[]]", "no groups"),
        ("z.json", "{", "no JSON"),
        ("z.json", '{"privopt": "release"}', "no groups"),
    ],
)
def test_what_is_no_file_of_sums(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        sums_of(str(tmp_path / name), NAMES)
    assert says in str(caught.value)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        sums_of(str(tmp_path / "none.csv"), NAMES)
