"""Values of columns in a conic program: margins at given values are what their formulas say."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.blocks import Blocks, Entries, Terms
from privopt.solving.margins import Cuboid
from privopt.solving.problem import Cone, Outcome
from privopt.solving.solver import Settings, solve_conic
from privopt.solving.values import Values

ROWS, COLUMNS = 3, 4


class Fixture:
    """A program in which V has given values."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.start, self.V = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=(ROWS, COLUMNS))
        self.blocks = Blocks(ROWS * COLUMNS)
        given = self.V.T.ravel()
        count = len(given)
        self.blocks.add(Cone.zero(count), [(0, sp.eye_array(count))], given)
        self.values = Values(0, self.start)
        self.known: Dense = self.start + self.V

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


def test_the_support_of_a_box() -> None:
    made = Fixture()
    box = Cuboid(np.array([-1.0, -2.0, 0.5, -1.0]), np.array([2.0, 1.0, 1.5, 3.0]))
    factor, rows = np.array([2.0, -0.5]), np.array([2, 0])
    terms: Terms = []
    right, at = np.zeros(2), np.arange(2)
    u = made.values.absolute(made.blocks, np.arange(ROWS)), ROWS
    made.values.support(terms, right, at, rows, factor, box, u)
    wanted = box.support(factor[:, None] * made.known[rows])
    np.testing.assert_allclose(made.least(terms, right), wanted, atol=1e-7)


def test_the_norm_of_a_row_and_of_what_is_outside() -> None:
    made = Fixture()
    rest = np.array([0.0, 2.0, 0.5])
    t = made.values.norms(made.blocks, rest)
    every = np.arange(ROWS)
    found = made.least([(t, Entries(np.ones(ROWS), every, every))], np.zeros(ROWS))
    wanted = np.sqrt(np.square(made.known).sum(axis=1) + rest**2)
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_a_linear_term() -> None:
    made = Fixture()
    gradients = np.random.default_rng(1).normal(size=(2, COLUMNS))
    terms: Terms = []
    right, rows = np.zeros(2), np.array([1, 1])
    made.values.linear(terms, right, np.arange(2), rows, gradients)
    wanted = (gradients * made.known[rows]).sum(axis=1)
    np.testing.assert_allclose(made.least(terms, right), wanted, atol=1e-7)
