"""Is a release the one that a ledger holds? What was changed is found, and named."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.app.check import check, decision_beside, verdict
from privopt.errors import LedgerError

LEDGER = "the ledger is whole"
HELD = "it stored this release for its charge"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "loads.ledger"


@pytest.fixture
def release(place: Path) -> po.Release:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], d=[3.0], lower=0, upper=4)
    made = po.output_perturbation(program, po.Identity([0]), po.Laplace(epsilon=0.1, alpha=0.01))
    with po.Ledger(place, po.Budget(1), dataset="loads") as ledger:
        made.release(ledger, "first")
        return made.release(ledger, "second")


def held(release: po.Release, ledger: Path) -> dict[str, bool | None]:
    return {one.what: one.holds for one in check(release, ledger)}


def test_the_release_itself_is_confirmed(release: po.Release, place: Path) -> None:
    before = place.read_bytes()
    found = check(release, place)
    assert verdict(found)
    assert LEDGER in [one.what for one in found]
    assert {"what": LEDGER, "holds": True, "seen": "5 rows, every digest checked"} in [
        dataclasses.asdict(one) for one in found
    ]
    assert place.read_bytes() == before


def test_without_a_ledger_it_is_neither_confirmed_nor_refuted(release: po.Release) -> None:
    assert verdict(check(release, None)) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dataset": "another"}, "it is of the dataset 'another'"),
        ({"digest": "0" * 64}, "row 4 of the ledger is not its charge"),
        ({"epsilon": "0.2"}, "row 4 charged another epsilon"),
        ({"row": 2}, "row 2 of the ledger is not its charge"),
        ({"row": 99}, "row 99 of the ledger is not its charge"),
        (None, "it was made without one"),
    ],
)
def test_another_charge_is_found(
    release: po.Release, place: Path, change: dict[str, Any] | None, says: str
) -> None:
    assert release.ledger is not None
    entry = None if change is None else dataclasses.replace(release.ledger, **change)
    found = check(dataclasses.replace(release, ledger=entry), place)
    assert verdict(found) is False
    assert [says in one.seen for one in found if not one.holds] == [True]


def test_of_a_redacted_output_the_digest_is_compared(release: po.Release, place: Path) -> None:
    assert release.ledger is not None
    with po.Ledger(place) as ledger:
        ledger.redact(release.ledger.row)
    assert held(release, place)[HELD]
    moved = dataclasses.replace(release, values=np.nextafter(release.values, 9.0))
    assert not held(moved, place)[HELD]


def test_a_decided_release_is_compared_with_its_decision(place: Path, tmp_path: Path) -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0], quadratic=[0.1, 0.1], G=[[1, 1]], lower=0, upper=4, names=["x", "y"]
    )
    instrument = po.Instrument(
        [[1.0]], program=program, privacy=po.Laplace(epsilon=1.0, alpha=0.1), domain=po.Box(2, 3)
    )
    with po.Ledger(place, po.Budget(3), dataset="loads") as ledger:
        measured = instrument.measure([2.5], ledger=ledger, key="one")
        other = instrument.measure([2.5], ledger=ledger, key="two")
    limits = po.ExactBox(eta=0.05)
    decision = po.decide(program, po.Identity(["x"]), measured, limits)
    decision.release().save(tmp_path / "release.json")
    decision.save(tmp_path / "release.decision.json")
    honest = po.Release.load(tmp_path / "release.json")
    assert decision_beside(tmp_path / "release.json", honest) == decision
    assert verdict(check(honest, place, decision))
    assert verdict(check(honest, place)) is None  # no ledger holds values
    forged = dataclasses.replace(honest, values=honest.values + 0.01)
    assert verdict(check(forged, place)) is None
    found = {one.what: one.holds for one in check(forged, place, decision)}
    assert found["it is the decision's release"] is False
    assert found["every limit is kept, in exact fractions"]
    elsewhere = po.decide(program, po.Identity(["x"]), other, limits)
    assert verdict(check(honest, place, elsewhere)) is False


def test_what_a_file_states_a_ledger_confirms(place: Path, tmp_path: Path) -> None:
    """Of a measurement, and of what is decided from it; of another ledger nothing is."""
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], lower=0, upper=4)
    noise, box = po.Laplace(epsilon=1.0, alpha=0.1), po.Box(2, 3)
    instrument = po.Instrument([[1.0]], program=program, privacy=noise, domain=box)
    limits = po.ExactBox(eta=0.05)
    with po.Ledger(place, po.Budget(3), dataset="loads") as ledger:
        made = instrument.measure([2.5], ledger)
        other = instrument.measure([2.5], ledger)
        made.save(tmp_path / "made.json")
        stated = po.Measurement.load(tmp_path / "made.json")
        decided = po.decide(program, po.Identity([0]), stated, limits)
        for one in (stated.claim, *dict(decided.guarantee.both).values()):
            assert one is not None
            assert one.label == "PROVEN as stated in its file"
        confirmed = stated.confirmed(ledger)
        decided = po.decide(program, po.Identity([0]), confirmed, limits)
        assert decided.guarantee.privacy.label == "PROVEN"
        assert confirmed == made
        assert made.release is not None
        assert other.release is not None
        forged = dataclasses.replace(made.release, values=other.release.values)
        with pytest.raises(LedgerError, match="something else"):
            dataclasses.replace(made, release=forged).confirmed(ledger)
    with (
        po.Ledger(tmp_path / "other", po.Budget(3), dataset="loads") as ledger,
        pytest.raises(LedgerError, match="not its charge"),
    ):
        stated.confirmed(ledger)
