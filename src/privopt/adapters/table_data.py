"""Private data from a table of rows: bus, value, and where there are some, customer and time.

    d_j = p_j + sum over customers c of x_cj         x_cj = sum of c's rows in entry j

added exactly (`table_numbers`), p the public part, which is there whatever the rows are. With
public sites an amount outside of a customer's sites is zero; with a bound it is cut to
[0, alpha_j]. Both look at one customer at a time, so that neighbours, who differ in one customer's
rows, have d that differ in that customer's entries and nowhere else, with a bound by at most
alpha_j each whatever these rows are: see docs/theory/customers.md.

*Where rows are people's* (there are sites, or a bound) whatever is in a row is that one's business:
what cannot be read, what is of no entry and what is missing counts as zero, and only the curator is
told. A refusal would tell everybody that somebody's row is there. Of any other table, what looks
wrong is refused: without a word of what it holds, and where it is stands in `error.private`.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from privopt import arrays
from privopt.adapters.sites import Sites
from privopt.adapters.table_entries import TableEntries, cell_text
from privopt.adapters.table_numbers import Decimals, ExactSums, Number
from privopt.adapters.table_rows import OpenTable, opened
from privopt.arrays import Vector
from privopt.claims.units import tens_between, unit_of
from privopt.discreet import discreet
from privopt.errors import Action, Clause, InputError
from privopt.foreign import some
from privopt.mechanisms.look import RowCounts
from privopt.model.program import ConvexProgram

__all__ = ["TableData", "read_data"]

_FEW = 5  # names that the curator is told
_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, eq=False, repr=False)
class TableData:
    """The private data of a table: `d`, in the order of `program.data_names`, and what was read.

    Private: its repr shows no value.
    """

    d: Vector
    rows: RowCounts | None

    def __repr__(self) -> str:
        return f"TableData({len(self.d)} entries of d; private: read .d)"


@discreet
def read_data(
    source: Any,  # noqa: ANN401 -- a path or a frame
    program: ConvexProgram,
    *,
    columns: Mapping[str, str] | None = None,
    decimal: str | None = None,
    missing: str | None = None,
    sites: Sites | None = None,
    bound: float | Sequence[float] | None = None,
    public: Vector | None = None,
    zeros: Collection[str] = (),
) -> TableData:
    """The private data d of a program from a table with a row for each bus, customer and time.

    Parameters
    ----------
    source
        A file (CSV or Parquet), or a frame of rows.
    program
        Names the entries of d. Values in another unit of power, by the header, are converted.
    columns
        Names of the columns by role ("bus" or "name", "value", "customer", "time"), where they are
        not the usual ones.
    decimal
        "." or ",", where the file does not make that clear.
    missing
        "zero": entries without a row are zero; unless given, or rows are people's, they are
        refused.
    sites
        Public sites of the customers: rows elsewhere count as zero.
    bound
        Cuts the amount of each customer in each entry to [0, bound]: one number, or one for each
        private entry. With alpha as the bound, all of a customer is hidden and not only a change.
    public
        What d has beside the rows: values of entries that are not private, unless a row has them;
        and, always added where rows are by bus, what of private ones is no load (shunts).
    zeros
        Entries that need no row, because their public domain is zero alone.
    """
    entries, d = TableEntries(program), np.zeros(len(program.data_names))
    limits = None if bound is None else _limits(bound, program)
    of_people = sites is not None or limits is not None
    of = program if sites is None else sites.program
    if (of.data_names, of.private_names) != (program.data_names, program.private_names):
        raise InputError(
            "the sites are those of another program.",
            "sites of a program with these entries of d, in this order, and private ones.",
            "read them for this one: read_sites(source, program).",
        )
    with opened(source, columns or {}, of_people=of_people) as table:
        tens = _tens(table, program)
        if of_people and table.columns.customer is None:
            raise InputError(
                f"{table.where} has no column for the customer.",
                "whose each row is, where there are sites, or a bound for each customer.",
                'add it, or say which it is: columns = { customer = "..." }.',
            )
        entries.check_times(
            table.where, named=table.columns.named, timed=table.columns.time is not None
        )
        reading = _Reading(table, entries, decimal, tens, sites, of_people)
        reading.read()
    sums, cut = reading.cut(limits or {})
    private: set[int] = set(program.private.tolist())
    without = (program.data_names[k] for k in sorted(private - reading.seen))
    lacking = tuple(name for name in without if name not in zeros)
    if lacking and missing != "zero" and not reading.of_people:
        raise InputError(
            f"{table.where} has no row for {len(lacking)} of {len(private)} private entries "
            f"({some(lacking)}).",
            "a row for each entry, or the word that those without one are zero.",
            (
                'add the rows, or write missing = "zero" in [data] (--missing zero)',
                Clause(Action.REVEAL, "tells the curator all of them."),
            ),
            private=f"without a row: {some(lacking, len(lacking))}",
        )
    if public is not None:
        loads = not table.columns.named  # by bus; by name they are the entries of d themselves
        for k in range(len(d)):  # before anything is rounded
            if loads if k in private else k not in reading.seen:
                sums.add(k, reading.decimals.read(float(public[k])) or (0, 0))
    d[:] = [sums.value(k) for k in range(len(d))]
    d.setflags(write=False)
    return TableData(d, replace(reading.summary(cut), lacking=lacking))


@dataclass(eq=False, repr=False)
class _Reading:
    """A table being read: sums by customer and entry, and what is wrong with it.

    `of_people`: what a row holds is told to the curator alone.
    """

    table: OpenTable
    entries: TableEntries
    decimal: str | None
    tens: int
    sites: Sites | None
    of_people: bool
    sums: ExactSums = field(default_factory=ExactSums)
    seen: set[int] = field(default_factory=set[int])
    known: dict[str, int] = field(default_factory=dict[str, int])
    pairs: array[int] = field(default_factory=lambda: array("q"))
    count: int = 0
    outside: int = 0
    unread: int = 0
    wrong: list[str] = field(default_factory=list[str])
    empty: int = 0
    unknown: dict[str, None] = field(default_factory=dict[str, None])

    def __post_init__(self) -> None:
        self.decimals = Decimals(self.decimal, self.table.separator)
        self.size = len(self.entries.program.data_names)

    def read(self) -> None:
        """Read all rows; refuse the table if it will not do, and is not of people."""
        at = self.table.columns
        cache: dict[tuple[Any, Any], int | None] = {}
        own: dict[str, frozenset[int]] = {} if self.sites is None else dict(self.sites.entries)
        private = set[int](self.entries.program.private.tolist())
        value_at, place_at, time_at, who_at = at.value or 0, at.place, at.time, at.customer
        twice: dict[int, None] = {}
        for row in self.table.rows:
            self.count += 1
            if row is None:
                self._note(": no row of this table")
                continue
            key = cell_text(row[place_at]), None if time_at is None else cell_text(row[time_at])
            if key not in cache:
                cache[key] = self.entries.position(*key, named=at.named)
            position = cache[key]
            if position is None:
                self.unknown[" ".join(str(one) for one in key if one is not None)] = None
                self._note(": no such entry")
                continue
            number = self.decimals.read(row[value_at])
            if number is None:
                self.empty += not cell_text(row[value_at])
                self._note("")
                continue
            pair = position
            if who_at is not None:
                customer = cell_text(row[who_at])
                if not customer:
                    self._note(": no customer")
                    continue
                there = own.get(customer, ()) if self.sites is not None else private
                if self.of_people and (position not in there or position not in private):
                    self.outside += 1
                    continue
                pair += self.size * self.known.setdefault(customer, len(self.known))
                self.pairs.append(pair)
            elif position in self.seen:
                twice[position] = None
            self.seen.add(position)
            top, places = number
            self.sums.add(pair, (top * 10 ** max(self.tens, 0), places + max(-self.tens, 0)))
        if not self.of_people:
            self._check(list(twice))

    def _note(self, what: str) -> None:
        """A row that will not do."""
        self.unread += 1
        if len(self.wrong) < _FEW:
            self.wrong.append(f"row {self.count}{what}")

    def _check(self, twice: list[int]) -> None:
        where, names = self.table.where, self.entries.program.data_names
        if not self.count:
            raise InputError(
                f"{where} has no row.", "a row for each entry of d.", "check the file."
            )
        if self.unknown:
            count = len(self.unknown)
            places = "a bus or time" if count == 1 else f"{count} buses or times"
            raise InputError(
                f"{where} has rows of {places} that the program does not have.",
                f"entries of d: {some(names, count=True)}.",
                (
                    "correct the names, or leave these rows out",
                    Clause(Action.REVEAL, "tells the curator which."),
                ),
                private=f"unknown: {some(list(self.unknown), 10, count=True)}",
            )
        if self.unread:
            raise InputError(
                f"{where} has values that are not filled in."
                if self.empty
                else f"{where} has rows, values or customers that will not do.",
                "rows of as many columns as the first line, in UTF-8, with a finite number such as "
                "1234.5: no unit, no thousands separator, no text, and no decimal comma where "
                "commas separate; and a customer, where there is that column.",
                ("correct it", Clause(Action.REVEAL, "tells the curator where.")),
                private=self.where_wrong,
            )
        if self.decimals.doubt is not None:
            raise InputError(
                f"{where} has {self.decimals.doubt}.",
                "decimals written in one way.",
                'say how: decimal = "," or decimal = "." in [data] (--decimal ","), or write '
                "points and no thousands separators.",
            )
        if twice:
            raise InputError(
                f"{where} has {len(twice)} entries in more than one row "
                f"({some([names[k] for k in twice])}), and no column for the customer.",
                "one row for each entry, or whose each row is.",
                'name that column, and rows are added: columns = { customer = "..." }; '
                "or take the repeated rows out.",
            )

    @property
    def where_wrong(self) -> str:
        """The first rows that will not do, for the curator."""
        told = f"{some(self.wrong, _FEW)} (the first line does not count)" if self.wrong else ""
        return "; ".join(filter(None, [told, self.decimals.doubt or ""]))

    def cut(self, limits: Mapping[int, Number]) -> tuple[ExactSums, int]:
        """Sums by entry, each customer's amount cut to its bound, and how many were."""
        found, many = ExactSums(), 0
        for pair in self.sums.tops:
            position = pair % self.size
            if position in limits:
                amount = self.sums.clamped(pair, limits[position])
                many += amount != (self.sums.tops[pair], self.sums.places)
            else:
                amount = self.sums.tops[pair], self.sums.places
            found.add(position, amount)
        return found, many

    def summary(self, cut: int) -> RowCounts:
        """What the rows were like."""
        written = ""
        if self.table.separator:
            mark = "a decimal comma" if self.decimals.commas else "decimal points"
            written = f"separated by {_MARKS[self.table.separator]}, with {mark}"
        found = RowCounts(
            written, self.count, outside=self.outside, cut=cut,
            unread=self.unread, where=self.where_wrong,
        )  # fmt: skip
        if not self.known:
            return found
        pairs = np.unique(np.frombuffer(self.pairs, dtype=np.int64))
        per_customer = np.bincount(pairs // self.size)
        per_entry = np.sort(np.unique(pairs % self.size, return_counts=True)[1])
        used = np.zeros(len(self.known))
        for pair in self.sums.tops:
            who = pair // self.size
            used[who] = max(used[who], abs(self.sums.value(pair)))
        return replace(
            found,
            customers=len(self.known),
            at_most=int(per_customer.max()),
            per_entry=(int(per_entry[0]), int(per_entry[len(per_entry) // 2]), int(per_entry[-1])),
            repeated=len(self.pairs) - len(pairs),
            used=used,
        )


def _limits(bound: Any, program: ConvexProgram) -> dict[int, Number]:  # noqa: ANN401 -- the edge
    """What a customer may add to each private entry at most: the decimal that was written."""
    each = arrays.vector(bound, len(program.private), "bound", labels=program.private_names)
    read = Decimals(".", "").read
    found = {int(k): read(repr(float(v))) for k, v in zip(program.private, each, strict=True)}
    limits = {k: number for k, number in found.items() if number is not None and number[0] >= 0}
    if len(limits) < len(found):
        raise InputError(
            "a bound of what a customer adds is negative, or of no ordinary size.",
            "alpha, or another positive number, for each private entry.",
            "pass bound=alpha.",
        )
    return limits


def _tens(table: OpenTable, program: ConvexProgram) -> int:
    """What values are multiplied by, as a power of ten; a unit that is not known is refused."""
    said, own = table.columns.unit, unit_of(program)
    tens = 0 if said is None else tens_between(said, own)
    if tens is None:
        raise InputError(
            f"{table.where} has values in {said}, and the program is in {own or 'no unit'}.",
            "data in the unit of the program, or both in W, kW, MW or GW.",
            (f"convert the file to {own}, and its header; or " if own else "")
            + f'make the program in {said} (unit = "{said}" in [program], or '
            f'network.program(unit="{said}")), with domain and alpha in it too.',
        )
    return tens
