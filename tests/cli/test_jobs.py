"""Every command of a job, end to end: what it prints, what it writes, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import run, shown


@pytest.mark.long
@pytest.mark.parametrize("network", ["14_ieee", "5_pjm"])
def test_the_first_file_runs_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.toml").write_text(run("init", "--network", network).stdout, encoding="utf-8")
    run("init", "--network", network, "--out", "other.toml")
    assert Path("other.toml").read_bytes() == Path("job.toml").read_bytes()
    run("init", "--out", "other.toml", code=2)
    Path("sub").mkdir()
    run("init", "--network", network, "--out", "filled.toml", "--data", "sub/loads.csv")
    assert shown("solve", "filled.toml") == shown("solve", "job.toml")
    loads = Path("sub/loads.csv").read_text(encoding="utf-8")
    Path("sub/loads.csv").write_text(loads.replace("demand[2]", "demand[two]"), encoding="utf-8")
    run("solve", "filled.toml", code=2)
    run("verify", "job.toml", "--plan", "--samples", "1000")
    words = ("--ledger", "loads.ledger", "--limit", "2.0", "--key", "may", "--out", "release.json")
    run("release", "job.toml", *words)
    run("report", "release.json")
    run("frontier", "job.toml", "--over", "epsilon", "--values", "1,2")
    run("solve", "job.toml")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["solve", "none.toml"], "privopt init"),
        (["solve"], "no [program]"),
        (["solve", "plan.toml", "--identity", "coal,ga"], "did you mean 'gas'"),
        (["solve", "plan.toml", "--noise", "laplac"], "did you mean 'laplace'"),
        (["solve", "plan.toml", "--network", "14_iee"], "did you mean '14_ieee'"),
        (["solve", "plan.toml", "--data", "none.csv"], "could not be read"),
        (["solve", "plan.toml", "--program", "d.csv"], "could not be read as JSON"),
        (["measure", "--no-ledger", "plan.toml"], "no [domain]"),
        (
            ["release", "plan.toml", "--no-ledger", "--mechanism", "noise"],
            "one of: measured, plan",
        ),
        (["release", "--no-ledger", "job.toml", "--key", "may"], "without a ledger"),
        (["release", "plan.toml", "--ledger", "new.ledger"], "--limit"),
        (["frontier", "job.toml"], "--from"),
        (["frontier", "job.toml", "--over", "epsilom", "--values", "1"], "did you mean 'epsilon'?"),
        (["frontier", "job.toml", "--from", "1", "--to", "inf"], "--from"),
        (["frontier", "job.toml", "--values", "1,x"], "--from"),
        (["frontier", "plan.toml", "--over", "fidelity", "--values", "1"], "of plans"),
        (["frontier", "job.toml", "--over", "epsilon", "--values", "-1"], "epsilon is -1"),
        (["frontier", "job.toml", "--from", "2", "--to", "1"], "swap"),
        (["verify", "--release", "none.json"], "there is no file"),
        (["init", "--network", "14"], "did you mean"),
    ],
)
def test_a_user_error_is_a_sentence_and_what_to_do(
    folder: Path, words: list[str], says: str
) -> None:
    result = run(*words, code=2)
    assert says in result.stderr.replace("\n", " ")
    assert result.stdout == ""
