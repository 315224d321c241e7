"""A cvxpy problem as far as it can be read: convex, private parameters in its constraints.

The private parameters are replaced by variables, which the program will hold equal to the private
data. What does not fit is refused by its name, and no value of a private parameter is read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from privopt.adapters.canonical import Canonical, canonical
from privopt.errors import InputError
from privopt.extra import library

__all__ = ["CvxpyModel", "read_model"]

_WHOLE = ("boolean", "integer")
_CONES = ("PSD", "NSD", "hermitian", "complex", "imag")
_CURVED = "has integers, or cones beyond second-order, exponential and power ones"
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
    _check_convex(problem)
    twins = tuple(cp.Variable(p.shape, name=p.name()) for p in parameters)
    replaced = {id(p): twin for p, twin in zip(parameters, twins, strict=True)}
    if _holds(problem.objective, parameters):
        raise _misfit("the objective", f"contains {_listed(parameters)}")
    constraints = [
        _with_twins(constraint, f"{name} ({_text(constraint)})", parameters, replaced)
        for name, constraint in _named(problem)
    ]
    variables = tuple(problem.variables())
    anchors = [cp.Zero(cp.vec(leaf, order="F")) for leaf in (*variables, *twins)]
    return CvxpyModel(
        variables=variables,
        private=parameters,
        twins=twins,
        names={int(constraint.id): name for name, constraint in _named(problem)},
        form=_canonical(problem, constraints, anchors),
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
            if hasattr(bound, "parameters") and _holds(bound, private):
                raise _misfit(f"the bounds of {variable.name()}", f"contain {_listed(private)}")


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


def _check_convex(problem: Any) -> None:  # noqa: ANN401
    wrong = [] if problem.objective.is_dcp() else [f"the objective ({_text(problem.objective)})"]
    wrong += [f"{name} ({_text(c)})" for name, c in _named(problem) if not c.is_dcp()]
    if wrong:
        raise InputError(
            f"{wrong[0]} does not follow cvxpy's rules of convex programs (DCP).",
            "a convex problem: problem.is_dcp() is True.",
            "rewrite it; print(problem) and www.cvxpy.org/tutorial/dcp help.",
        )


def _with_twins(
    constraint: Any,  # noqa: ANN401
    name: str,
    private: tuple[Any, ...],
    replaced: dict[int, Any],
) -> Any:  # noqa: ANN401
    """The constraint with variables for private parameters, if it is convex in these, too."""
    if not _holds(constraint, private):
        return constraint
    copied = constraint.tree_copy(replaced)
    if _holds(copied, private) or not copied.is_dcp():
        raise _misfit(
            name, f"holds {_listed(private)} otherwise than times a constant, plus a constant"
        )
    return copied


def _canonical(problem: Any, constraints: list[Any], anchors: list[Any]) -> Canonical:  # noqa: ANN401
    """The canonical form; where there is none, the constraint alone to blame is refused."""
    cp = library("cvxpy")
    form = _attempt(problem.objective, constraints + anchors)
    if isinstance(form, Canonical):
        return form
    for (name, original), constraint in zip(_named(problem), constraints, strict=True):
        alone = _attempt(cp.Minimize(0), [constraint]) if constraint.variables() else None
        if isinstance(alone, str):
            raise _curved(f"{name} ({_text(original)}) {alone}")
    raise _curved(f"the objective ({_text(problem.objective)}) {form}")


def _attempt(objective: Any, constraints: list[Any]) -> Canonical | str:  # noqa: ANN401
    """The canonical form, or what is wrong with it."""
    cp = library("cvxpy")
    try:
        form = canonical(cp.Problem(objective, constraints))
    except cp.SolverError:  # cones that no solver takes
        return _CURVED
    except Exception as error:  # of any kind; its text may quote a value
        return f"cannot be compiled by cvxpy ({type(error).__name__})"
    return form if form.whole else _CURVED


def _curved(what: str) -> InputError:
    return InputError(
        f"{what}.",
        "a problem of linear rows, second-order, exponential and power cones: most convex atoms.",
        "semidefinite constraints cannot be kept under noise here: bound the matrix by its entries "
        "or by norms of its rows.",
    )


def _misfit(name: str, what: str) -> InputError:
    return InputError(
        f"{name} {what}.",
        "private parameters in constraints only, times a constant, plus a constant.",
        "bring the private numbers in by a constraint, for example cp.sum(x) == demand or "
        "x <= capacity; elsewhere use a variable t with t == demand.",
    )


def _holds(part: Any, private: tuple[Any, ...]) -> bool:  # noqa: ANN401
    hidden = {id(parameter) for parameter in private}
    return any(id(parameter) in hidden for parameter in part.parameters())


def _listed(private: tuple[Any, ...]) -> str:
    return "private data (" + ", ".join(parameter.name() for parameter in private) + ")"


def _text(part: Any) -> str:  # noqa: ANN401
    """The formula as cvxpy prints it, cut; it shows names and constants, no parameter's value."""
    text = " ".join(str(part.name() if hasattr(part, "name") else part).split())
    return text if len(text) <= 60 else text[:57] + "..."
