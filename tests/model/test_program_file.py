"""A program as plain data: the same program to the last bit, without d; anything else refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import privopt as po
from privopt.model.program_file import (
    matrix,
    program_from_dict,
    program_to_dict,
    public_data,
    read_matrix,
)

PROGRAM = po.ConvexProgram(
    linear=[0.1, 1 / 3, -1e-300], quadratic=[0.1, 0.0, 2.5], A=[[1, -1, 0], [0.3, 0, 7]],
    b=[1.5, 2.5], G=[[1, 1, 1], [0, 1, -1]], d=[6.0, 0.25], lower=[0, -np.inf, -5], upper=4,
    names=["x", "y", "z"], data_names=["demand", "meter"], row_names=["first", "second"],
    private=["demand"], constant=11.25,
)  # fmt: skip


def through_json(program: po.ConvexProgram) -> dict[str, Any]:
    return json.loads(json.dumps(program_to_dict(program)))


def test_the_same_numbers_and_names_without_the_data() -> None:
    again = program_from_dict(through_json(PROGRAM))
    assert not again.has_data
    for name in ("linear", "b", "lower", "upper"):
        assert getattr(again, name).tobytes() == getattr(PROGRAM, name).tobytes()
    for name in ("A", "G", "quadratic"):
        ours, theirs = getattr(again, name), getattr(PROGRAM, name)
        assert np.array_equal(ours.toarray(), theirs.toarray())
    for name in ("names", "data_names", "row_names", "constant"):
        assert getattr(again, name) == getattr(PROGRAM, name)
    assert again.private.tolist() == [0]
    assert program_to_dict(again) == program_to_dict(PROGRAM)
    other = program_to_dict(PROGRAM.at([731.25, 0.25]))
    assert other == program_to_dict(PROGRAM)


def test_a_constant_of_zero_is_not_written() -> None:
    """Files before 0.2.0 have none."""
    plain = po.ConvexProgram(linear=[1.0], G=[[1]])
    assert "constant" not in program_to_dict(plain)
    assert program_from_dict(through_json(plain)).constant == 0.0


def test_public_entries_of_d_by_name() -> None:
    assert public_data(PROGRAM) == {"meter": 0.25}
    assert public_data(po.ConvexProgram(linear=[1.0], G=[[1]])) == {}


def damage(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        *way, last = path.split(".")
        for part in way:
            data = data[part]
        data[last] = value

    return change


DAMAGE = [
    ("linear", [1.0, "2", 3.0]), ("linear", [1.0]), ("b", [1.0]), ("names", ["x", "y"]),
    ("names", ["x", "y", 3]), ("lower", [0.0, None]), ("upper", 4.0), ("private", [0.0]),
    ("private", "0"), ("constant", "1"), ("constant", None), ("A.indptr", [0, 2, 1]),
    ("A.indptr", [0, 5, 4]), ("A.indptr", [1, 2, 4]), ("A.indices", [0, 1, 0, 9]),
    ("A.indices", [0, 1, 0, -1]), ("A.shape", [2, 4]), ("A.shape", [2]), ("A.data", [1.0] * 3),
    ("A.data", [1.0, 2.0, 3.0, float("nan")]), ("G.indices", [True] * 5), ("row_names", ["first"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), DAMAGE)
def test_what_is_not_whole_is_refused(path: str, value: Any) -> None:
    data = copy.deepcopy(through_json(PROGRAM))
    damage(path, value)(data)
    with pytest.raises((ValueError, po.errors.InputError)):
        program_from_dict(data)


@pytest.mark.parametrize("seed", range(3))
def test_a_matrix_reads_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    M = sp.csr_array(rng.normal(size=(4, 7)) * (rng.random((4, 7)) < 0.4))
    again = read_matrix(json.loads(json.dumps(matrix(M))), 4, 7)
    assert np.array_equal(again.toarray(), M.toarray())
    with pytest.raises(ValueError):
        read_matrix(matrix(M), 7, 4)
