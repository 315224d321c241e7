"""Every command of a job, end to end: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.app.writing import arguments
from tests.cli.running import DOMAIN, TREE, D, run, shown

import privopt as po


def test_solve_is_marked_private(folder: Path) -> None:
    said = run("solve", "plan.toml").stdout
    for part in ("PRIVATE", "depends on d", "loss", "Limits with the least room", "ASSUMED"):
        assert part in said
    data = shown("solve", "plan.toml")
    program = po.PublicProgram.load(folder / "program.json").program.at([D])
    plan = po.solve(
        program,
        po.Identity(["coal", "gas"]),
        po.Laplace(epsilon=1, alpha=0.05),
        po.ExactBox(eta=0.05),
    )
    assert data["private"] is True
    assert data["cost"] == plan.cost
    assert data["released"] == ["coal", "gas"]
    assert list(folder.glob("*.html")) == []


def test_a_file_and_flags_print_the_same(folder: Path) -> None:
    assert shown("solve", "plan.toml") == shown("solve", *arguments(TREE))
    assert shown("solve", "plan.toml", "--epsilon", "2") == shown(
        "solve", *arguments(TREE | {"privacy": {"epsilon": 2.0, "alpha": 0.05}})
    )
    assert shown("design", "job.toml") == shown(
        "design",
        *arguments({name: part for name, part in (TREE | DOMAIN).items() if name != "data"}),
    )


def test_paths_are_relative_to_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    before = shown("solve", "plan.toml")
    monkeypatch.chdir(folder / "elsewhere")
    assert shown("solve", "../plan.toml") == before


def test_design_writes_a_policy_and_says_if_it_is_a_constant(folder: Path) -> None:
    data = shown("design", "job.toml", "--out", "policy.json")
    policy = po.Policy.load(folder / "policy.json")
    assert data["policy"] == "policy.json"
    assert (data["loss"], data["distance"]) == (policy.loss, policy.distance)
    assert data["constant"] is False
    said = run("design", "job.toml", "--floor", "0", "--identity", "coal").stdout
    assert "PUBLIC" in said
    assert "a constant" in said
    assert "--floor 1" in " ".join(said.split())


def test_design_reads_no_data(folder: Path) -> None:
    (folder / "d.csv").unlink()
    run("design", "job.toml")
    run("solve", "job.toml", code=2)


def test_release_counts_and_replays(folder: Path, policy: Path) -> None:
    common = ("release", "--policy", policy, "--data", "d.csv", "--ledger", "d.ledger")
    first = shown(*common, "--limit", "2", "--key", "may", "--out", "may.json")
    assert po.Release.load(folder / "may.json").to_dict().items() <= first.items()
    content = (folder / "may.json").read_bytes()
    again = run(*common, "--key", "may", "--out", "may.json", "--json")
    assert json.loads(again.stdout) == first
    assert "Replayed from row 2 of the ledger: free" in again.stderr
    assert "replayed" in run(*common, "--key", "may", "--out", "may.json").stdout
    assert (folder / "may.json").read_bytes() == content
    ledger = po.Ledger(folder / "d.ledger", read_only=True)
    assert ledger.spent == po.Budget(1)
    # Another release does not write over the one that was paid for, and is not charged either.
    refused = run(*common, "--key", "june", "--out", "may.json", code=2)
    assert "Nothing was charged" in refused.stderr
    assert ledger.spent == po.Budget(1)
    june = run(*common, "--key", "june", "--out", "june.json")
    assert "spent epsilon 2 of epsilon 2" in june.stdout
    assert "eplayed" not in june.output
    refused = run(*common, "--key", "july", "--out", "july.json", code=4)
    assert "privopt ledger limit" in refused.stderr
    assert "costs epsilon 1, and epsilon 0" in refused.stderr
    assert "Budget(" not in refused.stderr
    assert refused.stdout == ""
    assert not (folder / "july.json").exists()
    ledger.close()


def test_a_release_of_a_job_by_plan_or_policy(folder: Path) -> None:
    result = run("release", "job.toml", "--json")
    assert json.loads(result.stdout)["mechanism"] == "policy"
    assert "No ledger counted this release" in result.stderr
    assert shown("release", "job.toml", "--plan")["mechanism"] == "plan"
    said = run("release", "plan.toml", "--ledger", "x.ledger", "--limit", "1", "--key", "a")
    assert "PUBLIC" in said.stdout
    assert "ASSUMED" in said.stdout
    assert "warning" not in said.stderr


def test_what_is_clamped_is_told_to_the_curator_who_asks(folder: Path, policy: Path) -> None:
    words = ("release", "--policy", policy, "--json", "--data")
    (folder / "far.csv").write_text("demand,9.87654\n")
    quiet, inside = run(*words, "far.csv"), run(*words, "d.csv")
    assert quiet.stderr == inside.stderr  # not a word depends on d
    told = run(*words, "far.csv", "--reveal").stderr
    assert "PRIVATE" in told
    assert "1 of 1 private entries lie outside of the domain and are clamped to it: demand" in told
    assert "9.87" not in told
    assert "No private entry of 1 lies outside" in run(*words, "d.csv", "--reveal").stderr
    assert "nothing is clamped" in run("release", "plan.toml", "--json", "--reveal").stderr
    hint = "are clamped to it. Which, the curator can see at no charge: --dry-run --reveal."
    assert quiet.stderr.count(hint) == 1
    assert hint not in told
    assert hint not in run("release", "plan.toml", "--json").stderr  # a plan clamps nothing


def test_nothing_is_told_of_data_before_the_charge(folder: Path, policy: Path) -> None:
    (folder / "far.csv").write_text("demand,9.87654\n")
    words = ("release", "--policy", policy, "--data", "far.csv", "--ledger", "d.ledger", "--reveal")
    refused = run(*words, "--limit", "0.5", code=4)
    assert "outside" not in refused.stderr
    run("ledger", "limit", "d.ledger", "1", "--yes")
    assert "outside" in run(*words, "--key", "may").stderr
    assert "outside" not in run(*words, "--key", "may").stderr  # a replay reads no data


def test_data_that_a_network_brings_along_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "--network", "5_pjm", "--out", "job.toml")
    shutil.copy(po.networks.pglib.find("5_pjm"), "own.m")  # pyright: ignore[reportAttributeAccessIssue]
    own = "No data were given: these are the loads of"
    values = ("--over", "epsilon", "--values", "2")
    for words in (
        ["solve", "job.toml"],
        ["release", "job.toml"],
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
    assert own not in run("release", "filled.toml").stderr
    for words in (["design", "job.toml"], ["frontier", "job.toml", *values]):
        assert own not in run(*words).stderr


def test_paths_are_printed_as_they_were_given(folder: Path, policy: Path) -> None:
    (folder / "sub").mkdir()
    shutil.copytree(folder, folder / "jobs", ignore=shutil.ignore_patterns("jobs"))
    (folder / "empty").touch()
    for words in (
        ["design", "jobs/job.toml", "--out", "sub/p.json"],
        ["release", "jobs/job.toml", "--out", "sub/r.json", "--ledger", "sub/a.ledger",
         "--limit", "9", "--key", "may"],
        ["frontier", "jobs/job.toml", "--values", "1", "--out", "sub/f.html"],
        ["report", "sub/r.json"],
        ["verify", "--release", "sub/r.json", "--ledger", "sub/a.ledger"],
        ["ledger", "create", "sub/b.ledger", "1"],
        ["ledger", "show", "sub/b.ledger"],
    ):  # fmt: skip
        assert str(folder) not in run(*words).output
    for words in (
        ["solve", "jobs/plan.toml", "--data", "sub/none.csv"],
        ["solve", "jobs/plan.toml", "--program", "sub/none.json"],
        ["release", "jobs/job.toml", "--ledger", "sub/none.ledger"],
        ["release", "jobs/job.toml", "--ledger", "empty"],
        ["release", "jobs/job.toml", "--out", "sub/r.json"],
        ["verify", "--release", "sub/r.json", "--ledger", "empty"],
        ["ledger", "show", "empty"],
        ["ledger", "show", "sub/none.ledger"],
        ["ledger", "verify", "jobs/job.toml"],
    ):
        said = run(*words, code=2).stderr
        assert str(folder) not in said
        assert words[-1] in said
    (folder / "jobs" / "d.csv").unlink()
    assert "jobs/d.csv" in run("solve", "jobs/plan.toml", code=2).stderr
    assert f"{folder}/none.csv" in run(
        "solve", "jobs/plan.toml", "--data", folder / "none.csv", code=2
    ).stderr  # fmt: skip


def test_overwriting_is_asked_for(folder: Path, policy: Path) -> None:
    words = ("release", "--policy", policy, "--data", "d.csv", "--out", "r.json")
    run(*words)
    before = (folder / "r.json").read_bytes()
    run(*words, code=2)
    assert (folder / "r.json").read_bytes() == before
    run(*words, "--overwrite")
    assert (folder / "r.json").read_bytes() != before


def test_verify_simulates(folder: Path, policy: Path) -> None:
    plan = shown("verify", "plan.toml", "--samples", "2000")
    assert plan["private"] is True
    assert plan["refuted"] is False
    assert plan["allowed"] == 0.05
    assert 0 <= plan["violation"]["value"] <= 0.05
    found = shown("verify", "job.toml", "--policy", policy, "--samples", "2000")
    assert found["private"] is False
    alone = shown("verify", "--policy", policy, "--samples", "2000")
    assert alone == found
    assert alone["allowed"] == 0.05
    assert "PUBLIC" in run("verify", "--policy", policy, "--samples", "1000").stdout


def test_verify_says_how_to_compare_where_the_policy_does_not_say(
    folder: Path, policy: Path
) -> None:
    data = json.loads(policy.read_text(encoding="utf-8"))
    data["guarantee"]["feasibility"] |= {"statement": "it holds", "terms": None}
    (folder / "vague.json").write_text(json.dumps(data))
    said = " ".join(run("verify", "--policy", "vague.json", "--samples", "100").stdout.split())
    assert "Not compared" in said
    assert "--feasibility with --eta" in said
    again = shown("verify", "job.toml", "--policy", "vague.json", "--samples", "100")
    assert again["allowed"] == 0.05


def test_a_claim_that_does_not_hold_is_refuted(folder: Path, policy: Path) -> None:
    """The policy keeps 5%, and half a percent is claimed of it."""
    words = ("verify", "--policy", policy, "--feasibility", "exact-box", "--eta", "0.001")
    assert shown(*words, code=1)["refuted"] is True
    assert "Refuted" in run(*words, code=1).stdout


def test_verify_a_release_against_its_ledger(folder: Path, policy: Path) -> None:
    run(
        "release", "--policy", policy, "--data", "d.csv", "--ledger", "a.ledger", "--limit", "1",
        "--key", "may", "--out", "r.json",
    )  # fmt: skip
    data = shown("verify", "--release", "r.json", "--ledger", "a.ledger")
    assert data["confirmed"] is True
    assert len(data["findings"]) == 6
    assert "Confirmed" in run("verify", "--release", "r.json", "--ledger", "a.ledger").stdout
    assert "Not compared with a ledger" in run("verify", "--release", "r.json").stdout
    whole = json.loads((folder / "r.json").read_text())
    forgeries: list[dict[str, Any]] = [
        whole | {"values": [whole["values"][0] + 2.0**-20, *whole["values"][1:]]},
        whole | {"ledger": whole["ledger"] | {"row": 1}},
        whole | {"ledger": whole["ledger"] | {"row": 10**30}},
        whole | {"ledger": whole["ledger"] | {"digest": "0" * 64}},
        whole | {"ledger": whole["ledger"] | {"dataset": "b"}},
        whole | {"ledger": whole["ledger"] | {"epsilon": "0.5"}},
        whole | {"ledger": None},
    ]
    for forged in forgeries:
        (folder / "forged.json").write_text(json.dumps(forged))
        found = shown("verify", "--release", "forged.json", "--ledger", "a.ledger", code=1)
        assert found["confirmed"] is False
    (folder / "forged.json").write_text(json.dumps({**whole, "names": []}))
    run("verify", "--release", "forged.json", code=2)
    run("verify", "--release", "r.json", "--ledger", "none.ledger", code=2)


def test_frontier(folder: Path) -> None:
    data = shown("frontier", "job.toml", "--values", "0.01,0.5,2", "--out", "page.html")
    assert [point["status"] for point in data["points"]] == ["infeasible", "solved", "solved"]
    assert data["points"][1]["loss"] > data["points"][2]["loss"] > 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Policies over epsilon" in page
    assert len(page) < 50_000  # no library of plots in it
    assert "http" not in re.sub(r"<script.*?</script>|http-equiv", "", page, flags=re.DOTALL)
    floors = ("--over", "floor", "--from", "0", "--to", "2", "--points", "3")
    assert "a constant" in run("frontier", "job.toml", "--identity", "coal", *floors).stdout
    etas = ("--over", "eta", "--values", "0.01,0.1")
    result = run("frontier", "plan.toml", *etas, "--out", "p.html")
    assert "PRIVATE" in result.stdout
    assert "PRIVATE" in (folder / "p.html").read_text(encoding="utf-8")
    phi = shown("frontier", "job.toml", "--plan", "--over", "phi", "--values", "0,0.5")
    assert phi["private"] is True
    assert phi["points"][0]["cost"] <= phi["points"][1]["cost"] + 1e-6


def test_report_of_a_release_and_of_a_policy(folder: Path, policy: Path) -> None:
    shutil.copy(policy, folder / "policy.json")
    run("release", "--policy", policy, "--data", "d.csv", "--out", "r.json")
    assert shown("report", "r.json") == {"page": "r.html"}
    page = (folder / "r.html").read_text(encoding="utf-8")
    for part in ("coal", "PROVEN", "No ledger counted"):
        assert part in page
    assert str(D) not in page
    run("report", "policy.json", "--out", "p.html")
    assert "demand" in (folder / "p.html").read_text(encoding="utf-8")
    run("report", "program.json", code=2)
    run("report", "d.csv", code=2)


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
    run("design", "job.toml", "--out", "policy.json")
    run("verify", "job.toml", "--policy", "policy.json", "--samples", "1000")
    words = ("--ledger", "loads.ledger", "--limit", "2.0", "--key", "may", "--out", "release.json")
    run("release", "job.toml", *words)
    run("report", "release.json")
    run("frontier", "job.toml", "--over", "epsilon", "--values", "1,2")
    run("solve", "job.toml")


def test_infeasible_is_for_the_curator(folder: Path) -> None:
    result = run("solve", "plan.toml", "--epsilon", "0.001", code=3)
    assert result.stdout == ""
    assert "--reveal" in result.stderr
    assert "PRIVATE" not in result.stderr
    told = run("solve", "plan.toml", "--epsilon", "0.001", "--reveal", code=3)
    assert "PRIVATE" in told.stderr
    assert "smallest epsilon" in told.stderr
    assert "--reveal" not in told.stderr
    assert "-> see what is told above." in told.stderr
    run("design", "job.toml", "--lower", "50", "--upper", "60", code=3)
    run("release", "plan.toml", "--epsilon", "0.001", "--out", "r.json", code=3)
    assert not (folder / "r.json").exists()


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
        (["design", "plan.toml"], "no [domain]"),
        (["design", "job.toml", "--out", "none/policy.json"], "cannot be written"),
        (["release", "--policy", "none.json", "--data", "d.csv"], "there is no file"),
        (["release", "--policy", "program.json", "--data", "d.csv"], "is not a policy"),
        (["release", "job.toml", "--key", "may"], "without a ledger"),
        (["release", "job.toml", "--ledger", "new.ledger"], "--limit"),
        (["release", "job.toml", "--policy", "x.json", "--plan"], "--plan"),
        (["frontier", "job.toml"], "--from"),
        (["frontier", "job.toml", "--over", "epsilom", "--values", "1"], "did you mean 'epsilon'?"),
        (["frontier", "job.toml", "--from", "1", "--to", "inf"], "--from"),
        (["frontier", "job.toml", "--values", "1,x"], "--from"),
        (["frontier", "plan.toml", "--over", "floor", "--values", "1"], "of plans"),
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


def test_a_damaged_policy_is_refused_before_any_charge(folder: Path, policy: Path) -> None:
    data = json.loads(policy.read_text(encoding="utf-8"))
    data["calibration"]["scale"] /= 2
    (folder / "bad.json").write_text(json.dumps(data))
    words = ("--data", "d.csv", "--ledger", "d.ledger", "--limit", "2", "--key", "may")
    result = run("release", "--policy", "bad.json", *words, code=2)
    assert "is not a whole policy" in result.stderr
    assert not (folder / "d.ledger").exists()


def test_a_release_that_fails_before_its_charge_leaves_no_ledger(
    folder: Path, policy: Path
) -> None:
    words = ("--ledger", "d.ledger", "--limit", "2", "--key", "may")
    run("release", "--policy", policy, "--data", "nowhere.csv", *words, code=2)
    assert not (folder / "d.ledger").exists()


@pytest.mark.parametrize(
    "content",
    [f"demand,{D}\nother,{D}", f"demand,{D}x", f"[{D}, {D}]", f"client {D},{D}", "\udcff"],
)
def test_errors_about_data_quote_nothing_of_them(folder: Path, policy: Path, content: str) -> None:
    (folder / "d.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    result = run("release", "--policy", policy, "--data", "d.csv", code=2)
    assert "6.01" not in result.output
    assert "d.csv" in result.stderr
    assert "name,value" in result.stderr
    assert "client" not in result.output
    told = run("release", "--policy", policy, "--data", "d.csv", "--reveal", code=2)
    assert "PRIVATE" in told.stderr
    assert "--reveal" not in told.stderr
