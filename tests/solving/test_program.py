"""The form that is solved: the same feasible points, names that tell, what belongs to it alone."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.errors import InputError
from privopt.solving.particular import particular_of


def written(seed: int) -> dict[str, Any]:
    """Small whole numbers: pairs of rows that make equalities, fixed variables, rows of zeros."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-2, 3, size=(4, 3))
    b = rng.integers(0, 4, 4)
    pair, value = rng.integers(-1, 2, 3), int(rng.integers(-1, 2))
    rows = np.vstack([A[:2], pair, A[2:], -2 * pair, 3 * pair, [[0, 0, 1]], [[0, 0, -1]]])
    lower, upper = np.array([-2.0, -1.0, -np.inf]), np.array([2.0, np.inf, 2.0])
    if seed % 2:
        lower[0] = upper[0] = rng.integers(-1, 2)
    right = [*b[:2], value, *b[2:], -2 * value, 3 * value + seed % 3, 1, 2]
    G = rng.integers(-1, 2, size=(1, 3)) if seed % 4 else np.array([[1, 0, 0], [2, 0, 0]])
    d = rng.integers(-1, 2, len(G))
    return {
        "A": rows.astype(float), "b": np.array(right, dtype=float), "G": G.astype(float),
        "d": d.astype(float), "lower": lower, "upper": upper,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(24))
def test_rows_and_equalities_hold_where_the_program_does(seed: int) -> None:
    """On every point of a grid, in whole numbers."""
    data = written(seed)
    program = po.ConvexProgram(**data)
    rows, equalities, target = program.rows, program.equalities, program.right_hand_side()
    assert len(rows.names) == rows.matrix.shape[0] == len(rows.bound)
    assert len(equalities.names) == equalities.matrix.shape[0] == len(target)
    for point in itertools.product(range(-3, 4), repeat=3):
        z = np.array(point, dtype=float)
        asked = (data["A"] @ z <= data["b"]).all() and (data["G"] @ z == data["d"]).all()
        asked = asked and (data["lower"] <= z).all() and (z <= data["upper"]).all()
        kept = (rows.matrix @ z <= rows.bound).all() and (equalities.matrix @ z == target).all()
        assert kept == asked


def test_a_list_for_each_row_as_it_was_given_finds_its_rows() -> None:
    """Fixed variables' bounds may be in it or not; pairs of rows always are."""
    program = toy(
        A=[[1, 1, 0], [1, 0, -1], [-1, -1, 0], [0, 0, 1]], b=[5, 3, -5, 9],
        lower=[0, 2, -np.inf], upper=[4, 2, 7],
    )  # fmt: skip
    wanted = {"A[1]": 1.0, "A[3]": 3.0, "lower[x]": 4.0, "upper[x]": 5.0, "upper[w]": 6.0}
    rows = program.rows
    assert rows.names == tuple(wanted)
    every = np.array([0, 1, 2, 3, 4, -1, 5, -1, 6])  # -1: the two bounds of y, which is fixed
    for given in (every, every[every >= 0]):
        assert dict(zip(rows.names, rows.own(given.astype(float)), strict=True)) == wanted
    own = np.array(list(wanted.values()))
    assert rows.own(own) is own
    assert program.equalities.names == ("d[0]", "fixed[y]", "A[0] and A[2]")


def test_an_equality_of_two_rows_has_the_name_of_the_upper_limit() -> None:
    names = ["flow", "-flow", "cap", "floor"]
    A = np.array([[1.0, 1, 0], [-1, -1, 0], [0, 1, 1], [0, -1, -1]])
    program = po.ConvexProgram(A=A, b=[3.0, -3, 1, -1], G=np.ones((1, 3)), row_names=names)
    assert program.equalities.names[1:] == ("flow", "cap and floor")


@pytest.mark.parametrize("seed", range(6))
def test_points_on_the_independent_equalities_are_on_all_of_them(seed: int) -> None:
    """Whatever the units of rows and columns are."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(3, 7)) * 10.0 ** rng.uniform(-3, 3, 7)
    G = np.vstack([base, rng.normal(size=(2, 3)) @ base])[rng.permutation(5)]
    G *= 10.0 ** rng.uniform(-3, 3, (5, 1))
    z = rng.normal(size=7) / np.abs(base).max(axis=0)
    program = po.ConvexProgram(G=G, d=G @ z)
    kept = program.independent
    assert len(kept) == 3
    _, factors, columns = program.equilibration
    target = (factors * program.right_hand_side())[kept]
    found = columns * program.projector.correction(target)
    assert np.abs(G @ found - program.d).max() <= 1e-9 * np.abs(program.d).max()


def test_data_go_to_their_own_places() -> None:
    program = toy(lower=[0, 1, 0], upper=[4, 1, 4])
    for d in (5.0, 7.0):
        assert program.right_hand_side(np.array([d])).tolist() == [d, 1.0]
    assert program.right_hand_side().tolist() == [6.0, 1.0]
    assert program.equalities.bound.tolist() == [0.0, 1.0]


def test_data_that_no_float_holds_are_refused_without_showing_them() -> None:
    with pytest.raises(InputError, match="no domain clamps them"):
        toy().right_hand_side(np.array([-np.finfo(float).max]))
    with pytest.raises(InputError, match="d=None"):
        toy(d=None).right_hand_side()


def test_a_copy_of_a_program_takes_no_recourses_with_it() -> None:
    """They may be large, and are found again."""
    program = toy()
    S = po.Identity(["x"]).matrix(program)
    wanted = particular_of(program, S).dense()
    assert program.particulars
    assert particular_of(program, S) is particular_of(program, S)
    copied = pickle.loads(pickle.dumps(program))  # noqa: S301
    assert not copied.particulars
    assert particular_of(copied, S).dense() == pytest.approx(wanted)


def test_rows_in_pairs_are_equalities_and_contradictions_are_told() -> None:
    A = [[1.0, -1], [-1, 1], [1, 0], [-2, 0], [0, 0.1], [0, -0.3], [0, 1], [2, 3], [-2, -3]]
    b = [1.0 + 1e-10, -1.0, 4.0, -8.0, 0.1, -0.3, 9.0, 5.0, -5.0 - 1e-9]
    program = po.ConvexProgram(linear=[1.0, 1.0], A=A, b=b, G=[[1.0, 1.0]])
    assert len(program.equalities) == 1 + 4
    # By rounding; the other pairs leave room, or none. A[6] repeats another row.
    assert {"A[6]", "A[8]"} == {
        name for name in program.contradictions if name in program.row_names
    }


def test_rows_that_fixed_variables_break_by_rounding_are_told() -> None:
    """And equalities that others imply: these repeat them as far as floats can tell."""
    fixed: Any = {"lower": [1e9, 1e9, 0], "upper": [1e9, 1e9, 9], "G": [[0, 0, 1]]}
    for bound, told in ((-1.0, ("A[0]",)), (0.0, ())):
        program = po.ConvexProgram(linear=np.ones(3), A=[[1, -1, 0]], b=[bound], **fixed)
        assert program.contradictions == told
    twice = po.ConvexProgram(linear=[1.0, 1.0], G=[[1, 1], [2, 2]], data_names=["a", "b"])
    assert program.independent.tolist() == [0, 1, 2]
    assert len(twice.contradictions) == 1
