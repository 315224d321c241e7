"""Quotas divide the limit: a charge fits both or is refused, whoever asks and in whatever order."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from tests.ledger.requests import fork, join, never, open_ledger, request

from privopt.errors import BudgetExceededError, InputError
from privopt.ledger import Budget, Ledger


@pytest.fixture
def path(folder: Path) -> Path:
    """A limit of 1, of which anna may spend 0.5 and ben 0.7."""
    with open_ledger(folder, 1, "1e-6") as made:
        made.set_quota(Budget("0.5"), releaser="anna")
        made.set_quota(Budget("0.7", "1e-6"), releaser="ben")
        return made.path


def charge(
    path: Path, epsilon: str, delta: str = "0", key: str | None = None, **names: str
) -> bytes:
    with Ledger(path, **names) as ledger:
        return ledger.charge(request(epsilon, delta), lambda _: b"out", key)


def refused(path: Path, match: str, epsilon: str, delta: str = "0", **names: str) -> None:
    with Ledger(path, **names) as ledger:
        before = ledger.head
        for attempt in (ledger.charge, lambda asked, _: ledger.rehearse(asked)):
            with pytest.raises(BudgetExceededError, match=match):
                attempt(request(epsilon, delta), never)
        assert ledger.head == before


def test_a_charge_must_fit_its_quota_and_the_limit(path: Path) -> None:
    charge(path, "0.5", releaser="anna")
    refused(path, r"epsilon 0 is left of epsilon 0\.5, the quota of the releaser 'anna'", "1e-30",
            releaser="anna")  # fmt: skip
    refused(path, r"epsilon 0\.5.* is left of epsilon 1, delta 1e-6\.", "0.6", releaser="ben")
    charge(path, "0.5", "1e-6", releaser="ben")
    refused(path, "is left of epsilon 1, delta 1e-6", "0.1", releaser="ben")
    shown = [(quota.name, str(quota.spent), str(quota.left)) for quota in Ledger(path).quotas]
    assert shown == [
        ("anna", "epsilon 0.5", "epsilon 0"),
        ("ben", "epsilon 0.5, delta 1e-6", "epsilon 0.2"),
    ]
    assert Ledger(path).verify().spent == Budget(1, "1e-6")


def test_a_quota_is_not_evaded_by_naming_nobody_or_somebody_else(path: Path) -> None:
    refused(path, "no releaser was named", "0.1")
    refused(path, "the releaser 'carl' has no quota", "0.1", releaser="carl")
    refused(path, "no releaser was named", "0.1", purpose="planning")
    charge(path, "0.1", releaser="anna")  # nobody has a quota by purpose: none need be named
    with Ledger(path) as ledger:
        ledger.set_quota(Budget("0.2"), purpose="planning")
    refused(path, "no purpose was named", "0.1", releaser="anna")
    refused(path, "quota of the purpose 'planning'", "0.3", releaser="anna", purpose="planning")
    charge(path, "0.1", releaser="anna", purpose="planning")
    refused(path, "quota of the purpose 'planning'", "0.2", releaser="ben", purpose="planning")
    assert Ledger(path).verify().charges == 2


def test_what_costs_nothing_always_fits(path: Path) -> None:
    for names in ({}, {"releaser": "carl"}, {"releaser": "anna"}):
        charge(path, "0", **names)
    assert Ledger(path).verify().charges == 3


def test_what_was_spent_before_a_quota_counts(folder: Path) -> None:
    path = open_ledger(folder, 1).path
    charge(path, "0.3", releaser="anna")
    charge(path, "0.2", releaser="ben")
    with Ledger(path) as ledger:
        assert ledger.quotas == ()
        ledger.set_quota(Budget("0.2"), releaser="anna")  # less than is spent: nothing more
        assert [(quota.spent, quota.left) for quota in ledger.quotas] == [
            (Budget("0.3"), Budget(0))
        ]
    refused(path, "epsilon 0 is left", "0.1", releaser="anna")
    refused(path, "'ben' has no quota", "0.1", releaser="ben")
    with Ledger(path) as ledger:
        ledger.set_quota(Budget(5), releaser="anna")  # more than the limit, which still decides
    refused(path, "0.5 is left of epsilon 1\\.", "0.6", releaser="anna")
    charge(path, "0.5", releaser="anna")
    kinds = [event.kind for event in Ledger(path).events]
    assert kinds == ["opened", "charge", "charge", "quota", "quota", "charge"]
    assert Ledger(path).verify().spent == Budget(1)


def test_another_releaser_replays_a_key_free(path: Path) -> None:
    charge(path, "0.5", key="may", releaser="anna")
    for names in ({}, {"releaser": "ben"}, {"releaser": "carl", "purpose": "other"}):
        with Ledger(path, **names) as ledger:
            assert ledger.charge(request("0.5"), never, "may") == b"out"
            assert ledger.rehearse(request("0.5"), "may")
    assert Ledger(path).spent == Budget("0.5")


def test_names_that_are_none_are_refused(path: Path) -> None:
    for name in ("", "x" * 201, "a\nb", "\x1b[31m", 3, b"x"):
        with pytest.raises(InputError, match="releaser is"):
            Ledger(path, releaser=name)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InputError, match="purpose is"):
            Ledger(path).set_quota(Budget(1), purpose=name)  # pyright: ignore[reportArgumentType]
    with Ledger(path) as ledger:
        for names in ({}, {"releaser": "anna", "purpose": "planning"}):
            with pytest.raises(InputError, match="one releaser, or one purpose"):
                ledger.set_quota(Budget(1), **names)
        with pytest.raises(InputError, match="quota is 1"):
            ledger.set_quota(1, releaser="anna")  # pyright: ignore[reportArgumentType]


def test_the_names_go_along_to_other_processes(path: Path) -> None:
    carried = pickle.loads(pickle.dumps(Ledger(path, releaser="anna", purpose="x")))  # noqa: S301
    assert (carried.names.releaser, carried.names.purpose) == ("anna", "x")


def test_processes_that_race_for_a_quota_spend_it_and_no_more(path: Path) -> None:
    """Six processes ask for ten twentieths each: anna gets ten, ben fourteen of which ten fit."""

    def work(name: str) -> None:
        with Ledger(path, releaser=name) as ledger:
            for _ in range(10):
                try:
                    ledger.charge(request("0.05"), lambda _: b"%d" % os.getpid())
                except BudgetExceededError:
                    continue

    assert join([fork(lambda n=name: work(n)) for name in ("anna", "ben") * 3]) == [0] * 6
    with Ledger(path) as ledger:
        assert ledger.verify().spent == Budget(1)
        spent = {quota.name: quota.spent.exact[0] for quota in ledger.quotas}
        assert spent["anna"] <= Budget("0.5").exact[0]
        assert sum(spent.values()) == 1
