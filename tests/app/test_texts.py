"""A job as texts: what is written is read back as the same job."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from privopt.app.texts import flags_of, toml_of
from privopt.app.tree import Tree, checked, from_flags
from privopt.errors import InputError

TREE: Tree = {
    "program": {"network": "3_lmbd", "unit": "MW"},
    "query": {"sum": [["p[1]", "p[2]"], ["p[3]"]], "separate": True},
    "privacy": {"noise": "laplace", "epsilon": 0.1, "alpha": 1.0},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
    "domain": {"lower": {"demand[1]": 1.5, "demand[2]": 0.0}, "upper": 200.0},
    "design": {"mechanism": "measured", "measure": [["demand[1]"], ["demand[2]", "demand[3]"]]},
}


def test_a_job_file_is_read_back(tmp_path: Path) -> None:
    text = toml_of(TREE)
    assert checked(tomllib.loads(text), tmp_path, "it") == TREE
    assert text.startswith("# ")
    assert "\n\n\n" not in text


def test_flags_are_read_back_and_tables_are_files(tmp_path: Path) -> None:
    flags = flags_of(TREE, tmp_path)
    assert flags["epsilon"] == "0.1"
    assert flags["alpha"] == "1"
    assert flags["sum"] == "p[1],p[2];p[3]"
    assert Path(flags["lower"]).parent == tmp_path
    read = from_flags(flags)
    assert read["privacy"] == TREE["privacy"]
    assert read["query"] == TREE["query"]
    assert read["design"]["measure"] == TREE["design"]["measure"]
    assert flags_of(TREE, tmp_path, ["query"]).keys() == {"sum", "separate"}


@pytest.mark.parametrize("text", ['a "quoted" one', "back\\slash", "new\nline", "del\x7f", "é ☃"])
def test_any_text_is_quoted(text: str) -> None:
    assert tomllib.loads(toml_of({"ledger": {"key": text}}))["ledger"]["key"] == text


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="is a"):
        toml_of({"data": {"values": object()}})
