"""Bad input to commands that measure and decide: told plainly, nothing charged, no file touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import PROGRAM, TREE, D, run

import privopt as po

MEASURED = {
    "domain": {"lower": 5.0, "upper": 7.0},
    "design": {"mechanism": "measured", "measure": "total"},
}
COUNTED = ("--ledger", "d.ledger", "--limit", "2", "--key", "new", "--out", "new.json")
DECIDED = ("--measurement", "m.json", "--out", "new.json")


def instrument(name: str = "demand", alpha: float = 0.05, lower: float = 5.0) -> po.Instrument:
    program = po.PublicProgram.from_dict(PROGRAM | {"data_names": [name]}).program
    noise, domain = po.Laplace(epsilon=1.0, alpha=alpha), po.Box(lower, 7.0)
    return po.Instrument([1.0], program=program, privacy=noise, domain=domain)


@pytest.fixture
def stocked(folder: Path) -> Path:
    """A job, what was measured for it, and files of other data, alphas, domains and datasets."""
    (folder / "job.toml").write_text(toml(TREE | MEASURED))
    alpha = {"privacy": TREE["privacy"] | {"alpha": 0.07}}
    (folder / "alpha.toml").write_text(toml(TREE | MEASURED | alpha))
    other = {"program": {"file": "other.json"}, "data": {"file": "other.csv"}}
    (folder / "other.toml").write_text(toml(TREE | MEASURED | other))
    (folder / "other.json").write_text(json.dumps(PROGRAM | {"data_names": ["other"]}))
    (folder / "other.csv").write_text("name,value\nother,6.1\n")
    for name, dataset in (("m", "d"), ("june", "june")):
        with po.Ledger(f"{dataset}.ledger", limit=po.Budget(2.0), dataset=dataset) as ledger:
            instrument().measure([D], ledger, "may").save(f"{name}.json")
    instrument("other").save("i_other.json")
    instrument(alpha=0.07).save("i_alpha.json")
    instrument("other").measure([D]).save("m_other.json")
    instrument(lower=4.0).measure([D]).save("m_domain.json")
    (folder / "cut.json").write_text((folder / "m.json").read_text()[:300])
    (folder / "zones.csv").write_text("entry,zone\nzz,a\n")
    (folder / "twice.csv").write_text("entry,zone\ndemand,a\ndemand,a\n")
    (folder / "nan.csv").write_text("name,value\ndemand,nan\n")
    (folder / "names.csv").write_text(f"name,value\nzz,{D}\n")
    return folder


def state(folder: Path) -> dict[str, bytes]:
    """All files but those of the ledger, which is looked at by its rows."""
    with po.Ledger(folder / "d.ledger", read_only=True) as ledger:
        rows = str(ledger.events).encode()
    files = [item for item in folder.iterdir() if not item.name.startswith("d.ledger")]
    return {item.name: item.read_bytes() for item in files} | {"rows": rows}


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        (["measure", "job.toml", "--measure", "zones.csv", *COUNTED], "no private entry", 2),
        (["measure", "job.toml", "--measure", "twice.csv", *COUNTED], "an entry twice", 2),
        (["measure", "job.toml", "--measure", "i_other.json", *COUNTED], "other data", 2),
        (["measure", "job.toml", "--measure", "i_alpha.json", *COUNTED], "other noise", 2),
        (["measure", "job.toml", "--measure", "cut.json", *COUNTED], "no JSON", 2),
        (["measure", "job.toml", "--data", "nan.csv", *COUNTED], "finite numbers", 2),
        (["measure", "job.toml", "--data", "names.csv", *COUNTED], "1 of 1 missing", 2),
        (["measure", "job.toml", "--lower", "8", *COUNTED], "do not fit", 2),
        (["measure", "job.toml", "--alpha", "1e90", *COUNTED], "the whole domain", 2),
        (["measure", "job.toml", "--epsilon", "5", *COUNTED], "is left", 4),
        (["measure", "alpha.toml", *COUNTED], "alpha is 0.07", 2),
        (["measure", "other.toml", *COUNTED], "private set", 2),
        (["measure", "job.toml", *COUNTED[:-1], "d.ledger"], "an input of this command", 2),
        (["release", "job.toml", "--measure", "zones.csv", *COUNTED], "no private entry", 2),
        (["release", "job.toml", "--data", "nan.csv", *COUNTED], "finite numbers", 2),
        (["release", "alpha.toml", *COUNTED], "alpha is 0.07", 2),
        (["decide", "job.toml", "--measurement", "cut.json"], "JSON", 2),
        (["decide", "job.toml", "--measurement", "i_alpha.json"], "not a measurement", 2),
        (["decide", "job.toml", "--measurement", "d.ledger"], "it is a ledger", 2),
        (["decide", "job.toml", "--measurement", "m_other.json"], "other data", 2),
        (["decide", "job.toml", "--measurement", "m_domain.json"], "4 to 7", 2),
        (["decide", "job.toml", "--measurement", "june.json", *DECIDED], "ledgers of", 2),
        (["decide", "other.toml", *DECIDED], "other data", 2),
        (["decide", "alpha.toml", *DECIDED], "alpha is 0.07", 2),
        (["decide", "job.toml", "--eta", "0", *DECIDED], "eta is 0", 2),
        (["decide", "job.toml", *DECIDED[:-1], "m.json"], "an input of this command", 2),
        (["choose", "job.toml", "--out", "d.ledger", "--overwrite"], "ledger", 2),
    ],
    ids=lambda part: " ".join(part[:4]) if isinstance(part, list) else "",
)
def test_nothing_is_charged_or_written(
    stocked: Path, words: list[str], says: str, code: int
) -> None:
    before = state(stocked)
    result = run(*words, code=code)
    assert says in " ".join(result.stderr.split())
    assert str(D)[:6] not in result.output
    assert result.stdout == ""
    assert state(stocked) == before
