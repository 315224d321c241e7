"""Values that have a certificate: against the whole model written down in plain CVXPY."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.equilibration import scaled
from privopt.solving.problem import Outcome
from privopt.solving.robust.certifying import Certifier
from privopt.solving.robust.condensed import Condensed
from privopt.solving.robust.deciding import Decided, decided
from privopt.solving.robust.region import Region
from privopt.solving.robust.two_stage import TwoStage
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings

DRAWS = 12


@dataclass(frozen=True)
class Case:
    """A random program, a query, a region of its data, and draws within."""

    program: po.ConvexProgram
    S: Dense
    region: Region
    draws: Dense
    fidelity: float
    answer: Vector


def case(seed: int) -> Case:
    """Dense rows and bounds around a known solution, with and without slack for the data."""
    rng = np.random.default_rng(seed)
    n, k, p = 7, 3, 2
    G = rng.normal(size=(k, n))
    z0 = rng.normal(size=n)
    A = rng.normal(size=(6, n))
    slack = rng.uniform(0.4, 1.5, 6)
    M = rng.normal(size=(n, n))
    program = po.ConvexProgram(
        linear=rng.normal(size=n), quadratic=0.3 * M @ M.T + 0.05 * np.eye(n), A=A,
        b=A @ z0 + slack, G=G, d=G @ z0, lower=z0 - rng.uniform(0.5, 2, n), upper=z0 + 2.0,
    )  # fmt: skip
    middle = G @ z0
    W = [np.zeros((0, k)), np.ones((1, k)), rng.normal(size=(2, k)), np.eye(k)[:2]][seed % 4]
    half = rng.uniform(0.05, 0.5, k)
    at = W @ (middle + rng.uniform(-0.5, 0.5, k) * half)
    wide = rng.uniform(0.02, 0.2, len(W))
    region = Region.of(middle - half, middle + half, W, at - wide, at + wide)
    draws = middle + half * rng.uniform(-1, 1, (5000, k))
    draws = draws[region.holds(draws)][:DRAWS]
    fidelity = 2.0 if seed % 3 == 0 else 0.0
    return Case(program, np.eye(n)[:p], region, draws, fidelity, z0[:p] + 0.3)


def ours(one: Case) -> tuple[Decided | Outcome, Scaling, Condensed, Vector]:
    program, region = one.program, one.region
    scaling = Scaling.of(program, program.right_hand_side(region.middle))
    small = Condensed(program, scaling)
    S = sp.csr_array(one.S)
    unit = scaling.query_factors(S)
    query = scaled(S, scaling.columns, unit)
    targets = np.array([small.targets(program.right_hand_side(u)) for u in one.draws])
    choice = TwoStage(
        small, query, targets, Settings(),
        fidelity=scaling.kappa * one.fidelity / unit**2,
        answer=unit * one.answer,
    )  # fmt: skip
    F = np.diag(scaling.equality_factors)[program.independent]
    middle = small.targets(program.right_hand_side(region.middle))
    found = decided(choice, Certifier(small, query, region, middle, F))
    return found, scaling, small, unit


def plain(one: Case) -> tuple[float, Vector | None]:
    """Everything at once, as it is written down."""
    program, region = one.program, one.region
    n, q, r = program.n, len(region.half), len(region.W)
    A, b, C2 = program.rows.matrix.toarray(), program.rows.bound, program.quadratic.toarray()
    z: Any = cp.Variable((n, len(one.draws)))
    z0, K, y = cp.Variable(n), cp.Variable((n, q)), cp.Variable(len(one.S))
    m = cp.Variable((len(b), r)) if r else None
    bent = A @ K - (0 if m is None else m @ region.W)
    margin = cp.abs(bent) @ region.half
    if m is not None:
        ends = region.low, region.high
        margin = margin + m @ (0.5 * sum(ends)) + cp.abs(m) @ (0.5 * (ends[1] - ends[0]))
    half = np.linalg.cholesky(C2 + 1e-14 * np.eye(n)).T
    cost = (cp.sum(program.linear @ z) + cp.sum_squares(half @ z)) / len(one.draws)
    cost = cost + one.fidelity * cp.sum_squares(y - one.answer)
    G, ones = program.G.toarray(), np.ones((1, len(one.draws)))
    model = cp.Problem(
        cp.Minimize(cost),
        [
            G @ z == one.draws.T, A @ z <= b[:, None], one.S @ z == y[:, None] @ ones,
            G @ z0 == region.middle, G @ K - np.eye(q) == 0, one.S @ K == 0, one.S @ z0 == y,
            A @ z0 + margin <= b,
        ],
    )  # fmt: skip
    value = model.solve(solver=cp.CLARABEL)
    return float(value), None if y.value is None else np.asarray(y.value)


@pytest.mark.parametrize("seed", range(24))
def test_the_decision_is_that_of_the_whole_model(seed: int) -> None:
    one = case(seed)
    value, y = plain(one)
    found, scaling, small, unit = ours(one)
    if y is None:
        assert found is Outcome.INFEASIBLE
        return
    assert isinstance(found, Decided)
    own = found.chosen.q / unit
    costs = np.mean([small.cost(x) for x in found.chosen.x]) / scaling.kappa
    objective = costs + one.fidelity * float(np.square(own - one.answer).sum())
    assert objective == pytest.approx(value, rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(own, y, atol=2e-3)


@pytest.mark.long
def test_some_of_these_have_a_decision_that_its_certificate_changes_and_some_have_none() -> None:
    found = [ours(case(seed))[0] for seed in range(24)]
    assert any(isinstance(one, Decided) and one.cuts for one in found)
    assert any(isinstance(one, Decided) and not one.cuts for one in found)
    assert any(one is Outcome.INFEASIBLE for one in found)
