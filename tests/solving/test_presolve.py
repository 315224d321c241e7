"""What rows of A say: bounds, equalities, rows that hold anyway; one program in many writings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.reference.plain import plain_model, random_program

import privopt as po
from privopt.solving.presolve import box, tied_rows

NOISE = po.Laplace(epsilon=1.0, alpha=0.05)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_pairs_are_found_in_any_units_and_gaps_are_respected(unit: float) -> None:
    A = sp.csr_array(np.array([[1.0, 1.0], [-1.0, -1.0]]))
    for gap, wanted in ((0.0, 1), (1e-12, 1), (1e-3, 0)):
        assert len(tied_rows(A, unit * np.array([1.0, -1.0 + gap]))[0]) == wanted
    assert len(tied_rows(A, np.zeros(2))[0]) == 1


@pytest.mark.parametrize("seed", range(10))
def test_pairs_are_those_of_all_pairs(seed: int) -> None:
    """Against every pair of rows, by their definition; the tightest of each side counts."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(4, 3))
    which, f = rng.integers(4, size=12), rng.choice([1.0, -1.0, 0.5, -0.25, 4.0], 12)
    A, b = f[:, None] * base[which], np.abs(f) * rng.choice([-2.0, -1.0, 1.0, 2.0], 12)
    first, second, rest = tied_rows(sp.csr_array(A), b)
    held: set[int] = set()
    for k in range(4):
        up = [b[i] / f[i] for i in range(12) if which[i] == k and f[i] > 0]
        down = [b[i] / -f[i] for i in range(12) if which[i] == k and f[i] < 0]
        if up and down and min(up) == -min(down):
            held |= {i for i in range(12) if which[i] == k}
    assert {*first.tolist(), *second.tolist(), *rest.tolist()} == held
    for i, k in zip(first, second, strict=True):
        assert A[i] / abs(f[i]) == pytest.approx(-A[k] / abs(f[k]))
        assert b[i] / abs(f[i]) == -b[k] / abs(f[k])


def test_the_tightest_of_rows_and_bounds_is_the_box() -> None:
    A = np.array([[2.0, 0, 0], [1, 0, 0], [-4, 0, 0], [0, 1, 1], [0, 0, -1], [0, 0, 0]])
    b = np.array([6.0, 5, 4, 1, 2, 1])
    lower, upper = np.array([-7.0, 0, -1]), np.array([np.inf, 9, np.inf])
    low, high = box(sp.csr_array(A), b, lower, upper)
    assert low.tolist() == [-1, 0, -1]
    assert high.tolist() == [3, 9, np.inf]
    assert lower.tolist() == [-7, 0, -1]  # the caller's own


def written(seed: int) -> dict[str, dict[str, Any]]:
    """A random program: half of its equalities public, one variable fixed; in several writings."""
    rng = np.random.default_rng(seed)
    data = random_program(seed, n=10, equalities=4, rows=5)
    n, z = 10, rng.normal(size=10)
    A, G = data["A"][:5], data["G"]
    b = A @ z + rng.uniform(0.5, 1.5, 5)
    lower, upper = z - rng.uniform(0.5, 2, n), z + rng.uniform(0.5, 2, n)
    own = int(np.flatnonzero(data["S"].sum(axis=0) == 0)[0])
    lower[own] = upper[own] = z[own]
    common = {"linear": data["c1"], "quadratic": data["C2"] + 0.05 * np.eye(n)}
    d, free = G @ z, np.delete(np.arange(n), own)
    eye, f = np.eye(n), rng.uniform(0.2, 3.0, (3, n))
    rows = np.vstack([A, f[0, free, None] * eye[free], -f[1, free, None] * eye[free]])
    limits = np.concatenate([b, (f[0] * upper)[free], -(f[1] * lower)[free]])
    pairs = np.vstack([G[2:], -f[2, :2, None] * G[2:], eye[[own]], -2.5 * eye[[own]]])
    values = np.concatenate([d[2:], -f[2, :2] * d[2:], [z[own], -2.5 * z[own]]])
    return {
        "usual": common
        | {"A": A, "b": b, "G": G, "d": d, "private": [0, 1], "lower": lower, "upper": upper},
        "rows": common
        | {"A": rows, "b": limits, "G": np.vstack([G, eye[[own]]]), "d": np.append(d, z[own])}
        | {"private": [0, 1]},
        "pairs": common
        | {"A": np.vstack([rows, pairs]), "b": np.append(limits, values), "G": G[:2], "d": d[:2]},
        "twice": common
        | {
            "A": np.vstack([A, 0.7 * rows, rows]),
            "b": np.concatenate([b, 0.7 * limits + 0.1, limits]),
        }
        | {"G": G, "d": d, "private": [0, 1], "lower": lower, "upper": upper},
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "kept",
    [po.Analytic(eta=0.025, margin="unimodal"), po.ExactBox(eta=0.1), po.Analytic(eta=0.05)],
    ids=["unimodal", "box", "exact"],
)
def test_how_a_program_is_written_changes_nothing(seed: int, kept: Any) -> None:
    S = random_program(seed, n=10, equalities=4, rows=5)["S"]
    costs, bounds = [], set[float]()
    for given in written(seed).values():
        limits = np.asarray(given["b"])
        assert len(limits) == len(given["A"])
        plan = po.solve(po.ConvexProgram(**given), po.Linear(S), NOISE, kept)
        costs.append(plan.cost)
        bounds.add(plan.calibration.exponent)
    assert costs == pytest.approx([costs[0]] * len(costs), rel=1e-7)
    assert len(bounds) == 1


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_pairs_equal_plain_cvxpy(seed: int) -> None:
    data, given = random_program(seed, n=10, equalities=4, rows=5), written(seed)["pairs"]
    usual = written(seed)["usual"]
    plan = po.solve(
        po.ConvexProgram(**given),
        po.Linear(data["S"]),
        NOISE,
        po.Analytic(eta=0.025, margin="unimodal"),
    )
    free = usual["lower"] < usual["upper"]
    eye = np.eye(10)
    A = np.vstack([usual["A"], eye[free], -eye[free]])
    wanted = plain_model(
        usual["linear"],
        usual["quadratic"],
        A,
        np.concatenate([usual["b"], usual["upper"][free], -usual["lower"][free]]),
        np.vstack([usual["G"], eye[~free]]),
        np.append(usual["d"], usual["lower"][~free]),
        data["S"],
        sigma=plan.calibration.deviation,
        factors=np.full(len(A), np.sqrt(2 / (9 * 0.025))),
    )
    assert plan.cost == pytest.approx(wanted.cost, rel=1e-7)


def test_a_vector_eta_has_an_entry_for_each_row_as_it_is_written() -> None:
    """Those of a pair, of rows that follow and of a fixed variable may be given, or left out."""
    program = po.ConvexProgram(
        A=[[1, 0, 0, 0], [0, 1, 0, 0], [-2, 0, 0, 0], [3, 0, 0, 0]], b=[2, 1.5, -4, 9],
        linear=[1, 1, 3, 0], quadratic=[1, 1, 1, 1], G=[[1, 1, 1, 1]], d=[7],
        lower=[-9, 0, 0, 1], upper=[9, 9, 9, 1],
    )  # fmt: skip
    assert len(program.rows) == 7
    rows, bounds = [0.4, 0.01, 0.3, 0.2], [0.02, 0.03, 0.04]
    lists = {
        "these rows": [0.01, *bounds, *bounds],
        "rows as written": [*rows, *bounds, *bounds],
        "with the fixed variable": [*rows, *bounds, 0.3, *bounds, 0.3],
    }
    plans = [
        po.solve(program, po.Identity([1]), NOISE, po.Analytic(eta=eta)) for eta in lists.values()
    ]
    wider = po.solve(program, po.Identity([1]), NOISE, po.Analytic(eta=[0.2, *bounds, *bounds]))
    assert wider.cost < plans[0].cost - 1e-6  # the entry is that of the row that binds
    for plan in plans[1:]:
        assert plan.cost == pytest.approx(plans[0].cost, rel=1e-9)
        assert plan.guarantee.feasibility == plans[0].guarantee.feasibility
    with pytest.raises(po.errors.InputError, match="eta has 9 entries"):
        po.solve(program, po.Identity([1]), NOISE, po.Analytic(eta=[0.1] * 9))


def test_a_looser_row_with_a_smaller_eta_counts() -> None:
    """z <= 4 nine times in ten, and z <= 4.05 but for one time in a thousand, is more."""
    common = {"linear": [-1, 0], "quadratic": [0.1, 0.1], "G": [[1, 1]], "d": [3], "lower": -50}
    one = po.ConvexProgram(**common, A=[[1, 0]], b=[4])
    two = po.ConvexProgram(**common, A=[[1, 0], [2, 0]], b=[4, 8.1])
    query = po.Identity([0])
    alone = po.solve(one, query, NOISE, po.Analytic(eta=[0.1, 0.1, 0.1]))
    both = po.solve(two, query, NOISE, po.Analytic(eta=[0.1, 1e-3, 0.1, 0.1]))
    same = po.solve(two, query, NOISE, po.Analytic(eta=[0.1, 0.1, 0.1, 0.1]))
    assert same.expected[0] == pytest.approx(alone.expected[0], abs=1e-7)
    assert both.expected[0] < alone.expected[0] - 0.1


def test_a_vector_eta_where_every_row_is_an_equality() -> None:
    program = po.ConvexProgram(
        linear=np.ones(4), quadratic=np.ones(4), A=[[1, 1, 0, 0.0], [-1, -1, 0, 0]], b=[2.0, -2.0],
        G=np.ones((1, 4)), d=[4.0],
    )  # fmt: skip
    noise, query = po.Laplace(epsilon=1.0, alpha=0.1), po.Identity([0])
    each = po.solve(program, query, noise, po.Analytic(eta=[0.1, 0.1]))
    assert each.cost == po.solve(program, query, noise, po.Analytic(eta=0.1)).cost
