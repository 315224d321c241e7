"""Anchors, files and heads as text: older copies, copies charged beside, races and kills."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ledger.damage import as_nobody, charge
from tests.ledger.forging import forge
from tests.ledger.requests import fork, join, never, open_ledger, request

from privopt.errors import BudgetExceededError, InputError, LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger import anchor as module
from privopt.ledger.anchor import Anchor, Mark


@pytest.fixture
def anchor(folder: Path) -> Path:
    return folder / "elsewhere.anchor"


@pytest.fixture
def path(folder: Path, anchor: Path) -> Path:
    """A ledger of three rows with an anchor."""
    with open_ledger(folder, 5, anchor=anchor) as made:
        charge(made, "first")
        return made.path


def head_of(path: Path) -> str:
    row, digest = Ledger(path, read_only=True).head
    return f"{row}:{digest}\n"


def test_it_begins_with_a_new_ledger_and_follows_every_write(folder: Path, anchor: Path) -> None:
    with open_ledger(folder, 1, anchor=anchor) as ledger:
        assert anchor.read_text() == head_of(ledger.path)
        for write in (
            lambda: charge(ledger),
            lambda: ledger.set_limit(Budget(2)),
            lambda: ledger.set_quota(Budget(2), releaser="x"),
            lambda: ledger.redact(2),
        ):
            before = anchor.read_text()
            write()
            assert before != anchor.read_text() == head_of(ledger.path)
        with pytest.raises(BudgetExceededError):
            ledger.charge(request("3"), never)
        assert anchor.read_text() == head_of(ledger.path)
    assert sorted(one.name for one in folder.iterdir()) == ["elsewhere.anchor", "loads.ledger"]
    assert anchor.stat().st_mode & 0o777 == 0o600
    assert anchor.read_text().count(":") == 1  # a row and a digest, nothing of keys or outputs


def test_a_ledger_that_is_behind_its_anchor_is_refused(path: Path, anchor: Path) -> None:
    older = path.read_bytes()
    with Ledger(path, anchor=anchor) as ledger:
        charge(ledger)
        for read_only in (False, True):
            Ledger(path, anchor=anchor, read_only=read_only).close()
    path.write_bytes(older)  # restored in place, while another object has it open
    with pytest.raises(LedgerError, match="ends at row 3, and its anchor .* at row 5"):
        ledger.charge(request("0.1"), never)
    for read_only in (False, True):
        with pytest.raises(LedgerError, match="older copy"):
            Ledger(path, anchor=anchor, read_only=read_only)
    assert path.read_bytes() == older
    assert Ledger(path).spent == Budget("0.1")  # who gives no anchor is not warned


def test_of_a_ledger_and_its_copy_only_one_can_be_charged(path: Path, anchor: Path) -> None:
    copied = path.with_name("copy.ledger")
    shutil.copy(path, copied)
    original, copy = Ledger(path, anchor=anchor), Ledger(copied, anchor=anchor)
    charge(copy)
    before = path.read_bytes()
    for attempt in (
        lambda: original.charge(request("0.1"), never),
        lambda: original.charge(request("0.1"), never, "first"),
        lambda: original.set_limit(Budget(9)),
        lambda: Ledger(path, anchor=anchor),
    ):
        with pytest.raises(LedgerError, match="older copy"):
            attempt()
    assert path.read_bytes() == before
    with Ledger(path) as careless:  # charged beside its copy, without the anchor
        for _ in range(4):
            charge(careless)
    with pytest.raises(LedgerError, match="charged beside its original"):
        Ledger(path, anchor=anchor)
    charge(copy)
    assert anchor.read_text() == head_of(copied)


def test_moves_are_followed_and_hard_links_refused(path: Path, anchor: Path) -> None:
    moved = path.rename(path.with_name("moved.ledger"))
    with Ledger(moved, anchor=anchor) as ledger:
        charge(ledger)
        assert [event.kind for event in ledger.events] == ["opened", "charge", "moved", "charge"]
    os.link(moved, path)
    for name in (moved, path):
        with pytest.raises(LedgerError, match="has 2 names"):
            Ledger(name, anchor=anchor)
    path.unlink()
    assert Ledger(moved, anchor=anchor).verify().charges == 2


def test_a_ledger_that_is_gone_is_not_begun_anew(path: Path, anchor: Path) -> None:
    path.unlink()
    with pytest.raises(LedgerError, match="knows one of 3 rows"):
        Ledger(path, Budget(1), anchor=anchor)
    assert not path.exists()
    Ledger(path, Budget(1))
    with pytest.raises(LedgerError, match="older copy"):
        Ledger(path, anchor=anchor)


def test_an_anchor_that_is_missing_is_not_made_up(path: Path, anchor: Path) -> None:
    ledger = Ledger(path, anchor=anchor)
    anchor.unlink()
    with pytest.raises(LedgerError, match="there is no anchor"):
        ledger.charge(request("0.1"), never)
    with pytest.raises(LedgerError, match="there is no anchor"):
        Ledger(path, anchor=anchor)
    assert not anchor.exists()
    assert str(ledger.anchor_at(anchor)) + "\n" == anchor.read_text() == head_of(path)
    charge(Ledger(path, anchor=anchor))


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"3", b"3:", b"0:" + b"0" * 64, b"\xff" * 70, b"x" * 10_000,
                b"3:" + b"G" * 64, b"9" * 30 + b":" + b"0" * 64]
)  # fmt: skip
def test_garbage_is_refused(path: Path, anchor: Path, content: bytes) -> None:
    ledger = Ledger(path, anchor=anchor)
    anchor.write_bytes(content)
    for attempt in (
        lambda: ledger.charge(request("0.1"), never),
        lambda: Ledger(path, anchor=anchor),
        lambda: Ledger(path, anchor=anchor, read_only=True),
        lambda: ledger.anchor_at(anchor),
    ):
        with pytest.raises(LedgerError, match="it holds something else"):
            attempt()
    assert anchor.read_bytes() == content


def test_an_anchor_of_another_ledger_is_refused_and_stays(path: Path, anchor: Path) -> None:
    other = path.with_name("other.ledger")
    with Ledger(other, Budget(1)) as ledger:
        for _ in range(3):
            charge(ledger)
        with pytest.raises(LedgerError, match="another ledger"):
            ledger.anchor_at(anchor)
    with pytest.raises(LedgerError, match="another ledger"):
        Ledger(other, anchor=anchor)
    assert anchor.read_text() == head_of(path)


def test_what_is_no_place_is_refused(path: Path, folder: Path) -> None:
    for place in (folder, folder / "no" / "anchor", 3, "a\0b"):
        with pytest.raises(InputError, match="anchor is"):
            Ledger(path, anchor=place)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"anchor is 'postgresql://\.\.\.'") as refused:
        Ledger(path, anchor="PostgreSQL://user:secret@host/db")
    assert "secret" not in str(refused.value)
    with pytest.raises(LedgerError, match="it holds something else"):
        Ledger(path, anchor=path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger(path, anchor=folder / "pipe")


def test_an_anchor_that_cannot_be_written_stops_the_release(
    path: Path, anchor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(path, anchor=anchor)
    before = anchor.read_text()

    def full(*given: Any, **named: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_whole", full)
        with pytest.raises(LedgerError, match="could not be moved to row 4.*No space left"):
            ledger.charge(request("0.1"), never, "second")
    assert anchor.read_text() == before
    assert ledger.spent == Budget("0.2")  # charged and burnt: ahead of the anchor, never behind
    charge(ledger)
    assert anchor.read_text() == head_of(path)

    def once(*given: Any, **named: Any) -> None:
        patched.setattr(module, "write_whole", full)
        write(*given, **named)

    write = module.write_whole
    with monkeypatch.context() as patched:
        patched.setattr(module, "write_whole", once)
        with pytest.raises(LedgerError, match="the ledger keeps its output.*fetch --row 7"):
            charge(ledger, "third")
    assert ledger.fetch(row=7) == b"x"
    assert ledger.charge(request("0.1"), never, "third") == b"x"
    assert anchor.read_text() == head_of(path)


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user")
def test_a_folder_that_may_not_be_written_to_is_our_error(path: Path, anchor: Path) -> None:
    path.chmod(0o666)
    for item in (anchor, path.parent):
        item.chmod(0o755)

    def work() -> None:
        with pytest.raises(LedgerError, match="no lock could be made beside the anchor"):
            Ledger(path, anchor=anchor).charge(request("0.1"), never)
        anchored = Ledger(path, anchor=anchor, read_only=True)
        assert anchored.spent == Budget("0.1")

    assert as_nobody(work) == 0
    anchor.chmod(0o600)

    def shut() -> None:
        with pytest.raises(LedgerError, match="cannot be read: Permission denied"):
            Ledger(path, anchor=anchor, read_only=True)

    assert as_nobody(shut) == 0


def test_rights_of_the_file_stay(path: Path, anchor: Path) -> None:
    anchor.chmod(0o640)
    charge(Ledger(path, anchor=anchor))
    assert anchor.stat().st_mode & 0o777 == 0o640


def test_it_goes_along_to_other_processes(path: Path, anchor: Path) -> None:
    carried = pickle.loads(pickle.dumps(Ledger(path, anchor=anchor)))  # noqa: S301
    charge(carried)
    assert anchor.read_text() == head_of(path)


def test_of_processes_that_charge_a_ledger_and_its_copy_only_one_kind_goes_on(
    path: Path, anchor: Path
) -> None:
    copied = path.with_name("copy.ledger")
    shutil.copy(path, copied)

    def work(mine: Path) -> None:
        for _ in range(5):
            try:
                charge(Ledger(mine, anchor=anchor))
            except LedgerError as error:
                assert "older copy" in str(error) or "beside its original" in str(error)  # noqa: PT017

    assert join([fork(lambda p=mine: work(p)) for mine in (path, copied) * 2]) == [0] * 4
    reports = [Ledger(one, read_only=True).verify() for one in (path, copied)]
    assert sorted(report.released for report in reports) == [1, 1 + 2 * 5]


def test_threads_wait_for_each_other(path: Path, anchor: Path) -> None:
    ledger, other = Ledger(path, anchor=anchor), Ledger(path, anchor=anchor)
    threads = [
        threading.Thread(target=lambda one=one: [charge(one) for _ in range(2)])
        for one in (ledger, other) * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.verify().released == 9
    assert anchor.read_text() == head_of(path)
    with Anchor(anchor).hold(1), pytest.raises(LedgerError, match="locked for too long"):
        Ledger(path, anchor=anchor, timeout=0.05).charge(request("0.1"), never)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_killed_around_the_anchor_leaves_the_ledger_ahead_at_most(
    path: Path, anchor: Path, when: str
) -> None:
    def work() -> None:
        write = module.write_whole

        def kill(*given: Any, **named: Any) -> None:
            if when == "after":
                write(*given, **named)
            os.kill(os.getpid(), signal.SIGKILL)

        module.write_whole = kill
        Ledger(path, anchor=anchor).charge(request("0.1"), never, "cut off")

    assert join([fork(work)]) == [-signal.SIGKILL]
    row = int(anchor.read_text().partition(":")[0])
    assert row == (3 if when == "before" else 4)
    with Ledger(path, anchor=anchor) as ledger:
        assert ledger.head[0] == 4
        charge(ledger)
    assert anchor.read_text() == head_of(path)


def charged_twice(folder: Path) -> Path:
    with open_ledger(folder, 1) as made:
        charge(made)
        charge(made)
        return made.path


def noted(path: Path) -> str:
    return "{}:{}".format(*Ledger(path, read_only=True).head)


def test_a_ledger_that_went_on_from_a_noted_head_is_used_and_an_older_one_refused(
    folder: Path,
) -> None:
    path = charged_twice(folder)
    older, first = path.read_bytes(), noted(path)
    with Ledger(path, anchor=first) as ledger:
        charge(ledger)
        second = noted(path)
        assert Ledger(path, anchor=f" {second}\n", read_only=True).spent == Budget("0.3")
    assert Ledger(path, anchor=first).spent == Budget("0.3")
    path.write_bytes(older)
    with pytest.raises(LedgerError, match="ends at row 5, and its anchor 7:"):
        Ledger(path, anchor=second)
    with Ledger(path, anchor=first) as ledger:
        ledger.charge(request("0.2"), lambda _: b"x")
        with pytest.raises(LedgerError, match="charged beside its original"):
            Ledger(path, anchor=second)


def test_a_rewritten_ledger_is_refused_at_each_write(folder: Path) -> None:
    path = charged_twice(folder)
    ledger = Ledger(path, anchor=noted(path))
    forge(path, 1, time="2000-01-01T00:00:00Z")
    with pytest.raises(LedgerError, match="was rewritten"):
        ledger.charge(request("0.1"), never)
    assert Ledger(path).verify().charges == 2  # the chain itself is right


DIGEST = "0123456789abcdef" * 4


@given(row=st.integers(1, 10**18 - 1), digest=st.binary(min_size=32, max_size=32))
def test_what_is_written_is_read_again(row: int, digest: bytes) -> None:
    mark = Mark(row, digest.hex())
    assert Mark.read(str(mark)) == Mark.read(f"  {mark}\n") == mark == (row, digest.hex())


@pytest.mark.parametrize(
    "text",
    ["", ":", "3", f"0:{DIGEST}", f"03:{DIGEST}", f"-3:{DIGEST}", f"3:{DIGEST[1:]}", f"3:{DIGEST}0",
     f"3:{DIGEST.upper()}", f"3 :{DIGEST}", f"3:{DIGEST}\n4:{DIGEST}", f"{'9' * 19}:{DIGEST}",
     f"\u0663:{DIGEST}"],
)  # fmt: skip
def test_anything_else_is_no_mark(text: str) -> None:
    assert Mark.read(text) is None
