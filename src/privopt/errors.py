"""Errors: one tree, each message says what was got, what was needed and what to do.

Messages carry public values only (shapes, parameters, names): an exception text may end up in a
log. What depends on the private data (how a solver ended, numbers computed from d, rows that d
chose) travels in `error.private` and `error.diagnose()`, objects for the curator's eyes that show
nothing until asked. What to do is a text, or clauses of which some are actions (`Clause`): the
command line has other words for these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from privopt.foreign import shown

__all__ = [
    "Action",
    "BudgetExceededError",
    "BurntError",
    "Clause",
    "CombinationError",
    "Explanation",
    "InfeasibleError",
    "InputError",
    "KeyUsedError",
    "LedgerError",
    "NoDecisionError",
    "NotImplementableError",
    "Private",
    "PrivoptError",
    "SolverError",
    "UnboundedError",
]


class Private:
    """A detail that depends on the private data: only `reveal()`, for the curator, tells it."""

    __slots__ = ("_detail",)

    def __init__(self, detail: str) -> None:
        self._detail = detail

    def __repr__(self) -> str:
        return "Private(for the curator: read .reveal())"

    def reveal(self) -> str:
        """The detail in words. Do not publish it."""
        return self._detail


class Action(Enum):
    """Something to do that is said otherwise at the command line; the value is how Python says it.

    `{}` is where the rest of the clause goes.
    """

    EXPLAIN = "call error.diagnose() for {}"
    DIAGNOSE = "error.diagnose() {}"
    REVEAL = "error.private.reveal() {}"
    HELP = "see help(privopt.{})."
    SET_LIMIT = "change the limit on record with ledger.set_limit{}"
    SET_QUOTA = "change the quota on record with ledger.set_quota{}"
    MAKE_LEDGER = "Ledger(path, limit=Budget(epsilon, delta)){}"
    TAKE = "take {}"


@dataclass(frozen=True, repr=False)
class Clause:
    """One clause of what to do: an action and the rest of its sentence.

    Attributes
    ----------
    values
        Of `Action.TAKE`: settings by name, each with a value that alone would do.
    """

    action: Action
    rest: str = ""
    values: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        settings = [f"{name}={value:g}" for name, value in self.values]
        return self.action.value.format(" or ".join(settings) + self.rest)

    @property
    def tells(self) -> bool:
        """Whether it is to be told what depends on private data."""
        return self.action in (Action.EXPLAIN, Action.DIAGNOSE, Action.REVEAL)


What = str | tuple[str | Clause, ...]
"""What to do: a text, or clauses that are set apart by semicolons."""


class PrivoptError(Exception):
    """The root of everything privopt raises on purpose.

    Attributes
    ----------
    got, needed, remedy
        The message, in parts. Public.
    remedies
        The clauses of the remedy: texts, and actions for whoever says them in other words.
    private
        What more there is to say, for the curator; None if nothing. A copy does not carry it.
    """

    _more: ClassVar[tuple[str, ...]] = ()  # what else a kind of error is made of

    def __init__(self, got: str, needed: str, remedy: What, *, private: str | None = None) -> None:
        # Messages quote names and files of others, and end in a terminal.
        self.got, self.needed = shown(got), shown(needed)
        clauses = (remedy,) if isinstance(remedy, str) else remedy
        self.remedies = tuple(shown(one) if isinstance(one, str) else one for one in clauses)
        self.remedy = "; ".join(map(str, self.remedies))
        self.private = None if private is None else Private(private)
        super().__init__(f"{self.got} Needed: {self.needed} What to do: {self.remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        more = (getattr(self, name) for name in self._more)
        return type(self), (self.got, self.needed, self.remedies, *more)


class InputError(PrivoptError, ValueError):
    """An argument that cannot be right: shape, range, NaN, unknown name."""


class CombinationError(InputError):
    """Arguments that are right alone and make no sense together."""


class NotImplementableError(PrivoptError):
    """No recourse Z with G Z = 0 and S Z = I exists: the equalities fix what the query perturbs.

    Attributes
    ----------
    released, equalities
        Names of the query's values and of the equalities in the first conflict.
    implementable
        Positions of a largest part of the query that can be released.
    """

    _more = ("released", "equalities", "implementable")

    def __init__(
        self,
        got: str,
        needed: str,
        remedy: What,
        released: tuple[str, ...] = (),
        equalities: tuple[str, ...] = (),
        implementable: tuple[int, ...] = (),
    ) -> None:
        super().__init__(got, needed, remedy)
        self.released, self.equalities, self.implementable = released, equalities, implementable


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why there is no solution, for the curator: what a `privopt.Diagnosis` holds.

    Attributes
    ----------
    rows
        Names of the rows on which the least total excess lies, worst first.
    excess
        By how much, relative to their size.
    epsilon, alpha, eta
        Smallest epsilon, largest alpha, smallest eta (each alone) that would be feasible; None if
        that parameter alone does not help within its range.
    before_noise
        Whether the program itself is infeasible, without any noise.
    """

    rows: tuple[str, ...]
    excess: tuple[float, ...]
    epsilon: float | None
    alpha: float | None
    eta: float | None
    before_noise: bool = False

    def summary(self) -> str:
        """All of it in words."""
        raise NotImplementedError


class InfeasibleError(PrivoptError):
    """No solution meets the constraints. That fact depends on d: it is for the curator.

    `diagnose()` says which rows block and what would make it feasible; its answer is private.
    """

    def __init__(
        self, got: str, needed: str, remedy: What, explain: Callable[[], Explanation] | None = None
    ) -> None:
        super().__init__(got, needed, remedy)
        self._explain = explain

    def diagnose(self) -> Explanation:
        """Which rows block, and the smallest epsilon, largest alpha, smallest eta that would do."""
        if self._explain is None:
            raise InputError(
                "This infeasibility has no diagnosis attached (it was copied between processes, or "
                "it concerns a step that has none).",
                "the exception as raised by `solve`.",
                "catch it where `solve` is called and call `diagnose()` there.",
            )
        return self._explain()


class NoDecisionError(InfeasibleError):
    """No values have a certificate at this y. Public: a function of y and public data.

    Attributes
    ----------
    eta, epsilon, domain
        The nearest value that alone would do at the same y: a larger eta, a larger epsilon (of all
        measurements together), the domain this many times as wide about its middle. Each was tried;
        None where none was found.
    leave_out
        Released values without which there would be a decision, each alone.
    """

    _more = ("eta", "epsilon", "domain", "leave_out")

    def __init__(
        self,
        got: str,
        needed: str,
        remedy: What,
        eta: float | None = None,
        epsilon: float | None = None,
        domain: float | None = None,
        leave_out: tuple[str, ...] = (),
    ) -> None:
        super().__init__(got, needed, remedy)
        self.eta, self.epsilon, self.domain, self.leave_out = eta, epsilon, domain, leave_out


class UnboundedError(PrivoptError):
    """The cost falls without end: a bound is missing."""


class SolverError(PrivoptError):
    """The solver stopped without an answer that can be used; `error.private` says how it ended."""


class LedgerError(PrivoptError):
    """A ledger that cannot be used, or that has been altered. Nothing was released.

    Attributes
    ----------
    row
        The first bad row, where one is known.
    """

    _more = ("row",)

    def __init__(self, got: str, needed: str, remedy: What, row: int | None = None) -> None:
        super().__init__(got, needed, remedy)
        self.row = row


class BudgetExceededError(LedgerError):
    """A charge that does not fit what is left. Nothing was charged, read or released."""


class KeyUsedError(LedgerError):
    """A key that already stands for another request. Nothing was charged, read or released."""


class BurntError(LedgerError):
    """A charge whose output was never stored: it stays spent, and nothing can be replayed."""
