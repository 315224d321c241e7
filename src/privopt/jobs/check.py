"""Is a release whole, and does a ledger hold it? Row, digest, charge and bytes.

The release names the row and digest of its charge. The ledger's chain is checked from its first row
on, and the bytes that it stored for that charge must be those of the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privopt import wire
from privopt.accounting import Ledger, chain
from privopt.accounting.store import Store
from privopt.release import Release

__all__ = ["Finding", "check_release"]


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that was looked at: what, whether it holds, and what was seen."""

    what: str
    holds: bool
    seen: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"what": self.what, "holds": self.holds, "seen": self.seen}


def check_release(release: Release, ledger: str | Path) -> tuple[Finding, ...]:
    """What a ledger says of a release. The ledger is not changed.

    Raises
    ------
    LedgerError
        The ledger itself is not whole.
    """
    with Ledger(ledger, read_only=True) as seen:
        report = seen.verify()
        path = seen.path
    whole = Finding("the ledger is whole", True, f"{report.rows} rows, every digest checked")
    entry = release.ledger
    if entry is None:
        return whole, Finding("the release names a ledger", False, "it was made without one")
    named = Finding(
        "it is the ledger of this dataset",
        report.dataset == entry.dataset,
        f"release: {entry.dataset!r}; ledger: {report.dataset!r}",
    )
    store = Store(path, read_only=True, timeout=60.0)
    try:
        with store.reading() as connection:
            last = chain.last(connection).seq
            row = chain.read(connection, entry.row) if 1 <= entry.row <= last else None
            query = "SELECT seq FROM entries WHERE of = ? AND kind = 'output'"
            found = connection.execute(query, (entry.row if row else 0,)).fetchone()
            output = None if found is None else chain.read(connection, int(found[0])).output
    finally:
        store.close()
    if row is None:
        missing = Finding("the row of its charge is there", False, f"row {entry.row} of {last}")
        return whole, named, missing
    digest = row.digest.hex() == entry.digest
    charge = row.kind == "charge" and row.charge.texts == (entry.epsilon, entry.delta)
    same = output is not None and bytes(output) == wire.text(release).encode()
    return (
        whole,
        named,
        Finding("row and digest are those of its charge", digest, f"row {row.seq}"),
        Finding("what was charged is what it says", charge, f"epsilon {entry.epsilon}"),
        Finding(
            "the stored bytes are these",
            same,
            "nothing is stored" if output is None else "the same" if same else "other bytes",
        ),
    )
