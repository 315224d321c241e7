"""The schema of a ledger: its tables, functions and triggers, exactly, and who may use them.

    entries    the rows; a trigger checks each new one, others refuse changes and removals
    head       one row: number and digest of the last row, and what neighbours are
    lock()     waits for the turn to write                 }  run with the owner's rights
    append()   inserts a row                               }  by releasers, who have no others

Readers may look at both tables. Releasers may look, and call these two functions: so they add rows
that fit the rules of `entries`, and can do nothing else. The owner of the schema (and a superuser)
can drop triggers and rewrite everything: against them there is only a head that is kept elsewhere.

Functions name everything in full and fix what a session could change in their meaning (the search
path, how strings are read). What was made is compared with what is there in each transaction
(`inventory`).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from privopt.ledger.row import AMOUNTS, COLUMNS, START
from privopt.ledger.stores.postgresql import canonical, entries, requests

__all__ = ["TABLES", "TRIGGERS", "VERSION", "Function", "functions", "statements"]

VERSION = 1
_SET = {"search_path": "pg_catalog, pg_temp", "standard_conforming_strings": "on"}
_C = ' COLLATE "C"'
_NEVER_NULL = ("seq", "kind", "previous", "digest")
_HEAD = {
    "one": "boolean",
    "version": "integer",
    "seq": "bigint",
    "digest": "bytea",
    "alpha": "double precision",
    "private": "text",
    "relation": "text",
}
# Columns by table: what they are, and whether they may be null.
TABLES = {
    "entries": {
        name: (canonical.TYPES[name], name not in (*_NEVER_NULL, *AMOUNTS)) for name in COLUMNS
    },
    "head": {name: (kind, name in ("alpha", "private")) for name, kind in _HEAD.items()},
}
UNIQUE = {"entries": ("seq", "of", "key_digest"), "head": ("one",)}  # the first: primary key
# Triggers by name: table, function, and when.
TRIGGERS = {
    "checked": ("entries", "check_entry", "BEFORE INSERT", "ROW"),
    "never_changed": ("entries", "check_change", "BEFORE UPDATE OR DELETE", "ROW"),
    "never_emptied": ("entries", "check_change", "BEFORE TRUNCATE", "STATEMENT"),
    "head_follows": ("head", "check_change", "BEFORE INSERT OR UPDATE OR DELETE", "ROW"),
    "head_stays": ("head", "check_change", "BEFORE TRUNCATE", "STATEMENT"),
}


@dataclass(frozen=True)
class Function:
    """A function of the schema.

    Attributes
    ----------
    name, arguments, returns, language, volatility, body
        As PostgreSQL has them.
    called
        Whether releasers call it: then it runs with the rights of the owner.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    language: str
    volatility: str
    body: str
    called: bool = False

    @property
    def settings(self) -> tuple[str, ...]:
        """What holds while it runs, as the catalogue writes it."""
        return tuple(f"{name}={value}" for name, value in _SET.items())

    @property
    def signature(self) -> str:
        """Name and kinds of arguments."""
        return f"{self.name}({', '.join(kind for _, kind in self.arguments)})"

    @property
    def digest(self) -> str:
        """SHA-256 of the body."""
        return sha256(self.body.encode()).hexdigest()

    def statement(self, schema: str) -> str:
        """What makes it."""
        given = ", ".join(f'"{name}" {kind}' for name, kind in self.arguments)
        settings = " ".join(f"SET {name} = {value}" for name, value in _SET.items())
        return (
            f'CREATE FUNCTION "{schema}".{self.name}({given}) RETURNS {self.returns} '
            f"LANGUAGE {self.language} {self.volatility} "
            f"{'SECURITY DEFINER' if self.called else 'SECURITY INVOKER'} {settings} "
            f"AS $privopt${self.body}$privopt$"
        )


def functions(schema: str) -> tuple[Function, ...]:
    """The functions of a ledger in a schema, in the order in which they are made."""

    def here(body: str) -> str:
        return body.replace("SCHEMA.", f'"{schema}".').replace("'NAME'", f"'{schema}'")

    names = ", ".join(f'"{name}"' for name in COLUMNS)
    values = ", ".join(f"append.{name}" for name in COLUMNS)
    insert = f"BEGIN INSERT INTO SCHEMA.entries ({names}) VALUES ({values}); END"  # noqa: S608
    given = tuple((name, canonical.TYPES[name]) for name in COLUMNS)
    text = (("given", "text"),)
    return (
        Function("json", text, "text", "plpgsql", "IMMUTABLE STRICT", canonical.JSON),
        Function("exact", text, "numeric", "plpgsql", "IMMUTABLE STRICT", requests.EXACT),
        Function(
            "cost", (("request", "text"),), "numeric[]", "plpgsql", "STABLE", here(requests.COST)
        ),
        Function(
            "digest",
            (("given", f'"{schema}".entries'),),
            "bytea",
            "plpgsql",
            "STABLE",
            here(canonical.DIGEST),
        ),
        Function("check_entry", (), "trigger", "plpgsql", "VOLATILE", here(entries.ENTRY)),
        Function("check_change", (), "trigger", "plpgsql", "VOLATILE", here(entries.CHANGE)),
        Function(
            "lock",
            (),
            "void",
            "plpgsql",
            "VOLATILE",
            here("BEGIN PERFORM seq FROM SCHEMA.head FOR UPDATE; END"),
            called=True,
        ),
        Function("append", given, "void", "plpgsql", "VOLATILE", here(insert), called=True),
    )


def statements(schema: str) -> tuple[str, ...]:
    """What makes a ledger in a schema that is there and empty."""
    here, tables = f'"{schema}"', list[str]()
    for table, columns in TABLES.items():
        # Byte by byte: the order of a language may change with the system, and break an index.
        written = [
            f'"{name}" {kind}{_C if kind == "text" else ""}{"" if null else " NOT NULL"}'
            for name, (kind, null) in columns.items()
        ]
        first, *others = UNIQUE[table]
        keys = [f'PRIMARY KEY ("{first}")', *(f'UNIQUE ("{name}")' for name in others)]
        tables.append(f"CREATE TABLE {here}.{table} ({', '.join([*written, *keys])})")
    named = f"CREATE INDEX entries_by_releaser ON {here}.entries (releaser, seq)"
    start = f"(true, {VERSION}, 0, decode('{START.hex()}', 'hex'), '')"
    begun = f"INSERT INTO {here}.head (one, version, seq, digest, relation) VALUES {start}"  # noqa: S608
    triggers = [
        f"CREATE TRIGGER {name} {when} ON {here}.{table} FOR EACH {each} "
        f"EXECUTE FUNCTION {here}.{function}()"
        for name, (table, function, when, each) in TRIGGERS.items()
    ]
    # ALWAYS: also where a session plays back what another server wrote.
    always = [
        f"ALTER TABLE {here}.{table} ENABLE ALWAYS TRIGGER {name}"
        for name, (table, *_) in TRIGGERS.items()
    ]
    made = [one.statement(schema) for one in functions(schema)]
    closed = [
        f"REVOKE ALL ON SCHEMA {here} FROM PUBLIC",
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {here} FROM PUBLIC",
        f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {here} FROM PUBLIC",
    ]
    return (*tables, named, begun, *made, *triggers, *always, *closed)
