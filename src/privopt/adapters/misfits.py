"""What of a cvxpy problem does not fit: which expression, why, and what would do instead.

A private number may stand wherever a variable could: the rules of convex programs (DCP) must hold
with a variable in its place. An error names the constraint and the smallest part of it that is to
blame. It shows names and constants, and no value of a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from privopt.adapters.canonical import Beyond, Canonical, canonical
from privopt.errors import InputError
from privopt.extra import library

__all__ = [
    "check_convex", "compiled", "holds", "in_bounds", "in_constraint", "in_objective", "text",
]  # fmt: skip

Named = Iterable[tuple[str, Any]]  # constraints with their names

_LONG = 60  # characters of a formula in a message
_REMEDIES = {
    Beyond.INTEGER: "relax it (a relaxed answer is what can carry noise), or decide it beforehand.",
    Beyond.SEMIDEFINITE: "semidefinite constraints and functions of eigenvalues cannot be kept "
    "under noise here: bound the matrix by its entries, or by norms of its rows.",
    Beyond.POWERS: "write the cone as cp.geo_mean, or as cp.PowCone3D.",
    Beyond.NUMBERS: "clean the numbers; a limit that does not exist is left out.",
    Beyond.FAILED: "try problem.solve(solver=cp.CLARABEL), which says more.",
}


def text(part: Any) -> str:  # noqa: ANN401 -- cvxpy
    """The formula as cvxpy prints it, cut."""
    whole = " ".join(str(part.name() if hasattr(part, "name") else part).split())
    return whole if len(whole) <= _LONG else whole[: _LONG - 3] + "..."


def holds(part: Any, private: tuple[Any, ...]) -> bool:  # noqa: ANN401
    """Whether a private parameter is in an expression or a constraint."""
    hidden = {id(parameter) for parameter in private}
    return any(id(parameter) in hidden for parameter in part.parameters())


def check_convex(problem: Any, named: Named) -> None:  # noqa: ANN401
    """Refuse what does not follow the rules of convex programs."""
    for name, part in (("the objective", problem.objective), *named):
        if not part.is_dcp():
            raise InputError(
                f"{_blame(name, part, lambda inner: not inner.is_dcp())} does not follow cvxpy's "
                "rules of convex programs (DCP).",
                "a convex problem: problem.is_dcp() is True.",
                "minimise convex costs, keep convex functions below and concave ones above their "
                "limits; www.cvxpy.org/tutorial/dcp has the rules.",
            )


def in_objective(problem: Any, private: tuple[Any, ...]) -> InputError:  # noqa: ANN401
    """The refusal of private data in the objective."""
    part = _smallest(problem.objective, lambda inner: holds(inner, private))
    name = part.name()
    return InputError(
        f"the objective contains {_listed(private)}.",
        "private parameters in constraints only.",
        f"use a variable t in its place, with the constraint t == {name}; what the cost then pays "
        "for is as private as the rest of the solution.",
    )


def in_bounds(variable: Any, private: tuple[Any, ...]) -> InputError:  # noqa: ANN401
    """The refusal of private data in the bounds of a variable."""
    return InputError(
        f"the bounds of {variable.name()} contain {_listed(private)}.",
        "private parameters in constraints only.",
        f"write the bound as a constraint, such as {variable.name()} <= {private[0].name()}.",
    )


def in_constraint(
    name: str,
    constraint: Any,  # noqa: ANN401
    replaced: Any,  # noqa: ANN401
    private: tuple[Any, ...],
) -> InputError:
    """The refusal of a constraint that is not convex with variables for the private data."""
    inner = _smallest(replaced, lambda part: not part.is_dcp())
    which = "" if inner is replaced else f": {text(inner)}"
    return InputError(
        f"{name} ({text(constraint)}) is not convex in {_listed(private)}{which}.",
        "private parameters where variables could stand: constraints that follow cvxpy's rules "
        "(DCP) with variables in their place.",
        "add, or multiply by constants: cp.sum(x) == demand, cp.norm(x) <= capacity; a curved "
        "function of private data may be below a limit and not equal to one. A private factor of "
        "a variable cannot be hidden: make it public, or let its reciprocal be the private "
        "parameter where dividing by it helps.",
    )


def compiled(
    problem: Any,  # noqa: ANN401
    named: Named,
    constraints: list[Any],
    anchors: list[Any],
) -> Canonical:
    """The canonical form; where there is none, the part that is to blame is refused.

    `constraints` are those of `named` with variables for the private data.
    """
    cp = library("cvxpy")
    form = _attempt(problem.objective, constraints + anchors)
    if isinstance(form, Canonical):
        return form
    for (name, _), constraint in zip(named, constraints, strict=True):
        wrong = _attempt(cp.Minimize(0), [constraint]) if constraint.variables() else None
        if isinstance(wrong, Beyond):
            raise _refusal(name, constraint, wrong)
    raise _refusal("the objective", problem.objective, form)


def _attempt(objective: Any, constraints: list[Any]) -> Canonical | Beyond:  # noqa: ANN401
    """The canonical form, or why there is none."""
    cp = library("cvxpy")
    try:
        form = canonical(cp.Problem(objective, constraints))
    except cp.SolverError:  # cones that no solver takes
        return Beyond.SEMIDEFINITE
    except Exception:  # of any kind; its text may quote a value
        return Beyond.FAILED
    return form if form.beyond is None else form.beyond


def _refusal(name: str, part: Any, wrong: Beyond) -> InputError:  # noqa: ANN401
    def to_blame(inner: Any) -> bool:  # noqa: ANN401
        cp = library("cvxpy")
        if not isinstance(inner, cp.Expression) or not inner.variables():
            return False
        sense = cp.Minimize if inner.is_convex() else cp.Maximize
        return isinstance(_attempt(sense(cp.sum(inner)), []), Beyond)

    return InputError(
        f"{_blame(name, part, to_blame)} {wrong.value}.",
        "a problem of linear rows, second-order, exponential and power cones, which most convex "
        "functions are made of.",
        _REMEDIES[wrong],
    )


def _blame(name: str, part: Any, wrong: Callable[[Any], bool]) -> str:  # noqa: ANN401
    """Which part of a constraint, or of the objective, is wrong."""
    inner = _smallest(part, wrong)
    if inner is part:
        return f"{name} ({text(part)})"
    return f"{text(inner)} in {name} ({text(part)})"


def _smallest(part: Any, wrong: Callable[[Any], bool]) -> Any:  # noqa: ANN401
    """The smallest part within it that is wrong, too."""
    for inner in part.args:
        if wrong(inner):
            return _smallest(inner, wrong)
    return part


def _listed(private: tuple[Any, ...]) -> str:
    return "private data (" + ", ".join(parameter.name() for parameter in private) + ")"
