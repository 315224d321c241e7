"""What a solve says of its solution: recomputed in the user's units, and where it is not to trust.

In units that differ by factors of 1e4, and on programs with all kinds of margins.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import convex
from tests.reference.plain import random_program
from tests.solving.test_compile import chance_of

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.allowed import Allowed
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.problem import Outcome
from privopt.solving.projector import Projector
from privopt.solving.response import Response
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings

DATA = random_program(1, n=8, equalities=3, rows=6, p=2)
ROWS = len(DATA["b"])
NOISE = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(2, 0.1)
KINDS = {
    "norms": Margins(deviations=np.linspace(1.0, 3.0, ROWS)),
    "box": Margins(box=Cuboid(np.array([-1.0, -3.0]), np.array([2.0, 1.0]))),
    "draws": Margins(draws=np.random.default_rng(0).laplace(size=(40, 2))),
}
MIXED = np.random.default_rng(3).normal(size=(2, 8))  # a query of sums, which are rounded


def made(query: Dense = DATA["S"], unit: float = 1.0) -> NoisyProgram:
    """Released values, and with them their noise, come in units of their own."""
    units = 10.0 ** np.random.default_rng(2).uniform(-2, 2, 8)
    scaled = {"c1": DATA["c1"] / units, "C2": DATA["C2"] / np.outer(units, units)}
    scaled |= {"A": DATA["A"] / units, "G": DATA["G"] / units, "b": DATA["b"], "d": DATA["d"]}
    program = convex(scaled)
    S = po.Linear(unit * query / units).matrix(program)
    noise = po.Laplace(epsilon=1.0, alpha=0.1 * unit).calibrate(2, 0.1 * unit)
    return NoisyProgram(program, S, noise, Settings(), program.solve().z)


def excess(chance: NoisyProgram, found: Solved, margins: Margins) -> Vector:
    """A_i z + h_i(A_i Z) - b_i of every row, from its definition."""
    A, b = chance.program.rows.matrix.toarray(), chance.program.rows.bound
    rows, Z = A @ found.z - b, NOISE.scale * np.asarray(found.Z)
    if margins.deviations is not None:
        size = np.sqrt(NOISE.law.variance * np.square(A @ Z).sum(axis=1))
        return rows + margins.deviations * size
    if margins.draws is not None:
        return rows + (A @ Z @ margins.draws.T).max(axis=1)
    assert margins.box is not None
    return rows + np.maximum(A @ Z * margins.box.low, A @ Z * margins.box.high).sum(axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_solution_is_what_it_says(kind: str) -> None:
    margins, chance = KINDS[kind], made()
    found = chance.solve(margins)
    assert isinstance(found, Solved)
    program, over = chance.program, excess(chance, found, margins)
    size = chance.limits / program.rows.bound  # what a row was multiplied by
    assert found.residual == pytest.approx(
        float((size * over / (1 + np.abs(chance.limits))).max()), abs=1e-12
    )
    assert found.residual <= 0
    assert found.exact
    G, Z = program.equalities.matrix.toarray(), np.asarray(found.Z)
    large = np.abs(G) @ np.abs(found.z)
    assert (np.abs(G @ found.z - DATA["d"]) <= 1e-9 * large).all()
    assert (np.abs(G @ Z) <= 1e-9 * (np.abs(G) @ np.abs(Z))).all()
    assert pytest.approx(np.eye(2), abs=1e-9) == chance.S @ Z


@pytest.mark.parametrize("release", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("wrong", ["equalities", "query"])
def test_a_recourse_off_its_equations_is_believed_in_no_units(
    wrong: str, release: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off in G Z = 0, or in S Z = I alone, by little beside what is released; no row minds."""
    chance = made(MIXED, release)
    C, count = chance.scaled.C, chance.scaled.G.shape[0]
    right = np.zeros((C.shape[0], 2))
    right[slice(count) if wrong == "equalities" else slice(count, None)] = 1e-6
    off, nearest, settled = Projector(C).correction(right), Allowed.nearest, Response.settled
    monkeypatch.setattr(Allowed, "nearest", lambda self, Y: nearest(self, Y) + off)
    monkeypatch.setattr(Response, "settled", lambda self, Y, base: settled(self, Y, base) + off)
    assert chance.solve(Margins(deviations=np.zeros(ROWS))) is Outcome.STALLED


@pytest.mark.parametrize("off", [0.0, 1e-3])
def test_equalities_that_contradict_each_other_have_no_solution_that_is_exact(off: float) -> None:
    """2 (x + y) is twice x + y, whatever the data say."""
    program = po.ConvexProgram(
        quadratic=np.ones(3), G=[[1, 1, 0], [2, 2, 0]], d=[1, 2 + off], lower=-9, upper=9
    )
    S = po.Identity([2]).matrix(program)
    calibration = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(1, 0.1)
    chance = NoisyProgram(program, S, calibration, Settings(), np.array([0.5, 0.5, 0.0]))
    found = chance.solve(Margins(deviations=np.full(6, 1.0)))
    assert (isinstance(found, Solved) and found.exact) == (off == 0.0)


def test_what_bound_is_marked_and_a_similar_solve_may_begin_there() -> None:
    data = random_program(3, n=20, equalities=5, rows=20, p=3)  # no small program
    chance = chance_of(convex(data), po.Linear(data["S"]))
    margins = Margins(deviations=np.full(chance.rows, 6.0))
    found = chance.solve(margins)
    assert isinstance(found, Solved)
    assert found.marks is not None
    marks, group = found.marks, chance.scaled.directions.group
    slack, a = chance.spread(found)
    binding = slack - 6.0 * chance.unit_deviation * np.linalg.norm(a, axis=1) <= 1e-6
    binding &= chance.engine.models.movable[group]
    assert binding.any()
    assert not (binding & ~(marks.rows | marks.held)).any()
    assert (marks.rows | marks.held).sum() < chance.rows
    program, S = chance.program, chance.S
    start = NoisyProgram(program, S, chance.calibration, Settings(), found.z, start=marks)
    again = start.solve(margins)
    assert isinstance(again, Solved)
    assert again.z == pytest.approx(found.z, abs=1e-5)
