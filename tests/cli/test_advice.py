"""A wrong file is named with the command that takes it; a poor release is told of in time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.processes import shell
from tests.cli.running import DOMAIN, TREE, run, shown

from privopt.networks.locate import find


def test_init_starts_from_a_case_file_of_ones_own(folder: Path) -> None:
    (folder / "mine.m").write_bytes(find("5_pjm").read_bytes())
    run("init --case mine.m --out mine.toml --data loads.csv")
    said = run("measure mine.toml --no-ledger", code=2).stderr
    assert "[domain] lower, [domain] upper" in said
    loads = [line.split(",") for line in (folder / "loads.csv").read_text().splitlines()[1:]]
    for end, share in (("low", 0.9), ("high", 1.1)):
        lines = (f"{name},{share * float(value)}\n" for name, value in loads)
        (folder / f"{end}.csv").write_text("".join(lines))
    ends = "--lower low.csv --upper high.csv --measure total"
    assert shown("measure mine.toml", ends, "--dry-run")["privacy"] == "PROVEN"
    run("init --case mine.m --network 5_pjm", code=2)
    run("init --case mine.m --out mine.m --overwrite", code=2)


def test_values_that_tell_nothing_are_told_before_the_charge(folder: Path) -> None:
    """The cheapest unit is at its limit whatever the demand is."""
    tree = TREE | DOMAIN | {"query": {"identity": ["coal"]}}
    (folder / "job.toml").write_text(toml(tree))
    (words,) = shown("release job.toml --dry-run")["warnings"]
    assert words.startswith("The values tell nothing")
    release = "release job.toml"
    assert words in " ".join(run(release, "--no-ledger").stderr.split())
    assert words in " ".join(run(release, "--dry-run").stderr.split())
    # Also where the charge is refused: it is told before.
    ledger = "--ledger d.ledger --limit 0.1 --out r.json"
    assert words in " ".join(run(release, ledger, code=4).stderr.split())


@pytest.mark.long
def test_a_warning_of_a_library_does_not_reach_the_terminal(folder: Path) -> None:
    """Whether numpy warns may depend on d."""
    code = (
        "import warnings, numpy as np, privopt.app.data as data\n"
        "real = data._in_order\n"
        "def loud(*words):\n"
        "    found = real(*words)\n"
        "    warnings.warn(f'seen {found}'); np.float64(1e308) * found[0] * 1e10\n"
        "    return found\n"
        "data._in_order = loud\n"
        "from privopt.cli import app\n"
        "app()\n"
    )
    (folder / "loud.py").write_text(code)
    words = f"{sys.executable} loud.py solve plan.toml --json > /dev/null"
    ended = shell(folder, words)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert "seen" in shell(folder, words.replace(" loud", " -W default loud")).stderr
