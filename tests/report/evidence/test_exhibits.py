"""Files are found in the ledger, and those of another are refused."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.report.evidence.conftest import NOISES, D, World, program

import privopt as po
from privopt.errors import InputError
from privopt.report.evidence.exhibits import Exhibit, exhibits


def found(world: World, *files: Path) -> tuple[Exhibit, ...]:
    with po.Ledger(world.ledger, read_only=True) as ledger:
        return exhibits(ledger, ledger.events, files)


def test_each_kind_is_found_by_its_row_or_digest(world: World) -> None:
    shown = found(world, *world.files)
    places = [one.path.rpartition("-")[0] or one.path.partition("/")[0] for one in shown]
    assert Counter(places) == Counter([
        *(f"releases/row-{row}" for row in (2, 4, 6, 10, 14)), *["instruments"] * 3,
        *(f"measurements/row-{row}" for row in (4, 8, 12)), "decisions/row-4",
    ])  # fmt: skip
    assert [one.content for one in shown if one.thing.kind == "decision"] == [
        (world.folder / "decision.json").read_bytes()
    ]


def test_names_of_the_users_files_go_nowhere(world: World, tmp_path: Path) -> None:
    copy = Path(shutil.copy(world.folder / "plan.json", tmp_path / "my private name.json"))
    (one,) = found(world, copy)
    assert "private name" not in one.path
    assert found(world, copy, world.folder / "plan.json")[0].path == one.path  # the same file


def test_files_of_another_ledger_are_refused(world: World, tmp_path: Path) -> None:
    instrument = po.Instrument(
        {"south": ["south"]}, program=program(), privacy=NOISES["laplace"],
        domain=po.Box([5.0, 1.0], [7.0, 2.0]),
    )  # fmt: skip
    other = po.Ledger(tmp_path / "other.ledger", limit=po.Budget(9))
    instrument.measure(D, other, "a").save(tmp_path / "measured.json")
    instrument.save(tmp_path / "instrument.json")
    plan = po.solve(program().at(D), po.Identity([0]), NOISES["laplace"], po.ExactBox(eta=0.05))
    plan.release().save(tmp_path / "uncounted.json")
    for name, says in (
        ("measured", "of the dataset 'other'"), ("instrument", "no charge of the ledger names"),
        ("uncounted", "made without one"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=says):
            found(world, tmp_path / f"{name}.json")


def test_what_is_no_evidence_is_named(world: World, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("north,6\n")
    with pytest.raises(InputError, match="it is a ledger"):
        found(world, world.ledger)
    for bad in (tmp_path / "d.csv", tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match="is no evidence"):
            found(world, bad)


def test_a_release_that_was_changed_is_refused_and_fetched_bytes_will_do(
    world: World, tmp_path: Path
) -> None:
    data = json.loads((world.folder / "release-laplace.json").read_text())
    data["values"][0] += data["scale"]
    (tmp_path / "changed.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="what is stored for row 2 is something else"):
        found(world, tmp_path / "changed.json")
    with po.Ledger(world.ledger, read_only=True) as ledger:
        (tmp_path / "fetched.json").write_bytes(ledger.fetch(row=2))
    (one,) = found(world, tmp_path / "fetched.json")
    assert one.path.startswith("releases/row-2-")


def test_a_decided_release_comes_with_its_decision(world: World, tmp_path: Path) -> None:
    """From the file beside it; where that is another, or none, it is asked for."""
    alone = Path(shutil.copy(world.folder / "decided.json", tmp_path / "r.json"))
    with pytest.raises(InputError, match="is not given, nor beside it"):
        found(world, alone)
    shutil.copy(world.folder / "decision.json", tmp_path / "r.decision.json")
    kinds = [one.thing.kind for one in found(world, alone)]
    assert kinds == ["decision", "release"]
    assert [one.path for one in found(world, world.folder / "decision.json", alone)] == [
        one.path for one in found(world, alone)
    ]
