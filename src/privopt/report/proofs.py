"""Assumed and proven privacy side by side: the rows of `privacy.json`."""

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
    distance: float | None = named("distance_mean")
    row_violation: float | None = named("row_violation_mean")
    joint_violation: float | None = named("joint_violation_mean")
    epsilon: float | None = named("epsilon_max")
    beyond: Count = named("beyond_runs")
    witness: Moved | None = made(
        lambda row: Moved.read(row["witness"]) if row.get("witness") else None
    )
    runs: int = named("runs")
    infeasible: Count = named("infeasible_runs")
    failed: Count = named("failed_runs")
    reasons: tuple[tuple[str, int], ...] = made(
        lambda row: tuple((str(r["reason"]), int(r["runs"])) for r in row.get("reasons") or ())
    )

    @property
    def answered(self) -> int:
        """Runs with an answer."""
        return self.runs - self.infeasible - self.failed

    @property
    def missing(self) -> str:
        """The runs without one, as text."""
        kinds = {"infeasible": self.infeasible, "failed": self.failed}
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

    def bound(self, case: str) -> Proof | None:
        """The search for the true epsilon of PIQ-a on one network."""
        return next((row for row in self.each(BOUND) if row.network == case), None)

    @property
    def asked(self) -> float:
        """The epsilon that is claimed."""
        return number(self.settings.get("epsilon")) or 1.0

    def each(self, algorithm: str) -> tuple[Proof, ...]:
        """One method, network by network."""
        return tuple(row for row in self.rows if row.algorithm == algorithm)

    @property
    def nearer(self) -> tuple[int, int]:
        """On how many networks a decision lies nearer to the answer than PIQ-a's release."""
        printed = {row.network: row.distance for row in self.each(PRINTED)}
        pairs = [(row.distance, printed.get(row.network)) for row in self.each("measured")]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        return sum(mine < theirs for mine, theirs in both), len(both)

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
