"""Assumed and proven privacy side by side: the rows of `certified.json` and `loads.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privopt.report.records import (
    Count,
    Mean,
    Record,
    after_completion,
    made,
    mean,
    named,
    number,
)

__all__ = ["BOUND", "LOOKS", "PRINTED", "Look", "Moved", "Proof", "Proofs"]

PRINTED, BOUND = "PIQ-a", "lower bound"


@dataclass(frozen=True)
class Look:
    """How a method is shown: a short name, a colour, hatched where nothing is proven."""

    label: str
    colour: str
    idea: str
    hatched: bool = False

    @property
    def css(self) -> str:
        """The colour as a CSS variable."""
        return f"var(--{self.colour})"


LOOKS = {
    PRINTED: Look(
        "PIQ-a, printed", "op", "The paper’s method; its ε is assumed.", hatched=True
    ),
    "PIQ-a recalibrated": Look(
        "PIQ-a, recalibrated",
        "analytic",
        "PIQ-a with public recourse and the noise that its true sensitivity asks for, every piece "
        "of its solution map looked at.",
    ),
    "certified s=1": Look(
        "certified, s ≥ 1", "proven", "A certified policy with at least the paper’s noise level."
    ),
    "certified": Look(
        "certified", "proven", "A certified policy whose noise level s is chosen with the rest."
    ),
    "certified exact margins": Look(
        "certified, exact", "proven", "The same with the exact quantile of the noise as margin."
    ),
    "certified always": Look(
        "certified, always",
        "proven",
        "With truncated noise (δ > 0): all limits hold at every draw.",
    ),
    "affine rule": Look(
        "affine rule",
        "proven",
        "A certified policy that follows the noisy total of the private data: noise on one number.",
    ),
    "measured": Look(
        "measure, then decide",
        "measured",
        "Noise on sums of the private data; the values are decided from these in public, for all "
        "limits together. Its loss is one after completion, at the true data.",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Moved(Record):
    """Neighbours whose releases lie far apart: one entry moved, and how far the release moves."""

    run: int
    entry: str
    step: float
    moved: float


@dataclass(frozen=True)
class Proof(Record):
    """One method on one network. Means are over the runs with an answer, in percent.

    Attributes
    ----------
    loss, completed
        Of the affine solution, and once a release is completed; `after`: `loss` is the latter, too.
    undecided
        Share of measurements from which nothing could be decided.
    """

    network: str
    algorithm: str
    privacy: str = made(lambda row: str(row.get("privacy") or ""))
    loss: Mean | None = made(lambda row: mean(row, "loss"))
    completed: float | None = named("completed_mean")
    undecided: float | None = named("undecided_mean")
    after: bool = made(after_completion)
    beside: float | None = named("piqa_mean")
    cost: float | None = named("cost_mean")
    served: float | None = named("served_mean")
    level: float | None = named("level_mean")
    distance: float | None = named("distance_mean")
    row_violation: float | None = named("row_violation_mean")
    joint_violation: float | None = named("joint_violation_mean")
    factor: float | None = named("factor_mean")
    regions: float | None = named("regions_mean")
    constant: Count = named("constant_runs")
    epsilon: float | None = named("epsilon_max")
    beyond: Count = named("beyond_runs")
    witness: Moved | None = made(
        lambda row: Moved.read(row["witness"]) if row.get("witness") else None
    )
    runs: int = named("runs")
    infeasible: Count = named("infeasible_runs")
    failed: Count = named("failed_runs")
    uncertified: Count = named("uncertified_runs")
    reasons: tuple[tuple[str, int], ...] = made(
        lambda row: tuple((str(r["reason"]), int(r["runs"])) for r in row.get("reasons") or ())
    )

    @property
    def answered(self) -> int:
        """Runs with an answer."""
        return self.runs - self.infeasible - self.failed - self.uncertified

    @property
    def missing(self) -> str:
        """The runs without one, as text."""
        kinds = {
            "infeasible": self.infeasible,
            "not certified": self.uncertified,
            "failed": self.failed,
        }
        found = {how: count for how, count in kinds.items() if count}
        if list(found.values()) == [self.runs]:
            return next(iter(found))
        return ", ".join(f"{count} {how}" for how, count in found.items())


@dataclass(frozen=True)
class Proofs:
    """The rows of one experiment, and its settings."""

    rows: tuple[Proof, ...]
    settings: dict[str, Any]

    @property
    def cases(self) -> tuple[str, ...]:
        """The networks, in the order of the file."""
        return tuple(dict.fromkeys(row.network for row in self.rows))

    def of(self, case: str) -> tuple[Proof, ...]:
        """The methods on one network, without the search."""
        return tuple(row for row in self.rows if row.network == case and row.algorithm != BOUND)

    def get(self, case: str, algorithm: str) -> Proof | None:
        """One method on one network."""
        found = (r for r in self.rows if (r.network, r.algorithm) == (case, algorithm))
        return next(found, None)

    def bound(self, case: str) -> Proof | None:
        """The search for the true epsilon of PIQ-a on one network."""
        return self.get(case, BOUND)

    @property
    def asked(self) -> float:
        """The epsilon that is claimed."""
        return number(self.settings.get("epsilon")) or 1.0

    def each(self, algorithm: str) -> tuple[Proof, ...]:
        """One method, network by network."""
        return tuple(row for row in self.rows if row.algorithm == algorithm)

    def answered(self, algorithm: str) -> int:
        """Networks on which a method has an answer in every run."""
        return sum(row.answered == row.runs for row in self.each(algorithm))

    @property
    def unserved(self) -> int:
        """Networks with a vertex of the domain that no method at all can serve."""
        known = [row.served for row in self.each("no privacy") if row.served is not None]
        return sum(served < 100 for served in known)

    def cheaper(self, algorithm: str = "certified") -> tuple[int, int]:
        """On how many networks a method costs less than PIQ-a over the same runs, and of how many.

        What is not measured to a hundredth of a percent is no difference.
        """
        both = [
            (row.loss.mean, row.beside)
            for row in self.each(algorithm)
            if row.loss is not None and row.beside is not None
        ]
        return sum(mine < theirs - 0.01 for mine, theirs in both), len(both)

    @property
    def nearer(self) -> tuple[int, int]:
        """On how many networks the policy's release lies nearer to the answer than PIQ-a's."""
        printed = {row.network: row.distance for row in self.each(PRINTED)}
        pairs = [(row.distance, printed.get(row.network)) for row in self.each("certified")]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        return sum(mine < theirs for mine, theirs in both), len(both)

    @property
    def constants(self) -> tuple[int, int]:
        """In how many runs the policy releases a constant, and of how many."""
        rows = self.each("certified")
        return sum(row.constant for row in rows), sum(row.answered for row in rows)

    @property
    def refuted(self) -> tuple[int, int]:
        """On how many networks a search refuted the claimed epsilon, and of how many searched."""
        searched = [row for row in self.each(BOUND) if row.epsilon is not None]
        return sum(row.beyond > 0 for row in searched), len(searched)

    @property
    def reasons(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Why there is no answer: each reason with the networks and methods it concerns."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for reason, count in row.reasons:
                where = f"{row.network} {row.algorithm} ({count} of {row.runs})"
                found.setdefault(reason, []).append(where)
        return tuple((reason, tuple(where)) for reason, where in found.items())
