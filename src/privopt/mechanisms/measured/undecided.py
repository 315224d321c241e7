"""No decision at this y: which eta, epsilon, domain or query would have one.

Each is changed alone, y staying as it is, and what is named was tried: a larger eta, a larger
epsilon (as if the same y had been measured with it), a narrower domain about the same middle, and
the query without one of its values. The first three only ever help, so `remedies` finds their edge,
to ten percent. An attempt is a decision over the region that is left, by a few draws: whether there
is one depends on the region alone. All of it is a function of y and public data, and so may stand
in an error message. It may take what the time limit leaves or, without one, some times as much
computing as the decision that failed, a minute at most; what is still open then is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privopt.digits import up
from privopt.errors import Action, Clause, NoDecisionError, PrivoptError
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.protocol import Feasibility
from privopt.foreign import some
from privopt.mechanisms.completed import optima
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.task import DecisionTask
from privopt.mechanisms.remedies import Remedy, allowed, changed, tried_words
from privopt.solving.clock import Clock
from privopt.solving.problem import Outcome
from privopt.solving.robust.region import Region

__all__ = ["no_decision"]

_DRAWS = 8  # of an attempt: a region without a decision has none whatever they are
_LOOKS = 64  # draws at which the program itself may have no solution
_NEAR = 1.1  # a value that works, over one that does not: near enough
_DIGITS = 2
_EPSILON = (8.0, 100.0)  # times as large, tried first; beyond the second nothing is private
_ETA = (4.0, 0.45)  # times as large, tried first; and at most
_NARROWER = (0.5, 0.02)  # of the domain
_VALUES = 3  # values that each could be left out: no more are looked for
_DOMAIN = "the domain"
_AFTER = "where you change eta at this y, the largest one that you would go to counts."

Attempt = Callable[[float], bool | Outcome]


def no_decision(
    task: DecisionTask, belief: Belief, feasibility: Feasibility, seconds: float
) -> NoDecisionError:
    """The error where there is no decision, which took some seconds of computing to see."""
    clock = allowed(task.settings, seconds)
    region = belief.region(feasibility)
    served = _served(task, belief, region)
    remedies = _remedies(task, belief, feasibility)
    left = len(remedies) + (1 if served and len(task.names) > 1 else 0)
    for k, one in enumerate(remedies.values()):
        one.search(clock.share(left - k))
    less = _Less() if left == len(remedies) else _left_out(task, belief, region, clock)
    return _error(remedies, less, served, task.by_periods)


def _served(task: DecisionTask, belief: Belief, region: Region) -> bool:
    """Whether the program itself has solutions at draws of what y leaves possible."""
    draws = task.draws(belief, _LOOKS, np.random.default_rng(0), within=region)
    return bool(np.isfinite(optima(task.program, task.data.whole(draws.T).T)).all())


def _attempt(task: DecisionTask, belief: Belief, region: Region) -> bool | Outcome:
    """Whether there is a decision over a region."""
    draws = task.draws(belief, _DRAWS, np.random.default_rng(0), within=region)
    made = task.decided(region, draws, 0.0)
    return made if isinstance(made, Outcome) else True


def _remedies(
    task: DecisionTask, belief: Belief, feasibility: Feasibility
) -> dict[str, Remedy[bool]]:
    """The settings that can be changed, by name."""

    def over(known: Belief, kept: Feasibility) -> bool | Outcome:
        return _attempt(task, known, known.region(kept))

    def steps(asked: float, times: float, most: float) -> tuple[float, ...]:
        first = float(up(times * asked, _DIGITS))
        return (first, most) if first < most else (most,)

    tried: list[tuple[str, float, tuple[float, ...], Attempt]] = []
    measured = any(len(one.W) for one in belief.instruments)
    if measured and isinstance(feasibility, ExactBox) and feasibility.eta < _ETA[1]:
        eta = feasibility.eta
        larger: Attempt = lambda v: over(belief, changed(feasibility, eta=v))  # noqa: E731
        tried.append(("eta", eta, steps(eta, *_ETA), larger))
    if measured and belief.epsilon < _EPSILON[1]:
        sharper: Attempt = lambda v: over(belief.with_epsilon(v), feasibility)  # noqa: E731
        tried.append(("epsilon", belief.epsilon, steps(belief.epsilon, *_EPSILON), sharper))
    tried.append((_DOMAIN, 1.0, _NARROWER, lambda v: over(belief.narrowed(v), feasibility)))
    return {one[0]: Remedy[bool](*one, _NEAR, _DIGITS) for one in tried}


@dataclass(frozen=True)
class _Less:
    """Values without which there is a decision, each alone; whether all were tried."""

    names: tuple[str, ...] = ()
    all_tried: bool = False
    late: bool = False


def _left_out(task: DecisionTask, belief: Belief, region: Region, clock: Clock) -> _Less:
    """Which values would each do if they were not released."""
    found: list[str] = []
    solved = True
    for k, name in enumerate(task.names):
        if len(found) == _VALUES:
            break
        if clock.left == 0.0:
            return _Less(tuple(found), late=True)
        try:
            made = _attempt(task.without(k), belief, region)
        except PrivoptError:
            made = Outcome.STALLED
        solved &= made in (True, Outcome.INFEASIBLE)
        found += [name] if made is True else []
    return _Less(tuple(found), all_tried=solved)


def _error(
    remedies: dict[str, Remedy[bool]], less: _Less, served: bool, by_periods: bool
) -> NoDecisionError:
    """What the search came to, in words and as data."""
    tried = tried_words(list(remedies.values()), _words)
    if less.names:
        each = "any one of " if len(less.names) > 1 else "the value "
        tried += f" So would the query without {each}{some(list(less.names), _VALUES)} (tried)."
    elif less.all_tried:
        tried += " Leaving out a single value is not enough (tried)."
    elif less.late:
        tried += " There was no time to try the query without single values."
    known = {name: one.found for name, one in remedies.items()}
    settings = tuple((name, value) for name in ("eta", "epsilon") if (value := known.get(name)))
    got = (
        "no values were found that can be completed for all data that the measurement leaves "
        "possible; only gains by periods were tried, another one might do."
        if served and by_periods
        else "no values can be completed for all data that the measurement leaves possible."
        if served
        else "the program has no feasible point at some data that the measurement leaves possible, "
        "whatever is released."
    )
    return NoDecisionError(
        got,
        f"fewer possible data{', or fewer values' if served else ''}; y is the same in what "
        f"follows.{tried}",
        (
            *((Clause(Action.TAKE, values=settings),) if settings else ()),
            "settle eta, query and fallback= before the next measurement"
            + ("." if known.get("eta") is None else ""),
            *(() if known.get("eta") is None else (_AFTER,)),
        ),
        eta=known.get("eta"),
        epsilon=known.get("epsilon"),
        domain=known[_DOMAIN],
        leave_out=less.names,
    )


def _words(remedy: Remedy[bool], value: float) -> str:
    """A value of a setting."""
    if remedy.name == _DOMAIN:
        return f"a domain {value:g} times as wide about the same middle"
    return f"{remedy.name}={value:g}"
