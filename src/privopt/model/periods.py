"""Time: which period, and which customer, each private entry of d belongs to. Public data.

    u = (u of period 1, u of period 2, ...)      in whatever order the program has its entries

A program that knows its periods (`program.periods`) can be measured hour by hour, decided hour by
hour where it is large, and shown over time. Nothing else depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.errors import InputError
from privopt.labels import check_names
from privopt.plain import integers, listed, texts

__all__ = ["Periods", "at"]


def at(name: str, period: str) -> str:
    """The name of something in a period: `demand[3]@07`."""
    return f"{name}@{period}"


@dataclass(frozen=True, repr=False)
class Periods:
    """The periods of a program's private entries, and whose they are.

    Attributes
    ----------
    labels
        Names of the periods, in the order of time.
    period
        For each private entry, the position of its period.
    customers
        For each private entry, its customer: the same over all periods. As `owners=` of a noise
        they say that one customer is protected over the whole horizon.

    Examples
    --------
    Three hours of two homes, hour by hour:

    >>> import privopt as po
    >>> periods = po.Periods.grid(["00", "01", "02"], ["north", "south"])
    >>> periods.customers
    ('north', 'south', 'north', 'south', 'north', 'south')
    >>> periods.totals()["01"]
    [2, 3]
    """

    labels: tuple[str, ...]
    period: tuple[int, ...]
    customers: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"Periods({len(self.labels)} periods, {len(set(self.customers))} customers, "
            f"{len(self.period)} entries)"
        )

    def __post_init__(self) -> None:
        check_names(self.labels, len(self.labels), "periods")
        count = len(self.labels)
        if not all(0 <= k < count for k in self.period):
            raise InputError(
                "an entry has a period that is not there.",
                f"positions from 0 to {count - 1}, those of the labels.",
                "count periods from zero, or use Periods.grid(periods, customers).",
            )
        if len(self.customers) != len(self.period):
            raise InputError(
                f"{len(self.customers)} customers were given for {len(self.period)} entries.",
                "the customer of each private entry.",
                "use Periods.grid(periods, customers) for a table of data.",
            )

    @classmethod
    def grid(
        cls, periods: Iterable[object], customers: Iterable[object], *, by: str = "period"
    ) -> Periods:
        """Periods of a table with an entry for each period and customer.

        Parameters
        ----------
        periods, customers
            Their names, in the order of the table.
        by
            How the table was flattened to d: "period" by "period" (all customers of the first
            period come first), or "customer" by "customer". A cvxpy parameter of shape
            (periods, customers) is flattened customer by customer, one of shape (customers,
            periods) period by period.
        """
        if by not in ("period", "customer"):
            raise InputError(f"by is {by!r:.40}.", "'period' or 'customer'.", "see Periods.grid.")
        labels, names = tuple(map(str, periods)), tuple(map(str, customers))
        rows = [(k, name) for k in range(len(labels)) for name in names]
        if by == "customer":
            rows = [(k, name) for name in names for k in range(len(labels))]
        return cls(labels, tuple(k for k, _ in rows), tuple(name for _, name in rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "labels": list(self.labels),
            "period": list(self.period),
            "customers": list(self.customers),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Periods:
        """What `to_dict` wrote; ValueError or an InputError if it is none."""
        labels, period = listed(data["labels"]), integers(data["period"])
        customers = listed(data["customers"])
        names = texts(labels, len(labels)), texts(customers, len(customers))
        return cls(names[0], tuple(period), names[1])

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def of(self) -> NDArray[np.intp]:
        """The period of each private entry, as positions."""
        return np.array(self.period, dtype=np.intp)

    def totals(self, blocks: int | None = None) -> dict[str, list[int]]:
        """The entries of each period, or of so many blocks of periods: sums for an `Instrument`."""
        count = len(self.labels) if blocks is None else blocks
        groups: list[NDArray[np.intp]] = np.array_split(np.arange(len(self.labels)), count)
        found: dict[str, list[int]] = {}
        for group in groups:
            entries = np.flatnonzero(np.isin(self.of, group))
            if len(entries):
                first, last = self.labels[int(group[0])], self.labels[int(group[-1])]
                found[first if first == last else f"{first} to {last}"] = entries.tolist()
        return found
