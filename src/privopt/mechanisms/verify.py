"""Verification by simulation: how often do released solutions break the constraints?

Two questions, each answered by a share of draws with its Clopper-Pearson interval:

- violation: does the solution itself break a constraint (jointly, and row by row)?
- completion: given what is released, does no feasible z exist at all (the paper's test)?

`simulate` counts both, a batch of draws at a time; what is drawn is the business of `simulation`
(an affine solution, a program solved for noisy data). A row counts as
broken when it exceeds its limit by more than `tolerance` times its size, |b_i| + |A_i| |z~| + |A_i|
(deviation of z) (`solving.scaling.row_sizes`), so units do not matter. The draws are numpy's, with
a seed, not those of a release. The result depends on d: it is the curator's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense
from privopt.claims.estimate import Estimate
from privopt.mechanisms.completion import Completion
from privopt.scalars import whole
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult
from privopt.show.view import Fact, Table, View
from privopt.solving.scaling import TOLERANCE

__all__ = ["BLOCK", "Batch", "Verification", "check_samples", "simulate"]

Verdicts = NDArray[np.bool_]

BLOCK = 20_000_000  # numbers in memory at once
_DRAWN = 40  # rows in a picture


@dataclass(frozen=True, repr=False, eq=False)
class Verification(PrivateResult):
    """What simulation found. Private: values only by attribute or `summary()`.

    Attributes
    ----------
    violation
        Share of draws whose solution breaks any constraint.
    completion
        Share of draws whose released values cannot be completed: no feasible solution has them. For
        a baseline, whose own solution breaks the equalities by construction, this is what counts.
    rows
        Share for each row of `program.rows` (vectors).
    tolerance
        Violations up to this multiple of a row's size are rounding.
    """

    violation: Estimate
    completion: Estimate
    rows: Estimate
    names: tuple[str, ...]
    tolerance: float

    def __repr__(self) -> str:
        return (
            f"Verification({self.violation.samples} draws, {len(self.names)} rows, tolerance "
            f"{self.tolerance:g}; private: read .violation, .completion, .rows, or print "
            ".summary())"
        )

    def worst(self) -> tuple[str, Estimate]:
        """The row broken most often, with its estimate."""
        if not self.names:
            return "", Estimate.of(0, self.rows.samples, self.rows.confidence)
        i = int(np.argmax(self.rows.value))
        count = round(float(self.rows.value[i]) * self.rows.samples)
        return self.names[i], Estimate.of(count, self.rows.samples, self.rows.confidence)

    def view(self) -> View:
        """How often releases break a limit, and each row."""
        order, (low, high) = self._order, self.rows.interval
        none = f"{self.completion.summary()}: no feasible solution has them"
        return View(
            "Verification",
            Table(
                "row",
                [self.names[i] for i in order],
                {
                    "broken, %": 100 * self.rows.value[order],
                    "at least": 100 * low[order],
                    "at most": 100 * high[order],
                },
            ),
            (Fact("break a limit", self.violation.summary()), Fact("cannot be completed", none)),
            (
                f"{self.violation.samples} simulated releases; a limit is broken beyond "
                f"{self.tolerance:g} of its size.",
            ),
            private=True,
            limit=min(5, max(1, int(np.count_nonzero(self.rows.value)))),
        )

    def plot(self) -> Picture:
        """The rows broken most often, with their intervals. Private, like the rest."""
        order, (low, high) = self._order[:_DRAWN], self.rows.interval
        shares = Dots("broken", 100 * self.rows.value[order], 100 * low[order], 100 * high[order])
        return intervals(
            [self.names[i] for i in order],
            [shares],
            f"How often rows break in {self.violation.samples} releases",
            f"any row: {self.violation.summary()}; cannot be completed: "
            f"{self.completion.summary()}",
            "% of the releases",
        )

    @property
    def _order(self) -> NDArray[np.intp]:
        """Rows, those broken most often first."""
        return np.argsort(-np.asarray(self.rows.value, dtype=float), kind="stable")


def check_samples(samples: int) -> None:
    """Refuse a number of draws that is not one."""
    whole(samples, "samples", "use 10_000 for a good estimate.")


@dataclass(frozen=True, repr=False, eq=False)
class Batch:
    """Some draws: what their solutions break, and what they release.

    Attributes
    ----------
    over
        For each draw and each row of the program, whether the row is broken.
    places
        For each place that is looked at (one, or several d of a domain): which draws break a
        constraint there, and the released values of those, one row a draw.
    """

    over: Verdicts
    places: Iterable[tuple[Verdicts, Dense]]


def simulate(
    names: tuple[str, ...],
    batch: Callable[[int], Batch],
    completion: Callable[[], Completion],
    samples: int,
    width: int,
) -> Verification:
    """Count what breaks in so many draws; of several places, the worst counts.

    Parameters
    ----------
    names
        Of the rows.
    batch
        Makes that many draws, the next ones.
    completion
        Makes the test of released values, when it is first needed.
    samples
        How many draws.
    width
        Numbers in memory for each draw.
    """
    rows = np.zeros(len(names))
    broken, impossible = Counter[int](), Counter[int]()
    test: Completion | None = None
    block = max(1, BLOCK // max(1, width))
    for start in range(0, samples, block):
        drawn = batch(min(block, samples - start))
        rows += drawn.over.sum(axis=0)
        for place, (bad, released) in enumerate(drawn.places):
            broken[place] += int(bad.sum())
            if len(released):
                test = test or completion()
                impossible[place] += int(test.impossible(released, TOLERANCE).sum())
    return Verification(
        Estimate.of(max(broken.values(), default=0), samples),
        Estimate.of(max(impossible.values(), default=0), samples),
        Estimate.of(rows, samples),
        names,
        TOLERANCE,
    )
