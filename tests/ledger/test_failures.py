"""Full disks, read-only files, replaced files, other formats: refused."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from tests.ledger.requests import fork, join, never, open_ledger, request, sqlite

from privopt.errors import BurntError, InputError, LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.sqlite.schema import VERSION

REFUSED = "Nothing was released.* Needed: .* What to do:"
NOBODY = 65534


def fill(ledger: Ledger, made: list[bytes], size: int) -> None:
    """Charge until it is refused."""
    while len(made) < 1000:
        made.append(ledger.charge(request(0.1), lambda _: b"x" * size, f"key {len(made)}"))


def test_a_full_file_refuses_the_charge(folder: Path) -> None:
    ledger = open_ledger(folder, 1000)
    with sqlite(ledger).reading() as rows:
        pages = rows.connection.execute("PRAGMA page_count").fetchone()[0]
        rows.connection.execute(f"PRAGMA max_page_count = {pages}")
    made: list[bytes] = []
    with pytest.raises(LedgerError, match="the disk is full"):
        fill(ledger, made, 100)
    ledger.close()
    report = ledger.verify()
    assert report.released == len(made)
    assert report.spent.exact[0] * 10 == report.charges


def test_an_output_that_does_not_fit_is_burnt_and_not_returned(folder: Path) -> None:
    ledger = open_ledger(folder, 1000)
    with sqlite(ledger).reading() as rows:
        pages = rows.connection.execute("PRAGMA page_count").fetchone()[0]
        rows.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(BurntError, match="could not be stored: .*the disk is full"):
        ledger.charge(request(0.1), lambda _: b"x" * 100_000, "k")
    with pytest.raises(BurntError, match="never stored"):
        ledger.charge(request(0.1), never, "k")
    assert ledger.spent == Budget("0.1")
    ledger.verify()


@pytest.fixture
def tiny(folder: Path) -> Path:
    place = folder / "tiny"
    place.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.getuid() or not mount or subprocess.run([mount, *options], check=False).returncode:
        pytest.skip("no small drive can be mounted here")
    return place


@pytest.mark.long
def test_a_full_drive_releases_nothing(tiny: Path) -> None:
    ledger = open_ledger(tiny, 1000)
    try:
        made: list[bytes] = []
        with pytest.raises(LedgerError, match="What to do:"):
            fill(ledger, made, 1000)
        for _ in range(3):
            with pytest.raises(LedgerError):
                ledger.charge(request(0.1), lambda _: b"x" * 1000)
        report = ledger.verify()
        assert report.released == len(made) > 5
    finally:
        ledger.close()
        subprocess.run(["umount", "-l", str(tiny)], check=True)  # noqa: S607


def test_a_file_that_may_not_grow_releases_nothing(folder: Path) -> None:
    """The same without a drive of its own: the system refuses to write beyond a size."""
    ledger = open_ledger(folder, 1000)
    ledger.close()

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
        mine, made = Ledger(ledger.path), list[bytes]()
        with pytest.raises(LedgerError, match="What to do:"):
            fill(mine, made, 1000)
        for _ in range(3):
            with pytest.raises(LedgerError):
                mine.charge(request(0.1), lambda _: b"x" * 1000)
        (folder / "made").write_text(str(len(made)))

    assert join([fork(work)]) == [0]
    report = ledger.verify()
    assert report.released == int((folder / "made").read_text()) > 5
    assert report.spent.exact[0] * 10 == report.charges


def as_nobody() -> None:
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


@pytest.mark.parametrize("left_open", [False, True])
def test_a_read_only_file_can_be_looked_at_and_not_charged(folder: Path, left_open: bool) -> None:
    ledger = open_ledger(folder, 1)
    ledger.charge(request(0.1), lambda _: b"x", "k")
    if not left_open:
        ledger.close()
    folder.chmod(0o555)
    for path in folder.iterdir():
        path.chmod(0o444)

    def work() -> None:
        as_nobody()
        seen = Ledger(ledger.path, read_only=True)
        assert seen.spent == Budget("0.1")
        assert seen.events[-1].released
        assert seen.verify().rows == 3
        with pytest.raises(LedgerError, match="may only be read"):
            seen.charge(request(0.1), never)
        with pytest.raises(LedgerError, match=REFUSED):
            Ledger(ledger.path).charge(request(0.1), never)

    try:
        assert join([fork(work)]) == [0]
    finally:
        folder.chmod(0o755)
    assert ledger.verify().charges == 1


def test_a_ledger_opened_to_look_writes_nothing(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    ledger.charge(request(0.1), lambda _: b"x", "k")
    ledger.close()
    before = ledger.path.read_bytes()
    with Ledger(ledger.path, read_only=True) as seen:
        seen.verify()
        with pytest.raises(LedgerError, match=REFUSED):
            seen.charge(request(0.1), never, "k")
        with pytest.raises(LedgerError, match=REFUSED):
            seen.set_limit(Budget(2))
    assert ledger.path.read_bytes() == before


def test_a_file_that_was_removed_or_replaced_is_not_used(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    kept = folder / "kept"
    for put in (lambda: None, lambda: shutil.copy(kept, ledger.path)):
        ledger.close()
        ledger.path.rename(kept)
        put()
        with pytest.raises(LedgerError, match="moved, removed or replaced"):
            ledger.charge(request(0.1), never)
        with pytest.raises(LedgerError, match="moved, removed or replaced"):
            _ = ledger.spent
        kept.rename(ledger.path)
    ledger.charge(request(0.1), lambda _: b"")


def test_what_is_no_ledger_is_refused_and_left_alone(folder: Path) -> None:
    text = folder / "text"
    text.write_bytes(b"not a database, and long enough to look like one" * 100)
    other = folder / "other"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    for path, why in ((text, "no database"), (other, "not a ledger of privopt")):
        before = path.read_bytes()[100:]
        with pytest.raises(LedgerError, match=why):
            Ledger(path, Budget(1))
        assert path.read_bytes()[100:] == before


def test_another_format_is_refused(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    with sqlite(ledger).reading() as rows:
        connection = rows.connection
    for other, shown in ((2 << 28 | 77, 2), (1, 0), (0, 0)):
        connection.execute(f"PRAGMA user_version = {other}")
        for read_only in (False, True):
            got = rf"has format version {shown}\..* Needed: version {VERSION}\."
            with pytest.raises(LedgerError, match=got):
                Ledger(ledger.path, read_only=read_only)


def test_a_pipe_is_no_ledger(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for read_only in (False, True):
        with pytest.raises(InputError, match="path is"):
            Ledger(folder / "pipe", Budget(1), read_only=read_only)


def test_a_name_of_odd_bytes_is_a_name(folder: Path) -> None:
    path = folder / os.fsdecode(b"\xff\x80")
    with Ledger(path, Budget(1)) as ledger:
        ledger.charge(request(0.1), lambda _: b"x")
        assert ledger.verify().charges == 1
    assert path.exists()


def test_an_empty_file_is_no_ledger_and_stays_empty(folder: Path) -> None:
    path = folder / "empty"
    path.touch()
    for read_only in (False, True):
        with pytest.raises(LedgerError, match="is empty"):
            Ledger(path, read_only=read_only)
    assert path.read_bytes() == b""
    assert [one.name for one in folder.iterdir()] == ["empty"]
    assert Ledger(path, Budget(1)).limit == Budget(1)
