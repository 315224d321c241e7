"""Options that commands share: completed with Tab, and read by typer from their parts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.cli.test_tree import HEAVY
from typer.testing import CliRunner

from privopt.cli import app


def complete(line: str) -> list[str]:
    """What bash would offer."""
    asked = {
        "_PRIVOPT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    return CliRunner().invoke(app, [], prog_name="privopt", env=asked).stdout.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("privopt solve --network 14_", ["14_ieee", "14_ieee__api", "14_ieee__sad"]),
        ("privopt audit 14_ieee__a", ["14_ieee__api"]),
        ("privopt init --network 14_ieee__s", ["14_ieee__sad"]),
        ("privopt experiment table1 --networks 3_lmbd,14_ieee__s", ["3_lmbd,14_ieee__sad"]),
        ("privopt solve --noise g", ["gaussian"]),
        ("privopt frontier --over fi", ["fidelity"]),
        ("privopt fro", ["frontier"]),
    ],
)
def test_tab_completes(line: str, found: list[str]) -> None:
    assert complete(line) == found


def test_completion_loads_nothing_heavy() -> None:
    code = (
        "import sys; from privopt.cli.options import complete_networks; "
        f"complete_networks('14'); print([m for m in {HEAVY} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_names_that_cannot_be_listed_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of networks a Tab offers nothing, and raises nothing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    assert complete("privopt solve --network 14_") == []
