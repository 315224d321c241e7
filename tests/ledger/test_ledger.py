"""Charges, keys, limits and what a ledger is about."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest
from tests.ledger.requests import BOTH, FILE, never, open_ledger, place, request, sqlite

from privopt.errors import (
    BudgetExceededError,
    BurntError,
    InputError,
    LedgerError,
)
from privopt.ledger import Budget, Ledger
from privopt.ledger import ledger as module
from privopt.ledger.stores.sqlite.store import SqliteStore

IN_STORES = BOTH


def test_ten_releases_of_a_tenth_fit_and_an_eleventh_of_any_size_does_not(folder: Path) -> None:
    ledger = open_ledger(folder, 1.0)
    for number in range(10):
        assert ledger.charge(request(0.1), lambda _, n=number: b"%d" % n) == b"%d" % number
    assert ledger.spent == ledger.limit == Budget(1)
    assert ledger.left == Budget(0)
    for small in (0.0001, "1e-30"):
        with pytest.raises(BudgetExceededError, match="is left of .* Nothing was charged"):
            ledger.charge(request(small), never)
    assert ledger.verify().charges == 10


def test_the_charge_is_written_before_the_data_is_read(folder: Path) -> None:
    ledger, other = open_ledger(folder), Ledger(place(folder), read_only=True)

    def make(_: object) -> bytes:
        assert other.spent == Budget("0.25")
        assert not other.events[-1].released
        return b"x"

    ledger.charge(request(0.25), make)
    assert other.events[-1].released


def test_the_same_key_replays_for_nothing(folder: Path) -> None:
    ledger = open_ledger(folder)
    assert ledger.charge(request(1), lambda _: b"\x00first", key="may") == b"\x00first"
    assert ledger.charge(request(1), never, key="may") == b"\x00first"
    assert Ledger(ledger.place).charge(request(1), never, key="may") == b"\x00first"
    assert ledger.spent == Budget(1)


def test_without_a_key_each_call_is_a_release(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"1")
    assert ledger.charge(request(0.1), lambda _: b"2") == b"2"
    assert ledger.spent == Budget("0.2")


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_a_charge_whose_making_stops_is_burnt(folder: Path, stop: type[BaseException]) -> None:
    ledger = open_ledger(folder)

    def make(_: object) -> bytes:
        raise stop

    with pytest.raises(stop) as caught:
        ledger.charge(request(0.1), make, key="may")
    assert any("the charge stays" in note for note in caught.value.__notes__)
    assert ledger.spent == Budget("0.1")
    for _ in range(2):
        with pytest.raises(BurntError, match="never stored") as burnt:
            ledger.charge(request(0.1), never, key="may")
        assert burnt.value.row == 2
    assert ledger.verify().unfinished == 1
    assert ledger.charge(request(0.1), lambda _: b"x", key="may, again") == b"x"


def test_an_output_that_is_no_bytes_is_burnt(folder: Path) -> None:
    ledger = open_ledger(folder)
    with pytest.raises(BurntError, match="no bytes"):
        ledger.charge(request(0.1), lambda _: "text", key="may")
    assert ledger.spent == Budget("0.1")


def test_the_limit_changes_on_record(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    ledger.charge(request(1), lambda _: b"")
    ledger.set_limit(Budget(2, 1e-6))
    ledger.charge(request(1, 1e-6), lambda _: b"")
    ledger.set_limit(Budget("0.5"))
    with pytest.raises(BudgetExceededError):
        ledger.charge(request("1e-30"), never)
    assert [event.kind for event in ledger.events] == [
        "opened",
        "charge",
        "limit",
        "charge",
        "limit",
    ]
    assert ledger.limit == Budget("0.5")
    assert ledger.verify().rows == 7


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", 3, b"x", "\ud800"])
def test_keys_are_names(folder: Path, key: object) -> None:
    with pytest.raises(InputError, match="key is"):
        open_ledger(folder).charge(request(), never, key=key)


def test_only_requests_are_charged(folder: Path) -> None:
    with pytest.raises(InputError, match="no request"):
        open_ledger(folder).charge(0.1, never)
    with pytest.raises(InputError, match="limit is"):
        open_ledger(folder).set_limit(3.0)


def test_a_copy_is_the_same_file(folder: Path) -> None:
    ledger = open_ledger(folder)
    twin = pickle.loads(pickle.dumps(ledger))  # noqa: S301
    twin.charge(request(0.1), lambda _: b"")
    assert ledger.spent == Budget("0.1")
    with ledger:
        assert "spent epsilon 0.1" in repr(ledger)


@FILE
def test_a_path_that_looks_like_a_uri_is_a_path(folder: Path) -> None:
    ledger = Ledger(folder / "a?mode=memory#%20 é.db", Budget(1))
    ledger.charge(request(0.1), lambda _: b"")
    ledger.close()
    assert [path.name for path in folder.iterdir()] == ["a?mode=memory#%20 é.db"]


def test_threads_share_a_ledger(folder: Path) -> None:
    ledger = open_ledger(folder, 1)
    refused: list[object] = []

    def work() -> None:
        for _ in range(5):
            try:
                ledger.charge(request(0.1), lambda _: b"x", key=None)
            except BudgetExceededError as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 10
    assert ledger.verify().released == 10


def test_a_release_inside_a_release_under_its_own_key_ends(folder: Path) -> None:
    ledger = open_ledger(folder, timeout=0.1)
    with pytest.raises(LedgerError, match="under this key"):
        ledger.charge(request(0.1), lambda _: ledger.charge(request(0.1), never, "k"), "k")


@FILE
def test_no_file_is_left_beside_a_closed_ledger(folder: Path) -> None:
    ledger = open_ledger(folder)
    ledger.charge(request(0.1), lambda _: b"", key="may")
    ledger.close()
    assert [path.name for path in folder.iterdir()] == ["loads.ledger"]


@FILE
def test_nothing_about_the_making_is_stored_but_its_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rows whatever the making does, except the output and what hashes it."""
    monkeypatch.setattr(module, "now", lambda: "2026-01-01T00:00:00Z")
    monkeypatch.setattr(SqliteStore, "home", b"h" * 16)
    stored: list[list[tuple[object, ...]]] = []
    for name, output in (("a", b"1"), ("b", b"2")):
        place = folder / name
        place.mkdir()
        ledger = open_ledger(place, dataset="d")
        ledger.charge(request(0.1), lambda _, output=output: output, key="k")
        with sqlite(ledger).reading() as rows:
            names = [row[1] for row in rows.connection.execute("PRAGMA table_info(entries)")]
            found = rows.connection.execute("SELECT * FROM entries").fetchall()
        assert found[2][names.index("time")] is None  # an output has no time
        stored.append(found)
    assert stored[0][:2] == stored[1][:2]
    pairs = zip(names, stored[0][2], stored[1][2], strict=True)
    assert {name for name, a, b in pairs if a != b} == {"output", "output_digest", "digest"}
