"""Shares on a server: the quotas of the common layer, decided by the server as well."""

from __future__ import annotations

import psycopg
import pytest
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import forged, team

from privopt.errors import BudgetExceededError
from privopt.ledger import Budget


def test_releasers_and_purposes_stay_within_their_quotas(running: Server) -> None:
    made = team(running)
    anna = made.ledger("anna", purpose="planning")
    anna.charge(request("0.1"), lambda _: b"")  # what was spent before a quota counts
    made.owner.set_quota(Budget("0.3"), purpose="planning")
    made.owner.set_quota(Budget("0.25"), releaser="anna")
    made.owner.set_quota(Budget("0.5"), releaser="ben")
    anna.charge(request("0.15"), lambda _: b"")
    for ledger, match in (
        (anna, "quota of the releaser 'anna'"),
        (made.ledger("ben", purpose="planning"), "quota of the purpose 'planning'"),
        (made.ledger("ben"), "no purpose was named"),
    ):
        with pytest.raises(BudgetExceededError, match=match):
            ledger.charge(request("0.1"), never)
    made.ledger("ben", purpose="planning").charge(request("0.05"), lambda _: b"")
    made.owner.set_quota(Budget("0.4"), purpose="planning")
    made.ledger("ben", purpose="planning").charge(request("0.1"), lambda _: b"")
    assert anna.charge(request("0"), lambda _: b"free") == b"free"
    report = made.owner.verify()
    assert (report.charges, report.spent) == (5, Budget("0.4"))


def test_a_purpose_that_the_owner_brought_may_hold_any_letters(running: Server) -> None:
    made, odd = team(running), "\U0001f9ee budget"
    row = made.charge("anna")
    share = {"purpose_spent_epsilon": row.epsilon, "purpose_spent_delta": "0"}
    named = forged(row, purpose=odd, **share)
    with pytest.raises(psycopg.Error, match="letters that are not common"):
        made.append("anna", named)
    made.owner.set_quota(Budget("0.1"), purpose=odd)
    made.ledger("anna", purpose=odd).charge(request("0.1"), lambda _: b"")
    made.ledger("ben", purpose=odd).charge(request("0"), lambda _: b"")
    assert made.owner.verify().charges == 2
