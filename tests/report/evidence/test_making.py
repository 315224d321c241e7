"""The whole folder: made of public things, checked by itself, and honest about what fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.report.evidence import forging
from tests.report.evidence.conftest import KEY, D, World, program

import privopt as po
from privopt.errors import InputError, LedgerError
from privopt.report.evidence import making
from privopt.report.evidence.making import make_evidence
from privopt.report.evidence.signing import UNSIGNED

SSH = shutil.which("ssh-keygen")


def test_everything_is_there(made_once: Path, world: World) -> None:
    names = {path.name for path in made_once.iterdir()}
    assert names == {
        "index.html", "README.txt", "manifest.json", "SHA256SUMS", "ledger.jsonl", "audit.json",
        "versions.json", "recompute.py", "releases", "instruments", "measurements",
        "decisions",
    }  # fmt: skip
    manifest = forging.read(made_once / "manifest.json")
    assert (manifest["privopt"], manifest["dataset"]) == ("evidence", "loads")
    with po.Ledger(world.ledger, read_only=True) as ledger:
        assert manifest["head"] == list(ledger.head)
    kinds = [one["kind"] for one in manifest["files"]]
    assert [kinds.count(kind) for kind in ("release", "instrument", "decision")] == [5, 3, 1]
    assert len(forging.read(made_once / "audit.json")["audits"]) == 3


def test_no_private_thing_enters(made_once: Path, world: World) -> None:
    """d, keys, optima, paths and the bounds of noise at d: none of them is in any file."""
    made = program()
    optimum = made.at(D).solve()
    canaries = [
        *map(str, D), KEY, str(world.folder), "the curator's own folder", str(Path.home()),
        *(repr(float(value)) for value in (*optimum.z, optimum.cost)), "release-laplace",
    ]  # fmt: skip
    text = {path: path.read_bytes() for path in made_once.rglob("*") if path.is_file()}
    for canary in canaries:
        if len(canary) > 5:
            assert [path for path, content in text.items() if canary.encode() in content] == []


def test_the_same_is_made_again_but_for_the_time_and_audits(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "now", lambda: "2026-05-01T10:00:00Z")
    for name in ("one", "two"):
        make_evidence(world.ledger, world.files[:3], tmp_path / name)
    one, two = (forging.read(tmp_path / name / "manifest.json") for name in ("one", "two"))
    assert one == two


def test_the_ledger_alone_is_evidence_too(world: World, tmp_path: Path) -> None:
    before = world.ledger.read_bytes()
    found = make_evidence(world.ledger, [], tmp_path / "e")
    assert found.sound
    assert world.ledger.read_bytes() == before
    assert "not in this folder" in (tmp_path / "e" / "index.html").read_text(encoding="utf-8")


def test_it_is_signed_by_a_key_or_says_that_it_is_not(world: World, tmp_path: Path) -> None:
    from tests.report.evidence.test_signing import ssh_key, verifies

    assert make_evidence(world.ledger, [], tmp_path / "plain").signature is None
    assert UNSIGNED in (tmp_path / "plain" / "README.txt").read_text()
    key = ssh_key(tmp_path)
    found = make_evidence(world.ledger, [], tmp_path / "signed", sign=key)
    assert found.signature is not None
    assert verifies(tmp_path / "signed" / "manifest.json", key)
    assert "UNSIGNED" not in (tmp_path / "signed" / "index.html").read_text(encoding="utf-8")
    assert forging.run(tmp_path / "signed") == (0, [])
    secret = key.read_bytes()
    assert not any(secret in p.read_bytes() for p in tmp_path.glob("signed/*") if p.is_file())


def test_what_is_refused_leaves_nothing(world: World, tmp_path: Path) -> None:
    cases: list[tuple[Any, str]] = [
        ({"files": [world.ledger]}, "no evidence"),
        ({"files": [], "sign": tmp_path / "none"}, "could not be read"),
    ]
    for more, says in cases:
        with pytest.raises(InputError, match=says):
            make_evidence(world.ledger, out=tmp_path / "e", **more)
    with pytest.raises(LedgerError):
        make_evidence(tmp_path / "no.ledger", [], tmp_path / "e")
    assert list(tmp_path.iterdir()) == []


def test_names_of_people_are_for_the_user_to_decide(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger whose third row names someone, as far as the evidence is told."""
    monkeypatch.setattr(making, "first_named", lambda _: 3)
    with pytest.raises(InputError, match="row 3 of the ledger names who"):
        make_evidence(world.ledger, [], tmp_path / "e")
    assert not (tmp_path / "e").exists()
    assert make_evidence(world.ledger, [], tmp_path / "e", names=False).sound


def test_what_fails_is_said(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that finds a fault: the folder says so, and is not sound."""
    script = tmp_path / "pack" / "recompute.py"
    script.parent.mkdir()
    script.write_text("print('PASS  a')\nprint('FAIL  the planted fault')\n")
    monkeypatch.setattr(making, "resources", lambda _: script.parent)
    found = make_evidence(world.ledger, [], tmp_path / "e")
    assert not found.sound
    assert found.recomputed == (("PASS", "a"), ("FAIL", "the planted fault"))
    assert "the planted fault" in (tmp_path / "e" / "index.html").read_text(encoding="utf-8")
    script.write_text("")
    with pytest.raises(InputError, match="could not be run"):
        make_evidence(world.ledger, [], tmp_path / "other")
    assert not (tmp_path / "other").exists()
