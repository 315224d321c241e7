"""What is asked of a policy: each number means what it says, in a plain CVXPY model of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from tests.cases import convex
from tests.reference.plain import random_program, solve_tightly, square_root

import privopt as po
from privopt.solving.margins import Margins
from privopt.solving.noisy import NoisyProgram
from privopt.solving.solved import Solved
from privopt.solving.solver import Settings
from privopt.solving.specification import Specification

DATA = random_program(0, n=7, equalities=3, rows=6, p=2)
FACTOR = 2.0  # deviations of noise that each row keeps
NOISE = po.Laplace(epsilon=1.0, alpha=0.1).calibrate(2, 0.1)


def asked(**other: Any) -> Specification:
    """Two of three entries move, each in a box of its own that the mean is not the middle of."""
    F = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -0.5]])
    usual = Specification(
        target=DATA["d"],
        F=sp.csr_array(F),
        low=np.array([-0.1, -0.3]),
        high=np.array([0.3, 0.1]),
        variance=np.array([0.01, 0.02]),
        reach=np.array([0.1, 0.05]),
        order=1,
        floor=0.1,
    )
    return replace(usual, **other)


def solved(spec: Specification) -> Solved:
    program = convex(DATA)
    S, near = po.Linear(DATA["S"]).matrix(program), program.solve(d=spec.target).z
    made = NoisyProgram(program, S, NOISE, Settings(), near, asked=spec)
    found = made.solve(Margins(deviations=np.full(len(DATA["b"]), FACTOR)))
    assert isinstance(found, Solved)
    return found


def value(spec: Specification, z: Any, K: Any, Z: Any) -> float:
    """The expected cost, and the fidelity times the expected square of what is missed."""
    C2, S, sigma = DATA["C2"], DATA["S"], NOISE.deviation
    found = DATA["c1"] @ z + z @ C2 @ z + sigma**2 * np.trace(Z.T @ C2 @ Z)
    found += np.diag(K.T @ C2 @ K) @ spec.variance
    if spec.answer is not None:
        mean, common = spec.answer
        missed = np.square(S @ z - mean).sum() + np.square(S @ K).sum(axis=0) @ spec.variance
        missed += sigma**2 * np.square(S @ Z).sum() - 2 * ((S @ K) * common).sum()
        found += spec.fidelity * missed
    return float(found)


def plain(spec: Specification) -> tuple[float, float]:
    """The least value, and the level of noise there; as one would write it down."""
    tool: Any = cp
    A, b, S, G = DATA["A"], DATA["b"], DATA["S"], DATA["G"]
    n, p, q, sigma = A.shape[1], len(S), len(spec.low), NOISE.deviation
    z, K, Z, level = cp.Variable(n), cp.Variable((n, q)), cp.Variable((n, p)), cp.Variable()
    root, moved = square_root(DATA["C2"]), S @ K
    worst = tool.maximum(A @ K @ np.diag(spec.low), A @ K @ np.diag(spec.high))
    margin = FACTOR * sigma * tool.norm(A @ Z, 2, axis=1)
    rules: list[Any] = [
        G @ z == spec.target,
        spec.F.toarray() == G @ K,
        G @ Z == 0,
        A @ z + tool.sum(worst, axis=1) + margin <= b,
    ]
    if spec.silent:
        rules += [moved == 0, Z == 0, level == 0]
    else:
        hidden = tool.multiply(tool.norm(moved, spec.order, axis=0), spec.reach)
        rules += [level * np.eye(p) == S @ Z, hidden <= NOISE.sensitivity * level]
        rules += [level >= spec.floor]
    cost = DATA["c1"] @ z + tool.sum_squares(root @ z) + sigma**2 * tool.sum_squares(root @ Z)
    deviation = np.diag(np.sqrt(spec.variance))
    cost += tool.sum_squares(root @ K @ deviation)
    if spec.answer is not None:
        mean, common = spec.answer
        missed = tool.sum_squares(S @ z - mean) + tool.sum_squares(moved @ deviation)
        missed += sigma**2 * tool.sum_squares(S @ Z) - 2 * tool.sum(tool.multiply(moved, common))
        cost += spec.fidelity * missed
    best = solve_tightly(cp.Problem(cp.Minimize(cost), rules))
    return best, float(np.asarray(level.value).item())


ANSWER = np.array([0.4, -0.8]), np.array([[0.02, -0.01], [0.005, 0.03]])
FAITHFUL: dict[str, Any] = {"fidelity": 60.0, "answer": ANSWER, "floor": 0.0}
ASKED: dict[str, dict[str, Any]] = {
    "as usual": {},
    "a wider domain": {"low": np.array([-0.4, -0.3]), "high": np.array([0.9, 0.8])},
    "more variance": {"variance": np.array([3.0, 0.1])},
    "nearer neighbours": {"reach": np.array([0.01, 0.02])},
    "the other norm": FAITHFUL | {"order": 2},
    "much noise": {"floor": 2.0},
    "fidelity": {"fidelity": 5.0, "answer": ANSWER},
    "as much noise as pays": FAITHFUL,
    "farther neighbours": FAITHFUL | {"reach": np.array([0.3, 0.2])},
    "a constant": {"silent": True},
    "a constant, with fidelity": {"silent": True, "fidelity": 5.0, "answer": ANSWER},
}


@pytest.mark.parametrize("kind", ASKED)
def test_the_optimum_is_that_of_the_plain_model(kind: str) -> None:
    spec = asked(**ASKED[kind])
    found, (best, level) = solved(spec), plain(spec)
    reached = value(spec, found.z, found.gain, np.asarray(found.Z))
    assert reached == pytest.approx(best, rel=1e-6)
    assert found.level == pytest.approx(level, abs=1e-4)


def test_every_number_matters() -> None:
    """Or the comparison above would say nothing about it."""
    found = {kind: plain(asked(**other)) for kind, other in ASKED.items()}
    assert np.diff(np.sort([cost for cost, _ in found.values()])).min() > 1e-5
    assert found["as much noise as pays"][1] > 1e-2


def test_a_gain_of_low_rank_costs_no_less() -> None:
    whole = asked()
    best = plain(whole)[0]
    costs: list[float] = []
    for rank in (0, 3):
        found = solved(replace(whole, rank=rank))
        costs.append(value(whole, found.z, found.gain, np.asarray(found.Z)))
        assert np.abs(DATA["G"] @ found.gain - whole.F.toarray()).max() <= 1e-9
    assert costs[0] >= costs[1] - 1e-7 >= best - 2e-7
    assert costs[1] <= costs[0] + 1e-7
