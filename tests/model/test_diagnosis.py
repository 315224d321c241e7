"""Why a program has no solution: the rows that are named are in the way, and no others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import privopt as po
from privopt.errors import InfeasibleError
from privopt.model.diagnosis import Diagnosis, diagnose_program


def diagnosed(program: po.ConvexProgram) -> Diagnosis:
    return diagnose_program(program, program.right_hand_side(None))


def feasible(program: po.ConvexProgram, without: tuple[str, ...] = ()) -> bool:
    """Whether some z keeps all rows of A but some, by scipy alone."""
    kept = [i for i, name in enumerate(program.row_names) if name not in without]
    rows, right, free = program.A.toarray()[kept], program.b[kept], [(None, None)] * program.n
    equal = program.G.toarray()
    found = linprog(np.zeros(program.n), rows, right, equal, program.d, free)
    return bool(found.status == 0)


@pytest.mark.parametrize("seed", range(8))
def test_without_the_rows_that_are_named_there_is_a_solution(seed: int) -> None:
    """Two rows out of eight contradict each other, in directions and units of their own."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(8, 6)), 1.0 + rng.random(8)
    A[5], b[2], b[5] = -3.0 * A[2], -1.0, -40.0
    A *= 10.0 ** rng.integers(-2, 3, (8, 1))
    program = po.ConvexProgram(
        A=A, b=b, G=rng.normal(size=(2, 6)), d=[0.3, -0.2], row_names=[f"row {k}" for k in range(8)]
    )
    found = diagnosed(program)
    assert not feasible(program)
    assert feasible(program, found.rows)
    assert set(found.rows) & {"row 2", "row 5"}
    assert list(found.excess) == sorted(found.excess, reverse=True)
    assert all(excess > 0 for excess in found.excess)


def test_the_row_in_the_way_is_named_and_others_are_not() -> None:
    program = po.ConvexProgram(
        A=[[1, 1, 0], [0, 1, 1]], b=[1, 9], G=[[1, 0, 0], [0, 1, 0]], d=[3.0, 2.0],
        row_names=["cap", "wide"],
    )  # fmt: skip
    found = diagnosed(program)
    assert found.rows == ("cap",)
    assert found.before_noise
    assert (found.epsilon, found.alpha, found.eta) == (None, None, None)
    assert diagnosed(program.at([0.5, 0.5])).rows == ()


def test_equalities_that_contradict_each_other_are_no_rows() -> None:
    program = po.ConvexProgram(G=[[1, 1], [2, 2]], d=[1.0, 3.0], lower=0, upper=9)
    found = diagnosed(program)
    assert found.rows == ()
    assert "contradict each other" in found.summary()
    with pytest.raises(InfeasibleError) as caught:
        program.solve()
    assert str(caught.value.diagnose()) == str(found)


def test_values_are_told_to_whoever_asks_and_not_unasked() -> None:
    found = Diagnosis(("line a", "line b"), (0.54321, 0.12345), 2.5, None, 0.0625)
    said = found.summary()
    for part in ("line a", "0.54321", "smallest epsilon: 2.5", "largest alpha: none in its range",
                 "smallest eta: 0.0625", "PRIVATE"):  # fmt: skip
        assert part in said
    for shown in (repr(found), found._repr_html_()):
        assert "line a" not in shown
        assert "0.54" not in shown
    assert found.to_pandas()["relative excess"].tolist() == [0.54321, 0.12345]
    blocked = Diagnosis(("line a",), (0.5,), None, None, None, before_noise=True).summary()
    assert "smallest epsilon" not in blocked
