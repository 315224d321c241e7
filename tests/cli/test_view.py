"""What commands show alike: a view, facts and a table, in colour and as they are."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from tests.app.writing import arguments
from tests.cli.running import TREE, run

from privopt.cli.streams import SafeConsole
from privopt.cli.view import facts, print_view, tabulated
from privopt.networks.locate import find
from privopt.show.view import Fact, Table, View


def printed(*things: object, width: int = 80, colour: bool = False) -> str:
    file = io.StringIO()
    console = SafeConsole(file=file, width=width, force_terminal=colour)
    for thing in things:
        if isinstance(thing, View):
            print_view(console, thing)
        else:
            console.print(thing)
    return file.getvalue()


def test_each_part_of_a_view_once_and_in_this_order() -> None:
    table = Table("row", [f"row {k}" for k in range(9)], {"share": [0.5] * 9})
    view = View("A title", table, (Fact("cost", "12"),), ("a note",), warnings=("beware",), limit=3)
    said = printed(view)
    places = [said.index(part) for part in (
        "PUBLIC", "A title", "cost", "row 0", "the first 3 of 9", "beware", "a note"
    )]  # fmt: skip
    assert places == sorted(places)
    assert "row 3" not in said
    assert "PRIVATE" in printed(View("Another", private=True))


def test_no_name_is_markup_and_none_is_cut() -> None:
    name = "[red]" + "z" * 100
    said = printed(tabulated(Table("name", [name], {"text": ["[/]"]})), width=40)
    assert said.count("z") == 100
    assert "[red]" in said
    assert "[/]" in said
    rows = printed(facts(("path", "y" * 100)), width=40)
    assert rows.count("y") == 100


@pytest.mark.long
def test_data_that_a_network_brings_along_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "--network", "5_pjm", "--out", "job.toml")
    shutil.copy(find("5_pjm"), "own.m")
    own = "No data were given: these are the loads of"
    values = ("--over", "epsilon", "--values", "2")
    for words in (
        ["solve", "job.toml"],
        ["release", "--no-ledger", "job.toml"],
        ["verify", "job.toml", "--plan", "--samples", "10"],
        ["frontier", "job.toml", "--plan", *values],
    ):
        result = run(*words, "--json")
        assert f"{own} the PGLib network 5_pjm" in result.stderr
        json.loads(result.stdout)
    case = {"case": "own.m"}, {"identity": ["p[3]"]}, {"epsilon": 1.0, "alpha": 0.01}
    tree = dict(zip(("program", "query", "privacy"), case, strict=True))
    said = run("solve", *arguments(TREE | tree | {"data": {}})).stderr
    assert f"{own} the case file own.m" in said
    run("init", "--network", "5_pjm", "--out", "filled.toml", "--data", "loads.csv")
    assert own not in run("release", "--no-ledger", "filled.toml").stderr
    assert own not in run("frontier", "job.toml", *values).stderr
