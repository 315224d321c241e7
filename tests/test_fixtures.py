"""Files of older versions go on loading: same values, same charges, same refusals.

The files in `fixtures/v0_1_0` were written by that version, and `facts.json` beside them says what
was true then; `make.py` there made both. Those in `fixtures/before_rooms` are of the last commit
before the modules were moved into rooms, in the formats of 0.2.0. Each test works on a copy. What a
newer version may do to them: migrate a ledger, round a charge up by a hair, say a claim in other
words. What it may not: forget a charge, draw again under a key that was released, give other values
for the same file.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import clamping
from typer.testing import CliRunner

import privopt as po
from privopt.cli import app
from privopt.errors import BudgetExceededError, BurntError, InputError, KeyUsedError
from privopt.experiments import Table1, run
from privopt.kernel import wire
from privopt.ledger.composition import compose

AGES = ("v0_1_0", "before_rooms")
FIXTURES = Path(__file__).parent / "fixtures"
OLD = FIXTURES / "v0_1_0"
ALL: dict[str, Any] = {age: json.loads((FIXTURES / age / "facts.json").read_text()) for age in AGES}
FACTS = ALL["v0_1_0"]
DEMAND = [6.25]
HAIR = 1e-6  # relative: what a charge may have been rounded up by
DRAWN = {"laplace", "gaussian", "truncated", "shared"}


@pytest.fixture
def age() -> str:
    """Which version's files, where a test does not say."""
    return "v0_1_0"


@pytest.fixture
def old(tmp_path: Path, age: str) -> Path:
    """A copy of everything."""
    shutil.copytree(FIXTURES / age, tmp_path / "old")
    return tmp_path / "old"


def each(kind: str) -> pytest.MarkDecorator:
    """Every file of a kind, with what was true of it when it was written."""
    cases = [(age, name, fact) for age in AGES for name, fact in sorted(ALL[age][kind].items())]
    return pytest.mark.parametrize(
        ("age", "name", "fact"), cases, ids=[f"{name}, {age}" for age, name, _ in cases]
    )


policies, releases, ledgers = each("policies"), each("releases"), each("ledgers")


def test_the_files_are_few_and_small() -> None:
    sizes = [file.stat().st_size for file in FIXTURES.rglob("*") if file.is_file()]
    assert sum(sizes) < 1_500_000


@policies
def test_a_policy_is_the_same_policy(old: Path, name: str, fact: dict[str, Any]) -> None:
    policy = po.Policy.load(old / f"policies/{name}.json")
    assert policy.names == tuple(fact["names"])
    for ours, theirs in (
        (policy.cost, fact["cost"]),
        (policy.loss, fact["loss"]),
        (policy.distance, fact["distance"]),
        (policy.sensitivity, fact["level"]),
    ):
        assert ours == pytest.approx(theirs, rel=HAIR)
    assert np.allclose(policy.domain, fact["domain"], rtol=0, atol=1e-9)
    for end, values in zip(policy.domain, fact["ends"], strict=True):
        exact = policy.map.at(end) * 2.0 ** -(policy.map.fine + policy.map.coarse)
        assert np.allclose(exact.astype(float), values, rtol=0, atol=1e-9)
    for text in (repr(policy), policy.summary(), policy._repr_html_()):
        assert "PROVEN" in text


@policies
def test_a_policy_releases_at_its_price(old: Path, name: str, fact: dict[str, Any]) -> None:
    policy = po.Policy.load(old / f"policies/{name}.json")
    lower, upper = policy.domain
    d = np.zeros(policy.program.G.shape[0])
    d[policy.program.private] = 0.5 * (lower + upper)
    made = policy.release(d)
    assert made.names == tuple(fact["names"])
    assert made.epsilon == pytest.approx(fact["epsilon"], rel=HAIR)
    assert made.delta == pytest.approx(fact["delta"], rel=HAIR)
    assert made.scale == pytest.approx(fact["scale"], rel=1e-4)
    assert (made.epsilon > 0) == (name in DRAWN)
    middle = 0.5 * np.sum(fact["ends"], axis=0)
    assert np.abs(made.values - middle).max() <= 60 * made.scale + 1e-9
    assert made.guarantee.privacy.provenance is po.Provenance.PROVEN


@policies
def test_a_policy_saved_again_is_the_same(
    old: Path, tmp_path: Path, name: str, fact: dict[str, Any]
) -> None:
    """But for its digest: a file with today's claims is another file."""
    policy = po.Policy.load(old / f"policies/{name}.json")
    policy.save(tmp_path / "again.json")
    again = po.Policy.load(tmp_path / "again.json")
    assert again.to_dict() == policy.to_dict()
    assert set(again.request.differences(policy.request)) <= {"subject"}
    again.save(tmp_path / "third.json")
    assert po.Policy.load(tmp_path / "third.json").request == again.request


def test_a_policy_completes_and_verifies(old: Path) -> None:
    policy = po.Policy.load(old / "policies/laplace.json")
    release = po.Release.load(old / "releases/policy.json")
    z = policy.complete(DEMAND, release).z
    assert z.sum() == pytest.approx(DEMAND[0])
    assert z[0] == pytest.approx(release.values[0])
    assert policy.verify(samples=500).violation.value <= 0.2


@releases
def test_a_release_says_what_it_said(old: Path, name: str, fact: dict[str, Any]) -> None:
    release = po.Release.load(old / f"releases/{name}.json")
    assert release.values.tolist() == fact["values"]
    assert release.names == tuple(fact["names"])
    for part in ("epsilon", "delta", "alpha", "scale", "mechanism"):
        assert getattr(release, part) == fact[part]
    assert (None if release.ledger is None else release.ledger.row) == fact["row"]
    # The ground of a certificate may have turned out weaker since; none became stronger.
    if not name.startswith("certified"):
        assert release.guarantee.privacy.provenance.value == fact["privacy"]
    assert release.guarantee.feasibility.provenance.value == fact["feasibility"]
    assert f"{release.values[0]:.6g}" in release.summary()


@pytest.mark.parametrize("path", ["releases/may_counted.json", "policies/gaussian.json"])
def test_their_pages_can_be_written(old: Path, path: str) -> None:
    result = CliRunner().invoke(app, ["report", str(old / path)])
    assert result.exit_code == 0, result.output
    assert (old / path).with_suffix(".html").stat().st_size > 1000


def opened(old: Path, name: str) -> po.Ledger:
    return po.Ledger(old / f"ledgers/{name}.ledger")


@ledgers
def test_a_ledger_has_spent_what_it_had(old: Path, name: str, fact: dict[str, Any]) -> None:
    with opened(old, name) as ledger:
        report = ledger.verify()
        assert ledger.spent == po.Budget(*fact["spent"])
        assert ledger.left == po.Budget(*fact["left"])
        assert ledger.limit == po.Budget(*fact["limit"])
        assert (ledger.dataset, ledger.subject.alpha) == (fact["dataset"], fact["alpha"])
        assert (report.charges, report.released) == (fact["charges"], fact["released"])
        assert report.rows >= fact["head"][0]
        assert compose(ledger, 1e-3).epsilon == pytest.approx(fact["composed"], rel=HAIR)
    with opened(old, name) as ledger:  # after a migration, and a second look
        assert ledger.verify().spent == po.Budget(*fact["spent"])


@ledgers
def test_a_ledger_can_be_looked_at(old: Path, name: str, fact: dict[str, Any]) -> None:
    """Before it is migrated, and at the command line."""
    path = old / f"ledgers/{name}.ledger"
    with po.Ledger(path, read_only=True) as ledger:
        assert ledger.spent == po.Budget(*fact["spent"])
        assert len([event for event in ledger.events if event.charge != po.Budget(0)]) >= 3
    for word in ("show", "verify"):
        result = CliRunner().invoke(app, ["ledger", word, str(path)])
        assert result.exit_code == 0, result.output
        assert fact["spent"][0] in result.output


@ledgers
def test_a_head_noted_then_is_still_the_head(old: Path, name: str, fact: dict[str, Any]) -> None:
    with opened(old, name) as ledger:
        row, digest = fact["head"]
        assert ledger.verify((row, digest)).charges == fact["charges"]
        other = ("1" if digest[0] == "0" else "0") + digest[1:]
        with pytest.raises(po.errors.LedgerError):
            ledger.verify((row, other))


@ledgers
def test_burnt_keys_stay_burnt(old: Path, name: str, fact: dict[str, Any]) -> None:
    policy = po.Policy.load(old / "policies/laplace.json")
    with opened(old, name) as ledger:
        burnt = {event.key for event in ledger.events if event.kind == "charge"} - {None}
        assert burnt - set(fact["keys"]) == set(fact["burnt"])
        for key in fact["burnt"]:
            with pytest.raises(BurntError):
                policy.release(DEMAND, ledger, key)
        assert ledger.spent == po.Budget(*fact["spent"])


def never(*_: object) -> bytes:
    raise AssertionError("the data was read")


def draws_nothing(patch: pytest.MonkeyPatch) -> None:
    """From here on, noise is an error (its charge is not)."""
    patch.setattr("opendp.mod.Measurement.__call__", never)


@ledgers
def test_keys_replay_the_same_bytes(old: Path, name: str, fact: dict[str, Any]) -> None:
    """Every key, under the request that the ledger holds for it."""
    with opened(old, name) as ledger:
        for event in ledger.events:
            if event.key not in fact["keys"] or event.request is None:
                continue
            stored = ledger.charge(event.request, never, event.key)
            release = wire.read(po.Release, stored, "it")
            assert release.values.tolist() == fact["keys"][event.key]
            assert release.ledger is not None
            assert release.ledger.row == event.row
            kept = old / f"releases/{event.key}_counted.json"
            if name == "closed":
                data = json.loads(kept.read_text())
                assert json.loads(stored) == data
        assert ledger.spent == po.Budget(*fact["spent"])


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize(
    ("name", "key"),
    [("closed", "may"), ("nearly", "0"), ("nearly", "8"), ("killed", "first"), ("killed", "kept"),
     ("newborn", "kept"), ("closed", "free")],
)  # fmt: skip
def test_a_saved_policy_replays_its_release(old: Path, age: str, name: str, key: str) -> None:
    """An old policy file and the ledger beside it still know each other: nothing is drawn again."""
    kind, fact = "constant" if key == "free" else "laplace", ALL[age]["ledgers"][name]
    policy = po.Policy.load(old / f"policies/{kind}.json")
    with opened(old, name) as ledger:
        release = policy.release(DEMAND, ledger, key)
        assert release.replayed
        assert release.values.tolist() == fact["keys"][key]
        assert ledger.spent == po.Budget(*fact["spent"])


ONE, KEPT = po.Identity(["coal"]), po.Analytic(eta=0.1)


def supplied(**other: Any) -> po.ConvexProgram:
    given: dict[str, Any] = {"linear": [1.0, 2.0, 3.0], "upper": 4, **other}
    return po.ConvexProgram(
        quadratic=[0.1, 0.2, 0.3], G=[[1, 1, 1]], d=DEMAND, lower=0,
        names=["coal", "gas", "hydro"], data_names=["demand"], **given,
    )  # fmt: skip


def assumed(factor: float = 2.0, kept: Any = KEPT, **other: Any) -> po.Plan:
    noise = po.Laplace(epsilon=0.1, alpha=0.01, sensitivity=po.Assumed(factor))
    return po.solve(supplied(**other), ONE, noise, kept)


def repeated() -> po.Plan:
    noise, again = po.Gaussian(epsilon=0.1, delta=1e-6, alpha=0.01), po.Repeat(mu=0.01)
    return po.solve(supplied(), ONE, noise, KEPT, repeat=replace(again, test="public"))


AGAIN: dict[tuple[str, str], Any] = {
    ("closed", "assumed"): assumed,
    ("closed", "sampled"): lambda: po.solve(
        supplied(),
        ONE,
        po.Laplace(epsilon=0.1, alpha=0.01, sensitivity=po.Sampled(1.5)),
        KEPT,
    ),
    ("closed", "repeated"): repeated,
    ("closed", "output"): lambda: po.output_perturbation(
        supplied(), ONE, po.Laplace(epsilon=0.1, alpha=0.01)
    ),
    ("nearly", "half"): lambda: po.output_perturbation(
        supplied(), ONE, po.Laplace(epsilon=0.05, alpha=0.01)
    ),
}


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize(("name", "key"), AGAIN)
def test_a_plan_solved_again_replays_its_release(
    old: Path, age: str, name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its claims were in the request in other words: those of its own output are taken."""
    made, fact = AGAIN[name, key](), ALL[age]["ledgers"][name]
    draws_nothing(monkeypatch)
    with opened(old, name) as ledger:
        release = made.release(ledger, key)
        assert release.replayed
        assert release.values.tolist() == fact["keys"][key]
        assert release.guarantee.privacy.stated
        assert ledger.spent == po.Budget(*fact["spent"])


OTHERS: dict[str, Any] = {
    "cost": lambda: assumed(linear=[1.0, 2.0, 3.5]),
    "limits": lambda: assumed(upper=5),
    "eta": lambda: assumed(kept=po.Analytic(eta=0.2)),
    "margins": lambda: assumed(kept=po.Analytic(eta=0.1, margin="unimodal")),
    "all rows": lambda: assumed(kept=po.ExactBox(eta=0.1)),
    "factor": lambda: assumed(factor=2.5),
    "another mechanism": AGAIN["closed", "output"],
    "a label that no longer holds": lambda: po.input_perturbation(
        supplied(), ONE, po.Laplace(epsilon=0.1, alpha=0.01)
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_another_plan_under_an_old_key_is_refused(
    old: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = OTHERS[what]()
    draws_nothing(monkeypatch)
    key = "input" if what.startswith("a label") else "assumed"
    with opened(old, "closed") as ledger:
        with pytest.raises(KeyUsedError):
            made.release(ledger, key)
        assert ledger.spent == po.Budget(*FACTS["ledgers"]["closed"]["spent"])


def test_what_is_left_can_be_spent_and_no_more(old: Path) -> None:
    policy = po.Policy.load(old / "policies/laplace.json")
    with opened(old, "nearly") as ledger:
        with pytest.raises(BudgetExceededError):
            policy.release(DEMAND, ledger, "new")
        assert ledger.spent == po.Budget("0.95")
    with opened(old, "killed") as ledger:
        for k in range(5):
            policy.release(DEMAND, ledger, f"new {k}")
        assert float(ledger.spent.exact[0]) == pytest.approx(0.9, rel=HAIR)
        assert ledger.verify().charges == FACTS["ledgers"]["killed"]["charges"] + 5


def test_another_alpha_is_still_refused(old: Path) -> None:
    gaussian = po.Policy.load(old / "policies/gaussian.json")
    with opened(old, "closed") as ledger, pytest.raises(po.errors.LedgerError, match="alpha"):
        gaussian.release([2.0, 1.5, 2.5, 0.0], ledger)


def test_a_program_file_is_the_same_program(old: Path) -> None:
    saved = po.PublicProgram.load(old / "programs/saved.json")
    assert saved.program.data_names == ("a", "b", "c", "meter")
    assert saved.program.private.tolist() == [0, 1, 2]
    assert saved.data == {"meter": 0.0}
    hand = po.PublicProgram.load(old / "programs/by_hand.json").program.at([6.0])
    # Marginal costs 1 + 0.2 x = 2 + 0.2 y where both run; coal is at its limit, 4.
    assert hand.solve().z == pytest.approx([4.0, 2.0, 0.0], abs=1e-6)


def command(*words: object) -> Any:
    result = CliRunner().invoke(app, clamping(words))
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("kind", ["plan", "policy"])
def test_a_frontier_is_where_it_was(old: Path, kind: str) -> None:
    values = ("--over", "epsilon", "--values", "0.2,0.5,1", "--json")
    points = command("frontier", old / f"jobs/{kind}.toml", *values)["points"]
    for ours, theirs in zip(points, FACTS["frontiers"][kind], strict=True):
        assert (ours["value"], ours["status"]) == (theirs["value"], theirs["status"])
        if theirs["cost"] is not None:
            assert ours["cost"] == pytest.approx(theirs["cost"], rel=1e-5)


def test_an_audit_computes_what_it_computed() -> None:
    words = ("audit", "3_lmbd", "--seed", "2", "--samples", "500", "--tries", "20", "--json")
    assert command(*words)["computed"] == pytest.approx(FACTS["audit"]["computed"], rel=1e-4)


@pytest.mark.parametrize("kind", ["plan", "policy", "zones", "network"])
def test_a_job_runs(old: Path, kind: str) -> None:
    made = command("release", "--no-ledger", old / f"jobs/{kind}.toml", "--json")
    assert len(made["values"]) == {"plan": 2, "zones": 2}.get(kind, 1)
    assert made["ledger"] is None


def test_a_job_with_ledger_and_output_runs_twice_and_pays_once(old: Path) -> None:
    job = old / "jobs/release.toml"
    first, second = (command("release", job, "--json") for _ in range(2))
    assert first == second
    assert po.Release.load(old / "jobs/release.json").values.tolist() == first["values"]
    with po.Ledger(old / "jobs/policy.ledger") as ledger:
        assert ledger.dataset == "demand of May"
        assert float(ledger.spent.exact[0]) == pytest.approx(0.5, rel=HAIR)


@pytest.mark.long
def test_a_stopped_study_goes_on(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the versions it was begun with: what was done is kept, what is missing is run."""
    journal = old / "stopped/table1.journal"
    begun = journal.read_bytes()
    whole = begun[: begun.rindex(b"\n") + 1]
    assert len(whole) < len(begun)
    first = json.loads(begun.partition(b"\n")[0])["conditions"]
    monkeypatch.setattr("privopt.experiments.runner.versions", lambda: first["versions"])
    study = Table1(networks=("3_lmbd", "5_pjm"), runs=2, samples=100)
    seen: list[int] = []
    results = run(study, journal.parent, progress=lambda done, _: seen.append(done))
    assert seen[0] == whole.count(b"\n") - 1 > 0
    assert journal.read_bytes().startswith(whole)
    then = json.loads((old / "finished/table1.json").read_text())["rows"]
    kept = [row for row in results.summary if row["algorithm"] != "measured"]  # added since
    assert [row["network"] for row in results.summary if row not in kept] == ["3_lmbd", "5_pjm"]
    for ours, theirs in zip(kept, then, strict=True):
        assert (ours["network"], ours["algorithm"]) == (theirs["network"], theirs["algorithm"])
        if theirs["loss_mean"] is not None:
            assert ours["loss_mean"] == pytest.approx(theirs["loss_mean"], rel=1e-4, abs=1e-6)


def test_a_study_of_other_versions_is_refused_and_kept(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privopt.experiments.runner.versions", lambda: {"privopt": "9"})
    journal = old / "stopped/table1.journal"
    before = journal.read_bytes()
    study = Table1(networks=("3_lmbd", "5_pjm"), runs=2, samples=100)
    with pytest.raises(InputError, match="other conditions"):
        run(study, journal.parent)
    assert journal.read_bytes() == before


def test_the_page_of_a_finished_folder(old: Path) -> None:
    page = Path(command("report", old / "finished", "--json")["page"])
    for name, sections in (
        ("report.html", ("table1", "table2", "figure2")),
        ("certified.html", ("certified",)),
        ("loads.html", ("loads",)),
    ):
        text = page.with_name(name).read_text(encoding="utf-8")
        for section in sections:
            assert f'id="{section}"' in text
