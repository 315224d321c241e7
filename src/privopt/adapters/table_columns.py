"""Which column of a table is which: by usual names, or as the user says; never guessed.

    bus, customer, time, load (MW)          bus; customer; time; value, in MW

A role that two columns could have is refused, as is one that none has. What is told of a header in
public is which roles were found: of a file without one, the first line holds private values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privopt.errors import Action, Clause, InputError
from privopt.foreign import some

__all__ = ["ROLES", "TableColumns", "found", "header_unit"]

ROLES = {
    "name": ("name", "entry"),
    "bus": ("bus", "busi", "busid", "busno", "busnumber", "node", "nodeid", "nodenumber"),
    "customer": (
        "customer", "customerid", "client", "clientid", "consumer", "consumerid", "household",
        "householdid", "meter", "meterid", "user", "userid", "account", "accountid", "owner",
    ),
    "time": ("time", "period", "hour", "timestamp", "datetime", "date", "interval"),
    "value": ("value", "load", "demand", "power", "consumption", "p", "pd", "d"),
}  # fmt: skip
_UNITS = {"w": "W", "kw": "kW", "mw": "MW", "gw": "GW", "pu": "p.u.", "p.u.": "p.u."}
_UNIT = re.compile(
    r"(?:(?P<what>.*?)(?:[\s_-]+|\s*[\[(]\s*|\s+in\s+))?(?P<unit>w|kw|mw|gw|pu|p\.u\.)\s*[\])]?"
)


@dataclass(frozen=True, repr=False)
class TableColumns:
    """Positions of the columns; `unit` is what the header of the values says, None if nothing."""

    place: int
    named: bool
    value: int | None
    customer: int | None
    time: int | None
    unit: str | None = None


def header_unit(header: str) -> tuple[str, str | None]:
    """What a header is about, and the unit of power in it, if there is one."""
    text = header.strip().casefold()
    match = _UNIT.fullmatch(text)
    if match is None:
        return _plain(text), None
    return _plain(match["what"] or "value"), _UNITS[match["unit"]]


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text)


def found(
    header: Sequence[str], given: Mapping[str, str], where: str, *, sites: bool
) -> TableColumns:
    """The columns of a header; `given` names some by role. Of sites, no value is needed."""
    at = {role: _position(role, header, given, where) for role in ROLES}
    place = "name" if at["name"] is not None and at["bus"] is None else "bus"
    if at["name"] is not None and at["bus"] is not None and "name" not in given:
        place = "bus"  # a bus with a name beside it
    elif "name" in given:
        place = "name"
    needed = {"bus": at[place], **({"customer": at["customer"]} if sites else {})}
    if not sites:
        needed["value"] = at["value"]
    missing = [role for role, position in needed.items() if position is None]
    if missing:
        known = [role for role, position in at.items() if position is not None]
        raise InputError(
            f"{where} has no column for the {' and the '.join(missing)} "
            f"(recognised: {', '.join(known) or 'none'}).",
            "a first line with names of columns such as "
            + ("customer, bus." if sites else "bus, value; customer and time where there are some.")
            + " Columns are separated by commas, semicolons or tabs.",
            (
                "name them in the first line, or say which they are: columns = "
                '{ bus = "...", value = "..." } (--columns "bus=...,value=...")',
                Clause(Action.REVEAL, "shows the curator the first line."),
            ),
            private=f"first line: {some(list(header), 12, count=True)}",
        )
    value = at["value"]
    unit = None if value is None or sites else header_unit(header[value])[1]
    columns = needed["bus"]
    return TableColumns(columns or 0, place == "name", value, at["customer"], at["time"], unit)


def _position(role: str, header: Sequence[str], given: Mapping[str, str], where: str) -> int | None:
    if role in given:
        own = [k for k, name in enumerate(header) if name.strip() == given[role]]
        if len(own) != 1:
            raise InputError(
                f"{where} has {'no' if not own else 'more than one'} column {given[role]!r:.60}, "
                f"which columns names for the {role}.",
                "the name of one column, as in the first line of the file.",
                ("correct columns", Clause(Action.REVEAL, "shows the curator the first line.")),
                private=f"first line: {some(list(header), 12, count=True)}",
            )
        return own[0]
    taken = set(given.values())
    own = [k for k, name in enumerate(header) if name.strip() not in taken and _is(role, name)]
    if len(own) > 1:
        raise InputError(
            f"{where} has {len(own)} columns that could be the {role}.",
            f"one column for the {role}.",
            (
                f'say which: columns = {{ {role} = "..." }} (--columns "{role}=...")',
                Clause(Action.REVEAL, "shows the curator which."),
            ),
            private=f"they are: {some([header[k] for k in own], 6)}",
        )
    return own[0] if own else None


def _is(role: str, name: str) -> bool:
    what, unit = header_unit(name)
    return what in ROLES[role] and (unit is None or role == "value")
