"""The ledger that a session names: what is spent, its rows, verification, evidence. Public.

A ledger holds what was charged and what was released: no d. It is only read here, but where the
user makes a new one; charges are the curator's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privopt.errors import InputError
from privopt.files import write_whole
from privopt.ledger import Budget, Ledger
from privopt.ledger.events import Event
from privopt.ledger.inspection import unit_kept
from privopt.ledger.stores.registry import exists, shown_as
from privopt.report.evidence.making import make_evidence

__all__ = ["LedgerAt", "name_ledger", "named_ledger"]

_NAMED = "ledger.json"
_ROWS = 500  # of a timeline


@dataclass(frozen=True, repr=False)
class LedgerAt:
    """A ledger at a place, and the limit to make it with, if it is not there."""

    place: str
    limit: str | None = None
    delta: str | None = None
    dataset: str | None = None

    @property
    def shown(self) -> str:
        """The place without a password."""
        return shown_as(self.place)

    @property
    def budget(self) -> Budget | None:
        """The limit to make it with."""
        return None if self.limit is None else Budget(self.limit, self.delta or 0)

    def amounts(self) -> dict[str, Any]:
        """What is spent and left, for the bar; of one that is not there yet, its limit."""
        if not exists(self.place):
            limit = self.budget
            nothing = Budget(0).to_dict()
            told = None if limit is None else limit.to_dict()
            return {"path": self.shown, "new": True, "spent": nothing, "limit": told, "left": told}
        with self.opened() as seen:
            spent, limit = seen.spent, seen.limit
        left = limit.limit.minus(spent.charge).budget
        return {
            "path": self.shown,
            "new": False,
            "spent": spent.to_dict(),
            "limit": limit.to_dict(),
            "left": left.to_dict(),
        }

    def opened(self) -> Ledger:
        """The ledger, to look at."""
        return Ledger(self.place, read_only=True, timeout=10.0)

    def made(self) -> LedgerAt:
        """The same, made if it is not there and a limit is given."""
        if not exists(self.place):
            if self.budget is None:
                raise InputError(
                    f"there is no ledger at {self.shown}.",
                    "a ledger, or a limit with which to make one.",
                    "give a limit, such as 1.0.",
                )
            with Ledger(self.place, self.budget, dataset=self.dataset):
                pass
        else:
            with self.opened():
                pass
        return self

    def to_dict(self) -> dict[str, Any]:
        """What GET /api/ledger answers."""
        if not exists(self.place):
            return {**self.amounts(), "dataset": None, "quotas": [], "rows": [], "head": None}
        with self.opened() as seen:
            events = seen.recent(_ROWS)
            subject, quotas = seen.subject, seen.quotas
            head = events[-1]
            return {
                **self.amounts(),
                "dataset": subject.dataset,
                "neighbours": subject.neighbours_in(unit_kept(seen)),
                "quotas": [one.to_dict() for one in quotas],
                "rows": [_row(one) for one in events],
                "before": events[0].row - 1,
                "head": head.row,
            }

    def verified(self) -> dict[str, Any]:
        """What verification found: every row, the chain, the sums, the limit at each charge."""
        with self.opened() as seen:
            report = seen.verify()
        return {
            "summary": report.summary(),
            "head": f"{report.head[0]}:{report.head[1]}",
            "rows": report.rows,
            "charges": report.charges,
            "released": report.released,
        }

    def evidence(self, files: Sequence[str], out: str) -> dict[str, Any]:
        """Write a folder of evidence for a regulator."""
        made = make_evidence(self.place, [Path(one) for one in files], Path(out))
        return {
            "folder": str(made.folder.absolute()),
            "page": (made.folder.absolute() / "index.html").as_uri(),
            "files": made.files,
            "sound": made.sound,
            "recomputed": [{"result": word, "what": what} for word, what in made.recomputed],
        }


def name_ledger(folder: Path, ledger: LedgerAt) -> None:
    """Keep which ledger a session is about, for its other process too."""
    write_whole(folder / _NAMED, json.dumps(asdict(ledger)).encode(), private=True)


def named_ledger(folder: Path) -> LedgerAt | None:
    """The ledger that a session is about."""
    path = folder / _NAMED
    return LedgerAt(**json.loads(path.read_bytes())) if path.is_file() else None


def _row(event: Event) -> dict[str, Any]:
    request = event.request
    charge = event.charge.to_dict()
    state = event.kind
    if event.kind == "charge":
        state = "released" if event.released else "charged, without output"
    return {
        "row": event.row,
        "time": event.time,
        "kind": event.kind,
        "key": event.key,
        "releaser": event.releaser,
        "mechanism": None if request is None else request.mechanism,
        "privacy": None if request is None else request.provenance,
        "epsilon": charge["epsilon"],
        "delta": charge["delta"],
        "spent": event.spent.to_dict(),
        "limit": event.limit.to_dict(),
        "state": state,
    }
