"""A job is the same as a file and as flags; what stands where, and what leads out of a file."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from tests.app.writing import arguments, toml
from tests.cli.running import DOMAIN, NETWORK, PROGRAM, TREE, run, shown
from tests.cli.test_tree import COMMANDS

import privopt as po

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"
PAGE = DOCS.read_text()
JOB = ("advise", "check", "choose", "decide", "frontier", "measure", "release", "solve", "verify")
PLAN = {name: NETWORK[name] for name in ("program", "query", "privacy", "feasibility")}
OPTIONS = {
    path[0]: {one: option for option in command.params for one in option.opts}
    for path, command in COMMANDS
    if path[0] in JOB
}


def test_every_command_of_a_job_has_its_flags_and_no_other() -> None:
    for row in (
        "solve --data --lower", "frontier --lower --limit", "release --ledger --over",
        "verify --ledger --out", "frontier --out --ledger", "choose --measure --data",
    ):  # fmt: skip
        name, has, hasnt = row.split()
        assert has in OPTIONS[name]
        assert hasnt not in OPTIONS[name]


def test_every_entry_of_the_page_is_a_flag_with_the_same_help() -> None:
    """Private values alone have none: they would stay in the history of the shell."""
    rows = re.findall(r"^\|[^|]*\| `(\w+)` \| (?:`--([\w-]+)`|none).*\| ([^|]*) \|$", PAGE, re.M)
    known = {flag: one.help for options in OPTIONS.values() for flag, one in options.items()}
    for _, flag, words in rows:
        assert not flag or known[f"--{flag}"].startswith(words), flag
    outputs = {"decision", "instrument", "measurement", "page", "release"}
    assert {name for name, flag, _ in rows if not flag} == {"values"} | outputs
    assert {flag for _, flag, _ in rows} > {"epsilon", "data", "lower", "limit", "out"}


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, name in (("toml", "job.toml"), ("json", "program.json")):
        found = re.search(rf"```{kind}\n(.*?)```", PAGE, flags=re.DOTALL)
        assert found
        Path(name).write_text(found[1])
    Path("demand.csv").write_text("demand,6\n")
    for words in ("frontier job.toml --values 1", "solve job.toml", "release job.toml --no-ledger"):
        run(words)
    said = re.search(r"The same as flags: `(.*?)`", PAGE, flags=re.DOTALL)
    assert said
    assert shown("solve", " ".join(said[1].split()[:-4])) == shown("solve job.toml")


def test_a_file_and_flags_print_the_same(folder: Path) -> None:
    assert shown("solve plan.toml") == shown("solve", *arguments(TREE))
    assert shown("solve plan.toml --epsilon 2") == shown(
        "solve", *arguments(TREE | {"privacy": {"epsilon": 2.0, "alpha": 0.05}})
    )
    values = "frontier --values 1"
    assert shown(values, "job.toml") == shown(values, *arguments(TREE | DOMAIN))


def test_a_network_with_public_loads_from_file_and_flags(folder: Path) -> None:
    part = {"network": "5_pjm", "model": "matpower", "private": ["demand[2]", 3]}
    tree = PLAN | {"program": part, "query": {"identity": ["p[3]"]}, "domain": {"around": 0.1}}
    (folder / "net.toml").write_text(toml(tree))
    measured = "--no-ledger --measure each --alpha 0.01 --out"
    run("measure net.toml", measured, "a.json")
    run("measure", *arguments(tree), measured, "b.json")
    file, flags = (po.Measurement.load(f"{name}.json") for name in "ab")
    assert file.instrument == flags.instrument
    assert file.names == ("demand[2]", "demand[4]")
    loads = po.networks.load("5_pjm").buses.demand[[1, 3]]
    assert file.domain[1] == pytest.approx(1.1 * loads)


def test_public_entries_are_those_of_the_program_file(folder: Path) -> None:
    two = {"G": [[1, 1, 1], [0, 1, 0]], "data_names": ["demand", "contract"], "private": [0]}
    program = po.PublicProgram.from_dict(PROGRAM | two).program.at([6.0, 1.25])
    po.PublicProgram(program).save("known.json")
    (folder / "d.csv").write_text("name,value\ncontract,1.25\ndemand,6\n")
    asked = "plan.toml --program known.json --identity coal"
    assert shown("solve", asked)["cost"] == pytest.approx(
        po.solve(
            program, po.Identity(["coal"]), po.Laplace(epsilon=1.0, alpha=0.05),
            po.ExactBox(eta=0.05),
        ).cost
    )  # fmt: skip
    run("release", asked, "--lower 5 --upper 7 --no-ledger --out r.json")
    assert po.Decision.load("r.decision.json").names == ("coal",)


def test_domains_by_list_table_and_file(folder: Path) -> None:
    low = {f"demand[{k}]": float(k) for k in (3, 1, 2)}
    (folder / "low.csv").write_text("".join(f"{k},{v}\n" for k, v in low.items()))
    tree = PLAN | {"program": {"network": "3_lmbd"}, "query": {"identity": ["p[1]"]}}
    for name, lower in {"a": [1.0, 2.0, 3.0], "b": low, "c": "low.csv"}.items():
        (folder / "net.toml").write_text(toml(tree | {"domain": {"lower": lower, "upper": 9}}))
        run("measure net.toml --no-ledger --measure each --out", f"{name}.json")
        ends = po.Measurement.load(f"{name}.json").domain
        assert [list(end) for end in ends] == [[1.0, 2.0, 3.0], [9.0] * 3]


def test_a_linear_query_of_a_file(folder: Path) -> None:
    """By name in any order, or a bare matrix; what is neither is refused."""
    asked = "solve plan.toml --linear S.csv"
    (folder / "S.csv").write_text(",hydro,gas,coal\nboth,0,0.5,1\n")
    named = shown(asked)
    assert named["released"] == ["both"]
    (folder / "S.csv").write_text("1,0.5,0\n")
    assert shown(asked)["cost"] == named["cost"]
    for bad in ("", "a,b\n1", "1,x\n2,y", "\xff"):
        (folder / "S.csv").write_bytes(bad.encode("latin-1"))
        assert "no matrix S" in run(asked, code=2).stderr


def test_dots_in_values_and_comments_are_no_keys(folder: Path) -> None:
    """Lists of numbers, texts and rows of dots."""
    text = f"# {'.' * 99} [x]\n[settings]\nseed = 1 # a.b{'.c' * 99}\n[ledger]\n"
    text += f"key = \"{'.' * 99}\"\ndataset = '{'a.' * 99}'\n"
    (folder / "plan.toml").write_text(toml(TREE) + text)
    run("solve plan.toml")
    numbers = TREE | {"data": {"values": [1.5] * 100}}
    (folder / "plan.toml").write_text(toml(numbers))
    assert "100 numbers" in run("solve plan.toml", code=2).stderr


@pytest.mark.parametrize(
    "values",
    ["[1.0, 12345.678, 'x']", "12345.678", "[12345.678,, ]", "{a = 12345.678, b = 'x'}",
     "[12345.678, 1.0]"],
)  # fmt: skip
def test_private_values_are_in_no_message(folder: Path, values: str) -> None:
    tree = {name: entries for name, entries in TREE.items() if name != "data"}
    (folder / "plan.toml").write_text(f"{toml(tree)}[data]\nvalues = {values}\n")
    said = run("solve plan.toml", code=2).output
    assert "12345" not in said
    assert "at line" not in said


@pytest.mark.parametrize(
    ("end", "name"),
    [("lower", "d.csv"), ("upper", "hard.csv"), ("lower", "soft.csv"), ("upper", "sub/../d.csv")],
)
def test_the_data_do_not_become_the_public_domain_unasked(
    folder: Path, end: str, name: str
) -> None:
    (folder / "sub").mkdir()
    os.link("d.csv", "hard.csv")
    (folder / "soft.csv").symlink_to("d.csv")
    domain = {"domain": {"lower": 5.0, "upper": 7.0} | {end: name}}
    (folder / "job.toml").write_text(toml(TREE | domain))
    for words in ("measure", "release", "verify --samples 10", "frontier --values 1"):
        said = run(words, "job.toml", code=2).stderr
        assert f"{name}, the file of the private data" in said
        assert "6.01" not in said
        assert "--data-are-public" in said
    run("measure job.toml --no-ledger --data-are-public --out m.json")
    ends = po.Measurement.load(folder / "m.json").domain
    assert ends[("lower", "upper").index(end)][0] == pytest.approx(6.012345)
    shutil.copy("d.csv", "other.csv")  # another file of bounds is public
    run("measure job.toml --no-ledger", f"--{end} other.csv")


@pytest.mark.parametrize(
    ("lower", "upper"), [(-1e308, 1e308), (1e308, 1.1e308), (0.0, 1e200), (-1e101, 0.0)]
)
def test_a_domain_beyond_what_squares_hold_is_refused(lower: float, upper: float) -> None:
    for ends in ((lower, upper), ([0.0, lower], [1.0, upper])):
        with pytest.raises(po.errors.InputError, match="bound of the domain"):
            po.Box(*ends)


def test_paths_are_relative_to_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    before = shown("solve plan.toml")
    monkeypatch.chdir(folder / "elsewhere")
    assert shown("solve ../plan.toml") == before


@pytest.mark.long
@pytest.mark.parametrize("network", ["14_ieee", "5_pjm"])
def test_the_first_file_runs_as_it_is(folder: Path, network: str) -> None:
    (folder / "job.toml").write_text(run("init --network", network).stdout)
    run("init --out other.toml --network", network)
    assert Path("other.toml").read_bytes() == Path("job.toml").read_bytes()
    run("init --out other.toml", code=2)
    (folder / "sub").mkdir()
    run("init --out filled.toml --data sub/loads.csv --network", network)
    assert shown("solve filled.toml") == shown("solve job.toml")
    loads = Path("sub/loads.csv").read_text()
    Path("sub/loads.csv").write_text(loads.replace("demand[2]", "demand[two]"))
    run("solve filled.toml", code=2)
    run("verify job.toml --plan --samples 1000")
    run("release job.toml --ledger loads.ledger --limit 2.0 --key may --out release.json")
    run("report release.json")
    run("frontier job.toml --over epsilon --values 1,2")
