"""`privopt audit`: a network or a saved instrument, told in plain words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import privopt as po
from privopt.cli.audit import audit
from privopt.cli.errors import Commands
from privopt.cli.networks import networks

app = typer.Typer(cls=Commands)
app.command()(audit)
app.command()(networks)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["audit", *arguments], env={"COLUMNS": "160"})


SMALL = ("--samples", "2000", "--tries", "40", "--seed", "2")


@pytest.mark.long
def test_the_paper_is_refuted_on_a_network(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("3_lmbd", *SMALL, "--samples", "6000", "--out", str(page))
    assert result.exit_code == 0, result.output
    for part in ("3_lmbd, paper", "demand[3] by 0.1", "p[1]", "REFUTED", "never prove one", "1.69"):
        assert part in result.stdout, part
    assert "NOT REFUTED" not in result.stdout
    text = page.read_text(encoding="utf-8")
    assert "releases of d" in text
    assert "the event" in text


@pytest.mark.long
@pytest.mark.parametrize("mechanism", ["output", "naive"])
def test_json_is_all_that_is_printed(mechanism: str) -> None:
    result = run("3_lmbd", *SMALL, "--mechanism", mechanism, "--epsilon", "2", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["claimed"] == pytest.approx(2.0)
    assert 0 <= found["epsilon"] <= found["computed"] + 0.5
    assert found["samples"] == 2000
    assert mechanism in found["of"]
    assert "audit: 4000 of 4000 releases done" in result.stderr


@pytest.fixture(scope="module")
def instrument(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = po.experiments.instance("3_lmbd", 2)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    total = {"total": drawn.program.data_names}
    made = po.Instrument(total, program=drawn.program, privacy=noise, domain=drawn.domain)
    path = tmp_path_factory.mktemp("instrument") / "instrument.json"
    made.save(path)
    return path


def files(folder: Path, d: Any, neighbour: Any) -> list[str]:
    for name, values in (("a", d), ("b", neighbour)):
        (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    return ["--data", str(folder / "a.json"), "--neighbour", str(folder / "b.json")]


def test_a_saved_instrument_on_two_files(instrument: Path, tmp_path: Path) -> None:
    by_name = {"demand[3]": 0.7, "demand[1]": 0.7, "demand[2]": 0.7}
    given = files(tmp_path, by_name, [0.7, 0.7, 0.8])
    (tmp_path / "a.json").write_text("".join(f"{k},{v}\n" for k, v in by_name.items()))
    common = ("--samples", "1000", "--confidence", "0.999999")
    result = run("--instrument", str(instrument), *given, *common)
    assert result.exit_code == 0, result.output
    assert "NOT REFUTED" in result.stdout
    assert "the instrument" in result.stdout


def test_a_saved_instrument_is_audited_at_its_worst_neighbours(
    instrument: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    common = ("--samples", "1000", "--confidence", "0.999999", "--out", str(page))
    result = run("--instrument", str(instrument), *common)
    assert result.exit_code == 0, result.output
    for part in ("NOT REFUTED", "made-up neighbours, farthest apart", "they differ in demand["):
        assert part in " ".join(result.stdout.split()), part
    assert page.stat().st_mode & 0o044  # made of public data: anyone may read it


@pytest.mark.long
def test_a_saved_measurement_is_audited(instrument: Path, tmp_path: Path) -> None:
    po.Instrument.load(instrument).measure([0.7, 0.7, 0.7]).save(tmp_path / "measurement.json")
    result = run(
        "--instrument", str(tmp_path / "measurement.json"), "--samples", "1000", "--json",
        "--confidence", "0.999999",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert "the measurement" in found["of"]
    assert 0 <= found["epsilon"] <= found["claimed"]  # see `test_worst`


@pytest.mark.parametrize(
    ("d", "neighbour", "says"),
    [
        ([0.7, 0.7, 0.7], [0.7, 0.7, 0.95], "no neighbours"),
        ([0.7, 0.7, 0.7], [0.7, 0.75, 0.75], "no neighbours"),
        ([0.7, 0.7, 0.7], [0.7, 0.7, 0.7], "no neighbours"),
        ([0.7, 0.7], [0.7, 0.7, 0.7], "holds 2 numbers"),
        ({"load": 0.777}, [0.7, 0.7, 0.7], "3 of 3 missing"),
        ([0.7, 0.7, "0.777"], [0.7, 0.7, 0.7], "else than finite numbers"),
        ([0.7, 0.7, float("nan")], [0.7, 0.7, 0.7], "else than finite numbers"),
        ([0.7, 0.7, 10**400], [0.7, 0.7, 0.7], "no neighbours"),
        (0.777, [0.7, 0.7, 0.7], "holds 1 number without names"),
    ],
)
def test_data_that_will_not_do(
    instrument: Path, tmp_path: Path, d: Any, neighbour: Any, says: str
) -> None:
    words = ("--instrument", str(instrument), *files(tmp_path, d, neighbour))
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.output
    assert "0.777" not in result.output
    assert "PRIVATE" not in result.output
    told = run(*words, "--reveal")
    assert told.exit_code == 2
    assert "PRIVATE" in told.stderr
    assert "--reveal" not in told.stderr


def test_a_refuted_claim_ends_with_1_where_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, instrument: Path, tmp_path: Path
) -> None:
    words = ("--instrument", str(instrument), *files(tmp_path, [0.7, 0.7, 0.7], [0.7, 0.7, 0.8]))
    common = ("--samples", "100", "--fail-if-refuted", "--json")
    assert run(*words, *common).exit_code == 0
    monkeypatch.setattr("privopt.assess.Audit.refuted", property(lambda _: True))
    result = run(*words, *common)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["samples"] == 100
    assert run(*words, "--samples", "100").exit_code == 0


@pytest.mark.long
def test_what_is_missing_is_named(instrument: Path, tmp_path: Path) -> None:
    for arguments, says in (
        ([], "nothing to audit was named"),
        (["--instrument", str(instrument), *files(tmp_path, [1], [1])[:2]], "one file of data"),
        (
            ["3_lmbd", "--instrument", str(instrument), *files(tmp_path, [1], [1])],
            "or with a network",
        ),
        (
            ["--instrument", str(tmp_path / "none.json"), *files(tmp_path, [1], [1])],
            "there is no file",
        ),
        (["3_lmbd", "--out", str(tmp_path / "none" / "page.html")], "make the folder first"),
        (["3_lmbdd"], "3_lmbd"),
        (["3_lmbd", "--samples", "100", "--confidence", "2"], "confidence is 2"),
        (["3_lmbd", "--epsilon", "-1"], "epsilon"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert says in result.output
        assert "Traceback" not in result.output


def test_help_has_an_example() -> None:
    assert "Example" in run("--help").output
