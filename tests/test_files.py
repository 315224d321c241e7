"""Files are written whole, at a place held before; nothing that is there is lost."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from privopt.files import is_database, reserved, write_whole


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_name_that_another_takes_meanwhile_is_left_to_him(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with reserved(path) as place:
        path.write_bytes(b"his")
        with pytest.raises(FileExistsError):
            place.write(b"mine")
    assert path.read_bytes() == b"his"
    assert os.listdir(tmp_path) == ["r.json"]


def test_of_many_writers_one_gets_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All look before any writes: the name itself must decide."""
    path, together, ended = tmp_path / "r.json", threading.Barrier(8), list[str]()
    link = os.link

    def linked(part: Path, target: Path) -> None:
        together.wait()
        link(part, target)

    monkeypatch.setattr("os.link", linked)

    def write(name: str) -> None:
        with reserved(path) as place:
            try:
                place.write(name.encode())
                ended.append(name)
            except FileExistsError:
                pass

    threads = [threading.Thread(target=write, args=(f"writer {k}",)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(ended) == 1
    assert path.read_text() == ended[0]
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_disk_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr("os.link", refused)
    with reserved(tmp_path / "a") as place:
        place.write(b"1")
    with reserved(tmp_path / "a", may_exist=True) as place, pytest.raises(FileExistsError):
        place.write(b"2")
    assert (tmp_path / "a").read_bytes() == b"1"


def test_the_longest_name_will_do_and_a_longer_one_is_refused_at_once(tmp_path: Path) -> None:
    write_whole(tmp_path / ("x" * 255), b"whole")
    with pytest.raises(OSError, match="too long"), reserved(tmp_path / ("x" * 256)):
        pass
    assert len(os.listdir(tmp_path)) == 1


def test_what_is_no_ordinary_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "aim").write_bytes(b"aim")
    (tmp_path / "link").symlink_to("aim")
    (tmp_path / "dangling").symlink_to("nowhere")
    sqlite3.connect(tmp_path / "l.ledger").execute("CREATE TABLE t (x)").connection.close()
    assert is_database(tmp_path / "l.ledger")
    before = {path.name: path.lstat().st_mode for path in tmp_path.iterdir()}
    for name in (*before, "..", "a\0b"):
        with pytest.raises(OSError, match="ordinary|database|have this name"):
            write_whole(tmp_path / name if name != "aim" else tmp_path / "link", b"new")
    assert {path.name: path.lstat().st_mode for path in tmp_path.iterdir()} == before
    assert (tmp_path / "aim").read_bytes() == b"aim"
    assert is_database(tmp_path / "l.ledger")


def test_looking_at_a_database_drops_no_lock_of_this_process(tmp_path: Path) -> None:
    """POSIX drops every lock of a process on a file when it closes any descriptor of it."""
    path = tmp_path / "l.ledger"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OSError, match="database"):
        write_whole(path, b"x")
    held = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):  # and it is held once
        assert is_database(path)
    assert not held or len(os.listdir("/proc/self/fd")) == held
    code = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('CREATE TABLE u (x)')"
    )
    other = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert "database is locked" in other.stderr
    holder.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are listed in /proc")
def test_a_forked_child_holds_no_database_that_was_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "l.ledger"
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t (x)")
    assert is_database(path)
    child = os.fork()
    if child == 0:
        held = [f"/proc/self/fd/{number}" for number in range(3, 256)]
        os._exit(str(path) in [os.readlink(one) for one in held if os.path.lexists(one)])
    assert os.waitpid(child, 0)[1] == 0


def test_rights_are_kept_and_private_files_are_the_owners(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "public", b"1")
        write_whole(tmp_path / "private", b"1", private=True)
        assert rights(tmp_path / "public") == 0o644
        assert rights(tmp_path / "private") == 0o600
        for mode in (0o600, 0o640, 0o664):
            (tmp_path / "public").chmod(mode)
            write_whole(tmp_path / "public", b"2")
            assert rights(tmp_path / "public") == mode
        (tmp_path / "private").chmod(0o644)
        write_whole(tmp_path / "private", b"2", private=True)
        assert rights(tmp_path / "private") == 0o640  # the group's by the owner's choice
    finally:
        os.umask(before)


@pytest.mark.parametrize("there", [True, False])
def test_a_ledger_that_comes_while_the_disk_is_waited_for_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    path, sync = tmp_path / "r.json", os.fsync
    if there:
        path.write_bytes(b"old")

    def late(file: int) -> None:
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as made:
            made.execute("CREATE TABLE t (x)")
        sync(file)

    monkeypatch.setattr("os.fsync", late)
    with pytest.raises(OSError, match="database"):
        write_whole(path, b"new")
    assert is_database(path)
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_part_is_new_and_no_link_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Someone who guesses the name of the part gains nothing."""
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / "aim").write_bytes(b"aim")
    (tmp_path / ".privopt-guessed.part").symlink_to("aim")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "aim").read_bytes() == b"aim"
    assert not (tmp_path / "a").exists()


def test_file_and_folder_are_on_the_disk_before_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, Path.replace

    def synced(file: int) -> None:
        kind = os.fstat(file).st_mode
        done.append("folder" if stat.S_ISDIR(kind) else "file")
        sync(file)

    def replaced(part: Path, target: Path) -> Path:
        done.append("name")
        return replace(part, target)

    monkeypatch.setattr("os.fsync", synced)
    monkeypatch.setattr("pathlib.Path.replace", replaced)
    write_whole(tmp_path / "a", b"content")
    assert done == ["file", "name", "folder"]


def test_room_that_is_not_there_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with reserved(tmp_path / "a") as place:
        with pytest.raises(OSError, match=r"space|large"):
            place.make_room(1 << 60)
        place.make_room(1000)
        place.write(b"short")
    assert (tmp_path / "a").read_bytes() == b"short"
