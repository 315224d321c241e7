"""What the rows of an experiment claim: from their numbers, or from the words of version 0.1.0.

Files of results state it, and nothing on the page shows it: the page says so once, below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from privopt.claims.guarantee import Claim, Guarantee, Scope
from privopt.claims.old_words import claims_in, terms_of
from privopt.claims.terms import FeasibilityTerms, Terms

__all__ = ["Claimed", "different", "read_claims"]

_LIMITS = {Scope.ROW.value: " each", Scope.JOINT.value: " all"}


@dataclass(frozen=True)
class Claimed:
    """One claim as the page shows it.

    Attributes
    ----------
    text
        What holds; how many inequalities there are stands with the network.
    word, scope
        How it is known (PROVEN, ASSUMED, SAMPLED, NO CLAIM), and of what; empty where the file
        does not tell.
    """

    text: str
    word: str
    scope: str

    @property
    def ground(self) -> str:
        """The word; of limits, whether of each or of all together."""
        return f"{self.word}{_LIMITS.get(self.scope, '')}"


def read_claims(row: Mapping[str, Any]) -> tuple[Claimed, ...]:
    """The claims of a row of results; none where it has no answer."""
    given = row.get("claims")
    if given is None:
        said = claims_in(str(row.get("guarantee") or ""))
        return tuple(Claimed(_text(terms_of(text), text), *ground) for text, *ground in said)
    found = Guarantee.from_dict(given)
    return tuple(_claimed(claim) for claim in (found.privacy, found.feasibility))


def different(claims: Iterable[Iterable[Claimed]]) -> tuple[Claimed, ...]:
    """The different claims of some rows, in order: the notes under a table."""
    return tuple(dict.fromkeys(one for several in claims for one in several))


def _claimed(claim: Claim) -> Claimed:
    return Claimed(_text(claim.terms, claim.statement, claim.confidence), claim.word, claim.scope)


def _text(terms: Terms | None, words: str, confidence: float = 1.0) -> str:
    if isinstance(terms, FeasibilityTerms):
        words = replace(terms, rows=None).sentence(confidence)
    return words.replace(">=", "≥").replace("<=", "≤")
