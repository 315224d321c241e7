"""What a program from cvxpy can do besides: read expressions, write to the problem's variables.

Queries are affine expressions of these variables; here they become rows over z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from privopt import arrays
from privopt.adapters.canonical import canonical, columns_of, leaf_names, leaves_of
from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InputError
from privopt.extra import library
from privopt.model.program import ConvexProgram

__all__ = ["CvxpyProgram", "CvxpySource", "are_expressions", "expression_rows", "flat", "formulas"]

_LONG = 40  # characters: a released value with a longer formula is y[k]


@dataclass(frozen=True, eq=False, repr=False)
class CvxpySource:
    """The user's variables, each with its rows over z, private parameters, and the objective."""

    variables: tuple[Any, ...]
    leaves: tuple[Sparse, ...]
    private: tuple[Any, ...]
    sign: float


class CvxpyProgram(ConvexProgram):
    """A `ConvexProgram` that came from a cvxpy problem.

    Queries take variables and affine expressions of the problem: `Identity(x[1:3])`,
    `Sum([x[:2], x[2:]])`, `Linear(A @ x)`. Data and bounds come in the shapes of the parameters; a
    vector is read in cvxpy's order (the first index fastest). Made by `from_cvxpy`.
    """

    def __init__(self, source: CvxpySource, **data: Any) -> None:  # noqa: ANN401
        super().__init__(**data)
        self._source: CvxpySource | None = source

    @property
    def _origin(self) -> CvxpySource:
        if self._source is None:
            raise InputError(
                "this program was separated from its cvxpy problem, with its data.",
                "the program that from_cvxpy returned.",
                "use that one: its variables have the same order.",
            )
        return self._source

    def without_data(self) -> ConvexProgram:
        """The same program without d, and without the cvxpy problem, which may hold values."""
        other = cast("CvxpyProgram", super().without_data())
        other._source = None
        return other

    def at(self, d: Any) -> CvxpyProgram:  # noqa: ANN401
        """The same program with another value of the private parameters, as in `data`."""
        return cast("CvxpyProgram", super().at(d))

    def assign(self, z: Any) -> dict[str, Dense]:  # noqa: ANN401
        """Write a solution into the problem's variables (`x.value`), and return it by name.

        z is `optimum.z`, `plan.realise(release)` or `decision.complete(d).z`: private, and
        so is what it is written into.
        """
        point = arrays.vector(z, self.n, "z", labels=self.names, private=True)
        found: dict[str, Dense] = {}
        for variable, rows in zip(self._origin.variables, self._origin.leaves, strict=True):
            own = point[: rows.shape[1]]  # towers of norms have added variables at the end
            value = np.reshape(np.asarray(rows @ own), variable.shape, order="F")
            variable.save_value(value)
            found[variable.name()] = value
        return found

    def objective(self, z: Any) -> float:  # noqa: ANN401
        """The problem's own objective: the cost, with the other sign where it is maximised.

        Auxiliary variables count as they stand in z; `assign(z)` and then `problem.objective.value`
        computes absolute values and maxima anew.
        """
        return self._origin.sign * self.cost(z)

    def positions(self, which: Any) -> list[int]:  # noqa: ANN401
        """Positions of variables, given also as cvxpy expressions that pick them."""
        if not are_expressions(which):
            return super().positions(which)
        S, names = self.values(which)
        picked = (np.diff(S.indptr) == 1) & (np.asarray(S.sum(axis=1)) == 1)
        if not picked.all():
            raise InputError(
                f"{names[int(np.argmin(picked))]} is no single variable.",
                "variables, or parts of them such as x[1:3].",
                "ask for combinations with Linear(expression).",
            )
        return S.indices.tolist()

    def values(self, S: Any) -> tuple[Sparse, tuple[str, ...]]:  # noqa: ANN401
        """Linear values of z, given also as affine cvxpy expressions of the problem's variables."""
        if not are_expressions(S):
            return super().values(S)
        origin = self._origin
        matrix = expression_rows(S, origin.variables, origin.private, self.names)
        return matrix, formulas(matrix, self.names)


def flat(values: Iterable[Any]) -> Vector:
    """Arrays as one vector, the first index of each fastest: cvxpy's order."""
    return np.concatenate([np.asarray(value, dtype=float).flatten(order="F") for value in values])


def are_expressions(value: Any) -> bool:  # noqa: ANN401
    """Whether the value is a cvxpy expression, or a list of them."""
    expression = library("cvxpy").Expression
    items = _listed(value)
    return len(items) > 0 and all(isinstance(item, expression) for item in items)


def expression_rows(
    given: Any,  # noqa: ANN401 -- cvxpy
    variables: tuple[Any, ...],
    private: tuple[Any, ...],
    names: tuple[str, ...],
) -> Sparse:
    """The matrix over z of affine expressions of some variables; `names` are those of z."""
    cp = library("cvxpy")
    whole = cp.hstack([cp.vec(part, order="F") for part in _listed(given)])
    wrong = _wrong(whole, variables, private)
    if wrong:
        raise _refusal(wrong)
    leaves = whole.variables()
    anchors = [cp.Zero(cp.vec(leaf, order="F")) for leaf in leaves]
    row = cp.Zero(whole)
    form = canonical(cp.Problem(cp.Minimize(0), [row, *anchors]))
    at = form.equalities.of(int(row.id))
    if form.equalities.bound[at].any():
        raise _refusal("has a constant part")
    rows = leaves_of(form, [int(anchor.id) for anchor in anchors])
    named = columns_of(rows, leaf_names(leaves))
    place = {name: j for j, name in enumerate(names)}
    S: Any = sp.coo_array(form.equalities.matrix[at])
    columns = np.array([place[named[int(j)]] for j in S.col], dtype=int)
    return sp.csr_array((S.data, (S.row, columns)), shape=(S.shape[0], len(names)))


def formulas(S: Sparse, names: tuple[str, ...]) -> tuple[str, ...]:
    """Rows as formulas such as `x[0] + 2 x[1] - t`; y[0], y[1], ... where these are no names."""
    texts = [_formula(S[[k]], names) for k in range(S.shape[0])]
    if len(set(texts)) < len(texts) or max(len(text) for text in texts) > _LONG:
        return tuple(f"y[{k}]" for k in range(len(texts)))
    return tuple(texts)


def _formula(row: Sparse, names: tuple[str, ...]) -> str:
    text = ""
    for j, value in sorted(zip(row.indices.tolist(), row.data.tolist(), strict=True)):
        text += " - " if value < 0 else " + "
        text += names[j] if abs(value) == 1 else f"{abs(value):g} {names[j]}"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def _wrong(whole: Any, variables: tuple[Any, ...], private: tuple[Any, ...]) -> str:  # noqa: ANN401
    known = {id(variable) for variable in variables}
    hidden = {id(parameter) for parameter in private}
    if any(id(parameter) in hidden for parameter in whole.parameters()):
        return "holds private data"
    if any(parameter.value is None for parameter in whole.parameters()):
        return "holds a parameter without a value"
    if any(id(variable) not in known for variable in whole.variables()):
        return "holds a variable that is not in the problem"
    if not whole.variables() or not whole.is_affine():
        return "is no affine expression of variables"
    return ""


def _refusal(wrong: str) -> InputError:
    return InputError(
        f"a released expression {wrong}.",
        "affine expressions of the problem's variables, without constants.",
        "release the part that depends on the variables; who knows a constant can add it.",
    )


def _listed(value: Any) -> Sequence[Any]:  # noqa: ANN401
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else [value]
