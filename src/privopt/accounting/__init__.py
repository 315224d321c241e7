"""Accounting: what has been spent on one dataset, and what may still be spent."""

from privopt.accounting.budget import Budget
from privopt.accounting.composition import Composition, compose
from privopt.accounting.entry import Entry
from privopt.accounting.inspection import Event
from privopt.accounting.ledger import Ledger
from privopt.accounting.request import Request, digest
from privopt.accounting.verification import Report

__all__ = [
    "Budget",
    "Composition",
    "Entry",
    "Event",
    "Ledger",
    "Report",
    "Request",
    "compose",
    "digest",
]
