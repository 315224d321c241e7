"""A row of the chain: its values, its digest, and what may be blanked in it.

    digest_n = SHA-256(canonical text of row n without its digest, key, request and output)

The text holds the digests of key, request and output instead of the things themselves, so a row
whose key, request or output was blanked (redacted) still fits its digest; and that of the releaser,
so that the chain can be handed out without names. Row n holds digest_(n-1). A value that is missing
(None) does not enter the text.

Each row also carries what is spent, the limit, how many releasers have a quota, and where the file
lay (`home`) after it, so the last row is the whole state of the ledger. A charge that names its
releaser, and the row that sets a quota, carry what that releaser has spent and its quota (`Share`),
so the last row of a releaser is the whole state of that releaser.

What a row must be is checked when it is read (`form`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from privopt.ledger.budget import Units
from privopt.ledger.request import Request
from privopt.ledger.subject import Subject

__all__ = [
    "AMOUNTS",
    "COLUMNS",
    "SHARE",
    "START",
    "THINGS",
    "Row",
    "Share",
    "chained_digest",
    "digest_of",
    "thing_digest",
]

START = b"\0" * 32
THINGS = ("key", "request", "output")
_PARTS = ("epsilon", "delta")
AMOUNTS = tuple(f"{of}{part}" for of in ("", "spent_", "limit_") for part in _PARTS)
SHARE = tuple(f"releaser_{of}_{part}" for of in ("spent", "limit") for part in _PARTS)


class Share(NamedTuple):
    """What one releaser has spent, and its quota, if any."""

    spent: Units = Units(0, 0)
    limit: Units | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row, as it is stored.

    Attributes
    ----------
    seq
        1, 2, 3, ... without holes.
    kind
        "opened", "limit", "quota", "moved", "redacted", "closed", "charge" or "output".
    time
        When (UTC). An output has none: how long it took to make may depend on d.
    of
        Of an output: the row of its charge.
    epsilon, delta
        The charge, in units (text: they do not fit 64 bits).
    spent_epsilon, spent_delta, limit_epsilon, limit_delta
        Sum of the charges and limit after this row, in units.
    key_digest, request_digest, output_digest
        SHA-256 of the things below; they stay when the things are blanked.
    home
        Where it was written: for a file, under which name and inode (`Store.home`).
    previous, digest
        The chain.
    releaser
        Of a charge: who made it, where that was said. Of a quota: whose it is.
    releasers
        How many releasers have a quota after this row; None for none.
    releaser_spent_epsilon, ..., releaser_limit_delta
        Of a named releaser: sum of its charges and its quota after this row, in units; without
        quota None (`share`).
    key, request
        Idempotency key and canonical request of a charge; what an opened ledger is about.
    output
        The released bytes.
    """

    seq: int
    kind: str
    time: str | None = None
    of: int | None = None
    epsilon: str = "0"
    delta: str = "0"
    spent_epsilon: str = "0"
    spent_delta: str = "0"
    limit_epsilon: str = "0"
    limit_delta: str = "0"
    key_digest: bytes | None = None
    request_digest: bytes | None = None
    output_digest: bytes | None = None
    home: bytes | None = None
    previous: bytes = START
    digest: bytes = b""
    releaser: str | None = None
    releasers: int | None = None
    releaser_spent_epsilon: str | None = None
    releaser_spent_delta: str | None = None
    releaser_limit_epsilon: str | None = None
    releaser_limit_delta: str | None = None
    key: str | None = None
    request: str | None = None
    output: bytes | None = None

    @property
    def charge(self) -> Units:
        """What this row charges."""
        return Units(int(self.epsilon), int(self.delta))

    @property
    def spent(self) -> Units:
        """What is spent after this row."""
        return Units(int(self.spent_epsilon), int(self.spent_delta))

    @property
    def limit(self) -> Units:
        """The limit after this row."""
        return Units(int(self.limit_epsilon), int(self.limit_delta))

    @property
    def share(self) -> Share | None:
        """What the named releaser has spent and may spend; None if none is named."""
        if self.releaser is None:
            return None
        held = [getattr(self, name) for name in SHARE]
        limit = None if None in held[2:] else Units(int(held[2]), int(held[3]))
        return Share(Units(int(held[0]), int(held[1])), limit)

    @property
    def quotas(self) -> int:
        """How many releasers have a quota."""
        return self.releasers or 0

    @property
    def redacted(self) -> bool:
        """Whether something was blanked."""
        return any(
            getattr(self, name) is None and getattr(self, f"{name}_digest") is not None
            for name in THINGS
        )

    @property
    def asked(self) -> Request | None:
        """The request of a charge; None where it was blanked, and of other rows."""
        charged = self.kind == "charge" and self.request is not None
        return Request.read(self.request or "") if charged else None

    @property
    def subject(self) -> Subject:
        """What the ledger is about, by its first row."""
        return Subject.read(self.request or "")

    def sealed(self) -> Row:
        """The same row with the digests of its things, and its own."""
        held = {
            f"{name}_digest": thing_digest(getattr(self, name))
            for name in THINGS
            if getattr(self, name) is not None
        }
        whole = replace(self, **held)
        return replace(whole, digest=chained_digest(whole))

    def after(
        self,
        kind: str,
        *,
        charge: Units = Units(0, 0),  # noqa: B008 -- a tuple
        limit: Units | None = None,
        home: bytes | None = None,
        **things: Any,  # noqa: ANN401 -- time, of, key, request, output, and what `named` gives
    ) -> Row:
        """The row that follows this one: sums carried on, chain carried on."""
        things = {"releasers": self.releasers, **things}
        spent, limit = self.spent.plus(charge), self.limit if limit is None else limit
        return Row(
            seq=self.seq + 1,
            kind=kind,
            epsilon=str(charge.epsilon),
            delta=str(charge.delta),
            spent_epsilon=str(spent.epsilon),
            spent_delta=str(spent.delta),
            limit_epsilon=str(limit.epsilon),
            limit_delta=str(limit.delta),
            home=self.home if home is None else home,
            previous=self.digest,
            **things,
        ).sealed()

    @staticmethod
    def named(releaser: str, share: Share) -> dict[str, str]:
        """The columns of a releaser, for `after`."""
        amounts = map(str, (*share.spent, *(share.limit or ())))
        return {"releaser": releaser, **dict(zip(SHARE, amounts, strict=False))}


COLUMNS = tuple(item.name for item in fields(Row))
_CHAINED = tuple(name for name in COLUMNS if name not in ("digest", *THINGS))


def thing_digest(thing: str | bytes) -> bytes:
    """SHA-256 of a key, a request or an output."""
    return hashlib.sha256(thing if isinstance(thing, bytes) else thing.encode()).digest()


def digest_of(held: dict[str, Any]) -> bytes:
    """SHA-256 of the canonical text of some values; those that are missing do not enter it."""
    there = {name: value for name, value in held.items() if value is not None}
    text = json.dumps(there, sort_keys=True, separators=(",", ":"), default=_hex)
    return hashlib.sha256(text.encode()).digest()


def chained_digest(row: Row) -> bytes:
    """What the digest of a row must be."""
    held = {name: getattr(row, name) for name in _CHAINED}
    if row.releaser is not None:
        held["releaser"] = thing_digest(row.releaser)
    return digest_of(held)


def _hex(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError
