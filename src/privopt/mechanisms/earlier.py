"""Keys of plans that version 0.1.0 released: known again, so that they are replayed.

The subject of a plan's request is a digest of its program, its public data and its claims, and
version 0.1.0 put claims in other words. The output that it stored under the key states them in
those. So a charge of 0.1.0 is for the request made here if

    the requests differ in the subject alone
    its subject is the digest with the words of its own output in the place of ours
    those words say what is claimed here: the same ground, and of the limits the same numbers
    its values have the same names

(The numbers of the privacy claim are in the request itself.) 0.1.0 stored neither the objective nor
an eta for each row, so a plan is asked about only if it has the defaults: the expected cost and one
eta. Every other key is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from privopt.claims.guarantee import Claim, Guarantee
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request

__all__ = ["output_of_first_version"]


def output_of_first_version(
    ledger: Ledger,
    row: int,
    request: Request,
    claimed: Guarantee,
    names: tuple[str, ...],
    subject: Callable[[object], str],
) -> bytes | None:
    """What 0.1.0 stored for this very request in a row of a ledger; None if it did not.

    Parameters
    ----------
    ledger, row
        Where the key was charged.
    request, claimed, names
        The request made now, what is claimed of its release, and the names of its values.
    subject
        The request's subject, from the plain data of other claims.
    """
    charge, stored = ledger.find(row)
    if charge is None or charge.legacy is None or charge.request is None:
        return None
    old, output = Request.read(charge.request), None if stored is None else stored.output
    if output is None or request.differences(old) != ("subject",):
        return None
    try:
        stated = json.loads(output)
        words = stated["guarantee"]
        said = Guarantee.from_dict(words)
        same = old.subject == subject(words) and tuple(stated["names"]) == names
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    same = (
        same
        and _ground(said.privacy) == _ground(claimed.privacy)
        and _ground(said.feasibility) == _ground(claimed.feasibility)
        and said.feasibility.statement == claimed.feasibility.statement  # made of its numbers
    )
    return output if same else None


def _ground(claim: Claim) -> tuple[object, ...]:
    return claim.provenance, claim.because, claim.scope, claim.confidence
