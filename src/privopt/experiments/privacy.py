"""What is known of privacy on Table 1's instances: the paper's plan beside measure, then decide.

| name | what it is |
|---|---|
| PIQ-a | the paper's plan at the instance's d; its epsilon is assumed |
| lower bound | a search for neighbours far apart: what PIQ-a's epsilon is at least |
| measured | measure, then decide: noise on sums of d, the values decided from them in public |

Losses and violations are in percent. `loss` is that of the affine solution, as planned;
`completed` what is paid once a release is completed, of every row. A decision has the latter alone,
at the instance's d: there both columns are the same, and `loss_of` says so. Its violation is the
share of decisions that cannot be completed at d, `undecided` that of measurements without one.
The seconds of a row are those of its answer, without the verification after it (of "measured":
those of preparing and of all its decisions). A mean is over the runs that have an answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privopt.assess import lower_bound
from privopt.digits import finite
from privopt.experiments.decisions import Decisions, decisions
from privopt.experiments.instance import Instance
from privopt.experiments.measure import AFFINE, COMPLETED, attempt, claimed
from privopt.experiments.study import Row, Study, Unit, ended, grouped, mean_and_std, streams
from privopt.experiments.table1 import NETWORKS, drawn_instance
from privopt.feasibility import Analytic, ExactBox
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.networks import fingerprint
from privopt.noise import Laplace
from privopt.scalars import whole
from privopt.solving.threads import one_thread

__all__ = ["ALGORITHMS", "MEANS", "PrivacyTable"]

ALGORITHMS = ("PIQ-a", "lower bound", "measured")
MEANS = ("completed", "undecided", "released", "distance", "row_violation", "joint_violation")
_BEYOND = 1e-6  # relative: an epsilon this far above the claimed one refutes the claim


@dataclass(frozen=True, kw_only=True)
class PrivacyTable(Study):
    """Assumed and proven privacy on the instances of Table 1.

    Parameters
    ----------
    networks, algorithms
        Which; the paper's networks and all rows unless given.
    runs, samples, seed
        As in Table 1, and the same instances; more draws, because the worst row counts.
    tries
        Solves of each search for the true epsilon of PIQ-a.
    epsilon, alpha, eta
        The paper's 1, 0.1 and 2.5%.
    """

    name: ClassVar[str] = "privacy"
    known: ClassVar[tuple[str, ...]] = ALGORITHMS

    networks: tuple[str, ...] = NETWORKS
    algorithms: tuple[str, ...] = ALGORITHMS
    runs: int = 100
    samples: int = 10_000
    seed: int = 0
    tries: int = 100
    epsilon: float = 1.0
    alpha: float = 0.1
    eta: float = 0.025

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.tries, "tries", "use 100, or more for a better bound.", low=10)

    def work(self, unit: Unit) -> Row:
        """One row; what has no answer is a row too, with the reason."""
        drawn = drawn_instance(self.seed, unit.network, fingerprint(unit.network), unit.run)
        _, solver, draws = streams(self.seed, unit.network, unit.run)
        row: Row = dict.fromkeys(
            ("loss", *MEANS, "epsilon", "entry", "step", "moved", "privacy", "guarantee", "claims",
             "reason")
        )  # fmt: skip
        row["released"] = drawn.query.matrix(drawn.program).shape[0]
        row["loss_of"] = AFFINE
        noise = Laplace(epsilon=self.epsilon, alpha=self.alpha)
        printed = drawn.program, drawn.query, noise, Analytic(eta=self.eta, margin="unimodal")
        found: Plan | Decisions | None = None
        with attempt(row, tell=True):
            match unit.algorithm:
                case "lower bound":
                    row |= self._searched(drawn, printed, solver)
                case "PIQ-a":
                    found = solve(*printed, rng=solver)
                case _:
                    # All rows together, where the plan keeps each: a decision promises no less.
                    kept = ExactBox(eta=self.eta)
                    found = decisions(
                        drawn.program, drawn.query, noise, kept, domain=drawn.domain, rng=draws
                    )
        with one_thread():
            if isinstance(found, Decisions):
                row |= _decided(found)
            elif found is not None:
                verified = found.verify(self.samples, draws)
                row |= _planned(found)
                row["row_violation"] = 100 * float(verified.worst()[1].value)
                row["joint_violation"] = 100 * float(verified.violation.value)
        return row

    def _searched(
        self,
        drawn: Instance,
        printed: tuple[ConvexProgram, Query, Laplace, Analytic],
        rng: np.random.Generator,
    ) -> Row:
        """Neighbours far apart: what PIQ-a's epsilon is at least."""
        found = lower_bound(*printed, domain=drawn.domain, tries=self.tries, rng=rng)
        return {
            "epsilon": found.epsilon,
            "entry": found.witness.entry,
            "step": found.witness.step,
            "moved": found.witness.distance,
            "privacy": found.sampled.provenance.value,
        }

    def summarise(self, rows: list[Row]) -> list[Row]:
        """Means over the runs of each network and algorithm.

        `piqa_mean` is the loss of PIQ-a over the runs of the mean beside it (where it has one).
        """
        printed: dict[str, dict[int, float]] = {}
        for row in rows:
            if row["algorithm"] == "PIQ-a" and row["loss"] is not None:
                printed.setdefault(row["network"], {})[row["run"]] = row["loss"]
        return grouped(
            rows,
            {"network": self.networks, "algorithm": self.algorithms},
            lambda runs: _means(runs, self.epsilon, printed.get(runs[0]["network"], {})),
        )


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
        "privacy": found.guarantee.privacy.label,
        **claimed(found.guarantee),
    }


def _planned(found: Plan) -> Row:
    """Losses, distance and claims; the distance of a plan is that at its own d."""
    return {
        "loss": 100 * found.loss,
        "completed": finite(100 * found.completed_loss.value),
        "distance": found.distance,
        "privacy": found.guarantee.privacy.label,
        **claimed(found.guarantee),
    }


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
    answered = next((row for row in runs if row["guarantee"]), runs[0])
    return {
        "privacy": ", ".join(dict.fromkeys(labels)) or None,
        "loss_mean": loss,
        "loss_std": loss_std,
        "loss_of": answered["loss_of"],
        "piqa_mean": mean_and_std(same, "loss")[0],
        **{f"{name}_mean": mean_and_std(runs, name)[0] for name in MEANS},
        **_worst(runs, asked),
        **ended(runs),
        "reasons": [{"reason": text, "runs": count} for text, count in sorted(reasons.items())],
        "guarantee": answered["guarantee"],
        "claims": answered["claims"],
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
