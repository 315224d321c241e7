"""`privopt measure`, and a release that measures and decides: charged once, and gone on from."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.processes import started
from tests.cli.running import TREE, flat, run, shown, spent

import privopt as po

MEASURED = {
    "domain": {"lower": 5.0, "upper": 7.0},
    "design": {"mechanism": "measured", "measure": "total"},
}
COUNTED = "--ledger d.ledger --limit 2"


@pytest.fixture
def job(folder: Path) -> Path:
    (folder / "measured.toml").write_text(toml(TREE | MEASURED))
    return folder / "measured.toml"


def test_a_measurement_is_charged_once_and_replayed(folder: Path, job: Path) -> None:
    words = ("measure", job, COUNTED, "--key may --out m.json")
    dry = shown(*words, "--dry-run")
    assert dry["charge"] == {"epsilon": "1", "delta": "0"}
    assert not (folder / "d.ledger").exists()
    first = run(*words)
    assert "6.012345" not in first.output  # d itself
    content = (folder / "m.json").read_bytes()
    again = run(*words, "--json")
    assert json.loads(again.stdout)["release"]["values"] == json.loads(content)["release"]["values"]
    assert (folder / "m.json").read_bytes() == content
    assert spent() == po.Budget(1)
    assert po.Measurement.load(folder / "m.json").names == ("total",)
    refused = run("measure", job, COUNTED, "--key june --out m.json", code=2)
    assert "Nothing was charged" in refused.stderr
    run("measure", job, COUNTED, "--key june --out june.json")
    run("measure", job, COUNTED, "--key july --out july.json", code=4)
    assert not (folder / "july.json").exists()


def test_what_a_decision_would_tell_is_said_before_the_charge(folder: Path, job: Path) -> None:
    """Where the job says what will be decided; that nothing can be is no reason not to measure."""
    words = ("measure", job, "--dry-run")
    good = shown(*words)
    assert good["worth"]["verdict"].endswith("of what varies in the answers")
    assert good["warnings"] == []
    poor = shown(*words, "--alpha 5")
    assert poor["worth"]["tells"] < 0.1
    assert "narrower than alpha" in poor["warnings"][-1]
    assert poor["warnings"][0] in flat(run(*words, "--alpha 5").stderr)
    none = shown(*words, "--identity coal,gas,hydro")  # they add up to the demand
    assert none["worth"] is None
    assert "No decision of this job" in none["warnings"][0]
    bare = shown("measure", job, "--dry-run --feasibility joint --beta 0.01")
    assert "No decision of this job" in bare["warnings"][0]


def test_a_release_measures_decides_and_is_replayed(folder: Path, job: Path) -> None:
    words = ("release", job, COUNTED, "--key may --out r.json")
    dry = shown(*words, "--dry-run")
    assert dry["mechanism"] == "measurement"
    assert 0 <= dry["worth"]["tells"] <= 1
    assert not (folder / "d.ledger").exists()
    first = shown(*words)
    made = {name: (folder / name).read_bytes() for name in (
        "r.json", "r.measurement.json", "r.decision.json",
    )}  # fmt: skip
    assert first["mechanism"] == "decision"
    decision = po.Decision.load(folder / "r.decision.json")
    assert first["rests_on"] == [po.Measurement.load(folder / "r.measurement.json").digest]
    assert decision.release().to_dict() == po.Release.load(folder / "r.json").to_dict()
    assert shown(*words) == first
    assert {name: (folder / name).read_bytes() for name in made} == made
    assert spent() == po.Budget(1)
    run("verify --release r.json --ledger d.ledger")
    run("verify --release r.json --decision r.decision.json --ledger d.ledger")
    alone = "verify --decision r.decision.json --ledger d.ledger --samples 100"
    assert "Partly confirmed" in run(alone, code=1).stdout
    for name in made:
        run("report", name)


def test_a_release_within_a_distance_decides_so_and_refuses_before_the_charge(
    folder: Path, job: Path
) -> None:
    words = ("release", job, COUNTED, "--key may --out r.json --within")
    run(*words, "1e-4", code=3)
    assert not (folder / "d.ledger").exists()
    free = shown("release", job, "--dry-run")["worth"]["distance"]
    first = shown(*words, 2 * free)
    assert po.Decision.load(folder / "r.decision.json").distance <= 2 * free
    assert shown(*words, 2 * free) == first
    assert spent() == po.Budget(1)


def test_a_query_that_cannot_be_decided_is_refused_before_the_charge(
    folder: Path, job: Path
) -> None:
    words = ("release", job, COUNTED, "--key may --out r.json")
    run(*words, "--identity coal,gas,hydro", code=2)  # they add up to the demand
    run(*words, "--feasibility joint --beta 0.01", code=2)
    run(*words, "--lower 0 --upper 11.9 --measure nothing", code=3)
    assert not (folder / "d.ledger").exists()
    assert not (folder / "r.measurement.json").exists()


@pytest.mark.long
def test_a_killed_process_is_gone_on_from(
    folder: Path, job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between measure and decide: the same command goes on, and pays nothing again."""
    (folder / "sitecustomize.py").write_text(
        "import privopt.app.preparing as p, time\n"
        "p.decided = lambda *_: time.sleep(600)\n"  # the trial has its own
    )
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    words = ("release", job, COUNTED, "--key may --out r.json")
    process = started(folder, words)
    kept = folder / "r.measurement.json"
    until = time.monotonic() + 300
    while not kept.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (folder / "sitecustomize.py").unlink()
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    measured = po.Measurement.load(kept)
    assert spent() == po.Budget(1)
    assert not (folder / "r.json").exists()
    refused = run("release --no-ledger", job, "--out r.json", code=2)  # without its key
    assert f"privopt decide --measurement {'r.measurement.json'}" in refused.stderr
    run(*words)
    assert po.Release.load(folder / "r.json").rests_on == (measured.digest,)
    run("decide", job, "--measurement r.measurement.json --out d.json")
    assert (
        po.Release.load(folder / "d.release.json").values.tolist()
        == po.Release.load(folder / "r.json").values.tolist()
    )
    assert spent() == po.Budget(1)


def test_two_results_in_one_file_are_refused(folder: Path, job: Path) -> None:
    job.write_text(f'{job.read_text()}[output]\nrelease = "x.json"\ndecision = "x.json"\n')
    said = run("release --no-ledger", job, code=2).stderr
    assert "the release and the decision would both be written" in said
