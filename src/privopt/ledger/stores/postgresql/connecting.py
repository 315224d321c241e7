"""Connections to PostgreSQL: what the server is told, and what is asked of it.

A transaction that wrote is on the server's disk when COMMIT returns (synchronous_commit = on; a
server that does not wait for its disk is refused). Whoever dies or loses the network lets go of its
locks: the server notices a dead connection by keepalives within a minute, also while it waits, and
ends a transaction whose client says nothing for as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.extra import library
from privopt.ledger.stores.postgresql.address import Address

if TYPE_CHECKING:
    import psycopg

__all__ = ["Connection", "connect", "driver", "words"]

Connection = "psycopg.Connection[Any]"
OLDEST = 140000
# Of libpq, unless the address says otherwise: a server that is gone is noticed in half a minute.
_CLIENT = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
_SESSION = {
    "search_path": "pg_catalog, pg_temp",
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "bytea_output": "hex",
    "idle_in_transaction_session_timeout": "60s",
    "idle_session_timeout": "0",
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "60000",
    "client_connection_check_interval": "10s",
}
# The weaker ones become "on"; the stronger ones (remote_apply) stay.
_WEAK = ("off", "local", "remote_write")
_ASKED = """SELECT current_setting('server_version_num')::int, current_setting('server_version'),
    current_setting('server_encoding'), current_setting('fsync'),
    current_setting('full_page_writes'), current_setting('synchronous_commit')"""


def driver() -> Any:  # noqa: ANN401 -- the module, imported when a server is first asked for
    """psycopg, which speaks to PostgreSQL."""
    return library("psycopg", "postgres", "psycopg")


def connect(address: Address, timeout: float) -> psycopg.Connection[Any]:
    """A connection that waits so long for locks, and leaves transactions to its user."""
    psycopg = driver()
    given = psycopg.conninfo.conninfo_to_dict(address.target)
    settings = {**_CLIENT, "application_name": "privopt", **given}
    # The timeouts of a transaction are those of the ledger; 0 would be "for ever".
    wait = max(1, round(1000 * timeout))
    session = {**_SESSION, "lock_timeout": f"{wait}", "statement_timeout": f"{wait + 600_000}"}
    connection = psycopg.connect(**settings, autocommit=True)
    try:
        connection.execute("; ".join(f"SET {name} = {_value(v)}" for name, v in session.items()))
        version, _, encoding, *_, commit = connection.execute(_ASKED).fetchone()
        if version < OLDEST or encoding != "UTF8":
            raise LedgerError(
                f"the server of {address.place} is of version {version // 10000}, its database is "
                f"encoded in {encoding}.",
                "PostgreSQL 14 or newer, and a database in UTF8.",
                "use another server or database.",
            )
        if commit in _WEAK:
            connection.execute("SET synchronous_commit = on")
    except BaseException:
        connection.close()
        raise
    return connection


def words(connection: psycopg.Connection[Any]) -> tuple[str, bool]:
    """Where the rows lie, in words, and whether the server waits for its disk."""
    found = connection.execute(_ASKED).fetchone()
    _, version, _, fsync, pages, commit = found or (0, "", "", "off", "off", "off")
    safe = (fsync, pages) == ("on", "on") and commit not in _WEAK
    return (
        f"PostgreSQL {version} (fsync {fsync}, full_page_writes {pages}, "
        f"synchronous_commit {commit})"
    ), safe


def _value(value: str) -> str:
    return value if "," in value else f"'{value}'"
