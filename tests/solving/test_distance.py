"""The least-distance form: the program's own optimum, its laws, and the programs it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import CombinationError, InfeasibleError
from privopt.solving.distance import LeastDistance


def over(program: po.ConvexProgram, middle: float, half: float) -> LeastDistance:
    k = program.G.shape[0]
    F = np.zeros((len(program.equalities), k))
    F[:k] = half * np.eye(k)
    target = program.equalities.bound.copy()
    target[:k] = middle
    return LeastDistance.of(program, target, F)


def random_program(seed: int, scale: float = 1.0) -> po.ConvexProgram:
    rng = np.random.default_rng(seed)
    units = scale ** rng.uniform(-1, 1, 6)
    root = rng.normal(size=(6, 6))
    return po.ConvexProgram(
        linear=rng.normal(size=6) / units,
        quadratic=root @ root.T / np.outer(units, units),
        A=rng.normal(size=(8, 6)) / units,
        b=rng.uniform(0.2, 1.0, 8),
        G=rng.normal(size=(2, 6)) / units,
        lower=-3 * units,
        upper=3 * units,
    )


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("seed", range(8))
def test_it_finds_the_optimum_or_that_there_is_none(seed: int, scale: float) -> None:
    program = random_program(seed, scale)
    form = over(program, 0.2, 1.0).hardened()
    rng = np.random.default_rng(seed)
    for _ in range(10):
        v = 2 * rng.uniform(-1, 1, 2)
        law = form.binding(v)
        multipliers = law.at(v)
        assert (multipliers >= -1e-9).all()
        over_rows = form.rho * multipliers.max(initial=0.0)
        try:
            wanted = program.solve(d=0.2 + v)
        except InfeasibleError:
            assert over_rows > 1e-6  # some row gives way
            continue
        assert over_rows < 1e-6
        z = form.point(law, v)
        assert program.cost(z) == pytest.approx(wanted.cost, rel=1e-6, abs=1e-8)
        assert np.asarray(program.G @ z) == pytest.approx(0.2 + v, abs=1e-9)
        excess = np.asarray(program.rows.matrix @ z) - program.rows.bound
        assert (excess / form.sizes <= over_rows + 1e-9).all()


def test_rows_that_repeat_each_other_share_the_load() -> None:
    program = po.ConvexProgram(
        quadratic=[1.0, 1.0], A=[[1, 0], [2, 0], [1, 0]], b=[1.0, 2.0, 1.0], G=[[1.0, 1.0]]
    )
    form = over(program, 0.0, 1.0)
    law = form.binding(np.array([3.0]))
    assert form.point(law, np.array([3.0])) == pytest.approx([1.0, 2.0], abs=1e-7)


def test_rows_that_give_way_less_are_exceeded_less() -> None:
    form, v = over(random_program(0), 0.2, 1.0), np.array([0.3, -0.4])
    soft, hard = form.binding(v), form.hardened().binding(v)
    assert soft.rows == hard.rows
    assert form.hardened().rho < 1e-2 * form.rho
    assert hard.at(v) == pytest.approx(soft.at(v), rel=1e-5)


def test_everything_fixed_by_the_equalities() -> None:
    program = po.ConvexProgram(G=np.eye(2), lower=0.0)
    form, v = over(program, 1.0, 0.5), np.array([1.0, -1.0])
    law = form.binding(v)
    assert form.point(law, v) == pytest.approx([1.5, 0.5])
    v = np.array([-3.0, 0.0])  # the first is below zero, whatever is done
    law = form.binding(v)
    assert form.rho * law.at(v).max() == pytest.approx(0.5)
    assert form.point(law, v) == pytest.approx([-0.5, 1.0])


def test_an_open_solution_is_refused_by_name() -> None:
    program = po.ConvexProgram(
        quadratic=[1.0, 0.0, 0.0], G=[[1.0, 1.0, 1.0]], lower=0.0, names=["x", "y", "w"]
    )
    with pytest.raises(CombinationError, match="[yw]") as caught:
        over(program, 1.0, 0.5)
    assert "quadratic cost" in str(caught.value)
