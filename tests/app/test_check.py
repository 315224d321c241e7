"""Is a release the one that a ledger holds? What was changed is found, and named."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import privopt as po
from privopt.app.check import check_release

LEDGER = "the ledger is whole"
DATASET = "it is the ledger of this dataset"
ROW = "row and digest are those of its charge"
CHARGE = "what was charged is what it says"
STORED = "the stored release is this one"


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


def held(release: po.Release, ledger: Path) -> dict[str, bool]:
    return {one.what: one.holds for one in check_release(release, ledger)}


def test_the_release_itself_is_confirmed(release: po.Release, place: Path) -> None:
    before = place.read_bytes()
    found = held(release, place)
    assert {LEDGER, DATASET, ROW, CHARGE, STORED} <= set(found)
    assert all(found.values())
    assert place.read_bytes() == before


def test_each_change_is_found_where_it_was_made(release: po.Release, place: Path) -> None:
    entry = release.ledger
    assert entry is not None
    changes = {
        DATASET: {"dataset": "another"},
        ROW: {"digest": entry.digest[::-1]},
        CHARGE: {"epsilon": "0.2"},
    }
    for what, change in changes.items():
        found = held(
            dataclasses.replace(release, ledger=dataclasses.replace(entry, **change)), place
        )
        assert not found[what]
        assert {LEDGER, STORED} <= found.keys()
        others = found.keys() - {what, STORED}
        assert all(found[other] for other in others)
    moved = dataclasses.replace(release, values=np.nextafter(release.values, 9.0))
    assert [what for what, holds in held(moved, place).items() if not holds] == [STORED]


def test_another_row_is_another_release(release: po.Release, place: Path) -> None:
    """The row of the first charge, with everything else of the second."""
    assert release.ledger is not None
    first = dataclasses.replace(release.ledger, row=release.ledger.row - 2)
    found = held(dataclasses.replace(release, ledger=first), place)
    assert not found[ROW]
    assert not found[STORED]
    beyond = dataclasses.replace(release.ledger, row=99)
    found = held(dataclasses.replace(release, ledger=beyond), place)
    assert not found["the row of its charge is there"]


def test_a_release_without_a_ledger_is_not_confirmed(release: po.Release, place: Path) -> None:
    assert not held(dataclasses.replace(release, ledger=None), place)["the release names a ledger"]


def test_of_a_redacted_output_the_digest_is_compared(release: po.Release, place: Path) -> None:
    assert release.ledger is not None
    with po.Ledger(place) as ledger:
        ledger.redact(release.ledger.row)
    assert held(release, place)[STORED]
    moved = dataclasses.replace(release, values=np.nextafter(release.values, 9.0))
    assert not held(moved, place)[STORED]


def test_a_finding_as_plain_data(release: po.Release, place: Path) -> None:
    found = [dataclasses.asdict(one) for one in check_release(release, place)]
    assert {"what": LEDGER, "holds": True, "seen": "5 rows, every digest checked"} in found


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
    honest = po.Release.load(tmp_path / "release.json")
    assert all(one.holds for one in check_release(honest, place, decision))
    forged = dataclasses.replace(honest, values=honest.values + 0.01)
    assert all(one.holds for one in check_release(forged, place))  # no ledger holds values
    found = {one.what: one.holds for one in check_release(forged, place, decision)}
    assert not found["it is the decision's release"]
    assert found["every limit is kept, in exact fractions"]
    elsewhere = po.decide(program, po.Identity(["x"]), other, limits)
    assert not all(one.holds for one in check_release(honest, place, elsewhere))
