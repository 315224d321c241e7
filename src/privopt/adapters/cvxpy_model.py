"""A cvxpy problem as far as it can be read: convex, private parameters in its constraints.

The private parameters are replaced by variables, which the program will hold equal to the private
data. What does not fit is refused by its name, and no value of a private parameter is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from privopt.adapters.canonical import Canonical
from privopt.adapters.misfits import (
    check_convex,
    compiled,
    holds,
    in_bounds,
    in_constraint,
    in_objective,
)
from privopt.errors import InputError
from privopt.extra import library

__all__ = ["CvxpyModel", "read_model"]

_WHOLE = ("boolean", "integer")
_CONES = ("PSD", "NSD", "hermitian", "complex", "imag")
_TIED = ("symmetric", "diag", "sparsity", *_CONES)  # entries that cannot change alone


@dataclass(frozen=True, eq=False, repr=False)
class CvxpyModel:
    """The problem with variables in place of its private parameters.

    Its form has a constraint `leaf = 0`, the anchor, for each variable and twin.
    """

    variables: tuple[Any, ...]
    private: tuple[Any, ...]
    twins: tuple[Any, ...]  # the variable that stands for each private parameter
    names: dict[int, str]  # of the constraints, by their numbers
    form: Canonical
    anchors: tuple[int, ...]  # numbers of these constraints
    maximise: bool


def read_model(problem: Any, private: Any) -> CvxpyModel:  # noqa: ANN401 -- the edge
    """Check a problem and bring it to canonical form."""
    cp = library("cvxpy")
    if not isinstance(problem, cp.Problem):
        raise InputError(
            f"problem is {type(problem).__name__}.", "a cvxpy Problem.", "pass cp.Problem(...)."
        )
    parameters = _private(problem, private)
    _check_variables(problem, parameters)
    _check_public(problem, parameters)
    named = list(_named(problem))
    check_convex(problem, named)
    twins = tuple(cp.Variable(p.shape, name=p.name()) for p in parameters)
    replaced = {id(p): twin for p, twin in zip(parameters, twins, strict=True)}
    if holds(problem.objective, parameters):
        raise in_objective(problem, parameters)
    constraints = [
        _with_twins(name, constraint, parameters, replaced) for name, constraint in named
    ]
    variables = tuple(problem.variables())
    anchors = [cp.Zero(cp.vec(leaf, order="F")) for leaf in (*variables, *twins)]
    return CvxpyModel(
        variables=variables,
        private=parameters,
        twins=twins,
        names={int(constraint.id): name for name, constraint in named},
        form=compiled(problem, named, constraints, anchors),
        anchors=tuple(int(anchor.id) for anchor in anchors),
        maximise=isinstance(problem.objective, cp.Maximize),
    )


def _named(problem: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """The constraints, each once, with their labels or places."""
    seen: set[int] = set()
    for k, constraint in enumerate(problem.constraints):
        if constraint.id not in seen:
            seen.add(constraint.id)
            yield getattr(constraint, "label", None) or f"constraint {k}", constraint


def _private(problem: Any, private: Any) -> tuple[Any, ...]:  # noqa: ANN401
    cp = library("cvxpy")
    several = isinstance(private, (list, tuple))
    given = list(cast("Sequence[Any]", private if several else [private]))
    known = [id(parameter) for parameter in problem.parameters()]
    for parameter in given:
        if not isinstance(parameter, cp.Parameter):
            raise InputError(
                f"private is or holds {type(parameter).__name__}.",
                "a cvxpy Parameter of the problem, or a list of them.",
                "write the private numbers as demand = cp.Parameter(...), and pass private=demand.",
            )
        if id(parameter) not in known:
            raise InputError(
                f"the private parameter {parameter.name()} is not in the problem.",
                "a parameter in a constraint of the problem.",
                "use the parameter itself in the constraint, not its value.",
            )
        tied = [attribute for attribute in _TIED if parameter.attributes[attribute]]
        if tied or isinstance(parameter, cp.CallbackParam):
            raise InputError(
                f"the private parameter {parameter.name()} is "
                f"{tied[0] if tied else 'computed from others'}.",
                "real entries that can change one at a time.",
                "use a plain parameter for the entries that are free, and build the rest from it "
                "by an affine expression.",
            )
    if not given or len({id(parameter) for parameter in given}) != len(given):
        raise InputError(
            "private is empty, or names a parameter twice.",
            "each private parameter once, at least one.",
            "pass for example private=[demand, supply].",
        )
    return tuple(given)


def _check_variables(problem: Any, private: tuple[Any, ...]) -> None:  # noqa: ANN401
    for variable in problem.variables():
        for attribute in (*_WHOLE, *_CONES):
            if variable.attributes[attribute]:
                raise InputError(
                    f"the variable {variable.name()} is {attribute}.",
                    "real variables without semidefinite or complex ones.",
                    "relax it (a relaxed answer is what can carry noise), or take it out."
                    if attribute in _WHOLE
                    else "write it as real variables with linear or norm constraints.",
                )
        bounds: Any = variable.attributes.get("bounds") or ()
        for bound in bounds:
            if hasattr(bound, "parameters") and holds(bound, private):
                raise in_bounds(variable, private)


def _check_public(problem: Any, private: tuple[Any, ...]) -> None:  # noqa: ANN401
    cp = library("cvxpy")
    hidden = {id(parameter) for parameter in private}
    for parameter in problem.parameters():
        if id(parameter) in hidden:
            continue
        if isinstance(parameter, cp.CallbackParam):
            raise InputError(
                f"the parameter {parameter.name()} is computed by a function.",
                "parameters with values of their own: what the function reads may be private.",
                "write the expression itself into the problem, or a parameter with its value.",
            )
        if parameter.value is None:
            raise InputError(
                f"the public parameter {parameter.name()} has no value.",
                "a value for every parameter that is not private.",
                f"set {parameter.name()}.value, or name it in private=.",
            )


def _with_twins(
    name: str,
    constraint: Any,  # noqa: ANN401
    private: tuple[Any, ...],
    replaced: dict[int, Any],
) -> Any:  # noqa: ANN401
    """The constraint with variables for private parameters, if it is convex in these, too."""
    if not holds(constraint, private):
        return constraint
    copied = constraint.tree_copy(replaced)
    if holds(copied, private) or not copied.is_dcp():
        raise in_constraint(name, constraint, copied, private)
    return copied
