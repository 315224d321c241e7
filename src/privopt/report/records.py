"""What an experiment left: rows of means and what they claim, runs, points of a curve, a network.

Each record is read from one JSON object or parquet row. `None` stands for a number that does not
exist: null, NaN or infinite in the file. What a row claims comes from its numbers; files of results
state it, and the page says so once, below.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias, cast

from privopt.claims.guarantee import Claim, Guarantee, Scope
from privopt.claims.terms import FeasibilityTerms, Terms

__all__ = [
    "Claimed", "Count", "CurvePoint", "Edge", "Mean", "Node", "Record", "Run", "TableRow", "Timing",
    "after_completion", "case", "different", "made", "mean", "named", "number", "read_claims",
]  # fmt: skip

Fields: TypeAlias = Mapping[str, Any]
_LIMITS = {Scope.ROW.value: " each", Scope.JOINT.value: " all"}
Count: TypeAlias = int
"""A number of runs, none where the file has none."""


def number(value: float | None) -> float | None:
    """A finite number, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


_READ: dict[str, Callable[[Fields, str], Any]] = {
    "str": lambda row, key: str(row[key]),
    "int": lambda row, key: int(row[key]),
    "Count": lambda row, key: int(row.get(key) or 0),
    "bool": lambda row, key: bool(row[key]),
    "float": lambda row, key: number(row[key]) or 0.0,
    "float | None": lambda row, key: number(row.get(key)),
}


class Record:
    """A dataclass read from one object: each field under its name, as its type or `made` says."""

    @classmethod
    def read(cls, row: Fields) -> Self:
        """The record of a row."""
        found: dict[str, Any] = {}
        for one in dataclasses.fields(cast("Any", cls)):
            make: Callable[[Fields], Any] | None = one.metadata.get("make")
            key = one.metadata.get("key", one.name)
            found[one.name] = _READ[str(one.type)](row, key) if make is None else make(row)
        return cls(**found)


def named(key: str) -> Any:  # noqa: ANN401 -- a field, of whatever type
    """A field under another name in the file."""
    return field(metadata={"key": key})


def made(make: Callable[[Fields], Any]) -> Any:  # noqa: ANN401 -- a field, of whatever type
    """A field made from the whole row."""
    return field(metadata={"make": make})


def case(network: str, sums: int | None) -> str:
    """The name under which rows and runs of one problem are shown together."""
    if sums is None:
        return network
    return f"{network}, {sums} sum{'' if sums == 1 else 's'}"


@dataclass(frozen=True)
class Mean:
    """Mean and standard deviation over a number of runs, in percent."""

    mean: float
    std: float | None
    runs: int


def mean(row: Fields, name: str) -> Mean | None:
    """The mean of that name over the runs with an answer; None where no run has a value."""
    ended = ("infeasible_runs", "failed_runs")
    runs = int(row["runs"]) - sum(int(row.get(how) or 0) for how in ended)
    value = number(row[f"{name}_mean"])
    return None if value is None or runs < 1 else Mean(value, number(row.get(f"{name}_std")), runs)


def after_completion(row: Fields) -> bool:
    """Whether the loss of a row is one after completion, not that of an affine solution."""
    return row.get("loss_of") == "completion"


@dataclass(frozen=True)
class Claimed:
    """One claim as the page shows it.

    Attributes
    ----------
    text
        What holds; how many inequalities there are stands with the network.
    word, scope
        How it is known (PROVEN, ASSUMED, SAMPLED, NO CLAIM), and of what; empty where the file
        does not tell.
    """

    text: str
    word: str
    scope: str

    @property
    def ground(self) -> str:
        """The word; of limits, whether of each or of all together."""
        return f"{self.word}{_LIMITS.get(self.scope, '')}"


def read_claims(row: Mapping[str, Any]) -> tuple[Claimed, ...]:
    """The claims of a row of results; none where it has no answer."""
    given = row.get("claims")
    if given is None:
        return ()
    found = Guarantee.from_dict(given)
    return tuple(_claimed(claim) for claim in (found.privacy, found.feasibility))


def different(claims: Iterable[Iterable[Claimed]]) -> tuple[Claimed, ...]:
    """The different claims of some rows, in order: the notes under a table."""
    return tuple(dict.fromkeys(one for several in claims for one in several))


def _claimed(claim: Claim) -> Claimed:
    return Claimed(_text(claim.terms, claim.statement, claim.confidence), claim.word, claim.scope)


def _text(terms: Terms | None, words: str, confidence: float = 1.0) -> str:
    if isinstance(terms, FeasibilityTerms):
        words = replace(terms, rows=None).sentence(confidence)
    return words.replace(">=", "≥").replace("<=", "≤")


@dataclass(frozen=True)
class TableRow(Record):
    """One algorithm on one network: how often its answers are infeasible, and what they cost."""

    network: str
    sums: int | None = made(lambda row: None if row.get("sums") is None else int(row["sums"]))
    algorithm: str = named("algorithm")
    violation: Mean | None = made(lambda row: mean(row, "violation"))
    affine: float | None = named("affine_violation_mean")
    loss: Mean | None = made(lambda row: mean(row, "loss"))
    after: bool = made(after_completion)
    undecided: float | None = named("undecided_mean")
    runs: int = named("runs")
    infeasible: Count = named("infeasible_runs")
    failed: Count = named("failed_runs")
    claims: tuple[Claimed, ...] = made(read_claims)

    @property
    def case(self) -> str:
        """The network, and the number of sums where sums are released."""
        return case(self.network, self.sums)


@dataclass(frozen=True)
class Run(Record):
    """One algorithm on one network with one draw of costs and demands."""

    case: str = made(
        lambda row: case(str(row["network"]), int(row["sums"]) if "sums" in row else None)
    )
    algorithm: str = named("algorithm")
    run: int = named("run")
    status: str = named("status")
    violation: float | None = named("violation")
    loss: float | None = named("loss")


@dataclass(frozen=True)
class CurvePoint(Record):
    """Figure 2: one weight phi on the deviation, one spread cbar of the costs.

    The variance is that of its panel, loss or solution.
    """

    network: str
    panel: str
    cbar: float
    phi: float
    loss: float | None
    variance: float | None = made(
        lambda row: number(row[f"{'loss' if row['panel'] == 'cost' else 'solution'}_variance"])
    )
    infeasible: Count = made(
        lambda row: int(row.get("infeasible_runs") or 0) + int(row.get("failed_runs") or 0)
    )


@dataclass(frozen=True)
class Node(Record):
    """A node of the drawing; its deviation is that of its supply under the noise."""

    bus: str
    released: bool
    supply: float
    deviation: float
    limit: float | None
    x: float
    y: float


@dataclass(frozen=True)
class Edge(Record):
    """A line of the drawing; loading and deviation are shares of its limit."""

    start: str = named("from")
    end: str = named("to")
    loading: float = named("loading")
    deviation: float = named("deviation")


@dataclass(frozen=True)
class Timing(Record):
    """Seconds one algorithm took on one network."""

    network: str
    algorithm: str
    mean: float | None = named("seconds_mean")
    longest: float | None = named("seconds_max")
