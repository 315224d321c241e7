"""What commands show alike: a view, facts and a table, in colour and as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.app.writing import arguments
from tests.cli.running import TREE, run

from privopt.networks.locate import find


@pytest.mark.long
def test_data_that_a_network_brings_along_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("init --network 5_pjm --out job.toml")
    shutil.copy(find("5_pjm"), "own.m")
    own = "No data were given: these are the loads of"
    values = "--over epsilon --values 2"
    for words in (
        ["solve job.toml"],
        ["release --no-ledger job.toml"],
        ["verify job.toml --plan --samples 10"],
        ["frontier job.toml --plan", *values],
    ):
        result = run(*words, "--json")
        assert f"{own} the PGLib network 5_pjm" in result.stderr
        json.loads(result.stdout)
    case = {"case": "own.m"}, {"identity": ["p[3]"]}, {"epsilon": 1.0, "alpha": 0.01}
    tree = dict(zip(("program", "query", "privacy"), case, strict=True))
    said = run("solve", *arguments(TREE | tree | {"data": {}})).stderr
    assert f"{own} the case file own.m" in said
    run("init --network 5_pjm --out filled.toml --data loads.csv")
    assert own not in run("release --no-ledger filled.toml").stderr
    assert own not in run("frontier job.toml", values).stderr
