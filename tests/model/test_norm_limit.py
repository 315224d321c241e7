"""Norm limits: the optimum of a plain CVXPY model, closed forms, and what is refused."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.model.curved import both

import privopt as po
from privopt.errors import InfeasibleError, InputError


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_optimum_is_that_of_the_plain_model(rows: int, seed: int) -> None:
    one = both(seed, ("pieces",), (rows, rows), n=5)  # the second one has an f
    found = one.program.solve()
    assert found.cost == pytest.approx(one.optimum(one.program.d), rel=1e-6, abs=1e-6)


def test_some_of_these_limits_bind() -> None:
    """So that the same optimum says something."""
    bind = 0
    for rows in (1, 2, 3, 7):
        one, free = both(1, ("pieces",), (rows, rows), n=5), both(1, ("pieces",), (), n=5)
        bind += one.program.solve().cost > free.program.solve().cost + 1e-4
    assert bind >= 2


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_a_ball_is_left_where_the_cost_points(rows: int) -> None:
    """min c'z over ||z - m|| <= r is c'm - r ||c||."""
    rng = np.random.default_rng(rows)
    c, m = rng.normal(size=rows), rng.normal(size=rows)
    G = np.eye(1, rows + 1, rows)
    limit = po.NormLimit(C=np.eye(rows, rows + 1), e=-m, g=1.5)
    program = po.ConvexProgram(linear=[*c, 0.0], G=G, d=[1.0], cones=[limit])
    assert program.solve().cost == pytest.approx(c @ m - 1.5 * np.linalg.norm(c), rel=1e-7)


def test_a_hyperbola_is_a_rotated_norm() -> None:
    """1 <= y w: the least y + w is 2."""
    limit = po.NormLimit(C=[[0.0, 0, 2], [1, -1, 0]], f=[1.0, 1, 0])
    program = po.ConvexProgram(linear=[1.0, 1, 0], G=[[0.0, 0, 1]], d=[1.0], cones=[limit])
    np.testing.assert_allclose(program.solve().z, [1.0, 1.0, 1.0], atol=1e-5)


def test_a_private_limit_beside_it() -> None:
    """||(x, y)|| <= 2 and a private x <= d."""
    limit = po.NormLimit(C=["x", "y"], g=2.0)
    program = po.ConvexProgram(
        linear=[-2.0, -1.0], A=[[1.0, 0.0]], b=[0.0], private_limits=[0], names=["x", "y"],
        cones=[limit], d=[1.2],
    )  # fmt: skip
    found = program.solve()
    np.testing.assert_allclose(found.z[:2], [1.2, 1.6], atol=1e-6)
    z: Any = cp.Variable(2)
    model = cp.Problem(cp.Minimize(-2 * z[0] - z[1]), [cp.norm(z) <= 2, z[0] <= 1.2])
    assert found.cost == pytest.approx(float(model.solve(solver=cp.CLARABEL)), rel=1e-7)
    assert program.names[-1] == "A[0]"


def test_a_limit_that_nothing_keeps() -> None:
    limit = po.NormLimit(C=["x", "y"], g=1.0)
    program = po.ConvexProgram(G=[[1.0, 1.0]], d=[4.0], names=["x", "y"], cones=[limit])
    with pytest.raises(InfeasibleError):
        program.solve()
    limit = po.NormLimit(C=["x", "y"], g=-1.0)
    program = po.ConvexProgram(G=[[1.0, 1.0]], d=[0.0], names=["x", "y"], cones=[limit])
    with pytest.raises(InfeasibleError):
        program.solve()


def test_public_equalities_are_rows_of_g_with_public_entries() -> None:
    """E z = g against G with those rows and d = (.., g), private only the first."""
    rng = np.random.default_rng(0)
    G, E, z0 = rng.normal(size=(2, 6)), rng.normal(size=(2, 6)), rng.uniform(-1, 1, 6)
    limit = po.NormLimit(C=rng.normal(size=(3, 6)), g=3.0, f=0.1 * rng.normal(size=6))
    more: dict[str, Any] = {
        "linear": rng.normal(size=6), "lower": -2.0, "upper": 2.0, "cones": [limit],
    }  # fmt: skip
    one = po.ConvexProgram(G=G, d=G @ z0, E=E, g=E @ z0, **more)
    both = np.vstack([G, E])
    other = po.ConvexProgram(G=both, d=both @ z0, private=[0, 1], **more)
    assert one.solve().cost == pytest.approx(other.solve().cost, rel=1e-8)
    np.testing.assert_allclose(one.solve().z, other.solve().z, atol=1e-5)
    assert one.equalities.names == ("d[0]", "d[1]", "E[0]", "E[1]")
    assert len(one.data_names) == 2
    np.testing.assert_array_equal(one.right_hand_side(), other.right_hand_side())


def test_how_it_shows_itself() -> None:
    limit = po.NormLimit(C=["x", "y"], g=2.0)
    program = po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], cones=[limit])
    assert repr(program) == (
        "ConvexProgram(2 variables, 0 inequalities, 1 cone, 1 equality, 1 private)"
    )
    tower = po.NormLimit(C=np.eye(2)[[0, 1, 0, 1, 0, 1, 0]], g=2.0, name="risk")
    program = po.ConvexProgram(G=[[1.0, 1.0]], d=None, names=["x", "y"], cones=[limit, tower])
    assert program.sizes == "7 variables, 0 inequalities, 7 cones, 1 equality, 1 private"
    assert program.names[2:] == tuple(f"risk~{k}" for k in range(1, 6))
    assert program.cones.names[0] == "limit[0]"
    assert repr(po.NormLimit(C="x", g=1.0)) == "NormLimit(limit)"


JUNK: list[Any] = [
    float("nan"), float("inf"), [1.0, 2.0, 3.0], [[1.0]], [[1.0, float("nan")]], "nobody", [], {},
    object(), 1j, 10**400, [["a", "b"]], [[1.0, 2.0], [3.0]], np.ones((2, 2, 2)), [None], b"x",
    [float("inf"), 1.0], np.ones((0, 2)), ["x", "nobody"], np.array(["x", "y"]), po.Norm,
]  # fmt: skip


@pytest.mark.parametrize("name", ["C", "e", "f", "g", "name"])
def test_junk_is_refused(name: str) -> None:
    for value in JUNK:
        if name == "name" and isinstance(value, str):
            continue
        limit = po.NormLimit(**{"C": ["x", "y"], "g": 1.0, name: value})
        with pytest.raises(InputError) as caught:
            po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], cones=[limit])
        assert caught.value.needed, value
        assert caught.value.remedy


@pytest.mark.parametrize(
    "cones",
    [
        [po.NormLimit(C="x", g=1.0, name="a"), po.NormLimit(C="y", g=1.0, name="a")],
        [po.NormLimit(C=["x", "y"], g=1.0, name="a"), po.NormLimit(C=["x"] * 2, name="a")],
        [po.NormLimit(C=["x"] * 3, name="a", g=1.0), po.NormLimit(C=["y"] * 3, name="a", g=1.0)],
        [po.NormLimit(C=["x"] * 2, name="limit[1]"), po.NormLimit(C=["y"] * 2)],
    ],
)
def test_names_stand_for_one_limit(cones: Any) -> None:
    with pytest.raises(InputError, match="more than one"):
        po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], cones=cones)


def test_a_limit_has_another_name_than_a_cost() -> None:
    with pytest.raises(InputError, match="more than one"):
        po.ConvexProgram(
            G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], costs=[po.Norm(C=["x", "y"], name="a")],
            cones=[po.NormLimit(C=["x", "y"], name="a")],
        )  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {"E": [[1.0, 2.0]]}, {"g": [1.0]}, {"E": [[1.0, 2.0]], "g": [np.nan]},
        {"E": [[1.0, 2.0]], "g": [np.inf]}, {"E": [[1.0, np.nan]], "g": [1.0]},
        {"E": [[1.0]], "g": [1.0]}, {"E": [[1.0, 2.0]], "g": [1.0, 2.0]}, {"E": "no", "g": [1.0]},
        {"E": [[1.0, 2.0]], "g": "no"}, {"E": [], "g": []}, {"E": object(), "g": 1.0},
        {"E": [[1.0, 2.0]], "g": [1.0], "equality_names": ["a", "b"]},
        {"E": np.eye(2), "g": [1.0, 2.0], "equality_names": ["a", "a"]},
        {"E": [[1.0, 2.0]], "g": [1.0], "equality_names": 5},
        {"E": [[1j, 2.0]], "g": [1.0]}, {"E": np.ones((2, 2, 2)), "g": [1.0, 1.0]},
    ],
)  # fmt: skip
def test_bad_public_equalities_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], **given)
    assert caught.value.needed
    assert caught.value.remedy
