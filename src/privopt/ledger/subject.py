"""What a ledger is about: one dataset, one alpha, one set of private coordinates and owners.

Epsilons add up only if they speak of the same neighbours: data that differ in one of the same
private coordinates by at most the same alpha, or in those of the same owners by at most the same
alphas. What the curator does not say when opening the ledger, the first charge settles; an alpha
that the curator gives is of one coordinate.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from privopt.digits import exactly
from privopt.errors import InputError, LedgerError
from privopt.ledger.request import Request, is_number, is_private_set, is_relation, words_of
from privopt.record import canonical

__all__ = ["Subject", "check_subject"]

_LONGEST = 1000  # characters of a name


@dataclass(frozen=True)
class Subject:
    """Dataset, alpha and private set (`count:digest`); None where not settled yet.

    `relation` is that of a request: "" where one coordinate differs by at most alpha.
    """

    dataset: str
    alpha: float | None
    private: str | None
    relation: str = ""

    @property
    def entries(self) -> int | None:
        """How many entries are private; None where not settled yet."""
        return None if self.private is None else int(self.private.partition(":")[0])

    @property
    def neighbours(self) -> str:
        """What neighbours are, in words."""
        return self.neighbours_in("")

    def neighbours_in(self, unit: str) -> str:
        """What neighbours are, in words, with the unit of alpha where it is known (not empty)."""
        if self.alpha is None:
            return "settled by the first release"
        if self.relation:
            count = "" if self.entries is None else f"; {self.entries} entries are private"
            return f"{words_of(self.relation, self.alpha, unit)}{count}"
        of = "the private" if self.entries is None else f"{self.entries} private"
        amount = f"{exactly(self.alpha)} {unit}".rstrip()
        return f"one of {of} entries differs by at most {amount}"

    @property
    def text(self) -> str:
        """Canonical text, for the first row; with the relation where it is not the plain one."""
        held = asdict(self)
        return canonical(
            {name: value for name, value in held.items() if name != "relation" or value}
        )

    @classmethod
    def read(cls, text: str) -> Subject:
        """The subject that `text` is the text of."""
        try:
            held: dict[str, Any] = json.loads(text)
            sound = _is_sound(**held)
        except (TypeError, ValueError, RecursionError):
            sound, held = False, {}
        if not sound:
            raise InputError(
                "this is no subject.", "a subject as a ledger writes it.", "check the ledger."
            )
        return cls(**held)

    def settled(self, request: Request) -> Subject:
        """With what was open taken from a request."""
        return Subject(
            self.dataset,
            request.alpha if self.alpha is None else self.alpha,
            self.private or request.private,
            request.relation if self.alpha is None else self.relation,
        )


def _is_sound(dataset: object, alpha: object, private: object, relation: object = "") -> bool:
    return (
        isinstance(dataset, str)
        and len(dataset) <= _LONGEST
        and (alpha is None or (is_number(alpha) and alpha != 0))
        and (private is None or is_private_set(private))
        and is_relation(relation)
    )


def check_subject(
    subject: Subject,
    *,
    dataset: str | None,
    alpha: float | None,
    private: str | None,
    relation: str = "",
) -> None:
    """Refuse another dataset, alpha, relation or private set than the ledger's; None is not asked.

    The relation is asked with alpha.
    """
    if dataset is not None and dataset != subject.dataset:
        raise LedgerError(
            f"the ledger is about the dataset {subject.dataset!r:.80}, not {dataset!r:.80}.",
            "one ledger for each dataset.",
            "check the path, or open another file for the other dataset.",
        )
    settled = subject.alpha
    if alpha is not None and settled is not None and relation != subject.relation:
        mine, yours = words_of(relation, alpha), words_of(subject.relation, settled)
        others = " (of other owners or alphas)" if mine == yours else ""
        raise LedgerError(
            f"neighbours are {mine}{others}; the ledger counts for {yours}.",
            "one relation: epsilons for different neighbours do not add up.",
            "make the release with the ledger's alpha, owners and change, or keep a ledger of its "
            "own for the others; each then promises its total for its own neighbours only.",
        )
    if alpha is not None and settled is not None and alpha != settled:
        raise LedgerError(
            f"alpha is {exactly(alpha)}; the ledger counts for alpha = {exactly(settled)}.",
            "one alpha: epsilons for different alphas do not add up.",
            f"make the release with alpha={exactly(settled)}, or keep a ledger of its own "
            "for the other alpha; each then promises its total for its own alpha only.",
        )
    if private is not None and subject.private is not None and private != subject.private:
        raise LedgerError(
            f"the private set is {_shown(private)}; the ledger's is {_shown(subject.private)}.",
            "one set of private coordinates, in one unit: it says what neighbours are.",
            "make the release with the ledger's private set (ConvexProgram(..., private=)), or "
            "keep a ledger of its own for the other set.",
        )


def _shown(private: str) -> str:
    count, _, mark = private.partition(":")
    return f"{count} names (digest {mark[:8]})"
