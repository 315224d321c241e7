"""Sites: which customer is at which bus. Public, and what makes customers the owners of entries.

    ann, 3        Ann's consumption is part of the load of bus 3, at all times
    ann, 4        and of that of bus 4
    bob, 3

Neighbours then are data that differ in the rows of one customer, at that customer's buses: entries
that are several customers' (`noise.owners`). Rows of a customer elsewhere count as zero, so that
nothing else of d changes when that customer's rows do. A bus at which no customer is known to be
is protected by itself, as if it had a customer of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from privopt.adapters.table_entries import TableEntries, cell_text
from privopt.adapters.table_rows import opened
from privopt.discreet import discreet
from privopt.errors import InputError
from privopt.foreign import some
from privopt.model.program import ConvexProgram

__all__ = ["Sites", "read_sites"]


@dataclass(frozen=True, eq=False, repr=False)
class Sites:
    """The entries of d (positions) of each customer. Public.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(linear=[1, 2], G=[[1, 0], [0, 1]], lower=0,
    ...                            data_names=["load[north]", "load[south]"])
    >>> sites = po.read_sites({"ann": ["north", "south"], "bob": ["south"]}, program)
    >>> sites.owners["load[south]"]
    ['ann', 'bob']
    """

    program: ConvexProgram
    entries: Mapping[str, frozenset[int]]

    def __repr__(self) -> str:
        return f"Sites({len(self.entries)} customers)"

    @property
    def owners(self) -> dict[str, list[str]]:
        """The customers of each private entry, by its name: what `owners=` of a noise takes."""
        found: dict[str, list[str]] = {name: [] for name in self.program.private_names}
        names = self.program.data_names
        for customer, own in self.entries.items():
            for position in own:
                if names[position] in found:
                    found[names[position]].append(customer)
        alone = {name: [f"whoever is at {name}"] for name, own in found.items() if not own}
        return {**found, **alone}


@discreet
def read_sites(
    source: Any,  # noqa: ANN401 -- the edge
    program: ConvexProgram,
    *,
    columns: Mapping[str, str] | None = None,
    of_people: bool = False,
) -> Sites:
    """Which customer is at which bus: public, because who is protected follows from it.

    Parameters
    ----------
    source
        A file (CSV or Parquet) or frame with columns for customer and bus, a row for each site; or
        a dict from customers to their buses.
    program
        Whose private data are the sums of what customers use.
    columns
        Names of the columns by role, where they are not the usual ones.
    of_people
        The source is the private data, of which who is where is public, and nothing else. A row
        that is no site is left out then, and not refused.
    """
    entries = TableEntries(program)
    found, unknown = dict[str, set[int]](), dict[str, None]()

    def add(who: Any, place: Any) -> None:  # noqa: ANN401 -- cells
        customer, own = cell_text(who), entries.positions(place)
        if customer and own:
            found.setdefault(customer, set()).update(own)
        else:
            unknown[cell_text(place)] = None

    if isinstance(source, Mapping):
        where = "sites"
        for customer, places in cast("Mapping[Any, Any]", source).items():
            several: list[Any] = [places] if isinstance(places, (str, int)) else list(places)
            for place in several:
                add(customer, place)
    else:
        with opened(source, columns or {}, sites=True, of_people=of_people) as table:
            where, at = table.where, table.columns
            for row in table.rows:
                if row is None:
                    unknown["a line that is no row of this table"] = None
                    continue
                add(row[at.customer or 0], row[at.place])
    if (unknown or not found) and not of_people:
        what = some(list(unknown), count=True) if unknown else "no site"
        raise InputError(
            f"{where} has {what}, which is no bus of the program, or a row without a customer."
            if unknown
            else f"{where} has no site.",
            "customers and their buses, one site a row; buses: "
            f"{some(list(entries.by_bus), count=True)}.",
            "correct the list of sites: it is public.",
        )
    return Sites(program, {customer: frozenset(own) for customer, own in found.items()})
