"""Private data before any is known: what follows them, and their draws."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.mechanisms.private_data import PrivateData

RING = np.array([[1.0, 0, -1], [-1, 1, 0], [0, -1, 1]])


def test_entries_that_balance_follow() -> None:
    program = po.ConvexProgram(
        G=RING, d=None, data_names=["a", "b", "c"], private=["a", "b"], lower=-5, upper=5
    )
    data = PrivateData.of(program, np.zeros(2), np.ones(2), None, ["c"])
    whole = data.whole(np.array([0.75, 0.25]))
    assert whole == pytest.approx([0.75, 0.25, -1.0])
    assert data.target(np.array([1.0, 1.0])) == pytest.approx([1.0, 1.0, -2.0])


def test_a_uniform_prior_and_draws() -> None:
    program = po.ConvexProgram(G=np.eye(2), d=None)
    lower, upper = np.array([0.0, 1.0]), np.array([1.0, 4.0])
    data = PrivateData.of(program, lower, upper, None, None)
    assert data.variance == pytest.approx([1 / 12, 9 / 12])
    drawn = data.draws() + data.mean
    assert ((drawn >= lower) & (drawn <= upper)).all()
    assert (data.draws() == data.draws()).all()
    given = np.array([[0.5, 2.0], [0.7, 3.0]])
    data = PrivateData.of(program, lower, upper, given, None)
    assert data.mean == pytest.approx([0.6, 2.5])
    assert data.variance == pytest.approx(given.var(axis=0))


def test_an_entry_that_balances_nothing_is_no_balance() -> None:
    """Else its value would be taken for zero, and nobody would have said so."""
    program = po.ConvexProgram(linear=[1, 2], G=np.eye(2), lower=0, private=[0], d=[6.0, 3.0])
    with pytest.raises(InputError, match="balances nothing"):
        PrivateData.of(program, np.ones(1), 2 * np.ones(1), None, [1])
