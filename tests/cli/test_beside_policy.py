"""`release --policy` and `verify --policy`: what differs is refused, uncharged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import TREE, run, shown

COUNTED = ("--ledger", "d.ledger", "--limit", "2", "--key", "may", "--out", "r.json")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--epsilon", "0.2"], "epsilon is 0.2 in the job, 1 in the policy."),
        (["--identity", "coal", "--alpha", "0.5"],
         "alpha is 0.5 in the job, 0.05 in the policy; the query is coal in the job, coal, gas in "
         "the policy."),
        (["--lower", "4"], "the domain of demand is 4 to 7 in the job, 5 to 7 in the policy."),
        (["--floor", "2"], "--floor has no effect beside --policy"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_what_differs_is_refused_before_any_charge(
    policy: Path,
    words: list[str],
    says: str,
) -> None:
    for command in (["release", "job.toml", *COUNTED], ["verify", "job.toml", "--samples", "10"]):
        refused = run(*command, "--policy", policy, *words, code=2)
        assert says in refused.stderr
        assert "privopt design" in refused.stderr
        assert words[0] in refused.stderr.partition("->")[2]
        assert refused.stdout == ""
    assert not Path("d.ledger").exists()
    assert not Path("r.json").exists()


@pytest.mark.usefixtures("folder")
def test_what_agrees_is_released(policy: Path) -> None:
    words = ("--epsilon", "1", "--identity", "coal,gas", "--lower", "5", "--upper", "7.0")
    made = shown("release", "job.toml", *COUNTED, "--policy", policy, *words)
    assert made["ledger"]["epsilon"] == "1"
    run("verify", "job.toml", "--policy", policy, *words, "--samples", "10")
    data = ("--data", "d.csv", "--policy", policy)
    assert shown("release", "--no-ledger", *data, *words)["names"] == ["coal", "gas"]


@pytest.mark.usefixtures("folder")
def test_eta_has_an_effect_in_verify_alone(policy: Path) -> None:
    eta = ("--policy", policy, "--eta", "0.1")
    assert shown("verify", "job.toml", *eta, "--samples", "10")["allowed"] == 0.1
    assert "--eta has no effect" in run("release", "--no-ledger", "job.toml", *eta, code=2).stderr


@pytest.mark.usefixtures("folder")
def test_a_job_file_that_differs_is_to_be_corrected(policy: Path) -> None:
    other = TREE | {"privacy": {"epsilon": 0.5, "alpha": 0.05}}
    Path("other.toml").write_text(toml(other), encoding="utf-8")
    said = run("release", "other.toml", "--policy", policy, *COUNTED, code=2).stderr
    assert "epsilon is 0.5 in the job, 1 in the policy." in said
    assert "correct [privacy] of the job file" in said


@pytest.mark.usefixtures("folder")
def test_a_network_agrees_with_its_own_policy() -> None:
    run("init", "--network", "5_pjm", "--out", "net.toml")
    run("design", "net.toml", "--out", "net.json")
    json.loads(run("release", "--no-ledger", "net.toml", "--policy", "net.json", "--json").stdout)
    said = run(
        "release", "--no-ledger", "net.toml", "--policy", "net.json", "--around", "0.06", code=2
    ).stderr
    assert "the domain of demand[2] is" in said
    said = run(
        "release",
        "--no-ledger",
        "net.toml",
        "--policy",
        "net.json",
        "--network",
        "5_pjm__api",
        code=2,
    ).stderr
    assert "of the program is another in the job than in the policy" in said
