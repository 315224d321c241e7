"""The words of claims in files of version 0.1.0, which kept no numbers beside them.

Only what that version wrote is understood; of anything else there are no terms. Results of
experiments had both claims in one line, each with its ground in brackets at its end.
"""

from __future__ import annotations

import re

from privopt.claims.terms import FeasibilityTerms, PrivacyTerms, Terms

__all__ = ["claims_in", "terms_of"]

_FAMILY = {"Laplace": "laplace", "Gaussian": "gaussian", "truncated Laplace": "truncated"}
_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_PRIVACY = re.compile(
    rf"(?:\({_NUMBER}, {_NUMBER}\)|{_NUMBER})-differential privacy"
    rf"(?: \((Laplace|Gaussian|truncated Laplace)\))? for data that differ in one private entry by "
    rf"at most {_NUMBER}"
)
_EVERYWHERE = "for every d of the domain: "
_CONFIDENCE = rf"(?:, with confidence {_NUMBER})?"
_TOGETHER = re.compile(
    rf"all (?:(\d+) )?inequalities hold together with probability >= {_NUMBER}{_CONFIDENCE}"
)
_ALWAYS = re.compile(r"all (\d+) inequalities hold(?: with probability 1)?")
_DRAWS = re.compile(r"all (\d+) inequalities hold for (\d+) draws; no certificate")
_EACH = re.compile(rf"each inequality is violated with probability <= {_NUMBER}")
_SPREAD = re.compile(
    rf"each inequality is violated with probability <= its eta \({_NUMBER}\.\.{_NUMBER}\)"
)


_CLAIM = re.compile(r"(.*?)\s*\[([^\[\]]*)\](?:;\s*)?", re.DOTALL)


def claims_in(line: str) -> tuple[tuple[str, str, str], ...]:
    """Statement, provenance and scope of each claim in a line; of other text, itself alone."""
    found = [(text, *ground.partition(", ")[::2]) for text, ground in _CLAIM.findall(line)]
    return tuple(found) or (((line, "", ""),) if line else ())


def terms_of(statement: str) -> Terms | None:
    """The numbers in a sentence; None if version 0.1.0 never said it."""
    said = _PRIVACY.fullmatch(statement)
    if said:
        pair, delta, alone, family, alpha = said.groups()
        return PrivacyTerms(
            float(pair or alone), float(delta or 0), float(alpha), _FAMILY.get(family or "", "")
        )
    everywhere = statement.startswith(_EVERYWHERE)
    rest = statement.removeprefix(_EVERYWHERE)
    if said := _TOGETHER.fullmatch(rest):
        eta = round(1 - float(said[2]), 12)
        rows = None if said[1] is None else int(said[1])
        return FeasibilityTerms(rows, eta, everywhere=everywhere)
    if said := _ALWAYS.fullmatch(rest):
        return FeasibilityTerms(int(said[1]), 0.0, everywhere=everywhere)
    if said := _DRAWS.fullmatch(rest):
        return FeasibilityTerms(int(said[1]), None, draws=int(said[2]), everywhere=everywhere)
    if said := _EACH.fullmatch(rest):
        return FeasibilityTerms(None, float(said[1]), each=True, everywhere=everywhere)
    if said := _SPREAD.fullmatch(rest):
        low, high = float(said[1]), float(said[2])
        return FeasibilityTerms(None, low, each=True, most=high, everywhere=everywhere)
    return None
