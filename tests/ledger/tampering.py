"""Changing rows behind a ledger's back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from privopt.ledger import Ledger
from privopt.ledger.row import COLUMNS, Row
from privopt.ledger.stores.sqlite.schema import STATEMENTS, mark


def tamper(ledger: Ledger, change: Callable[[sqlite3.Connection], object]) -> None:
    """Change rows behind the ledger's back, and put the triggers back."""
    ledger.close()
    connection = sqlite3.connect(ledger.path)
    for name in ("never_changed", "never_removed"):
        connection.execute(f"DROP TRIGGER {name}")
    change(connection)
    for statement in STATEMENTS[1:3]:
        connection.execute(statement)
    connection.commit()
    connection.close()


def resealed(change: Callable[[list[Row]], list[Row]]) -> Callable[[sqlite3.Connection], None]:
    """Change rows and compute the whole chain anew: what only the sums and rules can find."""

    def apply(connection: sqlite3.Connection) -> None:
        names = ", ".join(COLUMNS)
        found = connection.execute(f"SELECT {names} FROM entries ORDER BY seq").fetchall()  # noqa: S608
        rows = change([Row(**dict(zip(COLUMNS, values, strict=True))) for values in found])
        connection.execute("DELETE FROM entries")
        previous = Row(seq=0, kind="").previous
        for row in rows:
            sealed = Row(**{**vars(row), "previous": previous}).sealed()
            values = tuple(getattr(sealed, name) for name in COLUMNS)
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO entries ({names}) VALUES ({marks})", values)  # noqa: S608
            connection.execute(f"PRAGMA user_version = {mark(sealed)}")
            previous = sealed.digest

    return apply
