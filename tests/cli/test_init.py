"""`privopt init --program`: a job for any program, with what is to be decided left open."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from tests.app.writing import arguments
from tests.cli.running import TREE, run, shown

import privopt as po
from privopt.networks.locate import find


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = po.ConvexProgram(
        linear=[0.0, 1.0, 2.0, 3.0], quadratic=[0.1] * 4, G=[[0, 1, 1, 1], [1, 0, 0, 0]],
        d=[6.0, 2.5], lower=0, upper=4, names=["held", 'co"al', "gas, oil", "hydro"],
        data_names=['demand, "north"', "rain"], private=['demand, "north"'],
    )  # fmt: skip
    po.PublicProgram(made).save("program.json")


def test_it_names_what_has_to_be_filled_in() -> None:
    said = run("init --program program.json --out job.toml --data d.csv").stderr
    assert "fill in alpha and the domain" in said
    tree = tomllib.loads(Path("job.toml").read_text())
    assert tree["program"] == {"file": "program.json"}
    assert tree["data"] == {"file": "d.csv"}
    assert tree["query"] == {"identity": ['co"al']}  # an equality fixes the first variable
    for command in ("measure", "solve", "release", "verify"):
        refused = run(command, "job.toml", code=2)
        assert refused.stdout == ""
        names = "[privacy] alpha, [domain] lower, [domain] upper of the job file"
        assert f'{names} are still "?"' in refused.stderr
        assert "fill them in" in refused.stderr
    part = run("measure job.toml --alpha 0.05 --upper 7", code=2).stderr
    assert '[domain] lower of the job file is still "?"' in part


def test_filled_in_it_runs() -> None:
    run("init --program program.json --out job.toml --data d.csv")
    text = Path("job.toml").read_text()
    for name, value in (("alpha", "0.05"), ("lower", "5.0"), ("upper", "7.0")):
        text = text.replace(f'{name} = "?"', f"{name} = {value}")
    Path("job.toml").write_text(text)
    words = "release --no-ledger job.toml --json"
    assert "d.csv has values that are not filled in" in run(words, code=2).stderr
    assert "demand" in run(words, "--reveal", code=2).stderr.partition("no finite number")[2]
    data = Path("d.csv").read_text()
    assert data.splitlines()[2] == "rain,2.5"  # public: it is in the program file
    Path("d.csv").write_text(data.replace('north""",', 'north""",6.5'))
    assert shown("release --no-ledger job.toml")["names"] == ['co"al']
    run("solve job.toml")


def test_by_flags_it_runs_unfilled() -> None:
    run("init --program program.json --out job.toml")
    assert "data" not in tomllib.loads(Path("job.toml").read_text())
    Path("d.csv").write_text('name,value\n"demand, ""north""",6.5\nrain,2.5\n')
    given = "--data d.csv --alpha 0.05 --lower 5 --upper 7"
    run("measure job.toml --no-ledger", given)


def test_paths_are_those_from_the_job() -> None:
    Path("sub").mkdir()
    run("init --program program.json --out sub/job.toml")
    tree = tomllib.loads(Path("sub/job.toml").read_text())
    assert Path("sub", tree["program"]["file"]).resolve() == Path("program.json").resolve()
    said = run("init --program program.json").stdout
    assert tomllib.loads(said)["program"] == {"file": "program.json"}


def test_what_cannot_be_is_refused() -> None:
    assert "--network and --program were given" in run(
        "init --program program.json --network 5_pjm", code=2
    ).stderr  # fmt: skip
    run("init --program none.json", code=2)
    fixed = po.ConvexProgram(linear=[1.0], G=[[1]], d=[1.0], lower=0, upper=4)
    po.PublicProgram(fixed).save("fixed.json")
    assert "can carry noise" in run("init --program fixed.json", code=2).stderr


def test_of_a_network_it_has_its_loads_and_sums_that_do_not_take_long() -> None:
    for network, measure in (("14_ieee", "choose"), ("118_ieee", "total")):
        tree = tomllib.loads(run("init --network", network).stdout)
        assert (tree["design"]["measure"], tree["design"]["mechanism"]) == (measure, "measured")
    run("init --network 5_pjm --out job.toml --data loads.csv")
    program = po.networks.load("5_pjm").program(unit="MW")
    assert po.read_data("loads.csv", program).d.tolist() == program.d.tolist()
    assert program.d[1] == 300.0  # as the case file has it


@pytest.mark.parametrize("where", ["co", "rain"])
def test_half_a_character_in_a_name_is_refused(where: str) -> None:
    """JSON can hold one, TOML and CSV cannot."""
    text = Path("program.json").read_text()
    Path("program.json").write_text(text.replace(where, f"{where}\\ud800"))
    said = run("init --program program.json --out job.toml --data d.csv", code=2)
    assert "holds half a character" in said.stderr
    assert "\\ud800" in said.stderr
    assert not Path("job.toml").exists()
    assert not Path("d.csv").exists()


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


@pytest.mark.long
def test_data_that_a_network_brings_along_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("init --network 5_pjm --out job.toml")
    shutil.copy(find("5_pjm"), "own.m")
    own = "No data were given: these are the loads of"
    values = "--over epsilon --values 2"
    for words in (
        "solve job.toml",
        "release --no-ledger job.toml",
        "verify job.toml --plan --samples 10",
        f"frontier job.toml --plan {values}",
    ):
        result = run(words, "--json")
        assert f"{own} the PGLib network 5_pjm" in result.stderr
        json.loads(result.stdout)
    case = {"case": "own.m"}, {"identity": ["p[3]"]}, {"epsilon": 1.0, "alpha": 0.01}
    tree = dict(zip(("program", "query", "privacy"), case, strict=True))
    said = run("solve", *arguments(TREE | tree | {"data": {}})).stderr
    assert f"{own} the case file own.m" in said
    run("init --network 5_pjm --out filled.toml --data loads.csv")
    assert own not in run("release --no-ledger filled.toml").stderr
    assert own not in run("frontier job.toml", values).stderr
