"""Ledgers of format 1 (privopt 0.1.0): migrated on record when opened, read as they are.

That their charges, keys and heads go on as before is tested with files of that version in
`tests/test_fixtures.py`; here, what can be wrong with such a file, and who looks at it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.ledger.damage import as_nobody
from tests.ledger.requests import fork, join, never, request

from privopt.errors import LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.sqlite import legacy
from privopt.ledger.stores.sqlite.rows import StoredRows

OLD = Path(__file__).parents[3] / "fixtures" / "v0_1_0" / "ledgers"
NAMES = ("closed", "killed", "nearly", "newborn")


@pytest.fixture
def old(folder: Path) -> Path:
    shutil.copytree(OLD, folder / "old")
    return folder / "old"


def rows_of(path: Path) -> list[dict[str, object]]:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute("SELECT * FROM entries ORDER BY seq")]
    connection.close()
    return found


def old_digest(row: dict[str, object]) -> bytes:
    """As version 0.1.0 computed it, written anew."""
    held = {
        name: {"hex": value.hex()} if isinstance(value, bytes) else value
        for name, value in row.items()
        if value is not None and name != "digest"
    }
    text = json.dumps(held, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize("name", NAMES)
def test_a_migration_keeps_every_row_and_its_old_digest(old: Path, name: str) -> None:
    path = old / f"{name}.ledger"
    before = rows_of(path)
    assert all(row["digest"] == old_digest(row) for row in before)
    ledger = Ledger(path)
    after = rows_of(path)
    assert [row["kind"] for row in after][len(before) :] == ["migrated"]
    for one, other in zip(before, after, strict=False):
        assert other["legacy"] == one["digest"]
        kept = set(one) - {"previous", "digest"}
        assert {name: one[name] for name in kept} == {name: other[name] for name in kept}
    assert f"head {len(before)}:{before[-1]['digest'].hex()}" in str(after[-1]["request"])  # type: ignore[union-attr]
    assert path.read_bytes()[18:20] == b"\1\1"
    ledger.close()
    assert not [item.name for item in old.iterdir() if item.name in (f"{name}.ledger-wal",)]
    assert Ledger(path).verify().rows == len(before) + 1  # once


@pytest.mark.parametrize("name", NAMES)
def test_who_only_looks_changes_nothing(old: Path, name: str) -> None:
    path = old / f"{name}.ledger"
    before = {item.name: item.read_bytes() for item in old.iterdir() if "-shm" not in item.name}
    with Ledger(path, read_only=True) as seen:
        report, spent, events = seen.verify(), seen.spent, seen.events
        with pytest.raises(LedgerError, match="may only be read"):
            seen.charge(request("0.1"), never)
    after = {item.name: item.read_bytes() for item in old.iterdir() if "-shm" not in item.name}
    assert after == before
    ledger = Ledger(path)
    assert (ledger.spent, ledger.verify().charges) == (spent, report.charges)
    assert [event.row for event in ledger.events][:-1] == [event.row for event in events][:-1]


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user")
def test_a_reader_with_rights_in_the_folder_leaves_nothing_that_locks_the_owner_out(
    old: Path,
) -> None:
    path = old / "closed.ledger"
    path.chmod(0o644)
    old.parent.chmod(0o755)
    old.chmod(0o777)
    names = {item.name for item in old.iterdir()}

    def work() -> None:
        assert Ledger(path, read_only=True).verify().charges == 10

    assert as_nobody(work) == 0
    assert {item.name for item in old.iterdir()} == names
    with Ledger(path) as ledger:
        assert ledger.verify().charges == 10
    assert as_nobody(work) == 0
    assert {item.name for item in old.iterdir()} == names


@pytest.mark.parametrize(
    ("sql", "match"),
    [
        ("UPDATE entries SET epsilon = '1' WHERE seq = 4", "row 4 "),
        ("UPDATE entries SET output = x'00' WHERE seq = 3", "row 3 "),
        ("UPDATE entries SET key = 3 WHERE seq = 2", "row 2 "),
        ("DELETE FROM entries WHERE seq = 5", "row 5"),
        ("DELETE FROM entries WHERE seq > 9", "row 10"),
        ("UPDATE entries SET previous = zeroblob(32) WHERE seq = 6", "row 6 "),
        ("CREATE TABLE more (x)", "tables"),
        ("CREATE VIEW more AS SELECT 1", "tables"),
    ],
)
def test_a_damaged_old_ledger_is_not_migrated(old: Path, sql: str, match: str) -> None:
    path = old / "closed.ledger"
    connection = sqlite3.connect(path)
    statements = [
        row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    ]
    for name in ("never_changed", "never_removed"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    before = rows_of(path)
    for read_only in (False, True):
        with pytest.raises(LedgerError, match=match):
            Ledger(path, read_only=read_only)
    assert rows_of(path) == before


@pytest.mark.parametrize("spill", [False, True])
def test_a_migration_that_is_killed_begins_anew(old: Path, spill: bool) -> None:
    path = old / "closed.ledger"

    def work() -> None:
        def kill(reading: Callable[[], AbstractContextManager[StoredRows]], _: str) -> None:
            with reading() as rows:
                connection = rows.connection
                if spill:
                    connection.execute("PRAGMA cache_size = 1")
                    connection.execute("PRAGMA cache_spill = 1")
                    connection.execute("UPDATE entries SET output = NULL")
                    connection.execute("UPDATE entries SET key = NULL")
            os.kill(os.getpid(), signal.SIGKILL)

        legacy.verify = kill  # type: ignore[assignment]
        Ledger(path)

    assert join([fork(work)]) == [-signal.SIGKILL]
    assert path.with_name("closed.ledger-journal").exists()
    assert Ledger(path, read_only=True).spent == Budget("0.9", "1e-6")
    with Ledger(path) as ledger:
        assert ledger.verify().spent == Budget("0.9", "1e-6")
        assert [event.kind for event in ledger.events].count("migrated") == 1
        assert ledger.fetch(key="may")


def test_an_old_ledger_that_is_open_elsewhere_waits(old: Path) -> None:
    path = old / "closed.ledger"
    connection = sqlite3.connect(path)
    connection.execute("SELECT count(*) FROM entries").fetchone()
    with pytest.raises(LedgerError, match="locked for too long"):
        Ledger(path, timeout=0.1)
    connection.close()
    assert Ledger(path).spent == Budget("0.9", "1e-6")


def test_a_journal_is_not_played_back_over_an_old_ledger_that_is_whole(old: Path) -> None:
    """The journal keeps a state with fewer charges; the counters of changes are the same."""
    path, fewer = old / "closed.ledger", old / "fewer"
    spent = Ledger(path, read_only=True).spent
    shutil.copy(path, fewer)
    for file, change in (
        (path, "PRAGMA user_version = 1"),
        (fewer, "DELETE FROM entries WHERE seq > 5"),
    ):
        connection = sqlite3.connect(file, isolation_level=None)
        connection.execute("PRAGMA journal_mode = DELETE")
        kept = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        connection.execute("BEGIN")
        for name in ("never_changed", "never_removed"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(change)
        for (sql,) in kept:
            connection.execute(sql)
        connection.execute("COMMIT")
        connection.close()
    assert path.read_bytes()[24:28] == fewer.read_bytes()[24:28]

    def work() -> None:
        connection = sqlite3.connect(fewer, isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        for name in ("never_changed", "never_removed"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE entries SET output = NULL, request = NULL")
        os.kill(os.getpid(), signal.SIGKILL)

    assert join([fork(work)]) == [-signal.SIGKILL]
    journal = path.with_name(path.name + "-journal")
    (old / "fewer-journal").rename(journal)
    assert journal.read_bytes()[:1] == b"\xd9"
    assert Ledger(path).verify().spent == spent
    assert not journal.exists()


SECOND = Path(__file__).parents[3] / "fixtures" / "before_rooms" / "ledgers"


@pytest.fixture(params=NAMES)
def second(folder: Path, request: pytest.FixtureRequest) -> Path:
    """A file of format 2, written by privopt before there were quotas."""
    path = shutil.copy(SECOND / f"{request.param}.ledger", folder / "second.ledger")
    return Path(path)


def test_rows_and_head_of_format_2_stay_as_they_are(second: Path) -> None:
    before, content = rows_of(second), second.read_bytes()
    with Ledger(second, read_only=True) as seen:
        head, spent, report = seen.head, seen.spent, seen.verify()
        assert seen.quotas == ()
    assert second.read_bytes() == content
    assert head == (len(before), before[-1]["digest"].hex())  # type: ignore[union-attr]
    with Ledger(second, anchor="{}:{}".format(*head)) as ledger:
        assert (ledger.head, ledger.spent, ledger.verify(head)) == (head, spent, report)
        assert [{name: row[name] for name in before[0]} for row in rows_of(second)] == before
        ledger.set_limit(Budget(99))
        ledger.set_quota(Budget(99), releaser="anna")
        added = [row["kind"] for row in rows_of(second)][len(before) :]
        assert added == ["moved", "limit", "quota"]  # the fixture was made elsewhere
        assert ledger.verify(head).charges == report.charges
    with sqlite3.connect(second) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] >> 28 == 3


@pytest.mark.parametrize(
    ("sql", "match"),
    [
        ("UPDATE entries SET epsilon = '1' WHERE seq = 4", "row 4 "),
        ("UPDATE entries SET output = x'00' WHERE seq = 3", "row 3 "),
        ("DELETE FROM entries WHERE seq = 5", "row 5"),
        ("DELETE FROM entries WHERE seq > 9", "row 10"),
        ("CREATE TABLE more (x)", "tables"),
        ("ALTER TABLE entries ADD COLUMN releaser TEXT", "tables"),
        ("PRAGMA user_version = 536870912", "not whole"),
    ],
)
def test_a_damaged_file_of_format_2_is_not_migrated(folder: Path, sql: str, match: str) -> None:
    path = Path(shutil.copy(SECOND / "closed.ledger", folder / "second.ledger"))
    connection = sqlite3.connect(path)
    kept = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name in ("never_changed", "never_removed"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql)
    for (statement,) in kept:
        connection.execute(statement)
    connection.commit()
    connection.close()
    before = rows_of(path)
    for read_only in (False, True):
        with pytest.raises(LedgerError, match=match):
            Ledger(path, read_only=read_only)
    assert rows_of(path) == before


def test_a_migration_from_format_2_that_is_killed_begins_anew(second: Path) -> None:
    def work() -> None:
        def kill(reading: Callable[[], AbstractContextManager[StoredRows]], _: str) -> None:
            with reading() as rows:
                rows.connection.execute("PRAGMA cache_size = 1")
                rows.connection.execute("PRAGMA cache_spill = 1")
                rows.connection.execute("UPDATE entries SET output = NULL")
                rows.connection.execute("UPDATE entries SET key = NULL")
            os.kill(os.getpid(), signal.SIGKILL)

        legacy.verify = kill  # type: ignore[assignment]
        Ledger(second)

    with Ledger(second, read_only=True) as seen:
        head, spent = seen.head, seen.spent
    assert join([fork(work)]) == [-signal.SIGKILL]
    with Ledger(second) as ledger:
        assert (ledger.head, ledger.spent) == (head, spent)
        assert ledger.verify(head).head == head
