"""What would make an infeasible design feasible: which epsilon, alpha, floor or domain.

Each is changed alone, and every value named was tried as it is printed, to the tolerance of the
design: a larger epsilon, a smaller alpha, a smaller floor, a narrower domain about the same middle.
All four only ever help, so `remedies` finds the edge, to five percent. Everything here is public:
the answer may stand in an error message. It may take what the time limit leaves or, without one,
some times as much computing as the failed design, a minute of it at most (of computing: on a busy
machine the answer is the same); what is still open then is named, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeAlias

from privopt.digits import down, up
from privopt.errors import Action, Clause, InfeasibleError
from privopt.mechanisms.design_task import DesignTask
from privopt.mechanisms.exact_policy import Solution
from privopt.mechanisms.remedies import Remedy, allowed, changed, tried_words
from privopt.model.domain import Box
from privopt.solving.clock import Clock
from privopt.solving.problem import Outcome
from privopt.solving.solver import Running

__all__ = ["no_policy"]

_NEAR = 1.05  # a value that works, over one that does not: near enough
_FIRST, _LAST = 8.0, 1e6  # times less noise: tried first, and at most
_LARGEST = 100.0  # epsilon: beyond it nothing is private
_NARROWER = (0.5, 0.02)  # of the domain
_SMALL = 1e-4  # part of a floor
_DIGITS = 2
_DOMAIN = "the domain"
_Attempt: TypeAlias = Callable[[float], Solution | Outcome]


def no_policy(task: DesignTask, floor: float, seconds: float) -> InfeasibleError:
    """The error for a design that took some seconds of computing to be found infeasible."""
    if not task.solvable:
        return InfeasibleError(
            "the program has no feasible point at the middle of the domain, before any privacy.",
            "a domain in which A z <= b and G z = d can hold together.",
            "check signs, units and limits, or move the domain.",
        )
    clock = allowed(task.settings, seconds)
    remedies = _remedies(task, floor, clock)
    epsilon, *others = remedies.values()
    alpha, domain = remedies.get("alpha"), remedies[_DOMAIN]
    unserved = floor == 0 and not task.served
    if not unserved:
        epsilon.search(clock.share(1 + len(others)))
        unserved = epsilon.ruled_out and not task.served
    if unserved:
        domain.search(clock.share(1))
        got = "the program has no feasible point at some d of the domain, before any privacy."
        return _error(got, [domain])
    if (
        alpha is not None and epsilon.found is not None
    ):  # alpha, smaller by the same factor, will do, too
        same = float(down(alpha.asked * epsilon.asked / epsilon.found, _DIGITS))
        alpha.steps = (same, alpha.steps[-1])
    for i, remedy in enumerate(others):
        remedy.search(clock.share(len(others) - i))
    got = "no affine policy keeps the inequalities for every d of the domain under this noise."
    return _error(got, [epsilon, *others])


def _error(got: str, remedies: list[Remedy[Solution]]) -> InfeasibleError:
    """What the search came to, in words."""
    values = [(one.name, one.found) for one in remedies if one.found is not None]
    tried = tried_words(remedies, _words)
    if not values:
        needed = "other limits or another query: no change of one setting was found to do."
        return InfeasibleError(got, needed + tried, "widen the limits, or release fewer values.")
    others = "release fewer values, or allow a larger eta."
    settings = tuple(value for value in values if value[0] != _DOMAIN)
    first = Clause(Action.TAKE, values=settings) if settings else "take a narrower domain"
    return InfeasibleError(got, "less to keep them against." + tried, (first, others))


def _words(remedy: Remedy[Solution], value: float) -> str:
    """A value of a setting; one that makes the release a constant is called so."""
    if remedy.name == _DOMAIN:
        return f"a domain {value:g} times as wide about the same middle"
    made = remedy.made if value == remedy.found else None
    constant = remedy.name == "floor" and made is not None and made.program.silent
    return f"{remedy.name}={value:g}{' (a constant: it tells nothing about d)' if constant else ''}"


def _remedies(task: DesignTask, floor: float, clock: Clock) -> dict[str, Remedy[Solution]]:
    """The settings that can be changed, by name."""
    privacy, (lower, upper) = task.question.privacy, task.domain.ends(task.program.private_names)
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)

    def left() -> Running:
        limit = max(clock.left, 1e-3)
        return dataclasses.replace(task.settings, time_limit=limit).started(clock.now)

    def noise(**values: float) -> Solution | Outcome:
        return task.under(changed(privacy, **values), left()).solution(0.0, floor)

    def lower_floor(value: float) -> Solution | Outcome:
        return task.under(privacy, left()).solution(0.0, value)

    def narrower(share: float) -> Solution | Outcome:
        domain = Box(middle - share * half, middle + share * half)
        return task.over(domain, left()).solution(0.0, floor)

    def down_to(value: float, *last: float) -> tuple[float, ...]:
        return tuple(float(down(one, _DIGITS)) for one in (value / _FIRST, *last))

    epsilon, relation = privacy.epsilon, privacy.neighbours
    alpha = relation.largest
    first, most = (float(up(times * epsilon, _DIGITS)) for times in (_FIRST, _LAST))
    larger = (first,) if first >= _LARGEST else (first, min(most, _LARGEST))
    tried: tuple[tuple[str, float, tuple[float, ...], _Attempt], ...] = (
        ("epsilon", epsilon, larger, lambda value: noise(epsilon=value)),
        ("alpha", alpha, down_to(alpha, alpha / _LAST), lambda value: noise(alpha=value)),
        ("floor", floor, (*down_to(floor, _SMALL * floor), 0.0), lower_floor),
        (_DOMAIN, 1.0, _NARROWER, narrower),
    )
    made = (Remedy[Solution](*one, _NEAR, _DIGITS) for one in tried)
    # One alpha for all entries is no remedy where each has its own.
    given = {"floor": floor > 0, "alpha": not isinstance(relation.alpha, tuple)}
    return {one.name: one for one in made if given.get(one.name, True)}
