"""Roles: let in and out by the owner; what each may do through privopt."""

from __future__ import annotations

import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import postgresql, team

from privopt.errors import BudgetExceededError, InputError, LedgerError
from privopt.ledger import Budget, Ledger


def test_each_does_what_it_may(running: Server) -> None:
    made = team(running)
    assert postgresql(made.owner).roles() == {
        "anna": "releaser",
        "ben": "releaser",
        "carol": "reader",
    }
    anna, carol = made.ledger("anna"), made.ledger("carol", read_only=True)
    assert anna.charge(request("0.1"), lambda _: b"out", "may") == b"out"
    assert carol.fetch(key="may") == b"out"
    for act in (
        lambda: anna.set_limit(Budget(9)),
        lambda: anna.set_quota(Budget(9), releaser="anna"),
        lambda: anna.redact(2),
        lambda: postgresql(anna).grant(releasers=["dora"]),
        lambda: postgresql(anna).revoke(["ben"]),
    ):
        with pytest.raises(LedgerError, match="ask the owner"):
            act()
    with pytest.raises(LedgerError, match="ask the owner"):
        made.ledger("carol").charge(request("0.1"), never)
    assert made.owner.verify().charges == 1
    made.owner.set_limit(Budget(2))
    made.owner.redact(2)


def test_a_releaser_is_the_role_that_logged_in(running: Server) -> None:
    made = team(running)
    made.owner.set_quota(Budget("0.3"), releaser="anna")
    made.owner.set_quota(Budget("0.2"), releaser="ben")
    with pytest.raises(LedgerError, match="knows this user as 'anna'"):
        made.ledger("anna", releaser="ben")
    made.ledger("anna").charge(request("0.3"), lambda _: b"")
    with pytest.raises(BudgetExceededError, match="the quota of the releaser 'anna'"):
        made.ledger("anna").charge(request("0.1"), never)
    made.ledger("ben").charge(request("0.2"), lambda _: b"")
    assert [(one.releaser, one.left) for one in made.owner.quotas] == [
        ("anna", Budget(0)),
        ("ben", Budget(0)),
    ]
    assert made.owner.verify().charges == 2


def test_one_who_was_let_out_may_do_nothing(running: Server) -> None:
    made = team(running)
    postgresql(made.owner).revoke(["anna"])
    with pytest.raises(LedgerError, match="no right"):
        made.ledger("anna").charge(request("0.1"), never)
    postgresql(made.owner).grant(readers=["anna"])
    assert postgresql(made.owner).roles()["anna"] == "reader"
    assert made.ledger("anna", read_only=True).spent == Budget(0)


def test_roles_that_do_not_exist_are_named(running: Server) -> None:
    made = team(running)
    with pytest.raises(InputError, match=r'no role no"body, nobody2'):
        postgresql(made.owner).grant(releasers=['no"body'], readers=["nobody2"])
    running.roles('od"d role')
    postgresql(made.owner).grant(releasers=['od"d role'])
    assert postgresql(made.owner).roles()['od"d role'] == "releaser"


def test_a_member_of_the_owner_is_an_owner(running: Server) -> None:
    running.roles("deputy")
    made = team(running)
    with running.connect() as connection:
        connection.execute("GRANT olga TO deputy")
    Ledger(made.address("deputy")).set_limit(Budget(2))
    assert made.owner.limit == Budget(2)
