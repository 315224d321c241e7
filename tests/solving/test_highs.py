"""WarmLP against scipy's linprog: values, warm starts, multipliers and how x follows."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any

import highspy
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from privopt.solving.highs import LinearAnswer, WarmLP

steady = settings(deadline=None, max_examples=25, derandomize=True)
INF = np.inf


def program(seed: int) -> dict[str, Any]:
    """Six variables in [-2, 2], two equalities and four inequalities, feasible at a point."""
    rng = np.random.default_rng(seed)
    M, inside = rng.normal(size=(6, 6)), rng.uniform(-1, 1, size=6)
    at = M @ inside
    return {
        "c": rng.normal(size=6),
        "M": sp.csr_array(M),
        "row_lower": np.concatenate([at[:2], np.full(4, -INF)]),
        "row_upper": np.concatenate([at[:2], at[2:] + rng.uniform(0.1, 1, size=4)]),
        "lower": np.full(6, -2.0),
        "upper": np.full(6, 2.0),
    }


def reference(data: dict[str, Any]) -> Any:
    M = data["M"].toarray()
    bounds: Any = np.column_stack([data["lower"], data["upper"]])
    return linprog(
        data["c"],
        A_ub=M[2:],
        b_ub=data["row_upper"][2:],
        A_eq=M[:2],
        b_eq=data["row_upper"][:2],
        bounds=bounds,
    )


def solved(lp: WarmLP, *arguments: Any) -> LinearAnswer:
    answer = lp.solve(*arguments)
    assert answer is not None
    return answer


@steady
@given(seed=st.integers(0, 10_000))
def test_value_point_and_multipliers_are_right(seed: int) -> None:
    data = program(seed)
    answer, wanted = solved(WarmLP(**data)), reference(data)
    assert answer.value == pytest.approx(wanted.fun, rel=1e-9, abs=1e-9)
    assert data["c"] @ answer.x == pytest.approx(answer.value, abs=1e-9)
    multipliers = np.concatenate([wanted.eqlin.marginals, wanted.ineqlin.marginals])
    assert answer.dual == pytest.approx(multipliers, abs=1e-7)


@steady
@given(seed=st.integers(0, 10_000))
def test_a_warm_solve_equals_a_cold_one(seed: int) -> None:
    data, rng = program(seed), np.random.default_rng(seed)
    lp = WarmLP(**data)
    for _ in range(4):
        values = data["row_upper"][:2] + 0.3 * rng.normal(size=2)
        changed = data | {
            "row_lower": np.concatenate([values, data["row_lower"][2:]]),
            "row_upper": np.concatenate([values, data["row_upper"][2:]]),
        }
        warm, cold = lp.solve([0, 1], values), reference(changed)
        assert (warm is None) == (cold.status == 2)
        if warm is not None:
            assert warm.value == pytest.approx(cold.fun, rel=1e-8, abs=1e-8)
            assert data["M"][:2] @ warm.x == pytest.approx(values, abs=1e-8)


@steady
@given(seed=st.integers(0, 10_000))
def test_point_and_value_follow_a_small_change_by_basis_and_multiplier(seed: int) -> None:
    data = program(seed)
    lp = WarmLP(**data)
    rows, values = np.array([0, 1]), data["row_upper"][:2]
    start = solved(lp, rows, values)
    slope = lp.slope(rows)
    assert slope.shape == (6, 2)
    change = np.array([1e-5, -2e-5])
    moved = solved(lp, rows, values + change)
    assert moved.value == pytest.approx(start.value + start.dual[:2] @ change, abs=1e-9)
    assert moved.x == pytest.approx(start.x + slope @ change, abs=1e-8)


def test_an_infeasible_change_is_none_and_does_not_stick() -> None:
    one = np.array([1.0])
    lp = WarmLP(one, sp.csr_array([[1.0]]), 0 * one, 0 * one, -one, one)
    assert lp.solve([0], np.array([5.0])) is None
    assert solved(lp, [0], np.array([0.5])).value == pytest.approx(0.5)
    assert lp.solve([0], np.array([-5.0])) is None


@pytest.mark.parametrize("equality", [[1.0, 1.0], [0.0, 1.0]])
def test_a_cost_without_end_is_minus_infinity(equality: list[float]) -> None:
    lp = WarmLP(
        np.array([-1.0, 0.0]),
        sp.csr_array([equality]),
        np.zeros(1),
        np.zeros(1),
        np.full(2, -INF),
        np.full(2, INF),
    )
    assert solved(lp).value == -INF


def test_infeasible_wins_over_unbounded() -> None:
    lp = WarmLP(
        np.array([-1.0, 0.0]),
        sp.csr_array([[0.0, 1.0]]),
        np.array([5.0]),
        np.array([5.0]),
        np.array([-INF, 0.0]),
        np.array([INF, 1.0]),
    )
    assert lp.solve() is None


@steady
@given(seed=st.integers(0, 10_000))
def test_other_costs_start_from_the_last_basis(seed: int) -> None:
    data = program(seed)
    lp = WarmLP(**data)
    start = solved(lp)
    c = np.random.default_rng(seed + 1).normal(size=6)
    answer = lp.minimise(c)
    assert answer is not None
    assert answer.value == pytest.approx(reference(data | {"c": c}).fun, rel=1e-8, abs=1e-8)
    held = lp.minimise(data["c"])
    assert held is not None
    assert held.value == pytest.approx(start.value, rel=1e-8, abs=1e-8)


class Loud(highspy.Highs):
    """A solver that prints behind its log, as C code does."""

    def run(self) -> Any:
        libc = ctypes.CDLL(None)
        libc.puts(b"buffered by C")
        os.write(1, b"straight\n")
        return super().run()


def test_nothing_it_prints_reaches_standard_output(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highspy, "Highs", Loud)
    WarmLP(**program(0)).solve()
    os.write(1, b"mine\n")
    out, err = capfd.readouterr()
    assert out == "mine\n"
    assert err.count("straight") == err.count("buffered by C") == 1


@pytest.mark.parametrize("small", [0.0, 1e-13])
def test_a_program_without_coefficients_has_no_slope(small: float) -> None:
    """HiGHS has no basis then, and asking for one ended the interpreter."""
    code = (
        "import numpy as np; from privopt.solving.highs import WarmLP; one = np.ones(1)\n"
        f"lp = WarmLP(one, np.array([[{small}]]), 0 * one, 0 * one, -one, one)\n"
        "assert lp.solve().value == -1 and not lp.slope(np.array([0])).any()"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_small_coefficients_count() -> None:
    """1e-10 x <= 1e-10, which HiGHS would leave out by itself."""
    small = np.full(1, 1e-10)
    lp = WarmLP(-np.ones(1), small[:, None], -INF * np.ones(1), small, np.zeros(1), 9 * np.ones(1))
    assert solved(lp).value == pytest.approx(-1.0)
