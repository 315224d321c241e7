"""A job as a file, as flags and as a script: what the workbench writes is read back as it was.

Inner: the workbench shows these texts of sessions alone; here they are of any job.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

from privopt.app.python_text import python_of
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


@pytest.mark.parametrize("measure", ["total", "each", [["demand[1]", "demand[2]"]]])
def test_a_script_that_measures_runs_to_its_release(
    measure: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = TREE | {"query": {"identity": ["p[1]"]}, "domain": {"around": 0.1}}
    script = python_of({**tree, "design": {"mechanism": "measured", "measure": measure}})
    counted = 'ledger=po.Ledger("data.ledger", limit=po.Budget(1.0)), key="first"'
    exec(f"d = [100, 100, 90]\n{script.replace(counted, 'ledger=None')}", {})  # noqa: S102
    assert "p[1]" in capsys.readouterr().out


@pytest.mark.parametrize("measure", ["choose", "nothing", "zones.csv", {"a": ["demand[1]"]}])
@pytest.mark.parametrize("mechanism", ["measured", "plan"])
def test_every_script_is_python_and_what_is_not_said_is_left_open(
    mechanism: str, measure: Any
) -> None:
    tree = TREE | {"design": {"mechanism": mechanism, "measure": measure, "fidelity": 2.0}}
    for section in ("design", "program", "query", "privacy", "feasibility", "domain"):
        text = python_of({name: part for name, part in tree.items() if name != section})
        assert "..." in text or section in ("design", "domain")
        compile(text, "job.py", "exec")


def test_no_text_of_a_job_is_code_of_the_script() -> None:
    """A job file may be anybody's, and the script is there to be run."""
    evil = "m.csv\nimport os; os._exit(7)\n#"
    trees: list[Any] = [
        {"query": {"linear": evil}},
        {"domain": {"lower": evil}, "design": {"mechanism": "measured", "measure": f"{evil}.csv"}},
        {"program": {"network": evil, "unit": evil, "model": evil}},
        {"program": {"file": evil}, "query": {"identity": [evil]}},
    ]
    for tree in trees:
        found = ast.parse(python_of(tree))
        imported = [node for node in ast.walk(found) if isinstance(node, ast.Import)]
        assert [one.names[0].name for one in imported] == ["privopt"]
