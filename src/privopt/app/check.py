"""Is something public what was charged, and does what it claims hold? By digests, never by parts.

    release, measurement     a ledger stored this record for its charge
    decided release          it is the release of the decision that it names by digest
    decision                 its certificate holds, and a ledger stored its measurements; its own
                             words no ledger has

The chain of the ledger is checked from its first row on, certificates in exact fractions. What
there was nothing to compare with is neither confirmed nor refuted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from privopt.claims.terms import FeasibilityTerms
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.mechanisms.measured.decision import Decision

__all__ = ["KINDS", "Finding", "Published", "certified", "check", "decision_beside", "verdict"]

Published: TypeAlias = Release | Instrument | Measurement | Decision
KINDS: dict[str, type[Published]] = {
    kind.kind: kind for kind in (Release, Instrument, Measurement, Decision)
}


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that was looked at: what, whether it holds (None: not compared), and what was seen.

    So that a summary never says more than its parts, `verdict` alone sums findings up.
    """

    what: str
    holds: bool | None
    seen: str


def verdict(findings: Sequence[Finding]) -> bool | None:
    """Whether all of it holds; None where nothing is refuted, and something was not compared."""
    held = [one.holds for one in findings]
    return False if False in held else None if None in held else True


def check(
    found: Published, ledger: str | Path | None, decision: Decision | None = None
) -> tuple[Finding, ...]:
    """Whether something public that was read is whole, and what a ledger says of it.

    `decision` is that of a release that was decided. The ledger is not changed; LedgerError if it
    is not whole itself.
    """
    whole = Finding(f"the {found.kind} is whole", True, _count(found))
    if isinstance(found, Instrument):
        if ledger is not None:
            raise InputError(
                "--ledger was given for an instrument.",
                "a release, a measurement or a decision, which a ledger counts.",
                "leave --ledger out.",
            )
        return whole, Finding("a charge was for it", None, "verify what it measured")
    if isinstance(found, Decision):
        seen = "no ledger holds them: verify its release, which names the decision by its digest"
        own = Finding("its names and estimates are those that were decided", None, seen)
        return whole, own, *certified(found), *_measured(found, ledger)
    if isinstance(found, Measurement):
        if found.release is None:
            return whole, Finding("it cost nothing", True, "nothing was measured")
        return whole, *_charged([found.release], ledger)
    if found.mechanism != "decision":
        return whole, *_charged([found], ledger)
    what = "it is the decision's release"
    if decision is None:
        seen = "its decision is not beside it; its values are in no ledger"
        rests = [found] if found.rests_on else []
        return whole, Finding(what, None, seen), *_charged(rests, ledger)
    same = decision.digest == found.maker and decision.release() == found
    return (
        whole,
        Finding(what, same, f"decision {decision.digest[:12]}" if same else "another"),
        *certified(decision),
        *_measured(decision, ledger),
    )


def certified(decision: Decision) -> tuple[Finding, ...]:
    """Whether the certificate of a decision holds, for all data that its measurements leave."""
    terms = decision.guarantee.feasibility.terms
    if decision.certificate is None:
        return (Finding("it has a certificate", None, "it is a fallback: nothing is claimed"),)
    try:
        checked = decision.check()
    except InputError as error:
        return (Finding("its certificate is that of this decision", False, error.got),)
    eta = terms.eta if isinstance(terms, FeasibilityTerms) and terms.eta is not None else 1.0
    return (
        Finding(
            "every limit is kept, in exact fractions",
            checked.excess <= 0,
            f"the tightest by {-checked.excess:.2g}"
            if checked.excess <= 0
            else f"one is broken by {checked.excess:.2g}",
        ),
        Finding(
            "the equalities hold exactly, near the stated solution",
            checked.off < math.inf,
            f"within {checked.off:.2g} of its size",
        ),
        Finding("for all data that were left possible", True, f"with probability {1 - eta:.6g}"),
    )


def decision_beside(path: Path, release: Release) -> Decision | None:
    """The decision that was saved beside a release, if it is the one that the release names.

    By `privopt release`, release.decision.json beside release.json; by `privopt decide`,
    decision.json beside decision.release.json.
    """
    stem = path.name.removesuffix(".json")
    for name in (f"{stem}.decision.json", f"{stem.removesuffix('.release')}.json"):
        file = path.with_name(name)
        if release.mechanism != "decision" or file == path or not file.is_file():
            continue
        try:
            decision = Decision.load(file)
        except InputError:
            continue
        if decision.digest == release.maker:
            return decision
    return None


def _measured(decision: Decision, ledger: str | Path | None) -> tuple[Finding, ...]:
    """What a ledger, if one is named, says of the measurements that a decision rests on."""
    releases = [one.release for one in decision.measurements if one.release is not None]
    return _charged(releases, ledger)


def _charged(releases: Sequence[Release], ledger: str | Path | None) -> tuple[Finding, ...]:
    """Whether a ledger holds what was charged; of a decided release, the charge it rests on."""
    if not releases:
        return (Finding("it cost nothing", True, "nothing was measured"),)
    if ledger is None:
        return (
            Finding(
                "a ledger holds what was charged", None, "no ledger was named: --ledger LEDGER does"
            ),
        )
    with Ledger(ledger, read_only=True) as seen:
        report = seen.verify()
        found = [Finding("the ledger is whole", True, f"{report.rows} rows, every digest checked")]
        for one in releases:
            decided, measured = (one.mechanism == name for name in ("decision", "measurement"))
            why = seen.why_not_stored(one.ledger, None if decided else one.digest)
            row = f"row {one.ledger.row}" if one.ledger else ""
            what = f"it stored this {'measurement' if measured else 'release'} for its charge"
            found.append(
                Finding("its charge is there" if decided else what, why is None, why or row)
            )
    return tuple(found)


def _count(found: Published) -> str:
    """How much something is of."""
    what = "sum" if isinstance(found, (Instrument, Measurement)) else "value"
    return f"{len(found.names)} {what}{'s' * (len(found.names) != 1)}"
