"""What went wrong, as an answer: got, needed, remedy, and the field of the form that it is about.

    {"error": {"got": ..., "needed": ..., "remedy": ..., "field": name or null}}

Made of the public parts of our errors alone; anything else that is raised is told as "unexpected",
without its text, which may hold private values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from privopt.errors import LedgerError, PrivoptError
from privopt.web.wording import on_screen, spoken

__all__ = [
    "UNEXPECTED",
    "Problem",
    "ProblemError",
    "body_of",
    "problem_bytes",
    "status_of",
    "whole",
]


@dataclass(frozen=True, repr=False)
class Problem:
    """One thing that is wrong, and the field of the form it is about, if one is known."""

    got: str
    needed: str
    remedy: str
    field: str | None = None

    @classmethod
    def of(cls, error: PrivoptError, field: str | None = None) -> Problem:
        """The public parts of an error, in the words of the screens."""
        return cls(on_screen(error.got), on_screen(error.needed), spoken(error), field)

    def to_dict(self) -> dict[str, str | None]:
        """Plain data for JSON."""
        return asdict(self)


class ProblemError(PrivoptError):
    """A problem that ends a request with a status, and what else its answer holds."""

    def __init__(
        self, status: int, problem: Problem, more: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(problem.got, problem.needed, problem.remedy)
        self.status, self.problem, self.more = status, problem, dict(more or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.problem, self.more)


UNEXPECTED = Problem(
    "something unexpected went wrong.",
    "nothing of yours: this is a fault of the workbench.",
    "try again; if it stays, run the same job with the command line, which says more.",
)


def problem_bytes(problem: Problem, **more: Any) -> bytes:  # noqa: ANN401 -- plain data
    """The body of an answer about a problem."""
    return json.dumps({"error": problem.to_dict(), **more}).encode()


def status_of(error: PrivoptError) -> int:
    """The status of an answer about an error: 409 of a ledger that refuses, 422 of others."""
    return 409 if isinstance(error, LedgerError) else 422


def body_of(content: bytes, **known: type) -> dict[str, Any]:
    """The JSON object of a request, with fields of these names and types; others are refused."""
    try:
        found: Any = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ProblemError(
            400, Problem("the request holds no JSON object.", "a JSON object.", "send one.")
        )
    body = cast("dict[str, Any]", found)
    for name, value in body.items():
        if name not in known:
            raise ProblemError(
                400,
                Problem(
                    f"the request has {name!r:.60}.",
                    f"of this request: {', '.join(known) or 'nothing'}.",
                    "leave it out.",
                ),
            )
        whole = known[name] is not int or not isinstance(value, bool)
        if not isinstance(value, known[name]) or not whole:
            raise ProblemError(
                400,
                Problem(
                    f"{name} is a {type(value).__name__}.",
                    f"a {known[name].__name__}.",
                    "send one.",
                ),
            )
    return body


def whole(body: dict[str, Any], *needed: str) -> dict[str, Any]:
    """The object of a request, which must have these fields."""
    missing = [name for name in needed if name not in body]
    if missing:
        raise ProblemError(
            400, Problem(f"the request has no {missing[0]}.", "it.", "send it.", missing[0])
        )
    return body


def _no_constant(_: str) -> None:
    raise ValueError
