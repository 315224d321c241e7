"""Connections to PostgreSQL: what the server is told, and what is asked of it.

A transaction that wrote is on the server's disk when COMMIT returns (synchronous_commit = on; a
server that does not wait for its disk is refused). Whoever dies or loses the network lets go of its
locks: the server notices a dead connection by keepalives within a minute, also while it waits, and
ends a transaction whose client says nothing for as long.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from privopt.errors import LedgerError
from privopt.extra import library
from privopt.ledger.stores.postgresql.address import Address

if TYPE_CHECKING:
    import psycopg

__all__ = ["check_kept", "connect", "driver", "words"]

OLDEST = 140000
_PAUSE = 0.1
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
    "plan_cache_mode": "force_generic_plan",  # every statement here finds its rows by an index
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
_ASKED = "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')"
_WORDS = """SELECT current_setting('server_version'), current_setting('fsync'),
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
    connection = _opened(psycopg, settings, timeout)
    try:
        connection.execute("; ".join(f"SET {name} = {_value(v)}" for name, v in session.items()))
        _check_server(address, *connection.execute(_ASKED).fetchone())
        if connection.execute("SHOW synchronous_commit").fetchone()[0] in _WEAK:
            connection.execute("SET synchronous_commit = on")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_server(address: Address, version: int, encoding: str) -> None:
    if version < OLDEST or encoding != "UTF8":
        raise LedgerError(
            f"the server of {address.place} is of version {version // 10000}, its database is "
            f"encoded in {encoding}.",
            "PostgreSQL 14 or newer, and a database in UTF8.",
            "use another server or database.",
        )


def _opened(psycopg: Any, settings: dict[str, Any], timeout: float) -> Any:  # noqa: ANN401 -- lazy
    """A connection; a server that is there and takes none yet (it starts) is waited for."""
    until = time.monotonic() + timeout
    while True:
        try:
            return psycopg.connect(**settings, autocommit=True)
        except psycopg.OperationalError:
            known = psycopg.conninfo.make_conninfo(**settings).encode()
            starts = psycopg.pq.PGconn.ping(known) == psycopg.pq.Ping.REJECT
            if not starts or time.monotonic() > until:
                raise
        time.sleep(_PAUSE)


def words(connection: psycopg.Connection[Any]) -> str:
    """Where the rows lie, and how they are kept."""
    found = connection.execute(_WORDS).fetchone() or ("", "off", "off", "off")
    return f"PostgreSQL {found[0]}: {_kept(found[1:])}"


def check_kept(kept: tuple[str, ...]) -> None:
    """Refuse to write to a server that does not wait for its disk: fsync, pages, commit."""
    if kept[:2] != ("on", "on") or kept[2] in _WEAK:
        raise LedgerError(
            f"the server does not wait for its disk ({_kept(kept)}). Nothing was released.",
            "fsync, full_page_writes and synchronous_commit on: otherwise a crash may lose the "
            "charge of a release that was made.",
            "set them in postgresql.conf (they are on by default), or use another server.",
        )


def _kept(kept: tuple[str, ...]) -> str:
    return f"fsync {kept[0]}, full_page_writes {kept[1]}, synchronous_commit {kept[2]}"


def _value(value: str) -> str:
    return value if "," in value else f"'{value}'"
