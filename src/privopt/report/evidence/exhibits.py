"""The files that go into a folder of evidence: read, recognised, and found in the ledger.

    release, measurement        by the row and the digest of its charge, which must be this ledger's
    decision                    by its measurements
    instrument                  by its digest, which some charge must name

A copy has the bytes of the file and a name of our own: paths of the user go nowhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from privopt.errors import InputError
from privopt.foreign import shown
from privopt.kernel import wire
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.entry import Entry
from privopt.ledger.inspection import Event
from privopt.mechanisms.measured.decision import Decision
from privopt.recognise import kind_of, use_of

__all__ = ["Evident", "Exhibit", "exhibits"]

Evident: TypeAlias = Release | Measurement | Decision | Instrument
_KINDS: dict[str, type[Evident]] = {
    kind.kind: kind for kind in (Release, Measurement, Decision, Instrument)
}


@dataclass(frozen=True, eq=False, repr=False)
class Exhibit:
    """One file: its place in the folder, its bytes, and what it holds.

    Attributes
    ----------
    rows
        Of the charges that it belongs to.
    digest
        Of an instrument, as the ledger names it; else of its bytes.
    """

    path: str
    content: bytes
    thing: Evident
    rows: tuple[int, ...]
    digest: str

    @property
    def kind(self) -> str:
        """What it is: "release", "instrument" and so on."""
        return self.thing.kind


def exhibits(ledger: Ledger, events: Iterable[Event], files: Iterable[Path]) -> tuple[Exhibit, ...]:
    """Read the files, and find each in the ledger; InputError for one that is not of it."""
    charges = [event for event in events if event.kind == "charge"]
    found: dict[str, Exhibit] = {}
    for file in files:
        exhibit = _exhibit(ledger, charges, file)
        known = found.setdefault(exhibit.path, exhibit)
        if known.content != exhibit.content:
            raise InputError(
                f"{file} is another file than one before it, and says that it is the same.",
                "each release once.",
                "leave one of them out.",
            )
    return tuple(found[path] for path in sorted(found))


def _exhibit(ledger: Ledger, charges: list[Event], file: Path) -> Exhibit:
    kind = _KINDS.get(kind_of(file) or "")
    if kind is None:
        known = use_of(file)
        raise InputError(
            f"{file} is no evidence{f': it is {known[0]}' if known else ''}.",
            "a file of a release, measurement, decision or instrument.",
            "leave it out, or check the path.",
        )
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file} could not be read ({error.strerror}).", "a file.", "check its rights."
        ) from None
    thing = wire.read(kind, content, str(file))
    digest = hashlib.sha256(content).hexdigest()
    if isinstance(thing, Instrument):
        digest = thing.kernel.subject
        made = [one.row for one in charges if one.request and one.request.subject == digest]
        if not made:
            raise _foreign(file, "no charge of the ledger names this instrument")
        return Exhibit(_place(thing.kind, digest), content, thing, tuple(made), digest)
    entries = _entries(thing)
    for entry in entries:
        row, _ = ledger.find(entry.row)
        if row is None or row.kind != "charge" or row.digest.hex() != entry.digest:
            raise _foreign(file, f"row {entry.row} of the ledger is not its charge")
    if isinstance(thing, Release) and not thing.rests_on:
        _check_stored(ledger, thing, content, file)
    rows = tuple(entry.row for entry in entries)
    return Exhibit(_place(thing.kind, digest, rows), content, thing, rows, digest)


def _entries(thing: Release | Measurement | Decision) -> tuple[Entry, ...]:
    """The charges that something rests on; none of what cost nothing and was not charged."""
    parts = thing.measurements if isinstance(thing, Decision) else (thing,)
    return tuple(part.ledger for part in parts if part.ledger is not None)


def _check_stored(ledger: Ledger, release: Release, content: bytes, file: Path) -> None:
    """Refuse a release that is not, to the byte, what its charge was for."""
    if release.ledger is None:
        raise _foreign(file, "no ledger counted it")
    row = release.ledger.row
    output = ledger.find(row)[1]
    # As stored, or as saved: the same text with other line breaks.
    texts = (content, json.dumps(json.loads(content)).encode())
    stored = None if output is None else output.output_digest
    if stored not in {hashlib.sha256(text).digest() for text in texts}:
        raise InputError(
            f"{file} is not, to the byte, what the ledger stored for row {row}.",
            "the release as it was stored.",
            f"get it, free: privopt ledger fetch {shown(ledger.place)} --row {row} --out FILE.",
        )


def _place(kind: str, digest: str, rows: tuple[int, ...] = ()) -> str:
    of = f"row-{rows[-1]}-" if rows else ""
    return f"{kind}s/{of}{digest[:12]}.json"


def _foreign(file: Path, why: str) -> InputError:
    return InputError(
        f"{file} is not evidence of this ledger: {why}.",
        "files about charges of the ledger that is named.",
        "leave it out, or name its own ledger.",
    )
