"""Is a release whole, and does a ledger hold it? Row, digest, charge and values.

The release names the row and digest of its charge. The ledger's chain is checked from its first row
on, and what it stored for that charge must be the release. Of a decision the ledger holds the
measurements that it rests on; its certificate is checked in exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from privopt.claims.terms import FeasibilityTerms
from privopt.errors import InputError
from privopt.feasibility import Always, ExactBox
from privopt.kernel import wire
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.row import Row, thing_digest
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.decision import Decision
from privopt.solving.robust.region import Region
from privopt.solving.scaling import TOLERANCE

__all__ = [
    "DECIDED",
    "Finding",
    "check_decision",
    "check_published",
    "check_release",
    "decision_beside",
]

DECIDED = "it is the decision's release"  # what is compared of a decided release
_DECIDED = ("names", "epsilon", "delta", "alpha", "rests_on")


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that was looked at: what, whether it holds, and what was seen."""

    what: str
    holds: bool
    seen: str


def check_release(
    release: Release, ledger: str | Path | None, decision: Decision | None = None
) -> tuple[Finding, ...]:
    """Whether a release that was read is whole, and what a ledger says of it, if one is named.

    The values of a decided release are in no ledger: they are compared with the decision, if it is
    given, and the ledger with the measurements that the decision holds. The ledger is not changed;
    LedgerError if it is not whole itself.
    """
    count = f"{len(release.names)} value{'s' * (len(release.names) != 1)}"
    found = (Finding("the release is whole", True, count),)
    if decision is not None:
        made = decision.release()
        same = all(getattr(made, part) == getattr(release, part) for part in _DECIDED)
        same = same and np.array_equal(made.values, release.values)
        found += (
            Finding(DECIDED, same, "the same" if same else "another"),
            *_certified(decision),
        )
    if ledger is None:
        return found
    if decision is None or not release.rests_on:
        return found + _against(release, ledger)
    entries = [one.release.ledger for one in decision.measurements if one.release is not None]
    charge = Finding(
        "its charge is that of the measurement",
        release.ledger in entries,
        "none" if release.ledger is None else f"row {release.ledger.row}",
    )
    return (*found, charge, *_measured(decision.measurements, ledger))


def decision_beside(path: Path, release: Release) -> Decision | None:
    """The decision that was saved beside a release, if it rests on the same.

    By `privopt release`, release.decision.json beside release.json; by `privopt decide`,
    decision.json beside decision.release.json; with its measurements in it. None where there is
    none, one of another measurement, or a fallback, which certifies nothing.
    """
    stem = path.name.removesuffix(".json")
    for name in (f"{stem}.decision.json", f"{stem.removesuffix('.release')}.json"):
        file = path.with_name(name)
        if not release.rests_on or file == path or not file.is_file():
            continue
        try:
            decision = Decision.load(file)
        except InputError:
            continue
        if decision.release().rests_on == release.rests_on and decision.certificate is not None:
            return decision
    return None


def check_decision(decision: Decision, ledger: str | Path | None) -> tuple[Finding, ...]:
    """Whether the certificate of a decision holds, and what a ledger says of its measurements.

    Looked at are the rows, for all data that the certificate speaks of, in exact fractions; and
    whether these are all data that the measurements leave possible, at the chance that is claimed.
    """
    count = f"{len(decision.names)} value{'s' * (len(decision.names) != 1)}"
    found = (Finding("the decision is whole", True, count), *_certified(decision))
    return found + _measured(decision.measurements, ledger)


def _measured(
    measurements: tuple[Measurement, ...], ledger: str | Path | None
) -> tuple[Finding, ...]:
    """What a ledger, if one is named, says of the measurements that a decision rests on."""
    charged = [one.release for one in measurements if one.release is not None]
    return tuple(
        finding
        for release in charged
        if ledger is not None
        for finding in _against(release, ledger)
    )


def check_published(
    found: Release | Measurement | Decision,
    ledger: str | Path,
    beside: Decision | None = None,
) -> tuple[Finding, ...]:
    """What a ledger says of something that was published, whichever it is.

    `beside` is the decision of a release that was decided.
    """
    if isinstance(found, Decision):
        return check_decision(found, ledger)
    if isinstance(found, Release):
        return check_release(found, ledger, beside)
    count = f"{len(found.names)} sum{'s' * (len(found.names) != 1)}"
    whole = Finding("the measurement is whole", True, count)
    return (whole,) if found.release is None else (whole, *_against(found.release, ledger))


def _certified(decision: Decision) -> tuple[Finding, ...]:
    one, terms = decision.certificate, decision.guarantee.feasibility.terms
    if one is None:
        return (Finding("it has a certificate", False, "it is a fallback: nothing is claimed"),)
    checked = decision.check()
    eta = terms.eta if isinstance(terms, FeasibilityTerms) else None
    region = None
    if eta is not None:
        belief = Belief.of(decision.measurements, decision.program)
        measured = any(part.release is not None for part in decision.measurements)
        region = belief.region(ExactBox(eta=eta) if eta and measured else Always())
    return (
        Finding(
            "every limit is kept, in exact fractions",
            checked.excess <= 0,
            f"the tightest by {-checked.excess:.2g}"
            if checked.excess <= 0
            else f"one is broken by {checked.excess:.2g}",
        ),
        Finding("the equalities hold", checked.off <= TOLERANCE, f"to {checked.off:.2g}"),
        Finding(
            "for all data that were left possible",
            region is not None and _contains(one.region, region),
            "nothing is claimed" if eta is None else f"with probability {1 - eta:.6g}",
        ),
    )


def _contains(region: Region, other: Region) -> bool:
    """Whether a region holds another of the same slabs, floats considered."""
    if region.W.shape != other.W.shape or not np.array_equal(region.W, other.W):
        return False
    size = 1e-12 * (1.0 + np.abs(other.middle) + other.half)
    shift = region.W @ (other.middle - region.middle)
    near = 1e-12 * (1.0 + np.abs(other.low) + np.abs(other.high) + np.abs(shift))
    return bool(
        (region.middle - region.half <= other.middle - other.half + size).all()
        and (region.middle + region.half >= other.middle + other.half - size).all()
        and (region.low <= other.low + shift + near).all()
        and (region.high >= other.high + shift - near).all()
    )


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
    digest = row.digest.hex() == entry.digest
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
        )
        if not release.rests_on
        else Finding(
            "what is stored is a measurement, from which it was decided",
            output is not None and _is_measurement(output),
            "its values are in no ledger",
        ),
    )


def _is_measurement(row: Row) -> bool:
    """Whether a row's output is measured sums; of one that was redacted, that cannot be told."""
    if row.output is None:
        return True
    found = wire.read(Release, row.output, f"the output of row {row.seq}")
    return found.mechanism == "measurement"


def _is_stored(release: Release, row: Row) -> bool:
    """Whether a row's output is this release, as read: claims are made anew from its numbers.

    Of an output that was redacted only the digest is left, which is that of the bytes.
    """
    if row.output is None:
        return row.output_digest == thing_digest(wire.text(release).encode())
    return wire.read(Release, row.output, f"the output of row {row.seq}") == release
