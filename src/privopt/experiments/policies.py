"""Measuring what is proven: the paper's plan, a search for its true epsilon, certified policies.

| name | what it is |
|---|---|
| PIQ-a | the paper's plan at the instance's d; its epsilon is assumed |
| lower bound | a search for neighbours far apart: what PIQ-a's epsilon is at least |
| PIQ-a recalibrated | PIQ-a with a certified sensitivity, where `certify` gives one |
| certified s=1 | `design` with at least the noise of the paper |
| certified | `design`, the noise level chosen with the rest |
| certified exact margins | the same with the exact quantiles of the noise as margins |
| certified always | `design` with truncated noise: every limit at every draw |
| no privacy | the optimum, and the share of vertices of the domain that have one |

Losses and violations are in percent. The seconds of a row are those of its answer, without the
verification after it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.assess import LowerBound, certify, lower_bound
from privopt.errors import InfeasibleError
from privopt.experiments.measure import attempt, claimed
from privopt.experiments.study import Row
from privopt.feasibility import Always, Analytic
from privopt.mechanisms.designing import design
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.verify import Verification
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise import Laplace, TruncatedLaplace
from privopt.solving.threads import one_thread

__all__ = ["MEANS", "Case", "Noise", "measure_case"]

MEANS = (
    "cost",
    "served",
    "released",
    "level",
    "distance",
    "row_violation",
    "joint_violation",
    "factor",
    "regions",
)
_VERTICES = 50


@dataclass(frozen=True, eq=False)
class Case:
    """A program with its private d, what is released of it, and where d may lie."""

    program: ConvexProgram
    query: Query
    domain: Box


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Privacy and feasibility that are asked for.

    `tries` are the solves of the search, `pieces` the most affine pieces that certify looks at;
    none with zero.
    """

    epsilon: float
    alpha: float
    eta: float
    delta: float
    tries: int
    pieces: int


def measure_case(
    case: Case,
    algorithm: str,
    noise: Noise,
    *,
    samples: int,
    solver: np.random.Generator,
    draws: np.random.Generator,
) -> Row:
    """One row; what has no answer is a row too, with the reason."""
    row: Row = {
        "loss": None,
        **dict.fromkeys(MEANS),
        "released": case.query.matrix(case.program).shape[0],
        "constant": None,
        "epsilon": None,
        "entry": None,
        "step": None,
        "moved": None,
        "privacy": None,
        "guarantee": None,
        "claims": None,
        "reason": None,
    }
    found: Plan | Policy | None = None
    with attempt(row, tell=True):
        match algorithm:
            case "no privacy":
                row["served"] = _served(case, draws)
                row["cost"] = case.program.solve().cost
            case "lower bound":
                row.update(_searched(_bound(case, noise, solver)))
            case "PIQ-a":
                found = _plan(case, noise, solver)
            case "PIQ-a recalibrated":
                found = _recalibrated(case, noise, row)
            case _:
                found = _policy(case, algorithm, noise, solver)
    if found is not None:
        with one_thread():
            verified = found.verify(samples, draws)
            row.update(_planned(found) if isinstance(found, Plan) else _designed(found))
            row.update(_told(found), **_violations(verified))
    return row


def _served(case: Case, rng: np.random.Generator) -> float:
    """Share of vertices of the domain, in percent, with a feasible point, private or not.

    Both extremes and random ones. The loads that can be served are a convex set, so below 100 no
    method keeps the limits on all of the domain.
    """
    private = case.program.private
    lower, upper = case.domain.ends(len(private))
    high = rng.random((_VERTICES, len(private))) < 0.5
    high[0], high[1] = True, False
    found = 0
    for chosen in high:
        d = case.program.d.copy()
        d[private] = np.where(chosen, upper, lower)
        try:
            case.program.solve(d=d)
        except InfeasibleError:
            continue
        found += 1
    return 100 * found / _VERTICES


def _laplace(noise: Noise) -> Laplace:
    return Laplace(epsilon=noise.epsilon, alpha=noise.alpha)


def _unimodal(noise: Noise) -> Analytic:
    return Analytic(eta=noise.eta, margin="unimodal")


def _plan(case: Case, noise: Noise, rng: np.random.Generator) -> Plan:
    return solve(case.program, case.query, _laplace(noise), _unimodal(noise), rng=rng)


def _bound(case: Case, noise: Noise, rng: np.random.Generator) -> LowerBound:
    return lower_bound(
        case.program,
        case.query,
        _laplace(noise),
        _unimodal(noise),
        domain=case.domain,
        tries=noise.tries,
        rng=rng,
    )


def _recalibrated(case: Case, noise: Noise, row: Row) -> Plan | None:
    """The plan under a certificate; without pieces to look at, none is tried."""
    if noise.pieces == 0:
        row["status"] = "not certified"
        row["reason"] = "not tried: so large a network has too many pieces to look at"
        return None
    proven = certify(
        case.program,
        case.query,
        _laplace(noise),
        _unimodal(noise),
        domain=case.domain,
        limit=noise.pieces,
    )
    row["factor"], row["regions"] = proven.factor, proven.regions
    known = dataclasses.replace(_laplace(noise), sensitivity=proven)
    return solve(case.program, case.query, known, _unimodal(noise))


def _policy(case: Case, algorithm: str, noise: Noise, rng: np.random.Generator) -> Policy:
    privacy: Any = _laplace(noise)
    kept: Any = _unimodal(noise)
    if algorithm == "certified exact margins":
        kept = Analytic(eta=noise.eta)
    if algorithm == "certified always":
        kept = Always()
        privacy = TruncatedLaplace(epsilon=noise.epsilon, delta=noise.delta, alpha=noise.alpha)
    floor = 1.0 if algorithm == "certified s=1" else 0.0
    return design(case.program, case.query, privacy, kept, domain=case.domain, floor=floor, rng=rng)


def _planned(plan: Plan) -> Row:
    """Level and distance of a plan, as of a policy; the distance at its own d."""
    off = np.asarray(plan.S @ (plan.expected - plan.optimum.z))
    noise = plan.S.shape[0] * plan.calibration.deviation**2
    factor = plan.privacy.sensitivity.factor
    return {"level": factor, "distance": math.sqrt(float(off @ off) + noise), "constant": False}


def _designed(policy: Policy) -> Row:
    return {
        "level": policy.sensitivity,
        "distance": policy.distance,
        "constant": policy.calibration is None,
    }


def _told(found: Plan | Policy) -> Row:
    return {
        "cost": found.cost,
        "loss": 100 * found.loss,
        "privacy": found.guarantee.privacy.label,
        **claimed(found.guarantee),
    }


def _violations(found: Verification) -> Row:
    """Of the row broken most often, and of all rows together."""
    return {
        "row_violation": 100 * float(found.worst()[1].value),
        "joint_violation": 100 * float(found.violation.value),
    }


def _searched(found: LowerBound) -> Row:
    return {
        "epsilon": found.epsilon,
        "factor": found.factor,
        "entry": found.witness.entry,
        "step": found.witness.step,
        "moved": found.witness.distance,
        "privacy": found.sampled.provenance.value,
    }
