"""Looking at a ledger: what was spent and left, as a view, a table and a picture.

One charge and its output are looked up by row or by key. Nothing here writes.

What became of a charge whose release was stopped, the ledger itself is asked: a Ctrl-C during a
COMMIT is raised when the COMMIT has ended, and whether the charge was made, or the output stored,
cannot be seen from where it strikes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from privopt.errors import InputError
from privopt.ledger import chain
from privopt.ledger.entry import Entry
from privopt.ledger.events import Event
from privopt.ledger.protocol import stored
from privopt.ledger.row import Row, thing_digest
from privopt.ledger.stores.protocol import Transaction
from privopt.show.pictures.budget import BudgetShare, budget_bar
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.timeline import Moment, timeline
from privopt.show.view import Fact, Table, View

if TYPE_CHECKING:
    from privopt.ledger.reading import ReadLedger

__all__ = [
    "budget",
    "charged",
    "check_key",
    "exact",
    "output",
    "plot",
    "standing",
    "state",
    "table",
    "unit_kept",
    "view",
]

_LOOKED_AT = 100  # charges, until one has an output


def table(events: tuple[Event, ...]) -> Table:
    """A row for each event; amounts as floats."""
    requests = [event.request for event in events]
    return Table(
        "row",
        [event.row for event in events],
        {
            "time": [event.time for event in events],
            "kind": [event.kind for event in events],
            "key": [event.key for event in events],
            "mechanism": [None if one is None else one.mechanism for one in requests],
            "privacy": [None if one is None else one.provenance for one in requests],
            "releaser": [event.releaser for event in events],
            "epsilon": [event.charge.epsilon for event in events],
            "delta": [event.charge.delta for event in events],
            "released": [event.released for event in events],
        },
    )


def view(ledger: ReadLedger, last: int = 0) -> View:
    """What was spent, and the events; only the last ones, where a number is given."""
    events = ledger.recent(last) if last else ledger.events
    return replace(state(ledger, events[-1]), table=exact(events))


def unit_kept(ledger: ReadLedger) -> str:
    """What alpha is counted in, as the first stored release says; empty where none says so.

    A ledger's own rows hold the unit only inside the digest of its private set.
    """
    charges = (one for one in ledger.history() if one.kind == "charge")
    for event in islice(charges, _LOOKED_AT):
        output = ledger.find(event.row)[1]
        if output is None or output.output is None:
            continue
        try:
            unit: object = json.loads(output.output)["units"]["data"]
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""
        return unit if isinstance(unit, str) else ""
    return ""


def state(ledger: ReadLedger, now: Event) -> View:
    """What was spent, what is left and the quotas, as of the last event."""
    subject, spent, limit = ledger.subject, now.spent, now.limit
    quotas = (
        Fact(f"releaser {one.releaser}", f"{one.spent} of {one.limit}; left {one.left}")
        for one in ledger.quotas
    )
    return View(
        f"Ledger of {subject.dataset}",
        facts=(
            Fact("spent", str(spent)),
            Fact("limit", str(limit)),
            Fact("left", str(limit.limit.minus(spent.charge).budget)),
            *quotas,
            Fact("neighbours", subject.neighbours_in(unit_kept(ledger))),
        ),
        notes=(f"file: {ledger.place}",),
        tail=True,
    )


def exact(events: Sequence[Event]) -> Table:
    """A row for each event; amounts as exact decimals, and releasers where any is said."""
    cells = zip(*map(_cells, events), strict=True)
    headings = ("time", "key", "mechanism", "privacy", "charge", "output")
    columns: dict[str, Sequence[str]] = dict(zip(headings, cells, strict=True))
    names = [event.releaser or "" for event in events]
    columns |= {"releaser": names} if any(names) else {}
    return Table("row", [event.row for event in events], columns)


def _cells(event: Event) -> tuple[str, ...]:
    time, key = event.time.replace("T", " "), event.key or ""
    if event.kind == "quota":
        return time, "", event.kind, "", f"quota {event.quota}", ""
    if event.kind != "charge":
        return time, "", event.kind, "", f"limit {event.limit}", ""
    of = ("redacted", "") if event.request is None else (
        event.request.mechanism, event.request.provenance
    )  # fmt: skip
    return time, key, *of, str(event.charge), "released" if event.released else "without output"


def plot(ledger: ReadLedger) -> Picture:
    """What was spent over time, below the limit."""
    return timeline(map(_moment, ledger.history()), "epsilon", f"Ledger of {ledger.dataset}.")


def budget(ledger: ReadLedger) -> Picture:
    """What was spent of the limit and of each quota, as bars."""
    spent, limit = ledger.spent, ledger.limit
    shares = [BudgetShare("epsilon", spent.epsilon, limit.epsilon)]
    if limit.delta > 0:
        shares.append(BudgetShare("delta", spent.delta, limit.delta))
    quotas = [
        BudgetShare(f"releaser {q.releaser}", q.spent.epsilon, q.limit.epsilon)
        for q in ledger.quotas
    ]
    note = " Below: epsilon spent of each quota." if quotas else ""
    return budget_bar(shares, quotas, f"The frame is the limit, what is filled was spent.{note}")


def _moment(event: Event) -> Moment:
    """An event as it is drawn."""
    kind = ("charge" if event.released else "burnt") if event.kind == "charge" else ""
    what = event.kind
    if event.kind == "charge":
        what = "redacted" if event.request is None else event.request.mechanism
        what += f", charge {event.charge}{'' if event.released else ', without output'}"
    when = event.time.replace("T", " ")
    text = f"row {event.row}, {when}: {what}; spent {event.spent} of {event.limit}"
    return Moment(event.time, event.spent.epsilon, event.limit.epsilon, kind, text)


def check_key(key: Any) -> None:  # noqa: ANN401 -- the edge
    """Refuse what is no key; None is none."""
    sound = key is None or (isinstance(key, str) and 1 <= len(key) <= 200 and key.isprintable())
    if not sound:
        raise InputError(
            f"key is {key!r:.40}.",
            "a printable string of 1 to 200 characters, or None.",
            'name the release, as in key="loads-2026-05".',
        )


def output(transaction: Transaction, row: int | None, key: str | None) -> bytes:
    """The output of the charge that a row (its own, or the charge's) or a key names."""
    last, found = chain.last(transaction).seq, None
    if key is not None:
        found = chain.row_of_key(transaction, thing_digest(key))
    elif row is not None and 1 <= row <= last:
        found = chain.read(transaction, row)
    if found is not None and found.kind == "output":
        found = chain.read(transaction, found.of or 0)
    name = f"row {row}" if key is None else f"the key {key!r}"
    if found is None or found.kind != "charge":
        raise InputError(
            f"{name} is no charge of this ledger.",
            "the row or the key of a charge.",
            "`privopt ledger show` lists them.",
        )
    return stored(transaction, found.seq, name)


def charged(row: int) -> str:
    """What is said of a charge without output."""
    return f"Row {row} of the ledger was charged; the charge stays. No output of it was stored."


def standing(find: Callable[[int], tuple[Row | None, Row | None]], entry: Entry, place: str) -> str:
    """Whether a charge stands and its output is kept, in words; `find` looks both up."""
    name = shlex.quote(place)
    try:
        row, output = find(entry.row)
    except BaseException:  # a second Ctrl-C too: the first one is what is raised
        return (
            f"Whether row {entry.row} of the ledger was charged could not be seen. Look with: "
            f"privopt ledger show {name} --last 1"
        )
    if row is None or row.digest.hex() != entry.digest:
        return "Nothing was charged."
    if output is None:
        return charged(entry.row)
    return (
        f"Row {entry.row} of the ledger was charged, and keeps the release. Get it, free: privopt "
        f"ledger fetch {name} --row {entry.row}"
    )
