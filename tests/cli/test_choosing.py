"""`measure = "choose"`: sums are chosen once, kept, and taken from there; nothing of it is paid.

Inner: how often something was chosen is counted, which no output shows.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import PROGRAM, TREE, instrument, run, shown, spent, verb
from tests.cli.test_measure import COUNTED

import privopt as po

CHOSEN = {
    "domain": {"lower": 5.0, "upper": 7.0},
    "design": {"mechanism": "measured", "measure": "choose"},
}
CHOOSING = "choosing what to measure"
SAID = "as chosen before in"


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """How often something was chosen."""
    from privopt.app import making

    times: list[None] = []
    choose = making.choose_instrument

    def counting(*words: object, **more: object) -> po.Instrument:
        times.append(None)
        return choose(*words, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(making, "choose_instrument", counting)
    return times


@pytest.fixture
def job(folder: Path) -> Path:
    (folder / "chosen.toml").write_text(toml(TREE | CHOSEN))
    return folder / "chosen.toml"


@pytest.mark.long
def test_a_release_chooses_once_and_is_charged_once(
    folder: Path, job: Path, counted: list[None]
) -> None:
    words = ("release", job, COUNTED, "--key may --out r.json")
    dry = run(*words, "--dry-run")
    assert CHOOSING in dry.stderr
    assert "chosen: total" in dry.stderr
    kept = folder / "r.instrument.json"
    content = kept.read_bytes()
    assert not (folder / "d.ledger").exists()
    first = run(*words)
    assert SAID in first.stderr
    assert CHOOSING not in first.stderr
    assert "6.012345" not in dry.output + first.output + content.decode()
    measured = po.Measurement.load(folder / "r.measurement.json")
    assert measured.instrument.W.tolist() == [[1.0]]
    run(*words)  # replayed
    assert spent() == po.Budget(1)
    assert kept.read_bytes() == content
    kept.unlink()
    run(*words)  # the same again, since the draws are: it is the same request
    assert kept.read_bytes() == content
    assert spent() == po.Budget(1)
    assert len(counted) == 2


def test_a_measurement_that_was_stopped_goes_on_from_what_was_chosen(
    folder: Path, job: Path, counted: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    words = ("measure", job, COUNTED, "--key may --out m.json")
    with monkeypatch.context() as patch:
        patch.setattr("privopt.app.preparing.prepare_measurement", stopped)
        run(*words, code=130)
    assert (folder / "m.instrument.json").exists()
    assert not (folder / "d.ledger").exists()
    assert SAID in run(*words).stderr
    assert len(counted) == 1
    assert spent() == po.Budget(1)
    decided = shown("decide", job, "--measurement m.json")  # it chooses nothing
    assert decided["names"] == ["coal", "gas"]
    assert len(counted) == 1


@pytest.mark.long
def test_the_job_says_where_it_is_kept(folder: Path, job: Path, counted: list[None]) -> None:
    job.write_text(f'{job.read_text()}[output]\ninstrument = "sums.json"\nrelease = "r.json"\n')
    found = shown("choose", job)
    assert found["instrument"] == str(folder / "sums.json")
    for words in (
        "release --no-ledger", "measure --no-ledger --out m.json",
        "frontier --values 1",
    ):  # fmt: skip
        said = run(*verb(words, job))
        assert SAID in said.stderr
        assert "sums.json" in said.stderr
    assert (folder / "r.json").exists()
    assert len(counted) == 1
    refused = run("choose", job, code=2)
    assert "is there already" in refused.stderr
    run("choose", job, "--overwrite")
    assert len(counted) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "words", ["--epsilon 0.5", "--alpha 0.04", "--upper 8", "--program o.json"]
)
def test_what_was_chosen_for_another_job_is_not_used_and_stays(
    folder: Path, job: Path, words: str, counted: list[None]
) -> None:
    (folder / "o.json").write_text(json.dumps(PROGRAM | {"data_names": ["load"]}))
    (folder / "e.csv").write_text("load,6.0\n")
    job.write_text(f'{job.read_text()}[output]\ninstrument = "sums.json"\n')
    instrument().save(folder / "sums.json")
    content = (folder / "sums.json").read_bytes()
    assert f"{SAID} " in run("measure", job, "--dry-run").stderr
    data = "--data e.csv" if "o.json" in words else ""
    said = run("measure", job, "--dry-run", words, data)
    assert "sums.json is not used" in said.stderr.replace("\n", " ")
    assert "made for" in said.stderr
    assert len(counted) == 1
    assert (folder / "sums.json").read_bytes() == content


@pytest.mark.parametrize("content", ["", "{}", "{", '{"privopt": "instrument", "version": 1}'])
def test_a_file_that_holds_none_is_told_before_anything_is_charged(
    folder: Path, job: Path, content: str, counted: list[None]
) -> None:
    (folder / "r.instrument.json").write_text(content)
    said = run("release", job, COUNTED, "--key may --out r.json", code=2)
    assert "r.instrument.json" in said.stderr
    assert (folder / "r.instrument.json").read_text() == content
    assert sorted(path.name for path in folder.glob("r.*")) == ["r.instrument.json"]
    assert not (folder / "d.ledger").exists()
    assert not counted


@pytest.mark.parametrize(
    "words",
    [
        f"release {COUNTED} --key may",
        f"measure {COUNTED} --key may",
        "frontier --values 1",
    ],
)
def test_nothing_else_is_written_where_it_is_kept(
    folder: Path, job: Path, words: str, counted: list[None]
) -> None:
    job.write_text(f'{job.read_text()}[output]\ninstrument = "sums.json"\n')
    for more in ("", "--overwrite"):
        said = run(*verb(words, job), "--out sums.json", more, code=2)
        assert "is an input of this command" in said.stderr
    assert not (folder / "sums.json").exists()
    assert not (folder / "d.ledger").exists()
    assert not counted


@pytest.mark.long
def test_a_frontier_chooses_once(folder: Path, job: Path, counted: list[None]) -> None:
    found = shown("frontier", job, "--values 0.5,1,5")
    assert [point["status"] for point in found["points"]] == ["solved"] * 3
    assert len(counted) == 1
    assert not list(folder.glob("*instrument*"))  # there is no place where it would be kept


@pytest.mark.parametrize("words", ["--over phi", "--within 0.5"])
def test_a_frontier_that_cannot_be_is_refused_before_anything_is_chosen(
    job: Path, words: str, counted: list[None]
) -> None:
    said = run("frontier", job, "--values 1", words, code=2).stderr
    assert "of decisions: epsilon" in said or "within was given for simulated decisions" in said
    assert not counted


def test_sums_that_are_named_and_plans_choose_nothing(
    folder: Path, job: Path, counted: list[None]
) -> None:
    run("measure", job, "--measure each --dry-run")
    run("release", job, "--plan --dry-run")
    run("frontier", job, "--plan --values 1")
    assert not counted
    assert not list(folder.glob("*instrument*"))
