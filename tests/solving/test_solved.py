"""What a solve says of its solution: recomputed in the user's units, and where it is not to trust.

In units that differ by factors of 1e4, and on programs with all kinds of margins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
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
from privopt.solving.scaled import Point, ScaledProgram
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings
from privopt.solving.specification import Specification
from privopt.solving.spread import Spread

DATA = random_program(1, n=8, equalities=3, rows=6, p=2)
ROWS = len(DATA["b"])
NOISE = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(2, 0.1)
KINDS = {
    "norms": Margins(deviations=np.linspace(1.0, 3.0, ROWS)),
    "box": Margins(box=Cuboid(np.array([-1.0, -3.0]), np.array([2.0, 1.0]))),
    "draws": Margins(draws=np.random.default_rng(0).laplace(size=(40, 2))),
}
ASKED = Specification(
    target=DATA["d"], F=sp.csr_array(np.eye(3)[:, :2]), low=np.array([-0.1, -0.2]),
    high=np.array([0.2, 0.1]), variance=np.full(2, 0.01), reach=np.array([0.1, 0.05]), order=1,
    floor=0.2,
)  # fmt: skip


MIXED = np.random.default_rng(3).normal(size=(2, 8))  # a query of sums, which are rounded


def made(query: Dense = DATA["S"], **more: Any) -> NoisyProgram:
    units = 10.0 ** np.random.default_rng(2).uniform(-2, 2, 8)
    scaled = {"c1": DATA["c1"] / units, "C2": DATA["C2"] / np.outer(units, units)}
    scaled |= {"A": DATA["A"] / units, "G": DATA["G"] / units, "b": DATA["b"], "d": DATA["d"]}
    program = convex(scaled)
    S = po.Linear(query / units).matrix(program)
    return NoisyProgram(program, S, NOISE, Settings(), program.solve().z, **more)


def excess(chance: NoisyProgram, found: Solved, margins: Margins) -> Vector:
    """A_i z + sup_v A_i K v + h_i(A_i Z) - b_i of every row, from its definition."""
    A, b = chance.program.rows.matrix.toarray(), chance.program.rows.bound
    rows, Z = A @ found.z - b, NOISE.scale * np.asarray(found.Z)
    if chance.asked is not None:
        moved = A @ found.gain
        rows += np.maximum(moved * chance.asked.low, moved * chance.asked.high).sum(axis=1)
    if margins.deviations is not None:
        size = np.sqrt(NOISE.law.variance * np.square(A @ Z).sum(axis=1))
        return rows + margins.deviations * size
    if margins.draws is not None:
        return rows + (A @ Z @ margins.draws.T).max(axis=1)
    assert margins.box is not None
    return rows + np.maximum(A @ Z * margins.box.low, A @ Z * margins.box.high).sum(axis=1)


@pytest.mark.parametrize("asked", [None, ASKED], ids=["plan", "policy"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_solution_is_what_it_says(kind: str, asked: Specification | None) -> None:
    margins, chance = KINDS[kind], made(asked=asked)
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
    assert pytest.approx(found.level * np.eye(2), abs=1e-9) == chance.S @ Z
    assert found.gain.shape == (program.n, 0 if asked is None else 2)
    assert found.level == 1.0 if asked is None else found.level >= 0.2 * (1 - 1e-6)
    if asked is not None:
        off = np.abs(G @ found.gain - asked.F.toarray())
        assert (off <= 1e-9 * (np.abs(G) @ np.abs(found.gain))).all()


def test_a_margin_that_was_not_asked_for_shows() -> None:
    """The residual under others is that of its definition, too; here far above zero."""
    chance = made()
    found = chance.solve(KINDS["norms"])
    assert isinstance(found, Solved)
    more = Margins(deviations=np.linspace(20.0, 60.0, ROWS))
    size = chance.limits / chance.program.rows.bound
    wanted = (size * excess(chance, found, more) / (1 + np.abs(chance.limits))).max()
    residual = chance.residual(found.z, found.gain, np.asarray(found.Z), more)
    assert residual == pytest.approx(float(wanted), rel=1e-6)
    assert residual > 0.01


@pytest.mark.parametrize("release", [1e-10, 1.0, 1e10])
def test_released_values_come_in_any_units(release: float) -> None:
    """The noise of a policy is of their size, and S Z = s I holds to rounding beside that."""
    chance = made(release * MIXED, asked=replace(ASKED, floor=0.2 * release))
    found = chance.solve(KINDS["norms"])
    assert isinstance(found, Solved)
    assert found.exact
    assert found.level >= 0.2 * release * (1 - 1e-6)
    Z = np.asarray(found.Z)
    assert pytest.approx(np.eye(2), abs=1e-9) == chance.S @ Z / found.level


@pytest.mark.parametrize("release", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("wrong", ["equalities", "query"])
def test_a_recourse_off_its_equations_is_believed_in_no_units(
    wrong: str, release: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off in G Z = 0, or in S Z = s I alone, by little beside what is released; no row minds."""
    chance = made(release * MIXED, asked=replace(ASKED, floor=0.2 * release))
    C, count = chance.scaled.C, chance.scaled.G.shape[0]
    right = np.zeros((C.shape[0], 2))
    right[slice(count) if wrong == "equalities" else slice(count, None)] = 1e-6
    off, nearest = Projector(C).correction(right), Allowed.nearest
    monkeypatch.setattr(Allowed, "nearest", lambda self, Y: nearest(self, Y) + off)
    assert chance.solve(Margins(deviations=np.zeros(ROWS))) is Outcome.STALLED


@pytest.mark.parametrize("kind", ["norms", "box"])
def test_rounding_beside_noise_of_next_to_nothing_is_no_reason_to_solve_again(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise costs x or y; variables that cost nothing move all the same, by far more than it."""
    flat, p = 12, 2
    weights = np.random.default_rng(5).normal(size=(p, flat))
    rest = np.zeros((p, 2 * p + 2))  # x (p), y (p), and two that follow the private data
    seen, kept = rest.copy(), rest.copy()
    seen[:, :p] = kept[:, p : 2 * p] = np.eye(p)
    follow = np.concatenate([np.zeros(2 * p), np.ones(2), np.zeros(flat)])
    cost = np.concatenate([np.ones(2 * p), np.zeros(2 + flat)])
    target = np.array([1.0, 0.4, -0.2])
    program = po.ConvexProgram(
        linear=cost, quadratic=follow, G=np.vstack([follow, np.hstack([kept, weights])]),
        d=target, lower=-2, upper=3, private=[0],
    )  # fmt: skip
    asked = Specification(
        target=target, F=sp.csr_array(np.eye(3)[:, :1]), low=np.array([-0.1]),
        high=np.array([0.2]), variance=np.array([0.01]), reach=np.array([0.1]), order=1,
    )  # fmt: skip
    S = po.Linear(np.hstack([seen, weights])).matrix(program)
    chance = NoisyProgram(program, S, NOISE, Settings(), program.solve().z, asked=asked)
    norms = Margins(deviations=np.full(chance.rows, 2.0))
    ends: list[Spread] = []  # one for each solution that is looked at

    def noted(data: ScaledProgram, point: Point) -> Spread:
        ends.append(Spread(data, point))
        return ends[-1]

    monkeypatch.setattr("privopt.solving.noisy.Spread", noted)
    found = chance.solve(norms if kind == "norms" else KINDS["box"])
    assert isinstance(found, Solved)
    assert found.level <= 1e-8 * chance.released_size / NOISE.scale
    off = chance.S @ np.asarray(found.Z) - found.level * np.eye(p)
    assert np.abs(off).max() <= 1e-14
    assert len(ends) == 1


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
