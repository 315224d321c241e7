"""`privopt check`, and what release and measure ask for before they go on: never because of d.

Inner: a terminal is pretended, at which a question can be answered.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import CUSTOMERS, NETWORK, flat, run, runner, spent, words_of

import privopt as po
from privopt.cli import app, check

LEDGER = "--ledger d.ledger --limit 9 --key may"


def asked(*words: object, code: int = 0) -> str:
    """A command without --clamp and without a terminal: what it says on standard error."""
    result = runner.invoke(app, words_of(words), env={"COLUMNS": "120"})
    assert result.exit_code == code, result.output
    return flat(result.stderr)


@pytest.fixture
def job(folder: Path) -> Path:
    lines = (folder / "job.toml").read_text()
    (folder / "sums.toml").write_text(lines.replace('"coal", "gas"', '"coal"'))
    (folder / "far.csv").write_text("name,value\ndemand,6012.345\n")
    return folder / "sums.toml"


def test_the_look_is_private_and_says_what_is_wrong(job: Path) -> None:
    fine, far = run("check", job), run("check", job, "--data far.csv", code=1)
    for said in (fine, far):
        assert "PRIVATE" in said.stdout
        assert "PUBLIC" not in said.output
    assert "No private entry lies outside" in fine.stdout
    assert "1 of 1 private entries lie outside of the domain" in flat(far.stdout)
    assert "about 1000 times" in flat(far.stdout)
    told = json.loads(run("check", job, "--data far.csv --json", code=1).stdout)
    assert told["private"] is True
    assert told["clamped"] == ["demand"]
    assert not Path("d.ledger").exists()


def test_the_receipt_is_for_its_owner_alone_and_holds_no_value(job: Path) -> None:
    os.umask(0o022)
    run("check", job)
    path = Path("d.csv.checked")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "PRIVATE" in path.read_text()
    assert "6.01" not in path.read_text()
    run("check", job, "--receipt elsewhere.json")
    assert Path("elsewhere.json").exists()
    before = job.read_bytes()
    assert "is no receipt" in asked("check", job, "--receipt", job, code=2)
    assert job.read_bytes() == before
    assert "could not be written" in asked("check", job, "--receipt none/x", code=2)


@pytest.mark.long
@pytest.mark.parametrize("command", ["release", "measure"])
@pytest.mark.parametrize("data", ["d.csv", "far.csv"])
def test_no_one_is_asked_and_it_does_not_depend_on_the_data(
    job: Path, command: str, data: str
) -> None:
    words = (command, job, LEDGER, "--data", data)
    said = asked(*words, code=2)
    assert "no one has looked at these data" in said
    assert said.replace("far.csv", "d.csv") == asked(command, job, LEDGER, "--data d.csv", code=2)
    assert not Path("d.ledger").exists()
    run("check", job, "--data", data, code=data == "far.csv")
    asked(*words)  # it goes on, whatever was found
    assert spent() == po.Budget(1)
    Path(f"{data}.checked").unlink()
    asked(*words)  # replayed: the data are not used
    assert spent() == po.Budget(1)


def test_clamp_goes_on_without_a_look(job: Path) -> None:
    asked("measure", job, LEDGER, "--data far.csv --clamp")
    assert not Path("far.csv.checked").exists()


def test_a_receipt_of_something_else_does_not_hold(job: Path) -> None:
    words = ("measure", job, LEDGER)
    run("check", job)
    receipt = Path("d.csv.checked")
    kept = receipt.read_text()
    assert "no one has looked" in asked(*words, "--lower 4", code=2)  # another domain
    assert "no one has looked" in asked(*words, "--alpha 0.5", code=2)
    Path("d.csv").write_text("name,value\ndemand,6.012346\n")  # other data
    assert "no one has looked" in asked(*words, code=2)
    forged = json.loads(kept) | {"data": "0" * 64}
    for text in (json.dumps(forged), "{", "[]", kept.replace("receipt", "release"), "7", ""):
        receipt.write_text(text)
        assert "no one has looked" in asked(*words, code=2)
    assert not Path("d.ledger").exists()
    Path("d.csv").write_text("name,value\ndemand,6.012345\n")
    receipt.write_text(kept)
    asked(*words, "--epsilon 0.5")  # what the look does not depend on


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        ("--missing zero", False), ("--columns bus=bus", False), ("--bounded", False),
        ("--sites public", False), ("--around 0.2", False), ("--alpha 2", False),
        ("--owners sites.csv", False), ("--measure each", True), ("--epsilon 0.1", True),
        ("--measure choose --eta 0.1", True),
    ],
)  # fmt: skip
def test_a_receipt_is_of_the_data_as_they_are_read(
    folder: Path, few_runs: None, changed: str, holds: bool
) -> None:
    """All measurements of a job have one look: nothing is chosen or decided for it."""
    (folder / "loads.csv").write_text(CUSTOMERS)
    (folder / "sites.csv").write_text("customer,bus\nann,2\n")
    (folder / "job.toml").write_text(toml(NETWORK | {"data": {"file": "loads.csv"}}))
    run("check job.toml", code=1)
    run("check job.toml", code=1)  # an older receipt may be replaced
    said = asked("measure job.toml --no-ledger --out m.json", changed, code=0 if holds else 2)
    assert ("no one has looked" in said) is not holds


def test_a_plan_and_a_network_need_no_look(folder: Path) -> None:
    asked("release --no-ledger plan.toml")  # nothing is clamped
    network = "--network 5_pjm --around 0.1 --epsilon 1 --alpha 0.1"
    asked("measure --no-ledger", network)  # public test data


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_at_a_terminal_the_curator_is_shown_and_asked(
    job: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, before: bool
) -> None:
    """Also where there is a receipt."""
    if before:
        run("check", job, "--data far.csv", code=1)
    monkeypatch.setattr(check, "at_terminal", lambda: True)
    words = words_of(["measure", job, LEDGER, "--data far.csv --json"])
    result = runner.invoke(app, words, input=answer, env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    assert "PRIVATE" in result.stderr
    assert "outside of the domain" in result.stderr
    assert "outside" not in result.stdout
    assert Path("d.ledger").exists() == (code == 0)
