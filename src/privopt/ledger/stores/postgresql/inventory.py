"""What a schema holds, compared with what privopt makes: in each transaction, before a row is read.

A line for each table, column, index, trigger, function and right that the server's catalogue knows,
of the schema or to it. Functions stand with the digest of their text. What somebody added, changed,
disabled or removed makes other lines, and the ledger is refused: another trigger could change
rows, a right to insert goes past nothing (the trigger checks that row too) but was not meant.

All lines are compared once for a connection, and again when a row of the catalogue that concerns
the ledger was written since, by whichever transaction: PostgreSQL notes that in the row (`xmin`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.foreign import some
from privopt.ledger.stores.postgresql.schema import TABLES, TRIGGERS, UNIQUE, VERSION, functions

if TYPE_CHECKING:
    import psycopg

__all__ = ["Seen", "check", "expected"]

_NAMED = {"bigint": "int8"}  # as the catalogue has it
_BITS = {"ROW": 1, "BEFORE": 2, "INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}
LINES = """
WITH here AS (SELECT oid, nspowner, nspacl FROM pg_namespace WHERE nspname = %(schema)s),
relations AS (SELECT c.* FROM pg_class c, here
    WHERE c.relnamespace = here.oid AND c.relkind <> 'i'),
procedures AS (SELECT p.* FROM pg_proc p, here WHERE p.pronamespace = here.oid)
SELECT concat_ws(' ', 'table', relname, relkind, relpersistence, relhasrules, relrowsecurity,
    relhassubclass, relispartition, relowner = nspowner) AS line FROM relations, here
UNION ALL
SELECT concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull,
    atthasdef, attidentity::text || attgenerated::text,
    (SELECT collname FROM pg_collation WHERE pg_collation.oid = attcollation))
    FROM relations JOIN pg_attribute ON attrelid = relations.oid
    WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT concat_ws(' ', 'index', relname, (SELECT string_agg(attname, ',') FROM pg_attribute
        WHERE attrelid = relations.oid AND attnum = ANY (indkey)), indisunique, indisprimary,
    indisvalid, indimmediate, indpred IS NULL, indexprs IS NULL)
    FROM relations JOIN pg_index ON indrelid = relations.oid
UNION ALL
SELECT concat_ws(' ', 'constraint', relname, contype) FROM relations
    JOIN pg_constraint ON conrelid = relations.oid WHERE contype NOT IN ('p', 'u', 'n')
UNION ALL
SELECT concat_ws(' ', 'trigger', relname, tgname, proname, tgtype, tgenabled, tgqual IS NULL,
    tgnargs, pronamespace = relnamespace) FROM relations
    JOIN pg_trigger ON tgrelid = relations.oid JOIN pg_proc ON pg_proc.oid = tgfoid
UNION ALL
SELECT concat_ws(' ', 'function', proname, '(' || (SELECT string_agg(typname, ', ' ORDER BY place)
        FROM unnest(proargtypes) WITH ORDINALITY AS given (kind, place)
        JOIN pg_type ON pg_type.oid = kind) || ')',
    lanname, provolatile, prosecdef, proisstrict, array_to_string(proconfig, ';'),
    encode(sha256(convert_to(prosrc, 'UTF8')), 'hex'), proowner = nspowner)
    FROM here, procedures JOIN pg_language ON pg_language.oid = prolang
UNION ALL
SELECT DISTINCT concat_ws(' ', 'right', privilege_type, relname)
    FROM relations, aclexplode(relacl) WHERE grantee <> relowner AND privilege_type <> 'SELECT'
UNION ALL
SELECT DISTINCT concat_ws(' ', 'right', privilege_type, proname)
    FROM procedures, aclexplode(coalesce(proacl, acldefault('f', proowner)))
    WHERE grantee <> proowner AND (grantee = 0 OR proname NOT IN ('lock', 'append'))
UNION ALL
SELECT DISTINCT concat_ws(' ', 'right', privilege_type)
    FROM here, aclexplode(nspacl) WHERE grantee <> nspowner AND privilege_type <> 'USAGE'
"""
# 32 bytes for all lines together.
SUM = f"""SELECT sha256(convert_to(string_agg(line, '\n' ORDER BY line COLLATE "C"), 'UTF8'))
FROM ({LINES}) AS lines"""  # noqa: S608


@lru_cache(maxsize=64)
def expected(schema: str) -> tuple[tuple[str, ...], bytes]:
    """The lines of a ledger that is as privopt makes it, and what `SUM` gives for them."""
    lines: list[str] = []
    for table, columns in TABLES.items():
        lines.append(f"table {table} r p f f f f t")
        for name, (kind, null) in columns.items():
            collation = " C" if kind == "text" else ""
            lines.append(f"column {table} {name} {kind} {'f' if null else 't'} f {collation}")
        for number, name in enumerate(UNIQUE[table]):
            lines.append(f"index {table} {name} t {'f' if number else 't'} t t t t")
    lines.append("index entries seq,releaser f f t t t t")
    for name, (table, function, when, each) in TRIGGERS.items():
        bits = sum(bit for word, bit in _BITS.items() if word in (*when.split(), each))
        lines.append(f"trigger {table} {name} {function} {bits} A t 0 t")
    for one in functions(schema):
        kinds = ", ".join(_NAMED.get(kind, kind.rpartition(".")[2]) for _, kind in one.arguments)
        given = f"({kinds}) " if kinds else ""
        strict = "t" if "STRICT" in one.volatility else "f"
        lines.append(
            f"function {one.name} {given}{one.language} {one.volatility[0].lower()} "
            f"{'t' if one.called else 'f'} {strict} {';'.join(one.settings)} {one.digest} t"
        )
    whole = sorted(lines)
    return tuple(whole), sha256("\n".join(whole).encode()).digest()


# Oids of the tables and functions of a ledger: where to look whether anything changed.
OIDS = """
SELECT n.oid, ARRAY(SELECT c.oid FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind <> 'i'),
    ARRAY(SELECT p.oid FROM pg_proc p WHERE p.pronamespace = n.oid)
    FROM pg_namespace n WHERE n.nspname = %(schema)s
"""
# Which transactions made or last changed what the catalogue says of them: the same while nobody
# changes a table, a column, an index, a trigger, a function or a right.
MARK = """
SELECT concat_ws(' ',
    (SELECT xmin FROM pg_namespace WHERE oid = %(schema)s),
    (SELECT string_agg(xmin::text, ',' ORDER BY oid) FROM pg_class WHERE oid = ANY (%(tables)s)),
    (SELECT string_agg(xmin::text, ',' ORDER BY oid) FROM pg_proc WHERE oid = ANY (%(functions)s)),
    (SELECT string_agg(xmin::text, ',' ORDER BY oid) FROM pg_trigger
        WHERE tgrelid = ANY (%(tables)s)),
    (SELECT string_agg(xmin::text, ',' ORDER BY indexrelid) FROM pg_index
        WHERE indrelid = ANY (%(tables)s)),
    (SELECT string_agg(xmin::text, ',' ORDER BY attrelid, attnum) FROM pg_attribute
        WHERE attrelid = ANY (%(tables)s))),
    current_setting('fsync'), current_setting('full_page_writes'),
    current_setting('synchronous_commit')
"""


@dataclass
class Seen:
    """What a connection found when it last compared all lines, and the mark that it had then."""

    given: dict[str, Any] = field(default_factory=dict[str, Any])
    mark: str = ""

    def look(self, connection: psycopg.Connection[Any], schema: str) -> tuple[str, str, str]:
        """Refuse a schema that is not as privopt made it; how the server keeps what is written."""
        for _ in range(2):
            found = connection.execute(MARK, self.given).fetchone() if self.given else None
            if found is not None and found[0] == self.mark:
                return found[1:]
            # Read before the comparison: a change in between is seen the next time.
            oids: Any = connection.execute(OIDS, {"schema": schema}).fetchone() or (0, (), ())
            self.given = dict(zip(("schema", "tables", "functions"), oids, strict=True))
            self.mark = (connection.execute(MARK, self.given).fetchone() or ("",))[0]
            check(connection, schema)
        raise changed(schema, [])


def check(connection: psycopg.Connection[Any], schema: str) -> None:
    """Compare all lines; refuse a schema that is not as privopt made it."""
    lines, whole = expected(schema)
    found = connection.execute(SUM, {"schema": schema}).fetchone()
    if found is None or found[0] != whole:
        there = {str(line) for (line,) in connection.execute(LINES, {"schema": schema})}
        raise changed(schema, sorted(there ^ set(lines)))


def changed(schema: str, lines: list[str]) -> LedgerError:
    """The error of a schema that is not as privopt made it."""
    names = list(dict.fromkeys(" ".join(line.split()[:3]) for line in lines))
    return LedgerError(
        f"the schema {schema} is not as this privopt makes a ledger (format {VERSION}): something "
        f"was added, changed or removed ({some(names)}).",
        "the tables, triggers, functions and rights as privopt made them.",
        "undo the change, use the privopt that made the ledger, or restore a backup; make no "
        "release until then.",
        0,
    )
