"""The ledger: what was spent on one dataset."""

from privopt.ledger.budget import Budget
from privopt.ledger.composition import compose
from privopt.ledger.entry import Entry
from privopt.ledger.events import Event
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request
from privopt.ledger.verification import Report
from privopt.record import digest

__all__ = [
    "Budget",
    "Entry",
    "Event",
    "Ledger",
    "Report",
    "Request",
    "compose",
    "digest",
]
