"""`privopt choose`: every candidate is shown, what was chosen is kept, no private data are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import PROGRAM, TREE, flat, run, shown
from tests.cli.test_choosing import CHOSEN

import privopt as po
from privopt.networks.locate import find

D = (5.1234598761, 2.7182845907)  # the canaries


@pytest.fixture
def job(folder: Path) -> Path:
    """Two private entries: more than one candidate."""
    two = {"G": [[1, 1, 0], [0, 0, 1]], "upper": 9, "data_names": ["north", "south"]}
    (folder / "program.json").write_text(json.dumps(PROGRAM | two))
    (folder / "d.csv").write_text(f"north,{D[0]}\nsouth,{D[1]}\n")
    tree = TREE | CHOSEN | {"query": {"identity": ["coal"]}, "domain": {"lower": 2, "upper": 6}}
    (folder / "chosen.toml").write_text(toml(tree))
    return folder / "chosen.toml"


@pytest.mark.long
def test_all_candidates_are_shown_and_the_best_is_kept(folder: Path, job: Path) -> None:
    found = shown("choose chosen.toml --out i.json")
    made = po.Instrument.load(folder / "i.json")
    assert made.comparison is not None
    rows = found["candidates"]
    assert rows == made.comparison["candidates"]
    names = [row["candidate"] for row in rows]
    assert {"nothing", "total", "each"} <= set(names)
    best = min((row for row in rows if row.get("fresh")), key=lambda row: row["loss"])
    assert found["chosen"] == best["candidate"] == made.comparison["chosen"]
    assert found["sums"] == list(made.names)
    assert (found["private"], found["instrument"]) == (False, "i.json")
    assert found["epsilon"] == pytest.approx(1.0)
    assert 0 <= found["worth"]["tells"] <= 1
    said = run("choose chosen.toml")
    text = flat(said.stdout)
    for name in (*names, "PUBLIC", f"chosen: {found['chosen']}", "PROVEN", "tells, %", "without"):
        assert name in text
    assert "Not saved" in said.stderr
    assert "choosing what to measure" in said.stderr
    page = run("report i.json").output
    assert "i.html" in page


def test_other_epsilons_are_shown(folder: Path, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.epsilons_of", lambda *_: (8.0,))
    said = run("choose chosen.toml --out i.json").stdout
    assert "the same sums at other epsilons (SAMPLED)" in said
    curve = po.Instrument.load(folder / "i.json").curve
    assert curve is not None
    assert [point.epsilon for point in curve.points] == [0.0, 1.0, 8.0]


@pytest.mark.long
def test_no_private_data_are_read(folder: Path, job: Path) -> None:
    """The same bytes with data, with others, with none that could be read, and without a file."""
    run("choose chosen.toml --out i.json")
    content = (folder / "i.json").read_bytes()
    data = folder / "d.csv"
    for change in (lambda: data.write_text("north,nan\nsouth,secret\n"), data.unlink):
        change()
        again = run("choose chosen.toml --out i.json --overwrite --json")
        assert (folder / "i.json").read_bytes() == content
        assert not any(str(value)[:6] in again.output + content.decode() for value in D)


@pytest.mark.long
def test_the_loads_of_a_case_file_count_for_nothing(folder: Path) -> None:
    run("init --network 5_pjm --out net.toml")
    text = find("5_pjm").read_text()
    assert "300.0\t 98.61" in text
    other = text.replace("300.0\t 98.61", "123.0\t 98.61")
    for name, content in (("own", text), ("other", other)):
        (folder / f"{name}.m").write_text(content)
        flags = "--identity p[3] --epsilon 1 --alpha 0.01 --feasibility exact-box --eta 0.05"
        run(f"choose --case {name}.m", flags, f"--lower 0.5 --upper 1.5 --out {name}.json")
    assert (folder / "own.json").read_bytes() == (folder / "other.json").read_bytes()


@pytest.mark.long
def test_sums_that_the_job_names_are_a_candidate(folder: Path, job: Path) -> None:
    found = shown("choose chosen.toml --measure north;south --out own.json")
    program = po.PublicProgram.load("program.json").program
    asked = po.Identity(["coal"]), po.Laplace(epsilon=1.0, alpha=0.05), po.ExactBox(eta=0.05)
    same = po.choose_instrument(
        program, *asked, domain=po.Box(2.0, 6.0),
        candidates={"the job's own": {"sum[0]": ["north"], "sum[1]": ["south"]}},
    )  # fmt: skip
    assert po.Instrument.load("own.json").to_dict() == same.to_dict()
    own = next(row for row in found["candidates"] if row["candidate"] == "the job's own")
    assert own["sums"] == 2
    assert "loss" in own
    run("choose chosen.toml --out i.json")
    run("measure --no-ledger", job, "--measure i.json --out m.json")  # by hand, too
    assert (
        po.Measurement.load(folder / "m.json").names == po.Instrument.load(folder / "i.json").names
    )


def test_half_a_job_is_refused(folder: Path, job: Path) -> None:
    tree = TREE | CHOSEN
    for part in ("program", "query", "privacy", "feasibility", "domain"):
        rest = {name: entries for name, entries in tree.items() if name not in {part, "data"}}
        if part == "program":
            rest.pop("domain")
        (folder / "half.toml").write_text(toml(rest))
        assert f"no [{part}]" in run("choose half.toml", code=2).stderr
