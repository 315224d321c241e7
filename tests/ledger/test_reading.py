"""What may be asked of a ledger changes nothing, and agrees with itself."""

from __future__ import annotations

from pathlib import Path

from tests.ledger.damage import charge
from tests.ledger.requests import open_ledger, request

from privopt.ledger import Budget, Ledger
from privopt.ledger.reading import ReadLedger


def test_nothing_that_is_asked_writes(folder: Path) -> None:
    with open_ledger(folder, 2, "1e-6", releaser="anna", anchor=folder / "anchor") as made:
        charge(made, "k")
        made.set_quota(Budget(1), releaser="anna")
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    with Ledger(made.path, read_only=True, anchor=folder / "anchor") as seen:
        asked = (
            seen.place, seen.path, seen.quotas, seen.released("k"), seen.fetch(key="k"),
            seen.find(2), seen.spent, seen.limit, seen.left, seen.subject, seen.dataset, seen.head,
            seen.events, tuple(seen.history()), seen.recent(1), seen.verify(), repr(seen),
            seen.view(), seen.summary(), seen.rehearse(request("0.1"), "k"),
        )  # fmt: skip
    assert len(asked) == 20
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == before


def test_the_answers_agree(folder: Path) -> None:
    made = open_ledger(folder, 2, releaser="anna")
    charge(made, "k")
    made.set_quota(Budget(1), releaser="anna")
    last, report = made.recent(1)[-1], made.verify()
    assert made.events[-1] == last
    assert (report.head, report.spent, report.limit) == (made.head, last.spent, last.limit)
    assert made.left == Budget("1.9")
    facts = {fact.name: fact.text for fact in made.view().facts}
    assert facts["releaser anna"] == "epsilon 0.1 of epsilon 1; left epsilon 0.9"
    assert "releaser anna" in made.summary()
    assert isinstance(made, ReadLedger)
