"""Where a ledger may lie: on a local drive, under a name that is no other ledger's journal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.requests import open_ledger

from privopt.errors import InputError, LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.sqlite import place as module
from privopt.ledger.stores.sqlite.place import check_name, is_blank, resolved


def test_a_path_is_the_file_that_it_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "loads.ledger"
    there.touch()
    (tmp_path / "link").symlink_to("loads.ledger")
    (tmp_path / "sub").mkdir()
    for name in ("loads.ledger", "./loads.ledger", "sub/../loads.ledger", "link", there):
        assert resolved(name) == there
    assert resolved("new.ledger") == tmp_path / "new.ledger"
    (tmp_path / "dangling").symlink_to("new.ledger")
    assert resolved("dangling") == tmp_path / "new.ledger"


@pytest.mark.parametrize("wrong", [None, 3, "", "a\0b", "no/folder/x", ".", "pipe", "loop"])
def test_what_can_be_no_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    with pytest.raises(InputError, match="path is"):
        resolved(wrong)


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_the_name_of_what_lies_beside_another_is_refused(tmp_path: Path, end: str) -> None:
    with pytest.raises(LedgerError, match="SQLite keeps beside"):
        check_name(tmp_path / f"loads.ledger{end}")
    for fine in ("loads.ledger", "journal", "a-journal.ledger", "wal"):
        check_name(tmp_path / fine)


def test_nothing_and_an_empty_file_are_blank(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert is_blank(path)
    path.touch()
    assert is_blank(path)
    path.write_bytes(b"\0")
    assert not is_blank(path)


@pytest.mark.parametrize(
    ("line", "network"),
    [
        ("server:/x {} nfs4 rw 0 0", True),
        ("//server/x {} cifs rw 0 0", True),
        ("//server/x {} smb3 rw 0 0", True),
        ("me@host: {} fuse.sshfs rw 0 0", True),
        ("s3fs {} fuse.s3fs rw 0 0", True),
        ("/dev/sdb {} fuseblk rw 0 0", False),
        ("/dev/sdb {} xfs rw 0 0", False),
        ("server:/x {}-other nfs4 rw 0 0", False),
        ("server:/x {} nfs4 rw 0 0\n/dev/sdb {} ext4 rw 0 0", False),
    ],
)
def test_network_drives_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, network: bool
) -> None:
    place = folder / "a b"
    place.mkdir()
    mounts = folder / "mounts"
    escaped = str(place).replace(" ", "\\040")
    mounts.write_text("/dev/sda / ext4 rw 0 0\n" + line.replace("{}", escaped) + "\n")
    monkeypatch.setattr(module, "MOUNTS", mounts)
    if network:
        with pytest.raises(LedgerError, match="network drive .* local drive"):
            Ledger(place / "x", Budget(1))
        assert not list(place.iterdir())
    else:
        assert Ledger(place / "x", Budget(1)).verify().drive.startswith("local drive")


def test_elsewhere_the_report_says_that_the_drive_was_not_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOUNTS", folder / "none")
    assert "not checked" in open_ledger(folder).verify().summary()
