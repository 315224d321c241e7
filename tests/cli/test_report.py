"""`privopt report`: a page of a release, of an instrument and of an experiment."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import TREE, D, flat, instrument, run, shown

from privopt.report.evidence import making


@pytest.fixture
def saved(folder: Path) -> None:
    instrument().save(folder / "instrument.json")


@pytest.mark.usefixtures("saved")
def test_report_of_a_release_and_of_an_instrument(folder: Path) -> None:
    run("release --no-ledger plan.toml --out r.json")
    found = {"page": "r.html", "stamp": "UNCHECKED", "confirmed": None}
    assert shown("report r.json") == found
    page = (folder / "r.html").read_text()
    for part in ("coal", "ASSUMED", "No ledger counted"):
        assert part in page
    assert str(D) not in page
    run("report instrument.json --out p.html")
    assert "demand" in (folder / "p.html").read_text()
    run("report program.json", code=2)
    run("report d.csv", code=2)


@pytest.mark.usefixtures("saved")
def test_a_page_is_written_over_only_where_it_is_the_same(folder: Path) -> None:
    page = folder / "instrument.html"
    run("report instrument.json")
    before = page.read_bytes()
    run("report instrument.json")
    assert page.read_bytes() == before
    page.write_text("another's")
    assert "--overwrite" in run("report instrument.json", code=2).stderr
    assert page.read_text() == "another's"
    run("report instrument.json --overwrite")
    assert page.read_bytes() == before
    assert "input of this command" in run(
        "report instrument.json --out instrument.json --overwrite", code=2
    ).stderr  # fmt: skip


COUNTED = "--ledger d.ledger --limit 9 --key may"


def test_a_release_is_compared_with_the_ledger_that_is_named(folder: Path) -> None:
    run("release plan.toml", COUNTED, "--out r.json")
    said = run("report r.json --out plain.html").stdout
    assert "UNCHECKED" in said
    assert "--ledger LEDGER" in flat(said)
    assert ">UNCHECKED</p>" in (folder / "plain.html").read_text()
    found = shown("report r.json --ledger d.ledger")
    assert (found["stamp"], found["confirmed"]) == ("CHECKED", True)
    assert all(one["holds"] for one in found["findings"])
    page = (folder / "r.html").read_text()
    assert ">CHECKED</p>" in page
    assert "it stored this release for its charge" in page


def test_a_release_that_the_ledger_does_not_hold_ends_with_1(folder: Path) -> None:
    run("release plan.toml", COUNTED, "--out r.json")
    text = (folder / "r.json").read_text()
    data = json.loads(text)
    data["values"][0] += 1.0
    (folder / "r.json").write_text(json.dumps(data))
    said = run("report r.json --ledger d.ledger", code=1).stdout
    assert "NOT CONFIRMED" in said
    assert "stored for row 2 is something else" in flat(said)
    assert ">NOT CONFIRMED</p>" in (folder / "r.html").read_text()


def test_measurements_and_decisions_are_compared_too(folder: Path) -> None:
    tree = TREE | {"domain": {"lower": 5.0, "upper": 7.0}, "design": {"mechanism": "measured"}}
    (folder / "job.toml").write_text(toml(tree))
    run("release job.toml", COUNTED, "--out r.json")
    for name, stamp in (("r.measurement", "CHECKED"), ("r.decision", "PARTLY CHECKED"),
                        ("r", "CHECKED")):  # fmt: skip
        assert shown("report", f"{name}.json", "--out u.html")["stamp"] == "UNCHECKED"
        words = f"report {name}.json --ledger d.ledger --out u.html --overwrite"
        found = shown(words)
        confirmed = True if stamp == "CHECKED" else None
        assert (found["stamp"], found["confirmed"]) == (stamp, confirmed)
        (folder / "u.html").unlink()


def test_a_decided_release_is_checked_with_the_decision_beside_it(folder: Path) -> None:
    """Without the decision its values are not compared; with it, another value is found."""
    tree = TREE | {"domain": {"lower": 5.0, "upper": 7.0}, "design": {"mechanism": "measured"}}
    (folder / "job.toml").write_text(toml(tree))
    run("release job.toml", COUNTED, "--out r.json")
    against = "--ledger d.ledger --out u.html --overwrite"
    found = shown("report r.json", against)
    seen = {one["what"]: one["holds"] for one in found["findings"]}
    assert seen["it is the decision's release"]
    assert seen["it stored this measurement for its charge"]
    data = json.loads((folder / "r.json").read_text())
    data["values"][0] += 1.0
    shutil.copy(folder / "r.json", folder / "kept.json")
    (folder / "r.json").write_text(json.dumps(data))
    assert "it is the decision's release: another" in flat(
        run("report r.json", against, code=1).stdout
    )
    assert shown("report kept.json", against)["stamp"] == "PARTLY CHECKED"
    # What `decide` wrote: ab.json, and ab.release.json beside it.
    run("decide job.toml --measurement r.measurement.json --out ab.json")
    assert shown("report ab.release.json", against)["stamp"] == "CHECKED"


def test_a_decided_release_of_a_network_has_the_map_of_its_decision(folder: Path) -> None:
    run("init --network 3_lmbd --out net.toml")
    counted = "--no-ledger --measure total --identity p[1]"
    run("release net.toml", counted, "--out n.json --overwrite")
    run("report n.json --out n.html --overwrite")
    assert "On the network" in (folder / "n.html").read_text()
    data = json.loads((folder / "n.json").read_text())
    data["values"][0] += 1.0  # other values than those of the decision
    (folder / "n.json").write_text(json.dumps(data))
    run("report n.json --out n.html --overwrite")
    assert "On the network" not in (folder / "n.html").read_text()


@pytest.mark.usefixtures("saved")
def test_a_ledger_says_nothing_of_instruments_and_experiments(folder: Path) -> None:
    assert "leave --ledger out" in run(
        "report instrument.json --ledger d.ledger", code=2
    ).stderr  # fmt: skip
    assert "neither --out nor" in run("report", folder, "--ledger d.ledger", code=2).stderr
    assert shown("report instrument.json") == {"page": "instrument.html"}


COUNTED = "--ledger d.ledger --limit 3 --key 'a key of mine'"


@pytest.fixture
def released(folder: Path) -> Path:
    run("release job.toml", COUNTED, "--out r.json")
    return folder


def test_a_release_and_what_it_rests_on(released: Path) -> None:
    rests_on = ("r.measurement.json", "r.decision.json")
    words = ("evidence r.json", *rests_on, "--ledger d.ledger")
    result = run(*words, "--out e")
    for part in ("checks passed", "NOT RECOMPUTED", "Evidence: e"):
        assert part in flat(result.stdout)
    text = b"".join(path.read_bytes() for path in released.glob("e/**/*") if path.is_file())
    for secret in (str(D), "a key of mine", str(released)):
        assert secret.encode() not in text
    found = shown(*words, "--out other")
    assert found["sound"]
    assert {one["result"] for one in found["recomputed"]} == {"PASS", "NOTE"}
    assert "is there already" in run(*words, "--out e", code=2).stderr


def test_a_failure_ends_with_1(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (released / "pack").mkdir()
    (released / "pack" / "recompute.py").write_text("print('FAIL  planted')\n")
    monkeypatch.setattr(making, "resources", lambda _: released / "pack")
    assert "FAIL  planted" in run(
        "evidence r.json --ledger d.ledger --out e", code=1
    ).stdout  # fmt: skip
