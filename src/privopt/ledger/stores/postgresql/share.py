"""The shares of releasers in SQL: the rules of `ledger.share` for a new row.

    spent(releaser) = spent(releaser) in the last row that names it + charge <= quota(releaser)

A quota changes in a row of its own kind only, which the owner writes. Where any releaser has one, a
charge that costs something must name one that has.
"""

from __future__ import annotations

from privopt.ledger.form import LONGEST_NAME
from privopt.ledger.row import SHARE
from privopt.ledger.stores.postgresql.rules import ZERO, must

__all__ = ["QUOTA", "RULES"]

# Letters that every version of Unicode since 5 can print; a name of others is the owner's to bring.
_LETTERS = (
    r" -~\u00A1-\u00AC\u00AE-\u024F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03CE\u0400-\u0481"
    r"\u05D0-\u05EA\u0621-\u063A\u0641-\u064A\u0905-\u0939\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FA5"
    r"\uAC00-\uD7A3"
)
_LIMITS = SHARE[2:]


def _both(rule: str) -> str:
    """A rule for epsilon and for delta."""
    return " AND ".join(rule.replace("PART", part) for part in ("epsilon", "delta"))


_ADDED = _both(
    "NEW.releaser_spent_PART::numeric = coalesce(was.releaser_spent_PART, '0')::numeric "
    "+ NEW.PART::numeric"
)
_SAME = " AND ".join(f"NEW.{name} IS NOT DISTINCT FROM was.{name}" for name in _LIMITS)
_WITHIN = _both("NEW.releaser_spent_PART::numeric <= NEW.releaser_limit_PART::numeric")
_NONE = " AND ".join(f"NEW.{name} IS NULL" for name in SHARE)
_COUNT = "coalesce(before.releasers, 0)"

# `was` becomes the last row that names the releaser.
_LOOK = """    was := NULL;
    IF NEW.releaser IS NOT NULL THEN
        SELECT * INTO was FROM SCHEMA.entries
            WHERE releaser = NEW.releaser ORDER BY seq DESC LIMIT 1;
    END IF;
"""
RULES = _LOOK + "".join(
    (
        must(
            f"CASE WHEN NEW.releaser IS NULL THEN {_NONE} "
            f"ELSE NEW.kind IN ('charge', 'quota') AND {_ADDED} "
            f"AND (NEW.{_LIMITS[0]} IS NULL) = (NEW.{_LIMITS[1]} IS NULL) "
            f"AND (NEW.kind = 'quota' OR ({_SAME})) END",
            "what it says of its releaser does not follow",
        ),
        must(
            "NEW.releaser IS NULL OR own OR was.releaser IS NOT NULL "
            f"OR NEW.releaser ~ '^[{_LETTERS}]{{1,{LONGEST_NAME}}}$'",
            "the name of its releaser is too long, or holds letters that are not common",
        ),
        must(
            f"coalesce(NEW.releasers, 0) = {_COUNT} + CASE WHEN NEW.kind = 'quota' "
            f"AND NEW.releaser IS NOT NULL AND was.{_LIMITS[0]} IS NULL THEN 1 ELSE 0 END "
            "AND NEW.releasers IS DISTINCT FROM 0",
            "the number of releasers with a quota does not follow",
        ),
        must(
            f"({ZERO}) OR CASE WHEN NEW.{_LIMITS[0]} IS NULL THEN {_COUNT} = 0 ELSE {_WITHIN} END",
            "it does not fit the quota of its releaser, or names none that has one",
        ),
    )
)
QUOTA = must("NEW.releaser_limit_epsilon IS NOT NULL", "a quota is that of one releaser")
