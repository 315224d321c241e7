"""Opening a ledger: its first row, and what must agree."""

from __future__ import annotations

from dataclasses import dataclass

from privopt.errors import Action, Clause, InputError, LedgerError
from privopt.ledger.budget import Budget, Units
from privopt.ledger.row import Row
from privopt.ledger.subject import Subject, check_subject
from privopt.scalars import real

__all__ = ["Given", "check_given", "first_row"]


@dataclass(frozen=True)
class Given:
    """What the curator said when opening; None where nothing was said."""

    limit: Budget | None = None
    dataset: str | None = None
    alpha: float | None = None
    private: str | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and not isinstance(self.limit, Budget):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"limit is {self.limit!r:.40}.", "a Budget.", "limit=Budget(epsilon, delta)."
            )
        name = self.dataset
        if name is not None and not (isinstance(name, str) and 1 <= len(name) <= 200):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"dataset is {name!r:.40}.", "a name of 1 to 200 characters.", "name the data."
            )
        if self.alpha is not None:
            alpha = real(
                self.alpha,
                "alpha",
                "a positive number, in the units of d.",
                "set it to the largest change of one entry of d that must stay hidden.",
                low=0.0,
                open_low=True,
            )
            object.__setattr__(self, "alpha", alpha)


def first_row(given: Given, limit: Budget, name: str, time: str, home: bytes) -> Row:
    """The first row of a new ledger."""
    units = limit.limit
    return Row(
        seq=1,
        kind="opened",
        time=time,
        request=Subject(given.dataset or name, given.alpha, given.private).text,
        limit_epsilon=str(units.epsilon),
        limit_delta=str(units.delta),
        home=home,
    ).sealed()


def check_given(given: Given, subject: Subject, limit: Units) -> None:
    """Refuse to open a ledger under another name, alpha, private set or limit than its own."""
    check_subject(subject, dataset=given.dataset, alpha=given.alpha, private=given.private)
    if given.limit is not None and given.limit.limit != limit:
        raise LedgerError(
            f"limit is {given.limit}; the ledger's limit is {limit.budget}.",
            "the limit in force, or none.",
            ("open it without a limit", Clause(Action.SET_LIMIT, ".")),
        )
