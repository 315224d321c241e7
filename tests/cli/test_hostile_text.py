"""Files whose text commands a terminal: every command shows it, none obeys it.

Inner: the consoles themselves, as somebody uses them who forgets to escape.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.app.writing import toml
from tests.cli.running import PROGRAM, TREE, D, flat, instrument, run

import privopt as po
from privopt.cli.streams import chatter, escape, results

EVIL = (
    "\x1b[2J\x1b]0;owned\x07[red]x[/] [link=http://evil]y[/link] :bomb: \x9b31m\u202etxt.exe\n"
    "owned line"
)
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e", "\r")


def harmless(text: str) -> None:
    for character in OBEYED:
        assert character not in text
    assert "\nowned line" not in text  # no line of its own


def said(*words: object, code: int = 0) -> str:
    text = run(*words, code=code).output
    harmless(text)
    return text


def edited(path: Path, to: Path, change: Any) -> Path:
    data = json.loads(path.read_text())
    change(data)
    to.write_text(json.dumps(data))
    return to


def test_a_release(folder: Path) -> None:
    run("release --no-ledger plan.toml --out r.json")

    def change(data: Any) -> None:
        data["names"][0] = data["mechanism"] = EVIL
        data["guarantee"]["privacy"].update(because=EVIL, assumptions=[EVIL])

    edited(folder / "r.json", folder / "evil.json", change)
    shown = said("verify --release evil.json", code=1)
    assert "as stated in its file" in flat(po.Release.load("evil.json").summary())
    said("report evil.json --out page.html")
    page = (folder / "page.html").read_text()
    for character in OBEYED:
        assert character not in page
    assert "\\u001b" in page
    found = po.Release.load("evil.json")
    for text in (shown, repr(found), found.summary(), found._repr_html_()):
        harmless(text)


def test_a_program_a_job_and_data(folder: Path) -> None:
    names = [EVIL, "gas", "hydro"]
    (folder / "program.json").write_text(json.dumps(PROGRAM | {"names": names}))
    said("solve plan.toml", code=2)  # there is no coal any more
    said("init --program program.json")
    tree = TREE | {"query": {"identity": [EVIL]}}
    (folder / "evil.toml").write_text(toml(tree))
    said("solve evil.toml")
    (folder / "odd.toml").write_text(toml(TREE | {"privacy": {"noise": EVIL}}))
    said("solve odd.toml", code=2)
    (folder / "d.csv").write_text(f'"{EVIL}",{D}\n')
    for more in ("", "--reveal"):
        said("solve plan.toml", more, code=2)


def test_a_ledger(folder: Path) -> None:
    with po.Ledger(folder / "x.ledger", limit=po.Budget(5), dataset=EVIL) as ledger:
        instrument().measure([D], ledger)
    for command in ("show", "verify", "limit"):
        said("ledger", command, "x.ledger")
    with pytest.raises(po.errors.LedgerError) as caught:
        po.Ledger(folder / "x.ledger", dataset="other")
    harmless(str(caught.value))


def test_an_error_that_quotes_a_file(folder: Path) -> None:
    error = po.errors.InputError(EVIL, EVIL, EVIL, private=EVIL)
    harmless(str(error))
    harmless(error.got + error.needed + error.remedy)


def test_consoles_obey_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where somebody forgets to escape."""
    for console in (results(), chatter()):
        console.print(EVIL.replace("[/]", ""), markup=False)
        console.print(f"[bold]{escape(EVIL)}[/]")
    seen = capsys.readouterr()
    for text in (seen.out, seen.err):
        for character in OBEYED:
            assert character not in text
