"""A ledger on a server with an owner, releasers and a reader, and rows for them to try."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Any

from tests.ledger.requests import request
from tests.ledger.stores.postgresql.server import Server

from privopt.ledger import Budget, Ledger, chain
from privopt.ledger.row import COLUMNS, Row
from privopt.ledger.share import charged
from privopt.ledger.stores.postgresql.store import PostgresqlStore
from privopt.ledger.writing import now


def postgresql(ledger: Ledger) -> PostgresqlStore:
    store = ledger.store
    assert isinstance(store, PostgresqlStore)
    return store


@dataclass
class Team:
    """The owner is `olga`; `anna` and `ben` release, `carol` reads, `dora` was not let in."""

    server: Server
    owner: Ledger

    @property
    def schema(self) -> str:
        return self.owner.store.name

    def address(self, user: str) -> str:
        return self.server.address(self.schema, user)

    def ledger(self, user: str, **more: Any) -> Ledger:
        return Ledger(self.address(user), **more)

    def sql(self, user: str) -> Any:
        return self.server.connect(user)

    @property
    def head(self) -> Row:
        with self.owner.store.reading() as rows:
            return chain.last(rows)

    def charge(self, user: str = "anna", epsilon: str = "0.01", **more: Any) -> Row:
        """The row of an honest charge, next in the chain."""
        asked = request(epsilon)
        with self.owner.store.reading() as rows:
            head = chain.last(rows)
            shares = charged(rows, head, user, asked.charge.charge)
        return head.after(
            "charge", charge=asked.charge.charge, time=now(), request=asked.text, **shares, **more
        )

    def append(self, user: str, row: Row) -> None:
        """What a releaser can do with SQL of its own."""
        values = tuple(getattr(row, name) for name in COLUMNS)
        with self.sql(user) as connection:
            connection.execute(
                f"SELECT {self.schema}.append({', '.join(['%s'] * len(values))})", values
            )


def forged(row: Row, **values: Any) -> Row:
    """A row with other values, and a digest that fits them."""
    return replace(row, **values).sealed()


def team(server: Server, epsilon: Any = 1) -> Team:
    server.roles("olga", "anna", "ben", "carol", "dora")
    with server.connect() as connection:
        connection.execute("GRANT CREATE ON DATABASE postgres TO olga")
    owner = Ledger(server.address(user="olga"), Budget(epsilon))
    postgresql(owner).grant(releasers=["anna", "ben"], readers=["carol"])
    return Team(server, owner)


def yesterday(days: int = 2) -> str:
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    return past.strftime("%Y-%m-%dT%H:%M:%SZ")
