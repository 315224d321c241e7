"""Is a release whole, and does a ledger hold it? Row, digest, charge and values.

The release names the row and digest of its charge. The ledger's chain is checked from its first row
on, and what it stored for that charge must be the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from privopt.kernel import wire
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.row import Row, thing_digest

__all__ = ["Finding", "check_release"]


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that was looked at: what, whether it holds, and what was seen."""

    what: str
    holds: bool
    seen: str


def check_release(release: Release, ledger: str | Path | None) -> tuple[Finding, ...]:
    """Whether a release that was read is whole, and what a ledger says of it, if one is named.

    The ledger is not changed; LedgerError if it is not whole itself.
    """
    count = f"{len(release.names)} value{'s' * (len(release.names) != 1)}"
    found = Finding("the release is whole", True, count)
    return (found,) if ledger is None else (found, *_against(release, ledger))


def _against(release: Release, ledger: str | Path) -> tuple[Finding, ...]:
    with Ledger(ledger, read_only=True) as seen:
        report = seen.verify()
        row, output = (None, None) if release.ledger is None else seen.find(release.ledger.row)
    whole = Finding("the ledger is whole", True, f"{report.rows} rows, every digest checked")
    entry = release.ledger
    if entry is None:
        return whole, Finding("the release names a ledger", False, "it was made without one")
    named = Finding(
        "it is the ledger of this dataset",
        report.dataset == entry.dataset,
        f"release: {entry.dataset!r}; ledger: {report.dataset!r}",
    )
    if row is None:
        place = f"row {entry.row} of {report.rows}"
        return whole, named, Finding("the row of its charge is there", False, place)
    digest = row.known_as(entry.digest)
    charge = row.kind == "charge" and row.charge.texts == (entry.epsilon, entry.delta)
    same = output is not None and _is_stored(release, output)
    return (
        whole,
        named,
        Finding("row and digest are those of its charge", digest, f"row {row.seq}"),
        Finding("what was charged is what it says", charge, f"epsilon {entry.epsilon}"),
        Finding(
            "the stored release is this one",
            same,
            "nothing is stored" if output is None else "the same" if same else "another",
        ),
    )


def _is_stored(release: Release, row: Row) -> bool:
    """Whether a row's output is this release, as read: claims are made anew from its numbers.

    Of an output that was redacted only the digest is left, which is that of the bytes.
    """
    if row.output is None:
        return row.output_digest == thing_digest(wire.text(release).encode())
    return wire.read(Release, row.output, f"the output of row {row.seq}") == release
