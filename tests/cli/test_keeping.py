"""Nothing paid for is lost: a release is charged when its place is there, and told where it is."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.processes import shell, started
from tests.cli.running import run

import privopt as po
from privopt.kernel import wire
from privopt.ledger import Event
from privopt.mechanisms.plan import Plan

RELEASE = "release plan.toml --ledger d.ledger --limit 9"


def charges(folder: Path) -> list[Event]:
    with po.Ledger(folder / "d.ledger", read_only=True) as ledger:
        return [event for event in ledger.events if event.kind == "charge"]


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("x" * 300, "File name too long"),
        ("none/r.json", "make the folder first"),
        ("/proc/r.json", "cannot be written"),
    ],
)
def test_where_no_file_can_be_nothing_is_charged(folder: Path, out: str, why: str) -> None:
    assert why in run(RELEASE, "--out", out, code=2).stderr
    assert not (folder / "d.ledger").exists()


def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    (folder / "closed").mkdir(mode=0o500)
    said = run(RELEASE, "--out closed/r.json", code=2).stderr
    assert "check the rights" in said
    assert not (folder / "d.ledger").exists()


@pytest.mark.parametrize("full", ["r.json", "d.ledger"])
def test_a_disk_without_room_is_found_before_the_charge(
    folder: Path, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    def fallocate(file: int, start: int, size: int) -> None:
        held = Path(f"/proc/self/fd/{file}").resolve().name
        if (full == "r.json") == (made.pop() == "r.json"):
            raise OSError(28, f"No space left on device for {held}")

    made = ["d.ledger", "r.json"]
    monkeypatch.setattr("os.posix_fallocate", fallocate)
    said = run(RELEASE, "--out r.json", code=2).stderr
    assert "No space left" in said
    assert "make room" in said
    assert not (folder / "d.ledger").exists()
    assert not (folder / "r.json").exists()


@pytest.mark.long
def test_what_standard_output_does_not_take_is_in_the_file(folder: Path) -> None:
    ended = shell(folder, '"$@" > /dev/full', RELEASE, "--out r.json")
    assert ended.returncode == 2
    assert "It is whole in r.json" in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert po.Release.load(folder / "r.json").ledger is not None


def test_a_file_that_came_meanwhile_stays_and_the_charge_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another command does that writes to the same file at the same time."""
    real = Plan.release

    def slow(self: Plan, *args: Any, **kwargs: Any) -> po.Release:
        made = real(self, *args, **kwargs)
        (folder / "r.json").write_text("another's")
        return made

    monkeypatch.setattr(Plan, "release", slow)
    result = run(RELEASE, "--out r.json", code=2)
    assert "Nothing was charged" not in result.stderr
    assert "Row 2 of the ledger was charged, and keeps the release" in result.stderr
    assert "privopt ledger fetch d.ledger --row 2" in result.stderr
    assert (folder / "r.json").read_text() == "another's"
    assert [event.released for event in charges(folder)] == [True]
    run("ledger fetch d.ledger --row 2 --out fetched.json")
    fetched = po.Release.load(folder / "fetched.json")
    assert fetched.ledger is not None
    assert fetched.ledger.row == 2
    for path in ("r.json", "d.ledger"):  # nor does fetching write over anything
        run("ledger fetch d.ledger --row 2 --out", path, code=2)
    assert shell(folder, '"$@" >&- ledger fetch d.ledger --row 2').returncode == 2
    # Under a key the same command gives it again, free.
    (folder / "r.json").unlink()
    run(RELEASE, "--out r.json --key may", code=2)
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    (folder / "r.json").unlink()
    assert "would be a new file" in run(RELEASE, "--out r.json --key may", code=1).stderr
    assert not (folder / "r.json").exists()
    run(RELEASE, "--out r.json --key may --replay")
    assert len(charges(folder)) == 2
    (folder / "r.json").write_text("another's")
    said = run(RELEASE, "--out r.json --key may", code=2).stderr
    assert "Nothing was charged: row 4 of the ledger was replayed" in said


def test_without_a_ledger_it_is_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Plan.release

    def slow(self: Plan, *args: Any, **kwargs: Any) -> po.Release:
        (folder / "r.json").write_text("another's")
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Plan, "release", slow)
    result = run("release --no-ledger plan.toml --out r.json", code=2)
    assert "printed on standard output" in result.stderr
    assert wire.read(po.Release, result.stdout, "printed").names == ("coal", "gas")


@pytest.mark.long
def test_several_at_once_to_one_file_lose_none_and_say_what_was_charged(folder: Path) -> None:
    run("ledger create d.ledger 9")
    words = "release plan.toml --ledger d.ledger"
    begun = [started(folder, (words, "--out", "r.json", "--key", f"k{k}")) for k in range(3)]
    ended = [(one.communicate(timeout=600), one.returncode) for one in begun]
    codes = sorted(code for _, code in ended)
    assert codes == [0, 2, 2], ended
    said = [err for (_, err), code in ended if code]
    charged = [int(row) for err in said for row in re.findall(r"Row (\d+) of the ledger was", err)]
    unpaid = sum("Nothing was charged" in err for err in said)
    assert len(charged) + unpaid == 2, said
    kept = json.loads((folder / "r.json").read_text())
    assert {event.row for event in charges(folder)} == {kept["ledger"]["row"], *charged}
    assert all(event.released for event in charges(folder))
    assert not list(folder.glob(".privopt*"))


def test_a_dry_run_finds_that_there_is_no_place(folder: Path) -> None:
    before = sorted(folder.iterdir())
    for out in ("none/r.json", "d.csv", "x" * 300):
        run(RELEASE, "--dry-run --out", out, code=2)
    run(RELEASE, "--dry-run --out r.json")
    assert sorted(folder.iterdir()) == before


def test_a_key_with_other_data_writes_no_new_file_of_old_values(folder: Path) -> None:
    """June's data under May's key: said before anything is solved, and nothing is written."""
    counted = "--ledger d.ledger --limit 9 --key 2026-05 --clamp"
    measured = "--mechanism measured --lower 5 --upper 7"
    run("release plan.toml", measured, counted, "--out may.json")
    (folder / "d.csv").write_text("name,value\ndemand,6.9\n")
    before = {path.name for path in folder.iterdir()}
    said = run("release plan.toml", measured, counted, "--out june.json", code=1)
    assert said.stderr.startswith("Replay: the key 2026-05 was charged before")
    assert "another --key" in said.stderr
    assert said.stdout == ""
    assert {path.name for path in folder.iterdir()} == before
    run("release plan.toml", measured, counted, "--out may.json")  # it goes on
    run("release plan.toml", measured, counted, "--out june.json --replay")
    may, june = (po.Release.load(folder / f"{name}.json") for name in ("may", "june"))
    assert may.values.tolist() == june.values.tolist()
    said = run("measure plan.toml", "--lower 5 --upper 7", counted, "--out j.json", code=1)
    assert "was charged before" in said.stderr
