"""The name that `privopt.ledger` had in version 0.1.0."""

from privopt.ledger import Budget, Entry, Event, Ledger, Report, Request, compose

__all__ = ["Budget", "Entry", "Event", "Ledger", "Report", "Request", "compose"]
