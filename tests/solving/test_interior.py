"""The interior-point method: the optimum of Clarabel, or None."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.interior import Newton, Start, interior_point
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.solver import Settings, solve_conic


@dataclass(frozen=True)
class DenseProgram:
    """A quadratic program by its matrices: the plainest structure there is."""

    P: Dense
    q: Vector
    E: Dense
    d: Vector
    B: Dense
    b: Vector

    def quadratic(self, x: Vector) -> Vector:
        return self.P @ x

    def rows(self, x: Vector) -> Vector:
        return self.B @ x

    def rows_transposed(self, dual: Vector) -> Vector:
        return self.B.T @ dual

    def equalities(self, x: Vector) -> Vector:
        return self.E @ x

    def equalities_transposed(self, y: Vector) -> Vector:
        return self.E.T @ y

    def newton(self, weights: Vector) -> Newton:
        n, e, m = len(self.q), len(self.d), len(self.b)
        system = np.block(
            [
                [self.P, self.E.T, self.B.T],
                [self.E, np.zeros((e, e + m))],
                [self.B, np.zeros((m, e)), -np.diag(1 / weights)],
            ]
        )

        def solve(f: Vector, g: Vector, h: Vector) -> tuple[Vector, Vector, Vector]:
            found: Vector = np.asarray(np.linalg.solve(system, np.concatenate([f, g, h])), float)
            return found[:n], found[n : n + e], found[n + e :]

        return solve

    def start(self) -> Start:
        inside = np.ones(len(self.b))
        return Start(np.zeros(len(self.q)), inside, inside)


def random_quadratic(seed: int, *, linear: bool = False) -> DenseProgram:
    rng = np.random.default_rng(seed)
    n, e, m = 12, 3, 30
    root = rng.normal(size=(n, 0 if linear else int(rng.integers(1, n))))
    E, B, inside = rng.normal(size=(e, n)), rng.normal(size=(m, n)), rng.normal(size=n)
    box = np.vstack([np.eye(n), -np.eye(n)])
    return DenseProgram(
        root @ root.T,
        rng.normal(size=n),
        E,
        E @ inside,
        np.vstack([B, box]),
        np.concatenate([B @ inside + rng.uniform(0, 1, m), box @ inside + 3]),
    )


def conic(program: DenseProgram) -> ConicProblem:
    return ConicProblem(
        sp.csc_array(program.P),
        program.q,
        sp.csc_array(np.vstack([program.E, program.B])),
        np.concatenate([program.d, program.b]),
        (
            Cone.zero(len(program.d)),
            Cone.nonnegative(len(program.b)),
        ),
    )


@pytest.mark.parametrize("seed", range(12))
def test_it_finds_the_optimum(seed: int) -> None:
    program = random_quadratic(seed, linear=seed % 3 == 0)
    found = interior_point(program, program.start(), 1e-9)
    assert found is not None
    known = solve_conic(conic(program), Settings())
    value = 0.5 * known.x @ program.P @ known.x + program.q @ known.x
    assert found.value == pytest.approx(value, rel=1e-7, abs=1e-8)
    assert (program.B @ found.x <= program.b + 1e-7).all()
    assert (found.dual > 0).all()
    off = program.P @ found.x + program.q + program.B.T @ found.dual
    # What is left of the gradient is in the span of the equalities.
    rest = off - program.E.T @ np.linalg.lstsq(program.E.T, off, rcond=None)[0]
    assert np.abs(rest).max() <= 1e-6


def test_no_optimum_is_no_answer() -> None:
    program = random_quadratic(1)
    impossible = DenseProgram(
        program.P, program.q, program.E, program.d,
        np.vstack([program.B, program.B[:1], -program.B[:1]]),
        np.concatenate([program.b, [-1.0, -1.0]]),
    )  # fmt: skip
    assert interior_point(impossible, impossible.start(), 1e-9) is None
    assert solve_conic(conic(impossible), Settings()).outcome is Outcome.INFEASIBLE
    free = DenseProgram(
        np.zeros((2, 2)), np.array([1.0, 0.0]), np.zeros((0, 2)), np.zeros(0),
        np.array([[1.0, 1.0]]), np.array([1.0]),
    )  # fmt: skip
    assert interior_point(free, free.start(), 1e-9) is None


def test_a_start_that_is_far_off_does_not_cost_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little room and large multipliers: a hundred times off, the optimum is the same."""
    program = random_quadratic(2)
    known = interior_point(program, program.start(), 1e-9)
    start = program.start()
    far = Start(start.x + 100.0, 1e-4 * start.slack, 1e2 * start.dual)
    steps: list[float] = []
    whole = DenseProgram.newton

    def counted(self: DenseProgram, weights: Vector) -> Newton:
        steps.append(1.0)
        return whole(self, weights)

    monkeypatch.setattr(DenseProgram, "newton", counted)
    found = interior_point(program, far, 1e-9)
    assert known is not None
    assert found is not None
    assert found.value == pytest.approx(known.value, rel=1e-7)
    assert len(steps) <= 20
