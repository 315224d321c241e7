"""What a row must be, whatever a store gives back: checked once, when it is read.

Its digests, the kinds and sizes of its values, and what its request says (`Row.asked`,
`Row.subject`). Whoever is given a checked row need not look again. Whether the rows hold together
is another question (`verification`).
"""

from __future__ import annotations

from typing import Any

from privopt.errors import InputError, LedgerError
from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, LARGEST
from privopt.ledger.row import (
    AMOUNTS,
    SHARE,
    THINGS,
    Row,
    chained_digest,
    thing_digest,
)

__all__ = [
    "LONGEST_NAME",
    "altered",
    "check_form",
    "check_row",
    "damaged",
    "is_name",
    "lost",
    "strange",
]

KINDS = ("opened", "limit", "quota", "moved", "redacted", "closed", "charge", "output")
LONGEST_NAME = 200  # characters of a releaser
_MOST = {"epsilon": LARGEST * EPSILON_UNITS, "delta": DELTA_UNITS}  # of an amount, in units
_HASHES = ("key_digest", "request_digest", "output_digest", "previous", "digest")
_LONGEST = {"time": 40, "key": 200, "request": 1_000_000}
_DIGITS = 61  # of an amount


def check_row(row: Row) -> None:
    """Refuse a row that is not what its digest says, or that no ledger writes."""
    if row.digest != chained_digest(row):
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
    held: dict[str, Any] = vars(row)
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
        and _is_count(held["releasers"])
        and _has_share(row, held)
        and (row.kind != "quota" or (row.share is not None and row.share.limit is not None))
    )


def _has_share(row: Row, held: dict[str, Any]) -> bool:
    """Whether what a row says of its releaser is of the right kinds."""
    amounts = {name: held[name] for name in SHARE}
    if row.releaser is None:
        return set(amounts.values()) == {None}
    named = row.kind in ("charge", "quota") and is_name(row.releaser)
    absent = tuple(name for name, amount in amounts.items() if amount is None)
    whole = absent in ((), SHARE[2:])
    sound = (
        _is_amount(amount, _MOST[name.split("_")[-1]])
        for name, amount in amounts.items()
        if name not in absent
    )
    return named and whole and all(sound)


def is_name(value: object) -> bool:
    """Whether this can be a releaser."""
    return isinstance(value, str) and 1 <= len(value) <= LONGEST_NAME and value.isprintable()


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and 1 <= value < 2**53)


def _is_text(value: object, most: int) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= most)


def _is_bytes(value: object, size: int) -> bool:
    return value is None or (isinstance(value, bytes) and len(value) == size)


def _is_amount(value: object, most: int) -> bool:
    """Whether this is a whole number, written in the one way it is written, of a budget."""
    return value == "0" or (
        isinstance(value, str)
        and len(value) <= _DIGITS
        and value.isascii()
        and value.isdecimal()
        and value[0] != "0"
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
