"""Shares on a server: the quotas of the common layer, decided by the server as well."""

from __future__ import annotations

import psycopg
import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import forged, postgresql, team

from privopt.errors import BudgetExceededError
from privopt.ledger import Budget
from privopt.ledger.row import Row, Share


def test_releasers_stay_within_their_quotas(running: Server) -> None:
    made = team(running)
    anna, ben = made.ledger("anna"), made.ledger("ben")
    anna.charge(request("0.1"), lambda _: b"")  # what was spent before a quota counts
    made.owner.set_quota(Budget("0.25"), releaser="anna")
    with pytest.raises(BudgetExceededError, match="the releaser 'ben' has no quota"):
        ben.charge(request("0.1"), never)
    made.owner.set_quota(Budget("0.5"), releaser="ben")
    anna.charge(request("0.15"), lambda _: b"")
    with pytest.raises(BudgetExceededError, match="quota of the releaser 'anna'"):
        anna.charge(request("0.1"), never)
    ben.charge(request("0.1"), lambda _: b"")
    assert anna.charge(request("0"), lambda _: b"free") == b"free"
    report = made.owner.verify()
    assert (report.charges, report.spent) == (4, Budget("0.35"))


def test_the_server_itself_refuses_who_looks_at_no_quota(running: Server) -> None:
    """Rows of a releaser's own making: without a quota where others have one, or beyond it."""
    made = team(running)
    free = made.charge("anna", "0.2")  # as long as nobody has a quota it fits
    made.owner.set_quota(Budget("0.1"), releaser="ben")
    late = forged(free, seq=free.seq + 1, previous=made.head.digest, releasers=1)
    with pytest.raises(psycopg.Error, match="does not fit the quota|or names none"):
        made.append("anna", late)
    made.owner.set_quota(Budget("0.1"), releaser="anna")
    limit = Budget("0.1").limit
    named = Row.named("anna", Share(request("0.2").charge.charge, limit))
    beyond = forged(late, seq=late.seq + 1, previous=made.head.digest, releasers=2, **named)
    with pytest.raises(psycopg.Error, match="does not fit the quota of its releaser"):
        made.append("anna", beyond)
    made.ledger("anna").charge(request("0.1"), lambda _: b"")
    assert made.owner.verify().spent == Budget("0.1")


def test_a_name_that_the_owner_brought_may_hold_any_letters(running: Server) -> None:
    made, odd = team(running), "\U0001f9ee"
    running.roles(odd)
    postgresql(made.owner).grant(releasers=[odd])
    with pytest.raises(psycopg.Error, match="letters that are not common"):
        made.append(odd, made.charge(odd))
    made.owner.set_quota(Budget("0.1"), releaser=odd)
    made.append(odd, made.charge(odd))
    assert made.owner.verify().charges == 1
