"""The curator's private look at the data before anything is charged: would they be clamped?

    look(instrument, d)        a `DataLook`: private, and nothing is charged

A release clamps d to its public domain and never says so, whatever d is. Data in another unit than
the domain's are clamped to its ends: the release is private, and says nothing about them. Whoever
holds d can see that beforehand. The look is a function of d: it is for the curator, stands in no
file that is published, and no release depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privopt.arrays import Vector
from privopt.discreet import discreet
from privopt.foreign import some
from privopt.noise.neighbours import Neighbours
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult
from privopt.show.view import Fact, Table, View

if TYPE_CHECKING:
    from privopt.kernel.instrument import Instrument

__all__ = ["Concern", "DataLook", "RowCounts", "look"]

_ROUNDING = 1e-6  # of alpha: the ends of a domain lie on a grid finer than that
_FACTORS = (1e-6, 1e-3, 1e-2, 1e2, 1e3, 1e6)  # W and kW and MW, and MW per unit of 100 MVA
_MOST = 0.5  # of the entries beyond the domain: then another unit is looked for
_WITHIN = 0.8  # of those that were beyond: they must lie within it in that unit
_FEW = 3  # entries, from which on all alike is odd


@dataclass(frozen=True, eq=False, repr=False)
class RowCounts:
    """What the rows of a table were like. Private, but for how the file is written.

    Attributes
    ----------
    written
        Separator and decimal mark, in words; empty of Parquet files and frames.
    count, customers
        How many rows and customers there are; customers is 0 where there is no such column.
    at_most, per_entry
        In how many entries the customer of most is, and how many customers an entry has (least,
        median, most).
    repeated
        RowCounts of a customer and entry that had one before; they were added.
    outside, cut
        RowCounts outside of the customers' sites, which count as zero, and amounts that were cut to
        their bound.
    unread, where
        Rows that could not be read, which count as zero where rows are people's, and some of them.
    used
        The largest amount that each customer has in one entry, before any is cut.
    lacking
        Entries without a row, which count as zero.
    """

    written: str
    count: int
    customers: int = 0
    at_most: int = 0
    per_entry: tuple[int, int, int] = (0, 0, 0)
    repeated: int = 0
    outside: int = 0
    cut: int = 0
    unread: int = 0
    where: str = ""
    used: Vector = field(default_factory=lambda: np.zeros(0))
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Concern:
    """One thing that looks wrong: what it is about, and in words. Private."""

    about: str
    words: str


@dataclass(frozen=True, eq=False, repr=False)
class DataLook(PrivateResult):
    """What the curator should know of the data before a release. Private.

    Attributes
    ----------
    names, values, lower, upper
        The private entries of d, and the domain that they are clamped to.
    clamped
        Which of them lie outside of the domain.
    findings
        What looks wrong; empty: nothing does.
    rows
        What the rows were like, where the data are a table.
    """

    names: tuple[str, ...]
    values: Vector
    lower: Vector
    upper: Vector
    clamped: Any
    findings: tuple[Concern, ...]
    rows: RowCounts | None = None
    unit: str | None = None

    def __repr__(self) -> str:
        return f"DataLook({len(self.names)} private entries; private: print .summary())"

    def view(self) -> View:
        """What was found, and the entries that would be clamped."""
        at = np.flatnonzero(self.clamped)
        columns = {"value": self.values[at], "least": self.lower[at], "largest": self.upper[at]}
        facts = [
            Fact("private entries", f"{len(self.names)}{f', in {self.unit}' * bool(self.unit)}")
        ]
        if self.rows is not None:
            facts += _row_facts(self.rows)
        return View(
            "A look at the data",
            Table("entry", [self.names[int(k)] for k in at], columns, "would be clamped"),
            tuple(facts),
            () if self.findings else ("No private entry lies outside of the domain.",),
            private=True,
            warnings=tuple(one.words for one in self.findings),
        )

    def plot(self) -> Picture:
        """The entries beside their domain. Private."""
        middle = 0.5 * (self.lower + self.upper)
        marks = [
            Dots("domain", middle, self.lower, self.upper, "analytic", width=5),
            Dots("data", self.values, ink="sampled"),
        ]
        return intervals(self.names, marks, "PRIVATE: the data beside their domain", "", "value")

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON. Private."""
        return {
            "private": True,
            "entries": len(self.names),
            "clamped": [self.names[int(k)] for k in np.flatnonzero(self.clamped)],
            "findings": [{"about": one.about, "words": one.words} for one in self.findings],
            "rows": None if self.rows is None else self.rows.count,
            "customers": None if self.rows is None else self.rows.customers,
            "without_a_row": [] if self.rows is None else list(self.rows.lacking),
            "unit": self.unit,
        }


@discreet
def look(made: Instrument, d: Any, rows: RowCounts | None = None) -> DataLook:  # noqa: ANN401 -- data, as `release` takes them
    """What an instrument would do with the data d, and what looks wrong. Private.

    Parameters
    ----------
    made
        The instrument that would measure.
    d
        The data, as `release` and `measure` take them. Nothing is charged.
    rows
        What `read_data` says of the rows of a table.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(linear=[1, 2], G=[[1, 1]], lower=0, data_names=["load"])
    >>> sums = po.Instrument({"load": ["load"]}, program=program, domain=po.Box(1, 3),
    ...                      privacy=po.Laplace(epsilon=1.0, alpha=0.1))
    >>> [finding.about for finding in po.look(sums, [2000.0]).findings]
    ['clamped', 'unit']
    """
    kernel, (lower, upper) = made.kernel, made.domain
    values = kernel.entries(d)
    names = tuple(kernel.data_names[int(i)] for i in kernel.private)
    step = _ROUNDING * made.privacy.neighbours.grain
    clamped = np.maximum(lower - values, values - upper) > step
    unit = None if kernel.units is None else kernel.units.data
    found = _findings(names, values, lower, upper, clamped, unit or "")
    if rows is not None:
        of_rows = _row_findings(rows, made.privacy.neighbours, len(names), unit or "")
        found = (*found, *of_rows)
    return DataLook(names, values, lower, upper, clamped, tuple(found), rows, unit)


def _findings(
    names: tuple[str, ...],
    values: Vector,
    lower: Vector,
    upper: Vector,
    clamped: Any,  # noqa: ANN401 -- a mask
    unit: str,
) -> Iterator[Concern]:
    count = len(names)
    if clamped.any():
        far = np.maximum(lower - values, values - upper)[clamped]
        width = (upper - lower)[clamped]
        parts = np.divide(far, width, out=np.full(len(far), np.inf), where=width > 0)
        which = some([names[int(k)] for k in np.flatnonzero(clamped)], 10)
        yield Concern(
            "clamped",
            f"{int(clamped.sum())} of {count} private entries lie outside of the domain and would "
            f"be clamped to it: {which}. {_beyond(far, parts, unit)}",
        )
        yield from _other_unit(values, lower, upper, clamped)
    negative = (values < 0) & (lower >= 0)
    if negative.any():
        yield Concern(
            "negative",
            f"{int(negative.sum())} entries are negative where the domain is not: "
            f"{some([names[int(k)] for k in np.flatnonzero(negative)], 10)}.",
        )
    zero = (values == 0) & ((lower > 0) | (upper < 0))
    if zero.any():
        yield Concern(
            "zero",
            f"{int(zero.sum())} entries are zero, which lies outside of their domain: "
            f"{some([names[int(k)] for k in np.flatnonzero(zero)], 10)}.",
        )
    moving = upper > lower
    if moving.sum() >= _FEW and len(set(values[moving].tolist())) == 1:
        yield Concern("constant", "All private entries are the same number.")


def _beyond(far: Vector, parts: Vector, unit: str) -> str:
    """How far entries lie outside, in the unit of d and in widths of the domain."""
    of = f" {unit}" if unit else ""
    if len(far) == 1:
        return f"It lies beyond it by {far[0]:.4g}{of}, {parts[0]:.3g} times its width."
    return (
        f"They lie beyond it by {np.median(far):.4g}{of} in the middle and {far.max():.4g}{of} at "
        f"the most: {np.median(parts):.3g} and {parts.max():.3g} times its width."
    )


def _other_unit(values: Vector, lower: Vector, upper: Vector, clamped: Any) -> Iterator[Concern]:  # noqa: ANN401
    """A factor that would bring what lies beyond the domain into it."""
    asked = values != 0
    beyond = int((clamped & asked).sum())
    if not beyond or beyond < _MOST * int(asked.sum()):
        return
    for factor in (*_FACTORS, -1.0):
        scaled = values / factor
        room = 0.25 * np.maximum(np.abs(lower), np.abs(upper))  # of a domain near these values
        inside = (scaled >= lower - room) & (scaled <= upper + room) & asked & clamped
        if inside.sum() >= _WITHIN * beyond:
            words = "have the opposite sign of" if factor < 0 else f"are about {factor:g} times"
            yield Concern(
                "unit",
                f"The data {words} what the domain expects: most likely they are in another "
                f"{'convention' if factor < 0 else 'unit'}. Check the unit of the file, of the "
                "domain and of alpha.",
            )
            return


def _row_findings(
    rows: RowCounts, neighbours: Neighbours, count: int, unit: str
) -> Iterator[Concern]:
    together, alpha = neighbours.together, neighbours.largest
    over = rows.used > alpha
    if over.any() and not rows.cut:
        of = f" {unit}" if unit else ""
        yield Concern(
            "whole customers",
            f"{int(over.sum())} of {rows.customers} customers use more than alpha = {alpha:g}{of} "
            f"in an entry, up to {rows.used.max():.6g}{of}: a change of alpha is hidden, and that "
            "they are there at all is not. [data] bounded = true with [data] sites hides all of a "
            "customer, each amount cut to alpha; choose alpha as large as what is to be hidden.",
        )
    if rows.unread or rows.where:
        yield Concern(
            "unread",
            f"{rows.unread} rows could not be read and count as zero: {rows.where}.",
        )
    if rows.outside:
        yield Concern(
            "sites",
            f"{rows.outside} rows lie outside of their customer's public sites, or their customer "
            "has none: they count as zero.",
        )
    if rows.cut:
        yield Concern(
            "bound", f"{rows.cut} amounts of customers were below 0 or above alpha, and were cut."
        )
    if rows.repeated:
        yield Concern(
            "repeated",
            f"{rows.repeated} rows are of a customer, bus and time that had one before: they were "
            "added.",
        )
    if rows.at_most > (together or count):
        yield Concern(
            "owners",
            f"Customers are in up to {rows.at_most} entries of d, and neighbours differ in at most "
            f"{together}: all that a customer uses is not hidden. [privacy] owners says whose "
            "entries belong together.",
        )


def _row_facts(rows: RowCounts) -> list[Fact]:
    facts = [Fact("rows", f"{rows.count}{f', {rows.written}' if rows.written else ''}")]
    if rows.customers:
        least, median, most = rows.per_entry
        facts.append(
            Fact(
                "customers",
                f"{rows.customers}; in up to {rows.at_most} entries each; an entry has {least} to "
                f"{most}, {median} in the middle",
            )
        )
    if rows.lacking:
        names = some(rows.lacking, len(rows.lacking))
        facts.append(Fact("without a row", f"{len(rows.lacking)}, taken as zero: {names}"))
    return facts
