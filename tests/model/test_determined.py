"""What the data fix is found, named as a sum, and explained; what a number fixes is not private."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.model.determined import determined, determined_error, without_room


def units(*upper: float) -> po.ConvexProgram:
    """Units a, b, c, ... supply one demand."""
    count = len(upper)
    return po.ConvexProgram(
        linear=np.ones(count), G=np.ones((1, count)), lower=0.0, upper=list(upper),
        names=list("abcdef"[:count]), data_names=["demand"],
    )  # fmt: skip


def found(program: po.ConvexProgram, query: po.Query) -> tuple[str, ...]:
    F = np.zeros((len(program.equalities), len(program.private)))
    F[program.private, range(len(program.private))] = 1.0
    names = query.names(program)
    every = determined(program, query.matrix(program), sp.csr_array(F))
    if every:
        error = determined_error(every, names)
        assert error.released == tuple(names[j] for j in every[0].released)
        return (every[0].words(names), error.got, error.remedy)
    return ()


def test_units_without_room_leave_the_others_to_the_data() -> None:
    program = units(5.0, 4.0, 0.0, 0.0)
    words, got, remedy = found(program, po.Identity(["a", "b"]))
    assert words == "a + b"
    assert "a + b follows from the private data alone" in got
    assert "because c, d have no room" in got
    assert "without b" in remedy
    assert found(program, po.Identity(["a"])) == ()
    assert found(units(5.0, 4.0, 3.0), po.Identity(["a", "b"])) == ()


def test_what_a_public_number_fixes_follows_no_data() -> None:
    """c is 0 whatever the demand is: that can be published, and is no conflict."""
    assert found(units(5.0, 4.0, 0.0), po.Identity(["a", "c"])) == ()
    words, _, _ = found(units(5.0, 4.0, 0.0), po.Identity(["c", "a", "b"]))
    assert words == "a + b"


def test_weights_and_signs_are_those_of_the_released_values() -> None:
    program = units(5.0, 4.0)
    doubled = po.Linear(np.array([[2.0, 0.0], [0.0, -1.0]]))
    words, got, _ = found(program, doubled)
    assert words == "0.5 y[0] - y[1]"
    assert "because the equality demand fixes it" in got
    assert found(program, po.Sum([["a", "b"]]))[0] == "sum[0]"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_it_is_the_rank_condition_restated(seed: int) -> None:
    """A private combination exists exactly where [G; S] K = [F; 0] has no solution."""
    rng = np.random.default_rng(seed)
    n, m, p = 5, int(rng.integers(1, 4)), int(rng.integers(1, 4))
    G, S = (rng.integers(-1, 2, size=(k, n)).astype(float) for k in (m, p))
    G[:, 0] += 2.0 * (np.abs(G).sum(axis=1) == 0)
    S[:, 0] += 2.0 * (np.abs(S).sum(axis=1) == 0)
    if np.linalg.matrix_rank(G) < m:
        return
    program = po.ConvexProgram(linear=np.ones(n), G=G, lower=-9.0, upper=9.0)
    both, right = np.vstack([G, S]), np.vstack([np.eye(m), np.zeros((p, m))])
    rest = both @ np.linalg.lstsq(both, right, rcond=None)[0] - right
    every = determined(program, sp.csr_array(S), sp.csr_array(np.eye(m)))
    assert bool(every) == bool(np.abs(rest).max() > 1e-8)
    for one in every:
        weights = np.zeros(p)
        weights[list(one.released)] = one.weights
        multipliers = np.linalg.lstsq(G.T, S.T @ weights, rcond=None)[0]
        assert np.allclose(G.T @ multipliers, S.T @ weights, atol=1e-8)
        assert np.abs(multipliers).max() > 1e-6


def test_values_without_room_are_what_their_bounds_say() -> None:
    program = units(5.0, 4.0, 0.0)
    S = po.Linear(np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 1.0]])).matrix(program)
    assert without_room(program, S) == {0: 0.0}
    held = po.ConvexProgram(linear=[1, 1], G=[[1, 1]], lower=[0, 2], upper=[9, 2])
    assert without_room(held, po.Identity([0, 1]).matrix(held)) == {1: 2.0}
