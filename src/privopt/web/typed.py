"""What is wrong with what was typed into a field, in the units in which the field shows it.

    about(problem, text)    of a field and its entry: the same problem, said about what was typed

A decimal comma is named, and never guessed at. Shares are shown and typed in percent, so that an
error about one speaks of percent, too.
"""

from __future__ import annotations

import re
from dataclasses import replace

from privopt.app.values import number_of
from privopt.web.problems import Problem
from privopt.web.wording import PERCENT, empty, label

__all__ = ["about"]

_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_NUMBERS = ("alpha", "around", "lower", "upper", "epsilon", "delta", "eta", "fidelity", "within",
            "limit", "limit-delta")  # fmt: skip
_OUTSIDE = re.compile(r"is (\S+|\[.*\])")  # "epsilon is -1.0.": it was read, and cannot be right
# What a field takes and what to do, where the library says it of a parameter.
_TAKES = {
    "eta": ("a percentage between 0 and 50.", "for limits that hold in 95 % of all releases, "
            "write 5."),
    "around": ("a percentage, 0 to 100.", "write 10 for loads that may lie 10 % "
               "above or below the public ones."),
    "alpha": ("a positive number, in the unit of the loads.", "write the largest change of one "
              "owner's load that must stay hidden."),
    "epsilon": ("a number from 1e-9 to 1e9.", "write about 0.1 to 10; 1 is common."),
    "fidelity": ("a number, 0 or larger.", "write 0.01, or choose “Cheapest”."),
    "within": ("a positive number.", "take the distance that this screen shows as a beginning."),
    "lower": ("a number in the unit of the loads, or the path of a file of numbers by name.",
              "fill in both bounds, or choose “Around the loads”."),
    "upper": ("a number in the unit of the loads, or the path of a file of numbers by name.",
              "fill in both bounds, or choose “Around the loads”."),
    "limit": ("a number, 0 or larger.", "write the ε that all releases may cost together, such as "
              "1.0."),
}  # fmt: skip


def about(problem: Problem, text: str) -> Problem:
    """The problem of a field, said about its entry."""
    field = problem.field
    if field is None:
        return problem
    text = text.strip()
    if field in _NUMBERS and _COMMA.fullmatch(text):
        return Problem(
            f"“{label(field)}” is {text}, with a comma.",
            "a decimal point; a comma stands between the numbers of a list.",
            f"write {text.replace(',', '.')}.",
            field,
        )
    takes = _TAKES.get(field)
    if problem.got == empty(field):
        return Problem(problem.got, *(takes or ("a value.", "fill it in.")), field)
    named = re.match(rf"(?:{re.escape(field)}|epsilon|distance|“{re.escape(label(field))}”) (.*)",
                     problem.got)  # fmt: skip
    if named is None:
        return problem
    if _OUTSIDE.fullmatch(named[1]) is None:
        return replace(problem, got=f"“{label(field)}” {named[1]}")
    got = f"“{label(field)}” is {_shown(field, text)}."
    return replace(problem, got=got) if takes is None else Problem(got, *takes, field)


def _shown(field: str, text: str) -> str:
    """An entry as its field shows it."""
    number = number_of(text)
    if number is None:
        return f"{text!r:.60}"
    return f"{100 * number:.12g} %" if field in PERCENT else f"{number:.12g}"
