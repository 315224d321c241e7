"""`privopt ledger`: what it shows, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run as command
from tests.cli.running import said
from tests.ledger.requests import fork, join, request

import privopt as po
from privopt.ledger import Budget, Ledger, Request, compose
from privopt.ledger.stores.sqlite import schema

LAPLACE = po.Laplace(epsilon=0.1, alpha=0.1)
NOBODY = 65534


def run(words: str, *more: object, code: int = 0, answer: str | None = None) -> str:
    return said(f"ledger {words}", *more, code=code, answer=answer)


def shown(words: str, *more: object) -> Any:
    return json.loads(run(words, *more, "--json"))


def laplace() -> Request:
    return Request.of(
        LAPLACE, LAPLACE.calibrate(3, 0.1), mechanism="measurement", provenance="PROVEN",
        private=["north", "south"], subject="", query="",
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two released charges (one of them with a key), and one without output."""
    place = tmp_path / "loads.ledger"
    with Ledger(place, Budget(1, "1e-6")) as ledger:
        ledger.charge(laplace(), lambda _: b"x", "may")
        ledger.charge(request("0.25", "1e-7", mechanism="plan"), lambda _: b"y")
        with pytest.raises(ZeroDivisionError):
            ledger.charge(laplace(), lambda _: bytes(1 // 0), "[bold]june")
    return place


def alter(path: Path, *rows: int) -> None:
    """Change rows behind the ledger's back."""
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER never_changed")
    connection.executemany("UPDATE entries SET epsilon = '7' WHERE seq = ?", [[n] for n in rows])
    connection.execute(schema.STATEMENTS[1])  # the trigger again
    connection.commit()
    connection.close()


def test_create_makes_what_was_asked(tmp_path: Path) -> None:
    place = tmp_path / "new"
    run("create", place, "0.1 --delta 1e-7 --dataset 'loads [2026]' --alpha 0.5")
    ledger = Ledger(place)
    assert ledger.limit == Budget("0.1", "1e-7")
    assert (ledger.dataset, ledger.subject.alpha) == ("loads [2026]", 0.5)
    assert "loads [2026]" in run("show", place)


def test_show_tells_amounts_and_events(path: Path) -> None:
    said = run("show", path)
    for part in (
        "Ledger of loads", "2 private entries", "at most 0.1", "0.45", "0.55", "45%", "9e-7", "may",
        "measurement", "PROVEN", "plan", "ASSUMED", "epsilon 0.25, delta 1e-7", "released",
        "without output", "[bold]june", "opened",
    ):  # fmt: skip
        assert part in said, part
    assert said.count("released") == 2
    assert "may" not in run("show", path, "--last 2")
    assert "rows 1 to 3 came before" in run("show", path, "--last 2")


@pytest.mark.parametrize("width", range(66, 130, 7))
def test_a_narrow_screen_cuts_no_word_off(path: Path, width: int) -> None:
    long = Request.of(
        LAPLACE, LAPLACE.calibrate(3, 0.1), mechanism="output perturbation", provenance="ASSUMED",
        private=["north", "south"], subject="", query="",
    )  # fmt: skip
    with Ledger(path) as ledger:
        ledger.charge(long, lambda _: b"", "a key of many words, and one " + "l" * 30 + "ong")
    result = command("ledger show", path, columns=width)
    assert "…" not in result.output
    assert max(map(len, result.output.splitlines()[1:])) <= width
    headings = "row time key mechanism privacy charge output"
    said = result.output.split()  # in parts, if the words do not fit beside each other
    assert set(headings.split()) <= set(said)
    assert "l" * 30 + "ong" in said
    for word in (
        "2 private",
        "ASSUMED",
        "PROVEN",
        "released",
        "without",
        "measurement",
        "9e-7",
        "45%",
    ):
        assert word in result.output.replace("55%", "45%")


def test_a_ledger_that_is_not_there_is_made_by_a_command(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for name in ("nope", "empty"):
        said = run("show", tmp_path / name, code=2)
        assert "privopt ledger create" in said
        assert "Ledger(" not in said


def test_show_as_json_is_exact(path: Path) -> None:
    data = shown("show", path)
    assert set(data) == {"dataset", "alpha", "private", "spent", "limit", "left", "events"}
    assert (data["dataset"], data["alpha"], data["private"]) == ("loads", 0.1, 2)
    assert data["spent"] == {"epsilon": "0.45", "delta": "1e-7"}
    assert data["limit"] == {"epsilon": "1", "delta": "1e-6"}
    assert data["left"] == {"epsilon": "0.55", "delta": "9e-7"}
    assert [event["row"] for event in data["events"]] == [1, 2, 4, 6]
    assert [event["released"] for event in data["events"]] == [False, True, True, False]
    assert data["events"][1]["key"] == "may"
    assert data["events"][1]["request"]["noise"] == "Laplace"


def test_a_limit_below_what_is_spent_leaves_nothing(path: Path) -> None:
    assert "nothing more is released" in run("limit", path, "0.2")
    assert shown("show", path)["left"]["epsilon"] == "0"
    assert "100%" in run("show", path)
    run("limit", path, "0 --delta 0")
    assert "100%" in run("show", path)


def test_an_open_ledger_says_what_is_not_settled(tmp_path: Path) -> None:
    run("create", tmp_path / "new", "1")
    assert "settled by the first release" in run("show", tmp_path / "new")
    assert shown("show", tmp_path / "new")["private"] is None


def test_verify_prints_a_head_that_can_be_given_back(path: Path) -> None:
    said = run("verify", path)
    assert "6 rows, chain whole" in said
    head = said.split("--head ")[1].strip()
    assert shown("verify", path)["head"] == head
    with Ledger(path) as ledger:
        ledger.charge(laplace(), lambda _: b"")
    assert "up to row 6" in run("verify", path, "--head", head)
    data = shown("verify", path)
    assert (data["rows"], data["charges"], data["released"], data["unfinished"]) == (8, 4, 3, 1)
    # Another chain has another head.
    other = "0" * 64
    assert "was rewritten" in run("verify", path, "--head", f"6:{other}", code=2)
    assert "once had 99 rows" in run("verify", path, "--head", f"99:{other}", code=2)


def test_the_first_bad_row_is_named(path: Path) -> None:
    alter(path, 4, 6)
    for words in ("verify", "verify --json"):
        assert "row 4 " in run(words, path, code=2)
    assert "row 6 " in run("show", path, code=2)  # it reads from the end
    run("limit", path, "2 --yes", code=2)
    run("show", path, "--compose 1e-6", code=2)


def test_the_limit_is_shown_lowered_and_raised_on_record(path: Path) -> None:
    assert "limit epsilon 1, delta 1e-6; spent epsilon 0.45, delta 1e-7" in run("limit", path)
    assert Ledger(path).verify().rows == 6
    run("limit", path, "0.5")  # lowering asks nothing; delta stays
    assert Ledger(path).limit == Budget("0.5", "1e-6")
    said = run("limit", path, "0.6", answer="n\n", code=1)
    assert "weakens the promise" in said
    assert Ledger(path).limit == Budget("0.5", "1e-6")
    run("limit", path, "0.6", code=1)  # nobody there to answer
    assert "Raise" not in command("ledger limit", path, "3 --json", answer="n\n", code=1).stdout
    assert shown("limit", path, "0.6 --yes")["was"]["epsilon"] == "0.5"
    found = shown("limit", path)
    assert (found["limit"]["epsilon"], found["spent"]["epsilon"]) == ("0.6", "0.45")
    run("limit", path, "--delta 1e-5 --yes")  # epsilon stays
    assert Ledger(path).limit == Budget("0.6", "1e-5")
    assert "weakens" in run("limit", path, "0.1 --delta 1e-4", answer="n\n", code=1)
    assert [event.kind for event in Ledger(path).events[-3:]] == ["limit"] * 3


def test_what_only_looks_changes_nothing_and_needs_no_rights(path: Path) -> None:
    # Not in pytest's folders: those are for their owner, and each session that begins says so.
    folder = Path(tempfile.mkdtemp())
    path = Path(shutil.copy(path, folder))
    before = path.read_bytes()
    run("show", path, "--compose 1e-6")  # loads what nobody may not load
    folder.chmod(0o555)
    path.chmod(0o444)

    def work() -> None:
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        for verb in ("show", "verify", "limit"):
            run(verb, path)
        run("show", path, "--compose 1e-6")
        assert "Nothing was released" in run("limit", path, "0.5", code=2)
        run("create", folder / "new", "1", code=2)

    try:
        assert join([fork(work)]) == [0]
        assert path.read_bytes() == before
        assert os.listdir(folder) == [path.name]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_compose_is_the_report_of_the_library(path: Path) -> None:
    data = shown("show", path, "--compose 1e-5")["together"]
    assert data == compose(Ledger(path), 1e-5).to_dict()
    assert data["charges"] == {"Laplace": 2, "unknown noise (as charged)": 1}
    assert "together" not in shown("show", path)
    said = run("show", path, "--compose 1e-5")
    for part in ("All charges together", "loss distributions", "It assumes that", "1 of 3 charges"):
        assert part in said
    run("show", path, "--compose -1", code=2)
    assert Ledger(path).verify().rows == 6


def test_a_stored_release_is_fetched_for_nothing(path: Path, tmp_path: Path) -> None:
    before, out = path.read_bytes(), tmp_path / "may.json"
    assert run("fetch", path, "--row 2") == run("fetch", path, "--key may") == "x\n"
    assert "Nothing was charged" in run("fetch", path, "--key may --out", out)
    assert out.read_bytes() == b"x"
    assert "is there already" in run("fetch", path, "--row 4 --out", out, code=2)
    assert out.read_bytes() == b"x"
    assert "never stored" in run("fetch", path, "--row 6", code=2)
    run("fetch", path, "--row 4 --out", out, "--overwrite")
    assert out.read_bytes() == b"y"
    run("fetch", path, "--row 2 --out", path, "--overwrite", code=2)  # never a ledger
    assert path.read_bytes() == before


def test_a_redacted_charge_is_shown_as_that(path: Path) -> None:
    run("redact", path, 4, answer="n\n", code=1)
    assert "cannot be fetched" in run("redact", path, 4, answer="y\n")
    assert "redacted" in run("show", path)
    event = shown("show", path)["events"][2]
    assert (event["redacted"], event["request"], event["released"]) == (True, None, True)
    assert event["charge"] == {"epsilon": "0.25", "delta": "1e-7"}
    assert shown("verify", path)["redacted"] == 2
    assert "2 rows are redacted" in run("verify", path)
    assert "was redacted" in run("fetch", path, "--row 4", code=2)
    assert shown("show", path)["spent"] == {"epsilon": "0.45", "delta": "1e-7"}
