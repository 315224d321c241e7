"""Values of columns in a conic program: margins at given values are what their formulas say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.margins import Cuboid
from privopt.solving.problem import Cone, Outcome
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.values import Values

ROWS, COLUMNS = 3, 4


class Fixture:
    """A program in which V, and the level if it is a variable, have given values."""

    def __init__(self, level: float | None) -> None:
        rng = np.random.default_rng(0)
        self.start, self.V = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=(ROWS, COLUMNS))
        self.blocks = Blocks(ROWS * COLUMNS)
        given = self.V.T.ravel()
        place = None
        if level is not None:
            place = self.blocks.variables(1)
            given = np.append(given, level)
        count = len(given)
        self.blocks.add(Cone.zero(count), [(0, sp.eye_array(count))], given)
        self.values = Values(0, self.start, place)
        self.known: Dense = (1.0 if level is None else level) * self.start + self.V

    def least(self, terms: Terms, right: Vector) -> Vector:
        """The least t with each row of terms at most t."""
        count = len(right)
        t = self.blocks.variables(count)
        every = np.arange(count)
        terms = [*terms, (t, Entries(np.full(count, -1.0), every, every))]
        self.blocks.add(Cone.nonnegative(count), terms, right)
        for i in range(count):
            self.blocks.cost(t + i, 1.0)
        answer = solve_conic(self.blocks.problem(sp.csc_array((0, 0)), np.zeros(0)), Settings())
        assert answer.outcome is Outcome.OPTIMAL
        return answer.x[t : t + count]


@pytest.mark.parametrize("level", [None, 0.3])
def test_the_support_of_a_box(level: float | None) -> None:
    made = Fixture(level)
    box = Cuboid(np.array([-1.0, -2.0, 0.5, -1.0]), np.array([2.0, 1.0, 1.5, 3.0]))
    factor, rows = np.array([2.0, -0.5]), np.array([2, 0])
    terms: Terms = []
    right, at = np.zeros(2), np.arange(2)
    u = made.values.absolute(made.blocks, np.arange(ROWS)), ROWS
    made.values.support(terms, right, at, rows, factor, box, u)
    wanted = box.support(factor[:, None] * made.known[rows])
    np.testing.assert_allclose(made.least(terms, right), wanted, atol=1e-7)


@pytest.mark.parametrize("level", [None, 0.3])
def test_the_norm_of_a_row_and_of_what_is_outside(level: float | None) -> None:
    made = Fixture(level)
    rest = np.array([0.0, 2.0, 0.5])
    t = made.values.norms(made.blocks, rest)
    every = np.arange(ROWS)
    found = made.least([(t, Entries(np.ones(ROWS), every, every))], np.zeros(ROWS))
    outside = (1.0 if level is None else level) * rest
    wanted = np.sqrt(np.square(made.known).sum(axis=1) + outside**2)
    np.testing.assert_allclose(found, wanted, atol=1e-7)


@pytest.mark.parametrize("level", [None, 0.3])
def test_a_linear_term(level: float | None) -> None:
    made = Fixture(level)
    gradients = np.random.default_rng(1).normal(size=(2, COLUMNS))
    terms: Terms = []
    right, rows = np.zeros(2), np.array([1, 1])
    made.values.linear(terms, right, np.arange(2), rows, gradients)
    wanted = (gradients * made.known[rows]).sum(axis=1)
    np.testing.assert_allclose(made.least(terms, right), wanted, atol=1e-7)
