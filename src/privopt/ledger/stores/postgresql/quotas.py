"""The shares of releasers and purposes in SQL: the rules of `ledger.quota` for a new row.

    spent(name) = spent(name) in the last row that names it + charge <= quota(name)

A quota changes in a row of its own kind only, which the owner writes. Where any releaser has one, a
charge that costs something must name one that has; likewise for purposes.
"""

from __future__ import annotations

from privopt.ledger.form import LONGEST_NAME
from privopt.ledger.row import BY, SHARES
from privopt.ledger.stores.postgresql.rules import ZERO, must

__all__ = ["QUOTA", "RULES"]

# Letters that every version of Unicode since 5 can print; a name of others is the owner's to bring.
_LETTERS = (
    r" -~\u00A1-\u00AC\u00AE-\u024F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03CE\u0400-\u0481"
    r"\u05D0-\u05EA\u0621-\u063A\u0641-\u064A\u0905-\u0939\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FA5"
    r"\uAC00-\uD7A3"
)


def _share(by: str) -> str:
    """The rules of a releaser, or a purpose; `was` becomes the last row that names it."""
    parts = ("epsilon", "delta")
    held = [name for name in SHARES if name.startswith(by)]
    limit = held[2:]
    nothing = " AND ".join(f"NEW.{name} IS NULL" for name in held)
    added = " AND ".join(
        f"NEW.{by}_spent_{part}::numeric = coalesce(was.{by}_spent_{part}, '0')::numeric "
        f"+ NEW.{part}::numeric"
        for part in parts
    )
    same = " AND ".join(f"NEW.{name} IS NOT DISTINCT FROM was.{name}" for name in limit)
    within = " AND ".join(
        f"NEW.{by}_spent_{part}::numeric <= NEW.{by}_limit_{part}::numeric" for part in parts
    )
    count = f"coalesce(before.{by}s, 0)"
    looked = f"SELECT * INTO was FROM SCHEMA.entries WHERE {by} = NEW.{by}"  # noqa: S608
    return "".join(
        (
            f"    was := NULL;\n    IF NEW.{by} IS NOT NULL THEN\n"
            f"        {looked} ORDER BY seq DESC LIMIT 1;\n    END IF;\n",
            must(
                f"CASE WHEN NEW.{by} IS NULL THEN {nothing} "
                f"ELSE NEW.kind IN ('charge', 'quota') AND {added} "
                f"AND (NEW.{limit[0]} IS NULL) = (NEW.{limit[1]} IS NULL) "
                f"AND (NEW.kind = 'quota' OR ({same})) END",
                f"what it says of its {by} does not follow",
            ),
            must(
                f"NEW.{by} IS NULL OR own OR was.{by} IS NOT NULL "
                f"OR NEW.{by} ~ '^[{_LETTERS}]{{1,{LONGEST_NAME}}}$'",
                f"the name of its {by} is too long, or holds letters that are not common",
            ),
            must(
                f"coalesce(NEW.{by}s, 0) = {count} + CASE WHEN NEW.kind = 'quota' "
                f"AND NEW.{by} IS NOT NULL AND was.{limit[0]} IS NULL THEN 1 ELSE 0 END "
                f"AND NEW.{by}s IS DISTINCT FROM 0",
                f"the number of {by}s with a quota does not follow",
            ),
            must(
                f"({ZERO}) OR CASE WHEN NEW.{limit[0]} IS NULL THEN {count} = 0 ELSE {within} END",
                f"it does not fit the quota of its {by}, or names none that has one",
            ),
        )
    )


RULES = "".join(map(_share, BY))
QUOTA = must(
    "(NEW.releaser IS NULL) <> (NEW.purpose IS NULL) "
    "AND coalesce(NEW.releaser_limit_epsilon, NEW.purpose_limit_epsilon) IS NOT NULL",
    "a quota is that of one name",
)
