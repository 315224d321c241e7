"""Private limits: the same optima as the plain model, and promises that hold for them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.model.limits import chosen_limits, copied, padded, wider, with_copies
from privopt.model.program_file import program_from_dict, program_to_dict

ROWS = ["oven", "mill", "yard"]
A = np.array([[1.0, 2.0, 0.5, 1.0], [0.5, 1.0, 1.0, 2.0], [1.0, 0.0, 1.0, 1.0]])
INCOME = np.array([-3.0, -5.0, -2.5, -4.0])


def bakery(**changed: Any) -> po.ConvexProgram:
    """What is baked from private capacities of oven and mill; the yard's is public."""
    given: dict[str, Any] = {
        "linear": INCOME, "quadratic": [0.1] * 4, "A": A, "b": [0.0, 0.0, 6.0], "lower": 0.0,
        "names": ["rye", "wheat", "oat", "spelt"], "row_names": ROWS,
        "private_limits": ["oven", "mill"],
    }  # fmt: skip
    return po.ConvexProgram(**{**given, **changed})


@pytest.mark.parametrize("seed", range(10))
def test_optima_are_those_of_the_plain_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits, sold = rng.uniform(3, 8, 2), float(rng.uniform(0.5, 2))
    z: Any = cp.Variable(4, nonneg=True)
    cost = cp.Minimize(INCOME @ z + 0.1 * cp.sum_squares(z))
    rows = [A[:2] @ z <= limits, A[2] @ z <= 6]
    cp.Problem(cost, rows).solve()
    found = bakery().at(limits).solve()
    np.testing.assert_allclose(found.z[:4], z.value, atol=1e-5)
    np.testing.assert_allclose(found.z[4:], limits, rtol=1e-12)
    cp.Problem(cost, [*rows, z[0] + z[1] == sold]).solve()
    both = bakery(G=[[1.0, 1, 0, 0]], data_names=["sold"], d=[sold, *limits])
    np.testing.assert_allclose(both.solve().z[:4], z.value, atol=1e-5)


def test_limits_are_entries_of_d_under_their_own_names() -> None:
    program = bakery(G=[[1.0, 1, 0, 0]], data_names=["sold"])
    assert program.data_names == program.private_names == ("sold", "oven", "mill")
    assert program.names == ("rye", "wheat", "oat", "spelt", "oven", "mill")
    assert program.rows.names[:3] == ("oven", "mill", "yard")
    shuffled = pd.Series({"mill": 5.0, "sold": 1.0, "oven": 4.0})
    assert program.at(shuffled).d.tolist() == [1.0, 4.0, 5.0]
    public = bakery(G=[[1.0, 1, 0, 0]], data_names=["sold"], private=[])
    assert public.private_names == ("oven", "mill")
    again = program_from_dict(program_to_dict(program))
    assert again.data_names == program.data_names
    assert again.at(shuffled).solve().cost == program.at(shuffled).solve().cost


def test_a_series_may_name_d_where_the_program_is_made() -> None:
    limits = pd.Series({"mill": 5.0, "oven": 4.0})
    assert bakery(d=limits).d.tolist() == [4.0, 5.0]
    both = bakery(G=[[1.0, 1, 0, 0]], d=pd.Series({"mill": 5.0, "sold": 1.0, "oven": 4.0}))
    assert both.data_names == ("sold", "oven", "mill")
    assert both.d.tolist() == [1.0, 4.0, 5.0]


def test_what_b_says_of_a_private_limit_is_not_read() -> None:
    one, other = bakery(), bakery(b=[77.0, -5.0, 6.0])
    assert program_to_dict(one) == program_to_dict(other)


@pytest.mark.parametrize("bounded", [True, False])
def test_a_decision_is_within_all_private_limits_that_are_possible(bounded: bool) -> None:
    program, domain, query = bakery(), po.Box([4.0, 5.0], [5.0, 7.0]), po.Identity(["rye", "oat"])
    noise: Any = (
        po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
        if bounded
        else po.Laplace(epsilon=1.0, alpha=0.1)
    )
    instrument = po.Instrument(np.eye(2), program=program, privacy=noise, domain=domain)
    limits = np.array([4.2, 6.1])
    decision = po.decide(
        program,
        query,
        instrument.measure(limits),
        po.Always() if bounded else po.ExactBox(eta=0.01),
    )
    assert decision.guarantee.feasibility.provenance is po.Provenance.PROVEN
    assert decision.check().excess <= 0
    z = decision.complete(limits).z
    assert (A[:2] @ z[:4] <= limits + 1e-6).all()
    assert A[2] @ z[:4] <= 6 + 1e-6


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"private_limits": []}, "empty"),
        ({"private_limits": ["oven", "oven"]}, "twice"),
        ({"private_limits": ["attic"]}, "attic"),
        ({"private_limits": [7]}, "7"),
        ({"row_names": ["rye", "mill", "yard"], "private_limits": ["rye"]}, "name of a variable"),
        ({"A": None, "b": None}, "no equality"),
        ({"private_limits": None}, "no equality"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(po.errors.InputError, match=says):
        bakery(**changed)


def test_the_parts() -> None:
    from scipy.sparse import csr_array

    wide = wider(csr_array(A), 6)
    assert wide.shape == (3, 6)
    rows, bound = with_copies(wide, np.array([1.0, 2.0, 3.0]), [2, 0], 4)
    assert rows.toarray()[:, 4:].tolist() == [[0, -1], [0, 0], [-1, 0]]
    assert bound.tolist() == [0, 2, 0]
    assert copied(wider(csr_array(np.ones((1, 2))), 4), 2).toarray().tolist() == [
        [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1],
    ]  # fmt: skip
    assert padded(np.array([1.0]), 2, np.inf).tolist() == [1, np.inf, np.inf]
    assert chosen_limits(None, ROWS, ()) == []
