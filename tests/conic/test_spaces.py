"""Spaces of changes of the recourse: all describe the same set, or the part that can be optimal."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import privopt as po
from privopt.conic import spread as spread_module
from privopt.conic.basis import basis
from privopt.conic.chance import ChanceProgram
from privopt.conic.held import Held
from privopt.conic.problem import Cone, ConicProblem
from privopt.conic.response import Response, root_of
from privopt.conic.solver import Settings, solve_conic
from privopt.conic.space import Elimination, Space
from privopt.conic.spread import Spread
from privopt.noise.calibration import query_sensitivity

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)


def chance_of(name: str = "14_ieee", seed: int = 0) -> ChanceProgram:
    drawn = po.experiments.instance(name, seed)
    S = drawn.query.matrix(drawn.program)
    calibration = LAPLACE.calibrate(S.shape[0], query_sensitivity(LAPLACE, S))
    near = drawn.program.solve().z
    return ChanceProgram(drawn.program, S, calibration, po.ExpectedCost(), Settings(), near)


def least(space: Space, wanted: np.ndarray) -> tuple[float, np.ndarray]:
    """min tr(X'HX) with M L X = wanted and K X = 0, one column; its cost and Y."""
    H = space.quadratic.toarray()
    E = np.vstack([space.rows.toarray(), space.K.toarray()])
    right = np.concatenate([wanted, np.zeros(space.K.shape[0])])
    k = H.shape[0]
    system = np.block([[2 * H, E.T], [E, np.zeros((len(E), len(E)))]])
    x = np.linalg.lstsq(system, np.concatenate([np.zeros(k), right]), rcond=None)[0][:k]
    assert np.abs(E @ x - right).max() <= 1e-8
    return float(x @ H @ x), space.lift(x[:, None])[:, 0]


@pytest.mark.parametrize("name", ["14_ieee", "39_epri", "57_ieee"])
def test_the_short_and_the_answering_space_are_the_plain_one(name: str) -> None:
    chance = chance_of(name)
    data = chance._scaled
    lines = np.flatnonzero((np.diff(data.directions.D.indptr) > 1) & chance._usual.movable)[:2]
    M = data.directions.D[lines]
    plain = Space.plain(data.C, M, data.quadratic)
    short = Elimination(data.C, data.quadratic).space(M)
    answers = Response(data.C, data.quadratic, np.zeros(0, dtype=np.intp))
    answering = answers.space(M, np.zeros((data.C.shape[1], 1)))
    assert short.rows.shape[1] < plain.rows.shape[1]
    assert answering.rows.shape[1] <= len(lines)
    wanted = np.random.default_rng(0).normal(size=len(lines))
    cost, Y = least(plain, wanted)
    for space in (short, answering):
        found, changed = least(space, wanted)
        assert found == pytest.approx(cost, rel=1e-6)
        assert np.abs(data.C @ changed).max() <= 1e-8
        np.testing.assert_allclose(M @ changed, wanted, atol=1e-7)
        np.testing.assert_allclose(changed, Y, atol=1e-5 * np.abs(Y).max())


def test_held_rows_stand_in_the_answering_space() -> None:
    chance = chance_of("39_epri")
    data = chance._scaled
    simple = np.flatnonzero((np.diff(data.directions.D.indptr) == 1) & chance._usual.movable)[:3]
    columns = data.directions.columns(simple)
    lines = np.flatnonzero((np.diff(data.directions.D.indptr) > 1) & chance._usual.movable)[:2]
    response = Response(data.C, data.quadratic, columns)
    space = response.space(data.directions.D[lines], data.base)
    N = np.random.default_rng(1).normal(size=(space.rows.shape[1], data.base.shape[1]))
    Y = space.lift(N)
    assert np.abs((data.base + Y)[columns]).max() <= 1e-12
    assert np.abs(data.C @ Y).max() <= 1e-10


def test_a_root_of_a_singular_matrix() -> None:
    rng = np.random.default_rng(2)
    half = rng.normal(size=(6, 3))
    T = half @ half.T
    root, inverse = root_of(T)
    assert root.shape == (6, 3)
    np.testing.assert_allclose(root @ root.T, T, atol=1e-10)
    np.testing.assert_allclose(T @ inverse, root, atol=1e-9)


def test_the_basis_spans_the_working_rows_and_no_more() -> None:
    chance = chance_of("118_ieee")
    data = chance._scaled
    working = np.flatnonzero(chance._usual.movable)[:4]
    R = basis(data, working)
    assert R is not None
    rows = data.base_rows[working]
    assert len(R) == np.linalg.matrix_rank(rows, tol=1e-7)
    np.testing.assert_allclose(rows @ R.T @ R, rows, atol=1e-8)
    np.testing.assert_allclose(R @ R.T, np.eye(len(R)), atol=1e-10)


def test_norms_without_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = chance_of("118_ieee")
    data = chance._scaled
    R = basis(data, np.flatnonzero(chance._usual.movable)[:4])
    assert R is not None
    Y = np.random.default_rng(3).normal(size=(data.C.shape[1], len(R)))
    wanted = np.linalg.norm(Spread(data, Y, R).dense, axis=1)
    monkeypatch.setattr(spread_module, "SMALL", 0)
    np.testing.assert_allclose(Spread(data, Y, R).norms, wanted, rtol=1e-6, atol=1e-6)


def test_holding_a_variable_and_its_price() -> None:
    """min (x-1)^2 + (y-2)^2 with x + y <= 2 and y held at 0: x = 1, and y is worth 4 to move."""
    whole = ConicProblem(
        P=sp.csc_array(2 * np.eye(2)),
        q=np.array([-2.0, -4.0]),
        A=sp.csc_array(np.array([[1.0, 1.0]])),
        b=np.array([2.0]),
        cones=(Cone.nonnegative(1),),
    )
    held = Held(whole, np.array([1]), np.zeros(1))
    answer = solve_conic(held.problem, Settings())
    assert held.point(answer.x) == pytest.approx([1.0, 0.0], abs=1e-6)
    assert held.value(answer.x) == pytest.approx(-1.0, abs=1e-6)
    assert answer.dual is not None
    assert held.prices(answer.x, answer.dual) == pytest.approx([-4.0], abs=1e-6)
