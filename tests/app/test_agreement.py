"""A job beside a policy: what differs is named, what would do nothing is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.app.writing import flags, toml

import privopt as po
from privopt.app.agreement import job_beside
from privopt.errors import InputError

PROGRAM = {
    "privopt": "program", "version": 1, "linear": [1.0, 2.0, 3.0], "quadratic": [0.1, 0.1, 0.1],
    "G": [[1, 1, 1], [0, 0, 1]], "A": [[1, 1, 0]], "b": [7.5], "lower": 0, "upper": 4,
    "names": ["coal", "gas", "hydro"], "data_names": ["demand", "rain"],
}  # fmt: skip
TREE: dict[str, dict[str, Any]] = {
    "program": {"file": "program.json"},
    "query": {"identity": ["coal"]},
    "privacy": {"noise": "laplace", "epsilon": 1.0, "alpha": 0.05},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
    "domain": {"lower": [5.0, 1 / 3], "upper": [20 / 3, 1.1]},
    "design": {"floor": 1.0},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.json").write_text(json.dumps(PROGRAM))
    (tmp_path / "job.toml").write_text(toml(TREE))
    return tmp_path


def designed(privacy: Any, query: Any = None) -> po.Policy:
    program = po.PublicProgram.from_dict(PROGRAM).program
    box = po.Box([5.0, 1 / 3], [20 / 3, 1.1])
    query = query or po.Identity(["coal"])
    return po.design(program, query, privacy, po.ExactBox(eta=0.05), domain=box, floor=1.0)


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    return designed(po.Laplace(epsilon=1.0, alpha=0.05))


def refused(policy: po.Policy, file: str | None = None, **given: str) -> InputError:
    with pytest.raises(InputError) as caught:
        job_beside(policy, file, {name.replace("_", "-"): text for name, text in given.items()})
    return caught.value


def test_the_job_that_it_was_designed_for_agrees(folder: Path, policy: po.Policy) -> None:
    assert job_beside(policy, "job.toml").privacy == policy.privacy
    open_ = {name: part for name, part in TREE.items() if name not in ("feasibility", "design")}
    job_beside(policy, None, flags(open_))
    loaded = po.Policy.from_dict(policy.to_dict())
    job_beside(loaded, "job.toml", flags(open_))


def test_nothing_need_be_said(folder: Path, policy: po.Policy) -> None:
    assert job_beside(policy).source is None
    (folder / "empty.toml").write_text("[privacy]\n[query]\n[domain]\n")
    job_beside(policy, "empty.toml")
    for same in ({"epsilon": "1"}, {"alpha": "0.05"}, {"identity": "coal"}, {"identity": "0"}):
        job_beside(policy, None, same)
    job = job_beside(
        policy, None, {"lower": "5,0.3333333333333333", "upper": "6.666666666666667,1.1"}
    )
    assert job.domain is None  # it agreed; there is no program of the job that it belongs to


@pytest.mark.parametrize(
    ("flag", "text", "says"),
    [
        ("epsilon", "0.2", "epsilon is 0.2 in the job, 1 in the policy."),
        ("epsilon", "1.000001", "epsilon is 1.000001 in the job, 1 in the policy."),
        ("alpha", "0.5", "alpha is 0.5 in the job, 0.05 in the policy."),
        ("noise", "gaussian", "noise is gaussian in the job, laplace in the policy."),
        ("identity", "gas", "the query is gas in the job, coal in the policy."),
        ("sum", "coal", "the query is sum[0] in the job, coal in the policy."),
        ("upper", "6.5,1.1", "the domain of demand is 5 to 6.5 in the job, 5 to 6.66666"),
        ("lower", "5,0.3333", "the domain of rain is 0.3333 to 1.1 in the job, 0.33333333"),
    ],
)  # fmt: skip
def test_what_a_flag_says_otherwise_is_named(
    folder: Path, policy: po.Policy, flag: str, text: str, says: str
) -> None:
    error = refused(policy, "job.toml", **{flag: text})
    assert error.got.startswith(says)
    assert "privopt design" in error.remedy
    assert error.remedy.endswith(f"leave --{flag} out.")


def test_what_a_file_says_otherwise_is_named_and_all_of_it(folder: Path, policy: po.Policy) -> None:
    other = TREE | {"privacy": {"epsilon": 2.0, "alpha": 0.1}, "domain": {"lower": 0.0, "upper": 9}}
    (folder / "job.toml").write_text(toml(other))
    error = refused(policy, "job.toml", identity="gas")
    assert error.got == (
        "epsilon is 2 in the job, 1 in the policy; alpha is 0.1 in the job, 0.05 in the policy; "
        "the query is gas in the job, coal in the policy; the domain of demand is 0 to 9 in the "
        f"job, 5 to {policy.domain[1][0]:.10g} in the policy (and 1 more)."
    )
    assert error.remedy.endswith(
        "leave --identity out and correct [privacy] and [domain] of the job file."
    )


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("linear", [1.0, 2.0, 3.0001], "linear"),
        ("quadratic", [0.1, 0.1, 0.2], "quadratic"),
        ("A", [[1, 1.01, 0]], "A"),
        ("b", [7.4], "b"),
        ("G", [[1, 1, 1], [0, 0, 2]], "G"),
        ("upper", 5, "upper"),
        ("names", ["coal", "oil", "hydro"], "variables oil, coal, hydro (3)"),
        ("data_names", ["demand", "snow"], "entries of d snow, demand (2)"),
    ],
)
def test_another_program_is_named(
    folder: Path, policy: po.Policy, part: str, value: Any, says: str
) -> None:
    (folder / "program.json").write_text(json.dumps(PROGRAM | {part: value}))
    error = refused(policy, "job.toml")
    assert says in error.got
    assert error.remedy.endswith("correct [program] of the job file.")


def test_other_private_entries_are_named(folder: Path, policy: po.Policy) -> None:
    known = {"private": ["demand"], "data": {"rain": 0.5}}
    (folder / "program.json").write_text(json.dumps(PROGRAM | known))
    domain = {"domain": {"lower": 5.0, "upper": 6.0}}
    (folder / "job.toml").write_text(toml(TREE | domain))
    assert refused(policy, "job.toml").got == (
        "the program has the private entries demand (1) in the job, rain, demand (2) in the policy."
    )


def test_sums_of_other_variables_under_one_name(folder: Path) -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.05)
    made = designed(noise, po.Sum({"fuel": ["coal"]}))
    for groups, agrees in (({"fuel": ["coal"]}, True), ({"fuel": ["gas"]}, False)):
        (folder / "job.toml").write_text(toml(TREE | {"query": {"sum": groups}}))
        if agrees:
            job_beside(made, "job.toml")
        else:
            assert "adds up other variables" in refused(made, "job.toml").got


def test_gaussian_noise_by_flags_alone() -> None:
    made = designed(po.Gaussian(epsilon=0.9, delta=1e-6, alpha=0.05))
    job_beside(made, None, {"delta": "1e-6"})  # what is not said is as in the policy
    assert "delta is 0.001 in the job, 1e-06" in refused(made, delta="0.001").got
    assert "calibration is classical" in refused(made, calibration="classical").got
    laplace = refused(made, noise="laplace", epsilon="0.9", alpha="0.05")
    assert laplace.got == "noise is laplace in the job, gaussian in the policy."


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("floor", "1"), ("fidelity", "1"), ("within", "1"), ("rank", "1"), ("balance", "demand"),
        ("eta", "0.05"), ("feasibility", "joint"), ("phi", "0"), ("mu", "0.5"), ("seed", "1"),
        ("tolerance", "1e-6"), ("sensitivity", "1"), ("separate", "true"),
    ],
)  # fmt: skip
def test_flags_without_effect_are_refused(
    folder: Path, policy: po.Policy, flag: str, text: str
) -> None:
    error = refused(policy, "job.toml", **{flag: text})
    assert error.got.startswith(f"--{flag} has no effect beside --policy")
    assert f"leave --{flag} out" in error.remedy


def test_a_section_that_the_command_uses_is_taken(folder: Path, policy: po.Policy) -> None:
    job = job_beside(policy, "job.toml", {"eta": "0.1"}, used=("feasibility",))
    assert job.feasibility == po.ExactBox(eta=0.1)
    with pytest.raises(InputError, match="--floor"):
        job_beside(policy, "job.toml", {"eta": "0.1", "floor": "2"}, used=("feasibility",))


def test_who_is_protected_must_be_the_same(folder: Path, policy: po.Policy) -> None:
    owned = designed(po.Laplace(epsilon=1.0, alpha=0.05, owners=["ann", "ann"]))
    for same in ({}, {"owners": "7,7"}, {"alpha": "0.05,0.05", "owners": "x,x"}):
        job_beside(owned, None, same)
    total = refused(owned, owners="7,7", change="total")
    assert "in any private entries, in total by at most 0.05 in the job" in str(total)
    assert "of one owner (at most 2), each by at most 0.05 in the policy" in str(total)
    assert "in one private entry by at most 0.05 in the job" in str(refused(owned, owners="1,2"))
    assert "of one owner (at most 2)" in str(refused(policy, owners="1,1"))
    assert "alpha is 0.06 in the job, 0.05 in the policy" in str(refused(policy, alpha="0.06"))
