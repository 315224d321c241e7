"""A row of the chain: its values, its digest, and what may be blanked in it.

    digest_n = SHA-256(canonical text of row n without its digest, key, request and output)

The text holds the digests of key, request and output instead of the things themselves, so a row
whose key, request or output was blanked (redacted) still fits its digest. Row n holds digest_(n-1).
A value that is missing (None) does not enter the text.

Each row also carries what is spent, the limit and where the file lay (`home`) after it, so the last
row is the whole state.

A row is checked here, once, when it is read: its digests, the kinds and sizes of its values, and
what its request says (`asked`, `subject`). Whoever is given a checked row need not look again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields, replace
from typing import Any

from privopt.errors import InputError, LedgerError
from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, LARGEST, Units
from privopt.ledger.request import Request
from privopt.ledger.subject import Subject

__all__ = [
    "AMOUNTS",
    "COLUMNS",
    "START",
    "THINGS",
    "Row",
    "altered",
    "check_form",
    "check_row",
    "damaged",
    "digest_of",
    "legacy_digest",
    "lost",
    "strange",
    "thing_digest",
]

START = b"\0" * 32
THINGS = ("key", "request", "output")
KINDS = ("opened", "limit", "migrated", "moved", "redacted", "charge", "output")
_MOST = {"epsilon": LARGEST * EPSILON_UNITS, "delta": DELTA_UNITS}  # of an amount, in units
AMOUNTS = tuple(f"{of}{name}" for of in ("", "spent_", "limit_") for name in _MOST)
_HASHES = ("key_digest", "request_digest", "output_digest", "legacy", "previous", "digest")
_LONGEST = {"time": 40, "key": 200, "request": 1_000_000}
_DIGITS = 61  # of an amount


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row, as it is stored.

    Attributes
    ----------
    seq
        1, 2, 3, ... without holes.
    kind
        "opened", "limit", "migrated", "moved", "redacted", "charge" or "output".
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
    legacy
        Digest that the row had in format 1, by which old releases and noted heads know it.
    previous, digest
        The chain.
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
    legacy: bytes | None = None
    previous: bytes = START
    digest: bytes = b""
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

    def known_as(self, digest: str) -> bool:
        """Whether this is the digest of the row, now or in format 1."""
        legacy = None if self.legacy is None else self.legacy.hex()
        return digest in (self.digest.hex(), legacy)

    def sealed(self) -> Row:
        """The same row with the digests of its things, and its own."""
        held = {
            f"{name}_digest": thing_digest(getattr(self, name))
            for name in THINGS
            if getattr(self, name) is not None
        }
        whole = replace(self, **held)
        return replace(whole, digest=_digest(whole))

    def after(
        self,
        kind: str,
        *,
        charge: Units = Units(0, 0),  # noqa: B008 -- a tuple
        limit: Units | None = None,
        home: bytes | None = None,
        **things: Any,  # noqa: ANN401 -- time, of, key, request, output
    ) -> Row:
        """The row that follows this one: sums carried on, chain carried on."""
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


def _digest(row: Row) -> bytes:
    return digest_of({name: getattr(row, name) for name in _CHAINED})


def legacy_digest(row: Row, previous: bytes) -> bytes:
    """The digest that a row had in format 1, if nothing of it was blanked."""
    held = {name: getattr(row, name) for name in COLUMNS if name not in (*_HASHES, "home")}
    return digest_of({**held, "previous": previous})


def _hex(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError


def check_row(row: Row) -> None:
    """Refuse a row that is not what its digest says, or that no ledger writes."""
    if row.digest != _digest(row):
        raise altered(row.seq)
    check_form(row)
    for name in THINGS:
        thing = getattr(row, name)
        if thing is not None and thing_digest(thing) != getattr(row, f"{name}_digest"):
            raise altered(row.seq)


def check_form(row: Row) -> None:
    """Refuse values that no ledger writes, whatever their digest."""
    if not _has_form(row):
        raise strange(row.seq)
    try:
        _ = row.subject if row.kind == "opened" else row.asked
    except InputError:
        raise strange(row.seq) from None


def _has_form(row: Row) -> bool:
    """Whether the values of a row are of their kinds: SQLite takes any kind in any column."""
    held: dict[str, Any] = {name: getattr(row, name) for name in COLUMNS}
    return (
        isinstance(held["seq"], int)
        and held["kind"] in KINDS
        and (row.kind == "opened") == (row.seq == 1)
        and (row.kind == "output" or row.of is None)
        and isinstance(held["of"], int | None)
        and isinstance(held["output"], bytes | None)
        and all(_is_text(held[name], most) for name, most in _LONGEST.items())
        and all(_is_bytes(held[name], 32) for name in _HASHES)
        and _is_bytes(row.home, 16)
        and row.previous is not None  # pyright: ignore[reportUnnecessaryComparison]
        and all(_is_amount(held[name], _MOST[name.split("_")[-1]]) for name in AMOUNTS)
    )


def _is_text(value: object, most: int) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= most)


def _is_bytes(value: object, size: int) -> bool:
    return value is None or (isinstance(value, bytes) and len(value) == size)


def _is_amount(value: object, most: int) -> bool:
    """Whether this is a whole number, written in the one way it is written, of a budget."""
    return (
        isinstance(value, str)
        and len(value) <= _DIGITS
        and value.isascii()
        and value.isdecimal()
        and (value[0] != "0" or value == "0")
        and int(value) <= most
    )


def damaged(what: str, row: int) -> LedgerError:
    """The error of a ledger that is not as it was written."""
    return LedgerError(
        f"{what}.",
        "the file as privopt wrote it.",
        "restore the file from a backup; make no release until then.",
        row,
    )


def altered(seq: int) -> LedgerError:
    """The error of a row that does not fit its digest."""
    what = f"row {seq} of the ledger is not what its digest says: it was altered or damaged"
    return damaged(what, seq)


def strange(seq: int) -> LedgerError:
    """The error of a row that fits its digest, and that no ledger writes."""
    return damaged(f"row {seq} of the ledger does not say what a ledger writes", seq)


def lost(seq: int) -> LedgerError:
    """The error of a row that is not there."""
    return damaged(f"the ledger has lost its row {seq}", seq)
