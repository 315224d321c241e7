"""The files that go into a folder of evidence: read, recognised, and found in the ledger.

    release, measurement        by the row and the digest of its charge, which must be this ledger's
    decision                    by its measurements
    instrument                  by its digest, which some charge must name

A copy has the bytes of the file and a name of our own: paths of the user go nowhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from privopt.app.check import KINDS, Published, certified, decision_beside, verdict
from privopt.errors import InputError
from privopt.foreign import shown
from privopt.kernel import wire
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.inspection import Event
from privopt.ledger.row import thing_digest
from privopt.mechanisms.measured.decision import Decision
from privopt.recognise import kind_of, use_of

__all__ = ["Exhibit", "exhibits"]


@dataclass(frozen=True)
class Exhibit:
    """One file: its place in the folder, its bytes, and what it holds."""

    path: str
    content: bytes
    thing: Published


def exhibits(ledger: Ledger, events: Iterable[Event], files: Iterable[Path]) -> tuple[Exhibit, ...]:
    """Read the files, and find each in the ledger; InputError for one that is not of it.

    A decided release brings its decision along, from where that was saved beside it.
    """
    charges = [event for event in events if event.kind == "charge"]
    found: dict[str, Exhibit] = {}
    decided: list[tuple[Path, Release]] = []
    for file in files:
        thing, content = _read(file)
        exhibit = _exhibit(ledger, charges, file, thing, content)
        known = found.setdefault(exhibit.path, exhibit)
        if known.content != exhibit.content:
            raise InputError(
                f"{file} is another file than one before it, and says that it is the same.",
                "each release once.",
                "leave one of them out.",
            )
        if isinstance(thing, Release) and thing.mechanism == "decision":
            decided.append((file, thing))
    for file, release in decided:
        if all(one.thing.digest != release.maker for one in found.values()):
            decision = decision_beside(file, release)
            if decision is None:
                raise InputError(
                    f"the decision that {file} is the release of is not given, nor beside it.",
                    "a decided release with its decision: what it claims rests on it.",
                    "name the file of the decision, too.",
                )
            content = f"{wire.text(decision, indent=2)}\n".encode()
            exhibit = _exhibit(ledger, charges, file, decision, content)
            found[exhibit.path] = exhibit
    return tuple(found[path] for path in sorted(found))


def _read(file: Path) -> tuple[Published, bytes]:
    """What a file holds, and its bytes."""
    kind = KINDS.get(kind_of(file) or "")
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
    return wire.read(kind, content, str(file)), content


def _exhibit(
    ledger: Ledger, charges: list[Event], file: Path, thing: Published, content: bytes
) -> Exhibit:
    if isinstance(thing, Instrument):
        asked = thing_digest(thing.kernel.request().text)  # which a redacted row keeps
        held = (ledger.find(one.row)[0] for one in charges)
        if not any(row is not None and row.request_digest == asked for row in held):
            raise _foreign(file, "no charge of the ledger names this instrument")
        return Exhibit(f"instruments/{thing.digest[:12]}.json", content, thing)
    if isinstance(thing, Decision) and verdict(certified(thing)) is False:
        raise _foreign(file, "its certificate does not hold")
    parts = thing.measurements if isinstance(thing, Decision) else (thing,)
    for part in parts:
        release = part.release if isinstance(part, Measurement) else part
        if release is not None and release.mechanism != "decision":
            _check_stored(ledger, release, file)
    rows = [part.ledger.row for part in parts if part.ledger is not None]
    of = f"row-{rows[-1]}-" if rows else ""
    name = hashlib.sha256(content).hexdigest()[:12]
    return Exhibit(f"{thing.kind}s/{of}{name}.json", content, thing)


def _check_stored(ledger: Ledger, release: Release, file: Path) -> None:
    """Refuse a release that is not what its charge was for."""
    why = ledger.why_not_stored(release.ledger, release.digest)
    if why is not None:
        row = "" if release.ledger is None else f" --row {release.ledger.row}"
        raise InputError(
            f"{file} is not evidence of this ledger: {why}.",
            "the file as it was stored.",
            f"get it, free: privopt ledger fetch {shown(ledger.place)}{row} --out FILE.",
        )


def _foreign(file: Path, why: str) -> InputError:
    return InputError(
        f"{file} is not evidence of this ledger: {why}.",
        "files about charges of the ledger that is named.",
        "leave it out, or name its own ledger.",
    )
