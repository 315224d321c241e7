"""The script in the folder: right about sensitivities, without packages, and hard to deceive."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
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
        "__future__", "decimal", "fractions", "hashlib", "json", "math", "pathlib", "sys", "typing",
    }  # fmt: skip


def test_what_was_made_passes(made_once: Path) -> None:
    assert forging.run(made_once) == (0, [])


def test_a_redacted_ledger_verifies(evidence: Path, world: World) -> None:
    """The chain, the sums and the head from ledger.jsonl alone, which holds no key."""
    text = (evidence / "ledger.jsonl").read_text()
    with po.Ledger(world.ledger, read_only=True) as ledger:
        head, keys = ledger.head, [event.key for event in ledger.events if event.key]
    assert len(keys) == 7
    assert not any(key in text for key in keys)
    found = forging.rows(evidence)
    assert (found[-1]["seq"], found[-1]["digest"]["hex"]) == head
    before = "00" * 32
    for row in found:  # by the formula of ledger.row, and by nothing of ours
        kept = {name: value for name, value in row.items() if name not in forging.THINGS}
        assert row["previous"]["hex"] == before
        assert forging.sha(forging.canonical(kept)) == row["digest"]["hex"]
        before = row["digest"]["hex"]


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


def cheaper(data: Any) -> None:
    data["epsilon"] /= 2


def older(data: Any) -> None:
    data["date"] = "2020-01-01T00:00:00Z"


FORGED = {
    "a gain of an instrument": (change("instruments/*.json", twice), "sensitivity recomputed"),
    "the scale of an instrument": (change("instruments/*.json", smaller), "recomputed"),
    "alpha": (
        change("instruments/*.json", lambda data: data["noise"].update(alpha=5.0)), "sensitivity",
    ),
    "alpha below zero": (
        change("instruments/*.json", lambda data: data["noise"].update(alpha=-1.0)), "alpha",
    ),
    "an instrument's names": (
        change("instruments/*.json", lambda data: data.update(names=["x", "y"])),
        "a charge names it",
    ),
    "a gain that is no integer": (
        change("instruments/*.json", lambda data: data["map"].update(matrix=[[0.5, 0.5]] * 2)),
        "integers",
    ),
    "a released value": (change("releases/row-2-*.json", another), "the output of row 2"),
    "the epsilon of a release": (change("releases/row-2-*.json", cheaper), "the output of row 2"),
    "the date of a release": (change("releases/row-2-*.json", older), "its date"),
    "the row of a release": (
        change("releases/row-2-*.json", lambda data: data["ledger"].update(row=4)), "its charge",
    ),
    "a measured value": (
        change("measurements/row-4-*.json", lambda data: another(data["release"])), "row 4",
    ),
    "a decided value": (change("releases/row-4-*.json", another), "those of its decision"),
    "a charge": (edit_row(2, epsilon="1"), "first bad row: 2"),
    "a time": (edit_row(2, time="2020-01-01T00:00:00Z"), "first bad row: 2"),
    "a request": (edit_row(2, request="{}"), "first bad row: 2"),
    "a charge, with a new chain": (edit_row(2, chain=True, epsilon="1"), "first bad row: 2"),
    "a limit, with a new chain": (edit_row(5, chain=True, limit_epsilon="1" + "0" * 32), "row: 5"),
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


def test_rows_without_a_name_are_linked_and_that_is_said(evidence: Path) -> None:
    found = forging.rows(evidence)
    found[1] |= {"withheld": ["releaser"]}  # its digest is of a text with the name
    forging.write_rows(evidence, found)
    forging.listed(evidence)
    command = [sys.executable, "-I", "-S", str(evidence / "recompute.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "NOTE  ledger: 1 rows without the name of a person" in done.stdout
    found[1]["spent_epsilon"] = "1"  # the sums of its neighbours still tell
    forging.write_rows(evidence, found)
    forging.listed(evidence)
    assert any("first bad row: 2" in line for line in forging.run(evidence)[1])


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


@pytest.mark.parametrize("edit", [twice, smaller], ids=["gain", "scale"])
def test_who_makes_everything_fit_cannot_hide_too_little_noise(
    edit: Callable[[Any], None], evidence: Path
) -> None:
    """All digests, the whole chain and the manifest are made anew: the arithmetic is left."""
    old = forging.subjects(evidence)
    for path in evidence.glob("instruments/*.json"):
        change(f"instruments/{path.name}", edit)(evidence)
    forging.consistent(evidence, old)
    code, failed = forging.run(evidence)
    assert code == 1
    wanted = [line for line in failed if "recomputed" in line]
    assert len(wanted) >= 3, failed  # one at least of each noise
    assert not [line for line in failed if "ledger:" in line or "SHA-256" in line], failed


def test_a_consistent_copy_passes(evidence: Path) -> None:
    """So that what fails above fails by arithmetic."""
    forging.consistent(evidence, forging.subjects(evidence))
    assert forging.run(evidence) == (0, [])


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
        recompute.found.clear()
        recompute.check_maker("it", made.to_dict())
        assert {word for word, _ in recompute.found} == {"PASS"}, (seed, recompute.found)


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


def test_any_a_proves_a_delta() -> None:
    assert recompute.gaussian_delta(Fraction(1, 50), 0.7) > Decimal(0)
    assert recompute.gaussian_delta(Fraction(1, 50), 1.4) < recompute.gaussian_delta(
        Fraction(1, 50), 0.7
    )
