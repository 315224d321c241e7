"""The name of version 0.1.0 leads to what it named."""

from __future__ import annotations

from privopt import accounting, ledger


def test_the_old_name_leads_on() -> None:
    assert {name: getattr(accounting, name) for name in accounting.__all__} == {
        name: getattr(ledger, name) for name in accounting.__all__
    }
