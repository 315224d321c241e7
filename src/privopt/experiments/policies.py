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
| affine rule | `design` with `measure`: a policy that follows the noisy total of the private data |
| measured | measure, then decide: noise on sums of d, the values decided from them in public |
| no privacy | the optimum, and the share of vertices of the domain that have one |

Losses and violations are in percent. `loss` is that of the affine solution, as designed;
`completed` what is paid once a release is completed, of every row. A decision has the latter alone,
at the instance's d: there both columns are the same, and `loss_of` says so. Its violation is the
share of decisions that cannot be completed at d, `undecided` that of measurements without one.
The seconds of a row are those of its answer, without the verification after it (of "measured":
those of preparing and of all its decisions). A mean is over the runs that have an answer.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.assess import certify, lower_bound
from privopt.digits import finite
from privopt.errors import InfeasibleError
from privopt.experiments.decisions import Decisions, decisions
from privopt.experiments.measure import AFFINE, COMPLETED, attempt, claimed
from privopt.experiments.study import Row, Study, Unit, ended, grouped, mean_and_std, streams
from privopt.feasibility import Always, Analytic, ExactBox
from privopt.mechanisms.designing import design
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.mechanisms.policy import Policy
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise import Laplace, TruncatedLaplace
from privopt.solving.threads import one_thread

__all__ = ["MEANS", "Case", "ProofTable", "summarise_policies"]

MEANS = (
    "completed",
    "undecided",
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
_BEYOND = 1e-6  # relative: an epsilon this far above the claimed one refutes the claim


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A program with its private d, what is released of it, where d may lie, and how privately.

    `tries` are the solves of the search, `pieces` the most affine pieces that certify looks at;
    none with zero.
    """

    program: ConvexProgram
    query: Query
    domain: Box
    epsilon: float
    alpha: float
    eta: float
    delta: float = 0.0
    tries: int = 0
    pieces: int = 0

    @property
    def printed(self) -> tuple[ConvexProgram, Query, Laplace, Analytic]:
        """What PIQ-a is asked: program, query, noise, and margins from unimodality."""
        noise = Laplace(epsilon=self.epsilon, alpha=self.alpha)
        return self.program, self.query, noise, Analytic(eta=self.eta, margin="unimodal")


class ProofTable(Study):
    """A study of assumed and proven privacy: a row of it, and the means."""

    epsilon: float

    def measured(self, unit: Unit, case: Case) -> Row:
        """One row; what has no answer is a row too, with the reason."""
        _, solver, draws = streams(self.seed, unit.network, unit.run)
        row: Row = dict.fromkeys(
            ("loss", *MEANS, "constant", "epsilon", "entry", "step", "moved", "privacy",
             "guarantee", "claims", "reason")
        )  # fmt: skip
        row["released"] = case.query.matrix(case.program).shape[0]
        row["loss_of"] = AFFINE
        found: Plan | Policy | Decisions | None = None
        with attempt(row, tell=True):
            match unit.algorithm:
                case "no privacy":
                    row["served"] = _served(case, draws)
                    row["cost"] = case.program.solve().cost
                case "lower bound":
                    row |= _searched(case, solver)
                case "PIQ-a":
                    found = solve(*case.printed, rng=solver)
                case "PIQ-a recalibrated":
                    found = _recalibrated(case, row)
                case "measured":
                    found = _decisions(case, draws)
                case _:
                    found = _policy(case, unit.algorithm, solver)
        with one_thread():
            if isinstance(found, Decisions):
                row |= _decided(found)
            elif found is not None:
                verified = found.verify(self.samples, draws)
                row |= _told(found)
                if unit.algorithm == "affine rule":
                    row["level"] = None  # its noise is that of a measurement, and has no level
                row["row_violation"] = 100 * float(verified.worst()[1].value)
                row["joint_violation"] = 100 * float(verified.violation.value)
        return row

    def summarise(self, rows: list[Row]) -> list[Row]:
        """Means over the runs of each network and algorithm."""
        return summarise_policies(rows, self.networks, self.algorithms, self.epsilon)


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


def _searched(case: Case, rng: np.random.Generator) -> Row:
    """Neighbours far apart: what PIQ-a's epsilon is at least."""
    found = lower_bound(*case.printed, domain=case.domain, tries=case.tries, rng=rng)
    return {
        "epsilon": found.epsilon,
        "factor": found.factor,
        "entry": found.witness.entry,
        "step": found.witness.step,
        "moved": found.witness.distance,
        "privacy": found.sampled.provenance.value,
    }


def _recalibrated(case: Case, row: Row) -> Plan | None:
    """The plan under a certificate; without pieces to look at, none is tried."""
    if case.pieces == 0:
        row["status"] = "not certified"
        row["reason"] = "not tried: so large a network has too many pieces to look at"
        return None
    proven = certify(*case.printed, domain=case.domain, limit=case.pieces)
    row["factor"], row["regions"] = proven.factor, proven.regions
    program, query, noise, kept = case.printed
    return solve(program, query, dataclasses.replace(noise, sensitivity=proven), kept)


def _policy(case: Case, algorithm: str, rng: np.random.Generator) -> Policy:
    privacy: Any
    kept: Any
    program, query, privacy, kept = case.printed
    if algorithm == "certified exact margins":
        kept = Analytic(eta=case.eta)
    if algorithm == "certified always":
        kept = Always()
        privacy = TruncatedLaplace(epsilon=case.epsilon, delta=case.delta, alpha=case.alpha)
    floor = 1.0 if algorithm == "certified s=1" else 0.0
    total = {"total": list(program.private_names)} if algorithm == "affine rule" else None
    return design(
        program, query, privacy, kept, domain=case.domain, floor=floor, measure=total, rng=rng
    )


def _decisions(case: Case, rng: np.random.Generator) -> Decisions:
    """All rows together, where the others of the table keep each: a decision promises no less."""
    program, query, noise, _ = case.printed
    return decisions(program, query, noise, ExactBox(eta=case.eta), domain=case.domain, rng=rng)


def _decided(found: Decisions) -> Row:
    """What decisions come to, at the instance's own d."""
    lost = finite(100 * found.loss.value)
    return {
        "loss": lost,
        "completed": lost,
        "loss_of": COMPLETED,
        "undecided": 100 * found.undecided,
        "distance": found.distance,
        "joint_violation": 100 * found.violation,
        "constant": False,
        "privacy": found.guarantee.privacy.label,
        **claimed(found.guarantee),
    }


def _told(found: Plan | Policy) -> Row:
    """Cost, level, distance and claims; the distance of a plan is that at its own d."""
    row = {
        "cost": found.cost,
        "loss": 100 * found.loss,
        "completed": finite(100 * found.completed_loss.value),
        "privacy": found.guarantee.privacy.label,
        **claimed(found.guarantee),
    }
    level = found.privacy.sensitivity.factor if isinstance(found, Plan) else found.sensitivity
    constant = isinstance(found, Policy) and found.calibration is None
    return row | {"level": level, "distance": found.distance, "constant": constant}


def summarise_policies(
    rows: list[Row], networks: tuple[str, ...], algorithms: tuple[str, ...], epsilon: float
) -> list[Row]:
    """One row for each network and algorithm from the rows of the runs.

    `piqa_mean` is the loss of PIQ-a over the runs of the mean beside it (where PIQ-a has one).
    """
    printed: dict[str, dict[int, float]] = {}
    for row in rows:
        if row["algorithm"] == "PIQ-a" and row["loss"] is not None:
            printed.setdefault(row["network"], {})[row["run"]] = row["loss"]
    return grouped(
        rows,
        {"network": networks, "algorithm": algorithms},
        lambda runs: _means(runs, epsilon, printed.get(runs[0]["network"], {})),
    )


def _means(runs: list[Row], asked: float, beside: dict[int, float]) -> Row:
    """Means of one algorithm on one network; `beside` is the loss of PIQ-a by run."""
    loss, loss_std = mean_and_std(runs, "loss")
    reasons = Counter(row["reason"] for row in runs if row["reason"])
    same = [
        {"loss": beside[row["run"]]}
        for row in runs
        if row["loss"] is not None and row["run"] in beside
    ]
    labels = [row["privacy"] for row in runs if row["privacy"]]
    answered = next((row for row in runs if row["guarantee"]), Row())
    return {
        "privacy": ", ".join(dict.fromkeys(labels)) or None,
        "loss_mean": loss,
        "loss_std": loss_std,
        "loss_of": answered.get("loss_of", AFFINE),  # journals of 0.1.0 have none
        "piqa_mean": mean_and_std(same, "loss")[0],
        **{f"{name}_mean": mean_and_std(runs, name)[0] for name in MEANS},
        "constant_runs": sum(row["constant"] is True for row in runs),
        **_worst(runs, asked),
        **ended(runs),
        "uncertified_runs": sum(row["status"] == "not certified" for row in runs),
        "reasons": [{"reason": text, "runs": count} for text, count in sorted(reasons.items())],
        "guarantee": answered.get("guarantee"),
        "claims": answered.get("claims"),  # journals of 0.1.0 have none
    }


def _worst(runs: list[Row], asked: float) -> Row:
    """The largest epsilon that a search found, and the neighbours that show it."""
    found = [row for row in runs if row["epsilon"] is not None]
    if not found:
        return {"epsilon_mean": None, "epsilon_max": None, "beyond_runs": None, "witness": None}
    worst = max(found, key=lambda row: row["epsilon"])
    witness = {name: worst[name] for name in ("run", "entry", "step", "moved")}
    return {
        "epsilon_mean": mean_and_std(found, "epsilon")[0],
        "epsilon_max": worst["epsilon"],
        "beyond_runs": sum(row["epsilon"] > asked * (1 + _BEYOND) for row in found),
        "witness": witness,
    }
