"""The whole folder: made of public things, checked by itself, and honest about what fails."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.report.evidence import forging
from tests.report.evidence.conftest import KEY, D, World, program

import privopt as po
from privopt.errors import InputError, LedgerError
from privopt.report.evidence import making
from privopt.report.evidence.making import make_evidence

SSH = shutil.which("ssh-keygen")


def test_everything_is_there(made_once: Path, world: World) -> None:
    names = {path.name for path in made_once.iterdir()}
    assert names == {
        "index.html", "README.txt", "manifest.json", "SHA256SUMS", "ledger.jsonl",
        "recompute.py", "releases", "instruments", "measurements",
        "decisions",
    }  # fmt: skip
    manifest = forging.read(made_once / "manifest.json")
    assert (manifest["privopt"], manifest["dataset"]) == ("evidence", "loads")
    with po.Ledger(world.ledger, read_only=True) as ledger:
        assert manifest["head"] == list(ledger.head)
    kinds = [name.split("/")[0] for name in manifest["files"]]
    assert [kinds.count(kind) for kind in ("releases", "instruments", "decisions")] == [5, 3, 1]


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


def test_the_same_is_made_again_but_for_the_time(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "now", lambda: "2126-05-01T10:00:00Z")
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


def test_a_signature_as_documented_verifies_and_a_change_is_seen(
    world: World, tmp_path: Path
) -> None:
    """By the commands of docs/howto/evidence.md; the folder passes its check with a signature."""
    if SSH is None:
        pytest.skip("ssh-keygen (openssh-client) is not installed")
    key, folder = tmp_path / "key", tmp_path / "e"
    make_evidence(world.ledger, [], folder)
    subprocess.run([SSH, "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    public = key.with_suffix(".pub").read_text()
    (tmp_path / "allowed_signers").write_text(f"officer {public}")
    page = (Path(__file__).parents[3] / "docs" / "howto" / "evidence.md").read_text()

    def run(what: str) -> int:
        line = re.search(rf"^    (ssh-keygen -Y {what} .*?)(  # .*)?$", page, re.MULTILINE)
        assert line is not None
        command = line[1].replace("~/.ssh/id_ed25519", "../key").replace("-f all", "-f ../all")
        shell = ["/bin/sh", "-c", command]
        return subprocess.run(shell, cwd=folder, check=False, capture_output=True).returncode

    assert run("sign") == 0
    assert run("verify") == 0
    assert forging.run(folder) == (0, [])
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace("loads", "roads"))
    assert run("verify") != 0


def test_what_is_refused_leaves_nothing(world: World, tmp_path: Path) -> None:
    cases: list[tuple[Any, str]] = [
        ({"files": [world.ledger]}, "no evidence"),
    ]
    for more, says in cases:
        with pytest.raises(InputError, match=says):
            make_evidence(world.ledger, out=tmp_path / "e", **more)
    with pytest.raises(LedgerError):
        make_evidence(tmp_path / "no.ledger", [], tmp_path / "e")
    assert list(tmp_path.iterdir()) == []


def test_releasers_are_not_named(tmp_path: Path) -> None:
    """The whole chain is recomputed: the digest of a name stands for it."""
    made = program()
    sums = po.Instrument(
        {"total": [0, 1]}, program=made, privacy=po.Laplace(epsilon=0.5, alpha=0.05),
        domain=po.Box([5.0, 1.0], [7.0, 2.0]),
    )  # fmt: skip
    with po.Ledger(tmp_path / "l.ledger", limit=po.Budget(3), releaser="Ann Smith") as ledger:
        ledger.set_quota(po.Budget(1), releaser="Ann Smith")
        sums.measure(D, ledger, "a").save(tmp_path / "m.json")
        sums.measure(D, ledger, "b")
    assert make_evidence(ledger.path, [tmp_path / "m.json"], tmp_path / "e").sound
    assert "Ann Smith" not in (tmp_path / "e" / "ledger.jsonl").read_text()


def test_a_decision_whose_certificate_fails_is_no_evidence(world: World, tmp_path: Path) -> None:
    data = forging.read(world.folder / "decision.json")
    data["values"] = [100.0]
    (tmp_path / "d.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="certificate does not hold"):
        make_evidence(world.ledger, [tmp_path / "d.json"], tmp_path / "e")


def test_what_fails_is_said(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was made before its charges: it says so, on its page too, and is not sound."""
    monkeypatch.setattr(making, "now", lambda: "2001-05-01T10:00:00Z")
    found = make_evidence(world.ledger, [], tmp_path / "e")
    assert not found.sound
    assert any(word == "FAIL" and "row 1: its time" in what for word, what in found.recomputed)
    page = (tmp_path / "e" / "index.html").read_text(encoding="utf-8")
    assert "its time" in page
    assert ">FAIL<" in page


def test_a_script_that_does_not_run_leaves_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "pack" / "recompute.py"
    script.parent.mkdir()
    script.write_text("")
    monkeypatch.setattr(making, "resources", lambda _: script.parent)
    with pytest.raises(InputError, match="could not be run"):
        make_evidence(world.ledger, [], tmp_path / "other")
    assert not (tmp_path / "other").exists()
