"""Random affine rules: y within the charge, rows within their margins, and the least cost there is.

The same checks as for policies (`test_random_programs`), from saved files; the optimum beside a
plain CVXPY model that knows nothing of privopt.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from tests.certified.checks import check_feasibility, check_privacy, check_release
from tests.certified.programs import Case, neighbours, rule_case
from tests.certified.stored import read
from tests.reference.rule import Moments, Numbers, objective, reference_rule

import privopt as po
from privopt.mechanisms.private_data import PrivateData
from privopt.solving.solver import Settings

COUNT, BLOCK = 1000, 100


def moments_of(case: Case) -> Moments:
    """What cost and fidelity are averaged over."""
    program = po.ConvexProgram(**case.parts(), d=case.d)
    balance = list(case.balance) or None
    data = PrivateData.of(program, case.low, case.high, case.prior, balance)
    answer, covariance = np.zeros(len(case.S)), np.zeros((len(case.S), len(case.low)))
    if case.fidelity:
        S = po.Linear(case.S).matrix(program)
        answers = data.answers(S, Settings())
        answer = answers.values.mean(axis=0)
        off = answers.drawn - answers.drawn.mean(axis=0)
        covariance = (answers.values - answer).T @ off / len(off)
    return Moments(data.mean, data.variance, answer, covariance)


def margins(case: Case, policy: po.Policy) -> dict[str, float] | None:
    """The margin of a row as a multiple of a norm; None where it is none."""
    noise, kind = policy.unit, case.feasibility
    r = noise.size
    if isinstance(kind, po.Analytic):
        eta = float(np.asarray(kind.eta))
        if kind.margin == "unimodal":
            return {"norm": float(np.sqrt(2 / (9 * eta))) * noise.deviation}
        if isinstance(case.noise, po.Gaussian):
            return {"norm": float(norm.isf(eta)) * noise.scale}
        if isinstance(case.noise, po.Laplace) and r == 1:
            return {"norm": float(np.log(0.5 / eta)) * noise.scale}
        return None
    if isinstance(kind, po.ExactBox):
        return {"box": noise.scale * noise.law.half_width(1 - (1 - kind.eta) ** (1 / r))}
    return {"box": noise.scale * noise.law.bound}


def checked(seed: int, path: Path, *, optimum: bool) -> str:
    """How a design ended; everything that it claims, checked."""
    case: Any = rule_case(seed)
    try:
        policy = case.design()
    except po.errors.InfeasibleError:
        return "infeasible"
    except po.errors.SolverError:
        return "stalled"
    policy.save(path)
    stored, rng = read(path), np.random.default_rng(seed)
    check_privacy(path, neighbours(stored, rng))
    points = [pair[0] for pair in neighbours(stored, rng, 12)]
    check_release(policy, path, points)
    check_release(po.Policy.load(path), path, points)
    check_feasibility(path, case)
    if policy.rule is None:
        return "constant"
    of = margins(case, policy)
    if optimum and of is not None:
        moments = moments_of(case)
        z = policy.offset + policy.gain @ (moments.mean - 0.5 * (case.low + case.high))
        at = z, policy.gain, np.asarray(policy.recourse)
        deviation = policy.unit.deviation
        found = objective(case, moments, deviation, *at, tool=Numbers)
        known = reference_rule(case, case.measure, moments, deviation, **of)
        size = abs(case.linear) @ np.abs(z) + abs(z) @ np.abs(case.quadratic) @ np.abs(z)
        size += case.fidelity * np.square(case.S @ z).sum()
        assert found == pytest.approx(known, abs=1e-5 * float(size))
        return "optimal"
    return "noisy"


def run(seeds: range, path: Path, *, optimum: bool) -> Counter[str]:
    ends: Counter[str] = Counter()
    for seed in seeds:
        try:
            ends[checked(seed, path, optimum=optimum)] += 1
        except Exception as error:
            raise AssertionError(f"rule_case({seed})") from error
    assert ends["stalled"] <= 0.02 * len(seeds)
    assert ends["noisy"] + ends["optimal"] > 0.4 * len(seeds)
    return ends


@pytest.mark.long
def test_some_random_rules(tmp_path: Path) -> None:
    ends = run(range(25), tmp_path / "policy.json", optimum=True)
    assert ends["optimal"] > 8


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, BLOCK))
def test_a_thousand_random_rules(start: int, tmp_path: Path) -> None:
    run(range(start, start + BLOCK), tmp_path / "policy.json", optimum=start == 0)
