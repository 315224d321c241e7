"""Who may do what: the owner sets limits, releasers charge, readers look.

    reader      USAGE on the schema, SELECT on its two tables
    releaser    the same, and EXECUTE on `lock` and `append`

Roles are those of the server. Whoever makes the ledger owns it, and gives and takes these rights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privopt.errors import InputError
from privopt.foreign import some
from privopt.ledger.stores.postgresql.schema import functions

if TYPE_CHECKING:
    import psycopg

__all__ = ["check_roles", "grant", "is_owner", "revoke", "roles"]

_HELD = """
SELECT r.rolname, EXISTS (SELECT FROM pg_proc, aclexplode(proacl) AS held
        WHERE pronamespace = n.oid AND proname = 'append' AND held.grantee = r.oid)
    FROM pg_namespace AS n, aclexplode(n.nspacl) AS given
        JOIN pg_roles AS r ON r.oid = given.grantee
    WHERE n.nspname = %s AND given.grantee <> n.nspowner AND given.privilege_type = 'USAGE'
    ORDER BY r.rolname
"""


def check_roles(connection: psycopg.Connection[Any], names: Sequence[str]) -> None:
    """Refuse names that are no roles of the server."""
    found = connection.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY (%s)", ([*names],))
    missing = sorted(set(names) - {str(name) for (name,) in found})
    if missing:
        raise InputError(
            f"the server has no role {some(missing)}.",
            "roles that exist.",
            "let the database's administrator make it first: CREATE ROLE name LOGIN.",
        )


def is_owner(connection: psycopg.Connection[Any], schema: str) -> bool:
    """Whether the role that logged in owns the ledger, or is a member of the one that does."""
    asked = "SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace "
    found = connection.execute(f"{asked} WHERE nspname = %s", (schema,)).fetchone()
    return found == (True,)


def grant(
    connection: psycopg.Connection[Any],
    schema: str,
    releasers: Sequence[str] = (),
    readers: Sequence[str] = (),
) -> None:
    """Give rights, inside a transaction of the owner."""
    check_roles(connection, [*releasers, *readers])
    for name in (*releasers, *readers):
        _run(connection, f'GRANT USAGE ON SCHEMA "{schema}" TO {_quoted(name)}')
        _run(connection, f'GRANT SELECT ON "{schema}".entries, "{schema}".head TO {_quoted(name)}')
    for name in releasers:
        for called in _called(schema):
            _run(connection, f"GRANT EXECUTE ON FUNCTION {called} TO {_quoted(name)}")


def revoke(connection: psycopg.Connection[Any], schema: str, names: Sequence[str]) -> None:
    """Take all rights away, inside a transaction of the owner."""
    check_roles(connection, names)
    for name in map(_quoted, names):
        for called in _called(schema):
            _run(connection, f"REVOKE ALL ON FUNCTION {called} FROM {name}")
        _run(connection, f'REVOKE ALL ON "{schema}".entries, "{schema}".head FROM {name}')
        _run(connection, f'REVOKE ALL ON SCHEMA "{schema}" FROM {name}')


def roles(connection: psycopg.Connection[Any], schema: str) -> dict[str, str]:
    """Roles that were let in, and as what."""
    held = connection.execute(_HELD, (schema,)).fetchall()
    return {str(name): "releaser" if releases else "reader" for name, releases in held}


def _called(schema: str) -> list[str]:
    return [f'"{schema}".{one.signature}' for one in functions(schema) if one.called]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _run(connection: psycopg.Connection[Any], sql: str) -> None:
    text: Any = sql
    connection.execute(text)
