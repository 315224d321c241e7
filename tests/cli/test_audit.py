"""`privopt audit`: a network or a saved instrument, told in plain words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import flat, run, said

import privopt as po

SMALL = "audit 3_lmbd --samples 2000 --tries 40 --seed 2"
SAVED = "audit --instrument instrument.json --confidence 0.999999 --samples 1000"


@pytest.mark.long
def test_the_paper_is_refuted_on_a_network(folder: Path) -> None:
    text = said(SMALL, "--samples 6000 --out page.html")
    for part in ("3_lmbd, paper", "demand[3] by 0.1", "p[1]", "REFUTED", "never prove one", "1.69"):
        assert part in text, part
    assert "NOT REFUTED" not in text
    page = (folder / "page.html").read_text()
    assert "releases of d" in page
    assert "the event" in page


@pytest.mark.long
@pytest.mark.parametrize("mechanism", ["output", "naive"])
def test_json_is_all_that_is_printed(mechanism: str) -> None:
    result = run(SMALL, f"--mechanism {mechanism} --epsilon 2 --json")
    found = json.loads(result.stdout)
    assert found["claimed"] == pytest.approx(2.0)
    assert 0 <= found["epsilon"] <= found["computed"] + 0.5
    assert found["samples"] == 2000
    assert mechanism in found["of"]
    assert "audit: 4000 of 4000 releases done" in result.stderr


@pytest.fixture
def saved(folder: Path) -> po.Instrument:
    drawn = po.experiments.instance("3_lmbd", 2)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    total = {"total": drawn.program.data_names}
    made = po.Instrument(total, program=drawn.program, privacy=noise, domain=drawn.domain)
    made.save(folder / "instrument.json")
    return made


def files(d: Any, neighbour: Any) -> str:
    for name, values in (("a", d), ("b", neighbour)):
        Path(f"{name}.json").write_text(json.dumps(values))
    return "--data a.json --neighbour b.json"


@pytest.mark.usefixtures("saved")
def test_a_saved_instrument_on_two_files() -> None:
    by_name = {"demand[3]": 0.7, "demand[1]": 0.7, "demand[2]": 0.7}
    given = files(by_name, [0.7, 0.7, 0.8])
    Path("a.json").write_text("".join(f"{k},{v}\n" for k, v in by_name.items()))
    text = said(SAVED, given)
    assert "NOT REFUTED" in text
    assert "the instrument" in text


@pytest.mark.usefixtures("saved")
def test_a_saved_instrument_is_audited_at_its_worst_neighbours() -> None:
    text = flat(said(SAVED, "--out page.html"))
    for part in ("NOT REFUTED", "made-up neighbours, farthest apart", "they differ in demand["):
        assert part in text, part
    assert Path("page.html").stat().st_mode & 0o044  # made of public data: anyone may read it


@pytest.mark.long
def test_a_saved_measurement_is_audited(saved: po.Instrument) -> None:
    saved.measure([0.7, 0.7, 0.7]).save("m.json")
    found = json.loads(run(SAVED, "--instrument m.json --json").stdout)
    assert "the measurement" in found["of"]
    assert 0 <= found["epsilon"] <= found["claimed"]  # see `test_worst`


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    ("d", "neighbour", "says"),
    [
        ([0.7, 0.7, 0.7], [0.7, 0.7, 0.95], "no neighbours"),
        ([0.7, 0.7, 0.7], [0.7, 0.75, 0.75], "no neighbours"),
        ([0.7, 0.7, 0.7], [0.7, 0.7, 0.7], "no neighbours"),
        ([0.7, 0.7], [0.7, 0.7, 0.7], "holds 2 numbers"),
        ([0.7, 0.7, "0.777"], [0.7, 0.7, 0.7], "else than finite numbers"),
        ([0.7, 0.7, float("nan")], [0.7, 0.7, 0.7], "else than finite numbers"),
        ([0.7, 0.7, 10**400], [0.7, 0.7, 0.7], "no neighbours"),
        (0.777, [0.7, 0.7, 0.7], "holds 1 number without names"),
    ],
)
def test_data_that_will_not_do(d: Any, neighbour: Any, says: str) -> None:
    given = files(d, neighbour)
    text = said(SAVED, given, code=2)
    assert says in text
    assert "0.777" not in text
    assert "PRIVATE" not in text
    told = run(SAVED, given, "--reveal", code=2).stderr
    assert "PRIVATE" in told
    assert "--reveal" not in told


@pytest.mark.usefixtures("saved")
def test_a_refuted_claim_ends_with_1_where_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    words = f"{SAVED} {files([0.7, 0.7, 0.7], [0.7, 0.7, 0.8])} --samples 100"
    run(words, "--fail-if-refuted")
    monkeypatch.setattr("privopt.assess.Audit.refuted", property(lambda _: True))
    assert json.loads(run(words, "--fail-if-refuted --json", code=1).stdout)["samples"] == 100
    run(words)
