"""Curved programs in files: the same bits, the same optimum, and our errors for damage."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.model.curved import KINDS, both

import privopt as po
from privopt.errors import PrivoptError
from privopt.model.cone_file import cones_from_dict, cones_to_dict
from privopt.model.program_file import program_from_dict, program_to_dict
from privopt.solving.cone_rows import ConeRows
from privopt.solving.problem import Cone


def program() -> po.ConvexProgram:
    """Every kind of cone, public equalities, private limits."""
    rng = np.random.default_rng(0)
    return both(
        1, KINDS, (1, 2, 3), n=5, k=1, A=rng.normal(size=(2, 5)), b=[3.0, 3.0],
        E=[[1.0, 0, 0, 0, 1]], g=[0.1], equality_names=["tie"], row_names=["first", "second"],
    ).program  # fmt: skip


@pytest.fixture(scope="module")
def written() -> Any:
    return json.loads(json.dumps(po.PublicProgram(program()).to_dict()))


def test_a_file_keeps_every_byte(tmp_path: Path) -> None:
    whole = program()
    po.PublicProgram(whole).save(tmp_path / "a.json")
    again = po.PublicProgram.load(tmp_path / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert repr(again.program) == repr(whole.without_data())
    for name in ("linear", "b", "g", "lower", "upper"):
        assert getattr(again.program, name).tobytes() == getattr(whole, name).tobytes()
    assert again.program.cones.matrix.toarray().tobytes() == whole.cones.matrix.toarray().tobytes()
    assert again.program.cones.cones == whole.cones.cones
    assert again.program.cones.names == whole.cones.names
    assert again.program.equality_names == ("tie",)
    assert again.program.solve(d=whole.d).z.tobytes() == whole.solve().z.tobytes()


def test_programs_without_any_are_written_as_before() -> None:
    plain = po.ConvexProgram(linear=[1.0, 2.0], G=[[1.0, 1.0]], d=[1.0])
    assert not {"cones", "E", "g", "equality_names"} & set(program_to_dict(plain))
    assert len(program_from_dict(program_to_dict(plain)).cones) == 0


JUNK: list[Any] = [None, 5, "x", [], {}, [None], [1.0], [["x"]], True, float("nan"), [[]]]


@pytest.mark.parametrize("value", JUNK, ids=range(len(JUNK)))
def test_damage_is_told_in_our_words(written: Any, tmp_path: Path, value: Any) -> None:
    paths = [("cones",), *(("cones", key) for key in written["cones"])]
    paths += [("E",), ("g",), ("equality_names",), ("auxiliary",)]
    paths += [("cones", "matrix", key) for key in written["cones"]["matrix"]]
    for path in paths:
        data = copy.deepcopy(written)
        at = data
        for key in path[:-1]:
            at = at[key]
        if (path, value) in ((("auxiliary",), []), (("g",), [1.0])):
            continue  # none, and another number
        at[path[-1]] = value
        file = tmp_path / "p.json"
        file.write_text(json.dumps({"privopt": "program", "version": 1, **data}))
        with pytest.raises(PrivoptError) as caught:
            po.PublicProgram.load(file)
        assert caught.value.needed, path
        if path[-1] in ("g", "auxiliary") or path == ("cones",):
            continue  # without them it is another program
        del at[path[-1]]
        file.write_text(json.dumps({"privopt": "program", "version": 1, **data}))
        with pytest.raises(PrivoptError):
            po.PublicProgram.load(file)


@pytest.mark.parametrize(
    "kind",
    [
        "nonnegative", "zero", "Second-order", ["power"], ["power", 0.0], ["power", 1.0],
        ["power", 2], ["power", -0.5], ["power", "0.5"], ["power", 0.5, 1],
        ["second-order", 0.5], 3, None, {},
        ["power", None], ["power", True], ["power", float("nan")], ["power", 10**400],
    ],
)  # fmt: skip
def test_other_cones_are_refused(kind: Any) -> None:
    rows = ConeRows((Cone.of_power(0.3),), sp.csr_array(np.eye(3)), np.zeros(3), ("a",))
    data = cones_to_dict(rows)
    assert cones_from_dict(data, 3).cones == rows.cones
    with pytest.raises((ValueError, TypeError, OverflowError)):
        cones_from_dict({**data, "kinds": [kind]}, 3)


def test_entries_stored_twice_are_one() -> None:
    """In a file written by others: C z is the same, and so is the program."""
    M: Any = sp.csr_array(
        (np.array([1.0, 1.0, -2.0, 0.0]), np.array([0, 0, 1, 0]), np.array([0, 2, 3, 4])),
        shape=(3, 2),
    )
    rows = ConeRows((Cone.second_order(3),), M, np.zeros(3), ("a",))
    twice = po.ConvexProgram(linear=[1.0, 0], G=[[0.0, 1]], d=[1.0], cones=[rows])
    assert twice.solve().z[0] == pytest.approx(1.0, abs=1e-6)  # |2 y| <= 2 x
