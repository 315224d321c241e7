"""A store is one file and one line: one in memory is added, and a ledger works in it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.ledger.requests import never, open_ledger, request
from tests.ledger.stores.toy import SHELVES, ToyStore

import privopt as po
from privopt.errors import BudgetExceededError, BurntError, InputError, KeyUsedError, LedgerError
from privopt.ledger import Budget, Ledger
from privopt.ledger.stores.registry import STORES

PLACE = "toy://shelf/loads"


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    monkeypatch.setitem(STORES, "toy", ToyStore)
    yield Ledger(PLACE, Budget(1))
    SHELVES.clear()


def test_a_charge_is_made_replayed_and_refused_over_the_limit(ledger: Ledger) -> None:
    assert ledger.charge(request("0.6"), lambda _: b"out", "may") == b"out"
    assert ledger.charge(request("0.6"), never, "may") == b"out"
    assert ledger.rehearse(request("0.6"), "may")
    with pytest.raises(KeyUsedError, match="stands for another request"):
        ledger.charge(request("0.1"), never, "may")
    with pytest.raises(BudgetExceededError, match=r"epsilon 0\.4 is left"):
        ledger.charge(request("0.5"), never)
    with pytest.raises(ZeroDivisionError) as stopped:
        ledger.charge(request("0.1"), lambda _: bytes(1 // 0), "burnt")
    assert stopped.value.__notes__ == [
        "Row 4 of the ledger was charged; the charge stays. No output of it was stored."
    ]
    with pytest.raises(BurntError, match="still being made"):  # this store does not wait
        ledger.charge(request("0.1"), never, "burnt")
    assert (ledger.spent, ledger.left) == (Budget("0.7"), Budget("0.3"))
    assert ledger.released("may")
    assert not ledger.released("burnt")
    assert ledger.fetch(row=3) == ledger.fetch(key="may") == b"out"


def test_it_is_opened_again_looked_at_and_carried_to_other_processes(ledger: Ledger) -> None:
    ledger.charge(request("0.1"), lambda _: b"first")
    seen = Ledger(PLACE, read_only=True)
    assert seen.spent == Budget("0.1")
    with pytest.raises(LedgerError, match="may only be read"):
        seen.charge(request("0.1"), never)
    assert pickle.loads(pickle.dumps(ledger)).head == ledger.head  # noqa: S301
    with pytest.raises(LedgerError, match="the ledger's limit is epsilon 1"):
        Ledger(PLACE, Budget(2))
    with pytest.raises(LedgerError, match=r"there is no ledger at toy://other\."):
        Ledger("toy://other")


def test_a_plan_releases_through_it(ledger: Ledger) -> None:
    program = po.ConvexProgram(linear=[1.0, 2.0], G=[[1, 1]], d=[1.0], lower=-9, upper=9)
    noise = po.Laplace(epsilon=0.5, alpha=0.1)
    plan = po.solve(program, po.Identity([0]), noise, po.ExactBox(eta=0.1))
    first, again = plan.release(ledger, "may"), plan.release(ledger, "may")
    np.testing.assert_array_equal(first.values, again.values)
    assert ledger.spent == Budget("0.5")


def test_a_scheme_that_nobody_knows_is_refused_and_named(folder: Path) -> None:
    for place in ("other://host/db", "Other://host/secret"):
        with pytest.raises(InputError, match=r"no store of ledgers is called other://") as refused:
            Ledger(place, Budget(1))
        assert "secret" not in str(refused.value)  # an address may hold a password
    assert isinstance(open_ledger(folder).path, Path)  # a plain path is a file
