"""A wrong file is named with the command that takes it; a poor release is told of in time."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.app.writing import toml
from tests.cli.processes import shell
from tests.cli.running import DOMAIN, TREE, run, shown

import privopt as po
from privopt import extra
from privopt.mechanisms.policy_view import warnings_of
from privopt.networks.locate import find
from privopt.recognise import kind_of


def test_a_wrong_file_is_named(folder: Path, policy: Path) -> None:
    (folder / "policy.json").write_bytes(policy.read_bytes())
    run("ledger", "create", "x.ledger", "1")
    run("release", "--no-ledger", "--policy", policy, "--data", "d.csv", "--out", "r.json")
    case = find("3_lmbd")
    kinds = {
        "x.ledger": "ledger", "policy.json": "policy", "r.json": "release", "job.toml": "job",
        "program.json": "program", "d.csv": None, "none": None, ".": None, case: "case",
    }  # fmt: skip
    assert {path: kind_of(path) for path in kinds} == kinds
    for words, says in (
        (("report", "program.json"), "it is a program"),
        (("report", "job.toml"), "privopt design job.toml"),
        (("audit", "policy.json"), "privopt audit --policy policy.json"),
        (("audit", "x.ledger"), "x.ledger is a ledger"),
        (("release", "--no-ledger", "--policy", "r.json"), "it is a release"),
        (("release", "--no-ledger", "--policy", "x.ledger"), "it is a ledger"),
        (("verify", "--release", "policy.json"), "it is a policy"),
        (("init", "--network", "mine.m"), "name a file of your own with --case"),
    ):
        said = run(*words, code=2).stderr
        told = " ".join(line for line in said.split() if line)
        needed = told.find("needed:")
        arrow = told.find("->")
        assert says in told[:needed] + told[arrow:], (words, said)
        assert "JSON" not in told[:needed] or "release" in words


def test_init_starts_from_a_case_file_of_ones_own(folder: Path) -> None:
    (folder / "mine.m").write_bytes(find("5_pjm").read_bytes())
    run("init", "--case", "mine.m", "--out", "mine.toml", "--data", "loads.csv")
    said = run("design", "mine.toml", code=2).stderr
    assert "[domain] lower, [domain] upper" in said
    loads = [line.split(",") for line in (folder / "loads.csv").read_text().splitlines()[1:]]
    for end, share in (("low", 0.9), ("high", 1.1)):
        lines = (f"{name},{share * float(value)}\n" for name, value in loads)
        (folder / f"{end}.csv").write_text("".join(lines))
    data = shown("design", "mine.toml", "--lower", "low.csv", "--upper", "high.csv")
    assert data["private"] is False
    run("init", "--case", "mine.m", "--network", "5_pjm", code=2)
    run("init", "--case", "mine.m", "--out", "mine.m", "--overwrite", code=2)


def test_an_extra_is_installed_from_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """privopt is on no index: `pip install privopt[...]` would install someone else's."""
    told = extra.how_to_install("report")
    assert "privopt[" not in told.replace("/privopt[", "/[")
    assert told.endswith(("[report]'", "[report]", "source"))
    monkeypatch.setattr("importlib.metadata.distribution", _nothing)
    assert extra.how_to_install("report") == (
        "pip install '.[report]' in the folder of privopt's source"
    )


def _nothing(_: str) -> object:
    raise extra.importlib.metadata.PackageNotFoundError


def test_values_worse_than_a_constant_are_told_before_the_charge(folder: Path) -> None:
    """Noise that hides a change of 1 where the domain is 2 wide."""
    tree = TREE | DOMAIN | {"privacy": {"epsilon": 1.0, "alpha": 0.5}}
    tree |= {"domain": {"lower": 5.5, "upper": 6.5}, "design": {"floor": 1.0}}
    tree |= {"query": {"identity": ["gas"]}, "feasibility": {"kind": "exact-box", "eta": 0.4}}
    (folder / "job.toml").write_text(toml(tree))
    run("design", "job.toml", "--out", "p.json")
    made = po.Policy.load(folder / "p.json")
    assert made.errors is not None
    assert made.spreads is not None
    assert made.follows
    assert np.all(made.errors > made.spreads)  # so it is
    words = "farther off than a constant, the mean answer, would be: gas."
    assert words in " ".join(run("design", "job.toml").stdout.split())
    assert words in shown("design", "job.toml")["warnings"][0]
    release = ("release", "--policy", "p.json", "--data", "d.csv")
    assert words in run(*release, "--no-ledger").stderr
    assert words in run(*release, "--dry-run").stderr
    assert words in shown(*release, "--dry-run")["warnings"][0]
    # Also where the charge is refused: it is told before.
    ledger = ("--ledger", "d.ledger", "--limit", "0.1")
    assert words in run(*release, *ledger, code=4).stderr
    run("design", "job.toml", "--floor", "0", "--identity", "coal", "--out", "constant.json")
    constant = run("release", "--no-ledger", "--policy", "constant.json", "--data", "d.csv").stderr
    assert "a constant" in constant
    assert list(warnings_of(po.Policy.load(folder / "constant.json")))


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


def test_a_head_of_thousands_of_digits_is_refused(folder: Path) -> None:
    run("ledger", "create", "x.ledger", "1")
    run("ledger", "show", "x.ledger", "--last", "9" * 20)  # more than there are is all
    for row in ("9" * 5000, "9" * 30):
        said = run("ledger", "verify", "x.ledger", "--head", f"{row}:{'0' * 64}", code=2).stderr
        assert "a row number" in said
