"""`privopt ledger quota`, `anchor` and `copy`, and how a job names releaser and anchor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run as command
from tests.cli.running import said, verb
from tests.ledger.requests import request

from privopt.cli import ledger
from privopt.ledger import Budget, Ledger


def run(words: str, *more: object, code: int = 0, answer: str | None = None) -> str:
    return said(f"ledger {words}", *more, code=code, answer=answer)


def shown(words: str, *more: object) -> Any:
    return json.loads(run(words, *more, "--json"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "loads.ledger"
    with Ledger(place, Budget(1), releaser="[i]anna") as made:
        made.charge(request("0.1"), lambda _: b"x", "may")
    return place


def test_quotas_are_set_shown_and_raised_when_confirmed(path: Path) -> None:
    assert "no quotas" in run("quota", path)
    run("quota", path, "0.5 --releaser anna")
    said = run("quota", path, "0.3 --delta 1e-6 --releaser [i]anna")
    assert "releaser [i]anna: quota epsilon 0.3, delta 1e-6; spent epsilon 0.1" in said
    run("quota", path, "0.4 --releaser anna")  # lowered: not asked
    run("quota", path, "0.9 --releaser anna", answer="n\n", code=1)
    assert shown("quota", path)["quotas"][1]["limit"] == {"epsilon": "0.4", "delta": "0"}
    run("quota", path, "0.9 --releaser anna", answer="y\n")
    run("quota", path, "1.0 --releaser anna --yes")
    run("quota", path, "--delta 1e-7 --releaser anna --yes")  # epsilon stays
    found = shown("quota", path)
    assert (found["limit"]["epsilon"], found["spent"]["epsilon"]) == ("1", "0.1")
    assert found["quotas"][0] == {
        "releaser": "[i]anna",
        "limit": {"epsilon": "0.3", "delta": "1e-6"},
        "spent": {"epsilon": "0.1", "delta": "0"},
        "left": {"epsilon": "0.2", "delta": "1e-6"},
    }
    assert found["quotas"][1]["limit"] == {"epsilon": "1", "delta": "1e-7"}
    assert found["quotas"][1]["left"]["epsilon"] == "1"


def test_show_says_who(path: Path) -> None:
    run("quota", path, "0.5 --releaser [i]anna")
    said = run("show", path)
    for part in ("[i]anna", "epsilon 0.1 of epsilon 0.5; left epsilon 0.4", "quota epsilon 0.5"):
        assert part in said, part
    data = shown("show", path)
    assert data["quotas"][0]["left"] == {"epsilon": "0.4", "delta": "0"}
    named = [(event["releaser"], event["quota"]) for event in data["events"]]
    assert named == [
        (None, None),
        ("[i]anna", None),
        ("[i]anna", {"epsilon": "0.5", "delta": "0"}),
    ]


def test_show_pages_long_ledgers_as_it_reads_them(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(path) as made:
        for _ in range(6):
            made.charge(request("0.01"), lambda _: b"x")
        events = [event.to_dict() for event in made.events]
    whole = run("show", path)
    monkeypatch.setattr(ledger, "PAGE", 3)
    paged = run("show", path)
    assert paged.count("mechanism") == 3 > whole.count("mechanism") == 1
    rows = [
        line.split()[0]
        for line in paged.splitlines()
        if line.split()[:1] and line.split()[0].isdigit()
    ]
    assert rows == ["1", "2", "4", "6", "8", "10", "12", "14"]
    assert shown("show", path)["events"] == events
    assert [event["row"] for event in shown("show", path, "--last 4")["events"]] == [8, 10, 12, 14]


def test_an_anchor_is_printed_kept_and_checked(path: Path, tmp_path: Path) -> None:
    head = run("anchor", path).strip()
    assert head == "{}:{}".format(*Ledger(path, read_only=True).head)
    assert run("verify", path, "--anchor", head)
    kept, older = tmp_path / "kept.anchor", path.read_bytes()
    run("anchor", path, kept)
    assert kept.read_text().strip() == head
    run("limit", path, "2 --yes --anchor", kept)
    run("quota", path, "2 --releaser anna --anchor", kept)
    run("redact", path, "2 --yes --anchor", kept)
    assert kept.read_text().strip() == run("anchor", path).strip() != head
    assert shown("anchor", path, kept)["head"] == kept.read_text().strip()
    path.write_bytes(older)
    for words in ("show", "verify", "limit 3 --yes", "quota"):
        said = run(*verb(words, path), "--anchor", kept, code=2)
        assert "it is an older copy" in said
        assert str(path.resolve()) not in said or str(path) in said
    assert "older copy" in run("anchor", path, kept, code=2)
    new = tmp_path / "new.ledger"
    run("create", new, "1 --anchor", tmp_path / "new.anchor")
    assert (tmp_path / "new.anchor").read_text().strip() == run("anchor", new).strip()


def test_a_copy_is_made_and_the_old_ledger_closed(path: Path, tmp_path: Path) -> None:
    said = run("copy", path, tmp_path / "second.ledger")
    assert "Charge only one of the two" in said
    assert run("anchor", path).strip() in said
    assert "holds something already" in run("copy", path, tmp_path / "second.ledger", code=2)
    data = shown("copy", path, tmp_path / "third.ledger", "--close")
    assert (data["closed"], data["spent"]["epsilon"]) == (True, "0.1")
    assert "it goes on at" in run("limit", path, "2 --yes", code=2)
    assert "closed" in run("show", path)
    with Ledger(tmp_path / "third.ledger") as there:
        assert there.head[0] == int(data["head"].partition(":")[0]) == 5
        there.charge(request("0.1"), lambda _: b"x")


def test_a_job_names_releaser_and_anchor(folder: Path) -> None:
    """In its file or by flags; a rehearsal refuses what the release would."""
    named = folder / "named.toml"
    section = """
[ledger]
path = "team.ledger"
limit = 3.0
releaser = "anna"
anchor = "team.anchor"
"""
    named.write_text((folder / "job.toml").read_text() + section)
    words = "release named.toml --json"
    command(words, "--dry-run")
    assert not (folder / "team.anchor").exists()
    command(words, "--key a")
    with Ledger(folder / "team.ledger", read_only=True) as ledger:
        assert (folder / "team.anchor").read_text() == "{}:{}\n".format(*ledger.head)
        assert ledger.events[1].releaser == "anna"
    older = (folder / "team.ledger").read_bytes()
    run("quota", folder / "team.ledger", "1 --releaser anna")
    for more in ((), ("--dry-run",)):
        refused = command(words, "--key b", *more, code=4)
        assert "quota of the releaser 'anna'" in refused.stderr
        assert "privopt ledger quota" in refused.stderr
        refused = command(words, "--key b --releaser ben", *more, code=4)
        assert "the releaser 'ben' has no quota" in refused.stderr
    command(words, "--key a --releaser ben")  # a replay is free for everyone
    run("quota", folder / "team.ledger", "2 --releaser anna --yes")
    command(words, "--key b")
    (folder / "team.ledger").write_bytes(older)
    for more in ((), ("--dry-run",)):
        assert "older copy" in command(words, "--key c", *more, code=2).stderr
    (folder / "team.ledger").unlink()
    for more in ((), ("--dry-run",)):
        said = command(words, "--key c", *more, code=2).stderr
        assert "knows one of 7 rows" in said
    assert not (folder / "team.ledger").exists()


def test_a_job_file_leads_no_new_anchor_out_of_its_folder(folder: Path) -> None:
    named = folder / "inner" / "named.toml"
    named.parent.mkdir()
    for name in ("d.csv", "program.json"):
        (named.parent / name).write_text((folder / name).read_text())
    section = '[ledger]\npath = "x.ledger"\nlimit = 3.0\nanchor = "../out.anchor"\n'
    named.write_text((folder / "job.toml").read_text() + section)
    refused = command("release inner/named.toml --plan", code=2)
    assert "[ledger] anchor of the job file leads out of its folder" in refused.stderr
    assert not (folder / "out.anchor").exists()
    command("release inner/named.toml --anchor out.anchor --key a")
    assert (folder / "out.anchor").exists()
    command("release inner/named.toml --key b")  # it is there: used wherever it lies
    head = (folder / "out.anchor").read_text().strip()
    command("release inner/named.toml --key c --anchor", head)
    other = "1:" + "0" * 64
    assert (
        "another ledger"
        in command("release inner/named.toml --key d --anchor", other, code=2).stderr
    )
    assert (
        "out.anchor"
        in command(
            "release inner/named.toml --key e --out out.anchor --overwrite",
            code=2,
        ).stderr
    )
