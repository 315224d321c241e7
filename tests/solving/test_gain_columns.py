"""The design program column by column: Newton steps, and the optimum of the conic program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.arrays import Vector
from privopt.mechanisms.private_data import PrivateData
from privopt.solving.compile import Cuts
from privopt.solving.cones import Weights
from privopt.solving.design import DesignProgram
from privopt.solving.gain_columns import GainColumns, _Columns
from privopt.solving.margins import Box, Margins
from privopt.solving.refinement import Fixed
from privopt.solving.solver import Settings


def design_program(name: str, *, silent: bool = False, **asked: Any) -> DesignProgram:
    one = po.experiments.instance(name, 0)
    program, S = one.program, one.query.matrix(one.program)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    lower, upper = one.domain.ends(len(program.private))
    data = PrivateData.of(program, lower, upper, None, None)
    fidelity = asked.pop("fidelity", 0.0)
    answers = data.answers(S, Settings()) if fidelity else None
    spec = data.specification(noise, asked.pop("floor", 0.0), fidelity, answers, **asked)
    near = program.solve(d=data.middle).z
    unit = noise.calibrate(S.shape[0], 0.1)
    return DesignProgram(program, S, unit, spec, Settings(), near, silent=silent)


def margins_of(kind: str, rows: int, p: int) -> Margins:
    rng = np.random.default_rng(2)
    if kind == "box":
        half = rng.uniform(0.5, 1.5, p)
        return Margins(box=Box(-half, 1.2 * half))
    tilt = 0.1 * rng.normal(size=(rows, p)) if kind == "tilt" else None
    return Margins(deviations=np.full(rows, 2.9), tilt=tilt)


def inside(rng: np.random.Generator, count: int, cones: tuple[int, int]) -> Vector:
    found = np.exp(rng.uniform(-3, 3, count))
    if cones[0]:
        part = found[count - cones[0] * cones[1] :].reshape(cones)
        part[:] = rng.normal(size=cones)
        part[:, 0] = np.linalg.norm(part[:, 1:], axis=1) * (1 + np.exp(rng.uniform(-6, 1)))
    return found


@pytest.mark.parametrize("rank", [None, 2])
@pytest.mark.parametrize("kind", ["round", "tilt", "box", "silent"])
def test_newton_steps_solve_their_equations(kind: str, rank: int | None) -> None:
    made = design_program("14_ieee", silent=kind == "silent")
    data, rng = made._data, np.random.default_rng(0)
    columns = GainColumns.of(data, made._near, 1e-9, silent=kind == "silent", rank=rank)
    assert columns is not None
    working = np.sort(rng.choice(data.directions.D.shape[0], 8, replace=False))
    cuts = Cuts.none(data.released)
    if kind == "tilt":
        rows = np.flatnonzero(np.isin(data.directions.group, working))[:3]
        cuts = cuts.more(rows, rng.normal(size=(3, data.released)))
    margins = margins_of(kind, data.A.shape[0], data.released)
    arrow = _Columns(columns, working, margins, cuts, made._b).arrow
    x, dual = rng.normal(size=len(arrow.q)), rng.normal(size=len(arrow.b))
    assert arrow.rows(x) @ dual == pytest.approx(arrow.rows_transposed(dual) @ x)
    s, y = (inside(rng, len(dual), arrow.cones) for _ in range(2))
    weights = Weights(s, y, arrow.cones)
    f, g, h = rng.normal(size=len(x)), arrow.equalities(x), rng.normal(size=len(dual))
    dx, dy, dl = arrow.newton(weights)(f, g, h)
    left = arrow.quadratic(dx) + arrow.equalities_transposed(dy) + arrow.rows_transposed(dl) - f
    assert np.abs(left).max() <= 1e-8
    assert np.abs(arrow.equalities(dx) - g).max() <= 1e-9
    assert np.abs(arrow.rows(dx) - weights.squared(dl) - h).max() <= 1e-7


@pytest.mark.parametrize("fidelity", [0.0, 3.0])
@pytest.mark.parametrize("kind", ["round", "tilt", "box", "silent"])
def test_the_optimum_is_that_of_the_cones(kind: str, fidelity: float) -> None:
    made = design_program("14_ieee", silent=kind == "silent", fidelity=fidelity, floor=0.1)
    data = made._data
    margins = margins_of(kind, data.A.shape[0], data.released)
    working = np.arange(data.directions.D.shape[0])
    columns = GainColumns.of(data, made._near, 1e-9, silent=kind == "silent")
    assert columns is not None
    found = columns.solve(working, margins, Cuts.none(data.released), made._b)
    columns.sharpen()
    columns.sharpen()
    found = columns.solve(working, margins, Cuts.none(data.released), made._b)
    assert found is not None
    assert not found.rough
    refine = Fixed(margins, data.released, np.zeros(len(made._b)), made.unit_deviation)
    known = made.by_cones(working, refine, made._b, Settings())
    assert isinstance(known, tuple)
    value = data.value(found.z, found.K, found.Z, found.s)
    assert value == pytest.approx(data.value(*known), rel=1e-7)
    assert np.abs(found.z - known[0]).max() <= 1e-3
    assert found.s == pytest.approx(known[3], abs=1e-4)


def test_linear_costs_too() -> None:
    """No cost to whiten a basis with: the optimum is that of the cones all the same."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 1.5], G=[[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]], d=None,
        lower=0.0, upper=5.0,
    )  # fmt: skip
    parts = program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.1)
    policy = po.design(*parts, domain=po.Box(1.0, 2.0), floor=0.5)
    assert policy.residual <= 1e-8
    assert policy.cost == pytest.approx(3.3075647, rel=1e-6)  # that of the conic program
