"""The script in the folder: right about sensitivities, without packages, and hard to deceive."""

from __future__ import annotations

import ast
import json
import math
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from tests.kernel.instruments import program, random_instrument
from tests.report.evidence import forging
from tests.report.evidence.conftest import World

import privopt as po
from privopt.noise import secure
from privopt.report.evidence import recompute
from privopt.report.evidence.making import make_evidence

Forge = Callable[[Path], None]


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(Path(recompute.__file__).read_text(encoding="utf-8"))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        )
        if name
    }
    assert names == {
        "__future__", "collections", "decimal", "fractions", "hashlib", "html", "json", "math",
        "pathlib", "re", "sys", "time", "typing",
    }  # fmt: skip


def test_what_was_made_passes(made_once: Path) -> None:
    assert forging.run(made_once) == (0, [])


def first(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


def change(pattern: str, edit: Callable[[Any], None]) -> Forge:
    def forge(folder: Path) -> None:
        path = first(folder, pattern)
        data = forging.read(path)
        edit(data)
        path.write_text(json.dumps(data))

    return forge


def edit_row(number: int, *, chain: bool = False, **values: str) -> Forge:
    def forge(folder: Path) -> None:
        found = forging.rows(folder)
        found[number - 1] |= values
        if chain:
            forging.chained(found)
        forging.write_rows(folder, found)

    return forge


def drop_row(folder: Path) -> None:
    forging.write_rows(folder, forging.rows(folder)[:-1])


def twice(data: Any) -> None:
    data["map"]["matrix"][0] = [2 * v for v in data["map"]["matrix"][0]]


def smaller(data: Any) -> None:
    data["calibration"]["scale"] /= 2


def another(data: Any) -> None:
    data["values"][0] += 1.0


FORGED = {
    "a gain of an instrument": (change("instruments/*.json", twice), "sensitivity recomputed"),
    "the scale of an instrument": (change("instruments/*.json", smaller), "recomputed"),
    "a released value": (change("releases/row-2-*.json", another), "the output of row 2"),
    "the row of a release": (
        change("releases/row-2-*.json", lambda data: data["ledger"].update(row=4)), "its charge",
    ),
    "a measured value": (
        change("measurements/row-4-*.json", lambda data: another(data["release"])), "row 4",
    ),
    "a decided value": (change("releases/row-4-*.json", another), "the release of decision"),
    "a charge": (edit_row(2, epsilon="1"), "row 2:"),
    "a time": (edit_row(2, time="2020-01-01T00:00:00Z"), "row 2:"),
    "a request": (edit_row(2, request="{}"), "row 2:"),
    "a charge, with a new chain": (edit_row(2, chain=True, epsilon="1"), "row 2:"),
    "a limit, with a new chain": (
        edit_row(5, chain=True, limit_epsilon="1" + "0" * 32), "row 5: the limit",
    ),
    "a row that is gone": (drop_row, "it is the output of row 14"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_a_forgery_fails_under_its_own_manifest(what: str, evidence: Path) -> None:
    forge, says = FORGED[what]
    forge(evidence)
    code, failed = forging.run(evidence)
    assert code == 1
    assert "CHANGED" in failed[0]  # the manifest of the original
    forging.listed(evidence)
    code, failed = forging.run(evidence)
    assert code == 1
    assert any(says in line for line in failed), failed


def test_a_manifest_that_is_changed_fails(evidence: Path) -> None:
    (evidence / "releases" / "more.json").write_text("{}")
    assert any("NOT LISTED" in line for line in forging.run(evidence)[1])
    (evidence / "releases" / "more.json").unlink()
    first(evidence, "instruments/*.json").unlink()
    assert any("MISSING" in line for line in forging.run(evidence)[1])
    (evidence / "manifest.json").write_text("{}")
    assert forging.run(evidence)[0] == 1
    (evidence / "manifest.json").unlink()
    assert forging.run(evidence)[0] == 1


def test_a_consistent_copy_passes(evidence: Path) -> None:
    """So that what fails above fails by arithmetic."""
    forging.consistent(evidence, forging.subjects(evidence))
    assert forging.run(evidence) == (0, [])


def of_all(pattern: str, edit: Callable[[Any], None]) -> Forge:
    def forge(folder: Path) -> None:
        for path in folder.glob(pattern):
            change(f"{path.parent.name}/{path.name}", edit)(folder)

    return forge


def requested(**values: Any) -> Forge:
    """Another request in each row that charged a measurement."""

    def forge(folder: Path) -> None:
        found = forging.rows(folder)
        for row in found:
            asked = json.loads(row.get("request", "{}"))
            if asked.get("mechanism") == "measurement":
                row["request"] = forging.canonical(asked | values).decode()
        forging.write_rows(folder, found)

    return forge


def in_release(edit: Callable[[Any], None]) -> Forge:
    return of_all("measurements/*.json", lambda data: edit(data["release"]))


def tiny(data: Any) -> None:
    data["calibration"] |= {"sensitivity": 1e-12, "scale": 1e-12}


def nobody(data: Any) -> None:
    data["noise"]["owners"] = ["x"]
    tiny(data)


def other_alpha(data: Any) -> None:
    data["noise"]["alpha"] = 1e-9


def promise(data: Any) -> None:
    data["guarantee"]["privacy"]["terms"]["epsilon"] = 0.0


def far(folder: Path) -> None:
    found = forging.rows(folder)
    for row in found[1:]:
        if "time" in row:
            row["time"] = "9999-99-99T99:99:99Z"
    forging.write_rows(folder, found)


FITTED: dict[str, tuple[Forge, str]] = {
    "owners that are no numbers": (of_all("instruments/*.json", nobody), "owners"),
    "an alpha that only the noise has": (
        of_all("instruments/*.json", other_alpha), "for its neighbours",
    ),
    "a scale that only the instrument has": (of_all("instruments/*.json", tiny), "recomputed"),
    "a grid that takes for ever": (
        of_all("instruments/*.json", lambda data: data["map"].update(coarse=10**7)), "grids",
    ),
    "noise that nobody knows": (
        of_all("instruments/*.json", lambda data: data["noise"].update(kind="Laplace2")), "known",
    ),
    "a promise of more": (in_release(promise), "its numbers"),
    "values beside the grid": (
        in_release(lambda data: data.update(values=[math.pi] * 2)), "on the grid",
    ),
    "a request of other noise": (requested(scale=1e9, noise="Gaussian"), "for its neighbours"),
    "a request of others": (requested(private="9:" + "0" * 64), "for its neighbours"),
    "a date that is none": (far, "its time"),
}  # fmt: skip


@pytest.mark.parametrize("what", FITTED)
def test_who_makes_everything_fit_is_found_by_what_is_said_twice(what: str, evidence: Path) -> None:
    """Chain, digests, manifest, sums and page are made anew around the edit."""
    forge, says = FITTED[what]
    old = forging.subjects(evidence)
    forge(evidence)
    forging.consistent(evidence, old)
    code, failed = forging.run(evidence)
    assert code == 1
    assert any(says in line for line in failed), failed
    assert not [line for line in failed if "SHA" in line or "index.html" in line], failed


def test_a_row_that_was_redacted_keeps_its_maker(world: World, tmp_path: Path) -> None:
    """Its request is blanked; the digest that is left is that of the instrument's request."""
    ledger = Path(shutil.copy(world.ledger, tmp_path / "loads.ledger"))
    with po.Ledger(ledger) as opened:
        opened.redact(4)
    folder = tmp_path / "e"
    files = [world.folder / f"{name}-laplace.json" for name in ("measurement", "instrument")]
    assert make_evidence(ledger, files, folder).sound
    assert "request" not in forging.rows(folder)[3]
    path = first(folder, "measurements/*.json")
    data = forging.read(path)
    (part,) = data["parts"].values()
    part["noise"]["alpha"] = 1e-9
    data["instrument"] = data["release"]["maker"] = forging.digest(part)
    data["parts"] = {data["instrument"]: part}
    path.write_text(json.dumps(data))
    forging.listed(folder)
    assert any("for its neighbours" in line for line in forging.run(folder)[1])


def in_other_units(decision: Any) -> None:
    decision["units"]["data"] = "GW"


def promised_privacy(decision: Any) -> None:
    terms = {"about": "privacy", "epsilon": 1e-6, "delta": 0.0, "alpha": 1e6, "family": "laplace"}
    decision["guarantee"]["feasibility"] |= {"scope": "neighbours", "terms": terms}


def no_number(decision: Any) -> None:
    decision["guarantee"]["privacy"]["terms"]["delta"] = False  # for Python it equals 0.0


def counted_twice(decision: Any) -> None:
    decision["measurements"] *= 2
    decision["guarantee"]["privacy"]["terms"]["epsilon"] *= 2


def of_other_neighbours(decision: Any) -> None:
    """A decision on an instrument that measures nothing, and that hides a million of each entry."""
    parts = decision["parts"]
    (old,) = decision["measurements"]
    instrument = dict(parts[parts.pop(old)["instrument"]])
    del parts[forging.digest(instrument)]
    instrument |= {"names": [], "calibration": None}
    instrument["map"] = {**instrument["map"], "matrix": [], "offset": []}
    instrument["noise"] = {**instrument["noise"], "alpha": 1e6}
    key = forging.digest(instrument)
    nothing = {"privopt": "measurement", "version": 2, "instrument": key, "release": None}
    decision["measurements"] = [forging.digest(nothing)]
    parts |= {key: instrument, forging.digest(nothing): nothing}
    terms = {"epsilon": 0.0, "delta": 0.0, "alpha": 1e6, "family": ""}
    decision["guarantee"]["privacy"]["terms"] |= terms


DECIDED: dict[str, tuple[Callable[[Any], None], str]] = {
    "units": (in_other_units, "its unit"),
    "a promise of privacy in the place of feasibility": (promised_privacy, "what it promises"),
    "a delta that is no number": (no_number, "and no more"),
    "a measurement that counts twice": (counted_twice, "counts twice"),
    "neighbours that the ledger does not know": (of_other_neighbours, "its neighbours"),
}


@pytest.mark.parametrize("what", DECIDED)
def test_a_decision_says_what_follows_from_its_parts(what: str, evidence: Path) -> None:
    """No ledger holds a decision, so its release is made to fit it, and the folder to fit both."""
    forge, says = DECIDED[what]
    path = first(evidence, "decisions/*.json")
    data = forging.read(path)
    forge(data)
    path.write_text(json.dumps(data))
    records = {**data["parts"], forging.digest(data): data}
    for release in evidence.glob("releases/*.json"):
        if forging.read(release)["mechanism"] == "decision":
            release.write_text(json.dumps(recompute.decided(data, records)))
    forging.listed(evidence)
    code, failed = forging.run(evidence)
    assert code == 1
    assert any(says in line for line in failed), failed


def a_page(folder: Path) -> None:
    page = folder / "index.html"
    page.write_text(page.read_text().replace("ε 4.9", "ε 0.1"))


def a_link(folder: Path) -> None:
    (folder / "plans").symlink_to(folder.parent)


def a_linked_file(folder: Path) -> None:
    path = first(folder, "releases/*.json")
    elsewhere = Path(shutil.copy(path, folder.parent / "elsewhere.json"))
    path.unlink()
    path.symlink_to(elsewhere)


def a_nan(folder: Path) -> None:
    change("instruments/*.json", lambda data: data["noise"].update(owners=[math.nan]))(folder)


def of_nobody_known(folder: Path) -> None:
    change("releases/*.json", lambda data: data.update(privopt="Release"))(folder)


def of_nothing(folder: Path) -> None:
    """A decided release that rests on nothing, and on no decision."""
    data = forging.read(first(folder, "measurements/row-4-*.json"))["release"]
    data |= {"privopt": "release", "version": 3, "mechanism": "decision", "ledger": None}
    data |= {"epsilon": 0.0, "rests_on": [], "maker": "0" * 64}
    (folder / "releases" / "more.json").write_text(json.dumps(data))


def listed_by_hand(folder: Path) -> None:
    """A manifest and sums of what is there, whatever it is: without the help of the script."""
    path = folder / "manifest.json"
    manifest, there = forging.read(path), sorted(p for p in folder.rglob("*") if p.is_file())
    skipped = ("manifest.json", "SHA256SUMS")
    manifest["files"] = {
        str(p.relative_to(folder)): forging.sha(p.read_bytes())
        for p in there
        if p.name not in skipped
    }
    path.write_text(json.dumps(manifest))
    sums = dict(manifest["files"])
    sums["manifest.json"] = forging.sha(path.read_bytes())
    (folder / "SHA256SUMS").write_text("".join(f"{sums[n]}  {n}\n" for n in sorted(sums)))


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (a_page, "index.html is the page"),
        (a_link, "is a link"),
        (a_linked_file, "is a link"),
        (of_nobody_known, "'Release' is not known"),
        (a_nan, "NaN is no number"),
        (of_nothing, "its decision is not in the folder"),
    ],
)
def test_what_is_not_of_the_folder_fails(forge: Forge, says: str, evidence: Path) -> None:
    forge(evidence)
    listed_by_hand(evidence)
    code, failed = forging.run(evidence)
    assert code == 1
    assert any(says in line for line in failed), failed
    assert not [line for line in failed if "SHA" in line], failed


def test_a_part_is_of_the_kind_that_is_named(evidence: Path) -> None:
    """Once the label "program" switched all checks off."""
    path = first(evidence, "measurements/*.json")
    data = forging.read(path)
    (part,) = data["parts"].values()
    part |= {"privopt": "program", "calibration": {**part["calibration"], "scale": 1e-9}}
    data["instrument"] = data["release"]["maker"] = forging.digest(part)
    data["parts"] = {data["instrument"]: part}
    path.write_text(json.dumps(data))
    listed_by_hand(evidence)
    assert any("its instrument" in line for line in forging.run(evidence)[1])


def test_a_redacted_row_charges_what_its_instrument_costs(world: World, tmp_path: Path) -> None:
    ledger = Path(shutil.copy(world.ledger, tmp_path / "loads.ledger"))
    with po.Ledger(ledger) as opened:
        opened.redact(4)
    folder = tmp_path / "e"
    assert make_evidence(ledger, [world.folder / "measurement-laplace.json"], folder).sound
    found = forging.rows(folder)
    found[3]["epsilon"] = "1"
    forging.chained(found)
    forging.write_rows(folder, found)
    path = first(folder, "measurements/*.json")
    change(
        f"measurements/{path.name}",
        lambda data: data["release"]["ledger"].update(
            epsilon="1e-30", digest=found[3]["digest"]["hex"]
        ),
    )(folder)
    forging.listed(folder)
    assert any("what its instrument costs" in line for line in forging.run(folder)[1])


@pytest.mark.parametrize("number", ['"1e3000000000"', "1e400", '"1"'])
def test_numbers_that_would_take_for_ever_are_none(number: str, evidence: Path) -> None:
    path = first(evidence, "instruments/*.json")
    data = forging.read(path)
    old = json.dumps(data["calibration"]["sensitivity"])
    path.write_text(path.read_text().replace(f'"sensitivity": {old}', f'"sensitivity": {number}'))
    listed_by_hand(evidence)
    assert forging.run(evidence)[0] == 1


def test_owners_who_share_entries(tmp_path: Path) -> None:
    whose = (
        [["ann", "bob"], ["bob", "cy"]],
        [["ann", "bob"], ["bob", "cy"], ["cy", "ann"]],
        [["ann"], ["bob", "ann"], ["cy"]],
    )
    for k, owners in enumerate(whose):
        size = len(owners)
        made = po.ConvexProgram(linear=np.ones(size), G=np.eye(size), lower=0, upper=4)
        noise = po.Laplace(epsilon=1.0, alpha=0.1, owners=owners)
        one = po.Instrument(np.ones((1, size)), program=made, privacy=noise, domain=po.Box(2, 4))
        with po.Ledger(tmp_path / f"{k}.ledger", limit=po.Budget(2)) as ledger:
            one.measure(np.full(size, 3.0), ledger).save(tmp_path / f"{k}.json")
        found = make_evidence(ledger.path, [tmp_path / f"{k}.json"], tmp_path / f"e{k}")
        assert found.sound, found.recomputed
        assert any("sensitivity recomputed" in what for _, what in found.recomputed)


RELATIONS: list[dict[str, Any]] = [
    {"alpha": 0.3},
    {"alpha": [0.1, 0.2, 0.3, 0.4, 0.0]},
    {"alpha": 0.3, "owners": ["a", "b", "a", "b", "a"]},
    {"alpha": 0.3, "owners": ["a", "b", "a", "b", "a"], "change": "total"},
    {"alpha": [0.1, 0.2, 0.3, 0.4, 0.5], "change": "total"},
]


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("gaussian", [False, True], ids=["laplace", "gaussian"])
def test_the_sensitivity_covers_the_worst_neighbours(
    relation: dict[str, Any], gaussian: bool
) -> None:
    """No less than the farthest pair there is; no more than the noise was made for."""
    rng = np.random.default_rng(0)
    asked: Any = {"epsilon": 1.0, **({"delta": 1e-6} if gaussian else {}), **relation}
    for _ in range(4):
        lower = rng.uniform(-3, 3, 5)
        made = po.Instrument(
            rng.normal(size=(2, 5)),
            program=program(5),
            privacy=(po.Gaussian if gaussian else po.Laplace)(**asked),
            domain=po.Box(lower, lower + rng.uniform(0.05, 3, 5)),
        )
        noise = made.calibration
        assert noise is not None
        Delta = recompute.moved(made.to_dict(), 2 if gaussian else 1)
        assert Fraction(po.assess.worst_pair(made).distance) <= Delta * Fraction(1 + 1e-9)
        assert Delta <= Fraction(noise.sensitivity)
        assert noise.sensitivity <= Delta * Fraction(1 + 1e-6)


def test_random_instruments_pass() -> None:
    for seed in range(15):
        made = random_instrument(np.random.default_rng(seed))
        found = list(recompute.check_maker(made.to_dict()))
        assert {word for word, _ in found} == {"PASS"}, (seed, found)


@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.7, 5.0])
def test_the_delta_of_gaussian_noise(rho: float, epsilon: float) -> None:
    """Above that of the noise itself (Balle and Wang 2018), and no worse than OpenDP's rule."""
    found = float(recompute.gaussian_delta(Fraction(rho), epsilon))
    m = math.sqrt(2 * rho)
    exact = norm.cdf(m / 2 - epsilon / m) - math.exp(epsilon) * norm.cdf(-m / 2 - epsilon / m)
    assert found >= exact * (1 - 1e-9) - 1e-15
    if 1e-12 < found < 0.1:
        charge = secure.gaussian_charge(1, 1.0, -60, m, found)
        assert charge == pytest.approx(epsilon, rel=1e-6, abs=1e-6)
