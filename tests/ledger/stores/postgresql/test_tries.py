"""What a releaser, a reader and a stranger try in SQL: all refused, and the ledger unchanged.

The statements are run as the role itself, not through privopt. `S` stands for the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from tests.ledger.requests import PRIVATE, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import Team, forged, team, yesterday

from privopt.errors import LedgerError
from privopt.ledger import Budget
from privopt.ledger.request import private_set
from privopt.ledger.row import COLUMNS, Row, chained_digest


@pytest.fixture(scope="module")
def shared(running: Server) -> Team:
    """Rows: opened, a charge and its output of anna's, a charge of ben's without output."""
    made = team(running)
    made.owner.set_quota(Budget("0.5"), releaser="anna")
    made.owner.set_quota(Budget("0.4"), releaser="ben")
    with made.ledger("anna") as ledger:
        ledger.charge(request("0.1"), lambda _: b"out", "may")
    with made.ledger("ben") as ledger, pytest.raises(ZeroDivisionError):
        ledger.charge(request("0.1"), lambda _: bytes(1 // 0), "burnt")
    return made


STATEMENTS = [
    "INSERT INTO S.entries SELECT * FROM S.entries WHERE seq = 1",
    "INSERT INTO S.entries (seq, kind) VALUES (99, 'limit')",
    "COPY S.entries FROM PROGRAM 'true'",
    "UPDATE S.entries SET limit_epsilon = '9' WHERE seq = 1",
    "UPDATE S.entries SET request = NULL",
    "UPDATE S.head SET seq = 0",
    "UPDATE S.head SET alpha = NULL, private = NULL",
    "DELETE FROM S.entries",
    "DELETE FROM S.entries WHERE seq = (SELECT max(seq) FROM S.entries)",
    "DELETE FROM S.head",
    "TRUNCATE S.entries",
    "DROP TABLE S.entries",
    "DROP SCHEMA S CASCADE",
    "ALTER TABLE S.entries DISABLE TRIGGER ALL",
    "ALTER TABLE S.entries OWNER TO anna",
    "DROP TRIGGER checked ON S.entries",
    "CREATE TRIGGER mine BEFORE INSERT ON S.entries EXECUTE FUNCTION S.check_change()",
    "CREATE TABLE S.mine (x int)",
    "CREATE FUNCTION S.lock(x int) RETURNS void LANGUAGE sql AS 'SELECT'",
    "CREATE OR REPLACE FUNCTION S.lock() RETURNS void LANGUAGE plpgsql AS 'BEGIN END'",
    "ALTER FUNCTION S.lock() SECURITY INVOKER",
    "CREATE INDEX ON S.entries (kind)",
    "CREATE RULE mine AS ON INSERT TO S.entries DO INSTEAD NOTHING",
    "BEGIN; LOCK TABLE S.entries IN ACCESS EXCLUSIVE MODE",
    "SELECT * FROM S.head FOR UPDATE",
    "SELECT S.check_entry()",
    "SELECT S.cost('{}')",
    "GRANT olga TO anna",
    "SET ROLE olga",
    "SET SESSION AUTHORIZATION olga",
    "SET session_replication_role = replica",
    "ALTER ROLE anna SUPERUSER",
]


@pytest.mark.parametrize("user", ["anna", "carol", "dora"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_refused(shared: Team, user: str, statement: str) -> None:
    head = shared.head
    with (
        shared.sql(user) as connection,
        pytest.raises((psycopg.ProgrammingError, psycopg.errors.InvalidObjectDefinition)),
    ):
        connection.execute(re.sub(r"\bS\b(?=[. ])", shared.schema, statement))
    assert shared.head == head


def test_a_right_that_one_has_not_cannot_be_given_on(shared: Team) -> None:
    for right in ("INSERT", "UPDATE", "SELECT"):
        with shared.sql("anna") as connection:  # PostgreSQL warns, and gives nothing
            connection.execute(f"GRANT {right} ON {shared.schema}.entries TO dora")
            asked = "SELECT has_table_privilege('dora', %s, %s)"
            assert connection.execute(asked, (f"{shared.schema}.entries", right)).fetchone() == (
                False,
            )


def asked(**other: Any) -> str:
    return request("0.01", **other).text


def changed(text: str, **values: Any) -> str:
    """A request with values that `Request` would not take, written as it writes."""
    whole = json.loads(text) | values
    return json.dumps(whole, sort_keys=True, separators=(",", ":"))


_BIG = str(10**41)
_TENTH = str(10**29)
# What a releaser's own program might send: the next row of an honest charge, with other values.
ROWS: dict[str, Callable[[Team, Row], Row]] = {
    "a higher limit": lambda _, row: forged(row, limit_epsilon=_BIG),
    "a row that sets the limit": lambda t, _: t.head.after("limit", limit=Budget(9).limit),
    "a quota of its own": lambda t, _: t.head.after(
        "quota", releaser="anna", releaser_spent_epsilon=_TENTH, releaser_spent_delta="0",
        releaser_limit_epsilon=_BIG, releaser_limit_delta="0",
    ),
    "a redaction": lambda t, _: t.head.after("redacted", request='{"row":4}'),
    "a move": lambda t, _: t.head.after("moved", home=b"x" * 16),
    "an end": lambda t, _: t.head.after("closed"),
    "a second beginning": lambda _, row: forged(row, seq=1, kind="opened"),
    "a kind of its own": lambda _, row: forged(row, kind="note"),
    "a sum that forgets": lambda _, row: forged(row, spent_epsilon="0"),
    "a charge of nothing": lambda t, row: forged(
        row, epsilon="0", spent_epsilon=t.head.spent_epsilon,
        releaser_spent_epsilon=str(10**29),
    ),
    "a negative charge": lambda _, row: forged(row, epsilon="-1"),
    "a charge in other digits": lambda _, row: forged(row, epsilon="0" + row.epsilon),
    "a charge beyond the limit": lambda t, _: forged(t.charge("anna", "0.01"), epsilon=_BIG),
    "a charge beyond the quota": lambda t, _: _charged(t, "0.41"),
    "a quota that grows": lambda _, row: forged(row, releaser_limit_epsilon=_BIG),
    "a quota that is forgotten": lambda _, row: forged(
        row, releaser_limit_epsilon=None, releaser_limit_delta=None
    ),
    "nobody's charge": lambda _, row: forged(
        row, releaser=None, releaser_spent_epsilon=None, releaser_spent_delta=None,
        releaser_limit_epsilon=None, releaser_limit_delta=None,
    ),
    "a charge of somebody else": lambda t, _: t.charge("ben"),
    "a number too far": lambda _, row: forged(row, seq=row.seq + 1),
    "another past": lambda _, row: forged(row, previous=b"x" * 32),
    "a digest of something else": lambda _, row: Row(**{**vars(row), "digest": b"x" * 32}),
    "a digest of another request": lambda _, row: _unhashed(row),
    "a key that was used": lambda t, _: t.charge(key="may"),
    "a key without end": lambda t, _: t.charge(key="x" * 201),
    "another home": lambda _, row: forged(row, home=b"x" * 16),
    "no home": lambda _, row: forged(row, home=None),
    "an old time": lambda _, row: forged(row, time=yesterday()),
    "no time": lambda _, row: forged(row, time=None),
    "a time that is none": lambda _, row: forged(row, time="\x1b[2J"),
    "another alpha": lambda _, row: forged(row, request=asked(alpha=0.2)),
    "another private set": lambda _, row: forged(row, request=asked(private=private_set(["x"]))),
    "other neighbours": lambda _, row: forged(
        row, request=asked(relation=f"each:2:0.1:{PRIVATE.partition(':')[2]}")
    ),
    "no request": lambda _, row: forged(row, request=None, request_digest=None),
    "a request that is none": lambda _, row: forged(row, request="{}"),
    "a request with more": lambda _, row: forged(row, request=changed(row.request or "", more=1)),
    "a request of wrong kinds": lambda _, row: forged(
        row, request=changed(row.request or "", tries="1")
    ),
    "a request out of range": lambda _, row: forged(
        row, request=changed(row.request or "", tries=0)
    ),
    "a request of a long text": lambda _, row: forged(row, request=asked(subject="x")[:-1] + " }"),
    "a request that costs more": lambda _, row: forged(row, request=request("0.02").text),
    "a request whose noise costs more": lambda _, row: forged(
        row, request=asked(own_epsilon=0.010000000000000002)
    ),
    "an output of a charge of others": lambda t, _: t.head.after("output", of=6, output=b"mine"),
    "a second output": lambda t, _: t.head.after("output", of=4, output=b"other"),
    "an output of no charge": lambda t, _: t.head.after("output", of=1, output=b"mine"),
    "an output of nothing": lambda t, _: t.head.after("output", output=b"mine"),
    "an output with a time": lambda t, _: t.head.after(
        "output", of=4, output=b"o", time=yesterday(0)
    ),
    "a charge with its output": lambda _, row: forged(row, output=b"at once"),
}  # fmt: skip


def _charged(team: Team, epsilon: str) -> Row:
    small, cost = team.charge("anna", "0.01"), request(epsilon).charge.charge.epsilon
    spent = int(small.releaser_spent_epsilon or 0) - int(small.epsilon) + cost
    return forged(
        small, epsilon=str(cost), request=request(epsilon).text,
        spent_epsilon=str(int(small.spent_epsilon) - int(small.epsilon) + cost),
        releaser_spent_epsilon=str(spent),
    )  # fmt: skip


def _unhashed(row: Row) -> Row:
    other = Row(**{**vars(row), "request_digest": b"x" * 32})
    return Row(**{**vars(other), "digest": chained_digest(other)})


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_refused(shared: Team, name: str) -> None:
    head = shared.head
    row = ROWS[name](shared, shared.charge("anna"))
    with pytest.raises(psycopg.Error) as refused:
        shared.append("anna", row)
    assert refused.value.sqlstate in ("PV001", "PV002", "23505"), refused.value
    assert shared.head == head


def test_the_same_row_unchanged_is_taken_and_the_ledger_is_whole(running: Server) -> None:
    """So it is what was changed that was refused above."""
    made = team(running)
    made.append("anna", made.charge("anna"))
    made.append("anna", made.head.after("output", of=2, output=b"mine"))
    made.append("ben", made.charge("ben", key="ключ 𝄞 \u00ad"))
    report = made.owner.verify()
    assert (report.charges, report.released) == (2, 1)


def test_who_was_not_let_in_and_who_only_reads_may_not_append(shared: Team) -> None:
    for user in ("carol", "dora"):
        for call in ("append", "lock"):
            values = ", ".join(["NULL"] * (len(COLUMNS) if call == "append" else 0))
            with (
                shared.sql(user) as connection,
                pytest.raises(psycopg.errors.InsufficientPrivilege),
            ):
                connection.execute(f"SELECT {shared.schema}.{call}({values})")
    with pytest.raises(LedgerError, match="no right to do that"):
        _ = shared.ledger("dora", read_only=True).spent
    assert shared.ledger("carol", read_only=True).verify().charges == 2
    with pytest.raises(LedgerError, match="no right to do that"):
        shared.ledger("carol").charge(request("0.1"), lambda _: b"")


def test_settings_of_a_session_do_not_change_the_rules(shared: Team) -> None:
    row = forged(shared.charge("anna"), request="{}")
    values = tuple(getattr(row, name) for name in vars(row))
    for setting in (
        "standard_conforming_strings = off",
        "search_path = pg_temp, public",
        "transform_null_equals = on",
        "extra_float_digits = -10",
        "DateStyle = 'SQL, DMY'",
        "client_encoding = LATIN1",
    ):
        with shared.sql("anna") as connection:
            connection.execute("SET escape_string_warning = off")
            connection.execute(f"SET {setting}")
            connection.execute("CREATE TEMP TABLE head AS SELECT 1 AS one")
            connection.execute(
                "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'"
            )
            with pytest.raises(psycopg.Error) as refused:
                connection.execute(
                    f"SELECT {shared.schema}.append({', '.join(['%s'] * len(values))})", values
                )
            assert refused.value.sqlstate == "PV001", setting
