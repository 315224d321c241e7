"""Audits of what made the releases, at its worst neighbours. No one's data are used.

Each instrument, also that of a measurement, is audited once (`assess.audit` at
`assess.worst_pair`). One that measures nothing has no noise and nothing to audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from privopt.assess.audit import Audit, audit
from privopt.assess.worst import WorstPair, kernel_of, worst_pair
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.decision import Decision
from privopt.report.evidence.exhibits import Exhibit

__all__ = ["MEANING", "AuditedMaker", "audits", "makers"]

MEANING = (
    "An audit releases many times for two made-up data that the releases tell apart best, and "
    "bounds epsilon from below. It can find that a claim is false; that nothing was found proves "
    "nothing. What is proven is recomputed by recompute.py."
)


@dataclass(frozen=True, eq=False)
class AuditedMaker:
    """What was audited, at which pair, and what came of it."""

    kind: str
    digest: str
    pair: WorstPair
    found: Audit

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        about = {"kind": self.kind, "digest": self.digest, "neighbours": self.pair.words}
        return {**about, **self.found.to_dict()}


def makers(shown: Iterable[Exhibit]) -> dict[str, Instrument]:
    """What makes noise in some files, by the digest that the ledger knows."""
    found: dict[str, Instrument] = {}
    for exhibit in shown:
        thing = exhibit.thing
        if isinstance(thing, Instrument):
            found[exhibit.digest] = thing
        parts = thing.measurements if isinstance(thing, Decision) else (thing,)
        for part in parts:
            if isinstance(part, Measurement) and part.release is not None:
                made = part.instrument
                found.setdefault(made.kernel.subject, made)
    return found


def audits(
    shown: Iterable[Exhibit], samples: int, progress: Callable[[str], None] = lambda _: None
) -> tuple[AuditedMaker, ...]:
    """Audit each of them with so many releases; none with 0."""
    found: list[AuditedMaker] = []
    for digest, made in makers(shown).items():
        if samples and kernel_of(made).calibration is not None:
            progress(f"auditing the {made.kind} {digest[:12]}")
            pair = worst_pair(made)
            result = audit(made, pair.d, pair.d_prime, samples=samples)
            found.append(AuditedMaker(made.kind, digest, pair, result))
    return tuple(found)
